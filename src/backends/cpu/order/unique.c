// SPDX-License-Identifier: Apache-2.0
// Elements, or slices, without their repetitions: which there are, which of them each
// one is, and how often each occurs. A NaN is like no other.
#include "backends/cpu/index/indexing.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/order/distinct.h"
#include "backends/cpu/order/runs.h"
#include "backends/cpu/order/sort_keys.h"
#include "base/memory.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/block_cache.h"
#include "tensor/element.h"

// n things in an order in which like ones lie together: order[i] is the place of one,
// starts[i] whether it differs from the one before.
typedef struct groups {
  int64_t n, count;
  int64_t* order;
  bool* starts;
} groups;

static oy_status groups_begin(groups* g, int64_t n) {
  g->n = n;
  g->count = 0;
  g->order = oyi_calloc((size_t)n + 1, sizeof(int64_t) + sizeof(bool));
  g->starts = (bool*)(g->order + n + 1);
  return g->order ? OY_OK : OY_OUT_OF_MEMORY;
}

static oy_status check(const oyi_tensor* t, const char* name) {
  OY_TRY(oyi_check_memory(t));
  OY_CHECK(oyi_key_has_order(t->header.dtype), NOT_IMPLEMENTED,
           "\"%s\" not implemented for '%s'", name,
           oy_dtype_pytorch_name(t->header.dtype));
  OY_CHECK(!oyi_is_meta(t), NOT_IMPLEMENTED,
           "%s on the meta device: the elements decide the shape of the result", name);
  return OY_OK;
}

// ------------------------------------------------------------------ groups of elements

static void group_elements(groups* g, oyi_entry* e, oy_dtype dtype, const char* x,
                           bool sorts) {
  const uint64_t nan = oyi_key_of_nan(dtype);
  oyi_keys_load(e, dtype, x, oyi_dtype_bytes[dtype], g->n, false);
  if (sorts) oyi_keys_sort(e, e + g->n, g->n);
  for (int64_t i = 0; i < g->n; i++) {
    g->order[i] = e[i].place;
    g->starts[i] = i == 0 || e[i].key != e[i - 1].key || (nan && e[i].key == nan);
    g->count += g->starts[i];
  }
}

// -------------------------------------------------------------------- groups of slices

// Rows of keys, one for each slice, and their order.
typedef struct rows {
  int64_t n, width;
  uint64_t nan;
  const oyi_entry* keys;
} rows;

static int compare_rows(const rows* r, int64_t a, int64_t b) {
  const oyi_entry *x = r->keys + a * r->width, *y = r->keys + b * r->width;
  for (int64_t i = 0; i < r->width; i++)
    if (x[i].key != y[i].key) return x[i].key < y[i].key ? -1 : 1;
  return 0;
}

static bool like_rows(const rows* r, int64_t a, int64_t b) {
  const oyi_entry *x = r->keys + a * r->width, *y = r->keys + b * r->width;
  for (int64_t i = 0; i < r->width; i++)
    if (x[i].key != y[i].key || (r->nan && x[i].key == r->nan)) return false;
  return true;
}

static void merge_rows(const rows* r, int64_t* to, const int64_t* from, int64_t middle,
                       int64_t n) {
  int64_t a = 0, b = middle;
  for (int64_t i = 0; i < n; i++) {
    bool second = a == middle || (b < n && compare_rows(r, from[b], from[a]) < 0);
    to[i] = from[second ? b++ : a++];
  }
}

static void sort_rows(const rows* r, int64_t* order, int64_t* scratch) {
  int64_t *from = order, *to = scratch;
  for (int64_t width = 1; width < r->n; width *= 2) {
    for (int64_t i = 0; i < r->n; i += 2 * width) {
      int64_t rest = r->n - i;
      merge_rows(r, to + i, from + i, rest < width ? rest : width,
                 rest < 2 * width ? rest : 2 * width);
    }
    int64_t* swap = from;
    from = to;
    to = swap;
  }
  if (from != order) memcpy(order, from, (size_t)r->n * sizeof(*order));
}

static void group_rows(groups* g, const rows* r, int64_t* scratch, bool sorts) {
  for (int64_t i = 0; i < g->n; i++) g->order[i] = i;
  if (sorts) sort_rows(r, g->order, scratch);
  for (int64_t i = 0; i < g->n; i++) {
    g->starts[i] = i == 0 || !like_rows(r, g->order[i - 1], g->order[i]);
    g->count += g->starts[i];
  }
}

// ------------------------------------------------------------------------------ results

typedef struct request {
  bool sorts, inverse, counts;
} request;

typedef struct results {
  oyi_tensor *values, *inverse, *counts, *firsts;
} results;

static void give_up(results* r) {
  oyi_tensor* const all[] = {r->values, r->inverse, r->counts, r->firsts};
  for (int k = 0; k < 4; k++)
    if (all[k]) oy_tensor_release(&all[k]->header);
}

static oyi_tensor* numbers(oy_ints sizes, bool wanted) {
  static const int64_t none = 0;
  return oyi_tensor_new(wanted ? sizes : (oy_ints){&none, 1}, OY_DTYPE_I64,
                        oy_device_cpu());
}

static oy_status make_results(int64_t count, const request* q, oy_ints shape,
                              results* out) {
  out->firsts = numbers((oy_ints){&count, 1}, true);
  if (!out->inverse) out->inverse = numbers(shape, q->inverse);
  out->counts = numbers((oy_ints){&count, 1}, q->counts);
  return out->firsts && out->inverse && out->counts ? OY_OK : OY_OUT_OF_MEMORY;
}

// Where each group begins, which group each thing is in, and the groups' sizes.
static oy_status number_groups(const groups* g, const request* q, oy_ints shape,
                               results* out) {
  OY_TRY(make_results(g->count, q, shape, out));
  int64_t *firsts = oyi_data(out->firsts), *inverse = oyi_data(out->inverse);
  int64_t *counts = oyi_data(out->counts), at = -1;
  for (int64_t i = 0; i < g->n; i++) {
    if (g->starts[i]) {
      firsts[++at] = g->order[i];
      if (q->counts) counts[at] = 0;
    }
    if (q->counts) counts[at]++;
    if (q->inverse) inverse[g->order[i]] = at;
  }
  return OY_OK;
}

// As in PyTorch, slices lie one after the other in memory, whatever their dimension.
static oyi_tensor* new_slices(const oyi_tensor* like, int64_t dim, int64_t count) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS], step = 1;
  const size_t ndim = like->ndim;
  for (size_t d = ndim; d-- > 0;) {
    sizes[d] = (int64_t)d == dim ? count : like->sizes[d];
    strides[d] = step;
    if ((int64_t)d != dim) step *= sizes[d] > 1 ? sizes[d] : 1;
  }
  strides[dim] = step;
  return oyi_tensor_new_strided((oy_ints){sizes, ndim}, (oy_ints){strides, ndim},
                                like->header.dtype, oy_device_cpu());
}

static oy_status take_slices(oyi_tensor* t, int64_t dim, results* out) {
  oyi_indexing x;
  OY_TRY(oyi_indexing_begin_dim(&x, t, dim, out->firsts, OYI_INDEX_SELECT));
  out->values = new_slices(t, dim, out->firsts->numel);
  oy_status status = out->values ? oyi_indexing_take(&x, out->values) : oy_failure();
  oyi_indexing_end(&x);
  return status;
}

static oy_status hand_over(oy_status status, results* r, oy_object** values,
                           oy_object** inverse, oy_object** counts) {
  *values = *inverse = NULL;
  if (counts) *counts = NULL;
  if (status != 0) {
    give_up(r);
    return status;
  }
  *values = &r->values->header;
  *inverse = &r->inverse->header;
  if (counts)
    *counts = &r->counts->header;
  else
    oy_tensor_release(&r->counts->header);
  oy_tensor_release(oyi_tensor_object(r->firsts));
  return OY_OK;
}

// ------------------------------------------------------------------- runs of elements

// The first |count| elements of |room|, and lengths of runs from where they begin.
static oyi_tensor* first_ones(const oyi_tensor* flat, int64_t count, const void* room) {
  oyi_tensor* values =
      oyi_tensor_new((oy_ints){&count, 1}, flat->header.dtype, oy_device_cpu());
  if (values && count > 0)
    memcpy(oyi_data(values), room, (size_t)(count * oyi_item(flat)));
  return values;
}
static oyi_tensor* lengths(int64_t count, int64_t n, const int64_t* starts) {
  oyi_tensor* counts = numbers((oy_ints){&count, 1}, starts != NULL);
  int64_t* to = counts && starts ? oyi_data(counts) : NULL;
  for (int64_t k = 0; to && k + 1 < count; k++) to[k] = starts[k + 1] - starts[k];
  if (to && count > 0) to[count - 1] = n - starts[count - 1];
  return counts;
}

// From room for as many runs as there are elements: to count them first would take as long as to
// take them.
static oy_status take_runs(const oyi_tensor* flat, oyi_runs_fn runs, const request* q,
                           oy_ints shape, results* out) {
  const int64_t n = flat->numel;
  const size_t bytes = (size_t)(n * oyi_item(flat)) + sizeof(int64_t),
               at = bytes / sizeof(int64_t) * sizeof(int64_t);
  void* context = NULL;
  char* room =
      oyi_data_alloc(at + (q->counts ? (size_t)n * sizeof(int64_t) : 0), &context);
  out->inverse = numbers(shape, q->inverse);
  if (room && out->inverse) {
    int64_t* starts = q->counts ? (int64_t*)(void*)(room + at) : NULL;
    const int64_t count =
        runs(oyi_data(flat), n, room, q->inverse ? oyi_data(out->inverse) : NULL, starts);
    out->values = first_ones(flat, count, room);
    out->counts = lengths(count, n, starts);
  }
  if (room) oyi_data_free(context, room);
  return out->values && out->counts ? OY_OK : OY_OUT_OF_MEMORY;
}

// ------------------------------------------------------------------------ all elements

// What a hash table found, in order. Numbers become those of this order.
static oy_status order_distinct(const oyi_distinct* d, const request* q, oy_ints shape,
                                results* out) {
  OY_TRY(make_results(d->count, q, shape, out));
  int64_t *firsts = oyi_data(out->firsts), *counts = oyi_data(out->counts);
  for (int64_t k = 0; k < d->count; k++) {
    firsts[k] = d->firsts[d->entries[k].place];
    if (q->counts) counts[k] = d->counts[d->entries[k].place];
  }
  int64_t* inverse = oyi_data(out->inverse);
  // The places of the first ones have served.
  for (int64_t k = 0; k < d->count; k++) d->firsts[d->entries[k].place] = k;
  for (int64_t i = 0; i < out->inverse->numel; i++) inverse[i] = d->firsts[inverse[i]];
  return OY_OK;
}

// Whether there are so few different elements that they were found without sorting all.
static oy_status group_few(oyi_tensor* flat, const request* q, oy_ints shape,
                           results* out, bool* are_few) {
  oyi_distinct d;
  if (q->inverse && !(out->inverse = numbers(shape, true))) return OY_OUT_OF_MEMORY;
  OY_TRY(oyi_distinct_find(&d, flat->header.dtype, oyi_data(flat), flat->numel, q->counts,
                           q->inverse ? oyi_data(out->inverse) : NULL));
  *are_few = d.are_few;
  oy_status status = d.are_few ? order_distinct(&d, q, shape, out) : OY_OK;
  oyi_distinct_end(&d);
  return status;
}

// |flat| is contiguous and has one dimension.
static oy_status group_all(oyi_tensor* flat, const request* q, oy_ints shape,
                           results* out) {
  bool are_few = false;
  if (q->sorts) OY_TRY(group_few(flat, q, shape, out, &are_few));
  if (are_few) return take_slices(flat, 0, out);
  const oyi_runs_fn runs = q->sorts ? NULL : oyi_runs_of(flat->header.dtype);
  if (runs) return take_runs(flat, runs, q, shape, out);
  groups g;
  OY_TRY(groups_begin(&g, flat->numel));
  oyi_entry* e = oyi_calloc((size_t)flat->numel + 1, 2 * sizeof(oyi_entry));
  oy_status status = e ? OY_OK : OY_OUT_OF_MEMORY;
  if (e) group_elements(&g, e, flat->header.dtype, oyi_data(flat), q->sorts);
  if (status == 0) status = number_groups(&g, q, shape, out);
  if (status == 0) status = take_slices(flat, 0, out);
  oyi_free(e);
  oyi_free(g.order);
  return status;
}

static oy_status unique(oy_object* self, request q, oy_object** values,
                        oy_object** inverse, oy_object** counts) {
  const oyi_tensor* t = oyi_tensor_of(self);
  results out = {NULL, NULL, NULL, NULL};
  if (!t) return oy_failure();
  OY_TRY(check(t, "unique"));
  oyi_tensor* copy = t->flags & OYI_CONTIGUOUS ? NULL : oyi_converted(t, self->dtype);
  if (!copy && !(t->flags & OYI_CONTIGUOUS)) return oy_failure();
  oy_object* flat = oy_tensor_view(copy ? &copy->header : self, (oy_ints){&t->numel, 1});
  oy_status status = flat ? group_all(oyi_tensor_cast(flat), &q, oyi_sizes_view(t), &out)
                          : OY_OUT_OF_MEMORY;
  oy_tensor_release(flat);
  if (copy) oy_tensor_release(&copy->header);
  return hand_over(status, &out, values, inverse, counts);
}

OYI_CPU(_unique2) {
  return unique(self, (request){true, return_inverse, return_counts}, out_0, out_1,
                out_2);
}
OYI_CPU(_unique) {
  return unique(self, (request){true, return_inverse, false}, out_0, out_1, NULL);
}

// ------------------------------------------------------------------- slices of a dimension

// A contiguous copy with dimension |dim| first.
static oyi_tensor* slices_first(const oyi_tensor* t, int64_t dim) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  sizes[0] = t->sizes[dim];
  strides[0] = oyi_strides(t)[dim];
  for (size_t d = 0, to = 1; d < t->ndim; d++) {
    if ((int64_t)d == dim) continue;
    sizes[to] = t->sizes[d];
    strides[to++] = oyi_strides(t)[d];
  }
  oyi_tensor* view = oyi_tensor_alias(t, (oy_ints){sizes, t->ndim},
                                      (oy_ints){strides, t->ndim}, t->offset);
  if (!view) return NULL;
  oyi_tensor* copy = oyi_converted(view, t->header.dtype);
  oy_tensor_release(&view->header);
  return copy;
}

// Inverse and counts come whether they are asked for or not, as in PyTorch.
static oy_status group_slices(oyi_tensor* t, int64_t dim, bool sorts, results* out) {
  const request q = {sorts, true, true};
  groups g;
  OY_TRY(groups_begin(&g, t->sizes[dim]));
  oyi_tensor* copy = slices_first(t, dim);
  oyi_entry* keys = oyi_calloc((size_t)t->numel + 1, sizeof(oyi_entry));
  int64_t* scratch = oyi_calloc((size_t)g.n + 1, sizeof(int64_t));
  oy_status status = copy && keys && scratch ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == 0) {
    oy_dtype dtype = t->header.dtype;
    rows r = {g.n, g.n ? t->numel / g.n : 0, oyi_key_of_nan(dtype), keys};
    oyi_keys_load(keys, dtype, oyi_data(copy), oyi_item(t), t->numel, false);
    group_rows(&g, &r, scratch, sorts);
    status = number_groups(&g, &q, (oy_ints){&g.n, 1}, out);
  }
  if (status == 0) status = take_slices(t, dim, out);
  oyi_free(scratch);
  oyi_free(keys);
  if (copy) oy_tensor_release(&copy->header);
  oyi_free(g.order);
  return status;
}

static oy_status unique_slices(oy_object* self, int64_t dim, bool sorts,
                               oy_object** values, oy_object** inverse,
                               oy_object** counts) {
  oyi_tensor* t = oyi_tensor_of(self);
  results out = {NULL, NULL, NULL, NULL};
  if (!t) return oy_failure();
  OY_TRY(check(t, "unique_dim"));
  OY_CHECK(t->ndim > 0, OUT_OF_RANGE,
           "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
  if ((dim = oyi_dim_wrap(dim, t->ndim)) < 0) return OY_OUT_OF_RANGE;
  OY_CHECK(t->numel > 0 || t->sizes[dim] == 0, INVALID_ARGUMENT,
           "There are 0 sized dimensions, and they aren't selected, so unique cannot be "
           "applied");
  return hand_over(group_slices(t, dim, sorts, &out), &out, values, inverse, counts);
}

OYI_CPU(unique_dim) {
  return unique_slices(self, dim, true, out_0, out_1, out_2);
}
OYI_CPU(unique_dim_consecutive) {
  return unique_slices(self, dim, false, out_0, out_1, out_2);
}
OYI_CPU(unique_consecutive) {
  request q = {false, return_inverse, return_counts};
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  // Of one dimension slices are elements.
  if (dim.tag == OY_TAG_NONE || (dim.as.i == 0 && t->ndim == 1))
    return unique(self, q, out_0, out_1, out_2);
  return unique_slices(self, dim.as.i, false, out_0, out_1, out_2);
}
