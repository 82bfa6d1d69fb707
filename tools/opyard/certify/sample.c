// SPDX-License-Identifier: Apache-2.0
// Calls made up from schemas: the tensors. Numbers are small and often halves, so that sums
// and products are exact and results can be told apart.
#include "certify.h"

const oy_dtype certify_dtypes[CERTIFY_DTYPES] = {
    OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_F16, OY_DTYPE_BF16, OY_DTYPE_I64, OY_DTYPE_I32,
    OY_DTYPE_I16, OY_DTYPE_I8,  OY_DTYPE_U8,  OY_DTYPE_BOOL, OY_DTYPE_C64, OY_DTYPE_C128};

uint64_t certify_random(certify_sample* s) {
  uint64_t z = s->random += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

void* certify_room(certify_sample* s, size_t count, size_t size) {
  const size_t bytes = (count * size + 15) & ~(size_t)15;
  if (bytes > CERTIFY_MEMORY - s->used) return NULL;
  void* room = s->memory + s->used;
  s->used += bytes;
  return room;
}

static bool has_word(oy_str name, const char* word) {
  return memmem(name.data, name.size, word, strlen(word)) != NULL;
}

// ----------------------------------------------------------------------- elements

// |bound|: of indices, which begin at 0; 0: anything.
static void set_element(certify_sample* s, oy_tensor* t, int64_t i, int64_t bound) {
  const double halves = (double)(certify_below(s, 13) - 3) / 2;
  const oy_complex z = {halves, (double)(certify_below(s, 7) - 3) / 2};
  oy_scalar number = oy_float(halves);
  if (oy_dtype_is_complex(t->dtype))
    number = oy_complex_value(&z);
  else if (bound > 0)
    number = oy_int((int64_t)(2 * halves + 3) % bound);
  else if (t->dtype == OY_DTYPE_BOOL)
    number = oy_bool(halves > 1);
  else if (!oy_dtype_is_floating(t->dtype))
    number = oy_int((int64_t)(2 * halves) + (t->dtype == OY_DTYPE_U8 ? 3 : 0));
  (void)!oy_tensor_set(t, (oy_ints){&i, 1}, number);
}

static void fill(certify_sample* s, oy_tensor* t, int64_t bound) {
  const int64_t n = oy_tensor_numel(t);
  for (int64_t i = 0; i < n; i++) set_element(s, t, i, bound);
}

// ------------------------------------------------------------------------- layout

typedef struct shape {
  size_t ndim;
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS], offset, span;
} shape;

static void lay_out(certify_sample* s, shape* h, bool is_written) {
  const certify_layout layout = is_written && s->layout == CERTIFY_EXPANDED && !s->is_bad
                                    ? CERTIFY_CONTIGUOUS
                                    : s->layout;
  int64_t stride = layout == CERTIFY_SLICED ? 2 : 1;
  for (size_t k = 0; k < h->ndim; k++) {
    const size_t i = layout == CERTIFY_TRANSPOSED ? k : h->ndim - 1 - k;
    h->strides[i] = stride;
    stride *= h->sizes[i] > 1 ? h->sizes[i] : 1;
  }
  if (layout == CERTIFY_EXPANDED && h->ndim > 0) h->strides[0] = 0;
  h->offset = layout == CERTIFY_SLICED ? 1 : 0;
  int64_t last = h->offset;
  bool is_empty = false;
  for (size_t i = 0; i < h->ndim; i++) {
    is_empty = is_empty || h->sizes[i] == 0;
    last += (h->sizes[i] > 0 ? h->sizes[i] - 1 : 0) * h->strides[i];
  }
  h->span = is_empty ? h->offset : last + 1;
}

static shape shape_make(certify_sample* s, bool is_written) {
  shape h = {.ndim = s->rank};
  if (certify_chance(s, s->is_bad ? 40 : 12)) h.ndim = (size_t)certify_below(s, 4);
  for (size_t i = 0; i < h.ndim; i++) {
    h.sizes[i] = certify_chance(s, 93) ? s->extent : 1;
    // More dimensions than the others have are not as large as theirs.
    if (i + s->rank < h.ndim && s->extent > 5) h.sizes[i] = 1;
    if (s->is_bad && certify_chance(s, 20)) h.sizes[i] = certify_below(s, 4);
  }
  // What out= writes to is resized, and then best has nothing in it.
  if (is_written && oy_schema_is_out(s->schema) && certify_chance(s, 60)) {
    h.ndim = 1;
    h.sizes[0] = 0;
  }
  lay_out(s, &h, is_written);
  return h;
}

// Some losses take classes for targets, others values: each second sample has either.
static bool is_integer(const certify_sample* s, oy_str name) {
  return has_word(name, "ind") || has_word(name, "repeats") ||
         (has_word(name, "target") && s->number % 2 == 0);
}

static oy_dtype dtype_make(certify_sample* s, oy_str name) {
  if (is_integer(s, name)) return OY_DTYPE_I64;
  if (has_word(name, "mask") || has_word(name, "condition")) return OY_DTYPE_BOOL;
  if (certify_chance(s, s->is_bad ? 30 : 6))
    return certify_dtypes[certify_below(s, CERTIFY_DTYPES)];
  return s->dtype;
}

static oy_object* add(certify_sample* s, const shape* h, oy_dtype dtype, int64_t bound,
                      bool is_written) {
  certify_tensor* t = &s->tensors[s->tensor_count];
  t->base = oy_tensor_empty((oy_ints){&h->span, 1}, dtype, oy_device_cpu());
  if (!t->base) return &oy_none_object;
  fill(s, t->base, bound);
  t->view = oy_tensor_as_strided(t->base, (oy_ints){h->sizes, h->ndim},
                                 (oy_ints){h->strides, h->ndim}, h->offset);
  if (!t->view) {
    oy_tensor_release(t->base);
    return &oy_none_object;
  }
  t->is_written = is_written;
  s->tensor_count++;
  return t->view;
}

oy_object* certify_tensor_make(certify_sample* s, oy_str name, bool is_written) {
  if (s->tensor_count == CERTIFY_TENSORS) return &oy_none_object;
  const shape h = shape_make(s, is_written);
  const oy_dtype dtype = dtype_make(s, name);
  const int64_t bound = s->extent > 0 ? s->extent : 1;
  return add(s, &h, dtype, is_integer(s, name) ? bound : 0, is_written);
}

oy_object* certify_tensor_of(certify_sample* s, oy_ints sizes, oy_dtype dtype,
                             int64_t bound, bool is_written) {
  if (s->tensor_count == CERTIFY_TENSORS || sizes.size > OY_TENSOR_MAX_DIMS)
    return &oy_none_object;
  shape h = {.ndim = sizes.size};
  memcpy(h.sizes, sizes.data, sizes.size * sizeof(*h.sizes));
  lay_out(s, &h, is_written);
  return add(s, &h, dtype, bound, is_written);
}

// ------------------------------------------------------------------------ samples

static uint64_t hash_name(oy_str name) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < name.size; i++)
    hash = (hash ^ (unsigned char)name.data[i]) * 1099511628211u;
  return hash;
}

// Small ones mostly, since those fit; each sixth is empty or large.
static void choose_extent(certify_sample* s) {
  static const int64_t large[] = {1, 130, 33, 9, 5};
  const uint32_t kind = s->number % 6;
  s->rank = (size_t)certify_below(s, 5);
  s->extent = 1 + certify_below(s, 3);
  if (kind == 4) s->extent = large[s->rank];
  if (kind == 5 && s->number > 6 && s->rank > 0) s->extent = 0;
  if (s->extent == 0 && certify_chance(s, 50)) s->extent = 2;
}

void certify_sample_make(certify_sample* s, const oy_op* op, oy_dtype dtype,
                         uint32_t number) {
  s->op = op;
  s->schema = oy_op_schema(op);
  s->dtype = dtype;
  s->number = number;
  s->random = hash_name(oy_op_name_of(op)) + ((uint64_t)dtype << 32) + number;
  s->layout = (certify_layout)(number % CERTIFY_LAYOUTS);
  s->is_bad = number % 8 == 7;
  s->tensor_count = s->used = 0;
  choose_extent(s);
  const char* form = certify_form(s);
  for (size_t i = 0; i < s->schema->argument_count; i++)
    s->arguments[i] = form ? certify_form_value(s, form, &s->schema->arguments[i])
                           : certify_value(s, &s->schema->arguments[i]);
  oy_error_clear();
}

void certify_sample_end(certify_sample* s) {
  for (size_t i = 0; i < s->tensor_count; i++) {
    oy_tensor_release(s->tensors[i].view);
    oy_tensor_release(s->tensors[i].base);
  }
  s->tensor_count = 0;
}
