// SPDX-License-Identifier: Apache-2.0
// The loops of conv_tiles.h for elements T, named by ID, of TILE_ROWS rows and TILE_WIDE
// vectors of TILE_BYTES: accumulators, a row of the image and a weight fill the registers.
typedef T JOIN(vec, ID) __attribute__((vector_size(TILE_BYTES)));

#define LANES (TILE_BYTES / (int64_t)sizeof(T))

static inline __attribute__((always_inline)) void JOIN(part, ID)(int wide, int64_t depth,
                                                                 const T* w,
                                                                 const T* image,
                                                                 const int64_t* offsets,
                                                                 T* sums) {
  JOIN(vec, ID) all[TILE_ROWS][TILE_WIDE] = {{{0}}}, x[TILE_WIDE];
  for (int64_t k = 0; k < depth; k++, w += TILE_ROWS) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++)
      memcpy(&x[j], image + offsets[k] + j * LANES, TILE_BYTES);
    OYI_UNROLL
    for (int i = 0; i < TILE_ROWS; i++) {
      OYI_UNROLL
      for (int j = 0; j < wide; j++) all[i][j] += w[i] * x[j];
    }
  }
  OYI_UNROLL
  for (int i = 0; i < TILE_ROWS; i++)
    memcpy(sums + i * TILE_WIDE * LANES, all[i], (size_t)wide * TILE_BYTES);
}

static void JOIN(tile, ID)(int64_t depth, const void* weights, const void* image,
                           const int64_t* offsets, int64_t vectors, void* sums) {
  _Static_assert(TILE_WIDE <= 3, "each width has its own loop");
  if (vectors >= TILE_WIDE)
    JOIN(part, ID)(TILE_WIDE, depth, weights, image, offsets, sums);
  else if (vectors == 2)
    JOIN(part, ID)(2, depth, weights, image, offsets, sums);
  else
    JOIN(part, ID)(1, depth, weights, image, offsets, sums);
}

// Up to four vectors, at |at|, of a line: enough sums to hide how long each takes.
static inline __attribute__((always_inline)) void JOIN(some, ID)(
    int wide, int64_t depth, const T* w, const T* image, const int64_t* offsets,
    const int64_t* at, T first, T* sums) {
  JOIN(vec, ID) all[4], x;
  OYI_UNROLL
  for (int j = 0; j < wide; j++) all[j] = first - (JOIN(vec, ID)){0};
  for (int64_t k = 0; k < depth; k++) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++) {
      memcpy(&x, image + offsets[k] + at[j], TILE_BYTES);
      all[j] += w[k] * x;
    }
  }
  OYI_UNROLL
  for (int j = 0; j < wide; j++) memcpy(sums + at[j], &all[j], TILE_BYTES);
}

static void JOIN(line, ID)(int64_t depth, const void* weights, const void* image_,
                           const int64_t* offsets, int64_t count, const void* bias,
                           void* sums_) {
  const T first = bias ? *(const T*)bias : 0, *w = weights, *image = image_;
  T *sums = sums_, one[LANES];
  if (count < LANES) {
    JOIN(some, ID)(1, depth, w, image, offsets, (const int64_t[]){0}, first, one);
    memcpy(sums, one, (size_t)count * sizeof(T));
    return;
  }
  // The last one of a line overlaps the one before it: the same sums again.
  for (int64_t x = 0; x < count; x += 4 * LANES) {
    int64_t at[4];
    for (int64_t j = 0; j < 4; j++)
      at[j] = x + (j + 1) * LANES <= count ? x + j * LANES : count - LANES;
    const int64_t vectors = (count - x + LANES - 1) / LANES;
    if (vectors >= 4)
      JOIN(some, ID)(4, depth, w, image, offsets, at, first, sums);
    else if (vectors == 3)
      JOIN(some, ID)(3, depth, w, image, offsets, at, first, sums);
    else if (vectors == 2)
      JOIN(some, ID)(2, depth, w, image, offsets, at, first, sums);
    else
      JOIN(some, ID)(1, depth, w, image, offsets, at, first, sums);
  }
}

// The same shape, with kernel elements side by side and places to add up.
static void JOIN(gradient, ID)(const oyi_conv_area* area, const void* maps,
                               const void* image, const int64_t* offsets, double* sums) {
  JOIN(vec, ID) all[TILE_ROWS][TILE_WIDE] = {{{0}}}, x[TILE_WIDE];
  const T* g = maps;
  for (int64_t z = 0; z < area->planes; z++)
    for (int64_t y = 0; y < area->lines; y++) {
      const T* line =
          (const T*)image + (z * area->plane_step + y * area->line_step) * LANES;
      const T* at[TILE_WIDE];
      for (int j = 0; j < TILE_WIDE; j++) at[j] = line + offsets[j] * LANES;
      for (int64_t i = 0; i < area->width; i++, g += TILE_ROWS) {
        OYI_UNROLL
        for (int j = 0; j < TILE_WIDE; j++) memcpy(&x[j], at[j] + i * LANES, TILE_BYTES);
        OYI_UNROLL
        for (int r = 0; r < TILE_ROWS; r++) {
          OYI_UNROLL
          for (int j = 0; j < TILE_WIDE; j++) all[r][j] += g[r] * x[j];
        }
      }
    }
  OYI_UNROLL
  for (int r = 0; r < TILE_ROWS; r++) {
    OYI_UNROLL
    for (int j = 0; j < TILE_WIDE; j++, sums += LANES)
      for (int64_t l = 0; l < LANES; l++) sums[l] += (double)all[r][j][l];
  }
}

// Of the elements of |a| and |b|, those from |first| on, two apart.
static inline JOIN(vec, ID) JOIN(second, ID)(const T* from, int first) {
  JOIN(vec, ID) a, b, out;
  memcpy(&a, from, TILE_BYTES);
  memcpy(&b, from + LANES, TILE_BYTES);
  OYI_UNROLL
  for (int i = 0; i < LANES; i++)
    out[i] = 2 * i + first < LANES ? a[2 * i + first] : b[2 * i + first - LANES];
  return out;
}

static void JOIN(halve, ID)(const void* from_, int64_t count, void* to_) {
  const T* from = from_;
  T* to = to_;
  int64_t i = 0;
  JOIN(vec, ID) x;
  for (; i + LANES < count; i += LANES) {
    x = JOIN(second, ID)(from + 2 * i, 0);
    memcpy(to + i, &x, TILE_BYTES);
  }
  if (count > LANES) {  // the rest, and some again
    i = count - LANES;
    x = JOIN(second, ID)(from + 2 * i - 1, 1);
    memcpy(to + i, &x, TILE_BYTES);
  } else {
    for (; i < count; i++) to[i] = from[2 * i];
  }
}
#undef LANES
