// SPDX-License-Identifier: Apache-2.0
// The fast mode of gradcheck: v^T J u, for directions u of the input and v of the output, is
// one step and one walk.
#include <math.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "layers/autograd/gradcheck/gradcheck_parts.h"
#include "ops/calls.h"
#include "opyard/autograd.h"

// Positive numbers in no order, whose squares add up to 1.
static double* direction(int64_t count) {
  double *made = oyi_calloc((size_t)count + 1, sizeof(double)), all = 0;
  for (int64_t k = 0; made && k < count; k++) {
    made[k] = 0.6 + 0.5 * cos(1.7 * (double)k + 0.3 * (double)(k % 7));
    all += made[k] * made[k];
  }
  for (int64_t k = 0; made && k < count; k++) made[k] /= sqrt(all);
  return made;
}
static double sum_of(const double* v, int64_t count) {
  double all = 0;
  for (int64_t k = 0; k < count; k++) all += v[k];
  return all;
}

static oy_status step_along(const oyi_checked* c, size_t o, const oyi_tensor* input,
                            oyi_jacobian* d, double* out) {
  double* parts = oyi_calloc((size_t)(d->rows + d->columns) + 1, sizeof(double));
  if (!parts) return OY_OUT_OF_MEMORY;
  double* seen = parts + d->rows;
  oy_status status = OY_OK;
  *out = 0;
  for (int64_t r = 0; r < d->rows; r++) parts[r] = oyi_part_read(input, r);
  for (int side = -1; side <= 1 && status == 0; side += 2) {
    for (int64_t r = 0; r < d->rows; r++)
      oyi_part_write(input, r, parts[r] + side * c->eps * d->numerical[r]);
    status = oyi_check_sample(c, o, seen, d->columns);
    for (int64_t k = 0; k < d->columns; k++)
      *out += side * seen[k] * d->analytical[k] / (2 * c->eps);
  }
  for (int64_t r = 0; r < d->rows; r++) oyi_part_write(input, r, parts[r]);
  oyi_free(parts);
  return status;
}

static oy_status walk_along(oy_tensor* output, oy_tensor* input, const oyi_jacobian* d,
                            double* out) {
  *out = 0;
  if (!oyi_is_checked(output)) return OY_OK;
  oy_tensor* weight = oyi_call_zeros_like(output, oy_none(), oy_none(), oy_none(),
                                          oy_none(), oy_int(OY_MEMORY_CONTIGUOUS));
  if (!weight) return oy_failure();
  for (int64_t k = 0; k < d->columns; k++)
    oyi_part_write(oyi_tensor_cast(weight), k, d->analytical[k]);
  const oy_backward_options options = {
      .retain_graph = true, .allow_unused = true, .materialize_grads = true};
  oy_tensor* grad = NULL;
  oy_status status = oy_gradients(&output, &weight, 1, &input, 1, &options, &grad);
  for (int64_t r = 0; r < d->rows && status == 0; r++)
    *out += d->numerical[r] * oyi_part_read(oyi_tensor_cast(grad), r);
  oy_tensor_release(grad);
  oy_tensor_release(weight);
  return status;
}

// The whole Jacobians say more; if these agree the directions were unlucky.
static oy_status fail_fast(const oyi_checked* c, oy_tensor* output, size_t o, size_t i,
                           double numerical, double analytical) {
  oy_status status = oyi_check_whole(c, output, o, i);
  oyi_strbuf whole = OYI_STRBUF_INIT;
  oyi_strbuf_puts(&whole, status ? oy_error_get()->message
                                 : "Fast gradcheck failed but element-wise differences "
                                   "are small. This means that the\ntest might've "
                                   "passed in slow_mode!\n");
  status = OY_FAIL(FAILED_PRECONDITION,
                   "Jacobian mismatch for output %zu with respect to input %zu,\n"
                   "numerical:tensor(%.4f, dtype=torch.float64)\n"
                   "analytical:tensor(%.4f, dtype=torch.float64)\n\n"
                   "The above quantities relating the numerical and analytical jacobians "
                   "are computed \nin fast mode. See: "
                   "https://github.com/pytorch/pytorch/issues/53876 for more background "
                   "\nabout fast mode. Below, we recompute numerical and analytical "
                   "jacobians in slow mode:\n\n%s",
                   o, i, numerical, analytical, whole.data ? whole.data : "");
  oyi_strbuf_reset(&whole);
  return status;
}

// What |atol| allows each element of J adds up along the directions.
oy_status oyi_check_along(const oyi_checked* c, oy_tensor* output, size_t o, size_t i) {
  const oyi_tensor* input = oyi_tensor_cast(c->inputs[i]);
  oyi_jacobian d = {.rows = oyi_parts_of(input),
                    .columns = oyi_parts_of(oyi_tensor_cast(output))};
  if (d.rows == 0 || d.columns == 0) return OY_OK;
  d.numerical = direction(d.rows);
  d.analytical = direction(d.columns);
  double n = 0, a = 0;
  oy_status status = d.numerical && d.analytical ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == 0) status = step_along(c, o, input, &d, &n);
  if (status == 0) status = walk_along(output, c->inputs[i], &d, &a);
  if (status == 0) {
    const double all = sum_of(d.numerical, d.rows) * sum_of(d.analytical, d.columns);
    if (n != a && !(fabs(n - a) <= c->atol * all + c->rtol * fabs(n)))
      status = fail_fast(c, output, o, i, n, a);
  }
  oyi_free(d.numerical);
  oyi_free(d.analytical);
  return status;
}
