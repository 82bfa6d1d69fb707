// SPDX-License-Identifier: Apache-2.0
// Floating point operations of a call, from the shapes of its arguments, by the formulas
// of PyTorch's profiler: a product of matrices counts multiplications and additions, what
// works on elements one for each of its first argument.
#include "base/memory.h"
#include "observe/profiler.h"
#include "opyard/tensor.h"

// What does not fit stays the greatest number.
static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static bool sizes_at(const oy_record* r, size_t i, oy_ints* out_sizes) {
  oy_object* object = i < r->input_count ? oy_value_to_tensor(r->inputs[i]) : NULL;
  if (!object || !oy_object_is_tensor(object)) return false;
  *out_sizes = oy_tensor_sizes(object);
  return true;
}

static uint64_t product_of(oy_ints sizes) {
  uint64_t n = 1;
  for (size_t i = 0; i < sizes.size; i++) n = times(n, (uint64_t)sizes.data[i]);
  return n;
}

// [..., m, k] by [..., k, n]: 2 m k n for each pair.
static uint64_t matrices(const oy_record* r, size_t first) {
  oy_ints a, b;
  if (!sizes_at(r, first, &a) || !sizes_at(r, first + 1, &b) || !a.size || !b.size)
    return 0;
  return times(times(2, product_of(a)), (uint64_t)b.data[b.size - 1]);
}

static uint64_t product(const oy_record* r) {
  return matrices(r, 0);
}
static uint64_t product_and_sum(const oy_record* r) {
  return matrices(r, 1);
}

static uint64_t elements(const oy_record* r) {
  oy_ints sizes;
  return sizes_at(r, 0, &sizes) ? product_of(sizes) : 0;
}

// One number for both dimensions, or one for each.
static int64_t pair_at(const oy_record* r, size_t i, size_t dim, int64_t standard) {
  const oy_value* v = i < r->input_count ? &r->inputs[i] : NULL;
  if (v && v->tag == OY_TAG_INT) return v->as.i;
  if (!v || v->tag != OY_TAG_INT_LIST || !v->count) return standard;
  return v->as.ints[dim < v->count ? dim : v->count - 1];
}

static uint64_t output_size(const oy_record* r, size_t dim, int64_t size,
                            int64_t kernel) {
  int64_t stride = pair_at(r, 3, dim, 1), padding, reach, span;
  if (stride <= 0 || __builtin_mul_overflow(pair_at(r, 4, dim, 0), 2, &padding) ||
      __builtin_mul_overflow(pair_at(r, 5, dim, 1), kernel - 1, &reach) ||
      __builtin_add_overflow(size, padding, &span) ||
      __builtin_sub_overflow(span, reach, &span) || span <= 0)
    return 0;
  return (uint64_t)((span - 1) / stride) + 1;
}

// conv2d(input, weight, bias, stride, padding, dilation, groups), padding as numbers.
static uint64_t images(const oy_record* r) {
  oy_ints input, weight;
  if (!sizes_at(r, 0, &input) || !sizes_at(r, 1, &weight) || input.size != 4 ||
      weight.size != 4 || (r->input_count > 4 && r->inputs[4].tag == OY_TAG_STR))
    return 0;
  uint64_t places = times(output_size(r, 0, input.data[2], weight.data[2]),
                          output_size(r, 1, input.data[3], weight.data[3]));
  // The second size of weights is that of one group.
  return times(times(2, (uint64_t)input.data[0]), times(places, product_of(weight)));
}

static const struct {
  const char* name;
  uint64_t (*count)(const oy_record* record);
} g_formulas[] = {{"aten::mm", product},    {"aten::addmm", product_and_sum},
                  {"aten::bmm", product},   {"aten::baddbmm", product_and_sum},
                  {"aten::conv2d", images}, {"aten::mul", elements},
                  {"aten::add", elements}};

uint64_t oyi_profile_flops(const oy_record* record) {
  if (!record->op || !record->inputs) return 0;
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_formulas); i++)
    if (oy_str_equal(record->name, oy_str_of(g_formulas[i].name)))
      return g_formulas[i].count(record);
  return 0;
}
