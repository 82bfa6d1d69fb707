// SPDX-License-Identifier: Apache-2.0
// Division of one type of sums by counts of type C: T and ID are given, and undefined here;
// QUOTIENT(x, count) and PARTS, the numbers of an element, are the including file's.
static inline __attribute__((always_inline)) void OYI_JOIN(quotients, ID)(
    int64_t n, T* restrict sums, const C* restrict counts, bool same) {
  for (int64_t i = 0; i < n; i++) {
    // Of a choice of 1 compilers make a branch around the division.
    const C some = counts[same ? 0 : i], count = some + (C)(some < 1);
    for (int k = 0; k < PARTS; k++)
      sums[i * PARTS + k] = (T)QUOTIENT(sums[i * PARTS + k], count);
  }
}

static void OYI_JOIN(divide, ID)(int64_t n, char* const* data, const int64_t* strides,
                                 const void* args) {
  (void)args;
  const bool is_row = strides[0] == (int64_t)(PARTS * sizeof(T));
  T* sums = (T*)(void*)data[0];
  const C* counts = (const C*)(const void*)data[1];
  // Of a row that is counted as a whole, most often none is there, or one.
  if (strides[1] == 0 && *counts < 2) return;
  if (is_row && strides[1] == 0) {
    OYI_JOIN(quotients, ID)(n, sums, counts, true);
  } else if (is_row && strides[1] == (int64_t)sizeof(C)) {
    OYI_JOIN(quotients, ID)(n, sums, counts, false);
  } else {
    for (int64_t i = 0; i < n; i++) {
      T* sum = (T*)(void*)(data[0] + i * strides[0]);
      const char* count = data[1] + i * strides[1];
      OYI_JOIN(quotients, ID)(1, sum, (const C*)(const void*)count, true);
    }
  }
}
#undef T
#undef ID
