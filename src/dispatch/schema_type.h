// SPDX-License-Identifier: Apache-2.0
// Types of schemas: making, comparing, printing. Base types, and optionals and
// lists of base types, are static; so most schemas allocate no type at all.
#ifndef OPYARD_SRC_DISPATCH_SCHEMA_TYPE_H_
#define OPYARD_SRC_DISPATCH_SCHEMA_TYPE_H_

#include "base/arena.h"
#include "base/strbuf.h"
#include "opyard/schema.h"

// How to look at a type. Each flag makes two types that differ the same.
enum {
  OYI_TYPE_EXACT = 0,
  OYI_TYPE_NO_SIZE = 1 << 0,  // int[2] is int[]
  OYI_TYPE_SYMINT_AS_INT = 1 << 1,
  OYI_TYPE_NATIVE = 1 << 2,  // what has the same C type and tag in a kernel:
                             // Dimname is str; DeviceIndex and
                             // ConstQuantizerPtr are int
  OYI_TYPE_FAKE = 1 << 3     // as the boxed world sees it: NATIVE, and
                             // SymInt, ScalarType, Layout, MemoryFormat
                             // are int
};

const oy_type* oyi_type_base(oy_type_kind kind);
// OY_TYPE_COUNT if |name| names no base type.
oy_type_kind oyi_type_find(oy_str name);
const char* oyi_type_text(oy_type_kind kind);
oy_type_kind oyi_type_kind_as(oy_type_kind kind, unsigned flags);

// NULL with the error set if memory is short.
oy_type* oyi_type_make(oyi_arena* arena, oy_type_kind kind, const oy_type* element);
const oy_type* oyi_type_list(oyi_arena* arena, const oy_type* element,
                             int64_t fixed_size);
const oy_type* oyi_type_optional(oyi_arena* arena, const oy_type* element);

bool oyi_type_equal_as(const oy_type* a, const oy_type* b, unsigned flags);
// Whether every value of type |a| is one of type |b| (fake types).
bool oyi_type_is_subtype(const oy_type* a, const oy_type* b);
// Without the optionals around it.
const oy_type* oyi_type_unwrap(const oy_type* type);

bool oyi_alias_equal(const oy_alias* a, const oy_alias* b);
bool oyi_default_equal(const oy_default* a, const oy_default* b);

// In schema_print.c. |alias| may be NULL.
void oyi_type_put(oyi_strbuf* buf, const oy_type* type, const oy_alias* alias,
                  unsigned flags);
void oyi_schema_put(oyi_strbuf* buf, const oy_schema* schema);
// In schema_print_default.c.
void oyi_default_put(oyi_strbuf* buf, const oy_type* type, const oy_default* value);

#endif  // OPYARD_SRC_DISPATCH_SCHEMA_TYPE_H_
