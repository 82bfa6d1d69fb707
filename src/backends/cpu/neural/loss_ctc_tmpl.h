// SPDX-License-Identifier: Apache-2.0
// One sequence of ctc_loss, in logarithms, for the type T. A path through the sequence is
// read by states: 0, 2, ... are blanks, state 2 i + 1 is target i. Included by loss_ctc.c.

// log(exp(a) + exp(b) + exp(c)), also where all are minus infinity.
static T JOIN(log_sum, ID)(T a, T b, T c) {
  T most = a > b ? a : b;
  most = c > most ? c : most;
  if (most == -(T)INFINITY) most = 0;
  return LOG(EXP(a - most) + EXP(b - most) + EXP(c - most)) + most;
}

// The logarithm of the probability of every beginning, and the loss of the whole.
static double JOIN(ctc_forward, ID)(const ctc* c, const ctc_sequence* s) {
  const T least = -(T)INFINITY;
  const T* p = (const T*)(const void*)c->log_probs + s->batch * c->stride_batch;
  T* alpha = (T*)(void*)c->log_alpha + s->batch * c->steps * c->states;
  const int64_t states = 2 * s->target_length + 1;
  for (int64_t i = 0; i < c->states * c->steps; i++) alpha[i] = least;
  if (s->input_length == 0) return s->target_length == 0 ? 0 : (double)INFINITY;
  alpha[0] = p[c->blank];
  if (s->target_length > 0) alpha[1] = p[state_label(c, s, 1)];
  for (int64_t t = 1; t < s->input_length; t++) {
    const T* before = alpha + (t - 1) * c->states;
    T* now = alpha + t * c->states;
    const T* here = p + t * c->stride_step;
    for (int64_t i = 0; i < states; i++) {
      const int64_t label = state_label(c, s, i);
      const T step = i > 0 ? before[i - 1] : least;
      const bool skips = i > 1 && state_label(c, s, i - 2) != label;
      now[i] =
          JOIN(log_sum, ID)(before[i], step, skips ? before[i - 2] : least) + here[label];
    }
  }
  const T* last = alpha + (s->input_length - 1) * c->states;
  if (s->target_length == 0) return -(double)last[0];
  return -(double)JOIN(log_sum, ID)(last[states - 1], last[states - 2], least);
}

// Adds the paths through state |i|, of probability |through|, to those of its class.
static void JOIN(collect, ID)(T* sum, T through) {
  *sum = *sum == -(T)INFINITY ? through : JOIN(log_sum, ID)(*sum, through, -(T)INFINITY);
}

// Adds what goes through each class at each step to |sums|; backwards in time, of which
// |beta| holds two steps.
static void JOIN(ctc_ends, ID)(const ctc* c, const ctc_sequence* s, T* sums, T* beta) {
  const T least = -(T)INFINITY;
  const T* p = (const T*)(const void*)c->log_probs + s->batch * c->stride_batch;
  const T* alpha = (const T*)(const void*)c->log_alpha + s->batch * c->steps * c->states;
  const int64_t states = 2 * s->target_length + 1;
  for (int64_t t = s->input_length - 1; t >= 0; t--) {
    T *now = beta + (t & 1) * c->states, *after = beta + (~t & 1) * c->states;
    const bool is_last = t == s->input_length - 1;
    for (int64_t i = 0; i < states; i++) {
      const int64_t label = state_label(c, s, i);
      T rest = i >= states - 2 ? 0 : least;
      if (!is_last) {
        const T step = i < states - 1 ? after[i + 1] : least;
        const bool skips = i < states - 2 && state_label(c, s, i + 2) != label;
        rest = JOIN(log_sum, ID)(after[i], step, skips ? after[i + 2] : least);
      }
      now[i] = rest + p[t * c->stride_step + label];
    }
    for (int64_t i = states - 1; i >= 0; i--) JOIN(collect, ID)
    (sums + t * c->stride_step + state_label(c, s, i), alpha[t * c->states + i] + now[i]);
  }
}

// The gradient of one sequence: |beta| has room for two steps.
static void JOIN(ctc_backward, ID)(const ctc* c, const ctc_sequence* s, void* beta) {
  T* grad = (T*)(void*)c->out + s->batch * c->stride_batch;
  const T* p = (const T*)(const void*)c->log_probs + s->batch * c->stride_batch;
  const T loss = ((const T*)(const void*)c->losses)[s->batch];
  const T g = ((const T*)(const void*)c->grad)[s->batch];
  const bool is_zero = c->zero_infinity && loss == (T)INFINITY;
  for (int64_t t = 0; t < c->steps; t++)
    for (int64_t k = 0; k < c->labels; k++)
      grad[t * c->stride_step + k] = is_zero || t >= s->input_length ? 0 : -(T)INFINITY;
  if (is_zero || s->input_length == 0) return;
  JOIN(ctc_ends, ID)(c, s, grad, beta);
  for (int64_t t = 0; t < s->input_length; t++)
    for (int64_t k = 0; k < c->labels; k++) {
      const int64_t at = t * c->stride_step + k;
      grad[at] = (EXP(p[at]) - EXP(grad[at] + loss - p[at])) * g;
    }
}
