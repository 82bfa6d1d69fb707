// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/reduce/reduce_plan.h"

#include <string.h>

#include "base/cpu.h"

typedef oyi_reduce_dim dim;
typedef oyi_reduce_walk walk;

// ---------------------------------------------------------------- dimensions

// Whether |a| is the faster dimension: by its step, and of equal steps the longer one. What
// is expanded, and so read again, comes last.
static bool is_faster(const dim* a, const dim* b) {
  if (a->in == 0 || b->in == 0) return b->in == 0 && a->in != 0;
  return a->in < b->in || (a->in == b->in && a->size > b->size);
}

// Sorts the dimensions; those that continue each other become one.
static size_t arrange(dim* dims, size_t count) {
  for (size_t i = 1; i < count; i++) {
    dim moved = dims[i];
    size_t at = i;
    for (; at > 0 && is_faster(&moved, &dims[at - 1]); at--) dims[at] = dims[at - 1];
    dims[at] = moved;
  }
  size_t last = 0;
  for (size_t i = 1; i < count; i++) {
    dim *a = &dims[last], *b = &dims[i];
    if (a->size * a->in == b->in && a->size * a->out[0] == b->out[0] &&
        a->size * a->out[1] == b->out[1])
      a->size *= b->size;
    else
      dims[++last] = *b;
  }
  return count ? last + 1 : 0;
}

static void find_dims(walk* w, const oyi_reduction* r) {
  const oyi_tensor* in = r->in;
  w->kept_count = w->reduced_count = 0;
  w->times = 1;
  bool keepdim = r->ndim == in->ndim;
  for (size_t i = in->ndim, o = r->ndim; i-- > 0;) {
    bool reduced = r->mask >> i & 1;
    if (!reduced || keepdim) o--;
    if (in->sizes[i] == 1) continue;
    dim d = {in->sizes[i], oyi_strides(in)[i] * oyi_item(in), {0, 0}};
    for (int k = 0; k < r->outs && !reduced; k++)
      if (r->out[k]) d.out[k] = oyi_strides(r->out[k])[o] * oyi_item(r->out[k]);
    if (reduced && d.in == 0 && w->reducer->repeat)
      w->times *= d.size;
    else if (reduced)
      w->reduced[w->reduced_count++] = d;
    else
      w->kept[w->kept_count++] = d;
  }
  w->kept_count = arrange(w->kept, w->kept_count);
  w->reduced_count = arrange(w->reduced, w->reduced_count);
  if (w->kept_count == 0) w->kept[w->kept_count++] = (dim){1, 0, {0, 0}};
  if (w->reduced_count == 0) w->reduced[w->reduced_count++] = (dim){1, 0, {0, 0}};
}

// ------------------------------------------------------------------------- ways

// What brings rows together of which there may be many short ones.
static oyi_convert_loop find_one_step(oy_dtype to, oy_dtype from) {
  if (to == from || oy_dtype_is_complex(to) || oy_dtype_is_complex(from)) return NULL;
  const oyi_convert_chain chain = oyi_convert_chain_of(to, from);
  return chain.count == 1 ? chain.loops[0] : NULL;
}

static const oyi_half_fold* half_of(const walk* w) {
  return w->in_dtype == OY_DTYPE_BF16  ? &w->reducer->bf16
         : w->in_dtype == OY_DTYPE_F16 ? &w->reducer->f16
                                       : NULL;
}

static const oyi_half_fold* find_half(const walk* w) {
  const oyi_half_fold* half = half_of(w);
  return half && (w->across ? half->columns != NULL : half->row != NULL) ? half : NULL;
}

enum { NEAR = 4 };  // elements from one to the next that lies nearly beside it

// Whether rows lie one after the other, but have gaps: brought together they are taken at once. Of
// double each takes care of its errors.
static bool rows_have_gaps(const walk* w, int64_t item) {
  const dim *k = &w->kept[0], *d = &w->reduced[0];
  const oy_dtype read = w->reducer->in;
  return d->in > item && d->in <= NEAR * item && d->in % item == 0 && k->size > 1 &&
         k->in > (d->size - 1) * d->in && read != OY_DTYPE_F64 && read != OY_DTYPE_C128;
}

// What takes all rows of a block at once, if they are as short as that takes.
static oyi_reduce_rows_fn find_all_rows(const walk* w, int64_t item) {
  enum { LEAST_BYTES = 8, WORD = 4 };
  const int64_t numbers = w->reduced[0].size * (oy_dtype_is_complex(w->in_dtype) ? 2 : 1);
  // Of 16-bit floats, which are converted besides, also longer rows take less together.
  const int64_t most = (half_of(w) ? 4 : 1) * OYI_REDUCE_MANY;
  // Of two numbers there are more joins than there is to read.
  const bool together = w->reduced_count == 1 &&
                        (w->reduced[0].in == item || rows_have_gaps(w, item)) &&
                        w->reduced[0].size * (item < WORD ? WORD : item) > LEAST_BYTES;
  const bool takes = together && w->reducer->all_rows && w->times == 1 &&
                     w->in_dtype < OYI_ROWS_DTYPES && numbers <= most &&
                     oyi_cpu_level() > 1;
  return takes ? w->reducer->all_rows[w->in_dtype] : NULL;
}

// Extremes with their places, or two of integers: all the same in whatever order.
static bool finds_places(const walk* w) {
  return !w->reducer->running && w->reducer->out[1] == OY_DTYPE_I64;
}

// Whether there are places of a few columns of 8 bytes to find, in rows that follow each other:
// vectors have lanes for several rows.
static bool fills_lanes(const walk* w, int64_t columns, int64_t item) {
  enum { WORD = 8, MOST = 4, MANY = 64 };
  const dim* d = &w->reduced[0];
  return finds_places(w) && oyi_cpu_level() > 1 && !w->converts && item == WORD &&
         w->reduced_count == 1 && columns > 1 && columns <= MOST &&
         d->in == columns * item && d->size >= MANY;
}

// Whether columns, of a few results that follow each other, are turned to be reduced as rows:
// where running values of two columns may not be merged, so that what is kept of each is more
// than what there is to read. Pairs of 8 bytes, and what is read twice, are as soon read there.
static bool turns_columns(const walk* w, int64_t columns, int64_t item) {
  enum { MANY = 64, MOST = 32, MOST_BYTES = 128, LONG = 8 };
  const dim* d = &w->reduced[0];
  const bool follows =
      w->reduced_count == 1 && d->in >= columns * item && d->size >= MANY;
  const bool twice = w->reducer->out[1] == w->reducer->in;
  return follows && !w->reducer->running && (w->one_step || !w->converts) &&
         !fills_lanes(w, columns, item) && columns > (item < LONG ? 1 : 2) &&
         columns <= MOST && columns * item <= (twice ? MOST_BYTES / 2 : MOST_BYTES);
}

// Kept dimension |d| becomes the first one, along which blocks go.
static void begin_with(walk* w, size_t d) {
  const dim first = w->kept[d];
  w->kept[d] = w->kept[0];
  w->kept[0] = first;
}

// Whether |columns| that lie together are reduced side by side: a few, and of places, of which less
// than half a vector is found one by one, some where elements are narrow.
static bool goes_across(const walk* w, int64_t columns) {
  enum { FEW = 4, SOME = 8 };
  const bool narrow = oyi_dtype_bytes[w->reducer->in] < FEW;
  return columns >= (w->reducer->running || !narrow ? FEW : SOME);
}

// A line of a block has the results of the first kept dimension, with |cells| to the next.
static void set_inner(walk* w, int64_t cells) {
  w->inner = w->kept[0];
  w->cells = cells;
  w->apart = 1;
  w->kept[0] = w->kept[1];
  w->kept[1] = w->kept[--w->kept_count];
}

// Whether rows of results that lie near each other are read with what lies between: lines of a
// few of them, or single ones. A row is one run then, whatever the order of the results.
static bool find_cells(walk* w, int64_t item) {
  enum { MOST = 128, LONG = 32 };
  const dim k = w->kept[0], next = w->kept[1], d = w->reduced[0];
  const int64_t apart = k.in / item, span = (k.size - 1) * apart + 1;
  if (apart < 1 || apart > NEAR || k.in % item) return false;
  const int64_t cells = w->kept_count > 1 && next.in % item == 0 ? next.in / item : 0;
  // Long ones with places, which are more to write than to read, are written by tiles.
  const bool is_long =
      w->out[1] && k.size >= LONG && w->kept_count > 1 && k.out[0] > next.out[0];
  const bool lines = span <= cells && cells <= NEAR * k.size && cells <= MOST && !is_long;
  const bool single = apart > 1 && k.size <= MOST;
  const int64_t columns = lines ? (next.size - 1) * cells + span : span;
  if ((!lines && !single) || d.in < span * item ||
      !(goes_across(w, columns) || turns_columns(w, columns, item)))
    return false;
  if (lines) set_inner(w, cells);
  w->cells = lines ? cells : apart;
  w->apart = apart;
  w->step = item;
  return true;
}

// Which of the kept dimensions after the first is the longest.
static size_t longest_of_others(const walk* w) {
  size_t found = 1;
  for (size_t d = 2; d < w->kept_count; d++)
    if (w->kept[d].size > w->kept[found].size) found = d;
  return found;
}

// A block of few rows takes as long to begin and to write as they do: it goes on to rows that
// follow, whatever the order of their results, or along the longest dimension, unless lines of the
// cache would be gone when the next block needs them, too.
static void find_longer_blocks(walk* w) {
  enum { FEW = 16, LINE = 64, CACHE = 1 << 18 };
  const dim k = w->kept[0], next = w->kept[1], *d = &w->reduced[0];
  if (w->kept_count < 2 || k.size >= FEW) return;
  const size_t longest = longest_of_others(w);
  const dim* other = &w->kept[longest];
  const bool follows = next.in == k.size * k.in;
  const bool stays = d->size * d->in >= 2 * LINE || other->size * other->in <= CACHE;
  if (follows && (longest == 1 || !stays)) {
    set_inner(w, k.size);
    w->step = k.in;
  } else if (stays && other->size > 2 * k.size) {
    begin_with(w, longest);
    w->step = w->kept[0].in;
  }
}

// Whether rows that follow those of the first kept dimension, whatever the order of their results,
// are taken with them.
static bool take_next(walk* w) {
  const dim k = w->kept[0];
  for (size_t d = 1; d < w->kept_count; d++) {
    if (w->kept[d].in != k.size * k.in) continue;
    const dim next = w->kept[d];
    w->kept[d] = w->kept[1];
    w->kept[1] = next;
    set_inner(w, k.size);
    w->step = k.in;
    return true;
  }
  return false;
}

// Whether columns lie nearly together, row by row, and are turned for reducers that have no loops
// of their own for a few of them.
static bool have_gaps(const walk* w, int64_t item) {
  const dim* k = &w->kept[0];
  return (w->converts || w->reducer->turned > OYI_REDUCE_TURNED) && k->size > 1 &&
         k->in > item && k->in <= NEAR * item && k->in % item == 0 &&
         (k->size - 1) * k->in + item <= w->reduced[0].in;
}

// Whether columns are turned also where they are longer: of less than a vector, or where a call for
// rows, or across, takes more for each result.
static bool turns_longer(const walk* w) {
  enum { VECTOR = 32 };
  return w->reducer->turned > OYI_REDUCE_TURNED ||
         w->kept[0].size * oyi_dtype_bytes[w->reducer->in] < VECTOR;
}

// Whether rows are turned: short ones, of which there are many along one of the kept
// dimensions. Of few columns a call would do as little as of short rows, so those of many
// lines are turned side by side.
static bool find_turns(walk* w, int64_t item) {
  enum { MANY = 64, SOME = 16, MOST_COLUMNS = 16, MOST_OF_LINE = 128, FEW = 4 };
  const int64_t size = w->reduced[0].size, bytes = size * oyi_dtype_bytes[w->reducer->in];
  const bool columns = w->kept[0].in == item || have_gaps(w, item);
  const bool other = w->kept_count > 1;
  const bool few = columns && w->kept[0].size <= FEW, longer = columns && turns_longer(w);
  const bool is_short = bytes <= (longer ? 4 * OYI_REDUCE_TURNED_LONG
                                  : few  ? 2 * OYI_REDUCE_TURNED_LONG
                                         : w->reducer->turned);
  // What is kept within what is reduced is as short each time.
  const bool one = w->reduced_count == 1;
  const bool again = !one && w->reduced[1].in > w->kept[0].in;
  // Columns that registers have the running values of are as soon reduced where they are.
  const bool held = w->kept[0].in == item && !w->converts && w->reducer->few &&
                    w->kept[0].size >= w->reducer->few;
  if (w->all_rows || w->cells || held || (!one && !again) ||
      (w->converts && !w->one_step))
    return false;
  if (is_short && !columns && w->kept[0].size >= MANY) return true;
  if (is_short && !columns && take_next(w)) return true;
  const size_t longest = other ? longest_of_others(w) : 0;
  if (!one || !other || w->kept[longest].size < SOME ||
      w->kept[longest].size < w->kept[0].size)
    return false;
  // Lines within long rows of what is reduced: each is read in its turn.
  const bool within = columns && w->kept[0].size <= MOST_COLUMNS &&
                      w->kept[longest].in < w->reduced[0].in;
  if (!is_short && !within) return false;
  if (columns && !within &&
      (w->kept[0].size > MOST_COLUMNS ||
       (!longer && w->kept[0].size * size > MOST_OF_LINE)))
    return false;
  begin_with(w, longest);
  if (columns) {
    w->inner = w->kept[longest];
    w->kept[longest] = w->kept[--w->kept_count];
  }
  return true;
}

// Whether short rows are columns of longer ones: they come again so often that a call for each of
// them takes longer than to merge running values. Results follow each other, row by row, or lie
// together within what is reduced, or there is one.
static bool find_fold(walk* w, int64_t item) {
  enum { MOST_BYTES = 256, MOST_INSIDE = 16, TWICE = 2, SOME = 16, FEW = 8 };
  const dim *k = &w->kept[0], *d = &w->reduced[0], *again = &w->reduced[1];
  w->fold = 1;
  w->fold_block = 0;
  if (w->reduced_count < 2 || !w->reducer->running) return false;
  const int64_t often = d->size < SOME ? TWICE * d->size : TWICE * SOME;
  const int64_t width = k->size * d->size;
  // With what may lie between them.
  const bool rows = d->in == item && k->in % item == 0 && k->in >= d->size * item &&
                    k->in <= TWICE * d->size * item && width >= FEW;
  const bool inside = k->in == item && d->in == k->size * item &&
                      k->size <= MOST_INSIDE && width <= w->reducer->block;
  const bool one = d->in == item && (k->size == 1 || k->in >= again->in * again->size);
  const int64_t run = one ? d->size : rows ? k->size * k->in / item : width;
  const bool is_short = d->size * oyi_dtype_bytes[w->reducer->in] <= MOST_BYTES;
  if (!(inside || (is_short && (rows || one))) || again->in < run * item ||
      again->size < often)
    return false;
  w->fold_block = inside ? k->size : one ? 1 : 0;
  w->fold = d->size;
  w->fold_step = rows && !one ? k->in / item : d->size;
  w->reduced_count--;
  memmove(w->reduced, w->reduced + 1, w->reduced_count * sizeof(*w->reduced));
  return true;
}

// Which way memory is read, and as what.
static void find_way(walk* w, const oyi_reduction* r) {
  enum { MANY = 64, SPREAD = 16, NARROW = 32, FILL = 8, LONG = 128 };
  enum { LONG_SPREAD = 512, FEW = 4 };
  const dim *k = &w->kept[0], *d = &w->reduced[0];
  const int64_t item = oyi_item(r->in);
  w->converts = !oyi_reduce_reads_as(w->in_dtype, w->reducer->in);
  // What runs in more than its own precision, or has none to lose, may run for longer before
  // it is added up.
  const bool long_runs =
      !w->converts && w->reducer->in != OY_DTYPE_F64 && w->reducer->in != OY_DTYPE_C128;
  w->one_step = w->converts ? find_one_step(w->reducer->in, w->in_dtype) : NULL;
  w->all_rows = find_all_rows(w, item);
  w->inner = (dim){1, 0, {0, 0}};
  w->cells = w->apart = 0;
  const bool fold = find_fold(w, item);
  w->turns = !fold && have_gaps(w, item) && find_turns(w, item);
  const bool cells = !fold && !w->turns && find_cells(w, item);
  // Long rows of what lies nearly together are brought together.
  const bool near = !w->turns && !cells && !fold && k->in > item &&
                    k->in <= NEAR * item && d->in > NEAR * item;
  w->turns |= !near && !fold && !w->turns && find_turns(w, item);
  if (!w->cells) w->step = fold ? item : k->in;
  const bool together = cells || fold || k->in == item;
  const int64_t columns = oyi_reduce_width(w, k->size), row = d->in / item;
  // Rows of a few results that follow each other, or nearly, are read as longer ones: of so few
  // that they are one block, which find_blocks() makes no smaller.
  // Of one of several matrices they are worth it where there are more of them.
  const int64_t few = w->converts ? 0 : w->reducer->few;
  const bool lasts = w->kept_count == 1 || (row <= FILL && d->size >= LONG) ||
                     (row == few && d->size >= MANY);
  const bool follows = !fold && w->reduced_count == 1 && lasts && together &&
                       d->in % item == 0 && row >= columns && row <= 2 * columns &&
                       columns > 1 && row <= NARROW && d->size >= MANY &&
                       w->reducer->running &&
                       (!w->converts || (half_of(w) && half_of(w)->columns));
  const int64_t spread = d->size >= LONG_SPREAD ? SPREAD : row < FEW ? SPREAD / 2 : FEW;
  const bool in_registers =
      follows && few && row == columns && few % row == 0 && d->size * row >= few * MANY;
  w->spread = !follows       ? 1
              : in_registers ? few / row
              : row < SPREAD ? spread
                             : OYI_REDUCE_BLOCK / row;
  w->turns_columns = together && !fold && turns_columns(w, columns, item);
  w->across =
      w->turns || follows || fold || w->turns_columns ||
      (together && fills_lanes(w, columns, item)) ||
      (!w->all_rows && goes_across(w, columns) && (near || (together && d->in != item)));
  w->converts |= w->across && (near || w->turns);
  if (!w->across) find_longer_blocks(w);
  w->half = (w->across ? together : d->in == item) ? find_half(w) : NULL;
  // A run of a megabyte is read up to twice as fast as one of tens of KB: it is fetched ahead.
  w->row = long_runs || w->half ? 128 * OYI_REDUCE_ROW : OYI_REDUCE_ROW;
  // A few more than that are one call, which keeps no errors.
  const bool few_more = d->size <= 2 * OYI_REDUCE_ROWS;
  w->rows =
      long_runs || w->half ? OYI_REDUCE_MOST_ROWS : (few_more ? 2 : 1) * OYI_REDUCE_ROWS;
  if (finds_places(w) || in_registers) w->rows = 128 * OYI_REDUCE_ROW;
}

void oyi_reduce_plan(walk* w, const oyi_reduction* r, const oyi_fold* reducer,
                     const void* args) {
  w->reducer = reducer;
  w->args = args;
  w->in_dtype = r->in->header.dtype;
  w->is_empty = r->in->numel == 0;
  w->x = oyi_data(r->in);
  for (int k = 0; k < 2; k++) {
    w->out[k] = k < r->outs && r->out[k] ? oyi_data(r->out[k]) : NULL;
    if (w->out[k]) w->out_dtype[k] = r->out[k]->header.dtype;
  }
  find_dims(w, r);
  find_way(w, r);
  w->read = w->is_empty ? 0 : r->in->numel / w->times;
  oyi_reduce_plan_blocks(w, oyi_reduction_first(r)->numel);
}
