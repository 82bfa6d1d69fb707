// SPDX-License-Identifier: Apache-2.0
// The rare parts of generated calls and of trampolines, generic and generated:
// finding an operator, values that do not fit, failures, results that have to be
// made owned.
#include "opyard/trampoline.h"

#include <stdio.h>

#include "dispatch/value_convert.h"

#undef oy_call_null_status  // what analysers are told of it

// ------------------------------------------------------------------ typed calls

const oy_op* oy_op_handle_bind(oy_op_handle* handle) {
  const oy_op* op = NULL;
  oy_registry* registry = oy_registry_default();
  if (!registry || oy_op_find(registry, oy_str_of(handle->name), &op) != OY_OK)
    return NULL;
  __atomic_store_n(&handle->op, op, __ATOMIC_RELEASE);
  return op;
}

void* oy_call_null(const oy_op* op, const char* argument) {
  if (op) (void)oy_call_null_argument(op, argument);
  return NULL;
}

oy_status oy_call_null_status(const oy_op* op, const char* argument) {
  return op ? oy_call_null_argument(op, argument) : oy_failure();
}

oy_status oy_call_results(oy_object** const* results, size_t count) {
  oy_status status = OY_OK;
  for (size_t i = 0; i < count; i++) {
    *results[i] = oy_scope_take(*results[i]);
    if (!*results[i]) status = OY_OUT_OF_MEMORY;
  }
  // What the scope did take goes with it.
  for (size_t i = 0; i < count && status != OY_OK; i++) *results[i] = NULL;
  return status;
}

oy_status oy_impl_typed(oy_library* library, const char* name, oy_key key, oy_typed_fn fn,
                        const char* file, int line) {
  oy_impl_params params = {
      .name = name, .key = key, .kernel = {.typed = fn}, .place = {file, line, NULL}};
  return oy_library_impl(library, &params, NULL);
}

// ---------------------------------------------------------------------- boxing

oy_status oy_box_null_status(const oy_op* op, size_t i) {
  const oy_schema* schema = oy_op_schema(op);
  char name[64] = "?";
  if (schema && i < schema->argument_count)
    snprintf(name, sizeof(name), "%.*s", OY_STR_ARG(schema->arguments[i].name));
  return oy_call_null_argument(op, name);
}

void* oy_box_null(const oy_op* op, size_t i) {
  (void)oy_box_null_status(op, i);
  return NULL;
}

static const char* letter_text(char letter) {
  switch (letter) {
    case 't': return "Tensor";
    case 'i': return "int";
    case 'b': return "bool";
    case 'd': return "float";
    case 'z': return "complex";
    case 's': return "str";
    case 'D': return "Device";
    case 'T': return "Tensor[]";
    case 'I': return "int[]";
    case 'F': return "float[]";
    case 'B': return "bool[]";
    case 'V': return "a list";
    case 'M': return "Dict";
    case 'g': return "Generator";
    default: return "an object";
  }
}

static oy_status wrong_argument(const oy_op* op, size_t i, char letter, oy_value v) {
  oy_str name = oy_op_name_of(op);
  const oy_schema* schema = oy_op_schema(op);
  oy_str argument =
      schema && i < schema->argument_count ? schema->arguments[i].name : oy_str_of("");
  OY_FAIL(TYPE_MISMATCH,
          "%.*s: expected %s on the stack for argument '%.*s', got %s; "
          "oy_op_push_defaults checks and converts arguments",
          OY_STR_ARG(name), letter_text(letter), OY_STR_ARG(argument),
          oy_value_type_name(v));
  oy_error_set_op(name);
  oy_error_set_argument(argument);
  return OY_TYPE_MISMATCH;
}

oy_status oy_unbox_convert(const oy_op* op, oy_stack* stack, const char* letters,
                           size_t count) {
  oy_value* v = oy_stack_last(stack, count);
  for (size_t i = 0; i < count; i++) {
    oyi_converted done = oyi_value_convert(&v[i], letters[i]);
    if (done == OYI_CONVERTED) continue;
    oy_status status = done == OYI_CONVERT_NO_MEMORY
                           ? OY_OUT_OF_MEMORY
                           : wrong_argument(op, i, letters[i], v[i]);
    oy_stack_drop(stack, count);
    return status;
  }
  return OY_OK;
}

oy_status oy_unbox_converted(const oy_op* op, oy_keyset keys, oy_stack* stack,
                             const oy_kernel* kernel, oy_boxed_fn unbox,
                             const char* letters) {
  OY_TRY(oy_unbox_convert(op, stack, letters, strlen(letters)));
  return unbox(op, keys, stack, kernel);
}

void oy_unbox_release(oy_value* v, size_t count) {
  for (size_t i = 0; i < count; i++) oy_value_release(&v[i]);
}

oy_status oy_unbox_failed(const oy_op* op, oy_stack* stack, size_t arguments) {
  oy_stack_drop(stack, arguments);
  oy_status pending = oy_error_get()->code;
  if (pending != OY_OK) return pending;
  oy_str name = oy_op_name_of(op);
  OY_FAIL(INTERNAL, "%.*s: the kernel returned NULL, expected it to set an error too",
          OY_STR_ARG(name));
  oy_error_set_op(name);
  return OY_INTERNAL;
}

oy_status oy_unbox_finish(oy_stack* stack, size_t arguments, oy_status status,
                          oy_value* results, size_t count) {
  if (status != OY_OK) {
    oy_stack_drop(stack, arguments);
    return status;
  }
  // Owned before the arguments go: a result may be a view of one.
  for (size_t i = 0; i < count && status == OY_OK; i++)
    status = oy_value_own(&results[i]);
  oy_stack_drop(stack, arguments);
  if (status == OY_OK) status = oy_stack_reserve(stack, count);
  for (size_t i = 0; i < count; i++) {
    if (status == OY_OK)
      stack->data[stack->size++] = results[i];
    else
      oy_value_release(&results[i]);
  }
  return status;
}

static oy_status wrong_count(const oy_op* op, size_t wanted, size_t got) {
  oy_str name = oy_op_name_of(op);
  OY_FAIL(SCHEMA_MISMATCH,
          "%.*s: expected the boxed kernel to leave %zu results on the stack, got %zu; "
          "it must take its arguments off and push what the schema returns",
          OY_STR_ARG(name), wanted, got);
  oy_error_set_op(name);
  return OY_SCHEMA_MISMATCH;
}

static oy_status own_result(const oy_op* op, oy_value* v, char letter, size_t i) {
  char wanted = letter == 'r' ? 't' : letter;
  oyi_converted done = oyi_value_convert(v, wanted);
  if (done == OYI_CONVERT_NO_MEMORY) return OY_OUT_OF_MEMORY;
  if (done == OYI_CONVERTED) return oy_value_own(v);
  oy_str name = oy_op_name_of(op);
  OY_FAIL(SCHEMA_MISMATCH, "%.*s: expected %s as result %zu of the boxed kernel, got %s",
          OY_STR_ARG(name), letter_text(wanted), i, oy_value_type_name(*v));
  oy_error_set_op(name);
  return OY_SCHEMA_MISMATCH;
}

oy_status oy_box_check(const oy_op* op, oy_stack* stack, oy_status status,
                       const char* letters) {
  size_t count = 0;
  for (const char* p = letters; *p; p++) count += *p < '0' || *p > '9';
  if (status == OY_OK && stack->size != count)
    status = wrong_count(op, count, stack->size);
  size_t i = 0;
  for (const char* p = letters; *p && status == OY_OK; p++)
    if (*p < '0' || *p > '9') {
      status = own_result(op, &stack->data[i], *p, i);
      i++;
    }
  if (status != OY_OK) oy_stack_reset(stack);
  return status;
}
