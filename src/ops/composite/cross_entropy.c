// SPDX-License-Identifier: Apache-2.0
// nll_loss and cross_entropy_loss in all their shapes, composed in PyTorch's order.
#include <math.h>

#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "tensor/impl.h"

enum { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM };

#define ONE       oy_int(1)
#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// ---------------------------------------------------------------------- nll_loss

// The first of two results; the other one goes.
static oy_object* first(oy_status status, oy_object* const results[2]) {
  if (status != OY_OK) return NULL;
  oy_tensor_release(results[1]);
  return results[0];
}

OYI_COMPOSITE(nll_loss) {
  oy_object* r[2];
  return first(oyi_call_nll_loss_forward(self, target, weight, reduction, ignore_index,
                                         &r[0], &r[1]),
               r);
}
OYI_COMPOSITE(nll_loss2d) {
  oy_object* r[2];
  return first(oyi_call_nll_loss2d_forward(self, target, weight, reduction, ignore_index,
                                           &r[0], &r[1]),
               r);
}
OYI_COMPOSITE(multilabel_margin_loss) {
  oy_object* r[2];
  return first(
      oyi_call_multilabel_margin_loss_forward(self, target, reduction, &r[0], &r[1]), r);
}

// A tensor for the result that nobody asked for.
static oy_object* spare(oy_object* self) {
  return oyi_call_new_empty(self, OY_DIMS(0), oy_none(), oy_none(), oy_none(), oy_none());
}

OYI_COMPOSITE(nll_loss_out) {
  oy_object *other = spare(self), *a = NULL, *b = NULL;
  oy_status status = oyi_call_nll_loss_forward_output(self, target, weight, reduction,
                                                      ignore_index, out, other, &a, &b);
  oy_tensor_release(other);
  return status == OY_OK ? out : NULL;
}
OYI_COMPOSITE(nll_loss2d_out) {
  oy_object *other = spare(self), *a = NULL, *b = NULL;
  oy_status status = oyi_call_nll_loss2d_forward_output(self, target, weight, reduction,
                                                        ignore_index, out, other, &a, &b);
  oy_tensor_release(other);
  return status == OY_OK ? out : NULL;
}
OYI_COMPOSITE(multilabel_margin_loss_out) {
  oy_object *other = spare(self), *a = NULL, *b = NULL;
  oy_status status = oyi_call_multilabel_margin_loss_forward_output(
      self, target, reduction, out, other, &a, &b);
  oy_tensor_release(other);
  return status == OY_OK ? out : NULL;
}

// All dimensions behind the classes as one row of an image.
static oy_object* as_images(oy_object* self, oy_object* target, oy_object* weight,
                            int64_t reduction, int64_t ignore_index) {
  const oyi_tensor *t = oyi_tensor_cast(self), *to = oyi_tensor_cast(target);
  const int64_t n = t->sizes[0], c = t->sizes[1], places = t->numel > 0 ? -1 : 0;
  const int64_t rows = t->numel > 0;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  oyi_held h = {0};
  sizes[0] = n;
  memcpy(sizes + 1, t->sizes + 2, (t->ndim - 2u) * sizeof(int64_t));
  const oy_ints shape = {sizes, t->ndim - 1u};
  if (to->ndim != t->ndim - 1 || !oyi_same_sizes((oy_ints){to->sizes + 1, to->ndim - 1u},
                                                 (oy_ints){sizes + 1, shape.size - 1})) {
    OY_FAIL(INVALID_ARGUMENT, "Expected target size %s, got %s",
            oyi_dims_print(shape).text, oyi_dims_print(oyi_sizes_view(to)).text);
    return NULL;
  }
  oy_object* input = HOLD(oyi_call_contiguous(self, OY_MEMORY_CONTIGUOUS));
  oy_object* classes = HOLD(oyi_call_contiguous(target, OY_MEMORY_CONTIGUOUS));
  oy_object* image = HOLD(oyi_call_view(input, OY_DIMS(n, c, rows, places)));
  oy_object* places_of = HOLD(oyi_call_view(classes, OY_DIMS(n, rows, places)));
  oy_object* loss =
      oyi_call_nll_loss2d(image, places_of, weight, reduction, ignore_index);
  if (!loss || reduction != REDUCE_NONE) return oyi_held_end(&h, loss);
  HOLD(loss);
  return oyi_held_end(&h, oyi_call_view(loss, shape));
}

OYI_COMPOSITE(nll_loss_nd) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* to = t ? oyi_tensor_of(target) : NULL;
  if (!to) return NULL;
  if (t->ndim < 1) {
    OY_FAIL(INVALID_ARGUMENT, "Expected 1 or more dimensions (got %u)", t->ndim);
    return NULL;
  }
  const int64_t batch = to->ndim ? to->sizes[0] : 1;
  if (t->ndim != 1 && (to->ndim == 0 || t->sizes[0] != batch)) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected input batch_size (%lld) to match target batch_size (%lld).",
            (long long)t->sizes[0], (long long)batch);
    return NULL;
  }
  if (t->ndim <= 2)
    return oyi_call_nll_loss(self, target, weight, reduction, ignore_index);
  if (t->ndim == 4)
    return oyi_call_nll_loss2d(self, target, weight, reduction, ignore_index);
  return as_images(self, target, weight, reduction, ignore_index);
}

// ------------------------------------------------------------ cross_entropy_loss

// |weight| in the dimension of the classes.
static oy_object* along_classes(oy_object* weight, size_t ndim, int64_t dim) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < ndim; i++) sizes[i] = 1;
  sizes[dim] = oyi_tensor_cast(weight)->numel;
  return oyi_call_view(weight, (oy_ints){sizes, ndim});
}

static oy_status check_class_weight(oy_object* weight, int64_t classes) {
  if (!oyi_is_optional(weight)) return oy_failure();
  if (weight == &oy_none_object) return OY_OK;
  const oyi_tensor* w = oyi_tensor_cast(weight);
  OY_CHECK(
      w->ndim == 1 && w->numel == classes, INVALID_ARGUMENT,
      "cross_entropy: weight tensor should be defined either for all %lld classes or "
      "no classes but got weight tensor of shape: %s",
      (long long)classes, oyi_dims_print(oyi_sizes_view(w)).text);
  return OY_OK;
}

static oy_status check_smoothing(double label_smoothing) {
  OY_CHECK(label_smoothing <= 1, INVALID_ARGUMENT,
           "label_smoothing must be between 0.0 and 1.0. Got: %g", label_smoothing);
  return OY_OK;
}

// Minus |products|, reduced; their mean counts what has classes.
static oy_object* reduced_products(oy_object* products, int64_t reduction, int64_t dim,
                                   int64_t classes) {
  if (!products) return NULL;
  oyi_held h = {0};
  oy_object* sum;
  if (reduction == REDUCE_NONE)
    sum = HOLD(oyi_call_sum_dim_IntList(products, OY_DIMS(dim), false, oy_none()));
  else
    sum = HOLD(oyi_call_sum(products, oy_none()));
  oy_object* loss = HOLD(oyi_call_neg(sum));
  const int64_t numel = oyi_tensor_cast(products)->numel;
  if (loss && reduction == REDUCE_MEAN) {
    if (numel == 0)
      return oyi_held_end(&h,
                          oy_tensor_retain(oyi_call_fill__Scalar(loss, oy_float(NAN))));
    return oyi_held_end(&h, oyi_call_div_Scalar(loss, oy_int(numel / classes)));
  }
  return oyi_held_end(&h, loss ? oy_tensor_retain(loss) : NULL);
}

static oy_object* of_probabilities(oy_object* self, oy_object* target, oy_object* weight,
                                   int64_t reduction, double label_smoothing) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  const int64_t dim = t->ndim == 1 ? 0 : 1, classes = t->ndim ? t->sizes[dim] : 1;
  if (check_class_weight(weight, classes) != 0 || check_smoothing(label_smoothing) != 0)
    return NULL;
  oyi_held h = {0};
  oy_object* logs = HOLD(oyi_call_log_softmax_int(self, dim, oy_int(self->dtype)));
  if (label_smoothing > 0) {
    oy_object* less = HOLD(oyi_call_mul_Scalar(target, oy_float(1 - label_smoothing)));
    target =
        HOLD(oyi_call_add_Scalar(less, oy_float(label_smoothing / (double)classes), ONE));
  }
  oy_object* products = HOLD(oyi_call_mul_Tensor(logs, target));
  if (products && weight != &oy_none_object) {
    oy_object* weights = HOLD(along_classes(weight, t->ndim, dim));
    products = HOLD(oyi_call_mul_Tensor(products, weights));
  }
  return oyi_held_end(&h, reduced_products(products, reduction, dim, classes));
}

// The mean of |smooth| over what is not ignored, by the weights if there are some. What
// is ignored weighs nothing, instead of being left out, so that shapes are known.
static oy_object* smooth_mean(oy_object* smooth, oy_object* target, oy_object* weight,
                              oy_object* is_ignored) {
  oyi_held h = {0};
  oy_object *total, *sum = HOLD(oyi_call_sum(smooth, oy_none()));
  if (weight == &oy_none_object) {
    oy_object* counts = HOLD(oyi_call_logical_not(is_ignored));
    total = HOLD(oyi_call_sum(counts, oy_none()));
  } else {
    oy_object* classes = HOLD(oyi_call_masked_fill_Scalar(target, is_ignored, oy_int(0)));
    oy_object* flat = HOLD(oyi_call_flatten_using_ints(classes, 0, -1));
    oy_object* weights = HOLD(oyi_call_gather(weight, 0, flat, false));
    oy_object* mask = HOLD(oyi_call_flatten_using_ints(is_ignored, 0, -1));
    weights = oyi_call_masked_fill__Scalar(weights, mask, oy_int(0));
    total = HOLD(oyi_call_sum(weights, oy_none()));
  }
  return oyi_held_end(&h, oyi_call_div_Tensor(sum, total));
}

static oy_object* smoothed(oy_object* self, oy_object* target, oy_object* weight,
                           int64_t reduction, int64_t ignore_index,
                           double label_smoothing) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  const int64_t dim = t->ndim == 1 ? 0 : 1, classes = t->ndim ? t->sizes[dim] : 1;
  if (!weight || check_smoothing(label_smoothing) != 0) return NULL;
  oyi_held h = {0};
  oy_object* logs = HOLD(oyi_call_log_softmax_int(self, dim, oy_int(self->dtype)));
  oy_object* loss =
      HOLD(oyi_call_nll_loss_nd(logs, target, weight, reduction, ignore_index));
  oy_object* weighted = logs;
  if (loss && weight != &oy_none_object) {
    oy_object* weights = HOLD(along_classes(weight, t->ndim, dim));
    weighted = HOLD(oyi_call_mul_Tensor(logs, weights));
  }
  oy_object* sum =
      loss ? HOLD(oyi_call_sum_dim_IntList(weighted, OY_DIMS(dim), false, oy_none()))
           : NULL;
  oy_object* smooth = HOLD(oyi_call_neg(sum));
  oy_object* is_ignored =
      smooth ? HOLD(oyi_call_eq_Scalar(target, oy_int(ignore_index))) : NULL;
  smooth = oyi_call_masked_fill__Scalar(smooth, is_ignored, oy_float(0));
  if (smooth && reduction == REDUCE_MEAN)
    smooth = HOLD(smooth_mean(smooth, target, weight, is_ignored));
  else if (smooth && reduction == REDUCE_SUM)
    smooth = HOLD(oyi_call_sum(smooth, oy_none()));
  oy_object* rest = HOLD(oyi_call_mul_Scalar(loss, oy_float(1 - label_smoothing)));
  oy_object* part =
      HOLD(oyi_call_mul_Scalar(smooth, oy_float(label_smoothing / (double)classes)));
  return oyi_held_end(&h, oyi_call_add_Tensor(rest, part, ONE));
}

OYI_COMPOSITE(cross_entropy_loss) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* to = t ? oyi_tensor_of(target) : NULL;
  if (!to) return NULL;
  if (oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(to))) {
    if (!oy_dtype_is_floating(target->dtype)) {
      OY_FAIL(TYPE_MISMATCH,
              "Expected floating point type for target with class probabilities, got %s",
              oy_dtype_pytorch_name(target->dtype));
      return NULL;
    }
    if (ignore_index >= 0) {
      OY_FAIL(INVALID_ARGUMENT,
              "ignore_index is not supported for floating point target");
      return NULL;
    }
    return of_probabilities(self, target, weight, reduction, label_smoothing);
  }
  if (label_smoothing > 0)
    return smoothed(self, target, weight, reduction, ignore_index, label_smoothing);
  oy_object* logs =
      oyi_call_log_softmax_int(self, t->ndim == 1 ? 0 : 1, oy_int(self->dtype));
  oy_object* loss = oyi_call_nll_loss_nd(logs, target, weight, reduction, ignore_index);
  oy_tensor_release(logs);
  return loss;
}
