// SPDX-License-Identifier: Apache-2.0
// Which nodes a walk for some inputs has to run: those from which one of them can be
// reached (reference, 9.4). Depth first with a stack of its own, however deep the graph.
#include "base/memory.h"
#include "layers/autograd/engine.h"

typedef struct need_frame {
  uint32_t entry;
  uint32_t edge;  // the next to look at
} need_frame;

typedef struct need_stack {
  need_frame* frames;
  size_t count, capacity;
  bool* is_seen;  // by entry
} need_stack;

static oy_status push(need_stack* s, size_t entry) {
  if (!oyi_grow(&s->frames, &s->capacity, s->count + 1, sizeof(*s->frames)))
    return OY_OUT_OF_MEMORY;
  s->frames[s->count++] = (need_frame){(uint32_t)entry, 0};
  s->is_seen[entry] = true;
  return OY_OK;
}

// A node is needed if one that an edge leads to is asked for, or needed itself.
static bool leads_on(const oyi_task_entry* e) {
  return e->is_needed || e->is_captured;
}

static oy_status visit(oyi_task* task, need_stack* s, size_t root) {
  if (s->is_seen[root]) return OY_OK;
  OY_TRY(push(s, root));
  while (s->count) {
    need_frame* top = &s->frames[s->count - 1];
    oyi_task_entry* e = &task->entries[top->entry];
    if (top->edge == e->node->edge_count) {
      s->count--;
      if (s->count && leads_on(e))
        task->entries[s->frames[s->count - 1].entry].is_needed = true;
      continue;
    }
    const uint32_t edge = top->edge++;
    if (!e->node->edges[edge].node) continue;
    const size_t at = task->targets[e->first_target + edge];
    if (!s->is_seen[at])
      OY_TRY(push(s, at));
    else if (leads_on(&task->entries[at]))
      e->is_needed = true;
  }
  return OY_OK;
}

oy_status oyi_task_need(oyi_task* task, const oyi_walk* walk) {
  for (size_t i = 0; i < walk->capture_count; i++) {
    oyi_task_entry* e = oyi_task_find(task, walk->captures[i].node);
    if (!e) continue;
    e->is_captured = walk->captured != NULL;
    // Leaves that gradients are added to are run.
    if (!walk->captured) e->is_needed = true;
  }
  need_stack s = {NULL, 0, 0, oyi_calloc(task->count, sizeof(bool))};
  oy_status status = s.is_seen ? OY_OK : OY_OUT_OF_MEMORY;
  for (size_t i = 0; status == 0 && i < walk->root_count; i++)
    status = visit(task, &s,
                   (size_t)(oyi_task_find(task, walk->roots[i].node) - task->entries));
  oyi_free(s.frames);
  oyi_free(s.is_seen);
  return status;
}
