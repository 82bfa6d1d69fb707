// SPDX-License-Identifier: Apache-2.0
// See opyard/gradcheck.h; the fast mode is in gradcheck_fast.c.
#include "opyard/gradcheck.h"

#include <math.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "layers/autograd/gradcheck/gradcheck_parts.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"
#include "opyard/autograd.h"
#include "opyard/inline.h"
#include "opyard/state.h"
#include "tensor/iterator.h"

enum { INPUTS_MAX = 16 };

// ------------------------------------------------------------------- whole Jacobians

static oy_status fill_numerical(const oyi_checked* c, size_t o, const oyi_tensor* input,
                                oyi_jacobian* j) {
  double* below = oyi_calloc((size_t)j->columns + 1, sizeof(double));
  if (!below) return OY_OUT_OF_MEMORY;
  oy_status status = OY_OK;
  for (int64_t r = 0; r < j->rows && status == 0; r++) {
    double *row = j->numerical + r * j->columns, kept = oyi_part_read(input, r);
    oyi_part_write(input, r, kept - c->eps);
    status = oyi_check_sample(c, o, below, j->columns);
    oyi_part_write(input, r, kept + c->eps);
    if (status == 0) status = oyi_check_sample(c, o, row, j->columns);
    oyi_part_write(input, r, kept);
    for (int64_t k = 0; k < j->columns && status == 0; k++)
      row[k] = (row[k] - below[k]) / (2 * c->eps);
  }
  oyi_free(below);
  return status;
}

// The gradient of part |k| of |output| as column k.
static oy_status fill_column(const oyi_checked* c, oy_tensor* output, oy_tensor* input,
                             int64_t k, oyi_jacobian* j, bool again) {
  oy_tensor* weight = oyi_call_zeros_like(output, oy_none(), oy_none(), oy_none(),
                                          oy_none(), oy_int(OY_MEMORY_CONTIGUOUS));
  if (!weight) return oy_failure();
  oyi_part_write(oyi_tensor_cast(weight), k, 1);
  oy_backward_options options = {
      .retain_graph = true, .allow_unused = true, .materialize_grads = true};
  oy_tensor* grad = NULL;
  oy_status status = oy_gradients(&output, &weight, 1, &input, 1, &options, &grad);
  for (int64_t r = 0; r < j->rows && status == 0; r++) {
    double *to = &j->analytical[r * j->columns + k],
           now = oyi_part_read(oyi_tensor_cast(grad), r);
    if (again && !(fabs(now - *to) <= c->nondet_tol) && !(isnan(now) && isnan(*to)))
      status =
          OY_FAIL(FAILED_PRECONDITION,
                  "Backward is not reentrant, i.e., running backward with same input "
                  "and grad_output multiple times gives different values, although "
                  "analytical gradient matches numerical gradient. The tolerance for "
                  "nondeterminism was %g.",
                  c->nondet_tol);
    *to = now;
  }
  oy_tensor_release(grad);
  oy_tensor_release(weight);
  return status;
}

static oy_status fill_analytical(const oyi_checked* c, oy_tensor* output,
                                 oy_tensor* input, oyi_jacobian* j) {
  for (int again = 0; again < 2; again++)
    for (int64_t k = 0; k < j->columns; k++)
      OY_TRY(fill_column(c, output, input, k, j, again));
  return OY_OK;
}

// ---------------------------------------------------------------------- comparing

static void print_matrix(oyi_strbuf* buf, const oyi_jacobian* j, const double* data) {
  int64_t sizes[] = {j->rows, j->columns};
  oy_tensor* t = oy_tensor_from_data(data, (oy_ints){sizes, 2}, OY_DTYPE_F64);
  char* text = NULL;
  if (t && oy_tensor_print(t, &text) == OY_OK) oyi_strbuf_puts(buf, text);
  oy_text_free(text);
  oy_tensor_release(t);
}

static oy_status fail_mismatch(const oyi_jacobian* j, size_t o, size_t i) {
  oyi_strbuf buf = OYI_STRBUF_INIT;
  oyi_strbuf_puts(&buf, "numerical:");
  print_matrix(&buf, j, j->numerical);
  oyi_strbuf_puts(&buf, "\nanalytical:");
  print_matrix(&buf, j, j->analytical);
  oy_status status =
      OY_FAIL(FAILED_PRECONDITION,
              "Jacobian mismatch for output %zu with respect to input %zu,\n%s\n", o, i,
              buf.data ? buf.data : "");
  oyi_strbuf_reset(&buf);
  return status;
}

static oy_status compare(const oyi_checked* c, const oyi_jacobian* j, size_t o,
                         size_t i) {
  for (int64_t k = 0; k < j->rows * j->columns; k++) {
    double n = j->numerical[k], a = j->analytical[k];
    if (n == a || fabs(n - a) <= c->atol + c->rtol * fabs(n)) continue;
    return fail_mismatch(j, o, i);
  }
  return OY_OK;
}

oy_status oyi_check_whole(const oyi_checked* c, oy_tensor* output, size_t o, size_t i) {
  const oyi_tensor* input = oyi_tensor_cast(c->inputs[i]);
  oyi_jacobian j = {.rows = oyi_parts_of(input),
                    .columns = oyi_parts_of(oyi_tensor_cast(output))};
  size_t size;
  OY_CHECK(!__builtin_mul_overflow((size_t)j.rows, (size_t)j.columns, &size),
           OUT_OF_MEMORY, "gradcheck: %lld x %lld numbers are too many",
           (long long)j.rows, (long long)j.columns);
  if (size == 0) return OY_OK;
  j.numerical = oyi_calloc(size, sizeof(double));
  j.analytical = oyi_calloc(size, sizeof(double));
  oy_status status = j.numerical && j.analytical ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == 0) status = fill_numerical(c, o, input, &j);
  if (status == 0 && oyi_is_checked(output))
    status = fill_analytical(c, output, c->inputs[i], &j);
  if (status == 0) status = compare(c, &j, o, i);
  oyi_free(j.numerical);
  oyi_free(j.analytical);
  return status;
}

static oy_status check_pair(const oyi_checked* c, oy_tensor* output, size_t o, size_t i) {
  return c->fast ? oyi_check_along(c, output, o, i) : oyi_check_whole(c, output, o, i);
}

// ------------------------------------------------------------------------ the check

static oy_status check_input(oy_tensor* input, size_t i, bool* any) {
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t) return oy_failure();
  if (!oyi_is_checked(input)) return OY_OK;
  *any = true;
  if (input->dtype != OY_DTYPE_F64 && input->dtype != OY_DTYPE_C128)
    oyi_warn(
        "Input #%zu requires gradient and is not a double precision floating point or "
        "complex. This check will likely fail if all the inputs are not of double "
        "precision floating point or complex. ",
        i);
  OY_CHECK(t->backend == OY_BACKEND_CPU && (t->numel == 0 || oyi_data(t)),
           INVALID_ARGUMENT, "gradcheck: expected tensors on cpu, but input %zu is on %s",
           i, oy_backend_name(t->backend));
  for (size_t d = 0; d < t->ndim; d++)
    OY_CHECK(
        t->sizes[d] < 2 || oyi_strides(t)[d] != 0, FAILED_PRECONDITION,
        "The %zuth input has a dimension with stride 0. gradcheck only supports inputs "
        "that are non-overlapping to be able to compute the numerical gradients "
        "correctly. You should call .contiguous on the input before passing it to "
        "gradcheck.",
        i);
  return OY_OK;
}

static oy_status check_all(const oyi_checked* c) {
  bool any = false;
  for (size_t i = 0; i < c->count; i++) OY_TRY(check_input(c->inputs[i], i, &any));
  OY_CHECK(any, FAILED_PRECONDITION,
           "gradcheck expects at least one input tensor to require gradient, but none of "
           "the them have requires_grad=True.");
  oy_tensor* outputs[OY_GRADCHECK_OUTPUTS];
  size_t count;
  OY_TRY(oyi_check_evaluate(c, outputs, &count));
  for (size_t o = 0; o < count; o++) {
    if (!oyi_is_differentiable(outputs[o]->dtype)) continue;
    for (size_t i = 0; i < c->count; i++)
      if (oyi_is_checked(c->inputs[i])) OY_TRY(check_pair(c, outputs[o], o, i));
  }
  return OY_OK;
}

static oyi_checked with_defaults(oy_gradcheck_fn fn, void* data, oy_tensor* const* inputs,
                                 size_t count, const oy_gradcheck_options* options) {
  oy_gradcheck_options o = options ? *options : (oy_gradcheck_options){0};
  return (oyi_checked){.fn = fn,
                       .data = data,
                       .inputs = inputs,
                       .count = count,
                       .eps = o.eps > 0 ? o.eps : 1e-6,
                       .atol = o.atol > 0 ? o.atol : 1e-5,
                       .rtol = o.rtol > 0 ? o.rtol : 1e-3,
                       .nondet_tol = o.nondet_tol};
}

static oy_status run(const oyi_checked* c) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_grad_guard guard = oy_enable_grad();
  oy_status status = check_all(c);
  oy_grad_guard_end(&guard);
  oy_scope_close(&scope);
  return status;
}

oy_status oy_gradcheck_fast(oy_gradcheck_fn fn, void* data, oy_tensor* const* inputs,
                            size_t count, const oy_gradcheck_options* options) {
  oyi_checked c = with_defaults(fn, data, inputs, count, options);
  c.fast = true;
  return run(&c);
}

oy_status oy_gradcheck(oy_gradcheck_fn fn, void* data, oy_tensor* const* inputs,
                       size_t count, const oy_gradcheck_options* options) {
  oyi_checked c = with_defaults(fn, data, inputs, count, options);
  return run(&c);
}

// -------------------------------------------------------------------- the second order

// The inputs, then a weight for each output.
typedef struct twice {
  oy_gradcheck_fn fn;
  void* data;
  size_t count;
} twice;

// The gradients of what |t->fn| computes, for those inputs that require one.
static oy_status gradients_of(void* data, oy_tensor* const* inputs, size_t count,
                              oy_tensor** outputs, size_t* out_count) {
  const twice* t = data;
  oy_tensor *made[OY_GRADCHECK_OUTPUTS], *weights[OY_GRADCHECK_OUTPUTS];
  oy_tensor *of[INPUTS_MAX], *grads[INPUTS_MAX] = {NULL};
  size_t all, roots = 0, n = 0;
  OY_TRY(t->fn(t->data, inputs, t->count, made, &all));
  for (size_t o = 0; o < all && o < OY_GRADCHECK_OUTPUTS; o++) {
    if (!oyi_is_checked(made[o]) || t->count + roots >= count) continue;
    weights[roots] = inputs[t->count + roots];
    made[roots++] = made[o];
  }
  for (size_t i = 0; i < t->count; i++)
    if (oyi_is_checked(inputs[i])) of[n++] = inputs[i];
  OY_CHECK(n <= OY_GRADCHECK_OUTPUTS, INVALID_ARGUMENT,
           "gradgradcheck: expected at most %d inputs that require gradient, got %zu",
           OY_GRADCHECK_OUTPUTS, n);
  oy_backward_options options = {
      .create_graph = true, .allow_unused = true, .materialize_grads = true};
  OY_TRY(oy_gradients(made, weights, roots, of, n, &options, grads));
  for (size_t i = 0; i < n; i++) outputs[i] = oy_scope_take(grads[i]);
  *out_count = n;
  return OY_OK;
}

// Weights like the outputs of one evaluation; the caller's.
static oy_status make_weights(const oyi_checked* c, oy_tensor** weights,
                              size_t* out_count) {
  oy_tensor* outputs[OY_GRADCHECK_OUTPUTS];
  size_t count, n = 0;
  OY_TRY(oyi_check_evaluate(c, outputs, &count));
  for (size_t o = 0; o < count; o++) {
    if (!oyi_is_checked(outputs[o])) continue;
    oy_grad_guard guard = oy_no_grad();
    oy_tensor* w = oyi_call_zeros_like(outputs[o], oy_none(), oy_none(), oy_none(),
                                       oy_none(), oy_int(OY_MEMORY_CONTIGUOUS));
    oy_grad_guard_end(&guard);
    if (!w) return oy_failure();
    weights[n++] = w;
    *out_count = n;
    // Neither equal nor near 0, in no order.
    for (int64_t k = 0; k < oyi_parts_of(oyi_tensor_cast(w)); k++)
      oyi_part_write(oyi_tensor_cast(w), k, cos((double)k * 1.3 + (double)o) + 1.5);
    if (!oy_requires_grad_(w, true)) return oy_failure();
  }
  return OY_OK;
}

oy_status oy_gradgradcheck(oy_gradcheck_fn fn, void* data, oy_tensor* const* inputs,
                           size_t count, const oy_gradcheck_options* options) {
  oyi_checked once = with_defaults(fn, data, inputs, count, options);
  OY_CHECK(count + OY_GRADCHECK_OUTPUTS <= INPUTS_MAX, INVALID_ARGUMENT,
           "gradgradcheck: expected at most %d inputs, got %zu",
           INPUTS_MAX - OY_GRADCHECK_OUTPUTS, count);
  oy_tensor* all[INPUTS_MAX] = {NULL};
  for (size_t i = 0; i < count; i++) all[i] = inputs[i];
  size_t weights = 0;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_grad_guard guard = oy_enable_grad();
  oy_status status = make_weights(&once, all + count, &weights);
  oy_grad_guard_end(&guard);
  oy_scope_close(&scope);
  twice t = {fn, data, count};
  oyi_checked c = once;
  c.fn = gradients_of;
  c.data = &t;
  c.inputs = all;
  c.count = count + weights;
  if (status == 0) status = run(&c);
  for (size_t i = 0; i < weights; i++) oy_tensor_release(all[count + i]);
  return status;
}
