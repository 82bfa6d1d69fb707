// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "ops/golden.h"

enum { NUMBERS_MAX = 512, BYTES_MAX = 2048 };

typedef struct reader {
  char* next;  // the rest of the line, NULL at its end
} reader;

static char* next_field(reader* r) {
  return r->next ? strsep(&r->next, "\t") : NULL;
}

// Whether |text| begins with |head| and a blank; *out_rest is what follows it.
static bool begins(char* text, const char* head, char** out_rest) {
  size_t size = strlen(head);
  if (strncmp(text, head, size) != 0 || text[size] != ' ') return false;
  *out_rest = text + size + 1;
  return true;
}

static bool read_ints(char* text, int64_t* numbers, size_t* out_count) {
  *out_count = 0;
  if (strcmp(text, "-") == 0) return true;
  for (char* part; (part = strsep(&text, ","));) {
    if (*out_count == NUMBERS_MAX) return false;
    numbers[(*out_count)++] = strtoll(part, NULL, 10);
  }
  return true;
}

static bool read_bytes(const char* text, unsigned char* bytes, size_t* out_size) {
  *out_size = 0;
  if (strcmp(text, "-") == 0) return true;
  for (; text[0] && text[1]; text += 2) {
    unsigned octet;
    if (*out_size == BYTES_MAX || sscanf(text, "%2x", &octet) != 1) return false;
    bytes[(*out_size)++] = (unsigned char)octet;
  }
  return *text == '\0';
}

// "float32 2,3 3,1 HEX"
static bool read_tensor(char* text, oy_value* out_value) {
  int64_t sizes[NUMBERS_MAX], strides[NUMBERS_MAX];
  unsigned char bytes[BYTES_MAX];
  size_t rank, stride_count, size;
  oy_dtype dtype;
  char* name = strsep(&text, " ");
  char* parts[3];
  for (int i = 0; i < 3; i++)
    if (!(parts[i] = strsep(&text, " "))) return false;
  if (!oy_dtype_find(oy_str_of(name), &dtype) || !read_ints(parts[0], sizes, &rank) ||
      !read_ints(parts[1], strides, &stride_count) || rank != stride_count ||
      !read_bytes(parts[2], bytes, &size))
    return false;
  int64_t count = (int64_t)(size / oy_dtype_size(dtype));
  oy_tensor* row = oy_tensor_from_data(bytes, (oy_ints){&count, 1}, dtype);
  oy_tensor* tensor = oy_tensor_as_strided(row, (oy_ints){sizes, rank},
                                           (oy_ints){strides, stride_count}, 0);
  oy_tensor_release(row);
  if (!tensor) return false;
  *out_value = oy_value_tensor(tensor);
  out_value->owned = 1;
  return true;
}

static bool own(oy_value borrowed, oy_value* out_value) {
  *out_value = borrowed;
  return oy_value_own(out_value) == OY_OK;
}

static bool read_int_list(char* text, oy_value* out_value) {
  int64_t numbers[NUMBERS_MAX];
  size_t count;
  if (!read_ints(text, numbers, &count)) return false;
  return own(oy_value_list(OY_TAG_INT_LIST, numbers, count), out_value);
}

static bool read_bool_list(char* text, oy_value* out_value) {
  bool truths[NUMBERS_MAX];
  size_t count = 0;
  for (char* part; count < NUMBERS_MAX && (part = strsep(&text, ","));)
    truths[count++] = *part == '1';
  return own(oy_value_list(OY_TAG_BOOL_LIST, truths, count), out_value);
}

static bool read_float_list(char* text, oy_value* out_value) {
  double numbers[NUMBERS_MAX];
  size_t count = 0;
  for (char* part; count < NUMBERS_MAX && (part = strsep(&text, ","));)
    numbers[count++] = strtod(part, NULL);
  return own(oy_value_list(OY_TAG_FLOAT_LIST, numbers, count), out_value);
}

static bool read_complex(char* text, oy_value* out_value) {
  oy_complex c;
  c.re = strtod(text, &text);
  c.im = strtod(text, NULL);
  return own(oy_complex_value(&c), out_value);
}

static bool read_device(const char* text, oy_value* out_value) {
  oy_device device;
  if (oy_device_parse(oy_str_of(text), &device) != OY_OK) return false;
  *out_value = oy_value_device(device);
  return true;
}

static bool read_value(reader* r, char* text, oy_value* out_value);

// |count| fields that follow.
static bool read_fields(reader* r, oy_tag tag, const char* count_text,
                        oy_value* out_value) {
  size_t count = strtoul(count_text, NULL, 10);
  oy_value list;
  if (count > GOLDEN_VALUES_MAX || oy_value_new_list(tag, count, &list) != OY_OK)
    return false;
  void* data = (void*)(uintptr_t)list.as.bits;
  for (size_t i = 0; i < count; i++) {
    oy_value item;
    char* field = next_field(r);
    if (!field || !read_value(r, field, &item)) {
      oy_value_release(&list);
      return false;
    }
    if (tag == OY_TAG_TENSOR_LIST)
      ((oy_object**)data)[i] = oy_value_to_tensor(item);
    else
      ((oy_value*)data)[i] = item;
  }
  *out_value = list;
  return true;
}

static bool read_value(reader* r, char* text, oy_value* out_value) {
  char* rest;
  *out_value = oy_none();
  if (strcmp(text, "N") == 0) return true;
  if (begins(text, "T", &rest)) return read_tensor(rest, out_value);
  if (begins(text, "C", &rest)) return read_complex(rest, out_value);
  if (begins(text, "D", &rest)) return read_device(rest, out_value);
  if (begins(text, "[I]", &rest)) return read_int_list(rest, out_value);
  if (begins(text, "[F]", &rest)) return read_float_list(rest, out_value);
  if (begins(text, "[B]", &rest)) return read_bool_list(rest, out_value);
  if (begins(text, "[T]", &rest))
    return read_fields(r, OY_TAG_TENSOR_LIST, rest, out_value);
  if (begins(text, "[]", &rest)) return read_fields(r, OY_TAG_LIST, rest, out_value);
  if (begins(text, "S", &rest)) return own(oy_value_str(oy_str_of(rest)), out_value);
  if (begins(text, "I", &rest))
    *out_value = oy_int(strtoll(rest, NULL, 10));
  else if (begins(text, "F", &rest))
    *out_value = oy_float(strtod(rest, NULL));
  else if (begins(text, "B", &rest))
    *out_value = oy_bool(*rest == '1');
  else
    return false;
  return true;
}

// "dim=I 3": cuts the name off. Values themselves have no "=" before their first blank.
static char* cut_name(char* text, oy_str* out_name) {
  size_t size = strcspn(text, "= ");
  if (text[size] != '=') return text;
  *out_name = (oy_str){text, size};
  return text + size + 1;
}

static bool read_arguments(reader* r, golden_call* call) {
  for (char* field; (field = next_field(r)) && strcmp(field, "->") != 0;) {
    oy_str name = {NULL, 0};
    char* text = cut_name(field, &name);
    if (call->argument_count == GOLDEN_VALUES_MAX ||
        !read_value(r, text, &call->arguments[call->argument_count]))
      return false;
    call->argument_count++;
    if (name.size) call->names[call->name_count++] = name;
  }
  return true;
}

bool golden_parse(char* line, golden_call* out_call) {
  reader r = {line};
  memset(out_call, 0, sizeof *out_call);
  line[strcspn(line, "\n")] = '\0';
  out_call->op = next_field(&r);
  char* tolerance = next_field(&r);
  if (!tolerance || sscanf(tolerance, "%lf %lf", &out_call->rtol, &out_call->atol) != 2)
    return false;
  if (!read_arguments(&r, out_call)) return false;
  for (char* field; (field = next_field(&r));) {
    if (out_call->result_count == GOLDEN_VALUES_MAX ||
        !read_value(&r, field, &out_call->results[out_call->result_count]))
      return false;
    out_call->result_count++;
  }
  return true;
}

void golden_release(golden_call* call) {
  for (size_t i = 0; i < call->argument_count; i++) oy_value_release(&call->arguments[i]);
  for (size_t i = 0; i < call->result_count; i++) oy_value_release(&call->results[i]);
}
