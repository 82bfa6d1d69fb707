// SPDX-License-Identifier: Apache-2.0
// Distances of one type, T, DTYPE by name, from products of rows of IN: ID names these, LOAD(x) is
// an element of them, squares of SURE in all, or of
// 0, may be taken as they come, unless their difference is small beside them.

// Sums side by side, which do not wait for each other.
static void OYI_JOIN(norms, ID)(const IN* x, int64_t rows, int64_t n, T* out) {
  for (int64_t i = 0; i < rows; i++, x += n) {
    T sums[SIDES] = {0};
    int64_t p = 0;
    for (; p + SIDES <= n; p += SIDES)
      // NOLINT: tensors with elements have data
      for (int k = 0; k < SIDES; k++) sums[k] += LOAD(x[p + k]) * LOAD(x[p + k]);
    // NOLINT: as above
    for (int k = 0; p < n; p++, k++) sums[k] += LOAD(x[p]) * LOAD(x[p]);
    for (int half = SIDES / 2; half > 0; half /= 2)
      for (int k = 0; k < half; k++) sums[k] += sums[k + half];
    out[i] = sums[0];
  }
}

static double OYI_JOIN(difference, ID)(const IN* a, const IN* b, int64_t n) {
  double sums[SIDES / 2] = {0};
  int64_t p = 0;
  for (; p + SIDES / 2 <= n; p += SIDES / 2)
    for (int k = 0; k < SIDES / 2; k++) {
      const double d = (double)LOAD(a[p + k]) - (double)LOAD(b[p + k]);
      sums[k] += d * d;
    }
  for (int k = 0; p < n; p++, k++) {
    const double d = (double)LOAD(a[p]) - (double)LOAD(b[p]);
    sums[k] += d * d;
  }
  for (int k = 1; k < SIDES / 2; k++) sums[0] += sums[k];
  return sums[0];
}

// Whether rows are the same, bit by bit: then all of their elements are numbers too, since squares
// add up to one, |size|.
static bool OYI_JOIN(are_same, ID)(const IN* a, const IN* b, int64_t n, T size, T other) {
  return size == other && size < (T)INFINITY && memcmp(a, b, (size_t)n * sizeof(IN)) == 0;
}

// |n| elements of the result, which have -2 times the products. Squares that are small beside
// what they are the difference of, and those of no numbers, are computed again.
static void OYI_JOIN(finish_piece, ID)(const oyi_distance_squares* squares, int64_t n,
                                       const IN* a, const IN* b, int64_t columns, T size,
                                       const T* sizes, T* out) {
  if (!squares->complete(n, &size, sizes, SURE, out)) return;
  for (int64_t j = 0; j < n; j++) {
    const IN* other = b + j * columns;
    const T both = size + sizes[j];
    if (out[j] >= (T)OYI_DISTANCE_NEAR * both && (both == 0 || both >= (T)SURE)) continue;
    out[j] = OYI_JOIN(are_same, ID)(a, other, columns, size, sizes[j])
                 ? 0
                 : (T)OYI_JOIN(difference, ID)(a, other, columns);
  }
}

static void OYI_JOIN(finish_row, ID)(const sides* s, int64_t i) {
  enum { PIECE = 64 };
  const int64_t n = s->b_rows, columns = s->columns;
  const IN *a = (const IN*)s->a + i * columns, *b = s->b;
  const T* sizes = s->sizes;
  T* out = (T*)s->out + i * n;
  for (int64_t j = 0; j < n; j += PIECE) {
    const int64_t some = n - j < PIECE ? n - j : PIECE;
    OYI_JOIN(finish_piece, ID)
    (s->squares, some, a, b + j * columns, columns, sizes[n + i], sizes + j, out + j);
  }
  take_roots(DTYPE, n, out);
}

static oy_status OYI_JOIN(finish_some, ID)(int64_t index, void* context) {
  const sides* s = context;
  for (int64_t i = index * s->chunk; i < s->a_rows && i < (index + 1) * s->chunk; i++)
    OYI_JOIN(finish_row, ID)(s, i);
  return OY_OK;
}

static oy_status OYI_JOIN(finish, ID)(sides* s) {
  OYI_JOIN(norms, ID)(s->b, s->b_rows, s->columns, s->sizes);
  OYI_JOIN(norms, ID)(s->a, s->a_rows, s->columns, (T*)s->sizes + s->b_rows);
  s->chunk = oyi_stretch(s->b_rows);
  return oyi_parallel_chunks(oyi_stretches(s->a_rows, s->chunk),
                             OYI_JOIN(finish_some, ID), s);
}
#undef IN
#undef SURE
#undef T
#undef ID
#undef DTYPE
