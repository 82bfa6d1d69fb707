// SPDX-License-Identifier: Apache-2.0
// The kernel that bench_plugin has twice: in the plugin that it loads, and in itself.
#ifndef OPYARD_BENCH_PLUGIN_ID_H_
#define OPYARD_BENCH_PLUGIN_ID_H_

#define PLUGIN_ID_SCHEMA "id(int x) -> int"
// A function of the object that the file is compiled into, typed and called boxed.
#define PLUGIN_ID_KERNEL                                                                 \
  static oy_status plugin_id(const oy_op* op, oy_keyset keys, int64_t x, int64_t* out) { \
    (void)op, (void)keys;                                                                \
    *out = x + 1;                                                                        \
    return OY_OK;                                                                        \
  }

#endif  // OPYARD_BENCH_PLUGIN_ID_H_
