// SPDX-License-Identifier: Apache-2.0
// Gradients of products of matrices and vectors that are added to something, and of
// products of vectors.
#include "layers/autograd/derivatives/derivative_help.h"
#include "ops/composite/held.h"
#include "ops/rules/join.h"

// |a| x |b|, and the like; what ends with |_h| is conjugated and transposed.
static oy_object* of_h(oy_object* a) {
  oy_object* flipped = oyi_call_transpose_int(a, -2, -1);
  oy_tensor_release(a);
  return of_conj(flipped);
}
static oy_object* h_of(oy_object* a) {
  return of_h(keep(a));
}
#define OF_PRODUCT(name)                                    \
  static oy_object* of_##name(oy_object* a, oy_object* b) { \
    oy_object* result = oyi_call_##name(a, b);              \
    oy_tensor_release(a);                                   \
    oy_tensor_release(b);                                   \
    return result;                                          \
  }
OF_PRODUCT(mm)
OF_PRODUCT(bmm)
OF_PRODUCT(mv)
OF_PRODUCT(outer)

#define ADDED_PRODUCT(id, a, b, for_a, for_b)                    \
  BACKWARD(id) {                                                 \
    ARGUMENTS(id);                                               \
    if (WANTS(self)) GIVE(self, of_scaled(keep(GRAD(0)), beta)); \
    if (WANTS(a)) GIVE(a, of_scaled(for_a, alpha));              \
    if (WANTS(b)) GIVE(b, of_scaled(for_b, alpha));              \
    return OY_OK;                                                \
  }
#define G keep(GRAD(0))
ADDED_PRODUCT(addmm, mat1, mat2, of_mm(G, h_of(mat2)), of_mm(h_of(mat1), G))
ADDED_PRODUCT(baddbmm, batch1, batch2, of_bmm(G, h_of(batch2)), of_bmm(h_of(batch1), G))
ADDED_PRODUCT(addmv, mat, vec, of_outer(G, conj_of(vec)), of_mv(h_of(mat), G))
ADDED_PRODUCT(addr, vec1, vec2, of_mv(G, conj_of(vec2)),
              of_mv(oyi_call_t(GRAD(0)), conj_of(vec1)))

// |grad| for each of the matrices of |batch|.
static oy_object* for_each(oy_object* grad, oy_object* batch) {
  oy_ints sizes = oy_tensor_sizes(grad);
  int64_t wide[3] = {oy_tensor_size(batch, 0), sizes.data[0], sizes.data[1]};
  return oyi_call_expand(grad, (oy_ints){wide, 3}, false);
}
ADDED_PRODUCT(addbmm, batch1, batch2, of_bmm(for_each(GRAD(0), batch2), h_of(batch2)),
              of_bmm(h_of(batch1), for_each(GRAD(0), batch1)))

BACKWARD(vdot) {
  ARGUMENTS(vdot);
  if (WANTS(self)) GIVE(self, of_mul(conj_of(GRAD(0)), keep(other)));
  if (WANTS(other)) GIVE(other, of_mul(G, keep(self)));
  return OY_OK;
}

static oy_object* cross_of(oy_object* a, oy_object* b, int64_t dim) {
  oy_object* result = a && b ? oyi_call_linalg_cross(a, b, dim) : NULL;
  oy_tensor_release(a);
  oy_tensor_release(b);
  return result;
}
BACKWARD(linalg_cross) {
  ARGUMENTS(linalg_cross);
  if (WANTS(self)) GIVE(self, cross_of(conj_of(other), G, dim));
  if (WANTS(other)) GIVE(other, cross_of(G, conj_of(self), dim));
  return OY_OK;
}

// The block of |grad| that starts at |row| and |column|, in the shape of |t|.
static oy_object* block(oy_object* grad, const oyi_tensor* t, int64_t row, int64_t column,
                        int64_t rows, int64_t columns) {
  oy_object* across = oyi_call_narrow(grad, 0, row, rows);
  oy_object* part = across ? oyi_call_narrow(across, 1, column, columns) : NULL;
  oy_object* result = part ? oyi_call_reshape(part, oyi_sizes_view(t)) : NULL;
  oy_tensor_release(across);
  oy_tensor_release(part);
  return result;
}
BACKWARD(block_diag) {
  ARGUMENTS(block_diag);
  int64_t row = 0, column = 0;
  for (size_t i = 0; i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(tensors.data[i]);
    if (!t) return oy_failure();
    int64_t rows, columns;
    OY_TRY(oyi_block_size(tensors.data[i], i, &rows, &columns));
    if (WANTS_OF(tensors, i))
      GIVE_TO(tensors, i, block(GRAD(0), t, row, column, rows, columns));
    row += rows;
    column += columns;
  }
  return OY_OK;
}

// The product of the other two and the gradient, which lacks what was summed.
BACKWARD(_trilinear) {
  ARGUMENTS(_trilinear);
  oyi_held h = {0};
  oy_object* a = oyi_hold(&h, conj_of(i1));
  oy_object* b = oyi_hold(&h, conj_of(i2));
  oy_object* c = oyi_hold(&h, conj_of(i3));
  if (WANTS(i1))
    gives[EDGE_AT(i1)] =
        oyi_call__trilinear(GRAD(0), b, c, sumdim, expand2, expand3, expand1, unroll_dim);
  if (WANTS(i2))
    gives[EDGE_AT(i2)] =
        oyi_call__trilinear(a, GRAD(0), c, expand1, sumdim, expand3, expand2, unroll_dim);
  if (WANTS(i3))
    gives[EDGE_AT(i3)] =
        oyi_call__trilinear(a, b, GRAD(0), expand1, expand2, sumdim, expand3, unroll_dim);
  oyi_held_end(&h, NULL);
  return given_all(node, gives);
}

// -------------------------------------------------------------------- the table

// Of two factors each is kept for the other's gradient.
#define FACTORS(id, a, b) SAVE_IF(id, a, b), SAVE_IF(id, b, a)
#define BOTH_FORMS(id, text, a, b)        \
  DERIVATIVE(id, text, FACTORS(id, a, b)) \
  DERIVATIVE_AS(id##_, text, id, FACTORS(id##_, a, b))
BOTH_FORMS(addmm, "AddmmBackward0", mat1, mat2)
BOTH_FORMS(addbmm, "AddbmmBackward0", batch1, batch2)
BOTH_FORMS(baddbmm, "BaddbmmBackward0", batch1, batch2)
BOTH_FORMS(addmv, "AddmvBackward0", mat, vec)
BOTH_FORMS(addr, "AddrBackward0", vec1, vec2)
DERIVATIVE(vdot, "VdotBackward0", FACTORS(vdot, self, other))
DERIVATIVE(linalg_cross, "LinalgCrossBackward0", FACTORS(linalg_cross, self, other))
DERIVATIVE(block_diag, "BlockDiagBackward0", SHAPE(block_diag, tensors))
DERIVATIVE(_trilinear, "TrilinearBackward0", SAVE(_trilinear, i1), SAVE(_trilinear, i2),
           SAVE(_trilinear, i3))
