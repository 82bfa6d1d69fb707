// SPDX-License-Identifier: Apache-2.0
// Softmax and normalisation: what looks at a whole row for each element. Rows are
// |length| elements |step| apart, and shared as team.cl has it. Before this text stand S,
// DTYPE and one of the names below; PARAM is the dtype of weights, STAT that of statistics.

#define ROW_PARAMETERS                                                                  \
  __global const char *a_p, long a_o, __global const char *b_p, long b_o, __global char *c_p, \
      long c_o
#define LARGER(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
// Of a row behind the last one there is nothing to read or write.
#define NO_ROW_FROM(rows)       \
  const bool is_row = ROW < rows; \
  if (!is_row) length = 0

// Element i of what batch x channels x area has of channel k.
static inline long channel_place(long i, long k, long channels, long area) {
  const ulong n = over((ulong)i, (ulong)area);
  return i + ((long)n * (channels - 1) + k) * area;
}

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
kernel void run(ROW_PARAMETERS, long rows, long length, long step, int lanes, int along) {
  TEAM(S, lanes, along);
  const long outer = (long)over((ulong)ROW, (ulong)step);
  const long base = (outer * length - outer) * step + ROW;
  NO_ROW_FROM(rows);
  a_p += a_o;
  c_p += c_o;
  S top = -INFINITY;
  for (long i = LANE; i < length; i += lanes) {
    const S v = LD(IN, a_p, base + i * step);
    top = LARGER(top, v);
  }
  JOIN_LANES(top, LARGER);
  S sum = 0;
  long i = LANE;
#if W > 1
  if (step == 1) {
    V sums = (V)(S)0;
    for (; i + W <= length; i += W) sums += exp(LDV(IN, a_p, base + i) - top);
    sum = total(sums);
  }
#endif
  for (; i < length; i += lanes) sum += exp(LD(IN, a_p, base + i * step) - top);
  JOIN_LANES(sum, SUM_OF);
#ifdef LOG_SOFTMAX
  const S less = top + log(sum);
#define RESULT(v) ((v) - less)
#else
  const S by = (S)1 / sum;
#define RESULT(v) (exp((v) - top) * by)
#endif
  i = LANE;
#if W > 1
  if (step == 1)
    for (; i + W <= length; i += W)
      STV(DTYPE, c_p, base + i, RESULT(LDV(IN, a_p, base + i)));
#endif
  for (; i < length; i += lanes)
    ST(DTYPE, c_p, base + i * step, RESULT(LD(IN, a_p, base + i * step)));
}

#elif defined(SOFTMAX_BACKWARD) || defined(LOG_SOFTMAX_BACKWARD)
// a: gradient of the result, b: the result, c: gradient of the input.
kernel void run(ROW_PARAMETERS, long rows, long length, long step, int lanes, int along) {
  TEAM(S, lanes, along);
  const long outer = (long)over((ulong)ROW, (ulong)step);
  const long base = (outer * length - outer) * step + ROW;
  NO_ROW_FROM(rows);
  a_p += a_o;
  b_p += b_o;
  c_p += c_o;
  S sum = 0;
  for (long i = LANE; i < length; i += lanes) {
    const S g = LD(IN, a_p, base + i * step);
#ifdef LOG_SOFTMAX_BACKWARD
    sum += g;
#else
    sum += g * LD(IN, b_p, base + i * step);
#endif
  }
  JOIN_LANES(sum, SUM_OF);
  for (long i = LANE; i < length; i += lanes) {
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
                int has_weight, int has_bias, S eps, int lanes, int along) {
  TEAM(S, lanes, along);
  const long base = ROW * length;
  NO_ROW_FROM(rows);
  a_p += a_o, b_p += b_o, c_p += c_o, d_p += d_o;
  S mean = 0, squares = 0;
  for (long i = LANE; i < length; i += lanes) mean += LD(DTYPE, a_p, base + i);
  JOIN_LANES(mean, SUM_OF);
  mean /= (S)length;
  for (long i = LANE; i < length; i += lanes) {
    const S apart = LD(DTYPE, a_p, base + i) - mean;
    squares += apart * apart;
  }
  JOIN_LANES(squares, SUM_OF);
  const S inverse = (S)1 / sqrt(squares / (S)length + eps);
  for (long i = LANE; i < length; i += lanes) {
    S v = (LD(DTYPE, a_p, base + i) - mean) * inverse;
    if (has_weight) v *= LD(PARAM, b_p, i);
    if (has_bias) v += LD(PARAM, d_p, i);
    ST(DTYPE, c_p, base + i, v);
  }
  if (!is_row || LANE > 0) return;
  ST(STAT, e_p + e_o, ROW, mean);
  ST(STAT, f_p + f_o, ROW, inverse);
}

#elif defined(LAYER_NORM_BACKWARD)
// a: gradient of the result, b: input, d: weight, e: means, f: 1 / deviations,
// c: gradient of the input.
kernel void run(ROW_PARAMETERS, __global const char* d_p, long d_o, __global const char* e_p,
                long e_o, __global const char* f_p, long f_o, long rows, long length,
                int has_weight, int lanes, int along) {
  TEAM(S, lanes, along);
  const long base = ROW * length, count = length;
  NO_ROW_FROM(rows);
  a_p += a_o, b_p += b_o, c_p += c_o, d_p += d_o;
  const S mean = is_row ? LD(STAT, e_p + e_o, ROW) : 0;
  const S inverse = is_row ? LD(STAT, f_p + f_o, ROW) : 0;
  S sum = 0, product = 0;
  for (long i = LANE; i < length; i += lanes) {
    const S g = LD(DTYPE, a_p, base + i) * (has_weight ? LD(PARAM, d_p, i) : (S)1);
    sum += g;
    product += g * (LD(DTYPE, b_p, base + i) - mean) * inverse;
  }
  JOIN_LANES(sum, SUM_OF);
  JOIN_LANES(product, SUM_OF);
  for (long i = LANE; i < length; i += lanes) {
    const S g = LD(DTYPE, a_p, base + i) * (has_weight ? LD(PARAM, d_p, i) : (S)1);
    const S x = (LD(DTYPE, b_p, base + i) - mean) * inverse;
    ST(DTYPE, c_p, base + i, inverse * (g - (sum + x * product) / (S)count));
  }
}

#elif defined(LAYER_NORM_PARAMETERS)
// The gradients of weight and bias: a, b, e, f as above, c: of weight, d: of bias.
kernel void run(ROW_PARAMETERS, __global char* d_p, long d_o, __global const char* e_p,
                long e_o, __global const char* f_p, long f_o, long rows, long length,
                int has_weight, int has_bias, int lanes, int along) {
  TEAM(S, lanes, along);
  const long i = ROW;
  if (i >= length) rows = 0;
  a_p += a_o, b_p += b_o, e_p += e_o, f_p += f_o;
  S sum = 0, product = 0;
  for (long row = LANE; row < rows; row += lanes) {
    const S g = LD(DTYPE, a_p, row * length + i);
    sum += g;
    product +=
        g * (LD(DTYPE, b_p, row * length + i) - LD(STAT, e_p, row)) * LD(STAT, f_p, row);
  }
  JOIN_LANES(sum, SUM_OF);
  JOIN_LANES(product, SUM_OF);
  if (i >= length || LANE > 0) return;
  if (has_weight) ST(PARAM, c_p + c_o, i, product);
  if (has_bias) ST(PARAM, d_p + d_o, i, sum);
}

#elif defined(CHANNEL_STATISTICS)
// Of each channel, of |count| elements. a: means, b: variances (both of S), c: means, d: 1 /
// deviations; e and f: running means and variances, which go on by |momentum|.
kernel void run(ROW_PARAMETERS, __global char* d_p, long d_o, __global char* e_p, long e_o,
                __global char* f_p, long f_o, long channels, S count, int has_running,
                S momentum, S eps, int lanes, int along) {
  TEAM(S, lanes, along);
  const long k = ROW;
  if (k >= channels || LANE > 0) return;
  const S mean = AT(const S, a_p + a_o)[k], variance = AT(const S, b_p + b_o)[k];
  ST(STAT, c_p + c_o, k, mean);
  ST(STAT, d_p + d_o, k, (S)1 / sqrt(variance + eps));
  if (!has_running) return;
  e_p += e_o, f_p += f_o;
  ST(RUNNING, e_p, k, momentum * mean + (1 - momentum) * LD(RUNNING, e_p, k));
  ST(RUNNING, f_p, k,
     momentum * (variance * count) / (count - 1) + (1 - momentum) * LD(RUNNING, f_p, k));
}

#elif defined(CHANNEL_APPLY)
// a: input, b: weight, d: bias, e: means, f: variances or 1 / deviations, c: result.
kernel void run(ROW_PARAMETERS, __global const char* d_p, long d_o, __global const char* e_p,
                long e_o, __global const char* f_p, long f_o, long rows, long channels,
                long area, int has_weight, int has_bias, int is_variance, S eps, int lanes,
                int along) {
  TEAM(S, lanes, along);
  const long row = ROW;
  if (row >= rows) return;
  const long k = row - (long)over((ulong)row, (ulong)channels) * channels;
  const S mean = LD(STAT, e_p + e_o, k), f = LD(STAT, f_p + f_o, k);
  S scale = is_variance ? (S)1 / sqrt(f + eps) : f;
  if (has_weight) scale *= LD(PARAM, b_p + b_o, k);
  const S shift = has_bias ? LD(PARAM, d_p + d_o, k) : (S)0;
  a_p += a_o;
  c_p += c_o;
  for (long i = row * area + LANE; i < (row + 1) * area; i += lanes)
    ST(DTYPE, c_p, i, (LD(DTYPE, a_p, i) - mean) * scale + shift);
}

#elif defined(CHANNEL_SUMS)
// Parts of the sums that the gradients of channel k are made of, |length| elements of batch
// * area each. a: gradient of the result, b: input, e: means, c: sums of the gradient, d: of
// its product with input - mean, both of S: channels x pieces.
kernel void run(ROW_PARAMETERS, __global char* d_p, long d_o, __global const char* e_p,
                long e_o, long channels, long area, long count, long pieces, long length,
                int lanes, int along) {
  TEAM(S, lanes, along);
  const long piece = (long)over((ulong)ROW, (ulong)channels);
  const long k = ROW - piece * channels;
  const long end = piece < pieces ? min((piece + 1) * length, count) : 0;
  const S mean = LD(STAT, e_p + e_o, k);
  a_p += a_o, b_p += b_o;
  S sum = 0, product = 0;
  for (long i = piece * length + LANE; i < end; i += lanes) {
    const long at = channel_place(i, k, channels, area);
    const S g = LD(DTYPE, a_p, at);
    sum += g;
    product += g * (LD(DTYPE, b_p, at) - mean);
  }
  JOIN_LANES(sum, SUM_OF);
  JOIN_LANES(product, SUM_OF);
  if (piece >= pieces || LANE > 0) return;
  AT(S, c_p + c_o)[k * pieces + piece] = sum;
  AT(S, d_p + d_o)[k * pieces + piece] = product;
}

#elif defined(CHANNEL_BACKWARD)
// The gradients, from such sums (g and h), image by image. a: gradient of the result, b:
// input, d: weight, e and f as of CHANNEL_APPLY, c: gradient of the input, x and y: of
// weight and bias.
kernel void run(ROW_PARAMETERS, __global const char* d_p, long d_o, __global const char* e_p,
                long e_o, __global const char* f_p, long f_o, __global char* x_p, long x_o,
                __global char* y_p, long y_o, __global const char* g_p, long g_o,
                __global const char* h_p, long h_o, long batch, long channels, long area,
                long pieces, int has_weight, int is_variance, int is_training, int wanted,
                S eps, int lanes, int along) {
  TEAM(S, lanes, along);
  const bool is_row = ROW < batch * channels;
  const long image = is_row ? (long)over((ulong)ROW, (ulong)channels) : 0;
  const long k = is_row ? ROW - image * channels : 0;
  S sum = 0, product = 0;
  for (long i = LANE; i < pieces; i += lanes) {
    sum += AT(const S, g_p + g_o)[k * pieces + i];
    product += AT(const S, h_p + h_o)[k * pieces + i];
  }
  JOIN_LANES(sum, SUM_OF);
  JOIN_LANES(product, SUM_OF);
  if (!is_row) return;
  const S mean = LD(STAT, e_p + e_o, k), f = LD(STAT, f_p + f_o, k);
  const S inverse = is_variance ? (S)1 / sqrt(f + eps) : f;
  if (image == 0 && LANE == 0 && wanted & 2) ST(PARAM, x_p + x_o, k, product * inverse);
  if (image == 0 && LANE == 0 && wanted & 4) ST(PARAM, y_p + y_o, k, sum);
  if (!(wanted & 1)) return;
  const S scale = inverse * (has_weight ? LD(PARAM, d_p + d_o, k) : (S)1);
  const S count = (S)(batch * area);
  const S level = is_training ? sum / count : (S)0;
  const S slope = is_training ? product * inverse * inverse / count : (S)0;
  a_p += a_o, b_p += b_o, c_p += c_o;
  for (long i = ROW * area + LANE; i < (ROW + 1) * area; i += lanes) {
    const S x = LD(DTYPE, b_p, i) - mean;
    ST(DTYPE, c_p, i, (LD(DTYPE, a_p, i) - level - x * slope) * scale);
  }
}
#endif
