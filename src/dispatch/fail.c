// SPDX-License-Identifier: Apache-2.0
// What is said when a slot has no kernel (PyTorch reference, sections 4.2, 5.4).
// The first sentence is PyTorch's. Its list of "available backends" mixes
// kernels with fallbacks that cannot help; here they are told apart, nearest
// first, and the whole table is in the error's detail.
#include "base/memory.h"
#include "base/probe.h"
#include "base/strbuf.h"
#include "dispatch/call.h"
#include "dispatch/place.h"
#include "dispatch/table.h"
#include "dispatch/thunks.h"

enum { MAX_LISTED = 8 };

typedef struct key_list {
  const char* title;
  unsigned provenances;  // bit set of oyi_provenance
  bool fallthrough_too;
} key_list;

static const key_list g_lists[] = {
    {"kernels", 1u << OYI_KERNEL, false},
    {"inherited from composite",
     1u << OYI_DEFAULT_BACKEND_KERNEL | 1u << OYI_NESTED_KERNEL | 1u << OYI_MATH_KERNEL |
         1u << OYI_AUTOGRAD_KERNEL | 1u << OYI_BATCHED_KERNEL,
     true},
    {"only a fallback", 1u << OYI_BACKEND_FALLBACK, false},
};

static void list_keys(const oyi_op* op, const key_list* list, oyi_strbuf* out) {
  oyi_strbuf_printf(out, "\n  %s: ", list->title);
  oy_keyset full = oy_keyset_full();
  uint32_t cursor = 0;
  oy_key key = OY_KEY_Undefined;
  size_t count = 0;
  do {
    oyi_cell cell = oyi_compute_cell(op, key, OY_DTYPE_ANY);
    if (!(list->provenances >> cell.provenance & 1)) continue;
    if (oyi_kernel_is_fallthrough(cell.kernel) && !list->fallthrough_too) continue;
    if (count < MAX_LISTED)
      oyi_strbuf_printf(out, "%s%s", count ? ", " : "", oy_key_name(key));
    count++;
  } while (oy_keyset_next(full, &cursor, &key));
  if (count > MAX_LISTED) oyi_strbuf_printf(out, " and %zu more", count - MAX_LISTED);
  if (count == 0) oyi_strbuf_puts(out, "none");
}

static void add_owner(const oyi_op* op, oyi_strbuf* out) {
  if (!op->def) return;
  oyi_strbuf_puts(out, "\n  defined: ");
  oyi_place_print(op->def, out);
}

static void describe_missing(const oyi_op* op, oy_key key, oyi_strbuf* out) {
  int size = (int)op->name_size;
  if (key == OY_KEY_Undefined) {
    oyi_strbuf_printf(
        out,
        "There were no tensor arguments to this function (e.g., you passed an "
        "empty list of Tensors), but no fallback function is registered for "
        "schema %.*s.  This usually means that this function requires a "
        "non-empty list of Tensors, or that you (the operator writer) forgot "
        "to register a fallback function.",
        size, op->name);
  } else {
    oyi_strbuf_printf(out,
                      "Could not run '%.*s' with arguments from the '%s' "
                      "backend. '%.*s' is only available for these:",
                      size, op->name, oy_key_name(key), size, op->name);
  }
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_lists); i++) list_keys(op, &g_lists[i], out);
  add_owner(op, out);
  oyi_strbuf_printf(out,
                    "\n  next: register a kernel for %s, load the backend's "
                    "plugin, or move the arguments to a backend above",
                    oy_key_name(key));
}

static void describe_ambiguous(const oyi_op* op, oyi_strbuf* out) {
  oyi_strbuf_printf(
      out,
      "%.*s has kernels registered to both CompositeImplicitAutograd and a "
      "backend mapped to AutogradOther. This makes the backend kernel "
      "unreachable; the dispatcher will always prefer the "
      "CompositeImplicitAutograd lowering (see Note [Ambiguity in "
      "AutogradOther kernel]). If you want to override "
      "CompositeImplicitAutograd, give the backend a dedicated Autograd "
      "dispatch key (oy_backend_register), or register a kernel at "
      "AutogradOther.\nIf you only want to run inference instead of training, "
      "exclude the autograd keys (oy_guard_below_autograd).",
      (int)op->name_size, op->name);
}

static oy_status report(const oyi_op* op, oy_keyset keys, const oy_kernel* kernel) {
  oy_str name = {op->name, op->name_size};
  oy_key key = oy_keyset_highest(oy_keyset_unmarked(keys));
  oyi_strbuf text = OYI_STRBUF_INIT;
  OYI_PROBE2(kernel__missing, &op->name[0], key);
  pthread_mutex_lock(&op->registry->mutex);
  oyi_error_callback on_error = {NULL, NULL};
  if (op->on_error) on_error = *op->on_error;
  if (!op->def)
    oyi_strbuf_printf(&text,
                      "%.*s: expected a defined operator, but its definition "
                      "was removed; find it again once its library is loaded",
                      OY_STR_ARG(name));
  else if (kernel == &oyi_ambiguous_kernel)
    describe_ambiguous(op, &text);
  else
    describe_missing(op, key, &text);
  oy_status code = op->def ? OY_NOT_IMPLEMENTED : OY_NOT_FOUND;
  pthread_mutex_unlock(&op->registry->mutex);
  OY_FAIL(NOT_IMPLEMENTED, "%s", text.data ? text.data : "no kernel");
  if (code != OY_NOT_IMPLEMENTED)
    OY_FAIL(NOT_FOUND, "%s", text.data ? text.data : "no operator");
  oyi_strbuf_reset(&text);
  oy_error_set_op(name);
  char* table = NULL;
  if (oy_op_dump_table(&op->hot, &table) == OY_OK) oy_error_set_detail(oy_str_of(table));
  oy_text_free(table);
  if (on_error.call) on_error.call(&op->hot, key, on_error.user_data);
  return oy_failure();
}

void* oyi_fail_object(const oy_op* op, oy_keyset keys) {
  report(oyi_op_of(op), keys, oy_op_select_exact(op, keys));
  return NULL;
}

oy_status oyi_fail_status(const oy_op* op, oy_keyset keys) {
  return report(oyi_op_of(op), keys, oy_op_select_exact(op, keys));
}

static oy_status fail_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  oy_stack_drop(stack, oyi_arguments_on(op, stack));
  return report(oyi_op_of(op), keys, kernel);
}

oy_status oyi_unbox_undefined(const oy_op* op, oy_keyset keys, oy_stack* stack,
                              const oy_kernel* kernel) {
  return fail_boxed(op, keys, stack, kernel);
}

const oy_kernel oyi_missing_kernel = {oyi_thunk_fail, fail_boxed, NULL};
const oy_kernel oyi_ambiguous_kernel = {oyi_thunk_fail, fail_boxed, NULL};

bool oyi_kernel_is_fallthrough(const oy_kernel* kernel) {
  return kernel->boxed == oyi_boxed_fallthrough;
}
