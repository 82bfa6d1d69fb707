// SPDX-License-Identifier: Apache-2.0
// What every autograd kernel does around the call below it: check the in-place
// rules, make a node and save, step down with Autograd out of the thread's sets,
// and give the result its history (reference, 9.2).
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_RECORD_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_RECORD_H_

#include "layers/autograd/node.h"
#include "ops/kernel.h"

// The arguments of a call that gradients depend on.
typedef struct oyi_frame {
  oy_object* tensors[4];  // inputs, then out; ended by NULL
  struct {                // becomes an oyi_extra
    oy_scalar scalar;     // None if there are dims
    int64_t dims[2];
    uint64_t mask;
    bool flag;
  } extra;
  oy_ints dims;  // of a reduction: becomes extra.mask
} oyi_frame;

typedef struct oyi_record {
  const oyi_formula* formula;
  oyi_form form;
  oyi_short_node* node;  // NULL: nothing to record
  uint64_t keep;         // of the thread's sets before
} oyi_record;

// Autograd keys are excluded in inference mode; grad mode may be on there all the same.
enum { OYI_GRAD_OFF, OYI_GRAD_ON, OYI_GRAD_ON_IN_INFERENCE };
extern __thread uint8_t oyi_grad_mode __attribute__((tls_model("initial-exec")));
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
oy_status oyi_record_start(oyi_record* r, const oyi_frame* frame, const oy_op* op);

// Before the call below. The common case, that nothing is recorded, is short.
static inline oy_status oyi_record_begin(oyi_record* r, const oyi_formula* formula,
                                         oyi_form form, const oyi_frame* frame,
                                         const oy_op* op, oy_keyset* keys) {
  r->formula = formula;
  r->form = form;
  r->node = NULL;
  if (oyi_grad_mode) {
    oy_status status = oyi_record_start(r, frame, op);
    if (OY_UNLIKELY(status != 0)) return status;
  }
  *keys = oy_keyset_and(*keys, oy_keyset_full_after(OY_KEY_AutogradOther));
  r->keep = oy_tls.keep;
  oy_tls.keep = r->keep & ~OYI_AUTOGRAD_KEYS;
  return OY_OK;
}

oy_object* oyi_record_finish(oyi_record* r, oy_object* result);

// After it: |result| is what the call gave, and what the kernel gives.
static inline oy_object* oyi_record_end(oyi_record* r, oy_object* result) {
  oy_tls.keep = r->keep;
  return OY_LIKELY(!r->node) ? result : oyi_record_finish(r, result);
}

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_RECORD_H_
