// SPDX-License-Identifier: Apache-2.0
// equal: whether two tensors are the same all over. It stops at the first row that
// differs, and allocates nothing for operands of one dtype.
#include "backends/cpu/kernels.h"
#include "backends/cpu/loops/loops.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"

enum { PIECE = 4096 };

typedef struct comparison {
  oyi_loop loop;
  bool* differ;
} comparison;

// The operands are inputs both; what the loop of "not equal" gives is looked at here.
static void compare_rows(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  const comparison* c = args;
  uint8_t differs[PIECE];
  for (int64_t done = 0; done < n && !__atomic_load_n(c->differ, __ATOMIC_RELAXED);
       done += PIECE) {
    int64_t count = n - done < PIECE ? n - done : PIECE;
    char* const at[] = {(char*)differs, data[0] + done * strides[0],
                        data[1] + done * strides[1]};
    const int64_t steps[] = {1, strides[0], strides[1]};
    c->loop(count, at, steps, NULL);
    if (memchr(differs, 1, (size_t)count))
      __atomic_store_n(c->differ, true, __ATOMIC_RELAXED);
  }
}

// In the dtype that both go to, the 16-bit floats in f32.
static oy_status compare(const oyi_tensor* a, const oyi_tensor* b, bool* out) {
  oy_dtype dtype;
  OY_TRY(oy_dtype_promote(a->header.dtype, b->header.dtype, &dtype));
  if (dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16) dtype = OY_DTYPE_F32;
  oyi_tensor* x = a->header.dtype != dtype ? oyi_converted(a, dtype) : NULL;
  oyi_tensor* y = b->header.dtype != dtype ? oyi_converted(b, dtype) : NULL;
  if ((!x && a->header.dtype != dtype) || (!y && b->header.dtype != dtype)) {
    oy_tensor_release(oyi_tensor_object(x));
    oy_tensor_release(oyi_tensor_object(y));
    return OY_OUT_OF_MEMORY;
  }
  oyi_loop loop = dtype < OYI_LOOP_DTYPES ? oyi_cpu_loops[OYI_LOOP_ne][dtype] : NULL;
  if (!loop) {
    oy_tensor_release(oyi_tensor_object(x));
    oy_tensor_release(oyi_tensor_object(y));
    return OY_FAIL(NOT_IMPLEMENTED, "\"equal_notify_cpu\" not implemented for '%s'",
                   oy_dtype_pytorch_name(dtype));
  }
  bool differ = false;
  comparison c = {loop, &differ};
  const oyi_tensor* operands[] = {x ? x : a, y ? y : b};
  oyi_iter it;
  oyi_iter_plain(&it, operands, 2);
  oyi_iter_run(&it, compare_rows, &c);
  oy_tensor_release(oyi_tensor_object(x));
  oy_tensor_release(oyi_tensor_object(y));
  *out = !differ;
  return OY_OK;
}

OYI_CPU(equal) {
  *out_result = false;
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  if (!b) return oy_failure();
  OY_TRY(oyi_check_same_device(a, b));
  if (!oyi_same_sizes(oyi_sizes_view(a), oyi_sizes_view(b))) return OY_OK;
  OY_CHECK(!oyi_is_meta(a), NOT_IMPLEMENTED,
           "aten::equal: the result depends on data, which meta tensors do not have");
  OY_CHECK(a->numel == 0 || (oyi_data(a) && oyi_data(b)), NOT_IMPLEMENTED,
           "a CPU kernel was given a tensor without data");
  return compare(a, b, out_result);
}
