// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "opyard/tensor.h"
#include "tensors.h"

// ---------------------------------------------------------------------- output

static void print_number(double d, oyi_strbuf* out) {
  if (isnan(d) || isinf(d)) {
    oyi_strbuf_puts(out, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
    return;
  }
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, d);
    if (strtod(text, NULL) == d) break;
  }
  // 1e+16 and beyond keep their exponent, as Python has it; 100 is not 1e+02.
  if (strchr(text, 'e') && fabs(d) >= 1 && fabs(d) < 1e16)
    snprintf(text, sizeof text, "%.0f", d);
  oyi_strbuf_puts(out, text);
}

void cli_double_print(double d, oyi_strbuf* out) {
  size_t before = out->size;
  print_number(d, out);
  // A float shows that it is one.
  if (!out->failed && !strpbrk(out->data + before, ".en")) oyi_strbuf_puts(out, ".0");
}

static void print_device(oy_device device, oyi_strbuf* out) {
  char text[64];
  oy_device_print(device, text, sizeof text);
  oyi_strbuf_puts(out, text);
}

static void print_complex(oy_complex c, oyi_strbuf* out) {
  oyi_strbuf_putc(out, '(');
  print_number(c.re, out);
  if (!signbit(c.im)) oyi_strbuf_putc(out, '+');
  print_number(c.im, out);
  oyi_strbuf_puts(out, "j)");
}

// Element |i| of a list, as a borrowed value.
static oy_value element(oy_value list, uint32_t i) {
  switch (list.tag) {
    case OY_TAG_INT_LIST: return oy_int(list.as.ints[i]);
    case OY_TAG_FLOAT_LIST: return oy_float(list.as.floats[i]);
    case OY_TAG_BOOL_LIST: return oy_bool(list.as.bools[i]);
    case OY_TAG_TENSOR_LIST:
      return list.as.tensors[i] ? oy_value_tensor(list.as.tensors[i]) : oy_none();
    default: return list.as.values[i];
  }
}

static bool is_list(oy_value value) {
  return value.tag == OY_TAG_INT_LIST || value.tag == OY_TAG_FLOAT_LIST ||
         value.tag == OY_TAG_BOOL_LIST || value.tag == OY_TAG_TENSOR_LIST ||
         value.tag == OY_TAG_LIST;
}

static void print_container(oy_value value, oyi_strbuf* out) {
  bool dict = value.tag == OY_TAG_DICT;
  oyi_strbuf_putc(out, dict ? '{' : '[');
  for (uint32_t i = 0; i < value.count; i++) {
    if (i) oyi_strbuf_puts(out, ", ");
    if (dict) {
      cli_value_print(value.as.values[2 * i], out);
      oyi_strbuf_puts(out, ": ");
    }
    cli_value_print(dict ? value.as.values[2 * i + 1] : element(value, i), out);
  }
  oyi_strbuf_putc(out, dict ? '}' : ']');
}

void cli_value_print(oy_value value, oyi_strbuf* out) {
  if (is_list(value) || value.tag == OY_TAG_DICT) {
    print_container(value, out);
    return;
  }
  switch (value.tag) {
    case OY_TAG_NONE: oyi_strbuf_puts(out, "None"); break;
    case OY_TAG_TENSOR: cli_tensor_print(value.as.object, out); break;
    case OY_TAG_INT: oyi_strbuf_printf(out, "%lld", (long long)value.as.i); break;
    case OY_TAG_FLOAT: cli_double_print(value.as.d, out); break;
    case OY_TAG_BOOL: oyi_strbuf_puts(out, value.as.i ? "True" : "False"); break;
    case OY_TAG_COMPLEX: print_complex(*value.as.complex_data, out); break;
    case OY_TAG_STR:
      oyi_strbuf_printf(out, "'%.*s'", (int)value.count, value.as.chars);
      break;
    case OY_TAG_DEVICE: print_device(value.as.device, out); break;
    default: oyi_strbuf_printf(out, "<%s>", oy_value_type_name(value)); break;
  }
}

void cli_value_json(cli_json* json, const char* key, oy_value value) {
  if (is_list(value)) {
    cli_json_open(json, key, value.tag == OY_TAG_TENSOR_LIST ? '[' : '<');
    for (uint32_t i = 0; i < value.count; i++)
      cli_value_json(json, NULL, element(value, i));
    cli_json_close(json, ']');
    return;
  }
  oyi_strbuf text = OYI_STRBUF_INIT;
  switch (value.tag) {
    case OY_TAG_NONE: cli_json_null(json, key); break;
    case OY_TAG_TENSOR: cli_tensor_json(json, key, value.as.object); break;
    case OY_TAG_INT: cli_json_int(json, key, value.as.i); break;
    case OY_TAG_FLOAT: cli_json_double(json, key, value.as.d); break;
    case OY_TAG_BOOL: cli_json_bool(json, key, value.as.i != 0); break;
    case OY_TAG_STR:
      cli_json_str(json, key, (oy_str){value.as.chars, value.count});
      break;
    default:
      cli_value_print(value, &text);
      cli_json_str(json, key, oyi_strbuf_view(&text));
      oyi_strbuf_reset(&text);
      break;
  }
}

// ----------------------------------------------------------------------- input

typedef struct maker {
  cli_name_lookup lookup;
  void* user_data;
  const cli_node** fault;
} maker;

static const oy_type* plain_type(const oy_type* type) {
  while (type && type->kind == OY_TYPE_OPTIONAL) type = type->element;
  return type;
}

// PyTorch's numbers for the names that programs use as values.
static bool constant(oy_str name, int64_t* out_value) {
  static const struct {
    const char* name;
    int64_t value;
  } constants[] = {
      {"strided", OY_LAYOUT_STRIDED},
      {"sparse_coo", OY_LAYOUT_SPARSE},
      {"sparse_csr", OY_LAYOUT_SPARSE_CSR},
      {"sparse_csc", OY_LAYOUT_SPARSE_CSC},
      {"sparse_bsr", OY_LAYOUT_SPARSE_BSR},
      {"sparse_bsc", OY_LAYOUT_SPARSE_BSC},
      {"jagged", OY_LAYOUT_JAGGED},
      {"contiguous_format", 0},
      {"preserve_format", 1},
      {"channels_last", 2},
      {"channels_last_3d", 3},
  };
  oy_dtype dtype;
  if (oy_dtype_find(name, &dtype)) {
    *out_value = dtype;
    return true;
  }
  for (size_t i = 0; i < OY_ARRAY_SIZE(constants); i++)
    if (oy_str_equal(name, oy_str_of(constants[i].name))) {
      *out_value = constants[i].value;
      return true;
    }
  return false;
}

static oy_status make_name(const maker* m, const cli_node* node, oy_value* out_value) {
  oy_value found;
  int64_t number;
  if (m->lookup(m->user_data, node->text, &found)) return oy_value_copy(found, out_value);
  if (constant(node->text, &number)) {
    *out_value = oy_int(number);
    return OY_OK;
  }
  *m->fault = node;
  return OY_FAIL(NOT_FOUND,
                 "expected a name that was assigned before, a dtype, a layout or a "
                 "memory format, found `%.*s`",
                 OY_STR_ARG(node->text));
}

// Any other string stays one: the schema's check has the better words.
static bool make_device(oy_str text, oy_value* out_value) {
  oy_device device;
  if (oy_device_parse(text, &device) != OY_OK) {
    oy_error_clear();
    return false;
  }
  *out_value = oy_value_device(device);
  return true;
}

static oy_status make(const maker* m, const cli_node* node, const oy_type* type,
                      oy_value* out_value);

// What a list of these elements is; a mixture is a LIST.
static oy_tag list_tag(const oy_value* items, size_t count, const oy_type* type) {
  const oy_type* list = plain_type(type);
  const oy_type* of =
      list && list->kind == OY_TYPE_LIST ? plain_type(list->element) : NULL;
  bool seen[OY_TAG_OBJECT + 1] = {false};
  for (size_t i = 0; i < count; i++) seen[items[i].tag] = true;
  bool others = false;
  for (int t = 0; t <= OY_TAG_OBJECT; t++)
    others = others || (seen[t] && t != OY_TAG_INT && t != OY_TAG_FLOAT &&
                        t != OY_TAG_BOOL && t != OY_TAG_TENSOR && t != OY_TAG_NONE);
  bool numbers = seen[OY_TAG_INT] || seen[OY_TAG_FLOAT];
  if (of && of->kind == OY_TYPE_TENSOR && !others && !numbers && !seen[OY_TAG_BOOL])
    return OY_TAG_TENSOR_LIST;
  if (count == 0)
    return of && of->kind == OY_TYPE_FLOAT  ? OY_TAG_FLOAT_LIST
           : of && of->kind == OY_TYPE_BOOL ? OY_TAG_BOOL_LIST
           : of && (of->kind == OY_TYPE_INT || of->kind == OY_TYPE_SYMINT)
               ? OY_TAG_INT_LIST
               : OY_TAG_LIST;
  if (others || (numbers && (seen[OY_TAG_BOOL] || seen[OY_TAG_TENSOR])) ||
      (seen[OY_TAG_NONE] && !seen[OY_TAG_TENSOR]) ||
      (seen[OY_TAG_BOOL] && seen[OY_TAG_TENSOR]))
    return OY_TAG_LIST;
  if (of && (of->kind == OY_TYPE_SCALAR || of->kind == OY_TYPE_ANY)) return OY_TAG_LIST;
  if (seen[OY_TAG_TENSOR]) return OY_TAG_TENSOR_LIST;
  if (seen[OY_TAG_BOOL]) return OY_TAG_BOOL_LIST;
  bool floats = seen[OY_TAG_FLOAT] || (of && of->kind == OY_TYPE_FLOAT);
  return floats ? OY_TAG_FLOAT_LIST : OY_TAG_INT_LIST;
}

// Takes over the items.
static oy_status pack_list(oy_value* items, size_t count, oy_tag tag,
                           oy_value* out_value) {
  OY_TRY(oy_value_new_list(tag, count, out_value));
  for (size_t i = 0; i < count; i++) {
    void* data = (void*)(uintptr_t)out_value->as.bits;
    double number = items[i].tag == OY_TAG_INT ? (double)items[i].as.i : items[i].as.d;
    if (tag == OY_TAG_INT_LIST) {
      ((int64_t*)data)[i] = items[i].as.i;
    } else if (tag == OY_TAG_FLOAT_LIST) {
      ((double*)data)[i] = number;
    } else if (tag == OY_TAG_BOOL_LIST) {
      ((bool*)data)[i] = items[i].as.i != 0;
    } else if (tag == OY_TAG_TENSOR_LIST) {
      ((oy_object**)data)[i] = oy_value_to_tensor(items[i]);
      items[i] = oy_none();
    } else {
      ((oy_value*)data)[i] = items[i];
      items[i] = oy_none();
    }
  }
  return OY_OK;
}

static oy_status make_list(const maker* m, const cli_node* node, const oy_type* type,
                           oy_value* out_value) {
  const oy_type* list = plain_type(type);
  const oy_type* of = list && list->kind == OY_TYPE_LIST ? list->element : NULL;
  oy_value* items = oyi_calloc(node->count + 1, sizeof *items);
  if (!items) return OY_OUT_OF_MEMORY;
  oy_status status = OY_OK;
  size_t made = 0;
  while (made < node->count && status == OY_OK) {
    status = make(m, &node->items[made], of, &items[made]);
    made += status == OY_OK;
  }
  if (status == OY_OK)
    status = pack_list(items, made, list_tag(items, made, type), out_value);
  for (size_t i = 0; i < made; i++) oy_value_release(&items[i]);
  oyi_free(items);
  return status;
}

static oy_status make_owned(oy_value borrowed, oy_value* out_value) {
  OY_TRY(oy_value_own(&borrowed));
  *out_value = borrowed;
  return OY_OK;
}

static oy_status make(const maker* m, const cli_node* node, const oy_type* type,
                      oy_value* out_value) {
  const oy_type* plain = plain_type(type);
  *out_value = oy_none();
  switch (node->kind) {
    case CLI_NODE_NONE: return OY_OK;
    case CLI_NODE_BOOL: *out_value = oy_bool(node->i != 0); return OY_OK;
    case CLI_NODE_INT: *out_value = oy_int(node->i); return OY_OK;
    case CLI_NODE_FLOAT: *out_value = oy_float(node->re); return OY_OK;
    case CLI_NODE_COMPLEX: {
      const oy_complex c = {node->re, node->im};
      return make_owned(oy_complex_value(&c), out_value);
    }
    case CLI_NODE_STR:
      if (plain && plain->kind == OY_TYPE_DEVICE && make_device(node->text, out_value))
        return OY_OK;
      return make_owned(oy_value_str(node->text), out_value);
    case CLI_NODE_LIST: return make_list(m, node, type, out_value);
    case CLI_NODE_NAME: return make_name(m, node, out_value);
  }
  return OY_OK;
}

oy_status cli_value_of_node(const cli_node* node, const oy_type* type,
                            cli_name_lookup lookup, void* user_data, oy_value* out_value,
                            const cli_node** out_fault) {
  *out_fault = NULL;
  const maker m = {lookup, user_data, out_fault};
  return make(&m, node, type, out_value);
}
