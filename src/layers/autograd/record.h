// SPDX-License-Identifier: Apache-2.0
// What every autograd kernel does around the call below it: check the in-place
// rules, make a node and save, step down with Autograd out of the thread's sets,
// and give the result its history (reference, 9.2).
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_RECORD_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_RECORD_H_

#include "layers/autograd/node.h"
#include "ops/kernel.h"
#include "tensor/pool.h"

// What else than tensors a call leaves for its formula (frames.h); most have none.
typedef struct oyi_frame {
  struct {             // becomes an oyi_extra
    oy_scalar scalar;  // None if there are dims
    int64_t dims[2];
    uint64_t mask;
    bool flag;
  } extra;
  oy_ints dims;  // of a reduction: becomes extra.mask
} oyi_frame;

// A call that is recorded: how its result gets its history.
typedef struct oyi_record {
  const oyi_formula* formula;
  oyi_form form;
  oy_object* const* tensors;  // inputs, then out; ended by NULL
  const oyi_frame* frame;     // or NULL
} oyi_record;

// Autograd keys are excluded in inference mode; grad mode may be on there all the same.
enum { OYI_GRAD_OFF, OYI_GRAD_ON, OYI_GRAD_ON_IN_INFERENCE };
#define oyi_grad_mode oyi_pool.grad_mode
extern __thread bool oyi_anomaly_mode __attribute__((tls_model("initial-exec")));
// What else is done with a call that is recorded: nearly always nothing, so that one test
// is for all.
enum {
  OYI_ALSO_NOTE = 1,   // anomaly mode
  OYI_ALSO_PACK = 2,   // saved tensor hooks
  OYI_ALSO_STREAM = 4  // the thread has had another stream of a device than the default
};
extern __thread uint8_t oyi_record_also __attribute__((tls_model("initial-exec")));

// Whether |view|, or |is_base| its base, may be written now (reference, 9.6).
oy_status oyi_check_view(const oyi_tensor* view, bool is_base);
// Fails with why not.
oy_status oyi_fail_view(const oyi_tensor* view, bool is_base);
oy_status oyi_check_inplace(oyi_tensor* t);

// NOT_IMPLEMENTED if the call would have to be recorded: for operators without a
// formula. |tensors| and |lists| end with NULL.
oy_status oyi_refuse_gradient(const oy_op* op, oy_object* const* tensors,
                              const oy_tensors* lists, oyi_form form);

// Before the call below: the node of what is recorded, NULL if nothing is.
oy_status oyi_record_start(const oyi_record* r, const oy_op* op,
                           oyi_short_node** out_node);
// After it: |result| is what the call gave, and what the kernel gives. Takes over the node.
oy_object* oyi_record_finish(oyi_short_node* node, oyi_form form, oy_object* result);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_RECORD_H_
