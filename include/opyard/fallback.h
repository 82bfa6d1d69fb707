// SPDX-License-Identifier: Apache-2.0
// CPU fallback: what a device has no kernel for runs on the CPU instead, and is never
// silent about it. Arguments are copied to the CPU, the CPU's kernel runs, what it wrote is
// copied back, and results are moved to the device (reference, section 6.10).
//
// Every such call is counted in the ledger, by operator and backends. The first one of an
// operator is a warning; a strict process refuses them all:
//
//   OPYARD_FALLBACK=allow   count only
//   OPYARD_FALLBACK=warn    count, and warn once for each operator and backend (the default)
//   OPYARD_FALLBACK=error   refuse, with an error that names the operator
//
// Thread-safe, all of it. Counting takes no lock.
#ifndef OPYARD_FALLBACK_H_
#define OPYARD_FALLBACK_H_

#include "opyard/library.h"

OY_BEGIN_DECLS

// ------------------------------------------------------------------- the kernel

typedef struct oy_cpu_fallback_options {
  size_t struct_size;   // sizeof(oy_cpu_fallback_options)
  oy_key cpu_key;       // what runs instead: CPU, QuantizedCPU, ...; Undefined: CPU
  bool error_on_views;  // operators that give views are refused; else there is a warning,
                        // and what they give is a copy
} oy_cpu_fallback_options;

// The boxed kernel, to be registered for a backend or for single operators:
//   OY_IMPL(m, "aten::sort", Npu, OY_BOXED(oy_cpu_fallback));
// The state of the kernel is an oy_cpu_fallback_options, which outlives it, or NULL.
// The device needs kernels of copy_, empty_strided, and resize_ for out= arguments: moving
// tensors never falls back itself, and calls that fall back into each other without an end
// are refused (FAILED_PRECONDITION). INVALID_ARGUMENT, "Expected CPU backend DispatchKey but
// got X", for another |cpu_key|, and for tensors on several devices. None and CPU tensors
// are passed on; numbers of a CPU generator are used where none was given.
OY_API oy_status oy_cpu_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                 const oy_kernel* kernel);

// Registers it for all operators that |backend| has no kernel for: at its dense key, and at
// its quantized one with QuantizedCPU. |library| is an IMPL library of the namespace "_";
// closing it takes the fallback back. |options| is copied and may be NULL. ALREADY_EXISTS if
// the backend has a fallback.
OY_API OY_MUST_USE oy_status oy_library_add_cpu_fallback(
    oy_library* library, oy_backend backend, const oy_cpu_fallback_options* options);

// --------------------------------------------------------------------- the policy

typedef enum oy_fallback_policy {
  OY_FALLBACK_ALLOW,
  OY_FALLBACK_WARN,
  OY_FALLBACK_ERROR
} oy_fallback_policy;

// Of the process. It begins as OPYARD_FALLBACK says; a value that is none of the three is
// taken for "error", since who sets it means to be strict.
OY_API void oy_fallback_policy_set(oy_fallback_policy policy);
OY_API oy_fallback_policy oy_fallback_policy_get(void);

// Forbids one operator to fall back, whatever the policy is, or allows it again. The tag
// "no_cpu_fallback" in a definition forbids for good. OUT_OF_MEMORY.
OY_API OY_MUST_USE oy_status oy_fallback_forbid(const oy_op* op, bool forbidden);
OY_API bool oy_fallback_is_forbidden(const oy_op* op);

// --------------------------------------------------------------------- the ledger

typedef struct oy_fallback_count {
  const char* op;        // "aten::sort"
  oy_backend from, to;   // where the call was, and where it ran
  uint64_t calls;        // failed ones too, once a kernel of |to| was called
  uint64_t bytes_to;     // copied from |from| to |to|
  uint64_t bytes_from;   // copied back: written arguments and results
  uint64_t nanoseconds;  // in all, copies included
} oy_fallback_count;

// For fallbacks of other makes, so that they are in the same ledger: asks the policy, and
// warns if this is the first one. FAILED_PRECONDITION if it is refused.
OY_API OY_MUST_USE oy_status oy_fallback_ask(const oy_op* op, oy_backend from,
                                             oy_backend to);
// Adds to the ledger; the operator in |what| is left out. Ask first: a call that nobody
// asked for, or that there was no memory for a row for, is counted in one that has the
// operator "(others)".
OY_API void oy_fallback_record(const oy_op* op, const oy_fallback_count* what);

// A snapshot, most bytes first, then by name; freed with oy_fallback_counts_free. Names
// live as long as the snapshot.
OY_API OY_MUST_USE oy_status oy_fallback_counts(oy_fallback_count** out_counts,
                                                size_t* out_count);
OY_API void oy_fallback_counts_free(oy_fallback_count* counts);  // takes NULL
// All calls of |op|, or of every operator if it is NULL.
OY_API uint64_t oy_fallback_calls(const oy_op* op);
// The same as a table for people and as JSON; freed with oy_text_free.
OY_API OY_MUST_USE oy_status oy_fallback_print(char** out_text);
OY_API OY_MUST_USE oy_status oy_fallback_print_json(char** out_text);
// Counts start from 0, and every operator warns anew. What is forbidden stays so.
OY_API void oy_fallback_reset(void);

OY_END_DECLS

#endif  // OPYARD_FALLBACK_H_
