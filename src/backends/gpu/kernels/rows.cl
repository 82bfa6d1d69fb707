// SPDX-License-Identifier: Apache-2.0
// Softmax and normalisation: what looks at a whole row for each element. Rows are
// |length| elements |step| apart. Before this text stand S, DTYPE and one of the names
// below; PARAM is the dtype of weights, STAT that of statistics.

#define ROW_PARAMETERS                                                                  \
  __global const char *a_p, long a_o, __global const char *b_p, long b_o, __global char *c_p, \
      long c_o

// Sums of rows whose elements lie one after the other, in vectors.
#if W > 1
static inline S total(V v) {
  S lanes[W], sum = 0;
  VSTORE(v, 0, lanes);
  for (int k = 0; k < W; k++) sum += lanes[k];
  return sum;
}
#endif

#if defined(SOFTMAX) || defined(LOG_SOFTMAX)
// a: input, c: result. outer x length x step.
kernel void run(ROW_PARAMETERS, long rows, long length, long step) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long base = row / step * length * step + row % step;
  a_p += a_o;
  c_p += c_o;
  S top = -INFINITY;
  for (long i = 0; i < length; i++) {
    const S v = LD(IN, a_p, base + i * step);
    if (v > top || v != v) top = v;
  }
  S sum = 0;
  long i = 0;
#if W > 1
  if (step == 1) {
    V sums = (V)(S)0;
    for (; i + W <= length; i += W) sums += exp(LDV(IN, a_p, base + i) - top);
    sum = total(sums);
  }
#endif
  for (; i < length; i++) sum += exp(LD(IN, a_p, base + i * step) - top);
#ifdef LOG_SOFTMAX
  const S less = top + log(sum);
#define RESULT(v) ((v) - less)
#else
  const S by = (S)1 / sum;
#define RESULT(v) (exp((v) - top) * by)
#endif
  i = 0;
#if W > 1
  if (step == 1)
    for (; i + W <= length; i += W)
      STV(DTYPE, c_p, base + i, RESULT(LDV(IN, a_p, base + i)));
#endif
  for (; i < length; i++)
    ST(DTYPE, c_p, base + i * step, RESULT(LD(IN, a_p, base + i * step)));
}

#elif defined(SOFTMAX_BACKWARD) || defined(LOG_SOFTMAX_BACKWARD)
// a: gradient of the result, b: the result, c: gradient of the input.
kernel void run(ROW_PARAMETERS, long rows, long length, long step) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long base = row / step * length * step + row % step;
  a_p += a_o;
  b_p += b_o;
  c_p += c_o;
  S sum = 0;
  for (long i = 0; i < length; i++) {
    const S g = LD(IN, a_p, base + i * step);
#ifdef LOG_SOFTMAX_BACKWARD
    sum += g;
#else
    sum += g * LD(IN, b_p, base + i * step);
#endif
  }
  for (long i = 0; i < length; i++) {
    const S g = LD(IN, a_p, base + i * step), y = LD(IN, b_p, base + i * step);
#ifdef LOG_SOFTMAX_BACKWARD
    ST(DTYPE, c_p, base + i * step, g - exp(y) * sum);
#else
    ST(DTYPE, c_p, base + i * step, y * (g - sum));
#endif
  }
}

#elif defined(LAYER_NORM)
// a: input, b: weight, d: bias, c: result, e: means, f: 1 / deviations.
kernel void run(ROW_PARAMETERS, __global const char* d_p, long d_o, __global char* e_p,
                long e_o, __global char* f_p, long f_o, long rows, long length,
                int has_weight, int has_bias, S eps) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long base = row * length;
  a_p += a_o, b_p += b_o, c_p += c_o, d_p += d_o;
  S mean = 0, squares = 0;
  for (long i = 0; i < length; i++) mean += LD(DTYPE, a_p, base + i);
  mean /= (S)length;
  for (long i = 0; i < length; i++) {
    const S apart = LD(DTYPE, a_p, base + i) - mean;
    squares += apart * apart;
  }
  const S inverse = (S)1 / sqrt(squares / (S)length + eps);
  for (long i = 0; i < length; i++) {
    S v = (LD(DTYPE, a_p, base + i) - mean) * inverse;
    if (has_weight) v *= LD(PARAM, b_p, i);
    if (has_bias) v += LD(PARAM, d_p, i);
    ST(DTYPE, c_p, base + i, v);
  }
  ST(STAT, e_p + e_o, row, mean);
  ST(STAT, f_p + f_o, row, inverse);
}

#elif defined(LAYER_NORM_BACKWARD)
// a: gradient of the result, b: input, d: weight, e: means, f: 1 / deviations,
// c: gradient of the input.
kernel void run(ROW_PARAMETERS, __global const char* d_p, long d_o, __global const char* e_p,
                long e_o, __global const char* f_p, long f_o, long rows, long length,
                int has_weight) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long base = row * length;
  a_p += a_o, b_p += b_o, c_p += c_o, d_p += d_o;
  const S mean = LD(STAT, e_p + e_o, row), inverse = LD(STAT, f_p + f_o, row);
  S sum = 0, product = 0;
  for (long i = 0; i < length; i++) {
    const S g = LD(DTYPE, a_p, base + i) * (has_weight ? LD(PARAM, d_p, i) : (S)1);
    sum += g;
    product += g * (LD(DTYPE, b_p, base + i) - mean) * inverse;
  }
  for (long i = 0; i < length; i++) {
    const S g = LD(DTYPE, a_p, base + i) * (has_weight ? LD(PARAM, d_p, i) : (S)1);
    const S x = (LD(DTYPE, b_p, base + i) - mean) * inverse;
    ST(DTYPE, c_p, base + i, inverse * (g - (sum + x * product) / (S)length));
  }
}

#elif defined(LAYER_NORM_PARAMETERS)
// The gradients of weight and bias: a, b, e, f as above, c: of weight, d: of bias.
kernel void run(ROW_PARAMETERS, __global char* d_p, long d_o, __global const char* e_p,
                long e_o, __global const char* f_p, long f_o, long rows, long length,
                int has_weight, int has_bias) {
  const long i = (long)get_global_id(0);
  if (i >= length) return;
  a_p += a_o, b_p += b_o, e_p += e_o, f_p += f_o;
  S sum = 0, product = 0;
  for (long row = 0; row < rows; row++) {
    const S g = LD(DTYPE, a_p, row * length + i);
    sum += g;
    product +=
        g * (LD(DTYPE, b_p, row * length + i) - LD(STAT, e_p, row)) * LD(STAT, f_p, row);
  }
  if (has_weight) ST(PARAM, c_p + c_o, i, product);
  if (has_bias) ST(PARAM, d_p + d_o, i, sum);
}

#elif defined(CHANNEL_STATISTICS)
// Of channel k of batch x channels x area. a: input, c: means, d: 1 / deviations; e and f:
// running means and variances, which go on by |momentum|.
kernel void run(ROW_PARAMETERS, __global char* d_p, long d_o, __global char* e_p, long e_o,
                __global char* f_p, long f_o, long batch, long channels, long area,
                int has_running, S momentum, S eps) {
  const long k = (long)get_global_id(0);
  if (k >= channels) return;
  a_p += a_o;
  const S count = (S)(batch * area);
  S mean = 0, squares = 0;
  for (long n = 0; n < batch; n++)
    for (long i = 0; i < area; i++)
      mean += LD(DTYPE, a_p, (n * channels + k) * area + i);
  mean /= count;
  for (long n = 0; n < batch; n++)
    for (long i = 0; i < area; i++) {
      const S apart = LD(DTYPE, a_p, (n * channels + k) * area + i) - mean;
      squares += apart * apart;
    }
  ST(STAT, c_p + c_o, k, mean);
  ST(STAT, d_p + d_o, k, (S)1 / sqrt(squares / count + eps));
  if (!has_running) return;
  e_p += e_o, f_p += f_o;
  ST(RUNNING, e_p, k, momentum * mean + (1 - momentum) * LD(RUNNING, e_p, k));
  ST(RUNNING, f_p, k,
     momentum * squares / (count - 1) + (1 - momentum) * LD(RUNNING, f_p, k));
}

#elif defined(CHANNEL_APPLY)
// a: input, b: weight, d: bias, e: means, f: variances or 1 / deviations, c: result.
kernel void run(ROW_PARAMETERS, __global const char* d_p, long d_o, __global const char* e_p,
                long e_o, __global const char* f_p, long f_o, long rows, long channels,
                long area, int has_weight, int has_bias, int is_variance, S eps) {
  const long row = (long)get_global_id(0);
  if (row >= rows) return;
  const long k = row % channels;
  const S mean = LD(STAT, e_p + e_o, k), f = LD(STAT, f_p + f_o, k);
  S scale = is_variance ? (S)1 / sqrt(f + eps) : f;
  if (has_weight) scale *= LD(PARAM, b_p + b_o, k);
  const S shift = has_bias ? LD(PARAM, d_p + d_o, k) : (S)0;
  a_p += a_o;
  c_p += c_o;
  for (long i = row * area; i < (row + 1) * area; i++)
    ST(DTYPE, c_p, i, (LD(DTYPE, a_p, i) - mean) * scale + shift);
}

#elif defined(CHANNEL_BACKWARD)
// The gradients of channel k. a: gradient of the result, b: input, d: weight, e and f as
// above, c: gradient of the input, x and y: of weight and bias.
kernel void run(ROW_PARAMETERS, __global const char* d_p, long d_o, __global const char* e_p,
                long e_o, __global const char* f_p, long f_o, __global char* x_p, long x_o,
                __global char* y_p, long y_o, long batch, long channels, long area,
                int has_weight, int is_variance, int is_training, int wanted, S eps) {
  const long k = (long)get_global_id(0);
  if (k >= channels) return;
  a_p += a_o, b_p += b_o, c_p += c_o;
  const S mean = LD(STAT, e_p + e_o, k), f = LD(STAT, f_p + f_o, k);
  const S inverse = is_variance ? (S)1 / sqrt(f + eps) : f;
  S sum = 0, product = 0;
  for (long n = 0; n < batch; n++)
    for (long i = 0; i < area; i++) {
      const long at = (n * channels + k) * area + i;
      const S g = LD(DTYPE, a_p, at);
      sum += g;
      product += g * (LD(DTYPE, b_p, at) - mean);
    }
  if (wanted & 2) ST(PARAM, x_p + x_o, k, product * inverse);
  if (wanted & 4) ST(PARAM, y_p + y_o, k, sum);
  if (!(wanted & 1)) return;
  const S scale = inverse * (has_weight ? LD(PARAM, d_p + d_o, k) : (S)1);
  const S count = (S)(batch * area);
  const S level = is_training ? sum / count : (S)0;
  const S slope = is_training ? product * inverse * inverse / count : (S)0;
  for (long n = 0; n < batch; n++)
    for (long i = 0; i < area; i++) {
      const long at = (n * channels + k) * area + i;
      const S x = LD(DTYPE, b_p, at) - mean;
      ST(DTYPE, c_p, at, (LD(DTYPE, a_p, at) - level - x * slope) * scale);
    }
}
#endif
