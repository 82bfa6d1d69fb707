// SPDX-License-Identifier: Apache-2.0
// What elementwise kernels of the CPU share: the iterator checks, promotes and
// broadcasts, then the loop of the common dtype runs over it. The functional,
// in-place and out= forms differ only in where the result goes.
#include "backends/cpu/elementwise.h"

#include "ops/rules.h"
#include "tensor/element.h"

// The loop for the dtype of the walk, NULL with the error set. Gives up a new
// output and temporaries on failure.
static inline oyi_loop find_loop(oyi_iter* it, oyi_cpu_loop which) {
  oyi_loop loop = it->dtype < OYI_LOOP_DTYPES ? oyi_cpu_loops[which][it->dtype] : NULL;
  if (OY_LIKELY(loop != NULL)) return loop;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", oyi_cpu_loop_names[which],
          oy_dtype_pytorch_name(it->dtype));
  return NULL;
}

static __attribute__((noinline, cold)) oy_object* give_up(oyi_iter* it) {
  oyi_iter_abandon(it);
  return NULL;
}

static inline __attribute__((always_inline)) oy_object* run(oyi_iter* it,
                                                            oyi_cpu_loop which,
                                                            const void* args) {
  oyi_loop loop = find_loop(it, which);
  if (OY_UNLIKELY(!loop)) return give_up(it);
  oyi_iter_run(it, loop, args);
  return oyi_iter_finish(it);
}

oy_object* oyi_cpu_unary(oy_object* out, oy_object* self, unsigned flags,
                         oyi_cpu_loop which) {
  oyi_iter it;
  if (oyi_iter_elementwise(&it, out, &self, 1, flags) != 0) return NULL;
  return run(&it, which, NULL);
}

oy_object* oyi_cpu_binary(oy_object* out, oy_object* self, oy_object* other,
                          unsigned flags, oyi_cpu_loop which) {
  oyi_iter it;
  oy_object* inputs[] = {self, other};
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  return run(&it, which, NULL);
}

oy_object* oyi_cpu_binary_alpha(oy_object* out, oy_object* self, oy_object* other,
                                oy_scalar alpha, unsigned flags, oyi_cpu_loop which) {
  oyi_iter it;
  oy_object* inputs[] = {self, other};
  _Alignas(16) char number[16];
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  if (OY_LIKELY(it.dtype == OY_DTYPE_F32 && alpha.tag == OY_TAG_INT)) {
    float f = (float)alpha.as.i;
    memcpy(number, &f, sizeof(f));
  } else {
    if (oyi_check_alpha(it.dtype, alpha) != 0) return give_up(&it);
    oyi_element_store(it.dtype, number, oyi_number_of_scalar(alpha));
  }
  return run(&it, which, number);
}
