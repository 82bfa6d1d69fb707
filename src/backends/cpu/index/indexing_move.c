// SPDX-License-Identifier: Apache-2.0
// Rows between indexed places and the other operand, which is contiguous, one row for
// all indices, or one element for all.
#include <string.h>

#include "backends/cpu/index/indexing.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "tensor/element.h"
#include "tensor/move.h"

typedef struct dims {
  size_t count;
  int64_t sizes[OY_TENSOR_MAX_DIMS], steps[OY_TENSOR_MAX_DIMS];  // the fastest first
} dims;

typedef struct move {
  char *self, *other;
  int64_t other_step;  // of its elements: their size, or 0
  int64_t other_row;   // from what is behind one index to the next, in bytes
  const int64_t* offsets;
  int64_t scale;  // of an offset, in bytes
  int64_t count;  // indices
  dims before, after;
  oyi_updater updater;  // what is done to self
  bool sets;            // which becomes the other
  oyi_take_fn take;     // not NULL: self is read
  oyi_rows_fn rows;     // not NULL: whole rows, which are short
} move;

// Those that continue each other become one.
static void collect(dims* out, const oyi_tensor* t, const uint8_t* which, size_t count) {
  out->count = 0;
  for (size_t i = count; i-- > 0;) {
    int64_t size = t->sizes[which[i]], step = oyi_strides(t)[which[i]] * oyi_item(t);
    if (size == 1) continue;
    size_t last = out->count;
    if (last && out->sizes[last - 1] * out->steps[last - 1] == step) {
      out->sizes[last - 1] *= size;
      continue;
    }
    out->sizes[out->count] = size;
    out->steps[out->count++] = step;
  }
}

static void move_row(const move* m, char* self, char* other) {
  const dims* a = &m->after;
  if (m->take)
    m->updater.row(a->sizes[0], other, m->other_step, self, a->steps[0]);
  else
    m->updater.row(a->sizes[0], self, a->steps[0], other, m->other_step);
}

// Many of them, where a call for each takes longer than its bytes.
static void move_plane(const move* m, char* self, char* other) {
  const dims* a = &m->after;
  const int64_t item = m->other_step, row = a->sizes[0] * item;
  oyi_move_rows(&(oyi_move){.item = (size_t)item,
                            .n = a->sizes[0],
                            .rows = a->sizes[1],
                            .to = m->take ? other : self,
                            .from = m->take ? self : other,
                            .to_along = m->take ? item : a->steps[0],
                            .to_down = m->take ? row : a->steps[1],
                            .from_along = m->take ? a->steps[0] : item,
                            .from_down = m->take ? a->steps[1] : row});
}

// The rows of elements behind each index, dimension by dimension.
static void move_rows(const move* m, char* self, char* other) {
  const dims* a = &m->after;
  const bool moves = m->take || (m->sets && m->other_step != 0);
  const size_t first = moves ? 2 : 1;  // of the dimensions that are walked here
  const int64_t row = a->sizes[0] * m->other_step, step = moves ? row * a->sizes[1] : row;
  int64_t at[OY_TENSOR_MAX_DIMS] = {0};
  for (;;) {
    if (moves)
      move_plane(m, self, other);
    else
      move_row(m, self, other);
    other += step;
    size_t d = first;
    for (; d < a->count; d++) {
      self += a->steps[d];
      if (++at[d] < a->sizes[d]) break;
      self -= a->steps[d] * a->sizes[d];
      at[d] = 0;
    }
    if (d >= a->count) return;
  }
}

// |count| indices from |offsets| on.
static void move_indices(const move* m, const int64_t* offsets, int64_t count, char* self,
                         char* other) {
  if (m->rows) {
    m->rows(count, other, self, m->scale, offsets, m->other_row);
    return;
  }
  if (m->after.count > 0) {
    // Rows of one dimension need no places in the others.
    void (*each)(const move*, char*, char*) = m->after.count == 1 ? move_row : move_rows;
    for (int64_t i = 0; i < count; i++)
      each(m, self + offsets[i] * m->scale, other + i * m->other_row);
    return;
  }
  const char* index = (const char*)offsets;
  if (m->take)
    m->take(count, other, m->other_row, self, m->scale, index, sizeof(int64_t));
  else
    m->updater.at(count, self, 0, m->scale, index, sizeof(int64_t), other, m->other_row);
}

enum { AT_ONCE = 512 };

// Few indices at several places before them, which follow each other, are as many at one place: a
// call for each place takes longer than its elements. How many places; their indices to |all|.
static int64_t places_at_once(const move* m, int64_t* all) {
  enum { FEW = 32 };
  const dims* b = &m->before;
  if (!m->take || (!m->rows && m->after.count > 0) || b->count == 0 || m->count == 0 ||
      m->count > FEW || m->scale == 0 || b->steps[0] % m->scale != 0)
    return 1;
  const int64_t most = AT_ONCE / m->count,
                places = b->sizes[0] < most ? b->sizes[0] : most;
  const int64_t step = b->steps[0] / m->scale;
  for (int64_t k = 0; k < places; k++)
    for (int64_t i = 0; i < m->count; i++)
      all[k * m->count + i] = m->offsets[i] + k * step;
  return places;
}

// How many of those there are before the end of a line, and of what is |left|.
static int64_t places_now(const move* m, int64_t places, int64_t at, int64_t left) {
  const int64_t behind = m->before.sizes[0] - at, whole = left / m->count;
  const int64_t most = behind < whole ? behind : whole;
  return most < places ? most : places;
}

// All indices, at each place before them: several threads share out what is read, of which
// each element has a place of its own.
typedef struct moving {
  const move* m;
  int64_t all, piece;
} moving;

static oy_status move_piece(int64_t index, void* context) {
  const moving* g = context;
  const move* m = g->m;
  int64_t from = index * g->piece, first = from % m->count, place = from / m->count;
  const int64_t end = g->all - from < g->piece ? g->all : from + g->piece;
  int64_t at[OY_TENSOR_MAX_DIMS] = {0};
  char* self = m->self;
  for (size_t d = 0; d < m->before.count; place /= m->before.sizes[d++]) {
    at[d] = place % m->before.sizes[d];
    self += at[d] * m->before.steps[d];
  }
  int64_t all[AT_ONCE];
  const int64_t places = places_at_once(m, all);
  for (int64_t some; from < end; from += some, first = 0) {
    some = m->count - first < end - from ? m->count - first : end - from;
    const int64_t now =
        places > 1 && first == 0 ? places_now(m, places, at[0], end - from) : 1;
    if (now > 1) some = now * m->count;
    move_indices(m, now > 1 ? all : m->offsets + first, some, self,
                 m->other + from * m->other_row);
    if (now > 1) at[0] += now - 1, self += (now - 1) * m->before.steps[0];
    for (size_t d = 0; d < m->before.count; d++) {
      self += m->before.steps[d];
      if (++at[d] < m->before.sizes[d]) break;
      self -= m->before.steps[d] * m->before.sizes[d];
      at[d] = 0;
    }
  }
  return OY_OK;
}

// Few elements behind few indices, at many places before them: the same of all places are one row,
// as far as they are near.
static bool has_few_elements(const move* m) {
  enum { PLACES = 8, INDICES = 32, ELEMENTS = 4, OF_ONE = 8 };
  const dims *a = &m->after, *b = &m->before;
  if (b->count == 0 || b->sizes[0] < PLACES || a->count > 1 || m->rows) return false;
  if (a->count == 1) return a->sizes[0] <= (m->other_step ? ELEMENTS : OF_ONE);
  // Else places follow each other by index.
  return m->count <= INDICES &&
         (!m->take || m->scale == 0 || b->steps[0] % m->scale != 0);
}

// Of |places| places from |self| on.
static void move_places(const move* m, int64_t places, char* self, char* other) {
  const dims* a = &m->after;
  const int64_t behind = a->count ? a->sizes[0] : 1, step = a->count ? a->steps[0] : 0;
  const int64_t down = m->before.steps[0], row = m->count * m->other_row;
  for (int64_t i = 0; i < m->count; i++)
    for (int64_t k = 0; k < behind; k++) {
      char* own = self + m->offsets[i] * m->scale + k * step;
      char* others = other + i * m->other_row + k * m->other_step;
      if (m->take)
        m->updater.row(places, others, row, own, down);
      else
        m->updater.row(places, own, down, others, row);
    }
}

static oy_status move_some_places(int64_t index, void* context) {
  enum { NEAR = 1 << 14, LEAST = 16 };
  const moving* g = context;
  const move* m = g->m;
  const dims* b = &m->before;
  const int64_t row = m->count * m->other_row;
  const int64_t down = b->steps[0] > row ? b->steps[0] : row, fit = NEAR / (down + 1);
  int64_t place = index * g->piece, at[OY_TENSOR_MAX_DIMS] = {0};
  const int64_t end = g->all - place < g->piece ? g->all : place + g->piece;
  char* self = m->self;
  for (size_t d = 0, left = (size_t)place; d < b->count; left /= (size_t)b->sizes[d++]) {
    at[d] = (int64_t)left % b->sizes[d];
    self += at[d] * b->steps[d];
  }
  for (int64_t some; place < end; place += some) {
    some = fit > LEAST ? fit : LEAST;
    if (some > end - place) some = end - place;
    if (some > b->sizes[0] - at[0]) some = b->sizes[0] - at[0];
    move_places(m, some, self, m->other + place * row);
    at[0] += some;
    self += some * b->steps[0];
    for (size_t d = 0; d + 1 < b->count && at[d] == b->sizes[d]; d++) {
      self += b->steps[d + 1] - b->steps[d] * b->sizes[d];
      at[d] = 0;
      at[d + 1]++;
    }
  }
  return OY_OK;
}

static int64_t product(const dims* d) {
  int64_t count = 1;
  for (size_t i = 0; i < d->count; i++) count *= d->sizes[i];
  return count;
}

// One element for short rows becomes a row of it.
enum { REPEATED = 512 };
static void repeat_one(move* m, size_t item, char* row) {
  const dims* a = &m->after;
  const size_t size = a->count == 1 ? (size_t)a->sizes[0] * item : 0;
  if (m->other_step != 0 || size == 0 || size > REPEATED || a->steps[0] != (int64_t)item)
    return;
  oyi_move_fill(row, size, m->other, item);
  m->other = row;
  m->other_step = (int64_t)item;
}

// One index leaves one row of all that is before and behind it, where these follow each other.
static void join_dims(move* m, const oyi_indexing* x) {
  uint8_t all[OY_TENSOR_MAX_DIMS];
  dims joined;
  memcpy(all, x->before, x->before_count);
  memcpy(all + x->before_count, x->after, x->after_count);
  collect(&joined, x->self, all, x->before_count + x->after_count);
  if (joined.count != 1 || m->before.count == 0) return;
  m->before.count = 0;
  m->after = joined;
}

static bool takes_across(const move* m) {
  const oyi_across x = {m->self,         m->other,        m->offsets,
                        m->scale,        m->count,        m->before.count,
                        m->before.sizes, m->before.steps, m->other_step};
  return oyi_indexing_take_across(&x);
}

// |other_step|: 0 for one element; |is_row|: it is one row, as long as what is behind an index.
static void run(const oyi_indexing* x, char* other, int64_t other_step, bool is_row,
                oyi_updater updater, oyi_take_fn take) {
  move m;
  m.self = oyi_data(x->self);
  m.other = other;
  m.other_step = other_step;
  m.offsets = oyi_data(x->offsets);
  m.scale = x->scale;
  m.count = x->offsets->numel;
  m.updater = updater;
  m.take = take;
  m.sets = updater.row == oyi_updater_for(OYI_UPDATE_SET, x->self->header.dtype).row;
  collect(&m.before, x->self, x->before, x->before_count);
  collect(&m.after, x->self, x->after, x->after_count);
  if (m.count == 1 && !take && !is_row) join_dims(&m, x);
  const int64_t elements = product(&m.after), all = m.count * product(&m.before);
  m.other_row = is_row ? 0 : elements * other_step;
  m.rows = NULL;
  if (take && m.after.count == 1 && m.after.steps[0] == other_step)
    m.rows = oyi_rows_for(m.other_row);
  if (take && m.after.count == 0 && takes_across(&m)) return;
  if (has_few_elements(&m)) {
    const int64_t places = product(&m.before);
    moving g = {&m, places, take ? oyi_stretch(m.count * elements) : places};
    (void)!oyi_parallel_chunks((places + g.piece - 1) / g.piece, move_some_places, &g);
    return;
  }
  _Alignas(64) char row[REPEATED];
  if (!take) repeat_one(&m, (size_t)oyi_item(x->self), row);
  moving g = {&m, all, take ? oyi_stretch(elements) : all};
  // Nothing in a piece can fail.
  (void)!oyi_parallel_chunks((all + g.piece - 1) / g.piece, move_piece, &g);
}

// Where |to| lies as a new result does its dimensions are gone through as memory has them.
static bool takes_lying(const oyi_indexing* x, oyi_tensor* to) {
  const oyi_indexing_layout* l = &x->layout;
  const size_t bytes = to->ndim * sizeof(*l->strides);
  if (l->plain || !l->divided || memcmp(oyi_strides(to), l->strides, bytes) != 0)
    return false;
  oyi_indexing lying = *x;
  lying.before_count = l->before_count;
  lying.after_count = l->after_count;
  memcpy(lying.before, l->before, sizeof(l->before));
  memcpy(lying.after, l->after, sizeof(l->after));
  const size_t item = (size_t)oyi_item(to);
  run(&lying, oyi_data(to), (int64_t)item, false,
      oyi_updater_for(OYI_UPDATE_SET, to->header.dtype), oyi_take_for(item));
  return true;
}

oy_status oyi_indexing_take(const oyi_indexing* x, oyi_tensor* to) {
  if (to->numel == 0 || oyi_is_meta(to)) return OY_OK;
  oyi_tensor* target = to;
  if (!oyi_may_share(to, x->offsets) && takes_lying(x, to)) return OY_OK;
  if ((!(to->flags & OYI_CONTIGUOUS) || oyi_may_share(to, x->offsets)) &&
      !(target =
            oyi_tensor_new(oyi_sizes_view(to), to->header.dtype, oyi_tensor_device(to))))
    return OY_OUT_OF_MEMORY;
  size_t item = (size_t)oyi_item(to);
  run(x, oyi_data(target), (int64_t)item, false,
      oyi_updater_for(OYI_UPDATE_SET, to->header.dtype), oyi_take_for(item));
  if (target != to) {
    oyi_convert(to, target);
    oy_tensor_release(&target->header);
  }
  return OY_OK;
}

// Whether |from|, contiguous, broadcasts to the shape of the result from what is behind an
// index alone, of |row| elements.
static bool is_one_row(const oyi_indexing* x, const oyi_tensor* from, int64_t row) {
  const size_t more = from->ndim > x->after_count ? from->ndim - x->after_count : 0;
  for (size_t d = 0; d < more; d++)
    if (from->sizes[d] != 1) return false;
  return from->numel == row;
}

oy_status oyi_indexing_update(const oyi_indexing* x, const oyi_tensor* from,
                              oyi_updater updater) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], numel = 1, row = 1;
  size_t ndim;
  if (!oyi_indexing_shape(x, sizes, &ndim)) return OY_INVALID_ARGUMENT;
  for (size_t i = 0; i < ndim; i++) numel *= sizes[i];
  for (size_t i = ndim - x->after_count; i < ndim; i++) row *= sizes[i];
  if (numel == 0 || oyi_is_meta(x->self)) return OY_OK;
  if (from->numel == 1) {
    run(x, oyi_data(from), 0, false, updater, NULL);
    return OY_OK;
  }
  const bool is_row = (from->flags & OYI_CONTIGUOUS) && is_one_row(x, from, row);
  oyi_tensor* copy = NULL;
  if (!is_row && (!(from->flags & OYI_CONTIGUOUS) || from->numel != numel)) {
    oy_object* wide =
        oy_tensor_expand(&((oyi_tensor*)(uintptr_t)from)->header, (oy_ints){sizes, ndim});
    if (!wide) return oy_failure();
    copy = oyi_converted(oyi_tensor_cast(wide), from->header.dtype);
    oy_tensor_release(wide);
    if (!copy) return OY_OUT_OF_MEMORY;
    from = copy;
  }
  run(x, oyi_data(from), oyi_item(from), is_row, updater, NULL);
  if (copy) oy_tensor_release(&copy->header);
  return OY_OK;
}
