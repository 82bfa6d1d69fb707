// SPDX-License-Identifier: Apache-2.0
// Tensors against each other: broadcasting, grids, combinations, blocks, Kronecker.
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/out.h"
#include "ops/rules/join.h"
#include "ops/rules/rules.h"

OYI_COMPOSITE(broadcast_tensors) {
  *out_result = oy_none();
  int64_t shape[OY_TENSOR_MAX_DIMS];
  size_t ndim = 0;
  for (size_t i = 0; i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(tensors.data[i]);
    int64_t joined[OY_TENSOR_MAX_DIMS];
    if (!t) return oy_failure();
    OY_TRY(oyi_broadcast((oy_ints){shape, ndim}, oyi_sizes_view(t), joined, &ndim));
    memcpy(shape, joined, ndim * sizeof(int64_t));
  }
  oy_object** items;
  OY_TRY(oyi_list_new(tensors.size, out_result, &items));
  for (size_t i = 0; i < tensors.size; i++) {
    oy_object* wide = oyi_call_expand(tensors.data[i], (oy_ints){shape, ndim}, false);
    if (!oyi_list_put(items, i, wide)) return oyi_list_fail(out_result);
  }
  return OY_OK;
}

// -------------------------------------------------------------------- meshgrid

static oy_status check_meshgrid(oy_tensors tensors) {
  OY_CHECK(tensors.size > 0, INVALID_ARGUMENT, "meshgrid expects a non-empty TensorList");
  OY_CHECK(tensors.size <= OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT,
           "tensors may have at most %d dimensions", OY_TENSOR_MAX_DIMS);
  for (size_t i = 0; i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(tensors.data[i]);
    if (!t) return oy_failure();
    OY_CHECK(t->ndim <= 1, INVALID_ARGUMENT,
             "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: %uD",
             t->ndim);
    OY_CHECK(t->header.dtype == tensors.data[0]->dtype, TYPE_MISMATCH,
             "torch.meshgrid expects all tensors to have the same dtype");
    OY_CHECK(t->backend == oyi_tensor_cast(tensors.data[0])->backend, INVALID_ARGUMENT,
             "torch.meshgrid expects all tensors to have the same device");
  }
  return OY_OK;
}

// Coordinate |i|: the tensor along its dimension, spread over the others; "xy" has the
// first two dimensions swapped.
static oy_object* coordinate(oy_tensors tensors, size_t i, bool swap) {
  size_t n = tensors.size;
  int64_t thin[OY_TENSOR_MAX_DIMS], wide[OY_TENSOR_MAX_DIMS];
  for (size_t k = 0; k < n; k++) {
    size_t from = swap && k < 2 ? 1 - k : k;
    wide[k] = oyi_tensor_cast(tensors.data[from])->numel;
    thin[k] = from == i ? wide[k] : 1;
  }
  // Made in the order of the tensors, as the transposed views of PyTorch are.
  if (swap) {
    int64_t w = wide[0], t = thin[0];
    wide[0] = wide[1], thin[0] = thin[1];
    wide[1] = w, thin[1] = t;
  }
  oy_object* column = oyi_call_view(tensors.data[i], (oy_ints){thin, n});
  oy_object* grid = oyi_call_expand(column, (oy_ints){wide, n}, false);
  oy_tensor_release(column);
  if (!swap) return grid;
  oy_object* turned = oyi_call_transpose_int(grid, 0, 1);
  oy_tensor_release(grid);
  return turned;
}

static oy_status meshgrid(oy_tensors tensors, bool swap, oy_value* out_list) {
  *out_list = oy_none();
  OY_TRY(check_meshgrid(tensors));
  oy_object** items;
  OY_TRY(oyi_list_new(tensors.size, out_list, &items));
  for (size_t i = 0; i < tensors.size; i++)
    if (!oyi_list_put(items, i, coordinate(tensors, i, swap && tensors.size > 1)))
      return oyi_list_fail(out_list);
  return OY_OK;
}

OYI_COMPOSITE(meshgrid) {
  return meshgrid(tensors, false, out_result);
}
OYI_COMPOSITE(meshgrid_indexing) {
  *out_result = oy_none();
  bool xy = oy_str_equal(indexing, oy_str_of("xy"));
  OY_CHECK(xy || oy_str_equal(indexing, oy_str_of("ij")), INVALID_ARGUMENT,
           "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: %.*s",
           OY_STR_ARG(indexing));
  return meshgrid(tensors, xy, out_result);
}

// ---------------------------------------------------------------- combinations

OYI_COMPOSITE(cartesian_prod) {
  for (size_t i = 0; i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(tensors.data[i]);
    if (!t) return NULL;
    if (t->ndim == 1) continue;
    OY_FAIL(INVALID_ARGUMENT, "Expect a 1D vector, but got shape %s",
            oyi_dims_print(oyi_sizes_view(t)).text);
    return NULL;
  }
  if (tensors.size == 1) return oy_tensor_retain(tensors.data[0]);
  oy_value grids = oy_none(), columns = oy_none();
  oy_object** items;
  oy_object* result = NULL;
  if (oyi_call_meshgrid(tensors, &grids) != 0) return NULL;
  if (oyi_list_new(grids.count, &columns, &items) == 0) {
    for (size_t i = 0; i < grids.count; i++)
      if (!oyi_list_put(items, i,
                        oyi_call_flatten_using_ints(grids.as.tensors[i], 0, -1)))
        break;
    result = oyi_call_stack(oyi_list_tensors(columns), 1);
  }
  oy_value_release(&columns);
  oy_value_release(&grids);
  return result;
}

// Rows of places in a vector of |n|: the next one after |at|, false after the last.
static bool next_places(int64_t* at, int64_t r, int64_t n, bool again) {
  for (int64_t i = r; i-- > 0;) {
    int64_t last = again ? n - 1 : n - r + i;
    if (at[i] >= last) continue;
    at[i]++;
    for (int64_t k = i + 1; k < r; k++) at[k] = at[k - 1] + !again;
    return true;
  }
  return false;
}

// How many rows there are; -1 if they are too many to make.
static int64_t count_places(int64_t r, int64_t n, bool again) {
  if (r > UINT32_MAX) return -1;
  if (again) n += r - 1;
  if (r > n) return 0;
  __int128 count = 1;
  for (int64_t i = 1; i <= r; i++) {
    count = count * (n - r + i) / i;
    if (count * r > UINT32_MAX) return -1;
  }
  return (int64_t)count;
}

// All |count| rows of |r| places, one after the other.
static void put_places(int64_t* places, int64_t count, int64_t r, int64_t n, bool again) {
  for (int64_t k = 0; count && k < r; k++) places[k] = again ? 0 : k;
  for (int64_t i = 1; i < count; i++) {
    int64_t* row = memcpy(places + i * r, places + (i - 1) * r, (size_t)r * sizeof(*row));
    (void)next_places(row, r, n, again);
  }
}

// The elements at the places, in one call whatever their number: on a device each call costs.
static oy_object* take_places(oy_object* self, int64_t count, int64_t r, bool again) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oy_object *result = NULL, *there = NULL, *flat = NULL;
  oy_object* places = oyi_tensor_object(
      oyi_tensor_new(OY_DIMS(count * r), OY_DTYPE_I64, oy_device_cpu()));
  if (!places) return NULL;
  put_places(oy_tensor_data(places), count, r, t->numel, again);
  there = oyi_call_to_device(places, oyi_tensor_device(t), OY_DTYPE_I64, false, false,
                             oy_none());
  if (there) flat = oyi_call_index_select(self, 0, there);
  if (flat) result = oyi_call_view(flat, OY_DIMS(count, r));
  oy_tensor_release(flat);
  oy_tensor_release(there);
  oy_tensor_release(places);
  return result;
}

OYI_COMPOSITE(combinations) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim != 1 || r < 0) {
    if (r < 0)
      OY_FAIL(INVALID_ARGUMENT, "Expect a non-negative number, but got %lld",
              (long long)r);
    else
      OY_FAIL(INVALID_ARGUMENT, "Expect a 1D vector, but got shape %s",
              oyi_dims_print(oyi_sizes_view(t)).text);
    return NULL;
  }
  oy_value none = oy_none();
  if (r == 0) return oyi_call_new_empty(self, OY_DIMS(0), none, none, none, none);
  int64_t count = count_places(r, t->numel, with_replacement);
  if (count < 0) {
    OY_FAIL(INVALID_ARGUMENT, "there are too many combinations of %lld out of %lld",
            (long long)r, (long long)t->numel);
    return NULL;
  }
  // Without a row the result comes of |self| all the same: it has a history.
  return take_places(self, count, r, with_replacement);
}

// ---------------------------------------------------------------------- blocks

static oy_status put_blocks(oy_object* whole, oy_tensors tensors) {
  int64_t at[2] = {0, 0}, size[2];
  for (size_t i = 0; i < tensors.size; i++) {
    OY_TRY(oyi_block_size(tensors.data[i], i, &size[0], &size[1]));
    oy_object* rows =
        oyi_call_slice_Tensor(whole, 0, oy_int(at[0]), oy_int(at[0] + size[0]), 1);
    oy_object* block =
        oyi_call_slice_Tensor(rows, 1, oy_int(at[1]), oy_int(at[1] + size[1]), 1);
    oy_object* done = oyi_call_copy_(block, tensors.data[i], false);
    oy_tensor_release(block);
    oy_tensor_release(rows);
    if (!done) return oy_failure();
    at[0] += size[0];
    at[1] += size[1];
  }
  return OY_OK;
}

OYI_COMPOSITE(block_diag) {
  int64_t sizes[2] = {0, 0}, one[2];
  oy_dtype dtype;
  if (tensors.size == 0)
    return oyi_call_empty_memory_format(OY_DIMS(1, 0), oy_none(), oy_none(), oy_none(),
                                        oy_none(), oy_none());
  for (size_t i = 0; i < tensors.size; i++) {
    if (oyi_block_size(tensors.data[i], i, &one[0], &one[1]) != 0) return NULL;
    for (int k = 0; k < 2; k++)
      if (__builtin_add_overflow(sizes[k], one[k], &sizes[k])) {
        OY_FAIL(INVALID_ARGUMENT, "torch.block_diag: the sum of sizes overflows");
        return NULL;
      }
  }
  if (oy_result_type(tensors.data, tensors.size, &dtype) != 0) return NULL;
  oy_device device = oyi_tensor_device(oyi_tensor_cast(tensors.data[0]));
  oy_object* whole = oyi_call_zeros((oy_ints){sizes, 2}, oy_int(dtype), oy_none(),
                                    oy_value_device(device), oy_none());
  if (!whole || put_blocks(whole, tensors) == 0) return whole;
  oy_tensor_release(whole);
  return NULL;
}
OYI_STORED(block_diag_out, block_diag)

// ------------------------------------------------------------------- Kronecker

// |t| with a dimension of size 1 before or after each of |n|, its own at the end.
static oy_object* interleaved(const oyi_tensor* t, size_t n, bool first) {
  int64_t sizes[2 * OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < n; i++) {
    size_t lead = n - t->ndim;
    int64_t size = i < lead ? 1 : t->sizes[i - lead];
    sizes[2 * i] = first ? size : 1;
    sizes[2 * i + 1] = first ? 1 : size;
  }
  return oyi_call_reshape(oyi_tensor_object(t), (oy_ints){sizes, 2 * n});
}

// A copy of |t|, which it takes, with |size| elements in place of one along |dim|.
static oy_object* spread(oy_object* t, size_t dim, int64_t size) {
  const oyi_tensor* made = oyi_tensor_of(t);
  if (!made) return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < made->ndim; i++) sizes[i] = made->sizes[i];
  sizes[dim] = size;
  oy_object* wide = oyi_call_expand(t, (oy_ints){sizes, made->ndim}, false);
  oy_object* result = wide ? oyi_call_contiguous(wide, OY_MEMORY_CONTIGUOUS) : NULL;
  oy_tensor_release(wide);
  oy_tensor_release(t);
  return result;
}

// Whether rows of |b| are so short that each would cost more than its products, and copies
// of both, as long as rows of the result, are small beside it.
static bool has_short_rows(const oyi_tensor* a, const oyi_tensor* b) {
  enum { SHORT = 128, MANY = 8 };
  if (a->ndim == 0 || a->ndim != b->ndim || a->numel == 0 || b->numel == 0) return false;
  // What lies in another way gives its order to the result.
  if (!(a->flags & b->flags & OYI_CONTIGUOUS)) return false;
  const int64_t last = b->sizes[b->ndim - 1];
  return last < SHORT && b->numel / last >= MANY &&
         a->numel / a->sizes[a->ndim - 1] >= MANY;
}

OYI_COMPOSITE(kron) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  if (!b) return NULL;
  size_t n = a->ndim > b->ndim ? a->ndim : b->ndim;
  oy_object* x = interleaved(a, n, true);
  oy_object* y = x ? interleaved(b, n, false) : NULL;
  if (y && has_short_rows(a, b)) {
    x = spread(x, 2 * n - 1, b->sizes[n - 1]);
    y = spread(y, 2 * n - 2, a->sizes[n - 1]);
  }
  oy_object* product = oyi_call_mul_Tensor(x, y);
  oy_tensor_release(x);
  oy_tensor_release(y);
  const oyi_tensor* p = oyi_tensor_of(product);
  if (!p) return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < n; i++) sizes[i] = p->sizes[2 * i] * p->sizes[2 * i + 1];
  oy_object* result = oyi_call_reshape(product, (oy_ints){sizes, n});
  oy_tensor_release(product);
  return result;
}
OYI_COMPOSITE(kron_out) {
  return oyi_into_out(oyi_call_kron(self, other), out);
}

// --------------------------------------------------------------------- complex

// The dtype of a complex number with such parts, by way of an error if there is none.
static oy_status complex_of(oy_object* real, oy_object* imag, oy_dtype* out) {
  oy_dtype a = real->dtype, b = imag->dtype;
  *out = a == OY_DTYPE_F32   ? OY_DTYPE_C64
         : a == OY_DTYPE_F64 ? OY_DTYPE_C128
                             : OY_DTYPE_C32;
  bool floats = (a == OY_DTYPE_F16 || a == OY_DTYPE_F32 || a == OY_DTYPE_F64) &&
                (b == OY_DTYPE_F16 || b == OY_DTYPE_F32 || b == OY_DTYPE_F64);
  OY_CHECK(floats, TYPE_MISMATCH,
           "Expected both inputs to be Half, Float or Double tensors but got %s and %s",
           oy_dtype_pytorch_name(a), oy_dtype_pytorch_name(b));
  OY_CHECK(a == b, TYPE_MISMATCH,
           "Expected object of scalar type %s but got scalar type %s for second argument",
           oy_dtype_pytorch_name(a), oy_dtype_pytorch_name(b));
  return OY_OK;
}

static oy_object* empty_complex(oy_object* real, oy_object* imag) {
  oy_dtype dtype;
  const oyi_tensor* a = oyi_tensor_of(real);
  if (!a || !oyi_tensor_of(imag) || complex_of(real, imag, &dtype) != 0) return NULL;
  return oyi_call_empty_memory_format(OY_DIMS(0), oy_int(dtype), oy_none(),
                                      oy_value_device(oyi_tensor_device(a)), oy_none(),
                                      oy_none());
}

OYI_COMPOSITE(complex) {
  oy_object* made = empty_complex(real, imag);
  OYI_MADE(made, oyi_call_complex_out(real, imag, made));
}
OYI_COMPOSITE(polar) {
  oy_object* made = empty_complex(abs, angle);
  OYI_MADE(made, oyi_call_polar_out(abs, angle, made));
}
