// SPDX-License-Identifier: Apache-2.0
// The modes of a thread: a list through the frames that pushed them. While it is not empty,
// the Python keys are in the thread's include set; that is all that a call reads of it.
#include "layers/modes/modes.h"

__thread oyi_modes oyi_thread_modes;

void oyi_modes_update(void) {
  const oyi_modes* m = &oyi_thread_modes;
  if (m->top || m->fake)
    oy_tls.included.functionality |= OYI_HANDLER_KEYS;
  else
    oy_tls.included.functionality &= ~OYI_HANDLER_KEYS;
}

void oy_mode_push(oy_dispatch_mode* mode, const char* name, oy_handler_fn handle,
                  void* data, void (*destroy)(void* data)) {
  *mode = (oy_dispatch_mode){name, handle, data, destroy, oyi_thread_modes.top};
  oyi_thread_modes.top = mode;
  oyi_modes_update();
}

oy_status oy_mode_pop(oy_dispatch_mode* mode) {
  oyi_modes* m = &oyi_thread_modes;
  OY_CHECK(mode && mode == m->top, FAILED_PRECONDITION,
           "expected the innermost mode of this thread, %s, got %s; modes are popped in "
           "reverse order of pushing",
           !m->top        ? "which has none"
           : m->top->name ? m->top->name
                          : "a mode",
           !mode ? "NULL" : "another one");
  OY_CHECK(mode != m->floor, FAILED_PRECONDITION,
           "a handler cannot pop a mode that was pushed outside of it");
  m->top = mode->outer;
  oyi_modes_update();
  if (mode->destroy) mode->destroy(mode->data);
  return OY_OK;
}

const oy_dispatch_mode* oy_mode_innermost(void) {
  return oyi_thread_modes.top;
}

oy_status oy_entry_guard_begin(oy_entry_guard* guard) {
  oyi_modes* m = &oyi_thread_modes;
  *guard = (oy_entry_guard){oy_guard_preserve(), m->included, m->excluded};
  OY_CHECK(m->has_entry, FAILED_PRECONDITION,
           "Accessing torch dispatch state outside of '__torch_dispatch__' is not "
           "allowed.");
  oy_guard_restore(m->included, m->excluded);
  oyi_modes_update();
  m->has_entry = false;  // calls from here on are entries of their own
  return OY_OK;
}

void oy_entry_guard_end(const oy_entry_guard* guard) {
  oyi_modes* m = &oyi_thread_modes;
  m->included = guard->included;
  m->excluded = guard->excluded;
  m->has_entry = true;
  oy_guard_end(&guard->before);
}
