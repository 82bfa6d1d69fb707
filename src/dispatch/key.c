// SPDX-License-Identifier: Apache-2.0
// Names of keys, both ways. A name is either in one of the tables read from
// keys.def or the prefix of a per-backend functionality and the name of a
// backend; backend.c keeps the whole names of each backend, so that giving one
// builds nothing and takes no lock.
#include "opyard/key.h"

#include <ctype.h>

#include "base/memory.h"
#include "dispatch/backend.h"

enum {
  LAST_PRINTED = OY_KEY_PythonDispatcher,  // above it are the Trace keys
  NAME_SHOWN_MAX = 256,
  NAME_COMPARED_MAX = 80
};

_Static_assert(LAST_PRINTED == OY_KEY_TraceRedispatch - 1 &&
                   OY_KEY_Trace == OY_FUNCTIONALITY_COUNT - 1,
               "nothing but the Trace keys is above PythonDispatcher");
_Static_assert(OY_FUNCTIONALITY_COUNT <= 64, "a functionality needs a bit");
_Static_assert(OY_KEY_OF(OY_FUNCTIONALITY_COUNT, OY_BACKEND_COUNT_MAX - 1) <
                   OY_KEY_ALIAS_BIT,
               "runtime keys end below the alias keys");

static const char* const g_functionality_names[OY_FUNCTIONALITY_COUNT] = {
    [OY_KEY_Undefined] = "Undefined",
#define OY_FUNCTIONALITY(name, value, prefix) [value] = #name,
#include "opyard/keys.def"
#undef OY_FUNCTIONALITY
    [OY_KEY_TraceRedispatch] = "TraceRedispatch",
    [OY_KEY_Trace] = "Trace",
};

static const char* const g_prefixes[OY_FUNCTIONALITY_COUNT] = {
#define OY_FUNCTIONALITY(name, value, prefix) [value] = prefix,
#include "opyard/keys.def"
#undef OY_FUNCTIONALITY
};

static const char* const g_alias_names[OY_ALIAS_KEY_COUNT] = {
#define OY_ALIAS_KEY(name, index) [index] = #name,
#include "opyard/keys.def"
#undef OY_ALIAS_KEY
};

// Read, never printed.
static const struct {
  const char* name;
  oy_key key;
} g_synonyms[] = {
    {"CatchAll", OY_KEY_CatchAll},
    {"Math", OY_KEY_CompositeImplicitAutograd},
    {"DefaultBackend", OY_KEY_DefaultBackend},
    {"Autocast", OY_KEY_Autocast},
    {"CPUTensorId", OY_KEY_CPU},
    {"CUDATensorId", OY_KEY_CUDA},
    {"PrivateUse1_PreAutograd", OY_KEY_AutogradPrivateUse1},
    {"PrivateUse2_PreAutograd", OY_KEY_AutogradPrivateUse2},
    {"PrivateUse3_PreAutograd", OY_KEY_AutogradPrivateUse3},
};

const char* oyi_per_backend_prefix(oy_key functionality) {
  return functionality < OY_FUNCTIONALITY_COUNT ? g_prefixes[functionality] : NULL;
}

bool oy_key_is_runtime(oy_key key) {
  if (oy_key_is_alias(key)) return false;
  oy_key functionality = oy_key_functionality(key);
  oy_backend backend = oy_key_backend(key);
  if (functionality >= OY_FUNCTIONALITY_COUNT) return false;
  if (backend == OY_BACKEND_NONE) return !oyi_is_per_backend(functionality);
  return oyi_is_per_backend(functionality) && oyi_backend_get(backend) != NULL;
}

const char* oy_key_name(oy_key key) {
  static const char unknown[] = "Unknown";
  if (oy_key_is_alias(key)) {
    unsigned index = key & ~(unsigned)OY_KEY_ALIAS_BIT;
    return index < OY_ALIAS_KEY_COUNT ? g_alias_names[index] : unknown;
  }
  oy_key functionality = oy_key_functionality(key);
  oy_backend backend = oy_key_backend(key);
  if (functionality >= OY_FUNCTIONALITY_COUNT) return unknown;
  if (backend == OY_BACKEND_NONE) return g_functionality_names[functionality];
  const oyi_backend* record = oyi_backend_get(backend);
  if (!record || !oyi_is_per_backend(functionality)) return unknown;
  return record->key_names[oyi_per_backend_index(functionality)];
}

// ---------------------------------------------------------------------- parse

static bool find_in(const char* const* names, size_t count, oy_str text,
                    size_t* out_index) {
  for (size_t i = 0; i < count; i++) {
    if (!oy_str_equal(oy_str_of(names[i]), text)) continue;
    *out_index = i;
    return true;
  }
  return false;
}

static bool find_per_backend(oy_str text, oy_key* out_key) {
  for (oy_key f = 1; f < OY_FUNCTIONALITY_COUNT; f++) {
    oy_str prefix = oy_str_of(g_prefixes[f]);
    if (!g_prefixes[f] || text.size <= prefix.size) continue;
    if (prefix.size && memcmp(text.data, prefix.data, prefix.size) != 0) continue;
    oy_str rest = {text.data + prefix.size, text.size - prefix.size};
    oy_backend backend;
    if (!oyi_backend_find_exact(rest, &backend)) continue;
    *out_key = (oy_key)OY_KEY_OF(f, backend);
    return true;
  }
  return false;
}

bool oyi_key_find(oy_str text, oy_key* out_key) {
  size_t index;
  if (find_in(g_functionality_names, OY_FUNCTIONALITY_COUNT, text, &index)) {
    *out_key = (oy_key)index;
    return true;
  }
  if (find_in(g_alias_names, OY_ALIAS_KEY_COUNT, text, &index)) {
    *out_key = (oy_key)(OY_KEY_ALIAS_BIT | index);
    return true;
  }
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_synonyms); i++) {
    if (!oy_str_equal(oy_str_of(g_synonyms[i].name), text)) continue;
    *out_key = g_synonyms[i].key;
    return true;
  }
  return find_per_backend(text, out_key);
}

static size_t min_of(size_t a, size_t b) {
  return a < b ? a : b;
}

// Edit distance, in halves: a change of case counts half, so that "cuda" is
// nearer to CUDA than to any other name of four letters.
static size_t distance(oy_str a, oy_str b) {
  size_t row[NAME_COMPARED_MAX + 1];
  if (a.size > NAME_COMPARED_MAX || b.size > NAME_COMPARED_MAX) return SIZE_MAX;
  for (size_t j = 0; j <= b.size; j++) row[j] = 2 * j;
  for (size_t i = 1; i <= a.size; i++) {
    size_t diagonal = row[0];
    row[0] = 2 * i;
    for (size_t j = 1; j <= b.size; j++) {
      unsigned char x = (unsigned char)a.data[i - 1];
      unsigned char y = (unsigned char)b.data[j - 1];
      size_t change = x == y ? 0 : tolower(x) == tolower(y) ? 1 : 2;
      size_t best = min_of(min_of(row[j], row[j - 1]) + 2, diagonal + change);
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[b.size];
}

// NULL if no name is near enough to be what was meant.
static const char* nearest_name(oy_str text) {
  const char* nearest = NULL;
  // At most one letter in two is wrong, or the case of every one.
  size_t limit = (text.size > 3 ? text.size : 3) + 1;
  oy_key key;
  for (size_t i = 0; oy_key_at(i, &key); i++) {
    const char* name = oy_key_name(key);
    size_t d = distance(text, oy_str_of(name));
    if (d >= limit) continue;
    limit = d;
    nearest = name;
  }
  return nearest;
}

oy_status oy_key_parse(oy_str text, oy_key* out_key) {
  *out_key = OY_KEY_Undefined;
  if (oyi_key_find(text, out_key)) return OY_OK;
  const char* nearest = nearest_name(text);
  oy_str shown = {text.data, min_of(text.size, NAME_SHOWN_MAX)};
  return OY_FAIL(PARSE, "could not parse dispatch key: %.*s%s%s%s", OY_STR_ARG(shown),
                 nearest ? " (did you mean " : "", nearest ? nearest : "",
                 nearest ? "?)" : "");
}

// ---------------------------------------------------------------- enumeration

// The |i|-th runtime key of the per-backend functionalities.
static bool per_backend_at(size_t i, size_t backend_count, oy_key* out_key) {
  uint64_t functionalities = OY_PER_BACKEND_MASK;
  uint64_t backends = oy_backend_all();
  for (size_t skip = i / backend_count; skip > 0; skip--)
    functionalities &= functionalities - 1;
  for (size_t skip = i % backend_count; skip > 0; skip--) backends &= backends - 1;
  if (!functionalities || !backends) return false;
  *out_key =
      (oy_key)OY_KEY_OF(__builtin_ctzll(functionalities), __builtin_ctzll(backends));
  return true;
}

bool oy_key_at(size_t i, oy_key* out_key) {
  *out_key = OY_KEY_Undefined;
  if (i <= LAST_PRINTED) {
    *out_key = (oy_key)i;
    return true;
  }
  i -= LAST_PRINTED + 1;
  size_t backend_count = (size_t)__builtin_popcountll(oy_backend_all());
  size_t runtime = OYI_PER_BACKEND_COUNT * backend_count;
  if (i < runtime) return per_backend_at(i, backend_count, out_key);
  i -= runtime;
  if (i >= OY_ALIAS_KEY_COUNT) return false;
  *out_key = (oy_key)(OY_KEY_ALIAS_BIT | i);
  return true;
}
