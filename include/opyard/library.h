// SPDX-License-Identifier: Apache-2.0
// Registration. A library handle owns what was registered through it; closing
// it undoes exactly that, in any order with others, and the tables are then as
// if it had never been. A registration that fails changes nothing.
//
// Any order of def, impl and fallback gives the same state, but for two kernels
// for the same operator, key, dtype, capability and priority: the newest wins.
// Thread-safe; writers take one lock per registry. Messages are PyTorch's
// (reference, section 3).
#ifndef OPYARD_LIBRARY_H_
#define OPYARD_LIBRARY_H_

#include "opyard/dispatcher.h"

OY_BEGIN_DECLS

typedef struct oy_library oy_library;
typedef struct oy_registration oy_registration;

typedef enum oy_library_kind {
  OY_LIBRARY_DEF,       // at most one alive per namespace
  OY_LIBRARY_FRAGMENT,  // any number
  OY_LIBRARY_IMPL       // kernels and fallbacks only; may have a key
} oy_library_kind;

typedef struct oy_library_params {
  oy_registry* registry;  // NULL: the default one
  oy_library_kind kind;
  const char* ns;    // "_" for none (IMPL only)
  oy_key key;        // IMPL only; Undefined: none
  const char* file;  // copied: a library may outlive the plugin's text
  int line;
} oy_library_params;

OY_API OY_MUST_USE oy_status oy_library_create(const oy_library_params* params,
                                               oy_library** out_library);
// Undoes all registrations, newest first, and frees the handle. Cannot fail and
// does not allocate. Takes NULL. The state of kernels is destroyed when the
// last call that can see it has left, at once if there is none.
OY_API void oy_library_close(oy_library* library);

// What runs. Zero-initialised members mean: none, any dtype, baseline, 0.
typedef struct oy_kernel_params {
  oy_typed_fn typed;  // or
  oy_boxed_fn boxed;  // or both
  bool fallthrough;   // or neither: skip this key
  // C type of the kernel in schema language, "(Tensor, Scalar) -> Tensor"; NULL
  // for a typed one: the schema's (checked by the compiler in generated
  // headers); for a boxed one: whatever the schema is.
  const char* signature;
  void* state;  // given to |boxed|; typed kernels: oy_kernel_state
  void (*destroy_state)(void* state);
  uint8_t dtype_filter;  // OY_FOR_DTYPE(d): only calls of that dtype
  uint8_t cpu_level;     // oy_cpu_level that it needs
  int16_t priority;      // the greater wins
} oy_kernel_params;

#define OY_FOR_DTYPE(dtype) ((uint8_t)((dtype) + 1))
#define OY_TYPED_SIGNATURE(fn, sig) \
  ((oy_kernel_params){.typed = (oy_typed_fn)(fn), .signature = (sig)})
#define OY_TYPED(fn)   ((oy_kernel_params){.typed = (oy_typed_fn)(fn)})
#define OY_BOXED(fn)   ((oy_kernel_params){.boxed = (fn)})
#define OY_FALLTHROUGH ((oy_kernel_params){.fallthrough = true})

// Where a registration was made. |debug| replaces "registered at file:line".
typedef struct oy_place {
  const char* file;  // copied
  int line;
  const char* debug;  // copied; may be NULL
} oy_place;
#define OY_HERE ((oy_place){__FILE__, __LINE__, NULL})

typedef struct oy_def_params {
  // A schema, or only a name: then the schema is inferred from |kernel|.
  const char* schema;
  oy_alias_kind alias_kind;
  bool has_alias_kind;        // else FROM_SCHEMA, or CONSERVATIVE if inferred
  bool alias_defaulted;       // nobody chose |alias_kind|: dumps say "(default)"
  bool allow_type_variables;  // lower-case unknown types, outside aten and prim
  const char* tags;           // space-separated, may be NULL
  bool unobserved;
  const oy_kernel_params* kernel;  // NULL: definition only
  oy_key key;                      // of the kernel; Undefined: CompositeImplicit...
  oy_place place;
} oy_def_params;

typedef struct oy_impl_params {
  const char* name;  // "add.Tensor" or "aten::add.Tensor"
  oy_key key;        // Undefined: the library's, else CompositeImplicit
  oy_kernel_params kernel;
  bool allow_override;  // no warning when a kernel is already there
  oy_place place;
} oy_impl_params;

// |out_registration| may be NULL: then only closing the library undoes it.
OY_API oy_status oy_library_def(oy_library* library, const oy_def_params* params,
                                oy_registration** out_registration);
OY_API oy_status oy_library_impl(oy_library* library, const oy_impl_params* params,
                                 oy_registration** out_registration);
// Of fallbacks for one key the one of the greatest priority is used, and when it goes the
// next; those of the library itself have OY_FALLBACK_DEFAULT, so that others replace them.
// ALREADY_EXISTS for two of one priority, and above or below one for an alias key.
enum { OY_FALLBACK_DEFAULT = -100 };
OY_API oy_status oy_library_fallback(oy_library* library, oy_key key,
                                     const oy_kernel_params* kernel, oy_place place,
                                     oy_registration** out_registration);
// Fallthrough fallbacks for the keys that every call carries and few operators
// have a use for: BackendSelect, ADInplaceOrView, Autocast*, VmapMode,
// FuncTorchVmapMode. The default registry has them from the start; one made with
// oy_registry_create is bare. |out_library|, which may be NULL, owns them.
OY_API oy_status oy_registry_add_default_fallbacks(oy_registry* registry,
                                                   oy_library** out_library);
// Undoes one registration before its library is closed; the handle is gone.
OY_API void oy_registration_remove(oy_registration* registration);

// Overrides and other remarks; NULL (the default) drops them.
typedef void (*oy_warning_sink)(void* user_data, const char* message);
OY_API void oy_registry_set_warning_sink(oy_registry* registry, oy_warning_sink sink,
                                         void* user_data);

// Trampolines that opgen made for a signature class (see docs/dispatch.md).
// Borrowed; must outlive every registry. Classes that nobody registered are
// served by generic ones.
typedef struct oy_trampolines {
  const char* abi;      // "ttv>t"
  oy_typed_fn box;      // typed call of a boxed kernel
  oy_boxed_fn unbox;    // boxed call of kernel->typed
  oy_typed_fn variant;  // typed call, kernel by dtype
} oy_trampolines;
OY_API OY_MUST_USE oy_status oy_trampolines_register(const oy_trampolines* rows,
                                                     size_t count);
// The signature class of a schema, "ttv>t"; freed with oy_text_free.
OY_API OY_MUST_USE oy_status oy_schema_abi(const oy_schema* schema, char** out_abi);

// ------------------------------------------------------------------ by macro

// In the manner of TORCH_LIBRARY. Each makes a function to call by name,
//   oy_status oy_load_<ns>(void)             OY_LIBRARY(ns, m)
//   oy_status oy_load_<ns>_<m>(void)         OY_LIBRARY_FRAGMENT(ns, m)
//   oy_status oy_load_<ns>_<key>_<m>(void)   OY_LIBRARY_IMPL(ns, key, m)
// and a constructor that calls it, unless OY_NO_CONSTRUCTORS is defined (then
// static builds call it themselves). Loading twice is loading once; a library
// that fails half-way is undone, its error kept for oy_registry_load_errors.
// The destructor closes it, so dlclose removes what dlopen registered.
typedef struct oy_library_block {
  oy_library_params params;
  oy_status (*body)(oy_library* library);
  oy_library* library;
  int loaded;
} oy_library_block;
OY_API oy_status oy_library_block_load(oy_library_block* block);
OY_API void oy_library_block_unload(oy_library_block* block);
// One line for each block that failed to load, "" if none.
OY_API OY_MUST_USE oy_status oy_registry_load_errors(char** out_text);

#ifdef OY_NO_CONSTRUCTORS
#define OY_AT_LOAD
#define OY_AT_UNLOAD __attribute__((unused))
#else
#define OY_AT_LOAD   __attribute__((constructor))
#define OY_AT_UNLOAD __attribute__((destructor))
#endif

#define OY_LIBRARY_BLOCK_(id, kind, ns_text, key_value, m)                          \
  static oy_status oy_body_##id(oy_library* m);                                     \
  static oy_library_block oy_block_##id = {                                         \
      {NULL, kind, ns_text, key_value, __FILE__, __LINE__}, oy_body_##id, NULL, 0}; \
  oy_status oy_load_##id(void);                                                     \
  oy_status oy_load_##id(void) {                                                    \
    return oy_library_block_load(&oy_block_##id);                                   \
  }                                                                                 \
  OY_AT_UNLOAD static void oy_unload_##id(void) {                                   \
    oy_library_block_unload(&oy_block_##id);                                        \
  }                                                                                 \
  OY_LIBRARY_AT_LOAD_(id)                                                           \
  static oy_status oy_body_##id(oy_library* m)
#ifdef OY_NO_CONSTRUCTORS
#define OY_LIBRARY_AT_LOAD_(id)
#else
#define OY_LIBRARY_AT_LOAD_(id)                  \
  OY_AT_LOAD static void oy_at_load_##id(void) { \
    (void)oy_load_##id();                        \
  }
#endif

#define OY_LIBRARY(ns, m) OY_LIBRARY_BLOCK_(ns, OY_LIBRARY_DEF, #ns, OY_KEY_Undefined, m)
#define OY_LIBRARY_FRAGMENT(ns, m) \
  OY_LIBRARY_BLOCK_(ns##_##m, OY_LIBRARY_FRAGMENT, #ns, OY_KEY_Undefined, m)
#define OY_LIBRARY_IMPL(ns, key, m) \
  OY_LIBRARY_BLOCK_(ns##_##key##_##m, OY_LIBRARY_IMPL, #ns, OY_KEY_##key, m)

// Inside a body; they return on failure.
#define OY_DEF(m, text) \
  OY_TRY(oy_library_def((m), &(oy_def_params){.schema = (text), .place = OY_HERE}, NULL))
#define OY_IMPL(m, op_name, key_name, ...)                           \
  OY_TRY(oy_library_impl((m),                                        \
                         &(oy_impl_params){.name = (op_name),        \
                                           .key = OY_KEY_##key_name, \
                                           .kernel = __VA_ARGS__,    \
                                           .place = OY_HERE},        \
                         NULL))
#define OY_FALLBACK(m, ...) \
  OY_TRY(oy_library_fallback((m), OY_KEY_Undefined, &(__VA_ARGS__), OY_HERE, NULL))

// Selective builds: with OY_SELECT_OPS defined, only operators for which
// OY_SELECT_<id> is defined as 1 (a header made by opgen --select) are compiled
// in: OY_DEF_SELECTED(m, aten_add_Tensor, "add.Tensor(...) -> Tensor").
#ifdef OY_SELECT_OPS
#define OY_SELECTED_(x)  (#x[0] == '1')
#define OY_SELECTED__(x) OY_SELECTED_(x)
#define OY_SELECTED(id)  OY_SELECTED__(OY_SELECT_##id)
#else
#define OY_SELECTED(id) 1
#endif
#define OY_DEF_SELECTED(m, id, text)      \
  do {                                    \
    if (OY_SELECTED(id)) OY_DEF(m, text); \
  } while (0)
#define OY_IMPL_SELECTED(m, id, op_name, key_name, ...)              \
  do {                                                               \
    if (OY_SELECTED(id)) OY_IMPL(m, op_name, key_name, __VA_ARGS__); \
  } while (0)

OY_END_DECLS

#endif  // OPYARD_LIBRARY_H_
