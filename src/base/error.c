// SPDX-License-Identifier: Apache-2.0
// The error record of each thread: one heap block made at the thread's first
// error and freed at its end, so that the thread-local part stays one pointer.
// It uses malloc directly: an error about the library's allocator must not
// depend on that allocator. When even that fails, a static record per code
// takes its place.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/thread_end.h"

typedef struct oyi_error_record {
  oy_error view;
  char* text[4];  // message, detail, notes, op and argument
  char op[160];
  char file[160];  // copied: the code that failed may be unloaded
  char argument[64];
} record;

enum { MESSAGE, DETAIL, NOTES };

static const oy_error g_no_error = {OY_OK, "", "", "", "", "", 0, ""};
static const oy_error g_no_memory = {
    OY_OUT_OF_MEMORY, "out of memory", "", "", "", __FILE__, 0, ""};

static __thread record* t_record;
static __thread bool t_lost;  // an error came, and there was no memory for it

void oyi_error_free(oyi_error_record* r) {
  if (!r) return;
  for (size_t i = 0; i < 4; i++) free(r->text[i]);
  free(r);
}

static void thread_ends(void* ptr) {
  oyi_error_free(ptr);
  t_record = NULL;
}

static oyi_thread_end g_end = {.run = thread_ends};

static record* record_of_thread(void) {
  if (t_record) return t_record;
  record* r = calloc(1, sizeof(*r));
  if (!r) return NULL;
  r->view = g_no_error;
  (void)oyi_thread_end_set(&g_end, r);
  t_record = r;
  return r;
}

static const char* put(record* r, int which, char* text, const char* fallback) {
  free(r->text[which]);
  r->text[which] = text;
  return text ? text : fallback;
}

static char* format_text(const char* format, va_list args) {
  char* text = NULL;
  return vasprintf(&text, format, args) < 0 ? NULL : text;
}

const oy_error* oy_error_get(void) {
  if (t_lost) return &g_no_memory;
  return t_record ? &t_record->view : &g_no_error;
}

void oy_error_clear(void) {
  t_lost = false;
  if (t_record) t_record->view = g_no_error;
}

// The end of a path that is too long.
static const char* keep_file(record* r, const char* file) {
  size_t size = file ? strlen(file) : 0;
  size_t skipped = size < sizeof(r->file) ? 0 : size - (sizeof(r->file) - 1);
  if (size) memcpy(r->file, file + skipped, size - skipped);
  r->file[size - skipped] = '\0';
  return r->file;
}

oy_status oy_error_set(oy_status code, const char* file, int line, const char* format,
                       ...) {
  record* r = record_of_thread();
  t_lost = r == NULL;
  if (!r) return code;
  // Formatted before the old text goes: an argument may point into it.
  va_list args;
  va_start(args, format);
  char* text = format_text(format, args);
  va_end(args);
  r->view = g_no_error;
  r->view.code = code;
  r->view.file = keep_file(r, file);
  r->view.line = line;
  r->view.message = put(r, MESSAGE, text, oy_status_name(code));
  return code;
}

void oy_error_note(const char* format, ...) {
  record* r = t_record;
  if (!r || r->view.code == OY_OK) return;
  va_list args;
  va_start(args, format);
  char* note = format_text(format, args);
  va_end(args);
  char* joined = NULL;
  const char* separator = r->view.notes[0] ? "\n" : "";
  if (note && asprintf(&joined, "%s%s%s", r->view.notes, separator, note) >= 0)
    r->view.notes = put(r, NOTES, joined, "");
  free(note);
}

void oy_error_set_op(oy_str op) {
  record* r = t_record;
  if (!r || r->view.code == OY_OK) return;
  snprintf(r->op, sizeof(r->op), "%.*s", OY_STR_ARG(op));
  r->view.op = r->op;
}

void oy_error_set_argument(oy_str argument) {
  record* r = t_record;
  if (!r || r->view.code == OY_OK) return;
  snprintf(r->argument, sizeof(r->argument), "%.*s", OY_STR_ARG(argument));
  r->view.argument = r->argument;
}

void oy_error_set_detail(oy_str detail) {
  record* r = t_record;
  if (!r || r->view.code == OY_OK) return;
  char* text = strndup(detail.data ? detail.data : "", detail.size);
  r->view.detail = put(r, DETAIL, text, "");
}

oyi_error_record* oyi_error_detach(void) {
  record* r = t_record;
  bool lost = t_lost;
  t_lost = false;
  t_record = NULL;
  if (r) (void)oyi_thread_end_set(&g_end, NULL);
  if (!lost) return r;
  oyi_error_free(r);
  return NULL;
}

void oyi_error_attach(oyi_error_record* r) {
  oyi_error_free(t_record);
  t_record = r;
  t_lost = r == NULL;
  if (r) (void)oyi_thread_end_set(&g_end, r);
}

const char* oy_status_name(oy_status code) {
  switch (code) {
#define OY_STATUS(name, value, python, meaning) \
  case value:                                   \
    return #name;
#include "opyard/status.def"
#undef OY_STATUS
    default: return "UNKNOWN";
  }
}

const char* oy_status_python(oy_status code) {
  switch (code) {
#define OY_STATUS(name, value, python, meaning) \
  case value:                                   \
    return python;
#include "opyard/status.def"
#undef OY_STATUS
    default: return "RuntimeError";
  }
}
