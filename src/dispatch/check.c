// SPDX-License-Identifier: Apache-2.0
// Whether a kernel fits the schema and the other kernels of its operator
// (PyTorch reference, section 2.6). Kernels that give no signature of their own
// have the schema's, checked by the compiler.
#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/op_schema.h"
#include "dispatch/place.h"
#include "dispatch/registration.h"
#include "dispatch/table.h"

// |schema| is NULL if there was no memory for it.
static void add_schema(oyi_strbuf* text, const oy_schema* schema) {
  char* printed = NULL;
  if (schema && oy_schema_print(schema, &printed) == OY_OK)
    oyi_strbuf_puts(text, printed);
  else
    text->failed = true;
  oy_text_free(printed);
}

static oy_status fail_with(oyi_strbuf* text) {
  oy_status status = OY_OUT_OF_MEMORY;
  if (oyi_strbuf_status(text) == OY_OK)
    status = OY_FAIL(SCHEMA_MISMATCH, "%s", text->data);
  oyi_strbuf_reset(text);
  return status;
}

oy_status oyi_check_schema(const oyi_op* op, const oy_schema* schema,
                           const oy_registration* def, const oy_registration* kernel) {
  if (!kernel->schema) return OY_OK;
  char* reason = NULL;
  oy_status status = oy_schema_check_signature(schema, kernel->schema, &reason);
  if (status != OY_SCHEMA_MISMATCH) {
    oy_text_free(reason);
    return status;
  }
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_strbuf_printf(&text,
                    "Inferred operator schema for a C++ kernel function "
                    "doesn't match the expected function schema.\n  operator: "
                    "%.*s\n  expected schema: ",
                    (int)op->name_size, op->name);
  add_schema(&text, schema);
  oyi_strbuf_puts(&text, "\n    ");
  oyi_place_print(def, &text);
  oyi_strbuf_puts(&text, "\n  inferred schema: ");
  add_schema(&text, kernel->schema);
  oyi_strbuf_puts(&text, "\n    ");
  oyi_place_print(kernel, &text);
  oyi_strbuf_printf(&text, "\n  reason: %s", reason ? reason : "");
  oy_text_free(reason);
  return fail_with(&text);
}

static void add_kernel(oyi_strbuf* text, int number, const oy_registration* kernel) {
  oyi_strbuf_printf(text, "\n  kernel %d: ", number);
  add_schema(text, kernel->schema);
  oyi_strbuf_printf(text, "\n    dispatch key: %s\n    ", oy_key_name(kernel->key));
  oyi_place_print(kernel, text);
}

// SymInt and int are one C type, so either may stand for the other.
static bool same_type(const oy_schema* a, const oy_schema* b) {
  if (oy_schema_check_signature(a, b, NULL) == OY_OK) return true;
  bool same = oy_schema_check_signature(b, a, NULL) == OY_OK;
  oy_error_clear();
  return same;
}

static oy_status mismatch(const oyi_op* op, const oy_registration* first,
                          const oy_registration* kernel) {
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_strbuf_puts(&text, "\nMismatch in kernel C++ signatures\n  operator: ");
  if (op->def) {
    add_schema(&text, oyi_definition_schema(op->def));
    oyi_strbuf_puts(&text, "\n    ");
    oyi_place_print(op->def, &text);
  } else {
    oyi_strbuf_append(&text, op->name, op->name_size);
    oyi_strbuf_puts(&text, "\n    no debug info");
  }
  add_kernel(&text, 1, first);
  add_kernel(&text, 2, kernel);
  oyi_strbuf_putc(&text, '\n');
  return fail_with(&text);
}

// PyTorch remembers the first signature for as long as the operator lives, even
// when that kernel is gone, so that order matters. Here only kernels that are
// registered now count, and the check says the same in every order.
oy_status oyi_check_other_kernels(const oyi_op* op, const oy_registration* kernel) {
  if (!kernel->schema) return OY_OK;
  for (const oy_registration* newest = op->kernels; newest; newest = newest->other) {
    for (const oy_registration* k = newest; k; k = k->older) {
      if (!k->schema) continue;
      if (!same_type(k->schema, kernel->schema)) return mismatch(op, k, kernel);
    }
  }
  return OY_OK;
}

oy_status oy_op_check_typed(const oy_op* op, const char* signature) {
  oyi_op* o = oyi_op_of(op);
  oy_schema* wanted = NULL;
  OY_TRY(oy_schema_parse(oy_str_of(signature),
                         OY_SCHEMA_SIGNATURE | OY_SCHEMA_ALLOW_TYPE_VARIABLES, &wanted));
  oyi_strbuf text = OYI_STRBUF_INIT;
  pthread_mutex_lock(&o->registry->mutex);
  const oy_schema* right = o->def ? oyi_definition_schema(o->def) : NULL;
  bool same = right && same_type(right, wanted);
  if (o->def && !right) {
    text.failed = true;
  } else if (!same) {
    oyi_strbuf_puts(&text,
                    "\nTried to access or call an operator with a wrong "
                    "signature.\n  operator: ");
    if (right)
      add_schema(&text, right);
    else
      oyi_strbuf_append(&text, o->name, o->name_size);
    oyi_strbuf_puts(&text, "\n    ");
    if (o->def) oyi_place_print(o->def, &text);
    oyi_strbuf_puts(&text, "\n  correct signature:  ");
    if (right) add_schema(&text, right);
    oyi_strbuf_puts(&text, "\n  accessed/called as: ");
    add_schema(&text, wanted);
    oyi_strbuf_puts(&text,
                    "\nMake sure that the type of the call matches the "
                    "operator's schema.");
  }
  pthread_mutex_unlock(&o->registry->mutex);
  oy_schema_free(wanted);
  return same ? OY_OK : fail_with(&text);
}
