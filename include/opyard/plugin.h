// SPDX-License-Identifier: Apache-2.0
// Plugins: shared objects that bring backends, kernels and operators, loaded, replaced and
// unloaded while the program runs. What a plugin is made of is in abi.h.
//
//   oy_loaded_plugin* sim;
//   OY_TRY(oy_plugin_load(oy_str_of("sim"), &sim));
//   ...
//   OY_TRY(oy_plugin_unload(sim, OY_UNLOAD_IF_FREE, NULL));
//
// A plugin named NAME is described by a manifest NAME.plugin, which is looked for in the
// folders of OPYARD_PLUGIN_PATH (separated by colons), then in <libdir>/opyard/plugins:
//
//   opyard-plugin 1
//   name = sim
//   library = libopyard_sim.so     # beside the manifest
//   backends = Sim                 # loaded when one of these is first used
//   description = a simulated device
//
// All functions are thread-safe, and take one lock that is held while a plugin's code is
// loaded; a plugin may load others. Without oy_init the operators of a plugin have nothing
// to be registered beside, so that comes first.
#ifndef OPYARD_PLUGIN_H_
#define OPYARD_PLUGIN_H_

#include "opyard/abi.h"

OY_BEGIN_DECLS

// Valid until it is unloaded or replaced; any function that is given an older handle
// answers NOT_FOUND.
typedef struct oy_loaded_plugin oy_loaded_plugin;

// Loads a plugin by its name, or by the path of a manifest or of a shared object (what has
// a slash in it). One that is loaded already is given again. If anything fails, nothing of
// it is left: NOT_FOUND with the folders that were searched; FAILED_PRECONDITION if it was
// refused (another ABI version, a feature that is not here, a second copy of opyard below
// it); else what its own load function said.
OY_API OY_MUST_USE oy_status oy_plugin_load(oy_str name_or_path,
                                            oy_loaded_plugin** out_plugin);
// The loaded plugin |name|; NULL if there is none (no error is set).
OY_API oy_loaded_plugin* oy_plugin_find(oy_str name);
// The plugins that are loaded: i = 0, 1, ... until NULL.
OY_API oy_loaded_plugin* oy_plugin_at(size_t i);

typedef enum oy_unload {
  // Refuses, and changes nothing, while memory or objects of the plugin live.
  OY_UNLOAD_IF_FREE,
  // Takes the plugin out of use at once; its code stays for as long as something needs it,
  // and is closed by a later oy_plugin_collect, load, unload or replace.
  OY_UNLOAD_DEFER
} oy_unload;

// What is left of a plugin that was not closed.
typedef struct oy_plugin_held {
  size_t struct_size;      // set by the caller; the rest by the library
  uint64_t blocks, bytes;  // of memory on its devices, or pinned by it
  uint64_t objects;        // that it counts itself
  uint64_t kernels;        // registered behind its scope's back; they keep it for good
  bool calls;              // calls that began before have not all left
  bool closed;             // nothing is left, and the code is gone
  char text[256];          // the same in words, "2 blocks (64 bytes) on Sim"
} oy_plugin_held;

// Kernels go first: calls in flight finish on the old code, new ones find what was there
// before the plugin. When they have left, the plugin's |unload| runs and its code is
// closed; that takes as long as the longest call (from inside a call it is deferred).
// |out_held|, which may be NULL, says what was found. OK if the code is closed, or if that
// is deferred as asked; FAILED_PRECONDITION, with what still holds it, otherwise.
OY_API OY_MUST_USE oy_status oy_plugin_unload(oy_loaded_plugin* plugin, oy_unload how,
                                              oy_plugin_held* out_held);
// Loads |name_or_path| in the place of |plugin|, which is then unloaded with
// OY_UNLOAD_DEFER. The new plugin has the name of the old one. Each slot goes from the old
// kernel to the new one in one store, definitions that are made again as they were stay,
// devices are exchanged: no call finds something missing. Memory of the old one stays
// usable, and is released by it. If the new one fails, the old one stays as it was.
OY_API OY_MUST_USE oy_status oy_plugin_replace(oy_loaded_plugin* plugin,
                                               oy_str name_or_path,
                                               oy_loaded_plugin** out_plugin);
// Closes what was deferred and is free by now. The number that still waits.
OY_API size_t oy_plugin_collect(void);

typedef struct oy_plugin_info {
  size_t struct_size;  // set by the caller
  // Borrowed from the plugin's record, valid like its handle.
  const char* name;
  const char* version;
  const char* description;
  const char* path;      // of the shared object
  uint32_t abi_version;  // that it was built against
  uint64_t backends;     // bit b: it has the devices of backend b
  uint64_t needs;        // OY_FEATURE_*
} oy_plugin_info;
OY_API OY_MUST_USE oy_status oy_plugin_get_info(const oy_loaded_plugin* plugin,
                                                oy_plugin_info* out_info);
// What unloading it would find now.
OY_API OY_MUST_USE oy_status oy_plugin_get_held(const oy_loaded_plugin* plugin,
                                                oy_plugin_held* out_held);

// ---------------------------------------------------------------- what was tried

typedef enum oy_plugin_outcome {
  OY_PLUGIN_ANNOUNCED,  // a manifest is there; not loaded
  OY_PLUGIN_LOADED,
  OY_PLUGIN_REFUSED,   // with the reason
  OY_PLUGIN_UNLOADED,  // by request
  OY_PLUGIN_ABSENT     // a folder or file is not there
} oy_plugin_outcome;

typedef struct oy_plugin_attempt {
  oy_plugin_outcome outcome;
  char name[64];       // of the plugin, "" for a folder
  char path[512];      // cut off if it is longer
  char reason[1024];   // one line
  char backends[256];  // that it announces
} oy_plugin_attempt;

// Everything that was tried in this process, oldest first: i = 0, 1, ... until false. The
// latest attempt for a path is kept; at most 256 of them are.
OY_API bool oy_plugin_attempt_at(size_t i, oy_plugin_attempt* out_attempt);
// Reads all manifests that can be found, and loads nothing.
OY_API void oy_plugin_survey(void);
// "announced", "loaded", ...
OY_API const char* oy_plugin_outcome_name(oy_plugin_outcome outcome);

OY_END_DECLS

#endif  // OPYARD_PLUGIN_H_
