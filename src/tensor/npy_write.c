// SPDX-License-Identifier: Apache-2.0
// Writing .npy files, byte for byte as numpy.save does.
#include "base/memory.h"
#include "base/strbuf.h"
#include "opyard/files.h"
#include "tensor/npy.h"

// Strides of a column-major array, which NumPy writes as it lies.
static bool is_fortran(const oyi_tensor* t) {
  int64_t expected = 1;
  if (t->flags & OYI_CONTIGUOUS) return false;
  for (size_t i = 0; i < t->ndim; i++) {
    if (t->sizes[i] == 1) continue;
    if (oyi_strides(t)[i] != expected) return false;
    expected *= t->sizes[i];
  }
  return true;
}

static void put_dict(oyi_strbuf* buf, const oyi_tensor* t, bool fortran) {
  const char* name = oyi_npy_name(t->header.dtype);
  oyi_strbuf_printf(buf, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
                    oyi_item(t) == 1 ? '|' : '<', name, fortran ? "True" : "False");
  for (size_t i = 0; i < t->ndim; i++)
    oyi_strbuf_printf(buf, "%s%lld", i ? ", " : "", (long long)t->sizes[i]);
  oyi_strbuf_puts(buf, t->ndim == 1 ? ",), }" : "), }");
  if (t->ndim == 0) return;
  // Room for the dimension along which such a file may be made longer.
  char digits[32];
  int64_t growing = t->sizes[fortran ? t->ndim - 1u : 0];
  int length = snprintf(digits, sizeof(digits), "%lld", (long long)growing);
  for (; length < 21; length++) oyi_strbuf_putc(buf, ' ');
}

// The length field, then the literal, with spaces so that elements begin at a multiple
// of 64 bytes.
static oy_status write_header(oyi_file_writer* w, const oyi_tensor* t, bool fortran) {
  oyi_strbuf dict = OYI_STRBUF_INIT;
  put_dict(&dict, t, fortran);
  size_t base = dict.size + 1 + 10 + 63 > UINT16_MAX ? 12 : 10;
  while ((base + dict.size + 1) % 64 != 0 && !dict.failed) oyi_strbuf_putc(&dict, ' ');
  oyi_strbuf_putc(&dict, '\n');
  unsigned char head[12] = OYI_NPY_MAGIC;
  head[6] = base == 10 ? 1 : 2;
  head[7] = 0;
  for (size_t i = 8; i < base; i++) head[i] = (unsigned char)(dict.size >> 8 * (i - 8));
  oy_status status = oyi_strbuf_status(&dict);
  if (status == OY_OK) status = oyi_file_write(w, head, base);
  if (status == OY_OK) status = oyi_file_write(w, dict.data, dict.size);
  oyi_strbuf_reset(&dict);
  return status;
}

oy_status oy_npy_save(const char* path, const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  OY_TRY(oyi_file_check_tensor(t));
  OY_CHECK(oyi_npy_name(t->header.dtype), NOT_IMPLEMENTED,
           "NumPy has no dtype for torch.%s; convert the tensor first",
           oy_dtype_name(t->header.dtype));
  oyi_file_writer w;
  bool fortran = is_fortran(t);
  OY_TRY(oyi_file_create(path, &w));
  oy_status status = write_header(&w, t, fortran);
  if (status == OY_OK) status = oyi_file_write_elements(&w, t, fortran);
  return oyi_file_commit(&w, status);
}
