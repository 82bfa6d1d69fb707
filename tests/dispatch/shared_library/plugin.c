// SPDX-License-Identifier: Apache-2.0
// A library of operators as a user writes it: registered when the object is
// loaded, by name in static builds. test_shared_library.sh builds it as a shared
// object, as an archive and selectively.
#include "plugin.h"

static oy_object* twice(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op;
  (void)keys;
  oy_object_retain(x);
  return x;
}

// By its name in the object file one sees whether it was compiled in.
static oy_status unwanted_kernel(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                 const oy_kernel* kernel) {
  (void)op;
  (void)keys;
  (void)stack;
  (void)kernel;
  return OY_OK;
}

OY_LIBRARY(plug, m) {
  OY_DEF_SELECTED(m, plug_twice, "twice(Tensor x) -> Tensor");
  OY_DEF_SELECTED(m, plug_unwanted, "unwanted(Tensor x) -> Tensor");
  return OY_OK;
}

OY_LIBRARY_IMPL(plug, CPU, m) {
  OY_IMPL_SELECTED(m, plug_twice, "twice", CPU,
                   OY_TYPED_SIGNATURE(twice, "(Tensor) -> Tensor"));
  OY_IMPL_SELECTED(m, plug_unwanted, "unwanted", CPU, OY_BOXED(unwanted_kernel));
  return OY_OK;
}
