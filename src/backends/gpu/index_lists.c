// SPDX-License-Identifier: Apache-2.0
// Indexing by lists of tensors: index, index_put_.
#include "geometry.h"
#include "index_kernel.h"
#include "rows.h"

enum { MOST_INDICES = 4 };

// Names are compared by address.
static const char INDEX_GET[] = "INDEX_GET", INDEX_PUT[] = "INDEX_PUT";

static oy_status out_of_bounds(int64_t index, int64_t dim, int64_t size) {
  return OY_FAIL(OUT_OF_RANGE,
                 "index %lld is out of bounds for dimension %lld with size %lld",
                 (long long)index, (long long)dim, (long long)size);
}

typedef struct places {
  oy_tensor* x[MOST_INDICES];  // of one shape, contiguous int64
  int of;
  int64_t first;  // dimension
  int64_t outer, count, inner, size[MOST_INDICES];
} places;

// Indices of consecutive dimensions, and no masks; the others run on the CPU.
static bool takes_indices(const gpu_call* c) {
  oy_value list = c->args[1];
  int of = 0;
  bool ended = false;
  if (list.tag != OY_TAG_TENSOR_LIST) return false;
  for (uint32_t i = 0; i < list.count; i++) {
    const oy_object* x = list.as.tensors[i];
    if (oy_object_is_none(x)) {
      ended = of > 0;
      continue;
    }
    if (ended || ++of > MOST_INDICES) return false;
    if (x->dtype != OY_DTYPE_I64 && x->dtype != OY_DTYPE_I32) return false;
  }
  return of > 0;
}

static bool takes_put(const gpu_call* c) {
  if (!takes_indices(c)) return false;
  return !c->args[3].as.i || gpu_index_takes_sums(c);
}

static void places_end(places* p) {
  for (int i = 0; i < p->of; i++) oy_tensor_release(p->x[i]);
}

// The common shape of the indices: sizes of the largest of each dimension.
static size_t common_shape(oy_value list, int64_t* sizes) {
  size_t ndim = 0;
  for (uint32_t i = 0; i < list.count; i++)
    if (!oy_object_is_none(list.as.tensors[i]) &&
        (size_t)oy_tensor_ndim(list.as.tensors[i]) > ndim)
      ndim = (size_t)oy_tensor_ndim(list.as.tensors[i]);
  for (size_t d = 0; d < ndim; d++) sizes[d] = 1;
  for (uint32_t i = 0; i < list.count; i++) {
    if (oy_object_is_none(list.as.tensors[i])) continue;
    oy_ints have = oy_tensor_sizes(list.as.tensors[i]);
    for (size_t d = 0; d < have.size; d++)
      if (have.data[d] != 1) sizes[ndim - have.size + d] = have.data[d];
  }
  return ndim;
}

static oy_tensor* whole_index(gpu_call* c, oy_object* x, oy_ints shape) {
  oy_tensor* here = gpu_plain(c, x, OY_DTYPE_I64);
  oy_tensor* wide = here ? oy_tensor_expand(here, shape) : NULL;
  oy_tensor* plain = wide ? gpu_plain(c, wide, OY_DTYPE_I64) : NULL;
  oy_tensor_release(here);
  oy_tensor_release(wide);
  return plain;
}

static oy_status places_begin(places* p, gpu_call* c, const oy_tensor* self) {
  oy_value list = c->args[1];
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  oy_ints shape = {sizes, common_shape(list, sizes)}, of = oy_tensor_sizes(self);
  memset(p, 0, sizeof(*p));
  p->first = -1;
  for (uint32_t i = 0; i < list.count; i++) {
    oy_object* x = list.as.tensors[i];
    if (oy_object_is_none(x)) continue;
    if (p->first < 0) p->first = i;
    p->size[p->of] = of.data[i];
    p->x[p->of] = whole_index(c, x, shape);
    if (!p->x[p->of]) return oy_failure();
    p->of++;
  }
  p->count = gpu_numel(shape);
  p->outer = gpu_index_product(of, 0, (size_t)p->first);
  p->inner = gpu_index_product(of, (size_t)(p->first + p->of), of.size);
  return OY_OK;
}

static oy_status visit(gpu_call* c, const places* p, const gpu_index_form* f,
                       oy_tensor* a, oy_tensor* out) {
  gpu_launch l;
  gpu_report report;
  if (p->outer * p->count * p->inner == 0) return OY_OK;
  gpu_launch_begin(&l, c->device);
  OY_TRY(gpu_arg_tensor(&l, a));
  OY_TRY(gpu_arg_tensor(&l, out));
  OY_TRY(gpu_report_begin(&l));
  for (int i = 0; i < MOST_INDICES; i++)
    if (gpu_arg_tensor(&l, p->x[i < p->of ? i : 0]) != OY_OK) break;
  gpu_arg_long(&l, p->outer);
  gpu_arg_long(&l, p->count);
  gpu_arg_long(&l, p->inner);
  gpu_arg_int(&l, p->of);
  gpu_arg(&l, p->size, sizeof(p->size));
  OY_TRY(gpu_index_launch(&l, f, p->outer * p->count, &report));
  return report.is_bad
             ? out_of_bounds(report.index, p->first + report.which, p->size[report.which])
             : OY_OK;
}

// index(self, indices)
static oy_status index_get(gpu_call* c) {
  oy_object* self = c->args[0].as.object;
  gpu_index_form f = {INDEX_GET, self->dtype, OY_DTYPE_I64, false};
  places p = {.of = 0};
  oy_tensor* a = gpu_plain(c, self, self->dtype);
  oy_tensor* out = gpu_result(c, 0);
  oy_status status = a && out ? places_begin(&p, c, self) : oy_failure();
  if (status == OY_OK) status = visit(c, &p, &f, a, out);
  places_end(&p);
  oy_tensor_release(a);
  return gpu_result_done(c, 0, out, status);
}

// The values, repeated to the shape of the places.
static oy_tensor* spread_values(gpu_call* c, const places* p, const oy_tensor* self,
                                oy_object* values) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], shape[OY_TENSOR_MAX_DIMS];
  size_t ndim = common_shape(c->args[1], shape), n = 0;
  oy_ints of = oy_tensor_sizes(self);
  for (int64_t d = 0; d < p->first; d++) sizes[n++] = of.data[d];
  for (size_t d = 0; d < ndim; d++) sizes[n++] = shape[d];
  for (size_t d = (size_t)(p->first + p->of); d < of.size; d++) sizes[n++] = of.data[d];
  oy_tensor* wide = oy_tensor_expand(values, (oy_ints){sizes, n});
  oy_tensor* plain = wide ? gpu_plain(c, wide, self->dtype) : NULL;
  oy_tensor_release(wide);
  return plain;
}

// _index_put_impl_(self, indices, values, accumulate, unsafe)
static oy_status index_put(gpu_call* c) {
  oy_object *self = c->args[0].as.object, *given = c->args[2].as.object;
  gpu_index_form f = {INDEX_PUT, self->dtype, OY_DTYPE_I64, c->args[3].as.i != 0};
  places p = {.of = 0};
  oy_tensor *values = NULL, *to = gpu_plain(c, self, self->dtype);
  oy_tensor* here = gpu_plain(c, given, self->dtype);
  oy_status status = to && here ? places_begin(&p, c, self) : oy_failure();
  if (status == OY_OK && !(values = spread_values(c, &p, self, here)))
    status = oy_failure();
  if (status == OY_OK) status = visit(c, &p, &f, values, to);
  if (status == OY_OK && to != self) status = gpu_copy_elements(c->device, self, to);
  places_end(&p);
  oy_tensor_release(values);
  oy_tensor_release(here);
  oy_tensor_release(to);
  return status;
}

static const gpu_row g_rows[] = {
    {"index.Tensor", index_get, NULL, 0, GPU_ROW_CPU_INDEX, takes_indices},
    {"index.Tensor_out", index_get, NULL, 1, GPU_ROW_CPU_INDEX, takes_indices},
    {"_index_put_impl_", index_put, NULL, 0, GPU_ROW_CPU_INDEX, takes_put},
};

gpu_rows gpu_rows_index_lists(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
