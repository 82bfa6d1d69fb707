// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum.
#include "layers/optim/optimizer.h"
#include "ops/rules/rules.h"
#include "opyard/ops.h"

// |grad| with its sign and the decay: a new reference.
static oy_tensor* direction(const oyi_optim_parameter* p, oy_tensor* grad,
                            const oy_optimizer_options* o) {
  oy_tensor* d = o->maximize ? oy_neg(grad) : oy_tensor_retain(grad);
  if (o->weight_decay == 0) return d;
  oy_tensor* decayed = oy_add_Tensor(d, p->tensor, oy_float(o->weight_decay));
  oy_tensor_release(d);
  return decayed;
}

// What one step with momentum works with.
typedef struct momentum {
  oy_tensor* buffer;
  oy_tensor* factor;  // made beforehand: an operator that is given a number makes it
  oy_tensor* ahead;   // room for the look ahead of Nesterov, NULL without it
} momentum;

// The first step takes the direction as it is, whatever the dampening.
static bool make_momentum(momentum* m, const oyi_optim_parameter* p, oy_tensor* d,
                          const oy_optimizer_options* o) {
  const oy_value none = oy_none();
  oy_tensor* before = p->state[OYI_MOMENTUM_BUFFER];
  m->buffer = before ? oy_tensor_retain(before) : oy_clone(d, none);
  m->factor = oyi_wrap_number(oy_float(o->momentum));
  if (o->nesterov) m->ahead = oy_empty_like(d, none, none, none, none, none);
  return m->buffer && m->factor && (m->ahead || !o->nesterov);
}

// The step along |d|, by way of the buffer: all of it in place.
static bool write_all(const oyi_optim_parameter* p, const momentum* m, oy_tensor* d,
                      const oy_optimizer_options* o) {
  if (m->buffer && m->buffer == p->state[OYI_MOMENTUM_BUFFER] &&
      !oy_add__Tensor(oy_mul__Tensor(m->buffer, m->factor), d,
                      oy_float(1 - o->dampening)))
    return false;
  if (m->ahead)
    d = oy_add_out(d, m->buffer, oy_float(o->momentum), m->ahead);
  else if (m->buffer)
    d = m->buffer;
  return oy_add__Tensor(p->tensor, d, oy_float(-o->lr)) != NULL;
}

oy_status oyi_sgd_update(oyi_optim_parameter* p, oy_tensor* grad,
                         const oy_optimizer_options* o) {
  momentum m = {.buffer = NULL};
  oy_tensor* d = direction(p, grad, o);
  bool good =
      d && (o->momentum == 0 || make_momentum(&m, p, d, o)) && write_all(p, &m, d, o);
  if (good && m.buffer && !p->state[OYI_MOMENTUM_BUFFER])
    p->state[OYI_MOMENTUM_BUFFER] = oy_tensor_retain(m.buffer);
  oy_tensor_release(d);
  oy_tensor_release(m.buffer);
  oy_tensor_release(m.factor);
  oy_tensor_release(m.ahead);
  return good ? OY_OK : oy_failure();
}
