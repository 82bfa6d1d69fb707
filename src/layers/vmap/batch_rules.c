// SPDX-License-Identifier: Apache-2.0
// Which operator has which batching rule. Families of elementwise operators have theirs
// without being named here; what is not named and is not composed of others goes through
// the loop.
#include "layers/vmap/batch_rules.h"

#include "base/memory.h"
#include "layers/vmap/batch.h"
#include "ops/calls.h"

#define LETTERS(name, letters) {name, oyi_batch_by_letters, letters, NULL},
#define BECOMES(name, letters, id) \
  {name, oyi_batch_by_letters, letters, &oyi_ops[OYI_OP_##id]},
#define IN_PLACE(name, letters, id) \
  {name, oyi_batch_view_inplace, letters, &oyi_ops[OYI_OP_##id]},
#define POINTWISE(name)           {name, oyi_batch_pointwise, NULL, NULL},
#define FORMATTED(name)           {name, oyi_batch_pointwise, "m", NULL},
#define LOSS(name, letters)       {name, oyi_batch_loss, letters, NULL},
#define PRODUCT(name, dimensions) {name, oyi_batch_product, dimensions, NULL},
#define INDEX(name)               {name, oyi_batch_index, NULL, NULL},
#define INDEX_PUT(name)           {name, oyi_batch_index_put, NULL, NULL},
#define SELECTS(name, text)       {name, oyi_batch_masked_select, text, NULL},
#define STRIDED(name)             {name, oyi_batch_as_strided, NULL, NULL},
#define STRIDED_COPY(name)        {name, oyi_batch_as_strided, "c", NULL},
#define CHECKS(name)              {name, oyi_batch_linalg_check, NULL, NULL},
#define DYNAMIC(name)             {name, oyi_batch_dynamic_shape, NULL, NULL},
#define SHAPELESS(name)           {name, oyi_batch_no_loop, NULL, NULL},
#define REFUSED(name, text)       {name, oyi_batch_refused, text, NULL},
static const oyi_batch_rule g_rules[] = {
#include "layers/vmap/batch_rules.def"
};
#define DRAWS(name, kind) {name, oyi_batch_random, kind, NULL},
static const oyi_batch_rule g_random[] = {
#include "layers/vmap/batch_random.def"
};
static const oyi_batch_rule g_random_out = {NULL, oyi_batch_random, "O", NULL};

// ------------------------------------------------------------------- by family

enum { FORM_OTHER, FORM_ONE, FORM_OUT };

#define ONE_IF_NEW              FORM_ONE
#define ONE_IF_INPLACE          FORM_ONE
#define ONE_IF_OUT              FORM_OUT
#define ONE_IF_OUTS             FORM_OUT
#define ONE_IF_VIEW             FORM_OTHER
#define ONE_IF_TUPLE            FORM_OTHER
#define ONE_IF_LIST             FORM_OTHER
#define ONE_IF_VIEWS            FORM_OTHER
#define ONE_IF_VALUE            FORM_OTHER
#define ONE_IF_NOTHING          FORM_OTHER
#define COMPOSED_IMPLICIT       FORM_OTHER
#define COMPOSED_EXPLICIT       FORM_OUT
#define COMPOSED_KERNEL         FORM_OUT
#define COMPOSED_KERNEL_SPLIT   FORM_OUT
#define COMPOSED_FACTORY        FORM_OUT
#define COMPOSED_FACTORY_KERNEL FORM_OUT
// Of what is not composed: whether it gives one tensor, new or its first argument.
static const uint8_t g_forms[OYI_OP_COUNT] = {
#define OY_OP(family, id, where, backward, schema, doc) \
  [OYI_OP_##id] = COMPOSED_##where != FORM_OTHER ? OYI_BY_FORM(ONE_IF_, id) : FORM_OTHER,
#include "ops/ops.def"
#undef OY_OP
};

static bool is_named(const char* const* names, const char* name) {
  for (; *names; names++)
    if (strcmp(*names, name) == 0) return true;
  return false;
}

static bool is_elementwise(int id) {
  static const char* const families[] = {"UNARY",   "POINTWISE", "COMPARISON", "BITWISE",
                                         "TERNARY", "SPECIAL",   "ACTIVATION", NULL};
  if (g_forms[id] != FORM_ONE || !is_named(families, oyi_op_rows[id].family))
    return false;
  return id != OYI_OP_glu && id != OYI_OP_glu_backward &&
         id != OYI_OP_log_sigmoid_backward && id != OYI_OP_rrelu_with_noise &&
         id != OYI_OP_rrelu_with_noise_;
}

// ---------------------------------------------------------------- registration

static oy_status register_rule(oy_library* aten, const char* name, oy_key key,
                               const oyi_batch_rule* rule) {
  oy_impl_params params = {.name = name,
                           .key = key,
                           .kernel = {.boxed = rule->fn, .state = (void*)(uintptr_t)rule},
                           .place = OY_HERE};
  return oy_library_impl(aten, &params, NULL);
}

static oy_status register_id(oy_library* aten, int id, oy_key key,
                             const oyi_batch_rule* rule) {
  char name[80] = "";
  oy_str shortened = oyi_op_short_name((oyi_op_id)id);
  OY_CHECK(shortened.size < sizeof(name), INTERNAL, "operator name too long: %.*s",
           OY_STR_ARG(shortened));
  memcpy(name, shortened.data, shortened.size);
  return register_rule(aten, name, key, rule);
}

oy_status oyi_register_batch_rules(oy_library* aten) {
  static const oyi_batch_rule elementwise = {NULL, oyi_batch_pointwise, NULL, NULL};
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_rules); i++)
    OY_TRY(register_rule(aten, g_rules[i].name, OY_KEY_FuncTorchBatched, &g_rules[i]));
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_random); i++)
    OY_TRY(register_rule(aten, g_random[i].name, OY_KEY_FuncTorchVmapMode, &g_random[i]));
  for (int id = 0; id < OYI_OP_COUNT; id++) {
    if (is_elementwise(id))
      OY_TRY(register_id(aten, id, OY_KEY_FuncTorchBatched, &elementwise));
    if (g_forms[id] == FORM_OUT && strcmp(oyi_op_rows[id].family, "RANDOM") == 0)
      OY_TRY(register_id(aten, id, OY_KEY_FuncTorchVmapMode, &g_random_out));
  }
  return OY_OK;
}
