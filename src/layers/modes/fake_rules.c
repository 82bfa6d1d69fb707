// SPDX-License-Identifier: Apache-2.0
// What fake tensors have to know of operators: which need data, where results are.
#include "layers/modes/fake.h"

static bool is_among(oy_str name, const char* const* names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (oy_str_equal(name, oy_str_of(names[i]))) return true;
  return false;
}
#define IS_AMONG(name, names) is_among(name, names, sizeof(names) / sizeof(*(names)))

// PyTorch's tags data_dependent_output and dynamic_output_shape; an out= form is as the
// other.
static const char* const g_data_dependent[] = {"_local_scalar_dense", "equal", "allclose",
                                               "is_nonzero", "item"};
static const char* const g_dynamic_shape[] = {
    "nonzero",    "masked_select",      "_unique",     "_unique2",
    "unique_dim", "unique_consecutive", "bincount",    "unique_dim_consecutive",
    "argwhere",   "nonzero_numpy",      "linalg_lstsq"};

// Masks among indices select as many elements as they have.
static bool has_mask(const oy_schema* schema, const oy_value* arguments) {
  static const char* const names[] = {"index", "_unsafe_index"};
  if (!IS_AMONG(schema->name.base, names) || schema->argument_count < 2) return false;
  oy_value list = arguments[1];
  for (size_t i = 0; list.tag == OY_TAG_TENSOR_LIST && i < list.count; i++)
    if (!oy_object_is_none(list.as.tensors[i]) &&
        (list.as.tensors[i]->dtype == OY_DTYPE_BOOL ||
         list.as.tensors[i]->dtype == OY_DTYPE_U8))
      return true;
  return false;
}

// The sum of the repeats is the size, unless it is given.
static bool repeats_unknown(const oy_schema* schema, const oy_value* arguments) {
  return oy_str_equal(schema->name.base, oy_str_of("repeat_interleave")) &&
         schema->argument_count >= 2 && arguments[0].tag == OY_TAG_TENSOR &&
         arguments[1].tag == OY_TAG_NONE &&
         oy_str_equal(schema->arguments[1].name, oy_str_of("output_size"));
}

oy_status oyi_fake_refuse(const char* exception, const oy_op* op) {
  oyi_strbuf name = OYI_STRBUF_INIT;
  oyi_write_op(&name, op);
  oy_status status = oyi_strbuf_status(&name);
  if (status == OY_OK)
    status = OY_FAIL(FAILED_PRECONDITION, "%s: %s", exception, name.data);
  oyi_strbuf_reset(&name);
  return status;
}

static oy_status refused(const char* exception, const oy_op* op) {
  oy_status status = oyi_fake_refuse(exception, op);
  if (status == OY_FAILED_PRECONDITION)
    oy_error_note("the result depends on data, which fake tensors do not have");
  return status;
}

oy_status oyi_fake_check_data(const oy_op* op, const oy_schema* schema,
                              const oy_value* arguments) {
  oy_str name = schema->name.base;
  if (IS_AMONG(name, g_data_dependent))
    return refused("DataDependentOutputException", op);
  if (IS_AMONG(name, g_dynamic_shape) || has_mask(schema, arguments) ||
      repeats_unknown(schema, arguments))
    return refused("DynamicOutputShapeException", op);
  return OY_OK;
}

bool oyi_fake_is_lift(const oy_schema* schema) {
  static const char* const names[] = {"lift", "lift_fresh", "lift_fresh_copy"};
  return IS_AMONG(schema->name.base, names);
}

bool oyi_fake_any_device(const oy_schema* schema) {
  static const char* const names[] = {"copy_",
                                      "copy",
                                      "slice_scatter",
                                      "index",
                                      "index_put",
                                      "index_put_",
                                      "_unsafe_index",
                                      "_unsafe_index_put",
                                      "_index_put_impl_",
                                      "_index_put_impl"};
  return IS_AMONG(schema->name.base, names);
}

// --------------------------------------------------------------- common device

typedef struct common {
  const oy_op* op;
  oy_device device;
  bool any;           // there is one
  bool may_give_way;  // it is that of CPU tensors without dimensions alone
  bool take_first;
} common;

static oy_status differ(const oy_op* op, oy_device a, oy_device b) {
  char first[64], second[64];
  oy_device_print(a, first, sizeof(first));
  oy_device_print(b, second, sizeof(second));
  oyi_strbuf name = OYI_STRBUF_INIT;
  oyi_write_op(&name, op);
  oy_status status = oyi_strbuf_status(&name);
  if (status == OY_OK)
    status = OY_FAIL(FAILED_PRECONDITION,
                     "Unhandled FakeTensor Device Propagation for %s, found two "
                     "different devices %s, %s",
                     name.data, first, second);
  oyi_strbuf_reset(&name);
  return status;
}

static oy_status merge(void* context, oy_object* tensor) {
  common* c = context;
  // A number has no device; other real tensors stand for fake ones.
  bool is_number = !oyi_is_fake(tensor) && tensor->flags & OY_OBJECT_WRAPPED_NUMBER;
  if (is_number || !oyi_is_tensor(tensor)) return OY_OK;
  const oyi_tensor* t = oyi_tensor_cast(tensor);
  const oy_device device = oyi_tensor_device(t);
  const bool gives_way = device.backend == OY_BACKEND_CPU && t->ndim == 0;
  if (!c->any || (c->may_give_way && !oy_device_equal(c->device, device))) {
    c->any = true;
    c->device = device;
    c->may_give_way = gives_way && !c->take_first;
    return OY_OK;
  }
  if (oy_device_equal(c->device, device)) {
    c->may_give_way = c->may_give_way && gives_way;
    return OY_OK;
  }
  return gives_way || c->take_first ? OY_OK : differ(c->op, c->device, device);
}

oy_status oyi_fake_common_device(const oy_op* op, const oy_schema* schema,
                                 const oy_value* arguments, oy_device* device) {
  common c = {.op = op, .take_first = oyi_fake_any_device(schema)};
  for (size_t i = 0; i < schema->argument_count; i++)
    OY_TRY(oyi_each_tensor(arguments[i], merge, &c));
  if (c.any) *device = c.device;
  return OY_OK;
}
