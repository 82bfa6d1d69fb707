// SPDX-License-Identifier: Apache-2.0
// The call path, in the open so that it can be inlined: thread-local state,
// tables and kernels show the part that a call reads. Stable within a minor
// version; everything here has an exported twin in dispatcher.h for foreign
// function interfaces. Generated typed calls (opgen) are built from these.
//
// One call:  ks = ((argument sets | included) & keep) & mask of the backend,
// highest functionality + highest backend -> slot -> kernel(op, ks, args...).
#ifndef OPYARD_INLINE_H_
#define OPYARD_INLINE_H_

#include "opyard/value.h"

OY_BEGIN_DECLS

// A call is short enough to be copied wherever it is made; left to themselves,
// compilers make functions of its parts where a file has many calls.
#define OY_CALL_INLINE static inline __attribute__((always_inline))

typedef struct oy_op oy_op;
typedef struct oy_kernel oy_kernel;

// Every typed kernel takes (const oy_op*, oy_keyset) and then the arguments of
// its schema; callers cast to that type. The forms, by schema type:
//   Tensor, Tensor?           oy_object* (or the tensor type), borrowed
//   Tensor[], Tensor?[]       oy_tensors
//   int, SymInt, ScalarType, Layout, MemoryFormat, ...   int64_t
//   bool  float  str  Device  complex    bool double oy_str oy_device oy_complex
//   int[] float[] bool[], also optional  oy_ints oy_floats oy_bools
//   other lists, also optional, and dicts  oy_values (dict: pairs)
//   Scalar, and every other optional      oy_value (tag NONE for None)
//   Generator, Stream, classes            oy_object*
// A kernel with exactly one Tensor return gives an oy_object* : a new reference,
// or, where the schema says that the result is an argument (in-place, out=),
// that argument, borrowed; NULL is failure. All others give an oy_status and
// take one pointer for each result after the arguments.
typedef void (*oy_typed_fn)(void);

// Takes the op's arguments off the stack and pushes its results. |kernel| is the
// record it stands in; kernel->user_data is the state it was registered with.
typedef oy_status (*oy_boxed_fn)(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                 const oy_kernel* kernel);

// What a slot points to; immutable while any call can see it.
struct oy_kernel {
  oy_typed_fn typed;  // never NULL: an entry of the op's signature
  oy_boxed_fn boxed;  // never NULL
  void* user_data;    // the state of the registration
  // private members follow
};

// The dtype of a call with these tensors; see oy_registry_set_dtype_rule.
typedef oy_dtype (*oy_dtype_rule)(const oy_op* op, oy_object* const* tensors,
                                  size_t count);

// Stands in a slot whose kernel depends on the dtype of the call: a record whose
// user_data is the record itself. Without a rule the greatest dtype decides.
enum { OY_VARIANT_LIMIT = OY_DTYPE_LIMIT + 1 };
typedef struct oy_variants {
  oy_kernel kernel;           // first
  const oy_dtype_rule* rule;  // the registry's; *rule is atomic
  // Atomic. By dtype + 1, so that the first is for calls without one; NULL: none.
  const oy_kernel* by_dtype[OY_VARIANT_LIMIT];
} oy_variants;

// The part of an operator that a call reads. One cache line.
struct oy_op {
  const unsigned char* table;   // atomic; slots and masks, see below
  oy_typed_fn box;              // typed entry that boxes its arguments
  oy_typed_fn fail;             // typed entry that reports
  oy_typed_fn variant;          // typed entry that picks a kernel by dtype
  uint64_t dispatch_arguments;  // bit i: argument i gives keys
  uint16_t argument_count;
  uint16_t return_count;
  uint32_t flags;  // OY_OP_*
  // private members follow
};
enum {
  OY_OP_OBSERVED = 1,       // profilers may see its calls
  OY_OP_RETURNS_OBJECT = 2  // typed calls return an object, not a status
};

// A table is a base, which is all that a call on the CPU reads:
//   words 0-48  one slot for each functionality, the CPU's where backends differ
//   word 49     mask: functionalities that are not fallthrough for the CPU
// then a 64-byte block for each other backend in use:
//   word 0      mask: functionalities that are not fallthrough for the backend
//   words 1-6   Dense Quantized Sparse SparseCsr NestedTensor Autograd
// A new backend appends a block, so that the offsets of the others hold.
enum {
  OY_TABLE_MASK = 8 * OY_FUNCTIONALITY_COUNT,
  OY_TABLE_BASE = 448,
  OY_TABLE_BLOCK = 64
};

// Where the slots of backends other than the CPU are, in bytes.
typedef struct oy_table_map {
  uint64_t block[64];   // atomic; by backend: its mask, and its block
  uint64_t within[64];  // by functionality: ~0 if in the block, else 0
  uint64_t offset[64];  // by functionality: in the block, or in the base
} oy_table_map;
OY_API extern oy_table_map oy_tables;

// ------------------------------------------------------- thread-local state

// One cache line. Plain loads and stores: only its thread touches it, but for
// |active|, which writers of the registry read, and |epoch|, which they store.
typedef struct oy_tls_block {
  oy_keyset included;
  uint64_t keep;               // functionalities that are not excluded
  uint64_t active;             // see oy_call_enter
  uint64_t epoch;              // a late copy of the registries', stored by writers
  uint64_t excluded_backends;  // kept for printing only; never takes effect
  struct oy_scope* scope;
  uint64_t trace_depth;
} __attribute__((aligned(64))) oy_tls_block;

OY_API extern __thread oy_tls_block oy_tls __attribute__((tls_model("initial-exec")));

// --------------------------------------------------------------- read side

// |active| is OY_NEW before the thread's first call, OY_IDLE between calls
// (OY_IDLE_SCOPE with a scope open), and inside one the even number that |epoch|
// had when the outermost call began. A writer frees what it unlinked when no
// thread is inside a call that began before.
enum { OY_IDLE = 1, OY_IDLE_SCOPE = 3, OY_NEW = 5 };

OY_API uint64_t oy_thread_start(void);

// Plain, so that a comparison may read it where it lies: nobody else writes it, but
// for the writers' side under ThreadSanitizer, which adds 0 instead of a barrier.
OY_CALL_INLINE uint64_t oy_call_before(void) {
#ifdef __SANITIZE_THREAD__
  return __atomic_load_n(&oy_tls.active, __ATOMIC_RELAXED);
#else
  return oy_tls.active;
#endif
}
// For a thread that is found not to be OY_IDLE. Looked up again, so that finding
// out needs no register.
OY_CALL_INLINE bool oy_call_nested(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return !(oy_call_before() & 1);
}

// The two halves of an outermost call, for generated calls; in between, |active|
// is an epoch. The thread must be idle, OY_IDLE or OY_IDLE_SCOPE.
OY_CALL_INLINE void oy_call_begin(void) {
  // Acquire: who sees an epoch sees what was unlinked before it.
  uint64_t now = __atomic_load_n(&oy_tls.epoch, __ATOMIC_ACQUIRE);
#ifdef __SANITIZE_THREAD__
  __atomic_exchange_n(&oy_tls.active, now, __ATOMIC_SEQ_CST);
#else
  // The writer's side of this fence is membarrier(2).
  __atomic_store_n(&oy_tls.active, now, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}
OY_CALL_INLINE void oy_call_end(void) {
  __atomic_store_n(&oy_tls.active, OY_IDLE, __ATOMIC_RELEASE);
}

// The same for any state of the thread: a nested call leaves the mark alone.
OY_CALL_INLINE uint64_t oy_call_enter(void) {
  uint64_t before = oy_call_before();
  if (before & 1) {
    if (OY_UNLIKELY(before == OY_NEW)) before = oy_thread_start();
    oy_call_begin();
  }
  return before;
}

OY_CALL_INLINE void oy_call_leave(uint64_t before) {
  __atomic_store_n(&oy_tls.active, before, __ATOMIC_RELEASE);
}

// ------------------------------------------------------------------- select

// The highest bit of |bits|, 0 if there is none.
OY_CALL_INLINE size_t oy_highest_bit(uint64_t bits) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__LZCNT__)
  // Every 64-bit x86 leaves the result alone where there is no bit.
  size_t bit = 0;
  __asm__("bsrq %1, %0" : "+r"(bit) : "r"(bits) : "cc");
  return bit;
#else
  return 63u ^ (unsigned)__builtin_clzll(bits | 1);
#endif
}

// Without the mark that a traced call leaves for the steps below it.
static inline oy_keyset oy_keyset_unmarked(oy_keyset keys) {
  keys.functionality &= ~(1ull << OY_KEY_TraceRedispatch);
  return keys;
}

// Whether the base of a table says it all: no backend, or the CPU's bit alone.
OY_CALL_INLINE bool oy_backends_plain(uint64_t backends) {
  return OY_LIKELY(backends <= 1);
}
OY_CALL_INLINE const unsigned char* oy_op_table(const oy_op* op) {
  return __atomic_load_n(&op->table, __ATOMIC_ACQUIRE);
}
OY_CALL_INLINE uint64_t oy_table_mask_at(const unsigned char* table, size_t at) {
  const uint64_t* mask = (const uint64_t*)(const void*)(table + at);
#ifdef __SANITIZE_THREAD__
  return __atomic_load_n(mask, __ATOMIC_RELAXED);
#else
  return *mask;  // one word; compilers do not make an atomic one part of the "and"
#endif
}
OY_CALL_INLINE const oy_kernel* oy_table_slot_at(const unsigned char* table, size_t at) {
  return __atomic_load_n((const oy_kernel* const*)(const void*)(table + at),
                         __ATOMIC_ACQUIRE);
}
OY_CALL_INLINE const oy_kernel* oy_table_slot(const unsigned char* table,
                                              uint64_t functionality) {
  return oy_table_slot_at(table, 8 * oy_highest_bit(functionality));
}
// The offset of a block comes before the table: one that is loaded after it has
// the block.
OY_CALL_INLINE size_t oy_table_block(uint64_t backends) {
  return __atomic_load_n(&oy_tables.block[oy_highest_bit(backends)], __ATOMIC_ACQUIRE);
}
OY_CALL_INLINE const oy_kernel* oy_table_block_slot(const unsigned char* table,
                                                    size_t block,
                                                    uint64_t functionality) {
  size_t bit = oy_highest_bit(functionality);
  return oy_table_slot_at(table + oy_tables.offset[bit], block & oy_tables.within[bit]);
}

// The kernel for exactly |keys|.
OY_CALL_INLINE const oy_kernel* oy_select_exact(const oy_op* op, oy_keyset keys) {
  // Layers that mask with a constant do this in the same instruction.
  uint64_t functionality = keys.functionality & ((1ull << OY_FUNCTIONALITY_COUNT) - 1);
  if (oy_backends_plain(keys.backends))
    return oy_table_slot(oy_op_table(op), functionality);
  size_t block = oy_table_block(keys.backends);
  return oy_table_block_slot(oy_op_table(op), block, functionality);
}

// What arguments with |keys| and the thread's sets make of a call, but for the mask
// of the operator.
OY_CALL_INLINE oy_keyset oy_call_keys(oy_keyset keys) {
  keys.backends |= oy_tls.included.backends;
  keys.functionality = (keys.functionality | oy_tls.included.functionality) & oy_tls.keep;
  return keys;
}
// The kernel for these; applies the mask of the operator to *keys.
OY_CALL_INLINE const oy_kernel* oy_select_masked(const oy_op* op, oy_keyset* keys) {
  if (oy_backends_plain(keys->backends)) {
    const unsigned char* table = oy_op_table(op);
    keys->functionality &= oy_table_mask_at(table, OY_TABLE_MASK);
    return oy_table_slot(table, keys->functionality);
  }
  size_t block = oy_table_block(keys->backends);
  const unsigned char* table = oy_op_table(op);
  keys->functionality &= oy_table_mask_at(table, block);
  return oy_table_block_slot(table, block, keys->functionality);
}

// The kernel for a call whose arguments have |keys|; applies the thread's sets
// and the op's mask to *keys.
OY_CALL_INLINE const oy_kernel* oy_select_call(const oy_op* op, oy_keyset* keys) {
  *keys = oy_call_keys(*keys);
  return oy_select_masked(op, keys);
}

// Key sets of list arguments. False if an element is NULL.
static inline bool oy_tensors_keys(oy_tensors list, oy_keyset* keys) {
  for (size_t i = 0; i < list.size; i++) {
    if (!list.data[i]) return false;
    *keys = oy_keyset_or(*keys, list.data[i]->keys);
  }
  return true;
}

static inline bool oy_tensors_have_null(oy_tensors list) {
  for (size_t i = 0; i < list.size; i++)
    if (!list.data[i]) return true;
  return false;
}

// The greater of |index| and the place of |tensor| in by_dtype; None, like NULL, has
// the first. Starts from 0.
OY_CALL_INLINE size_t oy_variant_join(size_t index, const oy_object* tensor) {
  size_t place = tensor ? (uint8_t)(tensor->dtype + 1) : 0;
  return place > index ? place : index;
}
// Whether two tensors are there, of one dtype.
OY_CALL_INLINE bool oy_variant_alike(const oy_object* a, const oy_object* b) {
  return OY_LIKELY(a && b) && OY_LIKELY(a->dtype == b->dtype);
}
// Whether |tensor| has the place that all were joined to, or none.
OY_CALL_INLINE bool oy_variant_agrees(size_t index, const oy_object* tensor) {
  size_t place = tensor ? (uint8_t)(tensor->dtype + 1) : 0;
  return place == index || place == 0;
}
// Whether |kernel|, what a slot holds, is a record with a rule for tensors that do not
// agree.
OY_CALL_INLINE bool oy_variant_has_rule(const oy_kernel* kernel) {
  const oy_variants* v = (const oy_variants*)(const void*)kernel;
  return kernel->user_data == kernel &&
         __atomic_load_n(v->rule, __ATOMIC_ACQUIRE) != NULL;
}
// Its kernel for a call with that place. NULL if oy_kernel_pick has to say: there is no
// kernel, or no record any more.
OY_CALL_INLINE const oy_kernel* oy_variant_at(const oy_kernel* kernel, size_t index) {
  const oy_variants* v = (const oy_variants*)(const void*)kernel;
  if (OY_UNLIKELY(kernel->user_data != kernel)) return NULL;
  if (OY_UNLIKELY(index >= OY_VARIANT_LIMIT)) index = 0;
  return __atomic_load_n(&v->by_dtype[index], __ATOMIC_ACQUIRE);
}

// For trampolines: the kernel that |kernel|, a record with dtype variants, has for
// a call with these tensors; NULL with the error set if it has none.
OY_API const oy_kernel* oy_kernel_pick(const oy_op* op, oy_keyset keys,
                                       const oy_kernel* kernel, oy_object* const* tensors,
                                       size_t count);

// For generated calls: reports a NULL tensor argument. Keeps a pending error
// (the expression that failed first), else sets INVALID_ARGUMENT.
OY_API oy_status oy_call_null_argument(const oy_op* op, const char* argument);

// Hands a call's result to the open scope of the thread.
OY_API oy_object* oy_scope_take(oy_object* object);
OY_CALL_INLINE oy_object* oy_call_result(uint64_t before, oy_object* result) {
  oy_call_leave(before);
  return OY_UNLIKELY(before == OY_IDLE_SCOPE) ? oy_scope_take(result) : result;
}

OY_END_DECLS

#endif  // OPYARD_INLINE_H_
