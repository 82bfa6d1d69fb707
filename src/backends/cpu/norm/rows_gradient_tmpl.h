// SPDX-License-Identifier: Apache-2.0
// The gradients of normalised rows, for one type. Part of rows_tmpl.h.

// Sums of grad * weight, and of the same times (in - mean).
static void F(products)(int64_t n, const void* grad_, const void* in_, double mean_,
                        const void* weight_, double* sums) {
  const T *grad = grad_, *in = in_, *weight = weight_, mean = (T)mean_;
  V a = F(splat)(0), b = a;
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    V g = F(load)(grad + i);
    if (weight) g *= F(load)(weight + i);
    a += g;
    b += g * (F(load)(in + i) - mean);
  }
  sums[0] = F(add_lanes)(a);
  sums[1] = F(add_lanes)(b);
  for (; i < n; i++) {
    const double g = (double)grad[i] * (weight ? (double)weight[i] : 1);
    sums[0] += g;
    sums[1] += g * ((double)in[i] - mean_);
  }
}

// grad * weight * scale + (in - mean) * slope + shift
static void F(blend)(int64_t n, const void* grad_, const void* in_, void* out_,
                     double mean_, const void* weight_, const double* by) {
  const T *grad = grad_, *in = in_, *weight = weight_, mean = (T)mean_;
  const T scale = (T)by[0], slope = (T)by[1], shift = (T)by[2];
  T* out = out_;
  if (weight) {
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++)
      out[i] = grad[i] * weight[i] * scale + (in[i] - mean) * slope + shift;
  } else {
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++)
      out[i] = grad[i] * scale + (in[i] - mean) * slope + shift;
  }
}

// Adds grad * (in - mean) * rstd to |weights|, and grad to |biases|.
static void F(add_products)(int64_t n, const void* grad_, const void* in_, double mean_,
                            double rstd_, void* weights_, void* biases_) {
  const T *grad = grad_, *in = in_, mean = (T)mean_, rstd = (T)rstd_;
  T *weights = weights_, *biases = biases_;
  OYI_INDEPENDENT
  for (int64_t i = 0; i < n; i++) {
    weights[i] += grad[i] * (in[i] - mean) * rstd;
    biases[i] += grad[i];
  }
}
