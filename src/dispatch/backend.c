// SPDX-License-Identifier: Apache-2.0
// The backends: those of keys.def, and those added at run time in bits 14 to 62.
//
// Writers hold g_lock. Readers take none: a backend exists once its bit is in
// g_added, and its record is in place before the bit. Records are never freed.
// Lock order: g_lock, then whatever the tables take in oyi_backend_activate;
// so a backend must not be registered from inside the tables' own lock.
#include "dispatch/backend.h"

#include <ctype.h>
#include <pthread.h>

#include "base/memory.h"
#include "dispatch/table.h"

#define OY_BACKEND(name, bit, has_autograd)                         \
  static const oyi_backend g_known_##name = {                       \
      {#name, "Quantized" #name, "Sparse" #name, "SparseCsr" #name, \
       "NestedTensor" #name, "Autograd" #name},                     \
      has_autograd,                                                 \
      NULL};
#include "opyard/keys.def"
#undef OY_BACKEND

static const oyi_backend* g_records[OY_BACKEND_COUNT_MAX] = {
#define OY_BACKEND(name, bit, autograd) [bit] = &g_known_##name,
#include "opyard/keys.def"
#undef OY_BACKEND
};

static const uint64_t g_known = 0
#define OY_BACKEND(name, bit, autograd) | 1ull << bit
#include "opyard/keys.def"
#undef OY_BACKEND
    ;

static uint64_t g_added;  // bits of added backends; atomic
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t oy_backend_all(void) {
  return g_known | __atomic_load_n(&g_added, __ATOMIC_ACQUIRE);
}

const oyi_backend* oyi_backend_get(oy_backend backend) {
  if (backend < 0 || backend >= OY_BACKEND_COUNT_MAX) return NULL;
  if (!(oy_backend_all() >> backend & 1)) return NULL;
  return __atomic_load_n(&g_records[backend], __ATOMIC_ACQUIRE);
}

// Of a backend of keys.def: what it was called before it was renamed.
static const char* first_name(oy_backend backend) {
  const oyi_backend* record = oyi_backend_get(backend);
  if (!record || !(g_known >> backend & 1)) return NULL;
  while (record->replaced) record = record->replaced;
  return record->key_names[0];
}

const char* oy_backend_name(oy_backend backend) {
  const oyi_backend* record = oyi_backend_get(backend);
  return record ? record->key_names[0] : NULL;
}

bool oy_backend_has_autograd(oy_backend backend) {
  const oyi_backend* record = oyi_backend_get(backend);
  return record && record->autograd;
}

// ----------------------------------------------------------------------- find

typedef bool (*matcher)(oy_str text, oy_str name);

size_t oyi_device_spelling(oy_str name, char* buffer) {
  size_t n = 0;
  for (; n < name.size && n < OYI_BACKEND_NAME_MAX; n++)
    buffer[n] = (char)tolower((unsigned char)name.data[n]);
  buffer[n] = '\0';
  return n;
}

static bool is_device_of(oy_str text, oy_str name) {
  char device[OYI_BACKEND_NAME_MAX + 1];
  oy_str spelling = {device, oyi_device_spelling(name, device)};
  if (oy_str_equal(text, spelling)) return true;
  // The one device that PyTorch spells out.
  return oy_str_equal(text, oy_str_of("privateuseone")) &&
         oy_str_equal(name, oy_str_of("PrivateUse1"));
}

static bool find(oy_str text, matcher matches, oy_backend* out_backend) {
  *out_backend = OY_BACKEND_NONE;
  for (uint64_t rest = oy_backend_all(); rest; rest &= rest - 1) {
    oy_backend backend = __builtin_ctzll(rest);
    // An added backend may be withdrawn at any moment: its activation failed.
    const char *name = oy_backend_name(backend), *first = first_name(backend);
    if (!(name && matches(text, oy_str_of(name))) &&
        !(first && matches(text, oy_str_of(first))))
      continue;
    *out_backend = backend;
    return true;
  }
  return false;
}

bool oyi_backend_find_exact(oy_str name, oy_backend* out_backend) {
  return find(name, oy_str_equal, out_backend);
}

bool oy_backend_find(oy_str name, oy_backend* out_backend) {
  return find(name, oy_str_equal, out_backend) || find(name, is_device_of, out_backend);
}

// ------------------------------------------------------------------- register

static bool is_identifier(oy_str name) {
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return name.size > 0;
}

// A new backend's six keys must be new names, for parsing must give them back,
// and so must its spelling as a device.
static oy_status check_name(oy_str name) {
  OY_CHECK(name.size <= OYI_BACKEND_NAME_MAX, INVALID_ARGUMENT,
           "name of a backend must have at most %d characters, got %zu",
           OYI_BACKEND_NAME_MAX, name.size);
  OY_CHECK(is_identifier(name), INVALID_ARGUMENT,
           "name of a backend must be an identifier, got \"%.*s\"", OY_STR_ARG(name));
  OY_CHECK(
      !oy_str_equal(name, oy_str_of("Unknown")), INVALID_ARGUMENT,
      "a backend cannot be named Unknown: that is printed for keys that do not exist");
  char device[OYI_BACKEND_NAME_MAX + 1];
  oy_str spelling = {device, oyi_device_spelling(name, device)};
  oy_backend other;
  OY_CHECK(!oy_backend_find(spelling, &other), INVALID_ARGUMENT,
           "cannot add backend %.*s: its device would be named as that of %s",
           OY_STR_ARG(name), oy_backend_name(other));
  for (oy_key f = 1; f < OY_FUNCTIONALITY_COUNT; f++) {
    const char* prefix = oyi_per_backend_prefix(f);
    if (!prefix) continue;
    char text[2 * OYI_BACKEND_NAME_MAX];
    size_t head = strlen(prefix);
    memcpy(text, prefix, head);
    memcpy(text + head, name.data, name.size);
    oy_str key_name = {text, head + name.size};
    oy_key taken;
    OY_CHECK(!oyi_key_find(key_name, &taken), INVALID_ARGUMENT,
             "cannot add backend %.*s: there is a key %.*s already", OY_STR_ARG(name),
             OY_STR_ARG(key_name));
  }
  return OY_OK;
}

// One block: the record, then its six names.
static oyi_backend* make_record(oy_str name) {
  size_t size = sizeof(oyi_backend);
  for (oy_key f = 1; f < OY_FUNCTIONALITY_COUNT; f++)
    if (oyi_is_per_backend(f)) size += strlen(oyi_per_backend_prefix(f)) + name.size + 1;
  oyi_backend* record = oyi_zalloc(size);
  if (!record) return NULL;
  record->autograd = true;
  char* text = (char*)(record + 1);
  for (oy_key f = 1; f < OY_FUNCTIONALITY_COUNT; f++) {
    if (!oyi_is_per_backend(f)) continue;
    size_t head = strlen(oyi_per_backend_prefix(f));
    record->key_names[oyi_per_backend_index(f)] = text;
    memcpy(text, oyi_per_backend_prefix(f), head);
    memcpy(text + head, name.data, name.size);
    text += head + name.size + 1;  // NUL: the block is zeroed
  }
  return record;
}

// Puts a record with the name at |backend|; one that a failed activation left
// there is used again if the name is the same.
static oy_status place_record(oy_str name, oy_backend backend) {
  const oyi_backend* before = g_records[backend];
  if (before && oy_str_equal(oy_str_of(before->key_names[0]), name)) return OY_OK;
  oyi_backend* record = make_record(name);
  if (!record) return OY_OUT_OF_MEMORY;
  record->replaced = before;
  __atomic_store_n(&g_records[backend], record, __ATOMIC_RELEASE);
  return OY_OK;
}

static oy_status add_backend(oy_str name, oy_backend* out_backend) {
  OY_TRY(check_name(name));
  uint64_t vacant = ~oy_backend_all();
  OY_CHECK(vacant, EXHAUSTED, "cannot add backend %.*s: all %d backends are in use",
           OY_STR_ARG(name), OY_BACKEND_COUNT_MAX);
  oy_backend backend = __builtin_ctzll(vacant);
  uint64_t bit = 1ull << backend;
  OY_TRY(place_record(name, backend));
  // The backend exists while its block is filled: alias keys must reach it.
  __atomic_fetch_or(&g_added, bit, __ATOMIC_ACQ_REL);
  oy_status status = oyi_backend_activate(backend);
  if (status != OY_OK) {
    __atomic_fetch_and(&g_added, ~bit, __ATOMIC_ACQ_REL);
    return status;
  }
  *out_backend = backend;
  return OY_OK;
}

static struct {
  oyi_backend_hook hook;
  void* context;
} g_hook;

static oy_status tell_hook(oy_backend backend) {
  const bool is_known = g_known >> backend & 1;
  return g_hook.hook && !is_known ? g_hook.hook(g_hook.context, backend) : OY_OK;
}

oy_status oyi_backend_set_hook(oyi_backend_hook hook, void* context) {
  oy_status status = OY_OK;
  pthread_mutex_lock(&g_lock);
  g_hook.hook = hook;
  g_hook.context = context;
  for (uint64_t rest = g_added; rest && status == OY_OK; rest &= rest - 1)
    status = tell_hook(__builtin_ctzll(rest));
  pthread_mutex_unlock(&g_lock);
  return status;
}

oy_status oy_backend_register(oy_str name, oy_backend* out_backend) {
  *out_backend = OY_BACKEND_NONE;
  oy_status status = OY_OK;
  oy_backend backend;
  pthread_mutex_lock(&g_lock);
  if (!oy_backend_find(name, &backend)) {
    status = add_backend(name, out_backend);
  } else {
    status = oyi_backend_activate(backend);
    if (status == OY_OK) *out_backend = backend;
  }
  // A backend that is there stays; who asks for it once more asks for the rest, too.
  if (status == OY_OK) status = tell_hook(*out_backend);
  if (status != OY_OK) *out_backend = OY_BACKEND_NONE;
  pthread_mutex_unlock(&g_lock);
  return status;
}

// --------------------------------------------------------------------- rename

static bool is_in_tree(oy_str name) {
  static const char* const names[] = {"cpu", "cuda", "hip", "mps", "xpu", "mtia"};
  char device[OYI_BACKEND_NAME_MAX + 1];
  oy_str spelling = {device, oyi_device_spelling(name, device)};
  for (size_t i = 0; i < OY_ARRAY_SIZE(names); i++)
    if (oy_str_equal(spelling, oy_str_of(names[i]))) return true;
  return false;
}

static oy_status rename_locked(oy_backend backend, oy_str name) {
  const char* now = oy_backend_name(backend);
  if (oy_str_equal(name, oy_str_of(now))) return OY_OK;
  OY_CHECK(
      g_records[backend]->replaced == NULL, FAILED_PRECONDITION,
      "torch.register_privateuse1_backend() has already been set! Current backend: %s",
      now);
  OY_TRY(check_name(name));
  oyi_backend* record = make_record(name);
  if (!record) return OY_OUT_OF_MEMORY;
  record->replaced = g_records[backend];
  __atomic_store_n(&g_records[backend], record, __ATOMIC_RELEASE);
  return OY_OK;
}

oy_status oy_backend_rename(oy_backend backend, oy_str name) {
  OY_CHECK(backend >= OY_BACKEND_PrivateUse1 && backend <= OY_BACKEND_PrivateUse3,
           INVALID_ARGUMENT,
           "expected PrivateUse1, PrivateUse2 or PrivateUse3, got %s; a backend with a "
           "name of its own is added by oy_backend_register",
           oy_backend_name(backend) ? oy_backend_name(backend) : "no backend");
  OY_CHECK(!is_in_tree(name), INVALID_ARGUMENT,
           "Cannot register privateuse1 backend with in-tree device name: %.*s",
           OY_STR_ARG(name));
  pthread_mutex_lock(&g_lock);
  oy_status status = rename_locked(backend, name);
  pthread_mutex_unlock(&g_lock);
  return status;
}
