// SPDX-License-Identifier: Apache-2.0
// Where a device need not do as the CPU does: what is wrong with the values in its memory it
// would have to look for before each call, and a call that does not name it. There are these
// five, and each is as PyTorch has it; how often they were made use of is part of the
// report.
#include "certify.h"

// The argument of that name; NULL if the operator has none.
static const oy_value* argument_of(const certify_sample* s, const char* name) {
  for (size_t i = 0; i < s->schema->argument_count; i++)
    if (oy_str_equal(s->schema->arguments[i].name, oy_str_of(name)))
      return &s->arguments[i];
  return NULL;
}

// "raises RuntimeError for integer division by zero on CPU; Integer division by zero on GPU
// may return any value": https://pytorch.org/docs/stable/generated/torch.fmod.html
static bool is_divided_by_zero(const certify_outcome* got, const certify_outcome* want) {
  return certify_outcome_status(got) == OY_OK &&
         oy_str_equal(certify_outcome_error(want), oy_str_of("ZeroDivisionError"));
}

// A call with two things wrong, an index in memory and a shape or dtype: a device may tell of
// the second, which is seen without memory (the Meta kernel tells of it, too). An index that
// is the one thing wrong has to be told of. So it is in PyTorch: `meta` of a structured kernel
// comes before its `impl` (torchgen/gen.py), and on CUDA an index is found to be bad in the
// kernel alone ("device-side assert", aten/src/ATen/native/cuda/IndexKernel.cu).
static bool is_wrong_in_shape(const certify_sample* s, const certify_outcome* got,
                              const certify_outcome* want) {
  const certify_run run = {oy_device_meta(), false, 0};
  const oy_status status = certify_outcome_status(got);
  certify_outcome meta = {OYI_STRBUF_INIT};
  if (certify_outcome_status(want) != OY_OUT_OF_RANGE || status == OY_OK ||
      status == OY_OUT_OF_RANGE)
    return false;
  const bool same = certify_sample_run(s, &run, &meta) == OY_OK &&
                    certify_outcome_status(&meta) == status;
  certify_outcome_reset(&meta);
  return same;
}

// Of an empty list of tensors there is no device: what is made of it is on the CPU, and goes
// into no output elsewhere ("Expected out tensor to have device", `copy_arg` in
// aten/src/ATen/templates/CompositeViewCopyKernels.cpp).
static bool has_no_device(const certify_sample* s, const certify_outcome* got,
                          const certify_outcome* want) {
  const oy_str said = certify_outcome_error(got);
  const char text[] = "Expected out tensor to have device cpu, but got ";
  if (certify_outcome_status(want) != OY_OK ||
      certify_outcome_status(got) != OY_INVALID_ARGUMENT || said.size < sizeof(text) ||
      memcmp(said.data, text, sizeof(text) - 1) != 0)
    return false;
  for (size_t i = 0; i < s->tensor_count; i++)
    if (!s->tensors[i].is_written) return false;
  return true;
}

// Windows that do not fit once: PyTorch computes max_pool1d without places on the CPU alone,
// where nothing is a result (`max_pool1d` in aten/src/ATen/native/MaxPooling.cpp), and by
// max_pool1d_with_indices elsewhere, which refuses.
static bool has_no_window(const certify_sample* s, const certify_outcome* got,
                          const certify_outcome* want) {
  return certify_outcome_status(want) == OY_OK &&
         certify_outcome_status(got) == OY_INVALID_ARGUMENT &&
         oy_str_equal(oy_op_name_of(s->op), oy_str_of("aten::max_pool1d")) &&
         memmem(certify_outcome_error(got).data, certify_outcome_error(got).size,
                "Output size is too small", 24) != NULL;
}

// The rank that |rcond| leaves is told from estimates on the CPU (LAPACK's gelsy), and from
// singular values elsewhere; PyTorch's devices have no driver that asks for it
// (https://pytorch.org/docs/stable/generated/torch.linalg.lstsq.html).
static bool has_another_rank(const certify_sample* s, const certify_outcome* got,
                             const certify_outcome* want) {
  if (certify_outcome_status(want) != OY_OK || certify_outcome_status(got) != OY_OK ||
      !oy_str_equal(s->schema->name.base, oy_str_of("linalg_lstsq")))
    return false;
  const oy_value* rcond = argument_of(s, "rcond");
  return rcond && rcond->tag == OY_TAG_FLOAT && rcond->as.d > 0;
}

bool certify_is_permitted(const certify_sample* s, const certify_outcome* got,
                          const certify_outcome* want) {
  return is_divided_by_zero(got, want) || is_wrong_in_shape(s, got, want) ||
         has_no_device(s, got, want) || has_no_window(s, got, want) ||
         has_another_rank(s, got, want);
}

// Operators that write what they are given to places they are given: of values for one place
// any may stay, and not the same each time. "If accumulate is False, the behavior is
// undefined if indices contain duplicate elements"
// (https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html; those of
// index_copy_, scatter_ and put_ say so, too); as_strided_scatter has such places where its
// strides overlap.
static const struct {
  const char* name;
  const char* source;  // the argument whose elements are written
} g_unordered[] = {{"index_put", "values"},
                   {"index_put_", "values"},
                   {"_index_put_impl", "values"},
                   {"_index_put_impl_", "values"},
                   {"_unsafe_index_put", "values"},
                   {"index_copy", "source"},
                   {"index_copy_", "source"},
                   {"put", "source"},
                   {"put_", "source"},
                   {"scatter", "src"},
                   {"scatter_", "src"},
                   {"max_unpool2d", "self"},
                   {"max_unpool3d", "self"},
                   {"value_selecting_reduction_backward", "grad"},
                   {"as_strided_scatter", "src"}};

static const oy_value* source_of(const certify_sample* s) {
  for (size_t i = 0; i < sizeof(g_unordered) / sizeof(*g_unordered); i++)
    if (oy_str_equal(s->schema->name.base, oy_str_of(g_unordered[i].name)))
      return argument_of(s, g_unordered[i].source);
  return NULL;
}

bool certify_is_unordered(const certify_sample* s) {
  const oy_value *accumulate = argument_of(s, "accumulate"), *source = source_of(s);
  return source && source->tag == OY_TAG_TENSOR && !(accumulate && accumulate->as.i) &&
         !argument_of(s, "reduce");
}

void certify_sample_level(certify_sample* s) {
  const oy_value* source = source_of(s);
  for (size_t i = 0; source && i < s->tensor_count; i++) {
    oy_tensor* base = s->tensors[i].base;
    char* data = oy_tensor_data(base);
    const size_t size = oy_dtype_size(base->dtype);
    if (s->tensors[i].view != source->as.object || !data) continue;
    for (int64_t k = 1; k < oy_tensor_numel(base); k++)
      memcpy(data + (size_t)k * size, data, size);
  }
}
