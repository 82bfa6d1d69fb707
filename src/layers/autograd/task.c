// SPDX-License-Identifier: Apache-2.0
// The data of a walk: an open-addressing table from node to entry, and a binary
// heap. Counts are kept here and not in the nodes, so that walks of several threads
// may meet in a leaf.
#include "base/memory.h"
#include "layers/autograd/engine.h"

void oyi_task_init(oyi_task* task) {
  task->entries = task->own_entries;
  task->count = 0;
  task->capacity = OYI_TASK_ENTRIES;
  task->targets = task->own_targets;
  task->target_count = 0;
  task->target_capacity = OYI_TASK_TARGETS;
  task->slots = NULL;
  task->slot_count = 0;
  task->heap = task->own_heap;
  task->heap_size = 0;
  task->heap_capacity = OYI_TASK_ENTRIES;
}

static OYI_COLD bool grow_slow(void* data, const void* own, size_t* capacity,
                               size_t count, size_t more, size_t element) {
  void** array = data;
  if (*array != own) return oyi_grow(data, capacity, count + more, element);
  void* moved = NULL;
  size_t room = 0;
  if (!oyi_grow(&moved, &room, 2 * (count + more), element)) return false;
  memcpy(moved, own, count * element);
  *array = moved;
  *capacity = room;
  return true;
}
// Room for |more| than |count|; what lies in |own| moves out at first.
static inline bool grow(void* data, const void* own, size_t* capacity, size_t count,
                        size_t more, size_t element) {
  return OY_LIKELY(more <= *capacity - count) ||
         grow_slow(data, own, capacity, count, more, element);
}

static size_t slot_of(const oyi_task* task, const oyi_node* node) {
  uint64_t h = (uint64_t)(uintptr_t)node * 0x9e3779b97f4a7c15ull;
  size_t at = (size_t)(h >> 32) & (task->slot_count - 1);
  while (task->slots[at] && task->entries[task->slots[at] - 1].node != node)
    at = (at + 1) & (task->slot_count - 1);
  return at;
}

static oy_status grow_slots(oyi_task* task) {
  size_t larger = task->slots ? 2 * task->slot_count : 4 * OYI_TASK_ENTRIES;
  while (larger < 2 * (task->count + 1)) larger *= 2;
  uint32_t* slots = oyi_calloc(larger, sizeof(*slots));
  if (!slots) return OY_OUT_OF_MEMORY;
  oyi_free(task->slots);
  task->slots = slots;
  task->slot_count = larger;
  for (size_t i = 0; i < task->count; i++)
    task->slots[slot_of(task, task->entries[i].node)] = (uint32_t)i + 1;
  return OY_OK;
}

// While there are no slots, what others hold as well is among the first entries: the number
// of that of |node|, or of how many were looked at.
static inline size_t look_through(const oyi_task* task, const oyi_node* node) {
  const size_t few = task->count < OYI_TASK_ENTRIES ? task->count : OYI_TASK_ENTRIES;
  size_t i = 0;
  while (i < few && task->entries[i].node != node) i++;
  return i;
}

oyi_task_entry* oyi_task_find(oyi_task* task, const oyi_node* node) {
  if (OY_LIKELY(!task->slots)) {
    const size_t i = look_through(task, node);
    return i < task->count && task->entries[i].node == node ? &task->entries[i] : NULL;
  }
  uint32_t at = task->slots[slot_of(task, node)];
  return at ? &task->entries[at - 1] : NULL;
}

static inline oy_status append(oyi_task* task, oyi_node* node, size_t* out_entry) {
  if (task->count >= UINT32_MAX - 1 ||
      !grow(&task->entries, task->own_entries, &task->capacity, task->count, 1,
            sizeof(*task->entries)))
    return OY_OUT_OF_MEMORY;
  *out_entry = task->count;
  task->entries[task->count++] = (oyi_task_entry){.node = node};
  return OY_OK;
}

static __attribute__((noinline)) oy_status find_or_append_slot(oyi_task* task,
                                                               oyi_node* node,
                                                               size_t* out_entry) {
  if (!task->slots) OY_TRY(grow_slots(task));
  size_t slot = slot_of(task, node);
  if (task->slots[slot]) {
    *out_entry = task->slots[slot] - 1;
    return OY_OK;
  }
  if (2 * (task->count + 1) > task->slot_count) {
    OY_TRY(grow_slots(task));
    slot = slot_of(task, node);
  }
  OY_TRY(append(task, node, out_entry));
  task->slots[slot] = (uint32_t)task->count;
  return OY_OK;
}

static inline oy_status find_or_append(oyi_task* task, oyi_node* node,
                                       size_t* out_entry) {
  if (OY_UNLIKELY(task->count >= OYI_TASK_ENTRIES))
    return find_or_append_slot(task, node, out_entry);
  *out_entry = look_through(task, node);
  return *out_entry < task->count ? OY_OK : append(task, node, out_entry);
}

// A node that has no owner but the edge in hand is not met again: it needs no slot.
static inline bool is_met_once(const oyi_node* node) {
  return node->kind != OYI_NODE_ACCUMULATE &&
         __atomic_load_n(&node->references, __ATOMIC_RELAXED) == 1;
}
static inline oy_status enter(oyi_task* task, oyi_node* node, size_t* out_entry) {
  if (is_met_once(node)) return append(task, node, out_entry);
  return find_or_append(task, node, out_entry);
}

static oy_status enter_targets(oyi_task* task, size_t at) {
  const oyi_node* node = task->entries[at].node;
  const size_t first = task->target_count, count = node->edge_count;
  if (first + count > UINT32_MAX ||
      !grow(&task->targets, task->own_targets, &task->target_capacity, first, count,
            sizeof(*task->targets)))
    return OY_OUT_OF_MEMORY;
  task->entries[at].first_target = (uint32_t)first;
  task->target_count = first + count;
  for (size_t i = 0; i < count; i++) {
    size_t entry;
    if (!node->edges[i].node) continue;
    OY_TRY(enter(task, node->edges[i].node, &entry));
    task->entries[entry].waiting++;
    task->targets[first + i] = (uint32_t)entry;
  }
  return OY_OK;
}

// The same for all entries as long as there certainly is room; gives the first that was
// left. Small graphs are done then.
static inline size_t enter_few(oyi_task* task) {
  oyi_task_entry* entries = task->own_entries;
  size_t count = task->count, targets = 0, i = 0;
  for (; i < count; i++) {
    const oyi_node* node = entries[i].node;
    const oyi_edge* edge = node->edges;
    const oyi_edge* end = edge + node->edge_count;
    if (OY_UNLIKELY(node->edge_count > OYI_TASK_ENTRIES - count ||
                    node->edge_count > OYI_TASK_TARGETS - targets))
      break;
    entries[i].first_target = (uint32_t)targets;
    for (; edge < end; edge++, targets++) {
      if (!edge->node) continue;
      size_t at = is_met_once(edge->node) ? count : 0;
      while (at < count && entries[at].node != edge->node) at++;
      if (at == count) entries[count++] = (oyi_task_entry){.node = edge->node};
      entries[at].waiting++;
      task->own_targets[targets] = (uint32_t)at;
    }
  }
  task->count = count;
  task->target_count = targets;
  return i;
}

oy_status oyi_task_collect(oyi_task* task, const oyi_edge* roots, size_t count) {
  size_t entry;
  if (OY_LIKELY(count == 1))
    OY_TRY(append(task, roots[0].node, &entry));
  else
    for (size_t i = 0; i < count; i++)
      OY_TRY(find_or_append(task, roots[i].node, &entry));
  // Entries are appended as they are found, so the list is its own queue.
  size_t done = OY_LIKELY(task->entries == task->own_entries) ? enter_few(task) : 0;
  for (size_t i = done; i < task->count; i++)
    if (task->entries[i].node->edge_count) OY_TRY(enter_targets(task, i));
  return OY_OK;
}

static bool runs_before(const oyi_task* task, uint32_t a, uint32_t b) {
  return task->entries[a].node->sequence > task->entries[b].node->sequence;
}

oy_status oyi_task_push_on(oyi_task* task, size_t entry) {
  if (!grow(&task->heap, task->own_heap, &task->heap_capacity, task->heap_size, 1,
            sizeof(*task->heap)))
    return OY_OUT_OF_MEMORY;
  size_t at = task->heap_size++;
  while (at > 0 && runs_before(task, (uint32_t)entry, task->heap[(at - 1) / 2])) {
    task->heap[at] = task->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  task->heap[at] = (uint32_t)entry;
  return OY_OK;
}

bool oyi_task_pop_least(oyi_task* task, size_t* out_entry) {
  if (task->heap_size == 0) return false;
  *out_entry = task->heap[0];
  uint32_t last = task->heap[--task->heap_size];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= task->heap_size) break;
    if (child + 1 < task->heap_size &&
        runs_before(task, task->heap[child + 1], task->heap[child]))
      child++;
    if (!runs_before(task, task->heap[child], last)) break;
    task->heap[at] = task->heap[child];
    at = child;
  }
  if (task->heap_size > 0) task->heap[at] = last;
  return true;
}

void oyi_task_free(oyi_task* task, bool is_done) {
  for (size_t i = 0; !is_done && i < task->count; i++) {
    oyi_task_entry* e = &task->entries[i];
    oy_tensor_release(e->grad);
    for (size_t k = 1; e->more && k < e->node->output_count; k++)
      oy_tensor_release(e->more[k - 1]);
    oyi_free(e->more);
  }
  if (task->entries != task->own_entries) oyi_free(task->entries);
  if (task->targets != task->own_targets) oyi_free(task->targets);
  oyi_free(task->slots);
  if (task->heap != task->own_heap) oyi_free(task->heap);
}
