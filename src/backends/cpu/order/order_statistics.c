// SPDX-License-Identifier: Apache-2.0
// The element of a given rank, the median, the most frequent element: one of each line,
// and its place.
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/lines.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/order/rank_lines.h"
#include "backends/cpu/order/select.h"
#include "backends/cpu/order/sort_keys.h"
#include "backends/cpu/reduce/reduce_single.h"
#include "base/memory.h"
#include "ops/rules/reduction.h"
#include "tensor/element.h"

static int64_t rank_given(int64_t n, int64_t nans, int64_t k) {
  (void)n, (void)nans;
  return k;
}
// The lower of two; NaN, the first of them, if there is one.
static int64_t rank_of_median(int64_t n, int64_t nans, int64_t k) {
  (void)k;
  return nans ? n - nans : (n - 1) / 2;
}
static int64_t rank_of_nanmedian(int64_t n, int64_t nans, int64_t k) {
  (void)k;
  return nans == n ? 0 : (n - nans - 1) / 2;
}

// ------------------------------------------------------------------------------ mode

// How many have a key, and the last of them.
typedef struct slot {
  uint64_t key;
  uint32_t count, last;
} slot;

// What the mode of lines of |n| needs. Slots, at least twice as many as elements, are empty
// between two lines; short and long lines have none, and are sorted.
typedef struct mode_room {
  oyi_entry* entries;  // and as many for sorting
  slot* slots;
  uint32_t* taken;
  int bits;
} mode_room;

static bool mode_begin(mode_room* r, int64_t n) {
  enum { SHORT = 16, LONG = 16384 };
  *r = (mode_room){.bits = 4};
  r->entries = oyi_calloc((size_t)n, 2 * sizeof(oyi_entry));
  if (!r->entries || n <= SHORT || n > LONG) return r->entries != NULL;
  while ((int64_t)1 << r->bits < 2 * n) r->bits++;
  r->slots = oyi_zalloc(sizeof(slot) << r->bits);
  r->taken = (uint32_t*)(void*)(r->entries + n);
  return r->slots != NULL;
}

static void mode_end(mode_room* r) {
  oyi_free(r->entries);
  oyi_free(r->slots);
}

// The last of the longest run; of the least elements if several are as long.
static int64_t sorted_mode(oyi_entry* e, oyi_entry* scratch, int64_t n) {
  oyi_keys_sort(e, scratch, n);
  int64_t best = 0, longest = 0;
  for (int64_t i = 0, run = 0; i < n; i++) {
    run = i > 0 && e[i].key == e[i - 1].key ? run + 1 : 1;
    if (run <= longest) continue;
    longest = run;
    best = i;
  }
  return e[best].place;
}

// The same by counting keys.
static int64_t counted_mode(const mode_room* r, int64_t n) {
  const uint64_t last = ((uint64_t)1 << r->bits) - 1;
  int64_t found = 0;
  for (int64_t i = 0; i < n; i++) {
    const uint64_t key = r->entries[i].key;
    uint64_t at = key * 0x9e3779b97f4a7c15u >> (64 - r->bits);
    while (r->slots[at].count > 0 && r->slots[at].key != key) at = (at + 1) & last;
    slot* const s = &r->slots[at];
    if (s->count++ == 0) s->key = key, r->taken[found++] = (uint32_t)at;
    s->last = (uint32_t)i;
  }
  slot best = {0};
  for (int64_t k = 0; k < found; k++) {
    slot* const s = &r->slots[r->taken[k]];
    if (s->count > best.count || (s->count == best.count && s->key < best.key)) best = *s;
    s->count = 0;
  }
  return best.last;
}

static int64_t place_of_mode(const mode_room* r, oy_dtype dtype, const char* x,
                             int64_t step, int64_t n) {
  const oyi_entry* e = r->entries;
  int64_t sorted = 1;
  oyi_keys_load(r->entries, dtype, x, step, n, false);
  while (r->slots && sorted < n && e[sorted - 1].key <= e[sorted].key) sorted++;
  return r->slots && sorted < n ? counted_mode(r, n)
                                : sorted_mode(r->entries, r->entries + n, n);
}

// ----------------------------------------------------------------------------- lines

typedef struct request {
  const char *name, *kernel;
  oyi_rank_fn rank;  // NULL: the mode
  int64_t k;
} request;

// |room| is for the mode.
static oy_status choose_in_line(const request* q, const oyi_lines* w, oy_dtype dtype,
                                int64_t n, const mode_room* room) {
  int64_t place;
  if (q->rank) {
    const oyi_selection s = {w->data[0], w->step[0], n, q->rank, q->k, false};
    OY_TRY(oyi_select(dtype, &s, &place));
  } else {
    place = place_of_mode(room, dtype, w->data[0], w->step[0], n);
  }
  memcpy(w->data[1], w->data[0] + place * w->step[0], oyi_dtype_bytes[dtype]);
  *(int64_t*)(void*)w->data[2] = place;
  return OY_OK;
}

typedef struct choosing {
  const request* request;
  oy_dtype dtype;
  int64_t n;
} choosing;

// With room of its own: others look at other lines.
static oy_status choose_some(oyi_lines* w, int64_t count, void* context) {
  const choosing* c = context;
  mode_room room = {0};
  oy_status status =
      c->request->rank || mode_begin(&room, c->n) ? OY_OK : OY_OUT_OF_MEMORY;
  for (; status == 0 && count > 0; count--, oyi_lines_next(w))
    status = choose_in_line(c->request, w, c->dtype, c->n, &room);
  mode_end(&room);
  return status;
}

static oy_status run(const oyi_reduction* r, const request* q, int64_t dim,
                     bool keepdim) {
  const oyi_tensor* t = r->in;
  if (t->numel == 0) return OY_OK;
  // Results as they would be with the dimension kept.
  oy_object* wide[2] = {NULL, NULL};
  const oyi_tensor* tensors[3] = {t, r->out[0], r->out[1]};
  oy_status status = OY_OK;
  for (int k = 0; k < 2 && t->ndim && !keepdim; k++) {
    const oyi_tensor* o = r->out[k];
    int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
    for (int64_t d = 0, from = 0; d < t->ndim; d++) {
      sizes[d] = d == dim ? 1 : t->sizes[d];
      strides[d] = d == dim ? 1 : oyi_strides(o)[from++];
    }
    wide[k] = oyi_tensor_object(oyi_tensor_alias(o, (oy_ints){sizes, t->ndim},
                                                 (oy_ints){strides, t->ndim}, o->offset));
    if (!wide[k]) status = OY_OUT_OF_MEMORY;
    tensors[k + 1] = oyi_tensor_cast(wide[k]);
  }
  oyi_lines w;
  choosing how = {q, t->header.dtype, t->ndim ? t->sizes[dim] : 1};
  const oyi_ranking few = {how.dtype, how.n, q->k, q->rank, false, false, !q->rank};
  if (status == 0 && oyi_lines_begin(&w, oyi_sizes_view(t), dim, tensors, 3)) {
    enum { LEAST_LINES = 16 };
    oyi_lines_arrange(&w, LEAST_LINES);
    if (!oyi_rank_lines(&w, &few)) status = oyi_lines_run(&w, how.n, choose_some, &how);
  }
  oy_tensor_release(wide[0]);
  oy_tensor_release(wide[1]);
  return status;
}

static oy_status check(const oyi_reduction* r, const request* q, int64_t dim) {
  oy_dtype dtype = r->in->header.dtype;
  int64_t n = r->in->ndim ? r->in->sizes[dim] : 1;
  if (q->rank == rank_given)
    OY_CHECK(n == 0 || (q->k >= 0 && q->k < n), INVALID_ARGUMENT,
             "%s(): selected number k out of range for dimension %lld", q->name,
             (long long)dim);
  OY_TRY(oyi_check_dim_not_empty(r->in, dim, q->name));
  bool refused = dtype == OY_DTYPE_BOOL && q->rank;
  OY_CHECK(oyi_key_has_order(dtype) && !refused, NOT_IMPLEMENTED,
           "\"%s\" not implemented for '%s'", q->kernel, oy_dtype_pytorch_name(dtype));
  return OY_OK;
}

// PyTorch's kthvalue has words of its own for it.
static oy_status check_rank_outputs(oy_dtype dtype, const oy_object* values,
                                    const oy_object* indices) {
  OY_CHECK(values->dtype == dtype, TYPE_MISMATCH,
           "output values must be of same type as input");
  OY_CHECK(indices->dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "output indices must be of scalar type Long");
  return OY_OK;
}

static oy_status choose(oy_object* self, int64_t dim, bool keepdim, request q,
                        oy_object* values, oy_object* indices, oy_object** out_values,
                        oy_object** out_indices) {
  oyi_reduction r;
  *out_values = *out_indices = NULL;
  OY_TRY(oyi_reduction_begin_dim(&r, self, oy_int(dim), keepdim));
  dim = oyi_dim_wrap(dim, r.in->ndim);
  OY_TRY(check(&r, &q, dim));
  const oyi_tensor* out = values ? oyi_tensor_of(values) : NULL;
  if (out) OY_TRY(oyi_check_apart(out, (const oyi_tensor* const[]){r.in}, 1));
  if (values && q.rank == rank_given)
    OY_TRY(check_rank_outputs(self->dtype, values, indices));
  OY_TRY(oyi_reduction_output(&r, values, self->dtype, OYI_OUT_EXACT));
  OY_TRY(oyi_reduction_output(&r, indices, OY_DTYPE_I64, OYI_OUT_EXACT));
  const bool done = r.meta || oyi_reduce_single(&r, OYI_SINGLE_PLACE);
  const oy_status status = done ? OY_OK : run(&r, &q, dim, keepdim);
  return oyi_reduction_end_pair(&r, status, out_values, out_indices);
}

static const request g_median = {"median", "median_cpu", rank_of_median, 0};
static const request g_nanmedian = {"median", "median_cpu", rank_of_nanmedian, 0};
static const request g_mode = {"mode", "mode_cpu", NULL, 0};

OYI_CPU(kthvalue_values) {
  // No number below the first rank can be one too many below.
  request q = {"kthvalue", "kthvalue_cpu", rank_given, k > 0 ? k - 1 : -1};
  return choose(self, dim, keepdim, q, values, indices, out_values, out_indices);
}
OYI_CPU(median_dim_values) {
  return choose(self, dim, keepdim, g_median, values, indices, out_values, out_indices);
}
OYI_CPU(nanmedian_dim_values) {
  return choose(self, dim, keepdim, g_nanmedian, values, indices, out_values,
                out_indices);
}
OYI_CPU(mode) {
  return choose(self, dim, keepdim, g_mode, NULL, NULL, out_values, out_indices);
}

// ------------------------------------------------------------------- of all elements

// The first element of its rank: which zero, or which NaN, the rank does not tell.
static oy_status find_median(const oyi_tensor* t, bool skips_nan, oyi_tensor* out) {
  const bool is_flat = (t->flags & OYI_CONTIGUOUS) != 0;
  oyi_tensor* copy = is_flat ? NULL : oyi_converted(t, t->header.dtype);
  const oyi_tensor* flat = is_flat ? t : copy;
  if (!flat) return OY_OUT_OF_MEMORY;
  const int64_t item = oyi_item(t);
  const char* x = oyi_data(flat);
  int64_t place = 0;
  const oyi_selection s = {
      x, item, t->numel, skips_nan ? rank_of_nanmedian : rank_of_median, 0, true};
  const oy_status status = oyi_select(t->header.dtype, &s, &place);
  // NOLINT: tensors with elements have data
  if (status == 0) memcpy(oyi_data(out), x + place * item, (size_t)item);
  if (copy) oy_tensor_release(&copy->header);
  return status;
}

static oy_object* median_of_all(oy_object* self, bool skips_nan) {
  oyi_reduction r;
  if (oyi_reduction_begin(&r, self, oy_dims_none(), false) != 0) return NULL;
  if (!oyi_key_has_order(self->dtype) || self->dtype == OY_DTYPE_BOOL) {
    OY_FAIL(NOT_IMPLEMENTED, "\"median_cpu\" not implemented for '%s'",
            oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  if (oyi_reduction_output(&r, NULL, self->dtype, OYI_OUT_EXACT) != 0) return NULL;
  oy_status status = OY_OK;
  if (!r.meta && r.in->numel == 0)
    oyi_element_store(self->dtype, oyi_data(r.out[0]),
                      oyi_number_of_scalar(oy_float(__builtin_nan(""))));
  else if (!r.meta)
    status = find_median(r.in, skips_nan, r.out[0]);
  return oyi_reduction_end(&r, status);
}

OYI_CPU(median) {
  return median_of_all(self, false);
}
OYI_CPU(nanmedian) {
  return median_of_all(self, true);
}
