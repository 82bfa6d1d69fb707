// SPDX-License-Identifier: Apache-2.0
// ROB-07: a backend that was built against nothing but the installed package. It
// asks for bits by name, and registers a kernel for a key that opyard has never
// heard of. Loading the object registers; unloading it takes everything back.
#include <opyard/library.h>

static oy_object* add_npu(const oy_op* op, oy_keyset keys, oy_object* a, oy_object* b) {
  (void)op;
  (void)keys;
  (void)a;
  oy_object_retain(b);
  return b;
}

OY_LIBRARY_FRAGMENT(outside, npu) {
  oy_backend backend;
  OY_TRY(oy_backend_register(oy_str_of("Npu"), &backend));
  oy_key dense = (oy_key)OY_KEY_OF(OY_KEY_Dense, backend);
  oy_key autograd = (oy_key)OY_KEY_OF(OY_KEY_AutogradFunctionality, backend);
  oy_impl_params add = {
      .name = "add",
      .key = dense,
      .kernel = OY_TYPED_SIGNATURE(add_npu, "(Tensor, Tensor) -> Tensor"),
      .place = OY_HERE};
  OY_TRY(oy_library_impl(npu, &add, NULL));
  oy_impl_params skip = {
      .name = "add", .key = autograd, .kernel = OY_FALLTHROUGH, .place = OY_HERE};
  return oy_library_impl(npu, &skip, NULL);
}
