// SPDX-License-Identifier: Apache-2.0
// histogram and the parts of histogramdd: points are the rows of a tensor, each of which
// falls into a box between edges, or none. One dimension is points of one coordinate.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "ops/calls.h"
#include "ops/out_form.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"

// ---------------------------------------------------------------------------- checks

// What comes for each coordinate.
static const char g_counts[] = "bins", g_edges[] = "sequences of bin edges";

static oy_status check_points(const oyi_tensor* t, size_t bins, const char* what) {
  OY_CHECK(t->ndim >= 2, INVALID_ARGUMENT,
           "torch.histogramdd: input tensor should have at least 2 dimensions");
  const int64_t n = t->sizes[t->ndim - 1];
  OY_CHECK(n <= OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT,
           "torch.histogramdd: expected points of at most %d coordinates, got %lld",
           OY_TENSOR_MAX_DIMS, (long long)n);
  OY_CHECK((size_t)n == bins, INVALID_ARGUMENT,
           "torch.histogramdd: expected %lld %s for a %lld-dimensional histogram but got "
           "%zu",
           (long long)n, what, (long long)n, bins);
  OY_CHECK(t->header.dtype == OY_DTYPE_F32 || t->header.dtype == OY_DTYPE_F64,
           NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'",
           strcmp(what, g_counts) == 0 ? "histogramdd" : "histogram_cpu",
           oy_dtype_pytorch_name(t->header.dtype));
  return oyi_check_memory(t);
}

static oy_status check_weight(const oyi_tensor* t, const oyi_tensor* w) {
  if (!w) return OY_OK;
  OY_CHECK(t->header.dtype == w->header.dtype, TYPE_MISMATCH,
           "torch.histogramdd: if weight tensor is provided, input tensor and weight "
           "tensor should have the same dtype, but got input(%s), and weight(%s)",
           oyi_dtype_cpp_name(t->header.dtype), oyi_dtype_cpp_name(w->header.dtype));
  OY_CHECK(
      oyi_same_sizes((oy_ints){t->sizes, t->ndim - 1u}, oyi_sizes_view(w)),
      INVALID_ARGUMENT,
      "torch.histogramdd: if weight tensor is provided it should have the same shape "
      "as the input tensor excluding its innermost dimension, but got input with "
      "shape %s and weight with shape %s",
      oyi_dims_print(oyi_sizes_view(t)).text, oyi_dims_print(oyi_sizes_view(w)).text);
  OY_TRY(oyi_check_same_device(t, w));
  return oyi_check_memory(w);
}

static oy_status check_edges(const oyi_tensor* t, const oyi_tensor* edges, size_t dim) {
  OY_CHECK(t->header.dtype == edges->header.dtype, TYPE_MISMATCH,
           "torch.histogramdd: input tensor and bins tensors should have the same dtype, "
           "but got input with dtype %s and bins for dimension %zu with dtype %s",
           oyi_dtype_cpp_name(t->header.dtype), dim,
           oyi_dtype_cpp_name(edges->header.dtype));
  OY_CHECK(edges->ndim == 1, INVALID_ARGUMENT,
           "torch.histogramdd: bins tensor should have one dimension, but got %u "
           "dimensions in the bins tensor for dimension %zu",
           edges->ndim, dim);
  OY_CHECK(edges->numel > 0, INVALID_ARGUMENT,
           "torch.histogramdd: bins tensor should have at least 1 element, but got 0 "
           "elements in the bins tensor for dimension %zu",
           dim);
  OY_CHECK(edges->numel > 1, INVALID_ARGUMENT,
           "torch.histogram(): bins must be > 0, but got 0 for dimension %zu", dim);
  OY_TRY(oyi_check_same_device(t, edges));
  return oyi_check_memory(edges);
}

// --------------------------------------------------------------------------- counting

// Copies as double of what is counted; |room| is of the result.
typedef struct counting {
  size_t dims;
  oyi_tensor *points, *weight, *room;
  oyi_tensor* edges[OY_TENSOR_MAX_DIMS];
  int64_t bins[OY_TENSOR_MAX_DIMS];
} counting;

static void counting_end(counting* c) {
  oy_tensor_release(oyi_tensor_object(c->points));
  oy_tensor_release(oyi_tensor_object(c->weight));
  oy_tensor_release(oyi_tensor_object(c->room));
  for (size_t d = 0; d < c->dims; d++) oy_tensor_release(oyi_tensor_object(c->edges[d]));
}

// The bin between edges[i] and edges[i + 1], where the last one has its end too; -1: none.
static int64_t bin_of(const double* edges, int64_t bins, double x) {
  if (!(x >= edges[0] && x <= edges[bins])) return -1;
  int64_t low = 0, high = bins + 1;  // the first edge above |x| is in low..high
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (edges[middle] > x)
      high = middle;
    else
      low = middle + 1;
  }
  // Edges that do not rise may put the first one above.
  if (low == 0) return -1;
  return low - 1 < bins ? low - 1 : bins - 1;
}

// Whether no edge is farther than a width from where a straight line has it, and they rise.
static bool are_even(const double* edges, int64_t bins) {
  const double width = (edges[bins] - edges[0]) / (double)bins;
  bool even = width > 0 && isfinite(1 / width);
  for (int64_t i = 0; i < bins && even; i++)
    even = edges[i] <= edges[i + 1] &&
           fabs(edges[i] - edges[0] - (double)i * width) <= width;
  return even;
}

// The same of such edges: near where that line has it.
static int64_t even_bin_of(const double* edges, int64_t bins, double scale, double x) {
  if (!(x >= edges[0] && x <= edges[bins])) return -1;
  const int64_t guess = (int64_t)((x - edges[0]) * scale);
  int64_t bin = guess < 0 ? 0 : guess < bins ? guess : bins - 1;
  while (bin > 0 && edges[bin] > x) bin--;
  while (bin + 1 < bins && edges[bin + 1] <= x) bin++;
  return bin;
}

// Points of one coordinate.
static void count_line(const counting* c, const double* x, const double* weight,
                       double* sums) {
  const double* edges = oyi_data(c->edges[0]);
  const int64_t n = c->points->numel, bins = c->bins[0];
  const double scale = (double)bins / (edges[bins] - edges[0]);
  for (int64_t i = 0; i < n; i++) {
    const int64_t bin = even_bin_of(edges, bins, scale, x[i]);
    if (bin >= 0) sums[bin] += weight ? weight[i] : 1;
  }
}

static void count_points(const counting* c) {
  const double* x = oyi_data(c->points);
  const double* weight = c->weight ? oyi_data(c->weight) : NULL;
  double* sums = oyi_data(c->room);
  memset(sums, 0, (size_t)c->room->numel * sizeof(double));
  if (c->dims == 1 && are_even(oyi_data(c->edges[0]), c->bins[0])) {
    count_line(c, x, weight, sums);
    return;
  }
  const int64_t dims = (int64_t)c->dims;
  const int64_t n = dims > 0 ? c->points->numel / dims : 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t at = 0;
    for (int64_t d = 0; d < dims && at >= 0; d++) {
      const int64_t bin = bin_of(oyi_data(c->edges[d]), c->bins[d], x[i * dims + d]);
      at = bin < 0 ? -1 : at * c->bins[d] + bin;
    }
    if (at >= 0) sums[at] += weight ? weight[i] : 1;
  }
}

// Shares of all, for each unit of a box.
static void make_density(const counting* c) {
  double* sums = oyi_data(c->room);
  double total = 0;
  for (int64_t i = 0; i < c->room->numel; i++) total += sums[i];
  for (int64_t i = 0; i < c->room->numel; i++) {
    double share = sums[i] / total;
    int64_t rest = i;
    for (size_t d = c->dims; d-- > 0; rest /= c->bins[d]) {
      const double* edge = (const double*)oyi_data(c->edges[d]) + rest % c->bins[d];
      share /= edge[1] - edge[0];
    }
    sums[i] = share;
  }
}

static oy_status compute(oyi_tensor* out, const oyi_tensor* t, oy_tensors edges,
                         const oyi_tensor* weight, bool density) {
  counting c = {.dims = edges.size};
  c.points = oyi_converted(t, OY_DTYPE_F64);
  if (weight) c.weight = oyi_converted(weight, OY_DTYPE_F64);
  c.room = oyi_tensor_new(oyi_sizes_view(out), OY_DTYPE_F64, oy_device_cpu());
  bool ready = c.points && c.room && (c.weight || !weight);
  for (size_t d = 0; ready && d < c.dims; d++) {
    c.edges[d] = oyi_converted(oyi_tensor_cast(edges.data[d]), OY_DTYPE_F64);
    c.bins[d] = out->sizes[d];
    ready = c.edges[d];
  }
  if (ready) {
    count_points(&c);
    if (density) make_density(&c);
    oyi_convert(out, c.room);
  }
  counting_end(&c);
  return ready ? OY_OK : oy_failure();
}

// The histogram of |points|, which were checked; a new tensor.
static oy_object* counted(const oyi_tensor* t, oy_tensors edges, const oyi_tensor* weight,
                          bool density) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  for (size_t d = 0; d < edges.size; d++) {
    const oyi_tensor* e = oyi_tensor_of(edges.data[d]);
    if (!e || check_edges(t, e, d) != 0) return NULL;
    sizes[d] = e->numel - 1;
  }
  oyi_tensor* out =
      oyi_tensor_new((oy_ints){sizes, edges.size}, t->header.dtype, oyi_tensor_device(t));
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  if (compute(out, t, edges, weight, density) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

// ------------------------------------------------------------------------------ edges

// The least and the greatest coordinate, NaN if there is one; 0 and 1 of none.
static void find_ends(const double* x, int64_t n, int64_t step, double* ends) {
  ends[0] = n > 0 ? x[0] : 0;
  ends[1] = n > 0 ? x[0] : 1;
  for (int64_t i = 1; i < n; i++) {
    const double v = x[i * step];
    if (!(v >= ends[0])) ends[0] = v;
    if (!(v <= ends[1])) ends[1] = v;
    if (isnan(v)) return;
  }
}

static oy_status check_ends(double* ends, bool is_float, size_t dim) {
  if (is_float) ends[0] = (float)ends[0], ends[1] = (float)ends[1];
  OY_CHECK(isfinite(ends[0]) && isfinite(ends[1]), INVALID_ARGUMENT,
           "torch.histogramdd: dimension %zu's range [%g, %g] is not finite", dim,
           ends[0], ends[1]);
  OY_CHECK(ends[0] <= ends[1], INVALID_ARGUMENT,
           "torch.histogramdd: min should not exceed max, but got min %g max %g for "
           "dimension %zu",
           ends[0], ends[1], dim);
  if (ends[0] == ends[1]) ends[0] -= 0.5, ends[1] += 0.5;
  return OY_OK;
}

// |edges|, one for each coordinate, become new tensors; on failure some may be.
static oy_status make_edges(const oyi_tensor* t, oy_ints bins, oy_floats range,
                            oy_object** edges) {
  for (size_t d = 0; d < bins.size; d++)
    OY_CHECK(bins.data[d] > 0 && bins.data[d] < INT64_MAX, INVALID_ARGUMENT,
             "torch.histogram(): bins must be > 0, but got %lld for dimension %zu",
             (long long)bins.data[d], d);
  OY_CHECK(!range.data || range.size == 2 * bins.size, INVALID_ARGUMENT,
           "torch.histogramdd: for a %zu-dimensional histogram range should have %zu "
           "elements, but got %zu",
           bins.size, 2 * bins.size, range.size);
  const bool reads = !range.data && !oyi_is_meta(t);
  oyi_tensor* x = reads ? oyi_converted(t, OY_DTYPE_F64) : NULL;
  oy_status status = reads && !x ? oy_failure() : OY_OK;
  const int64_t dims = (int64_t)bins.size;
  for (size_t d = 0; status == 0 && d < bins.size; d++) {
    double ends[2] = {0, 0};
    if (x)
      find_ends((const double*)oyi_data(x) + d, x->numel / dims, dims, ends);
    else if (range.data)
      ends[0] = range.data[2 * d], ends[1] = range.data[2 * d + 1];
    status = check_ends(ends, t->header.dtype == OY_DTYPE_F32, d);
    const int64_t size = bins.data[d] + 1;
    if (status == 0)
      edges[d] = oyi_tensor_object(
          oyi_tensor_new((oy_ints){&size, 1}, t->header.dtype, oyi_tensor_device(t)));
    if (status == 0 &&
        (!edges[d] ||
         !oyi_call_linspace_out(oy_float(ends[0]), oy_float(ends[1]), size, edges[d])))
      status = oy_failure();
  }
  oy_tensor_release(oyi_tensor_object(x));
  return status;
}

// -------------------------------------------------------------------------- operators

static oy_status read_points(oy_object* self, oy_object* weight, size_t bins,
                             const char* what, oyi_tensor** points, oyi_tensor** w) {
  *points = oyi_tensor_of(self);
  *w = *points && !oy_object_is_none(weight) ? oyi_tensor_of(weight) : NULL;
  if (!*points || (!*w && !oy_object_is_none(weight))) return oy_failure();
  OY_TRY(check_points(*points, bins, what));
  return check_weight(*points, *w);
}

OYI_CPU(_histogramdd_bin_edges) {
  *out_result = oy_none();
  oyi_tensor *t, *w;
  oy_object** items;
  OY_TRY(read_points(self, weight, bins.size, g_counts, &t, &w));
  OY_TRY(oyi_list_new(bins.size, out_result, &items));
  if (make_edges(t, bins, range, items) == OY_OK) return OY_OK;
  return oyi_list_fail(out_result);
}

OYI_CPU(_histogramdd_from_bin_cts) {
  oyi_tensor *t, *w;
  if (read_points(self, weight, bins.size, g_counts, &t, &w) != 0) return NULL;
  oy_object* edges[OY_TENSOR_MAX_DIMS] = {NULL};
  oy_object* result = NULL;
  if (make_edges(t, bins, range, edges) == OY_OK)
    result = counted(t, (oy_tensors){edges, bins.size}, w, density);
  for (size_t d = 0; d < bins.size; d++) oy_tensor_release(edges[d]);
  return result;
}

OYI_CPU(_histogramdd_from_bin_tensors) {
  oyi_tensor *t, *w;
  if (read_points(self, weight, bins.size, g_edges, &t, &w) != 0) return NULL;
  return counted(t, bins, w, density);
}

// |self| as points of one coordinate, and their weights as one row; new references.
static oy_status flattened(oy_object* self, oy_object* weight, oy_object** points,
                           oy_object** row) {
  *points = *row = NULL;
  const oyi_tensor* t = oyi_tensor_of(self);
  const bool weighs = !oy_object_is_none(weight);
  const oyi_tensor* w = t && weighs ? oyi_tensor_of(weight) : NULL;
  if (!t || (weighs && !w)) return oy_failure();
  const int64_t column[2] = {t->numel, 1};
  *points = oyi_call_reshape(self, (oy_ints){column, 2});
  if (weighs) *row = oyi_call_reshape(weight, (oy_ints){&w->numel, 1});
  if (*points && (*row || !weighs)) return OY_OK;
  oy_tensor_release(*points);
  oy_tensor_release(*row);
  return oy_failure();
}

// By |count| equal bins, or by the edges |bins| if they are there.
static oy_status histogram(oy_object* self, oy_object* bins, int64_t count,
                           oy_floats range, oy_object* weight, bool density,
                           oy_object** out_hist, oy_object** out_bin_edges) {
  *out_hist = *out_bin_edges = NULL;
  oy_object *points, *row, *edges = NULL;
  OY_TRY(flattened(self, weight, &points, &row));
  oyi_tensor *t, *w;
  oy_status status = read_points(points, row ? row : &oy_none_object, 1,
                                 bins ? g_edges : g_counts, &t, &w);
  if (status == 0 && bins) {
    edges = oyi_call_clone(bins, oy_none());
    if (!edges) status = oy_failure();
  } else if (status == 0) {
    status = make_edges(t, (oy_ints){&count, 1}, range, &edges);
  }
  oy_object* hist = status == 0 ? counted(t, (oy_tensors){&edges, 1}, w, density) : NULL;
  oy_tensor_release(points);
  oy_tensor_release(row);
  if (!hist) {
    oy_tensor_release(edges);
    return oy_failure();
  }
  *out_hist = hist, *out_bin_edges = edges;
  return OY_OK;
}

OYI_CPU(histogram_bin_ct) {
  return histogram(self, NULL, bins, range, weight, density, out_hist, out_bin_edges);
}
OYI_CPU(histogram_bins_tensor) {
  return histogram(self, bins, 0, (oy_floats){NULL, 0}, weight, density, out_hist,
                   out_bin_edges);
}
OYI_CPU(histogram_bin_ct_out) {
  oy_object *made[2], *outs[] = {hist, bin_edges};
  *out_hist = hist, *out_bin_edges = bin_edges;
  return oyi_into_outs(
      histogram(self, NULL, bins, range, weight, density, &made[0], &made[1]), outs, made,
      2);
}
OYI_CPU(histogram_bins_tensor_out) {
  oy_object *made[2], *outs[] = {hist, bin_edges};
  *out_hist = hist, *out_bin_edges = bin_edges;
  return oyi_into_outs(
      histogram(self, bins, 0, (oy_floats){NULL, 0}, weight, density, &made[0], &made[1]),
      outs, made, 2);
}
