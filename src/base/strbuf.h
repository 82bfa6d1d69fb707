// SPDX-License-Identifier: Apache-2.0
// A growing text. Failure is sticky: after a failed append all others do
// nothing, so a writer checks once, at the end, with oyi_strbuf_status or
// oyi_strbuf_take.
#ifndef OPYARD_SRC_BASE_STRBUF_H_
#define OPYARD_SRC_BASE_STRBUF_H_

#include <stdarg.h>

#include "opyard/status.h"

typedef struct oyi_strbuf {
  char* data;  // NUL-terminated once anything was appended
  size_t size;
  size_t capacity;
  bool failed;
} oyi_strbuf;

#define OYI_STRBUF_INIT \
  { NULL, 0, 0, false }

void oyi_strbuf_append(oyi_strbuf* buf, const char* data, size_t size);
void oyi_strbuf_puts(oyi_strbuf* buf, const char* text);
void oyi_strbuf_putc(oyi_strbuf* buf, char c);
void oyi_strbuf_str(oyi_strbuf* buf, oy_str text);
void oyi_strbuf_printf(oyi_strbuf* buf, const char* format, ...) OY_PRINTF(2, 3);
void oyi_strbuf_vprintf(oyi_strbuf* buf, const char* format, va_list args)
    OY_PRINTF(2, 0);
// OY_OK or OUT_OF_MEMORY.
oy_status oyi_strbuf_status(const oyi_strbuf* buf);
// Hands over the text (free with oyi_free), NULL with the error set on failure;
// the buffer is empty after either. Never NULL for an empty text.
char* oyi_strbuf_take(oyi_strbuf* buf);
void oyi_strbuf_reset(oyi_strbuf* buf);

static inline oy_str oyi_strbuf_view(const oyi_strbuf* buf) {
  oy_str s = {buf->data, buf->size};
  return s;
}

#endif  // OPYARD_SRC_BASE_STRBUF_H_
