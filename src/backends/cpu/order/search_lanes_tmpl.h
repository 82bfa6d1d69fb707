// SPDX-License-Identifier: Apache-2.0
// The searches of search_lanes.h for one type: T, K, as what LOAD(x) makes of it is compared,
// and ID are given, and undefined here. The place is between |low| and |low| + |length|; lengths
// are the same in all lanes.
#define SEARCH(name, beyond)                                                         \
  static void OYI_JOIN(name, ID)(const void* x, int64_t n, const void* values,       \
                                 int64_t count, int64_t* out) {                      \
    const T *p = x, *value = values;                                                 \
    for (; count > 0; count--, value += OYI_SEARCH_LANES, out += OYI_SEARCH_LANES) { \
      K v[OYI_SEARCH_LANES];                                                         \
      for (int k = 0; k < OYI_SEARCH_LANES; k++) v[k] = LOAD(value[k]);              \
      int64_t low[OYI_SEARCH_LANES] = {0}, length = n;                               \
      for (; length > 1; length -= length / 2) {                                     \
        const int64_t half = length / 2;                                             \
        OYI_UNROLL for (int k = 0; k < OYI_SEARCH_LANES; k++) {                      \
          const K here = LOAD(p[low[k] + half - 1]);                                 \
          low[k] += here beyond v[k] ? half : 0;                                     \
        }                                                                            \
      }                                                                              \
      for (int k = 0; k < OYI_SEARCH_LANES; k++)                                     \
        out[k] = low[k] + (length == 1 && LOAD(p[low[k]]) beyond v[k]);              \
    }                                                                                \
  }
SEARCH(below, <)
SEARCH(up_to, <=)
#undef SEARCH
#undef T
#undef K
#undef ID
