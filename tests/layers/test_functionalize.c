// SPDX-License-Identifier: Apache-2.0
// Functional tensors (reference, 6.4): what writes become, call by call; composition with
// the other transforms; operators that are not known. Expected numbers are by hand, or of
// the same program without functionalization.
#include "base/memory.h"
#include "slices.h"

static void release(oy_tensor** t, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(t[i]);
}
static oy_tensor* counted(void) {
  return F64(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
}

// What reaches the layers below, as the calls are written.
static char g_calls[4096];
static oy_status note_call(oy_handler_call* call) {
  size_t at = strlen(g_calls);
  snprintf(g_calls + at, sizeof(g_calls) - at, "%s ",
           oy_op_name_of(call->op).data + strlen("aten::"));
  return oy_handler_run(call);
}
static oy_tensor* functionalized(oy_transform_fn fn, oy_tensor* x,
                                 oy_functionalize_remove remove) {
  oy_dispatch_mode mode;
  oy_tensor* out;
  g_calls[0] = '\0';
  oy_mode_push(&mode, "calls", note_call, NULL, NULL);
  const oy_functionalize_params p = {fn, NULL, remove};
  oy_status status = oy_functionalize(&p, &x, 1, &out, 1);
  assert_int_equal(oy_mode_pop(&mode), OY_OK);
  if (status != OY_OK) print_error("%s\n", oy_error_get()->message);
  assert_int_equal(status, OY_OK);
  return out;
}

// ------------------------------------------------------------------------- programs

// y = x.t(); y[0] += 10; the sum of x's columns.
static oy_status writes_a_view(void* data, oy_tensor* const* in, size_t count,
                               oy_tensor** out, size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor *y = oy_t(in[0]), *first = oy_select_int(y, 0, 0);
  bool ok = first && oy_add__Scalar(first, oy_int(10), oy_int(1));
  out[0] = ok ? oy_sum_dim_IntList(in[0], OY_DIMS(0), false, oy_none()) : NULL;
  oy_tensor_release(y);
  oy_tensor_release(first);
  return out[0] ? OY_OK : oy_failure();
}

static void func_01_writes_become_scatters(void** state) {
  (void)state;
  oy_tensor* x = counted();
  oy_tensor* y = functionalized(writes_a_view, x, OY_REMOVE_MUTATIONS);
  assert_elements(y, OY_DIMS(3), 25, 7, 9);
  // The functions's input is written at the end, and nowhere else.
  assert_elements(x, OY_DIMS(2, 3), 11, 2, 3, 14, 5, 6);
  assert_string_equal(g_calls,
                      "t select.int add.Scalar t select_scatter t sum.dim_IntList "
                      "copy_ ");
  oy_tensor_release(y);
  oy_tensor_release(x);
  x = counted();
  y = functionalized(writes_a_view, x, OY_REMOVE_MUTATIONS_AND_VIEWS);
  assert_elements(y, OY_DIMS(3), 25, 7, 9);
  assert_elements(x, OY_DIMS(2, 3), 11, 2, 3, 14, 5, 6);
  assert_string_equal(g_calls,
                      "t_copy select_copy.int add.Scalar t_copy select_scatter t_copy "
                      "sum.dim_IntList copy_ ");
  oy_tensor_release(y);
  oy_tensor_release(x);
}

// Real and imaginary parts, as they are written to.
static oy_status writes_parts(void* data, oy_tensor* const* in, size_t count,
                              oy_tensor** out, size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor *pairs = oy_clone(in[0], oy_none()), *z = oy_view_as_complex(pairs);
  oy_tensor *re = oy_real(z), *im = oy_imag(z);
  bool ok = oy_mul__Scalar(re, oy_int(2)) && oy_copy_(im, re, false);
  out[0] = ok ? oy_clone(pairs, oy_none()) : NULL;
  oy_tensor* all[] = {pairs, z, re, im};
  release(all, 4);
  return out[0] ? OY_OK : oy_failure();
}
static oy_status writes_bytes(void* data, oy_tensor* const* in, size_t count,
                              oy_tensor** out, size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor* bits = oy_view_dtype(in[0], OY_DTYPE_I64);
  oy_tensor* last = oy_narrow(bits, 1, 1, 1);
  bool ok = oy_fill__Scalar(last, oy_int(0)) != NULL;
  out[0] = ok ? oy_clone(in[0], oy_none()) : NULL;
  oy_tensor_release(bits);
  oy_tensor_release(last);
  return out[0] ? OY_OK : oy_failure();
}

static void func_01_views_of_other_dtypes(void** state) {
  (void)state;
  for (int remove = 0; remove < 2; remove++) {
    oy_tensor* x = F64(OY_DIMS(2, 2), 1, 2, 3, 4);
    oy_tensor* y = functionalized(writes_parts, x, (oy_functionalize_remove)remove);
    assert_elements(y, OY_DIMS(2, 2), 2, 2, 6, 6);
    assert_elements(x, OY_DIMS(2, 2), 1, 2, 3, 4);
    oy_tensor_release(y);
    y = functionalized(writes_bytes, x, (oy_functionalize_remove)remove);
    assert_elements(y, OY_DIMS(2, 2), 1, 0, 3, 0);
    assert_elements(x, OY_DIMS(2, 2), 1, 0, 3, 0);
    oy_tensor_release(y);
    oy_tensor_release(x);
  }
}

// out= with two results, new shapes, and no functional overload of the same arguments.
static oy_status writes_out(void* data, oy_tensor* const* in, size_t count,
                            oy_tensor** out, size_t outputs) {
  (void)data, (void)count, (void)outputs;
  const oy_value none = oy_none();
  oy_tensor* values =
      oy_empty_memory_format(OY_DIMS(0), oy_int(OY_DTYPE_F64), none, none, none, none);
  oy_tensor* at =
      oy_empty_memory_format(OY_DIMS(0), oy_int(OY_DTYPE_I64), none, none, none, none);
  oy_tensor *first, *second;
  bool ok = oy_max_dim_max(in[0], 1, false, values, at, &first, &second) == OY_OK &&
            first == values && second == at;
  ok = ok && oy_add_out(values, at, oy_int(1), values);
  ok = ok && oy_ones_out(OY_DIMS(2), at);
  out[0] = ok ? oy_mul_Tensor(values, at) : NULL;
  oy_tensor_release(values);
  oy_tensor_release(at);
  return out[0] ? OY_OK : oy_failure();
}

static void func_01_out(void** state) {
  (void)state;
  oy_tensor* x = counted();
  oy_tensor* y = functionalized(writes_out, x, OY_REMOVE_MUTATIONS);
  assert_elements(y, OY_DIMS(2), 5, 8);
  assert_null(strstr(g_calls, "out "));
  assert_non_null(strstr(g_calls, "max.dim "));
  assert_non_null(strstr(g_calls, "add.Tensor "));
  assert_non_null(strstr(g_calls, "ones "));
  oy_tensor_release(y);
  oy_tensor_release(x);
}

// Shapes and memories in place.
static oy_status reshapes(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                          size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor *x = in[0], *y = oy_clone(x, oy_none());
  bool ok = oy_transpose_(x, 0, 1) && oy_unsqueeze_(x, 0) && oy_mul__Scalar(x, oy_int(2));
  ok = ok && oy_resize_(y, OY_DIMS(2, 2), oy_none()) && oy_add__Tensor(y, y, oy_int(1));
  oy_tensor *z = oy_clone(y, oy_none()), *row = oy_select_int(x, 1, 0);
  ok = ok && oy_resize_(z, OY_DIMS(5), oy_none());
  ok = ok && oy_set__source_Tensor(z, row) && oy_add__Scalar(z, oy_int(1), oy_int(1));
  out[0] = ok ? oy_add_Tensor(oy_tensor_size(y, 0) == 2 ? z : y, z, oy_int(1)) : NULL;
  oy_tensor* all[] = {y, z, row};
  release(all, 3);
  return out[0] ? OY_OK : oy_failure();
}

static void func_01_shapes_in_place(void** state) {
  (void)state;
  oy_tensor *want, *in = counted(), *x = counted();
  MUST(reshapes(NULL, &in, 1, &want, 1));
  const oy_functionalize_params p = {.fn = reshapes};
  oy_tensor* got;
  if (oy_functionalize(&p, &x, 1, &got, 1) != OY_OK)
    fail_msg("%s", oy_error_get()->message);
  assert_same_tensor(got, want, "reshapes");
  assert_same_tensor(x, in, "reshapes, the input");
  assert_dims(oy_tensor_sizes(x), OY_DIMS(1, 3, 2));
  assert_elements(x, OY_DIMS(1, 3, 2), 3, 9, 4, 10, 6, 12);
  oy_tensor* all[] = {want, in, x, got};
  release(all, 4);
}

static oy_status grows_a_view(void* data, oy_tensor* const* in, size_t count,
                              oy_tensor** out, size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor* row = oy_select_int(in[0], 0, 0);
  bool ok = oy_resize_(row, OY_DIMS(50), oy_none()) != NULL;
  oy_tensor_release(row);
  out[0] = ok ? oy_tensor_retain(in[0]) : NULL;
  return ok ? OY_OK : oy_failure();
}
static oy_tensor* g_captured;
static oy_status writes_captured(void* data, oy_tensor* const* in, size_t count,
                                 oy_tensor** out, size_t outputs) {
  (void)data, (void)count, (void)outputs;
  if (!oy_add__Tensor(g_captured, in[0], oy_int(1))) return oy_failure();
  out[0] = oy_tensor_retain(in[0]);
  return OY_OK;
}
MAPPED(broadcasts, oy_tensor_retain(oy_add__Tensor(in[0], g_captured, oy_int(1))))
MAPPED(casts, oy_tensor_retain(oy_add__Scalar(in[0], oy_float(0.5), oy_int(1))))

static void func_01_errors(void** state) {
  (void)state;
  oy_tensor *x = counted(), *out;
  oy_functionalize_params p = {.fn = grows_a_view};
  assert_int_equal(oy_functionalize(&p, &x, 1, &out, 1), OY_FAILED_PRECONDITION);
  assert_error(
      "Attempted to resize a view tensor to a larger size. This is not allowed in the "
      "functionalization pass");
  assert_null(out);
  assert_int_equal(oy_transform_level(), 0);
  g_captured = F64(OY_DIMS(2, 2, 3), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  p.fn = writes_captured;
  assert_int_equal(oy_functionalize(&p, &x, 1, &out, 1), OY_FAILED_PRECONDITION);
  assert_error(
      "mutating a non-functional tensor with a functional tensor is not allowed. Please "
      "ensure that all of your inputs are wrapped inside of a functionalize() call.");
  // As without functionalization.
  p.fn = broadcasts;
  assert_int_equal(oy_functionalize(&p, &x, 1, &out, 1), OY_INVALID_ARGUMENT);
  assert_error("output with shape [2, 3] doesn't match the broadcast shape [2, 2, 3]");
  oy_tensor* whole = I64(OY_DIMS(2), 1, 2);
  p.fn = casts;
  assert_int_equal(oy_functionalize(&p, &whole, 1, &out, 1), OY_TYPE_MISMATCH);
  assert_error("result type Float can't be cast to the desired output type Long");
  assert_elements(x, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  p.fn = NULL;
  assert_int_equal(oy_functionalize(&p, &x, 1, &out, 1), OY_INVALID_ARGUMENT);
  assert_error("functionalize: expected a function, got NULL");
  oy_functionalize_remove remove;
  MUST(oy_functionalize_remove_parse(oy_str_of("mutations_and_views"), &remove));
  assert_int_equal(remove, OY_REMOVE_MUTATIONS_AND_VIEWS);
  assert_int_equal(oy_functionalize_remove_parse(oy_str_of("views"), &remove),
                   OY_INVALID_ARGUMENT);
  assert_error(
      "functionalize(f, remove='mutations'): received invalid argument for "
      "remove=views. Valid options are 'mutations' and 'mutations_and_views'");
  oy_tensor* all[] = {x, whole, g_captured};
  release(all, 3);
}

// -------------------------------------------------------- functional tensors themselves

static void func_01_functional_tensors(void** state) {
  (void)state;
  oy_tensor *x = counted(), *f = oy_functional_from(x);
  assert_true(oy_functional_is(f) && !oy_functional_is(x));
  assert_fails(oy_functional_from(f), "expected a plain tensor, got a functional one");
  assert_dims(oy_tensor_strides(f), OY_DIMS(3, 1));
  oy_tensor *row = oy_select_int(f, 0, 1), *column = oy_select_int(f, 1, 2);
  assert_dims(oy_tensor_strides(column), OY_DIMS(3));
  assert_int_equal(oy_tensor_storage_offset(row), 3);
  assert_int_equal(oy_functional_generation(f), 0);
  assert_ptr_equal(oy_mul__Scalar(row, oy_int(10)), row);
  // The version is that of the memory, as it is of plain tensors.
  assert_int_equal(oy_tensor_version(column), 1);
  assert_int_equal(oy_functional_generation(column), 1);
  oy_tensor *plain = oy_functional_to_plain(column), *whole = oy_functional_to_plain(f);
  assert_elements(plain, OY_DIMS(2), 3, 60);
  assert_elements(whole, OY_DIMS(2, 3), 1, 2, 3, 40, 50, 60);
  assert_elements(x, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  MUST(oy_functional_sync(row));
  // A tensor that is none is given back; bad ones are errors.
  oy_tensor* same = oy_functional_to_plain(x);
  assert_ptr_equal(same, x);
  assert_null(oy_functional_from(NULL));
  oy_error_clear();
  assert_null(oy_functional_to_plain(&oy_none_object));
  oy_error_clear();
  assert_int_not_equal(oy_functional_sync(NULL), OY_OK);
  oy_error_clear();
  oy_tensor* all[] = {x, f, row, column, plain, whole, same};
  release(all, 7);
}

static void func_01_regions(void** state) {
  (void)state;
  const oy_value none = oy_none();
  oy_functionalize_guard guard = oy_functionalize_begin(OY_REMOVE_MUTATIONS);
  oy_tensor* zeros = oy_zeros(OY_DIMS(3), none, none, none, none);
  oy_tensor *x = counted(), *lifted = oy_lift_fresh(x);
  assert_true(oy_functional_is(zeros) && oy_functional_is(lifted));
  oy_functionalize_guard pause = oy_functionalize_pause();
  oy_tensor* plain = oy_zeros(OY_DIMS(3), none, none, none, none);
  assert_false(oy_functional_is(plain));
  // Nothing is there for a kernel to read.
  oy_tensor* sum = oy_add_Tensor(zeros, zeros, oy_int(1));
  assert_null(sum);
  oy_error_clear();
  oy_functionalize_end(&pause);
  oy_functionalize_end(&guard);
  oy_tensor* again = oy_zeros(OY_DIMS(3), none, none, none, none);
  assert_false(oy_functional_is(again));
  // Calls with functional tensors need no region.
  oy_tensor* more = oy_add_Scalar(zeros, oy_int(2), oy_int(1));
  assert_true(oy_functional_is(more));
  oy_tensor* result = oy_functional_to_plain(more);
  assert_elements(result, OY_DIMS(3), 2, 2, 2);
  oy_tensor* all[] = {zeros, x, lifted, plain, again, more, result};
  release(all, 7);
}

// Autograd above functional tensors: history is that of the program, writes included.
static void func_01_history(void** state) {
  (void)state;
  oy_tensor *x = counted(), *f = oy_functional_from(x);
  assert_non_null(oy_requires_grad_(f, true));
  oy_tensor *y = oy_mul_Scalar(f, oy_int(3)), *row = oy_select_int(y, 0, 1);
  assert_non_null(oy_mul__Scalar(row, oy_int(5)));
  oy_tensor* sum = oy_sum(y, oy_none());
  MUST(oy_backward(sum, NULL, false));
  oy_tensor* grad = oy_functional_to_plain(oy_grad(f));
  assert_elements(grad, OY_DIMS(2, 3), 3, 3, 3, 15, 15, 15);
  oy_tensor* all[] = {x, f, y, row, sum, grad};
  release(all, 6);
}

// ---------------------------------------------------------------------- composition

// sum(x x with its first element, or row, doubled), written in place.
static oy_status doubled(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                         size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor *y = oy_mul_Tensor(in[0], in[0]), *half = oy_narrow(y, 0, 0, 1);
  bool ok = half && oy_mul__Scalar(half, oy_int(2));
  out[0] = ok ? oy_sum(y, oy_none()) : NULL;
  oy_tensor_release(y);
  oy_tensor_release(half);
  return out[0] ? OY_OK : oy_failure();
}
// |data| is what oy_functionalize, oy_grad_of or oy_vmap is to run.
static oy_status without_writes(void* data, oy_tensor* const* in, size_t count,
                                oy_tensor** out, size_t outputs) {
  return oy_functionalize(data, in, count, out, outputs);
}
static oy_status gradient(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                          size_t outputs) {
  (void)outputs;
  return oy_grad_of(data, in, count, NULL, out);
}
static oy_status mapped(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                        size_t outputs) {
  return oy_vmap(data, in, count, out, outputs);
}

static void func_01_composes(void** state) {
  (void)state;
  oy_functionalize_params f = {.fn = doubled};
  oy_grad_params g = {.fn = doubled}, g_of_f = {.fn = without_writes, .data = &f};
  oy_functionalize_params f_of_g = {.fn = gradient, .data = &g};
  const oy_vmap_params all[] = {
      {.fn = gradient, .data = &g},
      {.fn = gradient, .data = &g_of_f},
      {.fn = without_writes, .data = &f_of_g},
  };
  oy_tensor* x = counted();
  for (size_t i = 0; i < OY_ARRAY_SIZE(all); i++)
    for (int outside = 0; outside < 2; outside++) {
      oy_vmap_params v = all[i];
      oy_functionalize_params f_of_v = {.fn = mapped, .data = &v};
      oy_tensor* grad;
      oy_status status = outside ? oy_functionalize(&f_of_v, &x, 1, &grad, 1)
                                 : oy_vmap(&v, &x, 1, &grad, 1);
      if (status != OY_OK) fail_msg("%zu: %s", i, oy_error_get()->message);
      assert_dims(oy_tensor_sizes(grad), OY_DIMS(2, 3));
      for (int64_t k = 0; k < 6; k++)
        assert_true(element(grad, k) == 2 * (double)(k + 1) * (k % 3 ? 1 : 2));
      oy_tensor_release(grad);
    }
  // Nested: the outer one sees nothing that writes either.
  oy_functionalize_params f_of_f = {.fn = without_writes, .data = &f};
  oy_tensor* sum;
  MUST(oy_functionalize(&f_of_f, &x, 1, &sum, 1));
  double want = 0;
  for (int k = 0; k < 6; k++) want += (k + 1) * (k + 1) * (k < 3 ? 2 : 1);
  assert_true(element(sum, 0) == want);
  oy_tensor_release(sum);
  // History of what is outside.
  assert_non_null(oy_requires_grad_(x, true));
  MUST(oy_functionalize(&f, &x, 1, &sum, 1));
  MUST(oy_backward(sum, NULL, false));
  for (int64_t k = 0; k < 6; k++)
    assert_true(element(oy_grad(x), k) == 2 * (double)(k + 1) * (k < 3 ? 2 : 1));
  oy_tensor_release(sum);
  oy_tensor_release(x);
}

// ------------------------------------------------------------------ unknown operators

static oy_object* plus_one(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op, (void)keys;
  assert_false(oy_functional_is(x));
  return oy_add_Scalar(x, oy_int(1), oy_int(1));
}
static oy_object* set_one(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op, (void)keys;
  return oy_fill__Scalar(x, oy_int(1));
}
static oy_tensor* call_with(const char* name, oy_tensor* x) {
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(name));
  assert_non_null(op);
  oy_value room[1];
  oy_stack stack;
  oy_stack_init(&stack, room, 1);
  oy_tensor* result = NULL;
  if (oy_stack_push(&stack, oy_value_tensor(x)) == OY_OK &&
      oy_op_call_boxed(op, &stack) == OY_OK)
    result = oy_tensor_retain(oy_value_to_tensor(stack.data[0]));
  oy_stack_reset(&stack);
  return result;
}

static void func_02_unknown_operators(void** state) {
  (void)state;
  oy_library_params params = {oy_registry_default(), OY_LIBRARY_DEF, "myops",
                              OY_KEY_Undefined,      __FILE__,       __LINE__};
  oy_library* library;
  MUST(oy_library_create(&params, &library));
  static const char* const schemas[] = {"plus_one(Tensor x) -> Tensor",
                                        "set_one_(Tensor(a!) x) -> Tensor(a!)"};
  static const char* const names[] = {"plus_one", "set_one_"};
  const oy_typed_fn kernels[] = {(oy_typed_fn)plus_one, (oy_typed_fn)set_one};
  for (int i = 0; i < 2; i++) {
    oy_def_params def = {.schema = schemas[i], .place = OY_HERE};
    MUST(oy_library_def(library, &def, NULL));
    oy_impl_params impl = {.name = names[i],
                           .key = OY_KEY_CompositeExplicitAutograd,
                           .kernel = {.typed = kernels[i]},
                           .place = OY_HERE};
    MUST(oy_library_impl(library, &impl, NULL));
  }
  oy_tensor *x = counted(), *f = oy_functional_from(x);
  oy_tensor* row = oy_select_int(f, 0, 0);
  assert_non_null(oy_zero_(row));
  // Its input is up to date; what it gives is functional.
  oy_tensor* made = call_with("myops::plus_one", f);
  assert_true(oy_functional_is(made));
  oy_tensor* plain = oy_functional_to_plain(made);
  assert_elements(plain, OY_DIMS(2, 3), 1, 1, 1, 5, 6, 7);
  assert_fails(
      call_with("myops::set_one_", f),
      "Found a custom (non-ATen) operator whose output has alias annotations: "
      "myops::set_one_(Tensor(a!) x) -> Tensor(a!). We only support functionalizing "
      "operators whose outputs do not have alias annotations (e.g. 'Tensor(a)' is a "
      "Tensor with an alias annotation whereas 'Tensor' is a Tensor without. The '(a)' "
      "is "
      "the alias annotation).");
  // Of plain tensors it is none of this layer's business.
  oy_tensor* ones = call_with("myops::set_one_", x);
  assert_elements(ones, OY_DIMS(2, 3), 1, 1, 1, 1, 1, 1);
  oy_tensor* all[] = {x, f, row, made, plain, ones};
  release(all, 6);
  oy_library_close(library);
}

// --------------------------------------------------------------------------- memory

static oy_tensor* g_x;
static bool without_memory(void) {
  for (int remove = 0; remove < 2; remove++) {
    const oy_functionalize_params p = {.fn = writes_a_view,
                                       .remove = (oy_functionalize_remove)remove};
    oy_tensor* out;
    if (oy_functionalize(&p, &g_x, 1, &out, 1) != OY_OK) return false;
    oy_tensor_release(out);
  }
  return true;
}
static void func_01_without_memory(void** state) {
  (void)state;
  g_x = counted();
  assert_true(without_memory());
  fail_each_allocation(without_memory);
  assert_int_equal(oy_transform_level(), 0);
  oy_tensor_release(g_x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(func_01_writes_become_scatters),
      cmocka_unit_test(func_01_views_of_other_dtypes),
      cmocka_unit_test(func_01_out),
      cmocka_unit_test(func_01_shapes_in_place),
      cmocka_unit_test(func_01_errors),
      cmocka_unit_test(func_01_functional_tensors),
      cmocka_unit_test(func_01_regions),
      cmocka_unit_test(func_01_history),
      cmocka_unit_test(func_01_composes),
      cmocka_unit_test(func_02_unknown_operators),
      cmocka_unit_test(func_01_without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
