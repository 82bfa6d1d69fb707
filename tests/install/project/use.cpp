// SPDX-License-Identifier: Apache-2.0
#include <opyard/library.h>

#include <cstdio>

int main() {
  oy_key key;
  if (oy_key_parse(oy_str_of("AutogradCPU"), &key) != OY_OK) return 1;
  std::printf("from C++: %s\n", oy_key_name(key));
  return key == OY_KEY_AutogradCPU ? 0 : 1;
}
