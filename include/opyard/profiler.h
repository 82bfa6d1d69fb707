// SPDX-License-Identifier: Apache-2.0
// A profiler of operators, backward nodes and ranges: how often, how long, in how much
// memory, on what shapes, called from where. Made of observers (observe.h), so that it
// costs nothing while none is running.
//
//   oy_profiler_options options = OY_PROFILER_OPTIONS_INIT;
//   oy_profiler* p;
//   OY_TRY(oy_profiler_start(&options, &p));
//   ... calls of operators ...
//   OY_TRY(oy_profiler_stop(p));
//   char* text;
//   OY_TRY(oy_profiler_table(p, NULL, &text));
//   puts(text);
//   oy_text_free(text);
//   oy_profiler_free(p);
//
// Each thread writes to a buffer of its own, without locks. Any number of profilers may
// run at a time, nested or not; each sees everything while it runs.
#ifndef OPYARD_PROFILER_H_
#define OPYARD_PROFILER_H_

#include "opyard/observe.h"

OY_BEGIN_DECLS

typedef struct oy_profiler oy_profiler;

typedef struct oy_profiler_options {
  bool record_shapes;  // shapes, strides and dtypes of tensors, values of numbers
  // Blocks that the CPU allocator gives and takes back: headers of tensors and nodes as
  // well as data, as large as they are made. Profiled threads keep no free blocks
  // meanwhile, so small operators get slower.
  bool profile_memory;
  // Return addresses at each record, which are named when they are asked for; and the lines
  // of the language that called, where one tells (oy_profiler_frames_source_set).
  bool with_stack;
  bool this_thread;   // else every thread
  size_t max_events;  // of each thread; what comes after them is counted. 0: 262,144
  // Floating point operations that products, convolutions of images, sums and products of
  // elements take, by PyTorch's formulas.
  bool with_flops;
} oy_profiler_options;
// clang-format off
#define OY_PROFILER_OPTIONS_INIT {false, false, false, false, 0, false}
// clang-format on

// Starts recording; with |options| NULL, names and times of every thread. Thread-safe.
OY_API OY_MUST_USE oy_status oy_profiler_start(const oy_profiler_options* options,
                                               oy_profiler** out_profiler);
// Ends it. Ranges and calls that this thread is in count as ended now; those of other
// threads are not part of the profile. Does nothing the second time. By the thread that
// started it if it is of that thread alone, else thread-safe: FAILED_PRECONDITION.
OY_API OY_MUST_USE oy_status oy_profiler_stop(oy_profiler* profiler);
// Stops it if it runs. Takes NULL.
OY_API void oy_profiler_free(oy_profiler* profiler);

// The questions below are for a profiler that was stopped (FAILED_PRECONDITION), and what
// they give by pointer is borrowed from it. One thread at a time may ask.

typedef enum oy_profile_kind {
  OY_PROFILE_RANGE,  // a record: from start to end
  OY_PROFILE_MEMORY  // one block: |memory| bytes at |address|, below 0 if it was freed
} oy_profile_kind;

// Sorted by thread, then start, outer before inner.
typedef struct oy_profile_event {
  oy_profile_kind kind;
  oy_record_scope scope;
  oy_str name;       // "aten::add", "MulBackward0", "my range", "[memory]"
  oy_str full_name;  // with the overload: "aten::add.Tensor"; else |name|
  int64_t start_ns;  // since the profiler began; end_ns == start_ns for MEMORY
  int64_t end_ns;
  int64_t self_ns;  // without what it called
  int64_t memory;   // bytes given less bytes taken back, with what it called
  int64_t self_memory;
  int64_t sequence;         // see oy_record
  uint64_t thread;          // see oy_record
  uint64_t forward_thread;  // of a BACKWARD_FUNCTION; 0: unknown
  uint64_t id;
  size_t parent;  // index; SIZE_MAX: none
  const void* address;
  // With record_shapes, as PyTorch shows them; else NULL.
  const char* input_shapes;     // "[[3, 4], []]"
  const char* input_strides;    // "[[4, 1], []]"
  const char* input_types;      // "[\"float\", \"Scalar\"]", JSON
  const char* concrete_inputs;  // "[\"\", \"1\"]", JSON
  void* const* stack;           // innermost first
  size_t stack_depth;
  const char* frames;  // "train.py(12): step\n...", innermost first; NULL: none
  uint64_t flops;      // 0: unknown
} oy_profile_event;

// How many; 0 while it runs.
OY_API size_t oy_profiler_event_count(oy_profiler* profiler);
OY_API OY_MUST_USE oy_status oy_profiler_event_get(oy_profiler* profiler, size_t index,
                                                   oy_profile_event* out_event);
// Records that there was no room for: more than max_events, or out of memory.
OY_API uint64_t oy_profiler_dropped(const oy_profiler* profiler);
// Nanoseconds from start to stop.
OY_API int64_t oy_profiler_duration(const oy_profiler* profiler);
// "add_cpu at libopyard.so+0x1234", NUL-terminated and cut off at |size|.
OY_API void oy_profiler_symbol(const void* address, char* buffer, size_t size);

// Frames of the calling thread in a language whose calls the stack of C does not show, to
// |buffer|: one a line, the innermost first, NUL-terminated, as many as fit. Gives the
// length; 0: none. Called in the thread of a record as it begins, with no lock held.
typedef size_t (*oy_frames_source)(char* buffer, size_t size);
// NULL: none, as at first. Process-wide, thread-safe.
OY_API void oy_profiler_frames_source_set(oy_frames_source source);

typedef struct oy_profile_average {
  oy_str key;
  const char* input_shapes;  // NULL unless they are grouped by
  uint64_t count;
  int64_t total_ns, self_ns;
  int64_t memory, self_memory;
  size_t example;  // the first event of the group
  oy_str frames;   // lines; empty unless they are grouped by
  uint64_t flops;
} oy_profile_average;

typedef struct oy_profile_grouping {
  bool input_shape;
  int stack_n;  // > 0: by so many of the innermost frames
} oy_profile_grouping;

// Events of one name, and of one set of shapes and one place if |by| says so, added up; in
// the order in which they first began. |by| NULL: by name. Freed with
// oy_profile_averages_free.
OY_API OY_MUST_USE oy_status oy_profiler_averages(oy_profiler* profiler,
                                                  const oy_profile_grouping* by,
                                                  oy_profile_average** out_averages,
                                                  size_t* out_count);
OY_API void oy_profile_averages_free(oy_profile_average* averages);

typedef struct oy_profile_table {
  // NULL: as they came. "self_cpu_time_total", "cpu_time_total", "cpu_time", "count",
  // "cpu_memory_usage", "self_cpu_memory_usage", "flops": the greatest first.
  const char* sort_by;
  const char* header;  // a title above the table; NULL: none
  int row_limit;       // -1: all
  int max_name_column_width;
  int max_shapes_column_width;
  int max_src_column_width;
  bool group_by_input_shape;
  bool each_event;             // a row for each event, not for each name
  bool top_level_events_only;  // of each_event: those that no other one called
  int group_by_stack_n;        // > 0, with stacks: by so many frames, which are shown
} oy_profile_table;
// clang-format off
#define OY_PROFILE_TABLE_INIT {NULL, NULL, 100, 55, 80, 75, false, false, false, 0}
// clang-format on

// PyTorch's table: columns, units, rounding. |table| NULL: OY_PROFILE_TABLE_INIT. Freed
// with oy_text_free. INVALID_ARGUMENT for a sort key that there is none of.
OY_API OY_MUST_USE oy_status oy_profiler_table(oy_profiler* profiler,
                                               const oy_profile_table* table,
                                               char** out_text);

typedef enum oy_trace_form {
  OY_TRACE_OBJECT,  // {"schemaVersion": 1, ..., "traceEvents": [...]}, as PyTorch 2 writes
  OY_TRACE_ARRAY    // [{"name": ...}, ...], as PyTorch did before
} oy_trace_form;
// The profile in Chrome's trace format, which Perfetto, speedscope and chrome://tracing
// read: times in microseconds, one line a thread, arrows from calls to their backward.
// Freed with oy_text_free.
OY_API OY_MUST_USE oy_status oy_profiler_trace(oy_profiler* profiler, oy_trace_form form,
                                               char** out_text);
// The same into a file. IO, with path and reason.
OY_API OY_MUST_USE oy_status oy_profiler_export_trace(oy_profiler* profiler,
                                                      const char* path,
                                                      oy_trace_form form);

OY_END_DECLS

#endif  // OPYARD_PROFILER_H_
