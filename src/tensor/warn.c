// SPDX-License-Identifier: Apache-2.0
// Where warnings go. The library never prints, so without a handler they are dropped.
#include <stdio.h>

#include "tensor/iterator.h"

static oy_warning_handler g_handler;
static void* g_user_data;

void oy_warning_handler_set(oy_warning_handler handler, void* user_data) {
  g_handler = handler;
  g_user_data = user_data;
}

void oyi_warn(const char* format, ...) {
  if (!g_handler) return;
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  g_handler(g_user_data, text);
}
