// SPDX-License-Identifier: Apache-2.0
// Between the forms that one list can have: the boxed world also knows a list of
// values (what a front end makes that does not look at the schema), typed calls
// want arrays of numbers or tensors. The new list is owned; the old value is
// released only when the new one is complete.
#include "dispatch/value_convert.h"

#include "opyard/trampoline.h"

// As oy_fits_*, for a letter that is not known when compiling.
bool oyi_value_fits(oy_value v, char letter) {
  static const uint8_t tags[128] = {
      ['t'] = OY_TAG_TENSOR,     ['i'] = OY_TAG_INT,         ['b'] = OY_TAG_BOOL,
      ['d'] = OY_TAG_FLOAT,      ['z'] = OY_TAG_COMPLEX,     ['s'] = OY_TAG_STR,
      ['D'] = OY_TAG_DEVICE,     ['T'] = OY_TAG_TENSOR_LIST, ['I'] = OY_TAG_INT_LIST,
      ['F'] = OY_TAG_FLOAT_LIST, ['B'] = OY_TAG_BOOL_LIST,   ['V'] = OY_TAG_LIST,
      ['M'] = OY_TAG_DICT,       ['g'] = OY_TAG_GENERATOR,   ['o'] = OY_TAG_OBJECT,
  };
  if (letter == 'v') return oy_fits_v(v);
  if (v.tag == OY_TAG_NONE) return strchr("tTIFBVMgo", letter) != NULL;
  return v.tag == tags[letter & 127];
}

static oy_tag list_tag(char letter) {
  switch (letter) {
    case 'T': return OY_TAG_TENSOR_LIST;
    case 'I': return OY_TAG_INT_LIST;
    case 'F': return OY_TAG_FLOAT_LIST;
    case 'B': return OY_TAG_BOOL_LIST;
    case 'V': return OY_TAG_LIST;
    default: return OY_TAG_NONE;
  }
}

// Element |i| of any list but a dict, borrowed.
static oy_value element_at(oy_value list, size_t i) {
  oy_value v;
  switch (list.tag) {
    case OY_TAG_TENSOR_LIST: return oy_value_tensor(list.as.tensors[i]);
    case OY_TAG_INT_LIST: return oy_int(list.as.ints[i]);
    case OY_TAG_FLOAT_LIST: return oy_float(list.as.floats[i]);
    case OY_TAG_BOOL_LIST: return oy_bool(list.as.bools[i]);
    default:
      v = list.as.values[i];
      v.owned = 0;
      return v;
  }
}

// The list's element |i| is |v|; false if it cannot be.
static oyi_converted put_element(oy_value list, size_t i, oy_value v) {
  void* data = (void*)(uintptr_t)list.as.bits;
  switch (list.tag) {
    case OY_TAG_TENSOR_LIST:
      if (!oy_fits_t(v)) return OYI_CONVERT_MISMATCH;
      ((oy_object**)data)[i] = oy_value_to_tensor(v);
      oy_object_retain(oy_value_to_tensor(v));
      return OYI_CONVERTED;
    case OY_TAG_INT_LIST:
      ((int64_t*)data)[i] = v.as.i;
      return v.tag == OY_TAG_INT ? OYI_CONVERTED : OYI_CONVERT_MISMATCH;
    case OY_TAG_FLOAT_LIST:
      ((double*)data)[i] = v.tag == OY_TAG_INT ? (double)v.as.i : v.as.d;
      return v.tag == OY_TAG_INT || v.tag == OY_TAG_FLOAT ? OYI_CONVERTED
                                                          : OYI_CONVERT_MISMATCH;
    case OY_TAG_BOOL_LIST:
      ((bool*)data)[i] = v.as.i != 0;
      return v.tag == OY_TAG_BOOL ? OYI_CONVERTED : OYI_CONVERT_MISMATCH;
    default:
      if (oy_value_own(&v) != OY_OK) return OYI_CONVERT_NO_MEMORY;
      ((oy_value*)data)[i] = v;
      return OYI_CONVERTED;
  }
}

static oyi_converted convert_list(oy_value* v, oy_tag tag) {
  oy_value list;
  if (oy_value_new_list(tag, v->count, &list) != OY_OK) return OYI_CONVERT_NO_MEMORY;
  oyi_converted done = OYI_CONVERTED;
  for (size_t i = 0; i < v->count && done == OYI_CONVERTED; i++)
    done = put_element(list, i, element_at(*v, i));
  if (done != OYI_CONVERTED) {
    oy_value_release(&list);
    return done;
  }
  oy_value_release(v);
  *v = list;
  return OYI_CONVERTED;
}

static oyi_converted convert_number(oy_value* v, char letter) {
  bool is_int = v->tag == OY_TAG_INT;
  if (!is_int && v->tag != OY_TAG_FLOAT) return OYI_CONVERT_MISMATCH;
  oy_value before = *v;
  oy_complex c = {is_int ? (double)v->as.i : v->as.d, 0};
  *v = letter == 'd' ? oy_float(c.re) : oy_complex_value(&c);
  if (oy_value_own(v) == OY_OK) return OYI_CONVERTED;
  *v = before;
  return OYI_CONVERT_NO_MEMORY;
}

oyi_converted oyi_value_convert(oy_value* v, char letter) {
  if (oyi_value_fits(*v, letter)) return OYI_CONVERTED;
  if (letter == 'd' || letter == 'z') return convert_number(v, letter);
  oy_tag tag = list_tag(letter);
  bool is_list = v->tag == OY_TAG_LIST || v->tag == OY_TAG_TENSOR_LIST ||
                 v->tag == OY_TAG_INT_LIST || v->tag == OY_TAG_FLOAT_LIST ||
                 v->tag == OY_TAG_BOOL_LIST;
  if (tag == OY_TAG_NONE || !is_list) return OYI_CONVERT_MISMATCH;
  return convert_list(v, tag);
}
