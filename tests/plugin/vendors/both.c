// SPDX-License-Identifier: Apache-2.0
// both NORTH.so SOUTH.so: two vendors in one process, and gone again in either order.
#include <opyard/opyard.h>
#include <opyard/plugin.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "%s: %s\n", what, oy_error_get()->message);
  exit(1);
}

static oy_loaded_plugin* load(const char* path, const char* name, oy_device* device) {
  oy_loaded_plugin* plugin;
  check(oy_plugin_load(oy_str_of(path), &plugin) == OY_OK, path);
  check(oy_device_parse(oy_str_of(name), device) == OY_OK, name);
  return plugin;
}

static double total(oy_tensor* t) {
  oy_scalar s = oy_none();
  oy_tensor* sum = oy_sum(t, oy_none());
  check(sum && oy_tensor_item(sum, &s) == OY_OK, "sum");
  oy_tensor_release(sum);
  return s.as.d;
}

static void compute(oy_device north, oy_device south) {
  const float numbers[] = {1, 2, 3};
  oy_tensor* here = oy_tensor_from_data(numbers, OY_DIMS(3), OY_DTYPE_F32);
  oy_tensor* a = oy_tensor_copy_to(here, OY_DTYPE_ANY, north);
  oy_tensor* b = oy_tensor_copy_to(a, OY_DTYPE_ANY, south);  // from one to the other
  check(a && b, "move");
  oy_tensor *twice = oy_add_Tensor(a, a, oy_int(1)), *back = oy_neg(b);
  check(twice && total(twice) == 12, "north adds");
  check(back && total(back) == -6, "south negates");
  oy_tensor* mixed = oy_add_Tensor(a, b, oy_int(1));
  check(!mixed && strstr(oy_error_get()->message, "found at least two devices"),
        "devices that differ");
  oy_error_clear();
  oy_tensor* all[] = {here, a, b, twice, back};
  for (size_t i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

int main(int argc, char** argv) {
  check(argc == 3 && oy_init() == OY_OK, "start");
  for (int order = 0; order < 2; order++) {
    oy_device north, south;
    oy_loaded_plugin* first = load(argv[1], "north:1", &north);
    oy_loaded_plugin* second = load(argv[2], "south:1", &south);
    compute(north, south);
    check(oy_plugin_unload(order ? first : second, OY_UNLOAD_IF_FREE, NULL) == OY_OK,
          "unload the first");
    check(oy_plugin_unload(order ? second : first, OY_UNLOAD_IF_FREE, NULL) == OY_OK,
          "unload the second");
    check(oy_registry_check_invariants(oy_registry_default()) == OY_OK, "tables");
    check(!oy_tensor_empty(OY_DIMS(1), OY_DTYPE_F32, north), "north is gone");
    oy_error_clear();
  }
  char* ledger;
  check(oy_fallback_print(&ledger) == OY_OK, "ledger");
  printf("%spassed\n", ledger);
  oy_text_free(ledger);
  oy_shutdown();
  return 0;
}
