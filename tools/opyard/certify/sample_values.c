// SPDX-License-Identifier: Apache-2.0
// Calls made up from schemas: what is no tensor. Names of arguments say what they may be.
#include "certify.h"

#define COUNT(a) ((int64_t)(sizeof(a) / sizeof(*(a))))

static bool has_word(oy_str name, const char* word) {
  return memmem(name.data, name.size, word, strlen(word)) != NULL;
}

// ------------------------------------------------------------------------ numbers

static int64_t int_make(certify_sample* s, oy_str name) {
  const int64_t rank = s->rank ? (int64_t)s->rank : 1;
  const int64_t extent = s->extent > 0 ? s->extent : 1;
  if (s->is_bad && certify_chance(s, 25)) return certify_below(s, 9) - 4;
  if (has_word(name, "dim") || has_word(name, "axis"))
    return certify_below(s, 2 * rank) - rank;
  if (has_word(name, "group") || has_word(name, "stride") || has_word(name, "dilation") ||
      has_word(name, "step"))
    return certify_chance(s, 80) ? 1 : 2;
  if (has_word(name, "padding") || has_word(name, "offset") || has_word(name, "start"))
    return certify_chance(s, 60) ? 0 : 1;
  const int64_t most = extent > 5 ? 5 : extent;
  if (has_word(name, "size") || has_word(name, "kernel"))
    return 1 + certify_below(s, most);
  return certify_below(s, most + 1);
}

static double float_make(certify_sample* s) {
  return (double)certify_below(s, 5) / 2;
}

static oy_value complex_make(certify_sample* s) {
  oy_complex* z = certify_room(s, 1, sizeof(*z));
  if (!z) return oy_none();
  z->re = float_make(s);
  z->im = float_make(s);
  return oy_complex_value(z);
}

static oy_value scalar_make(certify_sample* s, oy_str name) {
  switch (certify_below(s, s->is_bad ? 5 : 4)) {
    case 0:
    case 1: return oy_int(int_make(s, name));
    case 2: return oy_float(float_make(s));
    case 3: return oy_int(1);
    default: return complex_make(s);
  }
}

// -------------------------------------------------------------------- words, enums

static oy_value word_make(certify_sample* s) {
  static const char* const words[] = {
      "ij,jk->ik", "ij->i",  "i->",      "...i,...i->...", "ii->i", "floor",
      "trunc",     "none",   "tanh",     "mean",           "sum",   "prod",
      "amax",      "amin",   "linear",   "lower",          "ij",    "constant",
      "reflect",   "higher", "midpoint", "nearest",        "left",  "right"};
  return oy_value_str(oy_str_of(words[certify_below(s, COUNT(words))]));
}

static int64_t enum_make(certify_sample* s, oy_type_kind kind) {
  if (kind != OY_TYPE_SCALAR_TYPE) return 0;
  return certify_chance(s, 50) ? s->dtype : OY_DTYPE_F64;
}

// -------------------------------------------------------------------------- lists

static size_t list_size(certify_sample* s, int64_t fixed) {
  if (fixed > 0) return (size_t)fixed;
  return certify_chance(s, 85) ? s->rank : (size_t)certify_below(s, 4);
}

// Dimensions: each once, in some order.
static void dims_make(certify_sample* s, int64_t* out, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = (int64_t)i;
  for (size_t i = 0; i < n; i++) {
    const size_t j = (size_t)certify_below(s, (int64_t)n);
    const int64_t swap = out[i];
    out[i] = out[j];
    out[j] = swap;
  }
}

static oy_value ints_make(certify_sample* s, oy_str name, int64_t fixed) {
  size_t n = list_size(s, fixed);
  int64_t* data = certify_room(s, n, sizeof(*data));
  if (!data) return oy_none();
  if (has_word(name, "dim") || has_word(name, "layout") || has_word(name, "axes")) {
    dims_make(s, data, n);
    if (n > 0 && certify_chance(s, 40)) n = (size_t)certify_below(s, (int64_t)n + 1);
  } else if (has_word(name, "size") || has_word(name, "shape")) {
    for (size_t i = 0; i < n; i++) data[i] = certify_chance(s, 90) ? s->extent : 1;
  } else {
    for (size_t i = 0; i < n; i++) data[i] = int_make(s, name);
  }
  return oy_value_list(OY_TAG_INT_LIST, data, n);
}

bool certify_is_written(const oy_argument* argument) {
  const oy_alias* a = argument->alias;
  return a && (a->is_write || (a->element && a->element->is_write));
}

static oy_value tensors_make(certify_sample* s, const oy_argument* argument,
                             bool optional) {
  const size_t n = (size_t)certify_below(s, 4);
  oy_object** data = certify_room(s, n, sizeof(*data));
  if (!data) return oy_none();
  for (size_t i = 0; i < n; i++)
    data[i] = optional && certify_chance(s, 30)
                  ? &oy_none_object
                  : certify_tensor_make(s, argument->name, certify_is_written(argument));
  return oy_value_list(OY_TAG_TENSOR_LIST, data, n);
}

static oy_value make(certify_sample* s, const oy_argument* argument, const oy_type* type);

static oy_value list_make(certify_sample* s, const oy_argument* argument,
                          const oy_type* type) {
  const oy_type* element = type->element;
  const bool optional = element->kind == OY_TYPE_OPTIONAL;
  if ((optional ? element->element : element)->kind == OY_TYPE_TENSOR)
    return tensors_make(s, argument, optional);
  if (element->kind == OY_TYPE_INT || element->kind == OY_TYPE_SYMINT)
    return ints_make(s, argument->name, type->fixed_size);
  const size_t n = list_size(s, type->fixed_size);
  if (element->kind == OY_TYPE_FLOAT) {
    double* data = certify_room(s, n, sizeof(*data));
    for (size_t i = 0; data && i < n; i++) data[i] = float_make(s);
    return oy_value_list(OY_TAG_FLOAT_LIST, data, n);
  }
  if (element->kind == OY_TYPE_BOOL) {
    bool* data = certify_room(s, n, sizeof(*data));
    for (size_t i = 0; data && i < n; i++) data[i] = certify_chance(s, 50);
    return oy_value_list(OY_TAG_BOOL_LIST, data, n);
  }
  oy_value* data = certify_room(s, n, sizeof(*data));
  for (size_t i = 0; data && i < n; i++) data[i] = make(s, argument, element);
  return oy_value_list(OY_TAG_LIST, data, n);
}

// ------------------------------------------------------------------------- values

static oy_value make(certify_sample* s, const oy_argument* argument,
                     const oy_type* type) {
  switch (type->kind) {
    case OY_TYPE_TENSOR:
      return oy_value_tensor(
          certify_tensor_make(s, argument->name, certify_is_written(argument)));
    case OY_TYPE_OPTIONAL:
      // Factories say where.
      if (type->element->kind != OY_TYPE_DEVICE && certify_chance(s, 50))
        return oy_none();
      return make(s, argument, type->element);
    case OY_TYPE_LIST: return list_make(s, argument, type);
    case OY_TYPE_INT:
    case OY_TYPE_SYMINT: return oy_int(int_make(s, argument->name));
    case OY_TYPE_FLOAT: return oy_float(float_make(s));
    case OY_TYPE_BOOL: return oy_bool(certify_chance(s, 50));
    case OY_TYPE_COMPLEX: return complex_make(s);
    case OY_TYPE_SCALAR: return scalar_make(s, argument->name);
    case OY_TYPE_STR:
    case OY_TYPE_DIMNAME: return word_make(s);
    case OY_TYPE_DEVICE: return oy_value_device(oy_device_cpu());
    case OY_TYPE_SCALAR_TYPE:
    case OY_TYPE_LAYOUT:
    case OY_TYPE_MEMORY_FORMAT: return oy_int(enum_make(s, type->kind));
    default: return oy_none();
  }
}

oy_value certify_value(certify_sample* s, const oy_argument* argument) {
  if (has_word(argument->name, "pin_memory") || has_word(argument->name, "layout"))
    return argument->type->kind == OY_TYPE_OPTIONAL ? oy_none()
                                                    : make(s, argument, argument->type);
  return make(s, argument, argument->type);
}
