// SPDX-License-Identifier: Apache-2.0
// Writing safetensors files. Wide elements come first, so that all are aligned.
#include <stdlib.h>

#include "base/memory.h"
#include "tensor/json.h"
#include "tensor/safetensors.h"

typedef struct item {
  oy_str name;
  const oyi_tensor* tensor;
  int rank;
} item;

static int compare_names(const void* a, const void* b) {
  const item *x = a, *y = b;
  size_t both = x->name.size < y->name.size ? x->name.size : y->name.size;
  int order = both ? memcmp(x->name.data, y->name.data, both) : 0;
  return order ? order : x->name.size < y->name.size ? -1 : x->name.size > y->name.size;
}
static int compare_items(const void* a, const void* b) {
  const item *x = a, *y = b;
  return x->rank != y->rank ? y->rank - x->rank : compare_names(a, b);
}

static oy_status check_text(oy_str text, const char* what) {
  size_t good = oyi_utf8_length(text);
  OY_CHECK(good == text.size && (text.size == 0 || !memchr(text.data, 0, text.size)),
           INVALID_ARGUMENT, "expected %s in UTF-8 without NUL, got '%.*s' and more",
           what, (int)(good > 40 ? 40 : good), text.data ? text.data : "");
  return OY_OK;
}

static oy_status check_item(const oy_named_tensor* named, item* out) {
  const oyi_tensor* t = oyi_tensor_of(named->tensor);
  if (!t) return oy_failure();
  *out = (item){named->name, t, oyi_safetensors_rank(t->header.dtype)};
  OY_TRY(check_text(named->name, "the name of a tensor"));
  OY_CHECK(!oy_str_equal(named->name, oy_str_of(OYI_SAFETENSORS_METADATA)),
           INVALID_ARGUMENT, "no tensor may be named \"__metadata__\"");
  OY_CHECK(out->rank >= 0, NOT_IMPLEMENTED,
           "safetensors has no dtype for torch.%s; convert \"%.*s\" first",
           oy_dtype_name(t->header.dtype), OY_STR_ARG(named->name));
  return oyi_file_check_tensor(t);
}

static oy_status check_all(const oy_named_tensor* tensors, size_t count, item* items) {
  for (size_t i = 0; i < count; i++) OY_TRY(check_item(&tensors[i], &items[i]));
  qsort(items, count, sizeof(*items), compare_names);
  for (size_t i = 1; i < count; i++)
    OY_CHECK(!oy_str_equal(items[i - 1].name, items[i].name), INVALID_ARGUMENT,
             "the name \"%.*s\" was given twice", OY_STR_ARG(items[i].name));
  qsort(items, count, sizeof(*items), compare_items);
  return OY_OK;
}

static oy_status put_metadata(oyi_strbuf* buf, const oy_text_pair* pairs, size_t count) {
  oyi_strbuf_puts(buf, "\"" OYI_SAFETENSORS_METADATA "\":{");
  for (size_t i = 0; i < count; i++) {
    OY_TRY(check_text(pairs[i].key, "a key"));
    OY_TRY(check_text(pairs[i].value, "a value"));
    for (size_t k = 0; k < i; k++)
      OY_CHECK(!oy_str_equal(pairs[i].key, pairs[k].key), INVALID_ARGUMENT,
               "the key \"%.*s\" was given twice", OY_STR_ARG(pairs[i].key));
    if (i) oyi_strbuf_putc(buf, ',');
    oyi_json_put_string(buf, pairs[i].key);
    oyi_strbuf_putc(buf, ':');
    oyi_json_put_string(buf, pairs[i].value);
  }
  oyi_strbuf_putc(buf, '}');
  return OY_OK;
}

static void put_item(oyi_strbuf* buf, const item* it, size_t* offset) {
  size_t end = *offset + (size_t)(it->tensor->numel * oyi_item(it->tensor));
  oyi_json_put_string(buf, it->name);
  oyi_strbuf_printf(buf, ":{\"dtype\":\"%s\",\"shape\":[",
                    oyi_safetensors_dtypes[it->rank].name);
  for (size_t i = 0; i < it->tensor->ndim; i++)
    oyi_strbuf_printf(buf, "%s%lld", i ? "," : "", (long long)it->tensor->sizes[i]);
  oyi_strbuf_printf(buf, "],\"data_offsets\":[%zu,%zu]}", *offset, end);
  *offset = end;
}

static oy_status make_header(oyi_strbuf* buf, const item* items, size_t count,
                             const oy_text_pair* metadata, size_t metadata_count) {
  size_t offset = 0;
  oyi_strbuf_putc(buf, '{');
  if (metadata_count) OY_TRY(put_metadata(buf, metadata, metadata_count));
  for (size_t i = 0; i < count; i++) {
    if (i || metadata_count) oyi_strbuf_putc(buf, ',');
    put_item(buf, &items[i], &offset);
  }
  oyi_strbuf_putc(buf, '}');
  while (buf->size % 8 != 0 && !buf->failed) oyi_strbuf_putc(buf, ' ');
  OY_TRY(oyi_strbuf_status(buf));
  OY_CHECK(buf->size <= OYI_SAFETENSORS_HEADER_MAX, INVALID_ARGUMENT,
           "expected a header of at most %d bytes, got %zu", OYI_SAFETENSORS_HEADER_MAX,
           buf->size);
  return OY_OK;
}

static oy_status write_all(const char* path, const oyi_strbuf* header, const item* items,
                           size_t count) {
  oyi_file_writer w;
  unsigned char length[8];
  for (int i = 0; i < 8; i++)
    length[i] = (unsigned char)((uint64_t)header->size >> 8 * i);
  OY_TRY(oyi_file_create(path, &w));
  oy_status status = oyi_file_write(&w, length, sizeof(length));
  if (status == OY_OK) status = oyi_file_write(&w, header->data, header->size);
  for (size_t i = 0; i < count && status == OY_OK; i++)
    status = oyi_file_write_elements(&w, items[i].tensor, false);
  return oyi_file_commit(&w, status);
}

oy_status oy_safetensors_save(const char* path, const oy_named_tensor* tensors,
                              size_t count, const oy_text_pair* metadata,
                              size_t metadata_count) {
  oyi_strbuf header = OYI_STRBUF_INIT;
  item* items = oyi_calloc(count + 1, sizeof(*items));
  if (!items) return OY_OUT_OF_MEMORY;
  oy_status status = check_all(tensors, count, items);
  if (status == OY_OK)
    status = make_header(&header, items, count, metadata, metadata_count);
  if (status == OY_OK) status = write_all(path, &header, items, count);
  oyi_strbuf_reset(&header);
  oyi_free(items);
  return status;
}
