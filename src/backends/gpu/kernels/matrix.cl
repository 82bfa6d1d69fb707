// SPDX-License-Identifier: Apache-2.0
// c = alpha * a b + beta * c for a batch of matrices, computed in S. Any of them may be
// transposed or strided; strides are in elements.
//   CPU_TILE   a work-item computes ROWS x COLUMNS of c, in vectors along the rows of b
//   otherwise  a group of TILE x TILE work-items does, by way of local memory
typedef struct product {
  long n, m, k;         // a: n x k, b: k x m
  long a_row, a_column, a_batch;
  long b_row, b_column, b_batch;
  long c_row, c_column, c_batch;
  long batch;
} product;

#define PARAMETERS                                                                     \
  __global const char *a_p, long a_o, __global const char *b_p, long b_o, __global char *c_p, \
      long c_o

static inline void put(__global char* c, long at, S sum, S alpha, S beta) {
  // What beta leaves out is not read: it may be NaN.
  ST(DTYPE, c, at, beta == 0 ? alpha * sum : alpha * sum + beta * LD(DTYPE, c, at));
}

#ifdef CPU_TILE
#define ROWS    4
#define COLUMNS (2 * W)

// A whole tile; rows of b lie one element after the other.
static inline void whole(const product* p, __global const char* a, __global const char* b,
                         __global char* c, S alpha, S beta) {
  V s00 = 0, s01 = 0, s10 = 0, s11 = 0, s20 = 0, s21 = 0, s30 = 0, s31 = 0;
  const long r = p->a_row;
  for (long i = 0; i < p->k; i++) {
    const V x = LDV(DTYPE, b, i * p->b_row), y = LDV(DTYPE, b, i * p->b_row + W);
    const long at = i * p->a_column;
    const S a0 = LD(DTYPE, a, at), a1 = LD(DTYPE, a, at + r);
    const S a2 = LD(DTYPE, a, at + 2 * r), a3 = LD(DTYPE, a, at + 3 * r);
    s00 += a0 * x, s01 += a0 * y;
    s10 += a1 * x, s11 += a1 * y;
    s20 += a2 * x, s21 += a2 * y;
    s30 += a3 * x, s31 += a3 * y;
  }
  V sums[ROWS][2] = {{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}};
  for (int i = 0; i < ROWS; i++)
    for (int h = 0; h < 2; h++) {
      S lanes[W];
      VSTORE(sums[i][h], 0, lanes);
      for (int j = 0; j < W; j++)
        put(c, i * p->c_row + (h * W + j) * p->c_column, lanes[j], alpha, beta);
    }
}

// What is left at the edges, and where rows of b are strided.
static inline void some(const product* p, __global const char* a, __global const char* b,
                        __global char* c, S alpha, S beta, long rows, long columns) {
  for (long i = 0; i < rows; i++) {
    S sums[COLUMNS];
    for (int j = 0; j < COLUMNS; j++) sums[j] = 0;
    for (long q = 0; q < p->k; q++) {
      const S x = LD(DTYPE, a, i * p->a_row + q * p->a_column);
      if (p->b_column == 1)
        for (long j = 0; j < columns; j++) sums[j] += x * LD(DTYPE, b, q * p->b_row + j);
      else
        for (long j = 0; j < columns; j++)
          sums[j] += x * LD(DTYPE, b, q * p->b_row + j * p->b_column);
    }
    for (long j = 0; j < columns; j++)
      put(c, i * p->c_row + j * p->c_column, sums[j], alpha, beta);
  }
}

kernel void run(PARAMETERS, S alpha, S beta, product p) {
  const long across = (p.m + COLUMNS - 1) / COLUMNS, down = (p.n + ROWS - 1) / ROWS;
  long id = (long)get_global_id(0);
  // Tiles of one stripe of b follow each other.
  const long i = id % down * ROWS, j = id / down % across * COLUMNS;
  const long batch = id / (down * across);
  if (batch >= p.batch) return;
  const long rows = min((long)ROWS, p.n - i), columns = min((long)COLUMNS, p.m - j);
  a_p += a_o + (batch * p.a_batch + i * p.a_row) * (long)SIZE;
  b_p += b_o + (batch * p.b_batch + j * p.b_column) * (long)SIZE;
  c_p += c_o + (batch * p.c_batch + i * p.c_row + j * p.c_column) * (long)SIZE;
  if (rows == ROWS && columns == COLUMNS && p.b_column == 1)
    whole(&p, a_p, b_p, c_p, alpha, beta);
  else
    some(&p, a_p, b_p, c_p, alpha, beta, rows, columns);
}

#else
#ifdef IS_CUDA
#define GROUP_OF(n)
#else
#define GROUP_OF(n) __attribute__((reqd_work_group_size(n, 1, 1)))
#endif
kernel GROUP_OF(TILE * TILE) void run(
    PARAMETERS, S alpha, S beta, product p) {
  local S as[TILE][TILE + 1], bs[TILE][TILE + 1];
  const long across = (p.m + TILE - 1) / TILE, down = (p.n + TILE - 1) / TILE;
  const long group = (long)get_group_id(0);
  const int x = (int)get_local_id(0) % TILE, y = (int)get_local_id(0) / TILE;
  const long i = group / across % down * TILE + y, j = group % across * TILE + x;
  const long batch = group / (across * down);
  a_p += a_o + batch * p.a_batch * (long)SIZE;
  b_p += b_o + batch * p.b_batch * (long)SIZE;
  c_p += c_o + batch * p.c_batch * (long)SIZE;
  S sum = 0;
  for (long q = 0; q < p.k; q += TILE) {
    as[y][x] = i < p.n && q + x < p.k
                   ? LD(DTYPE, a_p, i * p.a_row + (q + x) * p.a_column) : (S)0;
    bs[y][x] = j < p.m && q + y < p.k
                   ? LD(DTYPE, b_p, (q + y) * p.b_row + j * p.b_column) : (S)0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 0; s < TILE; s++) sum += as[y][s] * bs[s][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < p.n && j < p.m) put(c_p, i * p.c_row + j * p.c_column, sum, alpha, beta);
}
#endif
