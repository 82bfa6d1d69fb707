// SPDX-License-Identifier: Apache-2.0
// Errors are values. A function that can fail returns an oy_status, or a
// pointer that is NULL on failure; what went wrong is in the error record of
// the thread that called. The library never prints, aborts or jumps.
#ifndef OPYARD_STATUS_H_
#define OPYARD_STATUS_H_

#include "opyard/base.h"

OY_BEGIN_DECLS

typedef enum oy_status_code {
#define OY_STATUS(name, value, python, meaning) OY_##name = value,
#include "opyard/status.def"
#undef OY_STATUS
} oy_status_code;

// 0 is success, everything else one of oy_status_code.
typedef int oy_status;

// The error record of one thread. All strings live until the next error or
// oy_error_clear() on this thread.
typedef struct oy_error {
  oy_status code;        // OY_OK: no error is pending
  const char* message;   // what was expected, what came, what to do; never NULL
  const char* detail;    // longer material (a table, a list), "" if none
  const char* op;        // operator being called, "" if none
  const char* argument;  // argument at fault, "" if none
  const char* file;      // where the error was raised
  int line;
  const char* notes;  // one line for each level that added one, "" if none
} oy_error;

// The record of this thread; never NULL. Thread-local, so thread-safe.
OY_API const oy_error* oy_error_get(void);

// The code that a function hands on after something it called failed: the
// pending error's, and OY_INTERNAL if there is none. Never OY_OK, which compilers
// and analysers can see, so that they follow no path on which a failure succeeds.
static inline oy_status oy_failure(void) {
  oy_status code = oy_error_get()->code;
  return OY_LIKELY(code != OY_OK) ? code : OY_INTERNAL;
}

// Forgets the pending error of this thread.
OY_API void oy_error_clear(void);

// Records an error and returns |code|. A plain printf format. If memory for the
// text is short, a shorter fixed text takes its place; the code is kept.
// A pending error is replaced.
OY_API oy_status oy_error_set(oy_status code, const char* file, int line,
                              const char* format, ...) OY_PRINTF(4, 5);

// Adds to the pending error; does nothing if none is pending.
OY_API void oy_error_note(const char* format, ...) OY_PRINTF(1, 2);
OY_API void oy_error_set_op(oy_str op);
OY_API void oy_error_set_argument(oy_str argument);
OY_API void oy_error_set_detail(oy_str detail);

// "INVALID_ARGUMENT"; "UNKNOWN" for a number that is no code. Static storage.
OY_API const char* oy_status_name(oy_status code);

// Name of the Python exception that a front end should raise. Static storage.
OY_API const char* oy_status_python(oy_status code);

#define OY_FAIL(code, ...) oy_error_set(OY_##code, __FILE__, __LINE__, __VA_ARGS__)
#ifdef __clang_analyzer__  // it does not see what oy_error_set returns
#undef OY_FAIL
#define OY_FAIL(code, ...) \
  ((void)oy_error_set(OY_##code, __FILE__, __LINE__, __VA_ARGS__), OY_##code)
#endif

#define OY_CHECK(condition, code, ...)                                \
  do {                                                                \
    if (OY_UNLIKELY(!(condition))) return OY_FAIL(code, __VA_ARGS__); \
  } while (0)

#define OY_TRY(expression)                         \
  do {                                             \
    oy_status oy_try_ = (expression);              \
    if (OY_UNLIKELY(oy_try_ != 0)) return oy_try_; \
  } while (0)

#define OY_TRY_GOTO(expression, label)        \
  do {                                        \
    status = (expression);                    \
    if (OY_UNLIKELY(status != 0)) goto label; \
  } while (0)

OY_END_DECLS

#endif  // OPYARD_STATUS_H_
