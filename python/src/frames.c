// SPDX-License-Identifier: Apache-2.0
// Which lines of Python a call comes from, for profilers.
#include "library.h"
#include "opyard/profiler.h"

enum { FRAMES_MOST = 64 };

// "file(line): function" to |to|, in one line; its length, 0 if there is no room.
static size_t write_frame(PyFrameObject* frame, char* to, size_t room) {
  PyObject* code = (PyObject*)PyFrame_GetCode(frame);
  PyObject* file = code ? PyObject_GetAttrString(code, "co_filename") : NULL;
  PyObject* name = code ? PyObject_GetAttrString(code, "co_name") : NULL;
  PyObject* text = file && name ? PyUnicode_FromFormat("%U(%d): %U", file,
                                                       PyFrame_GetLineNumber(frame), name)
                                : NULL;
  PyObject* bytes =
      text ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace") : NULL;
  size_t size = bytes ? (size_t)PyBytes_Size(bytes) : 0;
  if (size >= room) size = 0;
  for (size_t i = 0; i < size; i++) {
    to[i] = PyBytes_AsString(bytes)[i];
    if (to[i] == '\n' || !to[i]) to[i] = ' ';
  }
  PyObject* all[] = {code, file, name, text, bytes};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) Py_XDECREF(all[i]);
  return size;
}

static size_t write_frames(char* buffer, size_t room) {
  PyObject* frame = Py_XNewRef((PyObject*)PyEval_GetFrame());
  size_t at = 0;
  for (int i = 0; i < FRAMES_MOST && frame && frame != Py_None; i++) {
    size_t before = at ? 1 : 0;
    if (room - at < 2) break;
    size_t size = write_frame((PyFrameObject*)frame, buffer + at + before, room - at - 1);
    if (!size) break;
    if (before) buffer[at] = '\n';
    at += size + before;
    PyObject* back = PyObject_GetAttrString(frame, "f_back");
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  buffer[at] = '\0';
  return at;
}

// Of threads that Python knows; the call may have given back the interpreter's lock.
static size_t frames_of_thread(char* buffer, size_t size) {
  PyGILState_STATE gil;
  if (!PyGILState_GetThisThreadState()) return 0;
  if (pyoy_enter(&gil) != OY_OK) return 0;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  size_t written = write_frames(buffer, size);
  PyErr_Restore(type, value, traceback);
  PyGILState_Release(gil);
  return written;
}

void pyoy_watch_frames(void) {
  oy_profiler_frames_source_set(frames_of_thread);
}
