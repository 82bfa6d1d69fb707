// SPDX-License-Identifier: Apache-2.0
// Regions, and what of them is in force in a thread.
#include "layers/autocast/autocast.h"
#include "layers/autocast/cast_cache.h"
#include "opyard/state.h"
#include "tensor/iterator.h"

_Static_assert(OY_KEY_AutocastPrivateUse1 - OY_KEY_AutocastCPU + 1 ==
                   OY_AUTOCAST_BACKENDS,
               "the Autocast keys follow each other");
#define AT(key)  [OY_KEY_##key - OY_KEY_AutocastCPU]
#define ALL_BITS ((1u << OY_AUTOCAST_BACKENDS) - 1)

__thread oy_autocast_state oyi_autocast __attribute__((tls_model("initial-exec"))) = {
    .dtypes = {AT(AutocastCPU) = OY_DTYPE_BF16, AT(AutocastXPU) = OY_DTYPE_F16,
               AT(AutocastIPU) = OY_DTYPE_F16, AT(AutocastHPU) = OY_DTYPE_BF16,
               AT(AutocastXLA) = OY_DTYPE_BF16, AT(AutocastMPS) = OY_DTYPE_F16,
               AT(AutocastCUDA) = OY_DTYPE_F16, AT(AutocastPrivateUse1) = OY_DTYPE_F16},
    .cache = true};

// How many regions the thread is in.
static __thread int t_nesting __attribute__((tls_model("initial-exec")));

// The place of the backend, -1 if it has no Autocast key.
static int place_of(oy_backend backend) {
  oy_key key = oy_key_autocast_of_backend(backend);
  return key == OY_KEY_Undefined ? -1 : key - OY_KEY_AutocastCPU;
}

static oy_status find_place(oy_backend backend, int* out_place) {
  *out_place = place_of(backend);
  if (*out_place >= 0) return OY_OK;
  char name[64];
  (void)oy_device_print(oy_device_make(backend, -1), name, sizeof(name));
  return OY_FAIL(FAILED_PRECONDITION,
                 "User specified an unsupported autocast device_type '%s'", name);
}

// ------------------------------------------------------------------ what is in force

static uint8_t enabled_bits(void) {
  return (uint8_t)(oy_tls.keep >> OY_KEY_AutocastCPU & ALL_BITS);
}
// Of the backends |which|.
static void set_enabled(uint8_t which, uint8_t enabled) {
  uint64_t bits = (uint64_t)which << OY_KEY_AutocastCPU;
  uint64_t on = (uint64_t)enabled << OY_KEY_AutocastCPU & bits;
  oy_tls.keep = (oy_tls.keep & ~bits) | on;
}

oy_autocast_state oy_autocast_state_get(void) {
  oy_autocast_state state = oyi_autocast;
  state.enabled = enabled_bits();
  return state;
}

bool oy_autocast_enabled_get(oy_backend backend) {
  int place = place_of(backend);
  return place >= 0 && (enabled_bits() >> place & 1);
}
oy_dtype oy_autocast_dtype_get(oy_backend backend) {
  int place = place_of(backend);
  return place >= 0 ? oyi_autocast.dtypes[place] : (oy_dtype)OY_DTYPE_ANY;
}

oy_status oy_autocast_enabled_set(oy_backend backend, bool enabled) {
  int place;
  OY_TRY(find_place(backend, &place));
  set_enabled((uint8_t)(1u << place), (uint8_t)(enabled << place));
  return OY_OK;
}

static oy_status check_dtype(oy_dtype dtype) {
  const char* name = oy_dtype_name(dtype);
  OY_CHECK(oy_dtype_is_floating(dtype), INVALID_ARGUMENT,
           "expected a floating point dtype to cast to, got %s", name ? name : "none");
  return OY_OK;
}

oy_status oy_autocast_dtype_set(oy_backend backend, oy_dtype dtype) {
  int place;
  OY_TRY(find_place(backend, &place));
  OY_TRY(check_dtype(dtype));
  oyi_autocast.dtypes[place] = dtype;
  return OY_OK;
}

bool oy_autocast_cache_get(void) {
  return oyi_autocast.cache;
}
void oy_autocast_cache_set(bool on) {
  oyi_autocast.cache = on;
}
void oy_autocast_cache_clear(void) {
  oyi_cast_clear();
}

// -------------------------------------------------------------------------- regions

static void enter(uint8_t which, oy_autocast_guard* guard) {
  *guard = (oy_autocast_guard){oy_autocast_state_get(), which, true};
  t_nesting++;
}

// The CPU has kernels for two dtypes; as in PyTorch, a region for another one is none.
static bool is_supported(oy_backend backend, oy_dtype dtype) {
  if (backend != OY_BACKEND_CPU || dtype == OY_DTYPE_BF16 || dtype == OY_DTYPE_F16)
    return true;
  oyi_warn(
      "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
      "CPU Autocast only supports dtype of torch.bfloat16, torch.float16 currently.");
  return false;
}

oy_status oy_autocast_enter(oy_backend backend, oy_dtype dtype, bool enabled,
                            oy_autocast_guard* out_guard) {
  int place;
  OY_CHECK(out_guard, INVALID_ARGUMENT, "expected a guard, got NULL");
  memset(out_guard, 0, sizeof(*out_guard));
  OY_TRY(find_place(backend, &place));
  if (dtype == OY_DTYPE_ANY) dtype = oyi_autocast.dtypes[place];
  if (backend != OY_BACKEND_CPU) OY_TRY(check_dtype(dtype));
  if (enabled) enabled = is_supported(backend, dtype);
  enter((uint8_t)(1u << place), out_guard);
  if (oy_dtype_is_floating(dtype)) oyi_autocast.dtypes[place] = dtype;
  return oy_autocast_enabled_set(backend, enabled);
}

void oy_autocast_enter_state(oy_autocast_state state, oy_autocast_guard* out_guard) {
  if (!out_guard) return;
  enter(ALL_BITS, out_guard);
  set_enabled(ALL_BITS, state.enabled);
  oyi_autocast = state;
}

void oy_autocast_leave(const oy_autocast_guard* guard) {
  if (!guard || !guard->entered) return;
  // Before the sets are restored, as in PyTorch; nothing that goes is cast by it.
  if (--t_nesting == 0) oyi_cast_clear();
  for (int i = 0; i < OY_AUTOCAST_BACKENDS; i++)
    if (guard->backends >> i & 1) oyi_autocast.dtypes[i] = guard->before.dtypes[i];
  set_enabled(guard->backends, guard->before.enabled);
  oyi_autocast.cache = guard->before.cache;
}
