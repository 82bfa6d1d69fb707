// SPDX-License-Identifier: Apache-2.0
// Optimisers: SGD, Adam and AdamW, with the arithmetic of torch.optim.
//
//   oy_optimizer* adam = oy_optimizer_create(OY_ADAM, NULL, parameters, count);
//   for each batch:  oy_backward(loss, NULL, false);
//                    oy_optimizer_step(adam);
//                    oy_optimizer_zero_grad(adam);
//
// Parameters come in groups, each with options of its own. An optimiser and its
// parameters belong to one thread at a time; different ones may run at once. A call
// that fails has changed nothing but where it says so.
#ifndef OPYARD_OPTIM_H_
#define OPYARD_OPTIM_H_

#include "opyard/files.h"
#include "opyard/tensor.h"

OY_BEGIN_DECLS

typedef struct oy_optimizer oy_optimizer;

typedef enum oy_optimizer_kind { OY_SGD, OY_ADAM, OY_ADAMW } oy_optimizer_kind;

// What one kind has no use for is ignored by it.
typedef struct oy_optimizer_options {
  double lr;
  double weight_decay;  // SGD, Adam: added to the gradient; AdamW: shrinks the parameter
  bool maximize;        // climbs
  // SGD
  double momentum, dampening;
  bool nesterov;
  // Adam, AdamW
  double beta1, beta2, eps;
  bool amsgrad;
} oy_optimizer_options;

// PyTorch's: lr 0.001; betas 0.9 and 0.999, eps 1e-8; weight decay 0.01 for AdamW, and 0;
// everything else off. All zero for a kind that is none.
OY_API oy_optimizer_options oy_optimizer_defaults(oy_optimizer_kind kind);

// With one group of |parameters|, which are retained. |options| NULL: the defaults. To be
// given to oy_optimizer_free; NULL with the error set: INVALID_ARGUMENT with PyTorch's texts
// for options out of range, no parameters, one that is given twice or that an operator made.
OY_API oy_optimizer* oy_optimizer_create(oy_optimizer_kind kind,
                                         const oy_optimizer_options* options,
                                         oy_tensor* const* parameters, size_t count);
// Takes NULL. The parameters and their gradients stay.
OY_API void oy_optimizer_free(oy_optimizer* optimizer);

// One more group. |options| NULL: those that the optimiser was created with.
OY_API OY_MUST_USE oy_status
oy_optimizer_add_parameters(oy_optimizer* optimizer, const oy_optimizer_options* options,
                            oy_tensor* const* parameters, size_t count);

// Changes each parameter by its gradient, without grad mode; one without .grad is passed
// over, and its state stays. Parameters are done in their order, each as a whole: when
// memory is short, those before the one that failed are changed with their state, that one
// and those after are as they were.
OY_API OY_MUST_USE oy_status oy_optimizer_step(oy_optimizer* optimizer);

// Removes .grad of all parameters (PyTorch's set_to_none=True).
OY_API void oy_optimizer_zero_grad(oy_optimizer* optimizer);

// ------------------------------------------------------------------- options

OY_API size_t oy_optimizer_group_count(const oy_optimizer* optimizer);
// For schedules. NaN with the error set (OUT_OF_RANGE) if there is no such group.
OY_API double oy_optimizer_lr(const oy_optimizer* optimizer, size_t group);
OY_API OY_MUST_USE oy_status oy_optimizer_set_lr(oy_optimizer* optimizer, size_t group,
                                                 double lr);
OY_API OY_MUST_USE oy_status oy_optimizer_get_options(const oy_optimizer* optimizer,
                                                      size_t group,
                                                      oy_optimizer_options* out_options);
OY_API OY_MUST_USE oy_status oy_optimizer_set_options(
    oy_optimizer* optimizer, size_t group, const oy_optimizer_options* options);

// --------------------------------------------------------------------- state

// What steps have left, as named tensors: "state.N.NAME", N the position of the parameter
// among all, NAME as in PyTorch's state_dict: momentum_buffer; step (int64, 0-d), exp_avg,
// exp_avg_sq, max_exp_avg_sq. Options are not part of it.
OY_API size_t oy_optimizer_state_count(const oy_optimizer* optimizer);
// Name and tensor are borrowed until the next step or change of the optimiser. OUT_OF_RANGE.
OY_API OY_MUST_USE oy_status oy_optimizer_state_get(const oy_optimizer* optimizer,
                                                    size_t index,
                                                    oy_named_tensor* out_state);
// Replaces the whole state by copies, in the dtypes of the parameters; steps may be of any
// dtype. INVALID_ARGUMENT for a name that is no state of this optimiser or is given twice,
// for other sizes than the parameter's, and for a parameter of Adam that has only a part.
OY_API OY_MUST_USE oy_status oy_optimizer_state_set(oy_optimizer* optimizer,
                                                    const oy_named_tensor* state,
                                                    size_t count);

OY_END_DECLS

#endif  // OPYARD_OPTIM_H_
