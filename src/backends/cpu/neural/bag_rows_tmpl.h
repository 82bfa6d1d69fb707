// SPDX-License-Identifier: Apache-2.0
// Sums of rows of elements T by vectors of BYTES; ID names them, and is undefined here with
// T. See bag_rows.h.
#define LANES  ((int64_t)(BYTES / sizeof(T)))
#define VECTOR OYI_JOIN(vector, ID)
typedef T VECTOR __attribute__((vector_size(BYTES)));

// |many| vectors of columns from |first| on, of a bag with the indices |from| to below |to|.
static inline __attribute__((always_inline)) int64_t OYI_JOIN(some, ID)(
    const oyi_bag_rows* b, int many, bool is_scaled, int64_t from, int64_t to,
    int64_t first, T* out) {
  const T *table = (const T*)b->table + first, *scale = b->scale;
  VECTOR sum[MOST] = {{0}};
  int64_t size = 0;
  for (int64_t i = from; i < to; i++) {
    const int64_t index = b->index[i];
    if (index == b->padding) continue;
    const T* row = table + index * b->columns;
    size++;
    OYI_UNROLL_BY(8)
    for (int k = 0; k < many; k++) {
      VECTOR v;
      memcpy(&v, row + k * LANES, sizeof(v));
      sum[k] += is_scaled ? scale[i] * v : v;
    }
  }
  OYI_UNROLL_BY(8)
  for (int k = 0; k < many; k++) {
    if (b->is_mean && size > 0) sum[k] /= (T)size;
    memcpy(out + first + k * LANES, &sum[k], sizeof(sum[k]));
  }
  return size;
}

// All columns; the last vector may lie over what others have been to.
static inline __attribute__((always_inline)) int64_t OYI_JOIN(all, ID)(
    const oyi_bag_rows* b, bool is_scaled, int64_t from, int64_t to, T* out) {
  const int64_t n = b->columns;
  int64_t at = 0, size = 0;
  for (; at + MOST * LANES <= n; at += MOST * LANES)
    size = OYI_JOIN(some, ID)(b, MOST, is_scaled, from, to, at, out);
  if (at + 4 * LANES <= n) {
    size = OYI_JOIN(some, ID)(b, 4, is_scaled, from, to, at, out);
    at += 4 * LANES;
  }
  if (at + 2 * LANES <= n) {
    size = OYI_JOIN(some, ID)(b, 2, is_scaled, from, to, at, out);
    at += 2 * LANES;
  }
  for (; at < n; at += LANES)
    size = OYI_JOIN(some, ID)(b, 1, is_scaled, from, to, at + LANES <= n ? at : n - LANES,
                              out);
  return size;
}

void LEVELED(OYI_JOIN(oyi_bag_rows, ID))(const oyi_bag_rows* bags, int64_t first,
                                         int64_t last) {
  // Of its own, which no store to |out| changes.
  const oyi_bag_rows own = *bags, *b = &own;
  T* out = (T*)b->out + first * b->columns;
  for (int64_t k = first; k < last; k++, out += b->columns) {
    const int64_t from = b->offset[k];
    const int64_t to = k + 1 < b->offsets ? b->offset[k + 1] : b->count;
    const int64_t size = b->scale ? OYI_JOIN(all, ID)(b, true, from, to, out)
                                  : OYI_JOIN(all, ID)(b, false, from, to, out);
    if (b->size) b->size[k] = size;
  }
}
#undef LANES
#undef VECTOR
#undef T
#undef ID
