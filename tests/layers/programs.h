// SPDX-License-Identifier: Apache-2.0
// Small programs of views and writes, drawn at random: what each instruction does follows
// from its numbers and from the shapes that it finds, so that a program runs alike however
// its tensors are made.
#ifndef OPYARD_TESTS_LAYERS_PROGRAMS_H_
#define OPYARD_TESTS_LAYERS_PROGRAMS_H_

#include "support/tensors.h"

enum { REGISTERS = 8, PROGRAM_INPUTS = 2, KINDS = 38 };

typedef struct instruction {
  unsigned kind, to, a, b;
  int64_t n, m;
} instruction;

typedef struct program {
  instruction list[24];
  size_t size;
  bool by_layout;        // its instructions may ask how elements lie
  char failed[24][200];  // what each instruction failed with
} program;

HELPER uint64_t draw(uint64_t* state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return *state >> 33;
}

HELPER program draw_program(uint64_t seed, bool by_layout) {
  program p = {.size = 4 + seed % 20, .by_layout = by_layout};
  uint64_t s = seed * 977 + 5;
  for (int i = 0; i < 3; i++) draw(&s);
  for (size_t i = 0; i < p.size; i++)
    p.list[i] = (instruction){
        (unsigned)(draw(&s) % KINDS),
        (unsigned)(PROGRAM_INPUTS + draw(&s) % (REGISTERS - PROGRAM_INPUTS)),
        (unsigned)(draw(&s) % REGISTERS),
        (unsigned)(draw(&s) % REGISTERS),
        (int64_t)(draw(&s) % 7),
        (int64_t)(draw(&s) % 5)};
  return p;
}

// One of the pieces of a list of results, retained.
HELPER oy_tensor* piece(const char* name, oy_tensor* x, oy_value argument, int64_t dim,
                        int64_t which) {
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(name));
  oy_value room[4];
  oy_stack stack;
  oy_stack_init(&stack, room, 4);
  bool ok = oy_stack_push(&stack, oy_value_tensor(x)) == OY_OK;
  if (ok && argument.tag != OY_TAG_NONE) ok = oy_stack_push(&stack, argument) == OY_OK;
  if (ok) ok = oy_stack_push(&stack, oy_int(dim)) == OY_OK;
  if (ok) ok = oy_op_call_boxed(op, &stack) == OY_OK;
  oy_tensor* found = NULL;
  if (ok && stack.data[0].count > 0)
    found =
        oy_tensor_retain(stack.data[0].as.tensors[(uint64_t)which % stack.data[0].count]);
  oy_stack_reset(&stack);
  return found;
}

HELPER oy_tensor* retained(oy_tensor* t) {
  return t ? oy_tensor_retain(t) : NULL;
}

// In place with an operand that shares no memory with it.
HELPER oy_tensor* written(oy_tensor* x, oy_tensor* other,
                          oy_tensor* (*write)(oy_tensor*, oy_tensor*)) {
  oy_tensor* copy = oy_clone(other, oy_none());
  oy_tensor* result = copy ? retained(write(x, copy)) : NULL;
  oy_tensor_release(copy);
  return result;
}
HELPER oy_tensor* add_twice(oy_tensor* x, oy_tensor* other) {
  return oy_add__Tensor(x, other, oy_int(2));
}
HELPER oy_tensor* copy_over(oy_tensor* x, oy_tensor* other) {
  return oy_copy_(x, other, false);
}
// A result of another shape would need more memory than a view has.
HELPER oy_tensor* multiply_out(oy_tensor* x, oy_tensor* other) {
  oy_ints a = oy_tensor_sizes(x), b = oy_tensor_sizes(other);
  bool same = a.size == b.size && memcmp(a.data, b.data, a.size * sizeof(*a.data)) == 0;
  return oy_mul_out(same ? other : x, x, x);
}
HELPER oy_tensor* fill_where(oy_tensor* x, oy_tensor* other) {
  oy_tensor* mask = oy_gt_Scalar(other, oy_int(0));
  oy_tensor* result = mask ? oy_masked_fill__Scalar(x, mask, oy_int(7)) : NULL;
  oy_tensor_release(mask);
  return result;
}

// What an instruction that asks how elements lie does where that is not to be seen.
HELPER oy_tensor* flat_copy(oy_tensor* x) {
  oy_tensor* copy = oy_clone(x, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_tensor* flat = copy ? oy_reshape(copy, OY_DIMS(-1)) : NULL;
  oy_tensor_release(copy);
  return flat;
}
HELPER bool asks_layout(unsigned kind) {
  return kind == 0 || kind == 14 || kind == 16 || kind == 17 || kind == 19;
}

HELPER oy_tensor* view_of(const instruction* i, oy_tensor* x, bool by_layout) {
  const int64_t rank = (int64_t)oy_tensor_sizes(x).size, any = rank ? rank : 1;
  const int64_t d = i->n % any, e = i->m % any;
  const int64_t size = rank ? oy_tensor_size(x, d) : 1;
  int64_t dims[OY_TENSOR_MAX_DIMS];
  for (int64_t k = 0; k < rank; k++) dims[k] = rank - 1 - k;
  if (!by_layout && asks_layout(i->kind)) return flat_copy(x);
  switch (i->kind) {
    case 0: return oy_view(x, OY_DIMS(-1));
    case 1: return oy_transpose_int(x, d, e);
    case 2: return oy_select_int(x, d, size ? i->m % size : 0);
    case 3: return oy_slice_Tensor(x, d, oy_int(i->m % 2), oy_none(), 1 + i->n % 2);
    case 4: return oy_diagonal(x, i->n % 3 - 1, 0, 1);
    case 5: return oy_unsqueeze(x, i->n % (rank + 1));
    case 6: return oy_squeeze(x);
    case 7: return oy_permute(x, (oy_ints){dims, (size_t)rank});
    case 8: return oy_unfold(x, d, 1 + i->m % 2, 2);
    case 9: return piece("aten::split.Tensor", x, oy_int(1 + i->m % 2), d, i->n);
    case 10: return piece("aten::unbind.int", x, oy_none(), d, i->m);
    case 11: return piece("aten::chunk", x, oy_int(2), d, i->n);
    case 12: return oy_detach(x);
    case 13: return oy_narrow(x, d, 0, 1);
    case 14: return oy_reshape(x, OY_DIMS(-1, 1));
    case 15: return oy_squeeze_dim(x, d);
    case 16: return oy_as_strided(x, OY_DIMS(2, 1), OY_DIMS(2, 1), oy_none());
    case 17: return oy_as_strided(x, OY_DIMS(2), OY_DIMS(1), oy_int(i->n % 3));
    case 18: return oy_movedim_int(x, d, e);
    case 19: return oy_flatten_using_ints(x, 0, -1);
    case 20: return oy_op_alias(x);
    default: return oy_expand(x, OY_DIMS(2, -1, -1), false);
  }
}

HELPER oy_tensor* write_to(const instruction* i, oy_tensor* x, oy_tensor* other) {
  const int64_t rank = (int64_t)oy_tensor_sizes(x).size, any = rank ? rank : 1;
  const int64_t d = i->n % any, e = i->m % any;
  switch (i->kind) {
    case 22: return retained(oy_add__Scalar(x, oy_float(0.5 + (double)i->n), oy_int(1)));
    case 23: return written(x, other, add_twice);
    case 24: return written(x, other, copy_over);
    case 25: return retained(oy_fill__Scalar(x, oy_int(i->n)));
    case 26: return retained(oy_transpose_(x, d, e));
    case 27: return retained(oy_unsqueeze_(x, i->n % (rank + 1)));
    case 28: return retained(oy_squeeze_(x));
    case 29: return written(x, other, fill_where);
    case 30: return retained(oy_zero_(x));
    case 31: return written(x, other, multiply_out);
    case 32: return retained(oy_clamp_(x, oy_float(-1), oy_int(2)));
    default: return retained(oy_mul__Tensor(x, x));
  }
}

HELPER oy_tensor* new_from(const instruction* i, oy_tensor* x, oy_tensor* other) {
  switch (i->kind) {
    case 34: return oy_add_Tensor(x, other, oy_int(1));
    case 35: return oy_clone(x, oy_none());
    case 36: return oy_sum(x, oy_none());
    default: return oy_relu(x);
  }
}

// Sets all registers but the inputs. An instruction that fails leaves its register alone.
HELPER oy_status run_program(void* data, oy_tensor* const* in, size_t count,
                             oy_tensor** out, size_t outputs) {
  program* p = data;
  oy_tensor* r[REGISTERS];
  for (size_t i = 0; i < REGISTERS; i++) r[i] = oy_tensor_retain(in[i % count]);
  memset(p->failed, 0, sizeof(p->failed));
  for (size_t k = 0; k < p->size; k++) {
    const instruction* i = &p->list[k];
    oy_tensor* made = i->kind < 22   ? view_of(i, r[i->a], p->by_layout)
                      : i->kind < 34 ? write_to(i, r[i->a], r[i->b])
                                     : new_from(i, r[i->a], r[i->b]);
    if (!made)
      snprintf(p->failed[k], sizeof(p->failed[k]), "%s", oy_error_get()->message);
    oy_error_clear();
    if (!made) continue;
    oy_tensor_release(r[i->to]);
    r[i->to] = made;
  }
  for (size_t i = 0; i < outputs; i++) out[i] = oy_tensor_retain(r[PROGRAM_INPUTS + i]);
  for (size_t i = 0; i < REGISTERS; i++) oy_tensor_release(r[i]);
  return OY_OK;
}

#endif  // OPYARD_TESTS_LAYERS_PROGRAMS_H_
