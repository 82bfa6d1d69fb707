// SPDX-License-Identifier: Apache-2.0
// Products, indexing, copies, joins and random numbers against the CPU's.
#include <string.h>

#include "gpu/support.h"

#define T(t) oy_value_tensor(t)
#define NONE oy_none()

static oy_tensor* indices(oy_ints sizes, int64_t below, unsigned seed) {
  oy_tensor* t = numbers(sizes, OY_DTYPE_I64, seed);
  int64_t* data = oy_tensor_data(t);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++)
    data[i] = (data[i] % below + below) % below;
  return t;
}

static void products(void) {
  oy_tensor* a = numbers(OY_DIMS(13, 21), OY_DTYPE_F32, 1);
  oy_tensor* b = numbers(OY_DIMS(21, 70), OY_DTYPE_F32, 2);
  oy_tensor* turned = numbers_transposed(OY_DIMS(21, 70), OY_DTYPE_F32, 3);
  oy_tensor* bias = numbers(OY_DIMS(70), OY_DTYPE_F32, 4);
  oy_tensor* out = numbers(OY_DIMS(13, 70), OY_DTYPE_F32, 5);
  oy_tensor* batch = numbers(OY_DIMS(3, 5, 13), OY_DTYPE_F32, 6);
  oy_tensor* other = numbers(OY_DIMS(3, 13, 4), OY_DTYPE_F32, 7);
  oy_tensor* none = numbers(OY_DIMS(13, 0), OY_DTYPE_F32, 8);
  oy_tensor* nothing = numbers(OY_DIMS(0, 70), OY_DTYPE_F32, 9);
  CHECK_CALL("aten::mm", 1e-5, T(a), T(b));
  CHECK_CALL("aten::mm", 1e-5, T(a), T(turned));
  CHECK_CALL("aten::addmm", 1e-5, T(bias), T(a), T(b), oy_float(0.5), oy_float(2));
  CHECK_CALL("aten::addmm_", 1e-5, T(out), T(a), T(turned), oy_float(2), oy_int(1));
  CHECK_CALL("aten::bmm", 1e-5, T(batch), T(other));
  CHECK_CALL("aten::mv", 1e-5, T(b), T(bias));
  CHECK_CALL("aten::dot", 1e-5, T(bias), T(bias));
  CHECK_CALL("aten::mm", 0, T(none), T(nothing));
  CHECK_REFUSED("aten::mm", T(a), T(a));
  oy_tensor_release(a);
  oy_tensor_release(b);
  oy_tensor_release(turned);
  oy_tensor_release(bias);
  oy_tensor_release(out);
  oy_tensor_release(batch);
  oy_tensor_release(other);
  oy_tensor_release(none);
  oy_tensor_release(nothing);
}

static void gpu_matrix(void** state) {
  (void)state;
  products();
  setenv("OPYARD_GPU_TILES", "gpu", 1);
  products();
  unsetenv("OPYARD_GPU_TILES");
  oy_tensor* ints = numbers(OY_DIMS(5, 5), OY_DTYPE_I64, 1);
  oy_tensor* small = numbers(OY_DIMS(6, 6), OY_DTYPE_I16, 1);
  oy_tensor* half = numbers(OY_DIMS(8, 40), OY_DTYPE_BF16, 2);
  oy_tensor* turned = numbers_transposed(OY_DIMS(40, 8), OY_DTYPE_BF16, 3);
  oy_tensor* bools = numbers(OY_DIMS(5, 5), OY_DTYPE_BOOL, 1);
  oy_tensor* number = numbers(oy_dims_none(), OY_DTYPE_F32, 1);
  oy_tensor* place = indices(oy_dims_none(), 1, 1);
  CHECK_CALL("aten::scatter.value", 0, T(number), oy_int(0), T(place), oy_float(2));
  CHECK_REFUSED("aten::_softmax", T(ints), oy_int(0), oy_bool(false));
  oy_tensor_release(number);
  oy_tensor_release(place);
  CHECK_REFUSED("aten::mm", T(bools), T(bools));
  CHECK_REFUSED("aten::addmm", T(bools), T(bools), T(bools));
  oy_tensor_release(bools);
  CHECK_CALL("aten::mm", 0, T(ints), T(ints));
  CHECK_CALL("aten::mm", 0, T(small), T(small));
  CHECK_CALL("aten::mm", 1e-2, T(half), T(turned));
  oy_tensor_release(ints);
  oy_tensor_release(small);
  oy_tensor_release(half);
  oy_tensor_release(turned);
}

static void gpu_index_rows(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(6, 5, 4), OY_DTYPE_F32, 1);
  oy_tensor* x = indices(OY_DIMS(7), 5, 2);
  oy_tensor* rows = numbers(OY_DIMS(6, 7, 4), OY_DTYPE_F32, 3);
  oy_tensor* bad = numbers(OY_DIMS(1), OY_DTYPE_I64, 3);
  oy_tensor* words = indices(OY_DIMS(3, 2), 6, 4);
  oy_tensor* table = numbers(OY_DIMS(6, 8), OY_DTYPE_F32, 5);
  oy_tensor* grad = numbers(OY_DIMS(3, 2, 8), OY_DTYPE_F32, 6);
  // Only padding is no row of the table.
  oy_tensor* padding = indices(OY_DIMS(3, 2), 4, 4);
  if (oy_tensor_set(bad, OY_DIMS(0), oy_int(5)) != OY_OK ||
      oy_tensor_set(padding, OY_DIMS(1, 0), oy_int(5)) != OY_OK)
    fail();
  CHECK_CALL("aten::index_select", 0, T(a), oy_int(1), T(x));
  CHECK_CALL("aten::index_add", 1e-5, T(a), oy_int(1), T(x), T(rows), oy_float(0.5));
  CHECK_CALL("aten::index_add_", 1e-5, T(a), oy_int(1), T(x), T(rows));
  CHECK_CALL("aten::embedding", 0, T(table), T(words));
  CHECK_CALL("aten::embedding_dense_backward", 1e-5, T(grad), T(words), oy_int(6),
             oy_int(1), oy_bool(false));
  CHECK_CALL("aten::embedding_dense_backward", 0, T(grad), T(padding), oy_int(4),
             oy_int(5), oy_bool(false));
  CHECK_REFUSED("aten::embedding_dense_backward", T(grad), T(padding), oy_int(4),
                oy_int(-1), oy_bool(false));
  CHECK_REFUSED("aten::index_select", T(a), oy_int(1), T(bad));
  CHECK_REFUSED("aten::index_select", T(a), oy_int(1), T(table));
  oy_tensor_release(a);
  oy_tensor_release(x);
  oy_tensor_release(rows);
  oy_tensor_release(bad);
  oy_tensor_release(padding);
  oy_tensor_release(words);
  oy_tensor_release(table);
  oy_tensor_release(grad);
}

// Of nothing the indices are checked too, and the dtype of out= before what they say.
static void gpu_index_refusals(void** state) {
  (void)state;
  oy_tensor* none = numbers(OY_DIMS(0, 3), OY_DTYPE_F32, 1);
  oy_tensor* a = numbers(OY_DIMS(2, 3), OY_DTYPE_U8, 1);
  oy_tensor* bad = numbers(OY_DIMS(1, 1), OY_DTYPE_I64, 1);
  oy_tensor* other = numbers(OY_DIMS(0), OY_DTYPE_F64, 1);
  oy_tensor* row = numbers(OY_DIMS(3), OY_DTYPE_F32, 2);
  oy_tensor* wide = oy_tensor_expand(row, OY_DIMS(2, 3));
  if (oy_tensor_set(bad, OY_DIMS(0, 0), oy_int(8)) != OY_OK || !wide) fail();
  oy_tensor* first = oy_select_int(bad, 0, 0);
  CHECK_REFUSED("aten::index_select", T(none), oy_int(0), T(first));
  CHECK_REFUSED("aten::index_select", T(none), oy_int(1), T(first));
  CHECK_REFUSED("aten::gather.out", T(a), oy_int(0), T(bad), oy_bool(false), T(other));
  CHECK_REFUSED("aten::scatter.value_out", T(a), oy_int(0), T(bad), oy_int(1), T(other));
  CHECK_REFUSED("aten::copy_", T(wide), T(a));
  oy_tensor* const all[] = {none, a, bad, other, row, wide, first};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

static void check_mixed(const char* op, const oy_value* args, size_t count) {
  oy_value results[8];
  if (call_op(op, count, args, results) >= 0)
    fail_msg("%s takes tensors of two devices", op);
  if (!strstr(oy_error_get()->message, "to be on the same device"))
    fail_msg("%s: %s", op, oy_error_get()->message);
  oy_error_clear();
}

// TI-08: what is not there is refused, or brought there where an index is.
static void TI_08_kernels_look_at_devices(void** state) {
  (void)state;
  oy_tensor* here = numbers(OY_DIMS(3, 3), OY_DTYPE_I64, 1);
  oy_tensor* there = to_gpu(here, 0);
  oy_tensor* x = indices(OY_DIMS(2), 3, 2);
  oy_tensor* one = indices(OY_DIMS(), 3, 3);
  oy_object* list[] = {x};
  const oy_value indices_here = oy_value_list(OY_TAG_TENSOR_LIST, list, 1);
  check_mixed("aten::mm", (oy_value[]){T(there), T(here)}, 2);
  check_mixed("aten::mm", (oy_value[]){T(here), T(there)}, 2);
  check_mixed("aten::gather", (oy_value[]){T(there), oy_int(1), T(one), oy_bool(false)},
              4);
  check_mixed("aten::index_select", (oy_value[]){T(there), oy_int(0), T(x)}, 3);
  check_mixed("aten::index.Tensor_out", (oy_value[]){T(there), indices_here, T(here)}, 3);
  check_mixed("aten::neg.out", (oy_value[]){T(there), T(one)}, 2);
  oy_value got[8], want[8];
  assert_int_equal(
      call_op("aten::index.Tensor", 2, (oy_value[]){T(there), indices_here}, got), 1);
  assert_int_equal(
      call_op("aten::index.Tensor", 2, (oy_value[]){T(here), indices_here}, want), 1);
  check_same(want->as.object, got->as.object, 0, "an index on the CPU");
  oy_value_release(got);
  oy_value_release(want);
  oy_tensor* all[] = {here, there, x, one};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

// A source with no dimension is repeated; the kernel takes a row for each index.
static void gpu_index_add_repeats_its_source(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(3, 3), OY_DTYPE_I32, 1);
  oy_tensor* zero = indices(OY_DIMS(), 1, 2);
  oy_tensor* number = numbers(OY_DIMS(), OY_DTYPE_I32, 3);
  CHECK_CALL("aten::index_add", 0, T(a), oy_int(0), T(zero), T(number));
  oy_tensor_release(a);
  oy_tensor_release(zero);
  oy_tensor_release(number);
}

static void gpu_gather_scatter(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(4, 6), OY_DTYPE_F32, 1);
  oy_tensor* x = indices(OY_DIMS(4, 3), 6, 2);
  oy_tensor* src = numbers(OY_DIMS(4, 3), OY_DTYPE_F32, 3);
  oy_tensor* turned = numbers_transposed(OY_DIMS(4, 6), OY_DTYPE_I64, 3);
  oy_tensor* one = indices(OY_DIMS(4, 1), 6, 3);
  oy_tensor* bad = numbers(OY_DIMS(1, 1), OY_DTYPE_I64, 3);
  if (oy_tensor_set(bad, OY_DIMS(0, 0), oy_int(6)) != OY_OK) fail();
  CHECK_CALL("aten::gather", 0, T(a), oy_int(1), T(x));
  CHECK_CALL("aten::gather", 0, T(turned), oy_int(1), T(x));
  CHECK_CALL("aten::scatter_add", 1e-5, T(a), oy_int(1), T(x), T(src));
  CHECK_CALL("aten::scatter.value", 0, T(a), oy_int(1), T(one), oy_float(9));
  CHECK_CALL("aten::scatter_.src", 0, T(a), oy_int(-1), T(one), T(src));
  CHECK_REFUSED("aten::gather", T(a), oy_int(1), T(bad));
  oy_tensor_release(a);
  oy_tensor_release(x);
  oy_tensor_release(src);
  oy_tensor_release(turned);
  oy_tensor_release(one);
  oy_tensor_release(bad);
}

static void gpu_index_lists(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(4, 5, 3), OY_DTYPE_F32, 1);
  oy_tensor* x = indices(OY_DIMS(6), 4, 2);
  oy_tensor* y = numbers(OY_DIMS(2, 1), OY_DTYPE_I64, 3);
  oy_tensor* values = numbers(OY_DIMS(2, 6, 3), OY_DTYPE_F32, 4);
  for (int64_t i = 0; i < 2; i++)  // they count from the end, too
    if (oy_tensor_set(y, OY_DIMS(i, 0), oy_int(i ? -1 : 2)) != OY_OK) fail();
  oy_object* both[] = {x, y};
  oy_object* second[] = {&oy_none_object, x};
  CHECK_CALL("aten::index.Tensor", 0, T(a), oy_value_list(OY_TAG_TENSOR_LIST, both, 2));
  CHECK_CALL("aten::index.Tensor", 0, T(a), oy_value_list(OY_TAG_TENSOR_LIST, second, 2));
  CHECK_CALL("aten::index_put_", 1e-5, T(a), oy_value_list(OY_TAG_TENSOR_LIST, both, 2),
             T(values), oy_bool(true));
  if (oy_tensor_set(y, OY_DIMS(0, 0), oy_int(5)) != OY_OK) fail();
  CHECK_REFUSED("aten::index.Tensor", T(a), oy_value_list(OY_TAG_TENSOR_LIST, both, 2));
  oy_tensor_release(a);
  oy_tensor_release(x);
  oy_tensor_release(y);
  oy_tensor_release(values);
}

static void gpu_copies(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(4, 6), OY_DTYPE_F32, 1);
  oy_tensor* turned = numbers_transposed(OY_DIMS(4, 6), OY_DTYPE_I64, 2);
  oy_tensor* half = numbers_stepped(OY_DIMS(4, 6), OY_DTYPE_F16, 3);
  oy_tensor* row = numbers(OY_DIMS(6), OY_DTYPE_BOOL, 4);
  oy_object* list[] = {a, turned, half};
  oy_tensor* ramp = numbers(OY_DIMS(0), OY_DTYPE_F32, 1);
  CHECK_CALL("aten::copy_", 0, T(turned), T(a), oy_bool(false));
  CHECK_CALL("aten::copy_", 0, T(half), T(row), oy_bool(false));
  CHECK_CALL("aten::clone", 0, T(turned));
  CHECK_CALL("aten::cat", 0, oy_value_list(OY_TAG_TENSOR_LIST, list, 3), oy_int(1));
  CHECK_CALL("aten::fill_.Scalar", 0, T(half), oy_float(2.5));
  CHECK_CALL("aten::zero_", 0, T(turned));
  CHECK_CALL("aten::arange.start_out", 0, oy_float(0.5), oy_int(9), oy_float(0.75),
             T(ramp));
  oy_tensor_release(a);
  oy_tensor_release(turned);
  oy_tensor_release(half);
  oy_tensor_release(row);
  oy_tensor_release(ramp);
}

// The same seed gives the CPU's numbers.
static void gpu_random(void** state) {
  (void)state;
  static const struct {
    const char* op;
    oy_dtype dtype;
    double a, b;
    int arguments;
  } rows[] = {{"aten::uniform_", OY_DTYPE_F32, -1, 3, 2},
              {"aten::uniform_", OY_DTYPE_F64, 0, 1, 2},
              {"aten::uniform_", OY_DTYPE_BF16, 0, 1, 2},
              {"aten::normal_", OY_DTYPE_F32, 1, 2, 2},
              {"aten::normal_", OY_DTYPE_F64, 0, 1, 2},
              {"aten::bernoulli_.float", OY_DTYPE_F32, 0.3, 0, 1},
              {"aten::exponential_", OY_DTYPE_F32, 0.7, 0, 1},
              {"aten::random_", OY_DTYPE_I64, 0, 0, 0},
              {"aten::random_", OY_DTYPE_F16, 0, 0, 0}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* a = numbers_transposed(OY_DIMS(7, 9), rows[i].dtype, 1);
    oy_value there[] = {T(to_gpu(a, 0)), oy_float(rows[i].a), oy_float(rows[i].b)};
    oy_value here[] = {T(a), there[1], there[2]}, results[2];
    size_t count = 1 + (size_t)rows[i].arguments;
    // Twice: the second call goes on where the first one ended.
    for (int pass = 0; pass < 2; pass++) {
      if (pass == 0) oy_manual_seed(42);
      assert_int_equal(call_op(rows[i].op, count, here, &results[0]), 1);
      oy_value_release(&results[0]);
    }
    oy_manual_seed(42);
    for (int pass = 0; pass < 2; pass++) {
      if (call_op(rows[i].op, count, there, &results[1]) != 1)
        fail_msg("%s: %s", rows[i].op, oy_error_get()->message);
      oy_value_release(&results[1]);
    }
    check_same(a, there[0].as.object, 1e-6, rows[i].op);
    oy_tensor_release(a);
    oy_tensor_release(there[0].as.object);
  }
}

int main(void) {
  gpu_start();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TI_08_kernels_look_at_devices),
      cmocka_unit_test(gpu_index_add_repeats_its_source),
      cmocka_unit_test(gpu_matrix),
      cmocka_unit_test(gpu_index_rows),
      cmocka_unit_test(gpu_index_refusals),
      cmocka_unit_test(gpu_gather_scatter),
      cmocka_unit_test(gpu_index_lists),
      cmocka_unit_test(gpu_copies),
      cmocka_unit_test(gpu_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
