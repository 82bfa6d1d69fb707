// SPDX-License-Identifier: Apache-2.0
// Losses of an input and a target, element by element, then reduced; and their gradients.
#include "backends/cpu/neural/loss.h"
#include "backends/cpu/pointwise/elementwise.h"
#include "ops/calls.h"
#include "ops/out_form.h"

// |loss|, which it takes, reduced as a new tensor or into |out|. Other numbers than those
// above reduce nothing, as in PyTorch.
static oy_object* reduced(oy_object* loss, int64_t reduction, oy_object* out) {
  if (!loss || (reduction != OYI_REDUCE_MEAN && reduction != OYI_REDUCE_SUM)) return loss;
  const oy_ints all = oy_dims_none();
  oy_object* result;
  if (!out)
    result = reduction == OYI_REDUCE_MEAN ? oyi_call_mean(loss, oy_none())
                                          : oyi_call_sum(loss, oy_none());
  else
    result = reduction == OYI_REDUCE_MEAN
                 ? oyi_call_mean_out(loss, all, false, oy_none(), out)
                 : oyi_call_sum_IntList_out(loss, all, false, oy_none(), out);
  oy_tensor_release(loss);
  return result;
}

static oy_object* loss_of(oy_object* out, oy_object* self, oy_object* target,
                          int64_t reduction, oyi_cpu_loop loop, double number) {
  const bool reduces = reduction == OYI_REDUCE_MEAN || reduction == OYI_REDUCE_SUM;
  return reduced(oyi_cpu_binary_with(reduces ? NULL : out, self, target, 0, loop,
                                     OYI_NUMBERS(oy_float(number))),
                 reduction, out);
}

// No promotion: all are of one dtype.
static bool share_dtype(const oy_object* self, oy_object* const* others, int count) {
  if (!self) return false;
  for (int i = 0; i < count; i++) {
    if (!others[i]) return false;
    if (others[i]->dtype == self->dtype) continue;
    OY_FAIL(TYPE_MISMATCH, "Found dtype %s but expected %s",
            oy_dtype_pytorch_name(others[i]->dtype), oy_dtype_pytorch_name(self->dtype));
    return false;
  }
  return true;
}

// |factor| times the slope times |grad|; the mean spreads it over the elements.
static oy_object* gradient_of(oy_object* out, oy_object* const operands[3],
                              int64_t reduction, oyi_cpu_loop loop, double factor,
                              double number) {
  if (!share_dtype(operands[0], operands + 1, 2)) return NULL;
  if (reduction == OYI_REDUCE_MEAN) factor /= (double)oyi_tensor_cast(operands[0])->numel;
  return oyi_cpu_pointwise(out, operands, 3, 0, loop,
                           OYI_NUMBERS(oy_float(factor), oy_float(number)));
}
#define OPERANDS ((oy_object*[]){self, target, grad_output})

// ------------------------------------------------------------------- differences

OYI_CPU(mse_loss) {
  return loss_of(NULL, self, target, reduction, OYI_LOOP_mse_loss, 0);
}
OYI_CPU(mse_loss_out) {
  return loss_of(out, self, target, reduction, OYI_LOOP_mse_loss, 0);
}
OYI_CPU(mse_loss_backward) {
  return gradient_of(NULL, OPERANDS, reduction, OYI_LOOP_mse_loss_backward, 2, 0);
}
OYI_CPU(mse_loss_backward_grad_input) {
  return gradient_of(grad_input, OPERANDS, reduction, OYI_LOOP_mse_loss_backward, 2, 0);
}

// Without a square where |beta| is 0.
static oy_object* smooth_l1(oy_object* out, oy_object* self, oy_object* target,
                            int64_t reduction, double beta) {
  if (!(beta >= 0)) {
    OY_FAIL(INVALID_ARGUMENT,
            "smooth_l1_loss does not support negative values for beta.");
    return NULL;
  }
  return loss_of(out, self, target, reduction, OYI_LOOP_smooth_l1_loss, beta);
}
OYI_CPU(smooth_l1_loss) {
  return smooth_l1(NULL, self, target, reduction, beta);
}
OYI_CPU(smooth_l1_loss_out) {
  return smooth_l1(out, self, target, reduction, beta);
}
OYI_CPU(smooth_l1_loss_backward_grad_input) {
  return gradient_of(grad_input, OPERANDS, reduction, OYI_LOOP_smooth_l1_loss_backward, 1,
                     beta);
}

// Of the dtype of |self|, whatever both promote to.
static oy_object* huber_as_self(oy_object* self, oy_object* target, double delta) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  const oyi_tensor* like = t->ndim ? t : oyi_tensor_cast(target);
  oyi_tensor* made = oyi_tensor_new(OY_DIMS(0), self->dtype, oyi_tensor_device(like));
  if (!made) return NULL;
  oy_object* done = oyi_cpu_binary_with(
      &made->header, self, target, 0, OYI_LOOP_huber_loss, OYI_NUMBERS(oy_float(delta)));
  if (!done) oy_tensor_release(&made->header);
  return done;
}

static oy_object* huber(oy_object* out, oy_object* self, oy_object* target,
                        int64_t reduction, double delta) {
  if (!(delta > 0)) {
    OY_FAIL(INVALID_ARGUMENT,
            "huber_loss does not support non-positive values for delta.");
    return NULL;
  }
  if (!oyi_tensor_of(self) || !oyi_tensor_of(target)) return NULL;
  const bool reduces = reduction == OYI_REDUCE_MEAN || reduction == OYI_REDUCE_SUM;
  if (self->dtype != target->dtype && (reduces || !out))
    return reduced(huber_as_self(self, target, delta), reduction, out);
  return loss_of(out, self, target, reduction, OYI_LOOP_huber_loss, delta);
}
OYI_CPU(huber_loss) {
  return huber(NULL, self, target, reduction, delta);
}
OYI_CPU(huber_loss_out) {
  return huber(out, self, target, reduction, delta);
}
OYI_CPU(huber_loss_backward_out) {
  return gradient_of(grad_input, OPERANDS, reduction, OYI_LOOP_huber_loss_backward, 1,
                     delta);
}

// ---------------------------------------------------------- binary_cross_entropy

// Sets the flag that |args| points to if an element is below 0, above 1, or NaN. One
// operand, which is only read.
#define IS_PROBABILITY(name, T, LOAD)                                       \
  static void name(int64_t n, char* const* data, const int64_t* strides,    \
                   const void* args) {                                      \
    const char* x = data[0];                                                \
    int bad = 0;                                                            \
    for (int64_t i = 0; i < n; i++, x += strides[0]) {                      \
      const T a = LOAD(x);                                                  \
      bad |= !(a >= 0) | !(a <= 1);                                         \
    }                                                                       \
    if (bad) __atomic_store_n(*(bool* const*)args, true, __ATOMIC_RELAXED); \
  }
#define LOAD_F32(x)  (*(const float*)(const void*)(x))
#define LOAD_F64(x)  (*(const double*)(const void*)(x))
#define LOAD_F16(x)  oyi_f16_to_float(*(const uint16_t*)(const void*)(x))
#define LOAD_BF16(x) oyi_bf16_to_float(*(const uint16_t*)(const void*)(x))
IS_PROBABILITY(check_f32, float, LOAD_F32)
IS_PROBABILITY(check_f64, double, LOAD_F64)
IS_PROBABILITY(check_f16, float, LOAD_F16)
IS_PROBABILITY(check_bf16, float, LOAD_BF16)

static oy_status check_probabilities(const oyi_tensor* t) {
  if (t->numel == 0 || !oyi_data(t)) return OY_OK;
  oyi_loop loop = t->header.dtype == OY_DTYPE_F32    ? check_f32
                  : t->header.dtype == OY_DTYPE_F64  ? check_f64
                  : t->header.dtype == OY_DTYPE_F16  ? check_f16
                  : t->header.dtype == OY_DTYPE_BF16 ? check_bf16
                                                     : NULL;
  if (!loop) return OY_OK;  // refused by what computes
  bool bad = false, *flag = &bad;
  oyi_iter it;
  oyi_iter_plain(&it, &t, 1);
  oyi_iter_run(&it, loop, &flag);
  OY_CHECK(!bad, INVALID_ARGUMENT, "all elements of input should be between 0 and 1");
  return OY_OK;
}

static oy_object* weighted(oy_object* loss, oy_object* weight) {
  if (!loss || weight == &oy_none_object) return loss;
  if (oyi_call_mul__Tensor(loss, weight)) return loss;
  oy_tensor_release(loss);
  return NULL;
}

static oy_object* cross_entropy(oy_object* self, oy_object* target, oy_object* weight,
                                int64_t reduction) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || !weight || !share_dtype(self, &target, 1) || check_probabilities(t) != 0)
    return NULL;
  oy_object* loss = oyi_cpu_binary(NULL, self, target, 0, OYI_LOOP_binary_cross_entropy);
  return reduced(weighted(loss, weight), reduction, NULL);
}
OYI_CPU(binary_cross_entropy) {
  return cross_entropy(self, target, weight, reduction);
}
OYI_CPU(binary_cross_entropy_out) {
  return oyi_into_exact_out(out, cross_entropy(self, target, weight, reduction));
}

static oy_object* cross_entropy_gradient(oy_object* const operands[3], oy_object* weight,
                                         int64_t reduction) {
  if (!weight || !share_dtype(operands[0], operands + 1, 2)) return NULL;
  oy_object* grad =
      weighted(oyi_cpu_pointwise(NULL, operands, 3, 0,
                                 OYI_LOOP_binary_cross_entropy_backward, NULL),
               weight);
  if (!grad || reduction != OYI_REDUCE_MEAN) return grad;
  const double count = (double)oyi_tensor_cast(operands[0])->numel;
  if (oyi_call_div__Scalar(grad, oy_float(count))) return grad;
  oy_tensor_release(grad);
  return NULL;
}
OYI_CPU(binary_cross_entropy_backward) {
  return cross_entropy_gradient(OPERANDS, weight, reduction);
}
OYI_CPU(binary_cross_entropy_backward_grad_input) {
  return oyi_into_exact_out(grad_input,
                            cross_entropy_gradient(OPERANDS, weight, reduction));
}
