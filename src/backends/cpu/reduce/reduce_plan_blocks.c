// SPDX-License-Identifier: Apache-2.0
// The blocks of results that a reduction goes by, and how they are written.
#include "backends/cpu/reduce/reduce_plan.h"
#include "base/cpu.h"
#include "opyard/threads.h"
#include "tensor/iterator.h"
#include "tensor/promotion.h"

// Whether results of another dimension than blocks go along lie together: written one block after
// the other, lines of the cache would come and go for one result at a time.
static void find_tile(oyi_reduce_walk* w) {
  enum { SOME = 8 };
  const int first = w->out[0] ? 0 : 1;
  const oyi_reduce_dim* k = &w->kept[0];
  int64_t widest = 1;
  w->tile = (oyi_reduce_dim){1, 0, {0, 0}};
  for (int o = 0; o < 2; o++) {
    w->along[o] = k->out[o];
    const int64_t item = w->out[o] ? oyi_dtype_bytes[w->out_dtype[o]] : 1;
    widest = item > widest ? item : widest;
  }
  w->tile_lines = OYI_REDUCE_TILE / widest;
  const int64_t item = oyi_dtype_bytes[w->out_dtype[first]];
  if (w->inner.size > 1 || w->cells || k->size < SOME || k->out[first] == item) return;
  for (size_t d = 1; d < w->kept_count; d++) {
    if (w->kept[d].out[first] != item || w->kept[d].size < SOME) continue;
    w->tile = w->kept[d];
    w->kept[d] = w->kept[1];
    const int64_t n = w->tile_lines;
    w->kept[1] = (oyi_reduce_dim){(w->tile.size + n - 1) / n,
                                  w->tile.in * n,
                                  {w->tile.out[0] * n, w->tile.out[1] * n}};
    for (int o = 0; o < 2; o++)
      if (w->out[o]) w->along[o] = oyi_dtype_bytes[w->out_dtype[o]];
    return;
  }
}

// What writes the first results: those of complex numbers by their parts.
static void find_writing(oyi_reduce_walk* w) {
  const oy_dtype to = w->out_dtype[0], from = w->reducer->out[0];
  const bool parts = w->out[0] && oy_dtype_is_complex(to) && oy_dtype_is_complex(from);
  w->write_numbers = parts ? 2 : 1;
  w->write.count = 0;
  if (parts)
    w->write = oyi_convert_chain_of(oyi_real_dtype(to), oyi_real_dtype(from));
  else if (w->out[0] && !oy_dtype_is_complex(to) && !oy_dtype_is_complex(from))
    w->write = oyi_convert_chain_of(to, from);
  for (int k = 0; k < 2; k++) {
    const oy_dtype made = w->reducer->out[k];
    w->direct[k] = w->out[k] && w->out_dtype[k] == made && w->inner.size == 1 &&
                   !w->cells && w->along[k] == oyi_dtype_bytes[made];
  }
}

// Enough blocks for several threads, where there are enough results; a result
// does not depend on which block it is in. A few results of many elements are
// computed by pieces.
static void find_blocks(oyi_reduce_walk* w, int64_t numel, int64_t results) {
  enum { SHARES = 16, LEAST = 32, FEW = 8, SOME_PIECES = 8, PIECES = 64 };
  const int64_t size = w->kept[0].size;
  // What is converted on the way has to stay in the first cache, too.
  const bool narrow = (w->across && w->converts && !w->half) || w->tile.size > 1;
  const int64_t all = narrow ? OYI_REDUCE_BLOCK : w->reducer->block;
  const int64_t most = w->fold_block ? w->fold_block
                       : w->fold > 1 ? all / w->fold_step
                                     : all / (w->cells ? w->cells : w->inner.size);
  w->block = most;
  int64_t lines = results / w->inner.size / size;
  if (w->tile.size > 1) lines = lines / w->tile.size * w->kept[1].size;
  const bool few = lines * ((size + most - 1) / most) < SHARES && w->spread == 1;
  if (numel > OYI_ITER_GRAIN && oy_get_num_threads() > 1 && few) {
    // Rows that are read in wide blocks, or brought together, are worth more than even shares.
    const bool wide = w->across && !w->cells && (most == OYI_REDUCE_WIDE || w->converts);
    const int64_t part = size / (wide ? oy_get_num_threads() : SHARES);
    const int64_t least = wide       ? 4 * LEAST
                          : w->cells ? 4 * LEAST / w->cells + 1
                                     : (w->across ? LEAST : 1);
    w->block = part < least ? least : part < most ? part : most;
    if (wide) w->block = (w->block + LEAST - 1) / LEAST * LEAST;
    if (w->block > most) w->block = most;
  }
  w->per_line = (size + w->block - 1) / w->block;
  w->blocks = lines * w->per_line;
  const int64_t slow = w->reduced[w->reduced_count - 1].size;
  w->pieces = 1;
  if (results <= FEW && numel / OYI_ITER_GRAIN > results) {
    // From SOME_PIECES on they are longer: memory is fetched ahead once a piece knows how.
    const int64_t grains = numel / OYI_ITER_GRAIN / results;
    w->pieces = grains / 4 > SOME_PIECES ? grains / 4
                : grains > SOME_PIECES   ? SOME_PIECES
                                         : grains + (grains & 1);
    if (w->pieces > PIECES) w->pieces = PIECES;
    if (w->pieces > slow) w->pieces = slow;
  }
  w->piece = (slow + w->pieces - 1) / w->pieces;
  if (w->pieces > 1) w->pieces = (slow + w->piece - 1) / w->piece;
}

// What takes rows of several dimensions at once, whose sums are added then. Those of doubles keep
// errors that it would not.
static oyi_reduce_rows_fn find_part_rows(const oyi_reduce_walk* w) {
  enum { LEAST = 32, PLAIN = 160 };
  const int64_t size = w->reduced[0].size;
  const int64_t numbers = size * (oy_dtype_is_complex(w->in_dtype) ? 2 : 1);
  // Longer rows that are not converted are as soon taken one by one: floats are added in float.
  const int64_t most = w->converts ? OYI_REDUCE_MANY : PLAIN;
  const bool are_sums =
      w->reducer->repeat && w->reducer->all_rows && w->reducer->in != OY_DTYPE_F64;
  return are_sums && !w->across && w->reduced_count > 1 &&
                 w->reduced[0].in == oyi_dtype_bytes[w->in_dtype] && size > LEAST &&
                 numbers <= most && w->in_dtype < OYI_ROWS_DTYPES && oyi_cpu_level() > 1
             ? w->reducer->all_rows[w->in_dtype]
             : NULL;
}

void oyi_reduce_plan_blocks(oyi_reduce_walk* w, int64_t results) {
  find_tile(w);
  find_writing(w);
  find_blocks(w, w->read, results);
  w->part_rows = find_part_rows(w);
}
