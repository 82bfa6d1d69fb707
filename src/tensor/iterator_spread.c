// SPDX-License-Identifier: Apache-2.0
// A short way for operands of one dtype that lie on the CPU as new tensors do, each in a shape
// of its own: a bias, a row and a column, a number. One pass from the last dimension on finds
// the shape, the steps and which dimensions are one.
#include "tensor/iterator_spread.h"

enum { MOST = OYI_INLINE_DIMS };

// What is found along the way. Operand 0 is the output.
typedef struct spread {
  const oyi_tensor* in[2];
  int64_t
      whole[OYI_ITER_MAX];  // bytes of all dimensions so far, which are the next stride
  int64_t shape[MOST];
  size_t ndim;
  int count;
} spread;

static inline bool is_plain(const oyi_tensor* t, oy_dtype dtype) {
  return t->header.dtype == dtype && t->backend == OY_BACKEND_CPU &&
         !(t->header.flags & OY_OBJECT_WRAPPED_NUMBER) && oyi_data(t) && t->numel > 0 &&
         t->ndim <= MOST && (t->flags & OYI_CONTIGUOUS);
}

// Nothing is converted, whatever the shapes are.
static bool keeps_dtype(oy_dtype dtype, unsigned flags) {
  const unsigned others = OYI_ITER_MASK | OYI_ITER_REAL_OUTPUT | OYI_ITER_KEEP_DTYPES;
  return !(flags & others) &&
         (!(flags & OYI_ITER_INT_TO_FLOAT) || !oy_dtype_is_integral(dtype, true));
}

// The size of dimension |d|, counted from the last, in all of them; 0 if they do not fit, or
// one has strides that a new tensor would not have.
static inline int64_t join_size(const spread* s, size_t d, int64_t item) {
  int64_t joined = 1;
  for (int k = 1; k < s->count; k++) {
    const oyi_tensor* t = s->in[k - 1];
    if (d >= t->ndim) continue;
    const size_t i = t->ndim - 1 - d;
    const int64_t size = t->sizes[i];
    if (oyi_strides(t)[i] * item != s->whole[k]) return 0;
    if (size == 1 || size == joined) continue;
    if (joined != 1) return 0;
    joined = size;
  }
  return joined;
}

// Adds a dimension of |size| to the walk, or lengthens the last one.
static inline void add_dim(oyi_iter* it, spread* s, size_t d, int64_t size) {
  int64_t step[OYI_ITER_MAX];
  bool goes_on = it->ndim > 0;
  for (int k = 0; k < s->count; k++) {
    const oyi_tensor* t = k ? s->in[k - 1] : NULL;
    const bool has = !t || (d < t->ndim && t->sizes[t->ndim - 1 - d] != 1);
    step[k] = has ? s->whole[k] : 0;
    if (has) s->whole[k] *= size;
    goes_on =
        goes_on && step[k] == it->strides[it->ndim - 1][k] * it->sizes[it->ndim - 1];
  }
  if (goes_on) {
    it->sizes[it->ndim - 1] *= size;
    return;
  }
  it->sizes[it->ndim] = size;
  for (int k = 0; k < s->count; k++) it->strides[it->ndim][k] = step[k];
  it->ndim++;
}

// Shape and walk; false if it is not as simple.
static bool find_walk(oyi_iter* it, spread* s, int64_t item, int64_t out_item) {
  s->ndim = 0;
  for (int k = 1; k < s->count; k++) {
    s->whole[k] = item;
    if (s->in[k - 1]->ndim > s->ndim) s->ndim = s->in[k - 1]->ndim;
  }
  s->whole[0] = out_item;
  it->ndim = 0;
  for (size_t d = 0; d < s->ndim; d++) {
    const int64_t size = join_size(s, d, item);
    if (size == 0) return false;
    s->shape[s->ndim - 1 - d] = size;
    if (size != 1) add_dim(it, s, d, size);
  }
  if (it->ndim > 0) return true;
  it->ndim = 1;
  it->sizes[0] = 1;
  for (int k = 0; k < s->count; k++) it->strides[0][k] = s->whole[k];
  return true;
}

// An output that is there lies apart from all inputs, or is the first.
static bool fits_output(const spread* s, const oyi_tensor* out, oy_dtype result) {
  if (!is_plain(out, result) ||
      !oyi_same_sizes(oyi_sizes_view(out), (oy_ints){s->shape, s->ndim}))
    return false;
  for (int k = 1; k < s->count; k++)
    if (out->storage == s->in[k - 1]->storage && !(k == 1 && out == s->in[0]))
      return false;
  return true;
}

oyi_spread_status oyi_iter_spread(oyi_iter* it, oy_object* out, oy_object* const* inputs,
                                  int n, unsigned flags) {
  spread s = {.count = n + 1};
  if (n > 2 || !oyi_is_tensor(inputs[0])) return OYI_SPREAD_OTHER;
  const oy_dtype dtype = inputs[0]->dtype;
  if (!keeps_dtype(dtype, flags) || (out && !oyi_is_tensor(out))) return OYI_SPREAD_OTHER;
  for (int k = 0; k < n; k++) {
    s.in[k] = oyi_tensor_cast(inputs[k]);
    if (!oyi_is_tensor(inputs[k]) || !is_plain(s.in[k], dtype)) return OYI_SPREAD_OTHER;
  }
  const oy_dtype result = flags & OYI_ITER_BOOL_OUTPUT ? OY_DTYPE_BOOL : dtype;
  oyi_tensor* o = out ? oyi_tensor_cast(out) : NULL;
  if (!find_walk(it, &s, oyi_dtype_bytes[dtype], oyi_dtype_bytes[result]) ||
      (o && !fits_output(&s, o, result)))
    return OYI_SPREAD_OTHER;
  it->made = !o;
  if (!o) o = oyi_tensor_new((oy_ints){s.shape, s.ndim}, result, oy_device_cpu());
  if (!o) return OYI_SPREAD_FAILED;
  it->count = s.count;
  it->dtype = dtype;
  it->temporary = 0;
  it->output = o;
  it->runs = true;
  for (int k = 0; k < s.count; k++) {
    it->tensors[k] = k ? (oyi_tensor*)(uintptr_t)s.in[k - 1] : o;
    it->data[k] = oyi_data(it->tensors[k]);
  }
  return OYI_SPREAD_DONE;
}
