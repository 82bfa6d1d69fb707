// SPDX-License-Identifier: Apache-2.0
// Images as columns, for elements T, named by ID: included once for each type. See
// columns.h.

// The places along the last dimension, of those from |from| to below |to|, whose element
// under kernel column |kw| is inside the image.
static inline void JOIN(inside, ID)(const oyi_conv* c, int64_t kw, int64_t* from,
                                    int64_t* to) {
  const int64_t step = c->stride[2], shift = c->padding[2] - kw * c->dilation[2];
  const int64_t room = c->image[2] - 1 + shift;
  int64_t low = shift > 0 ? shift : 0, high = room < 0 ? 0 : room + 1;
  // Divisions take as long as a short line.
  if (step > 1) low = (low + step - 1) / step, high = (high + step - 1) / step;
  if (*from < low) *from = low;
  if (*to > high) *to = high;
  if (*to < *from) *to = *from;
}

// Few elements are moved here, since a call takes longer.
static inline __attribute__((always_inline)) void JOIN(zeros, ID)(T* out, int64_t n) {
  if (n > FEW)
    memset(out, 0, (size_t)n * sizeof(T));
  else
    for (int64_t i = 0; i < n; i++) out[i] = 0;
}

// |room| elements are there from |in| and |out| on.
static inline __attribute__((always_inline)) void JOIN(copy, ID)(T* out, const T* in,
                                                                 int64_t n,
                                                                 int64_t room) {
  enum { PIECE = sizeof(T) < 16 ? 16 / sizeof(T) : 1 };
  int64_t i = 0;
  if (n > FEW)
    memcpy(out, in, (size_t)n * sizeof(T));
  else if (room >= n + PIECE)  // what is too much is written over, or not yet there
    for (; i < n; i += PIECE) memcpy(out + i, in + i, PIECE * sizeof(T));
  else
    for (; i < n; i++) out[i] = in[i];
}

// The row of one kernel element where lines of the map lie as those of the image do: all of
// the image moved by a distance, but for what is outside of it.
static void JOIN(move_row, ID)(const oyi_conv* c, const T* image, int64_t down,
                               int64_t right, int64_t low, int64_t high, T* row) {
  const int64_t width = c->map[2], lines = c->map[1];
  const int64_t from = down < 0 ? -down : 0;
  const int64_t end = c->image[1] - down < lines ? c->image[1] - down : lines;
  if (end <= from || high <= low) {
    memset(row, 0, (size_t)(lines * width) * sizeof(T));
    return;
  }
  const int64_t first = from * width + low, last = (end - 1) * width + high;
  JOIN(zeros, ID)(row, first);
  memcpy(row + first, image + first + down * width + right,
         (size_t)(last - first) * sizeof(T));
  // Between lines there are elements of others.
  const int64_t gap = width - high + low;
  for (int64_t y = from; gap > 0 && y + 1 < end; y++)
    JOIN(zeros, ID)(row + y * width + high, gap);
  JOIN(zeros, ID)(row + last, lines * width - last);
}

static bool JOIN(is_moved, ID)(const oyi_conv* c, const int64_t* k, int64_t count) {
  return c->stride[1] == 1 && c->stride[2] == 1 && c->map[2] == c->image[2] &&
         c->image[0] == 1 && c->map[0] == 1 && k[0] * c->dilation[0] == c->padding[0] &&
         count == c->map[1] * c->map[2];
}

// One line of the map: elements |low| to below |high| come from |in|, |step| apart.
static inline __attribute__((always_inline)) void JOIN(fill_line,
                                                       ID)(T* out, const T* in,
                                                           int64_t step, int64_t low,
                                                           int64_t high, int64_t width,
                                                           int64_t room) {
  JOIN(zeros, ID)(out, low);
  if (step == 1)
    JOIN(copy, ID)(out + low, in + low, high - low, room - low);
  else
    for (int64_t i = low; i < high; i++) out[i] = in[i * step];
  JOIN(zeros, ID)(out + high, width - high);
}

// All places of one kernel element.
static void JOIN(whole_row, ID)(const oyi_conv* c, const T* image, const int64_t* k,
                                int64_t low, int64_t high, T* row) {
  const int64_t width = c->map[2], step = c->stride[1], lines = c->map[1];
  const int64_t right = k[2] * c->dilation[2] - c->padding[2];
  const int64_t down = k[1] * c->dilation[1] - c->padding[1];
  const T* const end = image + oyi_volume(c->image);
  int64_t left = oyi_volume(c->map);
  int64_t from = down < 0 ? (step - 1 - down) / step : 0;
  int64_t to = c->image[1] > down ? (c->image[1] - 1 - down) / step + 1 : 0;
  if (to > lines) to = lines;
  if (from >= to || low >= high) from = to = lines;
  for (int64_t z = 0; z < c->map[0]; z++) {
    const int64_t d = z * c->stride[0] - c->padding[0] + k[0] * c->dilation[0];
    const bool is_there = d >= 0 && d < c->image[0];
    const int64_t first = is_there ? from : lines, last = is_there ? to : lines;
    const T* in = image + (d * c->image[1] + first * step + down) * c->image[2] + right;
    JOIN(zeros, ID)(row, first * width);
    row += first * width, left -= first * width;
    for (int64_t y = first; y < last; y++) {
      const int64_t room = left < end - in ? left : end - in;
      if (c->stride[2] == 1)
        JOIN(fill_line, ID)(row, in, 1, low, high, width, room);
      else
        JOIN(fill_line, ID)(row, in, c->stride[2], low, high, width, room);
      row += width, left -= width, in += step * c->image[2];
    }
    JOIN(zeros, ID)(row, (lines - last) * width);
    row += (lines - last) * width, left -= (lines - last) * width;
  }
}

// One kernel element's row of columns: |count| places from |first| on.
static void JOIN(fill_row, ID)(const oyi_conv* c, const T* image, const int64_t* k,
                               int64_t first, int64_t count, T* row) {
  const int64_t width = c->map[2], size = oyi_volume(c->image);
  const int64_t right = k[2] * c->dilation[2] - c->padding[2];
  const int64_t down = k[1] * c->dilation[1] - c->padding[1];
  int64_t low = 0, high = width;
  JOIN(inside, ID)(c, k[2], &low, &high);
  if (JOIN(is_moved, ID)(c, k, count)) {
    JOIN(move_row, ID)(c, image, down, right, low, high, row);
    return;
  }
  if (count == oyi_volume(c->map)) {
    JOIN(whole_row, ID)(c, image, k, low, high, row);
    return;
  }
  const int64_t line = first / width;
  int64_t z = line / c->map[1], y = line - z * c->map[1], w = first - line * width, stop;
  T* out = row - w;
  for (int64_t left = count; left > 0; left -= stop - w, w = 0, out += width) {
    stop = left < width - w ? w + left : width;
    const int64_t d = z * c->stride[0] - c->padding[0] + k[0] * c->dilation[0];
    const int64_t h = y * c->stride[1] + down;
    int64_t from = w > low ? w : low, to = stop < high ? stop : high;
    if (d < 0 || d >= c->image[0] || h < 0 || h >= c->image[1] || to <= from)
      from = to = stop;
    const int64_t at = (d * c->image[1] + h) * c->image[2] + right;
    const int64_t room = left < size - at - w ? left : size - at - w;
    JOIN(fill_line, ID)
    (out + w, image + at + w * c->stride[2], c->stride[2], from - w, to - w, stop - w,
     room);
    if (++y == c->map[1]) y = 0, z++;
  }
}

// The row of one kernel element, of each channel, |next| elements apart.
static void JOIN(fill_rows, ID)(const oyi_conv* c, const T* image, int64_t channels,
                                const int64_t* k, int64_t first, int64_t count, T* row) {
  const oyi_conv_tiles* tiles = TILES;
  const int64_t next = oyi_volume(c->kernel) * count, size = oyi_volume(c->image);
  if (tiles && c->stride[2] <= tiles->column_stride && !JOIN(is_moved, ID)(c, k, count)) {
    int64_t part[] = {0, c->map[2]};
    JOIN(inside, ID)(c, k[2], &part[0], &part[1]);
    tiles->column(c, image, channels, k, part, first, count, row);
    return;
  }
  for (int64_t i = 0; i < channels; i++) JOIN(fill_row, ID)
  (c, image + i * size, k, first, count, row + i * next);
}

static void JOIN(im2col, ID)(const oyi_conv* c, const void* images, int64_t channels,
                             int64_t first, int64_t count, void* columns) {
  T* row = columns;
  int64_t k[OYI_SPATIAL];
  for (k[0] = 0; k[0] < c->kernel[0]; k[0]++)
    for (k[1] = 0; k[1] < c->kernel[1]; k[1]++)
      for (k[2] = 0; k[2] < c->kernel[2]; k[2]++, row += count)
        JOIN(fill_rows, ID)(c, images, channels, k, first, count, row);
}

// Adds one kernel element's row of columns to the image.
static void JOIN(add_row, ID)(const oyi_conv* c, const T* row, const int64_t* k,
                              T* image) {
  const int64_t step = c->stride[2], width = c->map[2];
  const int64_t below = c->stride[1] * c->image[2];
  int64_t from = 0, to = width;
  JOIN(inside, ID)(c, k[2], &from, &to);
  for (int64_t z = 0; z < c->map[0]; z++) {
    const int64_t d = z * c->stride[0] - c->padding[0] + k[0] * c->dilation[0];
    int64_t h = k[1] * c->dilation[1] - c->padding[1];
    T* out = image + (d * c->image[1] + h) * c->image[2] - c->padding[2] +
             k[2] * c->dilation[2];
    if (d < 0 || d >= c->image[0]) h = c->image[1];
    for (int64_t y = 0; y < c->map[1]; y++, row += width, out += below, h += c->stride[1])
      if (h >= 0 && h < c->image[1])
        for (int64_t i = from; i < to; i++) out[i * step] += row[i];
  }
}

static void JOIN(col2im, ID)(const oyi_conv* c, const void* columns, int64_t channels,
                             void* images) {
  const T* row = columns;
  T* image = images;
  int64_t k[OYI_SPATIAL];
  for (int64_t i = 0; i < channels; i++, image += oyi_volume(c->image))
    for (k[0] = 0; k[0] < c->kernel[0]; k[0]++)
      for (k[1] = 0; k[1] < c->kernel[1]; k[1]++)
        for (k[2] = 0; k[2] < c->kernel[2]; k[2]++, row += oyi_volume(c->map))
          JOIN(add_row, ID)(c, row, k, image);
}

// Elements of the kernel that the window at |at| has on the image, along each dimension: the
// |from| to below |to|.
static void JOIN(part_of, ID)(const oyi_conv* c, const int64_t* at, int64_t* from,
                              int64_t* to) {
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    const int64_t first = at[d] * c->stride[d] - c->padding[d], step = c->dilation[d];
    from[d] = first < 0 ? (step - 1 - first) / step : 0;
    to[d] = first < c->image[d] ? (c->image[d] - 1 - first) / step + 1 : 0;
    if (to[d] > c->kernel[d]) to[d] = c->kernel[d];
    if (to[d] < from[d]) to[d] = from[d];
  }
}

// The window at |at| of one channel, whose parts are |from| to |to|.
static inline __attribute__((always_inline)) void JOIN(window, ID)(
    const oyi_conv* c, const T* image, const int64_t* at, const int64_t* from,
    const int64_t* to, T* row) {
  const int64_t step = c->dilation[2], count = to[2] - from[2];
  const int64_t x = at[2] * c->stride[2] - c->padding[2] + from[2] * step;
  for (int64_t z = from[0]; z < to[0]; z++)
    for (int64_t y = from[1]; y < to[1]; y++) {
      const int64_t d = at[0] * c->stride[0] - c->padding[0] + z * c->dilation[0];
      const int64_t h = at[1] * c->stride[1] - c->padding[1] + y * c->dilation[1];
      const T* in = image + (d * c->image[1] + h) * c->image[2] + x;
      T* out = row + (z * c->kernel[1] + y) * c->kernel[2] + from[2];
      if (step == 1)
        for (int64_t i = 0; i < count; i++) out[i] = in[i];
      else
        for (int64_t i = 0; i < count; i++) out[i] = in[i * step];
    }
}

static void JOIN(im2row, ID)(const oyi_conv* c, const void* images, int64_t channels,
                             void* rows) {
  const int64_t taps = oyi_volume(c->kernel), volume = oyi_volume(c->image);
  int64_t at[OYI_SPATIAL], from[OYI_SPATIAL], to[OYI_SPATIAL];
  T* row = rows;
  for (at[0] = 0; at[0] < c->map[0]; at[0]++)
    for (at[1] = 0; at[1] < c->map[1]; at[1]++)
      for (at[2] = 0; at[2] < c->map[2]; at[2]++) {
        JOIN(part_of, ID)(c, at, from, to);
        int64_t seen = 1;
        for (size_t d = 0; d < OYI_SPATIAL; d++) seen *= to[d] - from[d];
        if (seen < taps) memset(row, 0, (size_t)(channels * taps) * sizeof(T));
        for (int64_t i = 0; i < channels && seen > 0; i++) JOIN(window, ID)
        (c, (const T*)images + i * volume, at, from, to, row + i * taps);
        row += channels * taps;
      }
}

static void JOIN(slide, ID)(const oyi_conv* c, const void* image, const void* weight,
                            void* map) {
  const T* w = weight;
  const int64_t step = c->stride[2];
  int64_t k[OYI_SPATIAL];
  for (k[0] = 0; k[0] < c->kernel[0]; k[0]++)
    for (k[1] = 0; k[1] < c->kernel[1]; k[1]++)
      for (k[2] = 0; k[2] < c->kernel[2]; k[2]++, w++) {
        int64_t from = 0, to = c->map[2];
        JOIN(inside, ID)(c, k[2], &from, &to);
        T* out = map;
        for (int64_t z = 0; z < c->map[0]; z++)
          for (int64_t y = 0; y < c->map[1]; y++, out += c->map[2]) {
            const int64_t d = z * c->stride[0] - c->padding[0] + k[0] * c->dilation[0];
            const int64_t h = y * c->stride[1] - c->padding[1] + k[1] * c->dilation[1];
            if (d < 0 || d >= c->image[0] || h < 0 || h >= c->image[1]) continue;
            const T* in = (const T*)image + (d * c->image[1] + h) * c->image[2] -
                          c->padding[2] + k[2] * c->dilation[2];
            const T by = *w;
            if (step == 1)
              for (int64_t i = from; i < to; i++) out[i] += by * in[i];
            else
              for (int64_t i = from; i < to; i++) out[i] += by * in[i * step];
          }
      }
}

// What slide's adjoint adds for one element of the kernel; |from| to |to| of a line are inside.
static void JOIN(spread_tap, ID)(const oyi_conv* c, const T* map, T by, const int64_t* k,
                                 int64_t from, int64_t to, T* image) {
  const int64_t step = c->stride[2], below = c->stride[1] * c->image[2];
  for (int64_t z = 0; z < c->map[0]; z++) {
    const int64_t d = z * c->stride[0] - c->padding[0] + k[0] * c->dilation[0];
    int64_t h = k[1] * c->dilation[1] - c->padding[1];
    const T* in = map + z * c->map[1] * c->map[2];
    T* out = image + (d * c->image[1] + h) * c->image[2] - c->padding[2] +
             k[2] * c->dilation[2];
    if (d < 0 || d >= c->image[0]) continue;
    for (int64_t y = 0; y < c->map[1]; y++) {
      if (h >= 0 && h < c->image[1])
        for (int64_t i = from; i < to; i++) out[i * step] += by * in[i];
      in += c->map[2], h += c->stride[1], out += below;
    }
  }
}

static void JOIN(spread, ID)(const oyi_conv* c, const void* map, const void* weight,
                             void* image) {
  const int64_t line = c->kernel[2], plane = c->kernel[1] * line;
  int64_t k[OYI_SPATIAL];
  for (k[2] = 0; k[2] < line; k[2]++) {
    int64_t from = 0, to = c->map[2];
    JOIN(inside, ID)(c, k[2], &from, &to);
    for (k[0] = 0; k[0] < c->kernel[0] && from < to; k[0]++)
      for (k[1] = 0; k[1] < c->kernel[1]; k[1]++) JOIN(spread_tap, ID)
    (c, map, ((const T*)weight)[k[0] * plane + k[1] * line + k[2]], k, from, to, image);
  }
}

// The same of products with the image.
static W JOIN(correlate_tap, ID)(const oyi_conv* c, const T* map, const int64_t* k,
                                 int64_t from, int64_t to, const T* image) {
  const int64_t step = c->stride[2], below = c->stride[1] * c->image[2];
  W sum = 0;
  for (int64_t z = 0; z < c->map[0]; z++) {
    const int64_t d = z * c->stride[0] - c->padding[0] + k[0] * c->dilation[0];
    int64_t h = k[1] * c->dilation[1] - c->padding[1];
    const T* in = map + z * c->map[1] * c->map[2];
    const T* by = image + (d * c->image[1] + h) * c->image[2] - c->padding[2] +
                  k[2] * c->dilation[2];
    if (d < 0 || d >= c->image[0]) continue;
    for (int64_t y = 0; y < c->map[1]; y++) {
      if (h >= 0 && h < c->image[1])
        for (int64_t i = from; i < to; i++) sum += (W)in[i] * (W)by[i * step];
      in += c->map[2], h += c->stride[1], by += below;
    }
  }
  return sum;
}

static void JOIN(correlate, ID)(const oyi_conv* c, const void* map, const void* image,
                                void* sums) {
  const int64_t line = c->kernel[2], plane = c->kernel[1] * line;
  int64_t k[OYI_SPATIAL];
  for (k[2] = 0; k[2] < line; k[2]++) {
    int64_t from = 0, to = c->map[2];
    JOIN(inside, ID)(c, k[2], &from, &to);
    for (k[0] = 0; k[0] < c->kernel[0] && from < to; k[0]++)
      for (k[1] = 0; k[1] < c->kernel[1]; k[1]++)
        ((W*)sums)[k[0] * plane + k[1] * line + k[2]] +=
            JOIN(correlate_tap, ID)(c, map, k, from, to, image);
  }
}

static void JOIN(fill, ID)(void* out, const void* value, int64_t n) {
  for (int64_t i = 0; i < n; i++) ((T*)out)[i] = *(const T*)value;
}

static void JOIN(sum, ID)(const void* maps, int64_t n, void* total) {
  W sum = 0;
  for (int64_t i = 0; i < n; i++) sum += ((const T*)maps)[i];
  *(T*)total = (T)(*(T*)total + sum);
}
