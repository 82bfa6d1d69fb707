// SPDX-License-Identifier: Apache-2.0
// Saved tensors: kept with the version that they had, and refused with PyTorch's text
// once it is another (reference, 9.7).
#include "base/strbuf.h"
#include "layers/autograd/node.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"

oy_status oyi_save_tensor(oyi_saved* s, oyi_tensor* t, int output_nr) {
  OY_CHECK(!oyi_is_inference(t), FAILED_PRECONDITION,
           "Inference tensors cannot be saved for backward. To work around you can make "
           "a clone to get a normal tensor and use it in autograd.");
  s->is_result = output_nr >= 0;
  s->is_lent = false;
  s->output_nr = output_nr >= 0 ? (uint8_t)output_nr : 0;
  s->version = oyi_version(t);
  if (s->is_result) {
    s->tensor = oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset);
    return s->tensor ? OY_OK : OY_OUT_OF_MEMORY;
  }
  s->tensor = t;
  oy_object_retain(&t->header);
  return OY_OK;
}

oy_status oyi_save_input(oyi_saved* s, oyi_tensor* t, const oyi_tensor* written) {
  if (!written || oyi_version_word(t) != oyi_version_word(written))
    return oyi_save_tensor(s, t, -1);
  // What the call changes gets the node as its history: to hold it would be a cycle. It
  // will be refused anyhow when it is asked for.
  OY_TRY(oyi_save_tensor(s, t, 0));
  s->is_result = false;
  return OY_OK;
}

static const char* producer_name(oyi_node* node, const oyi_saved* s, uint32_t* out_nr) {
  *out_nr = s->output_nr;
  if (s->is_result) return oyi_node_name(node);
  const oyi_variable* v = oyi_variable_of(s->tensor);
  if (!v || !v->grad_fn) return NULL;
  *out_nr = v->output_nr;
  return oyi_node_name(v->grad_fn);
}

static void fail_modified(oyi_node* node, const oyi_saved* s) {
  uint32_t nr;
  const char* producer = producer_name(node, s, &nr);
  char origin[96] = "";
  if (producer) {
    oyi_strbuf buf = OYI_STRBUF_INIT;
    oyi_strbuf_printf(&buf, ", which is output %u of %s,", nr, producer);
    if (buf.data && buf.size < sizeof(origin)) memcpy(origin, buf.data, buf.size + 1);
    oyi_strbuf_reset(&buf);
  }
  OY_FAIL(FAILED_PRECONDITION,
          "one of the variables needed for gradient computation has been modified by "
          "an inplace operation: [torch.%sTensor %s]%s is at version %u; expected "
          "version %u instead. Hint: %s",
          oy_dtype_pytorch_name(s->tensor->header.dtype),
          oyi_dims_print(oyi_sizes_view(s->tensor)).text, origin, oyi_version(s->tensor),
          s->version,
          oyi_anomaly_mode
              ? "the backtrace further above shows the operation that failed to compute "
                "its gradient. The variable in question was changed in there or anywhere "
                "later. Good luck!"
              : "enable anomaly detection to find the operation that failed to compute "
                "its gradient, with torch.autograd.set_detect_anomaly(True).");
}

oy_status oyi_fail_released(void) {
  return OY_FAIL(FAILED_PRECONDITION,
                 "Trying to backward through the graph a second time (or directly access "
                 "saved tensors after they have already been freed). Saved intermediate "
                 "values of the graph are freed when you call .backward() or "
                 "autograd.grad(). Specify retain_graph=True if you need to backward "
                 "through the graph a second time or if you need to access saved tensors "
                 "after calling backward.");
}

oy_object* oyi_saved_tensor(oyi_node* node, const oyi_saved* s) {
  if (!s->tensor) {
    oyi_fail_released();
    return NULL;
  }
  if (oyi_version(s->tensor) == s->version) return &s->tensor->header;
  fail_modified(node, s);
  return NULL;
}
