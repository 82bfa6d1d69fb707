// SPDX-License-Identifier: Apache-2.0
// A registry as data: what a registry file (README of the test data, docs) holds
// and what can be read off a live registry. replay, dump, diff and lint all work
// on it. Texts are NUL-terminated and live as long as the model.
//
// File format; fields are separated by tabs, the first four of an operator also
// by one space:
//   # comment
//   fallback KEY kernel|fallthrough DEBUG
//   op NAME
//   schema TEXT | (none)         then, if there is one, debug TEXT, alias KIND
//   impl KEY active|inactive unboxed|boxed|fallthrough DEBUG SIGNATURE
//   table TEXT KEY,KEY,...
#ifndef OPYARD_TOOLS_OPYARD_MODEL_H_
#define OPYARD_TOOLS_OPYARD_MODEL_H_

#include "base/arena.h"
#include "opyard/library.h"

typedef enum cli_how { CLI_UNBOXED, CLI_BOXED, CLI_FALLTHROUGH } cli_how;

typedef struct cli_fallback {
  oy_str key_text;
  oy_key key;
  bool fallthrough;
  oy_str debug;
  size_t line;
} cli_fallback;

typedef struct cli_impl {
  oy_str key_text;
  oy_key key;
  bool active;
  cli_how how;
  oy_str debug;
  oy_str signature;  // "(none)" if it has none
  size_t line;
} cli_impl;

typedef struct cli_cell {
  oy_str key_text;
  oy_key key;
  oy_str text;  // "registered at f.c:3 [kernel]"
  size_t line;
} cli_cell;

typedef struct cli_model_op {
  oy_str name;
  bool defined;
  oy_str schema, debug, alias;  // empty unless defined
  size_t line;
  // Impls in the order of the state dump (newest first within a key).
  cli_impl* impls;
  size_t impl_count, impl_capacity;
  cli_cell* cells;
  size_t cell_count, cell_capacity;
} cli_model_op;

typedef struct cli_model {
  const char* name;  // of the file
  char* text;        // what a file's views point into
  oyi_arena arena;
  cli_fallback* fallbacks;
  size_t fallback_count, fallback_capacity;
  cli_model_op* ops;
  size_t op_count, op_capacity;
} cli_model;

enum { CLI_MODEL_ANY_KEY = 1 };  // keys need not be ones that this opyard knows

// Reads a registry file. PARSE with line, column, what was expected and found.
// |text| is copied. On failure the model is empty and needs no freeing.
oy_status cli_model_parse(oy_str text, const char* name, unsigned flags,
                          cli_model* out_model);
// Reads off all that |registry| has.
oy_status cli_model_of_registry(oy_registry* registry, cli_model* out_model);
void cli_model_free(cli_model* model);

// For builders: a new element at the end, zeroed; NULL with the error set.
cli_fallback* cli_model_add_fallback(cli_model* model);
cli_model_op* cli_model_add_op(cli_model* model);
cli_impl* cli_model_add_impl(cli_model* model, cli_model_op* op);
cli_cell* cli_model_add_cell(cli_model* model, cli_model_op* op);
// A NUL-terminated copy; an empty view with NULL data if memory is short.
oy_str cli_model_copy(cli_model* model, oy_str text);

// NULL if there is none. Cells are few enough for a walk.
const cli_cell* cli_model_cell(const cli_model_op* op, oy_str key_text);

#endif  // OPYARD_TOOLS_OPYARD_MODEL_H_
