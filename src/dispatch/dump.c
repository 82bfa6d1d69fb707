// SPDX-License-Identifier: Apache-2.0
// PyTorch's dumps, byte for byte (reference, sections 7.2 to 7.4). A kernel for
// a dtype, a CPU level or a priority, which PyTorch does not have, adds to its
// key in brackets: "CPU[float32, v3, priority 10]".
#include <stdlib.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/op_schema.h"
#include "dispatch/place.h"
#include "dispatch/table.h"

static oy_status finish(oyi_strbuf* text, char** out_text) {
  *out_text = oyi_strbuf_take(text);
  return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
}

// |schema| is NULL if there was no memory for it.
static void put_schema(oyi_strbuf* out, const oy_schema* schema) {
  char* printed = NULL;
  if (schema && oy_schema_print(schema, &printed) == OY_OK)
    oyi_strbuf_puts(out, printed);
  else
    out->failed = true;
  oy_text_free(printed);
}

static void put_type(oyi_strbuf* out, const oy_type* type) {
  char* printed = NULL;
  if (oy_type_print(type, &printed) == OY_OK)
    oyi_strbuf_puts(out, printed);
  else
    out->failed = true;
  oy_text_free(printed);
}

// --------------------------------------------------------------------- state

// The type of a typed kernel that has the operator's schema.
static void put_schema_types(oyi_strbuf* out, const oy_schema* schema) {
  if (!schema) {
    out->failed = true;
    return;
  }
  oyi_strbuf_putc(out, '(');
  for (size_t i = 0; i < schema->argument_count; i++) {
    if (i) oyi_strbuf_puts(out, ", ");
    put_type(out, schema->arguments[i].type);
    oyi_strbuf_printf(out, " _%zu", i);
  }
  oyi_strbuf_puts(out, ") -> ");
  bool one = schema->return_count == 1;
  if (!one) oyi_strbuf_putc(out, '(');
  for (size_t i = 0; i < schema->return_count; i++) {
    if (i) oyi_strbuf_puts(out, ", ");
    put_type(out, schema->returns[i].type);
    oyi_strbuf_printf(out, " _%zu", i);
  }
  if (!one) oyi_strbuf_putc(out, ')');
}

static void put_inferred(oyi_strbuf* out, const oyi_op* op, const oy_registration* r) {
  if (r->schema)
    put_schema(out, r->schema);
  else if (r->typed && op->def)
    put_schema_types(out, oyi_definition_schema(op->def));
  else
    oyi_strbuf_puts(out, "(none)");
}

static void put_attributes(oyi_strbuf* out, const oy_registration* r) {
  static const char* const levels[] = {"baseline", "v3", "v4"};
  if (!r->dtype_filter && !r->cpu_level && !r->priority) return;
  const char* separator = "[";
  if (r->dtype_filter) {
    const char* name = oy_dtype_name((oy_dtype)(r->dtype_filter - 1));
    oyi_strbuf_printf(out, "%s%s", separator, name ? name : "unknown");
    separator = ", ";
  }
  if (r->cpu_level) {
    oyi_strbuf_printf(out, "%s%s", separator,
                      levels[r->cpu_level <= OY_CPU_V4 ? r->cpu_level : 0]);
    separator = ", ";
  }
  if (r->priority) oyi_strbuf_printf(out, "%spriority %d", separator, r->priority);
  oyi_strbuf_putc(out, ']');
}

static bool is_active(oy_registration* newest, const oy_registration* r) {
  oy_dtype dtype =
      r->dtype_filter ? (oy_dtype)(r->dtype_filter - 1) : (oy_dtype)OY_DTYPE_ANY;
  return oyi_active_kernel(newest, dtype) == r;
}

static void put_kernels(oyi_strbuf* out, const oyi_op* op, oy_registration* newest) {
  for (const oy_registration* r = newest; r; r = r->older) {
    oyi_strbuf_puts(out, oy_key_name(r->key));
    put_attributes(out, r);
    oyi_strbuf_printf(out, "%s%s: ", oy_key_is_alias(r->key) ? "[alias]" : "",
                      is_active(newest, r) ? "" : " (inactive)");
    oyi_place_print(r, out);
    oyi_strbuf_puts(out, " :: ");
    put_inferred(out, op, r);
    oyi_strbuf_printf(out, " [ %sboxed %s]\n", r->fallthrough ? "fallthrough " : "",
                      r->typed ? "unboxed " : "");
  }
}

// Functionalities and runtime keys in enum order, alias keys last. Meta's bit
// is the greatest, so runtime keys sort by functionality, then bit.
static unsigned key_rank(oy_key key) {
  if (oy_key_is_alias(key)) return 1u << 20 | key;
  unsigned backend = (unsigned)(oy_key_backend(key) + 1);
  unsigned f = oy_key_functionality(key);
  return backend ? 1u << 16 | f << 8 | backend : f;
}

static const char* alias_kind_name(int kind) {
  switch (kind) {
    case OY_ALIAS_FROM_SCHEMA: return "FROM_SCHEMA";
    case OY_ALIAS_PURE_FUNCTION: return "PURE_FUNCTION";
    case OY_ALIAS_INTERNAL_SPECIAL_CASE: return "INTERNAL_SPECIAL_CASE";
    default: return "CONSERVATIVE";
  }
}

static void put_def(oyi_strbuf* out, const oyi_op* op) {
  oyi_strbuf_printf(out, "name: %.*s\nschema: ", (int)op->name_size, op->name);
  if (!op->def) {
    oyi_strbuf_puts(out, "(none)\n");
    return;
  }
  put_schema(out, oyi_definition_schema(op->def));
  oyi_strbuf_puts(out, "\ndebug: ");
  oyi_place_print(op->def, out);
  oyi_strbuf_printf(out, "\nalias analysis kind: %s%s\n",
                    alias_kind_name(op->def->alias_kind),
                    op->def->alias_defaulted ? " (default)" : "");
}

static void put_state(oyi_strbuf* out, const oyi_op* op) {
  if (op->registrations == 0) return;
  put_def(out, op);
  // Few keys: pick the next rank each time rather than sort a copy.
  unsigned last = 0;
  for (;;) {
    oy_registration* next = NULL;
    for (oy_registration* r = op->kernels; r; r = r->other) {
      unsigned rank = key_rank(r->key);
      if (rank > last && (!next || rank < key_rank(next->key))) next = r;
    }
    if (!next) break;
    last = key_rank(next->key);
    put_kernels(out, op, next);
  }
}

// --------------------------------------------------------------------- table

static void put_cell(oyi_strbuf* out, oyi_cell cell) {
  if (oyi_kernel_is_fallthrough(cell.kernel)) oyi_strbuf_puts(out, "fallthrough ");
  if (cell.registration)
    oyi_place_print(cell.registration, out);
  else
    oyi_strbuf_puts(out, "ambiguous_autogradother");
  oyi_strbuf_printf(out, " [%s]", oyi_provenance_name(cell.provenance));
}

// Rows of dtypes whose kernel is not that of every other dtype.
static void put_variant_rows(oyi_strbuf* out, const oyi_op* op, oy_key key,
                             oyi_cell any) {
  for (unsigned d = 0; op->dtype_kernels && d < OY_DTYPE_LIMIT; d++) {
    oyi_cell cell = oyi_compute_cell(op, key, (oy_dtype)d);
    if (cell.kernel == any.kernel || cell.provenance == OYI_MISSING) continue;
    const char* name = oy_dtype_name((oy_dtype)d);
    oyi_strbuf_printf(out, "%s[%s]: ", oy_key_name(key), name ? name : "?");
    put_cell(out, cell);
    oyi_strbuf_putc(out, '\n');
  }
}

static void put_table(oyi_strbuf* out, const oyi_op* op) {
  oy_keyset full = oy_keyset_full();
  uint32_t cursor = 0;
  oy_key key = OY_KEY_Undefined;
  do {
    oyi_cell cell = oyi_compute_cell(op, key, OY_DTYPE_ANY);
    if (cell.provenance != OYI_MISSING) {
      oyi_strbuf_printf(out, "%s: ", oy_key_name(key));
      put_cell(out, cell);
      oyi_strbuf_putc(out, '\n');
    }
    put_variant_rows(out, op, key, cell);
  } while (oy_keyset_next(full, &cursor, &key));
}

static oy_status dump(const oy_op* op, char** out_text,
                      void (*put)(oyi_strbuf*, const oyi_op*)) {
  oyi_op* o = oyi_op_of(op);
  oyi_strbuf text = OYI_STRBUF_INIT;
  pthread_mutex_lock(&o->registry->mutex);
  put(&text, o);
  pthread_mutex_unlock(&o->registry->mutex);
  return finish(&text, out_text);
}

oy_status oy_op_dump_state(const oy_op* op, char** out_text) {
  return dump(op, out_text, put_state);
}

oy_status oy_op_dump_table(const oy_op* op, char** out_text) {
  return dump(op, out_text, put_table);
}

oy_status oy_op_dump_cell(const oy_op* op, oy_key key, char** out_text) {
  *out_text = NULL;
  OY_CHECK(oy_key_is_runtime(key), INVALID_ARGUMENT, "expected a runtime key, got %s",
           oy_key_name(key));
  oyi_op* o = oyi_op_of(op);
  oyi_strbuf text = OYI_STRBUF_INIT;
  pthread_mutex_lock(&o->registry->mutex);
  oyi_cell cell = oyi_compute_cell(o, key, OY_DTYPE_ANY);
  if (cell.provenance != OYI_MISSING) put_cell(&text, cell);
  pthread_mutex_unlock(&o->registry->mutex);
  return finish(&text, out_text);
}

static void put_extractor(oyi_strbuf* out, const oyi_op* op) {
  for (int i = 0; i < 64; i++) {
    int at = op->hot.argument_count - 1 - (63 - i);
    bool bit = at >= 0 && (op->hot.dispatch_arguments >> at & 1);
    oyi_strbuf_putc(out, op->def && bit ? '1' : '0');
  }
  oy_keyset mask = oy_keyset_full();
  mask.functionality &= oyi_table_mask(op, OY_BACKEND_CPU);
  char small[4096];
  oy_keyset_print(mask, small, sizeof(small));
  oyi_strbuf_printf(out, " %s\n", small);
}

oy_status oy_op_dump_extractor(const oy_op* op, char** out_text) {
  return dump(op, out_text, put_extractor);
}

// ------------------------------------------------------------------ registry

oy_status oy_registry_dump_key(oy_registry* registry, oy_key key, char** out_text) {
  *out_text = NULL;
  const oy_op** ops;
  size_t op_count;
  OY_TRY(oy_registry_list(registry, &ops, &op_count));
  oyi_strbuf text = OYI_STRBUF_INIT;
  for (size_t i = 0; i < op_count; i++) {
    if (key != OY_KEY_Undefined && !oy_op_has_kernel(ops[i], key)) continue;
    oyi_strbuf_str(&text, oy_op_name_of(ops[i]));
    oyi_strbuf_putc(&text, '\n');
  }
  oy_ops_free(ops);
  return finish(&text, out_text);
}

oy_status oy_registry_dump_dangling(oy_registry* registry, char** out_text,
                                    size_t* out_count) {
  *out_text = NULL;
  *out_count = 0;
  const oy_op** ops;
  size_t op_count;
  OY_TRY(oy_registry_list(registry, &ops, &op_count));
  oyi_strbuf text = OYI_STRBUF_INIT;
  pthread_mutex_lock(&registry->mutex);
  for (size_t i = 0; i < op_count; i++) {
    const oyi_op* op = oyi_op_of(ops[i]);
    if (op->def || op->registrations == 0) continue;
    put_state(&text, op);
    ++*out_count;
  }
  pthread_mutex_unlock(&registry->mutex);
  oy_ops_free(ops);
  return finish(&text, out_text);
}
