// SPDX-License-Identifier: Apache-2.0
// The generic trampoline from boxed calls to typed kernels: lays the values out
// as the calling convention wants them, calls, and gives the results back.
#include "dispatch/call.h"
#include "dispatch/generic_call.h"
#include "dispatch/registry.h"
#include "dispatch/value_convert.h"
#include "opyard/trampoline.h"

#if OYI_GENERIC_CALL

typedef union result {
  oy_object* object;
  int64_t i;
  bool b;
  double d;
  oy_complex z;
  oy_device device;
  oy_value value;
} result;

typedef struct unboxing {
  oyi_registers r;
  oyi_cursor at;
  // Every argument may need two words, every result one.
  uint64_t memory[2 * OYI_MAX_ARGUMENTS + OYI_MAX_RESULTS];
  result results[OYI_MAX_RESULTS];
  oy_value boxed[OYI_MAX_RESULTS];
} unboxing;

static void put(uint64_t* to, const void* from, size_t words) {
  memcpy(to, from, 8 * words);
}

static void put_pair(unboxing* u, const void* data, size_t size) {
  uint64_t* w = oyi_next_ints(&u->r, &u->at, 2);
  w[0] = (uint64_t)(uintptr_t)data;
  w[1] = size;
}

static void put_word(unboxing* u, uint64_t word) {
  *oyi_next_ints(&u->r, &u->at, 1) = word;
}

static void put_argument(unboxing* u, char letter, oy_value v) {
  switch (letter) {
    case 't':
    case 'g':
    case 'o': put_word(u, (uint64_t)(uintptr_t)oy_value_to_tensor(v)); return;
    case 'i': put_word(u, (uint64_t)v.as.i); return;
    case 'b': put_word(u, v.as.i != 0); return;
    case 'D': put_word(u, v.as.bits); return;
    case 'd': put(oyi_next_floats(&u->r, &u->at, 1), &v.as.d, 1); return;
    case 'z': put(oyi_next_floats(&u->r, &u->at, 2), v.as.complex_data, 2); return;
    case 'v':
      v.owned = 0;
      put(oyi_next_ints(&u->r, &u->at, 2), &v, 2);
      return;
    default:
      if (v.tag == OY_TAG_NONE)
        put_pair(u, NULL, 0);
      else
        put_pair(u, v.as.chars, v.count);
  }
}

static size_t put_result_pointers(unboxing* u, const char* results) {
  size_t count = 0;
  for (const char* p = results; *p; p++) {
    if (*p >= '0' && *p <= '9') continue;
    u->results[count].value = oy_none();
    put_word(u, (uint64_t)(uintptr_t)&u->results[count++]);
  }
  return count;
}

static oy_value box_result(char letter, result* r) {
  switch (letter) {
    case 'r': return oy_box_t(r->object);
    case 't': return oy_give_object_as(OY_TAG_TENSOR, r->object);
    case 'g': return oy_give_object_as(OY_TAG_GENERATOR, r->object);
    case 'o': return oy_give_object_as(OY_TAG_OBJECT, r->object);
    case 'i': return oy_int(r->i);
    case 'b': return oy_bool(r->b);
    case 'd': return oy_float(r->d);
    case 'z': return oy_complex_value(&r->z);
    case 'D': return oy_value_device(r->device);
    default: return r->value;
  }
}

static oy_status call_with_status(unboxing* u, const oy_kernel* kernel, oy_stack* stack,
                                  size_t arguments, const char* results) {
  size_t count = put_result_pointers(u, results);
  oy_status status = (oy_status)oyi_generic_invoke(kernel->typed, &u->r, u->at.words);
  size_t n = 0;
  for (const char* p = results; *p && status == OY_OK; p++)
    if (*p < '0' || *p > '9') {
      u->boxed[n] = box_result(*p, &u->results[n]);
      n++;
    }
  return oy_unbox_finish(stack, arguments, status, u->boxed, count);
}

static oy_status call_typed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel, const oyi_signature* signature) {
  unboxing u;
  u.r.memory = u.memory;
  u.at = (oyi_cursor){0, 0, 0};
  put_word(&u, (uint64_t)(uintptr_t)op);
  put_word(&u, keys.functionality);
  put_word(&u, keys.backends);
  const char* results = strchr(signature->abi, '>') + 1;
  size_t n = (size_t)(results - 1 - signature->abi);
  const oy_value* v = oy_stack_last(stack, n);
  for (size_t i = 0; i < n; i++) {
    if (OY_UNLIKELY(!oyi_value_fits(v[i], signature->abi[i])))
      OY_TRY(oy_unbox_convert(op, stack, signature->abi, n));
    put_argument(&u, signature->abi[i], v[i]);
  }
  if (!signature->returns_object) return call_with_status(&u, kernel, stack, n, results);
  oy_object* object =
      (oy_object*)(uintptr_t)oyi_generic_invoke(kernel->typed, &u.r, u.at.words);
  return *results == 'r' ? oy_unbox_argument(op, stack, n, object)
                         : oy_unbox_object(op, stack, n, object);
}

oy_status oyi_generic_unbox(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  const oyi_signature* signature = oyi_op_signature(op);
  if (!signature) return oyi_unbox_undefined(op, keys, stack, kernel);
  return call_typed(op, keys, stack, kernel, signature);
}

#else

oy_status oyi_generic_unbox(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  (void)keys;
  (void)kernel;
  oy_stack_drop(stack, oyi_arguments_on(op, stack));
  return oyi_generic_missing(op);
}

#endif
