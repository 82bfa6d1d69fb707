// SPDX-License-Identifier: Apache-2.0
// Every differentiable operator of which there are golden values: its gradients, and the
// gradients of these, are what differences say. The arguments are PyTorch's, in double.
#include "ops/golden.h"
#include "opyard/gradcheck.h"
#include "support/tensors.h"

enum { TENSORS_MAX = 16, ELEMENTS_MAX = 150, CALLS_MAX = 3, OPS_MAX = 512 };

// What differences cannot say of PyTorch's arguments, and of which inputs they say nothing.
typedef struct exception {
  const char* op;
  unsigned without;  // inputs, by bit, that have no derivative in PyTorch either
  bool symmetric;    // the first input counts as its symmetric part
  int wrong;         // calls that may be wrong
  const char* why;
} exception;

static const exception g_exceptions[] = {
    {"aten::soft_margin_loss", 1 << 1, false, 0, "the target"},
    {"aten::igamma", 1 << 0, false, 0, "the order"},
    {"aten::igammac", 1 << 0, false, 0, "the order"},
    {"aten::native_batch_norm", 3 << 3, false, 0, "running statistics"},
    {"aten::cholesky", 0, true, 0, "reads one triangle"},
    {"aten::linalg_cholesky_ex", 0, true, 0, "reads one triangle"},
    {"aten::clamp", 0, false, CALLS_MAX, "elements at the bounds"},
    {"aten::pow.Tensor_Tensor", 0, false, 2, "sums of powers of 1e6 leave no digits"},
    {"aten::embedding", 0, false, 2, "padding and frequencies are no derivative"},
};

typedef struct tried {
  char name[96];
  int calls, wrong;
} tried;

typedef struct state {
  tried ops[OPS_MAX];
  size_t count;
  int once, twice, unknown;  // calls that are right; that have no derivative
} state;

// A call of |arguments|, |count| of whose tensors are inputs.
typedef struct call {
  const oy_op* op;
  oy_stack* arguments;
  const exception* exception;  // or NULL
  oy_tensor* leaves[TENSORS_MAX];
  size_t count, seen;
  bool fits;
} call;

// -------------------------------------------------------------------- arguments

static bool is_number(oy_dtype dtype) {
  return oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype);
}
static bool is_wide(const oy_object* o) {
  return o->dtype == OY_DTYPE_F64 || o->dtype == OY_DTYPE_C128;
}
static bool is_finite(oy_object* t) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* finite = oy_isfinite(t);
  oy_tensor* all = finite ? oy_all(finite) : NULL;
  oy_scalar truth = oy_bool(false);
  bool good = all && oy_tensor_get(all, oy_dims_none(), &truth) == OY_OK && truth.as.i;
  oy_scope_close(&scope);
  return good;
}

// In double, with memory of its own, and a leaf.
static void make_leaf(call* c, oy_object** o) {
  if (!*o || oy_object_is_none(*o) || !is_number((*o)->dtype)) return;
  oy_dtype wide = oy_dtype_is_complex((*o)->dtype) ? OY_DTYPE_C128 : OY_DTYPE_F64;
  c->fits &=
      c->count < TENSORS_MAX && oy_tensor_numel(*o) <= ELEMENTS_MAX && is_finite(*o);
  if (!c->fits) return;
  oy_tensor* cast = oy_to_dtype(*o, wide, false, true, oy_none());
  oy_tensor* leaf = cast ? oy_clone(cast, oy_int(OY_MEMORY_CONTIGUOUS)) : NULL;
  oy_tensor_release(cast);
  assert_non_null(leaf);
  oy_object_release(*o);
  *o = leaf;
  if (c->exception && c->exception->without >> c->seen++ & 1) return;
  assert_non_null(oy_requires_grad_(leaf, true));
  c->leaves[c->count++] = leaf;
}
static void make_leaves(call* c) {
  for (size_t i = 0; i < c->arguments->size; i++) {
    oy_value* v = &c->arguments->data[i];
    if (v->tag != OY_TAG_TENSOR && v->tag != OY_TAG_TENSOR_LIST) continue;
    assert_int_equal(oy_value_own(v), OY_OK);
    oy_object** list = (oy_object**)(uintptr_t)v->as.bits;
    if (v->tag == OY_TAG_TENSOR) make_leaf(c, &v->as.object);
    for (size_t k = 0; v->tag == OY_TAG_TENSOR_LIST && k < v->count; k++)
      make_leaf(c, &list[k]);
  }
}
// Those that write have functional forms.
static bool writes(const oy_schema* schema) {
  for (size_t i = 0; i < schema->argument_count; i++)
    if (oy_argument_is_mutable(&schema->arguments[i])) return true;
  return false;
}

// --------------------------------------------------------------------- the call

static void add_output(oy_object* o, oy_tensor** outputs, size_t* count) {
  if (!o || oy_object_is_none(o) || !oy_requires_grad(o) || !is_wide(o)) return;
  if (*count == OY_GRADCHECK_OUTPUTS) return;
  oy_object_retain(o);
  outputs[(*count)++] = oy_scope_take(o);
}
// Into |storage|, each owned.
static oy_status copy_arguments(const call* c, oy_stack* stack) {
  for (size_t i = 0; i < c->arguments->size; i++, stack->size++)
    OY_TRY(oy_value_copy(c->arguments->data[i], &stack->data[i]));
  if (!c->exception || !c->exception->symmetric) return OY_OK;
  oy_tensor *turned = oy_mH(c->leaves[0]),
            *sum = oy_add_Tensor(c->leaves[0], turned, ALPHA1),
            *half = sum ? oy_mul_Scalar(sum, oy_float(0.5)) : NULL;
  if (!half) return OY_OUT_OF_MEMORY;
  oy_value_release(&stack->data[0]);
  stack->data[0] = oy_value_tensor(half);
  return oy_value_own(&stack->data[0]);
}
// The inputs are those that |data| has among its arguments.
static oy_status run(void* data, oy_tensor* const* inputs, size_t count,
                     oy_tensor** outputs, size_t* out_count) {
  (void)inputs, (void)count;
  call* c = data;
  oy_value storage[GOLDEN_VALUES_MAX];
  oy_stack stack;
  oy_stack_init(&stack, storage, GOLDEN_VALUES_MAX);
  oy_status status = copy_arguments(c, &stack);
  if (status == OY_OK) status = oy_op_call_boxed(c->op, &stack);
  *out_count = 0;
  for (size_t i = 0; status == OY_OK && i < stack.size; i++) {
    oy_value v = stack.data[i];
    if (v.tag == OY_TAG_TENSOR) add_output(v.as.object, outputs, out_count);
    for (size_t k = 0; v.tag == OY_TAG_TENSOR_LIST && k < v.count; k++)
      add_output(v.as.tensors[k], outputs, out_count);
  }
  oy_stack_reset(&stack);
  return status;
}

// Whether there is something to differentiate, and it is finite and small.
static bool is_differentiable(call* c) {
  oy_tensor* outputs[OY_GRADCHECK_OUTPUTS];
  size_t count = 0;
  oy_scope scope;
  oy_scope_open(&scope);
  bool good = run(c, c->leaves, c->count, outputs, &count) == OY_OK && count > 0;
  for (size_t i = 0; good && i < count; i++)
    good = is_finite(outputs[i]) && oy_tensor_numel(outputs[i]) <= ELEMENTS_MAX;
  oy_scope_close(&scope);
  return good;
}

// -------------------------------------------------------------------- every call

static tried* entry_of(state* s, const char* name) {
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->ops[i].name, name) == 0) return &s->ops[i];
  assert_true(s->count < OPS_MAX);
  snprintf(s->ops[s->count].name, sizeof(s->ops[0].name), "%s", name);
  return &s->ops[s->count++];
}

// What PyTorch does not differentiate further fails, and says so.
static bool is_right(state* s, int* right, oy_status status) {
  s->unknown += status == OY_NOT_IMPLEMENTED;
  *right += status == OY_OK;
  return status == OY_OK || status == OY_NOT_IMPLEMENTED;
}
static void try_call(state* s, tried* t, call* c) {
  t->calls++;
  if (is_right(s, &s->once, oy_gradcheck(run, c, c->leaves, c->count, NULL)) &&
      is_right(s, &s->twice, oy_gradgradcheck(run, c, c->leaves, c->count, NULL)))
    return;
  t->wrong++;
  if (!c->exception || t->wrong > c->exception->wrong)
    print_error("%s: %s\n", t->name, oy_error_get()->message);
}

static const exception* exception_of(const char* op) {
  for (size_t i = 0; i < sizeof(g_exceptions) / sizeof(*g_exceptions); i++)
    if (strcmp(g_exceptions[i].op, op) == 0) return &g_exceptions[i];
  return NULL;
}
static void check_one(void* context, golden_call* golden) {
  state* s = context;
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(golden->op));
  const oy_schema* schema = op ? oy_op_schema(op) : NULL;
  if (!schema || writes(schema)) return;
  oy_value storage[GOLDEN_VALUES_MAX];
  oy_stack arguments;
  oy_stack_init(&arguments, storage, GOLDEN_VALUES_MAX);
  if (golden_push(golden, op, &arguments) == OY_OK) {
    call c = {.op = op, .arguments = &arguments, .exception = exception_of(golden->op)};
    c.fits = true;
    make_leaves(&c);
    if (c.fits && c.count && is_differentiable(&c)) {
      tried* t = entry_of(s, golden->op);
      if (t->calls < CALLS_MAX) try_call(s, t, &c);
    }
  }
  oy_error_clear();
  oy_stack_reset(&arguments);
}

static void differences_agree(void** test_state) {
  (void)test_state;
  state* s = calloc(1, sizeof(*s));
  assert_non_null(s);
  golden_each(GOLDEN_FILE, check_one, s);
  int wrong = 0;
  for (size_t i = 0; i < s->count; i++) {
    const exception* e = exception_of(s->ops[i].name);
    wrong += s->ops[i].wrong > (e ? e->wrong : 0);
  }
  print_message("%zu operators: gradients of %d calls, theirs of %d; %d have none\n",
                s->count, s->once, s->twice, s->unknown);
  assert_int_equal(wrong, 0);
  assert_true(s->count >= 190 && s->once >= 500 && s->twice >= 480);
  free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_agree),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
