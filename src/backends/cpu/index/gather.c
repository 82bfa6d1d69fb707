// SPDX-License-Identifier: Apache-2.0
// gather: elements of each line along a dimension, by number.
#include <string.h>

#include "backends/cpu/index/gather_rows.h"
#include "backends/cpu/index/index_check.h"
#include "backends/cpu/index/index_target.h"
#include "backends/cpu/index/lines.h"
#include "backends/cpu/index/updates.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/cpu.h"
#include "base/template.h"
#include "base/threads.h"
#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/iterator.h"

static oy_status check(const oyi_tensor* t, int64_t dim, const oyi_tensor* index) {
  OY_CHECK(index->numel == 0 || index->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "gather(): Expected dtype int64 for index");
  OY_TRY(oyi_check_same_device(t, index));
  OY_TRY(oyi_check_memory(t));
  OY_TRY(oyi_check_memory(index));
  if (index->numel == 0) return OY_OK;
  unsigned rank = t->ndim ? t->ndim : 1;
  OY_CHECK(rank == (index->ndim ? index->ndim : 1u), INVALID_ARGUMENT,
           "Index tensor must have the same number of dimensions as input tensor");
  for (int64_t d = 0; d < t->ndim && d < index->ndim; d++)
    OY_CHECK(d == dim || index->sizes[d] <= t->sizes[d], INVALID_ARGUMENT,
             "Size does not match at dimension %lld expected index %s to be smaller than "
             "self %s apart from dimension %lld",
             (long long)d, oyi_dims_print(oyi_sizes_view(index)).text,
             oyi_dims_print(oyi_sizes_view(t)).text, (long long)dim);
  return OY_OK;
}

// What the indices say is looked at when the output is settled.
static oy_status check_values(const oyi_tensor* t, int64_t dim, const oyi_tensor* index) {
  if (index->numel == 0) return OY_OK;
  return oyi_check_line_indices(index, dim, t->ndim ? t->sizes[dim] : 1);
}

static oyi_tensor* make_output(const oyi_tensor* t, const oyi_tensor* index,
                               oy_object* out) {
  oy_ints sizes = oyi_sizes_view(index);
  oy_device device = oyi_tensor_device(t);
  if (!out) return oyi_tensor_new(sizes, t->header.dtype, device);
  oyi_tensor* o = oyi_tensor_of(out);
  const oyi_tensor *from[] = {t}, *by[] = {index};
  // The index itself may become the output; with a new size it may come to overlap.
  bool good = o && oyi_check_apart(o, from, 1) == 0 &&
              oyi_output_check_overlap(o, by, 1) == 0 &&
              oyi_output_exact(o, sizes, t->header.dtype, device) == 0 &&
              oyi_check_apart(o, from, 1) == 0 && oyi_output_check_overlap(o, by, 1) == 0;
  return good ? o : NULL;
}

// Elements side by side, each from the line that its index names; |down| from one to the next.
typedef void (*across_fn)(int64_t n, char* o, int64_t so, const char* x, int64_t sx,
                          int64_t down, const char* index, int64_t si);
#define ACROSS(bytes)                                                                   \
  static void across_##bytes(int64_t n, char* o, int64_t so, const char* x, int64_t sx, \
                             int64_t down, const char* index, int64_t si) {             \
    if (so == bytes && sx == bytes && si == (int64_t)sizeof(int64_t)) {                 \
      const int64_t* at = (const int64_t*)(const void*)index;                           \
      for (int64_t i = 0; i < n; i++)                                                   \
        memcpy(o + i * bytes, x + at[i] * down + i * bytes, bytes);                     \
      return;                                                                           \
    }                                                                                   \
    for (int64_t i = 0; i < n; i++, index += si)                                        \
      memcpy(o + i * so, x + *(const int64_t*)(const void*)index * down + i * sx,       \
             bytes);                                                                    \
  }
ACROSS(1)
ACROSS(2)
ACROSS(4)
ACROSS(8)
ACROSS(16)
#undef ACROSS
static across_fn across_for(int64_t item) {
  switch (item) {
    case 1: return across_1;
    case 2: return across_2;
    case 4: return across_4;
    case 8: return across_8;
    case 16: return across_16;
    default: return NULL;
  }
}

// |n| at each place of the walk: along a line, or, where |across| is there, one of each of
// several lines.
typedef struct taking {
  oyi_take_fn take;
  across_fn across;
  int64_t n, down;
  oyi_late late;
} taking;

// |n| of them from number |i| on.
static inline void take_part(const taking* t, const oyi_lines* w, int64_t i, int64_t n,
                             const char* index) {
  char* o = w->data[0] + i * w->step[0];
  const char* x = w->data[2];
  if (t->across)
    t->across(n, o, w->step[0], x + i * w->step[2], w->step[2], t->down, index,
              w->step[1]);
  else
    t->take(n, o, w->step[0], x, w->step[2], index, w->step[1]);
}
static oy_status take_some(oyi_lines* w, int64_t count, void* context) {
  taking* t = context;
  const int64_t most = oyi_late_most(&t->late, t->n);
  for (; count > 0; count--, oyi_lines_next(w))
    for (int64_t i = 0; i < t->n; i += most) {
      const int64_t n = t->n - i < most ? t->n - i : most;
      const char* index = w->data[1] + i * w->step[1];
      if (!oyi_late_passes(&t->late, index, w->step[1], n)) return OY_OK;
      take_part(t, w, i, n, index);
    }
  return OY_OK;
}

// Where the lines lie side by side memory is written, and indices are read, as they lie: across
// the lines. False: they do not.
static bool takes_across(oyi_tensor* o, const oyi_tensor* t, int64_t dim,
                         const oyi_tensor* index, taking* how) {
  enum { LEAST = 4, NEAR = 1 << 18 };
  const int64_t last = index->ndim - 1;
  if (dim >= last || index->sizes[last] < LEAST || oyi_strides(index)[last] != 1)
    return false;
  // Lines that lie apart are near enough to each other while the cache holds all of them.
  if (oyi_strides(t)[last] != 1 &&
      t->sizes[dim] * index->sizes[last] * oyi_item(t) > NEAR)
    return false;
  const across_fn across = across_for(oyi_item(t));
  oyi_lines w;
  const oyi_tensor* tensors[] = {o, index, t};
  if (!across || !oyi_lines_begin(&w, oyi_sizes_view(index), last, tensors, 3))
    return false;
  // Along the dimension, where it is in the walk, the index alone says where to read.
  size_t place = 0;
  for (int64_t d = dim + 1; d < last; d++) place += index->sizes[d] != 1;
  if (index->sizes[dim] != 1) w.steps[place][2] = 0;
  how->across = across;
  how->n = index->sizes[last];
  how->down = oyi_strides(t)[dim] * oyi_item(t);
  (void)!oyi_lines_run(&w, how->n, take_some, how);
  return true;
}

// Short lines that lie together in all of the tensors: many of them are checked and taken
// at once, as two calls for each line take longer than its elements.
typedef bool (*short_fn)(int64_t lines, int64_t n, char* o, const char* x, int64_t down,
                         const int64_t* index);
typedef struct short_lines {
  short_fn take;
  char* o;
  const char* x;
  const int64_t* index;
  int64_t lines, n, item, down;  // |down| bytes from line to line of |x|
  bool checks;                   // |take| looks at the numbers itself
  oyi_late* late;
} short_lines;

#define SHORT(bytes)                                                                    \
  static bool short_##bytes(int64_t lines, int64_t n, char* o, const char* x,           \
                            int64_t down, const int64_t* index) {                       \
    for (int64_t k = 0; k < lines; k++, x += down, index += n, o += n * bytes)          \
      OYI_UNROLL_BY(4)                                                                  \
    for (int64_t i = 0; i < n; i++) memcpy(o + i * bytes, x + index[i] * bytes, bytes); \
    return true;                                                                        \
  }
SHORT(1)
SHORT(2)
SHORT(4)
SHORT(8)
SHORT(16)
#undef SHORT
static short_fn short_for(int64_t item) {
  switch (item) {
    case 1: return short_1;
    case 2: return short_2;
    case 4: return short_4;
    case 8: return short_8;
    case 16: return short_16;
    default: return NULL;
  }
}

// Lines that fit into registers have a loop of their own, where it takes enough of each to be
// faster, or several at once; NULL: they do not.
static short_fn rows_for(int64_t item, int64_t length, int64_t n) {
#if defined(__x86_64__)
  enum { LEAST = 6, LEAST_BYTES = 16 };
  const bool several = length == n && 2 * n * item <= OYI_GATHER_REGISTER;
  const bool enough = several || (n >= LEAST && n * item >= LEAST_BYTES);
  if (length * item <= OYI_GATHER_BYTES && enough && oyi_cpu_level() > 1) {
    if (item == 2) return oyi_gather_rows_2_v4;
    if (item == 4) return oyi_gather_rows_4_v4;
    if (item == 8) return oyi_gather_rows_8_v4;
  }
#else
  (void)item, (void)length, (void)n;
#endif
  return NULL;
}

// |lines| of them from line |i| on.
static bool take_checked(const short_lines* s, int64_t i, int64_t lines) {
  const int64_t* index = s->index + i * s->n;
  if (!s->checks &&
      !oyi_late_passes(s->late, (const char*)index, sizeof(*index), lines * s->n))
    return false;
  if (s->take(lines, s->n, s->o + i * s->n * s->item, s->x + i * s->down, s->down, index))
    return true;
  oyi_late_fail(s->late);
  return false;
}

static oy_status take_short(int64_t chunk, void* context) {
  const short_lines* s = context;
  const int64_t stretch = OYI_ITER_GRAIN / s->n, most = OYI_CHECKED_AT_ONCE / s->n;
  const int64_t last = (chunk + 1) * stretch, end = last < s->lines ? last : s->lines;
  for (int64_t i = chunk * stretch; i < end; i += most)
    if (!take_checked(s, i, end - i < most ? end - i : most)) return OY_OK;
  return OY_OK;
}

static bool are_short(const oyi_tensor* o, const oyi_tensor* t, int64_t dim,
                      const oyi_tensor* index) {
  enum { MOST = 128 };
  if (t->ndim != index->ndim || dim != t->ndim - 1 || index->sizes[dim] > MOST ||
      index->numel == 0)
    return false;
  if (!(o->flags & t->flags & index->flags & OYI_CONTIGUOUS)) return false;
  for (int64_t d = 0; d < dim; d++)
    if (index->sizes[d] != t->sizes[d]) return false;
  return short_for(oyi_item(t)) != NULL;
}

static void take_short_lines(oyi_tensor* o, const oyi_tensor* t, int64_t dim,
                             const oyi_tensor* index, oyi_late* late) {
  const short_fn rows = rows_for(oyi_item(t), t->sizes[dim], index->sizes[dim]);
  short_lines s = {.take = rows ? rows : short_for(oyi_item(t)),
                   .checks = rows != NULL,
                   .o = oyi_data(o),
                   .x = oyi_data(t),
                   .index = oyi_data(index),
                   .n = index->sizes[dim],
                   .item = oyi_item(t),
                   .down = t->sizes[dim] * oyi_item(t),
                   .late = late};
  s.lines = index->numel / s.n;
  (void)!oyi_parallel_chunks(oyi_stretches(s.lines, OYI_ITER_GRAIN / s.n), take_short,
                             &s);
}

// |late|: indices are checked here.
static oy_status take_lines(oyi_tensor* o, const oyi_tensor* t, int64_t dim,
                            const oyi_tensor* index, bool late) {
  oyi_lines w;
  const oyi_tensor* tensors[] = {o, index, t};
  if (index->numel == 0) return OY_OK;  // and may be of any rank
  const int64_t size = t->ndim ? t->sizes[dim] : 1;
  taking how = {.take = oyi_take_for((size_t)oyi_item(t)),
                .n = index->ndim ? index->sizes[dim] : 1,
                .late = {late ? size : 0, false}};
  if (are_short(o, t, dim, index))
    take_short_lines(o, t, dim, index, &how.late);
  else if (!takes_across(o, t, dim, index, &how) &&
           oyi_lines_begin(&w, oyi_sizes_view(index), dim, tensors, 3))
    (void)!oyi_lines_run(&w, how.n, take_some, &how);
  return how.late.failed ? oyi_bad_line_index(index, dim, size) : OY_OK;
}

// Whether all indices, which are good, are 0: there is nothing else to take.
static bool takes_all(const oyi_tensor* t, int64_t dim, const oyi_tensor* index) {
  return t->ndim > 0 && t->ndim == index->ndim && t->sizes[dim] == 1;
}

static oy_object* gather(oy_object* self, int64_t dim, oy_object* index, oy_object* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* i = t ? oyi_tensor_of(index) : NULL;
  if (!i || (dim = oyi_dim_wrap(dim, t->ndim)) < 0 || check(t, dim, i) != 0) return NULL;
  oyi_tensor* o = make_output(t, i, out);
  if (!o || oyi_is_meta(t)) return oyi_tensor_object(o);
  // Nothing may be taken from a dimension of size 0, which late checks have no number for.
  const bool all = takes_all(t, dim, i);
  const bool late = !out && !all && t->numel > 0 &&
                    (oyi_checks_late(i, dim) || are_short(o, t, dim, i));
  oyi_tensor* apart = late || check_values(t, dim, i) == 0 ? oyi_index_apart(i, o) : NULL;
  oy_status status = oy_failure();
  if (apart)
    status = all ? oyi_index_copy(o, 0, t, 0, dim, oyi_sizes_view(o))
                 : take_lines(o, t, dim, apart, late);
  if (apart) oy_tensor_release(&apart->header);
  return oyi_index_result(o, out, status);
}

OYI_CPU(gather) {
  return gather(self, dim, index, NULL);
}
OYI_CPU(gather_out) {
  return gather(self, dim, index, out);
}
