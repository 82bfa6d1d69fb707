// SPDX-License-Identifier: Apache-2.0
// A profile as data: entries of all threads in order, who called whom, and sums by name.
#include <stdlib.h>

#include "base/memory.h"
#include "observe/profiler.h"

// ------------------------------------------------------------------------- order

static int compare_items(const void* left, const void* right) {
  const oyi_profile_item *a = left, *b = right;
  const oyi_profile_entry *x = a->entry, *y = b->entry;
  if (a->buffer->thread != b->buffer->thread)
    return a->buffer->thread < b->buffer->thread ? -1 : 1;
  if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
  // The outer one ends later; blocks come after the record that they belong to.
  if (x->kind != y->kind) return x->kind == OY_PROFILE_RANGE ? -1 : 1;
  if (x->end_ns != y->end_ns) return x->end_ns > y->end_ns ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static size_t gather(const oyi_profile_buffer* b, size_t count, oyi_profile_item* to) {
  const oyi_profile_chunk* chunk = b->first;
  for (size_t i = 0; i < count; i++) {
    if (i && i % OYI_CHUNK == 0) chunk = chunk->next;
    to[i] = (oyi_profile_item){
        .entry = &chunk->entries[i % OYI_CHUNK], .buffer = b, .parent = SIZE_MAX};
  }
  return count;
}

// The innermost record before it that has not ended.
static void find_parents(oyi_profile_item* items, size_t count) {
  size_t open = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    const oyi_profile_entry* e = items[i].entry;
    if (i && items[i].buffer->thread != items[i - 1].buffer->thread) open = SIZE_MAX;
    while (open != SIZE_MAX && (items[open].entry->end_ns < e->end_ns ||
                                items[open].entry->end_ns <= e->start_ns))
      open = items[open].parent;
    items[i].parent = open;
    if (e->kind == OY_PROFILE_RANGE) open = i;
  }
}

oy_status oyi_profile_collect(oy_profiler* p) {
  OY_CHECK(p, INVALID_ARGUMENT, "expected a profiler, got NULL");
  OY_CHECK(oyi_profile_stopped(p), FAILED_PRECONDITION,
           "expected a profiler that was stopped; call oy_profiler_stop first");
  if (p->items) return OY_OK;
  size_t count = 0;
  // A thread that was in a call may still write one: what is counted now is fixed.
  for (const oyi_profile_buffer* b = p->buffers; b; b = b->next)
    count += __atomic_load_n(&b->count, __ATOMIC_ACQUIRE);
  oyi_profile_item* items = oyi_calloc(count + 1, sizeof(*items));
  if (!items) return OY_OUT_OF_MEMORY;
  size_t n = 0;
  for (const oyi_profile_buffer* b = p->buffers; b; b = b->next) {
    size_t own = __atomic_load_n(&b->count, __ATOMIC_ACQUIRE);
    n += gather(b, own < count - n ? own : count - n, items + n);
  }
  qsort(items, n, sizeof(*items), compare_items);
  find_parents(items, n);
  p->items = items;
  p->item_count = n;
  return OY_OK;
}

// ------------------------------------------------------------------------- events

// Made at the first question; NULL if there were no inputs, or no memory for it.
static const char* input_text(char** made, const int64_t* inputs, oyi_inputs_what what) {
  if (*made || !inputs) return *made;
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_inputs_print(&text, inputs, what);
  return *made = oyi_strbuf_take(&text);
}

static oy_str text_of(const char* data, uint32_t size) {
  return (oy_str){data, size};
}

void oyi_profile_event(oyi_profile_item* item, const oy_profiler* p,
                       oy_profile_event* out) {
  const oyi_profile_entry* e = item->entry;
  *out = (oy_profile_event){
      .kind = (oy_profile_kind)e->kind,
      .scope = (oy_record_scope)e->scope,
      .name = text_of(e->name, e->name_size),
      .full_name = text_of(e->name, e->full_size),
      .start_ns = e->start_ns - p->began_ns,
      .end_ns = e->end_ns - p->began_ns,
      .self_ns = e->self_ns,
      .memory = e->memory,
      .self_memory = e->self_memory,
      .sequence = e->sequence,
      .thread = item->buffer->thread,
      .forward_thread = e->forward_thread,
      .id = e->id,
      .parent = item->parent,
      .address = e->address,
      .input_shapes = input_text(&item->shapes, e->inputs, OYI_INPUT_SHAPES),
      .input_strides = input_text(&item->strides, e->inputs, OYI_INPUT_STRIDES),
      .input_types = input_text(&item->types, e->inputs, OYI_INPUT_TYPES),
      .concrete_inputs = input_text(&item->values, e->inputs, OYI_INPUT_VALUES),
      .stack = e->stack,
      .stack_depth = e->stack_depth,
      .frames = e->frames,
      .flops = e->flops};
}

size_t oy_profiler_event_count(oy_profiler* p) {
  if (oyi_profile_collect(p) == OY_OK) return p->item_count;
  oy_error_clear();
  return 0;
}

oy_status oy_profiler_event_get(oy_profiler* p, size_t index, oy_profile_event* out) {
  memset(out, 0, sizeof(*out));
  OY_TRY(oyi_profile_collect(p));
  OY_CHECK(index < p->item_count, OUT_OF_RANGE, "expected an event below %zu, got %zu",
           p->item_count, index);
  oyi_profile_event(&p->items[index], p, out);
  return OY_OK;
}

// ------------------------------------------------------------------------ averages

typedef struct group_table {
  oy_profile_average* groups;
  size_t count, capacity;
  uint32_t* slots;  // numbers of groups + 1, by hash
  size_t slot_count;
} group_table;

uint64_t oyi_profile_hash(uint64_t h, const char* text, size_t size) {
  for (size_t i = 0; i < size; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
  return h;
}

static bool equal_texts(const char* a, const char* b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_group(const oy_profile_average* g, const oy_profile_average* key) {
  return oy_str_equal(g->key, key->key) &&
         equal_texts(g->input_shapes, key->input_shapes) &&
         oy_str_equal(g->frames, key->frames);
}

static uint32_t* slot_of(const group_table* t, const oy_profile_average* key) {
  uint64_t h = oyi_profile_hash(OYI_PROFILE_HASH, key->key.data, key->key.size);
  h = oyi_profile_hash(h, key->frames.data, key->frames.size);
  if (key->input_shapes)
    h = oyi_profile_hash(h, key->input_shapes, strlen(key->input_shapes));
  size_t at = h & (t->slot_count - 1);
  while (t->slots[at] && !is_group(&t->groups[t->slots[at] - 1], key))
    at = (at + 1) & (t->slot_count - 1);
  return &t->slots[at];
}

static oy_status make_room(group_table* t) {
  if (!oyi_grow(&t->groups, &t->capacity, t->count + 1, sizeof(*t->groups)))
    return OY_OUT_OF_MEMORY;
  if (2 * (t->count + 1) <= t->slot_count) return OY_OK;
  size_t more = t->slot_count ? 2 * t->slot_count : 64;
  uint32_t* slots = oyi_calloc(more, sizeof(*slots));
  if (!slots) return OY_OUT_OF_MEMORY;
  oyi_free(t->slots);
  t->slots = slots;
  t->slot_count = more;
  for (size_t i = 0; i < t->count; i++) *slot_of(t, &t->groups[i]) = (uint32_t)i + 1;
  return OY_OK;
}

// The first |n| lines.
static oy_str first_frames(const char* frames, int n) {
  oy_str first = {frames, 0};
  for (size_t i = 0; frames && i < (size_t)n; i++) {
    oy_str frame = oyi_profile_frame_at(frames, i);
    if (!frame.size) break;
    first.size = (size_t)(frame.data + frame.size - frames);
  }
  return first;
}

static oy_status add_event(group_table* t, const oy_profile_event* e, size_t index,
                           const oy_profile_grouping* by) {
  oy_profile_average key = {.key = e->name, .example = index};
  if (by->input_shape) key.input_shapes = e->input_shapes ? e->input_shapes : "[]";
  if (by->stack_n > 0) key.frames = first_frames(e->frames, by->stack_n);
  OY_TRY(make_room(t));
  uint32_t* slot = slot_of(t, &key);
  if (!*slot) {
    t->groups[t->count] = key;
    *slot = (uint32_t)++t->count;
  }
  oy_profile_average* g = &t->groups[*slot - 1];
  g->count++;
  g->total_ns += e->end_ns - e->start_ns;
  g->self_ns += e->self_ns;
  g->memory += e->memory;
  g->self_memory += e->self_memory;
  g->flops += e->flops;
  return OY_OK;
}

oy_status oy_profiler_averages(oy_profiler* p, const oy_profile_grouping* by,
                               oy_profile_average** out_averages, size_t* out_count) {
  static const oy_profile_grouping by_name = {false, 0};
  *out_averages = NULL;
  *out_count = 0;
  OY_TRY(oyi_profile_collect(p));
  group_table t = {NULL, 0, 0, NULL, 0};
  oy_status status = make_room(&t);
  for (size_t i = 0; i < p->item_count && status == OY_OK; i++) {
    oy_profile_event e;
    oyi_profile_event(&p->items[i], p, &e);
    // Blocks inside of a record count there.
    if (p->items[i].entry->inside) continue;
    status = add_event(&t, &e, i, by ? by : &by_name);
  }
  oyi_free(t.slots);
  if (status != OY_OK) {
    oyi_free(t.groups);
    return status;
  }
  *out_averages = t.groups;
  *out_count = t.count;
  return OY_OK;
}

void oy_profile_averages_free(oy_profile_average* averages) {
  oyi_free(averages);
}
