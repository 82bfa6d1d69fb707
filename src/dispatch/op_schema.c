// SPDX-License-Identifier: Apache-2.0
#include "dispatch/op_schema.h"

#include "base/memory.h"
#include "base/strbuf.h"

// Guards the definition of every operator against those who unpack its schema; a
// definition changes with the registry's lock held as well. Takes no other lock.
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;

static oy_status unpack(oyi_op* op, oy_registration* definition) {
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_strbuf_append(&text, op->name, op->name_size);
  oyi_strbuf_puts(&text, definition->text);
  oy_status status = oyi_strbuf_status(&text);
  if (status == OY_OK)
    status = oy_schema_parse(oyi_strbuf_view(&text), definition->parse_flags,
                             &definition->schema);
  oyi_strbuf_reset(&text);
  if (status == OY_OK)
    __atomic_store_n(&op->schema, definition->schema, __ATOMIC_RELEASE);
  return status;
}

// The text was parsed before, so that only memory can be short.
static oy_status unpack_current(oyi_op* op, const oy_schema** out_schema) {
  oy_status status = OY_NOT_FOUND;
  pthread_mutex_lock(&g_mutex);
  oy_registration* definition = __atomic_load_n(&op->def, __ATOMIC_ACQUIRE);
  if (definition) status = definition->schema ? OY_OK : unpack(op, definition);
  *out_schema = status == OY_OK ? definition->schema : NULL;
  pthread_mutex_unlock(&g_mutex);
  return status;
}

oy_status oyi_op_schema(const oyi_op* op, const oy_schema** out_schema) {
  *out_schema = __atomic_load_n(&op->schema, __ATOMIC_ACQUIRE);
  if (OY_LIKELY(*out_schema != NULL)) return OY_OK;
  if (!oyi_op_signature(&op->hot)) return OY_NOT_FOUND;
  return unpack_current((oyi_op*)(uintptr_t)op, out_schema);
}

const oy_schema* oyi_definition_schema(oy_registration* definition) {
  const oy_schema* schema;
  return unpack_current(definition->op, &schema) == OY_OK ? schema : NULL;
}

const oy_schema* oy_op_schema(const oy_op* op) {
  const oy_schema* schema;
  return oyi_op_schema(oyi_op_of(op), &schema) == OY_OK ? schema : NULL;
}

// A schema that is being unpacked is that of the definition before, whose end waited.
void oyi_definition_begin(oyi_op* op, oy_registration* definition) {
  __atomic_store_n(&op->def, definition, __ATOMIC_RELEASE);
}

void oyi_definition_end(oyi_op* op) {
  pthread_mutex_lock(&g_mutex);
  __atomic_store_n(&op->def, NULL, __ATOMIC_RELAXED);
  __atomic_store_n(&op->schema, NULL, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&g_mutex);
}
