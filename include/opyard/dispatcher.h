// SPDX-License-Identifier: Apache-2.0
// The registry: operators, how to find and call them, and what can be asked
// about them. Registration is in library.h.
//
// Operators are never freed while their registry lives. An oy_op* stays valid
// when the operator is undefined; a call through it is then a clean error, and
// it comes back to life when the name is defined again.
//
// Unless said otherwise: thread-safe; questions take the registry's lock, calls
// and oy_op_find do not. Texts are freed with oy_text_free.
#ifndef OPYARD_DISPATCHER_H_
#define OPYARD_DISPATCHER_H_

#include "opyard/inline.h"
#include "opyard/schema.h"
#include "opyard/state.h"

OY_BEGIN_DECLS

typedef struct oy_registry oy_registry;

// The process's own, made on first use. NULL with an error if memory is short
// then, or if another copy of this library in the process has one already.
OY_API oy_registry* oy_registry_default(void);
// Another one, with nothing in it (for tests, tools, sandboxes).
OY_API OY_MUST_USE oy_status oy_registry_create(oy_registry** out_registry);
// All libraries must be closed and no call may be in flight. Takes NULL; the
// default registry is not destroyed.
OY_API void oy_registry_destroy(oy_registry* registry);

// -------------------------------------------------------------------- finding

// The operator |name| ("aten::add.Tensor"), which must have a schema.
// NOT_FOUND: "Could not find schema for <name>.<overload>", with what to do.
OY_API OY_MUST_USE oy_status oy_op_find(oy_registry* registry, oy_str name,
                                        const oy_op** out_op);
// The same, NULL and no error if there is none (with or without a schema).
OY_API const oy_op* oy_op_lookup(oy_registry* registry, oy_str name);
// Operators with a schema or kernels, sorted by name; *out_ops is freed with
// oy_ops_free.
OY_API OY_MUST_USE oy_status oy_registry_list(oy_registry* registry,
                                              const oy_op*** out_ops, size_t* out_count);
OY_API void oy_ops_free(const oy_op** ops);

// "aten::add.Tensor"; lives as long as the registry.
OY_API oy_str oy_op_name_of(const oy_op* op);
// NULL while there is no definition. Valid until the definition is removed. The first
// question makes it; NULL with OUT_OF_MEMORY set if there is no memory for that.
OY_API const oy_schema* oy_op_schema(const oy_op* op);
OY_API oy_registry* oy_op_registry(const oy_op* op);
// Space-separated tags of the definition, "" if none.
OY_API const char* oy_op_tags(const oy_op* op);
OY_API bool oy_op_has_tag(const oy_op* op, const char* tag);

// -------------------------------------------------------------------- calling

// Boxed calls. The stack holds the arguments on top, all of them (defaults
// filled in, see oy_op_push_defaults); afterwards the results. On failure the
// arguments are gone and there are no results.
OY_API oy_status oy_op_call_boxed(const oy_op* op, oy_stack* stack);
// With exactly |keys|: no thread-local sets, no masks.
OY_API oy_status oy_op_redispatch_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack);
// The kernel registered for |key| itself, else the backend fallback of |key|.
OY_API oy_status oy_op_call_boxed_for_key(const oy_op* op, oy_key key, oy_stack* stack);
// Checks |count| values on top of the stack against the schema, normalises
// them (int to float where the schema says float, one int to int[N], ...) and
// pushes the defaults of the rest. |names| are the keywords of the last
// |name_count| values, which are put in place. Errors as in PyTorch (section
// 2.7). On failure the values are gone.
OY_API oy_status oy_op_push_defaults(const oy_op* op, oy_stack* stack, size_t count,
                                     const oy_str* names, size_t name_count);

// For typed kernels: the state that the kernel selected for |keys| was registered
// with. Where a slot has kernels for several dtypes with states of their own, no
// key set tells them apart: NULL then; oy_kernel_pick tells them by the arguments.
// The slot is read again: a kernel that another may replace while it runs takes
// its state from the record instead, as boxed kernels get it.
OY_API void* oy_kernel_state(const oy_op* op, oy_keyset keys);
// Exported twins of inline.h.
OY_API const oy_kernel* oy_op_select_call(const oy_op* op, oy_keyset* keys);
OY_API const oy_kernel* oy_op_select_exact(const oy_op* op, oy_keyset keys);
OY_API uint64_t oy_op_call_enter(void);
OY_API void oy_op_call_leave(uint64_t before);

// The typed entry of an operator for callers that name its C type as a schema,
// "(Tensor, Tensor, *, Scalar alpha) -> Tensor". SCHEMA_MISMATCH, "Tried to
// access or call an operator with a wrong signature.", if it is another.
OY_API OY_MUST_USE oy_status oy_op_check_typed(const oy_op* op, const char* signature);

// ----------------------------------------------------------------- questions

// PyTorch's two dumps, byte for byte (sections 7.2 and 7.3).
OY_API OY_MUST_USE oy_status oy_op_dump_state(const oy_op* op, char** out_text);
OY_API OY_MUST_USE oy_status oy_op_dump_table(const oy_op* op, char** out_text);
// One cell of the table dump without the key: "registered at f.c:3 [kernel]";
// "" if there is no kernel. Works for keys whose backend is not in use, too.
OY_API OY_MUST_USE oy_status oy_op_dump_cell(const oy_op* op, oy_key key,
                                             char** out_text);
// Argument bits (64 characters, the last argument first) and the mask.
OY_API OY_MUST_USE oy_status oy_op_dump_extractor(const oy_op* op, char** out_text);
// Names of operators with a kernel registered for |key| itself, one a line,
// sorted; Undefined gives every operator.
OY_API OY_MUST_USE oy_status oy_registry_dump_key(oy_registry* registry, oy_key key,
                                                  char** out_text);
// State dumps of operators that have kernels and no schema.
OY_API OY_MUST_USE oy_status oy_registry_dump_dangling(oy_registry* registry,
                                                       char** out_text,
                                                       size_t* out_count);
// INTERNAL with both dumps in the detail if a stored table is not what the rule
// gives now, or the records contradict each other.
OY_API oy_status oy_op_check_invariants(const oy_op* op);
OY_API oy_status oy_registry_check_invariants(oy_registry* registry);

OY_API bool oy_op_has_kernel(const oy_op* op, oy_key key);  // registered at it
OY_API bool oy_op_has_kernel_in(const oy_op* op, oy_keyset keys);
// Whether the table has a kernel; INVALID_ARGUMENT for alias keys:
// "Alias keys do not have runtime kernel registrations."
OY_API oy_status oy_op_has_computed_kernel(const oy_op* op, oy_key key, bool* out_has);
OY_API bool oy_op_is_fallthrough(const oy_op* op, oy_key key);
OY_API bool oy_registry_has_fallback(oy_registry* registry, oy_key key);
OY_API size_t oy_registry_op_count(oy_registry* registry);
// Bytes that one operator holds (entry, table, schema, registrations).
OY_API size_t oy_op_memory(const oy_op* op);
// Counts every change; a plan that resolved kernels compares it.
OY_API uint64_t oy_registry_generation(oy_registry* registry);
// Frees what no call can see any more; registration does it as well.
OY_API void oy_registry_collect(oy_registry* registry);

// Called with the lock held when an operator gets or loses its schema; on
// adding, at once for every operator that has one. Must not call back.
typedef struct oy_listener {
  void (*defined)(void* user_data, const oy_op* op);
  void (*undefined)(void* user_data, const oy_op* op);
  void* user_data;
} oy_listener;
OY_API OY_MUST_USE oy_status oy_registry_add_listener(oy_registry* registry,
                                                      oy_listener listener, int* out_id);
OY_API void oy_registry_remove_listener(oy_registry* registry, int id);

// Called when "could not run" is about to be reported for |op|; may set another
// error of its own. NULL removes it.
OY_API oy_status oy_op_set_error_callback(const oy_op* op,
                                          void (*callback)(const oy_op* op, oy_key key,
                                                           void* user_data),
                                          void* user_data);

// The dtype of a call whose tensors have these dtypes, for operators with dtype
// variants; asked where they differ, a call of one dtype has that one. The default is
// the greatest number; tensor libraries set promotion.
OY_API void oy_registry_set_dtype_rule(oy_registry* registry, oy_dtype_rule rule);

// CPU capability: what the machine has, capped by OPYARD_CPU_CAPABILITY
// (default, avx2, avx512). Kernels of a higher level are registered, but not chosen.
typedef enum oy_cpu_level {
  OY_CPU_BASELINE,
  OY_CPU_V3,  // AVX2, FMA, F16C
  OY_CPU_V4   // AVX-512 F, BW, CD, DQ, VL
} oy_cpu_level;
OY_API oy_cpu_level oy_cpu_level_get(void);

// ------------------------------------------------------------------- explain

typedef enum oy_step_verdict {
  OY_STEP_CHOSEN,
  OY_STEP_LOST,  // a candidate that another one beats
  OY_STEP_NEXT   // reached by redispatch from the chosen one
} oy_step_verdict;

typedef struct oy_explain_step {
  oy_key key;  // the slot
  oy_step_verdict verdict;
  char* kernel;      // what it is: debug text and where it was registered
  char* provenance;  // "kernel", "math kernel", "backend fallback", ...
  char* reason;      // why it was chosen or lost
} oy_explain_step;

typedef struct oy_explanation {
  const oy_op* op;
  size_t argument_count;
  oy_keyset* argument_keys;  // what each argument put in
  oy_keyset arguments;       // all of them
  oy_keyset included, excluded;
  oy_keyset masked;  // removed as fallthrough
  oy_keyset effective;
  oy_key slot;
  oy_dtype dtype;          // of the call, OY_DTYPE_ANY if it plays no part
  oy_explain_step* steps;  // candidates of the slot, then what comes next
  size_t step_count;
} oy_explanation;

// Explains a call without running it, by the code that computes the tables.
// |arguments| has one entry per dispatched argument: its key set and dtype.
typedef struct oy_argument_keys {
  oy_keyset keys;
  oy_dtype dtype;  // OY_DTYPE_ANY if it has none
} oy_argument_keys;
OY_API OY_MUST_USE oy_status oy_explain(const oy_op* op,
                                        const oy_argument_keys* arguments, size_t count,
                                        oy_explanation** out_explanation);
OY_API void oy_explanation_free(oy_explanation* explanation);

OY_END_DECLS

#endif  // OPYARD_DISPATCHER_H_
