// SPDX-License-Identifier: Apache-2.0
// From an expression to a kernel that runs it: the source for the dtypes of the operands,
// which of them are numbers, and the form (flat, or strided and broadcast).
#include <stdlib.h>

#include "driver.h"
#include "pointwise.h"

#include "text.h"

enum {
  TRUTH = 1,
  SCALAR = 2,
  WHOLE = 4,
  FLOOR = 8,
  RANDOM = 16,
  REAL = 32,
  BITS = 64,
  APART = 128,
  // Those that need not keep their order, nor be computed alone.
  VECTORS = TRUTH | REAL | BITS | APART
};
enum { NUMBER = 255 };  // in place of an operand's dtype
// Steps of a work-item where these are few, and where there is one for each element.
enum { CPU_BLOCK = 1024, CPU_WIDTH = 16, GPU_WIDTH = 4, GPU_GROUP = 128 };
// Of general kernels: expressions in one of them; steps that are loaded at once.
enum { TOGETHER = 16, CPU_STEPS = 32 };

static const struct {
  const char *real, *whole, *truth;
  int flags;
} g_expressions[] = {
#define GPU_EXPRESSION(id, flags, real, whole, truth) {real, whole, truth, flags},
#include "expressions.def"
#undef GPU_EXPRESSION
};

bool gpu_expression_is_random(gpu_expression e) {
  return g_expressions[e].flags & RANDOM;
}

// What the source depends on.
typedef struct form {
  gpu_expression expression;
  oy_dtype compute, out;
  uint8_t in[GPU_INPUTS];  // dtype, or NUMBER
  int inputs;
  bool flat;
  int width, block;
} form;

static const char* text_of(gpu_expression e, oy_dtype compute) {
  const char* text = g_expressions[e].real;
  if (oy_dtype_is_integral(compute, true) && g_expressions[e].whole)
    text = g_expressions[e].whole;
  if (compute == OY_DTYPE_BOOL && g_expressions[e].truth) text = g_expressions[e].truth;
  return text;
}

// The element type of the conditions that vectors of |dtype| give.
static const char* condition_type(oy_dtype dtype) {
  size_t size = oy_dtype_size(dtype);
  return size == 8 ? "long" : size == 4 ? "int" : size == 2 ? "short" : "char";
}

static void add_operands(gpu_text* t, const form* f) {
  gpu_text_append(t, "#define PARAMETERS __global char* o_p, long o_o");
  for (int k = 0; k < f->inputs; k++)
    gpu_text_add(
        t, f->in[k] == NUMBER ? ", S %c_n" : ", __global const char* %c_p, long %c_o",
        'a' + k, 'a' + k);
  gpu_text_append(t, "\n#define MOVE o_p += o_o;");
  for (int k = 0; k < f->inputs; k++)
    if (f->in[k] != NUMBER) gpu_text_add(t, " %c_p += %c_o;", 'a' + k, 'a' + k);
  gpu_text_append(t, "\n#define SCALARS");
  for (int k = 0; k < GPU_INPUTS; k++) {
    char name = (char)('a' + k);
    if (k >= f->inputs)
      gpu_text_add(t, " const S %c = 0;", name);
    else if (f->in[k] == NUMBER)
      gpu_text_add(t, " const S %c = %c_n;", name, name);
    else
      gpu_text_add(t, " const S %c = LD(%s, %c_p, PLACE(%d));", name,
                   gpu_tag_name(f->in[k]), name, k + 1);
  }
  gpu_text_append(t, "\n#define VECTORS");
  for (int k = 0; k < GPU_INPUTS; k++) {
    char name = (char)('a' + k);
    if (k >= f->inputs)
      gpu_text_add(t, " const V %c = (V)(S)0;", name);
    else if (f->in[k] == NUMBER)
      gpu_text_add(t, " const V %c = (V)%c_n;", name, name);
    else
      gpu_text_add(t, " const V %c = LDV(%s, %c_p, i);", name, gpu_tag_name(f->in[k]),
                   name);
  }
  gpu_text_append(t, "\n");
}

static char* make_source(const gpu_device* device, const void* what) {
  const form* f = what;
  gpu_text t = {0};
  int flags = g_expressions[f->expression].flags;
  bool f64 = f->compute == OY_DTYPE_F64 || f->out == OY_DTYPE_F64;
  for (int k = 0; k < f->inputs; k++) f64 = f64 || f->in[k] == OY_DTYPE_F64;
  (void)device;
  gpu_text_begin(&t, f->compute, f->width, f64);
  gpu_text_add(&t, "#define EXPRESSION (%s)\n#define OUT %s\n#define BLOCK %d\n",
               text_of(f->expression, f->compute), gpu_tag_name(f->out), f->block);
  gpu_text_add(&t, "#define OPERANDS %d\n", f->inputs + 1);
  if (flags & TRUTH) gpu_text_add(&t, "#define TRUTH %s\n", condition_type(f->compute));
  if (flags & WHOLE) gpu_text_append(&t, "#define WHOLE_MATH\n");
  if (flags & FLOOR) gpu_text_append(&t, "#define FLOOR_MATH\n");
  if (flags & RANDOM) gpu_text_append(&t, "#define RANDOM_MATH\n");
  if (f->flat) gpu_text_append(&t, "#define FLAT\n");
  add_operands(&t, f);
  gpu_text_append(&t, gpu_text_expressions);
  gpu_text_append(&t, gpu_text_pointwise);
  return gpu_text_take(&t);
}

// Vectors are for what is computed in 4 or 8 bytes, and stored as that or as a float.
static int width_of(const gpu_device* d, const form* f) {
  int flags = g_expressions[f->expression].flags;
  if (!f->flat || f->inputs == 0 || (flags & ~VECTORS) || oy_dtype_size(f->compute) < 4)
    return 1;
  if ((flags & APART) && f->compute == OY_DTYPE_F64) return 1;
  if (flags & TRUTH ? f->out != OY_DTYPE_BOOL
                    : oy_dtype_size(f->out) < 4 && !oy_dtype_is_floating(f->out))
    return 1;
  return d->is_cpu ? CPU_WIDTH : GPU_WIDTH;
}

// Whether all operands begin where vectors of |width| can be moved at once.
static bool is_aligned(const gpu_point* p, const oy_tensor* out, int width) {
  for (int k = -1; k < p->inputs; k++) {
    const oy_tensor* t = k < 0 ? out : p->in[k];
    if (!t) continue;
    size_t bytes = oy_dtype_size(t->dtype) * (size_t)width;
    if (oy_tensor_byte_offset(t) % (bytes > 16 ? 16 : bytes)) return false;
  }
  return true;
}

static form form_of(const gpu_point* p, const oy_tensor* out, bool flat) {
  form f;
  memset(&f, 0, sizeof(f));
  f.expression = p->expression;
  f.compute = p->compute;
  f.out = out->dtype;
  f.inputs = p->inputs;
  for (int k = 0; k < p->inputs; k++) f.in[k] = p->in[k] ? p->in[k]->dtype : NUMBER;
  f.flat = flat;
  f.width = width_of(p->device, &f);
  if (p->device->wants_aligned && !is_aligned(p, out, f.width)) f.width = 1;
  f.block = p->device->is_cpu ? CPU_BLOCK : f.width;
  return f;
}

static oy_status kernel_of(gpu_device* d, const form* f, gpu_kernel** out_kernel) {
  uint64_t key[8] = {'P', (uint64_t)f->expression,
                     (uint64_t)f->compute | (uint64_t)f->out << 8 |
                         (uint64_t)f->inputs << 16 | (uint64_t)f->flat << 24,
                     (uint64_t)f->in[0] | (uint64_t)f->in[1] << 8 |
                         (uint64_t)f->in[2] << 16 | (uint64_t)f->width << 24};
  return gpu_kernel_get(d, key, make_source, f, out_kernel);
}

// A number as the kernel takes it: in the type that is computed in.
static void push_number(gpu_launch* l, oy_dtype dtype, oy_scalar s) {
  double d = gpu_double(s);
  int64_t i = gpu_int(s);
  if (dtype == OY_DTYPE_F64) {
    gpu_arg(l, &d, sizeof(d));
  } else if (dtype == OY_DTYPE_F32) {
    float f = (float)d;
    gpu_arg(l, &f, sizeof(f));
  } else if (dtype == OY_DTYPE_BOOL) {
    uint8_t truth = d != 0;
    gpu_arg(l, &truth, 1);
  } else {
    gpu_arg(l, &i, oy_dtype_size(dtype));  // its low bytes
  }
}

// Tensors of the CPU become numbers.
static oy_status settle_inputs(gpu_point* p) {
  for (int k = 0; k < p->inputs; k++) {
    if (!p->in[k] || gpu_is_here(p->in[k])) continue;
    OY_TRY(oy_tensor_item(p->in[k], &p->constant[k]));
    OY_CHECK(p->constant[k].tag != OY_TAG_COMPLEX, NOT_IMPLEMENTED,
             "kernels of %s take no complex numbers", gpu_driver_title);
    p->in[k] = NULL;
  }
  return OY_OK;
}

static oy_status push_arguments(gpu_launch* l, const gpu_point* p, oy_tensor* out,
                                int64_t n) {
  OY_TRY(gpu_arg_tensor(l, out));
  for (int k = 0; k < p->inputs; k++) {
    if (p->in[k])
      OY_TRY(gpu_arg_tensor(l, p->in[k]));
    else
      push_number(l, p->compute, p->constant[k]);
  }
  for (int k = 0; k < GPU_NUMBERS; k++)
    push_number(l, p->compute, k < p->numbers ? p->number[k] : oy_int(0));
  gpu_arg_long(l, (int64_t)p->seed);
  gpu_arg_long(l, (int64_t)p->offset);
  gpu_arg_long(l, n);
  return OY_OK;
}

// ------------------------------------------------------------------ general kernels

typedef struct group {
  int first;  // expression
  oy_dtype compute;
} group;

static bool is_general(gpu_expression e, oy_dtype compute) {
  const int flags = g_expressions[e].flags;
  const bool whole = oy_dtype_is_integral(compute, true);
  return !(flags & (RANDOM | (whole ? REAL | FLOOR : BITS | WHOLE)));
}

static void add_cases(gpu_text* t, const gpu_device* device, const group* g) {
  gpu_text_append(t, "#define CASES");
  for (int e = g->first; e < g->first + TOGETHER && e < GPU_EXPRESSION_COUNT; e++)
    if (is_general((gpu_expression)e, g->compute))
      gpu_text_add(t, " case %d: return (S)(%s);", e - g->first,
                   text_of((gpu_expression)e, g->compute));
  for (int stores = 0; stores < 2; stores++) {
    gpu_text_append(t, stores ? "\n#define STORES" : "\n#define LOADS");
    for (int d = 0; d < OY_DTYPE_LIMIT; d++)
      if (gpu_tag_name((oy_dtype)d) && (d != OY_DTYPE_F64 || device->has_f64))
        gpu_text_add(t,
                     stores ? " case %d: ST(%s, p, i, x); return;"
                            : " case %d: return LD(%s, p, i);",
                     d, gpu_tag_name((oy_dtype)d));
  }
}

static char* make_general(const gpu_device* device, const void* what) {
  const group* g = what;
  gpu_text t = {0};
  gpu_text_begin(&t, g->compute, 1, device->has_f64);
  gpu_text_add(&t, "#define BLOCK %d\n#define STEPS %d\n", device->is_cpu ? CPU_BLOCK : 1,
               device->is_cpu ? CPU_STEPS : 1);
  gpu_text_append(&t, oy_dtype_is_integral(g->compute, true) ? "#define WHOLE_MATH\n"
                                                             : "#define FLOOR_MATH\n");
  add_cases(&t, device, g);
  gpu_text_append(&t, "\n#define NOT_UNROLLED _Pragma(\"unroll 1\")\n");
  gpu_text_append(&t, gpu_text_expressions);
  gpu_text_append(&t, gpu_text_general);
  return gpu_text_take(&t);
}

// Elements up to which a call is small: what its own kernel would save is less than the
// launch takes. OPYARD_GPU_GENERAL=n takes another number, for tests.
static int64_t general_most(void) {
  const char* asked = getenv("OPYARD_GPU_GENERAL");
  return asked ? atoll(asked) : 2048;
}

// Whether a call of |n| elements takes the kernel that its expression shares. What can be
// computed in vectors, and is of one dtype (conditions besides), has one of its own.
static bool takes_general(const gpu_point* p, const form* f, int64_t n) {
  oy_dtype one = f->out == OY_DTYPE_BOOL ? OY_DTYPE_ANY : f->out;
  bool is_mixed = false, has_f64 = f->out == OY_DTYPE_F64;
  for (int k = 0; k < f->inputs; k++) {
    has_f64 = has_f64 || f->in[k] == OY_DTYPE_F64;
    if (f->in[k] == NUMBER || f->in[k] == OY_DTYPE_BOOL) continue;
    if (one == OY_DTYPE_ANY) one = (oy_dtype)f->in[k];
    is_mixed = is_mixed || f->in[k] != one;
  }
  if (f->width > 1 && !is_mixed && n >= f->width) return false;
  if (has_f64 && !p->device->has_f64) return false;
  return is_general(p->expression, p->compute) && n <= general_most();
}

static oy_status run_general(const gpu_point* p, oy_tensor* out, const gpu_geometry* g,
                             int64_t n) {
  const group which = {(int)p->expression / TOGETHER * TOGETHER, p->compute};
  const uint64_t key[8] = {'G', (uint64_t)which.first, p->compute};
  uint32_t kinds = out->dtype;
  gpu_kernel* kernel;
  gpu_launch l;
  OY_TRY(gpu_kernel_get(p->device, key, make_general, &which, &kernel));
  gpu_launch_begin(&l, p->device);
  OY_TRY(gpu_arg_tensor(&l, out));
  for (int k = 0; k < GPU_INPUTS; k++) {
    oy_tensor* in = k < p->inputs ? p->in[k] : NULL;
    kinds |= (uint32_t)(in ? in->dtype : NUMBER) << 8 * (k + 1);
    OY_TRY(gpu_arg_tensor(&l, in ? in : out));
  }
  for (int k = 0; k < GPU_INPUTS; k++)
    push_number(&l, p->compute, k < p->inputs && !p->in[k] ? p->constant[k] : oy_int(0));
  gpu_arg_int(&l, (int32_t)kinds);
  gpu_arg_int(&l, (int)p->expression - which.first);
  for (int k = 0; k < GPU_NUMBERS; k++)
    push_number(&l, p->compute, k < p->numbers ? p->number[k] : oy_int(0));
  gpu_arg_long(&l, n);
  gpu_arg(&l, g, sizeof(*g));
  const bool is_cpu = p->device->is_cpu;
  const size_t block = is_cpu ? CPU_BLOCK : 1;
  return gpu_launch_run(&l, kernel, ((size_t)n + block - 1) / block,
                        is_cpu ? 1 : GPU_GROUP);
}

// ----------------------------------------------------------------------------- calls

oy_status gpu_point_run(gpu_point* p, oy_tensor* out) {
  gpu_geometry g;
  gpu_kernel* kernel;
  gpu_launch l;
  oy_ints shape = oy_tensor_sizes(out);
  int64_t n = gpu_numel(shape);
  if (n == 0) return OY_OK;
  OY_CHECK(p->compute != OY_DTYPE_F64 || p->device->has_f64, NOT_IMPLEMENTED,
           "%s:%d (%s) has no float64", gpu_driver_name, p->device->index,
           p->device->name);
  OY_TRY(settle_inputs(p));
  oy_tensor* operands[1 + GPU_INPUTS] = {out, p->in[0], p->in[1], p->in[2]};
  bool in_order = g_expressions[p->expression].flags & (RANDOM | SCALAR);
  OY_TRY(gpu_geometry_of(&g, shape, operands, 1 + p->inputs, in_order));
  form f = form_of(p, out, gpu_geometry_is_flat(&g, operands, 1 + p->inputs));
  if (takes_general(p, &f, n)) return run_general(p, out, &g, n);
  OY_TRY(kernel_of(p->device, &f, &kernel));
  gpu_launch_begin(&l, p->device);
  OY_TRY(push_arguments(&l, p, out, n));
  if (!f.flat) gpu_arg(&l, &g, sizeof(g));
  size_t items = ((size_t)n + (size_t)f.block - 1) / (size_t)f.block;
  return gpu_launch_run(&l, kernel, items, p->device->is_cpu ? 1 : GPU_GROUP);
}

// ------------------------------------------------------------------ copies and fills

oy_status gpu_copy_elements(gpu_device* device, oy_tensor* to, oy_tensor* from) {
  gpu_point p = {.device = device, .expression = GPU_EXPRESSION_copy, .inputs = 1};
  p.in[0] = from;
  p.compute = gpu_compute_dtype(from->dtype);
  return gpu_point_run(&p, to);
}

oy_status gpu_fill_elements(gpu_device* device, oy_tensor* to, oy_scalar value) {
  gpu_point p = {.device = device, .expression = GPU_EXPRESSION_fill, .numbers = 1};
  p.number[0] = value;
  p.compute = gpu_compute_dtype(to->dtype);
  return gpu_point_run(&p, to);
}
