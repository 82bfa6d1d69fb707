// SPDX-License-Identifier: Apache-2.0
// Writes JSON, indented, to stdout or a stream of tests'. Commas and quotes are
// its business; bytes that are no UTF-8 become U+FFFD, so that the output is
// always valid.
#ifndef OPYARD_TOOLS_OPYARD_JSON_H_
#define OPYARD_TOOLS_OPYARD_JSON_H_

#include <stdio.h>

#include "opyard/base.h"

enum { CLI_JSON_DEPTH = 64 };

typedef struct cli_json {
  FILE* out;
  int depth;
  bool filled[CLI_JSON_DEPTH];
  bool flat[CLI_JSON_DEPTH];  // on one line
} cli_json;

void cli_json_init(cli_json* json, FILE* out);
// |key| is NULL for elements of arrays and the outermost value. |open| is '{',
// '[' or, for an array on one line, '<'.
void cli_json_open(cli_json* json, const char* key, char open);
void cli_json_close(cli_json* json, char close);
void cli_json_str(cli_json* json, const char* key, oy_str value);
void cli_json_text(cli_json* json, const char* key, const char* value);
void cli_json_int(cli_json* json, const char* key, long long value);
void cli_json_double(cli_json* json, const char* key, double value);
void cli_json_bool(cli_json* json, const char* key, bool value);
void cli_json_null(cli_json* json, const char* key);

#endif  // OPYARD_TOOLS_OPYARD_JSON_H_
