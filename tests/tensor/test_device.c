// SPDX-License-Identifier: Apache-2.0
// Names of devices, guards of the current one, and the level of the processor.
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "opyard/device.h"
#include "support/tensors.h"

static void TEN_16_devices_are_read_and_printed(void** state) {
  (void)state;
  static const struct {
    const char *text, *error;
  } rows[] = {{"cpu", NULL},
              {"cuda:1", NULL},
              {"meta", NULL},
              {"cuda:0", NULL},
              {"cuda:32767", NULL},
              {"", "Device string must not be empty"},
              {"cpu:01", "Invalid device string: 'cpu:01'"},
              {"cuda:", "Invalid device string: 'cuda:'"},
              {"cuda:-1", "Invalid device string: 'cuda:-1'"},
              {"cuda:1 ", "Invalid device string: 'cuda:1 '"},
              {"cuda:32768",
               "Could not parse device index '32768' in device string 'cuda:32768'"},
              {"cuda:99999",
               "Could not parse device index '99999' in device string 'cuda:99999'"}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_device device;
    oy_status status = oy_device_parse(oy_str_of(rows[i].text), &device);
    if (rows[i].error) {
      assert_int_equal(status, OY_PARSE);
      assert_error(rows[i].error);
      continue;
    }
    char text[32];
    assert_int_equal(status, OY_OK);
    oy_device_print(device, text, sizeof(text));
    assert_string_equal(text, rows[i].text);
  }
}

// A machine of four devices, which have no memory.
static oy_status count_four(void* state, int16_t* out_count) {
  (void)state;
  *out_count = 4;
  return OY_OK;
}
static oy_status exchange(void* state, int16_t index, int16_t* out_before) {
  int16_t* current = state;
  *out_before = *current;
  OY_CHECK(index < 4, OUT_OF_RANGE, "invalid device ordinal");
  if (index >= 0) *current = index;
  return OY_OK;
}

static void TEN_16_guards_restore_the_device(void** state) {
  (void)state;
  int16_t current = 0;
  const oy_device_hooks four = {.struct_size = sizeof(four),
                                .state = &current,
                                .count = count_four,
                                .exchange = exchange};
  oy_device_guard a, b, c;
  oy_device two = oy_device_make(OY_BACKEND_CUDA, 2);
  assert_int_equal(oy_device_guard_enter(two, &a), OY_FAILED_PRECONDITION);
  assert_error("PyTorch is not linked with support for cuda devices");
  assert_int_equal(oy_device_guard_leave(&a), OY_OK);
  assert_int_equal(oy_device_hooks_set(OY_BACKEND_CUDA, &four), OY_OK);
  assert_int_equal(oy_device_guard_enter(two, &a), OY_OK);
  assert_int_equal(current, 2);
  assert_int_equal(oy_device_guard_enter(oy_device_make(OY_BACKEND_CUDA, 3), &b), OY_OK);
  assert_int_equal(current, 3);
  assert_int_equal(oy_device_guard_enter(oy_device_make(OY_BACKEND_CUDA, -1), &c), OY_OK);
  assert_int_equal(current, 3);
  assert_int_equal(oy_device_guard_leave(&c), OY_OK);
  assert_int_equal(current, 3);
  assert_int_equal(oy_device_guard_leave(&b), OY_OK);
  assert_int_equal(current, 2);
  assert_int_equal(oy_device_guard_enter(oy_device_make(OY_BACKEND_CUDA, 9), &b),
                   OY_OUT_OF_RANGE);
  assert_error("invalid device ordinal");
  assert_int_equal(oy_device_guard_leave(&b), OY_OK);  // nothing was changed
  assert_int_equal(current, 2);
  oy_device device = oy_device_make(OY_BACKEND_CUDA, -1);
  assert_int_equal(oy_device_resolve(&device), OY_OK);
  assert_int_equal(device.index, 2);
  device.index = 4;
  assert_int_equal(oy_device_resolve(&device), OY_INVALID_ARGUMENT);
  assert_error("there is no device cuda:4: invalid device ordinal, CUDA has 4 devices");
  assert_int_equal(oy_device_guard_enter(oy_device_cpu(), &b), OY_OK);
  assert_int_equal(oy_device_guard_leave(&b), OY_OK);
  assert_int_equal(oy_device_guard_leave(&a), OY_OK);
  assert_int_equal(oy_device_guard_leave(&a), OY_OK);
  assert_int_equal(current, 0);
  assert_int_equal(oy_device_hooks_set(OY_BACKEND_CUDA, NULL), OY_OK);
  assert_int_equal(oy_device_hooks_set(40, &four), OY_INVALID_ARGUMENT);
  assert_error("there is no backend with number 40");
}

// The level that a fresh process finds under |cap|; NULL: without a cap.
static int level_under(const char* cap) {
  pid_t child = fork();
  if (child == 0) {
    if (cap) setenv("OPYARD_CPU_CAPABILITY", cap, 1);
    if (!cap) unsetenv("OPYARD_CPU_CAPABILITY");
    int first = oyi_cpu_level();
    setenv("OPYARD_CPU_CAPABILITY", "default", 1);  // too late: it was found once
    _exit(oyi_cpu_level() == first ? first : 99);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void TI_07_processor_level(void** state) {
  (void)state;
  int machine = level_under(NULL);
  assert_in_range(machine, 0, 2);
  assert_int_equal(level_under("default"), 0);
  assert_int_equal(level_under("avx2"), machine < 1 ? machine : 1);
  assert_int_equal(level_under("avx512"), machine);
  assert_int_equal(level_under("avx1024"), machine);  // no level: ignored
#if defined(__x86_64__)
  // What the compiler's own question says.
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!v3) assert_int_equal(machine, 0);
  if (machine == 2) assert_true(__builtin_cpu_supports("avx512bw"));
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TI_07_processor_level),  // before anything asks
      cmocka_unit_test(TEN_16_devices_are_read_and_printed),
      cmocka_unit_test(TEN_16_guards_restore_the_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
