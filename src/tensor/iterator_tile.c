// SPDX-License-Identifier: Apache-2.0
// Walks in which an input is contiguous in another dimension than the output, as in
// a.t() + b. Row by row, each of its elements would be a cache line of its own. A tile
// is as many rows as a line has elements, and COLUMNS wide; its part of the input is
// copied, turned round, to the stack, and the loop sees nothing but contiguous rows.
#include "base/threads.h"
#include "tensor/iterator_walk.h"

enum {
  LINE = 64,
  COLUMNS = 256,
  LEAST = 8,  // rows and columns that make it worth while
  LEAST_STEPS = 512,
  PACKED_MOST = 2,  // inputs that are turned round
  // A row of a copy is a line longer than it must be: else all rows of a column would
  // lie in the same few sets of the cache.
  BUFFER = COLUMNS * LINE + LINE * LINE
};

typedef struct tiling {
  const oyi_iter* it;
  oyi_loop loop;
  const void* args;
  size_t across;  // the dimension in which the inputs are contiguous
  int packed[PACKED_MOST], packed_count;
  int64_t rows;               // of a tile
  int64_t tiles_down, tiles;  // along |across|; in all
  int64_t tiles_at_a_time;
} tiling;

// ------------------------------------------------------------- turning round

// out[i * pitch + j] = in[j * stride + i], i < rows, j < columns, in elements.
static void turn_bytes(char* out, int64_t pitch, const char* in, int64_t stride,
                       int64_t rows, int64_t columns, int64_t item) {
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < rows; i++)
      memcpy(out + i * pitch + j * item, in + j * stride + i * item, (size_t)item);
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAVE_SHUFFLE 1
#endif
#endif

#ifdef HAVE_SHUFFLE
typedef uint32_t four __attribute__((vector_size(16)));
typedef uint64_t two __attribute__((vector_size(16)));
#define SHUFFLE __builtin_shufflevector

static inline four load4(const char* at) {
  four v;
  memcpy(&v, at, sizeof(v));
  return v;
}
static inline void store4(char* at, four v) {
  memcpy(at, &v, sizeof(v));
}

static inline void turn_4x4(char* out, int64_t pitch, const char* in, int64_t stride) {
  four a = load4(in), b = load4(in + stride);
  four c = load4(in + 2 * stride), d = load4(in + 3 * stride);
  four ab_low = SHUFFLE(a, b, 0, 4, 1, 5), ab_high = SHUFFLE(a, b, 2, 6, 3, 7);
  four cd_low = SHUFFLE(c, d, 0, 4, 1, 5), cd_high = SHUFFLE(c, d, 2, 6, 3, 7);
  store4(out, SHUFFLE(ab_low, cd_low, 0, 1, 4, 5));
  store4(out + pitch, SHUFFLE(ab_low, cd_low, 2, 3, 6, 7));
  store4(out + 2 * pitch, SHUFFLE(ab_high, cd_high, 0, 1, 4, 5));
  store4(out + 3 * pitch, SHUFFLE(ab_high, cd_high, 2, 3, 6, 7));
}

static inline void turn_2x2(char* out, int64_t pitch, const char* in, int64_t stride) {
  two a, b, low, high;
  memcpy(&a, in, sizeof(a));
  memcpy(&b, in + stride, sizeof(b));
  low = SHUFFLE(a, b, 0, 2);
  high = SHUFFLE(a, b, 1, 3);
  memcpy(out, &low, sizeof(low));
  memcpy(out + pitch, &high, sizeof(high));
}

// Whole blocks of 4 or 2 with vectors, the edges element by element.
static void turn(char* out, int64_t pitch, const char* in, int64_t stride, int64_t rows,
                 int64_t columns, int64_t item) {
  int64_t block = item == 4 ? 4 : item == 8 ? 2 : 0;
  int64_t i_end = block ? rows / block * block : 0;
  int64_t j_end = block ? columns / block * block : 0;
  for (int64_t j = 0; j < j_end; j += block) {
    const char* from = in + j * stride;
    for (int64_t k = 0; k < block; k++)
      __builtin_prefetch(from + k * stride + rows * item);
    for (int64_t i = 0; i < i_end; i += block) {
      char* to = out + i * pitch + j * item;
      if (block == 4)
        turn_4x4(to, pitch, from + i * item, stride);
      else
        turn_2x2(to, pitch, from + i * item, stride);
    }
  }
  turn_bytes(out + i_end * pitch, pitch, in + i_end * item, stride, rows - i_end, j_end,
             item);
  turn_bytes(out + j_end * item, pitch, in + j_end * stride, stride, rows,
             columns - j_end, item);
}
#else
#define turn turn_bytes
#endif

// ----------------------------------------------------------------------- tiles

typedef struct tile {
  char* data[OYI_ITER_MAX];
  int64_t down[OYI_ITER_MAX];     // from row to row
  int64_t strides[OYI_ITER_MAX];  // within a row
  int64_t rows, columns;
} tile;

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static void tile_move(tile* t, const oyi_iter* it, size_t dim, int64_t steps) {
  for (int k = 0; k < it->count; k++) t->data[k] += steps * it->strides[dim][k];
}

// Tiles are counted down first: the next one has the neighbouring lines of the input,
// in the same pages.
static tile tile_find(const tiling* g, int64_t index) {
  const oyi_iter* it = g->it;
  tile t;
  memcpy(t.data, it->data, sizeof(t.data[0]) * (size_t)it->count);
  int64_t row = index % g->tiles_down * g->rows;
  index /= g->tiles_down;
  int64_t across = (it->sizes[0] - 1) / COLUMNS + 1;
  int64_t column = index % across * COLUMNS;
  index /= across;
  tile_move(&t, it, 0, column);
  tile_move(&t, it, g->across, row);
  for (size_t d = 1; d < it->ndim; d++) {
    if (d == g->across) continue;
    tile_move(&t, it, d, index % it->sizes[d]);
    index /= it->sizes[d];
  }
  t.rows = least(g->rows, it->sizes[g->across] - row);
  t.columns = least(COLUMNS, it->sizes[0] - column);
  memcpy(t.down, it->strides[g->across], sizeof(t.down));
  memcpy(t.strides, it->strides[0], sizeof(t.strides));
  return t;
}

static oy_status run_tiles(int64_t index, void* context) {
  const tiling* g = context;
  _Alignas(LINE) char buffers[PACKED_MOST][BUFFER];
  int64_t end = least((index + 1) * g->tiles_at_a_time, g->tiles);
  for (int64_t i = index * g->tiles_at_a_time; i < end; i++) {
    tile t = tile_find(g, i);
    for (int p = 0; p < g->packed_count; p++) {
      int k = g->packed[p];
      int64_t item = t.down[k], pitch = COLUMNS * item + LINE;
      turn(buffers[p], pitch, t.data[k], t.strides[k], t.rows, t.columns, item);
      t.data[k] = buffers[p];
      t.down[k] = pitch;
      t.strides[k] = item;
    }
    for (int64_t row = 0; row < t.rows; row++) {
      g->loop(t.columns, t.data, t.strides, g->args);
      for (int k = 0; k < g->it->count; k++) t.data[k] += t.down[k];
    }
  }
  return OY_OK;
}

// The dimension in which operand |k| is contiguous, 0 if it does not lie across.
static size_t lies_across(const oyi_iter* it, int k) {
  int64_t item = oyi_item(it->tensors[k]);
  if (it->strides[0][k] < LINE && it->strides[0][k] > -LINE) return 0;
  for (size_t d = 1; d < it->ndim; d++)
    if (it->strides[d][k] == item && it->sizes[d] >= LEAST) return d;
  return 0;
}

static bool find_packed(tiling* g) {
  const oyi_iter* it = g->it;
  int64_t largest = 1;
  for (int k = 1; k < it->count && g->packed_count < PACKED_MOST; k++) {
    size_t d = lies_across(it, k);
    if (d == 0 || (g->packed_count > 0 && d != g->across)) continue;
    g->across = d;
    g->packed[g->packed_count++] = k;
    if (oyi_item(it->tensors[k]) > largest) largest = oyi_item(it->tensors[k]);
  }
  g->rows = LINE / largest;
  return g->packed_count > 0;
}

bool oyi_walk_tiled(const oyi_iter* it, oyi_loop loop, const void* args) {
  tiling g = {.it = it, .loop = loop, .args = args};
  int64_t steps = oyi_walk_steps(it, 0, it->ndim);
  if (it->sizes[0] < LEAST || steps < LEAST_STEPS || !find_packed(&g)) return false;
  int64_t n = it->sizes[0], m = it->sizes[g.across];
  g.tiles_down = (m - 1) / g.rows + 1;
  g.tiles = g.tiles_down * ((n - 1) / COLUMNS + 1) * (steps / n / m);
  g.tiles_at_a_time = OYI_ITER_GRAIN / (g.rows * least(n, COLUMNS));
  (void)oyi_parallel_chunks((g.tiles - 1) / g.tiles_at_a_time + 1, run_tiles, &g);
  return true;
}
