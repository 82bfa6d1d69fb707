// SPDX-License-Identifier: Apache-2.0
// By a table of all that there could be, where that is small, or by a hash table.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "backends/cpu/order/distinct.h"

#include <string.h>

#include "backends/cpu/order/ordered.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/template.h"
#include "tensor/impl.h"

#define KEY(x) (x)
#define T      uint8_t
#define ID     u8
#include "backends/cpu/order/distinct_tmpl.h"
#undef T
#undef ID
#define T  int8_t
#define ID i8
#include "backends/cpu/order/distinct_tmpl.h"
#undef T
#undef ID
#define T  int16_t
#define ID i16
#include "backends/cpu/order/distinct_tmpl.h"
#undef T
#undef ID
#define T  int32_t
#define ID i32
#include "backends/cpu/order/distinct_tmpl.h"
#undef T
#undef ID
#define T  int64_t
#define ID i64
#include "backends/cpu/order/distinct_tmpl.h"
#undef T
#undef ID
#undef KEY
#define KEY(x) oyi_ordered_f16(x)
#define T      int16_t
#define ID     f16
#include "backends/cpu/order/distinct_tmpl.h"
#undef ID
#undef KEY
#define KEY(x) oyi_ordered_bf16(x)
#define ID     bf16
#include "backends/cpu/order/distinct_tmpl.h"
#undef T
#undef ID
#undef KEY

// ------------------------------------- integers of a small range, and 16-bit floats

typedef struct range_loops {
  void (*bounds)(const void* x, int64_t n, int64_t* least, int64_t* greatest);
  void (*mark)(const void* x, int64_t n, int64_t least, int64_t range, int64_t* table);
  void (*number)(const void* x, int64_t n, int64_t least, const int64_t* table,
                 int64_t* numbers);
  void (*count)(const void* x, int64_t n, int64_t least, const int64_t* table,
                int64_t* counts);
} range_loops;

static const range_loops* range_loops_of(oy_dtype dtype) {
  static const range_loops all[] = {{bounds_u8, mark_u8, number_u8, count_u8},
                                    {bounds_i8, mark_i8, number_i8, count_i8},
                                    {bounds_i16, mark_i16, number_i16, count_i16},
                                    {bounds_i32, mark_i32, number_i32, count_i32},
                                    {bounds_i64, mark_i64, number_i64, count_i64},
                                    {bounds_f16, mark_f16, number_f16, count_f16},
                                    {bounds_bf16, mark_bf16, number_bf16, count_bf16}};
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8: return &all[0];
    case OY_DTYPE_I8: return &all[1];
    case OY_DTYPE_I16: return &all[2];
    case OY_DTYPE_I32: return &all[3];
    case OY_DTYPE_I64: return &all[4];
    case OY_DTYPE_F16: return &all[5];
    case OY_DTYPE_BF16: return &all[6];
    default: return NULL;
  }
}

// The marks of |table| in order; they become numbers.
static void collect_marks(oyi_distinct* d, int64_t* table, int64_t range) {
  for (int64_t k = 0; k < range; k++) {
    if (!table[k]) continue;
    d->entries[d->count] = (oyi_entry){(uint64_t)k, d->count};
    d->firsts[d->count] = table[k] - 1;
    d->counts[d->count] = 0;
    table[k] = d->count++;
  }
}

// Leaves |d| without |are_few| if |dtype| has no loops or the range is greater than |n|, which sets
// a bound to all that is allocated here; and where there is a NaN, which comes last: none is like
// another.
static oy_status find_in_range(oyi_distinct* d, oy_dtype dtype, const void* x, int64_t n,
                               bool counts, int64_t* numbers) {
  const range_loops* loops = range_loops_of(dtype);
  if (!loops || n == 0) return OY_OK;
  int64_t least, greatest;
  loops->bounds(x, n, &least, &greatest);
  if (oy_dtype_is_floating(dtype) && greatest == INT16_MAX) return OY_OK;
  const uint64_t span = (uint64_t)greatest - (uint64_t)least;
  if (span >= (uint64_t)n) return OY_OK;
  const size_t range = (size_t)span + 1;
  d->entries = oyi_calloc(range, sizeof(oyi_entry) + 3 * sizeof(int64_t));
  if (!d->entries) return OY_OUT_OF_MEMORY;
  d->firsts = (int64_t*)(d->entries + range);
  d->counts = d->firsts + range;
  int64_t* table = d->counts + range;
  loops->mark(x, n, least, (int64_t)range, table);
  collect_marks(d, table, (int64_t)range);
  if (numbers) loops->number(x, n, least, table, numbers);
  if (counts) loops->count(x, n, least, table, d->counts);
  d->are_few = true;
  return OY_OK;
}

// ------------------------------------------------------------------------ a hash table

// Where sorting takes about as long: this part of the elements, and what fits in a cache.
enum { PART = 4, MOST = 1 << 15, SPARSE = 4, PIECE = 256, FIRST_BITS = 10 };

typedef struct slot {
  uint64_t key;
  int64_t number;  // and 1; 0 in an empty one
} slot;

// One slot in SPARSE is taken at most.
typedef struct table {
  oyi_distinct* found;
  slot* slots;
  int bits;
  int64_t most;
  uint64_t nan;
} table;

// Where |key| is, or could be put.
static inline slot* slot_of(slot* slots, int bits, uint64_t key) {
  const uint64_t last = (1ull << bits) - 1;
  uint64_t at = key * 0x9E3779B97F4A7C15u >> (64 - bits);
  while (slots[at].number && slots[at].key != key) at = (at + 1) & last;
  return &slots[at];
}

static void put(const table* t, int64_t number) {
  const uint64_t key = t->found->entries[number].key;
  if (!t->nan || key != t->nan)
    *slot_of(t->slots, t->bits, key) = (slot){key, number + 1};
}

static void grow(table* t) {
  t->bits += 2;
  memset(t->slots, 0, sizeof(*t->slots) << t->bits);
  for (int64_t k = 0; k < t->found->count; k++) put(t, k);
}

// A new number for |key|, which is at |place|; -1 if there are too many.
static __attribute__((noinline)) int64_t add(table* t, uint64_t key, int64_t place) {
  oyi_distinct* d = t->found;
  const int64_t number = d->count;
  if (number == t->most) return -1;
  d->entries[number] = (oyi_entry){key, number};
  d->firsts[number] = place;
  d->counts[number] = 0;
  if ((number + 1) * SPARSE > (int64_t)1 << t->bits) grow(t);
  put(t, number);
  d->count++;
  return number;
}

// The numbers of the |n| keys of a piece, whose first is at |place|.
static bool find_piece(table* t, const oyi_entry* e, int64_t n, int64_t place,
                       int64_t* numbers) {
  slot* slots = t->slots;
  const uint64_t nan = t->nan;
  int bits = t->bits;
  for (int64_t k = 0; k < n; k++) {
    const uint64_t key = e[k].key;
    int64_t number = slot_of(slots, bits, key)->number - 1;
    // A NaN was not put there.
    if (OY_UNLIKELY(number < 0 || (nan && key == nan))) {
      number = add(t, key, place + k);
      if (number < 0) return false;
      bits = t->bits;
    }
    numbers[k] = number;
  }
  return true;
}

static bool find_all(table* t, oy_dtype dtype, const char* x, int64_t n, bool counts,
                     int64_t* numbers) {
  oyi_entry e[PIECE];
  int64_t piece[PIECE];
  const int64_t item = oyi_dtype_bytes[dtype];
  for (int64_t i = 0; i < n; i += PIECE) {
    const int64_t some = n - i < PIECE ? n - i : PIECE;
    int64_t* found = numbers ? numbers + i : piece;
    oyi_keys_load(e, dtype, x + i * item, item, some, false);
    if (!find_piece(t, e, some, i, found)) return false;
    for (int64_t k = 0; counts && k < some; k++) t->found->counts[found[k]]++;
  }
  return true;
}

void oyi_distinct_end(oyi_distinct* d) {
  oyi_free(d->entries);
}

oy_status oyi_distinct_find(oyi_distinct* d, oy_dtype dtype, const char* x, int64_t n,
                            bool counts, int64_t* numbers) {
  *d = (oyi_distinct){0};
  table t = {d, NULL, FIRST_BITS, n / PART < MOST ? n / PART : MOST,
             oyi_key_of_nan(dtype)};
  OY_TRY(find_in_range(d, dtype, x, n, counts, numbers));
  if (d->are_few || t.most == 0) return OY_OK;
  // The table grows to fewer than 4 * SPARSE slots for each, in memory that is only
  // touched then.
  const size_t room = (size_t)t.most, slots = room * SPARSE * 4 + (1u << FIRST_BITS);
  d->entries = oyi_malloc(room * (2 * sizeof(oyi_entry) + 2 * sizeof(int64_t)) +
                          slots * sizeof(slot));
  if (!d->entries) return OY_OUT_OF_MEMORY;
  d->firsts = (int64_t*)(d->entries + 2 * room);
  d->counts = d->firsts + room;
  t.slots = (slot*)(d->counts + room);
  memset(t.slots, 0, sizeof(*t.slots) << t.bits);
  d->are_few = find_all(&t, dtype, x, n, counts, numbers);
  if (d->are_few) oyi_keys_sort(d->entries, d->entries + room, d->count);
  return OY_OK;
}
