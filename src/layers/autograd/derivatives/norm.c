// SPDX-License-Identifier: Apache-2.0
// Gradients of normalisations, y = (x - mean) / deviation * weight + bias, where mean and
// deviation are of the input itself, or running ones. They are composed of operators that
// have gradients, and compute the statistics anew: so second derivatives see how mean and
// deviation depend on the input. A walk that is not recorded, of plain tensors of the CPU,
// calls the operator that computes all of it at once.
#include "layers/autograd/derivatives/derivative.h"
#include "layers/autograd/record.h"
#include "ops/composite/held.h"

typedef struct norm {
  oyi_held held;
  oy_ints dims;           // of which mean and deviation are
  oy_object *x, *grad;    // in float at least; |grad| may be NULL
  oy_object* weight;      // in a shape that broadcasts; NULL: 1
  bool is_own;            // the statistics are of the input
  oy_object *rstd, *hat;  // 1 / deviation; (x - mean) * rstd
} norm;

#define HOLD(...) oyi_hold(&n->held, __VA_ARGS__)

static oy_object* widened(norm* n, oy_object* tensor) {
  bool is_half =
      tensor && (tensor->dtype == OY_DTYPE_F16 || tensor->dtype == OY_DTYPE_BF16);
  if (!is_half) return tensor;
  return HOLD(oyi_call_to_dtype(tensor, OY_DTYPE_F32, false, false, oy_none()));
}
static oy_object* mean(norm* n, oy_object* tensor) {
  return HOLD(oyi_call_mean_dim(tensor, n->dims, true, oy_none()));
}
static oy_object* shaped(norm* n, oy_object* tensor, oy_ints sizes) {
  if (!tensor || oy_object_is_none(tensor)) return NULL;
  return HOLD(oyi_call_reshape(tensor, sizes));
}

static void scale(norm* n, oy_object* centre, oy_object* variance, double eps) {
  oy_object* moved = HOLD(oyi_call_add_Scalar(variance, oy_float(eps), oy_int(1)));
  n->rstd = HOLD(oyi_call_rsqrt(moved));
  n->hat = HOLD(oyi_call_mul_Tensor(centre, n->rstd));
}
static void by_input(norm* n, double eps) {
  oy_object* centre = HOLD(oyi_call_sub_Tensor(n->x, mean(n, n->x), oy_int(1)));
  n->is_own = true;
  scale(n, centre, mean(n, HOLD(oyi_call_mul_Tensor(centre, centre))), eps);
}
static void by_running(norm* n, oy_object* running_mean, oy_object* running_var,
                       double eps) {
  scale(n, HOLD(oyi_call_sub_Tensor(n->x, running_mean, oy_int(1))), running_var, eps);
}

// rstd * (g - mean(g) - hat * mean(g * hat)) with g = grad * weight
static oy_object* for_input(norm* n) {
  oy_object* g = n->weight ? HOLD(oyi_call_mul_Tensor(n->grad, n->weight)) : n->grad;
  if (n->is_own) {
    oy_object* along = mean(n, HOLD(oyi_call_mul_Tensor(g, n->hat)));
    oy_object* level = HOLD(oyi_call_sub_Tensor(g, mean(n, g), oy_int(1)));
    oy_object* bent = HOLD(oyi_call_mul_Tensor(n->hat, along));
    g = HOLD(oyi_call_sub_Tensor(level, bent, oy_int(1)));
  }
  return oyi_call_mul_Tensor(g, n->rstd);
}

// |value| summed over |dims|, if there are any, in the shape of a parameter.
static oy_object* for_parameter(norm* n, oy_object* value, oy_ints dims, oy_ints sizes) {
  if (dims.size) value = HOLD(oyi_call_sum_dim_IntList(value, dims, false, oy_none()));
  return dims.size ? oyi_call_reshape(value, sizes) : oy_tensor_retain(value);
}
static oy_object* for_weight(norm* n, oy_ints dims, oy_ints sizes) {
  return for_parameter(n, HOLD(oyi_call_mul_Tensor(n->grad, n->hat)), dims, sizes);
}

// Gives |made| to an input; a failure is told at the end, when all is released.
#define TAKE(name, made) \
  if (WANTS(name) && !(gives[EDGE_AT(name)] = (made))) failed = true
#define FINISH()                          \
  do {                                    \
    oyi_held_end(&n->held, NULL);         \
    return failed ? oy_failure() : OY_OK; \
  } while (0)

// --------------------------------------------------------------- all of it at once

// Of the CPU, without a transform, a tangent or anything else that wants to see parts.
static bool is_plain(const oy_object* tensor) {
  const uint64_t keys = OYI_TENSOR_KEYS | OYI_AUTOGRAD_KEYS;
  return oyi_is_tensor(tensor) && oyi_tensor_cast(tensor)->backend == OY_BACKEND_CPU &&
         !(tensor->keys.functionality & ~keys);
}
static bool at_once(const oy_object* grad, const oy_object* input,
                    const oy_object* weight) {
  return !oyi_grad_mode && is_plain(grad) && is_plain(input) &&
         (oy_object_is_none(weight) || is_plain(weight));
}
#define GIVE_PARTS(of)        \
  do {                        \
    GIVE_PART(input, of[0]);  \
    GIVE_PART(weight, of[1]); \
    GIVE_PART(bias, of[2]);   \
    return OY_OK;             \
  } while (0)

// -------------------------------------------------------------------- layer_norm

BACKWARD(native_layer_norm) {
  ARGUMENTS(native_layer_norm);
  if (at_once(GRAD(0), input, weight)) {
    const bool mask[] = {WANTS(input), WANTS(weight), WANTS(bias)};
    oy_object* of[3];
    OY_TRY(oyi_call_native_layer_norm_backward(
        GRAD(0), input, normalized_shape, RESULT(1), RESULT(2), weight, bias,
        (oy_bools){mask, 3}, &of[0], &of[1], &of[2]));
    GIVE_PARTS(of);
  }
  int64_t dims[OY_TENSOR_MAX_DIMS];
  const size_t count = normalized_shape.size;
  for (size_t i = 0; i < count; i++) dims[i] = (int64_t)i - (int64_t)count;
  norm own = {.dims = {dims, count}}, *n = &own;
  bool failed = false;
  n->x = widened(n, input);
  n->grad = widened(n, GRAD(0));
  n->weight = oy_object_is_none(weight) ? NULL : widened(n, weight);
  by_input(n, eps);
  const oy_ints none = {NULL, 0};  // the leading dimensions are summed by the engine
  TAKE(input, for_input(n));
  TAKE(weight, for_weight(n, none, none));
  TAKE(bias, for_parameter(n, n->grad, none, none));
  FINISH();
}

// -------------------------------------------------------------------- batch_norm

// All dimensions but the second, and the shape of what is for each channel. Gradients of
// the parameters have one dimension, as those of all at once: in PyTorch too a parameter of
// more takes no gradient.
typedef struct channels {
  int64_t dims[OY_TENSOR_MAX_DIMS], sizes[OY_TENSOR_MAX_DIMS];
  oy_ints all, shape;
} channels;

static void channels_of(channels* c, size_t ndim) {
  size_t count = 0;
  for (size_t i = 0; i < ndim; i++) {
    c->sizes[i] = i == 1 ? -1 : 1;
    if (i != 1) c->dims[count++] = (int64_t)i;
  }
  c->all = (oy_ints){c->dims, count};
  c->shape = (oy_ints){c->sizes, ndim};
}

typedef struct batch {
  oy_object *input, *weight, *running_mean, *running_var;  // the last two may be None
  double eps;
  bool training;
} batch;

static void batch_open(norm* n, const channels* c, const batch* b, oy_object* grad) {
  n->dims = c->all;
  n->x = widened(n, b->input);
  n->grad = widened(n, grad);
  n->weight = shaped(n, b->weight, c->shape);
  if (b->training)
    by_input(n, b->eps);
  else
    by_running(n, shaped(n, b->running_mean, c->shape),
               shaped(n, b->running_var, c->shape), b->eps);
}

static oy_status batch_at_once(const batch* b, oy_object* grad, oy_object* const own[2],
                               const bool mask[3], oy_object* of[3]) {
  oy_object *mean = b->running_mean, *var = b->running_var;
  return oyi_call_native_batch_norm_backward(
      grad, b->input, b->weight, mean ? mean : &oy_none_object,
      var ? var : &oy_none_object, own[0], own[1], b->training, b->eps,
      (oy_bools){mask, 3}, &of[0], &of[1], &of[2]);
}

#define BATCH_NORM(id, mean, var, is_training)                                        \
  BACKWARD(id) {                                                                      \
    ARGUMENTS(id);                                                                    \
    if (at_once(GRAD(0), input, weight)) {                                            \
      const bool mask[] = {WANTS(input), WANTS(weight), WANTS(bias)};                 \
      oy_object* of[3];                                                               \
      OY_TRY(batch_at_once(&(batch){input, weight, mean, var, eps, is_training},      \
                           GRAD(0), (oy_object*[]){RESULT(1), RESULT(2)}, mask, of)); \
      GIVE_PARTS(of);                                                                 \
    }                                                                                 \
    norm own = {0}, *n = &own;                                                        \
    bool failed = false;                                                              \
    channels c;                                                                       \
    channels_of(&c, oyi_tensor_cast(GRAD(0))->ndim);                                  \
    batch_open(n, &c, &(batch){input, weight, mean, var, eps, is_training}, GRAD(0)); \
    TAKE(input, for_input(n));                                                        \
    const int64_t each = -1;                                                          \
    const oy_ints per_channel = {&each, 1};                                           \
    TAKE(weight, for_weight(n, c.all, per_channel));                                  \
    TAKE(bias, for_parameter(n, n->grad, c.all, per_channel));                        \
    FINISH();                                                                         \
  }
BATCH_NORM(native_batch_norm, running_mean, running_var, training)
BATCH_NORM(_native_batch_norm_legit, running_mean, running_var, training)
BATCH_NORM(_native_batch_norm_legit_no_stats, NULL, NULL, true)
BATCH_NORM(_native_batch_norm_legit_no_training, running_mean, running_var, false)

// -------------------------------------------------------------------- group_norm

// What the mean and 1 / deviation, which are results too, give for the input:
// (grad_mean - grad_rstd * rstd^2 * hat) / count
static oy_object* for_statistics(norm* n, oy_object* given, oy_object* of_mean,
                                 oy_object* of_rstd, double count) {
  if (of_mean) given = of_add(given, oyi_call_div_Scalar(of_mean, oy_float(count)));
  if (of_rstd) {
    oy_object* square = HOLD(oyi_call_mul_Tensor(n->rstd, n->rstd));
    oy_object* slope = HOLD(oyi_call_mul_Tensor(square, n->hat));
    oy_object* part = HOLD(oyi_call_mul_Tensor(of_rstd, slope));
    given = of_sub(given, oyi_call_div_Scalar(part, oy_float(count)));
  }
  return given;
}

BACKWARD(native_group_norm) {
  ARGUMENTS(native_group_norm);
  const int64_t sizes[] = {N, group, C / group, HxW}, dims[] = {2, 3}, summed[] = {0, 3};
  const int64_t per_channel[] = {1, group, C / group, 1}, per_group[] = {N, group, 1, 1};
  const oy_ints whole = {sizes, 4}, one = {per_group, 4}, over = {summed, 2};
  if (!GRAD(1) && !GRAD(2) && at_once(GRAD(0), input, weight)) {
    const bool mask[] = {WANTS(input), WANTS(weight), WANTS(bias)};
    oy_object* of[3];
    OY_TRY(oyi_call_native_group_norm_backward(
        GRAD(0), input, RESULT(1), RESULT(2), weight, N, C, HxW, group,
        (oy_bools){mask, 3}, &of[0], &of[1], &of[2]));
    GIVE_PARTS(of);
  }
  norm own = {.dims = {dims, 2}}, *n = &own;
  bool failed = false;
  n->x = widened(n, shaped(n, input, whole));
  n->grad = widened(n, shaped(n, GRAD(0), whole));
  n->weight = shaped(n, weight, (oy_ints){per_channel, 4});
  by_input(n, eps);
  if (WANTS(input)) {
    oy_object* given = n->grad ? for_input(n) : zeros_like(n->x);
    given = for_statistics(n, given, shaped(n, GRAD(1), one), shaped(n, GRAD(2), one),
                           (double)(C / group) * (double)HxW);
    TAKE(input, oyi_call_reshape(HOLD(given), INPUT_SIZES(input)));
  }
  if (GRAD(0)) {
    TAKE(weight, for_weight(n, over, INPUT_SIZES(weight)));
    TAKE(bias, for_parameter(n, n->grad, over, INPUT_SIZES(bias)));
  }
  FINISH();
}

// -------------------------------------------------------------------- the table

#define OWN            OUTPUT(1), OUTPUT(2)
#define STATISTICS(id) SAVE(id, running_mean), SAVE(id, running_var)
DERIVATIVE_OF_FIRST(native_layer_norm, "NativeLayerNormBackward0",
                    SAVE(native_layer_norm, input), SAVE(native_layer_norm, weight), OWN)
DERIVATIVE_OF_FIRST(native_batch_norm, "NativeBatchNormBackward0",
                    SAVE(native_batch_norm, input), SAVE(native_batch_norm, weight),
                    STATISTICS(native_batch_norm), OWN)
DERIVATIVE_OF_FIRST(_native_batch_norm_legit, "NativeBatchNormLegitBackward0",
                    SAVE(_native_batch_norm_legit, input),
                    SAVE(_native_batch_norm_legit, weight),
                    COPY(_native_batch_norm_legit, running_mean),
                    COPY(_native_batch_norm_legit, running_var), OWN)
DERIVATIVE_OF_FIRST(_native_batch_norm_legit_no_stats, "NativeBatchNormLegitBackward1",
                    SAVE(_native_batch_norm_legit_no_stats, input),
                    SAVE(_native_batch_norm_legit_no_stats, weight), OWN)
DERIVATIVE_OF_FIRST(_native_batch_norm_legit_no_training,
                    "NativeBatchNormLegitNoTrainingBackward0",
                    SAVE(_native_batch_norm_legit_no_training, input),
                    SAVE(_native_batch_norm_legit_no_training, weight),
                    STATISTICS(_native_batch_norm_legit_no_training), OWN)
DERIVATIVE(native_group_norm, "NativeGroupNormBackward0", SAVE(native_group_norm, input),
           SAVE(native_group_norm, weight), OWN)
