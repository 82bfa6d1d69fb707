// SPDX-License-Identifier: Apache-2.0
// The generic trampolines' C side, from typed calls: boxing, and picking a kernel
// by dtype. The way back is in generic_unbox.c. Arguments are read in the order
// of their letters, each from where the calling convention put it.
#include "dispatch/generic_call.h"

#include <stdlib.h>

#include "dispatch/call.h"
#include "dispatch/registry.h"
#include "opyard/trampoline.h"

static uint64_t failure(const oy_op* op, oy_status status) {
  return __atomic_load_n(&op->flags, __ATOMIC_RELAXED) & OY_OP_RETURNS_OBJECT
             ? 0
             : (uint64_t)(unsigned)status;
}

#if OYI_GENERIC_CALL

_Static_assert(sizeof(oyi_registers) == 8 * OYI_INT_REGISTERS + 72, "see arch/");
_Static_assert(sizeof(oy_device) == 8 && sizeof(oy_complex) == 16, "word counts");

enum { SMALL_STACK = 16 };

typedef struct boxing {
  oyi_registers* r;
  oyi_cursor at;
  oy_object* tensors[OYI_MAX_ARGUMENTS];    // by argument, for rN
  oy_complex complexes[OYI_MAX_ARGUMENTS];  // views point here
} boxing;

static oy_object* object_at(const uint64_t* words) {
  return (oy_object*)(uintptr_t)*words;
}

static oy_value list_at(oy_tag tag, const uint64_t* words) {
  return oy_value_list(tag, (const void*)(uintptr_t)words[0], words[1]);
}

static oy_value value_at(const uint64_t* words) {
  oy_value v;
  memcpy(&v, words, sizeof(v));
  return oy_box_v(v);
}

static oy_value box_word(char letter, uint64_t* w) {
  oy_device device;
  switch (letter) {
    case 't': return oy_box_t(object_at(w));
    case 'i': return oy_box_i((int64_t)*w);
    case 'b': return oy_box_b((*w & 0xff) != 0);  // the rest of the word is not specified
    case 'g': return oy_box_g(object_at(w));
    case 'o': return oy_box_o(object_at(w));
    default: memcpy(&device, w, sizeof(device)); return oy_box_D(device);
  }
}

static oy_value box_pair(char letter, uint64_t* w) {
  switch (letter) {
    case 's': return oy_box_s((oy_str){(const char*)(uintptr_t)w[0], w[1]});
    case 'T': return list_at(OY_TAG_TENSOR_LIST, w);
    case 'I': return list_at(OY_TAG_INT_LIST, w);
    case 'F': return list_at(OY_TAG_FLOAT_LIST, w);
    case 'B': return list_at(OY_TAG_BOOL_LIST, w);
    case 'V': return list_at(OY_TAG_LIST, w);
    case 'M': return list_at(OY_TAG_DICT, w);
    default: return value_at(w);
  }
}

static oy_value box_next(boxing* b, char letter, size_t i) {
  if (strchr("tibgoD", letter)) {
    uint64_t* w = oyi_next_ints(b->r, &b->at, 1);
    b->tensors[i] = letter == 't' ? object_at(w) : NULL;
    return box_word(letter, w);
  }
  if (letter == 'd') {
    double d;
    memcpy(&d, oyi_next_floats(b->r, &b->at, 1), sizeof(d));
    return oy_box_d(d);
  }
  if (letter == 'z') {
    memcpy(&b->complexes[i], oyi_next_floats(b->r, &b->at, 2), sizeof(oy_complex));
    return oy_box_z(&b->complexes[i]);
  }
  return box_pair(letter, oyi_next_ints(b->r, &b->at, 2));
}

// The results go where the caller's pointers say; they follow the arguments.
static void store_results(boxing* b, const oy_stack* stack, const char* letters) {
  for (size_t i = 0; *letters; i++) {
    char letter = *letters++;
    oy_value v = stack->data[i];
    void* out = (void*)(uintptr_t)*oyi_next_ints(b->r, &b->at, 1);
    switch (letter) {
      case 'r': {
        size_t n = 0;
        while (*letters >= '0' && *letters <= '9')
          n = 10 * n + (size_t)(*letters++ - '0');
        // NOLINT: the letters name an argument, and box_next() kept each
        *(oy_object**)out = b->tensors[n];
        oy_value_release(&v);
        break;
      }
      case 't':
      case 'g':
      case 'o': *(oy_object**)out = oy_value_to_tensor(v); break;
      case 'i': *(int64_t*)out = v.as.i; break;
      case 'b': *(bool*)out = v.as.i != 0; break;
      case 'd': *(double*)out = v.as.d; break;
      case 'z':
        *(oy_complex*)out = *v.as.complex_data;
        oy_value_release(&v);
        break;
      case 'D': *(oy_device*)out = v.as.device; break;
      default: *(oy_value*)out = v;
    }
  }
}

static uint64_t unpack(boxing* b, const oy_op* op, oy_stack* stack, oy_status status,
                       const char* results, bool returns_object) {
  if (returns_object && *results == 't')
    return (uint64_t)(uintptr_t)oy_box_object(op, stack, status);
  if (returns_object) {
    size_t n = (size_t)atoi(results + 1);
    return (uint64_t)(uintptr_t)oy_box_argument(op, stack, status, b->tensors[n]);
  }
  status = oy_box_check(op, stack, status, results);
  if (status == OY_OK) {
    store_results(b, stack, results);
    stack->size = 0;  // they were moved out
  }
  oy_stack_reset(stack);
  return (uint64_t)(unsigned)status;
}

uint64_t oyi_generic_box_call(oyi_registers* r) {
  boxing b;
  b.r = r;
  b.at = (oyi_cursor){3, 0, 0};
  const oy_op* op = (const oy_op*)(uintptr_t)r->ints[0];
  oy_keyset keys = {r->ints[1], r->ints[2]};
  const oyi_signature* signature = oyi_op_signature(op);
  // Undefined between the caller's look at the slot and now.
  if (!signature) return failure(op, oyi_fail_status(op, keys));
  oy_value storage[SMALL_STACK];
  oy_stack stack;
  oy_stack_init(&stack, storage, SMALL_STACK);
  stack.from_typed = 1;
  const char* letter = signature->abi;
  for (size_t i = 0; *letter != '>'; letter++, i++) {
    oy_value v = box_next(&b, *letter, i);
    // NOLINT: box_next() keeps the tensors
    oy_status status = *letter == 't' && !b.tensors[i] ? oy_box_null_status(op, i)
                                                       : oy_stack_push(&stack, v);
    if (status == OY_OK) continue;
    oy_stack_reset(&stack);
    return failure(op, status);
  }
  const oy_kernel* kernel = oy_op_select_exact(op, keys);
  oy_status status = kernel->boxed(op, keys, &stack, kernel);
  return unpack(&b, op, &stack, status, letter + 1, signature->returns_object);
}

// ------------------------------------------------------------------- by dtype

typedef struct tensor_list {
  oy_object* items[OYI_MAX_ARGUMENTS];
  size_t count;
} tensor_list;

static void add_tensor(tensor_list* list, oy_object* tensor) {
  if (tensor && list->count < OYI_MAX_ARGUMENTS) list->items[list->count++] = tensor;
}

static void collect(oyi_registers* r, const char* abi, tensor_list* list) {
  oyi_cursor at = {3, 0, 0};
  for (const char* letter = abi; *letter != '>'; letter++) {
    if (*letter == 'd') {
      oyi_next_floats(r, &at, 1);
    } else if (*letter == 'z') {
      oyi_next_floats(r, &at, 2);
    } else if (*letter == 't') {
      add_tensor(list, object_at(oyi_next_ints(r, &at, 1)));
    } else if (strchr("ibgoD", *letter)) {
      oyi_next_ints(r, &at, 1);
    } else {
      const uint64_t* w = oyi_next_ints(r, &at, 2);
      oy_object* const* data = (oy_object* const*)(uintptr_t)w[0];
      for (size_t i = 0; *letter == 'T' && i < w[1]; i++) add_tensor(list, data[i]);
    }
  }
}

oyi_picked oyi_generic_pick(oyi_registers* r) {
  const oy_op* op = (const oy_op*)(uintptr_t)r->ints[0];
  oy_keyset keys = {r->ints[1], r->ints[2]};
  const oyi_signature* signature = oyi_op_signature(op);
  oyi_picked picked = {op->fail, 0};
  if (!signature) return picked;
  tensor_list tensors;
  tensors.count = 0;
  collect(r, signature->abi, &tensors);
  const oy_kernel* kernel = oy_kernel_pick(op, keys, oy_op_select_exact(op, keys),
                                           tensors.items, tensors.count);
  picked.typed = kernel ? kernel->typed : NULL;
  if (!kernel) picked.result = failure(op, oy_failure());
  return picked;
}

#else  // no assembly for this architecture

oy_status oyi_generic_missing(const oy_op* op) {
  const oyi_signature* signature = oyi_op_signature(op);
  oy_str name = oy_op_name_of(op);
  OY_FAIL(NOT_IMPLEMENTED,
          "%.*s: no trampoline for signature %s on this architecture; generate one "
          "with opgen --trampolines",
          OY_STR_ARG(name), signature ? signature->abi : "(none)");
  oy_error_set_op(name);
  return OY_NOT_IMPLEMENTED;
}

// Under the names of the entries, which C declares without arguments.
uint64_t oyi_report_box(const oy_op* op) __asm__("oyi_generic_box");
uint64_t oyi_report_variant(const oy_op* op) __asm__("oyi_generic_variant");
uint64_t oyi_report_box(const oy_op* op) {
  return failure(op, oyi_generic_missing(op));
}
uint64_t oyi_report_variant(const oy_op* op) {
  return failure(op, oyi_generic_missing(op));
}

#endif
