// SPDX-License-Identifier: Apache-2.0
// BackendSelect kernels: they turn the |device| argument of a factory into a key, which
// no tensor argument could.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "opyard/tensor.h"

// The key of the backend that a factory's options ask for (reference, 6.7).
static oy_status select_keys(oy_value dtype, oy_value layout, oy_value device,
                             oy_keyset* out_keys) {
  oy_key key;
  oy_backend backend =
      device.tag == OY_TAG_NONE ? OY_BACKEND_CPU : device.as.device.backend;
  oy_layout kind = layout.tag == OY_TAG_NONE ? OY_LAYOUT_STRIDED : (oy_layout)layout.as.i;
  bool quantized = dtype.tag != OY_TAG_NONE && dtype.as.i >= 0 && dtype.as.i < 256 &&
                   oy_dtype_is_quantized((oy_dtype)dtype.as.i);
  // Of the keys of the call only the trace goes on: the layers between are skipped.
  uint64_t trace = out_keys->functionality & 1ull << OY_KEY_TraceRedispatch;
  if (OY_LIKELY(backend == OY_BACKEND_CPU && kind == OY_LAYOUT_STRIDED && !quantized))
    key = OY_KEY_OF(OY_KEY_Dense, OY_BACKEND_CPU);
  else
    OY_TRY(oy_key_of_device(backend, kind, quantized, &key));
  *out_keys = oy_keyset_of(key);
  out_keys->functionality |= trace;
  return OY_OK;
}

#define SELECTED(id)                                                 \
  OYI_BACKENDSELECT(id) {                                            \
    if (select_keys(dtype, layout, device, &keys) != 0) return NULL; \
    return oyi_redispatch_##id(op, keys, OYI_ARGS_##id);             \
  }
// Tensors have a say beside the options, and so have the layers of the call.
#define SELECTED_WITH_TENSORS(id)                                                      \
  OYI_BACKENDSELECT(id) {                                                              \
    oy_keyset below = oy_keyset_and(keys, oy_keyset_full_after(OY_KEY_BackendSelect)); \
    if (select_keys(dtype, layout, device, &keys) != 0) return NULL;                   \
    return oyi_redispatch_##id(op, oy_keyset_or(keys, below), OYI_ARGS_##id);          \
  }
SELECTED(empty_memory_format)
SELECTED(empty_strided)
SELECTED(empty_permuted)
SELECTED(zeros)
SELECTED(_efficientzerotensor)
SELECTED(ones)
SELECTED(full)
SELECTED(scalar_tensor)
SELECTED(arange)
SELECTED(arange_start)
SELECTED(arange_start_step)
SELECTED(range)
SELECTED(range_step)
SELECTED(linspace)
SELECTED_WITH_TENSORS(linspace_Tensor_Tensor)
SELECTED_WITH_TENSORS(linspace_Tensor_Scalar)
SELECTED_WITH_TENSORS(linspace_Scalar_Tensor)
SELECTED(logspace)
SELECTED_WITH_TENSORS(logspace_Tensor_Tensor)
SELECTED_WITH_TENSORS(logspace_Tensor_Scalar)
SELECTED_WITH_TENSORS(logspace_Scalar_Tensor)
SELECTED(eye)
SELECTED(eye_m)
SELECTED(tril_indices)
SELECTED(triu_indices)
SELECTED(rand)
SELECTED(rand_generator)
SELECTED(randn)
SELECTED(randn_generator)
SELECTED(randint)
SELECTED(randint_generator)
SELECTED(randint_low)
SELECTED(randint_low_generator)
SELECTED(randperm)
SELECTED(randperm_generator)
SELECTED(normal_float_float)
SELECTED(fft_fftfreq)
SELECTED(fft_rfftfreq)
SELECTED(bartlett_window)
SELECTED(bartlett_window_periodic)
SELECTED(blackman_window)
SELECTED(blackman_window_periodic)
SELECTED(hann_window)
SELECTED(hann_window_periodic)
SELECTED(hamming_window)
SELECTED(hamming_window_periodic)
SELECTED(hamming_window_periodic_alpha)
SELECTED(hamming_window_periodic_alpha_beta)
SELECTED(kaiser_window)
SELECTED(kaiser_window_periodic)
SELECTED(kaiser_window_beta)
