// SPDX-License-Identifier: Apache-2.0
// Is a value of a type? Lists are first brought into the form that typed calls
// read (value_convert.c), then looked into as far as the type says anything.
#include "dispatch/value_check.h"

#include "dispatch/schema_type.h"

enum { MAX_DEPTH = 32 };

static oyi_converted check_at(oy_value* v, const oy_type* type, int depth);

static oyi_converted as_is(bool fits) {
  return fits ? OYI_CONVERTED : OYI_CONVERT_MISMATCH;
}

static char number_list_letter(const oy_type* element) {
  switch (oyi_type_kind_as(element->kind, OYI_TYPE_FAKE)) {
    case OY_TYPE_INT:
    case OY_TYPE_QSCHEME: return 'I';
    case OY_TYPE_FLOAT: return 'F';
    case OY_TYPE_BOOL: return 'B';
    default: return 0;
  }
}

// One number for a list of fixed size is that many of it.
static oyi_converted broadcast(oy_value* v, const oy_type* type, char letter) {
  static const oy_tag tags[128] = {
      ['I'] = OY_TAG_INT_LIST, ['F'] = OY_TAG_FLOAT_LIST, ['B'] = OY_TAG_BOOL_LIST};
  oy_value one = *v;
  oyi_converted done = check_at(&one, type->element, 0);
  if (done != OYI_CONVERTED) return done;
  oy_value list;
  size_t count = (size_t)type->fixed_size;
  if (oy_value_new_list(tags[(int)letter], count, &list) != OY_OK)
    return OYI_CONVERT_NO_MEMORY;
  void* data = (void*)(uintptr_t)list.as.bits;
  for (size_t i = 0; i < count; i++) {
    if (letter == 'I') ((int64_t*)data)[i] = one.as.i;
    if (letter == 'F') ((double*)data)[i] = one.as.d;
    if (letter == 'B') ((bool*)data)[i] = one.as.i != 0;
  }
  *v = list;
  return OYI_CONVERTED;
}

static oyi_converted check_tensors(oy_value* v, const oy_type* element) {
  oyi_converted done =
      v->tag == OY_TAG_NONE ? OYI_CONVERT_MISMATCH : oyi_value_convert(v, 'T');
  if (done != OYI_CONVERTED || element->kind != OY_TYPE_TENSOR) return done;
  for (size_t i = 0; i < v->count; i++)
    if (oy_object_is_none(v->as.tensors[i])) return OYI_CONVERT_MISMATCH;
  return OYI_CONVERTED;
}

static const oy_type* field_type(const oy_type* type, size_t i) {
  return type->kind == OY_TYPE_TUPLE ? type->fields[i] : type->element;
}

// A copy of the list *v in which every element is of its type.
static oyi_converted copy_checked(oy_value* v, const oy_type* type, int depth) {
  oy_value list;
  if (oy_value_new_list(OY_TAG_LIST, v->count, &list) != OY_OK)
    return OYI_CONVERT_NO_MEMORY;
  oy_value* to = (oy_value*)(uintptr_t)list.as.bits;
  oyi_converted done = OYI_CONVERTED;
  for (size_t i = 0; i < v->count && done == OYI_CONVERTED; i++) {
    if (oy_value_copy(v->as.values[i], &to[i]) != OY_OK)
      done = OYI_CONVERT_NO_MEMORY;
    else
      done = check_at(&to[i], field_type(type, i), depth + 1);
  }
  if (done != OYI_CONVERTED) {
    oy_value_release(&list);
    return done;
  }
  oy_value_release(v);
  *v = list;
  return OYI_CONVERTED;
}

static oyi_converted check_values(oy_value* v, const oy_type* type, int depth) {
  oyi_converted done =
      v->tag == OY_TAG_NONE ? OYI_CONVERT_MISMATCH : oyi_value_convert(v, 'V');
  if (done != OYI_CONVERTED) return done;
  if (type->kind == OY_TYPE_TUPLE && v->count != type->field_count)
    return OYI_CONVERT_MISMATCH;
  for (size_t i = 0; i < v->count; i++) {
    oy_value element = v->as.values[i];
    element.owned = 0;
    done = check_at(&element, field_type(type, i), depth + 1);
    if (done != OYI_CONVERTED) return done;
    bool same =
        element.tag == v->as.values[i].tag && element.as.bits == v->as.values[i].as.bits;
    oy_value_release(&element);
    if (!same) return copy_checked(v, type, depth);
  }
  return OYI_CONVERTED;
}

static oyi_converted check_list(oy_value* v, const oy_type* type, int depth) {
  const oy_type* element = type->element;
  bool optional = element->kind == OY_TYPE_OPTIONAL;
  if ((optional ? element->element : element)->kind == OY_TYPE_TENSOR)
    return check_tensors(v, element);
  char letter = number_list_letter(element);
  if (!letter) return check_values(v, type, depth);
  if (v->tag == OY_TAG_NONE) return OYI_CONVERT_MISMATCH;
  bool number = v->tag == OY_TAG_INT || v->tag == OY_TAG_FLOAT || v->tag == OY_TAG_BOOL;
  if (number && type->fixed_size > 0) return broadcast(v, type, letter);
  return oyi_value_convert(v, letter);
}

static oyi_converted check_dict(oy_value* v, const oy_type* type, int depth) {
  if (v->tag != OY_TAG_DICT) return OYI_CONVERT_MISMATCH;
  for (size_t i = 0; i < 2 * (size_t)v->count; i++) {
    oy_value part = v->as.values[i];
    part.owned = 0;
    oyi_converted done = check_at(&part, i % 2 ? type->value : type->element, depth + 1);
    oy_value_release(&part);
    if (done != OYI_CONVERTED) return done;
  }
  return OYI_CONVERTED;
}

static oyi_converted check_union(oy_value* v, const oy_type* type, int depth) {
  oyi_converted done = OYI_CONVERT_MISMATCH;
  for (size_t i = 0; i < type->field_count && done == OYI_CONVERT_MISMATCH; i++)
    done = check_at(v, type->fields[i], depth + 1);
  return done;
}

static oyi_converted check_structured(oy_value* v, const oy_type* type, int depth) {
  if (depth >= MAX_DEPTH) return OYI_CONVERT_MISMATCH;
  switch (type->kind) {
    case OY_TYPE_OPTIONAL:
      return v->tag == OY_TAG_NONE ? OYI_CONVERTED
                                   : check_at(v, type->element, depth + 1);
    case OY_TYPE_LIST: return check_list(v, type, depth);
    case OY_TYPE_TUPLE: return check_values(v, type, depth);
    case OY_TYPE_DICT: return check_dict(v, type, depth);
    default: return check_union(v, type, depth);
  }
}

static oyi_converted check_at(oy_value* v, const oy_type* type, int depth) {
  switch (oyi_type_kind_as(type->kind, OYI_TYPE_FAKE)) {
    case OY_TYPE_TENSOR: return as_is(v->tag == OY_TAG_TENSOR);
    case OY_TYPE_INT:
    case OY_TYPE_QSCHEME:
    case OY_TYPE_ANY_ENUM: return as_is(v->tag == OY_TAG_INT);
    case OY_TYPE_FLOAT: return oyi_value_convert(v, 'd');
    case OY_TYPE_COMPLEX: return oyi_value_convert(v, 'z');
    case OY_TYPE_BOOL: return as_is(v->tag == OY_TAG_BOOL);
    case OY_TYPE_STR: return as_is(v->tag == OY_TAG_STR);
    case OY_TYPE_DEVICE: return as_is(v->tag == OY_TAG_DEVICE);
    case OY_TYPE_SCALAR:
      return as_is(v->tag == OY_TAG_INT || v->tag == OY_TAG_FLOAT ||
                   v->tag == OY_TAG_BOOL || v->tag == OY_TAG_COMPLEX);
    case OY_TYPE_GENERATOR: return as_is(v->tag == OY_TAG_GENERATOR);
    case OY_TYPE_NONE: return as_is(v->tag == OY_TAG_NONE);
    case OY_TYPE_ANY:
    case OY_TYPE_VAR: return OYI_CONVERTED;
    case OY_TYPE_OPTIONAL:
    case OY_TYPE_LIST:
    case OY_TYPE_TUPLE:
    case OY_TYPE_DICT:
    case OY_TYPE_UNION: return check_structured(v, type, depth);
    default: return as_is(v->tag == OY_TAG_OBJECT);
  }
}

oyi_converted oyi_value_check(oy_value* v, const oy_type* type) {
  return check_at(v, type, 0);
}

// -------------------------------------------------------------------- defaults

static oy_status default_list(const oy_default* d, const oy_type* type,
                              oy_value* out_value) {
  OY_TRY(oy_value_new_list(OY_TAG_LIST, d->item_count, out_value));
  const oy_type* element = oyi_type_unwrap(type)->element;
  oy_value* items = (oy_value*)(uintptr_t)out_value->as.bits;
  for (size_t i = 0; i < d->item_count; i++) {
    oy_status status =
        oyi_default_value(&d->items[i], element ? element : type, &items[i]);
    if (status == OY_OK) continue;
    oy_value_release(out_value);
    return status;
  }
  return OY_OK;
}

oy_status oyi_default_value(const oy_default* d, const oy_type* type,
                            oy_value* out_value) {
  oy_complex c = {d->re, d->im};
  switch (d->kind) {
    case OY_DEFAULT_INT: *out_value = oy_int(d->i); return OY_OK;
    case OY_DEFAULT_BOOL: *out_value = oy_bool(d->i != 0); return OY_OK;
    case OY_DEFAULT_FLOAT: *out_value = oy_float(d->re); return OY_OK;
    case OY_DEFAULT_COMPLEX:
      *out_value = oy_complex_value(&c);
      return oy_value_own(out_value);
    case OY_DEFAULT_STR:
      *out_value = oy_value_str(d->text);
      return oy_value_own(out_value);
    case OY_DEFAULT_LIST: return default_list(d, type, out_value);
    default: *out_value = oy_none(); return OY_OK;
  }
}
