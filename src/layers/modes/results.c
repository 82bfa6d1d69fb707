// SPDX-License-Identifier: Apache-2.0
// What a handler may give: as many values as the schema says, of its types (PyTorch converts
// what it can). Layers above write history to what is new, and count on what is written to
// being the argument; so an argument that stands for something new becomes an alias of it,
// and what stands for an argument that was written becomes that.
#include "dispatch/value_check.h"
#include "layers/modes/modes.h"

static oy_status wrong_count(const oyi_handling* h, size_t count) {
  oy_str name = oy_op_name_of(h->op);
  size_t wanted = h->schema->return_count;
  if (wanted == 0)
    return OY_FAIL(TYPE_MISMATCH,
                   "Expected __torch_dispatch__ for %.*s to return None but it returned "
                   "something else instead.",
                   OY_STR_ARG(name));
  return OY_FAIL(TYPE_MISMATCH,
                 "Expected __torch_dispatch__ for %.*s to return %zu value%s but it "
                 "returned %zu instead.",
                 OY_STR_ARG(name), wanted, wanted == 1 ? "" : "s", count);
}

static oy_status wrong_type(oy_value v, const oy_type* type) {
  oyi_strbuf value = OYI_STRBUF_INIT, wanted = OYI_STRBUF_INIT;
  oyi_value_describe(&value, v);
  oyi_type_describe(&wanted, type);
  oy_status status = oyi_strbuf_status(&value);
  if (status == OY_OK) status = oyi_strbuf_status(&wanted);
  if (status == OY_OK)
    status = OY_FAIL(TYPE_MISMATCH, "Unable to cast %s to %s", value.data, wanted.data);
  oyi_strbuf_reset(&value);
  oyi_strbuf_reset(&wanted);
  return status;
}

static oy_status is_not(void* tensor, oy_object* other) {
  return tensor == other ? OY_INTERNAL : OY_OK;  // no error: it ends the search
}

static bool is_argument(const oyi_handling* h, oy_object* tensor) {
  for (size_t i = 0; i < h->count; i++)
    if (oyi_each_tensor(h->kept[i], is_not, tensor) != OY_OK) return true;
  return false;
}

// Whether autograd does anything for the operator, or lets it pass.
static bool is_recorded(const oyi_handling* h, const oy_object* tensor) {
  const uint64_t autograd = 1ull << OY_KEY_AutogradFunctionality;
  oy_keyset keys = {autograd, tensor->keys.backends};
  (void)oy_select_masked(h->op, &keys);
  return (keys.functionality & autograd) != 0;
}

static oy_status make_new(const oyi_handling* h, oy_value* v) {
  if (!oyi_is_tensor(v->as.object)) return OY_OK;
  const oyi_tensor* t = oyi_tensor_cast(v->as.object);
  if (!t->meta && !is_argument(h, v->as.object)) return OY_OK;
  if (!is_recorded(h, v->as.object)) return OY_OK;
  oyi_tensor* alias = oyi_tensor_alias_same(t);
  if (!alias) return OY_OUT_OF_MEMORY;
  oy_value_release(v);
  *v = oy_value_tensor(oyi_tensor_object(alias));
  v->owned = 1;
  return OY_OK;
}

static oy_status check_one(const oyi_handling* h, oy_value* v, size_t i) {
  const oy_type* type = h->schema->returns[i].type;
  // Of several results those that nobody asked for are None, PyTorch's undefined tensors.
  if (v->tag == OY_TAG_NONE && type->kind == OY_TYPE_TENSOR &&
      h->schema->return_count > 1)
    return OY_OK;
  oyi_converted done = oyi_value_check(v, type);
  if (done == OYI_CONVERT_NO_MEMORY) return OY_OUT_OF_MEMORY;
  if (done != OYI_CONVERTED) return wrong_type(*v, type);
  OY_TRY(oy_value_own(v));
  if (v->tag != OY_TAG_TENSOR) return OY_OK;
  int argument = oy_schema_return_argument(h->schema, i);
  if (argument < 0) return make_new(h, v);
  if (h->kept[argument].tag != OY_TAG_TENSOR) return OY_OK;
  oy_value_release(v);
  return oy_value_copy(h->kept[argument], v);
}

oy_status oyi_check_results(oyi_handling* h) {
  if (h->stack->size < h->base) {
    return OY_FAIL(INTERNAL, "a handler of %.*s took more off the stack than arguments",
                   OY_STR_ARG(oy_op_name_of(h->op)));
  }
  size_t count = h->stack->size - h->base;
  if (count != h->schema->return_count) return wrong_count(h, count);
  for (size_t i = 0; i < count; i++)
    OY_TRY(check_one(h, &h->stack->data[h->base + i], i));
  return OY_OK;
}
