// SPDX-License-Identifier: Apache-2.0
// Reading the header of a safetensors file. It says the same thing several times
// (sizes, places, order), and all of it has to agree.
#include <stdlib.h>

#include "base/memory.h"
#include "tensor/json.h"
#include "tensor/safetensors.h"

const oyi_safetensors_dtype oyi_safetensors_dtypes[OYI_SAFETENSORS_DTYPES] = {
    {"BOOL", 8, OY_DTYPE_BOOL},
    {"F4", 4, OY_DTYPE_ANY},
    {"F6_E2M3", 6, OY_DTYPE_ANY},
    {"F6_E3M2", 6, OY_DTYPE_ANY},
    {"U8", 8, OY_DTYPE_U8},
    {"I8", 8, OY_DTYPE_I8},
    {"F8_E5M2", 8, OY_DTYPE_F8E5M2},
    {"F8_E4M3", 8, OY_DTYPE_F8E4M3},
    {"F8_E8M0", 8, OY_DTYPE_ANY},
    {"F8_E4M3FNUZ", 8, OY_DTYPE_F8E4M3FNUZ},
    {"F8_E5M2FNUZ", 8, OY_DTYPE_F8E5M2FNUZ},
    {"I16", 16, OY_DTYPE_I16},
    {"U16", 16, OY_DTYPE_U16},
    {"F16", 16, OY_DTYPE_F16},
    {"BF16", 16, OY_DTYPE_BF16},
    {"I32", 32, OY_DTYPE_I32},
    {"U32", 32, OY_DTYPE_U32},
    {"F32", 32, OY_DTYPE_F32},
    {"C64", 64, OY_DTYPE_C64},
    {"F64", 64, OY_DTYPE_F64},
    {"I64", 64, OY_DTYPE_I64},
    {"U64", 64, OY_DTYPE_U64},
};

int oyi_safetensors_rank(oy_dtype dtype) {
  for (int i = 0; i < OYI_SAFETENSORS_DTYPES; i++)
    if (oyi_safetensors_dtypes[i].dtype == dtype) return i;
  return -1;
}

static oy_status read_dtype(oyi_json* j, oyi_safetensors_entry* e) {
  oy_str name;
  size_t at = j->base + j->at;
  OY_TRY(oyi_json_string(j, &name));
  for (e->rank = 0; e->rank < OYI_SAFETENSORS_DTYPES; e->rank++)
    if (oy_str_equal(name, oy_str_of(oyi_safetensors_dtypes[e->rank].name))) return OY_OK;
  return OY_FAIL(PARSE, "%s: at byte %zu: expected a dtype such as \"F32\", got \"%.*s\"",
                 j->name, at, (int)(name.size > 40 ? 40 : name.size), name.data);
}

static oy_status read_shape(oyi_json* j, oyi_safetensors_entry* e) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  bool first = true, more;
  OY_TRY(oyi_json_need(j, '['));
  for (;;) {
    OY_TRY(oyi_json_next(j, ']', &first, &more));
    if (!more) break;
    OY_CHECK(e->ndim < OY_TENSOR_MAX_DIMS, NOT_IMPLEMENTED,
             "%s: at byte %zu: expected at most %d dimensions", j->name, j->base + j->at,
             OY_TENSOR_MAX_DIMS);
    OY_TRY(oyi_json_size(j, &sizes[e->ndim++]));
  }
  e->shape = oyi_arena_alloc(j->arena, (e->ndim + 1) * sizeof(int64_t));
  if (!e->shape) return OY_OUT_OF_MEMORY;
  // NOLINT: a header has one shape, and |ndim| was 0
  for (size_t i = 0; i < e->ndim; i++) e->shape[i] = sizes[i];
  return OY_OK;
}

static oy_status read_offsets(oyi_json* j, oyi_safetensors_entry* e) {
  OY_TRY(oyi_json_need(j, '['));
  OY_TRY(oyi_json_size(j, &e->begin));
  OY_TRY(oyi_json_need(j, ','));
  OY_TRY(oyi_json_size(j, &e->end));
  return oyi_json_need(j, ']');
}

// The bytes that dtype and shape call for are those that the offsets give.
static oy_status check_extent(const oyi_json* j, const oyi_safetensors_entry* e) {
  int64_t numel;
  size_t nbytes;
  const oyi_safetensors_dtype* d = &oyi_safetensors_dtypes[e->rank];
  oy_ints shape = {e->shape, e->ndim};
  OY_CHECK(oyi_sizes_check(shape, (size_t)d->bits, &numel, &nbytes) == OY_OK, PARSE,
           "%s: at byte %zu: the elements of \"%s\" cannot be counted in 64 bits: %s",
           j->name, e->at, e->name.data, oyi_dims_print(shape).text);
  OY_CHECK(nbytes % 8 == 0, PARSE,
           "%s: at byte %zu: \"%s\" of shape %s and dtype %s ends inside a byte", j->name,
           e->at, e->name.data, oyi_dims_print(shape).text, d->name);
  OY_CHECK(e->begin <= e->end && (size_t)(e->end - e->begin) == nbytes / 8, PARSE,
           "%s: at byte %zu: \"%s\" of shape %s and dtype %s: expected %zu bytes, got "
           "offsets %lld to %lld",
           j->name, e->at, e->name.data, oyi_dims_print(shape).text, d->name, nbytes / 8,
           (long long)e->begin, (long long)e->end);
  return OY_OK;
}

// The object after a tensor's name.
static oy_status read_entry(oyi_json* j, oyi_safetensors_entry* e) {
  static const char* const keys[] = {"dtype", "shape", "data_offsets"};
  oy_status (*const values[])(oyi_json*, oyi_safetensors_entry*) = {
      read_dtype, read_shape, read_offsets};
  bool first = true, more;
  unsigned seen = 0;
  OY_TRY(oyi_json_need(j, '{'));
  for (;;) {
    OY_TRY(oyi_json_next(j, '}', &first, &more));
    if (!more) break;
    oy_str key;
    size_t at = j->base + j->at, k = 0;
    OY_TRY(oyi_json_string(j, &key));
    while (k < 3 && !oy_str_equal(key, oy_str_of(keys[k]))) k++;
    OY_CHECK(k < 3 && !(seen >> k & 1), PARSE,
             "%s: at byte %zu: expected \"dtype\", \"shape\" and \"data_offsets\" once "
             "each, got \"%.*s\"",
             j->name, at, (int)(key.size > 40 ? 40 : key.size), key.data);
    seen |= 1u << k;
    OY_TRY(oyi_json_need(j, ':'));
    OY_TRY(values[k](j, e));
  }
  OY_CHECK(seen == 7, PARSE,
           "%s: at byte %zu: expected \"dtype\", \"shape\" and \"data_offsets\", and not "
           "all are there for \"%s\"",
           j->name, j->base + j->at, e->name.data);
  return check_extent(j, e);
}

static oy_status read_metadata(oy_safetensors* f, oyi_json* j) {
  bool first = true, more;
  OY_CHECK(!f->has_metadata, PARSE, "%s: at byte %zu: \"__metadata__\" is there twice",
           j->name, j->base + j->at);
  f->has_metadata = true;
  OY_TRY(oyi_json_need(j, '{'));
  for (;;) {
    OY_TRY(oyi_json_next(j, '}', &first, &more));
    if (!more) return OY_OK;
    if (!oyi_arena_grow(j->arena, &f->metadata, &f->metadata_capacity, f->metadata_count,
                        sizeof(*f->metadata)))
      return OY_OUT_OF_MEMORY;
    oy_text_pair* pair = &f->metadata[f->metadata_count];
    OY_TRY(oyi_json_string(j, &pair->key));
    OY_TRY(oyi_json_need(j, ':'));
    OY_TRY(oyi_json_string(j, &pair->value));
    f->metadata_count++;
  }
}

static oy_status read_header(oy_safetensors* f, oyi_json* j) {
  bool first = true, more;
  OY_TRY(oyi_json_need(j, '{'));
  for (;;) {
    OY_TRY(oyi_json_next(j, '}', &first, &more));
    if (!more) break;
    if (!oyi_arena_grow(j->arena, &f->entries, &f->capacity, f->count,
                        sizeof(*f->entries)))
      return OY_OUT_OF_MEMORY;
    oyi_safetensors_entry* e = &f->entries[f->count];
    memset(e, 0, sizeof(*e));
    e->at = j->base + j->at;
    OY_TRY(oyi_json_string(j, &e->name));
    OY_TRY(oyi_json_need(j, ':'));
    if (oy_str_equal(e->name, oy_str_of(OYI_SAFETENSORS_METADATA))) {
      OY_TRY(read_metadata(f, j));
      continue;
    }
    OY_TRY(read_entry(j, e));
    f->count++;
  }
  oyi_json_space(j);
  return j->at == j->text.size
             ? OY_OK
             : oyi_json_unexpected(j, "spaces to the end of the header");
}

// ----------------------------------------------------------- order and names

static int compare_places(const void* a, const void* b) {
  const oyi_safetensors_entry *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static int compare_texts(oy_str a, oy_str b) {
  int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
  return order ? order : a.size < b.size ? -1 : a.size > b.size;
}
static int compare_names(const void* a, const void* b) {
  const oyi_safetensors_entry *x = *(oyi_safetensors_entry*const*)a,
                              *y = *(oyi_safetensors_entry*const*)b;
  return compare_texts(x->name, y->name);
}

static int compare_keys(const void* a, const void* b) {
  const oy_text_pair *x = a, *y = b;
  return compare_texts(x->key, y->key);
}

// Each tensor begins where the one before it ends, and the last ends with the file.
static oy_status check_places(const oy_safetensors* f) {
  int64_t end = 0;
  for (size_t i = 0; i < f->count; i++) {
    const oyi_safetensors_entry* e = &f->entries[i];
    OY_CHECK(
        e->begin == end, PARSE,
        "%s: at byte %zu: expected the data of \"%s\" to begin at offset %lld, where "
        "that before it ends, got %lld",
        f->map->name, e->at, e->name.data, (long long)end, (long long)e->begin);
    end = e->end;
  }
  OY_CHECK((size_t)end == f->map->size - f->data, PARSE,
           "%s: at byte %zu: expected %lld bytes of data, got %zu", f->map->name, f->data,
           (long long)end, f->map->size - f->data);
  return OY_OK;
}

static oy_status index_names(oy_safetensors* f) {
  f->by_name = oyi_arena_alloc(&f->arena, (f->count + 1) * sizeof(*f->by_name));
  if (!f->by_name) return OY_OUT_OF_MEMORY;
  for (size_t i = 0; i < f->count; i++) f->by_name[i] = &f->entries[i];
  qsort(f->by_name, f->count, sizeof(*f->by_name), compare_names);
  for (size_t i = 1; i < f->count; i++) {
    const oyi_safetensors_entry *a = f->by_name[i - 1], *b = f->by_name[i];
    OY_CHECK(!oy_str_equal(a->name, b->name), PARSE,
             "%s: at byte %zu: the name \"%s\" is there twice, first at byte %zu",
             f->map->name, a->at > b->at ? a->at : b->at, a->name.data,
             a->at > b->at ? b->at : a->at);
  }
  if (f->metadata_count > 1)
    qsort(f->metadata, f->metadata_count, sizeof(*f->metadata), compare_keys);
  for (size_t i = 1; i < f->metadata_count; i++)
    OY_CHECK(!oy_str_equal(f->metadata[i - 1].key, f->metadata[i].key), PARSE,
             "%s: the key \"%s\" is twice in \"__metadata__\"", f->map->name,
             f->metadata[i].key.data);
  return OY_OK;
}

static oy_status find_header(const oyi_file_map* map, oyi_json* j) {
  OY_CHECK(map->size >= 8, PARSE,
           "%s: expected at least 8 bytes of a safetensors file, got %zu", map->name,
           map->size);
  uint64_t length = 0;
  for (int i = 0; i < 8; i++) length |= (uint64_t)map->data[i] << 8 * i;
  OY_CHECK(length <= OYI_SAFETENSORS_HEADER_MAX && length <= map->size - 8, PARSE,
           "%s: at byte 0: expected a header of at most %zu bytes, got %llu", map->name,
           map->size - 8 < OYI_SAFETENSORS_HEADER_MAX ? map->size - 8
                                                      : OYI_SAFETENSORS_HEADER_MAX,
           (unsigned long long)length);
  j->name = map->name;
  j->text = (oy_str){(const char*)map->data + 8, (size_t)length};
  j->base = 8;
  j->at = 0;
  // The format wants the brace at once.
  return length > 0 && j->text.data[0] == '{' ? OY_OK : oyi_json_unexpected(j, "'{'");
}

oy_status oyi_safetensors_read(oyi_file_map* map, oy_safetensors** out_file) {
  *out_file = NULL;
  oyi_json json = {0};
  oy_safetensors* f = oyi_zalloc(sizeof(*f));
  oy_status status = f ? find_header(map, &json) : OY_OUT_OF_MEMORY;
  if (status == OY_OK && !oyi_arena_init(&f->arena, 4096)) status = OY_OUT_OF_MEMORY;
  if (status != OY_OK) {
    oyi_free(f);
    oyi_file_map_release(map);
    return status;
  }
  f->map = map;
  f->data = 8 + json.text.size;
  json.arena = &f->arena;
  status = read_header(f, &json);
  if (status == OY_OK && f->count > 1)
    qsort(f->entries, f->count, sizeof(*f->entries), compare_places);
  if (status == OY_OK) status = check_places(f);
  if (status == OY_OK) status = index_names(f);
  if (status == OY_OK)
    *out_file = f;
  else
    oy_safetensors_close(f);
  return status;
}
