// SPDX-License-Identifier: Apache-2.0
// The rows without a tensor library: plain C loops, as the compiler makes them at the
// level of this machine, and the libraries that multiply matrices best.
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops_rows.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES \
  __attribute__((target_clones("default", "arch=haswell", "arch=skylake-avx512")))
#else
#define CLONES
#endif

static int64_t side_of(const ops_row* r) {
  int64_t side = ops_has_side(r->op) ? r->size : (int64_t)sqrt((double)r->size);
  return side < 1 ? 1 : side;
}

#define LOOP(name, declare, ...)                         \
  CLONES static void name(const void* row, long n) {     \
    const ops_row* r = row;                              \
    const ops_memory* m = ops_memory_get();              \
    const float* restrict a = m->a, * restrict b = m->b; \
    float* restrict c = m->c;                            \
    const int64_t size = r->size, side = side_of(r);     \
    (void)a, (void)b, (void)c, (void)size, (void)side;   \
    declare;                                             \
    for (long k = 0; k < n; k++) {                       \
      __VA_ARGS__;                                       \
      BENCH_BARRIER();                                   \
    }                                                    \
  }

LOOP(loop_add, , for (int64_t i = 0; i < size; i++) c[i] = a[i] + b[i])
LOOP(loop_transposed, ,
     for (int64_t i = 0; i < side; i++) for (int64_t j = 0; j < side; j++)
         c[i * side + j] = a[j * side + i] + b[i * side + j])
LOOP(loop_broadcast, ,
     for (int64_t i = 0; i < side; i++) for (int64_t j = 0; j < side; j++)
         c[i * side + j] = a[i * side + j] + b[j])
LOOP(loop_exp, , for (int64_t i = 0; i < size; i++) c[i] = expf(a[i]))
LOOP(loop_sum, double s, {
  s = 0;
  for (int64_t i = 0; i < size; i++) s += (double)a[i];
  c[0] = (float)s;
})
LOOP(
    loop_rows, double s, for (int64_t i = 0; i < side; i++) {
      s = 0;
      for (int64_t j = 0; j < side; j++) s += (double)a[i * side + j];
      c[i] = (float)s;
    })
LOOP(loop_columns, , {
  for (int64_t j = 0; j < side; j++) c[j] = 0;
  for (int64_t i = 0; i < side; i++)
    for (int64_t j = 0; j < side; j++) c[j] += a[i * side + j];
})
LOOP(
    loop_softmax, , for (int64_t i = 0; i < side; i++) {
      const float* x = a + i * side;
      float* y = c + i * side;
      float most = x[0], total = 0;
      for (int64_t j = 1; j < side; j++) most = x[j] > most ? x[j] : most;
      for (int64_t j = 0; j < side; j++) total += y[j] = expf(x[j] - most);
      for (int64_t j = 0; j < side; j++) y[j] /= total;
    })
LOOP(
    loop_layer_norm, , for (int64_t i = 0; i < side; i++) {
      const float* x = a + i * side;
      float mean = 0, square = 0;
      for (int64_t j = 0; j < side; j++) mean += x[j], square += x[j] * x[j];
      mean /= (float)side;
      float scale = 1 / sqrtf(square / (float)side - mean * mean + 1e-5f);
      for (int64_t j = 0; j < side; j++) c[i * side + j] = (x[j] - mean) * scale;
    })
LOOP(loop_index_select, ,
     for (int64_t i = 0; i < side; i++)
         memcpy(c + i * side, a + m->index[i] * side, (size_t)side * sizeof(float)))
LOOP(
    loop_mm, , for (int64_t i = 0; i < side; i++) {
      for (int64_t j = 0; j < side; j++) c[i * side + j] = 0;
      for (int64_t p = 0; p < side; p++)
        for (int64_t j = 0; j < side; j++)
          c[i * side + j] += a[i * side + p] * b[p * side + j];
    })

LOOP(
    loop_conv2d, const int64_t plane = side * side,
    for (int64_t o = 0; o < OPS_CHANNELS; o++) {
      float* to = c + o * plane;
      for (int64_t i = 0; i < plane; i++) to[i] = 0;
      for (int64_t t = 0; t < OPS_CHANNELS * 9; t++) {
        const float by = b[o * OPS_CHANNELS * 9 + t];
        const int64_t down = t % 9 / 3 - 1, right = t % 3 - 1;
        const int64_t top = down < 0, bottom = side - (down > 0);
        const int64_t left = right < 0, end = side - (right > 0);
        for (int64_t y = top; y < bottom; y++) {
          const float* x = a + t / 9 * plane + (y + down) * side + right;
          for (int64_t j = left; j < end; j++) to[y * side + j] += by * x[j];
        }
      }
    })
// Scores of one row at a time, behind the results.
LOOP(
    loop_attention, float* scores = c + OPS_HEADS * OPS_HEAD * r->size,
    for (int64_t h = 0; h < OPS_HEADS * side; h++) {
      const int64_t head = h / side * side * OPS_HEAD;
      const float *q = a + h * OPS_HEAD, *keys = b + head, *values = a + head;
      float *to = c + h * OPS_HEAD, most = -INFINITY, total = 0;
      for (int64_t j = 0; j < side; j++) {
        float dot = 0;
        for (int64_t i = 0; i < OPS_HEAD; i++) dot += q[i] * keys[j * OPS_HEAD + i];
        scores[j] = dot / 8;  // the root of OPS_HEAD
        most = scores[j] > most ? scores[j] : most;
      }
      for (int64_t j = 0; j < side; j++) total += scores[j] = expf(scores[j] - most);
      for (int64_t i = 0; i < OPS_HEAD; i++) to[i] = 0;
      for (int64_t j = 0; j < side; j++)
        for (int64_t i = 0; i < OPS_HEAD; i++)
          to[i] += scores[j] / total * values[j * OPS_HEAD + i];
    })

static int by_value(const void* x, const void* y) {
  float a = *(const float*)x, b = *(const float*)y;
  return (a > b) - (a < b);
}
static void loop_sort(const void* row, long n) {
  const ops_row* r = row;
  const ops_memory* m = ops_memory_get();
  for (long k = 0; k < n; k++) {
    memcpy(m->c, m->a, (size_t)r->size * sizeof(float));
    qsort(m->c, (size_t)r->size, sizeof(float), by_value);
  }
}
static void loop_empty(const void* row, long n) {
  const ops_row* r = row;
  for (long k = 0; k < n; k++) {
    void* block = malloc((size_t)r->size * sizeof(float));
    BENCH_OPAQUE(block);
    free(block);
  }
}

ops_other ops_loop_of(const char* op) {
  static const struct {
    const char* op;
    ops_other loop;
  } loops[] = {{"add", loop_add},
               {"add out=", loop_add},
               {"add transposed", loop_transposed},
               {"add broadcast", loop_broadcast},
               {"exp", loop_exp},
               {"sum", loop_sum},
               {"sum rows", loop_rows},
               {"sum columns", loop_columns},
               {"softmax", loop_softmax},
               {"layer_norm", loop_layer_norm},
               {"index_select", loop_index_select},
               {"sort", loop_sort},
               {"mm f32", loop_mm},
               {"conv2d", loop_conv2d},
               {"attention", loop_attention},
               {"empty", loop_empty}};
  for (size_t i = 0; i < BENCH_COUNT(loops); i++)
    if (strcmp(loops[i].op, op) == 0) return loops[i].loop;
  return NULL;
}

// --------------------------------------------------------------------- libraries

enum { ROW_MAJOR = 101, NO_TRANS = 111 };
static void (*g_sgemm)(int, int, int, int, int, int, float, const float*, int,
                       const float*, int, float, float*, int);
static void (*g_sbgemm)(int, int, int, int, int, int, float, const uint16_t*, int,
                        const uint16_t*, int, float, float*, int);
static int (*g_dnnl_sgemm)(char, char, int64_t, int64_t, int64_t, float, const float*,
                           int64_t, const float*, int64_t, float, float*, int64_t);
static int (*g_dnnl_i8)(char, char, char, int64_t, int64_t, int64_t, float, const int8_t*,
                        int64_t, int8_t, const int8_t*, int64_t, int8_t, float, int32_t*,
                        int64_t, const int32_t*);
static int (*g_dnnl_bf16)(char, char, int64_t, int64_t, int64_t, float, const uint16_t*,
                          int64_t, const uint16_t*, int64_t, float, float*, int64_t);
static void (*g_blas_threads)(int);
static void (*g_omp_threads)(int);

static void* open_one(const char* const* names) {
  for (; *names; names++) {
    void* library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
}

static void load(void) {
  static bool loaded;
  static const char* const blas[] = {"libopenblas.so.0", "libopenblas.so", NULL};
  static const char* const dnnl[] = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so", NULL};
  static const char* const omp[] = {"libgomp.so.1", NULL};
  if (loaded) return;
  loaded = true;
  void* library = open_one(blas);
  if (library) {
    *(void**)&g_sgemm = dlsym(library, "cblas_sgemm");
    *(void**)&g_sbgemm = dlsym(library, "cblas_sbgemm");
    *(void**)&g_blas_threads = dlsym(library, "openblas_set_num_threads");
  }
  if ((library = open_one(dnnl))) {
    *(void**)&g_dnnl_sgemm = dlsym(library, "dnnl_sgemm");
    *(void**)&g_dnnl_bf16 = dlsym(library, "dnnl_gemm_bf16bf16f32");
    *(void**)&g_dnnl_i8 = dlsym(library, "dnnl_gemm_s8s8s32");
  }
  if (library && (library = open_one(omp)))
    *(void**)&g_omp_threads = dlsym(library, "omp_set_num_threads");
}

static void blas_f32(const void* row, long n) {
  const int s = (int)((const ops_row*)row)->size;
  const ops_memory* m = ops_memory_get();
  for (long k = 0; k < n; k++)
    g_sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, s, s, s, 1, m->a, s, m->b, s, 0, m->c, s);
}
static void blas_bf16(const void* row, long n) {
  const int s = (int)((const ops_row*)row)->size;
  const ops_memory* m = ops_memory_get();
  for (long k = 0; k < n; k++)
    g_sbgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, s, s, s, 1, m->a_bf16, s, m->b_bf16, s, 0,
             m->c, s);
}
static void dnnl_f32(const void* row, long n) {
  const int64_t s = ((const ops_row*)row)->size;
  const ops_memory* m = ops_memory_get();
  for (long k = 0; k < n; k++)
    (void)g_dnnl_sgemm('N', 'N', s, s, s, 1, m->a, s, m->b, s, 0, m->c, s);
}

static void dnnl_i8(const void* row, long n) {
  const int64_t s = ((const ops_row*)row)->size;
  const ops_memory* m = ops_memory_get();
  const int32_t offset = 0;
  for (long k = 0; k < n; k++)
    (void)g_dnnl_i8('N', 'N', 'F', s, s, s, 1, m->a_i8, s, 0, m->b_i8, s, 0, 0,
                    (int32_t*)(void*)m->c, s, &offset);
}

// Results are of float.
static void dnnl_bf16(const void* row, long n) {
  const int64_t s = ((const ops_row*)row)->size;
  const ops_memory* m = ops_memory_get();
  for (long k = 0; k < n; k++)
    (void)g_dnnl_bf16('N', 'N', s, s, s, 1, m->a_bf16, s, m->b_bf16, s, 0, m->c, s);
}

// Of oneDNN what it has plain functions for: its primitives take structures that change with
// its versions. PyTorch calls those for mm of bfloat16 and for conv2d.
ops_other ops_library_of(const char* op, const char** out_name, size_t index) {
  load();
  *out_name = index == 0 ? "OpenBLAS" : "oneDNN";
  if (strcmp(op, "mm f32") == 0 || strcmp(op, "mm out= f32") == 0)
    return index == 0 ? (g_sgemm ? blas_f32 : NULL) : g_dnnl_sgemm ? dnnl_f32 : NULL;
  if (strcmp(op, "mm int8") == 0 && index == 1) return g_dnnl_i8 ? dnnl_i8 : NULL;
  if (strcmp(op, "mm bf16") == 0)
    return index == 0 ? (g_sbgemm ? blas_bf16 : NULL) : g_dnnl_bf16 ? dnnl_bf16 : NULL;
  return NULL;
}

void ops_libraries_threads(int threads) {
  load();
  if (g_blas_threads) g_blas_threads(threads);
  if (g_omp_threads) g_omp_threads(threads);
}
