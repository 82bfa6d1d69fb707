// SPDX-License-Identifier: Apache-2.0
// How a tangent is printed with its tensor: as a tensor, and one element as Python's number,
// which is what PyTorch's format makes of it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "layers/autograd/forward/forward.h"

// The fewest digits that are that number.
static void print_digits(double v, oyi_strbuf* buf) {
  char text[40];
  if (isnan(v) || isinf(v)) {
    oyi_strbuf_puts(buf, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, v);
    if (strtod(text, NULL) == v) break;
  }
  // Python goes over to exponents one digit later.
  if (strchr(text, 'e') && fabs(v) >= 1 && fabs(v) < 1e16)
    snprintf(text, sizeof(text), "%.0f", v);
  oyi_strbuf_puts(buf, text);
}

static void print_real(double v, oyi_strbuf* buf) {
  const size_t before = buf->size;
  print_digits(v, buf);
  if (buf->data && !buf->failed && !strpbrk(buf->data + before, ".en"))
    oyi_strbuf_puts(buf, ".0");
}

static void print_complex(oy_complex v, oyi_strbuf* buf) {
  const bool both = v.re != 0 || signbit(v.re);
  if (both) {
    oyi_strbuf_putc(buf, '(');
    print_digits(v.re, buf);
    if (!signbit(v.im) || isnan(v.im)) oyi_strbuf_putc(buf, '+');
  }
  print_digits(v.im, buf);
  oyi_strbuf_puts(buf, both ? "j)" : "j");
}

static bool print_number(const oy_object* tangent, oyi_strbuf* buf) {
  oy_scalar s;
  if (oy_tensor_get(tangent, (oy_ints){NULL, 0}, &s) != OY_OK) {
    oy_error_clear();
    return false;
  }
  if (s.tag == OY_TAG_COMPLEX)
    print_complex(*s.as.complex_data, buf);
  else
    print_real(s.as.d, buf);
  return true;
}

static void print_tensor(const oy_object* tangent, oyi_strbuf* buf) {
  char* text = NULL;
  if (oy_tensor_print(tangent, &text) == OY_OK) oyi_strbuf_puts(buf, text);
  oyi_free(text);
}

void oyi_tangent_print(const oyi_tensor* t, oyi_strbuf* buf) {
  oy_object* tangent;
  if (oyi_tangent_find((oyi_tensor*)(uintptr_t)t, &tangent) != OY_OK) oy_error_clear();
  if (!tangent) return;
  if (buf->size) oyi_strbuf_putc(buf, 0);
  oyi_strbuf_puts(buf, "tangent=");
  // NOLINT: tangents are tensors
  if (oyi_tensor_cast(tangent)->ndim > 0 || !print_number(tangent, buf))
    print_tensor(tangent, buf);
  oy_tensor_release(tangent);
}
