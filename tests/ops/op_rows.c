// SPDX-License-Identifier: Apache-2.0
#include "ops/op_rows.h"

#include "support/tensors.h"
#include "tensor/element.h"

static const struct {
  const char* name;
  oy_dtype dtype;
} g_dtypes[] = {{"u8", OY_DTYPE_U8},     {"i8", OY_DTYPE_I8},   {"i16", OY_DTYPE_I16},
                {"i32", OY_DTYPE_I32},   {"i64", OY_DTYPE_I64}, {"f16", OY_DTYPE_F16},
                {"f32", OY_DTYPE_F32},   {"f64", OY_DTYPE_F64}, {"c64", OY_DTYPE_C64},
                {"c128", OY_DTYPE_C128}, {"b1", OY_DTYPE_BOOL}, {"bf16", OY_DTYPE_BF16},
                {"c32", OY_DTYPE_C32}};
enum { DTYPE_COUNT = sizeof(g_dtypes) / sizeof(*g_dtypes), ROOM = 512, ARGUMENTS = 16 };

static bool skip_text(const char** p, const char* text) {
  size_t size = strlen(text);
  while (**p == ' ') ++*p;
  if (strncmp(*p, text, size) != 0) return false;
  *p += size;
  return true;
}

// The dtype that |p| begins with, if |behind| follows it.
static bool read_dtype(const char** p, char behind, oy_dtype* out) {
  while (**p == ' ') ++*p;
  for (size_t i = 0; i < DTYPE_COUNT; i++) {
    size_t size = strlen(g_dtypes[i].name);
    if (strncmp(*p, g_dtypes[i].name, size) != 0) continue;
    if (behind && (*p)[size] != behind) continue;
    *p += size;
    *out = g_dtypes[i].dtype;
    return true;
  }
  return false;
}

// Numbers up to a bracket, which is left out; how many there were.
static size_t read_ints(const char** p, int64_t* out) {
  size_t n = 0;
  while (!skip_text(p, "]")) {
    char* end;
    out[n++] = strtoll(*p, &end, 10);
    *p = end;
    skip_text(p, ",");
  }
  return n;
}

static double read_number(const char** p) {
  char* end;
  double d = strtod(*p, &end);
  *p = end;
  skip_text(p, ",");
  return d;
}

// What stands in the text for one tensor.
typedef struct literal {
  oy_dtype dtype;
  bool reversed;
  size_t ndim;
  int64_t sizes[8], numel;
  double parts[ROOM];  // two for each complex element
} literal;

static bool read_literal(const char** p, literal* t) {
  if (!read_dtype(p, '[', &t->dtype)) return false;
  ++*p;
  t->ndim = read_ints(p, t->sizes);
  t->reversed = skip_text(p, "^");
  t->numel = 1;
  for (size_t d = 0; d < t->ndim; d++) t->numel *= t->sizes[d];
  int64_t parts = t->numel * (oy_dtype_is_complex(t->dtype) ? 2 : 1);
  assert_true(skip_text(p, ":") && parts <= ROOM);
  for (int64_t i = 0; i < parts; i++) t->parts[i] = read_number(p);
  return true;
}

static oyi_number number_of(const literal* t, int64_t i) {
  if (oy_dtype_is_complex(t->dtype))
    return (oyi_number){OYI_NUMBER_COMPLEX, 0, t->parts[2 * i], t->parts[2 * i + 1]};
  if (oy_dtype_is_integral(t->dtype, true))
    return (oyi_number){OYI_NUMBER_INT, (int64_t)t->parts[i], t->parts[i], 0};
  return (oyi_number){OYI_NUMBER_FLOAT, 0, t->parts[i], 0};
}

// Address of element |i| in row-major order.
static char* address(const oy_tensor* tensor, int64_t i) {
  const oyi_tensor* t = oyi_tensor_cast(tensor);
  int64_t offset = 0;
  for (size_t d = t->ndim; d-- > 0;) {
    offset += i % t->sizes[d] * oyi_strides(t)[d];
    i /= t->sizes[d];
  }
  return (char*)oyi_data(t) + offset * oyi_item(t);
}

static oy_tensor* make_tensor(const literal* t) {
  int64_t strides[8], stride = 1;
  for (size_t k = 0; k < t->ndim; k++) {
    size_t d = t->reversed ? k : t->ndim - 1 - k;
    strides[d] = stride;
    stride *= t->sizes[d] > 1 ? t->sizes[d] : 1;
  }
  oyi_tensor* made =
      oyi_tensor_new_strided((oy_ints){t->sizes, t->ndim}, (oy_ints){strides, t->ndim},
                             t->dtype, oy_device_cpu());
  assert_non_null(made);
  for (int64_t i = 0; i < t->numel; i++)
    oyi_element_store(t->dtype, address(&made->header, i), number_of(t, i));
  return &made->header;
}

// ----------------------------------------------------------------------- arguments

static oy_value tensor_list(const char** p) {
  oy_value list;
  oy_object* found[8];
  size_t n = 0;
  while (!skip_text(p, "}")) {
    literal t;
    if (skip_text(p, "none"))
      found[n++] = &oy_none_object;
    else if (read_literal(p, &t))
      found[n++] = make_tensor(&t);
    skip_text(p, "|");
  }
  assert_int_equal(oy_value_new_list(OY_TAG_TENSOR_LIST, n, &list), OY_OK);
  memcpy((void*)(uintptr_t)list.as.tensors, found, n * sizeof(*found));
  return list;
}

static oy_value int_list(const char** p) {
  oy_value list;
  int64_t found[8];
  size_t n = read_ints(p, found);
  assert_int_equal(oy_value_new_list(OY_TAG_INT_LIST, n, &list), OY_OK);
  memcpy((void*)(uintptr_t)list.as.ints, found, n * sizeof(*found));
  return list;
}

static oy_value bool_list(const char** p) {
  oy_value list;
  int64_t found[8];
  size_t n = read_ints(p, found);
  assert_int_equal(oy_value_new_list(OY_TAG_BOOL_LIST, n, &list), OY_OK);
  for (size_t i = 0; i < n; i++) ((bool*)(uintptr_t)list.as.bools)[i] = found[i] != 0;
  return list;
}

static oy_value float_list(const char** p) {
  oy_value list;
  double found[8];
  size_t n = 0;
  while (!skip_text(p, "]")) {
    found[n++] = read_number(p);
    skip_text(p, ",");
  }
  assert_int_equal(oy_value_new_list(OY_TAG_FLOAT_LIST, n, &list), OY_OK);
  memcpy((void*)(uintptr_t)list.as.floats, found, n * sizeof(*found));
  return list;
}

static oy_value number_list(const char** p) {
  oy_value list, found[8];
  size_t n = 0;
  while (!skip_text(p, "]")) {
    const size_t size = strcspn(*p, ",]");
    const bool is_int = strcspn(*p, ".e") >= size;
    const double d = read_number(p);
    found[n++] = is_int ? oy_int((int64_t)d) : oy_float(d);
    skip_text(p, ",");
  }
  assert_int_equal(oy_value_new_list(OY_TAG_LIST, n, &list), OY_OK);
  memcpy((void*)(uintptr_t)list.as.values, found, n * sizeof(*found));
  return list;
}

static oy_value read_argument(const char** p) {
  literal t;
  oy_dtype dtype;
  if (skip_text(p, "none")) return oy_none();
  if (skip_text(p, "true")) return oy_bool(true);
  if (skip_text(p, "false")) return oy_bool(false);
  if (skip_text(p, "bools[")) return bool_list(p);
  if (skip_text(p, "floats[")) return float_list(p);
  if (skip_text(p, "numbers[")) return number_list(p);
  if (skip_text(p, "{")) return tensor_list(p);
  if (skip_text(p, "dtype:") && read_dtype(p, 0, &dtype)) return oy_int(dtype);
  if (skip_text(p, "[")) return int_list(p);
  if (skip_text(p, "'")) {
    const char* end = strchr(*p, '\'');
    oy_value v = oy_value_str((oy_str){*p, (size_t)(end - *p)});
    *p = end + 1;
    return v;
  }
  if (read_literal(p, &t)) {
    oy_value v = oy_value_tensor(make_tensor(&t));
    v.owned = 1;
    return v;
  }
  size_t size = strcspn(*p, ";");
  bool is_int = strspn(*p, "-0123456789 ") >= size;
  int64_t i = strtoll(*p, NULL, 10);
  double d = read_number(p);
  return is_int ? oy_int(i) : oy_float(d);
}

// ------------------------------------------------------------------------- results

static double tolerance_of(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F16: return 2e-3;
    case OY_DTYPE_BF16: return 1.6e-2;
    case OY_DTYPE_F32:
    case OY_DTYPE_C64: return 4e-6;
    default: return 1e-12;
  }
}

static bool close_to(double got, double want, double tolerance) {
  if (isnan(want)) return isnan(got);
  if (got == want) return true;
  return fabs(got - want) <= tolerance * (1 + fabs(want));
}

static bool same_tensor(const oy_tensor* got, const literal* want) {
  oy_ints sizes = oy_tensor_sizes(got);
  if (got->dtype != want->dtype || sizes.size != want->ndim) return false;
  for (size_t d = 0; d < want->ndim; d++)
    if (sizes.data[d] != want->sizes[d]) return false;
  double tolerance = tolerance_of(want->dtype);
  for (int64_t i = 0; i < want->numel; i++) {
    oyi_number have = oyi_element_load(got->dtype, address(got, i));
    oyi_number need = number_of(want, i);
    if (!close_to(have.re, need.re, tolerance) || !close_to(have.im, need.im, tolerance))
      return false;
  }
  return true;
}

static bool same_result(oy_value got, const char** want) {
  literal t;
  if (got.tag == OY_TAG_NONE) return skip_text(want, "none");
  if (got.tag == OY_TAG_TENSOR_LIST) {
    if (!skip_text(want, "{")) return false;
    for (size_t i = 0; i < got.count; i++) {
      if (i > 0 && !skip_text(want, "|")) return false;
      if (!read_literal(want, &t) || !same_tensor(got.as.tensors[i], &t)) return false;
    }
    return skip_text(want, "}");
  }
  if (got.tag == OY_TAG_BOOL) return skip_text(want, got.as.i ? "true" : "false");
  return got.tag == OY_TAG_TENSOR && read_literal(want, &t) &&
         same_tensor(got.as.object, &t);
}

static bool same_results(const oy_stack* stack, const char* want) {
  for (size_t i = 0; i < stack->size; i++) {
    if (i > 0 && !skip_text(&want, ";")) return false;
    if (!same_result(stack->data[i], &want)) return false;
  }
  return *want == '\0';
}

static void print_results(const oy_stack* stack) {
  for (size_t i = 0; i < stack->size; i++) {
    char* text = NULL;
    if (stack->data[i].tag == OY_TAG_TENSOR &&
        oy_tensor_print(stack->data[i].as.object, &text) == 0)
      print_error("    %s\n", text);
    oy_text_free(text);
  }
}

static bool run_row(const op_row* row) {
  char name[96];
  const oy_op* op;
  snprintf(name, sizeof(name), "aten::%s", row->op);
  assert_int_equal(oy_op_find(oy_registry_default(), oy_str_of(name), &op), OY_OK);
  oy_value storage[ARGUMENTS];
  oy_stack stack;
  oy_stack_init(&stack, storage, ARGUMENTS);
  for (const char* p = row->arguments; *p;) {
    assert_int_equal(oy_stack_push(&stack, read_argument(&p)), OY_OK);
    if (*p) assert_true(skip_text(&p, ";"));
  }
  oy_status status = oy_op_call_boxed(op, &stack);
  bool same = status == 0 ? same_results(&stack, row->want)
                          : row->want[0] == '!' &&
                                strcmp(oy_error_get()->message, row->want + 1) == 0;
  if (!same) {
    print_error("%s(%s)\n  should give %s\n  and gives %s\n", row->op, row->arguments,
                row->want, status == 0 ? "" : oy_error_get()->message);
    if (status == 0) print_results(&stack);
  }
  oy_error_clear();
  oy_stack_reset(&stack);
  return same;
}

void check_op_rows(const op_row* rows, size_t count) {
  size_t wrong = 0;
  for (size_t i = 0; i < count; i++) wrong += !run_row(&rows[i]);
  assert_int_equal(wrong, 0);
}
