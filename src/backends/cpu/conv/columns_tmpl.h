// SPDX-License-Identifier: Apache-2.0
// Images as columns, for elements T, named by ID: included once for each type. See
// columns.h.

// The places along the last dimension, of those from |from| to below |to|, whose element
// under kernel column |kw| is inside the image.
static inline void JOIN(inside, ID)(const oyi_conv* c, int64_t kw, int64_t* from,
                                    int64_t* to) {
  const int64_t step = c->stride[2], shift = c->padding[2] - kw * c->dilation[2];
  int64_t low = shift > 0 ? (shift + step - 1) / step : 0;
  int64_t room = c->image[2] - 1 + shift;
  int64_t high = room < 0 ? 0 : room / step + 1;
  if (*from < low) *from = low;
  if (*to > high) *to = high;
  if (*to < *from) *to = *from;
}

// One kernel element's row of columns: |count| places from |first| on.
static void JOIN(fill_row, ID)(const oyi_conv* c, const T* image, const int64_t* k,
                               int64_t first, int64_t count, T* row) {
  const int64_t width = c->map[2], end = first + count, step = c->stride[2];
  for (int64_t at = first; at < end;) {
    const int64_t line = at / width, w = at - line * width;
    const int64_t stop = w + end - at < width ? w + end - at : width;
    const int64_t d =
        line / c->map[1] * c->stride[0] - c->padding[0] + k[0] * c->dilation[0];
    const int64_t h =
        line % c->map[1] * c->stride[1] - c->padding[1] + k[1] * c->dilation[1];
    T* out = row + (at - first) - w;
    int64_t from = w, to = stop;
    if (d < 0 || d >= c->image[0] || h < 0 || h >= c->image[1])
      to = from;
    else
      JOIN(inside, ID)(c, k[2], &from, &to);
    memset(out + w, 0, (size_t)((from < stop ? from : stop) - w) * sizeof(T));
    const T* in = image + (d * c->image[1] + h) * c->image[2] - c->padding[2] +
                  k[2] * c->dilation[2];
    if (step == 1 && to > from)
      memcpy(out + from, in + from, (size_t)(to - from) * sizeof(T));
    else
      for (int64_t i = from; i < to; i++) out[i] = in[i * step];
    if (from < stop) memset(out + to, 0, (size_t)(stop - to) * sizeof(T));
    at += stop - w;
  }
}

static void JOIN(im2col, ID)(const oyi_conv* c, const void* images, int64_t channels,
                             int64_t first, int64_t count, void* columns) {
  const T* image = images;
  T* row = columns;
  int64_t k[OYI_SPATIAL];
  for (int64_t i = 0; i < channels; i++, image += oyi_volume(c->image))
    for (k[0] = 0; k[0] < c->kernel[0]; k[0]++)
      for (k[1] = 0; k[1] < c->kernel[1]; k[1]++)
        for (k[2] = 0; k[2] < c->kernel[2]; k[2]++, row += count)
          JOIN(fill_row, ID)(c, image, k, first, count, row);
}

// Adds one kernel element's row of columns to the image.
static void JOIN(add_row, ID)(const oyi_conv* c, const T* row, const int64_t* k,
                              T* image) {
  const int64_t step = c->stride[2];
  int64_t from = 0, to = c->map[2];
  JOIN(inside, ID)(c, k[2], &from, &to);
  for (int64_t z = 0; z < c->map[0]; z++)
    for (int64_t y = 0; y < c->map[1]; y++, row += c->map[2]) {
      const int64_t d = z * c->stride[0] - c->padding[0] + k[0] * c->dilation[0];
      const int64_t h = y * c->stride[1] - c->padding[1] + k[1] * c->dilation[1];
      if (d < 0 || d >= c->image[0] || h < 0 || h >= c->image[1]) continue;
      T* out = image + (d * c->image[1] + h) * c->image[2] - c->padding[2] +
               k[2] * c->dilation[2];
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

static void JOIN(fill, ID)(void* out, const void* value, int64_t n) {
  for (int64_t i = 0; i < n; i++) ((T*)out)[i] = *(const T*)value;
}

static void JOIN(sum, ID)(const void* maps, int64_t n, void* total) {
  W sum = 0;
  for (int64_t i = 0; i < n; i++) sum += ((const T*)maps)[i];
  *(T*)total = (T)(*(T*)total + sum);
}
