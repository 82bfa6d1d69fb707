// SPDX-License-Identifier: Apache-2.0
// What calls of one overload need to know, read from its schema once: names to compare by
// address, types, defaults as values. Made again when definitions have changed.
#ifndef OPYARD_PYTHON_SRC_PLAN_H_
#define OPYARD_PYTHON_SRC_PLAN_H_

#include "module.h"

enum { PYOY_ARGUMENTS = 64 };

typedef struct pyoy_argument {
  PyObject* name;       // interned
  const oy_type* type;  // without the optional around it
  bool optional, kwarg_only, has_default, is_out;
  bool is_ints;    // a list of ints
  oy_value value;  // the default
} pyoy_argument;

typedef struct pyoy_plan {
  int32_t references;
  const oy_op* op;
  const oy_schema* schema;
  Py_ssize_t count, positional, required;  // arguments; by position; without default
  size_t returns;
  int8_t return_argument[PYOY_ARGUMENTS];  // which argument result i is, or -1
  bool is_factory;                         // takes requires_grad= besides
  bool fills_out;  // a factory with out=: takes the dtype and the rest that |out| has
  PyObject* return_type;  // a named tuple's, or NULL
  pyoy_argument arguments[];
} pyoy_plan;

// A new reference; NULL with an exception.
pyoy_plan* pyoy_plan_make(const oy_op* op);
void pyoy_plan_release(pyoy_plan* plan);  // takes NULL
static inline pyoy_plan* pyoy_plan_retain(pyoy_plan* plan) {
  plan->references++;
  return plan;
}

// Which argument a keyword names; -1 if none. NumPy's words and the name that functions give
// to self are taken, too.
Py_ssize_t pyoy_plan_find(const pyoy_plan* plan, PyObject* name);
int pyoy_plan_init(void);
PyObject* pyoy_op_object(const oy_op* op);
// Who makes the types of several results: called with a name and the names of the fields.
PyObject* pyoy_set_return_types(PyObject* module, PyObject* maker);

// Counts definitions that came or went: what was made before must be made again.
uint64_t pyoy_definitions(void);
// Reads the list of operators again if there were some. 0, or -1.
int pyoy_list_again(void);
// The overloads of "aten::add" in that list; they may lack a schema.
const oy_op** pyoy_find_overloads(oy_str name, size_t* out_count);
// All overloads of a name as one callable; None if there are none.
PyObject* pyoy_find_packet(PyObject* module, PyObject* name);
// Names, without overloads, that begin with a text.
PyObject* pyoy_list_names(PyObject* module, PyObject* prefix);

// ------------------------------------------------------------------------ calls

// The arguments of a call as vectorcall has them.
typedef struct pyoy_arguments {
  PyObject* const* values;
  Py_ssize_t count;  // by position
  PyObject* names;   // of those that follow; NULL or a tuple
  bool is_method;    // the first one is self, which PyTorch's texts do not count
} pyoy_arguments;

// Why arguments do not fit.
typedef enum pyoy_misfit {
  PYOY_MISFIT_NONE,
  PYOY_MISFIT_TOO_MANY,
  PYOY_MISFIT_MISSING,
  PYOY_MISFIT_TYPE,
  PYOY_MISFIT_KEYWORD,  // unknown
  PYOY_MISFIT_TWICE
} pyoy_misfit;
typedef struct pyoy_reason {
  pyoy_misfit kind;
  Py_ssize_t argument;
  Py_ssize_t position;  // -1: given by keyword
  PyObject* object;     // borrowed: the value, or the keyword
} pyoy_reason;

// Calls if the arguments fit. *out_fit is PYOY_NO, without an exception, if they do not:
// |out_reason| says why. Else the result, or NULL with an exception.
PyObject* pyoy_plan_call(pyoy_plan* plan, const pyoy_arguments* arguments, int lenient,
                         pyoy_fit* out_fit, pyoy_reason* out_reason);

// TypeError with PyTorch's texts. NULL.
PyObject* pyoy_misfit_raise(const pyoy_plan* plan, const pyoy_arguments* arguments,
                            const pyoy_reason* reason);
PyObject* pyoy_misfit_raise_all(pyoy_plan* const* plans, size_t count,
                                const pyoy_arguments* arguments);

#endif  // OPYARD_PYTHON_SRC_PLAN_H_
