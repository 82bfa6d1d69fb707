// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/order/sort_keys.h"

#include <string.h>

#include "backends/cpu/order/select.h"
#include "tensor/impl.h"

// ------------------------------------------------------------------------------ keys

bool oyi_key_has_order(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8:
    case OY_DTYPE_I8:
    case OY_DTYPE_I16:
    case OY_DTYPE_I32:
    case OY_DTYPE_I64:
    case OY_DTYPE_F16:
    case OY_DTYPE_BF16:
    case OY_DTYPE_F32:
    case OY_DTYPE_F64: return true;
    default: return false;
  }
}

uint64_t oyi_key_of_nan(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F16:
    case OY_DTYPE_BF16: return 0xffff;
    case OY_DTYPE_F32: return 0xffffffff;
    case OY_DTYPE_F64: return UINT64_MAX;
    default: return 0;
  }
}

// Bits of a float of |width| bits with |infinity| as its greatest magnitude: negative
// ones are turned round, and lie below the others.
static inline uint64_t float_key(uint64_t bits, int width, uint64_t infinity) {
  const uint64_t sign = 1ull << (width - 1), all = sign | (sign - 1);
  const uint64_t magnitude = bits & (sign - 1);
  if (magnitude > infinity) return all;
  if (magnitude == 0) return sign;
  return bits & sign ? ~bits & all : bits | sign;
}

static inline uint64_t key_f16(uint16_t bits) {
  return float_key(bits, 16, 0x7c00);
}
static inline uint64_t key_bf16(uint16_t bits) {
  return float_key(bits, 16, 0x7f80);
}
static inline uint64_t key_f32(uint32_t bits) {
  return float_key(bits, 32, 0x7f800000);
}
static inline uint64_t key_f64(uint64_t bits) {
  return float_key(bits, 64, 0x7ff0000000000000);
}
static inline uint64_t key_u8(uint8_t bits) {
  return bits;
}
static inline uint64_t key_i8(uint8_t bits) {
  return bits ^ 0x80u;
}
static inline uint64_t key_i16(uint16_t bits) {
  return bits ^ 0x8000u;
}
static inline uint64_t key_i32(uint32_t bits) {
  return bits ^ 0x80000000u;
}
static inline uint64_t key_i64(uint64_t bits) {
  return bits ^ 0x8000000000000000u;
}

#define EACH_DTYPE(CASE)                          \
  switch (dtype) {                                \
    case OY_DTYPE_BOOL:                           \
    case OY_DTYPE_U8: CASE(uint8_t, key_u8);      \
    case OY_DTYPE_I8: CASE(uint8_t, key_i8);      \
    case OY_DTYPE_I16: CASE(uint16_t, key_i16);   \
    case OY_DTYPE_I32: CASE(uint32_t, key_i32);   \
    case OY_DTYPE_I64: CASE(uint64_t, key_i64);   \
    case OY_DTYPE_F16: CASE(uint16_t, key_f16);   \
    case OY_DTYPE_BF16: CASE(uint16_t, key_bf16); \
    case OY_DTYPE_F32: CASE(uint32_t, key_f32);   \
    default: CASE(uint64_t, key_f64);             \
  }

uint64_t oyi_key_load(oy_dtype dtype, const void* x) {
#define ONE(T, key_of)           \
  {                              \
    T bits;                      \
    memcpy(&bits, x, sizeof(T)); \
    return key_of(bits);         \
  }
  EACH_DTYPE(ONE)
#undef ONE
}

void oyi_keys_load(oyi_entry* out, oy_dtype dtype, const char* x, int64_t step, int64_t n,
                   bool descending) {
  // All ones in the bits that keys of this dtype have: what turns the order round.
  const uint64_t turn = descending ? UINT64_MAX >> (64 - 8 * oyi_dtype_bytes[dtype]) : 0;
#define ALL(T, key_of)                         \
  for (int64_t i = 0; i < n; i++, x += step) { \
    T bits;                                    \
    memcpy(&bits, x, sizeof(T));               \
    out[i].key = key_of(bits) ^ turn;          \
    out[i].place = i;                          \
  }                                            \
  return
  EACH_DTYPE(ALL)
#undef ALL
}

// ------------------------------------------------------------------------------ sort

static void insertion_sort(oyi_entry* e, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    oyi_entry moved = e[i];
    int64_t at = i;
    for (; at > 0 && e[at - 1].key > moved.key; at--) e[at] = e[at - 1];
    e[at] = moved;
  }
}

// Merges two sorted neighbours into |to|.
static void merge(oyi_entry* to, const oyi_entry* from, int64_t middle, int64_t n) {
  int64_t a = 0, b = middle;
  for (int64_t i = 0; i < n; i++) {
    bool second = a == middle || (b < n && from[b].key < from[a].key);
    to[i] = from[second ? b++ : a++];
  }
}

static void merge_sort(oyi_entry* entries, oyi_entry* scratch, int64_t n) {
  enum { RUN = 16 };
  for (int64_t i = 0; i < n; i += RUN)
    insertion_sort(entries + i, n - i < RUN ? n - i : RUN);
  oyi_entry *from = entries, *to = scratch;
  for (int64_t width = RUN; width < n; width *= 2) {
    for (int64_t i = 0; i < n; i += 2 * width) {
      int64_t rest = n - i, length = rest < 2 * width ? rest : 2 * width;
      merge(to + i, from + i, rest < width ? rest : width, length);
    }
    oyi_entry* swap = from;
    from = to;
    to = swap;
  }
  if (from != entries) memcpy(entries, from, (size_t)n * sizeof(*entries));
}

enum { DIGIT_MOST = 11 };

// One pass over the digit at |shift|; |places| has how many there are of each.
static void distribute(oyi_entry* to, const oyi_entry* from, int64_t n, int shift,
                       uint64_t digit, uint32_t* places) {
  uint32_t sum = 0;
  for (uint64_t d = 0; d <= digit; d++) {
    const uint32_t count = places[d];
    places[d] = sum;
    sum += count;
  }
  for (int64_t i = 0; i < n; i++) to[places[from[i].key >> shift & digit]++] = from[i];
}

// From the lowest digit on; digits that are the same in all keys cost nothing.
static void radix_sort(oyi_entry* entries, oyi_entry* scratch, int64_t n, int width) {
  const uint64_t digit = (1ull << width) - 1;
  uint64_t differ = 0;
  for (int64_t i = 1; i < n; i++) differ |= entries[i].key ^ entries[0].key;
  oyi_entry *from = entries, *to = scratch;
  for (int shift = 0; shift < 64; shift += width) {
    if ((differ >> shift & digit) == 0) continue;
    uint32_t counts[1 << DIGIT_MOST];
    memset(counts, 0, sizeof(*counts) << width);
    for (int64_t i = 0; i < n; i++) counts[from[i].key >> shift & digit]++;
    distribute(to, from, n, shift, digit, counts);
    oyi_entry* swap = from;
    from = to;
    to = swap;
  }
  if (from != entries) memcpy(entries, from, (size_t)n * sizeof(*entries));
}

static bool is_sorted(const oyi_entry* e, int64_t n) {
  for (int64_t i = 1; i < n; i++)
    if (e[i - 1].key > e[i].key) return false;
  return true;
}

void oyi_keys_sort(oyi_entry* entries, oyi_entry* scratch, int64_t n) {
  // Below the first the digits' counters cost more than comparisons, below the second more
  // than another digit; above 32 bits they would not fit.
  enum { SHORT = 64, MEDIUM = 2048, SMALL_DIGIT = 8 };
  if (is_sorted(entries, n)) return;
  if (n < SHORT || n > UINT32_MAX)
    merge_sort(entries, scratch, n);
  else
    radix_sort(entries, scratch, n, n < MEDIUM ? SMALL_DIGIT : DIGIT_MOST);
}

// Runs of equal keys are few elements, or many of few different ones.
void oyi_keys_order_equal(oyi_entry* entries, oyi_entry* scratch, int64_t n) {
  for (int64_t i = 0, end; i < n; i = end) {
    const uint64_t key = entries[i].key;
    bool turned = false;
    for (end = i + 1; end < n && entries[end].key == key; end++)
      turned |= entries[end].place < entries[end - 1].place;
    if (!turned) continue;
    for (int64_t j = i; j < end; j++) entries[j].key = (uint64_t)entries[j].place;
    oyi_keys_sort(entries + i, scratch, end - i);
    for (int64_t j = i; j < end; j++) entries[j].key = key;
  }
}

// ------------------------------------------------------------------------- selection

static inline bool is_less(const oyi_entry* a, const oyi_entry* b) {
  return a->key < b->key || (a->key == b->key && a->place < b->place);
}

static inline void swap_entries(oyi_entry* a, oyi_entry* b) {
  oyi_entry moved = *a;
  *a = *b;
  *b = moved;
}

// Moves the median of three to the front.
static void choose_pivot(oyi_entry* e, int64_t n) {
  oyi_entry *a = e, *b = e + n / 2, *c = e + n - 1;
  if (is_less(b, a)) swap_entries(a, b);
  if (is_less(c, b)) swap_entries(b, c);
  if (is_less(b, a)) swap_entries(a, b);
  swap_entries(a, b);
}

// Splits at the first entry and returns where it ends up. No two entries are equal.
// Every entry is moved, whether it is less or not: which ones are cannot be foretold,
// and a branch that is guessed wrong costs more.
static int64_t split(oyi_entry* e, int64_t n) {
  const oyi_entry pivot = e[0];
  int64_t less = 0;
  for (int64_t i = 1; i < n; i++) {
    const oyi_entry here = e[i];
    const bool is_same = here.key == pivot.key, is_earlier = here.place < pivot.place;
    e[i] = e[less + 1];
    e[less + 1] = here;
    less += (here.key < pivot.key) | (is_same & is_earlier);
  }
  swap_entries(&e[0], &e[less]);
  return less;
}

void oyi_keys_select(oyi_entry* entries, int64_t n, int64_t k) {
  while (n > 1) {
    choose_pivot(entries, n);
    int64_t at = split(entries, n);
    if (at == k) return;
    if (k < at) {
      n = at;
    } else {
      entries += at + 1;
      n -= at + 1;
      k -= at + 1;
    }
  }
}

// Collects what is below the greatest of the |k| least so far, until there is no room.
typedef struct few {
  oyi_entry* entries;
  int64_t count, room, k;
  uint64_t below;  // only keys below this may be among the least
  int64_t last;    // where that is
  bool is_full;    // both have a meaning
} few;

static void few_take(few* f, uint64_t key, int64_t place) {
  f->entries[f->count++] = (oyi_entry){key, place};
  if (f->count < f->room) return;
  oyi_keys_select(f->entries, f->count, f->k - 1);
  f->count = f->k;
  f->below = f->entries[f->k - 1].key;
  f->last = f->entries[f->k - 1].place;
  f->is_full = true;
}

// The least key of all, and the first of those that have it.
static void select_one(oyi_entry* entry, oy_dtype dtype, const char* x, int64_t step,
                       int64_t n, uint64_t turn) {
  uint64_t least = UINT64_MAX;
  int64_t place = 0;
#define LEAST(T, key_of)                       \
  for (int64_t i = 0; i < n; i++, x += step) { \
    T bits;                                    \
    memcpy(&bits, x, sizeof(T));               \
    const uint64_t key = key_of(bits) ^ turn;  \
    place = key < least ? i : place;           \
    least = key < least ? key : least;         \
  }                                            \
  break
  EACH_DTYPE(LEAST)
#undef LEAST
  *entry = (oyi_entry){least, place};
}

// The |k| least of a short line, in their order: each from place |i| on is put among those so far.
static void insert_few(oyi_entry* e, oy_dtype dtype, const char* x, int64_t step,
                       int64_t i, int64_t n, int64_t k, uint64_t turn) {
#define INSERT(T, key_of)                                          \
  for (x += i * step; i < n; i++, x += step) {                     \
    T bits;                                                        \
    memcpy(&bits, x, sizeof(T));                                   \
    const uint64_t key = key_of(bits) ^ turn;                      \
    if (i >= k && key >= e[k - 1].key) continue;                   \
    int64_t at = i < k ? i : k - 1;                                \
    for (; at > 0 && e[at - 1].key > key; at--) e[at] = e[at - 1]; \
    e[at] = (oyi_entry){key, i};                                   \
  }                                                                \
  break
  EACH_DTYPE(INSERT)
#undef INSERT
}

// The same of elements that lie together: after the first ones most come after the last so far,
// and are passed by. Where one does not, others may be near.
static void insert_next(oyi_entry* e, oy_dtype dtype, const char* x, int64_t n, int64_t k,
                        bool descending, uint64_t turn) {
  enum { FIRST = 128, SOME = 16 };
  const int64_t item = oyi_dtype_bytes[dtype], first = n < FIRST ? n : FIRST;
  insert_few(e, dtype, x, item, 0, first, k, turn);
  if (n <= FIRST) return;
  const oyi_next_fn next = oyi_select_next(dtype);
  for (int64_t i = first; (i = next(x, i, n, e[k - 1].place, descending)) < n;) {
    const int64_t end = n - i < SOME ? n : i + SOME;
    insert_few(e, dtype, x, item, i, end, k, turn);
    i = end;
  }
}

// The same for any |k|: as many as have room are collected, and selected among.
static int64_t collect_next(few* f, oy_dtype dtype, const char* x, int64_t n,
                            bool descending, uint64_t turn) {
  const int64_t item = oyi_dtype_bytes[dtype];
  const oyi_next_fn next = oyi_select_next(dtype);
  for (int64_t i = 0; i < n; i++) {
    if (f->is_full) i = next(x, i, n, f->last, descending);
    if (i < n) few_take(f, oyi_key_load(dtype, x + i * item) ^ turn, i);
  }
  return f->count;
}

void oyi_keys_select_few(oyi_entry* entries, oy_dtype dtype, const char* x, int64_t step,
                         int64_t n, int64_t k, bool descending) {
  const uint64_t turn = descending ? UINT64_MAX >> (64 - 8 * oyi_dtype_bytes[dtype]) : 0;
  enum { SHORT = 32 };
  const bool together = step == oyi_dtype_bytes[dtype] && n > SHORT;
  if (together && (k == 1 || oyi_keys_are_inserted(n, k))) {
    insert_next(entries, dtype, x, n, k, descending, turn);
    return;
  }
  if (k == 1) {
    select_one(entries, dtype, x, step, n, turn);
    return;
  }
  if (oyi_keys_are_inserted(n, k)) {
    insert_few(entries, dtype, x, step, 0, n, k, turn);
    return;
  }
  few f = {entries, 0, oyi_keys_few_room(k), k, 0, 0, false};
  if (together) {
    oyi_keys_select(entries, collect_next(&f, dtype, x, n, descending, turn), k - 1);
    return;
  }
#define TAKE(T, key_of)                                                 \
  for (int64_t i = 0; i < n; i++, x += step) {                          \
    T bits;                                                             \
    memcpy(&bits, x, sizeof(T));                                        \
    const uint64_t key = key_of(bits) ^ turn;                           \
    if (OY_UNLIKELY(!f.is_full || key < f.below)) few_take(&f, key, i); \
  }                                                                     \
  break
  EACH_DTYPE(TAKE)
#undef TAKE
  oyi_keys_select(entries, f.count, k - 1);
}

// ---------------------------------------------------------------------------- search

// Both halves are chosen without a branch, which nobody could foretell.
int64_t oyi_keys_search(oy_dtype dtype, const char* x, const int64_t* sorter, int64_t n,
                        uint64_t key, bool or_equal) {
  int64_t low = 0;
  // The steps of search_lanes_tmpl.h, so that rows out of order give the same, too.
#define SEARCH(T, key_of)                                                               \
  for (int64_t length = n; length > 0; length = length > 1 ? length - length / 2 : 0) { \
    const int64_t half = length > 1 ? length / 2 : 1, last = low + half - 1;            \
    T bits;                                                                             \
    memcpy(&bits, x + (sorter ? sorter[last] : last) * (int64_t)sizeof(T), sizeof(T));  \
    const uint64_t here = key_of(bits);                                                 \
    low += (here < key) | (or_equal & (here == key)) ? half : 0;                        \
  }                                                                                     \
  break
  EACH_DTYPE(SEARCH)
#undef SEARCH
  return low;
}
