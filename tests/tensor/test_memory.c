// SPDX-License-Identifier: Apache-2.0
// Memory under tensors: alignment, reuse, joining, limits, statistics, threads,
// failure.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tensors.h"
#include "tensor/block_cache.h"
#include "tensor/pool.h"
#include "tensor/slab.h"

const char* __asan_default_options(void);
const char* __asan_default_options(void) {
  return "allocator_may_return_null=1";
}

#define KIB(n) ((size_t)(n) << 10)
#define MIB(n) ((size_t)(n) << 20)

typedef struct piece {
  unsigned char* data;
  void* context;
  size_t size;
} piece;

static piece take(size_t size) {
  piece p = {NULL, NULL, size};
  p.data = oyi_data_alloc(size, &p.context);
  assert_non_null(p.data);
  assert_int_equal((uintptr_t)p.data % 64, 0);
  return p;
}

static void give(piece p) {
  oyi_data_free(p.context, p.data);
}

static void TEN_02_aligned_and_apart(void** state) {
  (void)state;
  static const size_t sizes[] = {
      1,      64,         65,     512,        513,     640,         641,
      1023,   1024,       1025,   65535,      65536,   65537,       KIB(300),
      MIB(1), MIB(1) + 1, MIB(2), MIB(3) - 5, MIB(16), MIB(16) + 1, MIB(40)};
  enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
  for (int again = 0; again < 2; again++) {
    piece p[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
      p[i] = take(sizes[i]);
      memset(p[i].data, (int)i, sizes[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
      for (size_t at = 0; at < sizes[i]; at += at < 4096 ? 1 : 4093)
        assert_int_equal(p[i].data[at], i);
    for (size_t i = 0; i < COUNT; i++) give(p[(i * 5 + 3) % COUNT]);
  }
  oy_tensor_trim();
  assert_int_equal(oy_memory_stats_get().bytes_reserved, 0);
}

static void memory_is_used_again(void** state) {
  (void)state;
  static const size_t sizes[] = {600, KIB(64), KIB(65), MIB(4), MIB(50)};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    piece first = take(sizes[i]);
    give(first);
    size_t reserved = oy_memory_stats_get().bytes_reserved;
    for (int again = 0; again < 100; again++) {
      piece p = take(sizes[i]);
      assert_ptr_equal(p.data, first.data);
      give(p);
    }
    assert_int_equal(oy_memory_stats_get().bytes_reserved, reserved);
  }
  oy_tensor_trim();
}

// Neighbours join when they are free, whatever the order, and serve a larger block.
static void free_neighbours_join(void** state) {
  (void)state;
  static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 2, 1, 3}, {1, 3, 0, 2}};
  for (int row = 0; row < 4; row++) {
    piece p[4];
    for (int i = 0; i < 4; i++) p[i] = take(MIB(8) - KIB(8));
    size_t reserved = oy_memory_stats_get().bytes_reserved;
    assert_int_equal(reserved, MIB(32));
    for (int i = 0; i < 4; i++) give(p[orders[row][i]]);
    piece large[2] = {take(MIB(16) - KIB(8)), take(MIB(16) - KIB(8))};
    assert_int_equal(oy_memory_stats_get().bytes_reserved, reserved);
    give(large[0]);
    give(large[1]);
    oy_tensor_trim();
    assert_int_equal(oy_memory_stats_get().slabs, 0);
  }
}

// Blocks that follow each other do not begin at the same place of a page, whatever their size.
static void blocks_begin_apart(void** state) {
  (void)state;
  enum { PAGE = 4096, COUNT = 4 };
  static const size_t sizes[] = {KIB(65), KIB(256), KIB(700), MIB(1), MIB(4), MIB(8)};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    piece p[COUNT];
    for (int k = 0; k < COUNT; k++) {
      p[k] = take(sizes[i]);
      for (int other = 0; other < k; other++)
        assert_true((uintptr_t)p[k].data % PAGE != (uintptr_t)p[other].data % PAGE);
    }
    for (int k = 0; k < COUNT; k++) give(p[k]);
    oy_tensor_trim();
  }
}

// The smallest hole that fits is taken.
static void best_fit(void** state) {
  (void)state;
  static const size_t sizes[] = {MIB(6), MIB(3), MIB(8), MIB(4)};
  piece holes[4], between[4];
  for (int i = 0; i < 4; i++) {
    holes[i] = take(sizes[i]);
    between[i] = take(MIB(2));
  }
  for (int i = 0; i < 4; i++) give(holes[i]);
  piece p = take(MIB(3) + KIB(600));
  assert_ptr_equal(p.data, holes[3].data);
  give(p);
  p = take(MIB(5));
  assert_ptr_equal(p.data, holes[0].data);
  give(p);
  for (int i = 0; i < 4; i++) give(between[i]);
  oy_tensor_trim();
  assert_int_equal(oy_memory_stats_get().slabs, 0);
}

static void statistics(void** state) {
  (void)state;
  oy_tensor_trim();
  oy_memory_reset_peak();
  oy_memory_stats before = oy_memory_stats_get();
  assert_int_equal(before.bytes_in_use, 0);
  assert_int_equal(before.blocks_in_use, 0);
  assert_int_equal(before.bytes_reserved, 0);
  const int64_t million = 1 << 20;
  oy_tensor* t = oy_tensor_empty(OY_DIMS(million), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* small = F32(OY_DIMS(2), 1, 2);  // inside of the tensor: not counted
  oy_memory_stats now = oy_memory_stats_get();
  assert_in_range(now.bytes_in_use, MIB(4), MIB(4) + KIB(8));
  assert_int_equal(now.blocks_in_use, 1);
  assert_in_range(now.bytes_reserved, MIB(4), MIB(32));
  assert_int_equal(now.slabs, 1);
  assert_int_equal(now.allocations, before.allocations + 1);
  oy_tensor_release(t);
  oy_tensor_release(small);
  now = oy_memory_stats_get();
  assert_int_equal(now.bytes_in_use, 0);
  assert_int_equal(now.blocks_in_use, 0);
  assert_in_range(now.bytes_peak, MIB(4), MIB(4) + KIB(8));
  assert_int_equal(now.slabs, 1);
  oy_memory_reset_peak();
  assert_int_equal(oy_memory_stats_get().bytes_peak, 0);
  oy_tensor_trim();
  assert_int_equal(oy_memory_stats_get().bytes_reserved, 0);
}

static void limit_on_what_is_kept(void** state) {
  (void)state;
  size_t before = oy_memory_set_limit(MIB(40));
  assert_true(before > 0);
  // With what AddressSanitizer wants behind it, 30 MiB.
  piece a = take(MIB(30) - KIB(1)), b = take(MIB(30) - KIB(1));
  give(a);
  assert_int_equal(oy_memory_stats_get().bytes_reserved, MIB(60));
  give(b);  // would make 60 MiB of it
  assert_int_equal(oy_memory_stats_get().bytes_reserved, MIB(30));
  assert_int_equal(oy_memory_set_limit(0), MIB(40));
  assert_int_equal(oy_memory_stats_get().bytes_reserved, 0);
  a = take(MIB(3));
  give(a);
  assert_int_equal(oy_memory_stats_get().bytes_reserved, 0);
  oy_memory_set_limit(before);
}

// --------------------------------------------------------------------- threads

enum { HANDED = 64, ROUNDS = 40 };

typedef struct exchange {
  piece pieces[2][HANDED];
  pthread_barrier_t barrier;
} exchange;

static size_t handed_size(int i) {
  static const size_t sizes[] = {200, 700, 5000, KIB(60), KIB(70), KIB(400), MIB(1) + 3};
  return sizes[i % 7];
}

// Fills a row, and frees that of the other thread.
static void hand_over(exchange* e, int me) {
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < HANDED; i++) {
      piece p = take(handed_size(i + round));
      memset(p.data, me * HANDED + i, p.size < 5000 ? p.size : 5000);
      e->pieces[me][i] = p;
    }
    pthread_barrier_wait(&e->barrier);
    for (int i = 0; i < HANDED; i++) {
      piece p = e->pieces[1 - me][i];
      assert_int_equal(p.data[0], (1 - me) * HANDED + i);
      give(p);
    }
    pthread_barrier_wait(&e->barrier);
  }
}

static void* other_side(void* e) {
  hand_over(e, 1);
  return NULL;
}

static void freed_by_another_thread(void** state) {
  (void)state;
  static exchange e;
  pthread_t other;
  pthread_barrier_init(&e.barrier, NULL, 2);
  assert_int_equal(pthread_create(&other, NULL, other_side, &e), 0);
  hand_over(&e, 0);
  pthread_join(other, NULL);
  pthread_barrier_destroy(&e.barrier);
  // What the other thread kept came back at its end.
  oy_tensor_trim();
  oy_memory_stats now = oy_memory_stats_get();
  assert_int_equal(now.bytes_in_use, 0);
  assert_int_equal(now.blocks_in_use, 0);
  assert_int_equal(now.bytes_reserved, 0);
}

static void in_the_child_of_a_fork(void** state) {
  (void)state;
  piece p = take(MIB(3));
  memset(p.data, 7, p.size);
  pid_t child = fork();
  if (child == 0) {
    piece q = take(MIB(5));
    memset(q.data, 1, q.size);
    bool same = p.data[MIB(2)] == 7;
    give(q);
    give(p);
    oy_tensor_trim();
    _exit(same && oy_memory_stats_get().bytes_reserved == 0 ? 0 : 1);
  }
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  give(p);
  oy_tensor_trim();
}

// --------------------------------------------------------------- blocks of the pool

enum { BLOCKS = 600 };  // of each size: more than lists and chunks keep

typedef struct pool_blocks {
  unsigned char* of[OYI_POOL_CLASSES][BLOCKS];
} pool_blocks;

// Each block holds its own number, so that two that meet would be seen.
static void take_blocks(pool_blocks* p) {
  for (unsigned c = 0; c < OYI_POOL_CLASSES; c++) {
    for (int i = 0; i < BLOCKS; i++) {
      const size_t size = (c + 1) * (size_t)OYI_POOL_UNIT;
      p->of[c][i] = oyi_pool_take(c + 1);
      assert_non_null(p->of[c][i]);
      const size_t alignment = size % 64 == 0 ? 64 : 16;
      assert_int_equal((uintptr_t)p->of[c][i] % alignment, 0);
      memset(p->of[c][i], (int)c + i, size);
    }
  }
}

static void* give_blocks(void* data) {
  pool_blocks* p = data;
  for (unsigned c = 0; c < OYI_POOL_CLASSES; c++) {
    for (int i = 0; i < BLOCKS; i++) {
      const unsigned char* block = p->of[c][i];
      const size_t size = (c + 1) * (size_t)OYI_POOL_UNIT;
      assert_int_equal(block[0], (unsigned char)((int)c + i));
      assert_int_equal(block[size - 1], (unsigned char)((int)c + i));
      oyi_pool_give(p->of[c][i], c + 1);
    }
  }
  return NULL;
}

static void blocks_go_back_from_any_thread(void** state) {
  (void)state;
  oy_tensor_trim();
  failing f = {.left = -1};
  f.below = oy_allocator_set((oy_allocator){failing_reallocate, &f});
  static pool_blocks mine, others;
  take_blocks(&mine);
  take_blocks(&others);
  pthread_t other;
  assert_int_equal(pthread_create(&other, NULL, give_blocks, &others), 0);
  give_blocks(&mine);
  pthread_join(other, NULL);
  // Taken again in between, from what came back.
  take_blocks(&mine);
  give_blocks(&mine);
  oy_tensor_trim();
  oy_allocator_set(f.below);
  assert_int_equal(f.live, 0);
}

// --------------------------------------------------------------------- failure

static void sizes_that_no_machine_has(void** state) {
  (void)state;
  static const size_t sizes[] = {SIZE_MAX,     SIZE_MAX - 63,      SIZE_MAX / 2,
                                 SIZE_MAX / 4, SIZE_MAX / 4 - 100, (size_t)1 << 60};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    void* context = &context;
    char text[128];
    snprintf(text, sizeof(text),
             "DefaultCPUAllocator: can't allocate memory: you tried to allocate %zu "
             "bytes.",
             sizes[i]);
    assert_null(oyi_data_alloc(sizes[i], &context));
    assert_int_equal(oy_error_get()->code, OY_OUT_OF_MEMORY);
    assert_error(text);
    assert_null(context);
  }
}

// Where the system refuses, what is kept is given up first; then it is an error.
static int under_a_limit(void) {
  piece kept = take(MIB(300));
  give(kept);
  piece held = take(MIB(100));  // out of that slab
  give(held);
  struct rlimit limit = {MIB(700), MIB(700)};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
  piece p = take(MIB(500));
  if (oy_memory_stats_get().bytes_reserved != MIB(500)) return 3;
  void* context;
  if (oyi_data_alloc(MIB(400), &context)) return 4;
  if (oy_error_get()->code != OY_OUT_OF_MEMORY) return 5;
  give(p);
  give(take(MIB(400)));
  return 0;
}

static void the_system_refuses(void** state) {
  (void)state;
#if OYI_UNDER_ASAN || defined(__SANITIZE_THREAD__)
  skip();  // they map more than any limit
#endif
  pid_t child = fork();
  if (child == 0) _exit(under_a_limit());
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

// Each allocation in turn fails: of records, slabs, tensors.
static bool take_and_give_many(void) {
  static const int64_t sizes[] = {10, 300, 1000, 50000, 200000, 2000000, 20000000};
  oy_tensor* made[7] = {NULL};
  bool good = true;
  for (int i = 0; i < 7 && good; i++) {
    made[i] = oy_tensor_empty(OY_DIMS(sizes[i]), OY_DTYPE_U8, oy_device_cpu());
    good = made[i] != NULL;
  }
  for (int i = 0; i < 7; i++) oy_tensor_release(made[i]);
  return good;
}

static void ROB_02_every_allocation_fails(void** state) {
  (void)state;
  oy_tensor_trim();
  fail_each_allocation(take_and_give_many);
  assert_int_equal(oy_memory_stats_get().bytes_reserved, 0);
  assert_int_equal(oy_memory_stats_get().blocks_in_use, 0);
}

// -------------------------------------------------------------- use after free

// Address 0 is the block, 1 the byte behind what was asked for, in a child that
// AddressSanitizer is to stop.
static int touch(size_t size, bool behind) {
  if (!freopen("/dev/null", "w", stderr)) return 0;
  piece p = take(size);
  volatile unsigned char* data = p.data;
  if (behind) return data[size];
  give(p);
  return data[0];
}

static void ASAN_sees_what_is_touched_after_free(void** state) {
  (void)state;
  if (!OYI_UNDER_ASAN) skip();
  static const size_t sizes[] = {700, KIB(64) - 64, KIB(300), MIB(4)};
  for (size_t i = 0; i < 4; i++)
    for (int behind = 0; behind < 2; behind++) {
      pid_t child = fork();
      if (child == 0) {
        (void)touch(sizes[i], behind);
        _exit(0);
      }
      int status = 0;
      assert_int_equal(waitpid(child, &status, 0), child);
      assert_true(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TEN_02_aligned_and_apart),
      cmocka_unit_test(memory_is_used_again),
      cmocka_unit_test(free_neighbours_join),
      cmocka_unit_test(blocks_begin_apart),
      cmocka_unit_test(best_fit),
      cmocka_unit_test(statistics),
      cmocka_unit_test(limit_on_what_is_kept),
      cmocka_unit_test(freed_by_another_thread),
      cmocka_unit_test(in_the_child_of_a_fork),
      cmocka_unit_test(blocks_go_back_from_any_thread),
      cmocka_unit_test(sizes_that_no_machine_has),
      cmocka_unit_test(the_system_refuses),
      cmocka_unit_test(ROB_02_every_allocation_fails),
      cmocka_unit_test(ASAN_sees_what_is_touched_after_free),
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
