// SPDX-License-Identifier: Apache-2.0
// Vector norms. norm is the older name of linalg_vector_norm, with texts of its own.
#include "backends/cpu/reduce/reduce_loops.h"
#include "tensor/promotion.h"

typedef struct request {
  oy_value p, dtype;
  oy_ints dim;
  bool keepdim, is_linalg;
} request;

static bool is_inexact(oy_dtype dtype) {
  return oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype);
}

static oy_status check_dtypes(oy_dtype in, oy_dtype computed, const request* q) {
  if (!q->is_linalg) {
    OY_CHECK(is_inexact(in) && is_inexact(computed), TYPE_MISMATCH,
             "norm(): %s dtype should be either floating point or complex. Got %s "
             "instead.",
             is_inexact(in) ? "the desired output" : "input",
             oy_dtype_pytorch_name(is_inexact(in) ? computed : in));
    return OY_OK;
  }
  OY_CHECK(is_inexact(in), TYPE_MISMATCH,
           "linalg.vector_norm: Expected a floating point or complex tensor as input. "
           "Got %s",
           oy_dtype_pytorch_name(in));
  OY_CHECK(is_inexact(computed), TYPE_MISMATCH,
           "linalg.vector_norm: dtype should be floating point or complex. Got %s",
           oy_dtype_pytorch_name(computed));
  OY_CHECK(oy_dtype_is_complex(in) == oy_dtype_is_complex(computed), TYPE_MISMATCH,
           "linalg.vector_norm: dtype should be %s for %s inputs. Got %s",
           oy_dtype_is_complex(in) ? "complex" : "real",
           oy_dtype_is_complex(in) ? "complex" : "real", oy_dtype_pytorch_name(computed));
  return OY_OK;
}

// Norms of order below 0, and of infinity, have no value for nothing.
static oy_status check_not_empty(const oyi_reduction* r, double p, const request* q) {
  if (r->count > 0 || !(p < 0 || isinf(p))) return OY_OK;
  OY_CHECK(q->dim.size > 0, INVALID_ARGUMENT,
           "linalg.vector_norm cannot compute the %g norm on an empty tensor because "
           "the operation does not have an identity",
           p);
  for (int d = 0; d < r->in->ndim; d++)
    OY_CHECK(!(r->mask >> d & 1) || r->in->sizes[d] > 0, INVALID_ARGUMENT,
             "linalg.vector_norm cannot compute the %g norm on the dimension %dbecause "
             "this dimension is empty and the operation does not have an identity",
             p, d);
  return OY_OK;
}

static const oyi_fold* reducers_of(double p, oy_dtype dtype) {
  if (p == 0) return oyi_norm0_reducers();
  if (p == 1) return oyi_norm1_reducers();
  if (p == 2) return oyi_norm2_reducers();
  if (p == 3 && dtype == OY_DTYPE_F32) return oyi_norm3_reducers();
  if (p == 4 && dtype == OY_DTYPE_F32) return oyi_norm4_reducers();
  if (isinf(p)) return p > 0 ? oyi_norm_max_reducers() : oyi_norm_min_reducers();
  return oyi_norm_any_reducers();
}

static oy_object* norm(oy_object* self, oy_object* out, request q) {
  oyi_reduction r;
  oy_dtype computed;
  if (oyi_reduction_begin(&r, self, q.dim, q.keepdim) != 0 ||
      oyi_dtype_argument(q.dtype, self->dtype, &computed) != 0 ||
      check_dtypes(self->dtype, computed, &q) != 0)
    return NULL;
  if (q.p.tag == OY_TAG_COMPLEX) {
    OY_FAIL(TYPE_MISMATCH,
            "linalg.vector_norm: Expected a non-complex scalar as the "
            "order of norm.");
    return NULL;
  }
  double p = q.p.tag == OY_TAG_NONE    ? 2
             : q.p.tag == OY_TAG_FLOAT ? q.p.as.d
                                       : (double)q.p.as.i;
  const oy_dtype read = oyi_reduce_dtype(computed);
  const oyi_fold* reducer = oyi_fold_for(reducers_of(p, read), read, "norm_cpu");
  if (!reducer || check_not_empty(&r, p, &q) != 0 ||
      oyi_reduction_output(&r, out, oyi_real_dtype(computed),
                           q.is_linalg ? OYI_OUT_EXACT : OYI_OUT_CAST) != 0)
    return NULL;
  if (!r.meta) oyi_reduce(&r, reducer, &p);
  return oyi_reduction_end(&r, OY_OK);
}

OYI_CPU(linalg_vector_norm) {
  return norm(self, NULL, (request){ord, dtype, dim, keepdim, true});
}
OYI_CPU(linalg_vector_norm_out) {
  return norm(self, out, (request){ord, dtype, dim, keepdim, true});
}
OYI_CPU(norm_ScalarOpt_dim) {
  return norm(self, NULL, (request){p, oy_none(), dim, keepdim, false});
}
OYI_CPU(norm_ScalarOpt_dim_dtype) {
  return norm(self, NULL, (request){p, oy_int(dtype), dim, keepdim, false});
}
OYI_CPU(norm_out) {
  return norm(self, out, (request){p, oy_none(), dim, keepdim, false});
}
OYI_CPU(norm_dtype_out) {
  return norm(self, out, (request){p, oy_int(dtype), dim, keepdim, false});
}
