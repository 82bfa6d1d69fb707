// SPDX-License-Identifier: Apache-2.0
// Running sums and products of bfloat16 by those of float, a part of scan_direct.c.

// Columns of bfloat16 that fill their rows are floats for some rows at a time: vectors convert all
// of a piece, where columns have a conversion for each number.
enum { PIECE = 512, BLOCKS_PIECE = 2048 };
typedef struct halves {
  oyi_convert_loop load, store;
} halves;
static halves halves_of(void) {
  return (halves){oyi_convert_chain_of(OY_DTYPE_F32, OY_DTYPE_BF16).loops[0],
                  oyi_convert_chain_of(OY_DTYPE_BF16, OY_DTYPE_F32).loops[0]};
}

// |n| rows of each of |blocks| in |piece|, which follow each other there.
static direct in_piece(const direct* d, float* piece, int64_t n, int64_t blocks) {
  const int64_t item = sizeof(float), row = d->lines * item;
  return (direct){.x = (char*)piece,
                  .y = (char*)piece,
                  .n = n,
                  .lines = d->lines,
                  .x_step = row,
                  .y_step = row,
                  .x_line = item,
                  .y_line = item,
                  .blocks = blocks,
                  .x_block = n * row,
                  .y_block = n * row};
}

// Few columns, which go on with their totals.
static void float_columns(const direct* d, direct_fn run, double start) {
  const halves h = halves_of();
  const int64_t lines = d->lines, rows = PIECE / lines;
  for (int64_t b = 0; b < d->blocks; b++) {
    const char* x = d->x + b * d->x_block;
    char* y = d->y + b * d->y_block;
    _Alignas(64) float piece[PIECE];
    double totals[SOME_COLUMNS];
    for (int64_t l = 0; l < lines; l++) totals[l] = start;
    for (int64_t i = 0, some; i < d->n; i += some) {
      some = d->n - i < rows ? d->n - i : rows;
      h.load(piece, x + i * d->x_step, some * lines);
      direct part = in_piece(d, piece, some, 1);
      part.totals = totals;
      run(&part);
      h.store(y + i * d->y_step, piece, some * lines);
    }
  }
}

// Short blocks that follow each other.
static void float_blocks(const direct* d, direct_fn run) {
  const halves h = halves_of();
  const int64_t size = d->n * d->lines, most = BLOCKS_PIECE / size;
  _Alignas(64) float piece[BLOCKS_PIECE];
  for (int64_t b = 0, some; b < d->blocks; b += some) {
    some = d->blocks - b < most ? d->blocks - b : most;
    h.load(piece, d->x + b * d->x_block, some * size);
    const direct part = in_piece(d, piece, d->n, some);
    run(&part);
    h.store(d->y + b * d->y_block, piece, some * size);
  }
}

static bool fills_rows(const direct* d) {
  const int64_t item = sizeof(uint16_t), row = d->lines * item;
  return d->lines >= FEW_COLUMNS && d->x_line == item && d->y_line == item &&
         d->x_step == row && d->y_step == row;
}
static bool are_blocks(const direct* d) {
  const int64_t block = d->n * d->lines * (int64_t)sizeof(uint16_t);
  return d->blocks > 1 && d->n > 1 && d->x_block == block && d->y_block == block &&
         d->n * d->lines <= BLOCKS_PIECE / 2;
}

static void by_floats(const direct* d, direct_fn run, double start, direct_fn rest) {
  enum { LEAST = 4 };
  if (fills_rows(d) && are_blocks(d))
    float_blocks(d, run);
  else if (fills_rows(d) && d->lines < SOME_COLUMNS && d->n >= LEAST)
    float_columns(d, run, start);
  else
    rest(d);
}
static void sums_bf16(const direct* d) {
  by_floats(d, sums_f32, 0, sum_bf16);
}
static void products_bf16(const direct* d) {
  by_floats(d, products_f32, 1, product_bf16);
}
