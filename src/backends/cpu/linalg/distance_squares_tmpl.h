// SPDX-License-Identifier: Apache-2.0
// The loops of distance_squares.h for numbers T, named by ID; INT is as long.

static bool OYI_JOIN(complete, ID)(int64_t n, const void* size_, const void* sizes_,
                                   double sure, void* out_) {
  const T size = *(const T*)size_, *sizes = sizes_, least = (T)sure;
  T* out = out_;
  INT again = 0;
  for (int64_t j = 0; j < n; j++) {
    const T both = size + sizes[j], square = both + out[j];
    again |= !((square >= (T)OYI_DISTANCE_NEAR * both) & ((both == 0) | (both >= least)));
    out[j] = square;
  }
  return again != 0;
}

// |some| elements of each, which go on from |out|, or from 0.
static inline __attribute__((always_inline)) void OYI_JOIN(some, ID)(
    const int some, int64_t n, const T* row, const T* restrict others, bool adds,
    T* restrict out) {
  for (int64_t j = 0; j < n; j++) {
    T square = adds ? out[j] : 0;
    OYI_UNROLL_BY(4)
    for (int c = 0; c < some; c++) {
      const T d = row[c] - others[c * n + j];
      square += d * d;
    }
    out[j] = square;
  }
}

static void OYI_JOIN(differences, ID)(int64_t n, const void* row_, const void* others_,
                                      int64_t count, void* out) {
  const T *row = row_, *others = others_;
  bool adds = false;
  for (; count >= 4; count -= 4, row += 4, others += 4 * n, adds = true)
    OYI_JOIN(some, ID)(4, n, row, others, adds, out);
  if (count == 3) OYI_JOIN(some, ID)(3, n, row, others, adds, out);
  if (count == 2) OYI_JOIN(some, ID)(2, n, row, others, adds, out);
  if (count == 1) OYI_JOIN(some, ID)(1, n, row, others, adds, out);
}
#undef T
#undef INT
#undef ID
