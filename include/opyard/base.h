// SPDX-License-Identifier: Apache-2.0
// What every other public header leans on: export and attribute macros and the
// string view. All headers compile alone as C11 and as C++17.
#ifndef OPYARD_BASE_H_
#define OPYARD_BASE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#define OY_BEGIN_DECLS extern "C" {
#define OY_END_DECLS   }
#else
#define OY_BEGIN_DECLS
#define OY_END_DECLS
#endif

#define OY_API          __attribute__((visibility("default")))
#define OY_LIKELY(x)    __builtin_expect(!!(x), 1)
#define OY_UNLIKELY(x)  __builtin_expect(!!(x), 0)
#define OY_MUST_USE     __attribute__((warn_unused_result))
#define OY_PRINTF(f, a) __attribute__((format(printf, f, a)))

#define OY_VERSION_MAJOR 0
#define OY_VERSION_MINOR 1
#define OY_VERSION_PATCH 0

OY_BEGIN_DECLS

// A borrowed view of |size| bytes, not NUL-terminated. An empty view may have
// |data| NULL.
typedef struct oy_str {
  const char* data;
  size_t size;
} oy_str;

// A view of a NUL-terminated string; NULL gives the empty view.
static inline oy_str oy_str_of(const char* text) {
  oy_str s;
  s.data = text;
  s.size = text ? strlen(text) : 0;
  return s;
}

static inline bool oy_str_equal(oy_str a, oy_str b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

// For printf's "%.*s": OY_STR_ARG(s) expands to the two arguments.
#define OY_STR_ARG(s) (int)(s).size, ((s).data ? (s).data : "")

// "0.1.0"; static storage.
OY_API const char* oy_version(void);

OY_END_DECLS

#endif  // OPYARD_BASE_H_
