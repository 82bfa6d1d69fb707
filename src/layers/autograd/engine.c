// SPDX-License-Identifier: Apache-2.0
// The backward walk (reference, 9.4): count how many gradients each node will get,
// then run the nodes that have got all of theirs, latest first. It runs in the
// caller's thread, without recursion; it is recorded itself if it is asked to.
#include "layers/autograd/engine.h"

#include <stdio.h>

#include "base/memory.h"
#include "dispatch/trace.h"
#include "layers/autograd/anomaly.h"
#include "layers/autograd/hooks.h"
#include "layers/autograd/record.h"
#include "layers/autograd/streams.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"
#include "opyard/observe.h"

__thread bool oyi_walk_is_selective;

// ------------------------------------------------------------------ delivering

static oy_object** buffer_of(oyi_task_entry* entry, uint32_t nr) {
  if (nr == 0) return &entry->grad;
  if (!entry->more)
    entry->more = oyi_calloc(entry->node->output_count - 1, sizeof(oy_object*));
  return entry->more ? &entry->more[nr - 1] : NULL;
}

// A sum that nobody else sees may be added to in place.
static bool is_own(const oy_object* grad) {
  const oyi_tensor* g = oyi_tensor_cast(grad);
  return !oyi_grad_mode && __atomic_load_n(&grad->references, __ATOMIC_ACQUIRE) == 1 &&
         g->storage && !g->meta && (g->flags & OYI_DENSE) &&
         __atomic_load_n(&g->storage->references, __ATOMIC_ACQUIRE) == 1;
}

static oy_status add_into(oy_object** sum, oy_object* grad) {
  if (is_own(*sum))
    return oyi_call_add__Tensor(*sum, grad, oy_int(1)) ? OY_OK : oy_failure();
  oy_object* both = oyi_call_add_Tensor(*sum, grad, oy_int(1));
  if (!both) return oy_failure();
  oy_tensor_release(*sum);
  *sum = both;
  return OY_OK;
}

// Adds |grad|, which it takes over and which may be NULL, to what result |nr| has.
static oy_status put(oyi_task_entry* entry, uint32_t nr, oy_object* grad) {
  if (!grad) return OY_OK;
  oy_object** buffer = buffer_of(entry, nr);
  oy_status status = buffer ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == 0 && !*buffer) {
    *buffer = grad;
    return OY_OK;
  }
  if (status == 0) status = add_into(buffer, grad);
  oy_tensor_release(grad);
  return status;
}

static bool is_run(const oyi_walk* walk, const oyi_task_entry* entry) {
  return !walk->capture_count || entry->is_needed || entry->is_captured;
}

// Part of the walk's loop, also where there are two of them.
OY_CALL_INLINE oy_status deliver(oyi_task* task, const oyi_walk* walk, size_t at,
                                 uint32_t nr, oy_object* grad) {
  oyi_task_entry* entry = &task->entries[at];
  if (!is_run(walk, entry)) {
    oy_tensor_release(grad);
    return OY_OK;
  }
  if (nr == 0 && !entry->grad)
    entry->grad = grad;
  else
    OY_TRY(put(entry, nr, grad));
  if (--entry->waiting > 0) return OY_OK;
  return oyi_task_push(task, at);
}

static OYI_COLD oy_status deliver_on_stream(oyi_task* task, const oyi_walk* walk,
                                            size_t at, uint32_t nr, oy_object* grad) {
  oy_stream_guard guard;
  oy_status status = oyi_stream_hand(grad, task->entries[at].node, &guard);
  if (status == 0)
    status = deliver(task, walk, at, nr, grad);
  else
    oy_tensor_release(grad);
  oy_status left = oy_stream_guard_leave(&guard);
  return status ? status : left;
}

// Hands the results of the node of |from| on, and takes them over. With streams, each is
// delivered on the stream of who gets it.
OY_CALL_INLINE oy_status hand_on(oyi_task* task, const oyi_walk* walk,
                                 const oyi_task_entry* from, oy_object** grads,
                                 bool on_streams) {
  oyi_node* node = from->node;
  const uint32_t* targets = task->targets + from->first_target;
  const oyi_edge* edge = node->edges;
  const uint32_t count = node->edge_count;
  oy_status status = OY_OK;
  for (uint32_t i = 0; i < count; i++, edge++) {
    oy_object* grad = grads[i];
    grads[i] = NULL;
    if (!edge->node || status != 0) {
      oy_tensor_release(grad);
      continue;
    }
    const oyi_expectation* expected = oyi_expected_at(edge);
    if (grad && OY_UNLIKELY(!oyi_fits(grad, expected)))
      status = oyi_validate(&grad, expected, node, i);
    if (status == 0 && on_streams)
      status = deliver_on_stream(task, walk, targets[i], edge->output_nr, grad);
    else if (status == 0)
      status = deliver(task, walk, targets[i], edge->output_nr, grad);
  }
  return status;
}

// --------------------------------------------------------------------- running

static void capture(const oyi_walk* walk, const oyi_node* node, oy_object* const* grads) {
  for (size_t i = 0; walk->captured && i < walk->capture_count; i++)
    if (walk->captures[i].node == node)
      walk->captured[i] = oy_tensor_retain(grads[walk->captures[i].output_nr]);
}

static bool any_of(oy_object* const* grads, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (grads[i]) return true;
  return false;
}

static bool is_watched(uint8_t what) {
  return (__atomic_load_n(&oyi_backward_watch, __ATOMIC_RELAXED) & what) != 0;
}

// What PyTorch's records call it.
static const char* record_name(const oyi_node* node) {
  if (node->kind == OYI_NODE_ACCUMULATE) return "torch::autograd::AccumulateGrad";
  if (node->kind == OYI_NODE_COPY_SLICES) return "torch::autograd::CopySlices";
  return oyi_node_name(node);
}

// |node| as observers see it (reference, 7.5).
static void begin_record(oy_range* range, const oyi_node* node) {
  const bool is_leaf = node->kind == OYI_NODE_ACCUMULATE;
  oy_range_info info = {.scope = OY_RECORD_BACKWARD_FUNCTION,
                        .name = oy_str_of(record_name(node)),
                        .sequence = -1};
  if (!is_leaf) {
    info.sequence = (int64_t)(node->sequence & ((1ull << OY_SEQUENCE_BITS) - 1));
    info.forward_thread = node->sequence >> OY_SEQUENCE_BITS;
  }
  oy_range_begin(range, &info);
}

static oy_status run_watched_body(oyi_node* node, oy_object** grads, oy_object** out) {
  oy_status status = OY_OK;
  oy_range range = {NULL};
  if (is_watched(OYI_WATCH_RECORD)) begin_record(&range, node);
  if (any_of(grads, node->output_count)) status = oyi_node_apply(node, grads, out);
  oy_range_end(&range);
  return oyi_anomaly_mode ? oyi_anomaly_after(node, out, status) : status;
}

// What follows once the node of |entry| has given |out|.
OY_CALL_INLINE oy_status finish(oyi_task* task, const oyi_walk* walk,
                                const oyi_task_entry* entry, oy_object** grads,
                                oy_object** out, oy_status status, bool on_streams) {
  oyi_node* node = entry->node;
  if (status == 0 && OY_UNLIKELY(node->hooks != NULL))
    status = oyi_hooks_after(node, out, grads);
  if (status == 0 && !walk->keep_graph) oyi_node_release_saved(node);
  if (status == 0) return hand_on(task, walk, entry, out, on_streams);
  for (uint32_t i = 0; i < node->edge_count; i++) oy_tensor_release(out[i]);
  return status;
}

static OYI_COLD oy_status apply_watched(oyi_task* task, const oyi_walk* walk,
                                        const oyi_task_entry* entry, oy_object** grads,
                                        oy_object** out) {
  const bool on_streams = is_watched(OYI_WATCH_STREAM);
  oy_status status = run_watched_body(entry->node, grads, out);
  return finish(task, walk, entry, grads, out, status, on_streams);
}

// Whether the gradient of |node| is that of its inputs, which need not be computed.
static inline bool passes_on(const oyi_node* node) {
  if (!node->formula->passes) return false;
  if (node->edge_count == 1) return true;
  const oy_scalar number = ((const oyi_short_node*)(const void*)node)->extra.scalar;
  return number.tag == OY_TAG_INT && number.as.i == 1;
}

// Takes |*grad| over: the first input that wants it gets that reference.
static inline void pass_on(const oyi_node* node, oy_object** grad, oy_object** out) {
  oy_object* given = *grad;
  for (uint32_t i = 0; i < node->edge_count; i++) {
    if (!node->edges[i].node) continue;
    out[i] = *grad ? given : oy_tensor_retain(given);
    *grad = NULL;
  }
}

// Nearly all nodes of a walk that is not recorded.
static inline bool is_plain(const oyi_node* node) {
  return node->kind == OYI_NODE_SHORT && !oyi_grad_mode;
}
static inline oy_status apply_plainly(oyi_node* node, oy_object** grad, oy_object** out) {
  if (!*grad) return OY_OK;  // zero gives zeros
  if (!node->hooks && passes_on(node)) {
    pass_on(node, grad, out);
    return OY_OK;
  }
  return node->formula->apply(oyi_short_of(node), *grad, out);
}

static oy_status apply(oyi_task* task, const oyi_walk* walk, const oyi_task_entry* entry,
                       oy_object** grads, oy_object** out) {
  oyi_node* node = entry->node;
  oy_status status = OY_OK;
  if (OY_UNLIKELY(is_watched(UINT8_MAX)))
    return apply_watched(task, walk, entry, grads, out);
  if (is_plain(node))
    status = apply_plainly(node, grads, out);
  else if (any_of(grads, node->output_count))
    status = oyi_node_apply(node, grads, out);
  return finish(task, walk, entry, grads, out, status, false);
}

// |grads|, of which it may replace some, stay the caller's.
static oy_status run_with(oyi_task* task, const oyi_walk* walk,
                          const oyi_task_entry* entry, oy_object** grads) {
  oyi_node* node = entry->node;
  bool stops = walk->capture_count && !entry->is_needed;
  if (OY_UNLIKELY(node->hooks != NULL)) OY_TRY(oyi_hooks_before(node, grads, stops));
  if (entry->is_captured) capture(walk, node, grads);
  if (stops) return OY_OK;
  if (node->kind == OYI_NODE_ACCUMULATE) {
    if (!grads[0]) return OY_OK;
    return oyi_accumulate_apply(oyi_accumulate_node_of(node), &grads[0]);
  }
  oy_object* few[OYI_NODE_INPUTS] = {NULL, NULL};
  if (node->edge_count <= OYI_NODE_INPUTS) return apply(task, walk, entry, grads, few);
  oy_object** out = oyi_calloc(node->edge_count, sizeof(*out));
  if (!out) return OY_OUT_OF_MEMORY;
  oy_status status = apply(task, walk, entry, grads, out);
  oyi_free(out);
  return status;
}

static __attribute__((noinline)) oy_status run_several(oyi_task* task,
                                                       const oyi_walk* walk,
                                                       oyi_task_entry* entry) {
  const size_t count = entry->node->output_count;
  oy_object** grads = oyi_calloc(count, sizeof(*grads));
  // What the entry has goes with the task then.
  if (!grads) return OY_OUT_OF_MEMORY;
  grads[0] = entry->grad;
  for (size_t i = 1; entry->more && i < count; i++) grads[i] = entry->more[i - 1];
  oyi_free(entry->more);
  entry->grad = NULL;
  entry->more = NULL;
  oy_status status = run_with(task, walk, entry, grads);
  for (size_t i = 0; i < count; i++) oy_tensor_release(grads[i]);
  oyi_free(grads);
  return status;
}

OY_CALL_INLINE oy_status run_plainly(oyi_task* task, const oyi_walk* walk,
                                     const oyi_task_entry* entry, oy_object** grad) {
  oy_object* out[OYI_NODE_INPUTS] = {NULL, NULL};
  const oy_status status = apply_plainly(entry->node, grad, out);
  return finish(task, walk, entry, grad, out, status, false);
}

// Part of the walk's loop, also where there are two of them.
OY_CALL_INLINE oy_status run_node(oyi_task* task, const oyi_walk* walk, size_t at) {
  oyi_task_entry* entry = &task->entries[at];
  oyi_node* node = entry->node;
  if (OY_UNLIKELY(node->output_count != 1)) return run_several(task, walk, entry);
  oy_object* grad = entry->grad;
  oy_status status = OY_OK;
  entry->grad = NULL;
  if (OY_UNLIKELY(node->hooks || walk->capture_count))
    status = run_with(task, walk, entry, &grad);
  else if (is_plain(node) && !is_watched(UINT8_MAX))
    status = run_plainly(task, walk, entry, &grad);
  else if (node->kind != OYI_NODE_ACCUMULATE)
    status = run_with(task, walk, entry, &grad);
  else if (grad)
    status = oyi_accumulate_apply(oyi_accumulate_node_of(node), &grad);
  oy_object_release(grad);
  return status;
}

// The records that PyTorch's engine makes: one around all that is done for a node.
static OYI_COLD oy_status run_recorded(oyi_task* task, const oyi_walk* walk, size_t at) {
  const oyi_node* node = task->entries[at].node;
  char name[128];
  snprintf(name, sizeof(name), "autograd::engine::evaluate_function: %s",
           record_name(node));
  oy_range_info info = {
      .scope = OY_RECORD_FUNCTION, .name = oy_str_of(name), .sequence = -1};
  oy_range outer, inner = {NULL};
  oy_range_begin(&outer, &info);
  if (node->kind == OYI_NODE_ACCUMULATE) begin_record(&inner, node);
  oy_status status = run_node(task, walk, at);
  oy_range_end(&inner);
  oy_range_end(&outer);
  return status;
}

// |leaves| gets the stream of a node whose results the caller sees.
static OYI_COLD oy_status run_on_stream(oyi_task* task, const oyi_walk* walk, size_t at,
                                        oyi_leaf_streams* leaves) {
  const oyi_task_entry entry = task->entries[at];
  oyi_node_stream stream;
  if (entry.is_captured || entry.node->kind == OYI_NODE_ACCUMULATE)
    OY_TRY(oyi_leaf_streams_add(leaves, entry.node));
  oyi_node_stream_enter(entry.node, &stream);
  oy_status status = is_watched(OYI_WATCH_RECORD) ? run_recorded(task, walk, at)
                                                  : run_node(task, walk, at);
  oyi_node_stream_leave(&stream);
  return status;
}

// The streams of the first nodes wait for what the caller made.
static oy_status hand_roots(const oyi_walk* walk) {
  oy_status status = OY_OK;
  for (size_t i = 0; i < walk->root_count && status == 0; i++) {
    oy_stream_guard guard;
    status = oyi_stream_hand(walk->grads[i], walk->roots[i].node, &guard);
    oy_status left = oy_stream_guard_leave(&guard);
    if (status == 0) status = left;
  }
  return status;
}

static OYI_COLD oy_status run_on_streams(oyi_task* task, const oyi_walk* walk) {
  oyi_leaf_streams leaves = {NULL, 0, 0};
  oyi_node_stream none;
  oyi_node_stream_enter(NULL, &none);
  oy_status status = hand_roots(walk);
  for (size_t at; status == 0 && oyi_task_pop(task, &at);)
    status = run_on_stream(task, walk, at, &leaves);
  oyi_node_stream_leave(&none);
  // What was added up before an error is there, too.
  oy_status joined = oyi_leaf_streams_join(&leaves);
  return status ? status : joined;
}

static OYI_COLD oy_status run_watched(oyi_task* task, const oyi_walk* walk) {
  if (is_watched(OYI_WATCH_STREAM)) return run_on_streams(task, walk);
  for (size_t at; oyi_task_pop(task, &at);) OY_TRY(run_recorded(task, walk, at));
  return OY_OK;
}

static oy_status run_all(oyi_task* task, const oyi_walk* walk) {
  OY_TRY(oyi_task_collect(task, walk->roots, walk->root_count));
  if (walk->capture_count) OY_TRY(oyi_task_need(task, walk));
  // Streams wait for what roots were given (hand_roots), which is to stay until then.
  const bool on_streams = is_watched(OYI_WATCH_STREAM);
  for (size_t i = 0; i < walk->root_count; i++) {
    // The first entry is that of the first root.
    oyi_task_entry* entry =
        i == 0 ? task->entries : oyi_task_find(task, walk->roots[i].node);
    if (!is_run(walk, entry)) continue;
    oy_object* grad = walk->grads[i];
    if (OY_UNLIKELY(on_streams))
      oy_tensor_retain(grad);
    else
      walk->grads[i] = NULL;
    OY_TRY(put(entry, walk->roots[i].output_nr, grad));
    // A root that is reached from another one as well waits for that.
    size_t at = (size_t)(entry - task->entries);
    if (entry->waiting == 0 && !entry->is_queued) OY_TRY(oyi_task_push(task, at));
  }
  if (OY_UNLIKELY(is_watched(OYI_WATCH_RECORD | OYI_WATCH_STREAM)))
    return run_watched(task, walk);
  for (size_t at; oyi_task_pop(task, &at);) OY_TRY(run_node(task, walk, at));
  return OY_OK;
}

oy_status oyi_engine_run(const oyi_walk* walk) {
  oyi_task task;
  oyi_task_init(&task);
  // The walk counts as a call: results of operators in it belong to it and not to
  // a scope, and code of backends stays loaded until it is over.
  uint64_t before = oy_call_enter();
  uint8_t mode = oyi_grad_mode;
  bool outer = oyi_walk_is_selective;
  oyi_grad_mode = walk->create_graph;
  oyi_walk_is_selective = walk->capture_count > 0;
  oy_status status = run_all(&task, walk);
  oyi_task_free(&task, status == 0 && walk->capture_count == 0);
  oyi_walk_is_selective = outer;
  oyi_grad_mode = mode;
  oy_call_leave(before);
  return status;
}
