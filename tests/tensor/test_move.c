// SPDX-License-Identifier: Apache-2.0
// Moves of elements by vectors, for each capability: every byte that they should move and
// none beside it. What is expected is computed byte by byte.
#include "base/cpu.h"
#include "base/memory.h"
#include "support/tensors.h"
#include "tensor/move.h"

enum { PLACE = 64 << 10, EDGE = 128 };

static unsigned char g_from[PLACE], g_to[PLACE], g_expected[PLACE];

static void begin(void) {
  for (size_t i = 0; i < PLACE; i++) g_from[i] = (unsigned char)(i * 151 + i / 256);
  memset(g_to, 0xa5, PLACE);
  memset(g_expected, 0xa5, PLACE);
}

static void check(const char* name, size_t size, size_t offset) {
  for (size_t i = 0; i < PLACE; i++)
    if (g_to[i] != g_expected[i])
      fail_msg("%s of %zu at %zu: byte %zu is %d, expected %d", name, size, offset, i,
               g_to[i], g_expected[i]);
}

static const oyi_move_table* g_tables[2];

// How many there are.
static int find_tables(void) {
  int count = 0;
  g_tables[count++] = &oyi_moves;
#if defined(__x86_64__)
  if (oyi_cpu_level() >= 1) g_tables[count++] = &oyi_moves_v3;
#endif
  return count;
}

static const size_t g_sizes[] = {
    0,   1,   2,   3,   4,   7,   8,   15,  16,  17,  31,  32,  33,   63,   64,   65,
    127, 128, 129, 191, 255, 256, 257, 511, 512, 513, 640, 777, 2047, 2048, 5000, 40000};
static const size_t g_offsets[] = {0, 1, 4, 8, 16, 31, 33, 60, 64, 100};

static void MOV_copies(void** state) {
  (void)state;
  for (int level = find_tables(); level-- > 0;)
    for (size_t s = 0; s < OY_ARRAY_SIZE(g_sizes); s++)
      for (size_t o = 0; o < OY_ARRAY_SIZE(g_offsets); o++) {
        const size_t at = EDGE + g_offsets[o];
        begin();
        memcpy(g_expected + at, g_from + EDGE, g_sizes[s]);
        g_tables[level]->copy((char*)g_to + at, (const char*)g_from + EDGE, g_sizes[s]);
        check("copy", g_sizes[s], g_offsets[o]);
      }
}

static void MOV_fills(void** state) {
  (void)state;
  for (int level = find_tables(); level-- > 0;)
    for (size_t item = 1; item <= 16; item *= 2)
      for (size_t s = 0; s < OY_ARRAY_SIZE(g_sizes); s++)
        for (size_t o = 0; o < OY_ARRAY_SIZE(g_offsets); o++) {
          const size_t at = EDGE + g_offsets[o], size = g_sizes[s] / item * item;
          begin();
          for (size_t i = 0; i < size; i++) g_expected[at + i] = g_from[EDGE + i % item];
          g_tables[level]->fill((char*)g_to + at, size, (const char*)g_from + EDGE, item);
          check("fill", size, g_offsets[o]);
        }
}

// Steps in elements.
typedef struct rows_row {
  const char* name;
  int64_t n, rows, to_along, to_down, from_along, from_down;
} rows_row;

static const rows_row g_rows[] = {
    {"whole", 13, 7, 1, 13, 1, 13},
    {"one element", 1, 1, 1, 1, 1, 1},
    {"repeated twice", 2, 40, 1, 2, 0, 1},
    {"repeated", 3, 40, 1, 3, 0, 1},
    {"repeated apart", 5, 30, 1, 5, 0, 3},
    {"few repeated", 7, 2, 1, 7, 0, 1},
    {"turned pairs", 2, 40, 1, 2, -1, 2},
    {"turned 3", 3, 40, 1, 3, -1, 3},
    {"turned 5", 5, 40, 1, 5, -1, 5},
    {"turned 7", 7, 40, 1, 7, -1, 7},
    {"turned 9", 9, 40, 1, 9, -1, 9},
    {"few turned", 3, 2, 1, 3, -1, 3},
    {"one column", 1, 40, 1, 3, 1, 2},
    {"short rows", 2, 40, 1, 4, 1, 2},
    {"rows of 4", 4, 30, 1, 5, 1, 9},
    {"rows of 8", 8, 30, 1, 8, 1, 11},
    {"rows of 16", 16, 20, 1, 16, 1, 21},
    {"rows of 31", 31, 9, 1, 33, 1, 31},
    {"rows of 100", 100, 5, 1, 101, 1, 103},
    {"turned", 77, 3, 1, 80, -1, 79},
    {"turned, even", 78, 3, 1, 80, -1, 79},
    {"turned, short", 3, 30, 1, 3, -1, 4},
    {"repeated", 50, 3, 1, 51, 0, 1},
    {"each other one", 50, 3, 1, 50, 2, 100},
    {"apart", 20, 6, 3, 61, 2, 41},
    {"columns", 5, 40, 40, 1, 1, 5},
    {"plane over itself", 9, 9, 1, 7, 9, 1},
    {"repeated, long", 90, 20, 1, 93, 0, 1},
    {"each other place", 1, 60, 1, 2, 1, 1},
    {"near columns", 20, 30, 1, 21, 80, 3},
    {"other turned", 50, 3, 1, 50, -2, 100},
    {"long, turned", 600, 2, 1, 600, -2, 3},
    {"2 others turned", 2, 9, 1, 3, -2, 4},
    {"5 others turned", 5, 9, 1, 5, -2, 11},
    {"9 others turned", 9, 5, 1, 9, -2, 18},
    {"17 others turned", 17, 5, 1, 18, -2, 34},
    {"33 others turned", 33, 2, 1, 33, -2, 5},
};

static void move_by_bytes(const rows_row* r, size_t item) {
  for (int64_t row = 0; row < r->rows; row++)
    for (int64_t i = 0; i < r->n; i++) {
      const int64_t to = row * r->to_down + i * r->to_along;
      const int64_t from = row * r->from_down + i * r->from_along;
      memcpy(g_expected + PLACE / 2 + to * (int64_t)item,
             g_from + PLACE / 2 + from * (int64_t)item, item);
    }
}

static void MOV_rows(void** state) {
  (void)state;
  for (int level = find_tables(); level-- > 0;)
    for (size_t item = 1; item <= 16; item *= 2)
      for (size_t at = 0; at < OY_ARRAY_SIZE(g_rows); at++) {
        const rows_row* r = &g_rows[at];
        const int64_t size = (int64_t)item;
        const oyi_move m = {.item = item,
                            .n = r->n,
                            .rows = r->rows,
                            .to = (char*)g_to + PLACE / 2,
                            .from = (const char*)g_from + PLACE / 2,
                            .to_along = r->to_along * size,
                            .to_down = r->to_down * size,
                            .from_along = r->from_along * size,
                            .from_down = r->from_down * size};
        begin();
        move_by_bytes(r, item);
        g_tables[level]->rows(&m);
        check(r->name, item, 0);
      }
}

// A plane turned round: what lies together down the input comes to lie along rows. Rows with
// and without gaps, places at any element, and either way of saying it.
static void check_turn(const oyi_move_table* table, size_t item, int64_t n, int64_t rows,
                       int64_t down, bool by_columns) {
  const int64_t size = (int64_t)item;
  const int64_t along = (rows + (rows & 1)) * size;
  const size_t to = EDGE + item, from = EDGE + 3 * item;
  const oyi_move whole = {.item = item,
                          .n = by_columns ? rows : n,
                          .rows = by_columns ? n : rows,
                          .to = (char*)g_to + to,
                          .from = (const char*)g_from + from,
                          .to_along = by_columns ? down : size,
                          .to_down = by_columns ? size : down,
                          .from_along = by_columns ? size : along,
                          .from_down = by_columns ? along : size};
  begin();
  for (int64_t row = 0; row < rows; row++)
    for (int64_t i = 0; i < n; i++)
      memcpy(g_expected + to + (size_t)(row * down + i * size),
             g_from + from + (size_t)(i * along + row * size), item);
  table->rows(&whole);
  check("plane", item, (size_t)(n * 1000 + rows));
}

// Rows that share few sets of a cache, too.
static void MOV_planes(void** state) {
  (void)state;
  enum { SHARED = 1024 };
  static const int64_t sides[] = {1,  2,  3,  4,  5,  6,  7,  8, 9,
                                  12, 15, 16, 17, 31, 32, 33, 40};
  for (int level = find_tables(); level-- > 0;)
    for (size_t item = 1; item <= 16; item *= 2)
      for (size_t r = 0; r < OY_ARRAY_SIZE(sides); r++)
        for (size_t c = 0; c < OY_ARRAY_SIZE(sides); c++) {
          const int64_t down = (sides[c] + 1) * (int64_t)item;
          const int64_t whole = sides[c] * (int64_t)item;
          check_turn(g_tables[level], item, sides[c], sides[r], whole, false);
          check_turn(g_tables[level], item, sides[c], sides[r], down, false);
          check_turn(g_tables[level], item, sides[c], sides[r], down, true);
          if (down <= SHARED)
            check_turn(g_tables[level], item, sides[c], sides[r], SHARED, false);
        }
}

// Small planes, turned round, that follow each other at the output, or whose rows do.
static void check_small(const oyi_move_table* table, size_t item, int64_t n, int64_t rows,
                        bool apart) {
  enum { COUNT = 5 };
  const int64_t size = (int64_t)item, row = n * size, along = (rows + n % 2) * size;
  const oyi_move m = {.item = item,
                      .n = n,
                      .rows = rows,
                      .to = (char*)g_to + EDGE + item,
                      .from = (const char*)g_from + EDGE,
                      .to_along = size,
                      .to_down = apart ? COUNT * row : row,
                      .from_along = along,
                      .from_down = size,
                      .more = COUNT - 1,
                      .to_over = apart ? row : rows * row,
                      .from_over = n * along + 3 * size};
  begin();
  for (int64_t i = 0; i < COUNT * rows * n; i++) {
    const int64_t k = i % n, down = i / n % rows, plane = i / n / rows;
    memcpy(g_expected + EDGE + item + plane * m.to_over + down * m.to_down + k * size,
           g_from + EDGE + plane * m.from_over + k * along + down * size, item);
  }
  table->planes(&m);
  check(apart ? "planes, rows apart" : "planes", item, (size_t)(n * 1000 + rows));
}

static void MOV_small_planes(void** state) {
  (void)state;
  for (int level = find_tables(); level-- > 0;)
    for (size_t item = 1; item <= 16; item *= 2)
      for (int64_t n = 2; n <= 33; n += n < 10 ? 1 : 6)
        for (int64_t rows = 1; rows <= 64; rows += rows < 19 ? 1 : 15)
          if (5 * (n + 1) * (rows + 3) * (int64_t)item < PLACE - 2 * EDGE) {
            check_small(g_tables[level], item, n, rows, false);
            check_small(g_tables[level], item, n, rows, true);
          }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(MOV_copies),       cmocka_unit_test(MOV_fills),
      cmocka_unit_test(MOV_rows),         cmocka_unit_test(MOV_planes),
      cmocka_unit_test(MOV_small_planes),
  };
  return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
