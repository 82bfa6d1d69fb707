// SPDX-License-Identifier: Apache-2.0
// Walks by several threads and in tiles: each element once, whatever the layout, and
// the same bits for every number of threads. What is expected is computed element by
// element from indices.
#include "support/tensors.h"
#include "tensor/impl.h"
#include "tensor/iterator.h"

enum { MOST_THREADS = 4, FIRST = 1 << 8 };

typedef struct layout {
  const char* name;
  size_t ndim;
  int64_t sizes[5];
  int order[5];     // how the second input lies: its slowest dimension first
  int expanded;     // bit d: the second input has size 1 there; FIRST << d: the first one
  size_t out_swap;  // the output: 1 as the sizes are, 2 with the last two swapped
} layout;

static const layout g_layouts[] = {
    {"contiguous", 1, {100000}, {0}, 0, 1},
    {"one grain", 1, {32768}, {0}, 0, 1},
    {"a grain and one", 1, {32769}, {0}, 0, 1},
    {"transposed", 2, {300, 517}, {1, 0}, 0, 1},
    {"transposed, a tile", 2, {16, 256}, {1, 0}, 0, 1},
    {"transposed, tiles and one", 2, {33, 257}, {1, 0}, 0, 1},
    {"transposed, narrow", 2, {9, 3001}, {1, 0}, 0, 1},
    {"transposed, tall", 2, {3001, 9}, {1, 0}, 0, 1},
    {"transposed, small", 2, {7, 7}, {1, 0}, 0, 1},
    {"batch transposed", 3, {5, 70, 90}, {0, 2, 1}, 0, 1},
    {"channels last", 4, {3, 17, 40, 50}, {0, 2, 3, 1}, 0, 1},
    {"all turned round", 4, {11, 13, 17, 19}, {3, 2, 1, 0}, 0, 1},
    {"output transposed too", 2, {300, 517}, {1, 0}, 0, 2},
    {"output transposed alone", 2, {300, 517}, {0, 1}, 0, 2},
    {"rows expanded", 2, {300, 517}, {0, 1}, 1, 1},
    {"columns expanded", 2, {300, 517}, {0, 1}, 2, 1},
    {"transposed and expanded", 3, {20, 60, 90}, {2, 1, 0}, 2, 1},
    {"short rows", 3, {2000, 30, 3}, {1, 0, 2}, 0, 1},
    {"rows of a line apart", 3, {40, 700, 16}, {1, 0, 2}, 0, 1},
    {"rows of nine apart", 3, {33, 71, 9}, {1, 0, 2}, 0, 1},
    {"rows apart in two dimensions", 4, {7, 9, 11, 13}, {2, 0, 1, 3}, 0, 1},
    {"a number for each of two", 2, {5003, 2}, {0, 1}, 2, 1},
    {"a number for each of three", 2, {2999, 3}, {0, 1}, 2, 1},
    {"a number for each of sixteen", 2, {1501, 16}, {0, 1}, 2, 1},
    {"three numbers for all", 2, {2999, 3}, {0, 1}, 1, 1},
    {"numbers for rows, rows for all", 2, {2999, 3}, {0, 1}, 1 | FIRST << 1, 1},
    {"pairs of points", 3, {5003, 3, 2}, {0, 1, 2}, 2 | FIRST << 2, 1},
    {"squares of points", 4, {9, 501, 3, 3}, {0, 1, 2, 3}, 4 | FIRST << 3, 1},
    {"channels of short rows", 3, {3001, 3, 4}, {0, 1, 2}, 5, 1},
    {"rows of short matrices", 3, {3001, 3, 4}, {0, 1, 2}, 2, 1},
    {"columns of short matrices", 3, {3001, 3, 4}, {0, 1, 2}, 4, 1},
    {"short matrices that lie turned", 3, {3001, 3, 4}, {0, 2, 1}, 1, 1},
    {"columns for rows of planes", 3, {9, 70, 150}, {2, 1, 0}, 2, 1},
    {"short columns side by side", 3, {7, 50, 301}, {2, 1, 0}, 0, 1},
    {"short columns beside others", 4, {3, 4, 5, 401}, {3, 1, 2, 0}, 0, 1},
    {"few columns of threes", 3, {3, 1001, 10}, {2, 1, 0}, 0, 1},
    {"few columns of sixteens", 3, {16, 301, 12}, {2, 1, 0}, 0, 1},
    {"few columns of a batch", 4, {5, 3, 99, 17}, {3, 0, 2, 1}, 0, 1},
    {"long columns of pairs", 3, {2, 7, 501}, {2, 1, 0}, 0, 1},
    {"columns near each other", 4, {3, 2, 5, 301}, {3, 1, 2, 0}, 0, 1},
    {"pairs turned", 3, {20, 799, 2}, {1, 0, 2}, 0, 1},
    {"fours of a batch turned", 4, {7, 9, 33, 4}, {0, 2, 1, 3}, 0, 1},
    {"small planes of many", 3, {700, 8, 8}, {0, 2, 1}, 0, 1},
    {"rows a page apart", 3, {100, 64, 16}, {2, 1, 0}, 0, 1},
    {"rows pages apart in four dimensions", 4, {19, 5, 128, 32}, {1, 3, 2, 0}, 0, 1},
    {"blocks of three dimensions", 4, {48, 3, 4, 4}, {0, 1, 2, 3}, 5, 1},
    {"short matrices in four dimensions", 4, {40, 11, 5, 4}, {1, 0, 2, 3}, 8, 1},
    {"several rows that are long together", 3, {300, 9, 70}, {1, 0, 2}, 0, 1},
    {"heads side by side", 4, {3, 40, 12, 64}, {0, 2, 1, 3}, 0, 1},
    {"rows of few planes", 4, {500, 2, 5, 33}, {0, 2, 1, 3}, 0, 1},
    {"rows of three far apart", 3, {900, 3, 70}, {1, 0, 2}, 0, 1},
    {"rows of many lines apart", 4, {17, 24, 8, 12}, {1, 3, 2, 0}, 0, 1},
    {"short rows joined", 4, {8, 23, 31, 12}, {2, 0, 3, 1}, 0, 1},
    {"rows of a hundred joined", 4, {3, 17, 5, 100}, {2, 0, 3, 1}, 0, 1},
    {"short rows joined, for all others", 4, {8, 23, 31, 12}, {2, 0, 3, 1}, FIRST * 3, 1},
    {"short rows joined beside a number", 4, {8, 23, 31, 9}, {3, 2, 0, 1}, FIRST * 12, 1},
    {"short rows not joined", 4, {8, 23, 31, 12}, {2, 0, 3, 1}, FIRST * 4, 1},
    {"short rows joined in five dimensions", 5, {3, 19, 5, 7, 10}, {3, 0, 4, 2, 1}, 0, 1},
    {"short rows joined of another batch", 5, {3, 6, 20, 7, 10}, {3, 0, 1, 4, 2}, 2, 1},
};

// A tensor with the strides of one whose dimensions lie in |order|.
static oyi_tensor* make(const layout* l, const int* order, int expanded, oy_dtype dtype) {
  int64_t strides[5], own[5], stride = 1;
  for (size_t i = l->ndim; i-- > 0;) {
    size_t d = (size_t)order[i];
    own[d] = expanded >> d & 1 ? 1 : l->sizes[d];
    strides[d] = stride;
    stride *= own[d];
  }
  oyi_tensor* t = oyi_tensor_new_strided(
      (oy_ints){own, l->ndim}, (oy_ints){strides, l->ndim}, dtype, oy_device_cpu());
  assert_non_null(t);
  oy_tensor* wide = oy_tensor_expand(oyi_tensor_object(t), (oy_ints){l->sizes, l->ndim});
  assert_non_null(wide);
  oy_tensor_release(oyi_tensor_object(t));
  return oyi_tensor_cast(wide);
}

// Address of element |i| in row-major order.
static char* address(const oyi_tensor* t, int64_t i) {
  char* at = oyi_data(t);
  for (size_t d = t->ndim; d-- > 0;) {
    at += i % t->sizes[d] * oyi_strides(t)[d] * oyi_item(t);
    i /= t->sizes[d];
  }
  return at;
}

static void fill_numbers(oyi_tensor* t, unsigned seed) {
  size_t bytes = t->storage->nbytes;
  unsigned char* data = t->storage->data;
  for (size_t i = 0; i < bytes; i++)
    data[i] = (unsigned char)((seed += 0x9e3779b9) >> 24);
}

// out += 2 * a + b, byte by byte of elements of |args| bytes.
static void mix(int64_t n, char* const* data, const int64_t* strides, const void* args) {
  int64_t item = *(const int64_t*)args;
  for (int64_t i = 0; i < n; i++)
    for (int64_t byte = 0; byte < item; byte++)
      data[0][i * strides[0] + byte] =
          (char)(data[0][i * strides[0] + byte] + 2 * data[1][i * strides[1] + byte] +
                 data[2][i * strides[2] + byte]);
}

static void check_mix(const layout* l, oy_dtype dtype, int threads) {
  static const int straight[] = {0, 1, 2, 3, 4}, swapped[] = {1, 0};
  const int* out_order = l->out_swap == 2 ? swapped : straight;
  oyi_tensor* out = make(l, out_order, 0, dtype);
  oyi_tensor* a = make(l, straight, l->expanded / FIRST, dtype);
  oyi_tensor* b = make(l, l->order, l->expanded % FIRST, dtype);
  int64_t item = oyi_item(out);
  memset(out->storage->data, 100, out->storage->nbytes);
  fill_numbers(a, 1);
  fill_numbers(b, 2);
  assert_int_equal(oy_set_num_threads(threads), OY_OK);
  oyi_iter it;
  const oyi_tensor* tensors[] = {out, a, b};
  oyi_iter_plain(&it, tensors, 3);
  oyi_iter_run(&it, mix, &item);
  for (int64_t i = 0; i < out->numel; i++) {
    const char *x = address(a, i), *y = address(b, i), *z = address(out, i);
    for (int64_t byte = 0; byte < item; byte++)
      if (z[byte] != (char)(100 + 2 * x[byte] + y[byte]))
        fail_msg("%s, %d bytes, %d threads: element %lld", l->name, (int)item, threads,
                 (long long)i);
  }
  oy_tensor_release(oyi_tensor_object(out));
  oy_tensor_release(oyi_tensor_object(a));
  oy_tensor_release(oyi_tensor_object(b));
}

// A copy of the second input.
static void check_move(const layout* l, oy_dtype dtype, int threads) {
  static const int straight[] = {0, 1, 2, 3, 4}, swapped[] = {1, 0};
  oyi_tensor* out = make(l, l->out_swap == 2 ? swapped : straight, 0, dtype);
  oyi_tensor* in = make(l, l->order, l->expanded % FIRST, dtype);
  fill_numbers(out, 1);
  fill_numbers(in, 2);
  assert_int_equal(oy_set_num_threads(threads), OY_OK);
  oyi_iter it;
  const oyi_tensor* tensors[] = {out, in};
  oyi_iter_plain(&it, tensors, 2);
  oyi_iter_move(&it);
  for (int64_t i = 0; i < out->numel; i++)
    if (memcmp(address(out, i), address(in, i), (size_t)oyi_item(out)) != 0)
      fail_msg("copy of %s, %d bytes, %d threads: element %lld", l->name,
               (int)oyi_item(out), threads, (long long)i);
  oy_tensor_release(oyi_tensor_object(out));
  oy_tensor_release(oyi_tensor_object(in));
}

static void TEN_every_layout_size_and_thread_count(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_F16, OY_DTYPE_F32, OY_DTYPE_F64,
                                    OY_DTYPE_C128};
  for (size_t row = 0; row < sizeof(g_layouts) / sizeof(g_layouts[0]); row++)
    for (size_t d = 0; d < 5; d++)
      for (int threads = 1; threads <= MOST_THREADS; threads += 3) {
        check_mix(&g_layouts[row], dtypes[d], threads);
        check_move(&g_layouts[row], dtypes[d], threads);
      }
}

// Three inputs lie across, one more than is turned round; their sizes differ.
static void add_three(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  (void)args;
  for (int64_t i = 0; i < n; i++) {
    float x;
    double y;
    memcpy(&x, data[1] + i * strides[1], sizeof(x));
    memcpy(&y, data[2] + i * strides[2], sizeof(y));
    double sum = x + y + (unsigned char)data[3][i * strides[3]];
    memcpy(data[0] + i * strides[0], &sum, sizeof(sum));
  }
}

static void TEN_three_inputs_of_three_sizes(void** state) {
  (void)state;
  static const layout l = {"", 2, {270, 310}, {1, 0}, 0, 1};
  static const int straight[] = {0, 1};
  oyi_tensor* out = make(&l, straight, 0, OY_DTYPE_F64);
  oyi_tensor* x = make(&l, l.order, 0, OY_DTYPE_F32);
  oyi_tensor* y = make(&l, l.order, 0, OY_DTYPE_F64);
  oyi_tensor* z = make(&l, l.order, 0, OY_DTYPE_U8);
  for (int64_t i = 0; i < out->numel; i++) {
    *(float*)(void*)address(x, i) = (float)i;
    *(double*)(void*)address(y, i) = 0.5 * (double)i;
    *address(z, i) = (char)(i % 200);
  }
  for (int threads = 1; threads <= MOST_THREADS; threads++) {
    assert_int_equal(oy_set_num_threads(threads), OY_OK);
    memset(oyi_data(out), 0xff, out->storage->nbytes);
    oyi_iter it;
    const oyi_tensor* tensors[] = {out, x, y, z};
    oyi_iter_plain(&it, tensors, 4);
    oyi_iter_run(&it, add_three, NULL);
    for (int64_t i = 0; i < out->numel; i++) {
      double want = 1.5 * (double)i + (double)(i % 200);
      if (*(double*)(void*)address(out, i) != want) fail_msg("element %d", (int)i);
    }
  }
  oyi_tensor* all[] = {out, x, y, z};
  for (int i = 0; i < 4; i++) oy_tensor_release(oyi_tensor_object(all[i]));
}

// An expanded output is written by one thread.
static void count_up(int64_t n, char* const* data, const int64_t* strides,
                     const void* args) {
  (void)args;
  for (int64_t i = 0; i < n; i++) {
    int64_t value;
    memcpy(&value, data[0] + i * strides[0], sizeof(value));
    value++;
    memcpy(data[0] + i * strides[0], &value, sizeof(value));
  }
}

static void TEN_output_that_stays_in_place(void** state) {
  (void)state;
  assert_int_equal(oy_set_num_threads(MOST_THREADS), OY_OK);
  int64_t zero = 0;
  oy_tensor* one = oy_tensor_from_data(&zero, OY_DIMS(1, 1), OY_DTYPE_I64);
  oy_tensor* many = oy_tensor_expand(one, OY_DIMS(1000, 1000));
  oyi_iter it;
  const oyi_tensor* tensors[] = {oyi_tensor_cast(many)};
  oyi_iter_plain(&it, tensors, 1);
  oyi_iter_run(&it, count_up, NULL);
  assert_int_equal(*(int64_t*)oy_tensor_data(one), 1000000);
  oy_tensor_release(many);
  oy_tensor_release(one);
}

// ------------------------------------------------------------------ reductions

typedef struct reduce_row {
  const char* name;
  size_t ndim;
  int64_t sizes[4];
  int reduced;   // bit d: dimension d is
  int order[4];  // how the input lies
} reduce_row;

static const reduce_row g_reductions[] = {
    {"all of little", 1, {1000}, 1, {0}},
    {"all", 2, {400, 1001}, 3, {0, 1}},
    {"all of a transposed one", 2, {400, 1001}, 3, {1, 0}},
    {"more than 64 grains", 1, {2200000}, 1, {0}},
    {"rows", 2, {3000, 70}, 2, {0, 1}},
    {"columns", 2, {3000, 70}, 1, {0, 1}},
    {"wide columns", 2, {40, 7000}, 1, {0, 1}},
    {"few long rows", 2, {3, 100000}, 2, {0, 1}},
    {"few long columns", 2, {100000, 3}, 1, {0, 1}},
    {"16 long columns", 2, {70000, 16}, 1, {0, 1}},
    {"17 long columns", 2, {70000, 17}, 1, {0, 1}},
    {"outer and inner", 3, {50, 60, 70}, 5, {0, 1, 2}},
    {"the middle", 3, {50, 60, 70}, 2, {0, 1, 2}},
    {"the middle, turned", 3, {50, 60, 70}, 2, {2, 0, 1}},
    {"none", 2, {300, 300}, 0, {0, 1}},
    {"four dimensions", 4, {20, 30, 40, 5}, 10, {3, 1, 0, 2}},
};

#define ADD(type, name)                                                  \
  static void name(int64_t n, char* const* data, const int64_t* strides, \
                   const void* args) {                                   \
    (void)args;                                                          \
    for (int64_t i = 0; i < n; i++)                                      \
      *(type*)(void*)(data[0] + i * strides[0]) +=                       \
          *(const type*)(const void*)(data[1] + i * strides[1]);         \
  }
ADD(int64_t, add_i64)
ADD(double, add_f64)

static oyi_tensor* reduce(const reduce_row* row, const oyi_tensor* in, oyi_loop loop) {
  static const int64_t zero;
  int64_t sizes[4];
  for (size_t d = 0; d < row->ndim; d++)
    sizes[d] = row->reduced >> d & 1 ? 1 : row->sizes[d];
  oyi_tensor* acc =
      oyi_tensor_new((oy_ints){sizes, row->ndim}, in->header.dtype, oy_device_cpu());
  memset(oyi_data(acc), 0, (size_t)acc->numel * 8);
  oyi_iter it;
  oyi_iter_reduction(&it, acc, in);
  oyi_reducer sum = {loop, loop, NULL, &zero, sizeof(zero)};
  oyi_iter_reduce(&it, &sum);
  return acc;
}

// The accumulator that element |i| of the input belongs to.
static int64_t place_of(const reduce_row* row, int64_t i) {
  int64_t place = 0, stride = 1;
  for (size_t d = row->ndim; d-- > 0;) {
    if (!(row->reduced >> d & 1)) {
      place += i % row->sizes[d] * stride;
      stride *= row->sizes[d];
    }
    i /= row->sizes[d];
  }
  return place;
}

static oyi_tensor* input_of(const reduce_row* row, oy_dtype dtype) {
  layout l = {.ndim = row->ndim};
  memcpy(l.sizes, row->sizes, sizeof(row->sizes));
  return make(&l, row->order, 0, dtype);
}

static void RED_exact_sums(void** state) {
  (void)state;
  for (size_t at = 0; at < sizeof(g_reductions) / sizeof(g_reductions[0]); at++) {
    const reduce_row* row = &g_reductions[at];
    oyi_tensor* in = input_of(row, OY_DTYPE_I64);
    int64_t* want = calloc((size_t)in->numel, sizeof(*want));
    for (int64_t i = 0; i < in->numel; i++) {
      *(int64_t*)(void*)address(in, i) = i * 7919 % 10007;
      want[place_of(row, i)] += i * 7919 % 10007;
    }
    for (int threads = 1; threads <= MOST_THREADS; threads += 3) {
      assert_int_equal(oy_set_num_threads(threads), OY_OK);
      oyi_tensor* acc = reduce(row, in, add_i64);
      for (int64_t i = 0; i < acc->numel; i++)
        if (((int64_t*)oyi_data(acc))[i] != want[i])
          fail_msg("%s, %d threads: sum %d is %lld and not %lld", row->name, threads,
                   (int)i, (long long)((int64_t*)oyi_data(acc))[i], (long long)want[i]);
      oy_tensor_release(oyi_tensor_object(acc));
    }
    free(want);
    oy_tensor_release(oyi_tensor_object(in));
  }
}

static void RED_same_bits_for_every_thread_count(void** state) {
  (void)state;
  for (size_t at = 0; at < sizeof(g_reductions) / sizeof(g_reductions[0]); at++) {
    const reduce_row* row = &g_reductions[at];
    oyi_tensor* in = input_of(row, OY_DTYPE_F64);
    for (int64_t i = 0; i < in->numel; i++)
      *(double*)(void*)address(in, i) = sin((double)i) * exp((double)(i % 40));
    assert_int_equal(oy_set_num_threads(1), OY_OK);
    oyi_tensor* first = reduce(row, in, add_f64);
    for (int threads = 2; threads <= MOST_THREADS; threads++) {
      assert_int_equal(oy_set_num_threads(threads), OY_OK);
      oyi_tensor* acc = reduce(row, in, add_f64);
      if (memcmp(oyi_data(first), oyi_data(acc), (size_t)acc->numel * 8) != 0)
        fail_msg("%s: %d threads give other bits than one", row->name, threads);
      oy_tensor_release(oyi_tensor_object(acc));
    }
    oy_tensor_release(oyi_tensor_object(first));
    oy_tensor_release(oyi_tensor_object(in));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TEN_every_layout_size_and_thread_count),
      cmocka_unit_test(TEN_three_inputs_of_three_sizes),
      cmocka_unit_test(TEN_output_that_stays_in_place),
      cmocka_unit_test(RED_exact_sums),
      cmocka_unit_test(RED_same_bits_for_every_thread_count),
  };
  return cmocka_run_group_tests_name("iterator_run", tests, NULL, NULL);
}
