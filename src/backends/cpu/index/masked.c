// SPDX-License-Identifier: Apache-2.0
// Elements where a mask is true: filled, listed, written.
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/lines.h"
#include "backends/cpu/index/nonzero.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/loops/loops.h"
#include "ops/calls.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/broadcast.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// -------------------------------------------------------------------- masked_fill_

typedef struct filling {
  oyi_loop where;
  _Alignas(16) char value[16];
} filling;

// It moves bytes: that of any dtype of the size does.
static oyi_loop where_of(const oyi_tensor* t) {
  const int64_t item = oyi_item(t);
  return oyi_cpu_loops[OYI_LOOP_where][item == 1   ? OY_DTYPE_U8
                                       : item == 2 ? OY_DTYPE_I16
                                       : item == 4 ? OY_DTYPE_I32
                                       : item == 8 ? OY_DTYPE_I64
                                                   : OY_DTYPE_C128];
}

// A selection of the value or what there was: a branch for each element is foreseen badly.
static void fill_loop(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  const filling* f = args;
  char* const operands[] = {data[0], data[1], (char*)f->value, data[0]};
  const int64_t steps[] = {strides[0], strides[1], 0, strides[0]};
  f->where(n, operands, steps, NULL);
}

// The mask as large as |t|; NULL with the error set.
static oy_object* wide_mask(const oyi_tensor* t, const oyi_tensor* mask,
                            const char* name) {
  int64_t joined[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (mask->header.dtype != OY_DTYPE_BOOL) {
    OY_FAIL(TYPE_MISMATCH, "%s only supports boolean masks, but got mask with dtype %s",
            name, oyi_dtype_cpp_name(mask->header.dtype));
    return NULL;
  }
  if (oyi_check_same_device(t, mask) != 0 || oyi_check_memory(t) != 0 ||
      oyi_check_memory(mask) != 0 ||
      oyi_broadcast(oyi_sizes_view(mask), oyi_sizes_view(t), joined, &ndim) != 0)
    return NULL;
  oy_ints sizes = {joined, ndim};
  if (oyi_broadcast_check(oyi_sizes_view(t), sizes) != 0) return NULL;
  return oy_tensor_expand(oyi_tensor_object(mask), sizes);
}

static void run_fill(const oyi_tensor* t, const oyi_tensor* mask, const filling* f) {
  oyi_iter it;
  const oyi_tensor* tensors[] = {t, mask};
  oyi_iter_plain(&it, tensors, 2);
  oyi_iter_run(&it, fill_loop, f);
}

// Elements of |t| that are one in memory are filled where the mask is true for any of them.
static oy_status fill_expanded(const oyi_tensor* t, oy_object* mask, const filling* f) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], dims[OY_TENSOR_MAX_DIMS];
  const size_t count = oyi_shared_dims(t, dims);
  memcpy(sizes, t->sizes, t->ndim * sizeof(*sizes));
  for (size_t i = 0; i < count; i++) sizes[dims[i]] = 1;
  oyi_tensor* once = oyi_tensor_alias(t, (oy_ints){sizes, t->ndim},
                                      (oy_ints){oyi_strides(t), t->ndim}, t->offset);
  oy_object* any = once ? oyi_call_any_dims(mask, (oy_ints){dims, count}, true) : NULL;
  if (any) run_fill(once, oyi_tensor_cast(any), f);
  oy_tensor_release(any);
  if (once) oy_tensor_release(&once->header);
  return any ? OY_OK : oy_failure();
}

static oy_object* fill(oy_object* self, oy_object* mask, const filling* f) {
  oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* m = t ? oyi_tensor_of(mask) : NULL;
  if (!m || (oyi_overlap_of(t, m) == OYI_OVERLAP_YES && oyi_output_overlaps() != 0))
    return NULL;
  oyi_warn_expanded(t, "masked_fill_", "mask] = scalar");
  oy_object* wide = wide_mask(t, m, "masked_fill_");
  if (!wide) return NULL;
  oy_status status = OY_OK;
  if (OY_UNLIKELY(oyi_has_internal_overlap(t)))
    status = fill_expanded(t, wide, f);
  else
    run_fill(t, oyi_tensor_cast(wide), f);
  oy_tensor_release(wide);
  return status == OY_OK ? self : NULL;
}

// As PyTorch turns numbers into elements: INVALID_ARGUMENT if it does not fit.
static oy_status store_checked(filling* f, oy_dtype dtype, oyi_number number) {
  OY_TRY(oyi_number_check(number, dtype));
  oyi_element_store(dtype, f->value, number);
  return OY_OK;
}

OYI_CPU(masked_fill__Scalar) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  filling f = {.where = where_of(t)};
  if (store_checked(&f, self->dtype, oyi_number_of_scalar(value)) != 0) return NULL;
  return fill(self, mask, &f);
}

OYI_CPU(masked_fill__Tensor) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* v = t ? oyi_tensor_of(value) : NULL;
  if (!v) return NULL;
  if (oyi_check_filler("masked_fill_", value) != 0) return NULL;
  if (oyi_check_memory(v) != 0) return NULL;
  filling f = {.where = where_of(t)};
  if (!oyi_is_meta(v) &&
      store_checked(&f, self->dtype, oyi_element_load(value->dtype, oyi_data(v))) != 0)
    return NULL;
  return fill(self, mask, &f);
}

// ------------------------------------------------------------------ masked_select

// |t| as large as |sizes|, contiguous: itself, retained, or a copy.
static oyi_tensor* wide_copy(oyi_tensor* t, oy_ints sizes) {
  if ((t->flags & OYI_CONTIGUOUS) && oyi_same_sizes(oyi_sizes_view(t), sizes)) {
    oy_tensor_retain(&t->header);
    return t;
  }
  oy_object* wide = oy_tensor_expand(&t->header, sizes);
  if (!wide) return NULL;
  oyi_tensor* copy = oyi_converted(oyi_tensor_cast(wide), t->header.dtype);
  oy_tensor_release(wide);
  return copy;
}

// Writes every element, and moves on where the mask is true: no branch to foresee. The
// last place is never written twice, so there is room for each.
#define SELECT(T)                                                      \
  do {                                                                 \
    T* o = to;                                                         \
    const T* x = from;                                                 \
    for (int64_t i = 0, k = 0; k < count; k += mask[i++]) o[k] = x[i]; \
  } while (0)

// Of 16 bytes, as vectors: nothing but their bits is moved and chosen.
typedef uint64_t sixteen
    __attribute__((vector_size(16), aligned(sizeof(uint64_t)), may_alias));

static void select_elements(void* to, const void* from, const uint8_t* mask,
                            int64_t count, size_t item) {
  switch (item) {
    case 1: SELECT(uint8_t); break;
    case 2: SELECT(uint16_t); break;
    case 4: SELECT(uint32_t); break;
    case 8: SELECT(uint64_t); break;
    default: SELECT(sixteen);
  }
}

static oyi_tensor* select_output(const oyi_tensor* t, const oyi_tensor* mask,
                                 int64_t count, oy_object* out) {
  oy_ints sizes = {&count, 1};
  if (!out) return oyi_tensor_new(sizes, t->header.dtype, oyi_tensor_device(t));
  oyi_tensor* o = oyi_tensor_of(out);
  const oyi_tensor* inputs[] = {t, mask};
  if (o && o->header.dtype != t->header.dtype) {
    OY_FAIL(TYPE_MISMATCH,
            "masked_select(): self and result must have the same scalar type");
    return NULL;
  }
  bool good = o && oyi_check_apart(o, inputs, 2) == 0 &&
              oyi_output_prepare(o, sizes, t->header.dtype, oyi_tensor_device(t)) == 0;
  return good ? o : NULL;
}

static oy_status check_select(const oyi_tensor* t, const oyi_tensor* mask) {
  OY_CHECK(mask->header.dtype == OY_DTYPE_BOOL, TYPE_MISMATCH,
           "masked_select: expected BoolTensor for mask");
  OY_TRY(oyi_check_same_device(t, mask));
  OY_TRY(oyi_check_memory(t));
  OY_TRY(oyi_check_memory(mask));
  OY_CHECK(!oyi_is_meta(t), NOT_IMPLEMENTED,
           "masked_select on the meta device: the mask decides the shape of the result");
  return OY_OK;
}

// A given output of another layout, or in the way of what is read, gets the elements by
// way of a new one.
static oy_status select_into(oyi_tensor* result, const oyi_tensor* x, const oyi_tensor* m,
                             int64_t count) {
  oyi_tensor* to = result;
  bool direct = (result->flags & OYI_CONTIGUOUS) && !oyi_may_share(result, x) &&
                !oyi_may_share(result, m);
  if (!direct &&
      !(to = oyi_tensor_new((oy_ints){&count, 1}, x->header.dtype, oyi_tensor_device(x))))
    return oy_failure();
  if (count > 0)
    select_elements(oyi_data(to), oyi_data(x), oyi_data(m), count, (size_t)oyi_item(x));
  if (direct) return OY_OK;
  oyi_convert(result, to);
  oy_tensor_release(&to->header);
  return OY_OK;
}

static oy_object* selected(oyi_tensor* t, oyi_tensor* mask, oy_object* out) {
  int64_t joined[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (oyi_broadcast(oyi_sizes_view(mask), oyi_sizes_view(t), joined, &ndim) != 0)
    return NULL;
  oy_ints sizes = {joined, ndim};
  oyi_tensor *result = NULL, *x = wide_copy(t, sizes);
  oyi_tensor* m = x ? wide_copy(mask, sizes) : NULL;
  if (m) {
    int64_t count = oyi_count_true(oyi_data(m), m->numel);
    result = select_output(t, mask, count, out);
    if (result && select_into(result, x, m, count) != 0) {
      if (!out) oy_tensor_release(&result->header);
      result = NULL;
    }
    oy_tensor_release(&m->header);
  }
  if (x) oy_tensor_release(&x->header);
  return oyi_tensor_object(result);
}

static oy_object* masked_select(oy_object* self, oy_object* mask, oy_object* out) {
  oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* m = t ? oyi_tensor_of(mask) : NULL;
  return m && check_select(t, m) == 0 ? selected(t, m, out) : NULL;
}

OYI_CPU(masked_select) {
  return masked_select(self, mask, NULL);
}
OYI_CPU(masked_select_out) {
  return masked_select(self, mask, out);
}

// ---------------------------------------------------------------- masked_scatter_

// A selection of the next element or what there was: no branch to foresee, as above.
#define PLACE(T)                                            \
  do {                                                      \
    T* o = to;                                              \
    const T* x = from;                                      \
    for (int64_t i = 0, k = 0; k < count; k += mask[i++]) { \
      const T next = x[k], old = o[i];                      \
      o[i] = PICK(mask[i], next, old);                      \
    }                                                       \
  } while (0)

// Compilers make a branch of a choice between more than one word.
static inline sixteen pick_sixteen(uint8_t mask, sixteen yes, sixteen no) {
  return no ^ ((yes ^ no) & ((uint64_t)0 - (mask != 0)));
}
#define PICK(is, yes, no) ((is) ? (yes) : (no))

static void place_elements(void* to, const void* from, const uint8_t* mask, int64_t count,
                           size_t item) {
  switch (item) {
    case 1: PLACE(uint8_t); break;
    case 2: PLACE(uint16_t); break;
    case 4: PLACE(uint32_t); break;
    case 8: PLACE(uint64_t); break;
#undef PICK
#define PICK pick_sixteen
    default: PLACE(sixteen);
  }
}
#undef PICK

// |mask|, |all| of which are true, and what is at |from| are contiguous.
static void scatter_lines(const oyi_tensor* t, const oyi_tensor* mask, int64_t all,
                          const char* from) {
  oyi_lines w;
  size_t item = (size_t)oyi_item(t);
  if (t->flags & OYI_CONTIGUOUS) {
    place_elements(oyi_data(t), from, oyi_data(mask), all, item);
    return;
  }
  const oyi_tensor* tensors[] = {t, mask};
  int64_t dim = t->ndim ? t->ndim - 1 : 0, n = t->ndim ? t->sizes[dim] : 1;
  if (n == 0 || !oyi_lines_begin(&w, oyi_sizes_view(t), dim, tensors, 2)) return;
  do {
    if (w.step[0] == (int64_t)item) {
      const uint8_t* m = (const uint8_t*)w.data[1];
      const int64_t count = oyi_count_true(m, n);
      place_elements(w.data[0], from, m, count, item);
      from += count * (int64_t)item;
      continue;
    }
    for (int64_t i = 0; i < n; i++) {
      if (!w.data[1][i * w.step[1]]) continue;
      memcpy(w.data[0] + i * w.step[0], from, item);
      from += item;
    }
  } while (oyi_lines_next(&w));
}

// |from|, contiguous and apart from |t|: what is read must not be what has been written.
static oyi_tensor* apart(const oyi_tensor* t, oyi_tensor* from) {
  return oyi_may_share(t, from) ? oyi_converted(from, from->header.dtype)
                                : wide_copy(from, oyi_sizes_view(from));
}

static oy_status scatter(oyi_tensor* t, oyi_tensor* mask, oyi_tensor* source) {
  oyi_tensor* m = apart(t, mask);
  oyi_tensor* s = m ? apart(t, source) : NULL;
  oy_status status = s ? OY_OK : OY_OUT_OF_MEMORY;
  const int64_t count = s ? oyi_count_true(oyi_data(m), m->numel) : 0;
  if (s && count > s->numel)
    status = OY_FAIL(INVALID_ARGUMENT,
                     "Number of elements of source < number of ones in mask");
  if (status == 0 && count > 0) scatter_lines(t, m, count, oyi_data(s));
  if (s) oy_tensor_release(&s->header);
  if (m) oy_tensor_release(&m->header);
  return status;
}

OYI_CPU(masked_scatter_) {
  oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* m = t ? oyi_tensor_of(mask) : NULL;
  oyi_tensor* s = m ? oyi_tensor_of(source) : NULL;
  if (!s) return NULL;
  if (t->header.dtype != s->header.dtype) {
    OY_FAIL(
        TYPE_MISMATCH,
        "masked_scatter: expected self and source to have same dtypes but got%s and %s",
        oy_dtype_pytorch_name(t->header.dtype), oy_dtype_pytorch_name(s->header.dtype));
    return NULL;
  }
  const oyi_tensor* inputs[] = {m, s};
  if (oyi_check_same_device(t, m) != 0 || oyi_check_same_device(t, s) != 0 ||
      oyi_check_memory(t) != 0 || oyi_check_memory(m) != 0 || oyi_check_memory(s) != 0 ||
      oyi_output_check_overlap(t, inputs, 2) != 0)
    return NULL;
  oy_object* wide = wide_mask(t, m, "masked_scatter_");
  if (!wide) return NULL;
  oy_status status = oyi_is_meta(t) ? OY_OK : scatter(t, oyi_tensor_cast(wide), s);
  oy_tensor_release(wide);
  return status == 0 ? self : NULL;
}
