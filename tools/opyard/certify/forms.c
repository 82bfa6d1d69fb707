// SPDX-License-Identifier: Apache-2.0
// Calls whose arguments have to fit together more closely than chance makes them: forms.def
// has their shapes, a form here makes values of it. A form is text, "name=value" for each
// argument that matters, between spaces; what it does not name has its default, or is drawn.
//   f[2,3]   a tensor of the sample's dtype; r[2,3], c[2,3]: of the real or complex one
//            that goes with it, b[2,3]: of bools, d[2,3]: of double, i[2,3]: of int64,
//            j[2,3]: of int32
//   i5[2,3]  integers from 0 to 4, of any of these dtypes
//   v[3,1]   the numbers 3 and 1, of the sample's dtype; l[3,1]: of int64, p[3,1]: of int32
//   {f[2];r[3]}   a list of tensors
//   [1,2]    a list of numbers or truth values; others are written as in a schema
#include <fnmatch.h>
#include <stdlib.h>

#include "certify.h"

typedef struct form_row {
  const char *name, *text;
} form_row;

static const form_row g_forms[] = {
#define FORM(name, text) {name, text},
#include "forms.def"
#undef FORM
};

enum { FORMS = sizeof(g_forms) / sizeof(*g_forms), TEXT = 160, MOST = 16 };

// ------------------------------------------------------------------------ choosing

static bool is_argument(const oy_schema* schema, const char* name, size_t size) {
  for (size_t i = 0; i < schema->argument_count; i++) {
    const oy_str other = schema->arguments[i].name;
    if (other.size == size && memcmp(other.data, name, size) == 0) return true;
  }
  return false;
}

// A form with the name of the operator, with or without its overload, or a pattern of both,
// and no argument that this overload does not have.
static bool fits(const form_row* f, const oy_schema* schema) {
  const oy_str base = schema->name.base, overload = schema->name.overload;
  char full[TEXT];
  snprintf(full, sizeof(full), "%.*s.%.*s", OY_STR_ARG(base), OY_STR_ARG(overload));
  if (!oy_str_equal(base, oy_str_of(f->name)) && fnmatch(f->name, full, 0) != 0)
    return false;
  for (const char* at = f->text; *at;) {
    const size_t name = strcspn(at, "="), all = strcspn(at, " ");
    if (!is_argument(schema, at, name)) return false;
    at += all + strspn(at + all, " ");
  }
  return true;
}

// Of sixteen samples of an operator these, so that each layout is among them.
static const uint32_t g_numbers[] = {1, 3, 4, 10, 13};

// Which form of |count| the sample has; |count| if it has none. Dtypes begin with different
// ones, so that all are used.
static size_t which(const certify_sample* s, size_t count) {
  for (size_t i = 0; count && i < sizeof(g_numbers) / sizeof(*g_numbers); i++)
    if (s->number == g_numbers[i]) return (i + s->dtype) % count;
  return count;
}

const char* certify_form(const certify_sample* s) {
  const char* found[MOST];
  size_t count = 0;
  for (size_t i = 0; i < FORMS && count < MOST; i++)
    if (fits(&g_forms[i], s->schema)) found[count++] = g_forms[i].text;
  const size_t at = which(s, count);
  return at < count ? found[at] : NULL;
}

// The value that |form| has for |name|, copied to |out|.
static bool find(const char* form, oy_str name, char* out) {
  for (const char* at = form; *at;) {
    const size_t size = strcspn(at, "="), all = strcspn(at, " ");
    if (size == name.size && memcmp(at, name.data, size) == 0) {
      snprintf(out, TEXT, "%.*s", (int)(all - size - 1), at + size + 1);
      return true;
    }
    at += all + strspn(at + all, " ");
  }
  return false;
}

// -------------------------------------------------------------------------- values

// The numbers of "[1,2]" or "[]"; NULL with |*out_count| 0 where there is no room.
static int64_t* ints_of(certify_sample* s, const char* text, size_t* out_count) {
  int64_t* data = certify_room(s, strlen(text), sizeof(*data));
  *out_count = 0;
  if (*text == '[') text++;
  while (data && *text && *text != ']') {
    char* end;
    data[(*out_count)++] = strtoll(text, &end, 10);
    if (end == text) break;
    text = *end == ',' ? end + 1 : end;
  }
  return data;
}

static oy_value floats_of(certify_sample* s, const char* text) {
  double* data = certify_room(s, strlen(text), sizeof(*data));
  size_t n = 0;
  for (text++; data && *text && *text != ']';) {
    char* end;
    data[n++] = strtod(text, &end);
    if (end == text) break;
    text = *end == ',' ? end + 1 : end;
  }
  return oy_value_list(OY_TAG_FLOAT_LIST, data, n);
}

static oy_value scalars_of(certify_sample* s, const char* text) {
  size_t n;
  const int64_t* ints = ints_of(s, text, &n);
  oy_value* data = certify_room(s, n, sizeof(*data));
  for (size_t i = 0; data && i < n; i++) data[i] = oy_int(ints[i]);
  return oy_value_list(OY_TAG_LIST, data, data ? n : 0);
}

static oy_value bools_of(certify_sample* s, const char* text) {
  size_t n;
  const int64_t* ints = ints_of(s, text, &n);
  bool* data = certify_room(s, n, sizeof(*data));
  for (size_t i = 0; data && i < n; i++) data[i] = ints[i] != 0;
  return oy_value_list(OY_TAG_BOOL_LIST, data, data ? n : 0);
}

static oy_dtype real_of(oy_dtype dtype) {
  return dtype == OY_DTYPE_C64    ? OY_DTYPE_F32
         : dtype == OY_DTYPE_C128 ? OY_DTYPE_F64
                                  : dtype;
}

static oy_dtype complex_of(oy_dtype dtype) {
  return dtype == OY_DTYPE_F64 || dtype == OY_DTYPE_C128 ? OY_DTYPE_C128 : OY_DTYPE_C64;
}

static oy_dtype dtype_of(const certify_sample* s, char kind) {
  switch (kind) {
    case 'b': return OY_DTYPE_BOOL;
    case 'l':
    case 'i': return OY_DTYPE_I64;
    case 'p':
    case 'j': return OY_DTYPE_I32;
    case 'd': return OY_DTYPE_F64;
    case 'r': return real_of(s->dtype);
    case 'c': return complex_of(s->dtype);
    default: return s->dtype;
  }
}

// The numbers themselves, one after the other whatever the sample's layout is.
static oy_object* numbers_of(certify_sample* s, const int64_t* data, size_t n,
                             oy_dtype dtype) {
  const int64_t size = (int64_t)n;
  const certify_layout layout = s->layout;
  s->layout = CERTIFY_CONTIGUOUS;
  oy_object* t = certify_tensor_of(s, (oy_ints){&size, 1}, dtype, 0, false);
  s->layout = layout;
  for (int64_t i = 0; t != &oy_none_object && i < size; i++)
    (void)!oy_tensor_set(t, (oy_ints){&i, 1}, oy_int(data[i]));
  return t;
}

static oy_object* tensor_of(certify_sample* s, const char* text, bool is_written) {
  char* end;
  const int64_t bound = strtoll(text + 1, &end, 10);
  const oy_dtype dtype = dtype_of(s, *text);
  size_t n;
  const int64_t* data = ints_of(s, end, &n);
  if (!data) return &oy_none_object;
  if (strchr("vlp", *text)) return numbers_of(s, data, n, dtype);
  return certify_tensor_of(s, (oy_ints){data, n}, dtype, bound, is_written);
}

static oy_value tensors_of(certify_sample* s, char* text, bool is_written) {
  oy_object** data = certify_room(s, MOST, sizeof(*data));
  size_t n = 0;
  char* rest;
  for (char* one = strtok_r(text, "{;}", &rest); data && one && n < MOST;
       one = strtok_r(NULL, "{;}", &rest))
    data[n++] = tensor_of(s, one, is_written);
  return oy_value_list(OY_TAG_TENSOR_LIST, data, n);
}

static oy_value word_of(certify_sample* s, const char* text) {
  char* copy = certify_room(s, strlen(text) + 1, 1);
  if (!copy) return oy_none();
  memcpy(copy, text, strlen(text) + 1);
  return oy_value_str(oy_str_of(copy));
}

static oy_value list_of(certify_sample* s, const oy_type* element, char* text,
                        bool is_written) {
  size_t n;
  switch (element->kind) {
    case OY_TYPE_TENSOR:
    case OY_TYPE_OPTIONAL: return tensors_of(s, text, is_written);
    case OY_TYPE_FLOAT: return floats_of(s, text);
    case OY_TYPE_BOOL: return bools_of(s, text);
    case OY_TYPE_SCALAR: return scalars_of(s, text);
    default: {
      const int64_t* data = ints_of(s, text, &n);
      return oy_value_list(OY_TAG_INT_LIST, data, n);
    }
  }
}

static oy_value value_of(certify_sample* s, const oy_type* type, char* text,
                         bool is_written) {
  switch (type->kind) {
    case OY_TYPE_OPTIONAL:
      return strcmp(text, "None") == 0 ? oy_none()
                                       : value_of(s, type->element, text, is_written);
    case OY_TYPE_TENSOR: return oy_value_tensor(tensor_of(s, text, is_written));
    case OY_TYPE_LIST: return list_of(s, type->element, text, is_written);
    case OY_TYPE_FLOAT: return oy_float(strtod(text, NULL));
    case OY_TYPE_BOOL: return oy_bool(strcmp(text, "True") == 0);
    case OY_TYPE_STR: return word_of(s, text);
    case OY_TYPE_SCALAR:
      return strchr(text, '.') ? oy_float(strtod(text, NULL))
                               : oy_int(strtoll(text, NULL, 10));
    default: return oy_int(strtoll(text, NULL, 10));
  }
}

// What is simple; nothing else is a default of an argument that a form leaves out.
static bool default_of(const oy_argument* argument, oy_value* out) {
  const oy_default* d = &argument->default_value;
  switch (d->kind) {
    case OY_DEFAULT_NONE: *out = oy_none(); return true;
    case OY_DEFAULT_INT: *out = oy_int(d->i); return true;
    case OY_DEFAULT_FLOAT: *out = oy_float(d->re); return true;
    case OY_DEFAULT_BOOL: *out = oy_bool(d->i != 0); return true;
    case OY_DEFAULT_STR: *out = oy_value_str(d->text); return true;
    default: return false;
  }
}

static oy_value default_list(certify_sample* s, const oy_default* d) {
  int64_t* data = certify_room(s, d->item_count, sizeof(*data));
  for (size_t i = 0; data && i < d->item_count; i++) data[i] = d->items[i].i;
  return oy_value_list(OY_TAG_INT_LIST, data, data ? d->item_count : 0);
}

oy_value certify_form_value(certify_sample* s, const char* form,
                            const oy_argument* argument) {
  const bool is_written = certify_is_written(argument);
  char text[TEXT], nothing[] = "f[0]";
  oy_value value;
  if (find(form, argument->name, text))
    return value_of(s, argument->type, text, is_written);
  if (is_written && argument->is_out && argument->type->kind == OY_TYPE_TENSOR)
    return oy_value_tensor(tensor_of(s, nothing, true));
  if (default_of(argument, &value)) return value;
  if (argument->default_value.kind == OY_DEFAULT_LIST &&
      argument->type->element->kind != OY_TYPE_FLOAT)
    return default_list(s, &argument->default_value);
  return certify_value(s, argument);
}
