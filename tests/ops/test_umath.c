// SPDX-License-Identifier: Apache-2.0
// Vector functions at single precision: at most 4 ULP from the nearest result, for NaN,
// infinities, zeros and denormals too, and the same wherever an element stands. The
// values are NumPy's validation sets: a choice of them lies in tests/data, and all of
// them are read where Debian's python3-numpy has put them.
#include <dirent.h>

#include "base/memory.h"
#include "support/tensors.h"

#define NUMPY_DATA "/usr/lib/python3/dist-packages/numpy/core/tests/data"
#define NUMPY_FILE "umath-validation-set-"
enum { ULP_LIMIT = 4, ROWS_MAX = 20000 };

static const struct function {
  const char* name;
  const char* numpy;  // NULL: the same
  oy_tensor* (*call)(oy_tensor* self);
} g_functions[] = {
    {"acos", "arccos", oy_acos}, {"acosh", "arccosh", oy_acosh},
    {"asin", "arcsin", oy_asin}, {"asinh", "arcsinh", oy_asinh},
    {"atan", "arctan", oy_atan}, {"atanh", "arctanh", oy_atanh},
    {"cos", NULL, oy_cos},       {"cosh", NULL, oy_cosh},
    {"exp", NULL, oy_exp},       {"exp2", NULL, oy_exp2},
    {"expm1", NULL, oy_expm1},   {"log", NULL, oy_log},
    {"log10", NULL, oy_log10},   {"log1p", NULL, oy_log1p},
    {"log2", NULL, oy_log2},     {"sin", NULL, oy_sin},
    {"sinh", NULL, oy_sinh},     {"tan", NULL, oy_tan},
    {"tanh", NULL, oy_tanh},
};
enum { FUNCTIONS = sizeof(g_functions) / sizeof(*g_functions) };

typedef struct rows {
  float x[ROWS_MAX], y[ROWS_MAX];
  int count;
} rows;

static float of_bits(const char* hex) {
  uint32_t bits = (uint32_t)strtoul(hex, NULL, 16);
  float f;
  memcpy(&f, &bits, sizeof(f));
  return f;
}

// Rows "|prefix|,0x...,0x...", those of one function or of one type.
static rows* read_rows(const char* path, const char* prefix) {
  FILE* in = fopen(path, "r");
  rows* r = in ? calloc(1, sizeof(*r)) : NULL;
  char line[200];
  size_t length = strlen(prefix);
  while (r && r->count < ROWS_MAX && fgets(line, sizeof(line), in)) {
    if (strncmp(line, prefix, length) != 0 || line[length] != ',') continue;
    char* x = line + length + 1;
    char* y = strchr(x, ',');
    if (!y) continue;
    r->x[r->count] = of_bits(x);
    r->y[r->count++] = of_bits(y + 1);
  }
  if (in) fclose(in);
  return r;
}

// Floats in their order, as integers; the two zeros are one.
static int64_t place(float f) {
  int32_t bits;
  memcpy(&bits, &f, sizeof(bits));
  return bits < 0 ? -(int64_t)(bits & 0x7fffffff) : bits;
}

static void check(const struct function* f, const rows* r) {
  oy_tensor* x = oy_tensor_from_data(r->x, OY_DIMS(r->count), OY_DTYPE_F32);
  oy_tensor* y = f->call(x);
  assert_non_null(y);
  const float* got = oy_tensor_data(y);
  int64_t worst = 0;
  int worst_at = 0;
  for (int i = 0; i < r->count; i++) {
    if (isnan(got[i]) && isnan(r->y[i])) continue;
    int64_t off = isnan(got[i]) != isnan(r->y[i]) ? INT32_MAX
                                                  : llabs(place(got[i]) - place(r->y[i]));
    if (off <= worst) continue;
    worst = off;
    worst_at = i;
  }
  print_message("%-6s %6d values, at most %lld ULP\n", f->name, r->count,
                (long long)worst);
  if (worst > ULP_LIMIT)
    fail_msg("%s(%a) is %a and not %a: %lld ULP", f->name, (double)r->x[worst_at],
             (double)got[worst_at], (double)r->y[worst_at], (long long)worst);
  oy_tensor_release(y);
  oy_tensor_release(x);
}

static void a_choice_of_values(void** state) {
  (void)state;
  for (int i = 0; i < FUNCTIONS; i++) {
    rows* r =
        read_rows(OY_SOURCE_DIR "/tests/data/umath-float32.csv", g_functions[i].name);
    assert_non_null(r);
    assert_true(r->count > 20);
    check(&g_functions[i], r);
    free(r);
  }
}

static void all_values_of_numpy(void** state) {
  (void)state;
  DIR* folder = opendir(NUMPY_DATA);
  if (!folder) {
    print_message("no " NUMPY_DATA
                  ": install python3-numpy to compare with all values\n");
    skip();
  }
  closedir(folder);
  for (int i = 0; i < FUNCTIONS; i++) {
    char path[200];
    const char* name = g_functions[i].numpy ? g_functions[i].numpy : g_functions[i].name;
    snprintf(path, sizeof(path), NUMPY_DATA "/" NUMPY_FILE "%s.csv", name);
    rows* r = read_rows(path, "np.float32");
    if (r) check(&g_functions[i], r);
    free(r);
  }
}

// One value at every place of buffers of every small length, near others and alone, in
// rows that are contiguous and that are not.
static void the_place_does_not_matter(void** state) {
  (void)state;
  enum { LENGTH = 37 };
  for (int i = 0; i < FUNCTIONS; i++) {
    float values[2 * LENGTH];
    for (int k = 0; k < 2 * LENGTH; k++) values[k] = 0.013f * (float)k;
    oy_tensor* all = oy_tensor_from_data(values, OY_DIMS(2 * LENGTH), OY_DTYPE_F32);
    oy_tensor* want = g_functions[i].call(all);
    const float* y = oy_tensor_data(want);
    for (int64_t length = 1; length <= LENGTH; length++)
      for (int64_t step = 1; step <= 2; step++) {
        oy_tensor* part = oy_tensor_as_strided(all, OY_DIMS(length), OY_DIMS(step), 0);
        oy_tensor* got = g_functions[i].call(part);
        for (int64_t k = 0; k < length; k++)
          if (memcmp((const float*)oy_tensor_data(got) + k, y + k * step, 4) != 0)
            fail_msg("%s: element %d of %d, step %d", g_functions[i].name, (int)k,
                     (int)length, (int)step);
        oy_tensor_release(got);
        oy_tensor_release(part);
      }
    oy_tensor_release(want);
    oy_tensor_release(all);
  }
}

// ------------------------------------------------------------------------ bf16

static oy_tensor* gelu(oy_tensor* t) {
  return oy_gelu(t, oy_str_of("none"));
}
static oy_tensor* elu(oy_tensor* t) {
  return oy_elu(t, oy_float(0.7), oy_float(1.25), oy_float(2));
}

static const struct activation {
  const char* name;
  oy_tensor* (*call)(oy_tensor* self);
} g_activations[] = {{"gelu", gelu}, {"elu", elu}};

// Of all of |all|, as floats, each rounded once.
static oy_tensor* by_floats(const struct activation* f, oy_tensor* all) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* wide = oy_to_dtype(all, OY_DTYPE_F32, false, true, oy_none());
  oy_tensor* y = f->call(wide);
  oy_tensor* narrow = oy_to_dtype(y, OY_DTYPE_BF16, false, true, oy_none());
  assert_non_null(narrow);
  oy_tensor_retain(narrow);
  oy_scope_close(&scope);
  return narrow;
}

// Every |step|th of |length| values from |from| on.
static void check_part(const struct activation* f, oy_tensor* all, const uint16_t* want,
                       int64_t length, int64_t step, int64_t from) {
  oy_tensor* part = oy_tensor_as_strided(all, OY_DIMS(length), OY_DIMS(step), from);
  oy_tensor* got = f->call(part);
  if (!got) fail_msg("%s", oy_error_get()->message);
  const uint16_t* y = oy_tensor_data(got);
  assert_int_equal(oy_tensor_strides(got).data[0], 1);
  for (int64_t k = 0; k < length; k++)
    if (y[k] != want[from + k * step])
      fail_msg("%s: element %lld of %lld, step %lld, from %lld: %04x, not %04x", f->name,
               (long long)k, (long long)length, (long long)step, (long long)from, y[k],
               want[from + k * step]);
  oy_tensor_release(got);
  oy_tensor_release(part);
}

// All values there are, NaN among them, and rows of all small lengths.
static void bf16_is_rounded_once(void** state) {
  (void)state;
  enum { ALL = 1 << 16, MOST = 70, FROM = 0xbf7d };
  uint16_t* values = calloc(ALL, sizeof(*values));
  assert_non_null(values);
  for (int i = 0; i < ALL; i++) values[i] = (uint16_t)i;
  oy_tensor* all = oy_tensor_from_data(values, OY_DIMS(ALL), OY_DTYPE_BF16);
  free(values);
  assert_non_null(all);
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_activations); i++) {
    const struct activation* f = &g_activations[i];
    oy_tensor* rounded = by_floats(f, all);
    const uint16_t* want = oy_tensor_data(rounded);
    for (int64_t step = 1; step <= 3; step++) {
      check_part(f, all, want, ALL / step, step, 0);
      for (int64_t n = 0; n <= MOST; n++) check_part(f, all, want, n, step, FROM);
    }
    oy_tensor_release(rounded);
  }
  oy_tensor_release(all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_choice_of_values),
      cmocka_unit_test(all_values_of_numpy),
      cmocka_unit_test(the_place_does_not_matter),
      cmocka_unit_test(bf16_is_rounded_once),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
