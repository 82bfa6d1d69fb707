// SPDX-License-Identifier: Apache-2.0
// Operators whose results move by much when their arguments move by little. Two right
// algorithms, or one of them in two orders of addition, differ there by more than any
// tolerance of the dtype: each is exact for arguments that are some last places away.
#include <math.h>

#include "certify.h"

typedef struct sensitive {
  const char* name;
  const char* reason;
} sensitive;

// PyTorch gives these well-conditioned matrices in its tests; here they get any.
static const sensitive g_sensitive[] = {
    {"linalg_pinv",
     "1 / s of a singular value that is rounding alone, where rtol keeps it"},
    {"pinverse", "is linalg_pinv"},
    {"cholesky_inverse",
     "1 / (l * l) of a diagonal that is small; PyTorch's samples are "
     "factors of well-conditioned matrices"},
};

bool certify_is_sensitive(const certify_sample* s) {
  for (size_t i = 0; i < sizeof(g_sensitive) / sizeof(*g_sensitive); i++)
    if (oy_str_equal(s->schema->name.base, oy_str_of(g_sensitive[i].name))) return true;
  return false;
}

// Up and down in turn, by different amounts, so that what cancels does not stay.
static double moved(double x, int64_t i, double step) {
  return x * (1 + step * (double)(i % 7 - 3));
}

// A complex number counts as two.
static void move(oy_tensor* base) {
  const int64_t n = oy_tensor_numel(base) * (oy_dtype_is_complex(base->dtype) ? 2 : 1);
  const bool wide = base->dtype == OY_DTYPE_F64 || base->dtype == OY_DTYPE_C128;
  if (!wide && base->dtype != OY_DTYPE_F32 && base->dtype != OY_DTYPE_C64) return;
  void* data = oy_tensor_data(base);
  for (int64_t i = 0; data && i < n; i++)
    if (wide)
      ((double*)data)[i] = moved(((double*)data)[i], i, 0x1p-52);
    else
      ((float*)data)[i] = (float)moved(((float*)data)[i], i, 0x1p-23);
}

void certify_sample_move(certify_sample* s) {
  for (size_t i = 0; i < s->tensor_count; i++) move(s->tensors[i].base);
}
