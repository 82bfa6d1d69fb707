// SPDX-License-Identifier: Apache-2.0
// Sequences of several lengths: padded to the longest, or packed, step after step, each with
// the rows of the sequences that go on so far.
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rnn.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"

// |t|, which it takes over, with |before| and |after| slices of |value| along dimension 0.
static oy_object* padded(oy_object* t, int64_t before, int64_t after, oy_scalar value) {
  if (!t || (before == 0 && after == 0)) return t;
  int64_t pad[2 * OY_TENSOR_MAX_DIMS] = {0};
  const size_t n = 2 * (size_t)oy_tensor_ndim(t);
  oy_object* made = NULL;
  if (n > 0) {
    pad[n - 2] = before;
    pad[n - 1] = after;
    made = oyi_call_constant_pad_nd(t, (oy_ints){pad, n}, value);
  } else {
    OY_FAIL(INVALID_ARGUMENT, "expected a sequence, got a tensor without dimensions");
  }
  oy_tensor_release(t);
  return made;
}

static oy_object* turned(oy_object* o, bool turn) {
  if (!o || !turn) return o;
  oy_object* view = oyi_call_transpose_int(o, 0, 1);
  oy_tensor_release(o);
  return view;
}

// ------------------------------------------------------------------------ packing

static oy_status check_lengths(const oyi_tensor* t, oy_ints lengths) {
  const int64_t batch = t->sizes[1];
  OY_CHECK((int64_t)lengths.size == batch, INVALID_ARGUMENT,
           "Expected `len(lengths)` to be equal to batch_size, but got %zu "
           "(batch_size=%lld)",
           lengths.size, (long long)batch);
  OY_CHECK(batch > 0 && lengths.data, INVALID_ARGUMENT, "Cannot pack empty tensors.");
  OY_CHECK(lengths.data[batch - 1] > 0, INVALID_ARGUMENT,
           "Length of all samples has to be greater than 0, but found an element in "
           "'lengths' that is <= 0");
  for (size_t i = 1; i < lengths.size; i++)
    OY_CHECK(
        lengths.data[i] <= lengths.data[i - 1], INVALID_ARGUMENT,
        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is "
        "True. You can pass `enforce_sorted=False` to pack_padded_sequence and/or "
        "pack_sequence to sidestep this requirement if you do not need ONNX "
        "exportability.");
  OY_CHECK(lengths.data[0] <= t->sizes[0], INVALID_ARGUMENT,
           "Expected `lengths` to be at most the number of steps, %lld, but got %lld",
           (long long)t->sizes[0], (long long)lengths.data[0]);
  return OY_OK;
}

// Steps |from| to |to| of the first |batch| sequences, a row for each.
static oy_object* rows_of(const oyi_tensor* t, int64_t from, int64_t to, int64_t batch) {
  int64_t sizes[OY_TENSOR_MAX_DIMS] = {-1};
  for (size_t d = 2; d < t->ndim; d++) sizes[d - 1] = t->sizes[d];
  sizes[0] = (to - from) * batch;
  oy_object* some = oyi_call_narrow(oyi_tensor_object(t), 0, from, to - from);
  oy_object* part = some ? oyi_call_narrow(some, 1, 0, batch) : NULL;
  oy_object* rows =
      part ? oyi_call_reshape(part, (oy_ints){sizes, (size_t)t->ndim - 1}) : NULL;
  oy_tensor_release(some);
  oy_tensor_release(part);
  return rows;
}

// All rows, and |sizes|: how many sequences each step has.
static oy_object* pack(const oyi_tensor* t, oy_ints lengths, int64_t* sizes) {
  oy_object **items, *result = NULL;
  oy_value list;
  if (oyi_list_new(lengths.size, &list, &items) != OY_OK) return NULL;
  size_t count = 0;
  int64_t step = 0;
  bool good = true;
  // From the shortest on: until it ends, all steps have all that are left.
  for (size_t batch = lengths.size; good && batch > 0; batch--) {
    // NOLINT: check_lengths() saw that there are some
    const int64_t end = lengths.data[batch - 1];
    if (end == step) continue;
    good = oyi_list_put(items, count++, rows_of(t, step, end, (int64_t)batch));
    for (; step < end; step++) sizes[step] = (int64_t)batch;
  }
  if (good) result = oyi_call_cat((oy_tensors){list.as.tensors, count}, 0);
  oy_value_release(&list);
  return result;
}

static oy_status pack_turned(oy_object* input, oy_ints lengths, oy_object** out_data,
                             oy_object** out_sizes) {
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t) return oy_failure();
  OY_CHECK(t->numel > 0 && t->ndim >= 2, INVALID_ARGUMENT, "Cannot pack empty tensors.");
  OY_TRY(check_lengths(t, lengths));
  oyi_tensor* sizes =
      oyi_tensor_new((oy_ints){lengths.data, 1}, OY_DTYPE_I64, oy_device_cpu());
  oy_object* data = sizes ? pack(t, lengths, oyi_data(sizes)) : NULL;
  if (!data) {
    oy_tensor_release(oyi_tensor_object(sizes));
    return oy_failure();
  }
  *out_data = data;
  *out_sizes = &sizes->header;
  return OY_OK;
}

OYI_COMPOSITE(_pack_padded_sequence) {
  *out_0 = *out_1 = NULL;
  const oyi_tensor* l = oyi_tensor_of(lengths);
  if (!l || !oyi_tensor_of(input)) return oy_failure();
  OY_CHECK(l->header.dtype == OY_DTYPE_I64 && l->backend == OY_BACKEND_CPU &&
               l->ndim == 1 && (l->numel == 0 || oyi_data(l)),
           INVALID_ARGUMENT,
           "'lengths' argument should be a 1D CPU int64 tensor, but got %uD %s %s tensor",
           l->ndim, oy_backend_name(l->backend), oy_dtype_pytorch_name(l->header.dtype));
  // Not by a call, which a mode may answer with a tensor without data.
  const oyi_tensor* f = oyi_converted(l, OY_DTYPE_I64);
  oy_object* steps = f ? turned(oy_tensor_retain(input), batch_first) : NULL;
  oy_status status = oy_failure();
  if (steps)
    status = pack_turned(steps, (oy_ints){oyi_data(f), (size_t)f->numel}, out_0, out_1);
  oy_tensor_release(steps);
  oy_tensor_release(oyi_tensor_object(f));
  return status;
}
OYI_COMPOSITE(_pack_padded_sequence_out) {
  oy_object *data, *sizes;
  OY_TRY(oyi_call__pack_padded_sequence(input, lengths, batch_first, &data, &sizes));
  bool good = oyi_stored(out0, data) != NULL;
  good = oyi_stored(out1, sizes) && good;
  if (!good) return oy_failure();
  *out_0 = out0;
  *out_1 = out1;
  return OY_OK;
}

// ---------------------------------------------------------------------- unpacking

// The steps of |data|, each padded to |batch| rows, as [steps, batch, ...] with |more|
// steps of padding.
static oy_object* unpacked(oy_object* data, oy_ints sizes, int64_t batch, int64_t more,
                           oy_scalar value) {
  oy_value list = oy_none();
  if (oyi_call_split_with_sizes(data, sizes, 0, &list) != OY_OK) return NULL;
  oy_object** items = (oy_object**)(uintptr_t)list.as.tensors;
  bool good = true;
  for (size_t i = 0; good && i < list.count; i++)
    good = oyi_list_put(items, i, padded(items[i], 0, batch - sizes.data[i], value));
  oy_object* all = good ? oyi_call_stack(oyi_list_tensors(list), 0) : NULL;
  oy_value_release(&list);
  return padded(all, 0, more, value);
}

OYI_COMPOSITE(_pack_padded_sequence_backward) {
  oy_object *held, *made = NULL;
  oy_ints sizes;
  oy_status status = oyi_rnn_batch_sizes(batch_sizes, &held, &sizes);
  if (status == OY_OK && input_size.size < 2)
    status = OY_FAIL(INVALID_ARGUMENT, "expected a size of two dimensions, got %zu",
                     input_size.size);
  if (status == OY_OK) {
    const int64_t steps = input_size.data[batch_first ? 1 : 0];
    const int64_t batch = input_size.data[batch_first ? 0 : 1];
    if (steps < (int64_t)sizes.size || batch < sizes.data[0])
      OY_FAIL(INVALID_ARGUMENT,
              "batch_sizes has %lld steps of %lld sequences, the size %s",
              (long long)sizes.size, (long long)sizes.data[0],
              oyi_dims_print(input_size).text);
    else
      made = turned(unpacked(grad, sizes, batch, steps - (int64_t)sizes.size, oy_int(0)),
                    batch_first);
  }
  oy_tensor_release(held);
  return made;
}

// How many steps each sequence goes on.
static oy_object* lengths_of(oy_ints sizes) {
  oyi_tensor* made =
      oyi_tensor_new((oy_ints){sizes.data, 1}, OY_DTYPE_I64, oy_device_cpu());
  int64_t* lengths = made ? oyi_data(made) : NULL;
  size_t step = sizes.size;
  for (int64_t i = 0; made && i < sizes.data[0]; i++) {
    while (sizes.data[step - 1] <= i) step--;
    lengths[i] = (int64_t)step;
  }
  return oyi_tensor_object(made);
}

OYI_COMPOSITE(_pad_packed_sequence) {
  *out_0 = *out_1 = NULL;
  oy_object* held;
  oy_ints sizes;
  oy_status status = oyi_rnn_batch_sizes(batch_sizes, &held, &sizes);
  int64_t more = 0;
  if (status == OY_OK && total_length > 0) {
    more = total_length - (int64_t)sizes.size;
    if (more < 0)
      status = OY_FAIL(INVALID_ARGUMENT,
                       "Expected total_length to be at least the length of the longest "
                       "sequence in input, but got total_length=%lld and max sequence "
                       "length being %zu",
                       (long long)total_length, sizes.size);
  }
  if (status == OY_OK) {
    oy_object* all = unpacked(data, sizes, sizes.data[0], more, padding_value);
    *out_0 = turned(all, batch_first);
    *out_1 = *out_0 ? lengths_of(sizes) : NULL;
    if (!*out_1) {
      oy_tensor_release(*out_0);
      *out_0 = NULL;
      status = oy_failure();
    }
  }
  oy_tensor_release(held);
  return status;
}

// -------------------------------------------------------------------- pad_sequence

static bool longest(oy_tensors sequences, int64_t* out_steps) {
  *out_steps = 0;
  if (sequences.size == 0)
    OY_FAIL(INVALID_ARGUMENT, "received an empty list of sequences");
  for (size_t i = 0; i < sequences.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(sequences.data[i]);
    if (!t) return false;
    if (t->ndim == 0) {
      OY_FAIL(INVALID_ARGUMENT, "expected sequences, got a tensor without dimensions");
      return false;
    }
    if (t->sizes[0] > *out_steps) *out_steps = t->sizes[0];
  }
  return sequences.size > 0;
}

OYI_COMPOSITE(pad_sequence) {
  const bool left = oy_str_equal(padding_side, oy_str_of("left"));
  if (!left && !oy_str_equal(padding_side, oy_str_of("right"))) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected padding_side to be one of left or right, but got %.*s",
            OY_STR_ARG(padding_side));
    return NULL;
  }
  int64_t steps;
  oy_object **items, *made = NULL;
  oy_value list;
  if (!longest(sequences, &steps) || oyi_list_new(sequences.size, &list, &items) != OY_OK)
    return NULL;
  bool good = true;
  for (size_t i = 0; good && i < sequences.size; i++) {
    oy_object* one = oy_tensor_retain(sequences.data[i]);
    const int64_t lacks = steps - oyi_tensor_cast(one)->sizes[0];
    good = oyi_list_put(
        items, i,
        padded(one, left ? lacks : 0, left ? 0 : lacks, oy_float(padding_value)));
  }
  if (good) made = oyi_call_stack(oyi_list_tensors(list), batch_first ? 0 : 1);
  oy_value_release(&list);
  return made;
}
