// SPDX-License-Identifier: Apache-2.0
#include "tensor/iterator_packed.h"

#include "base/threads.h"
#include "tensor/convert_loops.h"
#include "tensor/iterator_walk.h"
#include "tensor/move.h"

// Stretches as short as this, of the fastest dimension, are worth a copy, or two; less where one
// number is for a whole stretch, for which loops have a way. What is copied once for all rows may
// be longer, where a row has many stretches.
enum {
  PACKED_ROW = 248,
  CONVERTED_ROW = 2048,
  BF16_ROW = 128,
  PACKED_COLUMN = 128,
  TWICE_PACKED_ROW = 64,
  PACKED = 8192,  // bytes of rows that are taken at once
  PACKED_INPUTS = 3,
  // Elements of a stretch, of which two copies are worth more than its beginning.
  TWICE_PACKED = 8,
  // Of what lies across, or apart in other ways: elements of a stretch, more where every other
  // one is read, fewer where each is a vector, and bytes of a row.
  ACROSS_ROW = 32,
  VECTORS_ROW = 15,
  EVERY_OTHER_ROW = 128,
  ACROSS = 4096,
  // Elements that are worth a call for them.
  ENOUGH = 1024
};

typedef enum way { TOGETHER, APART, ACROSS_OTHERS, NEITHER } way;

static int64_t steps_of(const oyi_packed_row* row) {
  int64_t n = 1;
  for (size_t d = 0; d < row->ndim; d++) n *= row->sizes[d];
  return n;
}

// Whether the rows of operand |k| continue each other. One number for all is as good.
static way way_of(const oyi_packed_row* row, const int64_t* down, int k, int64_t item) {
  int64_t whole = item;
  bool is_whole = true, is_one = down[k] == 0;
  for (size_t d = 0; d < row->ndim; d++) {
    is_whole = is_whole && row->strides[d][k] == whole;
    is_one = is_one && row->strides[d][k] == 0;
    whole *= row->sizes[d];
  }
  if ((is_whole && down[k] == whole) || (k > 0 && is_one)) return TOGETHER;
  if (k == 0) return NEITHER;
  const int64_t along = row->strides[0][k];
  return along == item || along == 0 ? APART : ACROSS_OTHERS;
}

// Whether rows of what lies across, each copied for itself, are short enough. Elements that are a
// vector each are read where they lie as fast as they are copied, if several are in a line.
static bool is_short_across(const oyi_packed_row* row, int k, int64_t item) {
  enum { VECTOR = 16, LINE = 64 };
  const int64_t along = row->strides[0][k];
  const int64_t longest = item == VECTOR && along < LINE && along > -LINE ? VECTORS_ROW
                          : along == 2 * item ? EVERY_OTHER_ROW
                                              : ACROSS_ROW;
  return row->sizes[0] <= longest && steps_of(row) * item <= ACROSS;
}

// Rows that follow.
static int64_t rows_after(const oyi_by_rows* by, const oyi_packed_row* row) {
  return row->ndim < by->it->ndim ? by->it->sizes[row->ndim] : 1;
}

// Whether lines of what lies across, which are read for one element each, are gone before others of
// them are wanted, which tiles have at once. Of rows of several dimensions more lines are worth
// tiles, whose rows are shorter than those that are copied together.
static bool loses_lines(const oyi_by_rows* by, const oyi_packed_row* row,
                        const int64_t* down, int k, int64_t item) {
  enum { LINES = 512, MORE_LINES = 2048, TILE = 8, LINE = 64 };
  const oyi_iter* it = by->it;
  if (row->sizes[0] < TILE || down[k] < LINE ||
      steps_of(row) * rows_after(by, row) < (row->ndim > 1 ? MORE_LINES : LINES))
    return false;
  for (size_t d = 0; d < row->ndim; d++)
    if (row->strides[d][k] < LINE) return false;
  for (size_t d = row->ndim + 1; d < it->ndim; d++)
    if (it->strides[d][k] == item && it->sizes[d] >= TILE) return true;
  return false;
}

// Whether a copy of what lies across serves more rows than tiles of narrow elements would have,
// which are soon turned round.
static bool serves_many(const oyi_by_rows* by, const oyi_packed_row* row,
                        const int64_t* down, int k) {
  enum { NARROW = 4, MANY = 64 };
  return down[k] == 0 &&
         (oyi_item(by->it->tensors[k]) >= NARROW || rows_after(by, row) >= MANY);
}

// Whether rows, the longest of them |longest| bytes, are worth copies that serve them all: there
// are far more of them than are taken at once.
static bool is_worth_once(const oyi_by_rows* by, const oyi_packed_row* row,
                          int64_t longest) {
  return row->ndim > 1 || longest <= PACKED_COLUMN ||
         (longest <= PACKED / 4 && rows_after(by, row) * longest >= 2 * PACKED);
}

// Bytes of a row that is worth a copy for itself. Loops from one dtype to another take longer to
// begin: they have more to do with what no whole vector holds, but for those to bfloat16.
static int64_t longest_copied(const oyi_by_rows* by) {
  if (by->count != 2) return PACKED_ROW;
  const oyi_tensor* const* t = (const oyi_tensor* const*)by->it->tensors;
  const oy_dtype to = t[0]->header.dtype, from = t[1]->header.dtype;
  if (to == from) return PACKED_ROW;
  const bool is_once = to == OY_DTYPE_BF16 && !oy_dtype_is_complex(from) &&
                       oyi_convert_chain_of(to, from).count == 1;
  return is_once ? BF16_ROW : CONVERTED_ROW;
}

unsigned oyi_packed_inputs(const oyi_by_rows* by, const oyi_packed_row* row,
                           const int64_t* down) {
  const int64_t steps = steps_of(row), n = row->sizes[0];
  unsigned found = 0, often = 0;
  int64_t longest = 0, longest_copy = 0;
  bool across = false, column = false;
  for (int k = 0; k < by->count; k++) {
    const int64_t item = (int64_t)oyi_item(by->it->tensors[k]);
    const way is = way_of(row, down, k, item);
    if (is == NEITHER || steps * item > PACKED) return 0;
    if (is == ACROSS_OTHERS && loses_lines(by, row, down, k, item)) return 0;
    if (is == ACROSS_OTHERS && (row->in_order || (!serves_many(by, row, down, k) &&
                                                  !is_short_across(row, k, item))))
      return 0;
    across = across || is == ACROSS_OTHERS;
    if (n * item > longest) longest = n * item;
    if (is == TOGETHER) continue;
    found |= 1u << k;
    often |= down[k] != 0 ? 1u << k : 0;
    column = column || row->strides[0][k] == 0;
    if (n * item > longest_copy) longest_copy = n * item;
  }
  const int copies = __builtin_popcount(found);
  if (copies > PACKED_INPUTS || across) return copies <= PACKED_INPUTS ? found : 0;
  if (often == 0) return is_worth_once(by, row, longest) ? found : 0;
  if (longest > (column ? PACKED_COLUMN : longest_copied(by))) return 0;
  const bool twice = (often & (often - 1)) != 0;
  return !twice || longest_copy <= TWICE_PACKED_ROW || n <= TWICE_PACKED ? found : 0;
}

// ----------------------------------------------------------------------- copies

// The dimensions that one operand has, without those that go on with the one before.
typedef struct own_dims {
  size_t ndim;
  int64_t sizes[OY_TENSOR_MAX_DIMS], from[OY_TENSOR_MAX_DIMS], to[OY_TENSOR_MAX_DIMS];
} own_dims;

static void add_dim(own_dims* own, int64_t size, int64_t from, int64_t to) {
  if (size == 1) return;
  if (own->ndim > 0) {
    const size_t last = own->ndim - 1;
    if (from == own->from[last] * own->sizes[last]) {
      own->sizes[last] *= size;
      return;
    }
  }
  own->sizes[own->ndim] = size;
  own->from[own->ndim] = from;
  own->to[own->ndim++] = to;
}

// The dimension that is moved with the fastest one: that in which what lies across lies together,
// if it is no short one, or the longest.
static size_t second_of(const own_dims* own, int64_t item) {
  enum { TURNED = 8 };
  const bool across = own->from[0] != item && own->from[0] != 0;
  size_t found = 1;
  for (size_t d = 1; d < own->ndim; d++) {
    if (across && own->from[d] == item && own->sizes[d] >= TURNED) return d;
    if (own->sizes[d] > own->sizes[found]) found = d;
  }
  return found;
}

// All dimensions but the first and |second| step by step, |m| being the move of these.
static void move_others(oyi_move* m, const own_dims* own, size_t second) {
  int64_t at[OY_TENSOR_MAX_DIMS];
  size_t d;
  for (d = 1; d < own->ndim; d++) at[d] = 0;
  do {
    oyi_move_rows(m);
    for (d = 1; d < own->ndim; d++) {
      if (d == second) continue;
      m->to += own->to[d], m->from += own->from[d];
      if (++at[d] < own->sizes[d]) break;
      m->to -= own->to[d] * at[d], m->from -= own->from[d] * at[d];
      at[d] = 0;
    }
  } while (d < own->ndim);
}

// |rows| rows of operand |k| from |from| on, one behind the other.
static void copy_rows(const oyi_packed_row* row, int k, int64_t item, int64_t rows,
                      char* to, const char* from, int64_t down) {
  oyi_move m = {.item = (size_t)item,
                .n = row->sizes[0],
                .rows = rows,
                .to = to,
                .from = from,
                .to_along = item,
                .to_down = row->sizes[0] * item,
                .from_along = row->strides[0][k],
                .from_down = down};
  if (row->ndim == 1) {
    oyi_move_rows(&m);
    return;
  }
  own_dims own;
  own.ndim = 0;
  own.sizes[0] = 1;
  own.from[0] = own.to[0] = item;
  int64_t whole = item;
  for (size_t d = 0; d < row->ndim; whole *= row->sizes[d++])
    add_dim(&own, row->sizes[d], row->strides[d][k], whole);
  add_dim(&own, rows, down, whole);
  const size_t second = own.ndim > 1 ? second_of(&own, item) : 0;
  m.n = own.sizes[0];
  m.from_along = own.from[0];
  m.rows = second ? own.sizes[second] : 1;
  m.to_down = own.to[second];
  m.from_down = own.from[second];
  move_others(&m, &own, second);
}

// One row of operand |k|, |rows| times: twice as much with each copy, for a row may be many short
// moves.
static void repeat_row(const oyi_packed_row* row, int k, int64_t item, int64_t rows,
                       char* to, const char* from) {
  size_t done = (size_t)(steps_of(row) * item);
  const size_t all = done * (size_t)rows;
  copy_rows(row, k, item, 1, to, from, 0);
  for (size_t some; done < all; done += some) {
    some = done < all - done ? done : all - done;
    memcpy(to + done, to, some);
  }
}

void oyi_packed_run(const oyi_by_rows* by, const oyi_packed_row* row, int64_t rows,
                    char* const* data, const int64_t* down, unsigned apart) {
  _Alignas(64) char copies[PACKED_INPUTS][PACKED];
  const int64_t n = steps_of(row);
  int64_t most = PACKED, steps[OYI_ITER_MAX];
  char* at[OYI_ITER_MAX];
  memcpy(steps, row->strides[0], sizeof(steps[0]) * (size_t)by->count);
  for (unsigned left = apart; left; left &= left - 1) {
    const int k = __builtin_ctz(left);
    steps[k] = oyi_item(by->it->tensors[k]);
    const int64_t fit = PACKED / (n * steps[k]);
    if (fit < most) most = fit;
  }
  for (int64_t done = 0, some; done < rows; done += some) {
    some = rows - done < most ? rows - done : most;
    for (int k = 0; k < by->count; k++) at[k] = data[k] + done * down[k];
    char* copy = copies[0];
    for (unsigned left = apart; left; left &= left - 1, copy += PACKED) {
      const int k = __builtin_ctz(left);
      // A row for all of them is there already after the first time.
      if (down[k] != 0)
        copy_rows(row, k, steps[k], some, copy, at[k], down[k]);
      else if (done == 0)
        repeat_row(row, k, steps[k], some, copy, at[k]);
      at[k] = copy;
    }
    by->loop(n * some, at, steps, by->args);
  }
}

// ------------------------------------------------------- rows of several dimensions

typedef struct packed_walk {
  oyi_by_rows by;
  oyi_packed_row row;
  unsigned apart;
  int64_t rows, chunk;
} packed_walk;

// The rows of a chunk, along the dimension after those of a row and those that follow it.
static oy_status walk_chunk(int64_t index, void* context) {
  const packed_walk* w = context;
  const oyi_iter* it = w->by.it;
  const size_t down = w->row.ndim;
  const int64_t last = (index + 1) * w->chunk, end = last < w->rows ? last : w->rows;
  for (int64_t at = index * w->chunk, count; at < end; at += count) {
    char* data[OYI_ITER_MAX];
    memcpy(data, it->data, sizeof(data[0]) * (size_t)it->count);
    int64_t step = at;
    for (size_t d = down; d < it->ndim; step /= it->sizes[d++])
      for (int k = 0; k < it->count; k++)
        data[k] += step % it->sizes[d] * it->strides[d][k];
    count = it->sizes[down] - at % it->sizes[down];
    if (count > end - at) count = end - at;
    oyi_packed_run(&w->by, &w->row, count, data, it->strides[down], w->apart);
  }
  return OY_OK;
}

// Whether all copies of a walk serve all rows along the dimension after those of a row.
static bool copies_once(const oyi_iter* it, size_t d, unsigned apart) {
  for (; apart; apart &= apart - 1)
    if (it->strides[d][__builtin_ctz(apart)] != 0) return false;
  return true;
}

// As few dimensions as make enough elements for a call, or more where a copy of them serves
// many rows. One is for those who walk by rows.
static bool find_row(packed_walk* w) {
  const oyi_iter* it = w->by.it;
  int64_t n = it->sizes[0];
  bool is_enough = false;
  w->row.ndim = 0;
  for (size_t d = 1; d < it->ndim && n <= PACKED; n *= it->sizes[d++]) {
    const oyi_packed_row row = {d, it->sizes, it->strides, false};
    if (it->sizes[d] < 2) continue;
    const unsigned apart = oyi_packed_inputs(&w->by, &row, it->strides[d]);
    if (apart == 0 || (is_enough && !copies_once(it, d, apart))) continue;
    w->row = row;
    w->apart = apart;
    w->chunk = (OYI_ITER_GRAIN - 1) / n + 1;
    w->rows = oyi_walk_steps(it, d, it->ndim);
    is_enough = n * it->sizes[d] >= ENOUGH && it->sizes[d] >= OYI_PACKED_MANY;
  }
  return w->row.ndim > 1;
}

bool oyi_packed_walk(const oyi_iter* it, oyi_loop loop, const void* args) {
  packed_walk w = {.by = {loop, args, it, it->count, 0}};
  if (it->ndim < 3 || !find_row(&w)) return false;
  w.chunk = oyi_even_piece(w.rows, w.chunk);
  (void)oyi_parallel_chunks((w.rows - 1) / w.chunk + 1, walk_chunk, &w);
  return true;
}
