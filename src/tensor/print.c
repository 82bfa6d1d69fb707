// SPDX-License-Identifier: Apache-2.0
// Tensors as text, by the rules of PyTorch's printer: a number format chosen from
// the values (integers, four digits, or scientific), aligned columns, lines of
// at most 80 characters, and no more than three items at each edge of tensors
// with over 1000 elements.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "tensor/element.h"
#include "tensor/impl.h"

enum { LINE = 80, EDGE = 3, THRESHOLD = 1000, NUMBER = 64 };

typedef struct printer {
  const oyi_tensor* t;
  oyi_strbuf buf;
  bool summarize;
  // The number format.
  bool floating, integers, scientific;
  int width;
  double least, greatest;  // of the finite, nonzero magnitudes
} printer;

// ------------------------------------------------------------------- numbers

static int format_float(const printer* p, double value, char* out) {
  if (isnan(value)) return snprintf(out, NUMBER, "nan");
  if (isinf(value)) return snprintf(out, NUMBER, value < 0 ? "-inf" : "inf");
  if (p->scientific) return snprintf(out, NUMBER, "%.4e", value);
  return snprintf(out, NUMBER, p->integers ? "%.0f." : "%.4f", value);
}

static int format_number(const printer* p, const char* at, char* out) {
  oy_dtype dtype = p->t->header.dtype;
  oyi_number n = oyi_element_load(dtype, at);
  if (n.kind == OYI_NUMBER_COMPLEX) {
    int length = format_float(p, n.re, out);
    if (!signbit(n.im)) out[length++] = '+';
    length += format_float(p, n.im, out + length);
    length += snprintf(out + length, NUMBER, "j");
    return length;
  }
  if (p->floating) return format_float(p, n.re, out);
  if (dtype == OY_DTYPE_BOOL) return snprintf(out, NUMBER, n.i ? "True" : "False");
  if (n.kind == OYI_NUMBER_UINT)
    return snprintf(out, NUMBER, "%llu", (unsigned long long)n.i);
  return snprintf(out, NUMBER, "%lld", (long long)n.i);
}

static bool is_hidden(const printer* p, int64_t i, int64_t size) {
  return p->summarize && size > 2 * EDGE && i >= EDGE && i < size - EDGE;
}

typedef void (*visit_fn)(printer* p, const char* at);

// Calls |visit| for every element that will be printed.
static void each(printer* p, size_t dim, const char* at, visit_fn visit) {
  if (dim == p->t->ndim) {
    visit(p, at);
    return;
  }
  int64_t size = p->t->sizes[dim];
  int64_t step = oyi_strides(p->t)[dim] * oyi_item(p->t);
  for (int64_t i = 0; i < size; i++)
    if (!is_hidden(p, i, size)) each(p, dim + 1, at + i * step, visit);
}

static void note_float(printer* p, double value) {
  if (!isfinite(value)) return;
  double magnitude = fabs(value);
  if (value != ceil(value)) p->integers = false;
  if (magnitude == 0) return;
  if (magnitude < p->least) p->least = magnitude;
  if (magnitude > p->greatest) p->greatest = magnitude;
}

static void visit_range(printer* p, const char* at) {
  oyi_number n = oyi_element_load(p->t->header.dtype, at);
  note_float(p, n.re);
  if (n.kind == OYI_NUMBER_COMPLEX) note_float(p, n.im);
}

static void visit_width(printer* p, const char* at) {
  char text[4 * NUMBER];
  oyi_number n = oyi_element_load(p->t->header.dtype, at);
  // Zeros and what is not finite do not widen columns of floats.
  if (p->floating && n.kind == OYI_NUMBER_FLOAT && (!isfinite(n.re) || n.re == 0)) return;
  int length = format_number(p, at, text);
  if (length > p->width) p->width = length;
}

static void choose_format(printer* p, const char* data) {
  p->floating =
      oy_dtype_is_floating(p->t->header.dtype) || oy_dtype_is_complex(p->t->header.dtype);
  p->integers = true;
  p->width = 1;
  p->least = INFINITY;
  if (p->floating) {
    each(p, 0, data, visit_range);
    if (p->greatest > 0)
      p->scientific = p->greatest / p->least > 1000 || p->greatest > 1e8 ||
                      (!p->integers && p->least < 1e-4);
  }
  each(p, 0, data, visit_width);
}

// ------------------------------------------------------------------ brackets

static void print_number(printer* p, const char* at) {
  char text[4 * NUMBER];
  int length = format_number(p, at, text);
  oyi_strbuf_printf(&p->buf, "%*s%s", length < p->width ? p->width - length : 0, "",
                    text);
}

static void print_row(printer* p, const char* at, int indent) {
  int64_t size = p->t->sizes[p->t->ndim - 1];
  int64_t step = oyi_strides(p->t)[p->t->ndim - 1] * oyi_item(p->t);
  int64_t per_line = (LINE - indent) / (p->width + 2);
  if (per_line < 1) per_line = 1;
  int64_t printed = 0;
  oyi_strbuf_putc(&p->buf, '[');
  for (int64_t i = 0; i < size; i++) {
    bool hidden = is_hidden(p, i, size);
    if (hidden && i > EDGE) continue;
    if (printed > 0 && printed % per_line == 0)
      oyi_strbuf_printf(&p->buf, ",\n%*s", indent + 1, "");
    else if (printed > 0)
      oyi_strbuf_puts(&p->buf, ", ");
    if (hidden)
      oyi_strbuf_puts(&p->buf, " ...");
    else
      print_number(p, at + i * step);
    printed++;
  }
  oyi_strbuf_putc(&p->buf, ']');
}

static void print_dim(printer* p, size_t dim, const char* at, int indent) {
  if (p->t->ndim == 0) {
    print_number(p, at);
    return;
  }
  if (dim + 1 == p->t->ndim) {
    print_row(p, at, indent);
    return;
  }
  int64_t size = p->t->sizes[dim];
  int64_t step = oyi_strides(p->t)[dim] * oyi_item(p->t);
  oyi_strbuf_putc(&p->buf, '[');
  for (int64_t i = 0; i < size; i++) {
    bool hidden = is_hidden(p, i, size);
    if (hidden && i > EDGE) continue;
    if (i > 0) {
      oyi_strbuf_putc(&p->buf, ',');
      for (size_t k = dim + 1; k < p->t->ndim; k++) oyi_strbuf_putc(&p->buf, '\n');
      oyi_strbuf_printf(&p->buf, "%*s", indent + 1, "");
    }
    if (hidden)
      oyi_strbuf_puts(&p->buf, "...");
    else
      print_dim(p, dim + 1, at + i * step, indent + 1);
  }
  oyi_strbuf_putc(&p->buf, ']');
}

// ------------------------------------------------------------------ suffixes

static void add_suffix(printer* p, const char* text, int indent) {
  size_t line = 0;
  while (line < p->buf.size && p->buf.data[p->buf.size - 1 - line] != '\n') line++;
  // One more than what the line has: PyTorch counts so.
  if (line + 1 + strlen(text) + 2 > LINE)
    oyi_strbuf_printf(&p->buf, ",\n%*s%s", indent, "", text);
  else
    oyi_strbuf_printf(&p->buf, ", %s", text);
}

static void add_size(printer* p, int indent) {
  oyi_strbuf size = OYI_STRBUF_INIT;
  oyi_strbuf_puts(&size, "size=(");
  for (size_t i = 0; i < p->t->ndim; i++)
    oyi_strbuf_printf(&size, "%s%lld", i ? ", " : "", (long long)p->t->sizes[i]);
  oyi_strbuf_puts(&size, p->t->ndim == 1 ? ",)" : ")");
  if (oyi_strbuf_status(&size) == 0) add_suffix(p, size.data, indent);
  p->buf.failed |= size.failed;
  oyi_strbuf_reset(&size);
}

static void add_dtype(printer* p, int indent, bool always) {
  oy_dtype d = p->t->header.dtype;
  bool usual = d == oy_dtype_default();
  if (!always)
    usual = usual || d == OY_DTYPE_C64 || d == OY_DTYPE_I64 || d == OY_DTYPE_BOOL;
  char text[NUMBER];
  snprintf(text, sizeof(text), "dtype=torch.%s", oy_dtype_name(d));
  if (!usual) add_suffix(p, text, indent);
}

static void add_suffixes(printer* p, bool has_data, int indent) {
  char text[2 * NUMBER], device[NUMBER];
  if (p->t->backend != OY_BACKEND_CPU) {
    oy_device_print(oyi_tensor_device(p->t), device, sizeof(device));
    snprintf(text, sizeof(text), "device='%s'", device);
    add_suffix(p, text, indent);
  }
  if (!has_data || (p->t->numel == 0 && p->t->ndim != 1)) add_size(p, indent);
  add_dtype(p, indent, !has_data || p->t->numel == 0);
  if (!p->t->meta) return;
  oyi_strbuf suffix = OYI_STRBUF_INIT;
  p->t->meta->klass->print(p->t, &suffix);
  if (suffix.size > 0 && !suffix.failed) add_suffix(p, suffix.data, indent);
  p->buf.failed |= suffix.failed;
  oyi_strbuf_reset(&suffix);
}

oy_status oy_tensor_print(const oy_tensor* tensor, char** out_text) {
  *out_text = NULL;
  if (tensor && oy_object_is_none(tensor)) {
    *out_text = oyi_strndup("None", 4);
    return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
  }
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_error_get()->code;
  printer p = {.t = t, .buf = OYI_STRBUF_INIT, .summarize = t->numel > THRESHOLD};
  const char* data = oyi_data(t);
  const int indent = 7;  // of "tensor("
  oyi_strbuf_puts(&p.buf, "tensor(");
  if (t->numel > 0 && data) {
    choose_format(&p, data);
    print_dim(&p, 0, data, indent);
  } else {
    oyi_strbuf_puts(&p.buf, t->numel > 0 ? "..." : "[]");
  }
  add_suffixes(&p, data || t->backend == OY_BACKEND_CPU, indent);
  oyi_strbuf_putc(&p.buf, ')');
  *out_text = oyi_strbuf_take(&p.buf);
  return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
}
