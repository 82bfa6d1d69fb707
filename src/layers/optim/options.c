// SPDX-License-Identifier: Apache-2.0
// Options: what they are if nothing is said, and which are refused.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/optim/optimizer.h"

oy_optimizer_options oy_optimizer_defaults(oy_optimizer_kind kind) {
  switch (kind) {
    case OY_SGD: return (oy_optimizer_options){.lr = 1e-3};
    case OY_ADAM:
    case OY_ADAMW:
      return (oy_optimizer_options){.lr = 1e-3,
                                    .weight_decay = kind == OY_ADAMW ? 1e-2 : 0,
                                    .beta1 = 0.9,
                                    .beta2 = 0.999,
                                    .eps = 1e-8};
  }
  return (oy_optimizer_options){.lr = 0};
}

// As Python prints a float: the fewest digits that give it back.
static const char* print_number(double number, char buffer[40]) {
  if (isnan(number)) return "nan";
  if (isinf(number)) return number < 0 ? "-inf" : "inf";
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(buffer, 38, "%.*g", digits, number);
    if (strtod(buffer, NULL) == number) break;
  }
  if (!strpbrk(buffer, ".e")) strcat(buffer, ".0");
  return buffer;
}

static oy_status refuse(const char* what, double number) {
  char buffer[40];
  return OY_FAIL(INVALID_ARGUMENT, "Invalid %s: %s", what, print_number(number, buffer));
}

static oy_status check_sgd(const oy_optimizer_options* o) {
  if (!(o->momentum >= 0)) return refuse("momentum value", o->momentum);
  OY_CHECK(!o->nesterov || (o->momentum > 0 && o->dampening == 0), INVALID_ARGUMENT,
           "Nesterov momentum requires a momentum and zero dampening");
  return OY_OK;
}
static oy_status check_adam(const oy_optimizer_options* o) {
  if (!(o->eps >= 0)) return refuse("epsilon value", o->eps);
  if (!(o->beta1 >= 0 && o->beta1 < 1))
    return refuse("beta parameter at index 0", o->beta1);
  if (!(o->beta2 >= 0 && o->beta2 < 1))
    return refuse("beta parameter at index 1", o->beta2);
  return OY_OK;
}

oy_status oyi_optim_check(oy_optimizer_kind kind, const oy_optimizer_options* o) {
  if (!(o->lr >= 0)) return refuse("learning rate", o->lr);
  if (!(o->weight_decay >= 0)) return refuse("weight_decay value", o->weight_decay);
  return kind == OY_SGD ? check_sgd(o) : check_adam(o);
}

// -------------------------------------------------------------------- of a group

static oy_status find_group(const oy_optimizer* optimizer, size_t group) {
  OY_CHECK(optimizer, INVALID_ARGUMENT, "expected an optimizer, got NULL");
  OY_CHECK(group < optimizer->group_count, OUT_OF_RANGE,
           "expected a parameter group below %zu, got %zu", optimizer->group_count,
           group);
  return OY_OK;
}

size_t oy_optimizer_group_count(const oy_optimizer* optimizer) {
  return optimizer ? optimizer->group_count : 0;
}

double oy_optimizer_lr(const oy_optimizer* optimizer, size_t group) {
  return find_group(optimizer, group) == OY_OK ? optimizer->groups[group].lr : NAN;
}

oy_status oy_optimizer_set_lr(oy_optimizer* optimizer, size_t group, double lr) {
  OY_TRY(find_group(optimizer, group));
  if (!(lr >= 0)) return refuse("learning rate", lr);
  optimizer->groups[group].lr = lr;
  return OY_OK;
}

oy_status oy_optimizer_get_options(const oy_optimizer* optimizer, size_t group,
                                   oy_optimizer_options* out_options) {
  *out_options = (oy_optimizer_options){.lr = 0};
  OY_TRY(find_group(optimizer, group));
  *out_options = optimizer->groups[group];
  return OY_OK;
}

oy_status oy_optimizer_set_options(oy_optimizer* optimizer, size_t group,
                                   const oy_optimizer_options* options) {
  OY_TRY(find_group(optimizer, group));
  OY_CHECK(options, INVALID_ARGUMENT, "expected options, got NULL");
  OY_TRY(oyi_optim_check(optimizer->kind, options));
  optimizer->groups[group] = *options;
  return OY_OK;
}
