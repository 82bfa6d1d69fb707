// SPDX-License-Identifier: Apache-2.0
// Indexing along one dimension: index_select, index_add, gather, scatter and the gradient of
// embeddings. What is added to by several indices is added to with atomics, so floats may
// differ in the last bits from run to run.
#include "geometry.h"
#include "index_kernel.h"
#include "rows.h"

// Names are compared by address.
static const char SELECT[] = "SELECT", ADD_ROWS[] = "ADD_ROWS", GATHER[] = "GATHER";
static const char SCATTER[] = "SCATTER";

// Of gather and scatter: a RuntimeError in Python, as PyTorch has it here alone.
static oy_status line_out_of_bounds(int64_t index, int64_t dim, int64_t size) {
  return OY_FAIL(INVALID_ARGUMENT,
                 "index %lld is out of bounds for dimension %lld with size %lld",
                 (long long)index, (long long)dim, (long long)size);
}

static int64_t wrapped(int64_t dim, int64_t ndim) {
  return dim < 0 ? dim + (ndim ? ndim : 1) : dim;
}

// --------------------------------------------------------- rows along one dimension

typedef struct rows {
  int64_t outer, size, count, inner;
} rows;

static rows rows_of(const oy_tensor* t, int64_t dim, const oy_tensor* index) {
  oy_ints sizes = oy_tensor_sizes(t);
  size_t d = (size_t)wrapped(dim, (int64_t)sizes.size);
  return (rows){gpu_index_product(sizes, 0, d), sizes.size ? sizes.data[d] : 1,
                oy_tensor_numel(index), gpu_index_product(sizes, d + 1, sizes.size)};
}

static void push_rows(gpu_launch* l, rows r) {
  gpu_arg_long(l, r.outer);
  gpu_arg_long(l, r.size);
  gpu_arg_long(l, r.count);
  gpu_arg_long(l, r.inner);
}

static oy_status three(gpu_launch* l, oy_tensor* a, oy_tensor* x, oy_tensor* out) {
  OY_TRY(gpu_arg_tensor(l, a));
  OY_TRY(gpu_arg_tensor(l, x));
  return gpu_arg_tensor(l, out);
}

static oy_status select_rows(gpu_call* c, oy_tensor* a, oy_tensor* x, oy_tensor* out) {
  gpu_launch l;
  gpu_report report;
  gpu_index_form f = {SELECT, a->dtype, x->dtype, false};
  rows r = rows_of(a, c->args[1].as.i, x);
  gpu_launch_begin(&l, c->device);
  OY_TRY(three(&l, a, x, out));
  OY_TRY(gpu_report_begin(&l));
  push_rows(&l, r);
  OY_TRY(gpu_index_launch(&l, &f, r.outer * r.count, &report));
  OY_CHECK(!report.is_bad, OUT_OF_RANGE, "index out of range in self");
  return OY_OK;
}

// Of nothing, whose indices are checked all the same, the CPU takes.
static bool takes_select(const gpu_call* c) {
  return oy_tensor_numel(c->args[0].as.object) > 0;
}

// index_select(self, dim, index)
static oy_status index_select(gpu_call* c) {
  oy_object *self = c->args[0].as.object, *index = c->args[2].as.object;
  if (oy_tensor_numel(c->out[0]) == 0) return OY_OK;
  oy_tensor* a = gpu_plain(c, self, self->dtype);
  oy_tensor* x = gpu_plain(c, index, index->dtype);
  oy_tensor* out = gpu_result(c, 0);
  oy_status status = a && x && out ? select_rows(c, a, x, out) : oy_failure();
  oy_tensor_release(a);
  oy_tensor_release(x);
  return gpu_result_done(c, 0, out, status);
}

// out[outer, x[j], inner] += alpha * a[outer, j, inner]; |out| is contiguous.
static oy_status add_rows(gpu_call* c, oy_tensor* a, oy_tensor* x, oy_tensor* out, rows r,
                          oy_scalar alpha, int64_t skipped) {
  gpu_launch l;
  gpu_report report;
  gpu_index_form f = {ADD_ROWS, out->dtype, x->dtype, true};
  double d = gpu_double(alpha);
  float single = (float)d;
  int64_t i = gpu_int(alpha);
  gpu_launch_begin(&l, c->device);
  OY_TRY(three(&l, a, x, out));
  OY_TRY(gpu_report_begin(&l));
  push_rows(&l, r);
  if (out->dtype == OY_DTYPE_F64)
    gpu_arg(&l, &d, sizeof(d));
  else if (out->dtype == OY_DTYPE_F32)
    gpu_arg(&l, &single, sizeof(single));
  else
    gpu_arg(&l, &i, oy_dtype_size(out->dtype));
  gpu_arg_long(&l, skipped);
  OY_TRY(gpu_index_launch(&l, &f, r.outer * r.count, &report));
  OY_CHECK(!report.is_bad, OUT_OF_RANGE, "index out of range in self");
  return OY_OK;
}

// One row for each index; a source that is repeated to that, or does not fit, is the CPU's.
static bool takes_rows(const gpu_call* c) {
  const oy_object *self = c->args[0].as.object, *index = c->args[2].as.object;
  const oy_object* source = c->args[3].as.object;
  if (!gpu_index_takes_sums(c) || !gpu_is_tensor(c->args[3])) return false;
  const oy_ints sizes = oy_tensor_sizes(self), given = oy_tensor_sizes(source);
  const int64_t ndim = (int64_t)sizes.size, dim = wrapped(c->args[1].as.i, ndim);
  if (given.size != sizes.size) return false;
  for (int64_t d = 0; d < ndim; d++)
    if (given.data[d] != (d == dim ? oy_tensor_numel(index) : sizes.data[d]))
      return false;
  return true;
}

// index_add(self, dim, index, source, alpha)
static oy_status index_add(gpu_call* c) {
  oy_object *self = c->args[0].as.object, *index = c->args[2].as.object;
  oy_object* source = c->args[3].as.object;
  if (oy_tensor_numel(c->out[0]) == 0) return OY_OK;
  oy_tensor* a = gpu_plain(c, source, self->dtype);
  oy_tensor* x = gpu_plain(c, index, index->dtype);
  oy_tensor* out = gpu_result(c, 0);
  oy_status status = a && x && out ? OY_OK : oy_failure();
  if (status == OY_OK && out != self) status = gpu_copy_elements(c->device, out, self);
  if (status == OY_OK && oy_tensor_numel(a) > 0)
    status =
        add_rows(c, a, x, out, rows_of(out, c->args[1].as.i, x), c->args[4], INT64_MIN);
  oy_tensor_release(a);
  oy_tensor_release(x);
  return gpu_result_done(c, 0, out, status);
}

static bool takes_embedding(const gpu_call* c) {
  return gpu_index_takes_sums(c) &&
         !c->args[4].as.i;  // scaled by how often a row is used
}

// embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq)
static oy_status embedding_backward(gpu_call* c) {
  oy_object *grad = c->args[0].as.object, *index = c->args[1].as.object;
  OY_TRY(gpu_fill_elements(c->device, c->out[0], oy_int(0)));
  if (oy_tensor_numel(grad) == 0) return OY_OK;
  oy_tensor* a = gpu_plain(c, grad, grad->dtype);
  oy_tensor* x = gpu_plain(c, index, index->dtype);
  int64_t count = oy_tensor_numel(index), padding = c->args[3].as.i;
  rows r = {1, c->args[2].as.i, count, oy_tensor_numel(grad) / count};
  oy_status status = a && x ? add_rows(c, a, x, c->out[0], r, oy_int(1),
                                       padding < 0 ? INT64_MIN : padding)
                            : oy_failure();
  oy_tensor_release(a);
  oy_tensor_release(x);
  return status;
}

// ----------------------------------------------------------------- gather, scatter

// |along| goes with the index; |other| is walked without its dimension |dim|.
static oy_status place_of(gpu_geometry* g, oy_tensor* index, oy_tensor* along,
                          oy_tensor* other, int64_t dim, int64_t* out_step) {
  oy_ints sizes = oy_tensor_sizes(index);
  OY_CHECK(sizes.size <= GPU_DIMS, INVALID_ARGUMENT,
           "expected at most %d dimensions, got %zu", GPU_DIMS, sizes.size);
  memset(g, 0, sizeof(*g));
  g->ndim = (int32_t)sizes.size;
  *out_step = oy_tensor_ndim(other) ? oy_tensor_strides(other).data[dim] : 1;
  for (size_t i = 0; i < sizes.size; i++) {
    size_t d = sizes.size - 1 - i;
    g->size[i] = sizes.data[d];
    g->stride[0][i] = oy_tensor_strides(index).data[d];
    g->stride[1][i] =
        along && oy_tensor_ndim(along) ? oy_tensor_strides(along).data[d] : 0;
    g->stride[2][i] = (int64_t)d == dim || !oy_tensor_ndim(other)
                          ? 0
                          : oy_tensor_strides(other).data[d];
  }
  return OY_OK;
}

static void push_moved(gpu_launch* l, oy_dtype dtype, bool adds, oy_scalar s) {
  double d = gpu_double(s);
  float f = (float)d;
  int64_t i = gpu_int(s);
  if (adds && dtype == OY_DTYPE_F64)
    gpu_arg(l, &d, sizeof(d));
  else if (adds && dtype == OY_DTYPE_F32)
    gpu_arg(l, &f, sizeof(f));
  else
    gpu_arg(l, &i, oy_dtype_size(dtype));
}

// |value| is a tensor, or NULL with its bits in |bits|.
static oy_status move(gpu_call* c, const gpu_index_form* f, oy_tensor* a, oy_tensor* x,
                      oy_tensor* out, oy_scalar value) {
  gpu_launch l;
  gpu_report report;
  gpu_geometry g;
  bool gathers = f->name == GATHER;
  oy_tensor* other = gathers ? a : out;
  int64_t step = 0, n = oy_tensor_numel(x);
  int64_t dim = wrapped(c->args[1].as.i, oy_tensor_ndim(other));
  int64_t size = oy_tensor_ndim(other) ? oy_tensor_size(other, dim) : 1;
  if (n == 0) return OY_OK;
  OY_TRY(place_of(&g, x, gathers ? out : a, other, dim, &step));
  gpu_launch_begin(&l, c->device);
  OY_TRY(three(&l, a ? a : out, x, out));
  OY_TRY(gpu_report_begin(&l));
  gpu_arg_long(&l, n);
  gpu_arg_long(&l, size);
  gpu_arg_long(&l, step);
  push_moved(&l, out->dtype, f->adds, value);
  gpu_arg_int(&l, a == NULL);
  gpu_arg(&l, &g, sizeof(g));
  OY_TRY(gpu_index_launch(&l, f, n, &report));
  return report.is_bad ? line_out_of_bounds(report.index, dim, size) : OY_OK;
}

// gather(self, dim, index, sparse_grad)
static oy_status gather(gpu_call* c) {
  gpu_index_form f = {GATHER, c->out[0]->dtype, c->args[2].as.object->dtype, false};
  return move(c, &f, c->args[0].as.object, c->args[2].as.object, c->out[0], oy_int(0));
}

// scatter(self, dim, index, src or value), scatter_add
static oy_status scatter(gpu_call* c) {
  oy_value v = c->args[3];
  oy_object *self = c->args[0].as.object, *index = c->args[2].as.object;
  gpu_index_form f = {SCATTER, self->dtype, index->dtype, c->row->data != NULL};
  if (c->out[0] != self) OY_TRY(gpu_copy_elements(c->device, c->out[0], self));
  if (gpu_is_tensor(v)) return move(c, &f, v.as.object, index, c->out[0], oy_int(0));
  // The number as an element, from which it is moved.
  oy_tensor* element = gpu_new(c, oy_dims_none(), self->dtype);
  oy_status status = element ? gpu_fill_elements(c->device, element, v) : oy_failure();
  oy_tensor* all =
      status == OY_OK ? oy_tensor_expand(element, oy_tensor_sizes(index)) : NULL;
  if (status == OY_OK)
    status = all ? move(c, &f, all, index, c->out[0], v) : oy_failure();
  oy_tensor_release(all);
  oy_tensor_release(element);
  return status;
}

static const gpu_row g_rows[] = {
    {"index_select", index_select, NULL, 0, 0, takes_select},
    {"index_select.out", index_select, NULL, 1, 0, takes_select},
    {"index_add", index_add, NULL, 0, 0, takes_rows},
    {"index_add.out", index_add, NULL, 1, 0, takes_rows},
    {"index_add_", index_add, NULL, 0, 0, takes_rows},
    {"embedding_dense_backward", embedding_backward, NULL, 0, 0, takes_embedding},
    {"gather", gather, NULL, 0, 0, NULL},
    {"gather.out", gather, NULL, 1, 0, NULL},
    {"scatter.src", scatter, NULL, 0, 0, NULL},
    {"scatter.src_out", scatter, NULL, 1, 0, NULL},
    {"scatter_.src", scatter, NULL, 0, 0, NULL},
    {"scatter.value", scatter, NULL, 0, 0, NULL},
    {"scatter.value_out", scatter, NULL, 1, 0, NULL},
    {"scatter_.value", scatter, NULL, 0, 0, NULL},
    {"scatter_add", scatter, "", 0, 0, gpu_index_takes_sums},
    {"scatter_add.out", scatter, "", 1, 0, gpu_index_takes_sums},
    {"scatter_add_", scatter, "", 0, 0, gpu_index_takes_sums},
};

gpu_rows gpu_rows_index(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
