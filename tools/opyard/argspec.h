// SPDX-License-Identifier: Apache-2.0
// What `opyard explain` is told of an argument:
//
//   none                       no tensor
//   DEVICE{:PART}              cpu:f32[2,3]:grad   cuda:f16[2]   cpu:i8:quantized
//   keys:KEY{,KEY}             the key set itself
//   [ARGUMENT{,ARGUMENT}]      a list of tensors
//
// A PART is a device index, a dtype with or without a shape, a shape, or one of
// grad quantized sparse sparse_csr sparse_csc sparse_bsr sparse_bsc mkldnn jagged
// conj neg zero named vmap functionalize python.
#ifndef OPYARD_TOOLS_OPYARD_ARGSPEC_H_
#define OPYARD_TOOLS_OPYARD_ARGSPEC_H_

#include "opyard/dispatcher.h"

// PARSE with the position, what was expected and what came. |name| is what the
// message calls the text.
oy_status cli_argspec_parse(oy_str text, const char* name, oy_argument_keys* out_keys);
// "CPU,AutogradCPU"
oy_status cli_key_list_parse(oy_str text, const char* name, oy_keyset* out_keys);

#endif  // OPYARD_TOOLS_OPYARD_ARGSPEC_H_
