// SPDX-License-Identifier: Apache-2.0
// Bags of rows of a table: their sum, mean or maximum, and the gradient of the weights of
// samples. Bag k has the indices from offsets[k] on, up to the next one.
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/add_rows.h"
#include "backends/cpu/neural/bag_rows.h"
#include "backends/cpu/neural/embedding_bag.h"
#include "backends/cpu/norm/rules_norm.h"
#include "backends/cpu/work.h"
#include "base/cpu.h"
#include "base/threads.h"
#include "ops/rules/rules.h"

enum { ROWS_AT_ONCE = 4 };

typedef struct bags {
  const oyi_tensor *weight, *indices, *offsets, *scales;  // |scales| may be NULL
  int64_t mode, padding, count, columns;
  oy_dtype index_dtype;
  // In memory:
  oy_dtype dtype;
  const void *table, *scale;
  const int64_t *index, *offset;
  void* out;
  int64_t *bag_of, *size, *places;  // |places|: of maxima
  int64_t stretch;
  oyi_bag_rows_fn add;  // NULL: there are no vectors for it
} bags;

// ------------------------------------------------------------------------- rules

static oy_status check_index_dtypes(const bags* b) {
  const oyi_tensor* both[2] = {b->indices, b->offsets};
  for (int i = 0; i < 2; i++) {
    OY_TRY(oyi_check_index_dtype(&both[i]->header, 1, i == 0 ? "indices" : "offsets",
                                 "embedding_bag"));
    OY_CHECK(both[i]->ndim == 1, INVALID_ARGUMENT, "%s has to be a 1D Tensor",
             i == 0 ? "input" : "offsets");
    OY_TRY(oyi_check_same_device(b->weight, both[i]));
  }
  return OY_OK;
}

static oy_status check_scales(const bags* b) {
  if (!b->scales) return OY_OK;
  OY_CHECK(b->mode == BAG_SUM, INVALID_ARGUMENT,
           "embedding_bag: per_sample_weights only supported with mode='sum'");
  OY_CHECK(b->scales->header.dtype == b->weight->header.dtype, TYPE_MISMATCH,
           "Expected tensor for argument #1 'weight' to have the same type as tensor for "
           "argument #1 'per_sample_weights'; but type %s does not equal %s (while "
           "checking arguments for embedding_bag)",
           oy_dtype_pytorch_name(b->weight->header.dtype),
           oy_dtype_pytorch_name(b->scales->header.dtype));
  OY_CHECK(b->scales->ndim == 1 && b->scales->numel == b->indices->numel,
           INVALID_ARGUMENT,
           "expected per_sample_weights to be a vector of %lld elements, as indices is, "
           "got %s",
           (long long)b->indices->numel, oyi_dims_print(oyi_sizes_view(b->scales)).text);
  return oyi_check_same_device(b->weight, b->scales);
}

static oy_status check(bags* b, oy_object* const operands[4], bool has_last) {
  b->weight = oyi_tensor_of(operands[0]);
  b->indices = b->weight ? oyi_tensor_of(operands[1]) : NULL;
  b->offsets = b->indices ? oyi_tensor_of(operands[2]) : NULL;
  if (!b->offsets || !oyi_is_optional(operands[3])) return oy_failure();
  b->scales = oyi_optional_tensor(operands[3]);
  OY_TRY(check_index_dtypes(b));
  b->index_dtype = b->indices->header.dtype == b->offsets->header.dtype
                       ? b->indices->header.dtype
                       : OY_DTYPE_I64;
  OY_CHECK(oyi_float_to_compute(b->weight->header.dtype) != OY_DTYPE_ANY, TYPE_MISMATCH,
           "Expected tensor for argument #1 'weight' to have one of the following scalar "
           "types: Half, BFloat16, Float, Double; but got torch.%sTensor instead (while "
           "checking arguments for embedding_bag)",
           oy_dtype_pytorch_name(b->weight->header.dtype));
  OY_CHECK(b->weight->ndim == 2, INVALID_ARGUMENT,
           "weight has to be a 2D Tensor, but got Tensor of dimension %u",
           b->weight->ndim);
  OY_CHECK(b->mode >= BAG_SUM && b->mode <= BAG_MAX, INVALID_ARGUMENT,
           "embedding_bag: expected the mode 0 (sum), 1 (mean) or 2 (max), got %lld",
           (long long)b->mode);
  b->columns = b->weight->sizes[1];
  b->count = b->offsets->numel - has_last;
  OY_CHECK(b->count >= 0, INVALID_ARGUMENT,
           "include_last_offset: number of offset should be at least 1");
  return check_scales(b);
}

static oy_status check_offsets(const bags* b) {
  const int64_t n = b->offsets->numel, size = b->indices->numel;
  if (n == 0) return OY_OK;
  OY_CHECK(b->offset[0] == 0, INVALID_ARGUMENT,
           "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to "
           "start from position 0. However, got %lld",
           (long long)b->offset[0]);
  OY_CHECK(b->offset[n - 1] <= size, INVALID_ARGUMENT,
           "offsets[-1] can not be greater than input's length %lld but got offsets[-1] "
           "of %lld",
           (long long)size, (long long)b->offset[n - 1]);
  for (int64_t i = 1; i < n; i++)
    OY_CHECK(b->offset[i] >= b->offset[i - 1], INVALID_ARGUMENT,
             "offsets have to increase, but offsets[%lld] is %lld and offsets[%lld] is "
             "%lld",
             (long long)(i - 1), (long long)b->offset[i - 1], (long long)i,
             (long long)b->offset[i]);
  return oyi_add_rows_check(b->index, size, b->weight->sizes[0]);
}

// PyTorch leaves out which bag an index belongs to where its fast sum has no use for it.
static bool skips_bag_of(const bags* b) {
  return b->mode == BAG_SUM && b->padding < 0 &&
         b->weight->header.dtype != OY_DTYPE_F64 && oyi_strides(b->weight)[1] == 1;
}

// ----------------------------------------------------------------------- forward

static oyi_bag_rows_fn adder_of(const bags* b) {
  if (b->mode == BAG_MAX) return NULL;
#if defined(__x86_64__)
  const bool is_f32 = b->dtype == OY_DTYPE_F32;
  const int64_t bytes = b->columns * oyi_dtype_bytes[b->dtype];
  if (oyi_cpu_level() > 1 && bytes >= 64)
    return is_f32 ? oyi_bag_rows_f32_v4 : oyi_bag_rows_f64_v4;
  if (oyi_cpu_level() > 0 && bytes >= 32)
    return is_f32 ? oyi_bag_rows_f32_v3 : oyi_bag_rows_f64_v3;
#endif
  return NULL;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define T           float
#define ID          f32
#include "backends/cpu/neural/embedding_bag_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/neural/embedding_bag_tmpl.h"

static void add_bags_wide(const bags* b, int64_t first, int64_t last) {
  const size_t bytes = (size_t)(last - first) * sizeof(int64_t);
  const bool is_mean = b->mode == BAG_MEAN;
  const oyi_bag_rows rows = {.table = b->table,
                             .index = b->index,
                             .offset = b->offset,
                             .scale = b->scale,
                             .count = b->indices->numel,
                             .offsets = b->offsets->numel,
                             .columns = b->columns,
                             .padding = b->padding,
                             .is_mean = is_mean,
                             .out = b->out,
                             .size = is_mean ? b->size : NULL};
  b->add(&rows, first, last);
  if (!is_mean) memset(b->size + first, 0, bytes);
  memcpy(b->places + first, b->size + first, bytes);
  for (int64_t k = first; b->bag_of && k < last; k++) {
    const int64_t to = k + 1 < rows.offsets ? b->offset[k + 1] : rows.count;
    for (int64_t i = b->offset[k]; i < to; i++) b->bag_of[i] = k;
  }
}

static oy_status run_bags(int64_t index, void* context) {
  const bags* b = context;
  const int64_t first = index * b->stretch;
  const int64_t end = b->count - first < b->stretch ? b->count : first + b->stretch;
  if (b->add) {
    add_bags_wide(b, first, end);
    return OY_OK;
  }
  for (int64_t k = first; k < end; k++)
    (b->dtype == OY_DTYPE_F64 ? one_bag_f64 : one_bag_f32)(b, k);
  return OY_OK;
}

// |made|: the result, the bag of each index, the size of each bag, the places of maxima.
static oy_status compute(bags* b, oyi_tensor* const made[4]) {
  oyi_work w = oyi_work_begin(oyi_float_to_compute(b->weight->header.dtype));
  oyi_work whole = oyi_work_begin(OY_DTYPE_I64);
  b->dtype = w.dtype;
  b->table = oyi_work_read(&w, b->weight);
  b->scale = oyi_work_read(&w, b->scales);
  b->out = oyi_work_write(&w, made[0]);
  b->index = oyi_work_read(&whole, b->indices);
  b->offset = oyi_work_read(&whole, b->offsets);
  int64_t* bag_of = oyi_work_write(&whole, made[1]);
  int64_t* size = oyi_work_write(&whole, made[2]);
  int64_t* places = oyi_work_write(&whole, made[3]);
  oy_status status = OY_OK;
  const bool failed = w.failed || whole.failed;
  if (!failed) status = check_offsets(b);
  if (!failed && status == OY_OK) {
    b->bag_of = made[1]->numel == b->indices->numel ? bag_of : NULL;
    b->size = size;
    b->places = places;
    b->add = adder_of(b);
    if (b->bag_of) memset(bag_of, 0, (size_t)made[1]->numel * sizeof(int64_t));
    if (made[2]->numel > b->count) size[b->count] = places[b->count] = 0;
    b->stretch =
        oyi_stretch((b->count ? b->indices->numel / b->count + 1 : 1) * (b->columns + 1));
    status = oyi_parallel_chunks(oyi_stretches(b->count, b->stretch), run_bags, b);
  }
  status = oyi_work_end(&whole, w.failed ? oy_failure() : status);
  return oyi_work_end(&w, status);
}

// With no gradient in view PyTorch leaves the sizes of bags as long as |offsets| and, of
// sums, without meaning.
static oy_status forward(bags* b, oy_object* const operands[4], bool has_last,
                         bool only_forward, oy_object** const results[4]) {
  for (int i = 0; i < 4; i++) *results[i] = NULL;
  OY_TRY(check(b, operands, has_last));
  const oy_device device = oyi_tensor_device(b->weight);
  const bool is_max = b->mode == BAG_MAX;
  const int64_t all = skips_bag_of(b) ? 0 : b->indices->numel;
  const int64_t shape[2] = {b->count, b->columns};
  const int64_t sizes = only_forward && b->mode == BAG_SUM ? b->offsets->numel : b->count;
  const oy_ints one = {&sizes, 1}, two = {shape, 2};
  oyi_tensor* made[4] = {oyi_tensor_new(two, b->weight->header.dtype, device),
                         oyi_tensor_new((oy_ints){&all, 1}, b->index_dtype, device),
                         oyi_tensor_new(one, b->index_dtype, device),
                         oyi_tensor_new(is_max ? two : one, b->index_dtype, device)};
  oy_status status = OY_OK;
  for (int i = 0; i < 4; i++)
    if (!made[i]) status = OY_OUT_OF_MEMORY;
  if (status == OY_OK && !oyi_is_meta(made[0])) status = compute(b, made);
  for (int i = 0; i < 4; i++) {
    if (status == OY_OK)
      *results[i] = &made[i]->header;
    else
      oy_tensor_release(oyi_tensor_object(made[i]));
  }
  return status;
}

#define FORWARD(only)                                                              \
  bags b = {.mode = mode, .padding = padding_idx};                                 \
  return forward(&b, (oy_object*[]){weight, indices, offsets, per_sample_weights}, \
                 include_last_offset, only,                                        \
                 (oy_object * * const[]){out_0, out_1, out_2, out_3})
OYI_CPU(_embedding_bag) {
  FORWARD(false);
}
OYI_CPU(_embedding_bag_forward_only) {
  FORWARD(true);
}

// ------------------------------------------------- the gradient of weights of samples

// Each is the product of the row of its index with the gradient of its bag. The bags
// that the forward left out are known from where they begin.
static oy_status compute_scales(bags* b, const oyi_tensor* grad, const oyi_tensor* bag_of,
                                oyi_tensor* out) {
  oyi_work w = oyi_work_begin(oyi_float_to_compute(grad->header.dtype));
  const void* g = oyi_work_read(&w, grad);
  const void* table = oyi_work_read(&w, b->weight);
  const int64_t* index = oyi_work_read_as(&w, b->indices, OY_DTYPE_I64);
  const int64_t* bag = oyi_work_read_as(&w, bag_of, OY_DTYPE_I64);
  const int64_t* begin = oyi_work_read_as(&w, b->offsets, OY_DTYPE_I64);
  void* to = oyi_work_write(&w, out);
  const int64_t n = b->indices->numel, columns = b->columns;
  oy_status status = w.failed ? OY_OK : oyi_add_rows_check(index, n, b->weight->sizes[0]);
  if (!w.failed && status == OY_OK)
    status = oyi_add_rows_check(bag, bag_of->numel, grad->sizes[0]);
  for (int64_t i = 0, at = 0; !w.failed && status == OY_OK && i < n; i++) {
    double sum = 0;
    while (at + 1 < b->count && begin[at + 1] <= i) at++;
    const int64_t row = bag_of->numel ? bag[i] : at;
    for (int64_t d = 0; d < columns && index[i] != b->padding; d++)
      sum += oyi_number_at(g, w.dtype, row * columns + d) *
             oyi_number_at(table, w.dtype, index[i] * columns + d);
    oyi_number_put(to, w.dtype, i, sum);
  }
  return oyi_work_end(&w, status);
}

OYI_CPU(_embedding_bag_per_sample_weights_backward) {
  const oyi_tensor* g = oyi_tensor_of(grad);
  const oyi_tensor* bag_of = g ? oyi_tensor_of(offset2bag) : NULL;
  bags b = {.mode = mode, .padding = padding_idx};
  if (!bag_of) return NULL;
  if (mode != BAG_SUM) {
    OY_FAIL(INVALID_ARGUMENT,
            "embedding_bag_backward: per_sample_weights only supported for mode='sum'");
    return NULL;
  }
  oy_object* const operands[4] = {weight, indices, offsets, &oy_none_object};
  if (check(&b, operands, false) != 0) return NULL;
  const bool is_known =
      bag_of->numel == b.indices->numel ||
      (bag_of->numel == 0 && g->ndim == 2 && b.count > 0 && b.count <= g->sizes[0]);
  if (g->ndim != 2 || g->sizes[1] != b.columns || grad->dtype != weight->dtype ||
      !is_known) {
    OY_FAIL(INVALID_ARGUMENT,
            "_embedding_bag_per_sample_weights_backward: expected grad with %lld columns "
            "and the dtype of weight, and an element of offset2bag for each index, or "
            "none, got %s and %s",
            (long long)b.columns, oyi_dims_print(oyi_sizes_view(g)).text,
            oyi_dims_print(oyi_sizes_view(bag_of)).text);
    return NULL;
  }
  oyi_tensor* out =
      oyi_tensor_new(oyi_sizes_view(b.indices), grad->dtype, oyi_tensor_device(g));
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  if (compute_scales(&b, g, bag_of, out) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}
