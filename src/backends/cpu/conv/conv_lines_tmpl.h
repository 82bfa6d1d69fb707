// SPDX-License-Identifier: Apache-2.0
// Lines of sums of one channel, and the gradients of its weights, part of
// conv_tiles_tmpl.h.

// Up to four vectors, at |at| in the image: enough sums to hide how long each takes.
static inline __attribute__((always_inline)) void JOIN(some, ID)(
    int wide, int64_t depth, const T* w, const T* image, const int64_t* offsets,
    const int64_t* at, T first, JOIN(vec, ID) * all) {
  JOIN(vec, ID) sums[4], x;
  OYI_UNROLL
  for (int j = 0; j < wide; j++) sums[j] = first - (JOIN(vec, ID)){0};
  for (int64_t k = 0; k < depth; k++) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++) {
      memcpy(&x, image + offsets[k] + at[j], TILE_BYTES);
      sums[j] += w[k] * x;
    }
  }
  OYI_UNROLL
  for (int j = 0; j < wide; j++) all[j] = sums[j];
}

static void JOIN(one_line, ID)(int64_t depth, const T* w, const T* image,
                               const int64_t* offsets, int64_t count, T first, T* sums) {
  JOIN(vec, ID) all[4];
  // The last one of a line overlaps the one before it: the same sums again.
  for (int64_t x = 0; x < count; x += 4 * LANES) {
    int64_t at[4];
    for (int64_t j = 0; j < 4; j++)
      at[j] = x + (j + 1) * LANES <= count ? x + j * LANES : count - LANES;
    const int64_t vectors = (count - x + LANES - 1) / LANES;
    if (vectors >= 4)
      JOIN(some, ID)(4, depth, w, image, offsets, at, first, all);
    else if (vectors == 3)
      JOIN(some, ID)(3, depth, w, image, offsets, at, first, all);
    else if (vectors == 2)
      JOIN(some, ID)(2, depth, w, image, offsets, at, first, all);
    else
      JOIN(some, ID)(1, depth, w, image, offsets, at, first, all);
    for (int64_t j = 0; j < 4 && j < vectors; j++)
      memcpy(sums + at[j], &all[j], TILE_BYTES);
  }
}

static void JOIN(lines, ID)(int64_t depth, const void* weights, const void* image_,
                            const int64_t* offsets, int64_t lines, int64_t pitch,
                            int64_t count, const void* bias, void* sums_) {
  const T first = bias ? *(const T*)bias : 0, *w = weights, *image = image_;
  T* sums = sums_;
  // Lines of one vector or two are computed together with the next ones.
  const int64_t together = count <= LANES ? 4 : count <= 2 * LANES ? 2 : 1;
  for (; lines >= together && together > 1; lines -= together) {
    JOIN(vec, ID) all[4];
    int64_t at[4];
    for (int64_t j = 0; j < 4; j++)
      at[j] = together == 4 ? j * pitch : j / 2 * pitch + j % 2 * (count - LANES);
    JOIN(some, ID)(4, depth, w, image, offsets, at, first, all);
    for (int64_t j = 0; j < 4; j++) {
      const int64_t to =
          together == 4 ? j * count : j / 2 * count + j % 2 * (count - LANES);
      JOIN(put_some, ID)(all[j], 0, count < LANES ? count : LANES, sums + to);
    }
    image += together * pitch, sums += together * count;
  }
  for (; lines > 0; lines--, image += pitch, sums += count) {
    if (count >= LANES) {
      JOIN(one_line, ID)(depth, w, image, offsets, count, first, sums);
      continue;
    }
    JOIN(vec, ID) one;
    JOIN(some, ID)(1, depth, w, image, offsets, (const int64_t[]){0}, first, &one);
    JOIN(put_some, ID)(one, 0, count, sums);
  }
}

// |TALL| lines of |wide| vectors: a line of the image is read once for all of those that
// see it, and a weight once for all vectors.
static inline __attribute__((always_inline)) void JOIN(tall_part, ID)(
    int wide, const oyi_conv_window* k, const T* w, const T* image,
    const int64_t* offsets, int64_t pitch, const int64_t* at, T first,
    JOIN(vec, ID) sums[TALL][4]) {
  JOIN(vec, ID) all[TALL][4], x[4];
  OYI_UNROLL
  for (int r = 0; r < TALL; r++) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++) all[r][j] = first - (JOIN(vec, ID)){0};
  }
  const int64_t size = k->height * k->width, begin = k->step < 0 ? size - 1 : 0;
  for (int64_t o = 0; o < k->blocks; o++) {
    const T *w0 = w + o * size + begin, *line = image + offsets[o * size + begin];
    for (int64_t i = 0; i < k->height + TALL - 1; i++, line += pitch)
      for (int64_t c = 0; c < k->width; c++) {
        const T* now = w0 + (i * k->width + c) * k->step;
        OYI_UNROLL
        for (int j = 0; j < wide; j++)
          memcpy(&x[j], line + c * k->dilation + at[j], TILE_BYTES);
        OYI_UNROLL
        for (int r = 0; r < TALL; r++) {
          if ((uint64_t)(i - r) >= (uint64_t)k->height) continue;
          const T by = now[-r * k->width * k->step];
          OYI_UNROLL
          for (int j = 0; j < wide; j++) all[r][j] += by * x[j];
        }
      }
  }
  OYI_UNROLL
  for (int r = 0; r < TALL; r++) {
    OYI_UNROLL
    for (int j = 0; j < wide; j++) sums[r][j] = all[r][j];
  }
}

static void JOIN(tall, ID)(const oyi_conv_window* k, const void* weights,
                           const void* image, const int64_t* offsets, int64_t pitch,
                           int64_t count, const void* bias, void* sums_) {
  const T first = bias ? *(const T*)bias : 0;
  T* sums = sums_;
  JOIN(vec, ID) all[TALL][4];
  for (int64_t x = 0; x < count; x += 4 * LANES) {
    int64_t at[4];
    for (int64_t j = 0; j < 4; j++)
      at[j] =
          x + (j + 1) * LANES <= count || count < LANES ? x + j * LANES : count - LANES;
    const int64_t vectors = (count - x + LANES - 1) / LANES;
    if (vectors >= 4)
      JOIN(tall_part, ID)(4, k, weights, image, offsets, pitch, at, first, all);
    else if (vectors == 3)
      JOIN(tall_part, ID)(3, k, weights, image, offsets, pitch, at, first, all);
    else if (vectors == 2)
      JOIN(tall_part, ID)(2, k, weights, image, offsets, pitch, at, first, all);
    else
      JOIN(tall_part, ID)(1, k, weights, image, offsets, pitch, at, first, all);
    for (int64_t r = 0; r < TALL; r++)
      for (int64_t j = 0; j < 4 && j < vectors; j++) JOIN(put_some, ID)
    (all[r][j], 0, count < LANES ? count : LANES, sums + r * count + at[j]);
  }
}

// |places| sums of a vector of channels.
static inline __attribute__((always_inline)) void JOIN(places, ID)(
    int places, int64_t apart, int64_t depth, const T* w, const T* image,
    const int64_t* offsets, T* sums) {
  JOIN(vec, ID) all[CHANNEL_PLACES] = {{0}}, x, by;
  for (int64_t k = 0; k < depth; k++, w += LANES) {
    const T* from = image + offsets[k] * LANES;
    memcpy(&by, w, TILE_BYTES);
    OYI_UNROLL
    for (int i = 0; i < places; i++) {
      memcpy(&x, from + i * apart * LANES, TILE_BYTES);
      all[i] += by * x;
    }
  }
  OYI_UNROLL
  for (int i = 0; i < places; i++) memcpy(sums + i * LANES, &all[i], TILE_BYTES);
}

#define CASE(count)                                                                   \
  case count:                                                                         \
    JOIN(places, ID)(count, apart, depth, w, image + apart * at, offsets, sums + at); \
    break;
static inline __attribute__((always_inline)) void JOIN(channels_of,
                                                       ID)(int64_t apart, int64_t depth,
                                                           const T* w, const T* image,
                                                           const int64_t* offsets,
                                                           int64_t count, T* sums) {
  const int64_t parts = (count + CHANNEL_PLACES - 1) / CHANNEL_PLACES;
  for (int64_t i = 0; i < parts; i++) {
    const int64_t first = i * count / parts, at = first * LANES;
    switch ((i + 1) * count / parts - first) {
      // clang-format off
      CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7)
#if CHANNEL_PLACES > 7
      CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14)
#endif
      // clang-format on
    }
  }
}
#undef CASE

static void JOIN(channels, ID)(int64_t apart, int64_t depth, const void* w,
                               const void* image, const int64_t* offsets, int64_t count,
                               void* sums) {
  if (apart == 2)
    JOIN(channels_of, ID)(2, depth, w, image, offsets, count, sums);
  else if (apart > 2)
    JOIN(channels_of, ID)(apart, depth, w, image, offsets, count, sums);
  else
    JOIN(channels_of, ID)(1, depth, w, image, offsets, count, sums);
}

// Gradients of |most| weights of a vector of channels, of which |count| are wanted; |maps| has
// one for each window.
static inline __attribute__((always_inline)) void JOIN(some_channel_dots, ID)(
    int most, int64_t count, const oyi_conv_area* area, int64_t apart, const T* maps,
    const T* image, const int64_t* offsets, double* sums) {
  JOIN(vec, ID) all[CHANNEL_DOTS] = {{0}}, by, x;
  for (int64_t y = 0; y < area->lines; y++, image += area->line_step * LANES) {
    const T* at[CHANNEL_DOTS];
    OYI_UNROLL
    for (int j = 0; j < most; j++)
      at[j] = image + offsets[j < count ? j : count - 1] * LANES;
    for (int64_t i = 0; i < area->width; i++, maps += LANES) {
      memcpy(&by, maps, TILE_BYTES);
      OYI_UNROLL
      for (int j = 0; j < most; j++) {
        memcpy(&x, at[j] + i * apart * LANES, TILE_BYTES);
        all[j] += by * x;
      }
    }
  }
  OYI_UNROLL
  for (int j = 0; j < most; j++)
    if (j < count) JOIN(add_to, ID)(all[j], sums + j * LANES);
}

static void JOIN(channel_dots, ID)(const oyi_conv_area* area, int64_t apart,
                                   const void* maps, const void* image, int64_t depth,
                                   const int64_t* offsets, double* sums) {
  enum { FEW = 4 };
  for (int64_t k = 0; k < depth; k += CHANNEL_DOTS, sums += CHANNEL_DOTS * LANES) {
    if (depth - k <= FEW) JOIN(some_channel_dots, ID)
    (FEW, depth - k, area, apart, maps, image, offsets + k, sums);
    else JOIN(some_channel_dots, ID)(CHANNEL_DOTS, depth - k, area, apart, maps, image,
                                     offsets + k, sums);
  }
}

// Elements where |mask| is set, and zeros.
static inline JOIN(vec, ID) JOIN(masked, ID)(const T* from, JOIN(mask, ID) mask) {
  JOIN(vec, ID) x;
  memcpy(&x, from, TILE_BYTES);
  return (JOIN(vec, ID))((JOIN(mask, ID))x & mask);
}

enum { JOIN(MOST_DOTS, ID) = 9 };

// |some| weights at once, so that a vector of the maps is read for all of them.
static inline __attribute__((always_inline)) void JOIN(some_dots, ID)(
    int some, const oyi_conv_area* area, const T* g, const T* image,
    const int64_t* offsets, JOIN(vec, ID) * all) {
  JOIN(vec, ID) sum[JOIN(MOST_DOTS, ID)] = {{0}}, x;
  const int64_t whole = area->width / LANES * LANES;
  JOIN(mask, ID) mask;
  for (int i = 0; i < LANES; i++) mask[i] = i < area->width - whole ? -1 : 0;
  for (int64_t z = 0; z < area->planes; z++, image += area->plane_step) {
    const T* at = image;
    for (int64_t y = 0; y < area->lines; y++, g += area->width, at += area->line_step) {
      for (int64_t i = 0; i < whole; i += LANES) {
        JOIN(vec, ID) by;
        memcpy(&by, g + i, TILE_BYTES);
        OYI_UNROLL
        for (int j = 0; j < some; j++) {
          memcpy(&x, at + offsets[j] + i, TILE_BYTES);
          sum[j] += by * x;
        }
      }
      if (whole == area->width) continue;
      const JOIN(vec, ID) by = JOIN(masked, ID)(g + whole, mask);
      OYI_UNROLL
      for (int j = 0; j < some; j++)
        sum[j] += by * JOIN(masked, ID)(at + offsets[j] + whole, mask);
    }
  }
  OYI_UNROLL
  for (int j = 0; j < some; j++) all[j] = sum[j];
}

// Elements of a vector, added up in pairs: a chain would take longer than a small map.
static inline double JOIN(total, ID)(JOIN(vec, ID) x) {
  double sums[LANES];
  for (int i = 0; i < LANES; i++) sums[i] = (double)x[i];
  OYI_UNROLL
  for (int half = LANES / 2; half > 0; half /= 2) {
    OYI_UNROLL
    for (int i = 0; i < half; i++) sums[i] += sums[i + half];
  }
  return sums[0];
}

static inline __attribute__((always_inline)) void JOIN(add_dots, ID)(
    int most, const oyi_conv_area* area, const void* maps, const void* image,
    int64_t depth, const int64_t* offsets, double* sums) {
  // Of what is added up in T before it goes on in double: several planes, if they are small.
  const int64_t stretch = 512 * LANES;
  const int64_t width = area->width < stretch ? area->width : stretch;
  const int64_t lines = area->lines < stretch / width ? area->lines : stretch / width;
  const int64_t planes = lines < area->lines ? 1 : stretch / (width * lines);
  oyi_conv_area part = *area;
  for (int64_t k = 0; k < depth; k += most) {
    int64_t some[JOIN(MOST_DOTS, ID)];
    for (int j = 0; j < most; j++) some[j] = offsets[k + j < depth ? k + j : depth - 1];
    for (int64_t y = 0; y < area->planes * area->lines; y += part.planes * part.lines) {
      const int64_t plane = y / area->lines, line = y % area->lines;
      const T* from = (const T*)image + plane * area->plane_step + line * area->line_step;
      part.planes = area->planes - plane < planes ? area->planes - plane : planes;
      part.lines = area->lines - line < lines ? area->lines - line : lines;
      for (int64_t i = 0; i < area->width; i += width) {
        JOIN(vec, ID) all[JOIN(MOST_DOTS, ID)];
        part.width = area->width - i < width ? area->width - i : width;
        JOIN(some_dots, ID)
        (most, &part, (const T*)maps + y * area->width + i, from + i, some, all);
        for (int64_t j = 0; j < most && k + j < depth; j++)
          sums[k + j] += JOIN(total, ID)(all[j]);
      }
    }
  }
}

static void JOIN(dots, ID)(const oyi_conv_area* area, const void* maps, const void* image,
                           int64_t depth, const int64_t* offsets, double* sums) {
  // 3 x 3 at once, where there are registers for that.
  if (TILE_BYTES == 64 && depth >= JOIN(MOST_DOTS, ID))
    JOIN(add_dots, ID)(JOIN(MOST_DOTS, ID), area, maps, image, depth, offsets, sums);
  else
    JOIN(add_dots, ID)(3, area, maps, image, depth, offsets, sums);
}
