// SPDX-License-Identifier: Apache-2.0
// One walk over a graph: nodes found, how many gradients each still waits for, what
// has come so far, and a heap of those that can run.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_ENGINE_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_ENGINE_H_

#include "layers/autograd/node.h"

typedef struct oyi_task_entry {
  oyi_node* node;         // borrowed: the root edges hold the graph
  oy_object* grad;        // of result 0: the sum so far, owned; NULL: zero
  oy_object** more;       // of results 1 and on; NULL: all zero
  uint32_t waiting;       // gradients that have not come yet
  uint32_t first_target;  // of its edges
  bool is_needed;         // with |captures|: something behind it was asked for
  bool is_captured;
  bool is_queued;
} oyi_task_entry;

// Small graphs need no memory but the walk's own.
enum { OYI_TASK_ENTRIES = 16, OYI_TASK_TARGETS = 2 * OYI_TASK_ENTRIES };

typedef struct oyi_task {
  oyi_task_entry* entries;  // in the order they were found
  size_t count, capacity;
  uint32_t* targets;  // entry numbers that the edges of the entries lead to
  size_t target_count, target_capacity;
  uint32_t* slots;    // hash table of entry numbers + 1; NULL: few, looked through
  size_t slot_count;  // a power of two, or 0
  uint32_t* heap;     // entry numbers, the greatest sequence first
  size_t heap_size, heap_capacity;
  // What they point to at first.
  oyi_task_entry own_entries[OYI_TASK_ENTRIES];
  uint32_t own_targets[OYI_TASK_TARGETS];
  uint32_t own_heap[OYI_TASK_ENTRIES];
} oyi_task;

void oyi_task_init(oyi_task* task);
// Enters all nodes that |roots| lead to, and counts what each waits for. OUT_OF_MEMORY.
oy_status oyi_task_collect(oyi_task* task, const oyi_edge* roots, size_t count);
// The entry of a node that somebody else holds as well, as roots and captures are held;
// NULL if there is none.
oyi_task_entry* oyi_task_find(oyi_task* task, const oyi_node* node);
oy_status oyi_task_push_on(oyi_task* task, size_t entry);
bool oyi_task_pop_least(oyi_task* task, size_t* out_entry);
// |is_done|: every gradient went where it belongs, so that none is left to release.
void oyi_task_free(oyi_task* task, bool is_done);

// Mostly one node can run at a time: then there is nothing to put in order.
static inline oy_status oyi_task_push(oyi_task* task, size_t entry) {
  task->entries[entry].is_queued = true;
  if (task->heap_size > 0) return oyi_task_push_on(task, entry);
  task->heap[0] = (uint32_t)entry;
  task->heap_size = 1;
  return OY_OK;
}
// False if nothing can run.
static inline bool oyi_task_pop(oyi_task* task, size_t* out_entry) {
  if (task->heap_size != 1) return oyi_task_pop_least(task, out_entry);
  task->heap_size = 0;
  *out_entry = task->heap[0];
  return true;
}

// What a walk is to do.
typedef struct oyi_walk {
  const oyi_edge* roots;
  oy_object** grads;  // one for each root; NULL once it was taken over
  size_t root_count;
  bool keep_graph;
  bool create_graph;  // record the walk itself
  // If there are any, only what they need is run.
  const oyi_edge* captures;
  size_t capture_count;
  oy_object** captured;  // NULL before; new references. NULL: add to .grad of leaves
} oyi_walk;

oy_status oyi_engine_run(const oyi_walk* walk);
// Whether the walk that this thread is in has captures.
extern __thread bool oyi_walk_is_selective __attribute__((tls_model("initial-exec")));
// Makes *grad, which is taken over on failure too, fit what |to| expects. It is gradient
// |index| that |node| gave, or was given for the root if NULL.
oy_status oyi_validate(oy_object** grad, const oyi_expectation* to, const oyi_node* node,
                       size_t index);
// Marks in |task| what |walk| needs.
oy_status oyi_task_need(oyi_task* task, const oyi_walk* walk);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_ENGINE_H_
