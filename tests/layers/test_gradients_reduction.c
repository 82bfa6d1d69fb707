// SPDX-License-Identifier: Apache-2.0
// Gradients of scans, reductions, norms and products of matrices against finite
// differences.
#include "layers/differences.h"

#define X in[0]
#define Y in[1]
#define Z in[2]
#define FUNCTION(name, value)                    \
  static oy_tensor* name(oy_tensor* const* in) { \
    return value;                                \
  }
#define COPY(t) oy_clone(t, oy_none())
#define NONE    oy_none()
#define ALL     ((oy_ints){NULL, 0})

// ------------------------------------------------------------- scans and products

FUNCTION(cumsum, oy_cumsum(X, 1, NONE))
FUNCTION(cumsum_, oy_cumsum_(COPY(X), 0, NONE))
FUNCTION(cumprod, oy_cumprod(X, 1, NONE))
FUNCTION(cumprod_columns, oy_cumprod(X, 0, NONE))
FUNCTION(cumprod_, oy_cumprod_(COPY(X), 1, NONE))
FUNCTION(logcumsumexp, oy_logcumsumexp(X, 1))
FUNCTION(trace, oy_trace(X))
FUNCTION(prod, oy_prod(X, NONE))
FUNCTION(prod_rows, oy_prod_dim_int(X, 1, false, NONE))
FUNCTION(prod_columns, oy_prod_dim_int(X, 0, true, NONE))

// --------------------------------------------------------------------- reductions

FUNCTION(nansum, oy_nansum(X, OY_DIMS(1), false, NONE))
FUNCTION(nansum_all, oy_nansum(X, ALL, false, NONE))
FUNCTION(var, oy_var_correction(X, ALL, NONE, false))
FUNCTION(var_rows, oy_var_correction(X, OY_DIMS(1), oy_int(0), false))
FUNCTION(std_rows, oy_std_correction(X, OY_DIMS(0), oy_float(1.5), true))
FUNCTION(std_all, oy_std_correction(X, ALL, NONE, false))
#define PAIR(name, call)                         \
  static oy_tensor* name(oy_tensor* const* in) { \
    oy_tensor *a = NULL, *b = NULL;              \
    if ((call) != OY_OK) return NULL;            \
    return oy_add_Tensor(a, b, oy_int(3));       \
  }
#define SECOND(name, call)                       \
  static oy_tensor* name(oy_tensor* const* in) { \
    oy_tensor *a = NULL, *b = NULL;              \
    return (call) == OY_OK ? b : NULL;           \
  }
PAIR(var_mean, oy_var_mean_correction(X, OY_DIMS(1), NONE, false, &a, &b))
PAIR(std_mean, oy_std_mean_correction(X, ALL, oy_int(2), false, &a, &b))
SECOND(mean_of_var_mean, oy_var_mean_correction(X, OY_DIMS(0), NONE, true, &a, &b))

#define ORDER(name, p)                                                    \
  FUNCTION(name, oy_linalg_vector_norm(X, oy_float(p), ALL, false, NONE)) \
  FUNCTION(name##_rows, oy_linalg_vector_norm(X, oy_float(p), OY_DIMS(1), false, NONE))
ORDER(norm_0_5, 0.5)
ORDER(norm_1, 1)
ORDER(norm_1_5, 1.5)
ORDER(norm_2, 2)
ORDER(norm_3, 3)
ORDER(norm_most, INFINITY)
ORDER(norm_least, -INFINITY)
FUNCTION(norm_0, oy_linalg_vector_norm(X, oy_int(0), ALL, false, NONE))
FUNCTION(norm_number, oy_norm_Scalar(X, oy_float(3)))
FUNCTION(norm_dims, oy_norm_ScalarOpt_dim(X, NONE, OY_DIMS(0, 1), true))
FUNCTION(norm_dtype, oy_norm_ScalarOpt_dtype(X, oy_int(1), OY_DTYPE_F64))
FUNCTION(norm_dim_dtype,
         oy_norm_ScalarOpt_dim_dtype(X, oy_int(2), OY_DIMS(0), false, OY_DTYPE_F64))
// Of the slices some are shrunk, some are not.
FUNCTION(renorm_0_5, oy_renorm(X, oy_float(0.5), 0, oy_float(6)))
FUNCTION(renorm_1, oy_renorm(X, oy_int(1), -1, oy_float(2.5)))
FUNCTION(renorm_2, oy_renorm(X, oy_int(2), 0, oy_int(1)))
FUNCTION(renorm_3, oy_renorm(X, oy_int(3), 1, oy_float(0.1)))
FUNCTION(renorm_most, oy_renorm(X, oy_float(INFINITY), 0, oy_float(1.2)))
FUNCTION(renorm_inplace, oy_renorm_(oy_clone(X, NONE), oy_int(2), 0, oy_float(1)))
FUNCTION(dist, oy_dist(X, Y, oy_float(2)))
FUNCTION(dist_3, oy_dist(X, Y, oy_float(3)))

// ----------------------------------------------------------------------- matrices

#define BETA  oy_float(0.5)
#define ALPHA oy_float(-2)
#define ADDED(id)                             \
  FUNCTION(id, oy_##id(X, Y, Z, BETA, ALPHA)) \
  FUNCTION(id##_, oy_##id##_(COPY(X), Y, Z, oy_int(1), oy_int(1)))
ADDED(addmm)
ADDED(addbmm)
ADDED(baddbmm)
ADDED(addmv)
ADDED(addr)
FUNCTION(vdot, oy_vdot(X, Y))
FUNCTION(cross, oy_linalg_cross(X, Y, 0))
static oy_tensor* block_diag(oy_tensor* const* in) {
  oy_tensor* all[3] = {X, Y, Z};
  return oy_block_diag((oy_tensors){all, 3});
}
#define DISTANCE(name, p)                                  \
  FUNCTION(cdist_##name, oy__cdist_forward(X, Y, p, NONE)) \
  FUNCTION(pdist_##name, oy__pdist_forward(X, p))
DISTANCE(0, 0)
DISTANCE(1, 1)
DISTANCE(1_5, 1.5)
DISTANCE(2, 2)
DISTANCE(3, 3)
DISTANCE(most, INFINITY)

// ------------------------------------------------------------------------- checks

#define FROM -1.6, 1.6
#define ONE(f) \
  { #f, f, "3,4", FROM }
#define ZERO_TOO(f) \
  { #f, f, "!3,4", FROM }
#define TWO(f, other) \
  { #f, f, "3,4 " other, FROM }
// In place, too.
#define THREE(f, shapes)       \
  {#f, f, shapes, FROM}, {     \
#f "_", f##_, shapes, FROM \
  }

static void check(const differences_row* rows, size_t size, int orders) {
  check_differences(rows, size / sizeof(*rows), orders);
  check_differences_memory(rows, size / sizeof(*rows));
}

static void scans(void** state) {
  (void)state;
  static const differences_row rows[] = {
      ONE(cumsum),          ONE(cumsum_),        ONE(cumprod),
      ONE(cumprod_columns), ONE(cumprod_),       ONE(logcumsumexp),
      ONE(trace),           ONE(prod),           ONE(prod_rows),
      ONE(prod_columns),    ZERO_TOO(cumprod),   ZERO_TOO(cumprod_columns),
      ZERO_TOO(prod),       ZERO_TOO(prod_rows), ZERO_TOO(prod_columns),
  };
  check(rows, sizeof(rows), 2);
}

static void reductions(void** state) {
  (void)state;
  static const differences_row rows[] = {
      ONE(nansum),  ONE(nansum_all), ONE(var),      ONE(var_rows),         ONE(std_rows),
      ONE(std_all), ONE(var_mean),   ONE(std_mean), ONE(mean_of_var_mean),
  };
  check(rows, sizeof(rows), 2);
}

static void norms(void** state) {
  (void)state;
  static const differences_row rows[] = {
      ONE(norm_0),         ONE(norm_0_5),   ONE(norm_0_5_rows),   ONE(norm_1),
      ONE(norm_1_rows),    ONE(norm_1_5),   ONE(norm_1_5_rows),   ONE(norm_2),
      ONE(norm_2_rows),    ONE(norm_3),     ONE(norm_3_rows),     ONE(norm_most),
      ONE(norm_most_rows), ONE(norm_least), ONE(norm_least_rows), ONE(norm_number),
      ONE(norm_dims),      ONE(norm_dtype), ONE(norm_dim_dtype),  TWO(dist, "4"),
      TWO(dist_3, "3,4"),
  };
  check(rows, sizeof(rows), 2);
}

static void renorms(void** state) {
  (void)state;
  static const differences_row rows[] = {
      ONE(renorm_0_5),
      ONE(renorm_1),
      ONE(renorm_2),
      ONE(renorm_3),
      ONE(renorm_most),
      ONE(renorm_inplace),
      {"renorm of three dimensions", renorm_2, "2,2,3", FROM},
  };
  check(rows, sizeof(rows), 2);
}

static void matrices(void** state) {
  (void)state;
  static const differences_row rows[] = {
      THREE(addmm, "2,3 2,4 4,3"),
      THREE(addbmm, "2,3 2,2,4 2,4,3"),
      THREE(baddbmm, "2,2,3 2,2,4 2,4,3"),
      THREE(addmv, "3 3,4 4"),
      THREE(addr, "3,4 3 4"),
      {"addmm of a row", addmm, "3 2,4 4,3", FROM},
      {"vdot", vdot, "4 4", FROM},
      {"cross", cross, "3,2 3,1", FROM},
      {"block_diag", block_diag, "2,3 2 -", FROM},
  };
  check(rows, sizeof(rows), 2);
}

static void distances(void** state) {
  (void)state;
  static const differences_row rows[] = {
      TWO(cdist_0, "2,4"),
      TWO(cdist_1, "2,4"),
      TWO(cdist_1_5, "2,4"),
      TWO(cdist_2, "2,4"),
      TWO(cdist_3, "2,4"),
      TWO(cdist_most, "2,4"),
      ONE(pdist_0),
      ONE(pdist_1),
      ONE(pdist_1_5),
      ONE(pdist_2),
      ONE(pdist_3),
      ONE(pdist_most),
      {"cdist of batches", cdist_2, "2,3,2 2,2,2", FROM},
  };
  check(rows, sizeof(rows), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scans),    cmocka_unit_test(reductions),
      cmocka_unit_test(norms),    cmocka_unit_test(renorms),
      cmocka_unit_test(matrices), cmocka_unit_test(distances),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
