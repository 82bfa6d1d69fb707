// SPDX-License-Identifier: Apache-2.0
// Made by opgen; changes go into what it was made from.
//
// Trampolines, three for each signature class: box is the typed call of a boxed kernel,
// unbox the boxed call of a typed one, variant picks a kernel by dtype.
#include "opyard/trampoline.h"

OY_API oy_status oy_register_trampolines_ops(void);

// IIvvvv>t
typedef oy_object* (*fn_IIvvvv_t)(const oy_op*, oy_keyset, oy_ints, oy_ints, oy_value,
    oy_value, oy_value, oy_value);

static oy_object* box_IIvvvv_t(const oy_op* op, oy_keyset keys, oy_ints a0, oy_ints a1,
    oy_value a2, oy_value a3, oy_value a4, oy_value a5) {
  oy_value storage[6];
  oy_stack stack;
  oy_stack_init(&stack, storage, 6);
  stack.from_typed = 1;
  storage[0] = oy_box_I(a0);
  storage[1] = oy_box_I(a1);
  storage[2] = oy_box_v(a2);
  storage[3] = oy_box_v(a3);
  storage[4] = oy_box_v(a4);
  storage[5] = oy_box_v(a5);
  stack.size = 6;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_IIvvvv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 6);
  if (OY_UNLIKELY(!(oy_fits_I(v[0]) && oy_fits_I(v[1]) && oy_fits_v(v[2]) &&
      oy_fits_v(v[3]) && oy_fits_v(v[4]) && oy_fits_v(v[5]))))
    OY_TRY(oy_unbox_convert(op, stack, "IIvvvv", 6));
  oy_object* result = ((fn_IIvvvv_t)kernel->typed)(op, keys, oy_unbox_I(v[0]),
      oy_unbox_I(v[1]), oy_unbox_v(v[2]), oy_unbox_v(v[3]), oy_unbox_v(v[4]),
      oy_unbox_v(v[5]));
  return oy_unbox_object(op, stack, 6, result);
}

static oy_object* variant_IIvvvv_t(const oy_op* op, oy_keyset keys, oy_ints a0,
    oy_ints a1, oy_value a2, oy_value a3, oy_value a4, oy_value a5) {
  oy_pick pick;
  pick.count = 0;
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_IIvvvv_t)kernel->typed)(op, keys, a0, a1, a2, a3, a4, a5);
}

// Ivvvv>t
typedef oy_object* (*fn_Ivvvv_t)(const oy_op*, oy_keyset, oy_ints, oy_value, oy_value,
    oy_value, oy_value);

static oy_object* box_Ivvvv_t(const oy_op* op, oy_keyset keys, oy_ints a0, oy_value a1,
    oy_value a2, oy_value a3, oy_value a4) {
  oy_value storage[5];
  oy_stack stack;
  oy_stack_init(&stack, storage, 5);
  stack.from_typed = 1;
  storage[0] = oy_box_I(a0);
  storage[1] = oy_box_v(a1);
  storage[2] = oy_box_v(a2);
  storage[3] = oy_box_v(a3);
  storage[4] = oy_box_v(a4);
  stack.size = 5;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_Ivvvv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 5);
  if (OY_UNLIKELY(!(oy_fits_I(v[0]) && oy_fits_v(v[1]) && oy_fits_v(v[2]) &&
      oy_fits_v(v[3]) && oy_fits_v(v[4]))))
    OY_TRY(oy_unbox_convert(op, stack, "Ivvvv", 5));
  oy_object* result = ((fn_Ivvvv_t)kernel->typed)(op, keys, oy_unbox_I(v[0]),
      oy_unbox_v(v[1]), oy_unbox_v(v[2]), oy_unbox_v(v[3]), oy_unbox_v(v[4]));
  return oy_unbox_object(op, stack, 5, result);
}

static oy_object* variant_Ivvvv_t(const oy_op* op, oy_keyset keys, oy_ints a0,
    oy_value a1, oy_value a2, oy_value a3, oy_value a4) {
  oy_pick pick;
  pick.count = 0;
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_Ivvvv_t)kernel->typed)(op, keys, a0, a1, a2, a3, a4);
}

// Ivvvvv>t
typedef oy_object* (*fn_Ivvvvv_t)(const oy_op*, oy_keyset, oy_ints, oy_value, oy_value,
    oy_value, oy_value, oy_value);

static oy_object* box_Ivvvvv_t(const oy_op* op, oy_keyset keys, oy_ints a0, oy_value a1,
    oy_value a2, oy_value a3, oy_value a4, oy_value a5) {
  oy_value storage[6];
  oy_stack stack;
  oy_stack_init(&stack, storage, 6);
  stack.from_typed = 1;
  storage[0] = oy_box_I(a0);
  storage[1] = oy_box_v(a1);
  storage[2] = oy_box_v(a2);
  storage[3] = oy_box_v(a3);
  storage[4] = oy_box_v(a4);
  storage[5] = oy_box_v(a5);
  stack.size = 6;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_Ivvvvv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 6);
  if (OY_UNLIKELY(!(oy_fits_I(v[0]) && oy_fits_v(v[1]) && oy_fits_v(v[2]) &&
      oy_fits_v(v[3]) && oy_fits_v(v[4]) && oy_fits_v(v[5]))))
    OY_TRY(oy_unbox_convert(op, stack, "Ivvvvv", 6));
  oy_object* result = ((fn_Ivvvvv_t)kernel->typed)(op, keys, oy_unbox_I(v[0]),
      oy_unbox_v(v[1]), oy_unbox_v(v[2]), oy_unbox_v(v[3]), oy_unbox_v(v[4]),
      oy_unbox_v(v[5]));
  return oy_unbox_object(op, stack, 6, result);
}

static oy_object* variant_Ivvvvv_t(const oy_op* op, oy_keyset keys, oy_ints a0,
    oy_value a1, oy_value a2, oy_value a3, oy_value a4, oy_value a5) {
  oy_pick pick;
  pick.count = 0;
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_Ivvvvv_t)kernel->typed)(op, keys, a0, a1, a2, a3, a4, a5);
}

// t>r0
typedef oy_object* (*fn_t_r0)(const oy_op*, oy_keyset, oy_object*);

static oy_object* box_t_r0(const oy_op* op, oy_keyset keys, oy_object* a0) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[1];
  oy_stack stack;
  oy_stack_init(&stack, storage, 1);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  stack.size = 1;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a0);
}

static oy_status unbox_t_r0(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 1);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]))))
    OY_TRY(oy_unbox_convert(op, stack, "t", 1));
  oy_object* result = ((fn_t_r0)kernel->typed)(op, keys, oy_unbox_t(v[0]));
  return oy_unbox_argument(op, stack, 1, result);
}

static oy_object* variant_t_r0(const oy_op* op, oy_keyset keys, oy_object* a0) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_t_r0)kernel->typed)(op, keys, a0);
}

// t>t
typedef oy_object* (*fn_t_t)(const oy_op*, oy_keyset, oy_object*);

static oy_object* box_t_t(const oy_op* op, oy_keyset keys, oy_object* a0) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[1];
  oy_stack stack;
  oy_stack_init(&stack, storage, 1);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  stack.size = 1;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_t_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 1);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]))))
    OY_TRY(oy_unbox_convert(op, stack, "t", 1));
  oy_object* result = ((fn_t_t)kernel->typed)(op, keys, oy_unbox_t(v[0]));
  return oy_unbox_object(op, stack, 1, result);
}

static oy_object* variant_t_t(const oy_op* op, oy_keyset keys, oy_object* a0) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_t_t)kernel->typed)(op, keys, a0);
}

// t>v
typedef oy_status (*fn_t_v)(const oy_op*, oy_keyset, oy_object*, oy_value*);

static oy_status box_t_v(const oy_op* op, oy_keyset keys, oy_object* a0, oy_value* r0) {
  if (OY_UNLIKELY(!a0)) return oy_box_null_status(op, 0);
  oy_value storage[1];
  oy_stack stack;
  oy_stack_init(&stack, storage, 1);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  stack.size = 1;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  status = oy_box_check(op, &stack, status, "v");
  if (status == 0) {
    *r0 = stack.data[0];
    stack.size = 0;
  }
  oy_stack_reset(&stack);
  return status;
}

static oy_status unbox_t_v(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 1);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]))))
    OY_TRY(oy_unbox_convert(op, stack, "t", 1));
  oy_value r0;
  oy_status status = ((fn_t_v)kernel->typed)(op, keys, oy_unbox_t(v[0]), &r0);
  if (OY_UNLIKELY(status != 0))
    return oy_unbox_finish(stack, 1, status, NULL, 0);
  oy_value results[] = {r0};
  return oy_unbox_finish(stack, 1, status, results, 1);
}

static oy_status variant_t_v(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value* r0) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return oy_error_get()->code;
  return ((fn_t_v)kernel->typed)(op, keys, a0, r0);
}

// tI>t
typedef oy_object* (*fn_tI_t)(const oy_op*, oy_keyset, oy_object*, oy_ints);

static oy_object* box_tI_t(const oy_op* op, oy_keyset keys, oy_object* a0, oy_ints a1) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_I(a1);
  stack.size = 2;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tI_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 2);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_I(v[1]))))
    OY_TRY(oy_unbox_convert(op, stack, "tI", 2));
  oy_object* result = ((fn_tI_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_I(v[1]));
  return oy_unbox_object(op, stack, 2, result);
}

static oy_object* variant_tI_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_ints a1) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tI_t)kernel->typed)(op, keys, a0, a1);
}

// tIIv>t
typedef oy_object* (*fn_tIIv_t)(const oy_op*, oy_keyset, oy_object*, oy_ints, oy_ints,
    oy_value);

static oy_object* box_tIIv_t(const oy_op* op, oy_keyset keys, oy_object* a0, oy_ints a1,
    oy_ints a2, oy_value a3) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_I(a1);
  storage[2] = oy_box_I(a2);
  storage[3] = oy_box_v(a3);
  stack.size = 4;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tIIv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 4);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_I(v[1]) && oy_fits_I(v[2]) &&
      oy_fits_v(v[3]))))
    OY_TRY(oy_unbox_convert(op, stack, "tIIv", 4));
  oy_object* result = ((fn_tIIv_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_I(v[1]), oy_unbox_I(v[2]), oy_unbox_v(v[3]));
  return oy_unbox_object(op, stack, 4, result);
}

static oy_object* variant_tIIv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_ints a1, oy_ints a2, oy_value a3) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tIIv_t)kernel->typed)(op, keys, a0, a1, a2, a3);
}

// tIb>t
typedef oy_object* (*fn_tIb_t)(const oy_op*, oy_keyset, oy_object*, oy_ints, bool);

static oy_object* box_tIb_t(const oy_op* op, oy_keyset keys, oy_object* a0, oy_ints a1,
    bool a2) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[3];
  oy_stack stack;
  oy_stack_init(&stack, storage, 3);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_I(a1);
  storage[2] = oy_box_b(a2);
  stack.size = 3;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tIb_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 3);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_I(v[1]) && oy_fits_b(v[2]))))
    OY_TRY(oy_unbox_convert(op, stack, "tIb", 3));
  oy_object* result = ((fn_tIb_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_I(v[1]), oy_unbox_b(v[2]));
  return oy_unbox_object(op, stack, 3, result);
}

static oy_object* variant_tIb_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_ints a1, bool a2) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tIb_t)kernel->typed)(op, keys, a0, a1, a2);
}

// tIbv>t
typedef oy_object* (*fn_tIbv_t)(const oy_op*, oy_keyset, oy_object*, oy_ints, bool,
    oy_value);

static oy_object* box_tIbv_t(const oy_op* op, oy_keyset keys, oy_object* a0, oy_ints a1,
    bool a2, oy_value a3) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_I(a1);
  storage[2] = oy_box_b(a2);
  storage[3] = oy_box_v(a3);
  stack.size = 4;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tIbv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 4);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_I(v[1]) && oy_fits_b(v[2]) &&
      oy_fits_v(v[3]))))
    OY_TRY(oy_unbox_convert(op, stack, "tIbv", 4));
  oy_object* result = ((fn_tIbv_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_I(v[1]), oy_unbox_b(v[2]), oy_unbox_v(v[3]));
  return oy_unbox_object(op, stack, 4, result);
}

static oy_object* variant_tIbv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_ints a1, bool a2, oy_value a3) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tIbv_t)kernel->typed)(op, keys, a0, a1, a2, a3);
}

// tIbvt>r4
typedef oy_object* (*fn_tIbvt_r4)(const oy_op*, oy_keyset, oy_object*, oy_ints, bool,
    oy_value, oy_object*);

static oy_object* box_tIbvt_r4(const oy_op* op, oy_keyset keys, oy_object* a0, oy_ints a1,
    bool a2, oy_value a3, oy_object* a4) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  if (OY_UNLIKELY(!a4)) return oy_box_null(op, 4);
  oy_value storage[5];
  oy_stack stack;
  oy_stack_init(&stack, storage, 5);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_I(a1);
  storage[2] = oy_box_b(a2);
  storage[3] = oy_box_v(a3);
  storage[4] = oy_box_t(a4);
  stack.size = 5;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a4);
}

static oy_status unbox_tIbvt_r4(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 5);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_I(v[1]) && oy_fits_b(v[2]) &&
      oy_fits_v(v[3]) && oy_fits_t(v[4]))))
    OY_TRY(oy_unbox_convert(op, stack, "tIbvt", 5));
  oy_object* result = ((fn_tIbvt_r4)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_I(v[1]), oy_unbox_b(v[2]), oy_unbox_v(v[3]), oy_unbox_t(v[4]));
  return oy_unbox_argument(op, stack, 5, result);
}

static oy_object* variant_tIbvt_r4(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_ints a1, bool a2, oy_value a3, oy_object* a4) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  oy_pick_add(&pick, a4);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tIbvt_r4)kernel->typed)(op, keys, a0, a1, a2, a3, a4);
}

// ti>t
typedef oy_object* (*fn_ti_t)(const oy_op*, oy_keyset, oy_object*, int64_t);

static oy_object* box_ti_t(const oy_op* op, oy_keyset keys, oy_object* a0, int64_t a1) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_i(a1);
  stack.size = 2;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_ti_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 2);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_i(v[1]))))
    OY_TRY(oy_unbox_convert(op, stack, "ti", 2));
  oy_object* result = ((fn_ti_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_i(v[1]));
  return oy_unbox_object(op, stack, 2, result);
}

static oy_object* variant_ti_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    int64_t a1) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_ti_t)kernel->typed)(op, keys, a0, a1);
}

// tibbv>t
typedef oy_object* (*fn_tibbv_t)(const oy_op*, oy_keyset, oy_object*, int64_t, bool, bool,
    oy_value);

static oy_object* box_tibbv_t(const oy_op* op, oy_keyset keys, oy_object* a0, int64_t a1,
    bool a2, bool a3, oy_value a4) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[5];
  oy_stack stack;
  oy_stack_init(&stack, storage, 5);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_i(a1);
  storage[2] = oy_box_b(a2);
  storage[3] = oy_box_b(a3);
  storage[4] = oy_box_v(a4);
  stack.size = 5;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tibbv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 5);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_i(v[1]) && oy_fits_b(v[2]) &&
      oy_fits_b(v[3]) && oy_fits_v(v[4]))))
    OY_TRY(oy_unbox_convert(op, stack, "tibbv", 5));
  oy_object* result = ((fn_tibbv_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_i(v[1]), oy_unbox_b(v[2]), oy_unbox_b(v[3]), oy_unbox_v(v[4]));
  return oy_unbox_object(op, stack, 5, result);
}

static oy_object* variant_tibbv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    int64_t a1, bool a2, bool a3, oy_value a4) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tibbv_t)kernel->typed)(op, keys, a0, a1, a2, a3, a4);
}

// tii>t
typedef oy_object* (*fn_tii_t)(const oy_op*, oy_keyset, oy_object*, int64_t, int64_t);

static oy_object* box_tii_t(const oy_op* op, oy_keyset keys, oy_object* a0, int64_t a1,
    int64_t a2) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[3];
  oy_stack stack;
  oy_stack_init(&stack, storage, 3);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_i(a1);
  storage[2] = oy_box_i(a2);
  stack.size = 3;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tii_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 3);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_i(v[1]) && oy_fits_i(v[2]))))
    OY_TRY(oy_unbox_convert(op, stack, "tii", 3));
  oy_object* result = ((fn_tii_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_i(v[1]), oy_unbox_i(v[2]));
  return oy_unbox_object(op, stack, 3, result);
}

static oy_object* variant_tii_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    int64_t a1, int64_t a2) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tii_t)kernel->typed)(op, keys, a0, a1, a2);
}

// tt>r0
typedef oy_object* (*fn_tt_r0)(const oy_op*, oy_keyset, oy_object*, oy_object*);

static oy_object* box_tt_r0(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  if (OY_UNLIKELY(!a1)) return oy_box_null(op, 1);
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_t(a1);
  stack.size = 2;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a0);
}

static oy_status unbox_tt_r0(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 2);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_t(v[1]))))
    OY_TRY(oy_unbox_convert(op, stack, "tt", 2));
  oy_object* result = ((fn_tt_r0)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_t(v[1]));
  return oy_unbox_argument(op, stack, 2, result);
}

static oy_object* variant_tt_r0(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  oy_pick_add(&pick, a1);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tt_r0)kernel->typed)(op, keys, a0, a1);
}

// tt>r1
typedef oy_object* (*fn_tt_r1)(const oy_op*, oy_keyset, oy_object*, oy_object*);

static oy_object* box_tt_r1(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  if (OY_UNLIKELY(!a1)) return oy_box_null(op, 1);
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_t(a1);
  stack.size = 2;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a1);
}

static oy_status unbox_tt_r1(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 2);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_t(v[1]))))
    OY_TRY(oy_unbox_convert(op, stack, "tt", 2));
  oy_object* result = ((fn_tt_r1)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_t(v[1]));
  return oy_unbox_argument(op, stack, 2, result);
}

static oy_object* variant_tt_r1(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  oy_pick_add(&pick, a1);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tt_r1)kernel->typed)(op, keys, a0, a1);
}

// tt>t
typedef oy_object* (*fn_tt_t)(const oy_op*, oy_keyset, oy_object*, oy_object*);

static oy_object* box_tt_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  if (OY_UNLIKELY(!a1)) return oy_box_null(op, 1);
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_t(a1);
  stack.size = 2;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tt_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 2);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_t(v[1]))))
    OY_TRY(oy_unbox_convert(op, stack, "tt", 2));
  oy_object* result = ((fn_tt_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_t(v[1]));
  return oy_unbox_object(op, stack, 2, result);
}

static oy_object* variant_tt_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  oy_pick_add(&pick, a1);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tt_t)kernel->typed)(op, keys, a0, a1);
}

// ttb>r0
typedef oy_object* (*fn_ttb_r0)(const oy_op*, oy_keyset, oy_object*, oy_object*, bool);

static oy_object* box_ttb_r0(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1, bool a2) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  if (OY_UNLIKELY(!a1)) return oy_box_null(op, 1);
  oy_value storage[3];
  oy_stack stack;
  oy_stack_init(&stack, storage, 3);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_t(a1);
  storage[2] = oy_box_b(a2);
  stack.size = 3;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a0);
}

static oy_status unbox_ttb_r0(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 3);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_t(v[1]) && oy_fits_b(v[2]))))
    OY_TRY(oy_unbox_convert(op, stack, "ttb", 3));
  oy_object* result = ((fn_ttb_r0)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_t(v[1]), oy_unbox_b(v[2]));
  return oy_unbox_argument(op, stack, 3, result);
}

static oy_object* variant_ttb_r0(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1, bool a2) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  oy_pick_add(&pick, a1);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_ttb_r0)kernel->typed)(op, keys, a0, a1, a2);
}

// ttt>r2
typedef oy_object* (*fn_ttt_r2)(const oy_op*, oy_keyset, oy_object*, oy_object*,
    oy_object*);

static oy_object* box_ttt_r2(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1, oy_object* a2) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  if (OY_UNLIKELY(!a1)) return oy_box_null(op, 1);
  if (OY_UNLIKELY(!a2)) return oy_box_null(op, 2);
  oy_value storage[3];
  oy_stack stack;
  oy_stack_init(&stack, storage, 3);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_t(a1);
  storage[2] = oy_box_t(a2);
  stack.size = 3;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a2);
}

static oy_status unbox_ttt_r2(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 3);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_t(v[1]) && oy_fits_t(v[2]))))
    OY_TRY(oy_unbox_convert(op, stack, "ttt", 3));
  oy_object* result = ((fn_ttt_r2)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_t(v[1]), oy_unbox_t(v[2]));
  return oy_unbox_argument(op, stack, 3, result);
}

static oy_object* variant_ttt_r2(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1, oy_object* a2) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  oy_pick_add(&pick, a1);
  oy_pick_add(&pick, a2);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_ttt_r2)kernel->typed)(op, keys, a0, a1, a2);
}

// ttv>r0
typedef oy_object* (*fn_ttv_r0)(const oy_op*, oy_keyset, oy_object*, oy_object*,
    oy_value);

static oy_object* box_ttv_r0(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1, oy_value a2) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  if (OY_UNLIKELY(!a1)) return oy_box_null(op, 1);
  oy_value storage[3];
  oy_stack stack;
  oy_stack_init(&stack, storage, 3);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_t(a1);
  storage[2] = oy_box_v(a2);
  stack.size = 3;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a0);
}

static oy_status unbox_ttv_r0(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 3);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_t(v[1]) && oy_fits_v(v[2]))))
    OY_TRY(oy_unbox_convert(op, stack, "ttv", 3));
  oy_object* result = ((fn_ttv_r0)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_t(v[1]), oy_unbox_v(v[2]));
  return oy_unbox_argument(op, stack, 3, result);
}

static oy_object* variant_ttv_r0(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1, oy_value a2) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  oy_pick_add(&pick, a1);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_ttv_r0)kernel->typed)(op, keys, a0, a1, a2);
}

// ttv>t
typedef oy_object* (*fn_ttv_t)(const oy_op*, oy_keyset, oy_object*, oy_object*,
    oy_value);

static oy_object* box_ttv_t(const oy_op* op, oy_keyset keys, oy_object* a0, oy_object* a1,
    oy_value a2) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  if (OY_UNLIKELY(!a1)) return oy_box_null(op, 1);
  oy_value storage[3];
  oy_stack stack;
  oy_stack_init(&stack, storage, 3);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_t(a1);
  storage[2] = oy_box_v(a2);
  stack.size = 3;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_ttv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 3);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_t(v[1]) && oy_fits_v(v[2]))))
    OY_TRY(oy_unbox_convert(op, stack, "ttv", 3));
  oy_object* result = ((fn_ttv_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_t(v[1]), oy_unbox_v(v[2]));
  return oy_unbox_object(op, stack, 3, result);
}

static oy_object* variant_ttv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1, oy_value a2) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  oy_pick_add(&pick, a1);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_ttv_t)kernel->typed)(op, keys, a0, a1, a2);
}

// ttvt>r3
typedef oy_object* (*fn_ttvt_r3)(const oy_op*, oy_keyset, oy_object*, oy_object*,
    oy_value, oy_object*);

static oy_object* box_ttvt_r3(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1, oy_value a2, oy_object* a3) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  if (OY_UNLIKELY(!a1)) return oy_box_null(op, 1);
  if (OY_UNLIKELY(!a3)) return oy_box_null(op, 3);
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_t(a1);
  storage[2] = oy_box_v(a2);
  storage[3] = oy_box_t(a3);
  stack.size = 4;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a3);
}

static oy_status unbox_ttvt_r3(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 4);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_t(v[1]) && oy_fits_v(v[2]) &&
      oy_fits_t(v[3]))))
    OY_TRY(oy_unbox_convert(op, stack, "ttvt", 4));
  oy_object* result = ((fn_ttvt_r3)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_t(v[1]), oy_unbox_v(v[2]), oy_unbox_t(v[3]));
  return oy_unbox_argument(op, stack, 4, result);
}

static oy_object* variant_ttvt_r3(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_object* a1, oy_value a2, oy_object* a3) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  oy_pick_add(&pick, a1);
  oy_pick_add(&pick, a3);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_ttvt_r3)kernel->typed)(op, keys, a0, a1, a2, a3);
}

// tv>r0
typedef oy_object* (*fn_tv_r0)(const oy_op*, oy_keyset, oy_object*, oy_value);

static oy_object* box_tv_r0(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_v(a1);
  stack.size = 2;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a0);
}

static oy_status unbox_tv_r0(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 2);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_v(v[1]))))
    OY_TRY(oy_unbox_convert(op, stack, "tv", 2));
  oy_object* result = ((fn_tv_r0)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_v(v[1]));
  return oy_unbox_argument(op, stack, 2, result);
}

static oy_object* variant_tv_r0(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tv_r0)kernel->typed)(op, keys, a0, a1);
}

// tv>t
typedef oy_object* (*fn_tv_t)(const oy_op*, oy_keyset, oy_object*, oy_value);

static oy_object* box_tv_t(const oy_op* op, oy_keyset keys, oy_object* a0, oy_value a1) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_v(a1);
  stack.size = 2;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 2);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_v(v[1]))))
    OY_TRY(oy_unbox_convert(op, stack, "tv", 2));
  oy_object* result = ((fn_tv_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_v(v[1]));
  return oy_unbox_object(op, stack, 2, result);
}

static oy_object* variant_tv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tv_t)kernel->typed)(op, keys, a0, a1);
}

// tvv>r0
typedef oy_object* (*fn_tvv_r0)(const oy_op*, oy_keyset, oy_object*, oy_value,
    oy_value);

static oy_object* box_tvv_r0(const oy_op* op, oy_keyset keys, oy_object* a0, oy_value a1,
    oy_value a2) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[3];
  oy_stack stack;
  oy_stack_init(&stack, storage, 3);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_v(a1);
  storage[2] = oy_box_v(a2);
  stack.size = 3;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_argument(op, &stack, status, a0);
}

static oy_status unbox_tvv_r0(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 3);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_v(v[1]) && oy_fits_v(v[2]))))
    OY_TRY(oy_unbox_convert(op, stack, "tvv", 3));
  oy_object* result = ((fn_tvv_r0)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_v(v[1]), oy_unbox_v(v[2]));
  return oy_unbox_argument(op, stack, 3, result);
}

static oy_object* variant_tvv_r0(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1, oy_value a2) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tvv_r0)kernel->typed)(op, keys, a0, a1, a2);
}

// tvv>t
typedef oy_object* (*fn_tvv_t)(const oy_op*, oy_keyset, oy_object*, oy_value, oy_value);

static oy_object* box_tvv_t(const oy_op* op, oy_keyset keys, oy_object* a0, oy_value a1,
    oy_value a2) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[3];
  oy_stack stack;
  oy_stack_init(&stack, storage, 3);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_v(a1);
  storage[2] = oy_box_v(a2);
  stack.size = 3;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tvv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 3);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_v(v[1]) && oy_fits_v(v[2]))))
    OY_TRY(oy_unbox_convert(op, stack, "tvv", 3));
  oy_object* result = ((fn_tvv_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_v(v[1]), oy_unbox_v(v[2]));
  return oy_unbox_object(op, stack, 3, result);
}

static oy_object* variant_tvv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1, oy_value a2) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tvv_t)kernel->typed)(op, keys, a0, a1, a2);
}

// tvvvvbv>t
typedef oy_object* (*fn_tvvvvbv_t)(const oy_op*, oy_keyset, oy_object*, oy_value,
    oy_value, oy_value, oy_value, bool, oy_value);

static oy_object* box_tvvvvbv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1, oy_value a2, oy_value a3, oy_value a4, bool a5, oy_value a6) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[7];
  oy_stack stack;
  oy_stack_init(&stack, storage, 7);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_v(a1);
  storage[2] = oy_box_v(a2);
  storage[3] = oy_box_v(a3);
  storage[4] = oy_box_v(a4);
  storage[5] = oy_box_b(a5);
  storage[6] = oy_box_v(a6);
  stack.size = 7;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tvvvvbv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 7);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_v(v[1]) && oy_fits_v(v[2]) &&
      oy_fits_v(v[3]) && oy_fits_v(v[4]) && oy_fits_b(v[5]) && oy_fits_v(v[6]))))
    OY_TRY(oy_unbox_convert(op, stack, "tvvvvbv", 7));
  oy_object* result = ((fn_tvvvvbv_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_v(v[1]), oy_unbox_v(v[2]), oy_unbox_v(v[3]), oy_unbox_v(v[4]),
      oy_unbox_b(v[5]), oy_unbox_v(v[6]));
  return oy_unbox_object(op, stack, 7, result);
}

static oy_object* variant_tvvvvbv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1, oy_value a2, oy_value a3, oy_value a4, bool a5, oy_value a6) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tvvvvbv_t)kernel->typed)(op, keys, a0, a1, a2, a3, a4, a5, a6);
}

// tvvvvv>t
typedef oy_object* (*fn_tvvvvv_t)(const oy_op*, oy_keyset, oy_object*, oy_value, oy_value,
    oy_value, oy_value, oy_value);

static oy_object* box_tvvvvv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1, oy_value a2, oy_value a3, oy_value a4, oy_value a5) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[6];
  oy_stack stack;
  oy_stack_init(&stack, storage, 6);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_v(a1);
  storage[2] = oy_box_v(a2);
  storage[3] = oy_box_v(a3);
  storage[4] = oy_box_v(a4);
  storage[5] = oy_box_v(a5);
  stack.size = 6;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tvvvvv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 6);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_v(v[1]) && oy_fits_v(v[2]) &&
      oy_fits_v(v[3]) && oy_fits_v(v[4]) && oy_fits_v(v[5]))))
    OY_TRY(oy_unbox_convert(op, stack, "tvvvvv", 6));
  oy_object* result = ((fn_tvvvvv_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_v(v[1]), oy_unbox_v(v[2]), oy_unbox_v(v[3]), oy_unbox_v(v[4]),
      oy_unbox_v(v[5]));
  return oy_unbox_object(op, stack, 6, result);
}

static oy_object* variant_tvvvvv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1, oy_value a2, oy_value a3, oy_value a4, oy_value a5) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tvvvvv_t)kernel->typed)(op, keys, a0, a1, a2, a3, a4, a5);
}

// tvvvvvv>t
typedef oy_object* (*fn_tvvvvvv_t)(const oy_op*, oy_keyset, oy_object*, oy_value,
    oy_value, oy_value, oy_value, oy_value, oy_value);

static oy_object* box_tvvvvvv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1, oy_value a2, oy_value a3, oy_value a4, oy_value a5, oy_value a6) {
  if (OY_UNLIKELY(!a0)) return oy_box_null(op, 0);
  oy_value storage[7];
  oy_stack stack;
  oy_stack_init(&stack, storage, 7);
  stack.from_typed = 1;
  storage[0] = oy_box_t(a0);
  storage[1] = oy_box_v(a1);
  storage[2] = oy_box_v(a2);
  storage[3] = oy_box_v(a3);
  storage[4] = oy_box_v(a4);
  storage[5] = oy_box_v(a5);
  storage[6] = oy_box_v(a6);
  stack.size = 7;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_tvvvvvv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 7);
  if (OY_UNLIKELY(!(oy_fits_t(v[0]) && oy_fits_v(v[1]) && oy_fits_v(v[2]) &&
      oy_fits_v(v[3]) && oy_fits_v(v[4]) && oy_fits_v(v[5]) && oy_fits_v(v[6]))))
    OY_TRY(oy_unbox_convert(op, stack, "tvvvvvv", 7));
  oy_object* result = ((fn_tvvvvvv_t)kernel->typed)(op, keys, oy_unbox_t(v[0]),
      oy_unbox_v(v[1]), oy_unbox_v(v[2]), oy_unbox_v(v[3]), oy_unbox_v(v[4]),
      oy_unbox_v(v[5]), oy_unbox_v(v[6]));
  return oy_unbox_object(op, stack, 7, result);
}

static oy_object* variant_tvvvvvv_t(const oy_op* op, oy_keyset keys, oy_object* a0,
    oy_value a1, oy_value a2, oy_value a3, oy_value a4, oy_value a5, oy_value a6) {
  oy_pick pick;
  pick.count = 0;
  oy_pick_add(&pick, a0);
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_tvvvvvv_t)kernel->typed)(op, keys, a0, a1, a2, a3, a4, a5, a6);
}

// vvvvv>t
typedef oy_object* (*fn_vvvvv_t)(const oy_op*, oy_keyset, oy_value, oy_value, oy_value,
    oy_value, oy_value);

static oy_object* box_vvvvv_t(const oy_op* op, oy_keyset keys, oy_value a0, oy_value a1,
    oy_value a2, oy_value a3, oy_value a4) {
  oy_value storage[5];
  oy_stack stack;
  oy_stack_init(&stack, storage, 5);
  stack.from_typed = 1;
  storage[0] = oy_box_v(a0);
  storage[1] = oy_box_v(a1);
  storage[2] = oy_box_v(a2);
  storage[3] = oy_box_v(a3);
  storage[4] = oy_box_v(a4);
  stack.size = 5;
  const oy_kernel* kernel = oy_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return oy_box_object(op, &stack, status);
}

static oy_status unbox_vvvvv_t(const oy_op* op, oy_keyset keys, oy_stack* stack,
    const oy_kernel* kernel) {
  const oy_value* v = oy_stack_last(stack, 5);
  if (OY_UNLIKELY(!(oy_fits_v(v[0]) && oy_fits_v(v[1]) && oy_fits_v(v[2]) &&
      oy_fits_v(v[3]) && oy_fits_v(v[4]))))
    OY_TRY(oy_unbox_convert(op, stack, "vvvvv", 5));
  oy_object* result = ((fn_vvvvv_t)kernel->typed)(op, keys, oy_unbox_v(v[0]),
      oy_unbox_v(v[1]), oy_unbox_v(v[2]), oy_unbox_v(v[3]), oy_unbox_v(v[4]));
  return oy_unbox_object(op, stack, 5, result);
}

static oy_object* variant_vvvvv_t(const oy_op* op, oy_keyset keys, oy_value a0,
    oy_value a1, oy_value a2, oy_value a3, oy_value a4) {
  oy_pick pick;
  pick.count = 0;
  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);
  if (OY_UNLIKELY(!kernel)) return NULL;
  return ((fn_vvvvv_t)kernel->typed)(op, keys, a0, a1, a2, a3, a4);
}

static const oy_trampolines g_trampolines[] = {
    {"IIvvvv>t", (oy_typed_fn)box_IIvvvv_t, unbox_IIvvvv_t,
     (oy_typed_fn)variant_IIvvvv_t},
    {"Ivvvv>t", (oy_typed_fn)box_Ivvvv_t, unbox_Ivvvv_t,
     (oy_typed_fn)variant_Ivvvv_t},
    {"Ivvvvv>t", (oy_typed_fn)box_Ivvvvv_t, unbox_Ivvvvv_t,
     (oy_typed_fn)variant_Ivvvvv_t},
    {"t>r0", (oy_typed_fn)box_t_r0, unbox_t_r0,
     (oy_typed_fn)variant_t_r0},
    {"t>t", (oy_typed_fn)box_t_t, unbox_t_t,
     (oy_typed_fn)variant_t_t},
    {"t>v", (oy_typed_fn)box_t_v, unbox_t_v,
     (oy_typed_fn)variant_t_v},
    {"tI>t", (oy_typed_fn)box_tI_t, unbox_tI_t,
     (oy_typed_fn)variant_tI_t},
    {"tIIv>t", (oy_typed_fn)box_tIIv_t, unbox_tIIv_t,
     (oy_typed_fn)variant_tIIv_t},
    {"tIb>t", (oy_typed_fn)box_tIb_t, unbox_tIb_t,
     (oy_typed_fn)variant_tIb_t},
    {"tIbv>t", (oy_typed_fn)box_tIbv_t, unbox_tIbv_t,
     (oy_typed_fn)variant_tIbv_t},
    {"tIbvt>r4", (oy_typed_fn)box_tIbvt_r4, unbox_tIbvt_r4,
     (oy_typed_fn)variant_tIbvt_r4},
    {"ti>t", (oy_typed_fn)box_ti_t, unbox_ti_t,
     (oy_typed_fn)variant_ti_t},
    {"tibbv>t", (oy_typed_fn)box_tibbv_t, unbox_tibbv_t,
     (oy_typed_fn)variant_tibbv_t},
    {"tii>t", (oy_typed_fn)box_tii_t, unbox_tii_t,
     (oy_typed_fn)variant_tii_t},
    {"tt>r0", (oy_typed_fn)box_tt_r0, unbox_tt_r0,
     (oy_typed_fn)variant_tt_r0},
    {"tt>r1", (oy_typed_fn)box_tt_r1, unbox_tt_r1,
     (oy_typed_fn)variant_tt_r1},
    {"tt>t", (oy_typed_fn)box_tt_t, unbox_tt_t,
     (oy_typed_fn)variant_tt_t},
    {"ttb>r0", (oy_typed_fn)box_ttb_r0, unbox_ttb_r0,
     (oy_typed_fn)variant_ttb_r0},
    {"ttt>r2", (oy_typed_fn)box_ttt_r2, unbox_ttt_r2,
     (oy_typed_fn)variant_ttt_r2},
    {"ttv>r0", (oy_typed_fn)box_ttv_r0, unbox_ttv_r0,
     (oy_typed_fn)variant_ttv_r0},
    {"ttv>t", (oy_typed_fn)box_ttv_t, unbox_ttv_t,
     (oy_typed_fn)variant_ttv_t},
    {"ttvt>r3", (oy_typed_fn)box_ttvt_r3, unbox_ttvt_r3,
     (oy_typed_fn)variant_ttvt_r3},
    {"tv>r0", (oy_typed_fn)box_tv_r0, unbox_tv_r0,
     (oy_typed_fn)variant_tv_r0},
    {"tv>t", (oy_typed_fn)box_tv_t, unbox_tv_t,
     (oy_typed_fn)variant_tv_t},
    {"tvv>r0", (oy_typed_fn)box_tvv_r0, unbox_tvv_r0,
     (oy_typed_fn)variant_tvv_r0},
    {"tvv>t", (oy_typed_fn)box_tvv_t, unbox_tvv_t,
     (oy_typed_fn)variant_tvv_t},
    {"tvvvvbv>t", (oy_typed_fn)box_tvvvvbv_t, unbox_tvvvvbv_t,
     (oy_typed_fn)variant_tvvvvbv_t},
    {"tvvvvv>t", (oy_typed_fn)box_tvvvvv_t, unbox_tvvvvv_t,
     (oy_typed_fn)variant_tvvvvv_t},
    {"tvvvvvv>t", (oy_typed_fn)box_tvvvvvv_t, unbox_tvvvvvv_t,
     (oy_typed_fn)variant_tvvvvvv_t},
    {"vvvvv>t", (oy_typed_fn)box_vvvvv_t, unbox_vvvvv_t,
     (oy_typed_fn)variant_vvvvv_t},
};

oy_status oy_register_trampolines_ops(void) {
  return oy_trampolines_register(g_trampolines, 30);
}
