// SPDX-License-Identifier: Apache-2.0
// Making, saving in, and releasing nodes. Releasing one may release the next and
// so on through a graph of any depth, by way of saved tensors too; so dead nodes
// go to a list of the thread, and whoever came first empties it.
#include "layers/autograd/node.h"

#include "base/memory.h"
#include "layers/autograd/full.h"
#include "layers/autograd/function.h"
#include "layers/autograd/hooks.h"
#include "layers/autograd/record.h"
#include "layers/autograd/short_node.h"
#include "layers/autograd/streams.h"
#include "layers/autograd/variable.h"
#include "tensor/pool.h"

_Static_assert(sizeof(oyi_view_node) <= OYI_POOL_UNIT * OYI_POOL_CLASSES,
               "nodes come from the pool");

__thread uint64_t oyi_node_sequence;
static __thread bool t_numbered __attribute__((tls_model("initial-exec")));
static __thread oyi_node* t_dead __attribute__((tls_model("initial-exec")));
static __thread bool t_burying __attribute__((tls_model("initial-exec")));

// What a thread made before it asked keeps its small number; so the order holds.
uint64_t oy_sequence_next(void) {
  static uint64_t threads;  // atomic
  if (!t_numbered) {
    uint64_t number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    oyi_node_sequence |= (number & 0x7fff) << OY_SEQUENCE_BITS;
    t_numbered = true;
  }
  return oyi_node_sequence;
}

static void* take(size_t size, uint8_t* out_units) {
  *out_units = (uint8_t)oyi_pool_units(size);
  return oyi_pool_take(*out_units);
}

oyi_view_node* oyi_view_node_new(oyi_node_kind kind) {
  uint8_t units;
  oyi_view_node* v = take(sizeof(*v), &units);
  if (!v) return NULL;
  memset(v, 0, sizeof(*v));
  oyi_node_init(&v->head, kind, NULL);
  v->head.block = units;
  v->head.edges = v->own_edges;
  v->head.expected = &v->own_expected;
  oyi_expectation_init(&v->own_expected);
  if (OY_UNLIKELY(oyi_record_also & OYI_ALSO_STREAM)) oyi_expect_stream(&v->own_expected);
  return v;
}

oyi_accumulate_node* oyi_accumulate_node_new(oyi_tensor* variable) {
  uint8_t units;
  oyi_accumulate_node* a = take(sizeof(*a), &units);
  if (!a) return NULL;
  oyi_node_init(&a->head, OYI_NODE_ACCUMULATE, NULL);
  a->head.references = 0;
  a->head.block = units;
  a->head.edges = NULL;
  a->head.expected = &a->own_expected;
  a->variable = variable;
  oyi_expectation_init(&a->own_expected);
  if (oyi_is_on_device(variable->backend)) oyi_expect_stream(&a->own_expected);
  return a;
}

static void release_view_parts(oyi_view_node* v) {
  oy_tensor_release(oyi_tensor_object(v->base.like));
  oy_tensor_release(oyi_tensor_object(v->view.like));
  oyi_node_release(v->inner);
  if (v->head.edges != v->own_edges) oyi_free(v->head.edges);
}

void oyi_expectation_reset(oyi_expectation* e) {
  if (OY_UNLIKELY(e->sizes != e->inline_sizes)) oyi_free(e->sizes);
}

static __attribute__((noinline)) void free_node(oyi_node* node) {
  if (OY_UNLIKELY(node->hooks != NULL)) oyi_hooks_free(node->hooks);
  if (node->kind == OYI_NODE_FULL) {
    oyi_full_node_free(node);
    return;
  }
  if (node->kind == OYI_NODE_FUNCTION) {
    oyi_function_node_free(oyi_function_of(node));
    return;
  }
  oyi_expectation_reset(node->expected);
  oyi_pool_give(node, node->block);
}

void oyi_accumulator_free(oyi_node* node) {
  free_node(node);
}

// A node that nobody else has needs no atomic operation to go.
static inline bool drop(oyi_node* node) {
  return __atomic_load_n(&node->references, __ATOMIC_ACQUIRE) == 1 ||
         __atomic_sub_fetch(&node->references, 1, __ATOMIC_ACQ_REL) == 0;
}

static inline void release_leaf(oyi_node* node) {
  oyi_tensor* leaf = oyi_accumulate_node_of(node)->variable;
  if (OY_UNLIKELY(oyi_is_on_device(leaf->backend)))
    __atomic_fetch_sub(&node->references, 1, __ATOMIC_RELAXED);
  oy_object_release(&leaf->header);
}

static inline void add_dead(oyi_node* node) {
  node->next_dead = t_dead;
  t_dead = node;
}

// While the thread buries.
static inline void release_edges(oyi_node* node) {
  const oyi_edge* end = node->edges + node->edge_count;
  for (const oyi_edge* e = node->edges; e < end; e++) {
    if (!e->node) continue;
    if (e->node->kind == OYI_NODE_ACCUMULATE)
      release_leaf(e->node);
    else if (drop(e->node))
      add_dead(e->node);
  }
}

static __attribute__((noinline)) void bury_other(oyi_node* node) {
  release_edges(node);
  oyi_node_release_saved(node);
  if (node->kind == OYI_NODE_COPY_SLICES || node->kind == OYI_NODE_AS_STRIDED)
    release_view_parts(oyi_view_node_of(node));
  free_node(node);
}

static inline void bury(oyi_node* node) {
  oyi_short_node* s = oyi_short_of(node);
  if (OY_UNLIKELY(node->kind != OYI_NODE_SHORT || node->hooks ||
                  s->own_expected.sizes != s->own_expected.inline_sizes)) {
    bury_other(node);
    return;
  }
  release_edges(node);
  if (!node->released) oyi_short_release_saved(s);
  oyi_pool_give(node, node->block);
}

static __attribute__((noinline)) void bury_all(oyi_node* node) {
  add_dead(node);
  if (t_burying) return;
  t_burying = true;
  while (t_dead) {
    oyi_node* dead = t_dead;
    t_dead = dead->next_dead;
    bury(dead);
  }
  t_burying = false;
}

void oyi_node_release(oyi_node* node) {
  if (!node) return;
  if (node->kind == OYI_NODE_ACCUMULATE)
    release_leaf(node);
  else if (drop(node))
    bury_all(node);
}

oy_status oyi_expect_long(oyi_expectation* e, const oyi_tensor* like) {
  // Room that an accumulate node got for an earlier graph may be too small.
  const bool with_stream = e->sizes != e->inline_sizes && oyi_is_on_device(like->backend);
  oyi_expectation_reset(e);
  e->sizes = e->inline_sizes;
  if ((like->ndim > OYI_INLINE_DIMS || with_stream) &&
      !(e->sizes = oyi_calloc((size_t)like->ndim + 1, sizeof(int64_t)))) {
    e->sizes = e->inline_sizes;
    e->ndim = 0;
    return OY_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < like->ndim; i++) e->sizes[i] = like->sizes[i];
  if (with_stream) e->sizes[like->ndim] = (int64_t)oyi_stream_now(like);
  return OY_OK;
}

const char* oyi_node_name(const oyi_node* node) {
  switch (node->kind) {
    case OYI_NODE_ACCUMULATE: return "AccumulateGrad";
    case OYI_NODE_COPY_SLICES: return "CopySlices";
    case OYI_NODE_AS_STRIDED: return "AsStridedBackward0";
    default: return node->formula->name;
  }
}

// --------------------------------------------------------------------- saving

static void release_slots(oyi_saved* saved, size_t count) {
  for (size_t i = 0; i < count; i++) oyi_saved_release(&saved[i]);
}

void oyi_node_release_parts(oyi_node* node) {
  node->released = true;
  if (node->kind == OYI_NODE_SHORT)
    oyi_short_release_saved(oyi_short_of(node));
  else if (node->kind == OYI_NODE_FULL)
    release_slots(oyi_full_of(node)->saved, oyi_full_of(node)->saved_count);
  else if (node->kind == OYI_NODE_FUNCTION)
    oyi_function_node_release_saved(oyi_function_of(node));
  else if (node->kind == OYI_NODE_COPY_SLICES && oyi_view_node_of(node)->inner)
    oyi_node_release_saved(oyi_view_node_of(node)->inner);
}

// --------------------------------------------------------------------- running

// While the walk itself is recorded, saved results are results of the node once more:
// aliases that it made. |before| gets what they stand in for.
static oy_status revive(oyi_node* node, oyi_saved* saved, size_t count,
                        oyi_tensor** before) {
  for (size_t i = 0; i < count; i++) {
    before[i] = saved[i].tensor;
    if (!saved[i].tensor || !saved[i].is_result) continue;
    if (!oyi_saved_tensor(node, &saved[i])) return oy_failure();
    oyi_tensor* t = saved[i].tensor;
    oyi_tensor* live =
        oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset);
    if (!live) return OY_OUT_OF_MEMORY;
    saved[i].tensor = live;
    OY_TRY(oyi_set_history(live, oyi_node_retain(node), saved[i].output_nr));
  }
  return OY_OK;
}

static void put_back(oyi_saved* saved, size_t count, oyi_tensor** before) {
  for (size_t i = 0; i < count; i++) {
    if (saved[i].tensor == before[i]) continue;
    oy_tensor_release(oyi_tensor_object(saved[i].tensor));
    saved[i].tensor = before[i];
  }
}

static oy_status apply_formula(oyi_node* node, oy_object* const* grads, oy_object** out) {
  if (node->kind == OYI_NODE_FULL)
    return node->formula->apply_full(oyi_full_of(node), grads, out);
  return node->formula->apply(oyi_short_of(node), grads[0], out);
}

static oy_status apply_recorded(oyi_node* node, oy_object* const* grads,
                                oy_object** out) {
  bool is_full = node->kind == OYI_NODE_FULL;
  oyi_saved* saved = is_full ? oyi_full_results(oyi_full_of(node))
                             : &oyi_short_of(node)->saved[OYI_SAVE_RESULT];
  size_t count = is_full ? oyi_full_of(node)->result_count : node->saves_result;
  oyi_tensor* before[OYI_SAVES] = {NULL};
  oy_status status = revive(node, saved, count, before);
  if (status == 0) status = apply_formula(node, grads, out);
  put_back(saved, count, before);
  return status;
}

oy_status oyi_node_apply(oyi_node* node, oy_object* const* grads, oy_object** out) {
  if (node->kind == OYI_NODE_COPY_SLICES)
    return oyi_copy_slices_apply(oyi_view_node_of(node), grads[0], out);
  if (node->kind == OYI_NODE_AS_STRIDED)
    return oyi_as_strided_apply(oyi_view_node_of(node), grads[0], out);
  if (node->kind == OYI_NODE_FUNCTION)
    return oyi_function_node_apply(oyi_function_of(node), grads, out);
  if (node->kind == OYI_NODE_FULL) OY_TRY(oyi_full_check(oyi_full_of(node)));
  if (OY_LIKELY(!oyi_grad_mode)) return apply_formula(node, grads, out);
  return apply_recorded(node, grads, out);
}
