// SPDX-License-Identifier: Apache-2.0
// Registration: opyard._C.Library, the handle behind opyard.library.Library.
#include <stdio.h>
#include <stdlib.h>

#include "library_kernel.h"

typedef struct pyoy_library {
  PyObject base;
  oy_library* library;  // NULL once it is closed
} pyoy_library;

static PyTypeObject* g_library_type;

// ------------------------------------------------------------------ warnings

// The registry warns with its lock held, so the text waits for the end of the call.
static __thread char* t_warning;

static void keep_warning(void* user_data, const char* message) {
  (void)user_data;
  if (!t_warning) t_warning = strdup(message);
}

// PyTorch says it once in a process.
static int warn(void) {
  static int said;
  char* text = t_warning;
  t_warning = NULL;
  if (!text) return 0;
  int failed = 0;
  if (!said) {
    said = 1;
    failed = PyErr_WarnFormat(PyExc_UserWarning, 2,
                              "Warning only once for all operators,  other operators "
                              "may also be overridden.\n%s",
                              text);
  }
  free(text);
  return failed;
}

// After a registration: a warning that was made an error takes it back.
static PyObject* registered(oy_status status, oy_registration* registration) {
  if (status != OY_OK) return pyoy_raise();
  if (warn() == 0) return Py_NewRef(Py_None);
  oy_registration_remove(registration);
  return NULL;
}

// ---------------------------------------------------------------------- life

static int kind_converter(PyObject* object, void* out) {
  static const struct {
    const char* name;
    oy_library_kind kind;
  } kinds[] = {{"DEF", OY_LIBRARY_DEF},
               {"IMPL", OY_LIBRARY_IMPL},
               {"FRAGMENT", OY_LIBRARY_FRAGMENT}};
  for (size_t i = 0; PyUnicode_Check(object) && i < sizeof kinds / sizeof *kinds; i++)
    if (PyUnicode_CompareWithASCIIString(object, kinds[i].name) == 0) {
      *(oy_library_kind*)out = kinds[i].kind;
      return 1;
    }
  PyErr_Format(PyExc_ValueError, "Unsupported kind: %S", object);
  return 0;
}

static PyObject* library_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"kind", "ns", "key", "file", "line", NULL};
  oy_library_params params = {.key = OY_KEY_Undefined};
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O&s|O&si:Library", names, kind_converter, &params.kind,
          &params.ns, pyoy_key_converter, &params.key, &params.file, &params.line))
    return NULL;
  oy_library* library;
  if (oy_library_create(&params, &library) != OY_OK) return pyoy_raise();
  pyoy_library* self = PyObject_New(pyoy_library, type);
  if (!self) {
    oy_library_close(library);
    return NULL;
  }
  self->library = library;
  return (PyObject*)self;
}

static PyObject* library_close(PyObject* self, PyObject* unused) {
  (void)unused;
  oy_library* library = ((pyoy_library*)self)->library;
  ((pyoy_library*)self)->library = NULL;
  oy_library_close(library);
  return Py_NewRef(Py_None);
}

static void library_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  oy_library_close(((pyoy_library*)self)->library);
  PyObject_Free(self);
  Py_DECREF(type);
}

static oy_library* opened(PyObject* self) {
  oy_library* library = ((pyoy_library*)self)->library;
  if (!library) PyErr_SetString(PyExc_RuntimeError, "the library was destroyed");
  return library;
}

// ---------------------------------------------------------------- registering

static int parse_alias(const char* text, oy_def_params* params) {
  static const struct {
    const char* name;
    oy_alias_kind kind;
    bool chosen, defaulted;
  } kinds[] = {{"", OY_ALIAS_FROM_SCHEMA, false, false},
               {"FROM_SCHEMA", OY_ALIAS_FROM_SCHEMA, true, false},
               {"CONSERVATIVE", OY_ALIAS_CONSERVATIVE, true, false},
               {"PURE_FUNCTION", OY_ALIAS_PURE_FUNCTION, true, false},
               {"INTERNAL_SPECIAL_CASE", OY_ALIAS_INTERNAL_SPECIAL_CASE, true, false},
               {"default", OY_ALIAS_CONSERVATIVE, true, true}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(text, kinds[i].name) == 0) {
      params->alias_kind = kinds[i].kind;
      params->has_alias_kind = kinds[i].chosen;
      params->alias_defaulted = kinds[i].defaulted;
      return 0;
    }
  PyErr_Format(PyExc_RuntimeError, "Invalid alias_analysis type %s", text);
  return -1;
}

static PyObject* library_define(PyObject* self, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"schema", "alias", "tags",  "kernel", "key",
                          "file",   "line",  "debug", NULL};
  oy_def_params params = {.key = OY_KEY_Undefined};
  oy_kernel_params kernel = OY_FALLTHROUGH;
  const char* alias = "";
  PyObject* callable = NULL;
  oy_library* library = opened(self);
  if (!library || !PyArg_ParseTupleAndKeywords(
                      args, kwargs, "s|szOO&ziz:define", names, &params.schema, &alias,
                      &params.tags, &callable, pyoy_key_converter, &params.key,
                      &params.place.file, &params.place.line, &params.place.debug))
    return NULL;
  if (parse_alias(alias, &params) != 0) return NULL;
  if (callable && pyoy_kernel_params(callable, 0, 0, &kernel) != 0) return NULL;
  if (callable) params.kernel = &kernel;
  oy_registration* registration;
  oy_status status = oy_library_def(library, &params, &registration);
  if (status != OY_OK && callable) pyoy_kernel_params_drop(&kernel);
  return registered(status, registration);
}

static PyObject* library_impl(PyObject* self, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"name", "kernel", "key",   "with_keyset", "allow_override",
                          "file", "line",   "debug", NULL};
  oy_impl_params params = {.key = OY_KEY_Undefined};
  PyObject* callable;
  int with_keyset = 0, allow = 0;
  oy_library* library = opened(self);
  if (!library || !PyArg_ParseTupleAndKeywords(
                      args, kwargs, "sO|O&ppziz:impl", names, &params.name, &callable,
                      pyoy_key_converter, &params.key, &with_keyset, &allow,
                      &params.place.file, &params.place.line, &params.place.debug))
    return NULL;
  if (pyoy_kernel_params(callable, with_keyset, 0, &params.kernel) != 0) return NULL;
  params.allow_override = allow != 0;
  oy_registration* registration;
  oy_status status = oy_library_impl(library, &params, &registration);
  if (status != OY_OK) pyoy_kernel_params_drop(&params.kernel);
  return registered(status, registration);
}

static PyObject* library_fallback(PyObject* self, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"kernel", "key", "with_keyset", "file", "line", "debug", NULL};
  oy_key key = OY_KEY_Undefined;
  oy_place place = {NULL, 0, NULL};
  oy_kernel_params kernel;
  PyObject* callable;
  int with_keyset = 0;
  oy_library* library = opened(self);
  if (!library ||
      !PyArg_ParseTupleAndKeywords(args, kwargs, "O|O&pziz:fallback", names, &callable,
                                   pyoy_key_converter, &key, &with_keyset, &place.file,
                                   &place.line, &place.debug))
    return NULL;
  if (pyoy_kernel_params(callable, with_keyset, 1, &kernel) != 0) return NULL;
  oy_registration* registration;
  oy_status status = oy_library_fallback(library, key, &kernel, place, &registration);
  if (status != OY_OK) pyoy_kernel_params_drop(&kernel);
  return registered(status, registration);
}

static PyMethodDef methods[] = {
    {"define", (PyCFunction)(void (*)(void))library_define, METH_VARARGS | METH_KEYWORDS,
     "define(schema, alias, tags, kernel, key, file, line, debug)"},
    {"impl", (PyCFunction)(void (*)(void))library_impl, METH_VARARGS | METH_KEYWORDS,
     "impl(name, kernel, key, with_keyset, allow_override, file, line, debug)"},
    {"fallback", (PyCFunction)(void (*)(void))library_fallback,
     METH_VARARGS | METH_KEYWORDS,
     "fallback(kernel, key, with_keyset, file, line, debug)"},
    {"close", library_close, METH_NOARGS, "Undoes all registrations."},
    {NULL, NULL, 0, NULL},
};

int pyoy_add_library(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_new, library_new},
      {Py_tp_dealloc, library_dealloc},
      {Py_tp_methods, methods},
      {0, NULL},
  };
  PyType_Spec spec = {"opyard._C.Library", sizeof(pyoy_library), 0, Py_TPFLAGS_DEFAULT,
                      slots};
  g_library_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (!g_library_type || PyModule_AddType(module, g_library_type) != 0) return -1;
  oy_registry_set_warning_sink(oy_registry_default(), keep_warning, NULL);
  return 0;
}
