// SPDX-License-Identifier: Apache-2.0
// Elements T, named by ID, that go to where the greatest were found: included once for each type.
// See pool_scatter.c.
static inline __attribute__((always_inline)) bool JOIN(scatter_rows,
                                                       ID)(const T* from,
                                                           const int64_t* indices,
                                                           int64_t n, int64_t channels,
                                                           T* out, int64_t room) {
  for (int64_t i = 0; i < n; i++, from += channels, indices += channels)
    for (int64_t c = 0; c < channels; c++) {
      if ((uint64_t)indices[c] >= (uint64_t)room) return false;
      T* to = out + indices[c] * channels + c;
      *to = ADD(*to, from[c]);
    }
  return true;
}

static bool JOIN(scatter_channels, ID)(const void* values, const int64_t* indices,
                                       int64_t n, int64_t channels, void* out,
                                       int64_t room, float* unused) {
  (void)unused;
  return JOIN(scatter_rows, ID)(values, indices, n, channels, out, room);
}

static bool JOIN(scatter, ID)(const void* values, const int64_t* indices, int64_t n,
                              int64_t channels, void* out, int64_t room, float* unused) {
  (void)channels, (void)unused;
  return JOIN(scatter_rows, ID)(values, indices, n, 1, out, room);
}
