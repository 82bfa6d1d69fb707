// SPDX-License-Identifier: Apache-2.0
// Rows of one type by a vector, of which gemm_vector_v4.c keeps the choice. Given: T, the type in
// memory; ID; ROWS, how many at once, as many as a register has sums; PARTS, of an element;
// LANES, elements of a register; VECTOR; FIRST(count), as a mask; LOAD(at, mask), zeros where
// it is not set; BEGIN(x), what elements of the vector are multiplied with; ADD(sum, row, x);
// ADD_ACROSS(rows), the sums of ROWS registers as one; PUT(to, rows, sums), the first of them;
// STORE(g, sums, i, to), one of them, for those that go elsewhere or count otherwise; ADD_TO(g,
// sums, old), what all of them become beside those that were there, of real numbers alone. Of
// these too: PERMUTE(at, x), elements of |x| at these places; ROW_OF(first, inverse), places by
// |inverse|, without 16 bits, from |first| on.

// |rows| of the ROWS rows from |a| on are there; the others are the last one again.
static inline __attribute__((always_inline)) VECTOR OYI_JOIN(some_rows,
                                                             ID)(const T* a, int64_t step,
                                                                 int64_t rows, int64_t k,
                                                                 const T* x) {
  VECTOR sums[ROWS];
  OYI_UNROLL
  for (int i = 0; i < ROWS; i++) sums[i] = (VECTOR){0};
  for (int64_t p = 0; p < k; p += LANES) {
    const __mmask64 there = FIRST(k - p);
    const BEGUN by = BEGIN(LOAD(x + PARTS * p, there));
    const T* row = a + PARTS * p;
    OYI_UNROLL
    for (int i = 0; i < ROWS; i++) {
      sums[i] = ADD(sums[i], LOAD(row, there), by);
      row += i + 1 < rows ? step : 0;
    }
  }
  return ADD_ACROSS(sums);
}

// Rows of one element that lie together by one number.
static __attribute__((noinline)) void OYI_JOIN(by_number, ID)(const oyi_gemm* g,
                                                              const T* x) {
  T all[PARTS * LANES];
  for (int i = 0; i < LANES; i++) memcpy(all + PARTS * i, x, PARTS * sizeof(T));
  const BEGUN by = BEGIN(LOAD(all, FIRST(LANES)));
  const T* a = g->a;
  T* to = g->c;
  for (int64_t i = 0; i < g->n; i += LANES, a += PARTS * LANES, to += PARTS * LANES) {
    const int64_t left = g->n - i;
    PUT(to, left, ADD((VECTOR){0}, LOAD(a, FIRST(left)), by));
  }
}

static __attribute__((noinline)) void OYI_JOIN(by_vector, ID)(const oyi_gemm* g,
                                                              const void* x_) {
  const bool plain = g->alpha.re == 1 && g->alpha.im == 0 && g->beta.re == 0 &&
                     g->beta.im == 0 && g->c_row == 1;
  const int64_t step = PARTS * g->a_row;
  const T *a = g->a, *x = x_;
  if (plain && g->k == 1 && g->a_row == 1) {
    OYI_JOIN(by_number, ID)(g, x);
    return;
  }
  T* to = g->c;
  int64_t left = g->n;
  for (; plain && left >= ROWS; left -= ROWS, a += ROWS * step, to += ROWS * PARTS)
    PUT(to, ROWS, OYI_JOIN(some_rows, ID)(a, step, ROWS, g->k, x));
  for (; left > 0; left -= ROWS, a += ROWS * step) {
    const int64_t rows = left < ROWS ? left : ROWS;
    const VECTOR sums = OYI_JOIN(some_rows, ID)(a, step, rows, g->k, x);
    if (plain) {
      PUT(to, rows, sums);
    } else if (PARTS == 1 && g->c_row == 1) {
      PUT(to, rows, ADD_TO(g, sums, LOAD(to, g->beta.re == 0 ? 0 : FIRST(rows))));
      to += rows;
    } else {
      for (int64_t i = 0; i < rows; i++, to += PARTS * g->c_row) STORE(g, sums, i, to);
    }
  }
}

#if PARTS == 1
enum { OYI_JOIN(AT_ONCE, ID) = 4 };
#define AT_ONCE OYI_JOIN(AT_ONCE, ID)

// Adds to sums of a part of what lies together, |count| numbers of it; |row|: whose these are.
static inline __attribute__((always_inline)) void OYI_JOIN(add_narrow, ID)(
    const T* a, const T* x, const __m512i* row, int64_t rows, int64_t count,
    VECTOR* some) {
  const VECTOR by = LOAD(x, FIRST(rows));
  OYI_UNROLL
  for (int i = 0; i < AT_ONCE; i++) {
    const __mmask64 there = count > i * LANES ? FIRST(count - i * LANES) : 0;
    some[i] = ADD(some[i], LOAD(a + i * LANES, there), PERMUTE(row[i], by));
  }
}

// Few columns that follow each other, by a vector whose elements are for a row each: registers
// have parts of several rows, and sums lie as these do until they are added up.
static __attribute__((noinline)) void OYI_JOIN(narrow_by_vector, ID)(const oyi_gemm* g,
                                                                     const T* x) {
  const int64_t n = g->n, whole = g->k / LANES * LANES, last = g->k - whole;
  const int inverse = (1 << 16) / (int)n + 1;
  W sums[(LANES + AT_ONCE) * LANES];
  int64_t s = 0;
  for (; s < n; s += AT_ONCE) {
    __m512i row[AT_ONCE];  // of each element
    VECTOR some[AT_ONCE];
    OYI_UNROLL
    for (int i = 0; i < AT_ONCE; i++)
      row[i] = ROW_OF((int)(s + i) * LANES, inverse), some[i] = (VECTOR){0};
    const T* a = (const T*)g->a + s * LANES;
    const int64_t count = (n - s) * LANES;
    for (int64_t p = 0; p < whole; p += LANES, a += n * LANES)
      OYI_JOIN(add_narrow, ID)(a, x + p, row, LANES, count, some);
    if (last > 0)
      OYI_JOIN(add_narrow, ID)(a, x + whole, row, last, n * last - s * LANES, some);
    memcpy(sums + s * LANES, some, sizeof(some));
  }
  memset(sums + s * LANES, 0, sizeof(VECTOR));  // is read with the last row
  VECTOR all[AT_ONCE];
  OYI_UNROLL
  for (int r = 0; r < LANES; r++) {
    VECTOR one;
    memcpy(&one, sums + r * n, sizeof(one));
    if (r < AT_ONCE)
      all[r] = one;
    else
      all[r % AT_ONCE] += one;
  }
  const VECTOR sum = (all[0] + all[1]) + (all[2] + all[3]);
  T* to = g->c;
  if (g->c_row == 1)
    PUT(to, n, ADD_TO(g, sum, LOAD(to, g->beta.re == 0 ? 0 : FIRST(n))));
  else
    for (int64_t i = 0; i < n; i++, to += g->c_row) STORE(g, sum, i, to);
}
#undef AT_ONCE
#endif
