// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/norm/norm_gradients.h"

#include "ops/rules/rules.h"

static oy_status check_statistics(const oyi_norm_grads* g, oy_object* statistic,
                                  const char* name) {
  if (!oyi_is_optional(statistic)) return oy_failure();
  const oyi_tensor* t = oyi_optional_tensor(statistic);
  if (!t) return OY_OK;
  OY_CHECK(t->numel == g->statistics, INVALID_ARGUMENT,
           "Expected %s to have %lld elements, but got %s of shape %s", name,
           (long long)g->statistics, name, oyi_dims_print(oyi_sizes_view(t)).text);
  OY_CHECK(oy_dtype_is_floating(statistic->dtype), TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(g->input->dtype),
           oy_dtype_pytorch_name(statistic->dtype));
  return oyi_check_same_device(oyi_tensor_cast(g->input), t);
}

static oy_status check(const oyi_norm_grads* g, const char* name) {
  const oyi_tensor* t = oyi_tensor_of(g->input);
  const oyi_tensor* grad = t ? oyi_tensor_of(g->grad) : NULL;
  if (!grad || !oyi_is_optional(g->weight)) return oy_failure();
  OY_CHECK(g->mask.size == 3, INVALID_ARGUMENT,
           "expected 3 elements in output_mask, got %zu", g->mask.size);
  if (oyi_float_to_compute(g->input->dtype) == OY_DTYPE_ANY)
    return oyi_not_implemented(name, g->input->dtype);
  OY_TRY(oyi_check_same_device(t, grad));
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(grad)), INVALID_ARGUMENT,
           "expected grad_out of size %s, got %s", oyi_dims_print(oyi_sizes_view(t)).text,
           oyi_dims_print(oyi_sizes_view(grad)).text);
  OY_CHECK(g->grad->dtype == g->input->dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(g->input->dtype),
           oy_dtype_pytorch_name(g->grad->dtype));
  OY_TRY(check_statistics(g, g->mean, "mean"));
  return check_statistics(g, g->rstd, "rstd");
}

oy_status oyi_norm_grads_make(const oyi_norm_grads* g, const char* name,
                              oy_object* made[3]) {
  for (int i = 0; i < 3; i++) made[i] = &oy_none_object;
  OY_TRY(check(g, name));
  const oyi_tensor* t = oyi_tensor_cast(g->input);
  const oy_dtype dtype =
      g->weight == &oy_none_object ? g->input->dtype : g->weight->dtype;
  for (int i = 0; i < 3; i++) {
    if (!g->mask.data[i]) continue;
    const oyi_options options = {i == 0 ? g->input->dtype : dtype, oyi_tensor_device(t)};
    oyi_tensor* new_tensor =
        oyi_rule_empty(i == 0 ? oyi_sizes_view(t) : g->params, &options,
                       i == 0 ? g->format : OY_MEMORY_CONTIGUOUS, NULL);
    made[i] = new_tensor ? &new_tensor->header : &oy_none_object;
    if (!new_tensor) return oy_failure();
  }
  return OY_OK;
}

oy_status oyi_norm_grads_give(oy_object* made[3], oy_object** const results[3],
                              oy_status status) {
  for (int i = 0; i < 3; i++) {
    if (status != OY_OK && made[i] != &oy_none_object) oy_tensor_release(made[i]);
    *results[i] = status == OY_OK ? made[i] : NULL;
  }
  return status;
}

bool oyi_norm_grads_run(oy_object* const made[3]) {
  for (int i = 0; i < 3; i++)
    if (made[i] != &oy_none_object) return !oyi_is_meta(oyi_tensor_cast(made[i]));
  return false;
}

void oyi_norm_rows_read(oyi_norm_rows* r, oyi_work* w, const oyi_norm_grads* g) {
  r->dtype = w->dtype;
  r->item = oyi_dtype_bytes[w->dtype];
  r->math = oyi_row_math_for(w->dtype);
  r->mean = oyi_work_read(w, oyi_optional_tensor(g->mean));
  r->rstd = oyi_work_read(w, oyi_optional_tensor(g->rstd));
  r->weight = oyi_work_read(w, oyi_optional_tensor(g->weight));
}

void oyi_norm_rows_write(oyi_norm_rows* r, oyi_work* w, oyi_tensor* out,
                         oy_object* const made[3]) {
  r->out = oyi_work_write(w, out);
  r->to_weight = oyi_work_write(w, oyi_optional_tensor(made[1]));
  r->to_bias = oyi_work_write(w, oyi_optional_tensor(made[2]));
}
