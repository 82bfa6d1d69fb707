// SPDX-License-Identifier: Apache-2.0
// Tiles of maps by neighbouring windows. SPREAD(one) is a vector of an element, and
// MULTIPLY_ADD(sum, a, b) adds to one what two others give.
typedef T JOIN(vec, ID) __attribute__((vector_size(TILE_BYTES)));

typedef __typeof__((JOIN(vec, ID)){0} == (JOIN(vec, ID)){0}) JOIN(mask, ID);

#define LANES (TILE_BYTES / (int64_t)sizeof(T))

// Vectors from |count| on are computed like the others, but neither read nor stored.
static inline __attribute__((always_inline)) void JOIN(part, ID)(
    int rows, int wide, int64_t count, int64_t depth, const T* w, const T* image,
    const int64_t* offsets, bool more, const T* bias, int64_t pitch, T* sums) {
  JOIN(vec, ID) all[TILE_ROWS][FEW_WIDE] = {{{0}}}, x[FEW_WIDE];
  OYI_UNROLL
  for (int i = 0; more && i < rows; i++) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++)
      if (j < count) memcpy(&all[i][j], sums + i * pitch + j * LANES, TILE_BYTES);
  }
  for (int64_t k = 0; k < depth; k++, w += rows) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++)
      memcpy(&x[j], image + offsets[k] + j * LANES, TILE_BYTES);
    OYI_UNROLL
    for (int i = 0; i < rows; i++) {
      OYI_UNROLL
      for (int j = 0; j < wide; j++) MULTIPLY_ADD(all[i][j], SPREAD(w[i]), x[j]);
    }
  }
  OYI_UNROLL
  for (int i = 0; i < rows; i++) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++) {
      if (bias) all[i][j] += bias[i];
      if (j < count) memcpy(sums + i * pitch + j * LANES, &all[i][j], TILE_BYTES);
    }
  }
}

#define PART(rows, wide) \
  JOIN(part, ID)         \
  (rows, wide, vectors, depth, weights, image, offsets, more, bias, pitch, sums)
#define FEW_PART(rows)      \
  case rows:                \
    if (vectors <= 2)       \
      PART(rows, 2);        \
    else if (vectors <= 4)  \
      PART(rows, 4);        \
    else                    \
      PART(rows, FEW_WIDE); \
    return;
static void JOIN(tile, ID)(int64_t rows, int64_t depth, const void* weights,
                           const void* image, const int64_t* offsets, int64_t vectors,
                           bool more, const void* bias, int64_t pitch, void* sums) {
  _Static_assert(TILE_WIDE <= 3, "each width has its own loop");
  switch (rows) {
    // clang-format off
    FEW_PART(1) FEW_PART(2)
#if FEW_ROWS > 2
    FEW_PART(3) FEW_PART(4)
#endif
    // clang-format on
  }
  if (vectors >= TILE_WIDE)
    PART(TILE_ROWS, TILE_WIDE);
  else if (vectors == 2)
    PART(TILE_ROWS, 2);
  else
    PART(TILE_ROWS, 1);
}
#undef FEW_PART
#undef PART
