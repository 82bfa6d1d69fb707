// SPDX-License-Identifier: Apache-2.0
// cuBLASLt of the simulated driver: products by columns, in double, on a stream.
#include <stdlib.h>
#include <string.h>

#include "sim.h"

typedef struct layout {
  int type;
  uint64_t rows, columns;
  int64_t leading, stride;
  int32_t batch;
} layout;
typedef struct desc {
  int scale;
  int32_t turned[2];
} desc;

static uint64_t g_products;
uint64_t cudasim_products(void) {
  return g_products;
}

static int make(void** out, size_t size) {
  *out = calloc(1, size);
  return *out ? 0 : 3;
}
static int drop(void* object) {
  free(object);
  return 0;
}

int cublasLtCreate(void** out) {
  return make(out, 8);
}
int cublasLtDestroy(void* handle) {
  return drop(handle);
}
int cublasLtMatmulDescCreate(void** out, int compute_type, int scale_type) {
  if ((compute_type == 70) != (scale_type == 1)) return 7;
  int code = make(out, sizeof(desc));
  if (code == 0) ((desc*)*out)->scale = scale_type;
  return code;
}
int cublasLtMatmulDescDestroy(void* d) {
  return drop(d);
}
int cublasLtMatmulDescSetAttribute(void* d, int attribute, const void* value,
                                   size_t size) {
  if (size != 4 || attribute < 3 || attribute > 4) return 7;
  memcpy(&((desc*)d)->turned[attribute - 3], value, 4);
  return 0;
}
int cublasLtMatrixLayoutCreate(void** out, int type, uint64_t rows, uint64_t columns,
                               int64_t leading) {
  if (leading < (int64_t)rows) return 7;
  int code = make(out, sizeof(layout));
  if (code == 0) *(layout*)*out = (layout){type, rows, columns, leading, 0, 1};
  return code;
}
int cublasLtMatrixLayoutDestroy(void* l) {
  return drop(l);
}
int cublasLtMatrixLayoutSetAttribute(void* l, int attribute, const void* value,
                                     size_t size) {
  layout* to = l;
  if (attribute == 5 && size == 4)
    memcpy(&to->batch, value, 4);
  else if (attribute == 6 && size == 8)
    memcpy(&to->stride, value, 8);
  else
    return 7;
  return 0;
}
int cublasLtMatmulPreferenceCreate(void** out) {
  return make(out, 8);
}
int cublasLtMatmulPreferenceDestroy(void* preference) {
  return drop(preference);
}
int cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute,
                                         const void* value, size_t size) {
  (void)preference, (void)value;
  return (attribute == 1 && size == 8) || (attribute >= 5 && attribute <= 8 && size == 4)
             ? 0
             : 7;
}
int cublasLtMatmulAlgoGetHeuristic(void* handle, void* d, void* a, void* b, void* c,
                                   void* to, void* preference, int wanted,
                                   struct cublas_choice* out_choices, int* out_count) {
  (void)handle, (void)d, (void)a, (void)b, (void)c, (void)to, (void)preference;
  memset(out_choices, 0, sizeof(*out_choices) * (size_t)wanted);
  out_choices->workspace = 1000;
  *out_count = 1;
  return 0;
}

// -------------------------------------------------------------------- the product

typedef struct product {
  desc d;
  layout a, b, c;
  double alpha, beta;
  uint64_t at_a, at_b, at_c;
} product;

static double from_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double size = exponent == 0    ? fraction * 0x1p-24
                : exponent == 31 ? (fraction ? __builtin_nan("") : __builtin_inf())
                                 : (1024 + fraction) * __builtin_ldexp(1, exponent - 25);
  return bits & 0x8000 ? -size : size;
}
static uint16_t to_half(double x) {
  uint16_t sign = __builtin_signbit(x) ? 0x8000 : 0, best = 0;
  double size = __builtin_fabs(x);
  if (size != size) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  // Positive halves are in the order of their bits: the last that is not above.
  for (uint16_t step = 0x4000; step; step >>= 1)
    if (from_half(best + step) <= size) best += step;
  double under = size - from_half(best), over = from_half(best + 1) - size;
  if (best < 0x7bff && (over < under || (over == under && (best & 1)))) best++;
  return sign | best;
}

static double get(const layout* l, uint64_t at, int64_t i) {
  const char* p = (const char*)(uintptr_t)at;
  uint32_t bits;
  float f;
  if (l->type == 1) return ((const double*)(const void*)p)[i];
  if (l->type == 0) return (double)((const float*)(const void*)p)[i];
  if (l->type == 2) return from_half(((const uint16_t*)(const void*)p)[i]);
  bits = (uint32_t)((const uint16_t*)(const void*)p)[i] << 16;
  memcpy(&f, &bits, 4);
  return (double)f;
}
static void put(const layout* l, uint64_t at, int64_t i, double x) {
  char* p = (char*)(uintptr_t)at;
  float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  if (l->type == 1)
    ((double*)(void*)p)[i] = x;
  else if (l->type == 0)
    ((float*)(void*)p)[i] = f;
  else if (l->type == 2)
    ((uint16_t*)(void*)p)[i] = to_half((double)f);
  else
    ((uint16_t*)(void*)p)[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void one(const product* p, int64_t batch, int64_t i, int64_t j) {
  int64_t k = (int64_t)(p->d.turned[0] ? p->a.rows : p->a.columns);
  int64_t a = batch * p->a.stride, b = batch * p->b.stride;
  double sum = 0;
  for (int64_t q = 0; q < k; q++)
    sum += get(&p->a, p->at_a,
               a + (p->d.turned[0] ? q + i * p->a.leading : i + q * p->a.leading)) *
           get(&p->b, p->at_b,
               b + (p->d.turned[1] ? j + q * p->b.leading : q + j * p->b.leading));
  int64_t at = batch * p->c.stride + i + j * p->c.leading;
  put(&p->c, p->at_c, at,
      p->alpha * sum + (p->beta != 0 ? p->beta * get(&p->c, p->at_c, at) : 0));
}

static int multiply(sim_work* w) {
  const product* p = (const product*)(uintptr_t)w->from;
  for (int64_t batch = 0; batch < p->c.batch; batch++)
    for (int64_t j = 0; j < (int64_t)p->c.columns; j++)
      for (int64_t i = 0; i < (int64_t)p->c.rows; i++) one(p, batch, i, j);
  free((void*)(uintptr_t)w->from);
  return SIM_OK;
}

int cublasLtMatmul(void* handle, void* d, const void* alpha, const void* a,
                   void* a_layout, const void* b, void* b_layout, const void* beta,
                   const void* c, void* c_layout, void* to, void* d_layout,
                   const void* algo, void* workspace, size_t workspace_size,
                   void* stream) {
  (void)handle, (void)algo, (void)d_layout;
  if (c != to || !workspace || workspace_size != 1000) return 7;
  product* p = calloc(1, sizeof(*p));
  if (!p) return 3;
  p->d = *(desc*)d;
  p->a = *(layout*)a_layout, p->b = *(layout*)b_layout, p->c = *(layout*)c_layout;
  bool wide = p->d.scale == 1;
  p->alpha = wide ? *(const double*)alpha : (double)*(const float*)alpha;
  p->beta = wide ? *(const double*)beta : (double)*(const float*)beta;
  p->at_a = (uint64_t)(uintptr_t)a, p->at_b = (uint64_t)(uintptr_t)b;
  p->at_c = (uint64_t)(uintptr_t)to;
  sim_work w = {.run = multiply, .from = (uint64_t)(uintptr_t)p};
  pthread_mutex_lock(&sim_lock);
  int code = sim_put(stream, w);
  g_products++;
  pthread_mutex_unlock(&sim_lock);
  if (code != SIM_OK) free(p);
  return code == SIM_OK ? 0 : 14;
}
