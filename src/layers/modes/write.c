// SPDX-License-Identifier: Apache-2.0
// Calls as text, in the manner of Python.
#include "dispatch/value_check.h"
#include "layers/modes/modes.h"

void oyi_write_op(oyi_strbuf* out, const oy_op* op) {
  oy_str name = oy_op_name_of(op);
  bool has_overload = false;
  for (size_t i = 0; i < name.size; i++) {
    bool colons = name.data[i] == ':' && i + 1 < name.size && name.data[i + 1] == ':';
    has_overload |= name.data[i] == '.';
    oyi_strbuf_putc(out, colons ? '.' : name.data[i]);
    i += colons;
  }
  if (!has_overload) oyi_strbuf_puts(out, ".default");
}

static oy_value element_of(oy_value list, size_t i) {
  return list.tag == OY_TAG_TENSOR_LIST ? oy_value_tensor(list.as.tensors[i])
                                        : list.as.values[i];
}

void oyi_write_value(oyi_strbuf* out, oy_value v, oyi_tensor_writer write) {
  if (v.tag == OY_TAG_TENSOR) {
    write(out, v.as.object);
  } else if (v.tag == OY_TAG_TENSOR_LIST || v.tag == OY_TAG_LIST) {
    oyi_strbuf_putc(out, '[');
    for (size_t i = 0; i < v.count; i++) {
      if (i) oyi_strbuf_puts(out, ", ");
      oyi_write_value(out, element_of(v, i), write);
    }
    oyi_strbuf_putc(out, ']');
  } else if (v.tag == OY_TAG_DEVICE) {
    char device[64];
    oy_device_print(v.as.device, device, sizeof(device));
    oyi_strbuf_puts(out, device);
  } else {
    oyi_value_describe(out, v);
  }
}

static bool is_default(oyi_strbuf* out, const oy_argument* argument, oy_value v) {
  oy_value standard = oy_none();
  if (argument->default_value.kind == OY_DEFAULT_ABSENT) return false;
  oy_status status =
      oyi_default_value(&argument->default_value, argument->type, &standard);
  oyi_converted done = status == OY_OK ? oyi_value_check(&standard, argument->type)
                                       : OYI_CONVERT_NO_MEMORY;
  out->failed |= done == OYI_CONVERT_NO_MEMORY;
  bool same = done == OYI_CONVERTED && oy_value_equal(standard, v);
  oy_value_release(&standard);
  return same;
}

void oyi_write_call(oyi_strbuf* out, const oy_op* op, const oy_value* arguments,
                    oyi_tensor_writer write) {
  oyi_write_op(out, op);
  oyi_strbuf_putc(out, '(');
  const oy_schema* schema = oy_op_schema(op);
  size_t count = schema ? schema->argument_count : 0, positional = 0;
  while (positional < count && !schema->arguments[positional].kwarg_only) positional++;
  while (positional > 0 &&
         is_default(out, &schema->arguments[positional - 1], arguments[positional - 1]))
    positional--;
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const oy_argument* a = &schema->arguments[i];
    if (a->kwarg_only ? is_default(out, a, arguments[i]) : i >= positional) continue;
    if (any) oyi_strbuf_puts(out, ", ");
    if (a->kwarg_only) oyi_strbuf_printf(out, "%.*s=", OY_STR_ARG(a->name));
    oyi_write_value(out, arguments[i], write);
    any = true;
  }
  oyi_strbuf_putc(out, ')');
}
