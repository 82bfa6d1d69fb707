// SPDX-License-Identifier: Apache-2.0
// North's kernels: unary and binary pointwise ones for float32 without gaps, each a job on
// the current stream. What does not fit is left to the CPU, which also says what is wrong
// with bad arguments.
#include <math.h>

#include "north.h"

typedef enum which { NEG, ABS, EXP, SQRT, RELU, ADD, SUB, MUL, MAXIMUM } which;

typedef struct call {
  which op;
  int64_t n;
  const float *a, *b;
  float* to;
  float alpha;
} call;

static float compute(which op, float a, float b, float alpha) {
  switch (op) {
    case NEG: return -a;
    case ABS: return fabsf(a);
    case EXP: return expf(a);
    case SQRT: return sqrtf(a);
    case RELU: return a > 0 || isnan(a) ? a : 0;
    case ADD: return a + alpha * b;
    case SUB: return a - alpha * b;
    case MUL: return a * b;
    case MAXIMUM: return isnan(a) || a > b ? a : b;
  }
  return 0;
}

static void run(void* argument) {
  const call* c = argument;
  for (int64_t i = 0; i < c->n; i++)
    c->to[i] = compute(c->op, c->a[i], c->b ? c->b[i] : 0, c->alpha);
}

// ------------------------------------------------------------------------ arguments

static bool fits(oy_value v) {
  const oy_object* t = v.as.object;
  return v.tag == OY_TAG_TENSOR && oy_object_is_tensor(t) && t->dtype == OY_DTYPE_F32 &&
         oy_tensor_storage_context(t) && oy_tensor_numel(t) > 0 &&
         oy_tensor_is_contiguous(t, OY_MEMORY_CONTIGUOUS);
}

static bool same_shape(oy_value a, oy_value b) {
  const oy_ints x = oy_tensor_sizes(a.as.object), y = oy_tensor_sizes(b.as.object);
  return x.size == y.size && memcmp(x.data, y.data, x.size * sizeof(int64_t)) == 0 &&
         oy_device_equal(oy_tensor_device(a.as.object), oy_tensor_device(b.as.object));
}

static bool number(oy_value v, float* out) {
  *out = v.tag == OY_TAG_INT ? (float)v.as.i : (float)v.as.d;
  return v.tag == OY_TAG_INT || v.tag == OY_TAG_FLOAT;
}

// Launches |c| over tensors of the shape of |x|, and puts the result on the stack.
static oy_status launch(call c, const oy_tensor* x, oy_stack* stack, size_t arguments) {
  const oy_device device = oy_tensor_device(x);
  oy_tensor* result = oy_tensor_empty(oy_tensor_sizes(x), OY_DTYPE_F32, device);
  c.n = oy_tensor_numel(x);
  c.to = result ? north_memory(result) : NULL;
  oy_status status =
      result ? north_launch(device.index, run, &c, sizeof(c)) : oy_failure();
  oy_stack_drop(stack, arguments);
  if (status != OY_OK) {
    oy_tensor_release(result);
    return status;
  }
  oy_value v = oy_value_tensor(result);
  v.owned = 1;
  return oy_stack_push(stack, v);
}

// The state of a kernel says which one it is.
static which which_of(const oy_kernel* kernel) {
  return (which)(uintptr_t)kernel->user_data;
}

static oy_status unary(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 1);
  if (!fits(v[0])) return oy_cpu_fallback(op, keys, stack, NULL);
  const call c = {.op = which_of(kernel), .a = north_memory(v[0].as.object)};
  return launch(c, v[0].as.object, stack, 1);
}

static oy_status binary(const oy_op* op, oy_keyset keys, oy_stack* stack,
                        const oy_kernel* kernel) {
  const which what = which_of(kernel);
  const size_t arguments = what == ADD || what == SUB ? 3 : 2;
  const oy_value* v = oy_stack_last(stack, arguments);
  float alpha = 1;
  if (!fits(v[0]) || !fits(v[1]) || !same_shape(v[0], v[1]) ||
      (arguments == 3 && !number(v[2], &alpha)))
    return oy_cpu_fallback(op, keys, stack, NULL);
  const call c = {.op = what,
                  .a = north_memory(v[0].as.object),
                  .b = north_memory(v[1].as.object),
                  .alpha = alpha};
  return launch(c, v[0].as.object, stack, arguments);
}

// --------------------------------------------------------------------- registration

oy_status north_kernels(oy_library* library, oy_key key) {
  static const struct {
    const char* name;
    oy_boxed_fn fn;
    which op;
  } rows[] = {{"neg", unary, NEG},         {"abs", unary, ABS},
              {"exp", unary, EXP},         {"sqrt", unary, SQRT},
              {"relu", unary, RELU},       {"add.Tensor", binary, ADD},
              {"sub.Tensor", binary, SUB}, {"mul.Tensor", binary, MUL},
              {"maximum", binary, MAXIMUM}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    const oy_impl_params params = {
        .name = rows[i].name,
        .key = key,
        .kernel = {.boxed = rows[i].fn, .state = (void*)(uintptr_t)rows[i].op},
        .place = OY_HERE};
    OY_TRY(oy_library_impl(library, &params, NULL));
  }
  return OY_OK;
}
