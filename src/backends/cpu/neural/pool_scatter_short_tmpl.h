// SPDX-License-Identifier: Apache-2.0
// The same of 16-bit floats, named by ID, whose sums are floats until all are there: only what
// windows meet is turned into a float and back. See pool_scatter.c.
static inline __attribute__((always_inline)) bool JOIN(scatter_rows, ID)(
    const uint16_t* from, const int64_t* indices, int64_t n, int64_t channels,
    uint16_t* out, int64_t room, float* sums) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t c = 0; c < channels; c++) {
      const int64_t at = indices[i * channels + c];
      if ((uint64_t)at >= (uint64_t)room) return false;
      sums[at * channels + c] += LOAD(from[i * channels + c]);
    }
  // A sum that is 0 has been stored before, or is what is there.
  for (int64_t i = 0; i < n; i++, indices += channels)
    for (int64_t c = 0; c < channels; c++) {
      const int64_t at = indices[c] * channels + c;
      if (sums[at] == 0) continue;
      out[at] = STORE(sums[at]);
      sums[at] = 0;
    }
  return true;
}

static bool JOIN(scatter_channels, ID)(const void* values, const int64_t* indices,
                                       int64_t n, int64_t channels, void* out,
                                       int64_t room, float* sums) {
  return JOIN(scatter_rows, ID)(values, indices, n, channels, out, room, sums);
}

static bool JOIN(scatter, ID)(const void* values, const int64_t* indices, int64_t n,
                              int64_t channels, void* out, int64_t room, float* sums) {
  (void)channels;
  return JOIN(scatter_rows, ID)(values, indices, n, 1, out, room, sums);
}
