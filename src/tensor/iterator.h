// SPDX-License-Identifier: Apache-2.0
// Walks over the elements of several tensors at once: what every elementwise
// kernel, copy and reduction shares (reference, 8.10). Setting one up checks,
// promotes, broadcasts, makes or resizes the output and refuses overlapping
// writes; running it calls an inner loop on rows.
//
//   oyi_iter it;
//   if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
//   oyi_iter_run(&it, add_f32, &args);
//   return oyi_iter_finish(&it);
//
// The struct is large and lives on the stack; only what is used is written.
// Every successful set-up is ended by oyi_iter_finish or oyi_iter_abandon.
#ifndef OPYARD_SRC_TENSOR_ITERATOR_H_
#define OPYARD_SRC_TENSOR_ITERATOR_H_

#include "tensor/impl.h"

// Operands at most; and steps that one thread takes at a time (PyTorch's grain size).
enum { OYI_ITER_MAX = 6, OYI_ITER_GRAIN = 32768 };

// One row: |n| steps, an address and a step in bytes for each operand, the
// output first. Rows of one walk are run by several threads at once, so a loop writes
// to its outputs and to nothing else.
typedef void (*oyi_loop)(int64_t n, char* const* data, const int64_t* strides,
                         const void* args);

// Several such rows, |down| from one to the next.
typedef void (*oyi_block)(int64_t n, int64_t rows, char* const* data,
                          const int64_t* along, const int64_t* down, const void* args);

typedef struct oyi_iter {
  int count;          // operands, the output included
  oy_dtype dtype;     // that inputs are in when the loop sees them
  bool runs;          // there is something to compute: memory, and elements
  bool made;          // the output is new, and goes to the caller
  uint8_t temporary;  // bit k: tensors[k] is a converted copy
  size_t ndim;
  oyi_tensor* output;                 // what the caller gets
  oyi_tensor* tensors[OYI_ITER_MAX];  // what the loop works on
  char* data[OYI_ITER_MAX];
  int64_t sizes[OY_TENSOR_MAX_DIMS];                  // fastest dimension first
  int64_t strides[OY_TENSOR_MAX_DIMS][OYI_ITER_MAX];  // in bytes
} oyi_iter;

enum oyi_iter_flags {
  OYI_ITER_INT_TO_FLOAT = 1,  // integers are computed as float32
  OYI_ITER_BOOL_OUTPUT = 2,   // comparisons
  OYI_ITER_KEEP_DTYPES = 4,   // no promotion: copy_ and fill_
  OYI_ITER_INPLACE = 8,       // |out| is an input too and keeps its shape
  OYI_ITER_REAL_OUTPUT = 16,  // complex numbers give real ones
  OYI_ITER_MASK = 32,         // the first input is a mask, which keeps its dtype
  OYI_ITER_SAME_DTYPE = 64    // nothing is converted into |out|
};

// |out| NULL: a new tensor. On failure the error is set and nothing is held.
oy_status oyi_iter_elementwise(oyi_iter* it, oy_object* out, oy_object* const* inputs,
                               int input_count, unsigned flags);
// A walk over tensors that have one shape already, without any check.
void oyi_iter_plain(oyi_iter* it, const oyi_tensor* const* tensors, int count);
// A reduction of |in| into |acc|, of the same rank, with size 1 where it reduces.
void oyi_iter_reduction(oyi_iter* it, oyi_tensor* acc, const oyi_tensor* in);
// Large walks are cut into pieces of OYI_ITER_GRAIN steps, whatever the number of
// threads, so results do not depend on that.
void oyi_iter_run_dims(const oyi_iter* it, oyi_loop loop, const void* args);
static inline void oyi_iter_run(const oyi_iter* it, oyi_loop loop, const void* args) {
  if (OY_LIKELY(it->runs && it->ndim == 1 && it->sizes[0] <= OYI_ITER_GRAIN))
    loop(it->sizes[0], it->data, it->strides[0], args);
  else
    oyi_iter_run_dims(it, loop, args);
}
// The same for what takes many rows at once, whatever their steps are.
void oyi_iter_run_blocks(const oyi_iter* it, oyi_block block, const void* args);
// Moves the elements of the second operand to the first, which has the same dtype.
void oyi_iter_move(const oyi_iter* it);
// The same where the first operand is of dtype |to| and the second of dtype |from|.
void oyi_convert_walk(const oyi_iter* it, oy_dtype to, oy_dtype from);
// How a reduction computes. Accumulators are |item| bytes, at most 16.
typedef struct oyi_reducer {
  oyi_loop loop;         // takes rows of the input into accumulators
  oyi_loop combine;      // takes rows of accumulators into accumulators
  const void* args;      // of both
  const void* identity;  // an accumulator that has taken nothing in
  size_t item;
} oyi_reducer;
// Runs a walk of two operands, accumulators first, which reduces where these have
// stride 0. Many results are shared out among the threads, each with the steps of its
// own in one order. Few results of many steps come from up to 64 partial ones, each of
// a stretch of steps, combined in order; the stretches depend on the shape alone. So
// the result never depends on the number of threads.
void oyi_iter_reduce(const oyi_iter* it, const oyi_reducer* reducer);
// Writes a temporary output back, releases what the walk held, and gives the
// output: new, or the one that was given.
oy_tensor* oyi_iter_finish_converted(oyi_iter* it);
static inline oy_tensor* oyi_iter_finish(oyi_iter* it) {
  if (OY_UNLIKELY(it->temporary)) return oyi_iter_finish_converted(it);
  return oyi_tensor_object(it->output);
}
// Instead of oyi_iter_finish: gives up a new output, writes nothing back.
void oyi_iter_abandon(oyi_iter* it);

// Checks an out= tensor against what will be written, and resizes it.
oy_status oyi_output_prepare(oyi_tensor* out, oy_ints sizes, oy_dtype dtype,
                             oy_device device);
// "result type Float can't be cast to the desired output type Int".
oy_status oyi_output_check_dtype(const oyi_tensor* out, oy_dtype dtype);
// Another shape, with the warning of 8.10; |strides| NULL: contiguous.
oy_status oyi_output_resize(oyi_tensor* out, oy_ints sizes, const oy_ints* strides);
// True if an output of |shape| is contiguous, else its strides: those of the inputs if
// they agree, else dimensions in the order of their strides, the first input that
// decides coming first.
bool oyi_output_layout(const oyi_tensor* const* in, int n, oy_ints shape,
                       int64_t* out_strides);
oy_status oyi_device_mismatch(oy_device a, oy_device b);
// The failure "unsupported operation: some elements of the input tensor and the written-to tensor
// refer to a single memory location. ...".
oy_status oyi_output_overlaps(void);
// An input that is |out| itself cannot be read once that has another shape: fails if |in| is
// and has not |sizes|.
oy_status oyi_output_check_shape(const oyi_tensor* out, const oyi_tensor* in,
                                 oy_ints sizes);
// "unsupported operation: ..." if |out| overlaps itself or, partly, |in|.
oy_status oyi_output_check_overlap(const oyi_tensor* out, const oyi_tensor* const* inputs,
                                   int count);
// A remark that PyTorch prints as a warning (oy_warning_handler_set).
void oyi_warn(const char* format, ...) OY_PRINTF(1, 2);

#endif  // OPYARD_SRC_TENSOR_ITERATOR_H_
