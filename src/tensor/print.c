// SPDX-License-Identifier: Apache-2.0
// Tensors as text, by the rules of PyTorch's printer: a number format chosen from the
// values that will be shown (integers, four digits, or scientific), aligned columns,
// lines of at most 80 characters, and no more than three items at each edge of tensors
// with over 1000 elements; the numbers are options. Complex tensors have two formats, one
// for each part.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "opyard/defaults.h"
#include "tensor/element.h"
#include "tensor/hooks.h"
#include "tensor/impl.h"

enum { NUMBER = 400, PRECISION_MAX = 60 };

static oy_print_options g_options = {4, 1000, 3, 80, -1};

// How one column of numbers is written.
typedef struct format {
  bool whole, scientific;
  int width, precision;
  double least, greatest;  // magnitudes of what is finite and not zero
} format;

typedef struct printer {
  const oyi_tensor* t;         // what is printed
  const oyi_tensor* elements;  // |t|, or its mirror on the host
  oyi_strbuf buf;
  oy_print_options options;
  bool summarize, floating, complex;
  int indent;       // of what follows the first line
  format parts[2];  // real, or all there is; imaginary
} printer;

// ------------------------------------------------------------------- numbers

static int print_float(const format* f, double value, char* out) {
  if (isnan(value)) return snprintf(out, NUMBER, "nan");
  if (isinf(value)) return snprintf(out, NUMBER, value < 0 ? "-inf" : "inf");
  if (f->scientific) return snprintf(out, NUMBER, "%.*e", f->precision, value);
  if (f->whole) return snprintf(out, NUMBER, "%.0f.", value);
  return snprintf(out, NUMBER, "%.*f", f->precision, value);
}

static int print_integer(const printer* p, oyi_number n, char* out) {
  if (p->t->header.dtype == OY_DTYPE_BOOL)
    return snprintf(out, NUMBER, n.i ? "True" : "False");
  if (n.kind == OYI_NUMBER_UINT)
    return snprintf(out, NUMBER, "%llu", (unsigned long long)n.i);
  return snprintf(out, NUMBER, "%lld", (long long)n.i);
}

static bool is_hidden(const printer* p, int64_t i, int64_t size) {
  const int64_t edge = p->options.edge_items;
  return p->summarize && size > 2 * edge && i >= edge && i < size - edge;
}

typedef void (*visit_fn)(printer* p, oyi_number n);

// Calls |visit| for every element that will be printed.
static void each(printer* p, size_t dim, const char* at, visit_fn visit) {
  if (dim == p->t->ndim) {
    visit(p, oyi_element_shown(p->t, at));
    return;
  }
  int64_t size = p->t->sizes[dim];
  int64_t step = oyi_strides(p->elements)[dim] * oyi_item(p->t);
  for (int64_t i = 0; i < size; i++) {
    if (is_hidden(p, i, size)) i = size - p->options.edge_items;
    each(p, dim + 1, at + i * step, visit);
  }
}

static bool counts(double value) {
  return isfinite(value) && value != 0;
}

static void note_range(format* f, double value) {
  if (!counts(value)) return;
  double magnitude = fabs(value);
  if (value != ceil(value)) f->whole = false;
  if (magnitude < f->least) f->least = magnitude;
  if (magnitude > f->greatest) f->greatest = magnitude;
}

static void visit_range(printer* p, oyi_number n) {
  note_range(&p->parts[0], n.re);
  if (p->complex) note_range(&p->parts[1], n.im);
}

// Zeros and what is not finite do not widen columns of floats.
static void note_width(format* f, double value) {
  char text[NUMBER];
  if (!counts(value)) return;
  int length = print_float(f, value, text);
  if (length > f->width) f->width = length;
}

static void visit_width(printer* p, oyi_number n) {
  char text[NUMBER];
  if (p->floating) {
    note_width(&p->parts[0], n.re);
    if (p->complex) note_width(&p->parts[1], n.im);
    return;
  }
  int length = print_integer(p, n, text);
  if (length > p->parts[0].width) p->parts[0].width = length;
}

static void choose_formats(printer* p, const char* data) {
  p->complex = oy_dtype_is_complex(p->t->header.dtype);
  p->floating = p->complex || oy_dtype_is_floating(p->t->header.dtype);
  for (int i = 0; i < 2; i++)
    p->parts[i] = (format){
        .whole = true, .width = 1, .precision = p->options.precision, .least = INFINITY};
  if (p->floating) each(p, 0, data, visit_range);
  for (int i = 0; i < 2; i++) {
    format* f = &p->parts[i];
    f->scientific =
        f->greatest > 0 && (f->greatest / f->least > 1000 || f->greatest > 1e8 ||
                            (!f->whole && f->least < 1e-4));
  }
  each(p, 0, data, visit_width);
  // After the widths, as PyTorch does it.
  for (int i = 0; i < 2 && p->options.scientific >= 0; i++)
    p->parts[i].scientific = p->options.scientific;
}

// ------------------------------------------------------------------ brackets

static void put_right(printer* p, const char* text, int length, int width) {
  oyi_strbuf_printf(&p->buf, "%*s%s", length < width ? width - length : 0, "", text);
}

static void put_number(printer* p, const char* at) {
  char text[NUMBER];
  oyi_number n = oyi_element_shown(p->t, at);
  int length =
      p->floating ? print_float(&p->parts[0], n.re, text) : print_integer(p, n, text);
  put_right(p, text, length, p->parts[0].width);
  if (!p->complex) return;
  print_float(&p->parts[1], n.im, text);
  oyi_strbuf_printf(&p->buf, "%s%sj", text[0] == '-' ? "" : "+", text);
}

static void put_row(printer* p, const char* at, int indent) {
  int64_t size = p->t->sizes[p->t->ndim - 1];
  int64_t step = oyi_strides(p->elements)[p->t->ndim - 1] * oyi_item(p->t);
  int item = p->parts[0].width + 2 + (p->complex ? p->parts[1].width + 1 : 0);
  int64_t per_line = (p->options.line_width - indent) / item;
  if (per_line < 1) per_line = 1;
  int64_t printed = 0;
  oyi_strbuf_putc(&p->buf, '[');
  for (int64_t i = 0; i < size; i++, printed++) {
    if (printed > 0 && printed % per_line == 0)
      oyi_strbuf_printf(&p->buf, ",\n%*s", indent + 1, "");
    else if (printed > 0)
      oyi_strbuf_puts(&p->buf, ", ");
    if (is_hidden(p, i, size)) {
      oyi_strbuf_puts(&p->buf, " ...");
      i = size - p->options.edge_items - 1;
    } else {
      put_number(p, at + i * step);
    }
  }
  oyi_strbuf_putc(&p->buf, ']');
}

static void put_dim(printer* p, size_t dim, const char* at, int indent) {
  if (p->t->ndim == 0) {
    put_number(p, at);
    return;
  }
  if (dim + 1 == p->t->ndim) {
    put_row(p, at, indent);
    return;
  }
  int64_t size = p->t->sizes[dim];
  int64_t step = oyi_strides(p->elements)[dim] * oyi_item(p->t);
  oyi_strbuf_putc(&p->buf, '[');
  for (int64_t i = 0; i < size; i++) {
    if (i > 0) {
      oyi_strbuf_putc(&p->buf, ',');
      for (size_t k = dim + 1; k < p->t->ndim; k++) oyi_strbuf_putc(&p->buf, '\n');
      oyi_strbuf_printf(&p->buf, "%*s", indent + 1, "");
    }
    if (is_hidden(p, i, size)) {
      oyi_strbuf_puts(&p->buf, "...");
      i = size - p->options.edge_items - 1;
    } else {
      put_dim(p, dim + 1, at + i * step, indent + 1);
    }
  }
  oyi_strbuf_putc(&p->buf, ']');
}

// ------------------------------------------------------------------ suffixes

// |*line| is the length of the last line as PyTorch counts it.
static void put_suffix(printer* p, const char* text, size_t* line) {
  size_t length = strlen(text);
  if (*line + length + 2 > (size_t)p->options.line_width) {
    oyi_strbuf_printf(&p->buf, ",\n%*s%s", p->indent, "", text);
    *line = (size_t)p->indent + length;
  } else {
    oyi_strbuf_printf(&p->buf, ", %s", text);
    *line += length + 2;
  }
}

static void put_size(printer* p, size_t* line) {
  oyi_strbuf size = OYI_STRBUF_INIT;
  oyi_strbuf_puts(&size, "size=(");
  for (size_t i = 0; i < p->t->ndim; i++)
    oyi_strbuf_printf(&size, "%s%lld", i ? ", " : "", (long long)p->t->sizes[i]);
  oyi_strbuf_puts(&size, p->t->ndim == 1 ? ",)" : ")");
  if (oyi_strbuf_status(&size) == 0) put_suffix(p, size.data, line);
  p->buf.failed |= size.failed;
  oyi_strbuf_reset(&size);
}

// The dtypes that literals have by themselves go without saying, if there are any.
static bool needs_dtype(const printer* p, bool has_elements) {
  oy_dtype d = p->t->header.dtype;
  if (d == oy_dtype_default()) return false;
  return !has_elements || !(d == OY_DTYPE_C64 || d == OY_DTYPE_I64 || d == OY_DTYPE_BOOL);
}

static void put_suffixes(printer* p, bool has_elements) {
  char text[128], device[64];
  // Two more than the line has: PyTorch counts so.
  size_t line = 2;
  while (line - 2 < p->buf.size && p->buf.data[p->buf.size - (line - 1)] != '\n') line++;
  if (p->t->backend != OY_BACKEND_CPU) {
    oy_device_print(oyi_tensor_device(p->t), device, sizeof(device));
    snprintf(text, sizeof(text), "device='%s'", device);
    put_suffix(p, text, &line);
  }
  bool is_plain_empty = p->t->numel == 0 && p->t->backend != OY_BACKEND_Meta;
  if (!has_elements && !(is_plain_empty && p->t->ndim == 1)) put_size(p, &line);
  snprintf(text, sizeof(text), "dtype=torch.%s", oy_dtype_name(p->t->header.dtype));
  if (needs_dtype(p, has_elements)) put_suffix(p, text, &line);
  if (!p->t->meta) return;
  oyi_strbuf suffix = OYI_STRBUF_INIT;
  p->t->meta->klass->print(p->t, &suffix);
  // Several are apart by NUL.
  for (size_t at = 0; !suffix.failed && at < suffix.size;
       at += strlen(suffix.data + at) + 1)
    put_suffix(p, suffix.data + at, &line);
  p->buf.failed |= suffix.failed;
  oyi_strbuf_reset(&suffix);
}

oy_print_options oy_print_options_get(void) {
  return g_options;
}

oy_status oy_print_options_set(oy_print_options options) {
  OY_CHECK(options.precision >= 0 && options.precision <= PRECISION_MAX, INVALID_ARGUMENT,
           "expected a precision from 0 to %d, got %d", PRECISION_MAX, options.precision);
  OY_CHECK(options.threshold >= 0 && options.edge_items >= 0 && options.line_width >= 0,
           INVALID_ARGUMENT, "expected print options that are not negative");
  g_options = options;
  return OY_OK;
}

// Where the elements are that the host cannot read in |t|'s own memory. Zeros without memory
// are one zero, seen everywhere.
static oyi_tensor* mirror_of(const oyi_tensor* t) {
  if (!oyi_is_zeros(t)) return oyi_host_mirror(t);
  static const int64_t none[OY_TENSOR_MAX_DIMS];
  const int64_t size = 1;
  oyi_tensor* one = oyi_tensor_new((oy_ints){&size, 1}, t->header.dtype, oy_device_cpu());
  if (!one) return NULL;
  memset(oyi_data(one), 0, (size_t)oyi_item(one));
  oyi_tensor* all = oyi_tensor_alias(one, oyi_sizes_view(t), (oy_ints){none, t->ndim}, 0);
  oy_tensor_release(oyi_tensor_object(one));
  return all;
}

static bool needs_mirror(const oyi_tensor* t) {
  if (t->numel == 0 || t->backend == OY_BACKEND_Meta) return false;
  return oyi_is_zeros(t) || (oyi_is_remote(t) && oyi_data(t));
}

oy_status oy_tensor_print(const oy_tensor* tensor, char** out_text) {
  return oy_tensor_print_as(tensor, NULL, out_text);
}

oy_status oy_tensor_print_as(const oy_tensor* tensor, const char* name, char** out_text) {
  *out_text = NULL;
  if (tensor && oy_object_is_none(tensor)) {
    *out_text = oyi_strndup("None", 4);
    return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
  }
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  printer p = {.t = t,
               .buf = OYI_STRBUF_INIT,
               .options = g_options,
               .summarize = t->numel > g_options.threshold};
  if (!name) name = oyi_attached(t) ? oyi_attached(t)->name : "tensor";
  p.indent = (int)strlen(name) + 1;
  oyi_tensor* mirror = NULL;
  if (needs_mirror(t) && !(mirror = mirror_of(t))) return oy_failure();
  p.elements = mirror ? mirror : t;
  const char* data = oyi_data(p.elements);
  const bool has_elements = t->numel > 0 && data && t->backend != OY_BACKEND_Meta;
  oyi_strbuf_printf(&p.buf, "%s(", name);
  if (has_elements) {
    choose_formats(&p, data);
    put_dim(&p, 0, data, p.indent);
  } else {
    bool is_empty = t->numel == 0 && t->backend != OY_BACKEND_Meta;
    oyi_strbuf_puts(&p.buf, is_empty ? "[]" : "...");
  }
  if (mirror) oy_tensor_release(&mirror->header);
  if (oyi_strbuf_status(&p.buf) == 0) put_suffixes(&p, has_elements);
  oyi_strbuf_putc(&p.buf, ')');
  *out_text = oyi_strbuf_take(&p.buf);
  return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
}
