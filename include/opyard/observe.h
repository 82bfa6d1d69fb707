// SPDX-License-Identifier: Apache-2.0
// Observers: functions that are called before and after operators, the nodes of a backward
// and ranges that a program names (PyTorch: RecordFunction). Profilers are made of them.
//
//   static oy_status count(void* data, const oy_record* record, void** context) {
//     ++*(int*)data;
//     return OY_OK;
//   }
//   oy_observer observer = OY_OBSERVER_INIT;
//   observer.start = count;
//   observer.data = &calls;
//   uint64_t id;
//   OY_TRY(oy_observer_add(&observer, OY_OBSERVE_THREAD, &id));
//   ...
//   oy_observer_remove(id);
//
// Calls are seen as they come in, redispatches are not; so are calls that kernels make.
// Some operators are never seen: aten::size, aten::is_leaf, aten::output_nr,
// aten::_version, aten::is_complex. While nobody observes, calls run the same
// instructions as if there were no observers at all (docs/decisions, 13g).
#ifndef OPYARD_OBSERVE_H_
#define OPYARD_OBSERVE_H_

#include "opyard/dispatcher.h"

OY_BEGIN_DECLS

// What a record is of. The library makes the first two, and USER by oy_range_begin_named;
// the others are PyTorch's, for who has such things to record.
typedef enum oy_record_scope {
  OY_RECORD_FUNCTION,           // an operator, or part of the library's own work
  OY_RECORD_BACKWARD_FUNCTION,  // a node of a backward: "MulBackward0"
  OY_RECORD_TORCHSCRIPT_FUNCTION,
  OY_RECORD_KERNEL_FUNCTION_DTYPE,
  OY_RECORD_CUSTOM_CLASS,
  OY_RECORD_BUILD_FEATURE,
  OY_RECORD_LITE_INTERPRETER,
  OY_RECORD_USER_SCOPE,
  OY_RECORD_STATIC_RUNTIME_OP,
  OY_RECORD_STATIC_RUNTIME_MODEL,
  OY_RECORD_SCOPES
} oy_record_scope;

// What an observer is shown. Borrowed: it holds for the length of the call of the observer.
typedef struct oy_record {
  oy_record_scope scope;
  oy_str name;      // "aten::add", without the overload, as in PyTorch
  const oy_op* op;  // NULL: not an operator
  // Of an operator whose call is recorded for backward: the number of its node, and in the
  // record of that node the same number. Else -1.
  int64_t sequence;
  uint64_t thread;  // small numbers, from 1, in the order of their first record
  uint64_t
      forward_thread;  // BACKWARD_FUNCTION: of the call that made the node; 0: unknown
  uint64_t id;         // of the record; 0 unless an observer of it needs ids
  bool is_async;       // ends in another thread than it began
  // In |start| alone, and only if an observer of the record needs inputs; in |end| alone,
  // if one needs outputs and the call did not fail. Else NULL, 0.
  const oy_value* inputs;
  size_t input_count;
  const oy_value* outputs;
  size_t output_count;
} oy_record;

// |start| may leave something in *out_context, NULL at first, that |end| gets. Both may be
// NULL. A status other than OY_OK does not reach the caller of the operator: it is logged
// (oy_observe_log_set). What they call is not observed. They run in the thread of the
// call, inside of it: what operators return in them goes to no scope.
typedef struct oy_observer {
  oy_status (*start)(void* data, const oy_record* record, void** out_context);
  oy_status (*end)(void* data, const oy_record* record, void* context);
  void* data;
  // Called once no thread can call the observer any more: at once if none has it, and for
  // an idle thread that has when it ends or makes its next record. May be NULL.
  void (*destroy)(void* data);
  // 1: every record. Below that each record has this chance; others cost a decrement.
  double probability;
  uint32_t scopes;  // bits, 1 << OY_RECORD_*; 0: all
  bool needs_inputs;
  bool needs_outputs;
  bool needs_ids;
} oy_observer;
// clang-format off
#define OY_OBSERVER_INIT {NULL, NULL, NULL, NULL, 1.0, 0, false, false, false}
// clang-format on

typedef enum oy_observe_where {
  OY_OBSERVE_THREAD,  // this thread alone
  OY_OBSERVE_ALL      // every thread, those that exist too: from their next call on
} oy_observe_where;

// Adds an observer, which is copied. Starts run in the order in which observers were
// added, those of all threads first, and ends in the same order. INVALID_ARGUMENT for a
// probability outside of 0 to 1 or scopes that do not exist; EXHAUSTED from 32 observers
// on that a thread would have; on failure |data| stays the caller's. Thread-safe; adding
// the first one of all threads, and removing the last, visits every table.
OY_API OY_MUST_USE oy_status oy_observer_add(const oy_observer* observer,
                                             oy_observe_where where, uint64_t* out_id);
// False if there is no such observer, or it is another thread's. Records that have begun
// are ended with it.
OY_API bool oy_observer_remove(uint64_t id);
// Off and on again, without giving up its place. False as above.
OY_API bool oy_observer_enable(uint64_t id, bool on);
// Removes all of this thread's, or all of those of all threads.
OY_API void oy_observer_clear(oy_observe_where where);
// Whether a call of this thread would be seen by anybody.
OY_API bool oy_observers_active(void);

// Whether this thread is observed at all. On in a new thread.
OY_API bool oy_observing_get(void);
OY_API void oy_observing_set(bool on);
// For a while: bool before = oy_observing_exchange(false); ... oy_observing_set(before);
static inline bool oy_observing_exchange(bool on) {
  bool before = oy_observing_get();
  oy_observing_set(on);
  return before;
}

// Where errors of observers go: "Exception in RecordFunction callback: <message> , for the
// range <name>". NULL, as at first: to stderr. Process-wide; set it before observing.
typedef void (*oy_observe_log)(void* data, const char* line);
OY_API void oy_observe_log_set(oy_observe_log log, void* data);

// ------------------------------------------------------------------------ ranges

// A part of a program that observers see as they see operators. Lies in the caller's frame;
// ended by the thread that began it, in reverse order of beginning. Costs a few
// instructions while nobody observes.
//
//   oy_range range;
//   oy_range_begin_named(&range, "epoch");
//   ...
//   oy_range_end(&range);
typedef struct oy_range {
  struct oyi_observation* observation;  // NULL: nobody sees it
} oy_range;

typedef struct oy_range_info {
  oy_record_scope scope;
  oy_str name;              // copied
  int64_t sequence;         // -1: none
  uint64_t forward_thread;  // 0: none
  const oy_value* inputs;   // read by the start callbacks alone; may be NULL
  size_t input_count;
} oy_range_info;

// Never fails: if memory is short, nobody sees the range.
OY_API void oy_range_begin(oy_range* range, const oy_range_info* info);
OY_API void oy_range_begin_named(oy_range* range, const char* name);
OY_API void oy_range_end(oy_range* range);

OY_END_DECLS

#endif  // OPYARD_OBSERVE_H_
