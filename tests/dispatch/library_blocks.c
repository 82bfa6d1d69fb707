// SPDX-License-Identifier: Apache-2.0
#define OY_NO_CONSTRUCTORS
// As opgen --select would define them: wanted is in, refused and the rest are out.
#define OY_SELECT_OPS
#define OY_SELECT_selected_wanted  1
#define OY_SELECT_selected_refused 0
#include "library_blocks.h"

#include "support.h"

bool g_blocks_fail = true;

OY_LIBRARY(explicit, m) {
  OY_DEF(m, "a(Tensor x) -> Tensor");
  OY_IMPL(m, "a", CompositeImplicitAutograd, {.boxed = test_kernel_boxed});
  return OY_OK;
}

OY_LIBRARY_FRAGMENT(explicit, more) {
  OY_DEF(more, "b(Tensor x) -> Tensor");
  return OY_OK;
}

OY_LIBRARY_IMPL(explicit, CPU, kernels) {
  OY_IMPL(kernels, "a", Undefined,
          OY_TYPED_SIGNATURE(test_kernel_t_t, "(Tensor) -> Tensor"));
  OY_IMPL(kernels, "b", CPU, OY_BOXED(test_kernel_boxed));
  return OY_OK;
}

// Registers something before it fails, with a message of several lines.
OY_LIBRARY_FRAGMENT(fragile, half) {
  OY_DEF(half, "first(Tensor x) -> Tensor");
  OY_DEF(half, "second(Tensor x) -> Tensor");
  if (g_blocks_fail)
    OY_IMPL(half, "second", CPU,
            OY_TYPED_SIGNATURE(test_kernel_t_t, "(Tensor, Tensor) -> Tensor"));
  OY_DEF(half, "third(Tensor x) -> Tensor");
  return OY_OK;
}

OY_LIBRARY(selected, m) {
  OY_DEF_SELECTED(m, selected_wanted, "wanted(Tensor x) -> Tensor");
  OY_DEF_SELECTED(m, selected_refused, "refused(Tensor x) -> Tensor");
  OY_DEF_SELECTED(m, selected_unheard, "unheard(Tensor x) -> Tensor");
  OY_IMPL_SELECTED(m, selected_wanted, "wanted", CPU, OY_BOXED(test_kernel_boxed));
  OY_IMPL_SELECTED(m, selected_refused, "refused", CPU, OY_BOXED(test_kernel_boxed));
  OY_IMPL_SELECTED(m, selected_unheard, "unheard", CPU, OY_BOXED(test_kernel_boxed));
  return OY_OK;
}
