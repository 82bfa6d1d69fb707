// SPDX-License-Identifier: Apache-2.0
// Least and greatest elements: over all, over dimensions, with their places.
#include "backends/cpu/reduce/reduce_loops.h"
#include "backends/cpu/reduce/reduce_single.h"
#include "tensor/element.h"

static oy_status check_all_not_empty(const oyi_tensor* t, const char* name) {
  OY_CHECK(t->numel > 0, INVALID_ARGUMENT,
           "%s(): Expected reduction dim to be specified for input.numel() == 0. "
           "Specify the reduction dim with the 'dim' argument.",
           name);
  return OY_OK;
}

// 16-bit floats are widened where there is no reducer of their own.
static const oyi_fold* reducer_for(const oyi_fold* table, oy_dtype dtype,
                                   const char* name) {
  for (const oyi_fold* own = table; own->row; own++)
    if (own->in == dtype) return own;
  return oyi_fold_for(table, oyi_reduce_dtype(dtype), name);
}

// |r| has its outputs; computes and ends it.
static oy_object* run(oyi_reduction* r, const oyi_fold* table, oyi_single second,
                      const char* name) {
  const oyi_fold* reducer = reducer_for(table, r->in->header.dtype, name);
  if (reducer && !r->meta && !oyi_reduce_single(r, second)) oyi_reduce(r, reducer, NULL);
  return oyi_reduction_end(r, reducer ? OY_OK : OY_NOT_IMPLEMENTED);
}

// ------------------------------------------------------------------ values alone

static oy_object* extreme_of_all(oy_object* self, oy_object* out, const oyi_fold* table,
                                 const char* name, const char* kernel) {
  oyi_reduction r;
  if (oyi_reduction_begin(&r, self, oy_dims_none(), false) != 0 ||
      check_all_not_empty(r.in, name) != 0 ||
      oyi_reduction_output(&r, out, self->dtype, OYI_OUT_CAST) != 0)
    return NULL;
  return run(&r, table, OYI_SINGLE_ELEMENT, kernel);
}

OYI_CPU(max) {
  return extreme_of_all(self, NULL, oyi_amax_reducers(), "max", "max_all");
}
OYI_CPU(min) {
  return extreme_of_all(self, NULL, oyi_amin_reducers(), "min", "min_all");
}
OYI_CPU(max_unary_out) {
  return extreme_of_all(self, out, oyi_amax_reducers(), "max", "max_all");
}
OYI_CPU(min_unary_out) {
  return extreme_of_all(self, out, oyi_amin_reducers(), "min", "min_all");
}

static oy_status check_dims_not_empty(const oyi_reduction* r, oy_ints dim,
                                      const char* name) {
  if (r->in->numel > 0) return OY_OK;
  if (dim.size == 0) return check_all_not_empty(r->in, name);
  for (int64_t d = 0; d < r->in->ndim; d++)
    if (r->mask >> d & 1) OY_TRY(oyi_check_dim_not_empty(r->in, d, name));
  return OY_OK;
}

static oy_object* extreme(oy_object* self, oy_ints dim, bool keepdim, oy_object* out,
                          const oyi_fold* table, const char* name, const char* kernel) {
  oyi_reduction r;
  if (oyi_reduction_begin(&r, self, dim, keepdim) != 0) return NULL;
  if (out && out->dtype != self->dtype) {
    OY_FAIL(TYPE_MISMATCH,
            "Expected the dtype for input and out to match, but got %s for input's "
            "dtype and %s for out's dtype.",
            oy_dtype_pytorch_name(self->dtype), oy_dtype_pytorch_name(out->dtype));
    return NULL;
  }
  if (check_dims_not_empty(&r, dim, name) != 0 ||
      oyi_reduction_output(&r, out, self->dtype, OYI_OUT_EXACT) != 0)
    return NULL;
  return run(&r, table, OYI_SINGLE_ELEMENT, kernel);
}

OYI_CPU(amax) {
  return extreme(self, dim, keepdim, NULL, oyi_amax_reducers(), "amax", "max_values_cpu");
}
OYI_CPU(amax_out) {
  return extreme(self, dim, keepdim, out, oyi_amax_reducers(), "amax", "max_values_cpu");
}
OYI_CPU(amin) {
  return extreme(self, dim, keepdim, NULL, oyi_amin_reducers(), "amin", "min_values_cpu");
}
OYI_CPU(amin_out) {
  return extreme(self, dim, keepdim, out, oyi_amin_reducers(), "amin", "min_values_cpu");
}

// --------------------------------------------------------------------------- both

// Whether the least and the greatest are sooner found one after the other, each by loops of its
// own: of what stays in the caches, unless rows of whole numbers go as they lie, which are read
// once for both.
static bool goes_apart(const oyi_reduction* r) {
  enum { LEAST = 256, MOST_BYTES = 1 << 18, BOTH_MADE = 3 };
  const oyi_tensor* in = r->in;
  const oy_dtype dtype = in->header.dtype;
  if (r->meta || in->numel < LEAST || r->made != BOTH_MADE || r->count < 2 ||
      r->out[0]->numel < 2 || in->numel * oyi_item(in) > MOST_BYTES ||
      oy_dtype_is_complex(dtype))
    return false;
  return oyi_strides(in)[__builtin_ctzll(r->mask)] != 1 || oy_dtype_is_floating(dtype);
}

static void run_one(const oyi_reduction* r, int which, const oyi_fold* table) {
  oyi_reduction one = *r;
  one.out[0] = r->out[which];
  one.outs = 1;
  oyi_reduce(&one, reducer_for(table, r->in->header.dtype, ""), NULL);
}

static oy_status both(oy_object* self, oy_value dim, bool keepdim, oy_object* min,
                      oy_object* max, oy_object** out_min, oy_object** out_max) {
  oyi_reduction r;
  OY_TRY(oyi_reduction_begin_dim(&r, self, dim, keepdim));
  if (dim.tag == OY_TAG_NONE)
    OY_CHECK(r.in->numel > 0, INVALID_ARGUMENT,
             "aminmax(): cannot compute aminmax over an empty dimension as the "
             "operation has no identity.");
  else
    OY_CHECK(r.count > 0, OUT_OF_RANGE,
             "aminmax: Expected reduction dim %lld to have non-zero size.",
             (long long)__builtin_ctzll(r.mask));
  OY_TRY(oyi_reduction_output(&r, min, self->dtype, OYI_OUT_EXACT));
  OY_TRY(oyi_reduction_output(&r, max, self->dtype, OYI_OUT_EXACT));
  if (goes_apart(&r)) {
    run_one(&r, 0, oyi_amin_reducers());
    run_one(&r, 1, oyi_amax_reducers());
    return oyi_reduction_end_pair(&r, OY_OK, out_min, out_max);
  }
  oy_object* done = run(&r, oyi_aminmax_reducers(), OYI_SINGLE_ELEMENT, "aminmax_cpu");
  if (!done) return OY_NOT_IMPLEMENTED;
  return oyi_reduction_end_pair(&r, OY_OK, out_min, out_max);
}

OYI_CPU(aminmax) {
  return both(self, dim, keepdim, NULL, NULL, out_min, out_max);
}
OYI_CPU(aminmax_out) {
  return both(self, dim, keepdim, min, max, out_min, out_max);
}
OYI_CPU(_aminmax) {
  return both(self, oy_none(), false, NULL, NULL, out_0, out_1);
}
OYI_CPU(_aminmax_dim) {
  return both(self, oy_int(dim), keepdim, NULL, NULL, out_0, out_1);
}

// --------------------------------------------------------------- values and places

typedef struct given {
  oy_object *values, *indices;  // NULL: to be made
} given;

// Whether each row has few results, which do not lie together: places are looked for in rows as
// they are, each by itself, which takes longer than to bring them together first. Where those of
// another dimension lie together nothing has to be brought.
static bool has_short_gapped_rows(const oyi_reduction* r) {
  enum { SHORT = 64 };
  const oyi_tensor* t = r->in;
  for (size_t d = 0; d < t->ndim; d++)
    if (t->sizes[d] > 1 && oyi_strides(t)[d] == 1) return false;
  const size_t last = t->ndim ? t->ndim - 1u : 0;
  return t->ndim > 1 && !r->meta && !(r->mask >> last & 1) && oyi_strides(t)[last] > 1 &&
         t->sizes[last] > 1 && t->sizes[last] <= SHORT && t->numel >= 2 * SHORT;
}

static oy_status extreme_and_place(oy_object* self, int64_t dim, bool keepdim, given g,
                                   const oyi_fold* table, const char* name,
                                   oy_object** values, oy_object** indices) {
  oyi_reduction r;
  OY_TRY(oyi_reduction_begin_dim(&r, self, oy_int(dim), keepdim));
  OY_CHECK(!oy_dtype_is_complex(self->dtype), TYPE_MISMATCH,
           "%s(): does not support complex input", name);
  OY_TRY(oyi_check_dim_not_empty(r.in, __builtin_ctzll(r.mask), name));
  OY_TRY(oyi_reduction_output(&r, g.values, self->dtype, OYI_OUT_EXACT));
  OY_TRY(oyi_reduction_output(&r, g.indices, OY_DTYPE_I64, OYI_OUT_EXACT));
  oyi_tensor* together =
      has_short_gapped_rows(&r) ? oyi_converted(r.in, self->dtype) : NULL;
  if (together) r.in = together;
  oy_object* done = run(&r, table, OYI_SINGLE_PLACE, name);
  oy_tensor_release(oyi_tensor_object(together));
  if (!done) return OY_NOT_IMPLEMENTED;
  return oyi_reduction_end_pair(&r, OY_OK, values, indices);
}

OYI_CPU(max_dim) {
  return extreme_and_place(self, dim, keepdim, (given){NULL, NULL}, oyi_argmax_reducers(),
                           "max", out_values, out_indices);
}
OYI_CPU(max_dim_max) {
  return extreme_and_place(self, dim, keepdim, (given){max, max_values},
                           oyi_argmax_reducers(), "max", out_values, out_indices);
}
OYI_CPU(min_dim) {
  return extreme_and_place(self, dim, keepdim, (given){NULL, NULL}, oyi_argmin_reducers(),
                           "min", out_values, out_indices);
}
OYI_CPU(min_dim_min) {
  return extreme_and_place(self, dim, keepdim, (given){min, min_indices},
                           oyi_argmin_reducers(), "min", out_values, out_indices);
}

// ------------------------------------------------------------------- places alone

// Of a dimension of size 1 there are places whatever the elements are, and of no elements
// there are none.
static bool needs_no_kernel(const oyi_reduction* r, oy_value dim) {
  return dim.tag != OY_TAG_NONE && r->in->ndim > 0 &&
         (r->count == 1 || r->in->numel == 0);
}

static oy_status check_place(const oyi_reduction* r, oy_value dim, const char* name) {
  if (dim.tag != OY_TAG_NONE)
    OY_TRY(oyi_check_dim_not_empty(r->in, __builtin_ctzll(r->mask), name));
  else
    OY_CHECK(r->in->numel > 0, OUT_OF_RANGE,
             "%s(): Expected reduction dim to be specified for input.numel() == 0.",
             name);
  OY_CHECK(r->in->header.dtype != OY_DTYPE_BOOL || needs_no_kernel(r, dim),
           NOT_IMPLEMENTED, "\"%s_cpu\" not implemented for 'Bool'", name);
  return OY_OK;
}

static oy_object* place(oy_object* self, oy_value dim, bool keepdim, oy_object* out,
                        const oyi_fold* table, const char* name, const char* kernel) {
  oyi_reduction r;
  if (oyi_reduction_begin_dim(&r, self, dim, keepdim) != 0 ||
      check_place(&r, dim, name) != 0)
    return NULL;
  oyi_reduction_skip(&r);
  if (oyi_reduction_output(&r, out, OY_DTYPE_I64, OYI_OUT_EXACT) != 0) return NULL;
  if (needs_no_kernel(&r, dim)) {
    if (!r.meta) oyi_reduce_single_places(r.out[1]);
    return oyi_reduction_end(&r, OY_OK);
  }
  // Places in all elements are places in the contiguous tensor.
  oyi_tensor* copy = NULL;
  if (dim.tag == OY_TAG_NONE && !r.meta && !(r.in->flags & OYI_CONTIGUOUS)) {
    copy = oyi_converted(r.in, self->dtype);
    if (!copy) return oyi_reduction_end(&r, OY_OUT_OF_MEMORY);
    r.in = copy;
  }
  oy_object* done = run(&r, table, OYI_SINGLE_PLACE, kernel);
  if (copy) oy_tensor_release(&copy->header);
  return done;
}

OYI_CPU(argmax) {
  return place(self, dim, keepdim, NULL, oyi_argmax_reducers(), "argmax", "argmax_cpu");
}
OYI_CPU(argmax_out) {
  return place(self, dim, keepdim, out, oyi_argmax_reducers(), "argmax", "argmax_cpu");
}
OYI_CPU(argmin) {
  return place(self, dim, keepdim, NULL, oyi_argmin_reducers(), "argmin", "argmin_cpu");
}
OYI_CPU(argmin_out) {
  return place(self, dim, keepdim, out, oyi_argmin_reducers(), "argmin", "argmin_cpu");
}
