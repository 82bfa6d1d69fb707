// SPDX-License-Identifier: Apache-2.0
#include "ops/rules/reduction.h"

#include <string.h>

#include "ops/rules/rules.h"
#include "tensor/iterator.h"
#include "tensor/iterator_walk.h"

oy_status oyi_dtype_argument(oy_value dtype, oy_dtype otherwise, oy_dtype* out) {
  *out = otherwise;
  if (dtype.tag == OY_TAG_NONE) return OY_OK;
  OY_CHECK(dtype.as.i >= 0 && dtype.as.i < OY_DTYPE_LIMIT && oyi_dtype_bytes[dtype.as.i],
           INVALID_ARGUMENT, "there is no element type with number %lld",
           (long long)dtype.as.i);
  *out = (oy_dtype)dtype.as.i;
  return OY_OK;
}

oy_status oyi_check_memory(const oyi_tensor* t) {
  OY_CHECK(t->numel == 0 || oyi_data(t) || oyi_is_meta(t), NOT_IMPLEMENTED,
           "a CPU kernel was given a tensor without data");
  return OY_OK;
}

oy_status oyi_check_dim_not_empty(const oyi_tensor* t, int64_t dim, const char* name) {
  OY_CHECK(t->ndim == 0 || t->sizes[dim] > 0, OUT_OF_RANGE,
           "%s(): Expected reduction dim %lld to have non-zero size.", name,
           (long long)dim);
  return OY_OK;
}

static oy_status set_shape(oyi_reduction* r, bool keepdim) {
  r->ndim = 0;
  r->count = 1;
  for (size_t i = 0; i < r->in->ndim; i++) {
    bool reduced = r->mask >> i & 1;
    if (reduced) r->count *= r->in->sizes[i];
    if (!reduced || keepdim) r->sizes[r->ndim++] = reduced ? 1 : r->in->sizes[i];
  }
  return oyi_check_memory(r->in);
}

static oy_status take_input(oyi_reduction* r, oy_object* self) {
  r->outs = 0;
  r->made = 0;
  r->as_input = false;
  r->mask = 0;
  r->out[0] = r->out[1] = NULL;
  r->in = oyi_tensor_of(self);
  if (!r->in) return oy_failure();
  r->meta = oyi_is_meta(r->in);
  return OY_OK;
}

oy_status oyi_reduction_begin(oyi_reduction* r, oy_object* self, oy_ints dim,
                              bool keepdim) {
  OY_TRY(take_input(r, self));
  for (size_t i = 0; i < dim.size; i++) {
    int64_t d = oyi_dim_wrap(dim.data[i], r->in->ndim);
    if (d < 0) return OY_OUT_OF_RANGE;
    OY_CHECK(!(r->mask >> d & 1), INVALID_ARGUMENT,
             "dim %lld appears multiple times in the list of dims", (long long)d);
    r->mask |= 1ull << d;
  }
  if (dim.size == 0) r->mask = ~0ull;
  return set_shape(r, keepdim);
}

oy_status oyi_reduction_begin_dim(oyi_reduction* r, oy_object* self, oy_value dim,
                                  bool keepdim) {
  oy_ints dims = {&dim.as.i, dim.tag == OY_TAG_NONE ? 0 : 1};
  return oyi_reduction_begin(r, self, dims, keepdim);
}

static void give_up(oyi_reduction* r) {
  for (int k = 0; k < r->outs; k++)
    if (r->made >> k & 1) oy_tensor_release(&r->out[k]->header);
}

// How new outputs lie in memory: |room| is for strides.
static oy_ints layout(const oyi_reduction* r, int64_t* room) {
  if (r->in->flags & OYI_DENSE) return oyi_strides_view(r->in);
  oyi_dense_strides(r->in, room);
  return (oy_ints){room, r->ndim};
}

static oy_status prepare(const oyi_reduction* r, oyi_tensor* out, oy_dtype dtype,
                         int rule) {
  const oyi_tensor* inputs[] = {r->in};
  oy_ints sizes = {r->sizes, r->ndim};
  oy_device device = oyi_tensor_device(r->in);
  OY_TRY(oyi_output_check_overlap(out, inputs, 1));
  OY_TRY(oyi_output_check_shape(out, r->in, sizes));
  const bool lays = r->as_input && !oyi_same_sizes(oyi_sizes_view(out), sizes);
  OY_TRY(rule == OYI_OUT_EXACT ? oyi_output_exact(out, sizes, dtype, device)
                               : oyi_output_prepare(out, sizes, dtype, device));
  if (lays) {
    int64_t room[OY_TENSOR_MAX_DIMS];
    memcpy(oyi_strides(out), layout(r, room).data, r->ndim * sizeof(*room));
    oyi_tensor_geometry(out);
  }
  return OY_OK;
}

oy_status oyi_reduction_output(oyi_reduction* r, oy_object* out, oy_dtype dtype,
                               int rule) {
  oy_status status = OY_OK;
  oyi_tensor* t;
  if (out) {
    t = oyi_tensor_of(out);
    status = t ? prepare(r, t, dtype, rule) : oy_failure();
  } else {
    int64_t room[OY_TENSOR_MAX_DIMS];
    oy_ints sizes = {r->sizes, r->ndim};
    t = r->as_input ? oyi_tensor_new_strided(sizes, layout(r, room), dtype,
                                             oyi_tensor_device(r->in))
                    : oyi_tensor_new(sizes, dtype, oyi_tensor_device(r->in));
    if (!t) status = oy_failure();
  }
  if (status != 0) {
    give_up(r);
    return status;
  }
  if (!out) r->made |= (uint8_t)(1u << r->outs);
  r->out[r->outs++] = t;
  return OY_OK;
}

oy_object* oyi_reduction_end(oyi_reduction* r, oy_status status) {
  if (status == 0) return &oyi_reduction_first(r)->header;
  give_up(r);
  return NULL;
}

oy_status oyi_reduction_end_pair(oyi_reduction* r, oy_status status, oy_object** first,
                                 oy_object** second) {
  *first = *second = NULL;
  if (status != 0) {
    give_up(r);
    return status;
  }
  *first = &r->out[0]->header;
  *second = &r->out[1]->header;
  return OY_OK;
}
