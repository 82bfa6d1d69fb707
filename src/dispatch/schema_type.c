// SPDX-License-Identifier: Apache-2.0
// Types are trees of constant nodes. Five static tables hold T, T?, T[], T?[]
// and T[]? for every base type T; a type made of anything else lies in the
// arena of its schema. Two equal types may have different addresses, so compare
// with oy_type_equal only. Depth is bounded by the parser, hence the recursion.
#include "dispatch/schema_type.h"

#include "base/memory.h"

static const oy_type g_base[] = {
#define OY_TYPE(n, t) [OY_TYPE_##n] = {.kind = OY_TYPE_##n},
#include "opyard/types.def"
#undef OY_TYPE
};

static const oy_type g_optional[] = {
#define OY_TYPE(n, t) \
  [OY_TYPE_##n] = {.kind = OY_TYPE_OPTIONAL, .element = &g_base[OY_TYPE_##n]},
#include "opyard/types.def"
#undef OY_TYPE
};

static const oy_type g_list[] = {
#define OY_TYPE(n, t) \
  [OY_TYPE_##n] = {.kind = OY_TYPE_LIST, .element = &g_base[OY_TYPE_##n]},
#include "opyard/types.def"
#undef OY_TYPE
};

static const oy_type g_list_of_optional[] = {
#define OY_TYPE(n, t) \
  [OY_TYPE_##n] = {.kind = OY_TYPE_LIST, .element = &g_optional[OY_TYPE_##n]},
#include "opyard/types.def"
#undef OY_TYPE
};

static const oy_type g_optional_list[] = {
#define OY_TYPE(n, t) \
  [OY_TYPE_##n] = {.kind = OY_TYPE_OPTIONAL, .element = &g_list[OY_TYPE_##n]},
#include "opyard/types.def"
#undef OY_TYPE
};

static const oy_str g_text[] = {
#define OY_TYPE(n, t) [OY_TYPE_##n] = {t, sizeof(t) - 1},
#include "opyard/types.def"
#undef OY_TYPE
};

const oy_type* oyi_type_base(oy_type_kind kind) {
  return &g_base[kind];
}

const char* oyi_type_text(oy_type_kind kind) {
  return g_text[kind].data;
}

oy_type_kind oyi_type_find(oy_str name) {
  if (name.size == 6 && memcmp(name.data, "Tensor", 6) == 0) return OY_TYPE_TENSOR;
  // Structured types have the empty text, which no identifier equals.
  for (const oy_str* text = g_text; text < g_text + OY_TYPE_COUNT; text++)
    if (text->size == name.size && text->data[0] == name.data[0] &&
        memcmp(text->data, name.data, name.size) == 0)
      return (oy_type_kind)(text - g_text);
  return OY_TYPE_COUNT;
}

oy_type_kind oyi_type_kind_as(oy_type_kind kind, unsigned flags) {
  if (flags & OYI_TYPE_FAKE) flags |= OYI_TYPE_NATIVE | OYI_TYPE_SYMINT_AS_INT;
  switch (kind) {
    case OY_TYPE_SYMINT: return flags & OYI_TYPE_SYMINT_AS_INT ? OY_TYPE_INT : kind;
    case OY_TYPE_SCALAR_TYPE:
    case OY_TYPE_LAYOUT:
    case OY_TYPE_MEMORY_FORMAT: return flags & OYI_TYPE_FAKE ? OY_TYPE_INT : kind;
    case OY_TYPE_DEVICE_INDEX:
    case OY_TYPE_CONST_QUANTIZER_PTR: return flags & OYI_TYPE_NATIVE ? OY_TYPE_INT : kind;
    case OY_TYPE_DIMNAME: return flags & OYI_TYPE_NATIVE ? OY_TYPE_STR : kind;
    default: return kind;
  }
}

// Index of |type| in |table|, or OY_TYPE_COUNT. Compares addresses as numbers:
// the type may be outside of the table.
static size_t index_in(const oy_type* table, const oy_type* type) {
  uintptr_t offset = (uintptr_t)type - (uintptr_t)table;
  return offset < OY_TYPE_COUNT * sizeof(*table) ? offset / sizeof(*table)
                                                 : OY_TYPE_COUNT;
}

oy_type* oyi_type_make(oyi_arena* arena, oy_type_kind kind, const oy_type* element) {
  oy_type* type = oyi_arena_alloc(arena, sizeof(*type));
  if (!type) return NULL;
  *type = (oy_type){.kind = kind, .element = element};
  return type;
}

const oy_type* oyi_type_list(oyi_arena* arena, const oy_type* element,
                             int64_t fixed_size) {
  if (fixed_size == 0) {
    size_t i = index_in(g_base, element);
    if (i < OY_TYPE_COUNT) return &g_list[i];
    i = index_in(g_optional, element);
    if (i < OY_TYPE_COUNT) return &g_list_of_optional[i];
  }
  oy_type* type = oyi_arena_alloc(arena, sizeof(*type));
  if (!type) return NULL;
  *type = (oy_type){.kind = OY_TYPE_LIST, .element = element, .fixed_size = fixed_size};
  return type;
}

const oy_type* oyi_type_optional(oyi_arena* arena, const oy_type* element) {
  if (element->kind == OY_TYPE_OPTIONAL) return element;
  size_t i = index_in(g_base, element);
  if (i < OY_TYPE_COUNT) return &g_optional[i];
  i = index_in(g_list, element);
  if (i < OY_TYPE_COUNT) return &g_optional_list[i];
  return oyi_type_make(arena, OY_TYPE_OPTIONAL, element);
}

const oy_type* oyi_type_unwrap(const oy_type* type) {
  while (type->kind == OY_TYPE_OPTIONAL) type = type->element;
  return type;
}

static bool parts_equal(const oy_type* a, const oy_type* b, unsigned flags) {
  if (a == b) return true;
  return a && b && oyi_type_equal_as(a, b, flags);
}

bool oyi_type_equal_as(const oy_type* a, const oy_type* b, unsigned flags) {
  if (a == b) return true;
  if (oyi_type_kind_as(a->kind, flags) != oyi_type_kind_as(b->kind, flags)) return false;
  if (!(flags & OYI_TYPE_NO_SIZE) && a->fixed_size != b->fixed_size) return false;
  if (a->field_count != b->field_count || !oy_str_equal(a->name, b->name)) return false;
  for (size_t i = 0; i < a->field_count; i++)
    if (!oyi_type_equal_as(a->fields[i], b->fields[i], flags)) return false;
  return parts_equal(a->element, b->element, flags) &&
         parts_equal(a->value, b->value, flags);
}

bool oy_type_equal(const oy_type* a, const oy_type* b) {
  return oyi_type_equal_as(a, b, OYI_TYPE_EXACT);
}
