// SPDX-License-Identifier: Apache-2.0
// nll_loss, of rows and of images: picks what is predicted for the target class. Of the
// predictions only those are read, whatever their dtype and strides.
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/loss.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/rules/rules.h"
#include "ops/rules/spatial.h"
#include "tensor/iterator.h"

// Predictions are |samples| x |classes| x |places|, targets |samples| x |places|.
typedef struct shape {
  int64_t samples, classes, places;
  bool is_image, keeps;  // |keeps|: a loss for each target, nothing is reduced
  size_t ndim;           // of the target
  const int64_t* sizes;
} shape;

typedef struct job {
  shape s;
  oy_dtype dtype;
  int64_t item, ignored, stretch;
  const char* in;
  int64_t step[3];  // of |in|, in bytes
  const int64_t* target;
  const double* weight;    // NULL: 1
  char* out;               // a loss for each target, or the gradient
  const char* grad;        // of the loss, if it was kept
  double factor;           // of the gradient otherwise
  double *sums, *weights;  // one for each stretch
} job;

enum { STRETCHES = 64 };

static int64_t stretch_of(int64_t count) {
  const int64_t even = count / STRETCHES + 1;
  return even > OYI_ITER_GRAIN ? even : OYI_ITER_GRAIN;
}

// The class of target |i|; -1 if it is ignored, -2 with the error set.
static inline int64_t class_of(const job* j, int64_t i) {
  const int64_t c = j->target[i];
  if (c == j->ignored) return -1;
  if (OY_LIKELY((uint64_t)c < (uint64_t)j->s.classes)) return c;
  OY_FAIL(OUT_OF_RANGE, "Target %lld is out of bounds.", (long long)c);
  return -2;
}

static oy_status run_forward(int64_t index, void* context) {
  const job* j = context;
  const int64_t count = j->s.samples * j->s.places;
  const int64_t end = count < (index + 1) * j->stretch ? count : (index + 1) * j->stretch;
  double sum = 0, weights = 0;
  for (int64_t i = index * j->stretch; i < end; i++) {
    const int64_t c = class_of(j, i), n = i / j->s.places, p = i - n * j->s.places;
    double loss = 0;
    if (c < -1) return OY_OUT_OF_RANGE;
    if (c >= 0) {
      const double weight = j->weight ? j->weight[c] : 1;
      loss = -weight * oyi_float_load(j->dtype, j->in + n * j->step[0] + c * j->step[1] +
                                                    p * j->step[2]);
      weights += weight;
    }
    sum += loss;
    if (j->out) oyi_float_store(j->dtype, j->out + i * j->item, loss);
  }
  j->sums[index] = sum;
  j->weights[index] = weights;
  return OY_OK;
}

static oy_status run_backward(int64_t index, void* context) {
  const job* j = context;
  const int64_t count = j->s.samples * j->s.places;
  const int64_t end = count < (index + 1) * j->stretch ? count : (index + 1) * j->stretch;
  for (int64_t i = index * j->stretch; i < end; i++) {
    const int64_t c = class_of(j, i), n = i / j->s.places, p = i - n * j->s.places;
    if (c < -1) return OY_OUT_OF_RANGE;
    if (c < 0) continue;
    const double weight = j->weight ? j->weight[c] : 1;
    const double grad =
        j->grad ? oyi_float_load(j->dtype, j->grad + i * j->item) : j->factor;
    const int64_t at = (n * j->s.classes + c) * j->s.places + p;
    oyi_float_store(j->dtype, j->out + at * j->item, -weight * grad);
  }
  return OY_OK;
}

// ------------------------------------------------------------------------- rules

static oy_status check_rows(const oyi_tensor* t, const oyi_tensor* target) {
  OY_CHECK(t->ndim > 0 && t->ndim <= 2, INVALID_ARGUMENT,
           "input tensor should be 1D or 2D");
  OY_CHECK(target->ndim <= 1, INVALID_ARGUMENT,
           "0D or 1D target tensor expected, multi-target not supported");
  const bool has_no_batch = t->ndim == 1 && target->ndim == 0;
  OY_CHECK(has_no_batch || (target->ndim == 1 && t->sizes[0] == target->sizes[0]),
           INVALID_ARGUMENT, "size mismatch (got input: %s, target: %s)",
           oyi_dims_print(oyi_sizes_view(t)).text,
           oyi_dims_print(oyi_sizes_view(target)).text);
  return OY_OK;
}

static oy_status check_images(const oyi_tensor* t, const oyi_tensor* target) {
  OY_CHECK(target->ndim == 3, INVALID_ARGUMENT,
           "only batches of spatial targets supported (3D tensors) but got targets of "
           "dimension: %u",
           target->ndim);
  OY_CHECK(t->ndim == 4, INVALID_ARGUMENT,
           "only batches of spatial inputs supported (4D tensors), but got input of "
           "dimension: %u",
           t->ndim);
  OY_CHECK(t->sizes[0] == target->sizes[0] && t->sizes[2] == target->sizes[1] &&
               t->sizes[3] == target->sizes[2],
           INVALID_ARGUMENT, "size mismatch (got input: %s , target: %s",
           oyi_dims_print(oyi_sizes_view(t)).text,
           oyi_dims_print(oyi_sizes_view(target)).text);
  return OY_OK;
}

static oy_status check_weight(const oyi_tensor* t, oy_object* weight, int64_t classes) {
  const oyi_tensor* w = oyi_optional_tensor(weight);
  if (!w) return OY_OK;
  OY_CHECK(w->ndim == 1 && w->numel == classes, INVALID_ARGUMENT,
           "weight tensor should be defined either for all %lld classes or no classes "
           "but got weight tensor of shape: %s",
           (long long)classes, oyi_dims_print(oyi_sizes_view(w)).text);
  OY_TRY(oyi_check_same_device(t, w));
  OY_CHECK(weight->dtype == t->header.dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(weight->dtype));
  return OY_OK;
}

static oy_status rule(oy_object* self, oy_object* target, oy_object* weight,
                      int64_t reduction, shape* s) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* to = t ? oyi_tensor_of(target) : NULL;
  if (!to || !oyi_is_optional(weight)) return oy_failure();
  OY_TRY(oyi_check_same_device(t, to));
  OY_TRY(s->is_image ? check_images(t, to) : check_rows(t, to));
  OY_CHECK(
      target->dtype == OY_DTYPE_I64 || (target->dtype == OY_DTYPE_U8 && !s->is_image),
      TYPE_MISMATCH, "expected scalar type Long but found %s",
      oy_dtype_pytorch_name(target->dtype));
  // One sample has one target, or none: a row of no classes beside no targets.
  s->samples = t->ndim > 1 ? t->sizes[0] : to->numel > 0;
  s->classes = t->sizes[t->ndim == 1 ? 0 : 1];
  s->places = s->is_image ? t->sizes[2] * t->sizes[3] : 1;
  s->keeps = reduction == OYI_REDUCE_NONE && t->ndim != 1;
  s->ndim = to->ndim;
  s->sizes = to->sizes;
  OY_TRY(check_weight(t, weight, s->classes));
  if (oyi_float_to_compute(self->dtype) == OY_DTYPE_ANY)
    return oyi_not_implemented(
        s->is_image ? "nll_loss2d_forward_out_frame" : "nll_loss_out_frame", self->dtype);
  return OY_OK;
}

// ----------------------------------------------------------------------- forward

// Rows of an image that follow each other can be walked as one.
static bool is_flat(const oyi_tensor* t) {
  const int64_t* strides = oyi_strides(t);
  return t->ndim < 4 || t->sizes[2] == 1 ||
         (uint64_t)strides[2] == (uint64_t)t->sizes[3] * (uint64_t)strides[3];
}

// A stride in bytes. That of a dimension with one place may be any number.
static int64_t step_of(const job* j, int64_t stride) {
  return (int64_t)((uint64_t)stride * (uint64_t)j->item);
}

static void read_input(job* j, oyi_work* w, const oyi_tensor* t) {
  const int64_t* strides = oyi_strides(t);
  j->item = oyi_item(t);
  if (is_flat(t) && oyi_data(t)) {
    j->in = oyi_data(t);
    j->step[0] = t->ndim == 1 ? 0 : step_of(j, strides[0]);
    j->step[1] = step_of(j, strides[t->ndim == 1 ? 0 : 1]);
    j->step[2] = t->ndim == 4 ? step_of(j, strides[3]) : 0;
    return;
  }
  j->in = oyi_work_read(w, t);
  j->step[2] = j->item;
  j->step[1] = j->s.places * j->step[2];
  j->step[0] = j->s.classes * j->step[1];
}

static void read_classes(job* j, oyi_work* w, oy_object* target, oy_object* weight) {
  j->target = oyi_work_read_as(w, oyi_tensor_cast(target), OY_DTYPE_I64);
  j->weight = oyi_work_read_as(w, oyi_optional_tensor(weight), OY_DTYPE_F64);
}

static void store_sums(const job* j, int64_t stretches, int64_t reduction, char* output,
                       char* total) {
  double sum = 0, weights = 0;
  for (int64_t i = 0; i < stretches; i++) {
    sum += j->sums[i];
    weights += j->weights[i];
  }
  if (!j->s.keeps)
    oyi_float_store(j->dtype, output, reduction == OYI_REDUCE_MEAN ? sum / weights : sum);
  oyi_float_store(j->dtype, total, j->s.keeps ? 0 : weights);
}

static oy_status compute_forward(job* j, oy_object* const operands[3], int64_t reduction,
                                 oyi_tensor* output, oyi_tensor* total) {
  double sums[STRETCHES], weights[STRETCHES];
  const int64_t count = j->s.samples * j->s.places;
  oyi_work w = oyi_work_begin(operands[0]->dtype);
  j->dtype = w.dtype;
  j->sums = sums;
  j->weights = weights;
  read_input(j, &w, oyi_tensor_cast(operands[0]));
  read_classes(j, &w, operands[1], operands[2]);
  char* result = oyi_work_write(&w, output);
  char* total_to = oyi_work_write(&w, total);
  j->out = j->s.keeps ? result : NULL;
  j->stretch = stretch_of(count);
  const int64_t stretches = oyi_stretches(count, j->stretch);
  oy_status status = OY_OK;
  if (!w.failed) status = oyi_parallel_chunks(stretches, run_forward, j);
  if (!w.failed && status == OY_OK) store_sums(j, stretches, reduction, result, total_to);
  j->sums = j->weights = NULL;  // they end here
  return oyi_work_end(&w, status);
}

// |given| are tensors for the results, or NULL.
static oy_status forward(job* j, oy_object* const operands[3], int64_t reduction,
                         oy_object* const given[2], oy_object** out_output,
                         oy_object** out_total) {
  *out_output = *out_total = NULL;
  OY_TRY(rule(operands[0], operands[1], operands[2], reduction, &j->s));
  const oyi_tensor* t = oyi_tensor_cast(operands[0]);
  const oy_ints sizes = {j->s.sizes, j->s.keeps ? j->s.ndim : 0};
  oyi_tensor* output =
      oyi_rule_spatial(sizes, t->header.dtype, t, OY_MEMORY_CONTIGUOUS, given[0]);
  oyi_tensor* total = output ? oyi_rule_spatial(oy_dims_none(), t->header.dtype, t,
                                                OY_MEMORY_CONTIGUOUS, given[1])
                             : NULL;
  oy_status status = total ? OY_OK : oy_failure();
  if (total && !oyi_is_meta(total))
    status = compute_forward(j, operands, reduction, output, total);
  if (status == OY_OK) {
    *out_output = &output->header;
    *out_total = &total->header;
    return OY_OK;
  }
  if (output && !given[0]) oy_tensor_release(&output->header);
  if (total && !given[1]) oy_tensor_release(&total->header);
  return status;
}

#define FORWARD(is_image_, a, b, to_a, to_b)                          \
  job j = {.s = {.is_image = is_image_}, .ignored = ignore_index};    \
  return forward(&j, (oy_object*[]){self, target, weight}, reduction, \
                 (oy_object*[]){a, b}, to_a, to_b)
OYI_CPU(nll_loss_forward) {
  FORWARD(false, NULL, NULL, out_output, out_total_weight);
}
OYI_CPU(nll_loss_forward_output) {
  FORWARD(false, output, total_weight, out_0, out_1);
}
OYI_CPU(nll_loss2d_forward) {
  FORWARD(true, NULL, NULL, out_output, out_total_weight);
}
OYI_CPU(nll_loss2d_forward_output) {
  FORWARD(true, output, total_weight, out_0, out_1);
}

// ---------------------------------------------------------------------- backward

static oy_status check_kept_grad(const shape* s, const oyi_tensor* grad) {
  if (!s->is_image)
    OY_CHECK(grad->ndim == 1 && grad->sizes[0] == s->samples, INVALID_ARGUMENT,
             "Expected a tensor of dimension 1 and tensor.size[0] == %lld but got: "
             "dimension %u and tensor.size[0] = %lld",
             (long long)s->samples, grad->ndim,
             (long long)(grad->ndim ? grad->sizes[0] : 1));
  OY_CHECK(grad->ndim == s->ndim, INVALID_ARGUMENT,
           "grad_output must have same dimension as target (%zu) but got dimension: %s",
           s->ndim, oyi_dims_print(oyi_sizes_view(grad)).text);
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(grad), (oy_ints){s->sizes, s->ndim}),
           INVALID_ARGUMENT, "size mismatch (got grad_output: %s target: %s",
           oyi_dims_print(oyi_sizes_view(grad)).text,
           oyi_dims_print((oy_ints){s->sizes, s->ndim}).text);
  return OY_OK;
}

static oy_status check_grad(const shape* s, const oyi_tensor* t, oy_object* grad_output,
                            oy_object* total_weight) {
  const oyi_tensor* grad = oyi_tensor_of(grad_output);
  const oyi_tensor* total = grad ? oyi_tensor_of(total_weight) : NULL;
  if (!total) return oy_failure();
  OY_TRY(oyi_check_same_device(t, grad));
  OY_CHECK(total->numel == 1, INVALID_ARGUMENT,
           "expected total_weight to be a  single element tensor, got: %s (%lld "
           "elements)",
           oyi_dims_print(oyi_sizes_view(total)).text, (long long)total->numel);
  OY_CHECK(grad_output->dtype == t->header.dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(grad_output->dtype));
  if (s->keeps) return check_kept_grad(s, grad);
  OY_CHECK(grad->ndim <= 1 && grad->numel == 1, INVALID_ARGUMENT,
           "Expected a single element grad_output tensor, but got: %s",
           oyi_dims_print(oyi_sizes_view(grad)).text);
  return OY_OK;
}

static oy_status compute_backward(job* j, oy_object* const operands[3],
                                  oy_object* grad_output, oy_object* total_weight,
                                  int64_t reduction, oyi_tensor* out) {
  oyi_work w = oyi_work_begin(operands[0]->dtype);
  j->dtype = w.dtype;
  j->item = oyi_item(out);
  read_classes(j, &w, operands[1], operands[2]);
  const char* grad = oyi_work_read(&w, oyi_tensor_cast(grad_output));
  const double* total = oyi_work_read_as(&w, oyi_tensor_cast(total_weight), OY_DTYPE_F64);
  j->out = oyi_work_write(&w, out);
  const int64_t count = j->s.samples * j->s.places;
  j->stretch = stretch_of(count);
  oy_status status = OY_OK;
  if (!w.failed && out->numel > 0) {
    memset(j->out, 0, (size_t)(out->numel * j->item));
    j->grad = j->s.keeps ? grad : NULL;
    if (!j->s.keeps)
      j->factor =
          oyi_float_load(j->dtype, grad) / (reduction == OYI_REDUCE_MEAN ? *total : 1);
    status = oyi_parallel_chunks(oyi_stretches(count, j->stretch), run_backward, j);
  }
  return oyi_work_end(&w, status);
}

static oy_object* backward(job* j, oy_object* const operands[3], oy_object* grad_output,
                           oy_object* total_weight, int64_t reduction, oy_object* given) {
  if (rule(operands[0], operands[1], operands[2], reduction, &j->s) != 0) return NULL;
  const oyi_tensor* t = oyi_tensor_cast(operands[0]);
  if (check_grad(&j->s, t, grad_output, total_weight) != 0) return NULL;
  oyi_tensor* out = oyi_rule_spatial(oyi_sizes_view(t), t->header.dtype, t,
                                     OY_MEMORY_CONTIGUOUS, given);
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  if (compute_backward(j, operands, grad_output, total_weight, reduction, out) == OY_OK)
    return &out->header;
  if (!given) oy_tensor_release(&out->header);
  return NULL;
}

#define BACKWARD(is_image_, given)                                                     \
  job j = {.s = {.is_image = is_image_}, .ignored = ignore_index};                     \
  return backward(&j, (oy_object*[]){self, target, weight}, grad_output, total_weight, \
                  reduction, given)
OYI_CPU(nll_loss_backward) {
  BACKWARD(false, NULL);
}
OYI_CPU(nll_loss_backward_grad_input) {
  BACKWARD(false, grad_input);
}
OYI_CPU(nll_loss2d_backward) {
  BACKWARD(true, NULL);
}
OYI_CPU(nll_loss2d_backward_grad_input) {
  BACKWARD(true, grad_input);
}
