// SPDX-License-Identifier: Apache-2.0
// The elementwise operators: from the arguments of a call to an expression, its operands
// and its numbers. Shapes, and what is refused, were settled by the Meta kernel.
#include <math.h>

#include "opyard/generator.h"
#include "opyard/ops.h"
#include "pointwise.h"
#include "rows.h"
#include "text.h"

typedef enum rule { SAME, FLOAT, MASK, OUT } rule;

typedef struct point_row {
  gpu_expression real, whole;
  rule dtypes;
  oy_status (*adapt)(gpu_call* c, gpu_point* p);
} point_row;

static bool is_number(oy_value v) {
  return v.tag == OY_TAG_INT || v.tag == OY_TAG_FLOAT || v.tag == OY_TAG_BOOL;
}

static const point_row* row_of(const gpu_call* c) {
  return c->row->data;
}

// Tensors are operands, numbers are numbers, in the order of the schema.
static void collect(const gpu_call* c, gpu_point* p) {
  for (size_t i = 0; i < c->arg_count - c->row->outs; i++) {
    oy_value v = c->args[i];
    if (gpu_is_tensor(v) && p->inputs < GPU_INPUTS) p->in[p->inputs++] = v.as.object;
    if (is_number(v) && p->numbers < GPU_NUMBERS) p->number[p->numbers++] = v;
  }
}

// ------------------------------------------------------------------------- dtypes

// What a tensor of |dtype| and a number promote to: the number counts by its kind alone.
static oy_dtype with_number(oy_dtype dtype, oy_scalar s) {
  if (s.tag == OY_TAG_FLOAT && oy_dtype_is_integral(dtype, true))
    return oy_dtype_default();
  if (s.tag == OY_TAG_INT && dtype == OY_DTYPE_BOOL) return OY_DTYPE_I64;
  return dtype;
}

static oy_status compute_dtype(const gpu_call* c, gpu_point* p) {
  rule dtypes = row_of(c)->dtypes;
  oy_dtype d = c->out[0]->dtype;
  if (dtypes != OUT) {
    int first = dtypes == MASK ? 1 : 0;
    OY_TRY(oy_result_type(p->in + first, (size_t)(p->inputs - first), &d));
  }
  if (dtypes == FLOAT && oy_dtype_is_integral(d, true)) d = oy_dtype_default();
  p->compute = gpu_compute_dtype(d);
  if (oy_dtype_is_integral(d, true)) p->expression = row_of(c)->whole;
  return OY_OK;
}

// Appends an operand that is a number.
static void add_constant(gpu_point* p, oy_scalar s) {
  p->in[p->inputs] = NULL;
  p->constant[p->inputs++] = s;
  p->compute = gpu_compute_dtype(with_number(p->compute, s));
}

// ------------------------------------------------------------------------ adapters

static oy_status PLAIN(gpu_call* c, gpu_point* p) {
  (void)c, (void)p;
  return OY_OK;
}

static oy_status REVERSED(gpu_call* c, gpu_point* p) {
  (void)c;
  oy_tensor* first = p->in[0];
  p->in[0] = p->in[1];
  p->in[1] = first;
  return OY_OK;
}

static oy_status ROUNDING(gpu_call* c, gpu_point* p) {
  oy_value mode = c->args[2];
  bool ints = oy_dtype_is_integral(p->compute, true);
  if (mode.tag == OY_TAG_NONE) {
    if (ints) p->compute = oy_dtype_default();
    p->expression = GPU_EXPRESSION_div;
  } else if (mode.as.chars[0] == 't') {
    p->expression = ints ? GPU_EXPRESSION_div_trunc_int : GPU_EXPRESSION_div_trunc;
  } else {
    p->expression = ints ? GPU_EXPRESSION_div_floor_int : GPU_EXPRESSION_div_floor;
  }
  return OY_OK;
}

static oy_status OTHER(gpu_call* c, gpu_point* p) {
  p->numbers = 0;
  add_constant(p, c->args[1]);
  return OY_OK;
}

// Exponents with an expression of their own, as on CPUs.
static bool special_power(gpu_point* p, double exponent) {
  static const struct {
    double exponent;
    gpu_expression expression;
    bool integers;
  } special[] = {
      {2, GPU_EXPRESSION_square, true},       {3, GPU_EXPRESSION_cube, false},
      {0.5, GPU_EXPRESSION_sqrt, false},      {-0.5, GPU_EXPRESSION_rsqrt, false},
      {-1, GPU_EXPRESSION_reciprocal, false}, {-2, GPU_EXPRESSION_inverse_square, false},
      {1, GPU_EXPRESSION_copy, false}};
  bool ints = oy_dtype_is_integral(p->compute, true);
  for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
    if (special[i].exponent == exponent && (!ints || special[i].integers) &&
        p->compute != OY_DTYPE_BOOL) {
      p->expression = special[i].expression;
      return true;
    }
  return false;
}

static oy_status POWER(gpu_call* c, gpu_point* p) {
  oy_scalar exponent = c->args[1];
  p->number[0] = exponent;
  p->numbers = 1;
  bool real = oy_dtype_is_floating(p->compute);
  if ((real || exponent.tag == OY_TAG_INT) && special_power(p, gpu_double(exponent)))
    return OY_OK;
  if (real) return OY_OK;
  add_constant(p, exponent);
  if (oy_dtype_is_floating(p->compute)) p->expression = GPU_EXPRESSION_pow;
  return OY_OK;
}

static oy_status BASE(gpu_call* c, gpu_point* p) {
  oy_tensor* exponent = p->in[0];
  p->inputs = p->numbers = 0;
  add_constant(p, c->args[0]);
  p->in[p->inputs++] = exponent;
  p->expression =
      oy_dtype_is_floating(p->compute) ? GPU_EXPRESSION_pow : GPU_EXPRESSION_pow_int;
  return OY_OK;
}

static oy_status BOUNDS(gpu_call* c, gpu_point* p) {
  if (p->expression == GPU_EXPRESSION_clamp && p->numbers == 1)
    p->expression = c->args[1].tag == OY_TAG_NONE ? GPU_EXPRESSION_clamp_max
                                                  : GPU_EXPRESSION_clamp_min;
  for (int k = 0; k < p->numbers; k++)
    p->compute = gpu_compute_dtype(with_number(p->compute, p->number[k]));
  return OY_OK;
}

static oy_status TENSOR_BOUNDS(gpu_call* c, gpu_point* p) {
  if (p->inputs == 2)
    p->expression =
        c->args[1].tag == OY_TAG_NONE ? GPU_EXPRESSION_minimum : GPU_EXPRESSION_maximum;
  return OY_OK;
}

static oy_status APPROXIMATE(gpu_call* c, gpu_point* p) {
  oy_value how = c->args[c->arg_count - c->row->outs - 1];
  if (how.tag == OY_TAG_STR && how.count == 4 && how.as.chars[0] == 't')
    p->expression = p->expression == GPU_EXPRESSION_gelu
                        ? GPU_EXPRESSION_gelu_tanh
                        : GPU_EXPRESSION_gelu_tanh_backward;
  return OY_OK;
}

static oy_status ELU(gpu_call* c, gpu_point* p) {
  p->number[0] = oy_float(gpu_double(p->number[0]) * gpu_double(p->number[1]));
  if (p->expression == GPU_EXPRESSION_elu_backward && c->args[4].as.i)
    p->expression = GPU_EXPRESSION_elu_backward_result;
  return OY_OK;
}

static oy_status ONLY_NUMBERS(gpu_call* c, gpu_point* p) {
  (void)c;
  p->inputs = 0;
  return OY_OK;
}

static oy_status SEQUENCE(gpu_call* c, gpu_point* p) {
  oy_value start = c->args[0], step = c->args[2];
  bool ints = oy_dtype_is_integral(p->compute, false);
  p->compute = ints ? OY_DTYPE_I64 : c->device->has_f64 ? OY_DTYPE_F64 : OY_DTYPE_F32;
  p->inputs = 0;
  p->numbers = 2;
  p->number[0] = start;
  p->number[1] = step;
  return OY_OK;
}

// ------------------------------------------------------------------- random numbers

// |per_step| numbers come of each step of the generator, the last argument.
static oy_status draw(gpu_call* c, gpu_point* p, uint64_t per_step) {
  oy_generator_state state;
  uint64_t n = (uint64_t)oy_tensor_numel(c->out[0]);
  OY_TRY(oy_generator_take(oy_value_to_tensor(c->args[c->arg_count - 1]), c->where,
                           (n + per_step - 1) / per_step, &state));
  p->inputs = 0;
  p->seed = state.seed;
  p->offset = state.offset;
  return OY_OK;
}

static oy_status UNIFORM(gpu_call* c, gpu_point* p) {
  oy_dtype d = c->out[0]->dtype;
  double from = gpu_double(c->args[1]);
  p->number[1] = oy_float(gpu_double(c->args[2]) - from);
  p->expression = d == OY_DTYPE_F64    ? GPU_EXPRESSION_uniform_f64
                  : d == OY_DTYPE_F16  ? GPU_EXPRESSION_uniform_f16
                  : d == OY_DTYPE_BF16 ? GPU_EXPRESSION_uniform_bf16
                                       : GPU_EXPRESSION_uniform_f32;
  return draw(c, p, d == OY_DTYPE_F64 ? 2 : 4);
}

static oy_status NORMAL(gpu_call* c, gpu_point* p) {
  bool is_double = c->out[0]->dtype == OY_DTYPE_F64;
  p->expression = is_double ? GPU_EXPRESSION_normal_f64 : GPU_EXPRESSION_normal_f32;
  return draw(c, p, is_double ? 2 : 4);
}

static oy_status EXPONENTIAL(gpu_call* c, gpu_point* p) {
  p->compute = OY_DTYPE_F64;
  return draw(c, p, 2);
}

static oy_status BERNOULLI(gpu_call* c, gpu_point* p) {
  p->compute = OY_DTYPE_I64;
  p->numbers = 3;
  p->number[0] = p->number[1] = oy_int(0);
  p->number[2] = oy_int((int64_t)ceil(gpu_double(c->args[1]) * 0x1p32) - 1);
  return draw(c, p, 4);
}

// One more than the greatest integer up to which |dtype| has all of them.
static uint64_t integers_of(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_BOOL: return 2;
    case OY_DTYPE_U8: return 256;
    case OY_DTYPE_I8: return 128;
    case OY_DTYPE_I16: return 32768;
    case OY_DTYPE_I32: return 1ull << 31;
    case OY_DTYPE_F16: return 2049;
    case OY_DTYPE_BF16: return 257;
    case OY_DTYPE_F32: return (1ull << 24) + 1;
    case OY_DTYPE_F64: return (1ull << 53) + 1;
    default: return 1ull << 63;
  }
}

static oy_status INTEGERS(gpu_call* c, gpu_point* p) {
  uint64_t end = integers_of(c->out[0]->dtype), base = 0;
  // (), (to) or (from, to?), then the generator
  if (c->arg_count == 3) end = (uint64_t)c->args[1].as.i;
  if (c->arg_count == 4) {
    base = (uint64_t)c->args[1].as.i;
    if (c->args[2].tag != OY_TAG_NONE) end = (uint64_t)c->args[2].as.i;
  }
  p->compute = OY_DTYPE_I64;
  p->numbers = 2;
  p->number[0] = oy_int((int64_t)base);
  p->number[1] = oy_int((int64_t)(end - base));
  return draw(c, p, 2);
}

// ---------------------------------------------------------------------------- rows

// Whether out= is wider than the 16-bit floats that its operands promote to: the result is
// one of those first.
static bool is_narrow(const gpu_call* c, const gpu_point* p, oy_dtype* out_dtype) {
  const oy_dtype wide = c->out[0]->dtype;
  const int first = row_of(c)->dtypes == MASK ? 1 : 0;
  if (row_of(c)->dtypes == OUT || (wide != OY_DTYPE_F32 && wide != OY_DTYPE_F64) ||
      p->compute != OY_DTYPE_F32 || p->inputs <= first)
    return false;
  for (int k = first; k < p->inputs; k++)
    if (!p->in[k]) return false;
  return oy_result_type(p->in + first, (size_t)(p->inputs - first), out_dtype) == OY_OK &&
         (*out_dtype == OY_DTYPE_F16 || *out_dtype == OY_DTYPE_BF16);
}

static oy_status run_narrow(gpu_point* p, oy_dtype dtype, oy_tensor* out) {
  oy_tensor* narrow = oy_tensor_empty(oy_tensor_sizes(out), dtype, oy_tensor_device(out));
  OY_CHECK(narrow, OUT_OF_MEMORY, "no memory for a result of %s", oy_dtype_name(dtype));
  oy_status status = gpu_point_run(p, narrow);
  if (status == OY_OK) status = gpu_copy_elements(p->device, out, narrow);
  oy_tensor_release(narrow);
  return status;
}

// A tensor without dimensions that is wider than the 16-bit floats which the operands
// promote to is one of those first.
static oy_status narrow_numbers(const gpu_call* c, gpu_point* p, oy_tensor** made) {
  const int first = row_of(c)->dtypes == MASK ? 1 : 0;
  oy_dtype dtype;
  if (row_of(c)->dtypes == OUT || p->compute != OY_DTYPE_F32 || p->inputs <= first)
    return OY_OK;
  OY_TRY(oy_result_type(p->in + first, (size_t)(p->inputs - first), &dtype));
  if (dtype != OY_DTYPE_F16 && dtype != OY_DTYPE_BF16) return OY_OK;
  for (int k = first; k < p->inputs; k++) {
    oy_tensor* t = p->in[k];
    if (!gpu_is_here(t) || oy_tensor_ndim(t) > 0 || t->dtype == dtype) continue;
    made[k] = gpu_plain(c, t, dtype);
    if (!made[k]) return oy_failure();
    p->in[k] = made[k];
  }
  return OY_OK;
}

static oy_status run_operands(gpu_call* c, gpu_point* p) {
  oy_dtype narrow;
  const bool rounds = is_narrow(c, p, &narrow);
  OY_TRY(row_of(c)->adapt(c, p));
  return rounds ? run_narrow(p, narrow, c->out[0]) : gpu_point_run(p, c->out[0]);
}

static oy_status run(gpu_call* c) {
  oy_tensor* made[GPU_INPUTS] = {NULL};
  gpu_point p = {.device = c->device, .expression = row_of(c)->real};
  collect(c, &p);
  OY_TRY(compute_dtype(c, &p));
  oy_status status = narrow_numbers(c, &p, made);
  if (status == OY_OK) status = run_operands(c, &p);
  for (int k = 0; k < GPU_INPUTS; k++) oy_tensor_release(made[k]);
  return status;
}

// log_sigmoid_forward(self) -> output, buffer: what the gradient wants is kept.
static oy_status log_sigmoid(gpu_call* c) {
  gpu_point p = {.device = c->device, .inputs = 1};
  for (int i = 0; i < 2; i++) {
    p.expression = i ? GPU_EXPRESSION_exp_minus_abs : GPU_EXPRESSION_log_sigmoid;
    p.compute = gpu_compute_dtype(c->args[0].as.object->dtype);
    p.in[0] = c->args[0].as.object;
    if (!c->out[i]) continue;
    const oy_dtype dtype = p.in[0]->dtype;
    const bool rounds = p.compute != dtype && c->out[i]->dtype != dtype;
    OY_TRY(rounds ? run_narrow(&p, dtype, c->out[i]) : gpu_point_run(&p, c->out[i]));
  }
  return OY_OK;
}

// Refuses a number that overflows |dtype|, as an element of the CPU does.
static oy_status check_fits(oy_scalar number, oy_dtype dtype) {
  if (dtype == OY_DTYPE_F64) return OY_OK;
  oy_tensor* element = oy_tensor_empty(oy_dims_none(), dtype, oy_device_cpu());
  const bool fits = element && oy_fill__Scalar(element, number);
  oy_tensor_release(element);
  return fits ? OY_OK : oy_failure();
}

// fill_(self, value): a tensor whose value may overflow is read.
static oy_status fill(gpu_call* c) {
  const oy_dtype to = c->out[0]->dtype;
  gpu_point p = {.device = c->device, .expression = GPU_EXPRESSION_fill, .numbers = 1};
  p.compute = gpu_compute_dtype(to);
  p.number[0] = c->args[1];
  if (gpu_is_tensor(c->args[1])) {
    oy_tensor* value = c->args[1].as.object;
    if (value->dtype == to && gpu_is_here(value))
      return gpu_copy_elements(c->device, c->out[0], value);
    OY_TRY(oy_tensor_item(value, &p.number[0]));
  }
  OY_TRY(check_fits(p.number[0], to));
  return gpu_point_run(&p, c->out[0]);
}

#define GPU_POINT(name, outs, expression, whole, rule, adapt) \
  {GPU_EXPRESSION_##expression, GPU_EXPRESSION_##whole, rule, adapt},
static const point_row g_data[] = {
#include "pointwise.def"
};
#undef GPU_POINT

enum { COUNT = sizeof(g_data) / sizeof(*g_data) };
#define GPU_POINT(name, outs, expression, whole, rule, adapt) \
  {name, run, NULL, outs, 0, NULL},
static gpu_row g_rows[] = {
#include "pointwise.def"
    {"fill_.Scalar", fill, NULL, 0, 0, NULL},
    {"fill_.Tensor", fill, NULL, 0, 0, NULL},
    {"log_sigmoid_forward", log_sigmoid, NULL, 0, 0, NULL},
    {"log_sigmoid_forward.output", log_sigmoid, NULL, 2, 0, NULL},
};
#undef GPU_POINT
enum { ROWS = sizeof(g_rows) / sizeof(*g_rows) };

gpu_rows gpu_rows_pointwise(void) {
  for (size_t i = 0; i < COUNT; i++) g_rows[i].data = &g_data[i];
  return (gpu_rows){g_rows, ROWS};
}
