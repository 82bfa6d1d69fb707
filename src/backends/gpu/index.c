// SPDX-License-Identifier: Apache-2.0
// Indexing: index_select, index_add, gather, scatter, index, index_put_ and the gradient
// of embeddings. Kernels report an index out of range, which is waited for: an error here
// comes from the call that caused it. What is added to by several indices is added to with
// atomics, so floats may differ in the last bits from run to run.
#include "geometry.h"
#include "rows.h"
#include "text.h"

enum { GROUP = 64, MOST_INDICES = 4 };

typedef struct form {
  const char* name;
  oy_dtype dtype, index;
  bool adds;
} form;

// Bits are moved as they are where nothing is computed.
static oy_dtype moved_as(oy_dtype dtype) {
  switch (oy_dtype_size(dtype)) {
    case 1: return OY_DTYPE_U8;
    case 2: return OY_DTYPE_I16;
    case 4: return OY_DTYPE_I32;
    default: return OY_DTYPE_I64;
  }
}

static char* make_source(const gpu_device* device, const void* what) {
  const form* f = what;
  gpu_text t = {0};
  (void)device;
  oy_dtype work = f->adds ? f->dtype : moved_as(f->dtype);
  gpu_text_begin(&t, work, 1, work == OY_DTYPE_F64);
  gpu_text_add(&t, "#define %s\n#define DTYPE %s\n#define INDEX %s\n", f->name,
               gpu_tag_name(work), gpu_type_name(f->index));
  if (f->adds)
    gpu_text_add(&t, "#define ADDS\n#define S_IS_%s\n",
                 work == OY_DTYPE_F32   ? "F32"
                 : work == OY_DTYPE_F64 ? "F64"
                 : work == OY_DTYPE_I64 ? "I64"
                                        : "I32");
  gpu_text_append(&t, gpu_text_index);
  return gpu_text_take(&t);
}

static oy_status kernel_of(gpu_device* d, const form* f, gpu_kernel** out_kernel) {
  uint64_t key[8] = {
      'I', (uint64_t)(uintptr_t)f->name,
      (uint64_t)f->dtype | (uint64_t)f->index << 8 | (uint64_t)f->adds << 16};
  return gpu_kernel_get(d, key, make_source, f, out_kernel);
}

// Names are compared by address.
static const char SELECT[] = "SELECT", ADD_ROWS[] = "ADD_ROWS", GATHER[] = "GATHER";
static const char SCATTER[] = "SCATTER", INDEX_GET[] = "INDEX_GET";
static const char INDEX_PUT[] = "INDEX_PUT";

static bool has_atomics(const gpu_device* d, oy_dtype dtype) {
  if (dtype == OY_DTYPE_F64) return d->has_f64 && d->has_i64_atomics;
  if (dtype == OY_DTYPE_I64) return d->has_i64_atomics;
  return dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_I32;
}

static bool takes_sums(const gpu_call* c) {
  return has_atomics(c->device, c->args[0].as.object->dtype);
}

// Arguments that all kernels of the file take, with |report| among them, are pushed;
// runs and reports.
static oy_status launch(gpu_launch* l, const form* f, int64_t items,
                        gpu_report* out_report) {
  gpu_kernel* kernel;
  oy_status status = kernel_of(l->device, f, &kernel);
  if (status == OY_OK) status = gpu_launch_run(l, kernel, (size_t)items, GROUP);
  oy_status end = gpu_report_end(l->device, out_report);
  return status == OY_OK ? end : status;
}

static oy_status out_of_bounds(int64_t index, int64_t dim, int64_t size) {
  return OY_FAIL(OUT_OF_RANGE,
                 "index %lld is out of bounds for dimension %lld with size %lld",
                 (long long)index, (long long)dim, (long long)size);
}
// Of gather and scatter: a RuntimeError in Python, as PyTorch has it here alone.
static oy_status line_out_of_bounds(int64_t index, int64_t dim, int64_t size) {
  return OY_FAIL(INVALID_ARGUMENT,
                 "index %lld is out of bounds for dimension %lld with size %lld",
                 (long long)index, (long long)dim, (long long)size);
}

static int64_t wrapped(int64_t dim, int64_t ndim) {
  return dim < 0 ? dim + (ndim ? ndim : 1) : dim;
}

static int64_t product(oy_ints sizes, size_t from, size_t to) {
  int64_t n = 1;
  for (size_t i = from; i < to && i < sizes.size; i++) n *= sizes.data[i];
  return n;
}

// --------------------------------------------------------- rows along one dimension

typedef struct rows {
  int64_t outer, size, count, inner;
} rows;

static rows rows_of(const oy_tensor* t, int64_t dim, const oy_tensor* index) {
  oy_ints sizes = oy_tensor_sizes(t);
  size_t d = (size_t)wrapped(dim, (int64_t)sizes.size);
  return (rows){product(sizes, 0, d), sizes.size ? sizes.data[d] : 1,
                oy_tensor_numel(index), product(sizes, d + 1, sizes.size)};
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
  form f = {SELECT, a->dtype, x->dtype, false};
  rows r = rows_of(a, c->args[1].as.i, x);
  gpu_launch_begin(&l, c->device);
  OY_TRY(three(&l, a, x, out));
  OY_TRY(gpu_report_begin(&l));
  push_rows(&l, r);
  OY_TRY(launch(&l, &f, r.outer * r.count, &report));
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
  form f = {ADD_ROWS, out->dtype, x->dtype, true};
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
  OY_TRY(launch(&l, &f, r.outer * r.count, &report));
  OY_CHECK(!report.is_bad, OUT_OF_RANGE, "index out of range in self");
  return OY_OK;
}

// One row for each index; a source that is repeated to that, or does not fit, is the CPU's.
static bool takes_rows(const gpu_call* c) {
  const oy_object *self = c->args[0].as.object, *index = c->args[2].as.object;
  const oy_object* source = c->args[3].as.object;
  if (!takes_sums(c) || !gpu_is_tensor(c->args[3])) return false;
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
  return takes_sums(c) && !c->args[4].as.i;  // scaled by how often a row is used
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
static oy_status move(gpu_call* c, const form* f, oy_tensor* a, oy_tensor* x,
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
  OY_TRY(launch(&l, f, n, &report));
  return report.is_bad ? line_out_of_bounds(report.index, dim, size) : OY_OK;
}

// gather(self, dim, index, sparse_grad)
static oy_status gather(gpu_call* c) {
  form f = {GATHER, c->out[0]->dtype, c->args[2].as.object->dtype, false};
  return move(c, &f, c->args[0].as.object, c->args[2].as.object, c->out[0], oy_int(0));
}

// scatter(self, dim, index, src or value), scatter_add
static oy_status scatter(gpu_call* c) {
  oy_value v = c->args[3];
  oy_object *self = c->args[0].as.object, *index = c->args[2].as.object;
  form f = {SCATTER, self->dtype, index->dtype, c->row->data != NULL};
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

// ------------------------------------------------------------------ index, index_put_

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
  return !c->args[3].as.i || takes_sums(c);
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
  p->outer = product(of, 0, (size_t)p->first);
  p->inner = product(of, (size_t)(p->first + p->of), of.size);
  return OY_OK;
}

static oy_status visit(gpu_call* c, const places* p, const form* f, oy_tensor* a,
                       oy_tensor* out) {
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
  OY_TRY(launch(&l, f, p->outer * p->count, &report));
  return report.is_bad
             ? out_of_bounds(report.index, p->first + report.which, p->size[report.which])
             : OY_OK;
}

// index(self, indices)
static oy_status index_get(gpu_call* c) {
  oy_object* self = c->args[0].as.object;
  form f = {INDEX_GET, self->dtype, OY_DTYPE_I64, false};
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
  form f = {INDEX_PUT, self->dtype, OY_DTYPE_I64, c->args[3].as.i != 0};
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
    {"scatter_add", scatter, "", 0, 0, takes_sums},
    {"scatter_add.out", scatter, "", 1, 0, takes_sums},
    {"scatter_add_", scatter, "", 0, 0, takes_sums},
    {"index.Tensor", index_get, NULL, 0, GPU_ROW_CPU_INDEX, takes_indices},
    {"index.Tensor_out", index_get, NULL, 1, GPU_ROW_CPU_INDEX, takes_indices},
    {"_index_put_impl_", index_put, NULL, 0, GPU_ROW_CPU_INDEX, takes_put},
};

gpu_rows gpu_rows_index(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
