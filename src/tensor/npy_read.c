// SPDX-License-Identifier: Apache-2.0
// Reading .npy files. The literal in the header is read strictly: one dict with the
// three keys that NumPy writes, in any order.
#include "tensor/npy.h"

#include "opyard/files.h"

// Text that is being read. |base| is where it lies in the file.
typedef struct reader {
  const oyi_file_map* map;
  oy_str text;
  size_t base, at;
} reader;

static const struct {
  char name[4];
  oy_dtype dtype;
} g_names[] = {{"b1", OY_DTYPE_BOOL}, {"u1", OY_DTYPE_U8},   {"i1", OY_DTYPE_I8},
               {"u2", OY_DTYPE_U16},  {"i2", OY_DTYPE_I16},  {"u4", OY_DTYPE_U32},
               {"i4", OY_DTYPE_I32},  {"u8", OY_DTYPE_U64},  {"i8", OY_DTYPE_I64},
               {"f2", OY_DTYPE_F16},  {"f4", OY_DTYPE_F32},  {"f8", OY_DTYPE_F64},
               {"c8", OY_DTYPE_C64},  {"c16", OY_DTYPE_C128}};
enum { NAMES = sizeof(g_names) / sizeof(*g_names) };

const char* oyi_npy_name(oy_dtype dtype) {
  for (size_t i = 0; i < NAMES; i++)
    if (g_names[i].dtype == dtype) return g_names[i].name;
  return NULL;
}

// What stands at the reader's place, for a message.
static oy_status unexpected(const reader* r, const char* expected) {
  if (r->at >= r->text.size)
    return OY_FAIL(PARSE, "%s: at byte %zu: expected %s, got the end of the header",
                   r->map->name, r->base + r->at, expected);
  unsigned char c = (unsigned char)r->text.data[r->at];
  if (c > ' ' && c < 127)
    return OY_FAIL(PARSE, "%s: at byte %zu: expected %s, got '%c'", r->map->name,
                   r->base + r->at, expected, c);
  return OY_FAIL(PARSE, "%s: at byte %zu: expected %s, got byte 0x%02x", r->map->name,
                 r->base + r->at, expected, c);
}

static void skip_space(reader* r) {
  while (r->at < r->text.size &&
         (r->text.data[r->at] == ' ' || r->text.data[r->at] == '\n'))
    r->at++;
}
static bool take(reader* r, char c) {
  skip_space(r);
  if (r->at >= r->text.size || r->text.data[r->at] != c) return false;
  r->at++;
  return true;
}
static oy_status need(reader* r, char c) {
  const char expected[4] = {'\'', c, '\'', '\0'};
  return take(r, c) ? OY_OK : unexpected(r, expected);
}

// A quoted text without escapes: NumPy's names have none.
static oy_status read_string(reader* r, oy_str* out) {
  skip_space(r);
  char quote = r->at < r->text.size ? r->text.data[r->at] : '\0';
  if (quote != '\'' && quote != '"') return unexpected(r, "a quoted text");
  size_t first = ++r->at;
  while (r->at < r->text.size && r->text.data[r->at] != quote &&
         r->text.data[r->at] != '\\')
    r->at++;
  if (r->at >= r->text.size || r->text.data[r->at] != quote)
    return unexpected(r, "the end of a quoted text");
  *out = (oy_str){r->text.data + first, r->at - first};
  r->at++;
  return OY_OK;
}

static oy_status read_word(reader* r, const char* word, bool* out_found) {
  size_t length = strlen(word);
  skip_space(r);
  *out_found =
      r->text.size - r->at >= length && memcmp(r->text.data + r->at, word, length) == 0;
  if (*out_found) r->at += length;
  return OY_OK;
}

static oy_status read_size(reader* r, int64_t* out) {
  size_t first = r->at;
  *out = 0;
  for (; r->at < r->text.size && r->text.data[r->at] >= '0' && r->text.data[r->at] <= '9';
       r->at++)
    if (__builtin_mul_overflow(*out, 10, out) ||
        __builtin_add_overflow(*out, r->text.data[r->at] - '0', out))
      return OY_FAIL(PARSE, "%s: at byte %zu: a size of the shape is above 2^63 - 1",
                     r->map->name, r->base + first);
  if (r->at == first) return unexpected(r, "a size of the shape");
  if (r->at < r->text.size && r->text.data[r->at] == 'L') r->at++;  // from Python 2
  return OY_OK;
}

static oy_status read_shape(reader* r, oyi_npy_header* h) {
  OY_TRY(need(r, '('));
  bool comma = true;
  while (!take(r, ')')) {
    if (!comma) return unexpected(r, "',' or ')'");
    OY_CHECK(h->ndim < OY_TENSOR_MAX_DIMS, NOT_IMPLEMENTED,
             "%s: at byte %zu: expected at most %d dimensions", r->map->name,
             r->base + r->at, OY_TENSOR_MAX_DIMS);
    OY_TRY(read_size(r, &h->shape[h->ndim++]));
    comma = take(r, ',');
    skip_space(r);
  }
  // "(3)" is a number in Python and not a tuple.
  if (h->ndim == 1 && !comma)
    return OY_FAIL(PARSE, "%s: at byte %zu: expected a tuple such as (3,)", r->map->name,
                   r->base + r->at);
  return OY_OK;
}

static oy_status read_descr(reader* r, oyi_npy_header* h) {
  oy_str text;
  skip_space(r);
  size_t at = r->at;
  OY_CHECK(r->at >= r->text.size || r->text.data[r->at] != '[', NOT_IMPLEMENTED,
           "%s: at byte %zu: arrays of records are not supported", r->map->name,
           r->base + at);
  OY_TRY(read_string(r, &text));
  h->swap = text.size > 0 && text.data[0] == '>';
  if (text.size > 0 && strchr("<>=|", text.data[0])) {
    oy_str name = {text.data + 1, text.size - 1};
    for (size_t i = 0; i < NAMES; i++) {
      if (!oy_str_equal(name, oy_str_of(g_names[i].name))) continue;
      h->dtype = g_names[i].dtype;
      return OY_OK;
    }
  }
  return OY_FAIL(NOT_IMPLEMENTED,
                 "%s: at byte %zu: expected bool, an integer, float16 to float64 or "
                 "complex ('<f4', ...), got dtype '%.*s'",
                 r->map->name, r->base + at, (int)(text.size > 40 ? 40 : text.size),
                 text.data);
}

static oy_status read_order(reader* r, oyi_npy_header* h) {
  bool found;
  OY_TRY(read_word(r, "True", &h->fortran));
  if (h->fortran) return OY_OK;
  OY_TRY(read_word(r, "False", &found));
  return found ? OY_OK : unexpected(r, "True or False");
}

static oy_status read_dict(reader* r, oyi_npy_header* h) {
  static const char* const keys[] = {"descr", "fortran_order", "shape"};
  oy_status (*const values[])(reader*, oyi_npy_header*) = {read_descr, read_order,
                                                           read_shape};
  unsigned seen = 0;
  bool comma = true;
  OY_TRY(need(r, '{'));
  while (!take(r, '}')) {
    if (!comma) return unexpected(r, "',' or '}'");
    size_t at = r->at, k = 0;
    oy_str key = {NULL, 0};
    OY_TRY(read_string(r, &key));
    while (k < 3 && !oy_str_equal(key, oy_str_of(keys[k]))) k++;
    OY_CHECK(k < 3 && !(seen >> k & 1), PARSE,
             "%s: at byte %zu: expected 'descr', 'fortran_order' and 'shape' once each, "
             "got '%.*s'",
             r->map->name, r->base + at, (int)(key.size > 40 ? 40 : key.size), key.data);
    seen |= 1u << k;
    OY_TRY(need(r, ':'));
    OY_TRY(values[k](r, h));
    comma = take(r, ',');
  }
  OY_CHECK(seen == 7, PARSE,
           "%s: at byte %zu: expected 'descr', 'fortran_order' and 'shape', and not all "
           "are there",
           r->map->name, r->base + r->at);
  skip_space(r);
  return r->at == r->text.size ? OY_OK : unexpected(r, "spaces to the end of the header");
}

// Magic text, version and length: where the literal is.
static oy_status find_dict(const oyi_file_map* map, reader* r) {
  const unsigned char* d = map->data;
  OY_CHECK(map->size >= 10, PARSE,
           "%s: expected at least 10 bytes of a .npy file, got %zu", map->name,
           map->size);
  OY_CHECK(memcmp(d, OYI_NPY_MAGIC, OYI_NPY_MAGIC_SIZE) == 0, PARSE,
           "%s: at byte 0: expected the magic text \"\\x93NUMPY\"", map->name);
  OY_CHECK(d[6] >= 1 && d[6] <= 3 && d[7] == 0, NOT_IMPLEMENTED,
           "%s: at byte 6: expected format 1.0, 2.0 or 3.0, got %u.%u", map->name, d[6],
           d[7]);
  size_t base = d[6] == 1 ? 10 : 12;
  size_t length = d[8] | (size_t)d[9] << 8;
  OY_CHECK(map->size >= base, PARSE, "%s: expected at least %zu bytes, got %zu",
           map->name, base, map->size);
  if (base == 12) length |= (size_t)d[10] << 16 | (size_t)d[11] << 24;
  OY_CHECK(length <= map->size - base, PARSE,
           "%s: at byte 8: expected a header of at most %zu bytes, which the file has, "
           "got %zu",
           map->name, map->size - base, length);
  *r = (reader){map, {(const char*)d + base, length}, base, 0};
  return OY_OK;
}

oy_status oyi_npy_header_read(const oyi_file_map* map, oyi_npy_header* h) {
  reader r;
  memset(h, 0, sizeof(*h));
  OY_TRY(find_dict(map, &r));
  OY_TRY(read_dict(&r, h));
  h->data = r.base + r.text.size;
  int64_t numel;
  size_t nbytes;
  OY_CHECK(oyi_sizes_check((oy_ints){h->shape, h->ndim}, oyi_dtype_bytes[h->dtype],
                           &numel, &nbytes) == OY_OK,
           PARSE, "%s: the bytes of shape %s cannot be counted in 64 bits", map->name,
           oyi_dims_print((oy_ints){h->shape, h->ndim}).text);
  OY_CHECK(nbytes == map->size - h->data, PARSE,
           "%s: at byte %zu: expected %zu bytes of elements for shape %s, got %zu",
           map->name, h->data, nbytes, oyi_dims_print((oy_ints){h->shape, h->ndim}).text,
           map->size - h->data);
  return OY_OK;
}

oyi_tensor* oyi_npy_read(oyi_file_map* map) {
  oyi_npy_header h;
  int64_t strides[OY_TENSOR_MAX_DIMS];
  if (oyi_npy_header_read(map, &h) != 0) return NULL;
  oy_ints sizes = {h.shape, h.ndim};
  oyi_strides_contiguous(sizes, strides);
  if (h.fortran) {
    int64_t stride = 1;
    for (size_t i = 0; i < h.ndim; i++) {
      strides[i] = stride;
      stride *= h.shape[i] > 1 ? h.shape[i] : 1;
    }
  }
  return oyi_file_map_tensor(map, h.data, map->size - h.data, sizes,
                             (oy_ints){strides, h.ndim}, h.dtype, h.swap);
}

oy_tensor* oy_npy_load(const char* path) {
  oyi_file_map* map;
  if (oyi_file_map_open(path, &map) != 0) return NULL;
  oyi_tensor* t = oyi_npy_read(map);
  oyi_file_map_release(map);
  return oyi_tensor_object(t);
}
