// SPDX-License-Identifier: Apache-2.0
// The tile of conv_tiles.h for elements T, named by ID, of TILE_ROWS rows and TILE_WIDE
// vectors of TILE_BYTES: accumulators, a row of the image and a weight fill the registers.
typedef T JOIN(vec, ID) __attribute__((vector_size(TILE_BYTES)));

static void JOIN(tile, ID)(int64_t depth, const void* weights, const void* image_,
                           const int64_t* offsets, void* sums) {
  enum { LANES = TILE_BYTES / sizeof(T) };
  JOIN(vec, ID) all[TILE_ROWS][TILE_WIDE] = {{{0}}}, x[TILE_WIDE];
  const T *image = image_, *w = weights;
  for (int64_t k = 0; k < depth; k++, w += TILE_ROWS) {
    OYI_UNROLL
    for (int j = 0; j < TILE_WIDE; j++)
      memcpy(&x[j], image + offsets[k] + j * LANES, TILE_BYTES);
    OYI_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
      OYI_UNROLL
      for (int j = 0; j < TILE_WIDE; j++) all[i][j] += w[i] * x[j];
    }
  }
  memcpy(sums, all, sizeof(all));
}
