// SPDX-License-Identifier: Apache-2.0
// Reads a live registry into a model, by way of the two dumps: they hold all that
// there is to know, and stay in step with what users see.
#include "base/memory.h"
#include "common.h"
#include "model.h"

static oy_str line_of(const char** text) {
  const char* end = strchr(*text, '\n');
  oy_str line = {*text, end ? (size_t)(end - *text) : strlen(*text)};
  *text = end ? end + 1 : *text + line.size;
  return line;
}

static bool strip(oy_str* line, const char* prefix) {
  size_t size = strlen(prefix);
  if (line->size < size || memcmp(line->data, prefix, size) != 0) return false;
  line->data += size;
  line->size -= size;
  return true;
}

// The last place where |mark| stands in |text|; its size if there is none.
static size_t find_last(oy_str text, const char* mark) {
  size_t size = strlen(mark);
  for (size_t i = text.size; i-- > 0;)
    if (i + size <= text.size && memcmp(text.data + i, mark, size) == 0) return i;
  return text.size;
}

static size_t find_first(oy_str text, const char* mark) {
  const char* at = text.size ? memmem(text.data, text.size, mark, strlen(mark)) : NULL;
  return at ? (size_t)(at - text.data) : text.size;
}

static oy_str head(oy_str text, size_t size) {
  return (oy_str){text.data, size < text.size ? size : text.size};
}

static oy_str tail(oy_str text, size_t from) {
  if (from > text.size) from = text.size;
  return (oy_str){text.data + from, text.size - from};
}

static bool contains(oy_str text, const char* mark) {
  return find_first(text, mark) < text.size;
}

// "CPU (inactive): registered at f.c:3 :: (Tensor _0) -> Tensor _0 [ boxed ]"
static oy_status add_impl(cli_model* model, cli_model_op* op, oy_str line) {
  oy_str label = head(line, find_first(line, ": "));
  oy_str rest = tail(line, label.size + 2);
  oy_str flags = tail(rest, find_last(rest, " [ "));
  rest.size -= flags.size;
  oy_str debug = head(rest, find_last(rest, " :: "));
  cli_impl* impl = cli_model_add_impl(model, op);
  if (!impl) return OY_OUT_OF_MEMORY;
  impl->active = !contains(label, " (inactive)");
  impl->how = contains(flags, "fallthrough") ? CLI_FALLTHROUGH
              : contains(flags, "unboxed")   ? CLI_UNBOXED
                                             : CLI_BOXED;
  // "CPU[float32, priority 1]" is a key with attributes, "Autograd[alias]" is not.
  oy_str name = head(label, find_first(label, "["));
  name = head(name, find_first(name, " "));
  oy_str full = head(label, find_first(label, " (inactive)"));
  impl->key_text = cli_model_copy(model, contains(full, "[alias]") ? name : full);
  impl->debug = cli_model_copy(model, debug);
  impl->signature = cli_model_copy(model, tail(rest, debug.size + 4));
  if (!impl->key_text.data || !impl->debug.data || !impl->signature.data)
    return OY_OUT_OF_MEMORY;
  return oy_key_parse(name, &impl->key);
}

static oy_status add_state(cli_model* model, cli_model_op* op, const char* text) {
  while (*text) {
    oy_str line = line_of(&text);
    oy_str* field = strip(&line, "name: ")                  ? &op->name
                    : strip(&line, "schema: ")              ? &op->schema
                    : strip(&line, "debug: ")               ? &op->debug
                    : strip(&line, "alias analysis kind: ") ? &op->alias
                                                            : NULL;
    if (!field) {
      OY_TRY(add_impl(model, op, line));
      continue;
    }
    *field = cli_model_copy(model, line);
    if (!field->data) return OY_OUT_OF_MEMORY;
  }
  op->defined = !oy_str_equal(op->schema, oy_str_of("(none)"));
  return OY_OK;
}

static oy_status add_table(cli_model* model, cli_model_op* op, const char* text) {
  while (*text) {
    oy_str line = line_of(&text);
    oy_str key = head(line, find_first(line, ": "));
    cli_cell* cell = cli_model_add_cell(model, op);
    if (!cell) return OY_OUT_OF_MEMORY;
    cell->key_text = cli_model_copy(model, key);
    cell->text = cli_model_copy(model, tail(line, key.size + 2));
    if (!cell->key_text.data || !cell->text.data) return OY_OUT_OF_MEMORY;
    OY_TRY(oy_key_parse(head(key, find_first(key, "[")), &cell->key));
  }
  return OY_OK;
}

static oy_status add_op(cli_model* model, const oy_op* op) {
  cli_model_op* added = cli_model_add_op(model);
  if (!added) return OY_OUT_OF_MEMORY;
  char* text = NULL;
  OY_TRY(oy_op_dump_state(op, &text));
  oy_status status = add_state(model, added, text);
  oy_text_free(text);
  if (status != OY_OK) return status;
  OY_TRY(oy_op_dump_table(op, &text));
  status = add_table(model, added, text);
  oy_text_free(text);
  return status;
}

// Where a fallback was registered is shown only by the cells that it fills.
static void find_fallback(const cli_model* model, cli_fallback* fallback) {
  for (size_t i = 0; i < model->op_count; i++) {
    const cli_cell* cell = cli_model_cell(&model->ops[i], fallback->key_text);
    if (!cell) continue;
    size_t end = find_last(cell->text, " [backend fallback]");
    if (end == cell->text.size) continue;
    oy_str debug = head(cell->text, end);
    fallback->fallthrough = strip(&debug, "fallthrough ");
    fallback->debug = debug;
    return;
  }
}

static oy_status add_fallbacks(cli_model* model, oy_registry* registry) {
  oy_key key;
  for (size_t i = 0; oy_key_at(i, &key); i++) {
    if (!oy_key_is_runtime(key) || key == OY_KEY_Undefined || key == OY_KEY_Trace ||
        key == OY_KEY_TraceRedispatch || !oy_registry_has_fallback(registry, key))
      continue;
    cli_fallback* fallback = cli_model_add_fallback(model);
    if (!fallback) return OY_OUT_OF_MEMORY;
    fallback->key = key;
    fallback->key_text = oy_str_of(oy_key_name(key));
    fallback->debug = oy_str_of("(shown by no operator)");
    find_fallback(model, fallback);
    fallback->debug = cli_model_copy(model, fallback->debug);
    if (!fallback->debug.data) return OY_OUT_OF_MEMORY;
  }
  return OY_OK;
}

oy_status cli_model_of_registry(oy_registry* registry, cli_model* out_model) {
  *out_model = (cli_model){.name = "registry"};
  const oy_op** ops = NULL;
  size_t count = 0;
  OY_TRY(oy_registry_list(registry, &ops, &count));
  oy_status status =
      oyi_arena_init(&out_model->arena, 4096 + count * 1024) ? OY_OK : OY_OUT_OF_MEMORY;
  for (size_t i = 0; i < count && status == OY_OK; i++)
    status = add_op(out_model, ops[i]);
  oy_ops_free(ops);
  if (status == OY_OK) status = add_fallbacks(out_model, registry);
  if (status != OY_OK) cli_model_free(out_model);
  return status;
}
