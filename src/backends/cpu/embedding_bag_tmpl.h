// SPDX-License-Identifier: Apache-2.0
// One bag of rows of type T, named by ID. Part of embedding_bag.c.
static void JOIN(one_bag, ID)(const bags* b, int64_t k) {
  const int64_t from = b->offset[k], n = b->columns;
  const int64_t to = k + 1 < b->offsets->numel ? b->offset[k + 1] : b->indices->numel;
  T* out = (T*)b->out + k * n;
  int64_t* places = b->mode == BAG_MAX ? b->places + k * n : NULL;
  int64_t size = 0;
  memset(out, 0, (size_t)n * sizeof(T));
  if (places) memset(places, 0, (size_t)n * sizeof(int64_t));
  for (int64_t i = from; i < to; i++) {
    const int64_t index = b->index[i];
    const T* row = (const T*)b->table + index * n;
    if (b->bag_of) b->bag_of[i] = k;
    if (index == b->padding) continue;
    const T scale = b->scale ? ((const T*)b->scale)[i] : 1;
    if (!places)
      for (int64_t d = 0; d < n; d++) out[d] += scale * row[d];
    else
      for (int64_t d = 0; d < n; d++)
        if (size == 0 || row[d] > out[d]) {
          out[d] = row[d];
          places[d] = index;
        }
    size++;
  }
  if (b->mode == BAG_MEAN && size > 0)
    for (int64_t d = 0; d < n; d++) out[d] /= (T)size;
  // Of sums nobody asks how many there were.
  b->size[k] = b->mode == BAG_SUM ? 0 : size;
  if (b->mode != BAG_MAX) b->places[k] = b->size[k];
}
