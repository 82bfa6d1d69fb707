// SPDX-License-Identifier: Apache-2.0
// Printing, against what PyTorch prints; make_golden.py writes the file of cases.
#include "support/rule.h"

static void print_is_and_free(oy_tensor* t, const char* want) {
  assert_prints(t, want);
  oy_tensor_release(t);
}

static void numbers_choose_their_format(void** state) {
  (void)state;
  print_is_and_free(F32(OY_DIMS(2), 1, 2), "tensor([1., 2.])");
  print_is_and_free(F32(OY_DIMS(2), 1, 2.5f), "tensor([1.0000, 2.5000])");
  print_is_and_free(F32(OY_DIMS(3), 1, -2, 10), "tensor([ 1., -2., 10.])");
  print_is_and_free(F32(OY_DIMS(2), 0, 0), "tensor([0., 0.])");
  print_is_and_free(F32(OY_DIMS(2), 1, 100000), "tensor([1.0000e+00, 1.0000e+05])");
  print_is_and_free(F32(OY_DIMS(1), 0.00001f), "tensor([1.0000e-05])");
  print_is_and_free(F32(OY_DIMS(3), 1, NAN, -INFINITY), "tensor([1., nan, -inf])");
  print_is_and_free(F64(OY_DIMS(1), 1.5), "tensor([1.5000], dtype=torch.float64)");
  print_is_and_free(I64(OY_DIMS(3), 1, -20, 3), "tensor([  1, -20,   3])");
  print_is_and_free(I32(OY_DIMS(1), 7), "tensor([7], dtype=torch.int32)");
  print_is_and_free(BOOLS(OY_DIMS(2), true, false), "tensor([ True, False])");
  print_is_and_free(oy_tensor_from_scalar(oy_float(10)), "tensor(10.)");
  print_is_and_free(oy_tensor_from_scalar(oy_int(3)), "tensor(3)");
}

static void brackets_nest(void** state) {
  (void)state;
  print_is_and_free(F32(OY_DIMS(2, 2), 1, 2, 3, 4),
                    "tensor([[1., 2.],\n        [3., 4.]])");
  print_is_and_free(F32(OY_DIMS(2, 1, 2), 1, 2, 3, 4),
                    "tensor([[[1., 2.]],\n\n        [[3., 4.]]])");
  print_is_and_free(oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F32, oy_device_cpu()),
                    "tensor([])");
  print_is_and_free(oy_tensor_empty(OY_DIMS(0, 3), OY_DTYPE_I64, oy_device_cpu()),
                    "tensor([], size=(0, 3), dtype=torch.int64)");
}

static void long_rows_are_broken(void** state) {
  (void)state;
  int64_t data[30];
  for (int i = 0; i < 30; i++) data[i] = i;
  print_is_and_free(
      oy_tensor_from_data(data, OY_DIMS(30), OY_DTYPE_I64),
      "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
      "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])");
}

static void large_tensors_are_cut(void** state) {
  (void)state;
  int64_t* data = malloc(1001 * sizeof(*data));
  for (int i = 0; i < 1001; i++) data[i] = i;
  print_is_and_free(oy_tensor_from_data(data, OY_DIMS(1001), OY_DTYPE_I64),
                    "tensor([   0,    1,    2,  ...,  998,  999, 1000])");
  print_is_and_free(oy_tensor_from_data(data, OY_DIMS(143, 7), OY_DTYPE_I64),
                    "tensor([[   0,    1,    2,  ...,    4,    5,    6],\n"
                    "        [   7,    8,    9,  ...,   11,   12,   13],\n"
                    "        [  14,   15,   16,  ...,   18,   19,   20],\n"
                    "        ...,\n"
                    "        [ 980,  981,  982,  ...,  984,  985,  986],\n"
                    "        [ 987,  988,  989,  ...,  991,  992,  993],\n"
                    "        [ 994,  995,  996,  ...,  998,  999, 1000]])");
  free(data);
}

static void history_is_said(void** state) {
  (void)state;
  oy_tensor* w = F32(OY_DIMS(2), 3, 4);
  assert_non_null(oy_requires_grad_(w, true));
  assert_prints(w, "tensor([3., 4.], requires_grad=True)");
  oy_tensor* y = oy_neg(w);
  assert_prints(y, "tensor([-3., -4.], grad_fn=<NegBackward0>)");
  oy_tensor_release(y);
  oy_tensor_release(w);
  assert_prints(&oy_none_object, "None");
}

// ------------------------------------------------------------- PyTorch's own

static size_t read_dims(const char* text, int64_t* out) {
  size_t n = 0;
  if (*text == '-') return 0;
  for (char* end; *text; text = *end ? end + 1 : end) out[n++] = strtoll(text, &end, 10);
  return n;
}

static void fill_by_rule(oy_tensor* t, int64_t modulus, double scale) {
  char* at = oy_tensor_data(t);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++, at += oy_dtype_size(t->dtype))
    oyi_element_store(t->dtype, at, ruled_number(t->dtype, i, modulus, scale));
}

// A line of the file: dtype, sizes, strides, offset, and how it is filled.
static oy_tensor* read_tensor(const char* line) {
  char name[32], dims[128], steps[128];
  static char how[8192];
  int64_t sizes[64], strides[64], offset;
  oy_dtype dtype;
  assert_int_equal(
      sscanf(line, "%31s %127s %127s %ld %8191[^\n]", name, dims, steps, &offset, how),
      5);
  assert_true(oy_dtype_find(oy_str_of(name), &dtype));
  oy_ints shape = {sizes, read_dims(dims, sizes)};
  oy_ints apart = {strides, read_dims(steps, strides)};
  long modulus;
  double scale;
  if (sscanf(how, "rule %ld %lf", &modulus, &scale) == 2) {
    oy_tensor* t = oy_tensor_empty(shape, dtype, oy_device_cpu());
    fill_by_rule(t, modulus, scale);
    return t;
  }
  static unsigned char bytes[4096];
  size_t n = 0;
  unsigned byte;
  for (const char* at = how + 4; sscanf(at, "%2x", &byte) == 1; at += 2)
    bytes[n++] = (unsigned char)byte;
  int64_t count = (int64_t)(n / oy_dtype_size(dtype));
  oy_tensor* flat = oy_tensor_from_data(bytes, OY_DIMS(count), dtype);
  oy_tensor* t = oy_tensor_as_strided(flat, shape, apart, offset);
  oy_tensor_release(flat);
  return t;
}

static void as_pytorch_prints(void** state) {
  (void)state;
  static char line[16384], want[65536];
  FILE* file = fopen(OY_SOURCE_DIR "/tests/data/tensor/prints.txt", "r");
  assert_non_null(file);
  int count = 0;
  while (fgets(line, sizeof(line), file)) {
    oy_tensor* t = read_tensor(line);
    size_t used = 0;
    while (fgets(want + used, (int)(sizeof(want) - used), file) &&
           strcmp(want + used, ".\n") != 0)
      used += strlen(want + used);
    want[used - 1] = '\0';
    char* text;
    assert_int_equal(oy_tensor_print(t, &text), OY_OK);
    if (strcmp(text, want) != 0) fail_msg("%sgives\n%s\nand not\n%s", line, text, want);
    oy_text_free(text);
    oy_tensor_release(t);
    count++;
  }
  fclose(file);
  assert_true(count > 800);
}

static bool print_and_drop(void) {
  oy_tensor* t = F32(OY_DIMS(2, 2), 1, 2, 3, 4.5f);
  char* text = NULL;
  bool good = t && oy_tensor_print(t, &text) == OY_OK;
  oy_text_free(text);
  oy_tensor_release(t);
  return good;
}

static void allocations_fail_in_turn(void** state) {
  (void)state;
  fail_each_allocation(print_and_drop);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_choose_their_format),
      cmocka_unit_test(brackets_nest),
      cmocka_unit_test(long_rows_are_broken),
      cmocka_unit_test(large_tensors_are_cut),
      cmocka_unit_test(history_is_said),
      cmocka_unit_test(as_pytorch_prints),
      cmocka_unit_test(allocations_fail_in_turn),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
