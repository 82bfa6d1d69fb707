// SPDX-License-Identifier: Apache-2.0
// Optimisers, their groups of parameters, and the walk over these in a step.
#include "layers/optim/optimizer.h"

#include <stdio.h>

#include "base/memory.h"
#include "opyard/autograd.h"
#include "opyard/inline.h"

static const oyi_optim_rule rules[] = {
    [OY_SGD] = {oyi_sgd_update, {"momentum_buffer"}},
    [OY_ADAM] = {oyi_adam_update, {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}},
    [OY_ADAMW] = {oyi_adamw_update, {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}},
};

oy_optimizer* oy_optimizer_create(oy_optimizer_kind kind,
                                  const oy_optimizer_options* options,
                                  oy_tensor* const* parameters, size_t count) {
  if ((size_t)kind >= OY_ARRAY_SIZE(rules)) {
    OY_FAIL(INVALID_ARGUMENT, "expected a kind of optimizer below %zu, got %d",
            OY_ARRAY_SIZE(rules), (int)kind);
    return NULL;
  }
  oy_optimizer* o = oyi_calloc(1, sizeof(*o));
  if (!o) return NULL;
  o->kind = kind;
  o->rule = &rules[kind];
  o->defaults = options ? *options : oy_optimizer_defaults(kind);
  if (oy_optimizer_add_parameters(o, &o->defaults, parameters, count) == OY_OK) return o;
  oy_optimizer_free(o);
  return NULL;
}

void oy_optimizer_free(oy_optimizer* optimizer) {
  if (!optimizer) return;
  for (size_t i = 0; i < optimizer->count; i++) {
    oyi_optim_parameter* p = &optimizer->parameters[i];
    oy_tensor_release(p->tensor);
    for (int s = 0; s < OYI_OPTIM_STATES; s++) oy_tensor_release(p->state[s]);
  }
  oyi_free(optimizer->parameters);
  oyi_free(optimizer->groups);
  oyi_free(optimizer);
}

// ------------------------------------------------------------------------ groups

static bool has(const oy_optimizer* optimizer, const oy_tensor* tensor) {
  for (size_t i = 0; i < optimizer->count; i++)
    if (optimizer->parameters[i].tensor == tensor) return true;
  return false;
}

static oy_status check_parameters(const oy_optimizer* optimizer,
                                  oy_tensor* const* parameters, size_t count) {
  OY_CHECK(parameters && count > 0, INVALID_ARGUMENT,
           "optimizer got an empty parameter list");
  for (size_t i = 0; i < count; i++) {
    const oy_tensor* t = parameters[i];
    OY_CHECK(t && oy_object_is_tensor(t), INVALID_ARGUMENT,
             "optimizer can only optimize Tensors, but one of the params is %s",
             t ? t->klass->name : "NULL");
    OY_CHECK(oy_is_leaf(t), INVALID_ARGUMENT, "can't optimize a non-leaf Tensor");
    bool twice = has(optimizer, t);
    for (size_t k = 0; k < i && !twice; k++) twice = parameters[k] == t;
    OY_CHECK(!twice, INVALID_ARGUMENT,
             "some parameters appear in more than one parameter group");
  }
  return OY_OK;
}

static void add_parameter(oy_optimizer* o, oy_tensor* tensor) {
  oyi_optim_parameter* p = &o->parameters[o->count];
  *p = (oyi_optim_parameter){.tensor = oy_tensor_retain(tensor), .group = o->group_count};
  for (int s = 0; s < OYI_OPTIM_STATES && o->rule->states[s]; s++)
    snprintf(p->names[s], sizeof(p->names[s]), "state.%zu.%s", o->count,
             o->rule->states[s]);
  o->count++;
}

oy_status oy_optimizer_add_parameters(oy_optimizer* o,
                                      const oy_optimizer_options* options,
                                      oy_tensor* const* parameters, size_t count) {
  OY_CHECK(o, INVALID_ARGUMENT, "expected an optimizer, got NULL");
  if (!options) options = &o->defaults;
  OY_TRY(oyi_optim_check(o->kind, options));
  OY_TRY(check_parameters(o, parameters, count));
  if (!oyi_grow(&o->groups, &o->group_capacity, o->group_count + 1, sizeof(*o->groups)) ||
      !oyi_grow(&o->parameters, &o->capacity, o->count + count, sizeof(*o->parameters)))
    return OY_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) add_parameter(o, parameters[i]);
  o->groups[o->group_count++] = *options;
  return OY_OK;
}

// ------------------------------------------------------------------------- a step

static oy_status update_all(oy_optimizer* optimizer) {
  for (size_t i = 0; i < optimizer->count; i++) {
    oyi_optim_parameter* p = &optimizer->parameters[i];
    oy_tensor* grad = oy_grad(p->tensor);
    if (!grad) continue;
    oy_status status = optimizer->rule->update(p, grad, &optimizer->groups[p->group]);
    if (status) oy_error_note("in the optimizer's step, parameter %zu", i);
    OY_TRY(status);
  }
  return OY_OK;
}

oy_status oy_optimizer_step(oy_optimizer* optimizer) {
  OY_CHECK(optimizer, INVALID_ARGUMENT, "expected an optimizer, got NULL");
  // As a kernel runs: what operators return goes to no scope of the caller.
  uint64_t before = oy_call_enter();
  oy_grad_guard guard = oy_no_grad();
  oy_status status = update_all(optimizer);
  oy_grad_guard_end(&guard);
  oy_call_leave(before);
  return status;
}

void oy_optimizer_zero_grad(oy_optimizer* optimizer) {
  for (size_t i = 0; optimizer && i < optimizer->count; i++) {
    // Without a gradient there is nothing to set, and removing one takes no memory.
    oy_tensor* tensor = optimizer->parameters[i].tensor;
    if (oy_grad(tensor)) (void)!oy_set_grad(tensor, NULL);
  }
}
