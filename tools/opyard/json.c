// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <math.h>

void cli_json_init(cli_json* json, FILE* out) {
  memset(json, 0, sizeof *json);
  json->out = out;
}

// Length of the UTF-8 sequence at |p|, 0 if there is none.
static size_t utf8_length(const unsigned char* p, size_t left) {
  size_t length = p[0] < 0x80                    ? 1
                  : p[0] >= 0xc2 && p[0] <= 0xdf ? 2
                  : p[0] >= 0xe0 && p[0] <= 0xef ? 3
                  : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                                 : 0;
  if (length == 0 || length > left) return 0;
  for (size_t i = 1; i < length; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if (length == 3 && p[0] == 0xe0 && p[1] < 0xa0) return 0;
  if (length == 3 && p[0] == 0xed && p[1] > 0x9f) return 0;
  if (length == 4 && p[0] == 0xf0 && p[1] < 0x90) return 0;
  if (length == 4 && p[0] == 0xf4 && p[1] > 0x8f) return 0;
  return length;
}

static void write_string(FILE* out, oy_str s) {
  const unsigned char* p = (const unsigned char*)s.data;
  fputc('"', out);
  for (size_t i = 0; i < s.size;) {
    size_t length = utf8_length(p + i, s.size - i);
    if (length == 0) {
      fputs("\\ufffd", out);
      i++;
      continue;
    }
    if (p[i] == '"' || p[i] == '\\')
      fprintf(out, "\\%c", p[i]);
    else if (p[i] == '\n')
      fputs("\\n", out);
    else if (p[i] == '\t')
      fputs("\\t", out);
    else if (p[i] < 0x20 || p[i] == 0x7f)
      fprintf(out, "\\u%04x", p[i]);
    else
      fwrite(p + i, 1, length, out);
    i += length;
  }
  fputc('"', out);
}

static void new_line(cli_json* json) {
  fputc('\n', json->out);
  for (int i = 0; i < json->depth; i++) fputs("  ", json->out);
}

static void begin_value(cli_json* json, const char* key) {
  if (json->depth > 0) {
    bool flat = json->flat[json->depth];
    if (json->filled[json->depth]) fputs(flat ? ", " : ",", json->out);
    json->filled[json->depth] = true;
    if (!flat) new_line(json);
  }
  if (key) {
    write_string(json->out, oy_str_of(key));
    fputs(": ", json->out);
  }
}

void cli_json_open(cli_json* json, const char* key, char open) {
  begin_value(json, key);
  fputc(open == '<' ? '[' : open, json->out);
  bool flat = open == '<' || json->flat[json->depth];
  if (json->depth + 1 < CLI_JSON_DEPTH) json->depth++;
  json->filled[json->depth] = false;
  json->flat[json->depth] = flat;
}

void cli_json_close(cli_json* json, char close) {
  bool broken = json->filled[json->depth] && !json->flat[json->depth];
  json->depth--;
  if (broken) new_line(json);
  fputc(close, json->out);
  if (json->depth == 0) fputc('\n', json->out);
}

void cli_json_str(cli_json* json, const char* key, oy_str value) {
  begin_value(json, key);
  write_string(json->out, value);
}

void cli_json_text(cli_json* json, const char* key, const char* value) {
  cli_json_str(json, key, oy_str_of(value));
}

void cli_json_int(cli_json* json, const char* key, long long value) {
  begin_value(json, key);
  fprintf(json->out, "%lld", value);
}

// JSON has no inf and nan: they are strings.
void cli_json_double(cli_json* json, const char* key, double value) {
  begin_value(json, key);
  if (isnan(value))
    fputs("\"nan\"", json->out);
  else if (isinf(value))
    fputs(value < 0 ? "\"-inf\"" : "\"inf\"", json->out);
  else
    fprintf(json->out, "%.17g", value);
}

void cli_json_bool(cli_json* json, const char* key, bool value) {
  begin_value(json, key);
  fputs(value ? "true" : "false", json->out);
}

void cli_json_null(cli_json* json, const char* key) {
  begin_value(json, key);
  fputs("null", json->out);
}
