// SPDX-License-Identifier: Apache-2.0
// Every operator inside vmap, with arguments made up from its schema: where the operator
// takes each slice alone, vmap gives what the slices give, or says that it cannot.
#include "slices.h"

enum { TENSORS = 8, SLICES = 2 };

// A call that is tried: one set of numbers for all arguments of a kind.
typedef struct attempt {
  const oy_op* op;
  const oy_schema* schema;
  int choice;
  bool batched[TENSORS];
} attempt;

// -------------------------------------------------------------------- arguments

static bool named(const oy_argument* a, const char* part) {
  char name[64];
  snprintf(name, sizeof(name), "%.*s", OY_STR_ARG(a->name));
  return strstr(name, part) != NULL;
}
static bool wants_places(const oy_argument* a) {
  return named(a, "ind") || named(a, "target") || named(a, "offset");
}

// The shape of a slice: by the choice, up to three dimensions.
static oy_ints shape_of(const attempt* t, const oy_argument* a) {
  static const int64_t sizes[][3] = {
      {3, 3, 3}, {3, 3, 3}, {2, 3, 3}, {0, 0, 0}, {2, 4, 4}};
  static const size_t ndims[] = {2, 1, 3, 0, 2};
  size_t ndim = ndims[t->choice % 5];
  if (named(a, "vec") && ndim > 1) ndim--;
  return (oy_ints){sizes[t->choice % 5], ndim};
}

static oy_tensor* make_tensor(const attempt* t, const oy_argument* a, bool batched,
                              int salt) {
  int64_t sizes[4];
  size_t n = 0;
  oy_ints slice = shape_of(t, a);
  if (batched) sizes[n++] = SLICES;
  for (size_t i = 0; i < slice.size; i++) sizes[n++] = slice.data[i];
  oy_tensor* base = wave((oy_ints){sizes, n});
  oy_tensor* moved = oy_add_Scalar(base, oy_float(0.125 * salt), oy_int(1));
  oy_tensor_release(base);
  if (!wants_places(a)) return moved;
  oy_tensor *even = oy_remainder_Scalar(moved, oy_int(2)),
            *places = oy_to_dtype(even, OY_DTYPE_I64, false, false, oy_none());
  oy_tensor_release(moved);
  oy_tensor_release(even);
  return places;
}

static const oy_type* without_optional(const oy_type* type) {
  return type->kind == OY_TYPE_OPTIONAL ? type->element : type;
}

// Everything but tensors; false if nobody knows what.
static bool make_plain(const attempt* t, const oy_argument* a, oy_value* out) {
  static const int64_t numbers[] = {0, 0, 1, -1, 1, 2};
  static const int64_t lists[][2] = {{1, 1}, {0, 1}, {2, 2}, {3, 3}, {1, 0}, {-1, 0}};
  const oy_type* type = without_optional(a->type);
  int64_t number = numbers[t->choice % 6];
  if (a->type->kind == OY_TYPE_OPTIONAL && t->choice % 2) {
    *out = oy_none();
    return true;
  }
  switch (type->kind) {
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT: *out = oy_int(number); return true;
    case OY_TYPE_FLOAT: *out = oy_float(0.5 + (double)number); return true;
    case OY_TYPE_BOOL: *out = oy_bool(t->choice & 1); return true;
    case OY_TYPE_SCALAR: *out = oy_float(0.5); return true;
    case OY_TYPE_STR: *out = oy_value_str(oy_str_of("none")); return true;
    case OY_TYPE_SCALAR_TYPE: *out = oy_int(OY_DTYPE_F32); return true;
    case OY_TYPE_LIST:
      if (type->element->kind != OY_TYPE_INT && type->element->kind != OY_TYPE_SYMINT)
        return false;
      *out = oy_value_list(OY_TAG_INT_LIST, lists[t->choice % 6],
                           type->fixed_size > 1 || t->choice % 2 ? 2 : 1);
      return true;
    default: *out = oy_none(); return a->type->kind == OY_TYPE_OPTIONAL;
  }
}

// ----------------------------------------------------------------------- calls

static bool is_tensor_type(const oy_type* type) {
  return without_optional(type)->kind == OY_TYPE_TENSOR;
}

// Pushes and calls; the first result if it is a tensor. In place, a copy is written.
static oy_status call(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                      size_t outputs) {
  (void)count, (void)outputs;
  const attempt* t = data;
  oy_value storage[32];
  oy_stack stack;
  oy_stack_init(&stack, storage, 32);
  oy_status status = OY_OK;
  size_t next = 0;
  for (size_t i = 0; i < t->schema->argument_count && status == OY_OK; i++) {
    const oy_argument* a = &t->schema->arguments[i];
    oy_value v = oy_none();
    if (is_tensor_type(a->type)) {
      oy_tensor* x = in[next++];
      oy_tensor* given =
          oy_argument_is_mutable(a) ? oy_clone(x, oy_none()) : oy_tensor_retain(x);
      // What has escaped cannot be copied, and is written itself.
      if (!given) given = oy_tensor_retain(x);
      v = oy_value_tensor(given);
      v.owned = 1;
    } else if (without_optional(a->type)->kind == OY_TYPE_LIST &&
               is_tensor_type(without_optional(a->type)->element)) {
      oy_value list;
      status = oy_value_new_list(OY_TAG_TENSOR_LIST, 2, &list);
      for (int k = 0; k < 2; k++)
        ((oy_object**)(uintptr_t)list.as.tensors)[k] = oy_tensor_retain(in[next]);
      next++;
      v = list;
    } else {
      (void)make_plain(t, a, &v);
    }
    if (status == OY_OK) status = oy_stack_push(&stack, v);
  }
  if (status == OY_OK) status = oy_op_call_boxed(t->op, &stack);
  if (status == OY_OK) {
    const oy_value first = stack.data[0];
    if (first.tag == OY_TAG_TENSOR_LIST && first.count > 0)
      out[0] = oy_tensor_retain(first.as.tensors[first.count - 1]);
    else
      out[0] = first.tag == OY_TAG_TENSOR ? oy_tensor_retain(first.as.object) : NULL;
  }
  oy_stack_reset(&stack);
  return status;
}

// Whether the operator can be tried: its tensors, at most so many.
static size_t count_tensors(const attempt* t) {
  size_t n = 0;
  if (t->schema->argument_count > 32 || t->schema->return_count == 0) return 0;
  for (size_t i = 0; i < t->schema->argument_count; i++) {
    const oy_argument* a = &t->schema->arguments[i];
    oy_value v;
    const oy_type* type = without_optional(a->type);
    bool tensors = is_tensor_type(type) ||
                   (type->kind == OY_TYPE_LIST && is_tensor_type(type->element));
    if (tensors)
      n++;
    else if (!make_plain(t, a, &v))
      return 0;
  }
  return n <= TENSORS ? n : 0;
}

static void make_inputs(const attempt* t, oy_tensor** in) {
  size_t n = 0;
  for (size_t i = 0; i < t->schema->argument_count; i++) {
    const oy_argument* a = &t->schema->arguments[i];
    const oy_type* type = without_optional(a->type);
    if (!is_tensor_type(type) &&
        !(type->kind == OY_TYPE_LIST && is_tensor_type(type->element)))
      continue;
    in[n] = make_tensor(t, a, t->batched[n], (int)n);
    n++;
  }
}

// What each slice gives, stacked; NULL if one fails, or gives no tensor.
static oy_tensor* stacked_slices(attempt* t, oy_tensor* const* in, size_t n) {
  oy_tensor *results[SLICES] = {NULL}, *all = NULL;
  bool good = true;
  for (int64_t at = 0; at < SLICES && good; at++) {
    oy_tensor* slices[TENSORS];
    for (size_t i = 0; i < n; i++)
      slices[i] = t->batched[i] ? oy_select_int(in[i], 0, at) : oy_tensor_retain(in[i]);
    good = call(t, slices, n, &results[at], 1) == OY_OK && results[at];
    for (size_t i = 0; i < n; i++) oy_tensor_release(slices[i]);
  }
  if (good) all = oy_op_stack((oy_tensors){results, SLICES}, 0);
  for (int i = 0; i < SLICES; i++) oy_tensor_release(results[i]);
  return all;
}

static bool is_possible_error(void) {
  static const char* const texts[] = {"Batching rule not implemented for", "randomness",
                                      "vmap: ", "vmap over torch.", "Vmap does not"};
  const char* message = oy_error_get()->message;
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
    if (strstr(message, texts[i])) return true;
  return false;
}

static int g_compared, g_refused, g_wrong;

static bool depends_on_memory(const oy_op* op) {
  char name[80];
  snprintf(name, sizeof(name), "%.*s", OY_STR_ARG(oy_op_name_of(op)));
  return strstr(name, "empty") || strstr(name, "resize") || strstr(name, "set_");
}

static void compare_complex(const attempt* t, oy_tensor* got, oy_tensor* want);
static void compare(const attempt* t, oy_tensor* got, oy_tensor* want) {
  if (oy_dtype_is_complex(got->dtype) && got->dtype == want->dtype) {
    compare_complex(t, got, want);
    return;
  }
  g_compared++;
  bool same = got->dtype == want->dtype &&
              oy_tensor_numel(got) == oy_tensor_numel(want) &&
              oy_tensor_ndim(got) == oy_tensor_ndim(want);
  for (int64_t i = 0; i < oy_tensor_ndim(want) && same; i++)
    same = oy_tensor_size(got, i) == oy_tensor_size(want, i);
  for (int64_t i = 0; same && i < oy_tensor_numel(want) && !depends_on_memory(t->op);
       i++) {
    double x = element(got, i), y = element(want, i);
    same = (isnan(x) && isnan(y)) || x == y || fabs(x - y) <= 1e-4 * (1 + fabs(y));
  }
  if (same) return;
  g_wrong++;
  print_error("%.*s, choice %d: not what slices give\n", OY_STR_ARG(oy_op_name_of(t->op)),
              t->choice);
}

static void compare_complex(const attempt* t, oy_tensor* got, oy_tensor* want) {
  oy_tensor *a = oy_view_as_real(got), *b = oy_view_as_real(want);
  compare(t, a, b);
  oy_tensor_release(a);
  oy_tensor_release(b);
}

// Gradients of another shape than the inputs have, and no element of a number; an offset
// that counts from the first slice; shapes that hold more elements than there are, or less.
static bool is_odd(const attempt* t) {
  oy_str name = oy_op_name_of(t->op);
  return strncmp(name.data, "aten::select_backward", name.size) == 0 ||
         strncmp(name.data, "aten::as_strided", name.size) == 0 ||
         strncmp(name.data, "aten::as_strided_copy", name.size) == 0 ||
         strncmp(name.data, "aten::_reshape_alias", name.size) == 0 ||
         (strncmp(name.data, "aten::topk", name.size) == 0 && t->choice % 5 == 3);
}

static void try_once(attempt* t) {
  oy_tensor *in[TENSORS] = {NULL}, *got = NULL;
  size_t n = count_tensors(t);
  bool any = false;
  for (size_t i = 0; i < n; i++) any |= t->batched[i];
  if (n == 0 || !any || is_odd(t)) return;
  make_inputs(t, in);
  oy_tensor* want = stacked_slices(t, in, n);
  int64_t dims[TENSORS];
  for (size_t i = 0; i < n; i++) dims[i] = t->batched[i] ? 0 : OY_VMAP_NONE;
  const oy_vmap_params p = {.fn = call, .data = t, .in_dims = {dims, n}};
  oy_status status = oy_vmap(&p, in, n, &got, 1);
  assert_int_equal(oy_transform_level(), 0);
  if (want && status == OY_OK) compare(t, got, want);
  if (want && status != OY_OK && !is_possible_error()) {
    g_wrong++;
    print_error("%.*s, choice %d: %s\n", OY_STR_ARG(oy_op_name_of(t->op)), t->choice,
                oy_error_get()->message);
  }
  g_refused += want && status != OY_OK;
  oy_error_clear();
  oy_tensor_release(want);
  oy_tensor_release(got);
  for (size_t i = 0; i < n; i++) oy_tensor_release(in[i]);
}

static void vmap_03_every_operator(void** state) {
  (void)state;
  const oy_op** ops;
  size_t count;
  MUST(oy_registry_list(oy_registry_default(), &ops, &count));
  for (size_t i = 0; i < count; i++)
    for (int choice = 0; choice < 30; choice++) {
      attempt t = {.op = ops[i], .schema = oy_op_schema(ops[i]), .choice = choice};
      for (int b = 0; b < TENSORS; b++)
        t.batched[b] = choice < 10 || (choice < 20) == (b % 2 == 0);
      if (t.schema) try_once(&t);
    }
  oy_ops_free(ops);
  print_message("%d compared, %d refused\n", g_compared, g_refused);
  assert_int_equal(g_wrong, 0);
  assert_true(g_compared > 1000);
}

// A batched tensor whose layer is gone: an error, or a result that needs no elements.
static void vmap_01_every_operator_with_an_escaped_tensor(void** state) {
  (void)state;
  int64_t level;
  MUST(oy_vmap_enter(SLICES, OY_RANDOMNESS_ERROR, &level));
  oy_tensor *x = wave(OY_DIMS(3, SLICES, 3)), *in[TENSORS];
  for (int i = 0; i < TENSORS; i++) in[i] = oy_batched_make(x, 1, level);
  MUST(oy_vmap_leave(level));
  const oy_op** ops;
  size_t count, failed = 0;
  MUST(oy_registry_list(oy_registry_default(), &ops, &count));
  for (size_t i = 0; i < count; i++)
    for (int choice = 0; choice < 6; choice++) {
      attempt t = {.op = ops[i], .schema = oy_op_schema(ops[i]), .choice = choice};
      if (!t.schema || count_tensors(&t) == 0) continue;
      oy_tensor* out = NULL;
      failed += call(&t, in, TENSORS, &out, 1) != OY_OK;
      oy_tensor_release(out);
      oy_error_clear();
    }
  assert_true(failed > 6 * 1000);
  oy_ops_free(ops);
  for (int i = 0; i < TENSORS; i++) oy_tensor_release(in[i]);
  oy_tensor_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vmap_01_every_operator_with_an_escaped_tensor),
      cmocka_unit_test(vmap_03_every_operator),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
