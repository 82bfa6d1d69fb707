// SPDX-License-Identifier: Apache-2.0
// Signs between tensors, and between tensors and numbers: straight to the typed calls, no
// argument is parsed. What is neither is left to Python: NotImplemented.
#include "overrides.h"
#include "tensor_type.h"

typedef oy_tensor* (*both_fn)(oy_tensor* a, oy_tensor* b);
typedef oy_tensor* (*right_fn)(oy_tensor* a, oy_scalar b);
typedef oy_tensor* (*left_fn)(oy_scalar a, oy_tensor* b);
typedef oy_tensor* (*unary_fn)(oy_tensor* a);

// |right| or |left| NULL: a number becomes a tensor that promotes as it does. |name| is the
// method of Tensor that classes are asked for, |reversed| that for what is on its left.
typedef struct sign {
  const char *name, *reversed;
  both_fn both;
  right_fn right;
  left_fn left;
} sign;

// ------------------------------------------------------------------------ running

static bool is_long(const oy_tensor* a, const oy_tensor* b) {
  return oy_tensor_numel(a) >= PYOY_LONG_CALL || oy_tensor_numel(b) >= PYOY_LONG_CALL;
}

static __attribute__((noinline)) oy_tensor* run_long(both_fn fn, oy_tensor* a,
                                                     oy_tensor* b) {
  oy_tensor* result;
  Py_BEGIN_ALLOW_THREADS;
  result = fn(a, b);
  Py_END_ALLOW_THREADS;
  return result;
}

static inline oy_tensor* run(both_fn fn, oy_tensor* a, oy_tensor* b) {
  return OY_UNLIKELY(is_long(a, b)) ? run_long(fn, a, b) : fn(a, b);
}

static oy_tensor* run_right(right_fn fn, oy_tensor* a, oy_scalar b) {
  oy_tensor* result;
  if (OY_LIKELY(!is_long(a, a))) return fn(a, b);
  Py_BEGIN_ALLOW_THREADS;
  result = fn(a, b);
  Py_END_ALLOW_THREADS;
  return result;
}

static oy_tensor* run_left(left_fn fn, oy_scalar a, oy_tensor* b) {
  oy_tensor* result;
  if (OY_LIKELY(!is_long(b, b))) return fn(a, b);
  Py_BEGIN_ALLOW_THREADS;
  result = fn(a, b);
  Py_END_ALLOW_THREADS;
  return result;
}

// ------------------------------------------------------------------------ numbers

static bool is_number(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) ||
         (PyIndex_Check(object) && !PySequence_Check(object));
}

static PyObject* with_scalar(const sign* s, oy_tensor* tensor, PyObject* number,
                             bool is_left) {
  oy_scalar scalar;
  pyoy_fit fit = pyoy_scalar(number, 0, &scalar);
  if (fit == PYOY_NO) return Py_NewRef(Py_NotImplemented);
  if (fit == PYOY_ERROR) return NULL;
  oy_tensor* result =
      is_left ? run_left(s->left, scalar, tensor) : run_right(s->right, tensor, scalar);
  oy_value_release(&scalar);
  return pyoy_wrap(result);
}

static PyObject* with_number(const sign* s, oy_tensor* tensor, PyObject* number,
                             bool is_left) {
  if (!is_number(number)) return Py_NewRef(Py_NotImplemented);
  if (is_left ? s->left != NULL : s->right != NULL)
    return with_scalar(s, tensor, number, is_left);
  pyoy_fit fit;
  oy_tensor* other = pyoy_number(number, &fit);
  if (fit == PYOY_NO) return Py_NewRef(Py_NotImplemented);
  if (fit == PYOY_ERROR) return NULL;
  oy_tensor* result = is_left ? run(s->both, other, tensor) : run(s->both, tensor, other);
  oy_tensor_release(other);
  return pyoy_wrap(result);
}

static inline bool is_overridden(PyObject* a, PyObject* b) {
  return pyoy_overrides(a) || pyoy_overrides(b);
}

// |a| may be no tensor: then it is the sign of |b| from the right.
static __attribute__((cold, noinline)) PyObject* ask(const sign* s, PyObject* a,
                                                     PyObject* b) {
  return pyoy_unwrap(a) ? pyoy_override_sign(s->name, a, b)
                        : pyoy_override_sign(s->reversed, b, a);
}

static inline PyObject* apply(const sign* s, PyObject* a, PyObject* b) {
  if (OY_UNLIKELY(is_overridden(a, b))) return ask(s, a, b);
  oy_tensor *left = pyoy_unwrap(a), *right = pyoy_unwrap(b);
  if (OY_LIKELY(left && right)) return pyoy_wrap(run(s->both, left, right));
  if (left) return with_number(s, left, b, false);
  if (right) return with_number(s, right, a, true);
  return Py_NewRef(Py_NotImplemented);
}

// In place: the object itself is the result.
static PyObject* apply_to(const sign* s, PyObject* self, PyObject* other) {
  if (OY_UNLIKELY(is_overridden(self, other))) return ask(s, self, other);
  oy_tensor *left = pyoy_unwrap(self), *right = pyoy_unwrap(other);
  if (!left) return Py_NewRef(Py_NotImplemented);
  oy_tensor* result = NULL;
  oy_scalar scalar = oy_none();
  pyoy_fit fit = PYOY_YES;
  if (right) {
    result = run(s->both, left, right);
  } else if (!is_number(other)) {
    return Py_NewRef(Py_NotImplemented);
  } else if (s->right) {
    fit = pyoy_scalar(other, 0, &scalar);
    if (fit == PYOY_YES) result = run_right(s->right, left, scalar);
    oy_value_release(&scalar);
  } else {
    right = pyoy_number(other, &fit);
    if (right) result = run(s->both, left, right);
    oy_tensor_release(right);
  }
  if (fit != PYOY_YES) return NULL;
  return result ? Py_NewRef(self) : pyoy_raise();
}

// -------------------------------------------------------------------------- signs

static oy_tensor* add(oy_tensor* a, oy_tensor* b) {
  return oy_add_Tensor(a, b, oy_int(1));
}
static oy_tensor* sub(oy_tensor* a, oy_tensor* b) {
  return oy_sub_Tensor(a, b, oy_int(1));
}
static oy_tensor* add_to(oy_tensor* a, oy_tensor* b) {
  return oy_add__Tensor(a, b, oy_int(1));
}
static oy_tensor* sub_from(oy_tensor* a, oy_tensor* b) {
  return oy_sub__Tensor(a, b, oy_int(1));
}
// PyTorch computes these so, which the names of their nodes show.
static oy_tensor* number_sub(oy_scalar a, oy_tensor* b) {
  return oy_rsub_Scalar(b, a, oy_int(1));
}
static oy_tensor* number_div(oy_scalar a, oy_tensor* b) {
  oy_tensor* inverse = oy_reciprocal(b);
  oy_tensor* number = inverse ? pyoy_wrapped_number(a) : NULL;
  oy_tensor* result = number ? oy_mul_Tensor(inverse, number) : NULL;
  oy_tensor_release(inverse);
  oy_tensor_release(number);
  return result;
}
#define SIGN(name, ...)                                    \
  static PyObject* slot_##name(PyObject* a, PyObject* b) { \
    static const sign g_sign = {__VA_ARGS__};              \
    return apply(&g_sign, a, b);                           \
  }
#define SIGN_IN_PLACE(name, ...)                            \
  static PyObject* slot_i##name(PyObject* a, PyObject* b) { \
    static const sign g_sign = {__VA_ARGS__};               \
    return apply_to(&g_sign, a, b);                         \
  }

SIGN(add, "add", "add", add, NULL, NULL)
SIGN(sub, "sub", "__rsub__", sub, NULL, number_sub)
SIGN(mul, "mul", "mul", oy_mul_Tensor, NULL, NULL)
SIGN(div, "div", "__rtruediv__", oy_div_Tensor, NULL, number_div)
SIGN(floor_divide, "__floordiv__", "__rfloordiv__", oy_floor_divide, NULL, NULL)
SIGN(remainder, "remainder", "__rmod__", oy_remainder_Tensor, oy_remainder_Scalar,
     oy_remainder_Scalar_Tensor)
SIGN(and, "__and__", "__rand__", oy_bitwise_and_Tensor, oy_bitwise_and_Scalar,
     oy_bitwise_and_Scalar_Tensor)
SIGN(or, "__or__", "__ror__", oy_bitwise_or_Tensor, oy_bitwise_or_Scalar,
     oy_bitwise_or_Scalar_Tensor)
SIGN(xor, "__xor__", "__rxor__", oy_bitwise_xor_Tensor, oy_bitwise_xor_Scalar,
     oy_bitwise_xor_Scalar_Tensor)
SIGN(lshift, "__lshift__", "__rlshift__", oy___lshift___Tensor, oy___lshift___Scalar,
     oy_bitwise_left_shift_Scalar_Tensor)
SIGN(rshift, "__rshift__", "__rrshift__", oy___rshift___Tensor, oy___rshift___Scalar,
     oy_bitwise_right_shift_Scalar_Tensor)

SIGN_IN_PLACE(add, "add_", NULL, add_to, NULL, NULL)
SIGN_IN_PLACE(sub, "sub_", NULL, sub_from, NULL, NULL)
SIGN_IN_PLACE(mul, "mul_", NULL, oy_mul__Tensor, NULL, NULL)
SIGN_IN_PLACE(div, "div_", NULL, oy_div__Tensor, NULL, NULL)
SIGN_IN_PLACE(floor_divide, "__ifloordiv__", NULL, oy_floor_divide__Tensor, NULL, NULL)
SIGN_IN_PLACE(remainder, "remainder_", NULL, oy_remainder__Tensor, oy_remainder__Scalar,
              NULL)
SIGN_IN_PLACE(and, "__iand__", NULL, oy_bitwise_and__Tensor, oy_bitwise_and__Scalar, NULL)
SIGN_IN_PLACE(or, "__ior__", NULL, oy_bitwise_or__Tensor, oy_bitwise_or__Scalar, NULL)
SIGN_IN_PLACE(xor, "__ixor__", NULL, oy_bitwise_xor__Tensor, oy_bitwise_xor__Scalar, NULL)
SIGN_IN_PLACE(lshift, "__ilshift__", NULL, oy___ilshift___Tensor, oy___ilshift___Scalar,
              NULL)
SIGN_IN_PLACE(rshift, "__irshift__", NULL, oy___irshift___Tensor, oy___irshift___Scalar,
              NULL)

static PyObject* slot_pow(PyObject* a, PyObject* b, PyObject* modulus) {
  static const sign g_sign = {"pow", "__rpow__", oy_pow_Tensor_Tensor,
                              oy_pow_Tensor_Scalar, oy_pow_Scalar};
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  return apply(&g_sign, a, b);
}

static PyObject* slot_ipow(PyObject* a, PyObject* b, PyObject* modulus) {
  static const sign g_sign = {"pow_", NULL, oy_pow__Tensor, oy_pow__Scalar, NULL};
  if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
  return apply_to(&g_sign, a, b);
}

static PyObject* slot_matmul(PyObject* a, PyObject* b) {
  oy_tensor *left = pyoy_unwrap(a), *right = pyoy_unwrap(b);
  static const sign g_sign = {"matmul", "__rmatmul__", NULL, NULL, NULL};
  if (OY_UNLIKELY(is_overridden(a, b))) return ask(&g_sign, a, b);
  if (!left || !right) return Py_NewRef(Py_NotImplemented);
  return pyoy_wrap(run(oy_matmul, left, right));
}

PyObject* pyoy_tensor_compare(PyObject* a, PyObject* b, int op) {
  static const sign signs[] = {
      [Py_LT] = {"lt", "gt", oy_lt_Tensor, oy_lt_Scalar, NULL},
      [Py_LE] = {"le", "ge", oy_le_Tensor, oy_le_Scalar, NULL},
      [Py_EQ] = {"eq", "eq", oy_eq_Tensor, oy_eq_Scalar, NULL},
      [Py_NE] = {"ne", "ne", oy_ne_Tensor, oy_ne_Scalar, NULL},
      [Py_GT] = {"gt", "lt", oy_gt_Tensor, oy_gt_Scalar, NULL},
      [Py_GE] = {"ge", "le", oy_ge_Tensor, oy_ge_Scalar, NULL},
  };
  return apply(&signs[op], a, b);
}

// ----------------------------------------------------------------- one operand

static PyObject* unary(unary_fn fn, const char* name, PyObject* self) {
  if (OY_UNLIKELY(pyoy_overrides(self))) return pyoy_override_method(name, &self, 1);
  oy_tensor *tensor = pyoy_unwrap(self), *result;
  if (!is_long(tensor, tensor)) return pyoy_wrap(fn(tensor));
  Py_BEGIN_ALLOW_THREADS;
  result = fn(tensor);
  Py_END_ALLOW_THREADS;
  return pyoy_wrap(result);
}
static PyObject* slot_neg(PyObject* self) {
  return unary(oy_neg, "neg", self);
}
static PyObject* slot_pos(PyObject* self) {
  return unary(oy_positive, "positive", self);
}
static PyObject* slot_abs(PyObject* self) {
  return unary(oy_abs, "abs", self);
}
static PyObject* slot_invert(PyObject* self) {
  return unary(oy_bitwise_not, "__invert__", self);
}

const PyType_Slot pyoy_tensor_signs[] = {
    {Py_nb_add, slot_add},
    {Py_nb_subtract, slot_sub},
    {Py_nb_multiply, slot_mul},
    {Py_nb_true_divide, slot_div},
    {Py_nb_floor_divide, slot_floor_divide},
    {Py_nb_remainder, slot_remainder},
    {Py_nb_power, slot_pow},
    {Py_nb_matrix_multiply, slot_matmul},
    {Py_nb_and, slot_and},
    {Py_nb_or, slot_or},
    {Py_nb_xor, slot_xor},
    {Py_nb_lshift, slot_lshift},
    {Py_nb_rshift, slot_rshift},
    {Py_nb_inplace_add, slot_iadd},
    {Py_nb_inplace_subtract, slot_isub},
    {Py_nb_inplace_multiply, slot_imul},
    {Py_nb_inplace_true_divide, slot_idiv},
    {Py_nb_inplace_floor_divide, slot_ifloor_divide},
    {Py_nb_inplace_remainder, slot_iremainder},
    {Py_nb_inplace_power, slot_ipow},
    {Py_nb_inplace_and, slot_iand},
    {Py_nb_inplace_or, slot_ior},
    {Py_nb_inplace_xor, slot_ixor},
    {Py_nb_inplace_lshift, slot_ilshift},
    {Py_nb_inplace_rshift, slot_irshift},
    {Py_nb_negative, slot_neg},
    {Py_nb_positive, slot_pos},
    {Py_nb_absolute, slot_abs},
    {Py_nb_invert, slot_invert},
    {0, NULL},
};
