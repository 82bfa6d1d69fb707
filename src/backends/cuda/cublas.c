// SPDX-License-Identifier: Apache-2.0
// Products of matrices by cuBLASLt. It takes matrices by columns, and ours lie by rows: so
// the transposed product of the transposed matrices is asked for, which is the same memory.
#include <dlfcn.h>
#include <stdlib.h>

#include "cuda_runtime.h"
#include "gpu/matrix.h"

enum { WORKSPACE = 32 << 20 };

cublas_api cublas;
static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static bool g_is_open;

static const char* const g_names[] = {
#define CUBLAS_FN(name, parameters) "cublasLt" #name,
#include "cublas_api.def"
#undef CUBLAS_FN
};

static void open_library(void) {
  static const char* const names[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                      "libcublasLt.so.11",
                                      "/usr/local/cuda/lib64/libcublasLt.so"};
  const char* path = getenv("OPYARD_CUDA_CUBLASLT");
  void* library = path && path[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  for (size_t i = 0; !path && !library && i < sizeof(names) / sizeof(*names); i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  void** slots = (void**)&cublas;
  g_is_open = library != NULL;
  for (size_t i = 0; g_is_open && i < sizeof(g_names) / sizeof(*g_names); i++)
    g_is_open = (slots[i] = dlsym(library, g_names[i])) != NULL;
}

bool cublas_api_open(void) {
  pthread_once(&g_once, open_library);
  return g_is_open;
}

static oy_status refused(int code, const char* call) {
  return OY_FAIL(INTERNAL, "cublasLt%s: error %d", call, code);
}
#define CUBLAS_TRY(function, ...)                                                \
  do {                                                                           \
    int cublas_code_ = cublas.function(__VA_ARGS__);                             \
    if (OY_UNLIKELY(cublas_code_ != 0)) return refused(cublas_code_, #function); \
  } while (0)

// One matrix as the library sees it.
typedef struct matrix {
  uint64_t rows, columns;  // by columns
  int64_t leading, batch;
  bool turned;  // it is the transposed one of what is wanted
  uint64_t address;
  void* layout;
} matrix;

// |rows| x |columns|, with the strides of both; what is wanted is its transposed matrix.
static bool matrix_of(matrix* m, int64_t rows, int64_t columns, int64_t row,
                      int64_t column, int64_t batch) {
  m->batch = batch;
  m->layout = NULL;
  if ((column == 1 || columns == 1) && (rows == 1 || row >= columns)) {
    m->rows = (uint64_t)columns, m->columns = (uint64_t)rows;
    m->leading = rows == 1 ? columns : row;
    m->turned = false;
    return true;
  }
  if ((row == 1 || rows == 1) && (columns == 1 || column >= rows)) {
    m->rows = (uint64_t)rows, m->columns = (uint64_t)columns;
    m->leading = columns == 1 ? rows : column;
    m->turned = true;
    return true;
  }
  return false;
}

typedef struct multiply {
  gpu_device* device;
  oy_dtype dtype;
  int64_t batch;
  matrix a, b, c;  // c = a b, as the library sees them
  double alpha, beta;
  void *desc, *preference;
  gpu_block* workspace;
} multiply;

static bool takes(multiply* x, const gpu_product* p) {
  bool known = x->dtype == OY_DTYPE_F32 || x->dtype == OY_DTYPE_F64 ||
               x->dtype == OY_DTYPE_F16 || x->dtype == OY_DTYPE_BF16;
  return known && p->k > 0 && p->batch <= INT32_MAX &&
         matrix_of(&x->a, p->k, p->m, p->b_row, p->b_column, p->b_batch) &&
         matrix_of(&x->b, p->n, p->k, p->a_row, p->a_column, p->a_batch) &&
         matrix_of(&x->c, p->n, p->m, p->c_row, p->c_column, p->c_batch) && !x->c.turned;
}

static int type_of(oy_dtype dtype) {
  return dtype == OY_DTYPE_F64   ? CUBLAS_F64
         : dtype == OY_DTYPE_F16 ? CUBLAS_F16
         : dtype == OY_DTYPE_F32 ? CUBLAS_F32
                                 : CUBLAS_BF16;
}

static oy_status make_layout(const multiply* x, matrix* m) {
  int32_t count = (int32_t)x->batch;
  CUBLAS_TRY(MatrixLayoutCreate, &m->layout, type_of(x->dtype), m->rows, m->columns,
             m->leading);
  if (count == 1) return OY_OK;
  CUBLAS_TRY(MatrixLayoutSetAttribute, m->layout, CUBLAS_LAYOUT_BATCH, &count,
             sizeof(count));
  CUBLAS_TRY(MatrixLayoutSetAttribute, m->layout, CUBLAS_LAYOUT_BATCH_STRIDE, &m->batch,
             sizeof(m->batch));
  return OY_OK;
}

// The largest power of two up to 256 that the address is a multiple of.
static uint32_t alignment_of(const matrix* m) {
  uint64_t lowest = m->address & (0 - m->address);
  return lowest == 0 || lowest > 256 ? 256 : (uint32_t)lowest;
}

static oy_status describe(multiply* x) {
  bool wide = x->dtype == OY_DTYPE_F64;
  int32_t turned = CUBLAS_TRANSPOSE;
  uint64_t room = WORKSPACE;
  CUBLAS_TRY(MatmulDescCreate, &x->desc, wide ? CUBLAS_IN_F64 : CUBLAS_IN_F32,
             wide ? CUBLAS_F64 : CUBLAS_F32);
  if (x->a.turned)
    CUBLAS_TRY(MatmulDescSetAttribute, x->desc, CUBLAS_DESC_TRANS_A, &turned,
               sizeof(turned));
  if (x->b.turned)
    CUBLAS_TRY(MatmulDescSetAttribute, x->desc, CUBLAS_DESC_TRANS_B, &turned,
               sizeof(turned));
  OY_TRY(make_layout(x, &x->a));
  OY_TRY(make_layout(x, &x->b));
  OY_TRY(make_layout(x, &x->c));
  CUBLAS_TRY(MatmulPreferenceCreate, &x->preference);
  CUBLAS_TRY(MatmulPreferenceSetAttribute, x->preference, CUBLAS_PREF_WORKSPACE, &room,
             sizeof(room));
  const matrix* of[] = {&x->a, &x->b, &x->c, &x->c};
  for (int i = 0; i < 4; i++) {
    uint32_t bytes = alignment_of(of[i]);
    CUBLAS_TRY(MatmulPreferenceSetAttribute, x->preference, CUBLAS_PREF_ALIGNMENT_A + i,
               &bytes, sizeof(bytes));
  }
  return OY_OK;
}

static oy_status run(multiply* x, bool* out_done) {
  cublas_choice choice;
  int count = 0;
  void *queue, *handle = x->device->library;
  OY_TRY(describe(x));
  int code = cublas.MatmulAlgoGetHeuristic(handle, x->desc, x->a.layout, x->b.layout,
                                           x->c.layout, x->c.layout, x->preference, 1,
                                           &choice, &count);
  if (code == CUBLAS_NOT_SUPPORTED || (code == 0 && count == 0)) return OY_OK;
  if (code != 0) return refused(code, "MatmulAlgoGetHeuristic");
  if (choice.workspace) OY_TRY(gpu_block_new(x->device, choice.workspace, &x->workspace));
  OY_TRY(gpu_queue_current(x->device, &queue));
  float alpha = (float)x->alpha, beta = (float)x->beta;
  bool wide = x->dtype == OY_DTYPE_F64;
  void* c = (void*)(uintptr_t)x->c.address;
  CUBLAS_TRY(Matmul, handle, x->desc, wide ? (void*)&x->alpha : (void*)&alpha,
             (void*)(uintptr_t)x->a.address, x->a.layout, (void*)(uintptr_t)x->b.address,
             x->b.layout, wide ? (void*)&x->beta : (void*)&beta, c, x->c.layout, c,
             x->c.layout, choice.algorithm, x->workspace ? x->workspace->handle : NULL,
             choice.workspace, queue);
  *out_done = true;
  return OY_OK;
}

static void give_up(multiply* x) {
  if (x->preference) cublas.MatmulPreferenceDestroy(x->preference);
  matrix* of[] = {&x->a, &x->b, &x->c};
  for (int i = 0; i < 3; i++)
    if (of[i]->layout) cublas.MatrixLayoutDestroy(of[i]->layout);
  if (x->desc) cublas.MatmulDescDestroy(x->desc);
  gpu_block_release(x->workspace);
}

static oy_status make_handle(gpu_device* d) {
  oy_status status = OY_OK;
  if (__atomic_load_n(&d->library, __ATOMIC_ACQUIRE)) return OY_OK;
  pthread_mutex_lock(&d->build_lock);
  if (!d->library) {
    void* handle = NULL;
    int code = cublas.Create(&handle);
    if (code == 0)
      __atomic_store_n(&d->library, handle, __ATOMIC_RELEASE);
    else
      status = refused(code, "Create");
  }
  pthread_mutex_unlock(&d->build_lock);
  return status;
}

static oy_status place(gpu_device* d, matrix* m, oy_tensor* t) {
  gpu_block* block = oy_tensor_storage_context(t);
  OY_CHECK(block && block->device == d, INVALID_ARGUMENT, "expected memory of cuda:%d",
           d->index);
  gpu_block_used(block, gpu_stream_current(d));
  m->address = block->address + oy_tensor_byte_offset(t);
  return OY_OK;
}

oy_status gpu_driver_matmul(gpu_call* call, const gpu_product* p, oy_tensor* c,
                            oy_tensor* a, oy_tensor* b, double alpha, double beta,
                            bool* out_done) {
  multiply x = {.device = call->device, .dtype = c->dtype, .batch = p->batch};
  *out_done = false;
  if (!takes(&x, p) || !cublas_api_open()) return OY_OK;
  x.alpha = alpha;
  x.beta = beta;
  OY_TRY(cuda_enter(x.device));
  OY_TRY(make_handle(x.device));
  OY_TRY(place(x.device, &x.a, b));
  OY_TRY(place(x.device, &x.b, a));
  OY_TRY(place(x.device, &x.c, c));
  oy_status status = run(&x, out_done);
  give_up(&x);
  return status;
}

void cuda_cublas_close(gpu_device* d) {
  if (d->library && cuda.CtxSetCurrent(d->context) == CUDA_OK) cublas.Destroy(d->library);
}
