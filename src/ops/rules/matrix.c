// SPDX-License-Identifier: Apache-2.0
#include "ops/rules/matrix.h"

#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/iterator.h"

static oyi_tensor* refuse(oy_status status) {
  (void)status;
  return NULL;
}
#define REFUSE(...) return refuse(OY_FAIL(INVALID_ARGUMENT, __VA_ARGS__))

// What is multiplied lies on one device and has one dtype, which PyTorch says in three ways.
static inline oy_status check_operands(const oyi_tensor* a, const oyi_tensor* b) {
  OY_TRY(oyi_check_same_device(a, b));
  OY_CHECK(a->header.dtype == b->header.dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(a->header.dtype),
           oy_dtype_pytorch_name(b->header.dtype));
  return OY_OK;
}
static inline oy_status check_matrices(const oyi_tensor* a, const oyi_tensor* b) {
  OY_TRY(oyi_check_same_device(a, b));
  OY_CHECK(a->header.dtype == b->header.dtype, TYPE_MISMATCH,
           "expected m1 and m2 to have the same dtype, but got: %s != %s",
           oyi_dtype_cpp_name(a->header.dtype), oyi_dtype_cpp_name(b->header.dtype));
  return OY_OK;
}
static oy_status check_with_mat2(const oyi_tensor* t, const oyi_tensor* b,
                                 const char* name) {
  OY_TRY(oyi_check_same_device(t, b));
  OY_CHECK(t->header.dtype == b->header.dtype, TYPE_MISMATCH,
           "%s and mat2 must have the same dtype, but got %s and %s", name,
           oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(b->header.dtype));
  return OY_OK;
}
// Of addmm, and of addbmm, which is one for each matrix, in place.
static __attribute__((noinline)) oy_status check_addmm(oy_object* self, oy_object* out,
                                                       const oyi_tensor* a,
                                                       const oyi_tensor* b) {
  const oyi_tensor* s = oyi_tensor_of(out ? out : self);
  if (!s) return oy_failure();
  OY_TRY(check_with_mat2(s, b, "self"));
  return check_with_mat2(a, b, "mat1");
}

// A product reads its inputs many times, so it cannot write over them.
static oy_status check_apart(const oyi_tensor* o, const oyi_tensor* a,
                             const oyi_tensor* b) {
  const oyi_tensor* inputs[] = {a, b};
  OY_TRY(oyi_output_check_overlap(o, inputs, 2));
  return o == a || o == b ? oyi_output_overlaps() : OY_OK;
}

// |self| must broadcast to the result; of vectors and batches it may have another dtype.
static __attribute__((noinline)) oy_status check_added(oy_object* self,
                                                       const oyi_tensor* a,
                                                       oy_ints sizes) {
  const oyi_tensor* s = oyi_tensor_of(self);
  if (!s) return oy_failure();
  OY_TRY(oyi_check_same_device(s, a));
  oy_object* wide = oy_tensor_expand(self, sizes);
  if (!wide) return oy_failure();
  oy_tensor_release(wide);
  return OY_OK;
}

static oyi_tensor* output(oy_object* self, const oyi_tensor* a, const oyi_tensor* b,
                          oy_object* out, oy_ints sizes) {
  oy_dtype dtype = a->header.dtype;
  if (self && check_added(self, a, sizes) != 0) return NULL;
  if (!out) return oyi_tensor_new(sizes, dtype, oyi_tensor_device(a));
  oyi_tensor* o = oyi_tensor_of(out);
  if (!o || check_apart(o, a, b) != 0) return NULL;
  if (out == self && o->header.dtype != dtype)
    REFUSE(
        "Bad in-place call: input tensor dtype %s and output tensor dtype %s should "
        "match",
        oyi_dtype_cpp_name(o->header.dtype), oyi_dtype_cpp_name(dtype));
  if (oyi_output_check_exact(o, dtype) != 0) return NULL;
  if (out == self && !oyi_same_sizes(oyi_sizes_view(o), sizes))
    REFUSE(
        "Bad in-place call: input tensor size %s and output tensor size %s should match",
        oyi_dims_print(oyi_sizes_view(o)).text, oyi_dims_print(sizes).text);
  return oyi_output_prepare(o, sizes, dtype, oyi_tensor_device(a)) == 0 ? o : NULL;
}

oyi_tensor* oyi_rule_mm(oy_object* self, oy_object* mat1, oy_object* mat2,
                        oy_object* out) {
  const oyi_tensor* a = oyi_tensor_of(mat1);
  const oyi_tensor* b = a ? oyi_tensor_of(mat2) : NULL;
  if (!b) return NULL;
  if (self && check_addmm(self, NULL, a, b) != 0) return NULL;
  const oyi_tensor* wrong = a->ndim != 2 ? a : b->ndim != 2 ? b : NULL;
  const char* name = wrong == b ? "mat2" : self ? "mat1" : "self";
  if (wrong && self) REFUSE("%s must be a matrix, got %d-D tensor", name, wrong->ndim);
  if (wrong) REFUSE("%s must be a matrix", name);
  if (a->sizes[1] != b->sizes[0])
    REFUSE("mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
           (long long)a->sizes[0], (long long)a->sizes[1], (long long)b->sizes[0],
           (long long)b->sizes[1]);
  if (!self && check_matrices(a, b) != 0) return NULL;
  int64_t shape[2] = {a->sizes[0], b->sizes[1]};
  return output(self, a, b, out, (oy_ints){shape, 2});
}

static oy_status check_int_mm(const oyi_tensor* a, const oyi_tensor* b) {
  OY_CHECK(a->ndim == 2, INVALID_ARGUMENT,
           "int_mm_out_cpu: Expected self to be of dimension 2 but got %d", a->ndim);
  OY_CHECK(b->ndim == 2, INVALID_ARGUMENT,
           "int_mm_out_cpu: Expected mat2 to be of dimension 2 but got %d", b->ndim);
  OY_CHECK(a->sizes[1] == b->sizes[0], INVALID_ARGUMENT,
           "int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got %lld and "
           "%lld",
           (long long)a->sizes[1], (long long)b->sizes[0]);
  const oyi_tensor* wrong = a->header.dtype != OY_DTYPE_I8   ? a
                            : b->header.dtype != OY_DTYPE_I8 ? b
                                                             : NULL;
  OY_CHECK(!wrong, TYPE_MISMATCH,
           "int_mm_out_cpu: Expected %s dtype to be of type int8 but got %s",
           wrong == b ? "mat2" : "self", oy_dtype_pytorch_name(wrong->header.dtype));
  return oyi_check_same_device(a, b);
}

oyi_tensor* oyi_rule_int_mm(oy_object* self, oy_object* mat2, oy_object* out) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(mat2) : NULL;
  if (!b || check_int_mm(a, b) != 0) return NULL;
  int64_t shape[2] = {a->sizes[0], b->sizes[1]};
  const oy_ints sizes = {shape, 2};
  if (!out) return oyi_tensor_new(sizes, OY_DTYPE_I32, oyi_tensor_device(a));
  oyi_tensor* o = oyi_tensor_of(out);
  if (!o || check_apart(o, a, b) != 0) return NULL;
  if (o->header.dtype != OY_DTYPE_I32) {
    OY_FAIL(TYPE_MISMATCH,
            "int_mm_out_cpu: Expected result dtype to be of type kInt but got %s",
            oy_dtype_pytorch_name(o->header.dtype));
    return NULL;
  }
  return oyi_output_prepare(o, sizes, OY_DTYPE_I32, oyi_tensor_device(a)) == 0 ? o : NULL;
}

oyi_tensor* oyi_rule_bmm(oy_object* self, oy_object* batch1, oy_object* batch2,
                         oy_object* out, bool sums) {
  const oyi_tensor* a = oyi_tensor_of(batch1);
  const oyi_tensor* b = a ? oyi_tensor_of(batch2) : NULL;
  if (!b) return NULL;
  if (a->ndim != 3 || b->ndim != 3)
    REFUSE("%s must be a 3D tensor", a->ndim != 3 ? "batch1" : "batch2");
  if (a->sizes[0] != b->sizes[0] || a->sizes[2] != b->sizes[1])
    REFUSE(
        "Expected size for first two dimensions of batch2 tensor to be: [%lld, %lld] "
        "but got: [%lld, %lld].",
        (long long)a->sizes[0], (long long)a->sizes[2], (long long)b->sizes[0],
        (long long)b->sizes[1]);
  if (sums ? check_addmm(self, out, a, b) != 0 : check_operands(a, b) != 0) return NULL;
  int64_t shape[3] = {a->sizes[0], a->sizes[1], b->sizes[2]};
  return output(self, a, b, out, sums ? (oy_ints){shape + 1, 2} : (oy_ints){shape, 3});
}

oyi_tensor* oyi_rule_addmv(oy_object* self, oy_object* mat, oy_object* vec,
                           oy_object* out) {
  const oyi_tensor* s = oyi_tensor_of(self);
  const oyi_tensor* a = s ? oyi_tensor_of(mat) : NULL;
  const oyi_tensor* v = a ? oyi_tensor_of(vec) : NULL;
  if (!v) return NULL;
  if (a->ndim != 2 || v->ndim != 1 || s->ndim > 1)
    REFUSE("vector + matrix @ vector expected, got %d, %d, %d", s->ndim, a->ndim,
           v->ndim);
  if (a->sizes[1] != v->sizes[0] || (a->sizes[0] != s->numel && s->numel != 1))
    REFUSE("size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)",
           (long long)s->numel, (long long)a->sizes[0], (long long)a->sizes[1],
           (long long)v->sizes[0]);
  if (check_operands(a, v) != 0) return NULL;
  return output(self, a, v, out, (oy_ints){a->sizes, 1});
}

// A new result of addr lies in memory as an elementwise one does: as |self|, |a| as a
// column and |b| decide.
static oyi_tensor* new_outer(oy_object* self, oy_object* a, const oyi_tensor* b,
                             oy_ints sizes) {
  int64_t strides[2];
  const oyi_tensor* s = oyi_tensor_of(self);
  oy_object* column =
      s && check_added(self, b, sizes) == OY_OK ? oyi_call_unsqueeze(a, 1) : NULL;
  if (!column) return NULL;
  const oyi_tensor* in[] = {s, oyi_tensor_cast(column), b};
  const bool contiguous = oyi_output_layout(in, 3, sizes, strides);
  oy_tensor_release(column);
  const oy_dtype dtype = b->header.dtype;
  return contiguous ? oyi_tensor_new(sizes, dtype, oyi_tensor_device(b))
                    : oyi_tensor_new_strided(sizes, (oy_ints){strides, 2}, dtype,
                                             oyi_tensor_device(b));
}

oyi_tensor* oyi_rule_addr(oy_object* self, oy_object* vec1, oy_object* vec2,
                          oy_object* out) {
  const oyi_tensor* a = oyi_tensor_of(vec1);
  const oyi_tensor* b = a ? oyi_tensor_of(vec2) : NULL;
  if (!b) return NULL;
  if (a->ndim != 1) REFUSE("addr: Expected 1-D argument vec1, but got %d-D", a->ndim);
  if (b->ndim != 1) REFUSE("addr: Expected 1-D argument vec2, but got %d-D", b->ndim);
  if (check_operands(a, b) != 0) return NULL;
  int64_t shape[2] = {a->sizes[0], b->sizes[0]};
  const oy_ints sizes = {shape, 2};
  return out ? output(self, a, b, out, sizes) : new_outer(self, vec1, b, sizes);
}

oyi_tensor* oyi_rule_dot(oy_object* self, oy_object* other, oy_object* out) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  if (!b || oyi_check_same_device(a, b) != 0) return NULL;
  if (a->ndim != 1 || b->ndim != 1)
    REFUSE("1D tensors expected, but got %uD and %uD tensors", a->ndim, b->ndim);
  if (a->header.dtype != b->header.dtype)
    REFUSE("dot : expected both vectors to have same dtype, but found %s and %s",
           oy_dtype_pytorch_name(a->header.dtype),
           oy_dtype_pytorch_name(b->header.dtype));
  if (a->numel != b->numel)
    REFUSE(
        "inconsistent tensor size, expected tensor [%lld] and src [%lld] to have "
        "the same number of elements, but got %lld and %lld elements respectively",
        (long long)a->numel, (long long)b->numel, (long long)a->numel,
        (long long)b->numel);
  return output(NULL, a, b, out, oy_dims_none());
}

oy_status oyi_check_alpha_beta(oy_dtype dtype, oy_scalar alpha, oy_scalar beta) {
  OY_TRY(oyi_check_alpha(dtype, alpha));
  OY_CHECK(beta.tag != OY_TAG_BOOL || dtype == OY_DTYPE_BOOL, TYPE_MISMATCH,
           "Boolean beta only supported for Boolean results.");
  OY_CHECK(oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype) ||
               beta.tag == OY_TAG_INT || beta.tag == OY_TAG_BOOL,
           TYPE_MISMATCH,
           "For integral input tensors, argument beta must not be a floating point "
           "number.");
  return OY_OK;
}

const oyi_tensor* oyi_check_numbers(oy_object* a, const char* name) {
  const oyi_tensor* t = oyi_tensor_of(a);
  if (!t) return NULL;
  if (t->ndim < 2) {
    OY_FAIL(INVALID_ARGUMENT, "%s: The input tensor A must have at least 2 dimensions.",
            name);
    return NULL;
  }
  if (oy_dtype_is_floating(a->dtype) || oy_dtype_is_complex(a->dtype)) return t;
  OY_FAIL(INVALID_ARGUMENT,
          "%s: Expected a floating point or complex tensor as input. Got %s", name,
          oy_dtype_pytorch_name(a->dtype));
  return NULL;
}
