// SPDX-License-Identifier: Apache-2.0
// Signature classes, interned in a table of chains with a lock of its own (it
// nests inside the registries' locks, and takes none itself).
//
// Registered trampolines stay where their owner put them. What this file keeps
// for them outlives every allocator that a test may set, so it comes from the C
// heap and is never freed, as the rows are not.
#include "dispatch/signature.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "dispatch/generic_call.h"
#include "dispatch/schema_type.h"

enum { BUCKETS = 512, SMALL_ABI = 320 };

// One call of oy_trampolines_register, in the order of the calls.
typedef struct row_block {
  struct row_block* next;
  const oy_trampolines* rows;
  size_t count;
  bool sorted;  // by text, as opgen writes them
} row_block;

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static oyi_signature* g_classes[BUCKETS];
static row_block* g_blocks;
static row_block** g_last_block = &g_blocks;

// --------------------------------------------------------------------- letters

static char list_letter(const oy_type* element) {
  if (oyi_type_unwrap(element)->kind == OY_TYPE_TENSOR) return 'T';
  switch (oyi_type_kind_as(element->kind, OYI_TYPE_FAKE)) {
    case OY_TYPE_INT:
    case OY_TYPE_QSCHEME: return 'I';
    case OY_TYPE_FLOAT: return 'F';
    case OY_TYPE_BOOL: return 'B';
    default: return 'V';
  }
}

static char optional_letter(const oy_type* element) {
  if (element->kind == OY_TYPE_TENSOR) return 't';
  return element->kind == OY_TYPE_LIST ? list_letter(element->element) : 'v';
}

static char letter_of(const oy_type* type) {
  switch (oyi_type_kind_as(type->kind, OYI_TYPE_FAKE)) {
    case OY_TYPE_TENSOR: return 't';
    case OY_TYPE_INT:
    case OY_TYPE_QSCHEME: return 'i';
    case OY_TYPE_BOOL: return 'b';
    case OY_TYPE_FLOAT: return 'd';
    case OY_TYPE_COMPLEX: return 'z';
    case OY_TYPE_STR: return 's';
    case OY_TYPE_DEVICE: return 'D';
    case OY_TYPE_GENERATOR: return 'g';
    case OY_TYPE_LIST: return list_letter(type->element);
    case OY_TYPE_TUPLE: return 'V';
    case OY_TYPE_DICT: return 'M';
    case OY_TYPE_OPTIONAL: return optional_letter(type->element);
    case OY_TYPE_STORAGE:
    case OY_TYPE_QUANTIZER:
    case OY_TYPE_STREAM:
    case OY_TYPE_CAPSULE:
    case OY_TYPE_ANY_CLASS:
    case OY_TYPE_FUTURE:
    case OY_TYPE_AWAIT:
    case OY_TYPE_RREF:
    case OY_TYPE_CLASS: return 'o';
    default: return 'v';  // Scalar, Any, unions, type variables: whatever comes
  }
}

static size_t abi_capacity(const oy_schema* schema) {
  return schema->argument_count + 1 + 3 * schema->return_count + 1;
}

// Writes at most abi_capacity bytes; returns the length.
static size_t write_abi(const oy_schema* schema, char* text) {
  char* p = text;
  for (size_t i = 0; i < schema->argument_count; i++)
    *p++ = letter_of(schema->arguments[i].type);
  *p++ = '>';
  for (size_t i = 0; i < schema->return_count; i++) {
    char letter = letter_of(schema->returns[i].type);
    int n = letter == 't' ? oy_schema_return_argument(schema, i) : -1;
    if (n < 0 || text[n] != 't') {
      *p++ = letter;
      continue;
    }
    *p++ = 'r';
    if (n >= 10) *p++ = (char)('0' + n / 10);
    *p++ = (char)('0' + n % 10);
  }
  *p = '\0';
  return (size_t)(p - text);
}

oy_status oy_schema_abi(const oy_schema* schema, char** out_abi) {
  *out_abi = oyi_malloc(abi_capacity(schema));
  if (!*out_abi) return OY_OUT_OF_MEMORY;
  write_abi(schema, *out_abi);
  return OY_OK;
}

// ----------------------------------------------------------------- trampolines

static const oy_trampolines* find_in_block(const row_block* block, const char* abi) {
  if (!block->sorted) {
    for (size_t i = 0; i < block->count; i++)
      if (strcmp(block->rows[i].abi, abi) == 0) return &block->rows[i];
    return NULL;
  }
  size_t low = 0;
  for (size_t high = block->count; low < high;) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(block->rows[middle].abi, abi);
    if (order == 0) return &block->rows[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static const oy_trampolines* find_row(const char* abi) {
  const oy_trampolines* row = NULL;
  for (const row_block* b = g_blocks; b && !row; b = b->next) row = find_in_block(b, abi);
  return row;
}

// --------------------------------------------------------------------- classes

static uint32_t hash_text(const char* text, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ (uint8_t)text[i]) * 16777619u;
  return hash;
}

static void unlink_class(oyi_signature* s) {
  oyi_signature** at = &g_classes[s->hash % BUCKETS];
  while (*at != s) at = &(*at)->next;
  *at = s->next;
  s->linked = false;
}

static oyi_signature* find_class(const char* abi, uint32_t hash) {
  oyi_signature* s = g_classes[hash % BUCKETS];
  while (s && (s->hash != hash || strcmp(s->abi, abi) != 0)) s = s->next;
  return s;
}

static bool abi_returns_object(const char* abi) {
  const char* r = strchr(abi, '>') + 1;
  if (*r == 't') return r[1] == '\0';
  return *r == 'r' && strspn(r + 1, "0123456789") == strlen(r + 1);
}

static oyi_signature* make_class(const char* abi, size_t size, uint32_t hash) {
  oyi_signature* s = oyi_zalloc(sizeof(*s) + size + 1);
  if (!s) return NULL;
  s->abi = memcpy(s + 1, abi, size + 1);
  s->hash = hash;
  s->returns_object = abi_returns_object(abi);
  const oy_trampolines* row = find_row(abi);
  s->box = row && row->box ? row->box : (oy_typed_fn)oyi_generic_box;
  s->unbox = row && row->unbox ? row->unbox : oyi_generic_unbox;
  s->variant = row && row->variant ? row->variant : (oy_typed_fn)oyi_generic_variant;
  s->linked = true;
  s->next = g_classes[hash % BUCKETS];
  g_classes[hash % BUCKETS] = s;
  return s;
}

oy_status oyi_signature_acquire(const oy_schema* schema,
                                const oyi_signature** out_signature) {
  *out_signature = NULL;
  char small[SMALL_ABI];
  char* abi = small;
  if (abi_capacity(schema) > sizeof(small)) {
    abi = oyi_malloc(abi_capacity(schema));
    if (!abi) return OY_OUT_OF_MEMORY;
  }
  size_t size = write_abi(schema, abi);
  uint32_t hash = hash_text(abi, size);
  pthread_mutex_lock(&g_mutex);
  oyi_signature* s = find_class(abi, hash);
  if (!s) s = make_class(abi, size, hash);
  if (s) s->references++;
  pthread_mutex_unlock(&g_mutex);
  if (abi != small) oyi_free(abi);
  *out_signature = s;
  return s ? OY_OK : OY_OUT_OF_MEMORY;
}

void oyi_signature_release(const oyi_signature* signature) {
  if (!signature) return;
  oyi_signature* s = (oyi_signature*)(uintptr_t)signature;
  pthread_mutex_lock(&g_mutex);
  bool last = --s->references == 0;
  if (last && s->linked) unlink_class(s);
  pthread_mutex_unlock(&g_mutex);
  if (last) oyi_free(s);
}

// Operators made before keep the entries they have, which stay correct; so the
// class they hold is only taken out of the way of the next one.
static void retire_generic_class(const char* abi) {
  oyi_signature* s = find_class(abi, hash_text(abi, strlen(abi)));
  if (s && s->unbox == oyi_generic_unbox) unlink_class(s);
}

oy_status oy_trampolines_register(const oy_trampolines* rows, size_t count) {
  row_block* block = calloc(1, sizeof(*block));
  OY_CHECK(block, OUT_OF_MEMORY, "out of memory: %zu trampolines", count);
  block->rows = rows;
  block->count = count;
  block->sorted = true;
  for (size_t i = 1; i < count; i++)
    if (strcmp(rows[i - 1].abi, rows[i].abi) >= 0) block->sorted = false;
  pthread_mutex_lock(&g_mutex);
  *g_last_block = block;
  g_last_block = &block->next;
  for (size_t i = 0; i < count; i++) retire_generic_class(rows[i].abi);
  pthread_mutex_unlock(&g_mutex);
  return OY_OK;
}
