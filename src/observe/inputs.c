// SPDX-License-Identifier: Apache-2.0
// Arguments of a call, kept as numbers:
//
//   count, then for each argument  tag | dtype << 8 | n << 16, and after it
//     TENSOR         n sizes, n strides
//     TENSOR_LIST    n tensors, each as above
//     INT_LIST ...   n numbers
//     INT, BOOL, FLOAT, DEVICE   one word
//     STR            n words of characters, NUL-terminated
#include <inttypes.h>
#include <stdio.h>

#include "observe/profiler.h"
#include "opyard/tensor.h"

enum { LIST_MOST = 16, TEXT_MOST = 64, DIMS_MOST = OY_TENSOR_MAX_DIMS };

static int64_t head(unsigned tag, unsigned dtype, size_t n) {
  return (int64_t)(tag | dtype << 8 | (uint64_t)n << 16);
}
static unsigned tag_of(int64_t word) {
  return (unsigned)(word & 0xff);
}
static oy_dtype dtype_of(int64_t word) {
  return (oy_dtype)(word >> 8 & 0xff);
}
static size_t n_of(int64_t word) {
  return (size_t)(word >> 16);
}

// ----------------------------------------------------------------------- copying

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static size_t put_tensor(int64_t* to, const oy_object* object) {
  if (!oy_object_is_tensor(object)) {
    if (to) to[0] = head(OY_TAG_NONE, 0, 0);
    return 1;
  }
  oy_ints sizes = oy_tensor_sizes(object), strides = oy_tensor_strides(object);
  size_t n = least(sizes.size, DIMS_MOST);
  if (!to) return 1 + 2 * n;
  to[0] = head(OY_TAG_TENSOR, (uint8_t)object->dtype, n);
  for (size_t i = 0; i < n; i++) {
    to[1 + i] = sizes.data[i];
    to[1 + n + i] = i < strides.size ? strides.data[i] : 0;
  }
  return 1 + 2 * n;
}

static int64_t element(const oy_value* v, size_t i) {
  int64_t word = 0;
  if (v->tag == OY_TAG_INT_LIST) return v->as.ints[i];
  if (v->tag == OY_TAG_BOOL_LIST) return v->as.bools[i];
  memcpy(&word, &v->as.floats[i], sizeof(word));
  return word;
}

static size_t put_list(int64_t* to, const oy_value* v) {
  size_t n = least(v->count, LIST_MOST), at = 1;
  if (to) to[0] = head(v->tag, 0, n);
  for (size_t i = 0; i < n; i++) {
    if (v->tag == OY_TAG_TENSOR_LIST)
      at += put_tensor(to ? to + at : NULL, v->as.tensors[i]);
    else if (to)
      to[at++] = element(v, i);
    else
      at++;
  }
  return at;
}

static size_t put_text(int64_t* to, const oy_value* v) {
  size_t size = least(v->count, TEXT_MOST), words = size / 8 + 1;
  if (!to) return 1 + words;
  to[0] = head(OY_TAG_STR, 0, words);
  memset(to + 1, 0, words * 8);
  if (size) memcpy(to + 1, v->as.chars, size);
  return 1 + words;
}

// Writes |v| and gives the number of words; only that if |to| is NULL.
static size_t put(int64_t* to, const oy_value* v) {
  switch (v->tag) {
    case OY_TAG_TENSOR: return put_tensor(to, v->as.object);
    case OY_TAG_TENSOR_LIST:
    case OY_TAG_INT_LIST:
    case OY_TAG_BOOL_LIST:
    case OY_TAG_FLOAT_LIST: return put_list(to, v);
    case OY_TAG_STR: return put_text(to, v);
    default: break;
  }
  bool has_word = v->tag == OY_TAG_INT || v->tag == OY_TAG_FLOAT ||
                  v->tag == OY_TAG_BOOL || v->tag == OY_TAG_DEVICE;
  if (to) to[0] = head(v->tag, 0, 0);
  if (to && has_word) to[1] = v->as.i;
  return 1 + has_word;
}

const int64_t* oyi_inputs_copy(oyi_arena* arena, const oy_value* inputs, size_t count) {
  size_t words = 1;
  for (size_t i = 0; i < count; i++) words += put(NULL, &inputs[i]);
  int64_t* to = oyi_arena_alloc(arena, words * sizeof(*to));
  if (!to) return NULL;
  size_t at = 1;
  to[0] = (int64_t)count;
  for (size_t i = 0; i < count; i++) at += put(to + at, &inputs[i]);
  return to;
}

// ---------------------------------------------------------------------- printing

// How many words the argument at |at| has.
static size_t length(const int64_t* at) {
  size_t n = n_of(at[0]), words = 1;
  switch (tag_of(at[0])) {
    case OY_TAG_TENSOR: return 1 + 2 * n;
    case OY_TAG_TENSOR_LIST:
      for (size_t i = 0; i < n; i++) words += length(at + words);
      return words;
    case OY_TAG_INT_LIST:
    case OY_TAG_BOOL_LIST:
    case OY_TAG_FLOAT_LIST:
    case OY_TAG_STR: return 1 + n;
    case OY_TAG_INT:
    case OY_TAG_BOOL:
    case OY_TAG_FLOAT:
    case OY_TAG_DEVICE: return 2;
    default: return 1;
  }
}

static void print_dims(oyi_strbuf* text, const int64_t* at, bool strides) {
  size_t n = n_of(at[0]);
  oyi_strbuf_putc(text, '[');
  for (size_t i = 0; tag_of(at[0]) == OY_TAG_TENSOR && i < n; i++)
    oyi_strbuf_printf(text, "%s%" PRId64, i ? ", " : "", at[1 + (strides ? n : 0) + i]);
  oyi_strbuf_putc(text, ']');
}

static void print_shape(oyi_strbuf* text, const int64_t* at, bool strides) {
  if (tag_of(at[0]) != OY_TAG_TENSOR_LIST) {
    print_dims(text, at, strides);
    return;
  }
  size_t n = n_of(at[0]), from = 1;
  oyi_strbuf_putc(text, '[');
  for (size_t i = 0; i < n; i++) {
    if (i) oyi_strbuf_puts(text, ", ");
    print_dims(text, at + from, strides);
    from += length(at + from);
  }
  oyi_strbuf_putc(text, ']');
}

// PyTorch's names of C++ types, and "Scalar" for numbers.
static const char* type_name(const int64_t* at) {
  static const char* const names[] = {[OY_DTYPE_U8] = "unsigned char",
                                      [OY_DTYPE_I8] = "signed char",
                                      [OY_DTYPE_I16] = "short",
                                      [OY_DTYPE_I32] = "int",
                                      [OY_DTYPE_I64] = "long int",
                                      [OY_DTYPE_F16] = "c10::Half",
                                      [OY_DTYPE_F32] = "float",
                                      [OY_DTYPE_F64] = "double",
                                      [OY_DTYPE_C64] = "c10::complex<float>",
                                      [OY_DTYPE_C128] = "c10::complex<double>",
                                      [OY_DTYPE_BOOL] = "bool",
                                      [OY_DTYPE_BF16] = "c10::BFloat16"};
  switch (tag_of(at[0])) {
    case OY_TAG_TENSOR: {
      unsigned dtype = (uint8_t)dtype_of(at[0]);
      const char* name = dtype < sizeof names / sizeof names[0] ? names[dtype] : NULL;
      if (!name) name = oy_dtype_name((oy_dtype)dtype);
      return name ? name : "";
    }
    case OY_TAG_INT:
    case OY_TAG_FLOAT:
    case OY_TAG_BOOL:
    case OY_TAG_COMPLEX: return "Scalar";
    case OY_TAG_TENSOR_LIST: return "TensorList";
    case OY_TAG_INT_LIST:
    case OY_TAG_FLOAT_LIST:
    case OY_TAG_BOOL_LIST: return "ScalarList";
    case OY_TAG_LIST: return "GenericList";
    default: return "";
  }
}

static void print_number(oyi_strbuf* text, unsigned tag, int64_t word) {
  double d;
  memcpy(&d, &word, sizeof(d));
  if (tag == OY_TAG_FLOAT || tag == OY_TAG_FLOAT_LIST)
    oyi_strbuf_printf(text, "%.15g", d);
  else if (tag == OY_TAG_BOOL || tag == OY_TAG_BOOL_LIST)
    oyi_strbuf_puts(text, word ? "True" : "False");
  else
    oyi_strbuf_printf(text, "%" PRId64, word);
}

static void print_numbers(oyi_strbuf* text, const int64_t* at) {
  oyi_strbuf_putc(text, '[');
  for (size_t i = 0; i < n_of(at[0]); i++) {
    if (i) oyi_strbuf_puts(text, ", ");
    print_number(text, tag_of(at[0]), at[1 + i]);
  }
  oyi_strbuf_putc(text, ']');
}

static void print_device(oyi_strbuf* text, const int64_t* at) {
  oy_device device;
  char name[64];
  memcpy(&device, &at[1], sizeof(device));
  (void)oy_device_print(device, name, sizeof name);
  oyi_strbuf_puts(text, name);
}

// In a text of JSON: characters that would end or break it become "?".
static void print_chars(oyi_strbuf* text, const char* chars) {
  for (; *chars; chars++) {
    unsigned char c = (unsigned char)*chars;
    oyi_strbuf_putc(text, c < ' ' || c > '~' || c == '"' || c == '\\' ? '?' : (char)c);
  }
}

static void print_value(oyi_strbuf* text, const int64_t* at) {
  switch (tag_of(at[0])) {
    case OY_TAG_INT:
    case OY_TAG_FLOAT:
    case OY_TAG_BOOL: print_number(text, tag_of(at[0]), at[1]); break;
    case OY_TAG_INT_LIST:
    case OY_TAG_FLOAT_LIST:
    case OY_TAG_BOOL_LIST: print_numbers(text, at); break;
    case OY_TAG_DEVICE: print_device(text, at); break;
    case OY_TAG_STR: print_chars(text, (const char*)(at + 1)); break;
    default: break;
  }
}

static void print_one(oyi_strbuf* text, const int64_t* at, oyi_inputs_what what) {
  if (what == OYI_INPUT_SHAPES || what == OYI_INPUT_STRIDES) {
    print_shape(text, at, what == OYI_INPUT_STRIDES);
    return;
  }
  oyi_strbuf_putc(text, '"');
  if (what == OYI_INPUT_TYPES)
    oyi_strbuf_puts(text, type_name(at));
  else
    print_value(text, at);
  oyi_strbuf_putc(text, '"');
}

void oyi_inputs_print(oyi_strbuf* text, const int64_t* inputs, oyi_inputs_what what) {
  const int64_t* at = inputs + 1;
  oyi_strbuf_putc(text, '[');
  for (int64_t i = 0; i < inputs[0]; i++) {
    if (i) oyi_strbuf_puts(text, ", ");
    print_one(text, at, what);
    at += length(at);
  }
  oyi_strbuf_putc(text, ']');
}
