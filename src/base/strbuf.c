// SPDX-License-Identifier: Apache-2.0
#include "base/strbuf.h"

#include <stdio.h>

#include "base/memory.h"

static bool reserve(oyi_strbuf* buf, size_t extra) {
  if (buf->failed) return false;
  if (extra > SIZE_MAX - buf->size - 1 ||
      !oyi_grow(&buf->data, &buf->capacity, buf->size + extra + 1, 1)) {
    buf->failed = true;
    return false;
  }
  return true;
}

void oyi_strbuf_append(oyi_strbuf* buf, const char* data, size_t size) {
  if (!reserve(buf, size)) return;
  if (size) memcpy(buf->data + buf->size, data, size);
  buf->size += size;
  buf->data[buf->size] = '\0';
}

void oyi_strbuf_puts(oyi_strbuf* buf, const char* text) {
  oyi_strbuf_append(buf, text, strlen(text));
}

void oyi_strbuf_putc(oyi_strbuf* buf, char c) {
  oyi_strbuf_append(buf, &c, 1);
}

void oyi_strbuf_str(oyi_strbuf* buf, oy_str text) {
  oyi_strbuf_append(buf, text.data, text.size);
}

void oyi_strbuf_vprintf(oyi_strbuf* buf, const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (size < 0 || !reserve(buf, (size_t)size)) return;
  vsnprintf(buf->data + buf->size, (size_t)size + 1, format, args);
  buf->size += (size_t)size;
}

void oyi_strbuf_printf(oyi_strbuf* buf, const char* format, ...) {
  va_list args;
  va_start(args, format);
  oyi_strbuf_vprintf(buf, format, args);
  va_end(args);
}

oy_status oyi_strbuf_status(const oyi_strbuf* buf) {
  return buf->failed ? OY_FAIL(OUT_OF_MEMORY, "out of memory for a text") : OY_OK;
}

char* oyi_strbuf_take(oyi_strbuf* buf) {
  if (!buf->data) oyi_strbuf_append(buf, "", 0);
  if (oyi_strbuf_status(buf) != OY_OK) {
    oyi_strbuf_reset(buf);
    return NULL;
  }
  char* text = buf->data;
  *buf = (oyi_strbuf)OYI_STRBUF_INIT;
  return text;
}

void oyi_strbuf_reset(oyi_strbuf* buf) {
  oyi_free(buf->data);
  *buf = (oyi_strbuf)OYI_STRBUF_INIT;
}
