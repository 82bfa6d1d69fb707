// SPDX-License-Identifier: Apache-2.0
// Views and history. A view knows its base; a write through the view is a write to
// the base, so the base's history becomes CopySlices, which gives the written part
// of the gradient to the operator and lets the rest through. The history of every
// view of the base is then out of date, and is made again from the base, as
// as_strided, when it is next asked for (reference, 9.6).
#include "base/memory.h"
#include "layers/autograd/record.h"
#include "layers/autograd/view_record.h"
#include "ops/calls.h"
#include "tensor/view_begin.h"

// NULL if there is no memory, and of inference tensors, whose views are not followed.
static inline oyi_variable* base_of(oyi_tensor* from) {
  oyi_variable* parent = oyi_variable_of(from);
  if (OY_UNLIKELY(!parent))
    return oyi_is_inference(from) ? NULL : oyi_variable_get_shared(from);
  return parent->root;
}

// A view taken with grad mode on is as writable as what it is taken of.
static inline uint8_t creation_of(const oyi_tensor* from) {
  if (OY_LIKELY(oyi_grad_mode == OYI_GRAD_ON)) return oyi_variable_of(from)->creation;
  return oyi_makes_inference() ? OYI_CREATION_INFERENCE : OYI_CREATION_NO_GRAD;
}

// A new view has no record yet.
static inline oyi_variable* record_of(oyi_tensor* view) {
  oyi_variable* v = oyi_variable_of(view);
  if (OY_UNLIKELY(v != NULL)) return v;
  if (OY_UNLIKELY(!(view->flags & OYI_VIEW_BLOCK))) return oyi_variable_make(view);
  v = oyi_variable_room(view);
  oyi_variable_init(v, view);
  return v;
}

static oy_status attach(oyi_tensor* view, oyi_tensor* from) {
  oyi_variable* b = base_of(from);
  oyi_variable* v = OY_LIKELY(b != NULL) ? record_of(view) : NULL;
  if (OY_UNLIKELY(!v)) return oyi_is_inference(from) ? OY_OK : OY_OUT_OF_MEMORY;
  v->creation = creation_of(from);
  v->counts = true;
  v->view_version = oyi_version(view);
  oyi_biased_lock(&b->lock);
  v->is_apart = b->is_apart || view->storage != b->tensor->storage;
  oyi_view_link(v, b);
  oyi_biased_unlock(&b->lock);
  if (OY_UNLIKELY(oyi_is_tracked(&b->tensor->header))) oyi_track(view);
  return OY_OK;
}

oy_status oyi_view_attach(oyi_tensor* view, oyi_tensor* from) {
  return view == from ? OY_OK : attach(view, from);
}

oy_object* oyi_view_result_slow(oy_object* view, oy_object* from) {
  if (!view || view == from || !oyi_is_tensor(view) || !oyi_is_tensor(from)) return view;
  if (OY_LIKELY(attach(oyi_tensor_cast(view), oyi_tensor_cast(from)) == 0)) return view;
  oy_tensor_release(view);
  return NULL;
}
oy_object* oyi_view_tracked(oy_object* view) {
  oyi_track(oyi_tensor_cast(view));
  return view;
}
oy_object* oyi_view_result_plain(oyi_tensor* view, oyi_tensor* from) {
  (void)oyi_view_counted(view);
  return oyi_view_result_slow(&view->header, &from->header);
}

// What is rare ends in a tail call of the slow way, before anything was done, so that the
// common one saves no registers: a new view, with grad mode on, of what has a record.
oy_object* oyi_view_result(oy_object* view, oy_object* from) {
  if (OY_UNLIKELY(!oyi_is_tensor(view) || !oyi_is_tensor(from)))
    return oyi_view_result_slow(view, from);
  oyi_tensor* t = oyi_tensor_cast(view);
  oyi_variable* parent = oyi_view_parent(oyi_tensor_cast(from));
  const uintptr_t has_record = (uintptr_t)t->meta | (uintptr_t)t->side;
  if (OY_UNLIKELY(has_record || !(t->flags & OYI_VIEW_BLOCK) || !t->storage || !parent))
    return oyi_view_result_slow(view, from);
  return oyi_view_record(t, oyi_tensor_cast(from), parent, true);
}

// Under the lock of the base.
static void hold_storage(oyi_variable* v) {
  oyi_storage* storage = v->tensor->storage;
  if (!v->counts && storage)
    __atomic_fetch_add(&storage->references, 1, __ATOMIC_RELAXED);  // inside
  v->counts = true;
  v->is_apart = true;
}

void oyi_view_hold_storage(oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  oyi_variable* b = v->root;
  oyi_biased_lock(&b->lock);
  if (oyi_is_view(v))
    hold_storage(v);
  else
    v->is_apart = true;
  for (oyi_variable* view = v->views; view; view = view->next_view) hold_storage(view);
  oyi_biased_unlock(&b->lock);
}

// An alias that has the geometry of |t| and no history.
static oy_status keep_geometry(const oyi_tensor* t, oyi_geometry* out) {
  out->like =
      oyi_tensor_on_storage(NULL, t->header.keys, oyi_sizes_view(t), oyi_strides_view(t),
                            t->offset, t->header.dtype, oyi_tensor_device(t));
  out->offset = t->offset;
  return out->like ? oyi_attach(out->like, oyi_attached(t)) : OY_OUT_OF_MEMORY;
}

static oyi_view_node* view_node(oyi_node_kind kind, const oyi_tensor* base,
                                const oyi_tensor* view) {
  oyi_view_node* v = oyi_view_node_new(kind);
  if (!v) return NULL;
  if (keep_geometry(base, &v->base) == 0 && keep_geometry(view, &v->view) == 0) return v;
  oyi_node_release(&v->head);
  return NULL;
}

static oy_status regenerate(oyi_variable* v, oyi_tensor* base) {
  oyi_view_node* made = view_node(OYI_NODE_AS_STRIDED, base, v->tensor);
  if (!made) return OY_OUT_OF_MEMORY;
  made->head.edge_count = 1;
  oy_status status = oyi_gradient_edge(base, &made->head.edges[0]);
  if (status == 0) return oyi_set_history(v->tensor, &made->head, 0);
  oyi_node_release(&made->head);
  return status;
}
oy_status oyi_view_regenerate(oyi_variable* v) {
  oyi_tensor* base = oyi_base_take(v);
  const oy_status status = regenerate(v, base);
  oy_tensor_release(&base->header);
  return status;
}

// The inner node's first edge led through the view to the base; the others are its own
// as well, so that the walk sees them.
static oy_status take_edges(oyi_view_node* slices, oyi_node* inner) {
  if (inner->edge_count > OYI_NODE_INPUTS) {
    oyi_edge* edges = oyi_calloc(inner->edge_count, sizeof(*edges));
    if (!edges) return OY_OUT_OF_MEMORY;
    slices->head.edges = edges;
  }
  slices->inner = inner;
  slices->head.edge_count = inner->edge_count;
  for (uint32_t i = 1; i < inner->edge_count; i++) {
    slices->head.edges[i] = inner->edges[i];
    oyi_node_retain(inner->edges[i].node);
  }
  return OY_OK;
}

static oy_status rebase(oyi_tensor* view, oyi_tensor* base, oyi_node* inner) {
  oyi_view_node* slices = view_node(OYI_NODE_COPY_SLICES, base, view);
  oy_status status = slices ? oyi_expect(inner->expected, view) : OY_OUT_OF_MEMORY;
  if (status == 0) status = take_edges(slices, inner);
  if (status == 0) status = oyi_gradient_edge(base, &slices->head.edges[0]);
  if (status != 0) {
    if (!slices || !slices->inner) oyi_node_release(inner);
    if (slices) oyi_node_release(&slices->head);
    return status;
  }
  OY_TRY(oyi_set_history(base, &slices->head, 0));
  oyi_track(view);
  return regenerate(oyi_variable_of(view), base);
}
oy_status oyi_view_rebase(oyi_tensor* view, oyi_node* inner) {
  oyi_tensor* base = oyi_base_take(oyi_variable_of(view));
  const oy_status status = rebase(view, base, inner);
  oy_tensor_release(&base->header);
  return status;
}

// ------------------------------------------------------------------ backward

// Elements of a buffer that holds everything that |g| reaches, counted from
// |first|.
static int64_t extent(const oyi_geometry* g, int64_t first) {
  int64_t last = g->offset - first + 1;
  for (size_t i = 0; i < g->like->ndim; i++) {
    if (g->like->sizes[i] == 0) return 0;
    last += (g->like->sizes[i] - 1) * oyi_strides(g->like)[i];
  }
  return last;
}

static oy_object* strided(oy_object* flat, const oyi_geometry* g, int64_t first) {
  return oyi_call_as_strided(flat, oyi_sizes_view(g->like), oyi_strides_view(g->like),
                             oy_int(g->offset - first));
}

// Elements of the view to one of the base: 2 of the numbers that a complex base is seen as, 0
// where the base has the numbers; else they are of one kind.
static int ratio(const oyi_view_node* v) {
  const bool from = oy_dtype_is_complex(v->base.like->header.dtype);
  const bool to = oy_dtype_is_complex(v->view.like->header.dtype);
  return from == to ? 1 : from ? 2 : 0;
}
// |n| elements of the view in those of the base, rounded up or down, and back.
static int64_t in_base(const oyi_view_node* v, int64_t n, bool up) {
  const int r = ratio(v);
  return r == 0 ? 2 * n : r == 1 ? n : (n + (up ? 1 : 0)) / 2;
}
static int64_t in_view(const oyi_view_node* v, int64_t n) {
  const int r = ratio(v);
  return r == 0 ? n / 2 : r * n;
}

// Zeros for the base, seen flat; of |grad|, so that a transform takes them for its own.
static oy_object* flat_zeros(const oyi_view_node* v, int64_t first, oy_object* grad) {
  int64_t a = extent(&v->base, first);
  int64_t b = in_base(v, extent(&v->view, in_view(v, first)), true);
  int64_t size = a > b ? a : b;
  size += ratio(v) == 0 ? size & 1 : 0;  // whole pairs
  return oyi_call_new_zeros(grad, (oy_ints){&size, 1}, oy_int(v->base.like->header.dtype),
                            oy_none(), oy_value_device(oyi_tensor_device(v->base.like)),
                            oy_none());
}

static int64_t first_element(const oyi_view_node* v) {
  const int64_t view = in_base(v, v->view.offset, false);
  const int64_t first = v->base.offset < view ? v->base.offset : view;
  return ratio(v) == 0 ? first & ~(int64_t)1 : first;  // a pair begins there
}

// |flat|, which is the base's, as elements of the view: a new reference.
static oy_object* flat_view(const oyi_view_node* v, oy_object* flat) {
  if (ratio(v) == 1) return oy_tensor_retain(flat);
  const int64_t all = -1, pairs[] = {-1, 2};
  const bool to_real = ratio(v) == 2;
  oy_object* two =
      to_real ? oyi_call_view_as_real(flat) : oyi_call_view(flat, (oy_ints){pairs, 2});
  oy_object* made = NULL;
  if (two)
    made =
        to_real ? oyi_call_view(two, (oy_ints){&all, 1}) : oyi_call_view_as_complex(two);
  oy_tensor_release(two);
  return made;
}

// An expanded view has elements that are one: their gradients are summed first.
static oy_object* sum_expanded(const oyi_geometry* g, oy_object* grad) {
  int64_t dims[OY_TENSOR_MAX_DIMS];
  size_t n = 0;
  for (size_t i = 0; i < g->like->ndim; i++)
    if (oyi_strides(g->like)[i] == 0 && g->like->sizes[i] > 1) dims[n++] = (int64_t)i;
  if (n == 0) return oy_tensor_retain(grad);
  return oyi_call_sum_dim_IntList(grad, (oy_ints){dims, n}, true, oy_none());
}

// The view's geometry with expanded dimensions of size 1.
static oy_object* strided_once(oy_object* flat, const oyi_geometry* g, int64_t first) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < g->like->ndim; i++)
    sizes[i] =
        oyi_strides(g->like)[i] == 0 && g->like->sizes[i] > 1 ? 1 : g->like->sizes[i];
  return oyi_call_as_strided(flat, (oy_ints){sizes, g->like->ndim},
                             oyi_strides_view(g->like), oy_int(g->offset - first));
}

// |grad| of the view as one of the base's elements, or the other way round: a new reference.
// Where one of them shows the conjugate of its memory, or its negation, and the other does
// not, so does the gradient.
static oy_object* turned(const oyi_view_node* v, oy_object* grad) {
  const uint64_t bits =
      v->base.like->header.keys.functionality ^ v->view.like->header.keys.functionality;
  oy_object* result = bits & 1ull << OY_KEY_Conjugate ? oyi_call_conj_physical(grad)
                                                      : oy_tensor_retain(grad);
  if (!(bits & 1ull << OY_KEY_Negative)) return result;
  oy_object* negated = oyi_call_neg(result);
  oy_tensor_release(result);
  return negated;
}

oy_status oyi_as_strided_apply(oyi_view_node* v, oy_object* grad, oy_object** out) {
  int64_t first = first_element(v);
  oy_object* flat = flat_zeros(v, first, grad);
  oy_object* seen = flat ? flat_view(v, flat) : NULL;
  oy_object* part = seen ? strided_once(seen, &v->view, in_view(v, first)) : NULL;
  oy_object* whole = part ? turned(v, grad) : NULL;
  oy_object* summed = whole ? sum_expanded(&v->view, whole) : NULL;
  oy_tensor_release(whole);
  if (summed && oyi_call_copy_(part, summed, false))
    out[0] = strided(flat, &v->base, first);
  oy_tensor_release(summed);
  oy_tensor_release(part);
  oy_tensor_release(seen);
  oy_tensor_release(flat);
  return out[0] ? OY_OK : oy_failure();
}

// The operator's own gradient of the written part, in its place.
static oy_status write_back(oyi_view_node* v, oy_object* part, oy_object** out) {
  oy_object* own = turned(v, part);
  oy_object* copy = own ? oyi_call_clone(own, oy_none()) : NULL;
  oy_tensor_release(own);
  if (!copy) return oy_failure();
  // The edge of the view itself is always wanted: it leads into the base.
  oy_status status = oyi_node_apply(v->inner, &copy, out);
  oy_tensor_release(copy);
  if (status == 0) {
    oy_object* back = out[0] ? turned(v, out[0]) : NULL;
    oy_object* done = NULL;
    if (back) done = oyi_call_copy_(part, back, false);
    if (!out[0]) done = oyi_call_zero_(part);
    oy_tensor_release(back);
    if (!done) status = oy_failure();
  }
  oy_tensor_release(out[0]);
  out[0] = NULL;
  return status;
}

oy_status oyi_copy_slices_apply(oyi_view_node* v, oy_object* grad, oy_object** out) {
  int64_t first = first_element(v);
  oy_object* flat = flat_zeros(v, first, grad);
  oy_object* whole = flat ? strided(flat, &v->base, first) : NULL;
  oy_object* seen = whole ? flat_view(v, flat) : NULL;
  oy_object* part = seen ? strided(seen, &v->view, in_view(v, first)) : NULL;
  oy_status status = OY_OK;
  if (!part || !oyi_call_copy_(whole, grad, false)) status = oy_failure();
  if (status == 0) status = write_back(v, part, out);
  if (status == 0) out[0] = oy_tensor_retain(whole);
  oy_tensor_release(part);
  oy_tensor_release(seen);
  oy_tensor_release(whole);
  oy_tensor_release(flat);
  return status;
}
