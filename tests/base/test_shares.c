// SPDX-License-Identifier: Apache-2.0
// Shares of chunks: cut evenly, taken from the front by their own thread, from the back by
// others, and each chunk once however many take at a time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "base/shares.h"

static void shares_are_in_order_and_even(void** state) {
  (void)state;
  static const int64_t counts[] = {0, 1, 2, 7, 8, 1000, INT64_MAX};
  for (int parts = 1; parts <= 5; parts++)
    for (size_t row = 0; row < sizeof(counts) / sizeof(counts[0]); row++) {
      oyi_share shares[5];
      oyi_shares_cut(shares, parts, counts[row]);
      int64_t next = 0;
      for (int i = 0; i < parts; i++) {
        assert_int_equal(shares[i].first, next);
        assert_in_range(shares[i].size - counts[row] / parts, 0, 1);
        next += shares[i].size;
      }
      assert_int_equal(next, counts[row]);
    }
}

static void own_from_the_front_then_others_from_the_back(void** state) {
  (void)state;
  oyi_share shares[3];
  oyi_shares_cut(shares, 3, 10);  // 0 to 3, 4 to 6, 7 to 9
  static const struct {
    int own;
    int64_t chunk;
  } taken[] = {{1, 4}, {1, 5}, {0, 0}, {1, 6},  {1, 9},  {2, 7}, {1, 8},
               {1, 3}, {2, 2}, {0, 1}, {0, -1}, {1, -1}, {2, -1}};
  for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
    assert_int_equal(oyi_shares_take(shares, 3, taken[i].own), taken[i].chunk);
}

// ------------------------------------------------------------------ at the same time

enum { PARTS = 4, CHUNKS = 40000 };

typedef struct taker {
  oyi_share* shares;
  int* runs;
  int own;
} taker;

static void* take_all(void* argument) {
  const taker* t = argument;
  for (int64_t chunk; (chunk = oyi_shares_take(t->shares, PARTS, t->own)) >= 0;)
    __atomic_fetch_add(&t->runs[chunk], 1, __ATOMIC_RELAXED);
  return NULL;
}

static void each_chunk_is_taken_once(void** state) {
  (void)state;
  static oyi_share shares[PARTS];
  static int runs[CHUNKS];
  for (int again = 0; again < 20; again++) {
    memset(runs, 0, sizeof(runs));
    oyi_shares_cut(shares, PARTS, CHUNKS);
    pthread_t ids[PARTS];
    taker takers[PARTS];
    for (int i = 0; i < PARTS; i++) {
      takers[i] = (taker){shares, runs, i % (1 + again % PARTS)};  // some at one share
      assert_int_equal(pthread_create(&ids[i], NULL, take_all, &takers[i]), 0);
    }
    for (int i = 0; i < PARTS; i++) pthread_join(ids[i], NULL);
    for (int i = 0; i < CHUNKS; i++) assert_int_equal(runs[i], 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_in_order_and_even),
      cmocka_unit_test(own_from_the_front_then_others_from_the_back),
      cmocka_unit_test(each_chunk_is_taken_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
