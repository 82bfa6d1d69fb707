// SPDX-License-Identifier: Apache-2.0
// The operator table as const data, and its way into a registry.
#include "ops/library.h"

#include "base/memory.h"
#include "ops/kernels.h"

const oy_op* oyi_ops[OYI_OP_COUNT];

const oyi_op_row oyi_op_rows[OYI_OP_COUNT] = {
#define OY_OP(family, id, where, backward, schema, doc) \
  [OYI_OP_##id] = {schema, doc, #family, __FILE__, __LINE__},
#include "ops/ops.def"
#undef OY_OP
};

#define ROW(name, id) {OYI_OP_##id, 0, 0, 0, (oy_typed_fn)(name##id), NULL},
#define NO_ROW(id)

static const oyi_kernel_row g_implicit[] = {
#define IN_KERNEL                                       NO_ROW
#define IN_KERNEL_SPLIT                                 NO_ROW
#define IN_FACTORY_KERNEL                               NO_ROW
#define IN_FACTORY                                      NO_ROW
#define IN_EXPLICIT                                     NO_ROW
#define IN_IMPLICIT(id)                                 ROW(oy_composite_, id)
#define OY_OP(family, id, where, backward, schema, doc) IN_##where(id)
#include "ops/ops.def"
#undef IN_FACTORY
#undef IN_EXPLICIT
#undef IN_IMPLICIT
};

static const oyi_kernel_row g_explicit[] = {
#define IN_FACTORY(id)  ROW(oy_composite_, id)
#define IN_EXPLICIT(id) ROW(oy_composite_, id)
#define IN_IMPLICIT     NO_ROW
#include "ops/ops.def"
#undef IN_FACTORY_KERNEL
#undef IN_FACTORY
#undef IN_EXPLICIT
};

static const oyi_kernel_row g_select[] = {
#define IN_FACTORY_KERNEL(id) ROW(oy_backendselect_, id)
#define IN_FACTORY(id)        ROW(oy_backendselect_, id)
#define IN_EXPLICIT           NO_ROW
#include "ops/ops.def"
#undef OY_OP
};

oy_str oyi_op_short_name(oyi_op_id id) {
  const char* schema = oyi_op_rows[id].schema;
  return (oy_str){schema, (size_t)(strchr(schema, '(') - schema)};
}

static oy_place place_of(const oyi_kernel_row* row) {
  const oyi_op_row* op = &oyi_op_rows[row->id];
  return row->file ? (oy_place){row->file, row->line, NULL}
                   : (oy_place){op->file, op->line, NULL};
}

oy_status oyi_register_rows(oy_library* library, oy_key key, const oyi_kernel_row* rows,
                            size_t count) {
  for (size_t i = 0; i < count; i++) {
    char name[64];
    oy_str shortened = oyi_op_short_name((oyi_op_id)rows[i].id);
    OY_CHECK(shortened.size < sizeof(name), INTERNAL, "operator name too long: %.*s",
             OY_STR_ARG(shortened));
    memcpy(name, shortened.data, shortened.size);
    name[shortened.size] = '\0';
    oy_impl_params params = {.name = name,
                             .key = key,
                             .kernel = {.typed = rows[i].typed,
                                        .fallthrough = !rows[i].typed,
                                        .dtype_filter = rows[i].dtype_filter,
                                        .priority = rows[i].priority},
                             .place = place_of(&rows[i])};
    OY_TRY(oy_library_impl(library, &params, NULL));
  }
  return OY_OK;
}

// Of those that PyTorch hides from observers (reference, 7.5), the ones that are here.
static bool is_unobserved(int id) {
  return id == OYI_OP_size_int;
}

static oy_status define_ops(oy_library* library, oy_registry* registry) {
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    oy_def_params params = {.schema = oyi_op_rows[id].schema,
                            .unobserved = is_unobserved(id),
                            .place = {oyi_op_rows[id].file, oyi_op_rows[id].line, NULL}};
    OY_TRY(oy_library_def(library, &params, NULL));
    oy_str shortened = oyi_op_short_name((oyi_op_id)id);
    char name[80] = "aten::";
    OY_CHECK(shortened.size + 7 < sizeof(name), INTERNAL, "operator name too long");
    memcpy(name + 6, shortened.data, shortened.size);
    OY_TRY(oy_op_find(registry, (oy_str){name, shortened.size + 6}, &oyi_ops[id]));
  }
  return OY_OK;
}

oy_status oyi_register_ops(oy_library* library, oy_registry* registry) {
  OY_TRY(define_ops(library, registry));
  OY_TRY(oyi_register_rows(library, OY_KEY_CompositeImplicitAutograd, g_implicit,
                           OY_ARRAY_SIZE(g_implicit)));
  OY_TRY(oyi_register_rows(library, OY_KEY_CompositeExplicitAutograd, g_explicit,
                           OY_ARRAY_SIZE(g_explicit)));
  return oyi_register_rows(library, OY_KEY_BackendSelect, g_select,
                           OY_ARRAY_SIZE(g_select));
}
