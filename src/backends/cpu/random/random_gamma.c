// SPDX-License-Identifier: Apache-2.0
// Gamma numbers, vectors of Dirichlet's distribution, which are made of them, and how much
// either moves with its parameters.
#include <float.h>
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/random/gamma_gradient.h"
#include "backends/cpu/random/random_fill.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "opyard/threads.h"
#include "tensor/element.h"

static double normal_number(oyi_stream* s) {
  const double radius = sqrt(-2 * log(1 - oyi_stream_unit(s)));
  return radius * cos(2 * M_PI * oyi_stream_unit(s));
}

// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; a shape
// below 1 is that of one more, times a power.
static double gamma_number(double shape, double least, oyi_stream* s) {
  if (!(shape > 0)) return least;
  double scale = 1;
  if (shape < 1) scale = pow(1 - oyi_stream_unit(s), 1 / shape), shape += 1;
  const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
  for (;;) {
    const double x = normal_number(s), y = 1 + c * x, v = y * y * y;
    if (y <= 0) continue;
    const double u = 1 - oyi_stream_unit(s), square = x * x;
    if (u < 1 - 0.0331 * square * square || log(u) < 0.5 * square + d * (1 - v + log(v)))
      return fmax(scale * d * v, least);
  }
}

// ------------------------------------------------------------------------- samples

static bool is_single_or_double(const oyi_tensor* t, const char* name) {
  const oy_dtype dtype = t->header.dtype;
  if (dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64) return true;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name,
          oy_dtype_pytorch_name(dtype));
  return false;
}

static double least_of(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32 ? (double)FLT_MIN : DBL_MIN;
}

// Each vector along the last dimension over its sum, between 0 and 1.
static void normalise(oyi_tensor* numbers, oy_dtype dtype) {
  const int64_t width = numbers->ndim ? numbers->sizes[numbers->ndim - 1] : 1;
  const double least = least_of(dtype), most = nextafterf(1, 0);
  double* row = oyi_data(numbers);
  for (int64_t i = 0; i < numbers->numel; i += width, row += width) {
    double sum = 0;
    for (int64_t k = 0; k < width; k++) sum += row[k];
    for (int64_t k = 0; k < width; k++) row[k] = fmin(most, fmax(least, row[k] / sum));
  }
}

// What gamma numbers become, by |finish| or as they are.
static oy_object* sample(oy_object* self, oy_value generator, const char* name,
                         double least, void (*finish)(oyi_tensor*, oy_dtype)) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  if (!is_single_or_double(t, name)) return NULL;
  if (oyi_is_meta(t))
    return oyi_tensor_object(
        oyi_tensor_new(oyi_sizes_view(t), self->dtype, oyi_tensor_device(t)));
  oyi_tensor* shapes = oyi_converted(t, OY_DTYPE_F64);
  oyi_tensor* limits = shapes ? oyi_converted(t, OY_DTYPE_F64) : NULL;
  double* limit = limits ? oyi_data(limits) : NULL;
  for (int64_t i = 0; limits && i < limits->numel; i++) limit[i] = least;
  oyi_tensor* made = NULL;
  if (limits && oyi_random_numbers(t, shapes, limits, generator, gamma_number) == 0) {
    if (finish) finish(shapes, self->dtype);
    made = oyi_converted(shapes, self->dtype);
  }
  oy_tensor_release(oyi_tensor_object(limits));
  oy_tensor_release(oyi_tensor_object(shapes));
  return oyi_tensor_object(made);
}

OYI_CPU(_standard_gamma) {
  if (!oyi_tensor_of(self)) return NULL;
  return sample(self, generator, "gamma_cpu", least_of(self->dtype), NULL);
}
OYI_CPU(_sample_dirichlet) {
  if (!oyi_tensor_of(self)) return NULL;
  return sample(self, generator, "dirichlet", DBL_MIN, normalise);
}

// ------------------------------------------------------------------- their derivatives

typedef struct derivation {
  const double* in[3];
  double* to;
  bool is_gamma;
} derivation;

static oy_status derive(int64_t begin, int64_t end, void* context) {
  const derivation* d = context;
  for (int64_t i = begin; i < end; i++)
    d->to[i] = d->is_gamma
                   ? oyi_gamma_gradient(d->in[0][i], d->in[1][i])
                   : oyi_dirichlet_gradient(d->in[0][i], d->in[1][i], d->in[2][i]);
  return OY_OK;
}

typedef struct operands {
  const oyi_tensor* t[3];
  size_t ndim;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
} operands;

static oy_status check_operands(operands* o, oy_object* const* given, size_t count,
                                const char* name) {
  for (size_t k = 0; k < count; k++) {
    if (!(o->t[k] = oyi_tensor_of(given[k]))) return oy_failure();
    OY_TRY(oyi_check_same_device(o->t[0], o->t[k]));
    OY_CHECK(o->t[k]->header.dtype == o->t[0]->header.dtype, TYPE_MISMATCH,
             "Found dtype %s but expected %s",
             oy_dtype_pytorch_name(o->t[k]->header.dtype),
             oy_dtype_pytorch_name(o->t[0]->header.dtype));
    int64_t sizes[OY_TENSOR_MAX_DIMS];
    memcpy(sizes, o->sizes, sizeof(sizes));
    OY_TRY(oyi_broadcast((oy_ints){sizes, o->ndim}, oyi_sizes_view(o->t[k]), o->sizes,
                         &o->ndim));
  }
  return is_single_or_double(o->t[0], name) ? OY_OK : oy_failure();
}

// A copy of |t| as doubles of the size of all.
static oyi_tensor* spread_out(const oyi_tensor* t, oy_ints sizes) {
  oy_object* wide = oy_tensor_expand((oy_object*)(uintptr_t)&t->header, sizes);
  if (!wide) return NULL;
  oyi_tensor* made = oyi_converted(oyi_tensor_cast(wide), OY_DTYPE_F64);
  oy_tensor_release(wide);
  return made;
}

static oy_object* derivatives(oy_object* const* given, size_t count, const char* name) {
  operands o = {.ndim = 0};
  if (check_operands(&o, given, count, name) != 0) return NULL;
  const oy_ints sizes = {o.sizes, o.ndim};
  const oy_dtype dtype = o.t[0]->header.dtype;
  if (oyi_is_meta(o.t[0]))
    return oyi_tensor_object(oyi_tensor_new(sizes, dtype, oyi_tensor_device(o.t[0])));
  oyi_tensor *in[3] = {NULL}, *made = NULL;
  bool ready = true;
  for (size_t k = 0; ready && k < count; k++)
    ready = (in[k] = spread_out(o.t[k], sizes)) != NULL;
  if (ready) {
    derivation d = {.to = oyi_data(in[0]), .is_gamma = count == 2};
    for (size_t k = 0; k < count; k++) d.in[k] = oyi_data(in[k]);
    // Nothing in it can fail. Each element is read before it is written.
    (void)!oy_parallel_for(0, in[0]->numel, 64, derive, &d);
    made = oyi_converted(in[0], dtype);
  }
  for (size_t k = 0; k < count; k++) oy_tensor_release(oyi_tensor_object(in[k]));
  return oyi_tensor_object(made);
}

OYI_CPU(_standard_gamma_grad) {
  return derivatives((oy_object* const[]){self, output}, 2, "_standard_gamma_grad_cpu");
}
OYI_CPU(_dirichlet_grad) {
  return derivatives((oy_object* const[]){x, alpha, total}, 3, "_dirichlet_grad_cpu");
}
