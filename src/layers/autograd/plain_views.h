// SPDX-License-Identifier: Apache-2.0
// Views that the ADInplaceOrView layer makes itself. Where the kernel that a call would go to
// from here is the library's own, and the tensor has a record, the view is made in line
// (tensor/view_plain.h) and gets its record, without a call: a third fewer instructions. All
// others take the general way, as does what a backend or a program has a kernel of its own for.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_PLAIN_VIEWS_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_PLAIN_VIEWS_H_

#include "layers/autograd/view_record.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "tensor/view_plain.h"

// Whether a call with |keys| goes to |kernel| from here.
static inline bool oyi_goes_to(const oy_op* op, oy_keyset keys, oy_typed_fn kernel) {
  return OY_LIKELY(oy_select_exact(op, keys)->typed == kernel);
}

// The operators that have one, with the call that makes it: ~, view.
#define OYI_PLAIN_VIEW_alias         ~, oyi_plain_alias(self_)
#define OYI_PLAIN_VIEW_expand        ~, oyi_plain_expand(self_, size)
#define OYI_PLAIN_VIEW_permute       ~, oyi_plain_permute(self_, dims)
#define OYI_PLAIN_VIEW_select_int    ~, oyi_plain_select(self_, dim, index)
#define OYI_PLAIN_VIEW_slice_Tensor  ~, oyi_plain_slice(self_, dim, start, end, step)
#define OYI_PLAIN_VIEW_squeeze       ~, oyi_plain_squeeze_all(self_)
#define OYI_PLAIN_VIEW_squeeze_dim   ~, oyi_plain_squeeze(self_, dim)
#define OYI_PLAIN_VIEW_t             ~, oyi_plain_turned(self_)
#define OYI_PLAIN_VIEW_transpose_int ~, oyi_plain_exchanged(self_, dim0, dim1)
#define OYI_PLAIN_VIEW_unsqueeze     ~, oyi_plain_unsqueeze(self_, dim)
#define OYI_PLAIN_VIEW_view          ~, oyi_plain_view(self_, size)

// what(id, view) where there is a line for |id|, none(id, ) elsewhere.
#define OYI_IF_PLAIN_VIEW(id, what, none) \
  OYI_PLAIN_CHOOSE(id, what, none, OYI_PLAIN_VIEW_##id)
#define OYI_PLAIN_CHOOSE(id, what, none, ...) \
  OYI_PLAIN_PICK(__VA_ARGS__, what, none, ~)(id, OYI_PLAIN_SECOND(__VA_ARGS__, , ~))
#define OYI_PLAIN_PICK(first, second, third, ...) third
#define OYI_PLAIN_SECOND(first, second, ...)      second

#define OYI_NO_PLAIN_VIEW(id, view)

// What the kernel of operator |id| does first: leaves to view_made_##id what would go to the
// library's own kernel. That needs neither operator nor keys, so that no register has to keep
// them meanwhile.
#define OYI_MADE_IF_OWN(id)                                                 \
  if (OY_LIKELY(oyi_is_tensor(self))) {                                     \
    const oy_keyset below_ =                                                \
        oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_ADInplaceOrView));  \
    if (OY_LIKELY(oyi_goes_to(op, below_, (oy_typed_fn)oy_composite_##id))) \
      return view_made_##id(OYI_ARGS_##id);                                 \
  }

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_PLAIN_VIEWS_H_
