// SPDX-License-Identifier: Apache-2.0
// Generators: a seed and an offset under a lock. The default ones stay for good.
#include "tensor/generator.h"

#include <pthread.h>
#include <sys/random.h>
#include <time.h>

#include "base/memory.h"
#include "opyard/tensor.h"
#include "tensor/hooks.h"

typedef struct generator {
  oy_object header;
  pthread_mutex_t lock;
  oy_device device;
  oy_generator_state state;
} generator;

static void generator_destroy(oy_object* object) {
  generator* g = (generator*)(void*)object;
  pthread_mutex_destroy(&g->lock);
  oyi_free(g);
}
static const oy_object_class g_class = {"Generator", generator_destroy};

bool oy_object_is_generator(const oy_object* object) {
  return object && object->klass == &g_class;
}

// NULL with the error set if |object| is no generator.
static generator* generator_of(const oy_object* object) {
  if (oy_object_is_generator(object)) return (generator*)(uintptr_t)object;
  if (object || oy_error_get()->code == OY_OK)
    OY_FAIL(TYPE_MISMATCH, "expected a generator, got %s",
            !object                     ? "NULL"
            : oy_object_is_none(object) ? "None"
                                        : "an object of another class");
  return NULL;
}

// A generator adds the key of its device and nothing that tensors add for layers.
static void generator_init(generator* g, oy_device device) {
  g->header.keys = oy_keyset_or(oy_keyset_make(1ull << OY_KEY_Dense, 0),
                                oy_keyset_of_backend((oy_backend)device.backend));
  g->header.klass = &g_class;
  g->header.references = 1;
  g->device = device;
  g->state = (oy_generator_state){OY_GENERATOR_DEFAULT_SEED, 0};
  pthread_mutex_init(&g->lock, NULL);
}

// ------------------------------------------------------------------- default ones

// One for each device. Those of first devices are made at once, others when they are asked
// for, as they would be if they had always been there; none ever goes.
enum { OTHERS = 256 };
static generator g_first[OY_BACKEND_COUNT_MAX];
static generator g_others[OTHERS];
static int g_other_count;  // atomic
static pthread_once_t g_once = PTHREAD_ONCE_INIT;
// Held to add another one and to seed all, which must not miss each other.
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t g_seed = OY_GENERATOR_DEFAULT_SEED;  // what all were given last

static void init_first(void) {
  for (int i = 0; i < OY_BACKEND_COUNT_MAX; i++) {
    generator_init(&g_first[i],
                   oy_device_make((oy_backend)i, i == OY_BACKEND_CPU ? -1 : 0));
    g_first[i].header.flags = OY_OBJECT_STATIC;
  }
}

static generator* find_other(oy_device device) {
  const int count = __atomic_load_n(&g_other_count, __ATOMIC_ACQUIRE);
  for (int i = 0; i < count; i++)
    if (oy_device_equal(g_others[i].device, device)) return &g_others[i];
  return NULL;
}

static generator* make_other(oy_device device) {
  pthread_mutex_lock(&g_lock);
  generator* g = find_other(device);
  if (!g && g_other_count < OTHERS) {
    g = &g_others[g_other_count];
    generator_init(g, device);
    g->header.flags = OY_OBJECT_STATIC;
    g->state.seed = g_seed;
    __atomic_store_n(&g_other_count, g_other_count + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&g_lock);
  if (!g) OY_FAIL(EXHAUSTED, "there are default generators for %d devices", OTHERS);
  return g;
}

// Which of its backend's devices it is: -1 stands for the current one. 0 where there are no
// hooks that could say. INVALID_ARGUMENT if there is no such device.
static oy_status index_of(oy_device device, int16_t* out_index) {
  int16_t count = 1;
  oy_status status = OY_OK;
  *out_index = 0;
  if (device.backend == OY_BACKEND_CPU || device.index == 0) return OY_OK;
  oyi_hooks_use use = oyi_hooks_enter(device.backend);
  if (use.hooks) {
    const oy_device_hooks* h = &use.hooks->hooks;
    if (device.index > 0) {
      *out_index = device.index;
      status = h->count(h->state, &count);
    } else if (h->exchange) {
      status = h->exchange(h->state, -1, out_index);
    }
  }
  oyi_hooks_leave(use);
  OY_CHECK(status != OY_OK || *out_index < count || device.index < 0, INVALID_ARGUMENT,
           "expected a device below %d, got %d", count, *out_index);
  return status;
}

oy_generator* oy_generator_default(oy_device device) {
  int16_t index;
  if (device.backend < 0 || device.backend >= OY_BACKEND_COUNT_MAX) {
    OY_FAIL(INVALID_ARGUMENT, "there is no backend with number %d", device.backend);
    return NULL;
  }
  pthread_once(&g_once, init_first);
  if (index_of(device, &index) != OY_OK) return NULL;
  if (index == 0) return &g_first[device.backend].header;
  const oy_device exact = oy_device_make((oy_backend)device.backend, index);
  generator* g = find_other(exact);
  if (!g) g = make_other(exact);
  return g ? &g->header : NULL;
}

void oy_manual_seed(uint64_t seed) {
  pthread_once(&g_once, init_first);
  pthread_mutex_lock(&g_lock);
  g_seed = seed;
  for (int i = 0; i < OY_BACKEND_COUNT_MAX; i++)
    (void)!oy_generator_manual_seed(&g_first[i].header, seed);
  for (int i = 0; i < g_other_count; i++)
    (void)!oy_generator_manual_seed(&g_others[i].header, seed);
  pthread_mutex_unlock(&g_lock);
}

// --------------------------------------------------------------------- making

oy_generator* oy_generator_create(oy_device device) {
  if (!oy_generator_default(device)) return NULL;
  generator* g = oyi_calloc(1, sizeof(*g));
  if (!g) return NULL;
  generator_init(g, device);
  return &g->header;
}

oy_generator* oy_generator_clone(const oy_generator* object) {
  oy_generator_state state;
  if (oy_generator_get_state(object, &state) != 0) return NULL;
  oy_generator* copy = oy_generator_create(oy_generator_device(object));
  if (copy) ((generator*)(void*)copy)->state = state;
  return copy;
}

oy_device oy_generator_device(const oy_generator* object) {
  const generator* g = generator_of(object);
  return g ? g->device : oy_device_cpu();
}

// ---------------------------------------------------------------------- state

oy_status oy_generator_get_state(const oy_generator* object,
                                 oy_generator_state* out_state) {
  *out_state = (oy_generator_state){0, 0};
  generator* g = generator_of(object);
  if (!g) return oy_failure();
  pthread_mutex_lock(&g->lock);
  *out_state = g->state;
  pthread_mutex_unlock(&g->lock);
  return OY_OK;
}

oy_status oy_generator_set_state(oy_generator* object, oy_generator_state state) {
  generator* g = generator_of(object);
  if (!g) return oy_failure();
  pthread_mutex_lock(&g->lock);
  g->state = state;
  pthread_mutex_unlock(&g->lock);
  return OY_OK;
}

oy_status oy_generator_manual_seed(oy_generator* object, uint64_t seed) {
  return oy_generator_set_state(object, (oy_generator_state){seed, 0});
}

oy_status oy_generator_seed(oy_generator* object, uint64_t* out_seed) {
  uint64_t seed = 0;
  *out_seed = 0;
  // Early in a boot the system may have nothing to draw from yet.
  if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed)) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed = (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec;
  }
  seed &= UINT64_MAX >> 11;  // a double holds it
  OY_TRY(oy_generator_manual_seed(object, seed));
  *out_seed = seed;
  return OY_OK;
}

uint64_t oy_generator_initial_seed(const oy_generator* object) {
  oy_generator_state state;
  return oy_generator_get_state(object, &state) == 0 ? state.seed : 0;
}

oy_status oy_generator_take(oy_object* object, oy_device device, uint64_t steps,
                            oy_generator_state* out_state) {
  oy_value value = oy_none();
  if (object && !oy_object_is_none(object)) {
    value.tag = OY_TAG_GENERATOR;
    value.as.object = object;
  }
  return oyi_generator_take(value, device, steps, out_state);
}

oy_status oyi_generator_take(oy_value value, oy_device device, uint64_t steps,
                             oy_generator_state* out_state) {
  OY_CHECK(value.tag == OY_TAG_NONE || value.tag == OY_TAG_GENERATOR ||
               value.tag == OY_TAG_OBJECT,
           TYPE_MISMATCH, "expected a generator or None, got a value of another type");
  generator* g = generator_of(value.tag == OY_TAG_NONE ? oy_generator_default(device)
                                                       : value.as.object);
  if (!g) return oy_failure();
  if (g->device.backend != device.backend) {
    char want[32], have[32];
    oy_device_print(oy_device_make((oy_backend)device.backend, -1), want, sizeof(want));
    oy_device_print(oy_device_make((oy_backend)g->device.backend, -1), have,
                    sizeof(have));
    return OY_FAIL(INVALID_ARGUMENT,
                   "Expected a '%s' device type for generator but found '%s'", want,
                   have);
  }
  pthread_mutex_lock(&g->lock);
  *out_state = g->state;
  g->state.offset += steps;
  pthread_mutex_unlock(&g->lock);
  return OY_OK;
}
