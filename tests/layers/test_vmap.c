// SPDX-License-Identifier: Apache-2.0
// vmap: batched tensors, where dimensions go in and out, the stack of layers, the loop.
// Expected numbers come from the function run on each slice, or by hand; texts are
// PyTorch's.
#include <pthread.h>

#include "slices.h"

MAPPED(identity, oy_tensor_retain(in[0]))
MAPPED(sine, oy_sin(in[0]))
MAPPED(plus, oy_add_Tensor(in[0], in[1], oy_int(1)))

// ------------------------------------------------------------------ the wrapper

static void vmap_01_shape_of_a_slice(void** state) {
  (void)state;
  int64_t level;
  MUST(oy_vmap_enter(3, OY_RANDOMNESS_ERROR, &level));
  oy_tensor* x = wave(OY_DIMS(2, 3, 4));
  oy_tensor* b = oy_batched_make(x, 1, level);
  assert_dims(oy_tensor_sizes(b), OY_DIMS(2, 4));
  assert_dims(oy_tensor_strides(b), OY_DIMS(12, 1));
  assert_int_equal(oy_batched_level(b), 1);
  assert_int_equal(oy_batched_dim(b), 1);
  assert_ptr_equal(oy_batched_value(b), x);
  assert_null(oy_tensor_data(b));
  assert_null(oy_batched_value(x));
  assert_int_equal(oy_batched_level(x), 0);
  oy_tensor* back = oy_batched_remove(b, level, 3, -1);
  assert_dims(oy_tensor_sizes(back), OY_DIMS(2, 4, 3));
  assert_true(element(back, 1) == element(x, 4));
  assert_null(oy_batched_make(x, 0, level));
  assert_null(oy_batched_make(x, 1, 7));
  MUST(oy_vmap_leave(level));
  oy_tensor* all[] = {x, b, back};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

static void vmap_04_what_a_rule_asks_of_its_layer(void** state) {
  (void)state;
  int64_t level, inner, found, size;
  oy_randomness randomness;
  assert_int_equal(oy_vmap_innermost(&found, &size, &randomness), OY_FAILED_PRECONDITION);
  assert_true(found == 0 && size == 0);
  oy_error_clear();
  MUST(oy_vmap_enter(3, OY_RANDOMNESS_SAME, &level));
  MUST(oy_vmap_enter(5, OY_RANDOMNESS_DIFFERENT, &inner));
  MUST(oy_vmap_innermost(&found, &size, &randomness));
  assert_true(found == inner && size == 5 && randomness == OY_RANDOMNESS_DIFFERENT);
  MUST(oy_vmap_leave(inner));
  MUST(oy_vmap_innermost(&found, &size, &randomness));
  assert_true(found == level && size == 3 && randomness == OY_RANDOMNESS_SAME);
  MUST(oy_vmap_leave(level));
}

static oy_tensor* g_escaped;
static oy_status escape(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                        size_t outputs) {
  g_escaped = oy_tensor_retain(in[0]);
  return identity(data, in, count, out, outputs);
}
static void vmap_01_an_escaped_tensor_is_an_error(void** state) {
  (void)state;
  oy_tensor *x = wave(OY_DIMS(3, 2)), *y;
  oy_vmap_params p = {.fn = escape};
  MUST(oy_vmap(&p, &x, 1, &y, 1));
  assert_null(oy_add_Tensor(g_escaped, x, oy_int(1)));
  assert_non_null(strstr(oy_error_get()->message,
                         "Either your tensor may have escaped from inside a function "
                         "being vmapped and this is a user error"));
  oy_error_clear();
  // In a later layer of the same level, too.
  int64_t level;
  MUST(oy_vmap_enter(3, OY_RANDOMNESS_ERROR, &level));
  assert_null(oy_sin(g_escaped));
  assert_null(oy_sum(g_escaped, oy_none()));
  MUST(oy_vmap_leave(level));
  // What reads elements finds none.
  oy_scalar number;
  assert_int_not_equal(oy_tensor_get(g_escaped, OY_DIMS(0), &number), OY_OK);
  char* text = NULL;
  if (oy_tensor_print(g_escaped, &text) == OY_OK) oy_text_free(text);
  oy_error_clear();
  oy_tensor* all[] = {x, y, g_escaped};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

// Functions that look past the operators find a tensor without elements.
static void vmap_01_aliases(void** state) {
  (void)state;
  int64_t level;
  MUST(oy_vmap_enter(3, OY_RANDOMNESS_ERROR, &level));
  oy_tensor *x = wave(OY_DIMS(3, 2, 2)), *b = oy_batched_make(x, 0, level);
  // The same shape stands for the same slices, another one for nothing.
  oy_tensor *same = oy_tensor_view(b, OY_DIMS(2, 2)),
            *turned = oy_tensor_transpose(b, 0, 1), *flat = oy_tensor_view(b, OY_DIMS(4));
  assert_ptr_equal(oy_batched_value(same), x);
  assert_null(oy_batched_value(turned));
  assert_null(oy_batched_value(flat));
  oy_tensor* sine = oy_sin(same);
  assert_dims(oy_tensor_sizes(oy_batched_value(sine)), OY_DIMS(3, 2, 2));
  assert_null(oy_sin(turned));
  assert_null(oy_sin(flat));
  oy_scalar number;
  oy_error_clear();
  assert_int_not_equal(oy_tensor_item(b, &number), OY_OK);
  assert_int_not_equal(oy_tensor_set(b, OY_DIMS(0, 0), oy_int(1)), OY_OK);
  oy_error_clear();
  MUST(oy_vmap_leave(level));
  oy_tensor* all[] = {x, b, same, turned, flat, sine};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
}

// ------------------------------------------------------------------- dimensions

static void vmap_02_dimensions_in_and_out(void** state) {
  (void)state;
  oy_tensor *x = wave(OY_DIMS(2, 3)), *y;
  int64_t in = -1, out = 1;
  oy_vmap_params p = {.fn = sine, .in_dims = {&in, 1}, .out_dims = {&out, 1}};
  MUST(oy_vmap(&p, &x, 1, &y, 1));
  assert_dims(oy_tensor_sizes(y), OY_DIMS(2, 3));
  for (int64_t i = 0; i < 6; i++)
    assert_true(fabs(element(y, i) - sin(element(x, i))) < 1e-6);
  oy_tensor_release(y);
  p.out_dims = (oy_ints){NULL, 0};
  MUST(oy_vmap(&p, &x, 1, &y, 1));
  assert_dims(oy_tensor_sizes(y), OY_DIMS(3, 2));
  assert_true(fabs(element(y, 1) - sin(element(x, 3))) < 1e-6);
  oy_tensor_release(y);
  oy_tensor_release(x);
}

static void vmap_02_inputs_that_are_not_mapped(void** state) {
  (void)state;
  oy_tensor* in[] = {wave(OY_DIMS(2, 3)), wave(OY_DIMS(2))};
  compare_slices("plus", plus, OY_DIMS(1, OY_VMAP_NONE), in, 2);
  // None may be passed, too.
  oy_tensor* with_none[] = {in[0], &oy_none_object};
  compare_slices("identity", identity, OY_DIMS(-2, OY_VMAP_NONE), with_none, 2);
  for (int i = 0; i < 2; i++) oy_tensor_release(in[i]);
}

static oy_tensor* g_constant;
MAPPED(constant, oy_tensor_retain(g_constant))
static void vmap_02_outputs_that_are_not_batched(void** state) {
  (void)state;
  oy_tensor *x = wave(OY_DIMS(3, 2)), *y;
  g_constant = F32(OY_DIMS(2), 5, 6);
  int64_t dim = 1;
  oy_vmap_params p = {.fn = constant, .out_dims = {&dim, 1}};
  MUST(oy_vmap(&p, &x, 1, &y, 1));
  assert_elements(y, OY_DIMS(2, 3), 5, 5, 5, 6, 6, 6);
  oy_tensor_release(y);
  dim = OY_VMAP_NONE;
  MUST(oy_vmap(&p, &x, 1, &y, 1));
  assert_ptr_equal(y, g_constant);
  oy_tensor_release(y);
  p.fn = identity;
  p.name = "f";
  assert_int_equal(oy_vmap(&p, &x, 1, &y, 1), OY_INVALID_ARGUMENT);
  assert_error("vmap(f, ...): `f` can not return a BatchedTensor when out_dim is None");
  assert_null(y);
  dim = 2;
  assert_int_equal(oy_vmap(&p, &x, 1, &y, 1), OY_OUT_OF_RANGE);
  assert_error("Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  oy_tensor_release(g_constant);
  oy_tensor_release(x);
}

MAPPED(nothing, &oy_none_object)
MAPPED(misfit, oy_view(in[0], OY_DIMS(7)))

static void fails_with(const oy_vmap_params* p, oy_tensor* const* in, size_t count,
                       const char* text) {
  oy_tensor* y = (oy_tensor*)in;
  assert_int_not_equal(oy_vmap(p, in, count, &y, 1), OY_OK);
  assert_error(text);
  assert_null(y);
  assert_int_equal(oy_transform_level(), 0);
}

static void vmap_02_errors(void** state) {
  (void)state;
  oy_tensor* x = wave(OY_DIMS(3));
  oy_tensor* pair[] = {wave(OY_DIMS(3, 2)), wave(OY_DIMS(3, 4))};
  oy_tensor* none[] = {&oy_none_object};
  oy_vmap_params p = {.fn = identity, .name = "f", .in_dims = OY_DIMS(3)};
  fails_with(&p, &x, 1,
             "vmap(f, in_dims=3, ...)(<inputs>): Got in_dim=3 for some input, but that "
             "input is a Tensor of dimensionality 1 so expected in_dim to satisfy -1 <= "
             "in_dim < 1.");
  p.in_dims = OY_DIMS(0);
  fails_with(&p, none, 1,
             "vmap(f, in_dims=0, ...)(<inputs>): Got in_dim=0 for an input but the input "
             "is of type NoneType. We cannot vmap over non-Tensor arguments, please use "
             "None as the respective in_dim");
  fails_with(&p, NULL, 0,
             "vmap(f)(<inputs>): got no inputs. Maybe you forgot to add inputs, or you "
             "are trying to vmap over a function with no inputs. The latter is "
             "unsupported.");
  p.in_dims = OY_DIMS(OY_VMAP_NONE);
  fails_with(&p, &x, 1, "vmap: Expected at least one Tensor to vmap over");
  p.in_dims = OY_DIMS(0, 1);
  fails_with(&p, pair, 2,
             "vmap: Expected all tensors to have the same size in the mapped dimension, "
             "got sizes [3, 4] for the mapped dimension");
  fails_with(&p, &x, 1,
             "vmap(f, in_dims=(0, 1), ...)(<inputs>): in_dims is not compatible with the "
             "structure of `inputs`. in_dims has 2 elements but inputs has 1.");
  p.in_dims = (oy_ints){NULL, 0};
  p.chunk_size = -1;
  fails_with(&p, &x, 1, "vmap: chunk_size should be None or greater than 0. (got -1)");
  p.chunk_size = 0;
  p.fn = nothing;
  fails_with(
      &p, &x, 1,
      "vmap(f, ...): `f` must only return Tensors, got type NoneType. Did you mean "
      "to set out_dims= to None for output?");
  p.fn = misfit;
  oy_tensor* y;
  assert_int_not_equal(oy_vmap(&p, pair, 1, &y, 1), OY_OK);
  assert_int_equal(oy_transform_level(), 0);
  oy_error_clear();
  oy_tensor* missing[] = {NULL};
  assert_int_equal(oy_vmap(&p, missing, 1, &y, 1), OY_INVALID_ARGUMENT);
  oy_error_clear();
  for (int i = 0; i < 2; i++) oy_tensor_release(pair[i]);
  oy_tensor_release(x);
}

static void vmap_02_in_chunks(void** state) {
  (void)state;
  oy_tensor* in[] = {wave(OY_DIMS(2, 7)), wave(OY_DIMS(2))};
  int64_t out = 1;
  oy_vmap_params p = {.fn = plus,
                      .in_dims = OY_DIMS(1, OY_VMAP_NONE),
                      .out_dims = {&out, 1},
                      .chunk_size = 3};
  oy_tensor* y;
  MUST(oy_vmap(&p, in, 2, &y, 1));
  assert_dims(oy_tensor_sizes(y), OY_DIMS(2, 7));
  for (int64_t i = 0; i < 14; i++)
    assert_true(fabs(element(y, i) - element(in[0], i) - element(in[1], i / 7)) < 1e-6);
  oy_tensor_release(y);
  for (int i = 0; i < 2; i++) oy_tensor_release(in[i]);
}

// ---------------------------------------------------------------------- the loop

static int g_warnings;
static char g_warning[256];
static void count_warning(void* user_data, const char* message) {
  (void)user_data;
  g_warnings++;
  snprintf(g_warning, sizeof(g_warning), "%s", message);
}

MAPPED(histogram, oy_histc(in[0], 3, oy_int(0), oy_int(0)))
static void vmap_03_loop_is_counted_and_told_once(void** state) {
  (void)state;
  oy_tensor *x = F32(OY_DIMS(2, 4), 0, 1, 2, 2, 5, 5, 8, 6.5), *y;
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of("aten::histc"));
  oy_warning_handler_set(count_warning, NULL);
  oy_vmap_params p = {.fn = histogram};
  uint64_t all = oy_vmap_fallback_count(NULL);
  for (uint64_t i = 1; i <= 2; i++) {
    MUST(oy_vmap(&p, &x, 1, &y, 1));
    assert_elements(y, OY_DIMS(2, 3), 1, 1, 2, 2, 1, 1);
    oy_tensor_release(y);
    assert_int_equal(oy_vmap_fallback_count(op), i);
    assert_int_equal(oy_vmap_fallback_count(NULL), all + i);
    assert_int_equal(g_warnings, 1);
  }
  assert_string_equal(g_warning,
                      "There is a performance drop because we have not yet implemented "
                      "the batching rule for aten::histc. Please file us an issue on "
                      "GitHub so that we can prioritize its implementation.");
  oy_vmap_fallback_warn_always(true);
  MUST(oy_vmap(&p, &x, 1, &y, 1));
  oy_tensor_release(y);
  assert_int_equal(g_warnings, 2);
  oy_vmap_fallback_warn_always(false);
  oy_vmap_fallback_enable(false);
  fails_with(&p, &x, 1, "aten::histc hit the vmap fallback which is currently disabled");
  oy_vmap_fallback_enable(true);
  oy_warning_handler_set(NULL, NULL);
  oy_tensor_release(x);
}

static oy_tensor* g_out;
MAPPED(into, oy_histc_out(in[0], 3, oy_int(0), oy_int(0), g_out))
static oy_status equal(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs) {
  (void)data, (void)count, (void)outputs;
  bool same;
  out[0] = oy_tensor_retain(in[0]);
  return oy_equal(in[0], in[0], &same);
}
static void vmap_03_what_cannot_loop(void** state) {
  (void)state;
  oy_tensor *x = wave(OY_DIMS(2, 4)), *empty = wave(OY_DIMS(0, 4));
  g_out = wave(OY_DIMS(3));
  oy_vmap_params p = {.fn = equal};
  fails_with(&p, &x, 1,
             "Batching rule not implemented for aten::equal. We could not generate a "
             "fallback.");
  p.fn = into;
  fails_with(&p, &x, 1,
             "Batching rule not implemented for aten::histc.out; the fallback path "
             "doesn't work on out= or view ops.");
  p.fn = histogram;
  fails_with(&p, &empty, 1,
             "Batching rule not implemented for aten::histc. The fallback path does not "
             "support vmap over dims of size 0.");
  oy_tensor* all[] = {x, empty, g_out};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

MAPPED(put_first, oy_tensor_retain(oy_put_(in[0], in[1], in[2], false)))
static void vmap_03_in_place(void** state) {
  (void)state;
  oy_tensor* in[] = {F32(OY_DIMS(2, 2), 1, 2, 3, 4), I64(OY_DIMS(2, 1), 0, 1),
                     F32(OY_DIMS(1), 9)};
  oy_tensor* y;
  oy_vmap_params p = {.fn = put_first, .in_dims = OY_DIMS(0, 0, OY_VMAP_NONE)};
  uint64_t before = oy_vmap_fallback_count(NULL);
  MUST(oy_vmap(&p, in, 3, &y, 1));
  assert_int_equal(oy_vmap_fallback_count(NULL), before + 1);
  // The tensor that was given is what is written and given back.
  assert_elements(in[0], OY_DIMS(2, 2), 9, 2, 3, 9);
  assert_elements(y, OY_DIMS(2, 2), 9, 2, 3, 9);
  oy_tensor_release(y);
  p.in_dims = OY_DIMS(OY_VMAP_NONE, 0, OY_VMAP_NONE);
  fails_with(
      &p, in, 3,
      "vmap: aten::put_(self, *extra_args) is not possible because there exists a Tensor "
      "`other` in extra_args that has more elements than `self`. This happened due to "
      "`other` being vmapped over but `self` not being vmapped over in a vmap. Please "
      "try "
      "to use out-of-place operators instead of aten::put_. If said operator is being "
      "called inside the PyTorch framework, please file a bug report instead.");
  for (int i = 0; i < 3; i++) oy_tensor_release(in[i]);
}

// ------------------------------------------------------------ operators of others

static oy_status see(const oy_op* op, oy_keyset keys, oy_stack* stack,
                     const oy_kernel* kernel) {
  (void)op, (void)keys, (void)kernel;
  oy_stack_drop(stack, 1);
  return OY_OK;
}
static oy_object* halve(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op, (void)keys;
  return oy_mul_Scalar(x, oy_float(0.5));
}
static oy_status call_mine(void* data, oy_tensor* const* in, size_t count,
                           oy_tensor** out, size_t outputs) {
  (void)count, (void)outputs;
  const oy_op* op;
  oy_value storage[1];
  oy_stack stack;
  oy_stack_init(&stack, storage, 1);
  OY_TRY(oy_op_find(oy_registry_default(), oy_str_of(data), &op));
  OY_TRY(oy_stack_push(&stack, oy_value_tensor(in[0])));
  OY_TRY(oy_op_call_boxed(op, &stack));
  if (stack.size == 1) out[0] = oy_stack_pop(&stack).as.object;
  return OY_OK;
}

static void vmap_03_operators_without_a_rule(void** state) {
  (void)state;
  oy_library* library;
  const oy_library_params params = {NULL,     OY_LIBRARY_DEF, "mine", OY_KEY_Undefined,
                                    __FILE__, __LINE__};
  MUST(oy_library_create(&params, &library));
  const oy_kernel_params seen = OY_BOXED(see), halved = OY_TYPED(halve);
  const oy_def_params defs[] = {
      {.schema = "mine::see(Tensor x) -> ()", .kernel = &seen, .key = OY_KEY_CPU},
      {.schema = "mine::halve(Tensor x) -> Tensor", .kernel = &halved, .key = OY_KEY_CPU},
      {.schema = "mine::part(Tensor(a) x) -> Tensor(a)",
       .kernel = &halved,
       .key = OY_KEY_CPU}};
  for (int i = 0; i < 3; i++) MUST(oy_library_def(library, &defs[i], NULL));
  oy_tensor *x = F64(OY_DIMS(2, 2), 2, 4, 6, 8), *y;
  oy_vmap_params p = {.fn = call_mine, .data = "mine::halve"};
  uint64_t before = oy_vmap_fallback_count(NULL);
  MUST(oy_vmap(&p, &x, 1, &y, 1));
  assert_elements(y, OY_DIMS(2, 2), 1, 2, 3, 4);
  assert_int_equal(oy_vmap_fallback_count(NULL), before + 1);
  oy_tensor_release(y);
  p.data = "mine::see";
  fails_with(&p, &x, 1,
             "Batching rule not implemented for mine::see. The fallback path does not "
             "support operations with no returns.");
  p.data = "mine::part";
  fails_with(&p, &x, 1,
             "Batching rule not implemented for mine::part; the fallback path doesn't "
             "work on out= or view ops.");
  oy_tensor_release(x);
  oy_library_close(library);
}

static oy_status item(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                      size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_scalar number;
  out[0] = oy_tensor_retain(in[0]);
  return oy_item(in[0], &number);
}
MAPPED(places, oy_nonzero(in[0]))
MAPPED(chosen, oy_masked_select(in[0], in[1]))
static void vmap_03_what_has_no_rule_at_all(void** state) {
  (void)state;
  oy_tensor* in[] = {wave(OY_DIMS(3)), BOOLS(OY_DIMS(3), 1, 0, 1)};
  oy_vmap_params p = {.fn = item};
  fails_with(
      &p, in, 2,
      "vmap: It looks like you're calling .item() on a Tensor. We don't support "
      "vmap over calling .item() on a Tensor, please try to rewrite what you're "
      "doing with other operations. If error is occurring somewhere inside PyTorch "
      "internals, please file a bug report.");
  p.fn = places;
  fails_with(&p, in, 2,
             "vmap: We do not support batching operators that can output dynamic shape. "
             "Attempted to vmap over aten::nonzero. Please voice your support in "
             "https://github.com/pytorch/functorch/issues/256");
  p.fn = chosen;
  fails_with(&p, in, 2,
             "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We "
             "cannot support this because for each batch this would return a differently "
             "shaped Tensor. Please voice your support in "
             "https://github.com/pytorch/functorch/issues/256");
  for (int i = 0; i < 2; i++) oy_tensor_release(in[i]);
}

// --------------------------------------------------------------------- the stack

static void vmap_04_levels(void** state) {
  (void)state;
  int64_t level;
  char text[64];
  const oy_keyset before = oy_included_get();
  assert_int_equal(oy_transform_level(), 0);
  for (int64_t i = 1; i <= 64; i++) {
    MUST(oy_vmap_enter(2, OY_RANDOMNESS_ERROR, &level));
    assert_int_equal(level, i);
    assert_int_equal(oy_transform_level(), i);
    assert_true(oy_included_has(OY_KEY_FuncTorchDynamicLayerFrontMode));
    assert_true(oy_included_has(OY_KEY_FuncTorchDynamicLayerBackMode));
  }
  assert_int_equal(oy_vmap_enter(2, OY_RANDOMNESS_ERROR, &level), OY_EXHAUSTED);
  assert_int_equal(oy_vmap_leave(3), OY_FAILED_PRECONDITION);
  for (int64_t i = 64; i > 2; i--) MUST(oy_vmap_leave(i));
  assert_int_equal(oy_transform_print(text, sizeof(text)),
                   strlen("DynamicLayerStack[ 1:Vmap 2:Vmap ]"));
  assert_string_equal(text, "DynamicLayerStack[ 1:Vmap 2:Vmap ]");
  assert_int_equal(oy_transform_print(text, 8), 34);
  MUST(oy_vmap_leave(2));
  MUST(oy_vmap_leave(1));
  assert_int_equal(oy_vmap_leave(1), OY_FAILED_PRECONDITION);
  assert_true(oy_keyset_equal(oy_included_get(), before));
  oy_error_clear();
}

static void* other_thread(void* data) {
  (void)data;
  if (oy_transform_level() != 0) return NULL;
  if (oy_included_has(OY_KEY_FuncTorchDynamicLayerFrontMode)) return NULL;
  oy_tensor* x = oy_rand(OY_DIMS(2), oy_none(), oy_none(), oy_none(), oy_none());
  oy_tensor_release(x);
  return x;
}
static void vmap_04_layers_are_the_threads_own(void** state) {
  (void)state;
  int64_t level;
  pthread_t thread;
  void* drawn;
  MUST(oy_vmap_enter(2, OY_RANDOMNESS_ERROR, &level));
  assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
  assert_int_equal(pthread_join(thread, &drawn), 0);
  assert_non_null(drawn);
  MUST(oy_vmap_leave(level));
}

static oy_status rows(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                      size_t outputs) {
  oy_vmap_params p = {.fn = data ? plus : histogram,
                      .in_dims = OY_DIMS(1, data ? 0 : OY_VMAP_NONE)};
  if (!data) p.in_dims.size = 1;
  return oy_vmap(&p, in, count, out, outputs);
}
static void vmap_06_nested(void** state) {
  (void)state;
  // in[0] is mapped over 0, then over what is its dimension 2; in[1] within alone.
  oy_tensor *in[] = {wave(OY_DIMS(2, 3, 4)), wave(OY_DIMS(4, 3))}, *y;
  oy_vmap_params p = {.fn = rows, .data = in, .in_dims = OY_DIMS(0, OY_VMAP_NONE)};
  MUST(oy_vmap(&p, in, 2, &y, 1));
  assert_dims(oy_tensor_sizes(y), OY_DIMS(2, 4, 3));
  for (int64_t i = 0; i < 2; i++)
    for (int64_t j = 0; j < 4; j++)
      for (int64_t k = 0; k < 3; k++)
        assert_true(fabs(element(y, (i * 4 + j) * 3 + k) -
                         element(in[0], (i * 3 + k) * 4 + j) -
                         element(in[1], j * 3 + k)) < 1e-6);
  oy_tensor_release(y);
  // The loop within the loop.
  p = (oy_vmap_params){.fn = rows};
  MUST(oy_vmap(&p, in, 1, &y, 1));
  assert_dims(oy_tensor_sizes(y), OY_DIMS(2, 4, 3));
  for (int64_t i = 0; i < 8; i++)
    assert_true(element(y, 3 * i) + element(y, 3 * i + 1) + element(y, 3 * i + 2) == 3);
  oy_tensor_release(y);
  for (int i = 0; i < 2; i++) oy_tensor_release(in[i]);
}

static oy_tensor *g_x, *g_w;
static bool maps_without_memory(void) {
  oy_tensor *in[] = {g_x, g_w}, *y;
  oy_vmap_params p = {.fn = plus, .in_dims = OY_DIMS(1, OY_VMAP_NONE), .chunk_size = 2};
  if (oy_vmap(&p, in, 2, &y, 1) != OY_OK) return false;
  oy_tensor_release(y);
  p = (oy_vmap_params){.fn = histogram};
  if (oy_vmap(&p, in, 1, &y, 1) != OY_OK) return false;
  oy_tensor_release(y);
  return true;
}
static void vmap_without_memory(void** state) {
  (void)state;
  g_x = wave(OY_DIMS(2, 3));
  g_w = wave(OY_DIMS(2));
  // The first view of a tensor leaves a record with it.
  oy_tensor_release(oy_select_int(g_x, 0, 0));
  fail_each_allocation(maps_without_memory);
  assert_int_equal(oy_transform_level(), 0);
  oy_tensor_release(g_x);
  oy_tensor_release(g_w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vmap_01_shape_of_a_slice),
      cmocka_unit_test(vmap_01_an_escaped_tensor_is_an_error),
      cmocka_unit_test(vmap_01_aliases),
      cmocka_unit_test(vmap_02_dimensions_in_and_out),
      cmocka_unit_test(vmap_02_inputs_that_are_not_mapped),
      cmocka_unit_test(vmap_02_outputs_that_are_not_batched),
      cmocka_unit_test(vmap_02_errors),
      cmocka_unit_test(vmap_02_in_chunks),
      cmocka_unit_test(vmap_03_loop_is_counted_and_told_once),
      cmocka_unit_test(vmap_03_what_cannot_loop),
      cmocka_unit_test(vmap_03_in_place),
      cmocka_unit_test(vmap_03_operators_without_a_rule),
      cmocka_unit_test(vmap_03_what_has_no_rule_at_all),
      cmocka_unit_test(vmap_04_levels),
      cmocka_unit_test(vmap_04_what_a_rule_asks_of_its_layer),
      cmocka_unit_test(vmap_04_layers_are_the_threads_own),
      cmocka_unit_test(vmap_06_nested),
      cmocka_unit_test(vmap_without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
