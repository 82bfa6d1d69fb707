// SPDX-License-Identifier: Apache-2.0
// Fuzz target for .npy files: what is read is as large as its header says, and every
// byte of it is there.
#include <stdlib.h>

#include "tensor/npy.h"

static void require(int condition) {
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  oyi_file_map* map;
  if (oyi_file_map_of_bytes((oy_str){(const char*)data, size}, &map) != OY_OK) return 0;
  oyi_tensor* t = oyi_npy_read(map);
  oyi_file_map_release(map);
  if (!t) {
    oy_status code = oy_error_get()->code;
    require(code == OY_PARSE || code == OY_NOT_IMPLEMENTED || code == OY_OUT_OF_MEMORY);
    return 0;
  }
  size_t nbytes = (size_t)(t->numel * oyi_item(t));
  require(nbytes < size);
  require((t->flags & OYI_DENSE) != 0);
  volatile unsigned char sum = 0;
  const unsigned char* bytes = oyi_data(t);
  for (size_t i = 0; i < nbytes; i++) sum = (unsigned char)(sum + bytes[i]);
  oy_tensor_release(&t->header);
  return 0;
}
