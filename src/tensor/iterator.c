// SPDX-License-Identifier: Apache-2.0
// Setting up a walk for an elementwise operator. The order of the checks is
// PyTorch's: overlap, shape, resizing, types and devices, then the output, then
// converted copies. Same-shape contiguous operands of one dtype take a short way
// that reads each header once.
#include "tensor/iterator.h"

#include "base/memory.h"
#include "tensor/broadcast.h"
#include "tensor/element.h"
#include "tensor/iterator_simple.h"
#include "tensor/iterator_spread.h"
#include "tensor/iterator_walk.h"
#include "tensor/promotion.h"

typedef struct setup {
  oyi_iter* it;
  oyi_tensor* out;  // NULL: to be made
  oyi_tensor* in[OYI_ITER_MAX - 1];
  int n;
  unsigned flags;
  int64_t shape[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  oy_dtype result;  // dtype of the values that the loop writes
  oy_device device;
} setup;

// ------------------------------------------------------------- the short way

static inline void set_operand(oyi_iter* it, int k, oyi_tensor* t, int64_t item) {
  it->tensors[k] = t;
  // As a number: an empty tensor may have no memory.
  it->data[k] = (char*)((uintptr_t)t->storage->data + (uintptr_t)t->byte_offset);
  it->strides[0][k] = item;
}

static inline __attribute__((always_inline)) oy_status set_up_simple(
    oyi_iter* it, oy_object* out, oy_object* const* inputs, int n) {
  const oyi_tensor* a = oyi_tensor_cast(inputs[0]);
  it->made = !out;
  oyi_tensor* o = out ? oyi_tensor_cast(out) : oyi_tensor_new_like(a);
  if (OY_UNLIKELY(!o)) return OY_OUT_OF_MEMORY;
  int64_t item = oyi_item(a);
  it->count = n + 1;
  it->dtype = a->header.dtype;
  it->temporary = 0;
  it->output = o;
  it->ndim = 1;
  it->sizes[0] = a->numel;
  it->runs = a->numel > 0;
  set_operand(it, 0, o, item);
  set_operand(it, 1, oyi_tensor_cast(inputs[0]), item);
  if (n == 2) set_operand(it, 2, oyi_tensor_cast(inputs[1]), item);
  return OY_OK;
}

// ----------------------------------------------------------- shape and types

static oy_status broadcast_inputs(setup* s) {
  const oyi_tensor* a = s->in[0];
  // NOLINT: there is at least one input
  s->ndim = a->ndim;
  for (size_t i = 0; i < a->ndim; i++) s->shape[i] = a->sizes[i];
  for (int k = 1; k < s->n; k++) {
    int64_t joined[OY_TENSOR_MAX_DIMS];
    size_t ndim;
    OY_TRY(oyi_broadcast((oy_ints){s->shape, s->ndim}, oyi_sizes_view(s->in[k]), joined,
                         &ndim));
    memcpy(s->shape, joined, ndim * sizeof(int64_t));
    s->ndim = ndim;
  }
  return OY_OK;
}

// The first device that is not the CPU, or the CPU. One 0-d CPU input may go
// with another device.
static oy_status common_device(setup* s) {
  oy_device device = oy_device_cpu();
  for (int k = 0; k <= s->n; k++) {
    const oyi_tensor* t = k ? s->in[k - 1] : s->out;
    if (!t || t->backend == OY_BACKEND_CPU) continue;
    device = oyi_tensor_device(t);
    break;
  }
  int cpu_scalars = 0;
  for (int k = 0; k <= s->n; k++) {
    const oyi_tensor* t = k ? s->in[k - 1] : s->out;
    if (!t || t->backend == device.backend) {
      if (t && t->device_index != device.index && device.backend != OY_BACKEND_CPU)
        return oyi_device_mismatch(device, oyi_tensor_device(t));
      continue;
    }
    if (k == 0 || t->ndim > 0 || t->backend != OY_BACKEND_CPU)
      return oyi_device_mismatch(device, oyi_tensor_device(t));
    // A number is no tensor of the CPU, though it is made one here.
    if (t->header.flags & OY_OBJECT_WRAPPED_NUMBER) continue;
    OY_CHECK(++cpu_scalars < 2, INVALID_ARGUMENT,
             "Trying to pass too many CPU scalars to non-CPU kernel!");
  }
  s->device = device;
  return OY_OK;
}

static oy_status common_dtype(setup* s) {
  int first = s->flags & OYI_ITER_MASK ? 1 : 0;
  oy_dtype d = s->in[first]->header.dtype;
  // A number alone has nothing to be promoted with, and keeps its dtype.
  if (!(s->flags & OYI_ITER_KEEP_DTYPES) && s->n > first + 1) {
    bool mixed = false;
    for (int k = first; k < s->n; k++)
      mixed = mixed || s->in[k]->header.dtype != d ||
              (s->in[k]->header.flags & OY_OBJECT_WRAPPED_NUMBER);
    if (mixed) {
      oyi_result_state state = OYI_RESULT_STATE_INIT;
      for (int k = first; k < s->n; k++) OY_TRY(oyi_result_add(&state, s->in[k]));
      OY_TRY(oyi_result_finish(&state, &d));
    }
  }
  if ((s->flags & OYI_ITER_INT_TO_FLOAT) && oy_dtype_is_integral(d, true))
    d = oy_dtype_default();
  s->it->dtype = d;
  s->result = s->flags & OYI_ITER_BOOL_OUTPUT   ? OY_DTYPE_BOOL
              : s->flags & OYI_ITER_REAL_OUTPUT ? oyi_real_dtype(d)
                                                : d;
  return OY_OK;
}

// ------------------------------------------------------------------- output

// An output that is an input too keeps its shape.
static bool is_written_in_place(const setup* s) {
  bool same = (s->flags & OYI_ITER_INPLACE) != 0;
  for (int k = 0; k < s->n; k++) same = same || s->in[k] == s->out;
  return same;
}

static oy_status check_output_shape(const setup* s) {
  if (!is_written_in_place(s)) return OY_OK;
  return oyi_broadcast_check(oyi_sizes_view(s->out), (oy_ints){s->shape, s->ndim});
}

// An input that is converted counts with the layout of its copy, as on PyTorch's CPU. A
// stand-in without memory for it, where that is another layout than its own.
static oy_status converted_layout(const setup* s, int k, oyi_tensor** out) {
  const oyi_tensor* t = s->in[k];
  *out = NULL;
  bool converts =
      t->header.dtype != s->it->dtype && s->device.backend == OY_BACKEND_CPU &&
      !(s->flags & OYI_ITER_KEEP_DTYPES) && !(k == 0 && (s->flags & OYI_ITER_MASK));
  if (!converts || t->ndim == 0 || (t->flags & OYI_DENSE)) return OY_OK;
  int64_t strides[OY_TENSOR_MAX_DIMS];
  oyi_dense_strides(t, strides);
  *out = oyi_tensor_new_strided(oyi_sizes_view(t), (oy_ints){strides, t->ndim},
                                t->header.dtype, oy_device_meta());
  return *out ? OY_OK : OY_OUT_OF_MEMORY;
}

static oy_status output_layout(const setup* s, oy_ints sizes, int64_t* out_strides,
                               bool* out_contiguous) {
  const oyi_tensor* in[OYI_ITER_MAX - 1];
  oyi_tensor* made[OYI_ITER_MAX - 1];
  oy_status status = OY_OK;
  int n = 0;
  for (; n < s->n && status == OY_OK; n++) {
    status = converted_layout(s, n, &made[n]);
    in[n] = made[n] ? made[n] : s->in[n];
  }
  if (status == OY_OK) *out_contiguous = oyi_output_layout(in, n, sizes, out_strides);
  for (int k = 0; k < n; k++)
    if (made[k]) oy_tensor_release(&made[k]->header);
  return status;
}

// Makes the output, or gives the one that is there its shape. New and resized ones take
// the layout of the inputs.
static oy_status settle_output(setup* s) {
  oy_ints sizes = {s->shape, s->ndim};
  int64_t strides[OY_TENSOR_MAX_DIMS];
  oyi_iter* it = s->it;
  it->made = !s->out;
  it->output = s->out;
  if (s->out && oyi_same_sizes(oyi_sizes_view(s->out), sizes)) return OY_OK;
  bool contiguous = true;
  OY_TRY(output_layout(s, sizes, strides, &contiguous));
  oy_ints layout = {strides, s->ndim};
  if (s->out) return oyi_output_resize(s->out, sizes, contiguous ? NULL : &layout);
  it->output = contiguous ? oyi_tensor_new(sizes, s->result, s->device)
                          : oyi_tensor_new_strided(sizes, layout, s->result, s->device);
  return it->output ? OY_OK : oy_failure();
}

// ----------------------------------------------------------------- operands

static void release_temporaries(oyi_iter* it) {
  for (int k = 0; k < it->count; k++)
    if (it->temporary >> k & 1) oy_tensor_release(oyi_tensor_object(it->tensors[k]));
  it->temporary = 0;
}

// A tensor of another dtype whose dimensions lie in the order of those of |t|, as those of the
// other operands probably do.
static oyi_tensor* new_as_it_lies(const oyi_tensor* t, oy_dtype dtype, oy_device device) {
  int64_t strides[OY_TENSOR_MAX_DIMS];
  if (t->flags & OYI_CONTIGUOUS) return oyi_tensor_new(oyi_sizes_view(t), dtype, device);
  oyi_dense_strides(t, strides);
  return oyi_tensor_new_strided(oyi_sizes_view(t), (oy_ints){strides, t->ndim}, dtype,
                                device);
}
static oyi_tensor* converted(const oyi_tensor* t, oy_dtype dtype) {
  if (!oyi_data(t)) return oyi_converted(t, dtype);
  oyi_tensor* copy = new_as_it_lies(t, dtype, oyi_tensor_device(t));
  if (copy) oyi_convert(copy, t);
  return copy;
}

// Inputs of another dtype become converted copies; an output that cannot take
// the values as they are computed gets a stand-in.
static oy_status make_temporaries(setup* s) {
  oyi_iter* it = s->it;
  it->tensors[0] = it->output;
  for (int k = 0; k < s->n; k++) it->tensors[k + 1] = s->in[k];
  if (!it->runs || (s->flags & OYI_ITER_KEEP_DTYPES)) return OY_OK;
  for (int k = 0; k <= s->n; k++) {
    oyi_tensor* t = it->tensors[k];
    oy_dtype want = k ? it->dtype : s->result;
    if (t->header.dtype == want || (k == 1 && (s->flags & OYI_ITER_MASK))) continue;
    oyi_tensor* copy = k ? converted(t, want) : new_as_it_lies(t, want, s->device);
    if (!copy) {
      release_temporaries(it);
      return OY_OUT_OF_MEMORY;
    }
    it->tensors[k] = copy;
    it->temporary |= (uint8_t)(1u << k);
  }
  return OY_OK;
}

// A CPU tensor that has elements and no memory is a stand-in: its own backend
// would have to compute with it.
static oy_status check_memory(const setup* s) {
  if (s->device.backend != OY_BACKEND_CPU) return OY_OK;
  for (int k = 0; k <= s->n; k++) {
    const oyi_tensor* t = k ? s->in[k - 1] : s->out;
    OY_CHECK(!t || t->numel == 0 || oyi_data(t), NOT_IMPLEMENTED,
             "a CPU kernel was given a tensor without data");
  }
  return OY_OK;
}

static oy_status check_output_dtype(const setup* s) {
  if (!s->out || (s->flags & OYI_ITER_KEEP_DTYPES)) return OY_OK;
  const oy_dtype have = s->out->header.dtype;
  OY_CHECK(!(s->flags & OYI_ITER_SAME_DTYPE) || have == s->result, TYPE_MISMATCH,
           "Found dtype %s but expected %s", oy_dtype_pytorch_name(have),
           oy_dtype_pytorch_name(s->result));
  return oyi_output_check_dtype(s->out, s->result);
}

static oy_status set_up_general(setup* s) {
  oyi_iter* it = s->it;
  if (s->out)
    OY_TRY(oyi_output_check_overlap(s->out, (const oyi_tensor* const*)s->in, s->n));
  OY_TRY(broadcast_inputs(s));
  if (s->out) OY_TRY(check_output_shape(s));
  OY_TRY(common_device(s));
  OY_TRY(common_dtype(s));
  OY_TRY(check_output_dtype(s));
  OY_TRY(check_memory(s));
  OY_TRY(settle_output(s));
  it->count = s->n + 1;
  it->temporary = 0;
  it->runs = s->device.backend == OY_BACKEND_CPU && it->output->numel > 0;
  oy_status status = make_temporaries(s);
  if (status != 0) {
    if (it->made) oy_tensor_release(oyi_tensor_object(it->output));
    return status;
  }
  if (it->runs) oyi_iter_operands(it, (oy_ints){s->shape, s->ndim}, false);
  return OY_OK;
}

static __attribute__((noinline)) oy_status general(oyi_iter* it, oy_object* out,
                                                   oy_object* const* inputs,
                                                   int input_count, unsigned flags) {
  setup s;
  s.it = it;
  s.n = input_count;
  s.flags = flags;
  s.out = NULL;
  s.in[0] = NULL;  // there is always one; compilers cannot know
  if (out && !(s.out = oyi_tensor_of(out))) return oy_failure();
  for (int k = 0; k < input_count; k++)
    if (!(s.in[k] = oyi_tensor_of(inputs[k]))) return oy_failure();
  return set_up_general(&s);
}

static __attribute__((noinline)) oy_status spread_or_general(oyi_iter* it, oy_object* out,
                                                             oy_object* const* inputs,
                                                             int n, unsigned flags) {
  const oyi_spread_status status = oyi_iter_spread(it, out, inputs, n, flags);
  if (status == OYI_SPREAD_OTHER) return general(it, out, inputs, n, flags);
  return status == OYI_SPREAD_DONE ? OY_OK : oy_failure();
}

oy_status oyi_iter_elementwise(oyi_iter* it, oy_object* out, oy_object* const* inputs,
                               int input_count, unsigned flags) {
  if (input_count == 2 && oyi_is_simple(out, inputs, 2, flags))
    return set_up_simple(it, out, inputs, 2);
  if (input_count == 1 && oyi_is_simple(out, inputs, 1, flags))
    return set_up_simple(it, out, inputs, 1);
  return spread_or_general(it, out, inputs, input_count, flags);
}

oy_tensor* oyi_iter_finish_converted(oyi_iter* it) {
  if (it->temporary & 1) oyi_convert(it->output, it->tensors[0]);
  release_temporaries(it);
  return oyi_tensor_object(it->output);
}

void oyi_iter_abandon(oyi_iter* it) {
  release_temporaries(it);
  if (it->made) oy_tensor_release(oyi_tensor_object(it->output));
}
