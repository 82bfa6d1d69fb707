// SPDX-License-Identifier: Apache-2.0
// Profilers and ranges as capsules; python/opyard/profiler.py makes classes of them.
#include <stdlib.h>

#include "module.h"
#include "opyard/profiler.h"

#define PROFILER "opyard.profiler"
#define RANGE    "opyard.range"

static void free_profiler(PyObject* capsule) {
  oy_profiler_free(PyCapsule_GetPointer(capsule, PROFILER));
}

// Borrowed; NULL with an exception.
static oy_profiler* profiler_of(PyObject* capsule) {
  return PyCapsule_GetPointer(capsule, PROFILER);
}

static PyObject* profiler_start(PyObject* module, PyObject* args) {
  int shapes, memory, stack, this_thread, flops;
  Py_ssize_t most;
  (void)module;
  if (!PyArg_ParseTuple(args, "ppppnp:profiler_start", &shapes, &memory, &stack,
                        &this_thread, &most, &flops))
    return NULL;
  if (most < 0) {
    PyErr_Format(PyExc_ValueError, "max_events must not be negative, got %zd", most);
    return NULL;
  }
  oy_profiler_options options = {shapes, memory, stack, this_thread, (size_t)most, flops};
  oy_profiler* p;
  if (oy_profiler_start(&options, &p) != OY_OK) return pyoy_raise();
  PyObject* capsule = PyCapsule_New(p, PROFILER, free_profiler);
  if (!capsule) oy_profiler_free(p);
  return capsule;
}

static PyObject* profiler_stop(PyObject* module, PyObject* capsule) {
  oy_profiler* p = profiler_of(capsule);
  (void)module;
  if (!p) return NULL;
  if (oy_profiler_stop(p) != OY_OK) return pyoy_raise();
  return Py_NewRef(Py_None);
}

// Takes over |text|.
static PyObject* text_object(char* text) {
  PyObject* object = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
  oy_text_free(text);
  return object;
}

static PyObject* profiler_table(PyObject* module, PyObject* args) {
  PyObject* capsule;
  int by_shape, each, top_only;
  oy_profile_table table = OY_PROFILE_TABLE_INIT;
  (void)module;
  if (!PyArg_ParseTuple(args, "Oziiiizpppi:profiler_table", &capsule, &table.sort_by,
                        &table.row_limit, &table.max_src_column_width,
                        &table.max_name_column_width, &table.max_shapes_column_width,
                        &table.header, &by_shape, &each, &top_only,
                        &table.group_by_stack_n))
    return NULL;
  table.group_by_input_shape = by_shape;
  table.each_event = each;
  table.top_level_events_only = top_only;
  oy_profiler* p = profiler_of(capsule);
  char* text;
  if (!p) return NULL;
  return oy_profiler_table(p, &table, &text) == OY_OK ? text_object(text) : pyoy_raise();
}

static PyObject* profiler_export(PyObject* module, PyObject* args) {
  PyObject *capsule, *path;
  int as_array;
  (void)module;
  if (!PyArg_ParseTuple(args, "OO&p:profiler_export", &capsule, PyUnicode_FSConverter,
                        &path, &as_array))
    return NULL;
  oy_profiler* p = profiler_of(capsule);
  PyObject* result = NULL;
  if (p && oy_profiler_export_trace(p, PyBytes_AsString(path),
                                    as_array ? OY_TRACE_ARRAY : OY_TRACE_OBJECT) == OY_OK)
    result = Py_NewRef(Py_None);
  else if (p)
    (void)pyoy_raise();
  Py_DECREF(path);
  return result;
}

// A list of what |make| gives for 0, 1, ... |count| - 1.
static PyObject* list_of(size_t count, PyObject* (*make)(void* data, size_t i),
                         void* data) {
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; i++) {
    PyObject* item = make(data, i);
    if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject* stack_item(void* data, size_t i) {
  char name[256];
  const oy_profile_event* e = data;
  oy_profiler_symbol(e->stack[i], name, sizeof name);
  return PyUnicode_FromString(name);
}

static PyObject* event_item(void* data, size_t i) {
  oy_profile_event e;
  if (oy_profiler_event_get(data, i, &e) != OY_OK) return pyoy_raise();
  PyObject* stack = list_of(e.stack_depth, stack_item, &e);
  if (!stack) return NULL;
  PyObject* parent =
      e.parent == SIZE_MAX ? Py_NewRef(Py_None) : PyLong_FromSize_t(e.parent);
  if (!parent) {
    Py_DECREF(stack);
    return NULL;
  }
  return Py_BuildValue(
      "(iis#s#LLLLLLKKKNzzzzNzK)", e.kind, e.scope, e.name.data, (Py_ssize_t)e.name.size,
      e.full_name.data, (Py_ssize_t)e.full_name.size, (long long)e.start_ns,
      (long long)e.end_ns, (long long)e.self_ns, (long long)e.memory,
      (long long)e.self_memory, (long long)e.sequence, (unsigned long long)e.thread,
      (unsigned long long)e.forward_thread, (unsigned long long)e.id, parent,
      e.input_shapes, e.input_strides, e.input_types, e.concrete_inputs, stack, e.frames,
      (unsigned long long)e.flops);
}

static PyObject* profiler_events(PyObject* module, PyObject* capsule) {
  oy_profiler* p = profiler_of(capsule);
  (void)module;
  return p ? list_of(oy_profiler_event_count(p), event_item, p) : NULL;
}

static PyObject* average_item(void* data, size_t i) {
  const oy_profile_average* a = (const oy_profile_average*)data + i;
  return Py_BuildValue(
      "(s#zKLLLLns#K)", a->key.data, (Py_ssize_t)a->key.size, a->input_shapes,
      (unsigned long long)a->count, (long long)a->total_ns, (long long)a->self_ns,
      (long long)a->memory, (long long)a->self_memory, (Py_ssize_t)a->example,
      a->frames.data, (Py_ssize_t)a->frames.size, (unsigned long long)a->flops);
}

static PyObject* profiler_averages(PyObject* module, PyObject* args) {
  PyObject* capsule;
  int by_shape;
  oy_profile_grouping by = {0};
  oy_profile_average* averages;
  size_t count;
  (void)module;
  if (!PyArg_ParseTuple(args, "Opi:profiler_averages", &capsule, &by_shape, &by.stack_n))
    return NULL;
  by.input_shape = by_shape;
  oy_profiler* p = profiler_of(capsule);
  if (!p) return NULL;
  if (oy_profiler_averages(p, &by, &averages, &count) != OY_OK) return pyoy_raise();
  PyObject* list = list_of(count, average_item, averages);
  oy_profile_averages_free(averages);
  return list;
}

static PyObject* profiler_dropped(PyObject* module, PyObject* capsule) {
  oy_profiler* p = profiler_of(capsule);
  (void)module;
  return p ? PyLong_FromUnsignedLongLong(oy_profiler_dropped(p)) : NULL;
}

// ------------------------------------------------------------------------ ranges

static void free_range(PyObject* capsule) {
  oy_range* range = PyCapsule_GetPointer(capsule, RANGE);
  oy_range_end(range);
  free(range);
}

static PyObject* range_begin(PyObject* module, PyObject* name) {
  (void)module;
  Py_ssize_t size;
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (!text) return NULL;
  oy_range_info info = {
      .scope = OY_RECORD_USER_SCOPE, .name = {text, (size_t)size}, .sequence = -1};
  oy_range* range = malloc(sizeof(*range));
  if (!range) return PyErr_NoMemory();
  oy_range_begin(range, &info);
  PyObject* capsule = PyCapsule_New(range, RANGE, free_range);
  if (capsule) return capsule;
  oy_range_end(range);
  free(range);
  return NULL;
}

static PyObject* range_end(PyObject* module, PyObject* capsule) {
  (void)module;
  oy_range* range = PyCapsule_GetPointer(capsule, RANGE);
  if (!range) return NULL;
  oy_range_end(range);
  return Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {
    {"_profiler_start", profiler_start, METH_VARARGS, NULL},
    {"_profiler_stop", profiler_stop, METH_O, NULL},
    {"_profiler_table", profiler_table, METH_VARARGS, NULL},
    {"_profiler_export", profiler_export, METH_VARARGS, NULL},
    {"_profiler_events", profiler_events, METH_O, NULL},
    {"_profiler_averages", profiler_averages, METH_VARARGS, NULL},
    {"_profiler_dropped", profiler_dropped, METH_O, NULL},
    {"_range_begin", range_begin, METH_O, NULL},
    {"_range_end", range_end, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_profiler(PyObject* module) {
  pyoy_watch_frames();
  return PyModule_AddFunctions(module, functions);
}
