// SPDX-License-Identifier: Apache-2.0
// The set-up of a walk, through add: layouts of outputs as PyTorch 1.13 gives them,
// which check comes first, devices, resizing and its warning, fast set-up, joining of
// dimensions.
#include "support/tensors.h"
#include "tensor/iterator.h"
#include "tensor/iterator_walk.h"

typedef struct geometry {
  size_t n;
  int64_t sizes[5], strides[5];
} geometry;

static oy_tensor* strided(const geometry* g) {
  oy_tensor* big = oy_tensor_empty(OY_DIMS(4096), OY_DTYPE_F32, oy_device_cpu());
  memset(oy_tensor_data(big), 0, 4096 * sizeof(float));
  oy_tensor* t = oy_tensor_as_strided(big, (oy_ints){g->sizes, g->n},
                                      (oy_ints){g->strides, g->n}, 0);
  oy_tensor_release(big);
  return t;
}

#define FIRST_N        \
  {                    \
    4, {2, 3, 4, 5}, { \
      60, 1, 15, 3     \
    }                  \
  }
#define ODD         \
  {                 \
    3, {2, 1, 3}, { \
      1, 7, 2       \
    }               \
  }
#define MIXED       \
  {                 \
    3, {4, 6, 5}, { \
      1, 20, 4      \
    }               \
  }

static const struct {
  geometry a, b;
  int64_t want[5];
} g_layouts[] = {
    {{2, {0, 3}, {1, 1}}, {2, {0, 1}, {1, 1}}, {1, 0}},
    {{3, {5, 0, 4}, {1, 5, 5}}, {3, {5, 1, 1}, {1, 1, 1}}, {1, 5, 0}},
    {ODD, ODD, {1, 7, 2}},
    {ODD, {1, {3}, {1}}, {1, 6, 2}},
    {ODD, {0, {0}, {0}}, {1, 6, 2}},
    {ODD, {3, {2, 1, 3}, {1, 2, 2}}, {1, 6, 2}},
    {{3, {2, 1, 3}, {1, 2, 2}}, ODD, {1, 2, 2}},
    {{4, {2, 1, 4, 5}, {20, 1, 5, 1}}, {4, {2, 1, 4, 5}, {20, 20, 5, 1}}, {20, 20, 5, 1}},
    {{4, {2, 1, 4, 5}, {20, 20, 5, 1}}, {4, {2, 1, 4, 5}, {20, 1, 5, 1}}, {20, 20, 5, 1}},
    {{4, {2, 1, 4, 5}, {20, 1, 5, 1}}, {0, {0}, {0}}, {20, 1, 5, 1}},
    {FIRST_N, {4, {1, 3, 1, 1}, {3, 1, 1, 1}}, {60, 1, 15, 3}},
    {{4, {1, 3, 1, 1}, {3, 1, 1, 1}}, FIRST_N, {60, 1, 15, 3}},
    {{4, {1, 3, 4, 5}, {1000, 1, 15, 3}},
     {4, {1, 3, 4, 5}, {60, 1, 15, 3}},
     {60, 1, 15, 3}},
    {{4, {1, 3, 4, 5}, {1000, 1, 15, 3}},
     {4, {1, 3, 4, 5}, {1000, 1, 15, 3}},
     {60, 1, 15, 3}},
    {MIXED, {3, {4, 6, 5}, {30, 5, 1}}, {1, 20, 4}},
    {{3, {4, 6, 5}, {30, 5, 1}}, MIXED, {30, 5, 1}},
    {{3, {2, 6, 5}, {2, 20, 4}}, {3, {2, 6, 5}, {60, 5, 1}}, {1, 10, 2}},
    {MIXED, {1, {5}, {1}}, {1, 20, 4}},
    {{1, {5}, {1}}, MIXED, {1, 20, 4}},
    {{2, {3, 4}, {1, 0}}, {2, {3, 4}, {1, 0}}, {4, 1}},
    {{2, {3, 4}, {0, 1}}, {2, {3, 4}, {1, 0}}, {4, 1}},
    {{2, {3, 4}, {1, 3}}, {2, {3, 1}, {1, 1}}, {1, 3}},
    {{2, {3, 1}, {1, 1}}, {2, {3, 4}, {1, 3}}, {1, 3}},
    {{2, {1, 4}, {4, 1}}, {2, {3, 4}, {1, 3}}, {1, 3}},
    {{2, {4, 3}, {6, 2}}, {2, {4, 3}, {6, 2}}, {3, 1}},
    {{2, {4, 3}, {1, 8}}, {0, {0}, {0}}, {1, 4}},
};

static void TI_03_TI_04_layout_of_new_and_resized_outputs(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof(g_layouts) / sizeof(*g_layouts); i++) {
    oy_tensor *a = strided(&g_layouts[i].a), *b = strided(&g_layouts[i].b);
    oy_tensor* r = oy_add_Tensor(a, b, ALPHA1);
    oy_tensor* out = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F32, oy_device_cpu());
    assert_non_null(r);
    oy_ints want = {g_layouts[i].want, (size_t)oy_tensor_ndim(r)};
    assert_dims(oy_tensor_strides(r), want);
    if (oy_tensor_numel(r) > 0) {
      assert_ptr_equal(oy_add_out(a, b, ALPHA1, out), out);
      assert_dims(oy_tensor_strides(out), want);
    }
    oy_tensor_release(out);
    oy_tensor_release(r);
    oy_tensor_release(b);
    oy_tensor_release(a);
  }
}

// Of two mistakes in one call, that of the earlier step is reported.
static void TI_01_order_of_the_checks(void** state) {
  (void)state;
  oy_device meta = oy_device_meta();
  oy_tensor* a = F32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* wrong = F32(OY_DIMS(4), 1, 2, 3, 4);
  oy_tensor* wide = F32(OY_DIMS(2, 3), 1, 1, 1, 1, 1, 1);
  oy_tensor* ints = I32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* same = oy_tensor_expand(a, OY_DIMS(2, 3));
  oy_tensor* far = oy_tensor_empty(OY_DIMS(3), OY_DTYPE_F32, meta);
  // Overlap before shape.
  assert_fails(oy_add__Tensor(same, wrong, ALPHA1),
               "unsupported operation: more than one element of the written-to tensor "
               "refers to a single memory location. Please clone() the tensor before "
               "performing the operation.");
  // Shape before device.
  assert_fails(oy_add_Tensor(far, wrong, ALPHA1),
               "The size of tensor a (3) must match the size of tensor b (4) at "
               "non-singleton dimension 0");
  // The shape of the output before its dtype.
  assert_fails(oy_add__Tensor(ints, wide, ALPHA1),
               "output with shape [3] doesn't match the broadcast shape [2, 3]");
  // An output that is an input is not resized.
  assert_fails(oy_add_out(a, wide, ALPHA1, a),
               "output with shape [3] doesn't match the broadcast shape [2, 3]");
  // Device before the dtype of the output.
  assert_fails(oy_add_out(far, a, ALPHA1, ints),
               "Expected all tensors to be on the same device, but found at least two "
               "devices, meta and cpu!");
  assert_fails(oy_add_out(a, a, ALPHA1, ints),
               "result type Float can't be cast to the desired output type Int");
  assert_elements(a, OY_DIMS(3), 1, 2, 3);
  oy_tensor* all[] = {a, wrong, wide, ints, same, far};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
}

static void TI_02_devices(void** state) {
  (void)state;
  oy_device meta = oy_device_meta();
  oy_tensor* c = F32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* m = oy_tensor_empty(OY_DIMS(3), OY_DTYPE_F32, meta);
  oy_tensor* n = oy_tensor_from_scalar(oy_float(2));
  static const char text[] =
      "Expected all tensors to be on the same device, but found at least two devices, "
      "meta and cpu!";
  assert_fails(oy_add_Tensor(m, c, ALPHA1), text);
  assert_fails(oy_add_Tensor(c, m, ALPHA1), text);
  assert_fails(oy_add_out(c, c, ALPHA1, m), text);
  assert_fails(oy_add_out(m, m, ALPHA1, c), text);
  oy_tensor* r = oy_add_Tensor(m, n, ALPHA1);  // one 0-d CPU tensor may go along
  assert_int_equal(oy_tensor_device(r).backend, OY_BACKEND_Meta);
  oy_tensor_release(r);
  r = oy_add_Tensor(n, m, ALPHA1);
  assert_dims(oy_tensor_sizes(r), OY_DIMS(3));
  oy_tensor_release(r);
  assert_fails(oy_add_out(n, n, ALPHA1, m),
               "Trying to pass too many CPU scalars to non-CPU kernel!");
  assert_fails(oy_add_out(m, m, ALPHA1, n), text);  // an output is no scalar
  oy_tensor_release(n);
  oy_tensor_release(m);
  oy_tensor_release(c);
}

typedef struct seen {
  int count;
  char text[600];
} seen;
static void note_warning(void* user_data, const char* message) {
  seen* s = user_data;
  s->count++;
  snprintf(s->text, sizeof(s->text), "%s", message);
}

static void TI_06_resizing_warns(void** state) {
  (void)state;
  seen s = {0, ""};
  oy_warning_handler_set(note_warning, &s);
  oy_tensor* a = F32(OY_DIMS(2), 1, 2);
  oy_tensor* none = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* three = F32(OY_DIMS(3), 0, 0, 0);
  assert_non_null(oy_add_out(a, a, ALPHA1, none));
  assert_int_equal(s.count, 0);  // without elements it is resized silently
  assert_non_null(oy_add_out(a, a, ALPHA1, three));
  assert_int_equal(s.count, 1);
  assert_string_equal(
      s.text,
      "An output with one or more elements was resized since it had shape [3], which "
      "does not match the required output shape [2]. This behavior is deprecated, and in "
      "a future PyTorch release outputs will not be resized unless they have zero "
      "elements. You can explicitly reuse an out tensor t by resizing it, inplace, to "
      "zero elements with t.resize_(0).");
  assert_elements(three, OY_DIMS(2), 2, 4);
  oy_warning_handler_set(NULL, NULL);
  assert_non_null(oy_add_out(a, a, ALPHA1, none));
  oy_tensor_release(three);
  oy_tensor_release(none);
  oy_tensor_release(a);
}

// Values are computed in the common dtype, then cast into the output.
static void TI_06_outputs_of_another_dtype(void** state) {
  (void)state;
  oy_tensor* i = I32(OY_DIMS(2), 1, 2);
  oy_tensor* f = F32(OY_DIMS(2), 0.5, 0.25);
  static const oy_dtype dtypes[] = {OY_DTYPE_F64, OY_DTYPE_F16, OY_DTYPE_BF16,
                                    OY_DTYPE_C64};
  for (int k = 0; k < 4; k++) {
    oy_tensor* out = oy_tensor_empty(OY_DIMS(2), dtypes[k], oy_device_cpu());
    assert_ptr_equal(oy_add_out(i, f, ALPHA1, out), out);
    oy_tensor* back = oy_to_dtype(out, OY_DTYPE_F64, false, false, oy_none());
    assert_elements(back, OY_DIMS(2), 1.5, 2.25);
    oy_tensor_release(back);
    oy_tensor_release(out);
  }
  oy_tensor_release(f);
  oy_tensor_release(i);
}

// How many dimensions are left of a walk over one tensor, the fastest first.
static void TI_05_dimensions_are_sorted_and_joined(void** state) {
  (void)state;
  static const struct {
    geometry g;
    size_t ndim;
    int64_t sizes[4], steps[4];  // in bytes
  } rows[] = {
      {{3, {2, 3, 4}, {12, 4, 1}}, 1, {24}, {4}},
      {{3, {2, 3, 4}, {1, 2, 6}}, 1, {24}, {4}},
      {{3, {2, 3, 4}, {24, 4, 1}}, 2, {12, 2}, {4, 96}},
      {{3, {2, 3, 4}, {12, 8, 1}}, 3, {4, 3, 2}, {4, 32, 48}},
      {{3, {2, 3, 4}, {24, 8, 2}}, 1, {24}, {8}},
      {{3, {2, 1, 4}, {4, 100, 1}}, 1, {8}, {4}},
      {{4, {2, 3, 4, 5}, {60, 1, 15, 3}}, 1, {120}, {4}},
      {{2, {3, 4}, {0, 1}}, 2, {4, 3}, {4, 0}},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* t = strided(&rows[i].g);
    const oyi_tensor* tensors[] = {oyi_tensor_cast(t)};
    oyi_iter it;
    oyi_iter_plain(&it, tensors, 1);
    assert_int_equal(it.ndim, rows[i].ndim);
    for (size_t d = 0; d < it.ndim; d++) {
      assert_int_equal(it.sizes[d], rows[i].sizes[d]);
      assert_int_equal(it.strides[d][0], rows[i].steps[d]);
    }
    oy_tensor_release(t);
  }
}

static void operands_without_elements(void** state) {
  (void)state;
  oy_tensor* none = oy_tensor_empty(OY_DIMS(0, 3), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* one = F32(OY_DIMS(1, 1), 5);
  oy_tensor* r = oy_add_Tensor(none, one, ALPHA1);
  assert_dims(oy_tensor_sizes(r), OY_DIMS(0, 3));
  oy_tensor_release(r);
  oy_tensor* s = oy_tensor_from_scalar(oy_float(2));
  r = oy_add_Tensor(s, s, ALPHA1);
  assert_elements(r, oy_dims_none(), 4);
  oy_tensor_release(r);
  oy_tensor_release(s);
  oy_tensor_release(one);
  oy_tensor_release(none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TI_03_TI_04_layout_of_new_and_resized_outputs),
      cmocka_unit_test(TI_01_order_of_the_checks),
      cmocka_unit_test(TI_02_devices),
      cmocka_unit_test(TI_06_resizing_warns),
      cmocka_unit_test(TI_06_outputs_of_another_dtype),
      cmocka_unit_test(TI_05_dimensions_are_sorted_and_joined),
      cmocka_unit_test(operands_without_elements),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
