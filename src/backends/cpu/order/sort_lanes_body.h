// SPDX-License-Identifier: Apache-2.0
// Sorting by a bitonic network (Batcher, "Sorting networks and their applications", 1968), in
// the form whose comparisons all leave the lesser element in front: what is missing behind the
// last element of a line is then as if it were greater, and takes part in nothing.
// Included for each level with its vectors, of LANES numbers of 64 bits.
#include "backends/cpu/order/ordered.h"
#include "backends/cpu/order/sort_lanes.h"
#include "base/template.h"

#include <string.h>

// Keys of up to 32 bits stand before their places in one number: one comparison for both.
#define CELL packed
#define CELL_ONE
#include "backends/cpu/order/sort_lanes_tmpl.h"

// Keys of 64 bits have places of their own, which decide between equal ones, where not all bits
// that differ leave room.
#define CELL wide
#include "backends/cpu/order/sort_lanes_tmpl.h"

// ------------------------------------------------------------------------------ keys

// Those of the line to |room|, as |cell| makes them of a key and its place. Elements that
// follow each other are read with a step that compilers know.
#define LOAD(T, key_of, cell)                                     \
  {                                                               \
    const int64_t turn = line->descending ? -1 : 0;               \
    const bool together = line->step == (int64_t)sizeof(T);       \
    for (int64_t i = 0; together && i < line->n; i++) {           \
      T bits;                                                     \
      memcpy(&bits, line->x + i * (int64_t)sizeof(T), sizeof(T)); \
      room[i] = cell((int64_t)key_of(bits) ^ turn, i);            \
    }                                                             \
    for (int64_t i = 0; !together && i < line->n; i++) {          \
      T bits;                                                     \
      memcpy(&bits, line->x + i * line->step, sizeof(T));         \
      room[i] = cell((int64_t)key_of(bits) ^ turn, i);            \
    }                                                             \
    break;                                                        \
  }

#define PACKED(key, place) ((int64_t)((uint64_t)(key) << 32 | (uint64_t)(place)))
#define ITSELF(bits)       (bits)
#define KEY(key, place)    (key)

static void sort_packed(const oyi_line* line, int64_t* room) {
  switch (line->dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8: LOAD(uint8_t, ITSELF, PACKED)
    case OY_DTYPE_I8: LOAD(int8_t, ITSELF, PACKED)
    case OY_DTYPE_I16: LOAD(int16_t, ITSELF, PACKED)
    case OY_DTYPE_I32: LOAD(int32_t, ITSELF, PACKED)
    case OY_DTYPE_F16: LOAD(int16_t, oyi_ordered_f16, PACKED)
    case OY_DTYPE_BF16: LOAD(int16_t, oyi_ordered_bf16, PACKED)
    default: LOAD(int32_t, oyi_ordered_f32, PACKED)
  }
  int64_t n = line->n;
  for (; n % LANES; n++) room[n] = INT64_MAX;
  sort_cells_packed(room, NULL, n / LANES);
  for (int64_t i = 0; i < line->n; i++) room[i] &= UINT32_MAX;
}

static int64_t least_of(const int64_t* keys, int64_t n) {
  vec all = vec_load(keys);
  for (int64_t i = LANES; i < n; i += LANES) all = vec_least(all, vec_load(keys + i));
  _Alignas(64) int64_t each[LANES];
  vec_store(each, all);
  for (int k = 1; k < LANES; k++) each[0] = each[k] < each[0] ? each[k] : each[0];
  return each[0];
}

#define SIGN (1ull << 63)  // what is between order with a sign and order without

// Keys from |least| on, which small whole numbers have few bits of; those that any has.
static uint64_t count_from(int64_t least, int64_t* keys, int64_t n) {
  uint64_t bits[LANES] = {0}, all = 0;
  for (int64_t i = 0; i < n; i += LANES)
    for (int k = 0; k < LANES; k++) {
      const uint64_t key = (uint64_t)keys[i + k] - (uint64_t)least;
      bits[k] |= key;
      keys[i + k] = (int64_t)(key ^ SIGN);
    }
  for (int k = 0; k < LANES; k++) all |= bits[k];
  return all;
}

// Keys and their places, of |behind| bits, in one number each, too: of the |bits| of keys the
// highest ones, as many as leave room. Whether those are all.
static bool pack(int64_t* cells, const int64_t* keys, int64_t n, int behind,
                 uint64_t bits) {
  const int most = 64 - behind, high = 63 - __builtin_clzll(bits);
  const int low = __builtin_ctzll(bits);
  const int down = high - low < most ? low : high + 1 - most, up = 63 - high;
  for (int64_t i = 0; i < n; i += LANES)
    for (int k = 0; k < LANES; k++) {
      const uint64_t key = ((uint64_t)keys[i + k] ^ SIGN) << up >> (up + down);
      cells[i + k] = (int64_t)((key << behind | (uint64_t)(i + k)) ^ SIGN);
    }
  return down == low;
}

static bool is_sorted(const int64_t* keys, const int64_t* places, int64_t n) {
  bool turned = false;
  for (int64_t i = 1; i < n; i++) turned |= keys[places[i - 1]] > keys[places[i]];
  return !turned;
}

static void sort_wide(const oyi_line* line, int64_t* places, int64_t* room) {
  switch (line->dtype) {
    case OY_DTYPE_I64: LOAD(int64_t, ITSELF, KEY)
    default: LOAD(int64_t, oyi_ordered_f64, KEY)
  }
  const int64_t n = oyi_sort_lanes_room(line->n) / 2;
  for (int64_t i = line->n; i < n; i++) room[i] = room[0];
  const uint64_t bits = count_from(least_of(room, n), room, n);
  const int behind = 64 - __builtin_clzll((uint64_t)n - 1);
  const bool is_whole = pack(places, room, n, behind, bits ? bits : 1);
  for (int64_t i = line->n; i < n; i++) places[i] = INT64_MAX;
  sort_cells_packed(places, NULL, n / LANES);
  for (int64_t i = 0; i < n; i++) places[i] &= (1ll << behind) - 1;
  if (is_whole || is_sorted(room, places, line->n)) return;
  for (int64_t i = 0; i < n; i++) places[i] = i;
  for (int64_t i = line->n; i < n; i++) room[i] = INT64_MAX;
  sort_cells_wide(room, places, n / LANES);
}

void LEVELED(oyi_sort_lanes)(const oyi_line* line, int64_t* room) {
  if (line->dtype == OY_DTYPE_F64 || line->dtype == OY_DTYPE_I64)
    sort_wide(line, room, room + oyi_sort_lanes_room(line->n) / 2);
  else
    sort_packed(line, room);
}
