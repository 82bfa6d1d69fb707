// SPDX-License-Identifier: Apache-2.0
// Saved tensor hooks (opyard/saved_hooks.h; reference, 9.7). What is packed when, and what
// the texts are, was asked of PyTorch; gradients are worked out by hand.
#include <pthread.h>

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}

// What the hooks below have seen.
typedef struct diary {
  int packed, unpacked, released, destroyed;
  oy_tensor* last;  // not retained
  bool needed_gradient, grad_mode;
  char node[32];
  double factor;
} diary;

static oy_status note_tensor(diary* d, oy_tensor* t) {
  d->packed++;
  d->last = t;
  d->needed_gradient = oy_requires_grad(t);
  d->grad_mode = oy_grad_mode_get();
  const char* node = oy_grad_fn_name(t);
  snprintf(d->node, sizeof(d->node), "%s", node ? node : "");
  return OY_OK;
}
// A detached multiple; by 1 a detached alias.
static oy_status pack(void* data, oy_tensor* t, void** out) {
  diary* d = data;
  OY_TRY(note_tensor(d, t));
  if (d->factor == 1) {
    *out = oy_detach(t);
  } else {
    oy_tensor* other = oy_mul_Scalar(t, oy_float(d->factor));
    *out = other;
  }
  return *out ? OY_OK : oy_failure();
}
static oy_status unpack(void* data, void* packed, oy_tensor** out) {
  ((diary*)data)->unpacked++;
  *out = oy_tensor_retain(packed);
  return OY_OK;
}
static void release(void* data, void* packed) {
  ((diary*)data)->released++;
  oy_tensor_release(packed);
}
static void destroy(void* data) {
  ((diary*)data)->destroyed++;
}
static oy_saved_hooks hooks_of(diary* d) {
  if (d->factor == 0) d->factor = 1;
  return (oy_saved_hooks){pack, unpack, release, d, destroy};
}
static void push(diary* d) {
  oy_saved_hooks hooks = hooks_of(d);
  MUST(oy_saved_hooks_push(&hooks));
}
static void pop(void) {
  MUST(oy_saved_hooks_pop());
}

static oy_status backward_of(oy_tensor* y, bool retain) {
  oy_tensor* sum = oy_sum(y, oy_none());
  oy_status status = sum ? oy_backward(sum, NULL, retain) : oy_failure();
  oy_tensor_release(sum);
  return status;
}

// -------------------------------------------------------------------- what is packed

static void ENG_06_a_tensor_saved_twice_is_packed_twice(void** state) {
  (void)state;
  diary d = {.factor = 1};
  oy_tensor* a = leaf(F32(OY_DIMS(2), 2, 3));
  push(&d);
  oy_tensor* y = oy_mul_Tensor(a, a);
  pop();
  assert_int_equal(d.packed, 2);
  assert_ptr_equal(d.last, a);
  assert_true(d.needed_gradient);
  assert_false(d.grad_mode);
  MUST(backward_of(y, true));
  assert_int_equal(d.unpacked, 2);
  assert_int_equal(d.released, 0);
  assert_elements(oy_grad(a), OY_DIMS(2), 4, 6);
  assert_int_equal(d.destroyed, 0);
  MUST(backward_of(y, false));
  assert_int_equal(d.unpacked, 4);
  assert_int_equal(d.released, 2);
  assert_int_equal(d.destroyed, 1);
  assert_int_not_equal(backward_of(y, false), OY_OK);
  assert_non_null(strstr(oy_error_get()->message,
                         "Trying to backward through the graph a second time"));
  oy_error_clear();
  oy_tensor_release(y);
  oy_tensor_release(a);
}

static void ENG_06_results_are_packed_with_their_node(void** state) {
  (void)state;
  diary d = {.factor = 1};
  oy_tensor* a = leaf(F64(OY_DIMS(2), 0, 0));
  push(&d);
  oy_tensor* y = oy_exp(a);
  assert_int_equal(d.packed, 1);
  assert_ptr_equal(d.last, y);
  assert_string_equal(d.node, "ExpBackward0");
  oy_tensor* s = oy__softmax(a, 0, false);  // a node of the other kind
  assert_int_equal(d.packed, 2);
  assert_ptr_equal(d.last, s);
  assert_string_equal(d.node, "SoftmaxBackward0");
  pop();
  MUST(backward_of(y, false));
  assert_elements(oy_grad(a), OY_DIMS(2), 1, 1);
  oy_tensor* first = oy_select_int(s, 0, 0);
  MUST(backward_of(first, false));  // p (1 - p) and -p q
  assert_elements(oy_grad(a), OY_DIMS(2), 1.25, 0.75);
  assert_int_equal(d.unpacked, 2);
  oy_tensor_release(first);
  oy_tensor_release(s);
  oy_tensor_release(y);
  oy_tensor_release(a);
  assert_int_equal(d.destroyed, 1);
}

static void ENG_06_what_is_not_saved_is_not_packed(void** state) {
  (void)state;
  diary d = {.factor = 1};
  oy_tensor* a = leaf(F32(OY_DIMS(2), 2, 3));
  oy_tensor* n = F32(OY_DIMS(2), 5, 7);
  push(&d);
  oy_grad_guard guard = oy_no_grad();
  oy_tensor* made[] = {oy_mul_Tensor(a, a), NULL, NULL, NULL};
  oy_grad_guard_end(&guard);
  made[1] = oy_mul_Tensor(n, n);
  made[2] = oy_add_Tensor(a, a, ALPHA1);
  assert_int_equal(d.packed, 0);
  made[3] = oy_mul_Tensor(a, n);  // n alone
  assert_int_equal(d.packed, 1);
  assert_ptr_equal(d.last, n);
  assert_false(d.needed_gradient);
  pop();
  oy_tensor* after = oy_mul_Tensor(a, n);
  assert_int_equal(d.packed, 1);
  oy_tensor_release(after);
  for (int i = 0; i < 4; i++) oy_tensor_release(made[i]);
  assert_int_equal(d.released, 1);  // no backward is needed for that
  assert_int_equal(d.destroyed, 1);
  oy_tensor_release(n);
  oy_tensor_release(a);
}

static void ENG_06_lists_and_numbers(void** state) {
  (void)state;
  diary d = {.factor = 1};
  oy_tensor* a = leaf(F32(OY_DIMS(3), 2, 3, 4));
  oy_tensor* at = I64(OY_DIMS(2), 2, 2);
  push(&d);
  oy_tensor* y = oy_index_Tensor(a, (oy_tensors){&at, 1});
  assert_int_equal(d.packed, 1);
  assert_ptr_equal(d.last, at);
  pop();
  oy_tensor_release(at);
  MUST(backward_of(y, true));
  MUST(backward_of(y, false));
  assert_elements(oy_grad(a), OY_DIMS(3), 0, 0, 4);
  assert_int_equal(d.unpacked, 2);
  assert_int_equal(d.destroyed, 1);
  oy_tensor_release(y);
  oy_tensor_release(a);
}

static void ENG_06_the_innermost_hooks_alone(void** state) {
  (void)state;
  diary ten = {.factor = 10}, hundred = {.factor = 100};
  oy_tensor* a = leaf(F32(OY_DIMS(2), 2, 3));
  push(&ten);
  push(&hundred);
  oy_tensor* y = oy_mul_Tensor(a, a);
  pop();
  oy_tensor* z = oy_mul_Tensor(a, a);
  pop();
  MUST(backward_of(y, false));
  assert_elements(oy_grad(a), OY_DIMS(2), 400, 600);
  MUST(oy_set_grad(a, NULL));
  MUST(backward_of(z, false));
  assert_elements(oy_grad(a), OY_DIMS(2), 40, 60);
  assert_int_equal(ten.packed, 2);
  assert_int_equal(hundred.packed, 2);
  oy_tensor_release(z);
  oy_tensor_release(y);
  oy_tensor_release(a);
}

static void ENG_06_no_version_is_checked(void** state) {
  (void)state;
  diary d = {.factor = 3};
  oy_tensor* a = leaf(F32(OY_DIMS(2), 2, 3));
  oy_tensor* n = F32(OY_DIMS(2), 1, 2);
  push(&d);
  oy_tensor* y = oy_mul_Tensor(a, n);
  pop();
  assert_non_null(oy_zero_(n));
  MUST(backward_of(y, false));
  assert_elements(oy_grad(a), OY_DIMS(2), 3, 6);
  oy_tensor_release(y);
  oy_tensor_release(n);
  oy_tensor_release(a);
}

// A write through a view: the node runs within another.
static void ENG_06_within_copy_slices(void** state) {
  (void)state;
  diary d = {.factor = 1};
  oy_tensor* a = leaf(F32(OY_DIMS(2), 2, 3));
  oy_tensor* base = oy_mul_Scalar(a, oy_float(1));
  oy_tensor* part = oy_select_int(base, 0, 0);
  oy_tensor* n = oy_tensor_from_scalar(oy_float(5));
  push(&d);
  assert_non_null(oy_mul__Tensor(part, n));
  pop();
  assert_int_equal(d.packed, 1);
  MUST(backward_of(base, false));
  assert_elements(oy_grad(a), OY_DIMS(2), 5, 1);
  assert_int_equal(d.destroyed, 1);
  oy_tensor_release(n);
  oy_tensor_release(part);
  oy_tensor_release(base);
  oy_tensor_release(a);
}

// ------------------------------------------------------------------ recorded backwards

static oy_tensor* gradient(oy_tensor* y, oy_tensor* x) {
  oy_tensor* sum = oy_sum(y, oy_none());
  oy_tensor* g = NULL;
  oy_backward_options options = {.create_graph = true};
  MUST(oy_gradients(&sum, NULL, 1, &x, 1, &options, &g));
  oy_tensor_release(sum);
  return g;
}
static void second_derivative_of(oy_tensor* (*fn)(oy_tensor*), double first,
                                 double second) {
  diary d = {.factor = 1};
  oy_tensor* a = leaf(F64(OY_DIMS(1), 2));
  push(&d);
  oy_tensor* y = fn(a);
  pop();
  assert_true(d.packed > 0);
  oy_tensor* g = gradient(y, a);
  assert_close(g, OY_DIMS(1), 1e-12, first);
  oy_tensor* gg = gradient(g, a);
  assert_close(gg, OY_DIMS(1), 1e-12, second);
  oy_tensor_release(gg);
  oy_tensor_release(g);
  oy_tensor_release(y);
  oy_tensor_release(a);
  assert_int_equal(d.released, d.packed);
  assert_int_equal(d.destroyed, 1);
}
static oy_tensor* cube(oy_tensor* a) {
  return oy_pow_Tensor_Scalar(a, oy_int(3));
}
static oy_tensor* cube_of_products(oy_tensor* a) {
  oy_tensor* square = oy_mul_Tensor(a, a);
  oy_tensor* y = oy_mul_Tensor(square, a);
  oy_tensor_release(square);
  return y;
}
static oy_tensor* log_softmax_of_two(oy_tensor* a) {
  oy_tensor* zero = F64(OY_DIMS(1), 0);
  oy_tensor* both[] = {a, zero};
  oy_tensor* joined = oy_cat((oy_tensors){both, 2}, 0);
  oy_tensor* all = oy__softmax(joined, 0, false);
  oy_tensor* first = oy_slice_Tensor(all, 0, oy_int(0), oy_int(1), 1);
  oy_tensor_release(all);
  oy_tensor_release(joined);
  oy_tensor_release(zero);
  return first;
}
static void ENG_06_unpacked_tensors_have_their_history(void** state) {
  (void)state;
  second_derivative_of(cube, 12, 12);              // 3 a^2, 6 a
  second_derivative_of(cube_of_products, 12, 12);  // through what was computed, too
  second_derivative_of(oy_exp, exp(2), exp(2));    // a result
  double s = 1 / (1 + exp(-2));                    // s', s'' of the logistic function
  second_derivative_of(log_softmax_of_two, s * (1 - s), s * (1 - s) * (1 - 2 * s));
}

// --------------------------------------------------------------------------- custom ones

static oy_status square(oy_function_context* c, oy_tensor* const* in, size_t count,
                        oy_tensor** out) {
  (void)count;
  OY_TRY(oy_function_save(c, in, 1));
  return (out[0] = oy_mul_Tensor(in[0], in[0])) ? OY_OK : oy_failure();
}
static oy_status square_backward(oy_function_context* c, oy_tensor* const* grads,
                                 size_t count, oy_tensor** out, size_t inputs) {
  (void)count, (void)inputs;
  oy_tensor* x = oy_function_saved(c, 0);
  if (!x || oy_function_saved(c, 0) != x) return oy_failure();
  oy_tensor* twice = oy_mul_Scalar(x, oy_float(2));
  out[0] = oy_mul_Tensor(grads[0], twice);
  oy_tensor_release(twice);
  return out[0] ? OY_OK : oy_failure();
}
static void ENG_06_custom_functions(void** state) {
  (void)state;
  static const oy_function f = {
      .name = "Square", .forward = square, .backward = square_backward, .outputs = 1};
  diary d = {.factor = 1};
  oy_tensor *a = leaf(F64(OY_DIMS(1), 3)), *y;
  push(&d);
  MUST(oy_function_apply(&f, NULL, &a, 1, &y));
  pop();
  assert_int_equal(d.packed, 1);
  assert_ptr_equal(d.last, a);
  oy_tensor* g = gradient(y, a);
  assert_elements(g, OY_DIMS(1), 6);
  assert_int_equal(d.unpacked, 1);
  oy_tensor* gg = gradient(g, a);
  assert_elements(gg, OY_DIMS(1), 2);
  oy_tensor_release(gg);
  oy_tensor_release(g);
  oy_tensor_release(y);
  oy_tensor_release(a);
  assert_int_equal(d.destroyed, 1);
}

static oy_status cube_again(void* data, oy_tensor* const* in, size_t count,
                            oy_tensor** out) {
  (void)data, (void)count;
  return (out[0] = oy_pow_Tensor_Scalar(in[0], oy_int(3))) ? OY_OK : oy_failure();
}
// A checkpoint asks what it saved whether it needs a gradient.
static void ENG_06_checkpoints(void** state) {
  (void)state;
  diary d = {.factor = 1};
  oy_tensor *a = leaf(F64(OY_DIMS(1), 2)), *y;
  push(&d);
  MUST(oy_checkpoint(cube_again, NULL, NULL, &a, 1, &y, 1));
  pop();
  assert_int_equal(d.packed, 1);
  MUST(backward_of(y, false));
  assert_elements(oy_grad(a), OY_DIMS(1), 12);
  assert_int_equal(d.unpacked, 1);
  oy_tensor_release(y);
  oy_tensor_release(a);
  assert_int_equal(d.destroyed, 1);
}

// ----------------------------------------------------------------------------- what fails

static oy_status pack_nothing(void* data, oy_tensor* t, void** out) {
  (void)data, (void)t, (void)out;
  return OY_OK;
}
static oy_status pack_refused(void* data, oy_tensor* t, void** out) {
  (void)data, (void)t, (void)out;
  return OY_FAIL(OUT_OF_RANGE, "no room");
}
static oy_status pack_writing(void* data, oy_tensor* t, void** out) {
  (void)data, (void)out;
  return oy_mul__Scalar(t, oy_float(2)) ? OY_OK : oy_failure();
}
static oy_status unpack_nothing(void* data, void* packed, oy_tensor** out) {
  (void)data, (void)packed, (void)out;
  return OY_OK;
}
static oy_status unpack_none(void* data, void* packed, oy_tensor** out) {
  (void)data, (void)packed;
  *out = (oy_tensor*)&oy_none_object;
  return OY_OK;
}
static oy_status unpack_refused(void* data, void* packed, oy_tensor** out) {
  (void)data, (void)packed, (void)out;
  return OY_FAIL(OUT_OF_RANGE, "it is lost");
}
static oy_status unpack_generator(void* data, void* packed, oy_tensor** out) {
  (void)data, (void)packed;
  *out = (oy_tensor*)oy_generator_default(oy_device_cpu());
  oy_object_retain(*out);
  return OY_OK;
}

static void ENG_06_texts_of_unpacking(void** state) {
  (void)state;
  static const struct {
    oy_status (*fn)(void* data, void* packed, oy_tensor** out);
    oy_status code;
    const char* text;
  } cases[] = {
      {unpack_nothing, OY_TYPE_MISMATCH,
       "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
       "type "
       "NoneType"},
      {unpack_none, OY_TYPE_MISMATCH,
       "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
       "type "
       "NoneType"},
      {unpack_generator, OY_TYPE_MISMATCH,
       "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
       "type "
       "Generator"},
      {unpack_refused, OY_OUT_OF_RANGE, "it is lost"},
  };
  oy_tensor* a = leaf(F32(OY_DIMS(2), 2, 3));
  for (size_t i = 0; i < 4; i++) {
    oy_saved_hooks hooks = {.pack = pack_nothing, .unpack = cases[i].fn};
    MUST(oy_saved_hooks_push(&hooks));
    oy_tensor* y[] = {oy_mul_Tensor(a, a), oy__softmax(a, 0, false)};
    pop();
    for (int k = 0; k < 2; k++) {
      assert_int_equal(backward_of(y[k], true), cases[i].code);
      assert_error(cases[i].text);
      oy_tensor_release(y[k]);
    }
  }
  oy_tensor_release(a);
}

static void ENG_06_texts_of_packing(void** state) {
  (void)state;
  oy_tensor* a = leaf(F32(OY_DIMS(2), 2, 3));
  oy_saved_hooks writing = {.pack = pack_writing, .unpack = unpack_nothing};
  MUST(oy_saved_hooks_push(&writing));
  assert_fails(
      oy_mul_Tensor(a, a),
      "A saved tensor pack hook is modifying its input in place. Tensors provided "
      "as input to pack hook can not be modified by in-place operations as this "
      "can lead to unexpected side-effects. Please open an issue if you need to "
      "perform in-place operations on the input to a pack hook.");
  pop();
  oy_saved_hooks refused = {.pack = pack_refused, .unpack = unpack_nothing};
  MUST(oy_saved_hooks_push(&refused));
  assert_fails(oy_mul_Tensor(a, a), "no room");
  assert_fails(oy_exp(a), "no room");
  assert_fails(oy__softmax(a, 0, false), "no room");
  oy_tensor* sum = oy_add_Tensor(a, a, ALPHA1);
  assert_non_null(sum);
  oy_tensor_release(sum);
  pop();
  oy_tensor_release(a);
}

static void ENG_06_disabled(void** state) {
  (void)state;
  diary d = {.factor = 1};
  assert_null(oy_saved_hooks_disabled());
  MUST(oy_saved_hooks_disable("not here"));
  assert_string_equal(oy_saved_hooks_disabled(), "not here");
  oy_saved_hooks hooks = hooks_of(&d);
  assert_int_equal(oy_saved_hooks_push(&hooks), OY_FAILED_PRECONDITION);
  assert_error("not here");
  assert_int_equal(d.destroyed, 1);
  MUST(oy_saved_hooks_disable(NULL));
  assert_null(oy_saved_hooks_disabled());
  push(&d);
  assert_int_equal(oy_saved_hooks_disable("nor here"), OY_FAILED_PRECONDITION);
  assert_error("nor here");
  assert_null(oy_saved_hooks_disabled());
  pop();
  assert_int_equal(d.destroyed, 2);
}

static void ENG_06_misuse(void** state) {
  (void)state;
  diary d = {.factor = 1};
  assert_int_equal(oy_saved_hooks_pop(), OY_FAILED_PRECONDITION);
  assert_error("there are no saved tensor hooks to pop");
  oy_saved_hooks half = {.pack = pack, .data = &d, .destroy = destroy};
  assert_int_equal(oy_saved_hooks_push(&half), OY_INVALID_ARGUMENT);
  assert_error("expected a hook that packs and one that unpacks");
  assert_int_equal(d.destroyed, 1);
  assert_int_equal(oy_saved_hooks_push(NULL), OY_INVALID_ARGUMENT);
  assert_error("expected a hook that packs and one that unpacks");
}

// ------------------------------------------------------------------------------- threads

static void* walk_elsewhere(void* y) {
  diary d = {.factor = 1};
  push(&d);  // of that thread; nothing is saved there
  oy_status status = backward_of(y, false);
  pop();
  return (void*)(intptr_t)(status == 0 ? d.unpacked : -1);
}
static void ENG_06_hooks_belong_to_a_thread(void** state) {
  (void)state;
  diary d = {.factor = 2};
  oy_tensor* a = leaf(F32(OY_DIMS(2), 2, 3));
  push(&d);
  oy_tensor* y = oy_mul_Tensor(a, a);
  pop();
  pthread_t thread;
  void* result;
  assert_int_equal(pthread_create(&thread, NULL, walk_elsewhere, y), 0);
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_int_equal((intptr_t)result, 0);
  assert_int_equal(d.unpacked, 2);
  assert_elements(oy_grad(a), OY_DIMS(2), 8, 12);
  assert_int_equal(d.destroyed, 1);
  oy_tensor_release(y);
  oy_tensor_release(a);
}

// -------------------------------------------------------------------------------- memory

static bool runs(void) {
  diary d = {.factor = 1};
  oy_saved_hooks hooks = hooks_of(&d);
  oy_tensor* a = F32(OY_DIMS(2), 2, 3);
  if (!a || !oy_requires_grad_(a, true) || oy_saved_hooks_push(&hooks) != OY_OK) {
    oy_tensor_release(a);
    return false;
  }
  oy_tensor* square_of = oy_mul_Tensor(a, a);
  oy_tensor* y = square_of ? oy_exp(square_of) : NULL;
  oy_tensor* s = y ? oy__softmax(y, 0, false) : NULL;
  (void)oy_saved_hooks_pop();
  bool good = s && backward_of(s, false) == OY_OK;
  oy_tensor_release(s);
  oy_tensor_release(y);
  oy_tensor_release(square_of);
  oy_tensor_release(a);
  return good && d.destroyed == 1;
}
static void ENG_06_without_memory(void** state) {
  (void)state;
  assert_true(runs());
  fail_each_allocation(runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ENG_06_a_tensor_saved_twice_is_packed_twice),
      cmocka_unit_test(ENG_06_results_are_packed_with_their_node),
      cmocka_unit_test(ENG_06_what_is_not_saved_is_not_packed),
      cmocka_unit_test(ENG_06_lists_and_numbers),
      cmocka_unit_test(ENG_06_the_innermost_hooks_alone),
      cmocka_unit_test(ENG_06_no_version_is_checked),
      cmocka_unit_test(ENG_06_within_copy_slices),
      cmocka_unit_test(ENG_06_unpacked_tensors_have_their_history),
      cmocka_unit_test(ENG_06_custom_functions),
      cmocka_unit_test(ENG_06_checkpoints),
      cmocka_unit_test(ENG_06_texts_of_unpacking),
      cmocka_unit_test(ENG_06_texts_of_packing),
      cmocka_unit_test(ENG_06_disabled),
      cmocka_unit_test(ENG_06_misuse),
      cmocka_unit_test(ENG_06_hooks_belong_to_a_thread),
      cmocka_unit_test(ENG_06_without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
