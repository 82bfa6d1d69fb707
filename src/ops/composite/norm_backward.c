// SPDX-License-Identifier: Apache-2.0
// instance_norm, and the out= forms of the gradients of normalisations.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/out_form.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// Results that were not asked for are None, and their outputs stay as they are.
#define BACKWARD_OUT(id, call)                                                  \
  OYI_COMPOSITE(id) {                                                           \
    oy_object* r[3] = {NULL, NULL, NULL};                                       \
    oy_status status = call;                                                    \
    *out_0 = out0, *out_1 = out1, *out_2 = out2;                                \
    return oyi_into_outs(status, (oy_object* const[]){out0, out1, out2}, r, 3); \
  }
BACKWARD_OUT(native_layer_norm_backward_out,
             oyi_call_native_layer_norm_backward(grad_out, input, normalized_shape, mean,
                                                 rstd, weight, bias, output_mask, &r[0],
                                                 &r[1], &r[2]))
BACKWARD_OUT(native_group_norm_backward_out,
             oyi_call_native_group_norm_backward(grad_out, input, mean, rstd, weight, N,
                                                 C, HxW, group, output_mask, &r[0], &r[1],
                                                 &r[2]))
BACKWARD_OUT(native_batch_norm_backward_out,
             oyi_call_native_batch_norm_backward(grad_out, input, weight, running_mean,
                                                 running_var, save_mean, save_invstd,
                                                 train, eps, output_mask, &r[0], &r[1],
                                                 &r[2]))

// ----------------------------------------------------------------- instance_norm

// |param| once for each sample; None stays.
static oy_object* repeated(oyi_held* h, oy_object* param, int64_t samples) {
  if (!param || param == &oy_none_object) return param;
  return oyi_hold(h, oyi_call_repeat(param, (oy_ints){&samples, 1}));
}

// The mean over the samples goes back to |running|, which may be None.
static oy_status update(oy_object* running, oy_object* all, int64_t samples,
                        int64_t channels) {
  if (running == &oy_none_object) return OY_OK;
  oyi_held h = {0};
  oy_object* rows = HOLD(oyi_call_view(all, OY_DIMS(samples, channels)));
  oy_object* mean =
      rows ? HOLD(oyi_call_mean_dim(rows, OY_DIMS(0), false, oy_none())) : NULL;
  oy_object* place = HOLD(oyi_call_alias(running));
  oy_object* done = oyi_call_copy_(place, mean, false);
  oyi_held_end(&h, NULL);
  return done ? OY_OK : oy_failure();
}

OYI_COMPOSITE(instance_norm) {
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t || !running_mean || !running_var) return NULL;
  const bool has_running =
      running_mean != &oy_none_object && running_var != &oy_none_object;
  if (!use_input_stats && !has_running) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected running_mean and running_var to be defined when "
            "use_input_stats is false");
    return NULL;
  }
  if (oyi_dim_wrap(1, t->ndim) < 0) return NULL;
  const int64_t samples = t->sizes[0], channels = t->sizes[1];
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  memcpy(sizes, t->sizes, t->ndim * sizeof(int64_t));
  sizes[0] = 1;
  sizes[1] = samples * channels;
  oyi_held h = {0};
  oy_object* scale = repeated(&h, weight, samples);
  oy_object* shift = scale ? repeated(&h, bias, samples) : NULL;
  oy_object* mean = shift ? repeated(&h, running_mean, samples) : NULL;
  oy_object* var = mean ? repeated(&h, running_var, samples) : NULL;
  oy_object* whole = var ? HOLD(oyi_call_contiguous(input, OY_MEMORY_CONTIGUOUS)) : NULL;
  oy_object* one = HOLD(oyi_call_view(whole, (oy_ints){sizes, t->ndim}));
  oy_object* result =
      one ? HOLD(oyi_call_batch_norm(one, scale, shift, mean, var, use_input_stats,
                                     momentum, eps, cudnn_enabled))
          : NULL;
  if (!result || update(running_mean, mean, samples, channels) != 0 ||
      update(running_var, var, samples, channels) != 0)
    return oyi_held_end(&h, NULL);
  return oyi_held_end(&h, oyi_call_view(result, oyi_sizes_view(t)));
}
