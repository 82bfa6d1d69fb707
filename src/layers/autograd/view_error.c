// SPDX-License-Identifier: Apache-2.0
// Why a view may not be written to (reference, 9.6): a text that is put together from how
// the view came to be and from what is being written.
#include "base/strbuf.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"

static void print_what(oyi_strbuf* buf, const oyi_variable* v, const char* written) {
  bool is_inference = v->creation == OYI_CREATION_INFERENCE;
  bool has_node = v->grad_fn != NULL;
  if (has_node)
    oyi_strbuf_printf(buf, "Output %u of %s is a view ", v->output_nr,
                      oyi_node_name(v->grad_fn));
  if (has_node &&
      (v->creation == OYI_CREATION_MULTI_OUTPUT || v->creation == OYI_CREATION_FUNCTION))
    oyi_strbuf_printf(buf, "and %s modified inplace.", written);
  else
    oyi_strbuf_printf(buf, "%s created in %s mode and %s modified inplace %s.",
                      has_node ? "of a view which was" : "A view was",
                      is_inference ? "inference" : "no_grad", written,
                      is_inference ? "in normal mode" : "with grad mode enabled");
}

static void print_why(oyi_strbuf* buf, const oyi_variable* v) {
  if (v->creation == OYI_CREATION_MULTI_OUTPUT) {
    oyi_strbuf_puts(buf,
                    " This view is the output of a function that returns multiple views. "
                    "Such functions do not allow the output views to be modified "
                    "inplace. You should replace the inplace operation by an "
                    "out-of-place one.");
    return;
  }
  if (v->creation == OYI_CREATION_FUNCTION) {
    oyi_strbuf_puts(buf,
                    " This view was created inside a custom Function (or because an "
                    "input was returned as-is) and the autograd logic to handle "
                    "view+inplace would override the custom backward associated with the "
                    "custom Function, leading to incorrect gradients. This behavior is "
                    "forbidden. You can fix this by cloning the output of the custom "
                    "Function.");
    return;
  }
  const char* block =
      v->creation == OYI_CREATION_INFERENCE ? "inference_mode" : "no_grad";
  oyi_strbuf_printf(buf,
                    " Given that this use case is ambiguous and error-prone, it is "
                    "forbidden. You can clarify your code by moving both the view and "
                    "the inplace either both inside the %s block (if you don't want the "
                    "inplace to be tracked) or both outside (if you want the inplace to "
                    "be tracked).",
                    block);
}

oy_status oyi_fail_view(const oyi_tensor* view, bool is_base) {
  const oyi_variable* v = oyi_variable_of(view);
  oyi_strbuf buf = OYI_STRBUF_INIT;
  print_what(&buf, v,
             is_base ? "its base or another view of its base has been" : "is being");
  print_why(&buf, v);
  oy_status status = OY_FAIL(FAILED_PRECONDITION, "%s",
                             buf.data ? buf.data : "the view must not be written to");
  oyi_strbuf_reset(&buf);
  return status;
}
