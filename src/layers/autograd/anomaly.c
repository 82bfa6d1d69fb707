// SPDX-License-Identifier: Apache-2.0
#include "layers/autograd/anomaly.h"

#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/trace.h"
#include "layers/autograd/hooks.h"
#include "layers/autograd/record.h"
#include "ops/calls.h"
#include "opyard/dispatcher.h"

__thread bool oyi_anomaly_mode = false;
static __thread bool t_check_nan = true;

void oy_anomaly_mode_set(bool on, bool check_nan) {
  oyi_anomaly_mode = on;
  if (on) __atomic_fetch_or(&oyi_backward_watch, OYI_WATCH_ANOMALY, __ATOMIC_RELAXED);
  oyi_record_also &= (uint8_t)~OYI_ALSO_NOTE;
  oyi_record_also |= on ? OYI_ALSO_NOTE : 0;
  t_check_nan = check_nan;
}
bool oy_anomaly_mode_get(void) {
  return oyi_anomaly_mode;
}

static oy_anomaly_traceback_fn g_traceback;  // atomic
void oy_anomaly_traceback_set(oy_anomaly_traceback_fn fn) {
  __atomic_store_n(&g_traceback, fn, __ATOMIC_RELEASE);
}

static void print_call(oyi_strbuf* buf, const oy_op* op, oy_object* const* tensors,
                       size_t count) {
  oy_str name = oy_op_name_of(op);
  oyi_strbuf_printf(buf, "  %.*s(", OY_STR_ARG(name));
  for (size_t i = 0; i < count; i++) {
    if (!oyi_is_tensor(tensors[i])) continue;
    const oyi_tensor* t = oyi_tensor_cast(tensors[i]);
    oyi_strbuf_printf(buf, "%s%s%s", i ? ", " : "", oy_dtype_name(t->header.dtype),
                      oyi_dims_print(oyi_sizes_view(t)).text);
  }
  oyi_strbuf_puts(buf, ")");
  oy_anomaly_traceback_fn traceback = __atomic_load_n(&g_traceback, __ATOMIC_ACQUIRE);
  char text[2000] = "";
  if (traceback && traceback(text, sizeof(text)) > 0) {
    text[sizeof(text) - 1] = 0;
    oyi_strbuf_printf(buf, "\n%s", text);
  }
}

oy_status oyi_anomaly_note(oyi_node* node, const oy_op* op, oy_object* const* tensors,
                           size_t count) {
  oyi_hooks* hooks = oyi_hooks_of(node);
  if (!hooks) return OY_OUT_OF_MEMORY;
  oyi_strbuf buf = OYI_STRBUF_INIT;
  print_call(&buf, op, tensors, count);
  oyi_free(hooks->forward);
  hooks->forward = oyi_strbuf_take(&buf);
  return hooks->forward ? OY_OK : OY_OUT_OF_MEMORY;
}

static bool has_nan(oy_object* grad) {
  uint8_t mode = oyi_grad_mode;
  bool found = false;
  oyi_grad_mode = false;
  oy_object* nan = oyi_call_isnan(grad);
  oy_object* any = oyi_call_any(nan);
  const oyi_tensor* t = any ? oyi_tensor_of(any) : NULL;
  if (t) found = *(const bool*)oyi_data(t);
  oy_tensor_release(any);
  oy_tensor_release(nan);
  oyi_grad_mode = mode;
  return found;
}

oy_status oyi_anomaly_after(const oyi_node* node, oy_object* const* out,
                            oy_status status) {
  for (uint32_t i = 0; status == 0 && t_check_nan && i < node->edge_count; i++)
    if (out[i] && has_nan(out[i]))
      status = OY_FAIL(FAILED_PRECONDITION,
                       "Function '%s' returned nan values in its %uth output.",
                       oyi_node_name(node), i);
  if (status != 0)
    oy_error_note(
        "Error detected in %s. Traceback of forward call that caused the error:\n%s",
        oyi_node_name(node),
        node->hooks && node->hooks->forward
            ? node->hooks->forward
            : "  no forward call is known: anomaly mode was off then");
  return status;
}
