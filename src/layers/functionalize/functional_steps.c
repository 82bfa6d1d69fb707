// SPDX-License-Identifier: Apache-2.0
// Steps of views: running them again, and putting what they show back into what it was
// taken from. Each view operator has its inverse; one that is not named moves elements
// about, and where they come from is asked of it by running it on their numbers.
#include <stdio.h>

#include "base/memory.h"
#include "layers/functionalize/functional.h"
#include "ops/calls.h"

oyi_view_step* oyi_view_step_new(oyi_view_step* parent, const oy_op* op,
                                 const oy_value* arguments, size_t count) {
  oyi_view_step* s = oyi_zalloc(sizeof(*s) + count * sizeof(*s->arguments));
  if (!s) return NULL;
  s->references = 1;
  s->op = op;
  s->count = count;
  s->arguments = (oy_value*)(void*)(s + 1);
  s->parent = oyi_view_step_retain(parent);
  s->arguments[0] = oy_none();
  for (size_t i = 1; i < count; i++) {
    if (oy_value_copy(arguments[i], &s->arguments[i]) == OY_OK) continue;
    s->count = i;
    oyi_view_step_release(s);
    return NULL;
  }
  return s;
}

// Chains may be long.
void oyi_view_step_release(oyi_view_step* s) {
  while (s && __atomic_sub_fetch(&s->references, 1, __ATOMIC_ACQ_REL) == 0) {
    oyi_view_step* parent = s->parent;
    for (size_t i = 0; i < s->count; i++) oy_value_release(&s->arguments[i]);
    oyi_free(s);
    s = parent;
  }
}

// ------------------------------------------------------------------- running a step

// "transpose_copy.int" for "transpose.int"; NULL if there is none.
static const oy_op* copying(const oy_op* op) {
  const oy_schema* schema = oy_op_schema(op);
  if (!schema) return NULL;
  char name[128];
  oy_op_name n = schema->name;
  int length =
      snprintf(name, sizeof(name), "%.*s::%.*s_copy%s%.*s", OY_STR_ARG(n.ns),
               OY_STR_ARG(n.base), n.overload.size ? "." : "", OY_STR_ARG(n.overload));
  if (length < 0 || length >= (int)sizeof(name)) return NULL;
  return oy_op_lookup(oy_op_registry(op), (oy_str){name, (size_t)length});
}

static oy_object* call(const oy_op* op, oy_object* value, const oyi_view_step* step) {
  oy_value storage[8];
  oy_stack stack;
  oy_stack_init(&stack, storage, OY_ARRAY_SIZE(storage));
  oy_status status = oy_stack_push(&stack, oy_value_tensor(value));
  for (size_t i = 1; i < step->count && status == OY_OK; i++) {
    oy_value v = step->arguments[i];
    v.owned = 0;
    status = oy_stack_push(&stack, v);
  }
  if (status == OY_OK) status = oy_op_call_boxed(op, &stack);
  oy_value result = oy_none();
  if (status == OY_OK) {
    result = oy_stack_pop(&stack);
    status = oy_value_own(&result);
  }
  oy_stack_reset(&stack);
  return status == OY_OK ? oy_value_to_tensor(result) : NULL;
}

static oy_ints ints_of(oy_value v) {
  return (oy_ints){v.as.ints, v.count};
}

static bool is_strided(const oyi_view_step* s) {
  return s->op == oyi_ops[OYI_OP_as_strided];
}

// The step counts from where the base begins, which moves when it is written to.
static oy_object* run_strided(const oyi_view_step* s, oy_object* value, bool copies) {
  const int64_t moved = s->arguments[3].as.i;
  const oy_value offset =
      moved == 0 ? oy_none() : oy_int(moved + oyi_tensor_cast(value)->offset);
  const oy_ints size = ints_of(s->arguments[1]), stride = ints_of(s->arguments[2]);
  return copies ? oyi_call_as_strided_copy(value, size, stride, offset)
                : oyi_call_as_strided(value, size, stride, offset);
}

// Values do not put off what is to be computed: their keys are not the program's.
static oy_object* run_lazy(const oyi_view_step* s, oy_object* value) {
  return s->op == oyi_ops[OYI_OP__conj] ? oyi_call_conj_physical(value)
                                        : oyi_call_neg(value);
}
static bool is_lazy(const oyi_view_step* s) {
  return s->op == oyi_ops[OYI_OP__conj] || s->op == oyi_ops[OYI_OP__neg_view];
}

oy_object* oyi_view_step_run(const oyi_view_step* s, oy_object* value, bool copies) {
  if (is_strided(s)) return run_strided(s, value, copies);
  if (is_lazy(s)) return run_lazy(s, value);
  const oy_op* op = copies ? copying(s->op) : NULL;
  return call(op ? op : s->op, value, s);
}

// -------------------------------------------------------------------------- inverses

// |value| is what |steps|, one of them but for back_by_numbers, show of |parent|; it is put
// into it: a new tensor of the parent's shape.
typedef struct inversion {
  const oyi_view_step* const* steps;
  size_t count;
  oy_object* parent;
  oy_object* value;
  bool copies;
} inversion;
typedef oy_object* (*inverse_fn)(const inversion* i);

// A view operator, or the one that copies.
#define VIEWED(i, name, copy, ...) \
  ((i)->copies ? oyi_call_##copy(__VA_ARGS__) : oyi_call_##name(__VA_ARGS__))

static oy_object* back_same(const inversion* i) {
  return oy_tensor_retain(i->value);
}

// Conjugation and negation undo themselves.
static oy_object* back_lazy(const inversion* i) {
  return run_lazy(i->steps[0], i->value);
}

// |value|, borrowed, with the parent's sizes.
static oy_object* in_shape(const inversion* i, oy_object* value, oy_ints sizes) {
  if (!i->copies) return oyi_call_reshape(value, sizes);
  oy_object* flat = oyi_call_clone(value, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_object* result = oyi_call_view_copy(flat, sizes);
  oy_tensor_release(flat);
  return result;
}
static oy_object* back_reshaped(const inversion* i) {
  return in_shape(i, i->value, oyi_sizes_view(oyi_tensor_cast(i->parent)));
}

static oy_object* back_permuted(const inversion* i) {
  const oy_ints dims = ints_of(i->steps[0]->arguments[1]);
  int64_t inverse[OY_TENSOR_MAX_DIMS];
  for (size_t k = 0; k < dims.size; k++) {
    int64_t d = oyi_dim_wrap(dims.data[k], (int64_t)dims.size);
    if (d < 0) return NULL;
    inverse[d] = (int64_t)k;
  }
  return VIEWED(i, permute, permute_copy, i->value, (oy_ints){inverse, dims.size});
}
static oy_object* back_transposed(const inversion* i) {
  return VIEWED(i, transpose_int, transpose_copy_int, i->value,
                i->steps[0]->arguments[1].as.i, i->steps[0]->arguments[2].as.i);
}
static oy_object* back_t(const inversion* i) {
  return VIEWED(i, t, t_copy, i->value);
}

static oy_object* back_selected(const inversion* i) {
  return oyi_call_select_scatter(i->parent, i->value, i->steps[0]->arguments[1].as.i,
                                 i->steps[0]->arguments[2].as.i);
}
static oy_object* back_sliced(const inversion* i) {
  const oy_value* a = i->steps[0]->arguments;
  return oyi_call_slice_scatter(i->parent, i->value, a[1].as.i, a[2], a[3], a[4].as.i);
}
static oy_object* back_diagonal(const inversion* i) {
  const oy_value* a = i->steps[0]->arguments;
  return oyi_call_diagonal_scatter(i->parent, i->value, a[1].as.i, a[2].as.i, a[3].as.i);
}
static oy_object* back_strided(const inversion* i) {
  const oy_value* a = i->steps[0]->arguments;
  // The operator copies the parent first, so that it begins where its copy does.
  const oy_value offset = a[3].as.i == 0 ? oy_none() : oy_int(a[3].as.i);
  return oyi_call_as_strided_scatter(i->parent, i->value, ints_of(a[1]), ints_of(a[2]),
                                     offset);
}
// Views of other dtypes want elements that lie together.
static oy_object* back_cast(const inversion* i, oy_object* flat) {
  if (i->steps[0]->op == oyi_ops[OYI_OP_view_as_real])
    return VIEWED(i, view_as_complex, view_as_complex_copy, flat);
  if (i->steps[0]->op == oyi_ops[OYI_OP_view_as_complex])
    return VIEWED(i, view_as_real, view_as_real_copy, flat);
  return VIEWED(i, view_dtype, view_copy_dtype, flat, i->parent->dtype);
}
static oy_object* back_of_dtype(const inversion* i) {
  const oyi_tensor* t = oyi_tensor_of(i->value);
  if (!t) return NULL;
  bool flat = t->flags & OYI_CONTIGUOUS;
  oy_object* v = flat ? oy_tensor_retain(i->value)
                      : oyi_call_clone(i->value, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_object* result = v ? back_cast(i, v) : NULL;
  oy_tensor_release(v);
  return result;
}

// What |steps| lead to: for each element that is shown, its number in |parent|.
static oy_object* numbers(const inversion* i) {
  const oyi_tensor* parent = oyi_tensor_cast(i->parent);
  const oy_value device = oy_value_device(oyi_tensor_device(parent));
  oy_object* count = oyi_call_arange(oy_int(parent->numel), oy_int(OY_DTYPE_I64),
                                     oy_none(), device, oy_none());
  oy_object* shown = count ? in_shape(i, count, oyi_sizes_view(parent)) : NULL;
  oy_tensor_release(count);
  for (size_t k = 0; k < i->count && shown; k++) {
    oy_object* next = oyi_view_step_run(i->steps[k], shown, i->copies);
    oy_tensor_release(shown);
    shown = next;
  }
  oy_object* flat = shown ? in_shape(i, shown, OY_DIMS(-1)) : NULL;
  oy_tensor_release(shown);
  return flat;
}
static oy_object* back_by_numbers(const inversion* i) {
  const oyi_tensor *parent = oyi_tensor_cast(i->parent), *t = oyi_tensor_of(i->value);
  if (!t || t->numel == 0) return t ? oy_tensor_retain(i->parent) : NULL;
  oy_object* at = numbers(i);
  oy_object* all = at ? in_shape(i, i->parent, OY_DIMS(-1)) : NULL;
  oy_object* part = all ? in_shape(i, i->value, OY_DIMS(-1)) : NULL;
  oy_object* flat = part ? oyi_call_index_copy(all, 0, at, part) : NULL;
  oy_object* result = flat ? in_shape(i, flat, oyi_sizes_view(parent)) : NULL;
  oy_object* parts[] = {at, all, part, flat};
  for (size_t k = 0; k < OY_ARRAY_SIZE(parts); k++) oy_tensor_release(parts[k]);
  return result;
}

static const struct {
  oyi_op_id id;
  inverse_fn fn;
} g_inverses[] = {
    {OYI_OP_alias, back_same},
    {OYI_OP_detach, back_same},
    {OYI_OP__conj, back_lazy},
    {OYI_OP__neg_view, back_lazy},
    {OYI_OP_lift_fresh, back_same},
    {OYI_OP_view, back_reshaped},
    {OYI_OP__reshape_alias, back_reshaped},
    {OYI_OP_squeeze, back_reshaped},
    {OYI_OP_squeeze_dim, back_reshaped},
    {OYI_OP_squeeze_dims, back_reshaped},
    {OYI_OP_unsqueeze, back_reshaped},
    {OYI_OP_permute, back_permuted},
    {OYI_OP_transpose_int, back_transposed},
    {OYI_OP_t, back_t},
    {OYI_OP_select_int, back_selected},
    {OYI_OP_slice_Tensor, back_sliced},
    {OYI_OP_diagonal, back_diagonal},
    {OYI_OP_as_strided, back_strided},
    {OYI_OP_view_as_real, back_of_dtype},
    {OYI_OP_view_as_complex, back_of_dtype},
    {OYI_OP_view_dtype, back_of_dtype},
};

static oy_object* invert(const inversion* i) {
  for (size_t k = 0; k < OY_ARRAY_SIZE(g_inverses) && i->count == 1; k++)
    if (i->steps[0]->op == oyi_ops[g_inverses[k].id]) return g_inverses[k].fn(i);
  return back_by_numbers(i);
}

// Whether elements may be shown twice. A view of such a view, which shows only one of them,
// is written to; so what is seen of it must not be taken for what it is.
static bool repeats(const oyi_view_step* s) {
  return s->op == oyi_ops[OYI_OP_expand] || s->op == oyi_ops[OYI_OP_unfold];
}

// -------------------------------------------------------------------- whole chains

// The steps from the base on, and what the first ones show, each owned.
typedef struct chain {
  const oyi_view_step** steps;
  oy_object** values;  // values[k]: after k steps
  size_t count;
} chain;

static void chain_end(chain* c) {
  for (size_t k = 0; c->values && k < c->count; k++) oy_tensor_release(c->values[k]);
  oyi_free((void*)c->steps);
  oyi_free(c->values);
}

// All values but the last.
static oy_status chain_begin(chain* c, const oyi_view_step* view, oy_object* base,
                             bool copies) {
  *c = (chain){0};
  for (const oyi_view_step* s = view; s; s = s->parent) c->count++;
  c->steps = oyi_calloc(c->count, sizeof(*c->steps));
  c->values = oyi_calloc(c->count, sizeof(*c->values));
  if (!c->steps || !c->values) return OY_OUT_OF_MEMORY;
  size_t k = c->count;
  for (const oyi_view_step* s = view; s; s = s->parent) c->steps[--k] = s;
  c->values[0] = oy_tensor_retain(base);
  for (k = 1; k < c->count; k++) {
    c->values[k] = oyi_view_step_run(c->steps[k - 1], c->values[k - 1], copies);
    if (!c->values[k]) return oy_failure();
  }
  return OY_OK;
}

oy_object* oyi_view_replay(const oyi_view_step* view, oy_object* value, bool copies) {
  if (!view) return oy_tensor_retain(value);
  chain c;
  oy_status status = chain_begin(&c, view, value, copies);
  oy_object* result =
      status == OY_OK ? oyi_view_step_run(view, c.values[c.count - 1], copies) : NULL;
  chain_end(&c);
  return result;
}

oy_object* oyi_view_put_back(const oyi_view_step* view, oy_object* base_value,
                             oy_object* value, bool copies) {
  oy_object* result = oy_tensor_retain(value);
  if (!view) return result;
  chain c;
  oy_status status = chain_begin(&c, view, base_value, copies);
  size_t first = 0;
  while (status == OY_OK && first < c.count && !repeats(c.steps[first])) first++;
  for (size_t k = c.count, n; k > 0 && status == OY_OK && result; k -= n) {
    n = first < k ? k - first : 1;
    const inversion i = {c.steps + k - n, n, c.values[k - n], result, copies};
    oy_object* whole = invert(&i);
    oy_tensor_release(result);
    result = whole;
  }
  chain_end(&c);
  if (status == OY_OK) return result;
  oy_tensor_release(result);
  return NULL;
}
