// SPDX-License-Identifier: Apache-2.0
// Open safetensors files, and the tensors in them.
#include "tensor/safetensors.h"

#include "base/memory.h"

oy_status oy_safetensors_open(const char* path, oy_safetensors** out_file) {
  oyi_file_map* map;
  *out_file = NULL;
  OY_TRY(oyi_file_map_open(path, &map));
  return oyi_safetensors_read(map, out_file);
}

void oy_safetensors_close(oy_safetensors* f) {
  if (!f) return;
  oyi_file_map_release(f->map);
  oyi_arena_free(&f->arena);
  oyi_free(f);
}

size_t oy_safetensors_count(const oy_safetensors* f) {
  return f->count;
}

oy_str oy_safetensors_name(const oy_safetensors* f, size_t index) {
  return index < f->count ? f->entries[index].name : (oy_str){"", 0};
}

size_t oy_safetensors_metadata(const oy_safetensors* f, const oy_text_pair** out_pairs) {
  *out_pairs = f->metadata;
  return f->metadata_count;
}

bool oy_safetensors_find(const oy_safetensors* f, oy_str name, size_t* out_index) {
  size_t low = 0, high = f->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    oy_str have = f->by_name[middle]->name;
    int order =
        memcmp(have.data, name.data, have.size < name.size ? have.size : name.size);
    if (order == 0) order = have.size < name.size ? -1 : have.size > name.size;
    if (order == 0) {
      *out_index = (size_t)(f->by_name[middle] - f->entries);
      return true;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

oy_tensor* oy_safetensors_get(const oy_safetensors* f, size_t index) {
  int64_t strides[OY_TENSOR_MAX_DIMS];
  if (index >= f->count) {
    OY_FAIL(OUT_OF_RANGE, "%s: expected the number of a tensor below %zu, got %zu",
            f->map->name, f->count, index);
    return NULL;
  }
  const oyi_safetensors_entry* e = &f->entries[index];
  const oyi_safetensors_dtype* d = &oyi_safetensors_dtypes[e->rank];
  if (d->dtype == OY_DTYPE_ANY) {
    OY_FAIL(NOT_IMPLEMENTED, "%s: \"%s\" is of dtype %s, which opyard does not have",
            f->map->name, e->name.data, d->name);
    return NULL;
  }
  oy_ints sizes = {e->shape, e->ndim};
  oyi_strides_contiguous(sizes, strides);
  return oyi_tensor_object(
      oyi_file_map_tensor(f->map, f->data + (size_t)e->begin, (size_t)(e->end - e->begin),
                          sizes, (oy_ints){strides, e->ndim}, d->dtype, false));
}
