// SPDX-License-Identifier: Apache-2.0
// What plugins are built against: the library as a table of functions, the hooks of a
// device, and what a plugin says of itself. Layouts are frozen: a struct says its size
// first and grows at its end. A shorter one comes from an older header, and what it lacks
// counts as NULL; what a longer one has beyond the known is not read.
//
//   const oy_api* api = oy_api_get(OY_ABI_VERSION);
//   if (!api) ...  // the error record says which versions there are
#ifndef OPYARD_ABI_H_
#define OPYARD_ABI_H_

#include "opyard/library.h"

OY_BEGIN_DECLS

// Major in the upper half: a plugin runs with a library of the same major
// version and of the same or a later minor one.
#define OY_ABI_MAJOR   1u
#define OY_ABI_MINOR   1u
#define OY_ABI_VERSION (OY_ABI_MAJOR << 16 | OY_ABI_MINOR)

// What this library can do beyond the least that its version says; see oy_api.features.
#define OY_FEATURE_TENSORS \
  ((uint64_t)1 << 0)  // tensors and operators, not dispatch alone
#define OY_FEATURE_DEVICES ((uint64_t)1 << 1)  // hooks of devices
#define OY_FEATURE_STREAMS ((uint64_t)1 << 2)  // streams and events
#define OY_FEATURE_PINNED  ((uint64_t)1 << 3)  // pinned memory of the host
#define OY_FEATURE_REPLACE ((uint64_t)1 << 4)  // a plugin is replaced while it is called

// ------------------------------------------------------------------------- devices

// |nbytes| bytes to move. One of the two sides is this backend's; the other one too, or
// the host's memory (backend OY_BACKEND_CPU), whose context is NULL. Bytes begin |offset|
// after |data|. The ranges do not overlap.
typedef struct oy_device_copy {
  size_t struct_size;
  void* to_data;
  void* to_context;
  size_t to_offset;
  void* from_data;
  void* from_context;
  size_t from_offset;
  size_t nbytes;
  oy_device to_device;
  oy_device from_device;
  uint64_t flags;  // OY_COPY_*
} oy_device_copy;
// The copy may still be running when the hook returns. Only set between memory of devices,
// or where the host's memory is pinned by this backend.
#define OY_COPY_NON_BLOCKING ((uint64_t)1 << 0)

typedef struct oy_device_properties {
  size_t struct_size;
  char name[128];         // "NVIDIA H200", NUL-terminated
  uint64_t memory_bytes;  // of the device; 0: not known
  uint64_t reserved[4];
} oy_device_properties;

// Of oy_device_hooks.flags.
#define OY_DEVICE_HOST_VISIBLE \
  ((uint64_t)1 << 0)                         // the host may read and write its memory
#define OY_DEVICE_DLPACK ((uint64_t)1 << 1)  // addresses mean what DLPack says they do

// Streams and events are numbers that the plugin gives out; stream 0 of a device is the
// one that is current in a thread that chose none.
#define OY_STREAM_DEFAULT ((uint64_t)0)
#define OY_STREAM_ASK     UINT64_MAX
#define OY_EVENT_TIMING   ((uint64_t)1 << 0)  // can be used for elapsed times

// A backend's devices. |state| comes back as the first argument of every hook. Hooks are
// called from any thread, without a lock of the library's held, and leave an error in the
// record (OY_FAIL) when they return another status than OY_OK. NULL: the devices have not
// got it. |count| has to be there; |allocate|, |release| and |copy| come together, and a
// backend without them has tensors that are opaque.
//
// Work is put on the current stream of the calling thread. What the host sees without
// asking for more is complete: a copy to the host has happened when the hook returns, if it
// is not OY_COPY_NON_BLOCKING. Memory may be released while work that was put on streams
// before still uses it: the plugin waits, or keeps the block until then.
typedef struct oy_device_hooks {
  size_t struct_size;
  void* state;
  uint64_t flags;  // OY_DEVICE_*
  // Devices: their number, and the current one of the thread; index -1 only asks.
  oy_status (*count)(void* state, int16_t* out_count);
  oy_status (*exchange)(void* state, int16_t index, int16_t* out_before);
  oy_status (*synchronize)(void* state, int16_t index);
  oy_status (*properties)(void* state, int16_t index, oy_device_properties* out);
  // Memory. Offsets are added to *out_data, which is neither NULL nor read or written by
  // the library unless OY_DEVICE_HOST_VISIBLE; *out_context is the plugin's own handle of
  // the block. |nbytes| is not 0. OUT_OF_MEMORY if there is none.
  oy_status (*allocate)(void* state, int16_t index, size_t nbytes, void** out_data,
                        void** out_context);
  void (*release)(void* state, int16_t index, void* data, void* context);
  oy_status (*copy)(void* state, const oy_device_copy* copy);
  // Sets bytes; NULL: the library copies them from the host.
  oy_status (*fill)(void* state, int16_t index, void* data, void* context, size_t offset,
                    size_t nbytes, uint8_t byte);
  // Another stream than the one it was allocated on uses the block; see |release|.
  void (*record_stream)(void* state, int16_t index, void* data, void* context,
                        uint64_t stream);
  // Gives memory that is kept for later back to the system.
  void (*trim)(void* state, int16_t index);
  // Memory of the host that is copied without blocking. Released memory that a copy still
  // uses is kept until it is done.
  oy_status (*host_allocate)(void* state, size_t nbytes, void** out_data,
                             void** out_context);
  void (*host_release)(void* state, void* data, void* context);
  // Streams. |stream_exchange| makes |stream| current for the thread and the device;
  // OY_STREAM_ASK only asks. |stream_native| is what the vendor's library calls it.
  oy_status (*stream_create)(void* state, int16_t index, int32_t priority,
                             uint64_t* out_stream);
  void (*stream_destroy)(void* state, int16_t index, uint64_t stream);
  oy_status (*stream_exchange)(void* state, int16_t index, uint64_t stream,
                               uint64_t* out_before);
  oy_status (*stream_query)(void* state, int16_t index, uint64_t stream, bool* out_done);
  oy_status (*stream_synchronize)(void* state, int16_t index, uint64_t stream);
  void* (*stream_native)(void* state, int16_t index, uint64_t stream);
  // Events. |event_wait| makes what comes on |stream| wait, and not the host. An event
  // that was never recorded has happened.
  oy_status (*event_create)(void* state, int16_t index, uint64_t flags,
                            uint64_t* out_event);
  void (*event_destroy)(void* state, int16_t index, uint64_t event);
  oy_status (*event_record)(void* state, int16_t index, uint64_t event, uint64_t stream);
  oy_status (*event_wait)(void* state, int16_t index, uint64_t event, uint64_t stream);
  oy_status (*event_query)(void* state, int16_t index, uint64_t event, bool* out_done);
  oy_status (*event_synchronize)(void* state, int16_t index, uint64_t event);
  oy_status (*event_elapsed)(void* state, int16_t index, uint64_t start, uint64_t end,
                             double* out_milliseconds);
  // The default generator of the device was seeded. Kernels ask the library for numbers
  // (oy_generator_take), so most devices have no use for this.
  oy_status (*seed)(void* state, int16_t index, uint64_t seed);
} oy_device_hooks;

// ------------------------------------------------------------------------- plugins

// What a plugin registers with, so that all of it can be taken back, also when |load| fails
// half-way. The struct is the library's; valid during |load| alone.
typedef struct oy_plugin_scope oy_plugin_scope;
struct oy_plugin_scope {
  size_t struct_size;
  // Finds or adds the backend |name| (oy_backend_register); it stays when the plugin goes,
  // without devices.
  oy_status (*backend)(oy_plugin_scope* scope, oy_str name, oy_backend* out_backend);
  // Gives the backend its devices; the struct is copied. ALREADY_EXISTS if another plugin's
  // are there.
  oy_status (*hooks)(oy_plugin_scope* scope, oy_backend backend,
                     const oy_device_hooks* hooks);
  // A library for definitions and kernels. It is the scope's to close.
  oy_status (*library)(oy_plugin_scope* scope, const oy_library_params* params,
                       oy_library** out_library);
};

struct oy_api;
// What a plugin says of itself; static storage.
typedef struct oy_plugin {
  size_t struct_size;
  uint32_t abi_version;  // OY_ABI_VERSION of the header that it was built against
  uint32_t reserved;
  const char* name;         // an identifier; what it is loaded and unloaded by
  const char* version;      // "1.2.0", for people
  const char* description;  // one line; may be NULL
  uint64_t needs;           // OY_FEATURE_* that it cannot do without
  // Registers through |scope|. What it leaves there when it fails is taken back, and
  // |unload| is not called.
  oy_status (*load)(const struct oy_api* api, oy_plugin_scope* scope);
  // After the last call has left and nothing holds memory of it: stops its threads. Its
  // code is closed afterwards. May be NULL.
  void (*unload)(void);
  // How many objects of its own still live outside of it, and tensors with a deleter of its
  // own: the library counts its devices' memory. Writes what they are to |text|; or NULL.
  uint64_t (*alive)(char* text, size_t size);
} oy_plugin;

// The one symbol that a plugin exports. It returns the same pointer every time, does
// nothing else, and has not failed if it returns NULL but said that it cannot run here.
#define OY_PLUGIN_SYMBOL "opyard_plugin_v1"
#define OY_PLUGIN_EXPORT                          \
  OY_API const oy_plugin* opyard_plugin_v1(void); \
  OY_API const oy_plugin* opyard_plugin_v1(void)

// --------------------------------------------------------------------------- table

// Tensors, for plugins that are not linked with the library; functions of tensor.h and
// device.h by these names.
typedef struct oy_tensor_api {
  size_t struct_size;
  oy_object* (*empty)(oy_ints sizes, oy_dtype dtype, oy_device device);
  oy_object* (*empty_strided)(oy_ints sizes, oy_ints strides, oy_dtype dtype,
                              oy_device device);
  bool (*object_is_tensor)(const oy_object* object);
  oy_ints (*sizes)(const oy_object* tensor);
  oy_ints (*strides)(const oy_object* tensor);
  int64_t (*numel)(const oy_object* tensor);
  oy_device (*device)(const oy_object* tensor);
  void* (*data)(const oy_object* tensor);
  void* (*storage_data)(const oy_object* tensor);
  void* (*storage_context)(const oy_object* tensor);
  size_t (*byte_offset)(const oy_object* tensor);
  void* (*storage_state)(const oy_object* tensor);
} oy_tensor_api;

typedef struct oy_api {
  size_t struct_size;    // of this table, as the library has it
  uint32_t abi_version;  // of the library
  uint32_t reserved;
  // 1.0
  const char* (*version)(void);
  const oy_error* (*error_get)(void);
  void (*error_clear)(void);
  oy_registry* (*registry_default)(void);
  oy_status (*backend_register)(oy_str name, oy_backend* out_backend);
  oy_status (*key_parse)(oy_str text, oy_key* out_key);
  oy_status (*library_create)(const oy_library_params* params, oy_library** out_library);
  void (*library_close)(oy_library* library);
  oy_status (*library_def)(oy_library* library, const oy_def_params* params,
                           oy_registration** out_registration);
  oy_status (*library_impl)(oy_library* library, const oy_impl_params* params,
                            oy_registration** out_registration);
  oy_status (*library_fallback)(oy_library* library, oy_key key,
                                const oy_kernel_params* kernel, oy_place place,
                                oy_registration** out_registration);
  oy_status (*op_find)(oy_registry* registry, oy_str name, const oy_op** out_op);
  oy_status (*op_call_boxed)(const oy_op* op, oy_stack* stack);
  oy_status (*op_redispatch_boxed)(const oy_op* op, oy_keyset keys, oy_stack* stack);
  oy_status (*op_push_defaults)(const oy_op* op, oy_stack* stack, size_t count,
                                const oy_str* names, size_t name_count);
  void (*stack_reset)(oy_stack* stack);
  void (*value_release)(oy_value* value);
  // 1.1
  uint64_t features;             // OY_FEATURE_*
  const oy_tensor_api* tensors;  // NULL without OY_FEATURE_TENSORS
  oy_status (*error_set)(oy_status code, const char* file, int line, const char* format,
                         ...);
} oy_api;

// The table, for code built for |abi_version|. NULL with FAILED_PRECONDITION if
// the library is too old or another major version. Static storage; thread-safe.
OY_API const oy_api* oy_api_get(uint32_t abi_version);

OY_END_DECLS

#endif  // OPYARD_ABI_H_
