// SPDX-License-Identifier: Apache-2.0
// Tensors made up: every dtype, shape and layout; views that step, repeat and overlap;
// Meta tensors, stand-ins without data, None, objects that are no tensors.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "opyard/autograd.h"
#include "tensor/element.h"

static const oy_dtype g_dtypes[] = {
    OY_DTYPE_F32,    OY_DTYPE_F64,    OY_DTYPE_I64,        OY_DTYPE_I32,
    OY_DTYPE_U8,     OY_DTYPE_BOOL,   OY_DTYPE_I8,         OY_DTYPE_I16,
    OY_DTYPE_F16,    OY_DTYPE_BF16,   OY_DTYPE_C64,        OY_DTYPE_C128,
    OY_DTYPE_C32,    OY_DTYPE_QI8,    OY_DTYPE_QU8,        OY_DTYPE_QI32,
    OY_DTYPE_F8E5M2, OY_DTYPE_F8E4M3, OY_DTYPE_F8E5M2FNUZ, OY_DTYPE_F8E4M3FNUZ,
    OY_DTYPE_U16,    OY_DTYPE_U32,    OY_DTYPE_U64};
enum { DTYPES = sizeof(g_dtypes) / sizeof(*g_dtypes), COMMON_DTYPES = 12 };

static oy_object* keep(hostile_call* c, oy_object* tensor, bool written) {
  if (!tensor) return NULL;
  c->tensors[c->tensor_count] = tensor;
  c->written[c->tensor_count++] = written;
  return tensor;
}

// ------------------------------------------------------------------------- memory

// Memory of ours with a pattern around it.
enum { EDGE = 16, PATTERN = 0xA5 };
#if defined(__SANITIZE_ADDRESS__)
enum { END = 0 };  // the sanitizer watches it
#else
enum { END = EDGE };
#endif
typedef struct foreign {
  size_t nbytes;
} foreign;

static bool g_whole = true;

bool hostile_memory_is_whole(void) {
  return g_whole;
}

static void foreign_free(void* context, void* data) {
  foreign* f = context;
  const unsigned char* at = data;
  for (int i = 1; i <= EDGE; i++) g_whole = g_whole && at[-i] == PATTERN;
  for (int i = 0; i < END; i++) g_whole = g_whole && at[f->nbytes + (size_t)i] == PATTERN;
  free((char*)data - EDGE);
  free(f);
}

static oy_object* foreign_tensor(int64_t count, oy_dtype dtype) {
  size_t nbytes = (size_t)count * oy_dtype_size(dtype);
  foreign* f = malloc(sizeof(*f));
  unsigned char* block = malloc(EDGE + nbytes + END);
  if (!f || !block) abort();
  f->nbytes = nbytes;
  memset(block, PATTERN, EDGE + nbytes + END);
  oy_tensor_memory memory = {block + EDGE, nbytes, foreign_free, f, oy_device_cpu()};
  oy_object* t =
      oy_tensor_from_memory(&memory, (oy_ints){&count, 1}, (oy_ints){NULL, 0}, dtype);
  if (!t) foreign_free(f, block + EDGE);
  return t;
}

// ----------------------------------------------------------------------- elements

static double wild_number(hostile_call* c) {
  static const double numbers[] = {0,         1,     -1,  2,    0.5,
                                   3,         -2.5,  NAN, 1e30, INFINITY,
                                   -INFINITY, -1e30, 127, -128, 4294967296.};
  return numbers[hostile_below(c, sizeof(numbers) / sizeof(*numbers))];
}

static oyi_number number(hostile_call* c, bool index, bool wild) {
  static const int64_t ints[] = {INT64_MIN, INT64_MAX, -1, INT32_MIN, 64, -65};
  if (index && !wild) return oyi_number_of_scalar(oy_int(hostile_below(c, c->extent)));
  if (!wild) return oyi_number_of_scalar(oy_float((double)hostile_below(c, 9) / 2 - 1));
  if (hostile_chance(c, 20))
    return oyi_number_of_scalar(oy_int(ints[hostile_below(c, 6)]));
  if (hostile_chance(c, 30)) return oyi_number_of_scalar(oy_int(hostile_below(c, 7) - 3));
  double d = wild_number(c);
  oy_complex z = {d, hostile_chance(c, 50) ? wild_number(c) : 0};
  return oyi_number_of_scalar(oy_complex_value(&z));
}

static void fill(hostile_call* c, oy_object* object, bool index, bool wild) {
  oyi_tensor* t = oyi_tensor_cast(object);
  int64_t item = oyi_item(t);
  char* at = oyi_data(t);
  uint64_t before = c->random;
  bool is_float =
      oy_dtype_is_floating(t->header.dtype) || oy_dtype_is_complex(t->header.dtype);
  for (int64_t i = 0; at && i < t->numel; i++) {
    oyi_number n = number(c, index, wild);
    // Kernels convert numbers that do not fit as C does; here they are to fit.
    if (!is_float && n.kind >= OYI_NUMBER_FLOAT && !(fabs(n.re) < 100))
      n = oyi_number_of_scalar(oy_int(7));
    oyi_element_store(t->header.dtype, at + i * item, n);
  }
  // As much of the sequence is used on every device.
  c->random = before;
  (void)hostile_random(c);
}

// ------------------------------------------------------------------------- layout

typedef struct shape {
  size_t ndim;
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS], offset, span;
} shape;

// Dimensions in a random order with gaps, repeats or overlap between their elements.
static void lay_out(hostile_call* c, shape* s, bool wild) {
  int64_t stride = 1;
  size_t order[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < s->ndim; i++) order[i] = s->ndim - 1 - i;
  int kind = (int)hostile_below(c, 10);
  if (kind >= 7)
    for (size_t i = 0; i < s->ndim; i++) {
      size_t j = (size_t)hostile_below(c, (int64_t)s->ndim), swap = order[i];
      order[i] = order[j];
      order[j] = swap;
    }
  for (size_t k = 0; k < s->ndim; k++) {
    size_t i = order[k];
    if (kind == 6) stride *= 1 + hostile_below(c, 2);
    s->strides[i] = stride;
    if (wild && hostile_chance(c, 8)) s->strides[i] = hostile_below(c, 3);
    stride *= s->sizes[i] > 1 ? s->sizes[i] : 1;
  }
  s->offset = hostile_chance(c, 20) ? 1 + hostile_below(c, 3) : 0;
  int64_t last = s->offset;
  bool empty = false;
  for (size_t i = 0; i < s->ndim; i++) {
    empty = empty || s->sizes[i] == 0;
    last += (s->sizes[i] > 0 ? s->sizes[i] - 1 : 0) * s->strides[i];
  }
  s->span = empty ? s->offset : last + 1;
}

static shape shape_make(hostile_call* c, bool written, bool wild) {
  static const int64_t sizes[] = {0, 1, 2, 3, 5};
  shape s = {.ndim = c->rank};
  if (wild)
    s.ndim = hostile_chance(c, 3) ? OY_TENSOR_MAX_DIMS : (size_t)hostile_below(c, 6);
  else if (hostile_chance(c, 30))
    s.ndim = (size_t)hostile_below(c, 5);
  int64_t extent = s.ndim > 2 && c->extent > 3 ? 1 + c->extent % 3 : c->extent;
  for (size_t i = 0; i < s.ndim; i++) {
    s.sizes[i] = hostile_chance(c, 92) ? extent : 1;
    if (wild) s.sizes[i] = s.ndim > 8 ? 1 : sizes[hostile_below(c, 5)];
  }
  // What is written to is resized, and then best has nothing in it.
  if (written && !wild && hostile_chance(c, 50)) s = (shape){.ndim = 1};
  lay_out(c, &s, wild);
  return s;
}

// ------------------------------------------------------------------------ tensors

static bool contains(oy_str name, const char* word) {
  return memmem(name.data, name.size, word, strlen(word)) != NULL;
}

static oy_dtype dtype_make(hostile_call* c, oy_str name, bool wild) {
  if (wild) return g_dtypes[hostile_below(c, DTYPES)];
  if (contains(name, "ind") || contains(name, "repeats") || contains(name, "target"))
    return OY_DTYPE_I64;
  if (contains(name, "mask") || contains(name, "condition")) return OY_DTYPE_BOOL;
  if (hostile_chance(c, 8)) return g_dtypes[hostile_below(c, COMMON_DTYPES)];
  return c->dtype;
}

static oy_object* tensor_of(hostile_call* c, const shape* s, oy_dtype dtype, bool on_meta,
                            bool own, bool index, bool wild) {
  oy_object* base;
  if (own || on_meta)
    base = oy_tensor_empty((oy_ints){&s->span, 1}, dtype,
                           on_meta ? oy_device_meta() : oy_device_cpu());
  else
    base = foreign_tensor(s->span, dtype);
  if (!base) abort();
  fill(c, base, index, wild);
  oy_object* view = oy_tensor_as_strided(base, (oy_ints){s->sizes, s->ndim},
                                         (oy_ints){s->strides, s->ndim}, s->offset);
  if (!view) abort();
  oy_tensor_release(base);
  return view;
}

static void destroy_nothing(oy_object* object) {
  (void)object;
}
static const oy_object_class g_no_tensor_class = {"Impostor", destroy_nothing};
static oy_object g_no_tensor = {.klass = &g_no_tensor_class,
                                .references = 1,
                                .dtype = OY_DTYPE_F32,
                                .flags = OY_OBJECT_STATIC};

// One of those that the call has already, or the same elements in a tensor of their own. Not
// where gradients are recorded: what is written over itself is kept by its own history, as in
// PyTorch.
static oy_object* again(hostile_call* c, bool written) {
  oy_object* one = c->tensors[hostile_below(c, (int64_t)c->tensor_count)];
  for (size_t i = 0; i < c->tensor_count; i++)
    if (oy_requires_grad(c->tensors[i])) return NULL;
  if (hostile_chance(c, 70)) return keep(c, oy_tensor_retain(one), written);
  const oyi_tensor* t = oyi_tensor_cast(one);
  return keep(c,
              oyi_tensor_object(
                  oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset)),
              written);
}

// What is no dense tensor of the CPU; NULL: it is to be one.
static oy_object* oddity(hostile_call* c, oy_str name, bool written) {
  shape s = shape_make(c, false, true);
  oy_dtype dtype = dtype_make(c, name, true);
  oy_ints sizes = {s.sizes, s.ndim};
  switch (hostile_below(c, 16)) {
    case 0: return &oy_none_object;
    case 1:
      g_no_tensor.keys = oy_tensor_keys_for(oy_device_cpu(), dtype);
      return &g_no_tensor;
    case 2:
      return keep(c,
                  oy_tensor_opaque(oy_tensor_keys_for(oy_device_cpu(), dtype), sizes,
                                   dtype, oy_device_cpu()),
                  written);
    case 3:
    case 4: return keep(c, tensor_of(c, &s, dtype, true, false, false, true), written);
    case 5:
    case 6:
      if (c->tensor_count == 0) return NULL;
      return keep(
          c, oy_tensor_retain(c->tensors[hostile_below(c, (int64_t)c->tensor_count)]),
          written);
    case 7: {
      if (c->tensor_count == 0) return NULL;
      oy_object* base = c->tensors[hostile_below(c, (int64_t)c->tensor_count)];
      int64_t count = oy_tensor_numel(base) / 2;
      oy_object* t = oy_tensor_as_strided(base, (oy_ints){&count, 1}, OY_DIMS(1),
                                          oy_tensor_storage_offset(base) + 1);
      oy_error_clear();
      return keep(c, t, written);
    }
    case 8: {
      s.ndim = 0;
      s.offset = 0;
      s.span = 1;
      oy_object* t = tensor_of(c, &s, dtype, false, true, false, true);
      t->flags |= OY_OBJECT_WRAPPED_NUMBER;
      return keep(c, t, written);
    }
    default: return NULL;
  }
}

// ------------------------------------------------------------------ what is offered

// The elements of |object| where they lie, in memory of its own.
static oy_object* copy_as_it_lies(const oy_object* object) {
  const oyi_tensor* t = oyi_tensor_cast(object);
  oy_ints sizes = oyi_sizes_view(t), strides = oyi_strides_view(t);
  int64_t span = t->numel > 0;
  for (size_t i = 0; i < sizes.size && span; i++)
    span += (sizes.data[i] - 1) * strides.data[i];
  oy_object* base = oy_tensor_empty((oy_ints){&span, 1}, object->dtype, oy_device_cpu());
  if (!base) abort();
  if (span) memcpy(oy_tensor_data(base), oyi_data(t), (size_t)(span * oyi_item(t)));
  oy_object* copy = oy_tensor_as_strided(base, sizes, strides, 0);
  if (!copy) abort();
  oy_tensor_release(base);
  return copy;
}

oy_object* hostile_copy(const oy_object* tensor, bool contiguous) {
  if (!contiguous) return copy_as_it_lies(tensor);
  oyi_tensor* copy = oyi_converted(oyi_tensor_cast(tensor), tensor->dtype);
  if (!copy) abort();
  return oyi_tensor_object(copy);
}

static oy_object* offered(hostile_call* c, bool written) {
  size_t i = (size_t)hostile_below(c, (int64_t)c->offered_count);
  return hostile_copy(c->offered[i], written || c->contiguous);
}

oy_object* hostile_tensor(hostile_call* c, oy_str name, bool written) {
  if (c->tensor_count == HOSTILE_TENSORS) return &oy_none_object;
  if (c->offered_count > 0 && hostile_chance(c, 60))
    return keep(c, offered(c, written), written);
  bool wild = hostile_is_wild(c);
  if (wild) {
    oy_object* odd = oddity(c, name, written);
    if (odd) return odd;
  } else if (written && c->style == HOSTILE_MIXED && c->tensor_count > 0 &&
             hostile_chance(c, 15)) {
    oy_object* same = again(c, written);
    if (same) return same;
  }
  shape s = shape_make(c, written, wild);
  bool index = contains(name, "ind") || contains(name, "target");
  oy_dtype dtype = dtype_make(c, name, wild);
  bool own = hostile_chance(c, 50) || (written && s.span == 0);
  bool elements = hostile_chance(c, c->style == HOSTILE_WILD ? 50 : 5);
  oy_object* t = tensor_of(c, &s, dtype, c->style == HOSTILE_META, own, index, elements);
  bool floats = oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype);
  if (c->style < HOSTILE_FITTING && floats && hostile_chance(c, 10) &&
      !oy_requires_grad_(t, true))
    oy_error_clear();
  if (c->contiguous && !written) {
    oy_object* view = t;
    t = hostile_copy(view, true);
    oy_tensor_release(view);
  }
  return keep(c, t, written);
}
