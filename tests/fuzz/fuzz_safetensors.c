// SPDX-License-Identifier: Apache-2.0
// Fuzz target for safetensors files: tensors of a file that is taken cover its data
// without overlap, each is found by its name, and every byte is there.
#include <stdlib.h>

#include "tensor/json.h"
#include "tensor/safetensors.h"

static void require(int condition) {
  if (!condition) abort();
}

static size_t check_tensor(const oy_safetensors* f, size_t i) {
  size_t found;
  oy_str name = oy_safetensors_name(f, i);
  require(oyi_utf8_length(name) == name.size);
  require(oy_safetensors_find(f, name, &found) && found == i);
  const oyi_safetensors_entry* e = &f->entries[i];
  oy_tensor* t = oy_safetensors_get(f, i);
  if (t) {
    const oyi_tensor* at = oyi_tensor_cast(t);
    size_t nbytes = (size_t)(at->numel * oyi_item(at));
    require(nbytes == (size_t)(e->end - e->begin));
    volatile unsigned char sum = 0;
    const unsigned char* bytes = oyi_data(at);
    for (size_t k = 0; k < nbytes; k++) sum = (unsigned char)(sum + bytes[k]);
    oy_tensor_release(t);
  }
  return (size_t)(e->end - e->begin);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  oyi_file_map* map;
  oy_safetensors* f;
  if (oyi_file_map_of_bytes((oy_str){(const char*)data, size}, &map) != OY_OK) return 0;
  oy_status status = oyi_safetensors_read(map, &f);
  if (status != OY_OK) {
    require(status == OY_PARSE || status == OY_NOT_IMPLEMENTED ||
            status == OY_OUT_OF_MEMORY);
    require(f == NULL);
    return 0;
  }
  size_t covered = 0;
  for (size_t i = 0; i < oy_safetensors_count(f); i++) covered += check_tensor(f, i);
  require(covered == size - f->data);
  oy_safetensors_close(f);
  return 0;
}
