// SPDX-License-Identifier: Apache-2.0
// Walks in which an input is contiguous in another dimension than the output, as in
// a.t() + b. Row by row, each of its elements would be a cache line of its own. A tile
// is as many rows as a line has elements, and COLUMNS wide; its part of the input is
// copied, turned round, to the stack, and the loop sees nothing but contiguous rows.
#include "tensor/iterator_tile.h"
#include "base/threads.h"
#include "tensor/iterator_walk.h"
#include "tensor/move.h"

enum {
  NARROW = 64,       // columns of a copy whose rows may share sets of the cache
  COPIED_LINES = 4,  // of each column of the input, read at once where there is no buffer
  FEW = 3,           // of a loop: neighbours nearer to each other, or fewer rows, are not
  LEAST = 8,         // rows and columns that make it worth while
  LEAST_STEPS = 512,
  PLANE = 256,  // elements of a plane that is copied without looking for tiles of it
  // A row of a copy is a line longer than it must be: else all rows of a column would
  // lie in the same few sets of the cache.
  BUFFER = COLUMNS * LINE + LINE * LINE
};

// ----------------------------------------------------------------------- tiles

static bool is_packed(const tiling* g, int k) {
  return k == g->packed[0] || (g->packed_count > 1 && k == g->packed[1]);
}

// Whether rows of a tile follow each other in all operands that are not turned round, so that
// they are one.
static bool is_one_row(const tiling* g, const tile* t) {
  for (int k = 0; k < g->it->count; k++) {
    const int64_t item = oyi_item(g->it->tensors[k]);
    const bool is_number = t->strides[k] == 0 && t->down[k] == 0;
    if (!is_packed(g, k) && !is_number &&
        (t->strides[k] != item || t->down[k] != t->columns * item))
      return false;
  }
  return true;
}

// Operand |p| of those that are copied, to |buffer|, with |pitch| bytes from row to row.
static void copy_operand(const tiling* g, tile* t, int p, char* buffer, int64_t pitch) {
  const int k = g->packed[p];
  const int64_t item = oyi_item(g->it->tensors[k]),
                n = g->joined ? g->joined : t->columns;
  const oyi_move m = {.item = (size_t)item,
                      .n = n,
                      .rows = t->rows,
                      .to = buffer,
                      .from = t->data[k],
                      .to_along = item,
                      .to_down = pitch,
                      .from_along = t->strides[k],
                      .from_down = t->down[k],
                      .ahead = t->rows * item,
                      .more = t->columns / n - 1,
                      .to_over = n * item,
                      .from_over = g->over[p]};
  if (g->joined)
    oyi_move_planes(&m);
  else
    oyi_move_rows(&m);
  t->data[k] = buffer;
  t->down[k] = pitch;
  t->strides[k] = item;
}

// Operands that lie apart in yet another dimension and are the same in all rows of a tile: the
// first of them is brought together once.
static void bring_together(const tiling* g, tile* t, char* buffer) {
  for (int k = 1; k < g->it->count; k++) {
    const int64_t item = oyi_item(g->it->tensors[k]);
    if (t->down[k] != 0 || t->strides[k] == 0 || t->strides[k] == item) continue;
    oyi_move_rows(&(oyi_move){.item = (size_t)item,
                              .n = t->columns,
                              .rows = 1,
                              .to = buffer,
                              .from = t->data[k],
                              .to_along = item,
                              .from_along = t->strides[k]});
    t->data[k] = buffer;
    t->strides[k] = item;
    return;
  }
}

static oy_status run_tiles(int64_t index, void* context) {
  enum { WIDEST = 16 };
  const tiling* g = context;
  _Alignas(LINE) char buffers[PACKED_MOST][BUFFER], line[COLUMNS * WIDEST];
  int64_t end = oyi_tile_least((index + 1) * g->tiles_at_a_time, g->tiles);
  for (int64_t i = index * g->tiles_at_a_time; i < end; i++) {
    tile t = oyi_tile_find(g, i);
    const bool one = is_one_row(g, &t);
    for (int p = 0; p < g->packed_count; p++) {
      const int64_t item = oyi_tile_item(g, g->packed[p]);
      copy_operand(g, &t, p, buffers[p], one ? t.columns * item : COLUMNS * item + LINE);
    }
    if (one) {
      g->loop(t.columns * t.rows, t.data, t.strides, g->args);
      continue;
    }
    bring_together(g, &t, line);
    for (int64_t row = 0; row < t.rows; row++) {
      g->loop(t.columns, t.data, t.strides, g->args);
      for (int k = 0; k < g->it->count; k++) t.data[k] += t.down[k];
    }
  }
  return OY_OK;
}

// Of a copy, the least columns of a tile, which may be few where they are long, and the nearest
// neighbours in memory of those along them: where there are others beside them, nearer ones.
static int64_t least_columns(const oyi_iter* it) {
  enum { PAIR = 2, LONG = 80 };
  return it->sizes[0] >= LONG ? PAIR : LEAST;
}
static int64_t nearest(const oyi_iter* it) {
  return it->ndim > 2 ? LINE / 4 : LINE;
}

// The dimension in which operand |k| is contiguous, 0 if it does not lie across.
static size_t lies_across(const tiling* g, int k) {
  const oyi_iter* it = g->it;
  // Of great elements a vector has few: to turn them takes nearly what it saves.
  const int64_t item = oyi_tile_item(g, k), few = item < 8 ? FEW : FEW + 1;
  const int64_t rows = g->loop ? few : least_columns(it);
  const int64_t near = g->loop ? few * item : nearest(it);
  if (it->strides[0][k] < near && it->strides[0][k] > -near) return 0;
  for (size_t d = 1; d < it->ndim; d++)
    if (it->strides[d][k] == item && it->sizes[d] >= rows) return d;
  return 0;
}

// Of tiles that have less than a line of each column of operand |k|: what lies beside them in it.
static size_t find_beside(const tiling* g, int k) {
  const oyi_iter* it = g->it;
  if (it->sizes[g->across] * it->strides[g->across][k] >= LINE) return 0;
  for (size_t d = 1; d < it->ndim; d++)
    if (d != g->across && it->strides[d][k] > 0 && it->strides[d][k] < LINE) return d;
  return 0;
}

// Beside what is turned round, every other element, and what lies across in another dimension,
// which a loop would go through one by one.
static void pack_others(tiling* g) {
  for (int k = 1; k < g->it->count && g->packed_count < PACKED_MOST; k++)
    if (!is_packed(g, k) &&
        (g->it->strides[0][k] == 2 * oyi_tile_item(g, k) || lies_across(g, k) != 0))
      g->packed[g->packed_count++] = k;
}

// Of the dimensions in which inputs lie together, the longest.
static size_t find_across(const tiling* g) {
  size_t found = 0;
  for (int k = 1; k < g->it->count; k++) {
    const size_t d = lies_across(g, k);
    if (d != 0 && (found == 0 || g->it->sizes[d] > g->it->sizes[found])) found = d;
  }
  return found;
}

// Whether what lies beside a tile of a copy, which is few columns, is written next. Rows of the
// output a multiple of pages apart share a set of the cache, and parts of lines come to them again
// before few sets have room for all. Rows of less than a vector are small parts of them.
static bool goes_beside(const tiling* g) {
  enum { VECTOR = 32, MANY = 8 };
  const oyi_iter* it = g->it;
  const int64_t row = it->sizes[0] * oyi_tile_item(g, 0);
  const int64_t apart = row < LINE ? PAGE / 4 : PAGE;
  if (it->sizes[0] < NARROW && it->strides[g->across][0] % apart == 0) return true;
  const size_t next = g->across == 1 ? 2 : 1;
  return it->ndim > 2 && row < VECTOR && it->strides[next][0] < LINE &&
         it->sizes[next] >= MANY;
}

static bool find_packed(tiling* g) {
  const oyi_iter* it = g->it;
  int64_t largest = 1;
  g->across = find_across(g);
  for (int k = 1; g->across && k < it->count && g->packed_count < PACKED_MOST; k++)
    if (lies_across(g, k) == g->across) g->packed[g->packed_count++] = k;
  if (g->loop && g->packed_count > 0) pack_others(g);
  for (int p = 0; p < g->packed_count; p++)
    if (oyi_tile_item(g, g->packed[p]) > largest)
      largest = oyi_tile_item(g, g->packed[p]);
  g->rows = LINE / largest;
  if (g->loop || g->packed_count == 0) return g->packed_count > 0;
  g->beside = find_beside(g, 1);
  g->others_first = g->beside || goes_beside(g);
  // Other copies need no buffer, so that their tiles may be longer, and narrow ones longer still.
  if (g->others_first)
    g->rows = oyi_tile_rows_beside(g);
  else
    g->rows *= COPIED_LINES * (it->sizes[0] < COLUMNS ? COLUMNS / it->sizes[0] : 1);
  return true;
}

// Whether short rows go on in dimension |next|, but for what is copied: very short ones of inputs
// that have gaps between them are.
static bool pack_stretches(tiling* g, size_t next) {
  enum { SHORT = 32 };
  const oyi_iter* it = g->it;
  int more = 0, found[OYI_ITER_MAX];
  for (int k = 0; k < it->count; k++) {
    if (is_packed(g, k) || it->strides[next][k] == it->sizes[0] * it->strides[0][k])
      continue;
    if (k == 0 || it->sizes[0] > SHORT || it->strides[0][k] != oyi_tile_item(g, k) ||
        oyi_tile_item(g, k) * g->rows > LINE || g->packed_count + more == PACKED_MOST)
      return false;
    found[more++] = k;
  }
  for (int i = 0; i < more; i++) g->packed[g->packed_count++] = found[i];
  return true;
}

// Short rows that go on in the next dimension, but for what is turned round: tiles have several
// stretches of that side by side, so that the loop is called for long rows. |joined| is then the
// walk over these.
static void join_columns(tiling* g, oyi_iter* joined) {
  const oyi_iter* it = g->it;
  const size_t next = g->across == 1 ? 2 : 1;
  if (it->ndim < 3 || it->sizes[0] > COLUMNS / 2 || !pack_stretches(g, next)) return;
  *joined = *it;
  g->joined = it->sizes[0];
  g->columns = COLUMNS / g->joined * g->joined;
  for (int p = 0; p < g->packed_count; p++) g->over[p] = it->strides[next][g->packed[p]];
  joined->sizes[0] *= it->sizes[next];
  joined->ndim--;
  for (size_t d = next; d < joined->ndim; d++) {
    joined->sizes[d] = it->sizes[d + 1];
    memcpy(joined->strides[d], it->strides[d + 1], sizeof(joined->strides[d]));
  }
  if (g->across > next) g->across--;
  g->it = joined;
}

// Fewer columns than LEAST are worth it for copies alone, and if tiles of them are long, or have
// others beside them, which shows when |across| is known.
static bool is_narrow(const oyi_iter* it, const tiling* g) {
  enum { FEWEST = 3, LONG = 64 };
  if (it->sizes[0] >= LEAST) return false;
  if (g->loop || it->sizes[0] < FEWEST) return true;
  return g->across && it->sizes[g->across] < (g->others_first ? FEWEST : LONG);
}

// Elements that are a vector each need not be turned round: a loop of two inputs steps from one to
// the next as fast, while the lines that it comes back to are in the second cache.
static bool steps_as_well(const tiling* g, int64_t steps) {
  enum { VECTOR = 16, NEAR = 3 << 19 };
  return g->loop && g->it->count == 3 && g->it->ndim == 2 &&
         oyi_tile_item(g, g->packed[0]) == VECTOR && steps * VECTOR <= NEAR;
}

// As few tiles as have |most| columns at most, of about the same width: chunks have as many tiles
// each.
static int64_t even_columns(int64_t n, int64_t most) {
  enum { WHOLE = 16 };
  const int64_t across = (n - 1) / most + 1, share = (n - 1) / across + 1;
  return (share + WHOLE - 1) / WHOLE * WHOLE;
}

bool oyi_walk_tiled(const oyi_iter* it, oyi_loop loop, const void* args) {
  tiling g = {.it = it, .loop = loop, .args = args, .columns = COLUMNS};
  oyi_iter joined;
  int64_t steps = oyi_walk_steps(it, 0, it->ndim);
  if (is_narrow(it, &g) || steps < LEAST_STEPS) return false;
  if (!loop && it->sizes[0] >= LEAST && oyi_walk_folded(it, oyi_tile_item(&g, 0), steps))
    return true;
  if (!find_packed(&g) || is_narrow(it, &g) || steps_as_well(&g, steps)) return false;
  if (loop) {
    join_columns(&g, &joined);
    g.beside = find_beside(&g, g.packed[0]);
    g.others_first = g.beside != 0;
  }
  it = g.it;
  int64_t n = it->sizes[0], m = it->sizes[g.across];
  if (!loop && g.across == 1 && n * m <= PLANE) return false;
  if (!g.joined) g.columns = even_columns(n, g.columns);
  g.tiles_down = (m - 1) / g.rows + 1;
  g.tiles = g.tiles_down * ((n - 1) / g.columns + 1) * (steps / n / m);
  const int64_t most = (OYI_ITER_GRAIN - 1) / (g.rows * oyi_tile_least(n, g.columns)) + 1;
  g.tiles_at_a_time = oyi_even_piece(g.tiles, most);
  (void)oyi_parallel_chunks((g.tiles - 1) / g.tiles_at_a_time + 1,
                            loop ? run_tiles : oyi_tiles_copy, &g);
  return true;
}
