// SPDX-License-Identifier: Apache-2.0
// The rows by opyard. Small operators are called through their typed functions, as a
// program would; operators that a build may not have are found by name and called boxed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops_rows.h"

static const int64_t g_all[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 0};
static const int64_t g_some[] = {100, 10000, 1000000, 0};
static const int64_t g_sides[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 0};
static const int64_t g_images[] = {7, 28, 112, 0};
static const int64_t g_lengths[] = {16, 128, 1024, 0};
static const int64_t g_views[] = {4, 0};
static const int64_t g_graphs[] = {1, 64, 10000, 0};

const ops_kind ops_kinds[] = {
    {"add", g_all},
    {"add out=", g_all},
    {"add transposed", g_all},
    {"add broadcast", g_all},
    {"exp", g_all},
    {"sum", g_all},
    {"sum rows", g_some},
    {"sum columns", g_some},
    {"softmax", g_some},
    {"layer_norm", g_some},
    {"index_select", g_some},
    {"sort", g_some},
    {"mm f32", g_sides},
    {"mm out= f32", g_sides},
    {"mm bf16", g_sides},
    {"mm int8", g_sides},
    {"conv2d", g_images},
    {"attention", g_lengths},
    {"empty", g_all},
    {"t", g_views},
    {"slice", g_views},
    {"narrow", g_views},
    {"select", g_views},
    {"view", g_views},
    {"expand", g_views},
    {"permute", g_views},
    {"squeeze", g_views},
    {"unsqueeze", g_views},
    {"detach", g_views},
    {"chain", g_graphs},
    {"chain graph", g_graphs},
    {"chain backward", g_graphs},
};
const size_t ops_kind_count = BENCH_COUNT(ops_kinds);

bool ops_has_side(const char* op) {
  return strncmp(op, "mm", 2) == 0 || strcmp(op, "conv2d") == 0 ||
         strcmp(op, "attention") == 0;
}

// ----------------------------------------------------------------------- memory

static void* allocate(size_t size) {
  void* block = aligned_alloc(64, (size + 63) / 64 * 64);
  if (!block) bench_die("out of memory");
  return block;
}

const ops_memory* ops_memory_get(void) {
  static ops_memory m;
  if (m.a) return &m;
  const size_t most = OPS_MOST, square = (size_t)OPS_SIDE * OPS_SIDE;
  m.a = allocate(most * sizeof(float));
  m.b = allocate(most * sizeof(float));
  m.c = allocate(most * sizeof(float));
  m.a_bf16 = allocate(square * sizeof(uint16_t));
  m.b_bf16 = allocate(square * sizeof(uint16_t));
  m.a_i8 = allocate(square);
  m.b_i8 = allocate(square);
  m.index = allocate(OPS_SIDE * 2 * sizeof(int64_t));
  uint32_t random = 1;
  for (size_t i = 0; i < most; i++) {
    random = random * 1664525u + 1013904223u;
    m.a[i] = (float)(random >> 8) / (float)(1 << 24);
    m.b[i] = 1 - m.a[i];
    m.c[i] = 0;
  }
  // The upper half of a float is a bfloat16.
  for (size_t i = 0; i < square; i++) {
    uint32_t bits;
    memcpy(&bits, &m.a[i], sizeof(bits));
    m.a_bf16[i] = m.b_bf16[i] = (uint16_t)(bits >> 16);
    m.a_i8[i] = m.b_i8[i] = (int8_t)(bits >> 15);
  }
  for (int64_t i = 0; i < 2 * OPS_SIDE; i++) m.index[i] = 0;
  return &m;
}

static oy_tensor* view_of(void* data, oy_ints sizes, oy_ints strides, oy_dtype dtype) {
  const oy_tensor_memory memory = {
      .data = data, .nbytes = OPS_MOST * sizeof(uint16_t), .device = oy_device_cpu()};
  oy_tensor_memory whole = memory;
  if (dtype == OY_DTYPE_F32) whole.nbytes = OPS_MOST * sizeof(float);
  if (dtype == OY_DTYPE_BF16) whole.nbytes = (size_t)OPS_SIDE * OPS_SIDE * 2;
  if (dtype == OY_DTYPE_I8) whole.nbytes = (size_t)OPS_SIDE * OPS_SIDE;
  if (dtype == OY_DTYPE_I64) whole.nbytes = (size_t)OPS_SIDE * 2 * sizeof(int64_t);
  oy_tensor* t = oy_tensor_from_memory(&whole, sizes, strides, dtype);
  if (!t) bench_die("%s", oy_error_get()->message);
  return t;
}

static oy_tensor* whole(void* data, oy_ints sizes, oy_dtype dtype) {
  return view_of(data, sizes, (oy_ints){NULL, 0}, dtype);
}

// ------------------------------------------------------------------------- calls

#define CALLS(name, call)                                 \
  static void run_##name(const ops_row* r, long n) {      \
    for (long i = 0; i < n; i++) oy_tensor_release(call); \
  }
CALLS(add, oy_add_Tensor(r->a, r->b, oy_int(1)))
CALLS(exp, oy_exp(r->a))
CALLS(mm, oy_mm(r->a, r->b))
CALLS(sum, oy_sum(r->a, oy_none()))
CALLS(empty, oy_tensor_empty(OY_DIMS(r->size), OY_DTYPE_F32, oy_device_cpu()))
CALLS(t, oy_t(r->a))
CALLS(slice, oy_slice_Tensor(r->a, 0, oy_int(0), oy_int(1), 1))
CALLS(narrow, oy_narrow(r->a, 0, 0, 1))
CALLS(select, oy_select_int(r->a, 0, 1))
CALLS(view, oy_view(r->a, OY_DIMS(r->size)))
CALLS(expand, oy_expand(r->a, OY_DIMS(2, -1, -1), false))
CALLS(permute, oy_permute(r->a, OY_DIMS(1, 0)))
CALLS(squeeze, oy_squeeze_dim(r->a, 0))
CALLS(unsqueeze, oy_unsqueeze(r->a, 0))
CALLS(detach, oy_detach(r->a))
static void run_mm_out(const ops_row* r, long n) {
  for (long i = 0; i < n; i++) (void)oy_mm_out(r->a, r->b, r->c);
}
static void run_add_out(const ops_row* r, long n) {
  for (long i = 0; i < n; i++) (void)oy_add_out(r->a, r->b, oy_int(1), r->c);
}
// (a * b + c).sum(), with a graph if they are leaves that need gradients.
static oy_tensor* chain(const ops_row* r) {
  oy_tensor* product = oy_mul_Tensor(r->a, r->b);
  oy_tensor* sum = oy_add_Tensor(product, r->c, oy_int(1));
  oy_tensor* result = oy_sum(sum, oy_none());
  oy_tensor_release(product);
  oy_tensor_release(sum);
  return result;
}
CALLS(chain, chain(r))
static void run_chain_backward(const ops_row* r, long n) {
  for (long i = 0; i < n; i++) {
    oy_tensor* result = chain(r);
    if (oy_set_grad(r->a, NULL) || oy_set_grad(r->b, NULL) || oy_set_grad(r->c, NULL) ||
        oy_backward(result, NULL, false))
      bench_die("%s", oy_error_get()->message);
    oy_tensor_release(result);
  }
}
static void run_boxed(const ops_row* r, long n) {
  for (long i = 0; i < n; i++) {
    oy_value storage[8];
    oy_stack stack;
    oy_stack_init(&stack, storage, BENCH_COUNT(storage));
    memcpy(storage, r->arguments, r->argument_count * sizeof(oy_value));
    stack.size = r->argument_count;
    if (oy_op_call_boxed(r->by_name, &stack) != OY_OK)
      bench_die("%s: %s", r->op, oy_error_get()->message);
    oy_stack_reset(&stack);
  }
}

// Arguments after the tensor, as the schema has them.
static void put_arguments(ops_row* r, oy_value first, oy_value second, size_t count) {
  r->arguments[0] = oy_value_tensor(r->a);
  r->arguments[1] = first;
  r->arguments[2] = second;
  r->argument_count = count;
}

static const struct {
  const char *op, *name;
  void (*run)(const ops_row* row, long n);
} g_calls[] = {
    {"add", NULL, run_add},
    {"add out=", NULL, run_add_out},
    {"add transposed", NULL, run_add},
    {"add broadcast", NULL, run_add},
    {"exp", NULL, run_exp},
    {"sum", NULL, run_sum},
    {"mm f32", NULL, run_mm},
    {"mm out= f32", NULL, run_mm_out},
    {"mm bf16", NULL, run_mm},
    {"mm int8", "aten::_int_mm", run_boxed},
    {"conv2d", "aten::conv2d", run_boxed},
    {"attention", "aten::scaled_dot_product_attention", run_boxed},
    {"empty", NULL, run_empty},
    {"t", NULL, run_t},
    {"slice", NULL, run_slice},
    {"narrow", NULL, run_narrow},
    {"select", NULL, run_select},
    {"view", NULL, run_view},
    {"expand", NULL, run_expand},
    {"permute", NULL, run_permute},
    {"squeeze", NULL, run_squeeze},
    {"unsqueeze", NULL, run_unsqueeze},
    {"detach", NULL, run_detach},
    {"chain", NULL, run_chain},
    {"chain graph", NULL, run_chain},
    {"chain backward", NULL, run_chain_backward},
    {"sum rows", "aten::sum.dim_IntList", run_boxed},
    {"sum columns", "aten::sum.dim_IntList", run_boxed},
    {"softmax", "aten::softmax.int", run_boxed},
    {"layer_norm", "aten::layer_norm", run_boxed},
    {"index_select", "aten::index_select", run_boxed},
    {"sort", "aten::sort", run_boxed},
};

static void set_convolution(ops_row* r) {
  static const int64_t ones[2] = {1, 1};
  const oy_value pair = oy_value_list(OY_TAG_INT_LIST, ones, 2);
  put_arguments(r, oy_value_tensor(r->b), oy_none(), 7);
  r->arguments[3] = r->arguments[4] = r->arguments[5] = pair;
  r->arguments[6] = oy_int(1);
}

static void set_attention(ops_row* r) {
  put_arguments(r, oy_value_tensor(r->b), oy_value_tensor(r->c), 8);
  r->arguments[3] = oy_none();
  r->arguments[4] = oy_float(0);
  r->arguments[5] = oy_bool(false);
  r->arguments[6] = oy_none();
  r->arguments[7] = oy_bool(false);
}

static void set_boxed(ops_row* r, int64_t side) {
  static const int64_t rows = 1, columns = 0;
  static int64_t last[64];  // lists that rows point to
  static size_t used;
  if (strncmp(r->op, "sum", 3) == 0) {
    const int64_t* dim = strcmp(r->op, "sum rows") == 0 ? &rows : &columns;
    put_arguments(r, oy_value_list(OY_TAG_INT_LIST, dim, 1), oy_bool(false), 4);
    r->arguments[3] = oy_none();
  } else if (strcmp(r->op, "mm int8") == 0) {
    put_arguments(r, oy_value_tensor(r->b), oy_none(), 2);
  } else if (strcmp(r->op, "conv2d") == 0) {
    set_convolution(r);
  } else if (strcmp(r->op, "attention") == 0) {
    set_attention(r);
  } else if (strcmp(r->op, "softmax") == 0) {
    put_arguments(r, oy_int(1), oy_none(), 3);
  } else if (strcmp(r->op, "index_select") == 0) {
    put_arguments(r, oy_int(0), oy_value_tensor(r->c), 3);
  } else if (strcmp(r->op, "sort") == 0) {
    put_arguments(r, oy_int(-1), oy_bool(false), 3);
  } else {  // layer_norm
    if (used == BENCH_COUNT(last)) bench_die("too many rows of layer_norm");
    last[used] = side;
    put_arguments(r, oy_value_list(OY_TAG_INT_LIST, &last[used++], 1), oy_none(), 6);
    r->arguments[3] = oy_none();
    r->arguments[4] = oy_float(1e-5);
    r->arguments[5] = oy_bool(false);
  }
}

// Of other shapes or types than a square of floats; false: it is no such operator.
static bool set_others(ops_row* r, int64_t side) {
  const ops_memory* m = ops_memory_get();
  const oy_ints square = OY_DIMS(side, side);
  if (strcmp(r->op, "mm bf16") == 0) {
    r->a = whole(m->a_bf16, square, OY_DTYPE_BF16);
    r->b = whole(m->b_bf16, square, OY_DTYPE_BF16);
  } else if (strcmp(r->op, "mm int8") == 0) {
    r->a = whole(m->a_i8, square, OY_DTYPE_I8);
    r->b = whole(m->b_i8, square, OY_DTYPE_I8);
  } else if (strcmp(r->op, "conv2d") == 0) {
    r->a = whole(m->a, OY_DIMS(1, OPS_CHANNELS, side, side), OY_DTYPE_F32);
    r->b = whole(m->b, OY_DIMS(OPS_CHANNELS, OPS_CHANNELS, 3, 3), OY_DTYPE_F32);
  } else if (strcmp(r->op, "attention") == 0) {
    const oy_ints heads = OY_DIMS(1, OPS_HEADS, side, OPS_HEAD);
    r->a = whole(m->a, heads, OY_DTYPE_F32);
    r->b = whole(m->b, heads, OY_DTYPE_F32);
    r->c = whole(m->a, heads, OY_DTYPE_F32);
  } else {
    return false;
  }
  return true;
}

static void set_tensors(ops_row* r, int64_t side) {
  const ops_memory* m = ops_memory_get();
  const char* op = r->op;
  oy_ints flat = OY_DIMS(r->size), square = OY_DIMS(side, side);
  bool is_flat = strcmp(op, "add") == 0 || strcmp(op, "add out=") == 0 ||
                 strcmp(op, "exp") == 0 || strcmp(op, "sum") == 0 ||
                 strcmp(op, "sort") == 0 || strncmp(op, "chain", 5) == 0;
  oy_ints sizes = is_flat ? flat : square;
  if (strcmp(op, "empty") == 0) return;
  if (set_others(r, side)) return;
  bool is_transposed = strcmp(op, "add transposed") == 0;
  bool is_broadcast = strcmp(op, "add broadcast") == 0;
  r->a = is_transposed ? view_of(m->a, sizes, OY_DIMS(1, side), OY_DTYPE_F32)
                       : whole(m->a, sizes, OY_DTYPE_F32);
  r->b = whole(m->b, is_broadcast ? OY_DIMS(side) : sizes, OY_DTYPE_F32);
  r->c = strcmp(op, "index_select") == 0 ? whole(m->index, OY_DIMS(side), OY_DTYPE_I64)
                                         : whole(m->c, sizes, OY_DTYPE_F32);
  if (strncmp(op, "chain ", 6) != 0) return;
  if (!oy_requires_grad_(r->a, true) || !oy_requires_grad_(r->b, true) ||
      !oy_requires_grad_(r->c, true))
    bench_die("%s", oy_error_get()->message);
}

bool ops_row_open(ops_row* row, const char* op, int64_t size) {
  *row = (ops_row){.op = op, .size = size};
  int64_t side = ops_has_side(op) ? size : (int64_t)sqrt((double)size);
  for (size_t i = 0; i < BENCH_COUNT(g_calls); i++) {
    if (strcmp(g_calls[i].op, op) != 0) continue;
    row->run = g_calls[i].run;
    const char* name = g_calls[i].name;
    if (name) row->by_name = oy_op_lookup(oy_registry_default(), oy_str_of(name));
    set_tensors(row, side < 1 ? 1 : side);
    if (row->by_name) set_boxed(row, side);
    return !name || row->by_name;
  }
  bench_die("no operator '%s'", op);
}

void ops_row_run(const void* row, long n) {
  const ops_row* r = row;
  r->run(r, n);
}
