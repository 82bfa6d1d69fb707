// SPDX-License-Identifier: Apache-2.0
// What a key set can tell of itself: its highest key, its keys in order, its
// text, PyTorch's packed word.
//
// A set may hold bits of backends that do not exist (a FULL_AFTER set has all
// 64): they take part in the arithmetic, and no key comes of them here. The two
// Trace functionalities are no keys of PyTorch's: they dispatch, so they count
// for the highest key, but are neither iterated nor printed nor packed.
#include <stdio.h>

#include "dispatch/backend.h"
#include "opyard/key.h"

#define TRACE_MASK         (1ull << OY_KEY_Trace | 1ull << OY_KEY_TraceRedispatch)
#define FUNCTIONALITY_MASK (((1ull << OY_FUNCTIONALITY_COUNT) - 1) & ~1ull)

// The packed word: 15 backend bits, of which Meta is the last, and above them
// the functionality with value 1, 2, ...
enum {
  RAW_BACKENDS = 15,
  RAW_META = 14,
  RAW_SHIFT = RAW_BACKENDS - 1  // from the bit |value| of oy_keyset
};
#define RAW_FUNCTIONALITY_MASK (FUNCTIONALITY_MASK & ~TRACE_MASK)
#define RAW_LOW_BACKENDS       ((1ull << RAW_META) - 1)

_Static_assert(OY_BACKEND_PrivateUse3 == RAW_META - 1,
               "the backends below Meta keep PyTorch's bits");

// The keys of the trace are no keys to a layer that asks where it is.
oy_key oy_keyset_highest(oy_keyset a) {
  a.functionality &= ~(1ull << OY_KEY_Trace | 1ull << OY_KEY_TraceRedispatch);
  oy_key f = oy_keyset_highest_functionality(a);
  if (!oyi_is_per_backend(f) || !a.backends) return f;
  return (oy_key)OY_KEY_OF(f, oy_keyset_highest_backend(a));
}

oy_key oy_keyset_highest_backend_key(oy_keyset a) {
  oy_keyset among = oy_keyset_named(OY_KEYSET_BACKEND_FUNCTIONALITIES);
  return oy_keyset_highest(
      oy_keyset_make(a.functionality & among.functionality, a.backends));
}

oy_keyset oy_keyset_full(void) {
  return oy_keyset_make(FUNCTIONALITY_MASK, oy_backend_all());
}

// ------------------------------------------------------------------- iteration

// What is left of |bits| from |from| on; 0 if |from| is past the last bit.
static uint64_t bits_from(uint64_t bits, uint32_t from) {
  return from < 64 ? bits >> from << from : 0;
}

// The cursor is functionality * 256 + the next backend to look at.
bool oy_keyset_next(oy_keyset set, uint32_t* cursor, oy_key* out_key) {
  uint64_t backends = set.backends & oy_backend_all();
  uint32_t from_backend = *cursor & 0xff;
  uint64_t rest =
      bits_from(set.functionality & FUNCTIONALITY_MASK & ~TRACE_MASK, *cursor >> 8);
  *out_key = OY_KEY_Undefined;
  for (; rest; rest &= rest - 1) {
    uint32_t f = (uint32_t)__builtin_ctzll(rest);
    if (f != *cursor >> 8) from_backend = 0;
    if (!oyi_is_per_backend((oy_key)f)) {
      *cursor = (f + 1) << 8;
      *out_key = (oy_key)f;
      return true;
    }
    uint64_t left = bits_from(backends, from_backend);
    if (!left) continue;
    oy_backend backend = __builtin_ctzll(left);
    *cursor = f << 8 | ((uint32_t)backend + 1);
    *out_key = (oy_key)OY_KEY_OF(f, backend);
    return true;
  }
  *cursor = OY_FUNCTIONALITY_COUNT << 8;
  return false;
}

// ----------------------------------------------------------------------- print

typedef struct text_out {
  char* buffer;
  size_t size;
  size_t length;  // of the whole text, also of what did not fit
} text_out;

static void put_text(text_out* out, const char* text) {
  size_t n = strlen(text);
  if (out->length < out->size) {
    size_t room = out->size - out->length;
    memcpy(out->buffer + out->length, text, n < room ? n : room);
  }
  out->length += n;
}

static void put_name(text_out* out, const char* name, bool* first) {
  if (!*first) put_text(out, ", ");
  put_text(out, name);
  *first = false;
}

size_t oy_keyset_print(oy_keyset set, char* buffer, size_t size) {
  text_out out = {buffer, size, 0};
  bool first = true;
  put_text(&out, "DispatchKeySet(");
  // Without a backend bit iteration yields none of these; their names still
  // say what is in the set.
  bool bare = (set.backends & oy_backend_all()) == 0;
  uint64_t rest = set.functionality & FUNCTIONALITY_MASK & ~TRACE_MASK;
  for (; rest; rest &= rest - 1) {
    oy_key f = (oy_key)__builtin_ctzll(rest);
    if (bare) {
      put_name(&out, oy_key_name(f), &first);
      continue;
    }
    oy_keyset one = oy_keyset_make(1ull << f, set.backends);
    uint32_t cursor = 0;
    oy_key key;
    while (oy_keyset_next(one, &cursor, &key)) put_name(&out, oy_key_name(key), &first);
  }
  put_text(&out, ")");
  if (size) buffer[out.length < size ? out.length : size - 1] = '\0';
  return out.length;
}

// ------------------------------------------------------------------------- raw

uint64_t oy_keyset_to_raw(oy_keyset set) {
  uint64_t meta = set.backends >> OY_BACKEND_Meta & 1;
  return (set.functionality & RAW_FUNCTIONALITY_MASK) << RAW_SHIFT | meta << RAW_META |
         (set.backends & RAW_LOW_BACKENDS);
}

oy_keyset oy_keyset_from_raw(uint64_t raw) {
  uint64_t meta = raw >> RAW_META & 1;
  return oy_keyset_make(raw >> RAW_SHIFT & RAW_FUNCTIONALITY_MASK,
                        (raw & RAW_LOW_BACKENDS) | meta << OY_BACKEND_Meta);
}
