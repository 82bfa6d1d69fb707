// SPDX-License-Identifier: Apache-2.0
#include "ops/drawn/drawn.h"

#include <math.h>

#include "support/tensors.h"

enum { CALLS_MAX = 2 };

// Numbers for functions that are defined in part: any, positive, between 0 and 1, above 1.
typedef enum range { ANY, POSITIVE, UNIT, ABOVE_ONE, RANGES } range;

static double in_range(range r, double x) {
  switch (r) {
    case POSITIVE: return fabs(x) + 0.1;
    case UNIT: return 0.05 + 0.9 * (fabs(x) - floor(fabs(x)));
    case ABOVE_ONE: return 1.1 + fabs(x);
    default: return x;
  }
}

typedef struct numbers {
  range range;
  int64_t made;
} numbers;

// No two of a call alike, and none where a function has a corner: multiples of the golden
// ratio.
static void change(void* data, oy_tensor* t) {
  static const double golden = 0.61803398874989485;
  numbers* m = data;
  const int64_t n = oy_tensor_numel(t) * (oy_dtype_is_complex(t->dtype) ? 2 : 1);
  double* x = oy_tensor_data(t);
  for (int64_t i = 0; i < n; i++) {
    const double step = (double)++m->made * golden;
    x[i] = in_range(m->range, x[i] / 2 + 0.37 * (step - floor(step)) + 0.013);
  }
}

// Whether it fits and was handed on.
static bool try_range(const drawn* d, const certify_sample* sample, range r,
                      unsigned without) {
  oy_value storage[CERTIFY_ARGUMENTS];
  oy_stack arguments;
  oy_stack_init(&arguments, storage, CERTIFY_ARGUMENTS);
  for (size_t i = 0; i < sample->schema->argument_count; i++)
    assert_int_equal(oy_value_copy(sample->arguments[i], &storage[arguments.size++]),
                     OY_OK);
  numbers made = {.range = r};
  gradcheck_call c = {.op = sample->op,
                      .arguments = &arguments,
                      .without = without,
                      .change = change,
                      .change_data = &made};
  gradcheck_call_begin(&c);
  const bool fits = gradcheck_call_fits(&c);
  char what[160];
  snprintf(what, sizeof(what), "%.*s %s #%u", OY_STR_ARG(oy_op_name_of(sample->op)),
           oy_dtype_name(sample->dtype), sample->number);
  if (fits) d->fn(d->data, &c, what);
  oy_error_clear();
  oy_stack_reset(&arguments);
  return fits;
}

static int try_dtype(const drawn* d, certify_sample* sample, const oy_op* op,
                     oy_dtype dtype, unsigned without) {
  int calls = 0;
  for (uint32_t n = 0; n < CERTIFY_NUMBERS && calls < CALLS_MAX; n++) {
    certify_sample_make(sample, op, dtype, n);
    bool fits = false;
    for (range r = ANY; r < RANGES && !fits && !sample->is_bad; r++)
      fits = try_range(d, sample, r, without);
    calls += fits;
    certify_sample_end(sample);
  }
  return calls;
}

static unsigned without_of(const drawn* d, const oy_op* op) {
  const oy_str name = oy_op_name_of(op);
  for (size_t i = 0; i < d->exception_count; i++)
    if (oy_str_equal(name, oy_str_of(d->exceptions[i].op)))
      return d->exceptions[i].without;
  return 0;
}

static bool try_op(const drawn* d, certify_sample* sample, const oy_op* op) {
  const oy_schema* schema = oy_op_schema(op);
  const unsigned without = without_of(d, op);
  bool has = false;
  if (!schema || schema->is_vararg || schema->argument_count > CERTIFY_ARGUMENTS ||
      gradcheck_writes(schema) || without == DRAWN_NONE)
    return false;
  if (oy_op_has_computed_kernel(op, OY_KEY_CPU, &has) != OY_OK || !has) return false;
  int calls = try_dtype(d, sample, op, OY_DTYPE_F64, without);
  calls += try_dtype(d, sample, op, OY_DTYPE_C128, without);
  return calls > 0;
}

size_t drawn_each(const drawn* d) {
  certify_sample* sample = calloc(1, sizeof(*sample));
  const oy_op** ops;
  size_t count, tried = 0;
  assert_non_null(sample);
  assert_int_equal(oy_registry_list(oy_registry_default(), &ops, &count), OY_OK);
  const char* only = getenv("OPYARD_GRADCHECK_ONLY");
  for (size_t i = 0; i < count; i++)
    if (!only || oy_str_equal(oy_op_name_of(ops[i]), oy_str_of(only)))
      tried += try_op(d, sample, ops[i]);
  oy_ops_free(ops);
  free(sample);
  return tried;
}
