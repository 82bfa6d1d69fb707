// SPDX-License-Identifier: Apache-2.0
// What the files of the extension share. Everything is on the limited API of Python
// 3.11, so that one build serves every later version.
//
// Functions that return a PyObject* or -1 leave a Python exception behind on failure.
#ifndef OPYARD_PYTHON_SRC_MODULE_H_
#define OPYARD_PYTHON_SRC_MODULE_H_

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "opyard/opyard.h"

// Vectorcall is part of the limited API from 3.12 on, and has been the same since 3.8.
typedef PyObject* (*pyoy_vectorcall)(PyObject* callable, PyObject* const* args,
                                     size_t nargsf, PyObject* names);
#define PYOY_HAVE_VECTORCALL (1ul << 11)

// A counted reference to a tensor, which it holds; never NULL once it is made.
typedef struct pyoy_tensor {
  PyObject base;
  oy_tensor* tensor;
  PyObject* grad;        // what .grad gave last: one gradient, one object; or NULL
  PyObject* attributes;  // __dict__, made when first needed
  PyObject* weak_references;
} pyoy_tensor;

// dtype, layout and memory_format: a number with a name. One object each.
typedef struct pyoy_constant {
  PyObject base;
  int64_t value;
  const char* name;
} pyoy_constant;

typedef struct pyoy_device {
  PyObject base;
  oy_device device;
} pyoy_device;

// One overload of an operator. Operators live as long as the registry.
typedef struct pyoy_op {
  PyObject base;
  const oy_op* op;
  pyoy_vectorcall vectorcall;
  struct pyoy_plan* plan;  // NULL until it is called
  uint64_t seen;           // definitions when the plan was made
} pyoy_op;

// A generator of random numbers, which it holds.
typedef struct pyoy_generator {
  PyObject base;
  oy_generator* generator;
} pyoy_generator;

extern PyTypeObject *pyoy_tensor_type, *pyoy_dtype_type, *pyoy_layout_type,
    *pyoy_memory_format_type, *pyoy_device_type, *pyoy_op_type, *pyoy_size_type,
    *pyoy_generator_type;

static inline Py_ssize_t pyoy_nargs(size_t nargsf) {
  return (Py_ssize_t)(nargsf & ~((size_t)1 << (8 * sizeof(size_t) - 1)));
}
// tp_call of callables that have a vectorcall.
PyObject* pyoy_call_vector(pyoy_vectorcall call, PyObject* self, PyObject* args,
                           PyObject* kwargs);

// PyType_GetName, which Python 3.10 has not; all else that is used here it has, so that one
// build loads there, too.
static inline PyObject* pyoy_type_name(PyTypeObject* type) {
  return PyObject_GetAttrString((PyObject*)type, "__name__");
}
#define PyType_GetName(type) pyoy_type_name(type)

// Make the types and what belongs to them, and add them to |module|. 0, or -1.
int pyoy_add_constants(PyObject* module);
int pyoy_add_device(PyObject* module);
int pyoy_add_tensor(PyObject* module);
int pyoy_add_op(PyObject* module);
int pyoy_add_registry(PyObject* module);
int pyoy_add_packet(PyObject* module);
int pyoy_add_packet_methods(PyObject* module);
int pyoy_add_namespace(PyObject* module);
int pyoy_add_size(PyObject* module);
int pyoy_add_generator(PyObject* module);
int pyoy_add_settings(PyObject* module);
int pyoy_add_autograd(PyObject* module);
int pyoy_add_graph(PyObject* module);
int pyoy_add_hooks(PyObject* module);
int pyoy_add_function(PyObject* module);
int pyoy_add_transform(PyObject* module);
int pyoy_add_functionalize(PyObject* module);
int pyoy_add_handled(PyObject* module);
int pyoy_add_overrides(PyObject* module);
int pyoy_add_dlpack(PyObject* module);
int pyoy_add_files(PyObject* module);
int pyoy_add_profiler(PyObject* module);
// frames.c: tells profilers where in Python their records come from.
void pyoy_watch_frames(void);
extern PyMethodDef pyoy_make_methods[];

// ------------------------------------------------------------------ errors

// Raises what the thread's error record says; NULL. A kernel's INVALID_ARGUMENT is
// opyard.ArgumentError: a RuntimeError, as PyTorch's checks raise, and a ValueError.
PyObject* pyoy_raise(void);
int pyoy_add_errors(PyObject* module);
// For what the library calls back: the pending Python exception as the thread's error; the
// exception itself is kept for pyoy_raise, which raises the same object again if nobody
// replaced the error.
oy_status pyoy_record_exception(void);

// ------------------------------------------------------------------- values

// Takes over |tensor|; NULL raises the pending error. The object that a tensor of a class with
// __torch_dispatch__ has, else a new one.
PyObject* pyoy_wrap(oy_tensor* tensor);
PyObject* pyoy_wrap_handled(oy_tensor* tensor);
// A new tensor as a subclass; from now on the class is asked for calls, if it wants that.
PyObject* pyoy_wrap_as(PyTypeObject* type, oy_tensor* tensor);
// Whether a class of Python, or of a mode, handles the calls of a tensor.
static inline bool pyoy_has_handler(const oy_tensor* tensor) {
  return tensor->keys.functionality >> OY_KEY_Python & 1;
}
// The tensor inside, borrowed; NULL, without an exception, if it is no Tensor.
static inline oy_tensor* pyoy_unwrap(PyObject* object) {
  return PyObject_TypeCheck(object, pyoy_tensor_type) ? ((pyoy_tensor*)object)->tensor
                                                      : NULL;
}
PyObject* pyoy_layout_strided(void);
// Its grad_fn; None for a leaf.
PyObject* pyoy_grad_fn(oy_tensor* tensor);
PyObject* pyoy_size(oy_ints sizes);
PyObject* pyoy_wrap_generator(oy_generator* generator);
// The object of a dtype, new reference.
PyObject* pyoy_dtype(oy_dtype dtype);
// 1 and the number if |object| is a constant of |type|.
int pyoy_constant_value(PyObject* object, PyTypeObject* type, int64_t* out_value);
PyObject* pyoy_device_object(oy_device device);
// 1 if |object| is a device or a text that names one, else 0, without an exception.
int pyoy_device_value(PyObject* object, oy_device* out_device);

typedef enum pyoy_fit {
  PYOY_ERROR = -1,  // an exception is set
  PYOY_NO = 0,      // not a value of that type; no exception
  PYOY_YES = 1
} pyoy_fit;

// The value of |object| as |type|, borrowed from it where that is possible. Strict:
// what PyTorch's argument parser takes. Lenient: besides, numbers where tensors are
// wanted, tensors without dimensions where numbers are, True for 1.
enum { PYOY_LENIENT = 1, PYOY_NUMBERS_AS_TENSORS = 2 };
pyoy_fit pyoy_value_from(PyObject* object, const oy_type* type, int lenient,
                         oy_value* out_value);
// A number as a tensor without dimensions that promotes as the number does, owned. NULL
// without an exception if |object| is no number of Python's.
oy_tensor* pyoy_wrapped_number(oy_value number);
oy_tensor* pyoy_number(PyObject* object, pyoy_fit* out_fit);
// A number of Python's, also in a tensor without dimensions if |lenient|.
pyoy_fit pyoy_scalar(PyObject* object, int lenient, oy_value* out_value);
// The number in a tensor of one element; NULL if it is not one.
PyObject* pyoy_item(const oy_tensor* tensor);
// |type| tells a dtype from the number that stands for it; may be NULL.
PyObject* pyoy_value_to(oy_value value, const oy_type* type);

// Calls of at least this many elements let other threads of Python run.
enum { PYOY_LONG_CALL = 4096 };

// |sequence| as up to 64 numbers, kept in |numbers|. 0, or -1.
int pyoy_ints_from(PyObject* sequence, int64_t* numbers, oy_ints* out_ints);

#endif  // OPYARD_PYTHON_SRC_MODULE_H_
