// SPDX-License-Identifier: Apache-2.0
// Arguments that are no tensors: numbers at the ends of their ranges, lists that are
// empty or long, words, numbers that stand for nothing.
#include <math.h>
#include <string.h>

#include "hostile.h"

#define COUNT(a) ((int64_t)(sizeof(a) / sizeof(*(a))))

void* hostile_memory(hostile_call* c, size_t count, size_t size) {
  size_t bytes = (count * size + 15) & ~(size_t)15;
  if (bytes > HOSTILE_MEMORY - c->used) return NULL;
  void* memory = c->memory + c->used;
  c->used += bytes;
  return memory;
}

static bool named(oy_str name, const char* word) {
  return memmem(name.data, name.size, word, strlen(word)) != NULL;
}

// -------------------------------------------------------------------------- numbers

static int64_t int_make(hostile_call* c, oy_str name) {
  static const int64_t wild[] = {INT64_MIN,
                                 INT64_MAX,
                                 -1,
                                 0,
                                 1,
                                 2,
                                 3,
                                 -2,
                                 63,
                                 64,
                                 65,
                                 INT64_C(1) << 31,
                                 INT64_C(1) << 32,
                                 INT64_C(1) << 62,
                                 INT64_MIN + 1,
                                 -(INT64_C(1) << 33),
                                 1000003,
                                 5,
                                 4};
  int64_t rank = c->rank ? (int64_t)c->rank : 1;
  if (hostile_is_wild(c)) return wild[hostile_below(c, COUNT(wild))];
  if (named(name, "dim") || named(name, "axis")) return hostile_below(c, 2 * rank) - rank;
  if (named(name, "group") || named(name, "stride") || named(name, "dilation") ||
      named(name, "step"))
    return hostile_chance(c, 80) ? 1 : 2;
  if (named(name, "padding") || named(name, "offset") || named(name, "start"))
    return hostile_chance(c, 60) ? 0 : 1;
  if (named(name, "size") || named(name, "kernel"))
    return 1 + hostile_below(c, c->extent);
  return hostile_below(c, c->extent + 1);
}

static double float_make(hostile_call* c) {
  static const double wild[] = {NAN,   INFINITY, -INFINITY, 0, -0.,   1,   -1,
                                1e308, 5e-324,   0.5,       2, -3.75, 1e19};
  if (hostile_is_wild(c)) return wild[hostile_below(c, COUNT(wild))];
  return (double)hostile_below(c, 5) / 2;
}

static oy_value complex_make(hostile_call* c) {
  oy_complex* z = hostile_memory(c, 1, sizeof(*z));
  if (!z) return oy_none();
  z->re = float_make(c);
  z->im = float_make(c);
  return oy_complex_value(z);
}

static oy_value scalar_make(hostile_call* c, oy_str name) {
  switch (hostile_below(c, hostile_is_wild(c) ? 5 : 4)) {
    case 0:
    case 1: return oy_int(int_make(c, name));
    case 2: return oy_float(float_make(c));
    case 3: return hostile_chance(c, 30) ? oy_bool(hostile_chance(c, 50)) : oy_int(1);
    default: return complex_make(c);
  }
}

// ---------------------------------------------------------------------------- words

static oy_value word_make(hostile_call* c) {
  static const char* const words[] = {
      "ij,jk->ik", "ij->i",    "i->",     "...i,...i->...", "ii->i",  "floor",
      "trunc",     "none",     "tanh",    "mean",           "sum",    "prod",
      "amax",      "amin",     "linear",  "lower",          "ij",     "fro",
      "nuc",       "constant", "reflect", "nearest",        "higher", "midpoint"};
  static const char* const wild[] = {"",       "->",   ",,,,,", "...",      "i...j...->",
                                     "i->i->", "\xff", "%s%n",  "aa,ab->b", "ij->k"};
  static char long_word[3000];
  if (!hostile_is_wild(c))
    return oy_value_str(oy_str_of(words[hostile_below(c, COUNT(words))]));
  if (hostile_chance(c, 90))
    return oy_value_str(oy_str_of(wild[hostile_below(c, COUNT(wild))]));
  memset(long_word, 'i', sizeof(long_word));
  return oy_value_str((oy_str){long_word, sizeof(long_word)});
}

static oy_value device_make(hostile_call* c) {
  static const oy_device wild[] = {{OY_BACKEND_CPU, 5, 0},
                                   {OY_BACKEND_CUDA, 0, 0},
                                   {OY_BACKEND_Meta, -1, 0},
                                   {OY_BACKEND_Meta, 7, 0},
                                   {-1, 0, 0},
                                   {OY_BACKEND_CPU, -77, 0},
                                   {63, 0, 0},
                                   {64, 0, 0},
                                   {INT16_MAX, 0, 0},
                                   {INT16_MIN, INT16_MIN, 0},
                                   {OY_BACKEND_CPU, -1, 9},
                                   {20, 0, 0}};
  if (hostile_is_wild(c)) return oy_value_device(wild[hostile_below(c, COUNT(wild))]);
  return oy_value_device(c->style == HOSTILE_META ? oy_device_meta() : oy_device_cpu());
}

static int64_t enum_make(hostile_call* c, oy_type_kind kind) {
  static const int64_t wild[] = {-1,        0,  1,  2,          3,   4,
                                 7,         12, 16, 255,        256, INT64_MIN,
                                 INT64_MAX, 45, 46, 4294967296, 23,  30};
  if (hostile_is_wild(c)) return wild[hostile_below(c, COUNT(wild))];
  if (kind == OY_TYPE_SCALAR_TYPE) return hostile_chance(c, 50) ? c->dtype : OY_DTYPE_F64;
  return 0;
}

// ---------------------------------------------------------------------------- lists

static size_t list_size(hostile_call* c, int64_t fixed) {
  static const size_t wild[] = {0, 1, 2, 3, 5, 64, 65, 200};
  if (hostile_is_wild(c)) return wild[hostile_below(c, COUNT(wild))];
  if (fixed > 0) return (size_t)fixed;
  return hostile_chance(c, 80) ? c->rank : (size_t)hostile_below(c, 4);
}

// Dimensions: each once, in some order.
static void dims_make(hostile_call* c, int64_t* out, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = (int64_t)i;
  for (size_t i = 0; i < n; i++) {
    size_t j = (size_t)hostile_below(c, (int64_t)n);
    int64_t swap = out[i];
    out[i] = out[j];
    out[j] = swap;
  }
}

static oy_value ints_make(hostile_call* c, oy_str name, int64_t fixed) {
  size_t n = list_size(c, fixed);
  int64_t* data = hostile_memory(c, n, sizeof(*data));
  if (!data) return oy_none();
  bool wild = hostile_is_wild(c);
  if (!wild && (named(name, "dim") || named(name, "layout") || named(name, "axes"))) {
    dims_make(c, data, n);
    if (n > 0 && hostile_chance(c, 40)) n = (size_t)hostile_below(c, (int64_t)n + 1);
  } else if (!wild && (named(name, "size") || named(name, "shape"))) {
    for (size_t i = 0; i < n; i++) data[i] = hostile_chance(c, 90) ? c->extent : 1;
  } else {
    for (size_t i = 0; i < n; i++) data[i] = int_make(c, name);
  }
  return oy_value_list(OY_TAG_INT_LIST, data, n);
}

static bool is_written(const oy_argument* argument) {
  const oy_alias* a = argument->alias;
  return a && (a->is_write || (a->element && a->element->is_write));
}

static oy_value tensors_make(hostile_call* c, const oy_argument* argument,
                             bool optional) {
  size_t n = (size_t)hostile_below(c, 4);
  if (hostile_is_wild(c) && hostile_chance(c, 20)) n = (size_t)hostile_below(c, 20);
  oy_object** data = hostile_memory(c, n, sizeof(*data));
  if (!data) return oy_none();
  for (size_t i = 0; i < n; i++)
    data[i] = optional && hostile_chance(c, 30)
                  ? &oy_none_object
                  : hostile_tensor(c, argument->name, is_written(argument));
  return oy_value_list(OY_TAG_TENSOR_LIST, data, n);
}

static oy_value typed_make(hostile_call* c, const oy_argument* argument,
                           const oy_type* type);

static oy_value list_make(hostile_call* c, const oy_argument* argument,
                          const oy_type* type) {
  const oy_type* element = type->element;
  bool optional = element->kind == OY_TYPE_OPTIONAL;
  if ((optional ? element->element : element)->kind == OY_TYPE_TENSOR)
    return tensors_make(c, argument, optional);
  if (element->kind == OY_TYPE_INT || element->kind == OY_TYPE_SYMINT)
    return ints_make(c, argument->name, type->fixed_size);
  size_t n = list_size(c, type->fixed_size);
  if (element->kind == OY_TYPE_FLOAT) {
    double* data = hostile_memory(c, n, sizeof(*data));
    for (size_t i = 0; data && i < n; i++) data[i] = float_make(c);
    return oy_value_list(OY_TAG_FLOAT_LIST, data, n);
  }
  if (element->kind == OY_TYPE_BOOL) {
    bool* data = hostile_memory(c, n, sizeof(*data));
    for (size_t i = 0; data && i < n; i++) data[i] = hostile_chance(c, 50);
    return oy_value_list(OY_TAG_BOOL_LIST, data, n);
  }
  oy_value* data = hostile_memory(c, n, sizeof(*data));
  for (size_t i = 0; data && i < n; i++) data[i] = typed_make(c, argument, element);
  return oy_value_list(OY_TAG_LIST, data, n);
}

// --------------------------------------------------------------------------- values

static oy_value typed_make(hostile_call* c, const oy_argument* argument,
                           const oy_type* type) {
  switch (type->kind) {
    case OY_TYPE_TENSOR:
      return oy_value_tensor(hostile_tensor(c, argument->name, is_written(argument)));
    case OY_TYPE_OPTIONAL:
      // Factories of the meta style say where.
      if (hostile_chance(c, 50) && type->element->kind != OY_TYPE_DEVICE)
        return oy_none();
      return typed_make(c, argument, type->element);
    case OY_TYPE_LIST: return list_make(c, argument, type);
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT: return oy_int(int_make(c, argument->name));
    case OY_TYPE_FLOAT: return oy_float(float_make(c));
    case OY_TYPE_BOOL: return oy_bool(hostile_chance(c, 50));
    case OY_TYPE_COMPLEX: return complex_make(c);
    case OY_TYPE_SCALAR: return scalar_make(c, argument->name);
    case OY_TYPE_STR:
    case OY_TYPE_DIMNAME: return word_make(c);
    case OY_TYPE_DEVICE: return device_make(c);
    case OY_TYPE_SCALAR_TYPE:
    case OY_TYPE_LAYOUT:
    case OY_TYPE_MEMORY_FORMAT: return oy_int(enum_make(c, type->kind));
    default: return oy_none();
  }
}

static oy_value other_type(hostile_call* c, const oy_argument* argument) {
  switch (hostile_below(c, 7)) {
    case 0: return oy_none();
    case 1: return oy_int(1);
    case 2: return oy_float(0.5);
    case 3: return word_make(c);
    case 4:
      return oy_value_tensor(hostile_tensor(c, argument->name, is_written(argument)));
    case 5: return ints_make(c, argument->name, 0);
    default: return complex_make(c);
  }
}

oy_value hostile_value(hostile_call* c, const oy_argument* argument) {
  if (hostile_is_wild(c) && hostile_chance(c, 3)) return other_type(c, argument);
  // What is refused at once hides the rest.
  if (named(argument->name, "pin_memory") && hostile_chance(c, 90)) return oy_none();
  if (named(argument->name, "layout") && argument->type->kind == OY_TYPE_OPTIONAL &&
      hostile_chance(c, 90))
    return oy_none();
  return typed_make(c, argument, argument->type);
}
