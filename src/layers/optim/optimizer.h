// SPDX-License-Identifier: Apache-2.0
// What an optimiser consists of: groups of options, and one row of state a parameter.
#ifndef OPYARD_SRC_LAYERS_OPTIM_OPTIMIZER_H_
#define OPYARD_SRC_LAYERS_OPTIM_OPTIMIZER_H_

#include "opyard/optim.h"

// Places in a row of state; SGD has the first alone.
enum { OYI_MOMENTUM_BUFFER = 0 };
enum { OYI_STEP = 0, OYI_EXP_AVG, OYI_EXP_AVG_SQ, OYI_MAX_EXP_AVG_SQ };
enum { OYI_OPTIM_STATES = 4, OYI_OPTIM_NAME_SIZE = 48 };

typedef struct oyi_optim_parameter {
  oy_tensor* tensor;
  size_t group;
  oy_tensor* state[OYI_OPTIM_STATES];  // NULL where there is none yet
  char names[OYI_OPTIM_STATES][OYI_OPTIM_NAME_SIZE];
} oyi_optim_parameter;

// Changes one parameter by |grad|: whatever takes memory comes first, then the writes.
typedef oy_status (*oyi_optim_update_fn)(oyi_optim_parameter* p, oy_tensor* grad,
                                         const oy_optimizer_options* options);

typedef struct oyi_optim_rule {
  oyi_optim_update_fn update;
  const char* states[OYI_OPTIM_STATES];  // names, NULL after the last
} oyi_optim_rule;

struct oy_optimizer {
  oy_optimizer_kind kind;
  const oyi_optim_rule* rule;
  oy_optimizer_options defaults;
  oy_optimizer_options* groups;
  size_t group_count, group_capacity;
  oyi_optim_parameter* parameters;
  size_t count, capacity;
};

// INVALID_ARGUMENT with PyTorch's texts.
oy_status oyi_optim_check(oy_optimizer_kind kind, const oy_optimizer_options* options);

oy_status oyi_sgd_update(oyi_optim_parameter* p, oy_tensor* grad,
                         const oy_optimizer_options* options);
oy_status oyi_adam_update(oyi_optim_parameter* p, oy_tensor* grad,
                          const oy_optimizer_options* options);
oy_status oyi_adamw_update(oyi_optim_parameter* p, oy_tensor* grad,
                           const oy_optimizer_options* options);

#endif  // OPYARD_SRC_LAYERS_OPTIM_OPTIMIZER_H_
