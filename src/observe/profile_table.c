// SPDX-License-Identifier: Apache-2.0
// The table of a profile, in PyTorch's layout (reference, 7.6).
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "observe/profiler.h"

enum { NUMBER_WIDTH = 12, GAP = 2, CELL = 32 };

typedef struct columns {
  const oy_profile_table* table;
  int name, shapes, source;  // widths; 0: no such column
  bool memory;
  int flops;  // thousands that its numbers are shown in; -1: no such column
  int line;   // width of a whole line
  int64_t self_total;
} columns;

// ------------------------------------------------------------------------- cells

typedef struct cell {
  char text[CELL];
} cell;

static cell time_cell(double ns) {
  cell c;
  double us = ns / 1e3;
  if (us >= 1e6)
    snprintf(c.text, CELL, "%.3fs", us / 1e6);
  else if (us >= 1e3)
    snprintf(c.text, CELL, "%.3fms", us / 1e3);
  else
    snprintf(c.text, CELL, "%.3fus", us);
  return c;
}

static cell share_cell(int64_t part, int64_t whole) {
  cell c;
  if (whole == 0)
    snprintf(c.text, CELL, "NaN");
  else
    snprintf(c.text, CELL, "%.2f%%", (double)part * 100.0 / (double)whole);
  return c;
}

static cell memory_cell(int64_t bytes) {
  cell c;
  double size = (double)bytes, least = size < 0 ? -size : size;
  if (least >= 1 << 30)
    snprintf(c.text, CELL, "%.2f Gb", size / (1 << 30));
  else if (least >= 1 << 20)
    snprintf(c.text, CELL, "%.2f Mb", size / (1 << 20));
  else if (least >= 1 << 10)
    snprintf(c.text, CELL, "%.2f Kb", size / (1 << 10));
  else
    snprintf(c.text, CELL, "%lld b", (long long)bytes);
  return c;
}

static void put(oyi_strbuf* out, int width, const char* text) {
  oyi_strbuf_printf(out, "%*s%*s", width, text, GAP, "");
}

// No wider than its column, with dots for what is cut off.
static void put_cut(oyi_strbuf* out, int width, int most, oy_str text) {
  bool cut = (int)text.size >= most - 3;
  int size = cut ? most - 3 : (int)text.size;
  int pad = width - size - (cut ? 3 : 0);
  oyi_strbuf_printf(out, "%*s%.*s%s%*s", pad > 0 ? pad : 0, "", size, text.data,
                    cut ? "..." : "", GAP, "");
}

// ------------------------------------------------------------------------- widths

static int capped(size_t longest, int most) {
  int width = longest > 1 << 20 ? 1 << 20 : (int)longest + 4;
  return width < most ? width : most;
}

static size_t shapes_size(const oy_profile_average* row) {
  return row->input_shapes ? strlen(row->input_shapes) : 0;
}

// The longest place that a row shows.
static size_t source_size(oy_profiler* p, const oy_profile_table* table, size_t example) {
  oy_profile_event e;
  size_t longest = 0;
  if (oy_profiler_event_get(p, example, &e) != OY_OK) return 0;
  for (size_t i = 0; i < (size_t)table->group_by_stack_n; i++) {
    oy_str frame = oyi_profile_frame_at(e.frames, i);
    if (frame.size > longest) longest = frame.size;
  }
  // Addresses have long names.
  return e.frames ? longest : (size_t)table->max_src_column_width;
}

// In the unit of the least number, as PyTorch does.
static int scale_of_flops(const oy_profile_average* rows, size_t count) {
  uint64_t least = 0;
  int scale = 0;
  for (size_t i = 0; i < count; i++)
    if (rows[i].flops && (!least || rows[i].flops < least)) least = rows[i].flops;
  if (!least) return -1;
  for (; least >= 1000 && scale < 5; least /= 1000) scale++;
  return scale;
}

static columns measure(oy_profiler* p, const oy_profile_table* table,
                       const oy_profile_average* rows, size_t count) {
  columns c = {.table = table, .memory = p->options.profile_memory};
  size_t name = 0, shapes = 0, source = 15;
  bool sources = table->group_by_stack_n > 0 && p->options.with_stack;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].key.size > name) name = rows[i].key.size;
    if (shapes_size(&rows[i]) > shapes) shapes = shapes_size(&rows[i]);
    c.self_total += rows[i].self_ns;
    size_t size = sources ? source_size(p, table, rows[i].example) : 0;
    if (size > source) source = size;
  }
  c.flops = scale_of_flops(rows, count);
  c.name = capped(name, table->max_name_column_width);
  if (table->group_by_input_shape && p->options.record_shapes)
    c.shapes = capped(shapes > 8 ? shapes : 8, table->max_shapes_column_width);
  if (sources) c.source = capped(source, table->max_src_column_width);
  c.line = c.name + GAP + (6 + 2 * c.memory) * (NUMBER_WIDTH + GAP);
  if (c.shapes) c.line += c.shapes + GAP;
  if (c.source) c.line += c.source + GAP;
  if (c.flops >= 0) c.line += NUMBER_WIDTH + GAP;
  c.line -= GAP;
  return c;
}

static void put_dashes(oyi_strbuf* out, int width) {
  while (width-- > 0) oyi_strbuf_putc(out, '-');
  oyi_strbuf_printf(out, "%*s", GAP, "");
}

static void put_rule(oyi_strbuf* out, const columns* c) {
  put_dashes(out, c->name);
  for (int i = 0; i < 6 + 2 * c->memory; i++) put_dashes(out, NUMBER_WIDTH);
  if (c->shapes) put_dashes(out, c->shapes);
  if (c->source) put_dashes(out, c->source);
  if (c->flops >= 0) put_dashes(out, NUMBER_WIDTH);
  oyi_strbuf_putc(out, '\n');
}

static void put_header(oyi_strbuf* out, const columns* c) {
  static const char* const units[] = {"Total FLOPs",  "Total KFLOPs", "Total MFLOPs",
                                      "Total GFLOPs", "Total TFLOPs", "Total PFLOPs"};
  static const char* const times[] = {"Self CPU %", "Self CPU", "CPU total %",
                                      "CPU total", "CPU time avg"};
  if (c->table->header) {
    for (int i = 0; i < c->line; i++) oyi_strbuf_putc(out, '=');
    oyi_strbuf_printf(out, "\n%s\n", c->table->header);
  }
  put_rule(out, c);
  put(out, c->name, "Name");
  for (size_t i = 0; i < OY_ARRAY_SIZE(times); i++) put(out, NUMBER_WIDTH, times[i]);
  if (c->memory) {
    put(out, NUMBER_WIDTH, "CPU Mem");
    put(out, NUMBER_WIDTH, "Self CPU Mem");
  }
  put(out, NUMBER_WIDTH, "# of Calls");
  if (c->shapes) put(out, c->shapes, "Input Shapes");
  if (c->source) oyi_strbuf_printf(out, "%-*s%*s", c->source, "Source Location", GAP, "");
  if (c->flops >= 0) put(out, NUMBER_WIDTH, units[c->flops]);
  oyi_strbuf_putc(out, '\n');
  put_rule(out, c);
}

// -------------------------------------------------------------------------- rows

// The end of what is too long: the line and the function are there.
static void put_frame(oyi_strbuf* out, int width, oy_str frame) {
  size_t room = (size_t)width;
  bool cut = frame.size > room;
  if (cut) frame = (oy_str){frame.data + frame.size - room + 3, room - 3};
  oyi_strbuf_printf(out, "%s%.*s%*s%*s", cut ? "..." : "", OY_STR_ARG(frame),
                    cut ? 0 : (int)(room - frame.size), "", GAP, "");
}

// The |i|th place of |e|, in |room| if it is one of C; false if there is none.
static bool frame_of(const oy_profile_event* e, size_t i, char room[256],
                     oy_str* out_frame) {
  *out_frame = oyi_profile_frame_at(e->frames, i);
  if (e->frames) return out_frame->size > 0;
  if (i >= e->stack_depth) return false;
  oy_profiler_symbol(e->stack[i], room, 256);
  *out_frame = oy_str_of(room);
  return true;
}

static void put_first_frame(oyi_strbuf* out, const columns* c, oy_profile_event* e) {
  char room[256];
  oy_str frame;
  (void)frame_of(e, 0, room, &frame);
  put_frame(out, c->source, frame);
}

// Those behind the first, in lines of their own.
static void put_frames(oyi_strbuf* out, const columns* c, const oy_profile_event* e) {
  char room[256];
  oy_str frame;
  int before = c->line - c->source - (c->flops >= 0 ? NUMBER_WIDTH + GAP : 0);
  for (size_t i = 1; i < (size_t)c->table->group_by_stack_n; i++) {
    if (!frame_of(e, i, room, &frame)) break;
    oyi_strbuf_printf(out, "\n%*s", before, "");
    put_frame(out, c->source, frame);
  }
}

static void put_flops(oyi_strbuf* out, const columns* c, uint64_t flops) {
  cell text = {"--"};
  double unit = 1;
  for (int i = 0; i < c->flops; i++) unit *= 1e3;
  if (flops) snprintf(text.text, CELL, "%8.3f", (double)flops / unit);
  put(out, NUMBER_WIDTH, text.text);
}

static void put_row(oyi_strbuf* out, const columns* c, oy_profiler* p,
                    const oy_profile_average* r) {
  oy_profile_event e = {0};
  if (c->source) (void)!oy_profiler_event_get(p, r->example, &e);
  put_cut(out, c->name, c->table->max_name_column_width, r->key);
  put(out, NUMBER_WIDTH, share_cell(r->self_ns, c->self_total).text);
  put(out, NUMBER_WIDTH, time_cell((double)r->self_ns).text);
  put(out, NUMBER_WIDTH, share_cell(r->total_ns, c->self_total).text);
  put(out, NUMBER_WIDTH, time_cell((double)r->total_ns).text);
  put(out, NUMBER_WIDTH, time_cell((double)r->total_ns / (double)r->count).text);
  if (c->memory) {
    put(out, NUMBER_WIDTH, memory_cell(r->memory).text);
    put(out, NUMBER_WIDTH, memory_cell(r->self_memory).text);
  }
  oyi_strbuf_printf(out, "%*llu%*s", NUMBER_WIDTH, (unsigned long long)r->count, GAP, "");
  if (c->shapes)
    put_cut(out, c->shapes, c->table->max_shapes_column_width,
            oy_str_of(r->input_shapes ? r->input_shapes : ""));
  if (c->source) put_first_frame(out, c, &e);
  if (c->flops >= 0) put_flops(out, c, r->flops);
  if (c->source) put_frames(out, c, &e);
  oyi_strbuf_putc(out, '\n');
}

// ------------------------------------------------------------------------- sorting

typedef double (*sort_key)(const oy_profile_average* row);
static double by_self(const oy_profile_average* r) {
  return (double)r->self_ns;
}
static double by_total(const oy_profile_average* r) {
  return (double)r->total_ns;
}
static double by_mean(const oy_profile_average* r) {
  return (double)r->total_ns / (double)r->count;
}
static double by_count(const oy_profile_average* r) {
  return (double)r->count;
}
static double by_memory(const oy_profile_average* r) {
  return (double)r->memory;
}
static double by_self_memory(const oy_profile_average* r) {
  return (double)r->self_memory;
}
static double by_flops(const oy_profile_average* r) {
  return (double)r->flops;
}

static const struct {
  const char* name;
  sort_key key;
} g_keys[] = {{"self_cpu_time_total", by_self},
              {"cpu_time_total", by_total},
              {"cpu_time", by_mean},
              {"count", by_count},
              {"cpu_memory_usage", by_memory},
              {"self_cpu_memory_usage", by_self_memory},
              {"flops", by_flops}};

static oy_status find_key(const char* name, sort_key* out_key) {
  *out_key = NULL;
  if (!name) return OY_OK;
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_keys); i++)
    if (strcmp(name, g_keys[i].name) == 0) *out_key = g_keys[i].key;
  OY_CHECK(
      *out_key, INVALID_ARGUMENT,
      "expected one of self_cpu_time_total, cpu_time_total, cpu_time, count, "
      "cpu_memory_usage, self_cpu_memory_usage, flops to sort a profile by, got '%s'",
      name);
  return OY_OK;
}

// Greatest first; equal ones stay in the order that they have.
typedef struct sorted_row {
  double key;
  size_t at;
} sorted_row;
static int compare_rows(const void* left, const void* right) {
  const sorted_row *a = left, *b = right;
  if (a->key != b->key) return a->key > b->key ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

static sorted_row* sort_rows(const oy_profile_average* rows, size_t count, sort_key key) {
  sorted_row* order = oyi_calloc(count + 1, sizeof(*order));
  for (size_t i = 0; order && i < count; i++)
    order[i] = (sorted_row){key ? key(&rows[i]) : 0, i};
  if (order && count) qsort(order, count, sizeof(*order), compare_rows);
  return order;
}

// --------------------------------------------------------------------------- table

// A row for each event: those are averages of one.
static oy_status rows_of_events(oy_profiler* p, bool top_only,
                                oy_profile_average** out_rows, size_t* out_count) {
  *out_count = 0;
  *out_rows = oyi_calloc(p->item_count + 1, sizeof(**out_rows));
  if (!*out_rows) return OY_OUT_OF_MEMORY;
  for (size_t i = 0; i < p->item_count; i++) {
    oy_profile_event e;
    oyi_profile_event(&p->items[i], p, &e);
    if (e.kind == OY_PROFILE_MEMORY || (top_only && e.parent != SIZE_MAX)) continue;
    (*out_rows)[(*out_count)++] = (oy_profile_average){.key = e.name,
                                                       .input_shapes = e.input_shapes,
                                                       .count = 1,
                                                       .total_ns = e.end_ns - e.start_ns,
                                                       .self_ns = e.self_ns,
                                                       .memory = e.memory,
                                                       .self_memory = e.self_memory,
                                                       .flops = e.flops,
                                                       .example = i};
  }
  return OY_OK;
}

static oy_status print_table(oy_profiler* p, const oy_profile_table* table,
                             const oy_profile_average* rows, size_t count,
                             char** out_text) {
  sort_key key;
  OY_TRY(find_key(table->sort_by, &key));
  sorted_row* order = sort_rows(rows, count, key);
  if (!order) return OY_OUT_OF_MEMORY;
  oyi_strbuf out = OYI_STRBUF_INIT;
  columns c = measure(p, table, rows, count);
  put_header(&out, &c);
  for (size_t i = 0; i < count && (int64_t)i != table->row_limit; i++)
    put_row(&out, &c, p, &rows[order[i].at]);
  put_rule(&out, &c);
  oyi_strbuf_printf(&out, "Self CPU time total: %s\n",
                    time_cell((double)c.self_total).text);
  oyi_free(order);
  *out_text = oyi_strbuf_take(&out);
  return *out_text ? OY_OK : OY_OUT_OF_MEMORY;
}

oy_status oy_profiler_table(oy_profiler* p, const oy_profile_table* table,
                            char** out_text) {
  static const oy_profile_table standard = OY_PROFILE_TABLE_INIT;
  oy_profile_average* rows;
  size_t count;
  *out_text = NULL;
  if (!table) table = &standard;
  OY_CHECK(table->max_name_column_width >= 8 && table->max_shapes_column_width >= 8 &&
               table->max_src_column_width >= 8,
           INVALID_ARGUMENT, "expected columns of a table to be at least 8 wide");
  OY_TRY(oyi_profile_collect(p));
  oy_profile_grouping by = {table->group_by_input_shape, table->group_by_stack_n};
  OY_TRY(table->each_event
             ? rows_of_events(p, table->top_level_events_only, &rows, &count)
             : oy_profiler_averages(p, &by, &rows, &count));
  oy_status status = print_table(p, table, rows, count, out_text);
  oyi_free(rows);
  return status;
}
