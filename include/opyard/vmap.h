// SPDX-License-Identifier: Apache-2.0
// Function transforms (PyTorch's functorch): vmap runs a function once for all slices of
// its inputs. While it runs, its mapped inputs are batched tensors: they show the shape of
// one slice and hold all of them; operators on them have a batching rule, or else are
// called once for each slice.
//
// Transforms nest. A thread has a stack of those that it is in, the layers; the innermost
// has the highest level and sees each call first. A thread that is in none pays nothing.
#ifndef OPYARD_VMAP_H_
#define OPYARD_VMAP_H_

#include "opyard/dispatcher.h"
#include "opyard/tensor.h"

OY_BEGIN_DECLS

// What random operators do inside vmap: they fail, draw for each slice, or draw once for all.
typedef enum oy_randomness {
  OY_RANDOMNESS_ERROR,
  OY_RANDOMNESS_DIFFERENT,
  OY_RANDOMNESS_SAME
} oy_randomness;
// Reads "error", "different", "same". INVALID_ARGUMENT: "Only allowed values ...".
OY_API OY_MUST_USE oy_status oy_randomness_parse(oy_str text,
                                                 oy_randomness* out_randomness);

// Sets all outputs to new references. Runs as a kernel does: what operators return in it
// goes to no scope.
typedef oy_status (*oy_transform_fn)(void* data, oy_tensor* const* inputs, size_t count,
                                     oy_tensor** outputs, size_t output_count);

// As a dimension: not mapped.
#define OY_VMAP_NONE INT64_MIN

// Zero-initialised members are PyTorch's defaults.
typedef struct oy_vmap_params {
  oy_transform_fn fn;
  void* data;
  const char* name;  // of |fn| in messages; NULL: "<fn>"
  // One number for each input, or one for all; data NULL: 0. Negative ones count from the
  // end.
  oy_ints in_dims;
  // Where the mapped dimension goes in each output, likewise. An output that is not batched
  // is repeated; OY_VMAP_NONE asks for one that is not, and leaves it as it is.
  oy_ints out_dims;
  oy_randomness randomness;
  int64_t chunk_size;  // so many slices at a time; 0: all at once
} oy_vmap_params;

// Maps fn over slices of |inputs|, and sets |outputs| to new references. An input that is
// not mapped may be anything, also None. INVALID_ARGUMENT with PyTorch's texts; what fn
// fails with. On failure all outputs are NULL.
OY_API OY_MUST_USE oy_status oy_vmap(const oy_vmap_params* params,
                                     oy_tensor* const* inputs, size_t count,
                                     oy_tensor** outputs, size_t output_count);

// ---------------------------------------------------------------------- grad

// Gradients of a function, as functions: of each other, of what vmap maps, and mapped.
// Zero-initialised members are the defaults.
typedef struct oy_grad_params {
  oy_transform_fn fn;
  void* data;
  oy_ints argnums;  // the inputs to differentiate by; data NULL: the first
} oy_grad_params;

// The gradients of fn's output, a scalar, and, unless |out_value| is NULL, the output: new
// references. fn's inputs must not be written by it, nor what it did not make. An input that
// plays no part has zeros. fn is differentiated also where grad mode is off. Outputs and
// gradients have a history of what is outside. On failure all are NULL.
OY_API OY_MUST_USE oy_status oy_grad_of(const oy_grad_params* params,
                                        oy_tensor* const* inputs, size_t count,
                                        oy_tensor** out_value, oy_tensor** out_grads);
// The same of any outputs: |cotangents| are what the gradients of these are multiplied by.
OY_API OY_MUST_USE oy_status oy_vjp_of(const oy_grad_params* params,
                                       oy_tensor* const* inputs, size_t count,
                                       oy_tensor* const* cotangents, oy_tensor** outputs,
                                       size_t output_count, oy_tensor** out_grads);

// ------------------------------------------------------- forward mode, Jacobians

// What changes of the inputs at |argnums|, |tangents| (one for each, of its shape), do to
// fn's outputs, to first order: one new reference for each output, which must be of floating
// point or complex; and the outputs. The gradient, which is linear in what it is multiplied
// by, is differentiated by that, so every operator whose gradient has one will do; for
// another, NOT_IMPLEMENTED: "Trying to use forward AD with ...". As oy_vjp_of otherwise.
OY_API OY_MUST_USE oy_status oy_jvp_of(const oy_grad_params* params,
                                       oy_tensor* const* inputs, size_t count,
                                       oy_tensor* const* tangents, oy_tensor** outputs,
                                       size_t output_count, oy_tensor** out_tangents);

// All derivatives of all |output_count| outputs by all inputs at argnums: new references,
// output by output, of the output's sizes followed by the input's. By rows: one walk back,
// mapped over the elements of each output; fn is called once. On failure all are NULL.
OY_API OY_MUST_USE oy_status oy_jacrev_of(const oy_grad_params* params,
                                          oy_tensor* const* inputs, size_t count,
                                          size_t output_count, oy_tensor** out_jacobians);
// The same by columns: oy_jvp_of, mapped over the elements of the inputs.
OY_API OY_MUST_USE oy_status oy_jacfwd_of(const oy_grad_params* params,
                                          oy_tensor* const* inputs, size_t count,
                                          size_t output_count, oy_tensor** out_jacobians);
// Second derivatives of fn's one output: columns of rows. One for each pair of argnums, the
// second changing fastest, of the output's sizes, then those of the two inputs.
OY_API OY_MUST_USE oy_status oy_hessian_of(const oy_grad_params* params,
                                           oy_tensor* const* inputs, size_t count,
                                           oy_tensor** out_hessians);

// ------------------------------------------------------------- the parts of vmap

// For front ends that call the function themselves.

// Makes a vmap layer the innermost; *out_level is its level, 1 for the outermost. EXHAUSTED
// beyond 64 layers.
OY_API OY_MUST_USE oy_status oy_vmap_enter(int64_t batch_size, oy_randomness randomness,
                                           int64_t* out_level);
// Ends the innermost layer, which must be |level|.
OY_API OY_MUST_USE oy_status oy_vmap_leave(int64_t level);
// For batching rules: the level, the batch size and the randomness of the innermost layer.
// FAILED_PRECONDITION if that is no vmap.
OY_API OY_MUST_USE oy_status oy_vmap_innermost(int64_t* out_level,
                                               int64_t* out_batch_size,
                                               oy_randomness* out_randomness);
// A batched tensor over |tensor|, whose dimension |dim| the layer |level| maps.
OY_API oy_tensor* oy_batched_make(oy_tensor* tensor, int64_t dim, int64_t level);
// The tensor within one of |level| with the mapped dimension at |dim|; another tensor is
// repeated |batch_size| times along a new dimension there.
OY_API oy_tensor* oy_batched_remove(oy_tensor* tensor, int64_t level, int64_t batch_size,
                                    int64_t dim);

// ----------------------------------------------------------------- questions

// How many layers this thread is in.
OY_API int64_t oy_transform_level(void);
// "DynamicLayerStack[ 1:Vmap 2:Grad ]", cut off at |size|; the whole length.
OY_API size_t oy_transform_print(char* buffer, size_t size);
// Of a batched tensor; 0 and -1 for others.
OY_API int64_t oy_batched_level(const oy_tensor* tensor);
OY_API int64_t oy_batched_dim(const oy_tensor* tensor);
// The tensor with all slices, borrowed; NULL for others (no error).
OY_API oy_tensor* oy_batched_value(const oy_tensor* tensor);

// ------------------------------------------------------------------ fallback

// How often, in this process, |op| was called once for each slice because it has no
// batching rule; NULL: any operator. The first time says so (oy_warning_handler_set).
OY_API uint64_t oy_vmap_fallback_count(const oy_op* op);
// Whether every time says so.
OY_API void oy_vmap_fallback_warn_always(bool on);
// Off: an operator without a rule is an error. On at first. Both for the process.
OY_API void oy_vmap_fallback_enable(bool on);

OY_END_DECLS

#endif  // OPYARD_VMAP_H_
