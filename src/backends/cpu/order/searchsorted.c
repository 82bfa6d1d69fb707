// SPDX-License-Identifier: Apache-2.0
// searchsorted and bucketize: where elements belong in sorted rows, by binary search.
#include "backends/cpu/index/index_check.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/order/search_lanes.h"
#include "backends/cpu/order/sort_keys.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "opyard/threads.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

typedef struct request {
  oy_object *rows, *values, *sorter, *out;  // the last two may be NULL
  bool int32, right;
} request;

#define SEARCH "torch.searchsorted(): "

static oy_status check_shapes(const oyi_tensor* rows, const oyi_tensor* values,
                              const oyi_tensor* sorter) {
  OY_CHECK(rows->ndim > 0, INVALID_ARGUMENT,
           SEARCH
           "boundaries tensor should have positive dimension, but got 0 dimension");
  OY_CHECK(values->ndim > 0 || rows->ndim == 1, INVALID_ARGUMENT,
           SEARCH
           "input value can be a scalar only when boundaries tensor dimension is "
           "1, but we got boundaries tensor dim(%u) and input value's dim(0) "
           "numel(1)",
           rows->ndim);
  bool fits = rows->ndim == 1 || rows->ndim == values->ndim;
  for (int d = 0; fits && rows->ndim > 1 && d + 1 < rows->ndim; d++)
    fits = rows->sizes[d] == values->sizes[d];
  OY_CHECK(fits, INVALID_ARGUMENT,
           SEARCH
           "boundaries tensor should be 1 dimension or the first N-1 dimensions of "
           "boundaries tensor and input value tensor must match, but we got "
           "boundaries tensor %s and input value tensor %s",
           oyi_dims_print(oyi_sizes_view(rows)).text,
           oyi_dims_print(oyi_sizes_view(values)).text);
  if (!sorter) return OY_OK;
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(rows), oyi_sizes_view(sorter)), INVALID_ARGUMENT,
           SEARCH
           "boundary and sorter must have the same size, but got boundary tensor "
           "%sand got sorter tensor %s",
           oyi_dims_print(oyi_sizes_view(rows)).text,
           oyi_dims_print(oyi_sizes_view(sorter)).text);
  OY_CHECK(sorter->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           SEARCH "sorter must be a tensor of long dtype but got dtype %s",
           oy_dtype_pytorch_name(sorter->header.dtype));
  return OY_OK;
}

static oy_status check(const request* q, const oyi_tensor* rows, const oyi_tensor* values,
                       const oyi_tensor* sorter) {
  oy_dtype want = q->int32 ? OY_DTYPE_I32 : OY_DTYPE_I64;
  OY_TRY(check_shapes(rows, values, sorter));
  OY_CHECK(!q->out || q->out->dtype == want, TYPE_MISMATCH,
           SEARCH
           "output tensor's dtype is wrong, it can only be Int(int32) or "
           "Long(int64) depending on whether out_int32 flag is True, but we got "
           "output tensor's dtype %s and out_int32 flag is %s",
           oy_dtype_pytorch_name(q->out->dtype), q->int32 ? "True" : "False");
  OY_TRY(oyi_check_same_device(rows, values));
  OY_TRY(oyi_check_memory(rows));
  OY_TRY(oyi_check_memory(values));
  OY_CHECK(
      oyi_key_has_order(rows->header.dtype) && oyi_key_has_order(values->header.dtype),
      NOT_IMPLEMENTED, "\"searchsorted_out_cpu\" not implemented for '%s'",
      oy_dtype_pytorch_name(oyi_key_has_order(rows->header.dtype) ? values->header.dtype
                                                                  : rows->header.dtype));
  return OY_OK;
}

// ------------------------------------------------------------------------ the search

typedef struct search {
  oy_dtype dtype;
  const char *rows, *values;
  const int64_t* sorter;  // NULL: the rows themselves are sorted
  int64_t* out;
  int64_t n, m;  // elements of a row; values that belong to it
  bool right;
} search;

static void search_one(const search* s, int64_t i) {
  const int64_t item = oyi_dtype_bytes[s->dtype], first = i / s->m * s->n;
  const uint64_t key = oyi_key_load(s->dtype, s->values + i * item);
  s->out[i] = oyi_keys_search(s->dtype, s->rows + first * item,
                              s->sorter ? s->sorter + first : NULL, s->n, key, s->right);
}

enum { ROW_MOST = 2048 };

// The row that values belong to: as integers where that pays, or as it lies.
typedef struct row {
  const char* x;
  oy_dtype dtype;
  bool is_integer;
  int64_t numbers[ROW_MOST];
} row;

static void load_row(const search* s, int64_t i, int64_t count, row* r) {
  const oy_dtype integer = oyi_search_integer(s->dtype);
  r->x = s->rows + i / s->m * s->n * (int64_t)oyi_dtype_bytes[s->dtype];
  r->is_integer = integer != s->dtype && s->n <= ROW_MOST && count >= s->n / 4;
  r->dtype = r->is_integer ? integer : s->dtype;
  if (!r->is_integer) return;
  oyi_search_to_integers(s->dtype, r->x, s->n, r->numbers);
  r->x = (const char*)r->numbers;
}

enum { VALUES = 32 * OYI_SEARCH_LANES };

// |count| that belong to one row, a multiple of OYI_SEARCH_LANES and VALUES at most. NaN among
// them once more, but for integers.
static void search_values(const search* s, const row* r, int64_t i, int64_t count) {
  const int64_t item = oyi_dtype_bytes[s->dtype];
  const char *given = s->values + i * item, *values = given;
  int64_t numbers[VALUES];
  if (r->is_integer) {
    oyi_search_to_integers(s->dtype, given, count, numbers);
    values = (const char*)numbers;
  }
  oyi_search_lanes(r->dtype, r->x, s->n, values, count / OYI_SEARCH_LANES, s->right,
                   s->out + i);
  if (r->is_integer || !oyi_search_has_nan(s->dtype, given, count)) return;
  const uint64_t nan = oyi_key_of_nan(s->dtype);
  for (int64_t k = i; k < i + count; k++)
    if (oyi_key_load(s->dtype, s->values + k * item) == nan) search_one(s, k);
}

static oy_status search_some(int64_t begin, int64_t end, void* context) {
  const search* s = context;
  row r;
  for (int64_t i = begin; i < end;) {
    const int64_t row_end = (i / s->m + 1) * s->m, last = row_end < end ? row_end : end;
    if (!s->sorter && i + OYI_SEARCH_LANES <= last) {
      load_row(s, i, last - i, &r);
      while (i + OYI_SEARCH_LANES <= last) {
        int64_t count = (last - i) / OYI_SEARCH_LANES * OYI_SEARCH_LANES;
        if (count > VALUES) count = VALUES;
        search_values(s, &r, i, count);
        i += count;
      }
      // The rest with some that were found before.
      if (i < last) search_values(s, &r, last - OYI_SEARCH_LANES, OYI_SEARCH_LANES);
      i = last;
    }
    for (; i < last; i++) search_one(s, i);
  }
  return OY_OK;
}

// All contiguous: |rows| [.., n], |values| [.., m] with as many rows, or with one row
// for all.
static void search_all(const oyi_tensor* rows, const oyi_tensor* values,
                       const oyi_tensor* sorter, int64_t* out, bool right) {
  enum { GRAIN = 2048 };
  const int64_t n = rows->sizes[rows->ndim - 1];
  const int64_t m = rows->ndim > 1 ? values->sizes[values->ndim - 1] : values->numel;
  search s = {rows->header.dtype,
              oyi_data(rows),
              oyi_data(values),
              sorter ? oyi_data(sorter) : NULL,
              out,
              n,
              m,
              right};
  (void)!oy_parallel_for(0, values->numel, GRAIN, search_some, &s);
}

static oyi_tensor* make_output(const request* q, const oyi_tensor* rows,
                               const oyi_tensor* values, const oyi_tensor* sorter) {
  oy_dtype dtype = q->int32 ? OY_DTYPE_I32 : OY_DTYPE_I64;
  oy_ints sizes = oyi_sizes_view(values);
  if (!q->out) return oyi_tensor_new(sizes, dtype, oyi_tensor_device(values));
  oyi_tensor* o = oyi_tensor_of(q->out);
  bool good = o && oyi_output_check_shape(o, rows, sizes) == 0 &&
              (values->numel == 0 || oyi_output_check_overlap(o, NULL, 0) == 0) &&
              (!sorter || oyi_output_check_shape(o, sorter, sizes) == 0) &&
              oyi_output_prepare(o, sizes, dtype, oyi_tensor_device(values)) == 0;
  return good ? o : NULL;
}

static oy_status fill(const request* q, oyi_tensor* out, const oyi_tensor* rows,
                      const oyi_tensor* values, const oyi_tensor* sorter) {
  oy_dtype common;
  OY_TRY(oy_dtype_promote(rows->header.dtype, values->header.dtype, &common));
  if (sorter)
    OY_CHECK(oyi_check_line_indices(sorter, 0, rows->sizes[rows->ndim - 1]) == 0,
             OUT_OF_RANGE, SEARCH "sorter index out of range");
  oyi_tensor* a = oyi_converted(rows, common);
  oyi_tensor* b = oyi_converted(values, common);
  oyi_tensor* c = sorter ? oyi_converted(sorter, OY_DTYPE_I64) : NULL;
  // Where places are not written as they are found.
  const bool is_direct =
      out->header.dtype == OY_DTYPE_I64 && (out->flags & OYI_CONTIGUOUS) != 0;
  oyi_tensor* places =
      is_direct ? NULL
                : oyi_tensor_new(oyi_sizes_view(values), OY_DTYPE_I64, oy_device_cpu());
  oy_status status =
      a && b && (places || is_direct) && (c || !sorter) ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == 0) {
    search_all(a, b, c, oyi_data(is_direct ? out : places), q->right);
    if (!is_direct) oyi_convert(out, places);
  }
  oyi_tensor* const held[] = {a, b, c, places};
  for (int k = 0; k < 4; k++)
    if (held[k]) oy_tensor_release(&held[k]->header);
  return status;
}

static oy_object* run(const request* q) {
  const oyi_tensor* rows = oyi_tensor_of(q->rows);
  const oyi_tensor* values = rows ? oyi_tensor_of(q->values) : NULL;
  const oyi_tensor* sorter = values && q->sorter ? oyi_tensor_of(q->sorter) : NULL;
  if (!values || (q->sorter && !sorter) || check(q, rows, values, sorter) != 0)
    return NULL;
  oyi_tensor* out = make_output(q, rows, values, sorter);
  if (!out || oyi_is_meta(rows) || values->numel == 0) return oyi_tensor_object(out);
  if (fill(q, out, rows, values, sorter) == 0) return &out->header;
  if (!q->out) oy_tensor_release(&out->header);
  return NULL;
}

// ------------------------------------------------------------------------- operators

// |side|, where it is given, says what |right| says too.
static bool read_side(oy_value side, bool right, bool* out) {
  *out = right;
  if (side.tag == OY_TAG_NONE) return true;
  oy_str text = {side.as.chars, side.count};
  bool is_left = oy_str_equal(text, oy_str_of("left"));
  if (!is_left && !oy_str_equal(text, oy_str_of("right"))) {
    OY_FAIL(INVALID_ARGUMENT, SEARCH "side can only be 'left' or 'right' but got %.*s",
            OY_STR_ARG(text));
    return false;
  }
  if (is_left && right) {
    OY_FAIL(INVALID_ARGUMENT, SEARCH
            "side and right can't be set to opposites, got side of left while "
            "right was True");
    return false;
  }
  *out = !is_left;
  return true;
}

static oy_object* searchsorted(oy_object* rows, oy_object* values, bool int32, bool right,
                               oy_value side, oy_object* sorter, oy_object* out) {
  request q = {rows, values, oy_object_is_none(sorter) ? NULL : sorter,
               out,  int32,  right};
  return read_side(side, right, &q.right) ? run(&q) : NULL;
}

OYI_CPU(searchsorted_Tensor) {
  return searchsorted(sorted_sequence, self, out_int32, right, side, sorter, NULL);
}
OYI_CPU(searchsorted_Tensor_out) {
  return searchsorted(sorted_sequence, self, out_int32, right, side, sorter, out);
}

// A number as a tensor of the rows' kind, so that it does not make them wider.
static oy_object* number_like(const oy_object* rows, oy_scalar number) {
  if (!oyi_tensor_of(rows)) return NULL;
  oy_dtype dtype = rows->dtype;
  if (number.tag == OY_TAG_FLOAT && !oy_dtype_is_floating(dtype))
    dtype = oy_dtype_default();
  oyi_tensor* t = oyi_tensor_new(oy_dims_none(), dtype, oy_device_cpu());
  if (t) oyi_element_store(dtype, oyi_data(t), oyi_number_of_scalar(number));
  return oyi_tensor_object(t);
}

OYI_CPU(searchsorted_Scalar) {
  oy_object* number = number_like(sorted_sequence, self);
  oy_object* result =
      number ? searchsorted(sorted_sequence, number, out_int32, right, side, sorter, NULL)
             : NULL;
  oy_tensor_release(number);
  return result;
}
OYI_CPU(searchsorted_Scalar_out) {
  oy_object* number = number_like(sorted_sequence, self);
  oy_object* result =
      number ? searchsorted(sorted_sequence, number, out_int32, right, side, sorter, out)
             : NULL;
  oy_tensor_release(number);
  return result;
}

static oy_object* bucketize(oy_object* values, oy_object* boundaries, bool int32,
                            bool right, oy_object* out) {
  const oyi_tensor* b = oyi_tensor_of(boundaries);
  if (!b) return NULL;
  if (b->ndim != 1) {
    OY_FAIL(INVALID_ARGUMENT, "boundaries tensor must be 1 dimension, but got dim(%u)",
            b->ndim);
    return NULL;
  }
  return run(&(request){boundaries, values, NULL, out, int32, right});
}

OYI_CPU(bucketize_Tensor) {
  return bucketize(self, boundaries, out_int32, right, NULL);
}
OYI_CPU(bucketize_Tensor_out) {
  return bucketize(self, boundaries, out_int32, right, out);
}
OYI_CPU(bucketize_Scalar) {
  oy_object* number = number_like(boundaries, self);
  oy_object* result =
      number ? bucketize(number, boundaries, out_int32, right, NULL) : NULL;
  oy_tensor_release(number);
  return result;
}
