// SPDX-License-Identifier: Apache-2.0
// The conformance suite behind `opyard certify`: calls made up from schemas run on a device
// and on a reference, and have to come out alike. A call is a function of the operator's
// name, a dtype and a number, so each can be made again alone.
#ifndef OPYARD_TOOLS_OPYARD_CERTIFY_CERTIFY_H_
#define OPYARD_TOOLS_OPYARD_CERTIFY_CERTIFY_H_

#include "base/strbuf.h"
#include "common.h"
#include "json.h"
#include "opyard/opyard.h"

enum {
  CERTIFY_ARGUMENTS = 64,
  CERTIFY_TENSORS = 64,
  CERTIFY_MEMORY = 1 << 15,
  CERTIFY_NUMBERS = 16,  // calls of each operator and dtype
  CERTIFY_JOBS = 64      // processes at most
};

// ------------------------------------------------------------------------ samples

// How a tensor lies in its memory.
typedef enum certify_layout {
  CERTIFY_CONTIGUOUS,
  CERTIFY_TRANSPOSED,
  CERTIFY_EXPANDED,
  CERTIFY_SLICED,
  CERTIFY_LAYOUTS
} certify_layout;

typedef struct certify_tensor {
  oy_tensor* base;  // one-dimensional, contiguous, on the CPU
  oy_tensor* view;  // what stands in the arguments
  bool is_written;
} certify_tensor;

// One call, its tensors on the CPU. |random| is where its numbers come from.
typedef struct certify_sample {
  const oy_op* op;
  const oy_schema* schema;
  oy_dtype dtype;
  uint32_t number;
  uint64_t random;
  certify_layout layout;
  bool is_bad;  // something about it need not fit
  size_t rank;  // what arguments that fit together have in common
  int64_t extent;
  certify_tensor tensors[CERTIFY_TENSORS];
  size_t tensor_count;
  oy_value arguments[CERTIFY_ARGUMENTS];
  size_t used;
  _Alignas(16) char memory[CERTIFY_MEMORY];  // of lists and numbers
} certify_sample;

void certify_sample_make(certify_sample* s, const oy_op* op, oy_dtype dtype,
                         uint32_t number);
void certify_sample_end(certify_sample* s);
// Moves every float in its tensors by a few of its last places.
void certify_sample_move(certify_sample* s);
// Of one that is unordered: makes what is written equal, so that the order does not matter.
void certify_sample_level(certify_sample* s);
// As a call that one can read: "aten::neg(tensor([1.]))".
void certify_sample_print(const certify_sample* s, oyi_strbuf* out);

// The parts of it: numbers in turn, and what an argument of a type may be.
uint64_t certify_random(certify_sample* s);
static inline int64_t certify_below(certify_sample* s, int64_t n) {
  return (int64_t)(certify_random(s) % (uint64_t)n);
}
static inline bool certify_chance(certify_sample* s, int percent) {
  return certify_below(s, 100) < percent;
}
// Room that lives as long as the sample; NULL when it is used up.
void* certify_room(certify_sample* s, size_t count, size_t size);
oy_object* certify_tensor_make(certify_sample* s, oy_str name, bool is_written);
// Of these sizes, in the layout of the sample. Indices are below |bound|; 0: any numbers.
oy_object* certify_tensor_of(certify_sample* s, oy_ints sizes, oy_dtype dtype,
                             int64_t bound, bool is_written);
oy_value certify_value(certify_sample* s, const oy_argument* argument);
// A form (forms.def) that the sample is to have, or NULL: most have none; and what it says
// of an argument.
const char* certify_form(const certify_sample* s);
oy_value certify_form_value(certify_sample* s, const char* form,
                            const oy_argument* argument);
bool certify_is_written(const oy_argument* argument);

// ----------------------------------------------------------------------- outcomes

// What came of a call, as bytes: they can come out of another process, too.
//   int32 status, text of the error, uint32 values; each value a tag, then a tensor's dtype,
//   sizes, strides and elements, or 16 bytes of a number.
typedef struct certify_outcome {
  oyi_strbuf bytes;
} certify_outcome;

typedef struct certify_run {
  oy_device device;
  bool with_gradients;
  size_t apart;  // number of the tensor that stays on the CPU, from 1; 0: none
} certify_run;

// Makes the call on |run->device|. The outcome holds results, then what was written, then
// gradients.
oy_status certify_sample_run(const certify_sample* s, const certify_run* run,
                             certify_outcome* out_outcome);
void certify_outcome_reset(certify_outcome* outcome);
oy_status certify_outcome_status(const certify_outcome* outcome);
oy_str certify_outcome_error(const certify_outcome* outcome);
// Whether |got| is as |want|: "" if it is, else what differs, in a text that lives until the
// next question. |moved| may be NULL, or what came of arguments that were moved
// (certify_sample_move): values may then differ by some times what they moved.
const char* certify_compare(const certify_sample* s, const certify_outcome* got,
                            const certify_outcome* want, const certify_outcome* moved);
// Whether the two may differ on a device although one is an error; see permitted.c.
bool certify_is_permitted(const certify_sample* s, const certify_outcome* got,
                          const certify_outcome* want);
// Whether values may differ from one call to the next, where threads write to one place in
// any order.
bool certify_is_unordered(const certify_sample* s);
// Whether what the operator computes is not determined by its arguments as closely as their
// type is: for those alone |moved| is asked for.
bool certify_is_sensitive(const certify_sample* s);

// ---------------------------------------------------------------------- reference

// Where the right outcomes come from: the CPU of this process, or a process of its own that
// runs the CPU at its lowest level.
typedef struct certify_reference {
  int to, from, pid;  // pipes of the other process; pid 0: this one
} certify_reference;

oy_status certify_reference_open(certify_reference* reference, bool is_other);
oy_status certify_reference_run(certify_reference* reference, const certify_sample* s,
                                bool with_gradients, certify_outcome* out_outcome);
void certify_reference_close(certify_reference* reference);
// The whole of |size| bytes; false if the other end is gone.
bool certify_write(int fd, const void* data, size_t size);
bool certify_read(int fd, void* data, size_t size);
// The other process: answers until its input ends. An exit status.
int certify_serve(void);

// ------------------------------------------------------------------------- report

// Of an operator and a dtype, from good to bad; the worst counts.
typedef enum certify_verdict {
  CERTIFY_UNTRIED,
  CERTIFY_NATIVE,    // a kernel of the backend, or composed of other operators
  CERTIFY_FALLBACK,  // the CPU, by the fallback
  CERTIFY_REFUSED,   // an error where the reference computes
  CERTIFY_WRONG
} certify_verdict;

enum { CERTIFY_DTYPES = 12 };
extern const oy_dtype certify_dtypes[CERTIFY_DTYPES];

typedef struct certify_row {
  const oy_op* op;
  uint8_t cells[CERTIFY_DTYPES];  // certify_verdict
  uint8_t gradients;              // the worst of them
} certify_row;

typedef struct certify_failure {
  char* where;  // "aten::add.Tensor float32 #7", or the check
  char* what;
  char* call;    // for people
  char* repeat;  // a command that shows it again
  size_t row;    // of the operator that it is about
} certify_failure;

typedef struct certify_report {
  const char* name;                 // as it was asked for
  struct oy_loaded_plugin* plugin;  // NULL: a backend that is there without one
  oy_backend backend;
  oy_device device;
  const char* pattern;  // of operators; NULL: all
  const char* only;     // "float32:7", or "float32"; NULL: all
  int jobs;             // processes that operators are shared among
  bool with_progress;   // a line on stderr when an operator is done
  certify_row* rows;
  size_t row_count;
  certify_failure* failures;
  size_t failure_count, failure_capacity;
  size_t suppressed;  // more failures of an operator than are listed
  size_t calls, good, errors_alike, other_texts, gradients, permitted;
  size_t apart_refused, apart_alike;  // calls with a tensor on another device
  const char* checks[16];             // further checks that were made
  bool passed[16];
  size_t check_count;
} certify_report;

// Adds a failure; the texts are copied.
void certify_fail(certify_report* r, const char* where, const char* what,
                  const char* call, const char* repeat);
// Notes that a further check was made.
void certify_check(certify_report* r, const char* name, bool passed);
void certify_report_print(const certify_report* r);
void certify_report_json(const certify_report* r);
void certify_report_free(certify_report* r);

// From now on the library refuses allocations that are large.
void certify_limit(void);
// Finds the backend that |r->name| stands for, and loads its plugin.
oy_status certify_load(certify_report* r);
void certify_unload(certify_report* r);

// Makes the rows: the operators that |r| is about, in the same order in every process.
oy_status certify_choose(certify_report* r);
// Runs the calls of a row's operator.
oy_status certify_operator(certify_report* r, certify_reference* reference,
                           certify_row* row);
// Those of all rows, in |r->jobs| processes.
oy_status certify_operators(certify_report* r);
// One of the processes: answers until its input ends. An exit status.
int certify_work(certify_report* r);
// Several threads at once give what one gives.
void certify_threads(certify_report* r);
// Copies and calls on streams come in order; for devices that have some.
void certify_streams(certify_report* r);
// Memory comes back when tensors go; bad devices are errors.
void certify_devices(certify_report* r);
// What is unloaded is gone whole, and works again once it is loaded.
void certify_reload(certify_report* r);

#endif  // OPYARD_TOOLS_OPYARD_CERTIFY_CERTIFY_H_
