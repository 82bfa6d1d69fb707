// SPDX-License-Identifier: Apache-2.0
// Matrix products. On CPUs a work-item computes a tile in vectors along the rows of the
// second matrix, which is copied where its rows are strided; on GPUs a group of
// work-items shares tiles in local memory.
#include "matrix.h"
#include "driver.h"

#include <stdlib.h>

#include "rows.h"
#include "text.h"

enum { CPU_WIDTH = 16, CPU_ROWS = 4, TILE = 16 };

typedef struct form {
  oy_dtype dtype;
  bool cpu;
} form;

static char* make_source(const gpu_device* device, const void* what) {
  const form* f = what;
  gpu_text t = {0};
  (void)device;
  oy_dtype work = gpu_compute_dtype(f->dtype);
  bool narrow = oy_dtype_size(work) < 4;
  gpu_text_begin(&t, work, f->cpu && !narrow ? CPU_WIDTH : 1, work == OY_DTYPE_F64);
  // Sums of small integers wrap, so a vector of one element would do as well.
  if (f->cpu && narrow)
    gpu_text_append(
        &t, "#define V S\n#define LDV LD\n#define VSTORE(v, i, p) (*(p) = (v))\n");
  gpu_text_add(&t, "#define DTYPE %s\n#define SIZE %zu\n", gpu_tag_name(f->dtype),
               oy_dtype_size(f->dtype));
  gpu_text_add(&t, f->cpu ? "#define CPU_TILE\n" : "#define TILE %d\n", TILE);
  gpu_text_append(&t, gpu_text_matrix);
  return gpu_text_take(&t);
}

// OPYARD_GPU_TILES=cpu|gpu takes the other one's tiles, for tests.
static bool wants_cpu_tiles(const gpu_device* d) {
  const char* asked = getenv("OPYARD_GPU_TILES");
  return asked ? asked[0] == 'c' : d->is_cpu;
}

static void push_number(gpu_launch* l, oy_dtype dtype, oy_scalar s) {
  double d = gpu_double(s);
  float f = (float)d;
  int64_t i = gpu_int(s);
  if (dtype == OY_DTYPE_F64)
    gpu_arg(l, &d, sizeof(d));
  else if (dtype == OY_DTYPE_F32)
    gpu_arg(l, &f, sizeof(f));
  else
    gpu_arg(l, &i, oy_dtype_size(dtype));
}

static void read_matrix(const oy_tensor* t, int64_t* row, int64_t* column,
                        int64_t* batch) {
  const int64_t* strides = oy_tensor_strides(t).data;
  int64_t ndim = oy_tensor_ndim(t);
  *row = strides[ndim - 2];
  *column = strides[ndim - 1];
  *batch = ndim == 3 ? strides[0] : 0;
}

static oy_status launch(gpu_call* call, const form* f, const gpu_product* p, oy_tensor* c,
                        oy_tensor* a, oy_tensor* b, oy_scalar alpha, oy_scalar beta) {
  gpu_launch l;
  gpu_kernel* kernel;
  uint64_t key[8] = {'M', f->dtype, f->cpu};
  OY_TRY(gpu_kernel_get(call->device, key, make_source, f, &kernel));
  gpu_launch_begin(&l, call->device);
  OY_TRY(gpu_arg_tensor(&l, a));
  OY_TRY(gpu_arg_tensor(&l, b));
  OY_TRY(gpu_arg_tensor(&l, c));
  push_number(&l, gpu_compute_dtype(f->dtype), alpha);
  push_number(&l, gpu_compute_dtype(f->dtype), beta);
  gpu_arg(&l, p, sizeof(*p));
  int64_t columns = oy_dtype_size(gpu_compute_dtype(f->dtype)) < 4 ? 2 : 2 * CPU_WIDTH;
  int64_t high = f->cpu ? CPU_ROWS : TILE, wide = f->cpu ? columns : TILE;
  int64_t tiles = (p->n + high - 1) / high * ((p->m + wide - 1) / wide) * p->batch;
  return f->cpu ? gpu_launch_run(&l, kernel, (size_t)tiles, 1)
                : gpu_launch_run(&l, kernel, (size_t)tiles * TILE * TILE, TILE * TILE);
}

oy_status gpu_matmul(gpu_call* call, oy_tensor* c, oy_tensor* a, oy_tensor* b,
                     oy_scalar alpha, oy_scalar beta) {
  form f = {c->dtype, wants_cpu_tiles(call->device)};
  gpu_product p;
  oy_ints sizes = oy_tensor_sizes(c), inner = oy_tensor_sizes(a);
  if (oy_tensor_numel(c) == 0) return OY_OK;
  OY_CHECK(c->dtype != OY_DTYPE_F64 || call->device->has_f64, NOT_IMPLEMENTED,
           "%s:%d (%s) has no float64", gpu_driver_name, call->device->index,
           call->device->name);
  p.n = sizes.data[sizes.size - 2];
  p.m = sizes.data[sizes.size - 1];
  p.k = inner.data[inner.size - 1];
  p.batch = sizes.size == 3 ? sizes.data[0] : 1;
  read_matrix(a, &p.a_row, &p.a_column, &p.a_batch);
  read_matrix(b, &p.b_row, &p.b_column, &p.b_batch);
  read_matrix(c, &p.c_row, &p.c_column, &p.c_batch);
  bool done = false;
  OY_TRY(
      gpu_driver_matmul(call, &p, c, a, b, gpu_double(alpha), gpu_double(beta), &done));
  if (done) return OY_OK;
  bool packs = f.cpu && p.b_column != 1 && p.n >= CPU_ROWS && p.m >= 2 * CPU_WIDTH;
  oy_tensor* packed =
      packs ? gpu_new(call, oy_tensor_sizes(b), b->dtype) : oy_tensor_retain(b);
  oy_status status = packed ? OY_OK : oy_failure();
  if (packs && status == OY_OK) {
    status = gpu_copy_elements(call->device, packed, b);
    read_matrix(packed, &p.b_row, &p.b_column, &p.b_batch);
  }
  if (status == OY_OK) status = launch(call, &f, &p, c, a, packed, alpha, beta);
  oy_tensor_release(packed);
  return status;
}

// ----------------------------------------------------------------------- operators

// mm, bmm
static oy_status multiply(gpu_call* c) {
  return gpu_matmul(c, c->out[0], c->args[0].as.object, c->args[1].as.object, oy_int(1),
                    oy_int(0));
}

// addmm, baddbmm: beta * self + alpha * a b, self broadcast. In place self is the result.
static oy_status add_product(gpu_call* c) {
  oy_scalar beta = c->args[3], alpha = c->args[4];
  oy_object* self = c->args[0].as.object;
  if (self != c->out[0] && gpu_double(beta) != 0)
    OY_TRY(gpu_copy_elements(c->device, c->out[0], self));
  return gpu_matmul(c, c->out[0], c->args[1].as.object, c->args[2].as.object, alpha,
                    beta);
}

// A view of a vector as a matrix of one row or column.
static oy_tensor* as_matrix(const oy_tensor* t, bool column) {
  int64_t n = oy_tensor_size(t, 0), step = oy_tensor_strides(t).data[0];
  int64_t sizes[2] = {column ? n : 1, column ? 1 : n};
  int64_t strides[2] = {column ? step : n * step, column ? 1 : step};
  return oy_tensor_as_strided(t, (oy_ints){sizes, 2}, (oy_ints){strides, 2},
                              oy_tensor_storage_offset(t));
}

// addmv: beta * self + alpha * matrix vector
static oy_status add_matrix_vector(gpu_call* c) {
  oy_object* self = c->args[0].as.object;
  if (self != c->out[0] && gpu_double(c->args[3]) != 0)
    OY_TRY(gpu_copy_elements(c->device, c->out[0], self));
  oy_tensor* vector = as_matrix(c->args[2].as.object, true);
  oy_tensor* result = as_matrix(c->out[0], true);
  oy_status status = vector && result ? gpu_matmul(c, result, c->args[1].as.object,
                                                   vector, c->args[4], c->args[3])
                                      : oy_failure();
  oy_tensor_release(vector);
  oy_tensor_release(result);
  return status;
}

static oy_status dot(gpu_call* c) {
  oy_tensor* a = as_matrix(c->args[0].as.object, false);
  oy_tensor* b = as_matrix(c->args[1].as.object, true);
  oy_tensor* result = oy_tensor_as_strided(c->out[0], OY_DIMS(1, 1), OY_DIMS(1, 1),
                                           oy_tensor_storage_offset(c->out[0]));
  oy_status status =
      a && b && result ? gpu_matmul(c, result, a, b, oy_int(1), oy_int(0)) : oy_failure();
  oy_tensor_release(a);
  oy_tensor_release(b);
  oy_tensor_release(result);
  return status;
}

// Products of bools are refused by the CPU, and in its words.
static bool takes_numbers(const gpu_call* c) {
  for (size_t i = 0; i < c->arg_count; i++)
    if (gpu_is_tensor(c->args[i]) && c->args[i].as.object->dtype == OY_DTYPE_BOOL)
      return false;
  return true;
}

static const gpu_row g_rows[] = {
    {"mm", multiply, NULL, 0, 0, takes_numbers},
    {"mm.out", multiply, NULL, 1, 0, takes_numbers},
    {"bmm", multiply, NULL, 0, 0, takes_numbers},
    {"bmm.out", multiply, NULL, 1, 0, takes_numbers},
    {"addmm", add_product, NULL, 0, 0, takes_numbers},
    {"addmm.out", add_product, NULL, 1, 0, takes_numbers},
    {"addmm_", add_product, NULL, 0, 0, takes_numbers},
    {"baddbmm", add_product, NULL, 0, 0, takes_numbers},
    {"baddbmm.out", add_product, NULL, 1, 0, takes_numbers},
    {"baddbmm_", add_product, NULL, 0, 0, takes_numbers},
    {"addmv", add_matrix_vector, NULL, 0, 0, takes_numbers},
    {"addmv.out", add_matrix_vector, NULL, 1, 0, takes_numbers},
    {"addmv_", add_matrix_vector, NULL, 0, 0, takes_numbers},
    {"dot", dot, NULL, 0, 0, takes_numbers},
};

gpu_rows gpu_rows_matrix(void) {
  return (gpu_rows){g_rows, sizeof(g_rows) / sizeof(*g_rows)};
}
