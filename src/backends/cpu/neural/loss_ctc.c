// SPDX-License-Identifier: Apache-2.0
// ctc_loss: the probability of a sequence of classes over all ways to read it, with blanks
// in between and repetitions taken together (Graves and others, 2006), in logarithms.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/neural/loss.h"
#include "backends/cpu/work.h"
#include "base/memory.h"
#include "base/threads.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "ops/rules/spatial.h"

// log_probs: [steps, batch, labels], contiguous; log_alpha: [batch, steps, states].
typedef struct ctc {
  oy_dtype dtype;
  int64_t steps, batch, labels, states, blank;
  int64_t stride_step, stride_batch;
  oy_ints input_lengths, target_lengths;
  bool zero_infinity, is_flat;
  int64_t target_width;  // of targets in rows
  const int64_t* targets;
  const char* log_probs;
  char *log_alpha, *losses, *out;
  const char* grad;
} ctc;

typedef struct ctc_sequence {
  int64_t batch, input_length, target_length;
  const int64_t* targets;
} ctc_sequence;

static inline int64_t state_label(const ctc* c, const ctc_sequence* s, int64_t state) {
  return state & 1 ? s->targets[state / 2] : c->blank;
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define T           float
#define ID          f32
#define EXP         expf
#define LOG         logf
#include "backends/cpu/neural/loss_ctc_tmpl.h"
#undef T
#undef ID
#undef EXP
#undef LOG
#define T   double
#define ID  f64
#define EXP exp
#define LOG log
#include "backends/cpu/neural/loss_ctc_tmpl.h"

// ------------------------------------------------------------------------- rules

#define WHILE " (while checking arguments for ctc_loss_cpu)"

static oy_status check_lengths(const ctc* c, oy_ints lengths, const char* name) {
  OY_CHECK((int64_t)lengths.size == c->batch, INVALID_ARGUMENT,
           "%s must be of size batch_size", name);
  for (size_t i = 0; i < lengths.size; i++)
    OY_CHECK(lengths.data[i] >= 0, INVALID_ARGUMENT,
             "Expected %s to have value at least 0, but got value %lld" WHILE, name,
             (long long)lengths.data[i]);
  return OY_OK;
}

static oy_status check_targets(ctc* c, const oyi_tensor* targets) {
  int64_t most = 0, sum = 0;
  bool bad = false;
  for (size_t i = 0; i < c->target_lengths.size; i++) {
    const int64_t n = c->target_lengths.data[i];
    bad |= __builtin_add_overflow(sum, n, &sum);
    most = n > most ? n : most;
  }
  bad |= __builtin_mul_overflow(most, 2, &c->states) ||
         __builtin_add_overflow(c->states, 1, &c->states);
  c->is_flat = targets->ndim == 1;
  if (c->is_flat) {
    OY_CHECK(!bad && targets->sizes[0] == sum, INVALID_ARGUMENT,
             "Expected tensor to have size %lld at dimension 0, but got size %lld for "
             "argument #2 'targets'" WHILE,
             (long long)sum, (long long)targets->sizes[0]);
    return OY_OK;
  }
  OY_CHECK(targets->sizes[0] == c->batch, INVALID_ARGUMENT,
           "Expected tensor to have size %lld at dimension 0, but got size %lld for "
           "argument #2 'targets'" WHILE,
           (long long)c->batch, (long long)targets->sizes[0]);
  OY_CHECK(!bad && targets->sizes[1] >= most, INVALID_ARGUMENT,
           "Expected tensor to have size at least %lld at dimension 1, but got size %lld "
           "for argument #2 'targets'" WHILE,
           (long long)most, (long long)targets->sizes[1]);
  c->target_width = targets->sizes[1];
  return OY_OK;
}

static oy_status check_dtypes(const oyi_tensor* t, const oyi_tensor* targets) {
  const oy_dtype dtype = t->header.dtype, of = targets->header.dtype;
  OY_CHECK(of == OY_DTYPE_I64 || of == OY_DTYPE_I32, TYPE_MISMATCH,
           "Expected tensor for argument #2 'targets' to have scalar type Int; but got "
           "torch.%sTensor instead" WHILE,
           oy_dtype_pytorch_name(of));
  if (dtype != OY_DTYPE_F32 && dtype != OY_DTYPE_F64)
    return oyi_not_implemented("ctc_loss_cpu", dtype);
  return oyi_check_same_device(t, targets);
}

static oy_status check(ctc* c, oy_object* log_probs, oy_object* targets) {
  const oyi_tensor *t = oyi_tensor_of(log_probs), *to = oyi_tensor_of(targets);
  if (!t || !to) return oy_failure();
  OY_CHECK(t->numel > 0, INVALID_ARGUMENT, "log_probs tensor must not be empty");
  OY_TRY(check_dtypes(t, to));
  OY_CHECK(t->ndim == 3, INVALID_ARGUMENT,
           "Expected 3-dimensional tensor, but got %u-dimensional tensor for argument #1 "
           "'log_probs'" WHILE,
           t->ndim);
  OY_CHECK(to->ndim == 1 || to->ndim == 2, INVALID_ARGUMENT,
           "Expected 1 to 2 dimensions, but got %u-dimensional tensor for argument #2 "
           "'targets'" WHILE,
           to->ndim);
  c->dtype = t->header.dtype;
  c->steps = t->sizes[0], c->batch = t->sizes[1], c->labels = t->sizes[2];
  c->stride_batch = c->labels, c->stride_step = c->batch * c->labels;
  OY_CHECK(c->blank >= 0 && c->blank < c->labels, INVALID_ARGUMENT,
           "blank must be in label range");
  OY_TRY(check_lengths(c, c->input_lengths, "input_lengths"));
  OY_TRY(check_lengths(c, c->target_lengths, "target_lengths"));
  OY_TRY(check_targets(c, to));
  for (size_t i = 0; i < c->input_lengths.size; i++)
    OY_CHECK(
        c->input_lengths.data[i] <= c->steps, INVALID_ARGUMENT,
        "Expected input_lengths to have value at most %lld, but got value %lld" WHILE,
        (long long)c->steps, (long long)c->input_lengths.data[i]);
  return OY_OK;
}

// Classes are places in memory: those that are none must not be read.
static oy_status check_classes(const ctc* c, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    OY_CHECK(c->targets[i] >= 0 && c->targets[i] < c->labels, OUT_OF_RANGE,
             "targets has the class %lld, expected one from 0 to %lld",
             (long long)c->targets[i], (long long)c->labels - 1);
  return OY_OK;
}
static oy_status check_all_classes(ctc* c) {
  if (c->is_flat) {
    int64_t sum = 0;
    for (int64_t b = 0; b < c->batch; b++) sum += c->target_lengths.data[b];
    return check_classes(c, sum);
  }
  const int64_t* first = c->targets;
  oy_status status = OY_OK;
  for (int64_t b = 0; b < c->batch && status == OY_OK; b++) {
    c->targets = first + b * c->target_width;
    status = check_classes(c, c->target_lengths.data[b]);
  }
  c->targets = first;
  return status;
}

static ctc_sequence sequence_at(const ctc* c, int64_t b) {
  int64_t at = b * c->target_width;
  if (c->is_flat) {
    at = 0;
    for (int64_t i = 0; i < b; i++) at += c->target_lengths.data[i];
  }
  return (ctc_sequence){b, c->input_lengths.data[b], c->target_lengths.data[b],
                        c->targets + at};
}

// ------------------------------------------------------------------------ kernels

static oy_status forward_one(int64_t b, void* context) {
  const ctc* c = context;
  const ctc_sequence s = sequence_at(c, b);
  const double loss =
      c->dtype == OY_DTYPE_F64 ? ctc_forward_f64(c, &s) : ctc_forward_f32(c, &s);
  oyi_float_store(c->dtype, c->losses + b * oyi_dtype_bytes[c->dtype], loss);
  return OY_OK;
}

static oy_status compute_forward(ctc* c, const oyi_tensor* t, const oyi_tensor* targets,
                                 oyi_tensor* loss, oyi_tensor* alpha) {
  oyi_work w = oyi_work_begin(c->dtype);
  c->log_probs = oyi_work_read(&w, t);
  c->targets = oyi_work_read_as(&w, targets, OY_DTYPE_I64);
  c->losses = oyi_work_write(&w, loss);
  c->log_alpha = oyi_work_write(&w, alpha);
  oy_status status = w.failed ? oy_failure() : check_all_classes(c);
  if (status == OY_OK) status = oyi_parallel_chunks(c->batch, forward_one, c);
  return oyi_work_end(&w, status);
}

static oy_status forward(ctc* c, oy_object* log_probs, oy_object* targets,
                         oy_object** out_loss, oy_object** out_alpha) {
  *out_loss = *out_alpha = NULL;
  OY_TRY(check(c, log_probs, targets));
  const oyi_tensor* t = oyi_tensor_cast(log_probs);
  const int64_t sizes[] = {c->batch, c->steps, c->states};
  oyi_tensor* loss =
      oyi_rule_spatial((oy_ints){sizes, 1}, c->dtype, t, OY_MEMORY_CONTIGUOUS, NULL);
  oyi_tensor* alpha = loss ? oyi_rule_spatial((oy_ints){sizes, 3}, c->dtype, t,
                                              OY_MEMORY_CONTIGUOUS, NULL)
                           : NULL;
  oy_status status = alpha ? OY_OK : oy_failure();
  if (alpha && !oyi_is_meta(alpha))
    status = compute_forward(c, t, oyi_tensor_cast(targets), loss, alpha);
  if (status != OY_OK) {
    oy_tensor_release(oyi_tensor_object(loss));
    oy_tensor_release(oyi_tensor_object(alpha));
    return status;
  }
  *out_loss = &loss->header;
  *out_alpha = &alpha->header;
  return OY_OK;
}

static oy_status backward_one(int64_t b, void* context) {
  const ctc* c = context;
  const ctc_sequence s = sequence_at(c, b);
  void* beta = oyi_calloc((size_t)c->states * 2, sizeof(double));
  if (!beta) return OY_OUT_OF_MEMORY;
  if (c->dtype == OY_DTYPE_F64)
    ctc_backward_f64(c, &s, beta);
  else
    ctc_backward_f32(c, &s, beta);
  oyi_free(beta);
  return OY_OK;
}

static oy_status check_backward(const ctc* c, const oyi_tensor* grad,
                                const oyi_tensor* losses, const oyi_tensor* alpha) {
  OY_CHECK(losses->ndim == 1 && losses->sizes[0] == c->batch, INVALID_ARGUMENT,
           "expected neg_log_likelihood to have size [%lld], got %s", (long long)c->batch,
           oyi_dims_print(oyi_sizes_view(losses)).text);
  OY_CHECK(alpha->ndim == 3 && alpha->sizes[0] == c->batch &&
               alpha->sizes[1] == c->steps && alpha->sizes[2] == c->states,
           INVALID_ARGUMENT, "expected log_alpha to have size [%lld, %lld, %lld], got %s",
           (long long)c->batch, (long long)c->steps, (long long)c->states,
           oyi_dims_print(oyi_sizes_view(alpha)).text);
  OY_CHECK(grad->ndim == 1 && grad->sizes[0] == c->batch, INVALID_ARGUMENT,
           "expected grad to have size [%lld], got %s", (long long)c->batch,
           oyi_dims_print(oyi_sizes_view(grad)).text);
  return OY_OK;
}

static oy_object* backward(ctc* c, oy_object* const operands[5]) {
  if (check(c, operands[1], operands[2]) != OY_OK) return NULL;
  const oyi_tensor *grad = oyi_tensor_of(operands[0]), *t = oyi_tensor_cast(operands[1]);
  const oyi_tensor *losses = oyi_tensor_of(operands[3]),
                   *alpha = oyi_tensor_of(operands[4]);
  if (!grad || !losses || !alpha || check_backward(c, grad, losses, alpha) != OY_OK)
    return NULL;
  oyi_tensor* out =
      oyi_rule_spatial(oyi_sizes_view(t), c->dtype, t, OY_MEMORY_CONTIGUOUS, NULL);
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  oyi_work w = oyi_work_begin(c->dtype);
  c->log_probs = oyi_work_read(&w, t);
  c->targets = oyi_work_read_as(&w, oyi_tensor_cast(operands[2]), OY_DTYPE_I64);
  c->losses = oyi_work_read(&w, losses);
  c->log_alpha = oyi_work_read(&w, alpha);
  c->grad = oyi_work_read(&w, grad);
  c->out = oyi_work_write(&w, out);
  oy_status status = w.failed ? oy_failure() : check_all_classes(c);
  if (status == OY_OK) status = oyi_parallel_chunks(c->batch, backward_one, c);
  if (oyi_work_end(&w, status) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

#define OF_LISTS                                                                    \
  {                                                                                 \
    .blank = blank, .zero_infinity = zero_infinity, .input_lengths = input_lengths, \
    .target_lengths = target_lengths                                                \
  }
OYI_CPU(_ctc_loss) {
  ctc c = OF_LISTS;
  return forward(&c, log_probs, targets, out_0, out_1);
}
OYI_CPU(_ctc_loss_backward) {
  ctc c = OF_LISTS;
  return backward(
      &c, (oy_object*[]){grad, log_probs, targets, neg_log_likelihood, log_alpha});
}

// --------------------------------------------------------------- lengths as tensors

// The lengths as lists, over memory that |w| holds.
static oy_status read_lengths(oyi_work* w, oy_object* const given[2], oy_ints lists[2]) {
  static const char* const names[] = {"input_lengths", "target_lengths"};
  for (int i = 0; i < 2; i++) {
    const oyi_tensor* t = oyi_tensor_of(given[i]);
    if (!t) return oy_failure();
    OY_CHECK(oy_dtype_is_integral(t->header.dtype, false), TYPE_MISMATCH,
             "%s must be integral", names[i]);
    OY_CHECK(!oyi_is_meta(t), NOT_IMPLEMENTED,
             "%s has no values: the shape of the result depends on them", names[i]);
    const int64_t* data = oyi_work_read(w, t);
    if (w->failed) return oy_failure();
    lists[i] = (oy_ints){data, (size_t)t->numel};
  }
  return OY_OK;
}

OYI_CPU(_ctc_loss_Tensor) {
  *out_0 = *out_1 = NULL;
  oyi_work w = oyi_work_begin(OY_DTYPE_I64);
  oy_ints lists[2];
  oy_status status =
      read_lengths(&w, (oy_object*[]){input_lengths, target_lengths}, lists);
  if (status == OY_OK)
    status = oyi_call__ctc_loss(log_probs, targets, lists[0], lists[1], blank,
                                zero_infinity, out_0, out_1);
  return oyi_work_end(&w, status);
}
OYI_CPU(_ctc_loss_backward_Tensor) {
  oyi_work w = oyi_work_begin(OY_DTYPE_I64);
  oy_ints lists[2];
  oy_object* made = NULL;
  oy_status status =
      read_lengths(&w, (oy_object*[]){input_lengths, target_lengths}, lists);
  if (status == OY_OK)
    made =
        oyi_call__ctc_loss_backward(grad, log_probs, targets, lists[0], lists[1],
                                    neg_log_likelihood, log_alpha, blank, zero_infinity);
  oyi_work_end(&w, status);
  return made;
}
