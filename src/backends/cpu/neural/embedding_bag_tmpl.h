// SPDX-License-Identifier: Apache-2.0
// One bag of rows of type T, named by ID. Part of embedding_bag.c.

// |count| rows, each times its number, added in their order to what |out| has, or to 0.
static inline __attribute__((always_inline)) void JOIN(add_some, ID)(
    int count, const T* const* rows, const T* scale, bool is_first, int64_t n, T* out) {
  for (int64_t d = 0; d < n; d++) {
    T sum = is_first ? 0 : out[d];
    for (int k = 0; k < count; k++) sum += scale[k] * rows[k][d];
    out[d] = sum;
  }
}

// Several rows at a time, so that the sums are stored once for all of them.
static void JOIN(add_rows, ID)(int count, const T* const* rows, const T* scale,
                               bool is_first, int64_t n, T* out) {
  if (is_first && count == ROWS_AT_ONCE)
    JOIN(add_some, ID)(ROWS_AT_ONCE, rows, scale, true, n, out);
  else if (count == ROWS_AT_ONCE)
    JOIN(add_some, ID)(ROWS_AT_ONCE, rows, scale, false, n, out);
  else
    for (int k = 0; k < count; k++, is_first = false)
      JOIN(add_some, ID)(1, rows + k, scale + k, is_first, n, out);
}

// Gives how many were not skipped.
static int64_t JOIN(add_bag, ID)(const bags* b, int64_t from, int64_t to, T* out) {
  const T* rows[ROWS_AT_ONCE];
  T scale[ROWS_AT_ONCE];
  int64_t size = 0;
  int held = 0;
  for (int64_t i = from; i < to; i++) {
    const int64_t index = b->index[i];
    if (index == b->padding) continue;
    rows[held] = (const T*)b->table + index * b->columns;
    scale[held++] = b->scale ? ((const T*)b->scale)[i] : 1;
    size++;
    if (held < ROWS_AT_ONCE) continue;
    JOIN(add_rows, ID)(held, rows, scale, size == held, b->columns, out);
    held = 0;
  }
  if (held) JOIN(add_rows, ID)(held, rows, scale, size == held, b->columns, out);
  if (size == 0) memset(out, 0, (size_t)b->columns * sizeof(T));
  return size;
}

// The same for maxima, and where they were found.
static int64_t JOIN(max_bag, ID)(const bags* b, int64_t from, int64_t to, T* out,
                                 int64_t* places) {
  const int64_t n = b->columns;
  int64_t size = 0;
  memset(out, 0, (size_t)n * sizeof(T));
  memset(places, 0, (size_t)n * sizeof(int64_t));
  for (int64_t i = from; i < to; i++) {
    const int64_t index = b->index[i];
    const T* row = (const T*)b->table + index * n;
    if (index == b->padding) continue;
    for (int64_t d = 0; d < n; d++)
      if (size == 0 || row[d] > out[d]) {
        out[d] = row[d];
        places[d] = index;
      }
    size++;
  }
  return size;
}

static void JOIN(one_bag, ID)(const bags* b, int64_t k) {
  const int64_t from = b->offset[k], n = b->columns;
  const int64_t to = k + 1 < b->offsets->numel ? b->offset[k + 1] : b->indices->numel;
  T* out = (T*)b->out + k * n;
  for (int64_t i = from; b->bag_of && i < to; i++) b->bag_of[i] = k;
  const int64_t size = b->mode == BAG_MAX
                           ? JOIN(max_bag, ID)(b, from, to, out, b->places + k * n)
                           : JOIN(add_bag, ID)(b, from, to, out);
  if (b->mode == BAG_MEAN && size > 0)
    for (int64_t d = 0; d < n; d++) out[d] /= (T)size;
  // Of sums nobody asks how many there were.
  b->size[k] = b->mode == BAG_SUM ? 0 : size;
  if (b->mode != BAG_MAX) b->places[k] = b->size[k];
}
