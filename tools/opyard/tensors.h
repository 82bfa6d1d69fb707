// SPDX-License-Identifier: Apache-2.0
// The only place of the command line that knows tensors: what is no operator and
// so cannot go through a boxed call.
#ifndef OPYARD_TOOLS_OPYARD_TENSORS_H_
#define OPYARD_TOOLS_OPYARD_TENSORS_H_

#include "base/strbuf.h"
#include "json.h"
#include "opyard/dispatcher.h"

// Registers opyard's operators and backends; more than once is once.
oy_status cli_tensors_load(void);
// Takes it back at the end of the program.
void cli_tensors_unload(void);

enum { CLI_RANK_MAX = 16 };

// A tensor literal: |count| elements, row by row. |re| (and |im|, where the
// literal is complex) or |ints| hold them.
typedef struct cli_literal {
  size_t rank;
  int64_t sizes[CLI_RANK_MAX];
  size_t count;
  const int64_t* ints;  // NULL: use re and im
  const double* re;
  const double* im;
  oy_dtype dtype;
  oy_device device;
  bool requires_grad;
} cli_literal;

oy_status cli_tensor_make(const cli_literal* literal, oy_value* out_value);
// "tensor([1., 2.], requires_grad=True)"
void cli_tensor_print(oy_object* tensor, oyi_strbuf* out);
void cli_tensor_json(cli_json* json, const char* key, oy_object* tensor);
// |gradient| may be none: then the tensor has one element.
oy_status cli_tensor_backward(oy_object* tensor, oy_object* gradient);
// NONE if there is none.
oy_status cli_tensor_grad(oy_object* tensor, oy_value* out_value);

#endif  // OPYARD_TOOLS_OPYARD_TENSORS_H_
