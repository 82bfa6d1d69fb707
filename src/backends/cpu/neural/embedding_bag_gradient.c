// SPDX-License-Identifier: Apache-2.0
// The gradient of a table of which bags of rows were taken (embedding_bag.c).
#include <string.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/add_rows.h"
#include "backends/cpu/neural/embedding_bag.h"
#include "backends/cpu/norm/rules_norm.h"
#include "backends/cpu/work.h"
#include "base/memory.h"
#include "ops/rules/rules.h"

typedef struct bag_grads {
  const oyi_tensor *grad, *indices, *bag_of, *size, *places, *scales;
  int64_t rows, mode, padding;
  bool by_frequency;
} bag_grads;

static oy_status check_grads(const bag_grads* g) {
  const oyi_tensor* others[4] = {g->indices, g->bag_of, g->size, g->places};
  for (int i = 0; i < 4; i++)
    OY_CHECK(oy_dtype_is_integral(others[i]->header.dtype, false), TYPE_MISMATCH,
             "expected scalar type Long but found %s",
             oy_dtype_pytorch_name(others[i]->header.dtype));
  OY_CHECK(oyi_float_to_compute(g->grad->header.dtype) != OY_DTYPE_ANY, TYPE_MISMATCH,
           "Expected tensor for argument #1 'grad' to have one of the following scalar "
           "types: Half, BFloat16, Float, Double; but got %s instead (while checking "
           "arguments for embedding_bag)",
           oy_dtype_pytorch_name(g->grad->header.dtype));
  OY_CHECK(g->grad->ndim == 2 && g->rows >= 0, INVALID_ARGUMENT,
           "grad has to be a 2D Tensor, but got Tensor of dimension %u", g->grad->ndim);
  const int64_t bags_of = g->grad->sizes[0];
  OY_CHECK(g->mode == BAG_MAX || g->bag_of->numel == g->indices->numel, INVALID_ARGUMENT,
           "expected offset2bag to have an element for each of %lld indices, got %s",
           (long long)g->indices->numel, oyi_dims_print(oyi_sizes_view(g->bag_of)).text);
  OY_CHECK(g->mode == BAG_SUM || g->size->numel == bags_of, INVALID_ARGUMENT,
           "expected bag_size to have an element for each of %lld bags, got %s",
           (long long)bags_of, oyi_dims_print(oyi_sizes_view(g->size)).text);
  OY_CHECK(g->mode != BAG_MAX ||
               oyi_same_sizes(oyi_sizes_view(g->places), oyi_sizes_view(g->grad)),
           INVALID_ARGUMENT, "expected maximum_indices of size %s, got %s",
           oyi_dims_print(oyi_sizes_view(g->grad)).text,
           oyi_dims_print(oyi_sizes_view(g->places)).text);
  OY_CHECK(!g->scales || g->scales->numel == g->indices->numel, INVALID_ARGUMENT,
           "expected per_sample_weights to have %lld elements, got %s",
           (long long)g->indices->numel,
           g->scales ? oyi_dims_print(oyi_sizes_view(g->scales)).text : "");
  return OY_OK;
}

// How much of its bag's gradient each index gets; NULL without memory.
static double* shares(const bag_grads* g, const oyi_add_rows* a, const int64_t* size,
                      const double* scales) {
  double* share = oyi_calloc((size_t)a->count + 1, sizeof(double));
  int64_t* counts =
      share && g->by_frequency ? oyi_calloc((size_t)a->rows + 1, sizeof(int64_t)) : NULL;
  for (int64_t i = 0; counts && i < a->count; i++) counts[a->index[i]]++;
  for (int64_t i = 0; share && i < a->count; i++) {
    share[i] = scales ? scales[i] : 1;
    if (counts) share[i] /= (double)counts[a->index[i]];
    if (g->mode == BAG_MEAN) share[i] /= (double)size[a->source[i]];
  }
  const bool failed = g->by_frequency && !counts;
  oyi_free(counts);
  if (!failed) return share;
  oyi_free(share);
  return NULL;
}

static oy_status add_maxima(const bag_grads* g, const oyi_add_rows* a,
                            const int64_t* size, const int64_t* places) {
  const int64_t columns = a->columns, bags_of = g->grad->sizes[0];
  memset(a->to, 0, (size_t)(a->rows * columns) * oyi_dtype_bytes[a->dtype]);
  for (int64_t k = 0; k < bags_of; k++)
    for (int64_t d = 0; d < columns && size[k] > 0; d++) {
      const int64_t at = places[k * columns + d], from = k * columns + d;
      OY_TRY(oyi_add_rows_check(&at, 1, a->rows));
      const int64_t to = at * columns + d;
      oyi_number_put(
          a->to, a->dtype, to,
          oyi_number_at(a->to, a->dtype, to) + oyi_number_at(a->from, a->dtype, from));
    }
  return OY_OK;
}

static oy_status add_bags(const bag_grads* g, oyi_add_rows* a, const int64_t* size,
                          const double* scales) {
  OY_TRY(oyi_add_rows_check(a->index, a->count, a->rows));
  OY_TRY(oyi_add_rows_check(a->source, a->count, g->grad->sizes[0]));
  double* share = shares(g, a, size, scales);
  if (!share) return oy_failure();
  a->scale = share;
  oy_status status = oyi_add_rows_run(a);
  oyi_free(share);
  return status;
}

static oy_status compute_grads(const bag_grads* g, oyi_tensor* out) {
  oyi_work w = oyi_work_begin(oyi_float_to_compute(g->grad->header.dtype));
  oyi_add_rows a = {.dtype = w.dtype,
                    .rows = g->rows,
                    .columns = g->grad->sizes[1],
                    .count = g->indices->numel,
                    .skipped = g->padding};
  a.from = oyi_work_read(&w, g->grad);
  a.to = oyi_work_write(&w, out);
  a.index = oyi_work_read_as(&w, g->indices, OY_DTYPE_I64);
  a.source = oyi_work_read_as(&w, g->bag_of, OY_DTYPE_I64);
  const int64_t* size = oyi_work_read_as(&w, g->size, OY_DTYPE_I64);
  const int64_t* places = oyi_work_read_as(&w, g->places, OY_DTYPE_I64);
  const double* scales = oyi_work_read_as(&w, g->scales, OY_DTYPE_F64);
  oy_status status = OY_OK;
  if (!w.failed)
    status = g->mode == BAG_MAX ? add_maxima(g, &a, size, places)
                                : add_bags(g, &a, size, scales);
  return oyi_work_end(&w, status);
}

OYI_CPU(_embedding_bag_dense_backward) {
  bag_grads g = {.grad = oyi_tensor_of(grad),
                 .rows = num_weights,
                 .mode = mode,
                 .padding = padding_idx,
                 .by_frequency = scale_grad_by_freq};
  g.indices = g.grad ? oyi_tensor_of(indices) : NULL;
  g.bag_of = g.indices ? oyi_tensor_of(offset2bag) : NULL;
  g.size = g.bag_of ? oyi_tensor_of(bag_size) : NULL;
  g.places = g.size ? oyi_tensor_of(maximum_indices) : NULL;
  if (!g.places || !oyi_is_optional(per_sample_weights)) return NULL;
  g.scales = oyi_optional_tensor(per_sample_weights);
  if (check_grads(&g) != 0) return NULL;
  oyi_tensor* out = oyi_tensor_new(OY_DIMS(num_weights, g.grad->sizes[1]), grad->dtype,
                                   oyi_tensor_device(g.grad));
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  if (compute_grads(&g, out) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}
