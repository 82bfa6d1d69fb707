// SPDX-License-Identifier: Apache-2.0
// multi_margin_loss and multilabel_margin_loss: rows of scores, those of the targets
// against the others.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/loss.h"
#include "backends/cpu/work.h"
#include "base/memory.h"
#include "base/threads.h"
#include "ops/rules/rules.h"
#include "ops/rules/spatial.h"
#include "tensor/element.h"

typedef struct scores {
  oy_dtype dtype;
  int64_t rows, n, item, stretch;
  int64_t p;
  double margin, factor;
  const char *in, *grad;  // |grad|: one for each row, or NULL
  const int64_t* target;
  const double* weight;
  char *is_target, *out;
  double* losses;
} scores;

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define T           float
#define ID          f32
#include "backends/cpu/neural/loss_margin_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/neural/loss_margin_tmpl.h"

static void one_row(const scores* m, int64_t i, bool is_single) {
  const int64_t bytes = m->n * m->item;
  const char* in = m->in + i * bytes;
  const bool wide = m->dtype == OY_DTYPE_F64;
  if (!m->losses) {
    const double g =
        m->factor * (m->grad ? oyi_float_load(m->dtype, m->grad + i * m->item) : 1);
    char* out = m->out + i * bytes;
    if (is_single)
      (wide ? multi_margin_backward_f64 : multi_margin_backward_f32)(m, in, m->target[i],
                                                                     g, out);
    else
      (wide ? multilabel_margin_backward_f64 : multilabel_margin_backward_f32)(
          m, in, m->target + i * m->n, m->is_target + i * bytes, g, out);
  } else {
    m->losses[i] = (wide ? multilabel_margin_f64 : multilabel_margin_f32)(
        m, in, m->target + i * m->n, m->is_target + i * bytes);
  }
}

static oy_status run_single(int64_t index, void* context) {
  const scores* m = context;
  const int64_t begin = index * m->stretch, last = begin + m->stretch;
  const int64_t end = last < m->rows ? last : m->rows;
  if (m->losses)
    (m->dtype == OY_DTYPE_F64 ? multi_margins_f64 : multi_margins_f32)(m, begin, end);
  else
    for (int64_t i = begin; i < end; i++) one_row(m, i, true);
  return OY_OK;
}
static oy_status run_several(int64_t index, void* context) {
  const scores* m = context;
  const int64_t end = (index + 1) * m->stretch;
  for (int64_t i = index * m->stretch; i < end && i < m->rows; i++) one_row(m, i, false);
  return OY_OK;
}

static oy_status run(scores* m, oyi_chunk_fn fn) {
  m->stretch = oyi_stretch(m->n);
  return oyi_parallel_chunks(oyi_stretches(m->rows, m->stretch), fn, m);
}

// ------------------------------------------------------------------------- rules

static oy_status check_scores(scores* m, oy_object* self, const char* name) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim <= 2 && (t->ndim == 0 || t->sizes[t->ndim - 1] != 0), INVALID_ARGUMENT,
           "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
           "%s",
           oyi_dims_print(oyi_sizes_view(t)).text);
  m->rows = t->ndim == 2 ? t->sizes[0] : 1;
  m->n = t->ndim ? t->sizes[t->ndim - 1] : 1;
  m->dtype = self->dtype;
  m->item = oyi_item(t);
  if (m->dtype != OY_DTYPE_F32 && m->dtype != OY_DTYPE_F64)
    return oyi_not_implemented(name, m->dtype);
  return OY_OK;
}

static oy_status check_target_dtype(const oyi_tensor* t, const oyi_tensor* target) {
  OY_TRY(oyi_check_same_device(t, target));
  OY_CHECK(target->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "expected scalar type Long but found %s",
           oy_dtype_pytorch_name(target->header.dtype));
  return OY_OK;
}

static oy_status check_single(scores* m, oy_object* self, oy_object* target, oy_scalar p,
                              oy_object* weight) {
  OY_TRY(check_scores(m, self, "multi_margin_loss_cpu_kernel"));
  const oyi_tensor *t = oyi_tensor_cast(self), *to = oyi_tensor_of(target);
  if (!to || !oyi_is_optional(weight)) return oy_failure();
  m->p = p.tag == OY_TAG_FLOAT ? (int64_t)(p.as.d == 1) + 2 * (p.as.d == 2) : p.as.i;
  OY_CHECK(m->p == 1 || m->p == 2, INVALID_ARGUMENT, "only p == 1 and p == 2 supported");
  OY_CHECK(to->ndim <= 1 && to->numel == m->rows, INVALID_ARGUMENT,
           "inconsistent target size, expected %lld but got %s", (long long)m->rows,
           oyi_dims_print(oyi_sizes_view(to)).text);
  OY_TRY(check_target_dtype(t, to));
  const oyi_tensor* w = oyi_optional_tensor(weight);
  if (!w) return OY_OK;
  OY_CHECK(w->ndim <= 1 && w->numel == m->n, INVALID_ARGUMENT,
           "inconsistent weight size, expected %lld but got %s", (long long)m->n,
           oyi_dims_print(oyi_sizes_view(w)).text);
  OY_CHECK(weight->dtype == self->dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(self->dtype),
           oy_dtype_pytorch_name(weight->dtype));
  return oyi_check_same_device(t, w);
}

static oy_status check_several(scores* m, oy_object* self, oy_object* target,
                               const char* name) {
  OY_TRY(check_scores(m, self, name));
  const oyi_tensor *t = oyi_tensor_cast(self), *to = oyi_tensor_of(target);
  if (!to) return oy_failure();
  const bool fits = t->ndim == 2 ? oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(to))
                                 : to->ndim <= 1 && to->numel == m->n;
  OY_CHECK(fits, INVALID_ARGUMENT, "inconsistent target size: %s for input of size: %s",
           oyi_dims_print(oyi_sizes_view(to)).text,
           oyi_dims_print(oyi_sizes_view(t)).text);
  return check_target_dtype(t, to);
}

// |low| is the least that a target may be.
static oy_status check_range(const scores* m, int64_t count, int64_t low,
                             const char* message) {
  for (int64_t i = 0; i < count; i++)
    OY_CHECK(m->target[i] >= low && m->target[i] < m->n, INVALID_ARGUMENT, "%s", message);
  return OY_OK;
}

// The loss: a number, or one for each row.
static oyi_tensor* loss_output(const scores* m, const oyi_tensor* t, bool keeps,
                               oy_object* given) {
  return oyi_rule_spatial((oy_ints){&m->rows, keeps}, m->dtype, t, OY_MEMORY_CONTIGUOUS,
                          given);
}

static void store_losses(const scores* m, bool keeps, int64_t reduction, char* out) {
  double sum = 0;
  for (int64_t i = 0; i < m->rows; i++) {
    sum += m->losses[i];
    if (keeps) oyi_float_store(m->dtype, out + i * m->item, m->losses[i]);
  }
  if (reduction == OYI_REDUCE_MEAN && m->rows > 0) sum /= (double)m->rows;
  if (!keeps) oyi_float_store(m->dtype, out, sum);
}

static oy_object* finish(oyi_tensor* out, oy_object* given, oy_status status) {
  if (status == OY_OK) return &out->header;
  if (!given) oy_tensor_release(&out->header);
  return NULL;
}

// The gradient of the loss: one for each row if that was kept, else a number.
static oy_status read_grad(scores* m, oyi_work* w, oy_object* grad_output,
                           int64_t reduction) {
  const oyi_tensor* grad = oyi_tensor_of(grad_output);
  if (!grad) return oy_failure();
  const bool kept = reduction == OYI_REDUCE_NONE && grad->ndim > 0;
  OY_CHECK(!kept || (grad->ndim == 1 && grad->sizes[0] == m->rows), INVALID_ARGUMENT,
           "Expected a tensor of dimension 1 and tensor.size[0] == %lld but got: "
           "dimension %u and tensor.size[0] = %lld",
           (long long)m->rows, grad->ndim, (long long)grad->sizes[0]);
  OY_CHECK(kept || grad->numel > 0, INVALID_ARGUMENT,
           "Expected a single element grad_output tensor, but got: %s",
           oyi_dims_print(oyi_sizes_view(grad)).text);
  OY_CHECK(grad_output->dtype == m->dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(m->dtype),
           oy_dtype_pytorch_name(grad_output->dtype));
  if (oyi_is_meta(grad)) return OY_OK;
  const char* data = oyi_work_read(w, grad);
  m->factor = reduction == OYI_REDUCE_MEAN ? 1 / (double)m->rows : 1;
  if (kept)
    m->grad = data;
  else if (data)
    m->factor *= oyi_float_load(m->dtype, data);
  return OY_OK;
}

// ------------------------------------------------------------- multi_margin_loss

static oy_status single_forward(scores* m, oy_object* const operands[3],
                                int64_t reduction, bool keeps, oyi_tensor* out) {
  oyi_work w = oyi_work_begin(m->dtype);
  m->in = oyi_work_read(&w, oyi_tensor_cast(operands[0]));
  m->target = oyi_work_read_as(&w, oyi_tensor_cast(operands[1]), OY_DTYPE_I64);
  m->weight = oyi_work_read_as(&w, oyi_optional_tensor(operands[2]), OY_DTYPE_F64);
  char* result = oyi_work_write(&w, out);
  oy_status status =
      w.failed ? oy_failure() : check_range(m, m->rows, 0, "target out of range");
  m->losses = oyi_calloc((size_t)m->rows + 1, sizeof(double));
  if (status == OY_OK && !m->losses) status = oy_failure();
  if (status == OY_OK) status = run(m, run_single);
  if (status == OY_OK) store_losses(m, keeps, reduction, result);
  oyi_free(m->losses);
  return oyi_work_end(&w, status);
}

static oy_object* single(oy_object* const operands[3], oy_scalar p, oy_scalar by,
                         int64_t reduction, oy_object* given) {
  scores m = {0};
  if (oyi_scalar_to_double(by, &m.margin) != 0) return NULL;
  if (check_single(&m, operands[0], operands[1], p, operands[2]) != 0) return NULL;
  const bool keeps =
      reduction == OYI_REDUCE_NONE && oyi_tensor_cast(operands[1])->ndim > 0;
  oyi_tensor* out = loss_output(&m, oyi_tensor_cast(operands[0]), keeps, given);
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  return finish(out, given, single_forward(&m, operands, reduction, keeps, out));
}

static oy_object* single_backward(oy_object* const operands[3], oy_object* grad_output,
                                  oy_scalar p, oy_scalar by, int64_t reduction,
                                  oy_object* given) {
  scores m = {0};
  if (oyi_scalar_to_double(by, &m.margin) != 0) return NULL;
  if (check_single(&m, operands[0], operands[1], p, operands[2]) != 0) return NULL;
  const oyi_tensor* t = oyi_tensor_cast(operands[0]);
  oyi_work w = oyi_work_begin(m.dtype);
  oy_status status = read_grad(&m, &w, grad_output, reduction);
  oyi_tensor* out = status == OY_OK ? oyi_rule_spatial(oyi_sizes_view(t), m.dtype, t,
                                                       OY_MEMORY_CONTIGUOUS, given)
                                    : NULL;
  if (out && !oyi_is_meta(out)) {
    m.in = oyi_work_read(&w, t);
    m.target = oyi_work_read_as(&w, oyi_tensor_cast(operands[1]), OY_DTYPE_I64);
    m.weight = oyi_work_read_as(&w, oyi_optional_tensor(operands[2]), OY_DTYPE_F64);
    m.out = oyi_work_write(&w, out);
    status = w.failed ? oy_failure() : check_range(&m, m.rows, 0, "target out of range");
    if (status == OY_OK) status = run(&m, run_single);
  }
  status = oyi_work_end(&w, status);
  return out ? finish(out, given, status) : NULL;
}

#define OPERANDS ((oy_object*[]){self, target, weight})
OYI_CPU(multi_margin_loss) {
  return single(OPERANDS, p, margin, reduction, NULL);
}
OYI_CPU(multi_margin_loss_out) {
  return single(OPERANDS, p, margin, reduction, out);
}
OYI_CPU(multi_margin_loss_backward) {
  return single_backward(OPERANDS, grad_output, p, margin, reduction, NULL);
}
OYI_CPU(multi_margin_loss_backward_grad_input) {
  return single_backward(OPERANDS, grad_output, p, margin, reduction, grad_input);
}

// -------------------------------------------------------- multilabel_margin_loss

static oy_status several_forward(scores* m, oy_object* self, oy_object* target,
                                 int64_t reduction, bool keeps,
                                 oyi_tensor* const made[2]) {
  oyi_work w = oyi_work_begin(m->dtype);
  m->in = oyi_work_read(&w, oyi_tensor_cast(self));
  m->target = oyi_work_read_as(&w, oyi_tensor_cast(target), OY_DTYPE_I64);
  char* result = oyi_work_write(&w, made[0]);
  m->is_target = oyi_work_write(&w, made[1]);
  oy_status status = w.failed ? oy_failure()
                              : check_range(m, m->rows * m->n, -1,
                                            "argument #2 'target' is out of range");
  m->losses = oyi_calloc((size_t)m->rows + 1, sizeof(double));
  if (status == OY_OK && !m->losses) status = oy_failure();
  if (status == OY_OK) status = run(m, run_several);
  if (status == OY_OK) store_losses(m, keeps, reduction, result);
  oyi_free(m->losses);
  return oyi_work_end(&w, status);
}

static oy_status several(oy_object* self, oy_object* target, int64_t reduction,
                         oy_object* const given[2], oy_object** out_loss,
                         oy_object** out_flags) {
  scores m = {0};
  *out_loss = *out_flags = NULL;
  OY_TRY(check_several(&m, self, target, "multilabel_margin_loss_forward_out_frame"));
  const oyi_tensor *t = oyi_tensor_cast(self), *to = oyi_tensor_cast(target);
  const bool keeps = reduction == OYI_REDUCE_NONE && to->ndim > 1;
  oyi_tensor* made[2] = {loss_output(&m, t, keeps, given[0]), NULL};
  if (made[0])
    made[1] =
        oyi_rule_spatial(oyi_sizes_view(to), m.dtype, t, OY_MEMORY_CONTIGUOUS, given[1]);
  oy_status status = made[1] ? OY_OK : oy_failure();
  if (made[1] && !oyi_is_meta(made[1]))
    status = several_forward(&m, self, target, reduction, keeps, made);
  if (status == OY_OK) {
    *out_loss = &made[0]->header;
    *out_flags = &made[1]->header;
    return OY_OK;
  }
  for (int i = 0; i < 2; i++)
    if (made[i] && !given[i]) oy_tensor_release(&made[i]->header);
  return status;
}
OYI_CPU(multilabel_margin_loss_forward) {
  return several(self, target, reduction, (oy_object*[]){NULL, NULL}, out_output,
                 out_is_target);
}
OYI_CPU(multilabel_margin_loss_forward_output) {
  return several(self, target, reduction, (oy_object*[]){output, is_target}, out_0,
                 out_1);
}

static oy_status check_flags(oy_object* target, oy_object* is_target, oy_dtype dtype) {
  const oyi_tensor *to = oyi_tensor_cast(target), *flags = oyi_tensor_of(is_target);
  if (!flags) return oy_failure();
  OY_CHECK(
      oyi_same_sizes(oyi_sizes_view(to), oyi_sizes_view(flags)), INVALID_ARGUMENT,
      "Expected tensor for argument #3 'target' to have same size as tensor for argument "
      "#5 'is_target'; but %s does not equal %s (while checking arguments for "
      "multilabel_margin_loss_backward_cpu_template)",
      oyi_dims_print(oyi_sizes_view(to)).text,
      oyi_dims_print(oyi_sizes_view(flags)).text);
  OY_CHECK(is_target->dtype == dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(dtype),
           oy_dtype_pytorch_name(is_target->dtype));
  return OY_OK;
}

static oy_object* several_backward(oy_object* const operands[3], oy_object* grad_output,
                                   int64_t reduction, oy_object* given) {
  scores m = {0};
  if (check_several(&m, operands[0], operands[1],
                    "multilabel_margin_loss_backward_out_frame") != 0 ||
      check_flags(operands[1], operands[2], m.dtype) != 0)
    return NULL;
  const oyi_tensor* t = oyi_tensor_cast(operands[0]);
  oyi_work w = oyi_work_begin(m.dtype);
  oy_status status = read_grad(&m, &w, grad_output, reduction);
  oyi_tensor* out = status == OY_OK ? oyi_rule_spatial(oyi_sizes_view(t), m.dtype, t,
                                                       OY_MEMORY_CONTIGUOUS, given)
                                    : NULL;
  if (out && !oyi_is_meta(out)) {
    m.in = oyi_work_read(&w, t);
    m.target = oyi_work_read_as(&w, oyi_tensor_cast(operands[1]), OY_DTYPE_I64);
    m.is_target = oyi_work_read(&w, oyi_tensor_cast(operands[2]));
    m.out = oyi_work_write(&w, out);
    status = w.failed ? oy_failure()
                      : check_range(&m, m.rows * m.n, -1,
                                    "argument #3 'target' is out of range");
    if (status == OY_OK) status = run(&m, run_several);
  }
  status = oyi_work_end(&w, status);
  return out ? finish(out, given, status) : NULL;
}
OYI_CPU(multilabel_margin_loss_backward) {
  return several_backward((oy_object*[]){self, target, is_target}, grad_output, reduction,
                          NULL);
}
OYI_CPU(multilabel_margin_loss_backward_grad_input) {
  return several_backward((oy_object*[]){self, target, is_target}, grad_output, reduction,
                          grad_input);
}
