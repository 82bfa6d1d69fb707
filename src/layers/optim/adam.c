// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW. They differ in what weight decay is: a part of the gradient, or a factor
// of the parameter.
#include <math.h>

#include "layers/optim/optimizer.h"
#include "ops/rules/rules.h"
#include "opyard/ops.h"

enum { SHRINK, DECAY2, CORRECTION2, EPS, NUMBERS };

// What one update works on. Complex tensors are seen as pairs of real ones.
typedef struct update {
  oy_tensor *parameter, *grad;
  oy_tensor* state[OYI_OPTIM_STATES];
  oy_tensor* denominator;  // room for it
  // Factors, made beforehand: an operator that is given a number takes memory for it.
  oy_tensor* numbers[NUMBERS];
  double step_size;
} update;

static oy_tensor* alike(oy_tensor* tensor, bool zero) {
  oy_value none = oy_none();
  return zero ? oy_zeros_like(tensor, none, none, none, none, none)
              : oy_empty_like(tensor, none, none, none, none, none);
}

// |grad| with its sign and the decay: a new reference.
static oy_tensor* gradient(const oyi_optim_parameter* p, oy_tensor* grad,
                           const oy_optimizer_options* o, bool decay) {
  oy_tensor* g = o->maximize ? oy_neg(grad) : oy_tensor_retain(grad);
  if (!decay || o->weight_decay == 0) return g;
  oy_tensor* decayed = oy_add_Tensor(g, p->tensor, oy_float(o->weight_decay));
  oy_tensor_release(g);
  return decayed;
}

// A step is in the state as a number that is never written in place: who looks at the
// state keeps what was there.
static bool make_state(update* u, const oyi_optim_parameter* p,
                       const oy_optimizer_options* o) {
  int64_t step = 1;
  if (p->state[OYI_STEP]) step += *(const int64_t*)oy_tensor_data(p->state[OYI_STEP]);
  u->state[OYI_STEP] = oy_tensor_from_data(&step, oy_dims_none(), OY_DTYPE_I64);
  const int end = o->amsgrad ? OYI_MAX_EXP_AVG_SQ : OYI_EXP_AVG_SQ;
  for (int s = OYI_EXP_AVG; s <= end; s++)
    u->state[s] = p->state[s] ? oy_tensor_retain(p->state[s]) : alike(p->tensor, true);
  u->denominator = alike(p->tensor, false);
  bool complete = u->grad && u->denominator;
  for (int s = 0; s <= end; s++) complete = complete && u->state[s];
  return complete;
}

static bool make_numbers(update* u, const oy_optimizer_options* o) {
  const double step = (double)*(const int64_t*)oy_tensor_data(u->state[OYI_STEP]);
  const double numbers[NUMBERS] = {[SHRINK] = 1 - o->lr * o->weight_decay,
                                   [DECAY2] = o->beta2,
                                   [CORRECTION2] = sqrt(1 - pow(o->beta2, step)),
                                   [EPS] = o->eps};
  for (int n = 0; n < NUMBERS; n++)
    if (!(u->numbers[n] = oyi_wrap_number(oy_float(numbers[n])))) return false;
  u->step_size = o->lr / (1 - pow(o->beta1, step));
  return true;
}

static void release(update* u) {
  oy_tensor_release(u->parameter);
  oy_tensor_release(u->grad);
  oy_tensor_release(u->denominator);
  for (int s = 0; s < OYI_OPTIM_STATES; s++) oy_tensor_release(u->state[s]);
  for (int n = 0; n < NUMBERS; n++) oy_tensor_release(u->numbers[n]);
}

static bool as_real(const update* from, update* to) {
  *to = (update){.parameter = oy_view_as_real(from->parameter),
                 .grad = oy_view_as_real(from->grad),
                 .denominator = oy_view_as_real(from->denominator),
                 .step_size = from->step_size};
  for (int n = 0; n < NUMBERS; n++) to->numbers[n] = oy_tensor_retain(from->numbers[n]);
  bool complete = to->parameter && to->grad && to->denominator;
  for (int s = OYI_EXP_AVG; s < OYI_OPTIM_STATES; s++) {
    if (from->state[s]) to->state[s] = oy_view_as_real(from->state[s]);
    complete = complete && !from->state[s] == !to->state[s];
  }
  return complete;
}

// The formula alone, all of it in place.
static oy_status write_all(const update* u, const oy_optimizer_options* o, bool shrink) {
  oy_tensor *mean = u->state[OYI_EXP_AVG], *square = u->state[OYI_EXP_AVG_SQ];
  oy_tensor *largest = u->state[OYI_MAX_EXP_AVG_SQ], *d = u->denominator;
  oy_tensor* const* numbers = u->numbers;
  bool good = !shrink || oy_mul__Tensor(u->parameter, numbers[SHRINK]);
  good = good && oy_lerp__Scalar(mean, u->grad, oy_float(1 - o->beta1));
  good = good && oy_addcmul_(oy_mul__Tensor(square, numbers[DECAY2]), u->grad, u->grad,
                             oy_float(1 - o->beta2));
  if (largest) good = good && oy_maximum_out(largest, square, largest);
  good = good && oy_sqrt_out(largest ? largest : square, d);
  good = good &&
         oy_add__Tensor(oy_div__Tensor(d, numbers[CORRECTION2]), numbers[EPS], oy_int(1));
  good = good && oy_addcdiv_(u->parameter, mean, d, oy_float(-u->step_size));
  return good ? OY_OK : oy_failure();
}

static void keep_state(oyi_optim_parameter* p, update* u) {
  for (int s = 0; s < OYI_OPTIM_STATES; s++) {
    if (!u->state[s]) continue;  // the largest square, from when amsgrad was on
    oy_tensor_release(p->state[s]);
    p->state[s] = u->state[s];
    u->state[s] = NULL;
  }
}

static oy_status adam(oyi_optim_parameter* p, oy_tensor* grad,
                      const oy_optimizer_options* o, bool decoupled) {
  update u = {.parameter = oy_tensor_retain(p->tensor),
              .grad = gradient(p, grad, o, !decoupled)};
  update real = {.parameter = NULL};
  oy_status status = make_state(&u, p, o) && make_numbers(&u, o) ? OY_OK : oy_failure();
  const update* seen = &u;
  if (status == 0 && oy_dtype_is_complex(p->tensor->dtype)) {
    status = as_real(&u, &real) ? OY_OK : oy_failure();
    seen = &real;
  }
  if (status == 0) status = write_all(seen, o, decoupled && o->weight_decay != 0);
  if (status == 0) keep_state(p, &u);
  release(&u);
  release(&real);
  return status;
}

oy_status oyi_adam_update(oyi_optim_parameter* p, oy_tensor* grad,
                          const oy_optimizer_options* options) {
  return adam(p, grad, options, false);
}
oy_status oyi_adamw_update(oyi_optim_parameter* p, oy_tensor* grad,
                           const oy_optimizer_options* options) {
  return adam(p, grad, options, true);
}
