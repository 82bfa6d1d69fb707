// SPDX-License-Identifier: Apache-2.0
// Gradients of products of Householder's reflectors, one after the other: each is had from
// what lies before it and behind it in the product.
#include "base/memory.h"
#include "layers/autograd/derivatives/linalg_help.h"

// --------------------------------------------------------------------- reflectors

// Q = H_1 ... H_k E with H_i = 1 - tau_i v_i v_i^H. |behind[i]| is H_(i+1) ... H_k E.
typedef struct reflectors {
  int64_t count;
  oy_object *vectors, *taus;  // columns; one to each
  oy_object** behind;
} reflectors;

// v_i, m x 1, and tau_i, 1 x 1.
static oy_object* vector_at(const reflectors* r, int64_t i) {
  return oyi_call_narrow(r->vectors, -1, i, 1);
}
static oy_object* tau_at(const reflectors* r, int64_t i) {
  oy_object* one = oyi_call_narrow(r->taus, -1, i, 1);
  oy_object* result = one ? oyi_call_unsqueeze(one, -1) : NULL;
  oy_tensor_release(one);
  return result;
}

// x - t v (v^H x)
static oy_object* reflected(oy_object* x, oy_object* v, oy_object* t) {
  oyi_held h = {0};
  oy_object* row = HOLD(times(HOLD(mh(v)), x));
  oy_object* column = v && t ? HOLD(oyi_call_mul_Tensor(v, t)) : NULL;
  return oyi_held_end(&h, minus(x, HOLD(times(column, row))));
}

// m x n with ones in the diagonal, for the batch of |like|.
static oy_object* identity_of(oy_object* like, int64_t m, int64_t n) {
  return oyi_call_eye_m(m, n, oy_int(like->dtype), oy_none(),
                        oy_value_device(oy_tensor_device(like)), oy_none());
}

static oy_status reflectors_begin(reflectors* r, oyi_held* held, oy_object* input,
                                  oy_object* tau) {
  int64_t m = oy_tensor_size(input, -2), n = oy_tensor_size(input, -1);
  r->count = oy_tensor_size(tau, -1);
  r->taus = tau;
  r->behind = oyi_calloc((size_t)r->count + 1, sizeof(*r->behind));
  if (!r->behind) return OY_OUT_OF_MEMORY;
  oy_object* columns = oyi_hold(held, oyi_call_narrow(input, -1, 0, r->count));
  oy_object* strict = columns ? oyi_hold(held, oyi_call_tril(columns, -1)) : NULL;
  r->vectors =
      oyi_hold(held, plus(strict, oyi_hold(held, identity_of(input, m, r->count))));
  r->behind[r->count] = r->vectors ? identity_of(input, m, n) : NULL;
  for (int64_t i = r->count; i > 0 && r->behind[i]; i--) {
    oy_object *v = vector_at(r, i - 1), *t = tau_at(r, i - 1);
    r->behind[i - 1] = reflected(r->behind[i], v, t);
    oy_tensor_release(v);
    oy_tensor_release(t);
  }
  return r->behind[0] ? OY_OK : oy_failure();
}

static void reflectors_end(reflectors* r) {
  for (int64_t i = 0; r->behind && i <= r->count; i++) oy_tensor_release(r->behind[i]);
  oyi_free(r->behind);
}

// Of v_i and tau_i, the gradient of H_i being P Q^H: -conj(tau) P (Q^H v) - tau Q (P^H v),
// and -v^H P Q^H v.
static oy_status of_reflector(const reflectors* r, int64_t i, oy_object* p,
                              oy_object** out_v, oy_object** out_tau) {
  oyi_held h = {0};
  oy_object *v = HOLD(vector_at(r, i)), *t = HOLD(tau_at(r, i)), *q = r->behind[i + 1];
  oy_object* q_v = HOLD(times(HOLD(mh(q)), v));
  oy_object* p_v = HOLD(times(HOLD(mh(p)), v));
  oy_object *right = HOLD(times(p, q_v)), *left = HOLD(times(q, p_v));
  oy_object* t_c = t ? HOLD(conj_of(t)) : NULL;
  if (right && left && t_c) {
    oy_object* first = HOLD(oyi_call_mul_Tensor(right, t_c));
    oy_object* sum = HOLD(plus(first, HOLD(oyi_call_mul_Tensor(left, t))));
    *out_v = sum ? oyi_call_neg(sum) : NULL;
    oy_object* number = HOLD(times(HOLD(mh(v)), right));
    oy_object* one = number ? HOLD(oyi_call_neg(number)) : NULL;
    *out_tau = one ? oyi_call_squeeze_dim(one, -1) : NULL;
  }
  oyi_held_end(&h, NULL);
  return *out_v && *out_tau ? OY_OK : oy_failure();
}

// H_i^H P for the next reflector.
static oy_object* of_passed(const reflectors* r, int64_t i, oy_object* p) {
  oyi_held h = {0};
  oy_object *v = HOLD(vector_at(r, i)), *t = HOLD(tau_at(r, i));
  oy_object* t_c = t ? HOLD(conj_of(t)) : NULL;
  oy_object* result = v && t_c ? reflected(p, v, t_c) : NULL;
  oy_tensor_release(p);
  return oyi_held_end(&h, result);
}

// The columns |parts| as the gradient of the matrix; those without a reflector have none.
static oy_object* of_columns(oy_object** parts, int64_t count, int64_t n) {
  oyi_held h = {0};
  oy_object* both = HOLD(oyi_call_cat((oy_tensors){parts, (size_t)count}, -1));
  oy_object* strict = both ? HOLD(oyi_call_tril(both, -1)) : NULL;
  const int64_t pad[] = {0, n - count};
  return oyi_held_end(
      &h, strict ? oyi_call_constant_pad_nd(strict, (oy_ints){pad, 2}, oy_int(0)) : NULL);
}

BACKWARD(linalg_householder_product) {
  ARGUMENTS(linalg_householder_product);
  if (!GRAD(0)) return OY_OK;
  oyi_held h = {0};
  reflectors r = {0};
  size_t k = (size_t)oy_tensor_size(tau, -1);
  oy_object** parts = oyi_calloc(2 * k + 1, sizeof(*parts));
  oy_status status = parts ? reflectors_begin(&r, &h, input, tau) : OY_OUT_OF_MEMORY;
  oy_object* p = keep(GRAD(0));
  for (size_t i = 0; status == 0 && i < k; i++) {
    status = of_reflector(&r, (int64_t)i, p, &parts[i], &parts[k + i]);
    if (status == 0 && i + 1 < k) p = of_passed(&r, (int64_t)i, p);
    if (!p) status = oy_failure();
  }
  if (status == 0 && k > 0 && WANTS(input))
    gives[EDGE_AT(input)] = of_columns(parts, (int64_t)k, oy_tensor_size(input, -1));
  if (status == 0 && k > 0 && WANTS(tau))
    gives[EDGE_AT(tau)] = oyi_call_cat((oy_tensors){parts + k, k}, -1);
  for (size_t i = 0; parts && i < 2 * k; i++) oy_tensor_release(parts[i]);
  oyi_free(parts);
  oy_tensor_release(p);
  reflectors_end(&r);
  oyi_held_end(&h, NULL);
  return status != 0 || k == 0 ? status : given_all(node, gives);
}

// -------------------------------------------------------------------- the table

DERIVATIVE(linalg_householder_product, "LinalgHouseholderProductBackward0",
           SAVE(linalg_householder_product, input), SAVE(linalg_householder_product, tau))
