// SPDX-License-Identifier: Apache-2.0
// DLPack capsules: opyard/dlpack.h for Python. A capsule holds its tensor until somebody
// takes that out and renames the capsule, or until it goes.
#include "opyard/dlpack.h"

#include "module.h"

static const char g_plain[] = "dltensor", g_versioned[] = "dltensor_versioned";

static void drop_plain(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, g_plain)) return;
  oy_dl_managed* managed = PyCapsule_GetPointer(capsule, g_plain);
  if (managed && managed->deleter) managed->deleter(managed);
}

static void drop_versioned(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, g_versioned)) return;
  oy_dl_versioned* managed = PyCapsule_GetPointer(capsule, g_versioned);
  if (managed && managed->deleter) managed->deleter(managed);
}

static PyObject* plain_capsule(const oy_tensor* tensor) {
  oy_dl_managed* managed = oy_dlpack_export(tensor);
  if (!managed) return pyoy_raise();
  PyObject* capsule = PyCapsule_New(managed, g_plain, drop_plain);
  if (!capsule) managed->deleter(managed);
  return capsule;
}

static PyObject* versioned_capsule(const oy_tensor* tensor, int copied) {
  oy_dl_versioned* managed = oy_dlpack_export_versioned(tensor);
  if (!managed) return pyoy_raise();
  if (copied) managed->flags |= OY_DL_IS_COPIED;
  PyObject* capsule = PyCapsule_New(managed, g_versioned, drop_versioned);
  if (!capsule) managed->deleter(managed);
  return capsule;
}

static PyObject* to_capsule(PyObject* module, PyObject* args) {
  (void)module;
  PyObject* tensor;
  int versioned, copied;
  if (!PyArg_ParseTuple(args, "O!pp:dlpack_capsule", pyoy_tensor_type, &tensor,
                        &versioned, &copied))
    return NULL;
  if (versioned) return versioned_capsule(pyoy_unwrap(tensor), copied);
  return plain_capsule(pyoy_unwrap(tensor));
}

// The memory is the tensor's from here on; the new name says so. A name that could not be
// set would let it be freed twice, and so the deleter is taken from the capsule first.
static PyObject* taken(PyObject* capsule, const char* name, oy_tensor* tensor) {
  if (!tensor) return pyoy_raise();
  if (PyCapsule_SetDestructor(capsule, NULL) != 0 ||
      PyCapsule_SetName(capsule, name) != 0)
    PyErr_Clear();
  return pyoy_wrap(tensor);
}

static PyObject* from_capsule(PyObject* module, PyObject* capsule) {
  (void)module;
  if (PyCapsule_IsValid(capsule, g_versioned)) {
    oy_dl_versioned* managed = PyCapsule_GetPointer(capsule, g_versioned);
    return taken(capsule, "used_dltensor_versioned",
                 oy_dlpack_import_versioned(&managed));
  }
  oy_dl_managed* managed = NULL;
  if (PyCapsule_IsValid(capsule, g_plain))
    managed = PyCapsule_GetPointer(capsule, g_plain);
  return taken(capsule, "used_dltensor", oy_dlpack_import(&managed));
}

int pyoy_add_dlpack(PyObject* module) {
  static PyMethodDef functions[] = {
      {"dlpack_capsule", to_capsule, METH_VARARGS,
       "dlpack_capsule(tensor, versioned, copied): a capsule that holds the tensor."},
      {"dlpack_tensor", from_capsule, METH_O,
       "A tensor on the memory that a capsule holds, of either form; once."},
      {NULL, NULL, 0, NULL},
  };
  return PyModule_AddFunctions(module, functions);
}
