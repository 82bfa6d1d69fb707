// SPDX-License-Identifier: Apache-2.0
// Registry files: the parser takes any bytes, and what it accepts is what replay
// relies on. Corpus: tests/fuzz/corpus/registry.
#include <stdlib.h>

#include "../../tools/opyard/model.c"
#include "../../tools/opyard/model_parse.c"
#include "../../tools/opyard/parse_error.c"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void must(bool holds) {
  if (!holds) abort();
}

// Views are NUL-terminated.
static void check_text(oy_str text) {
  must(text.data && text.data[text.size] == '\0' && strlen(text.data) == text.size);
}

static void check_op(const cli_model_op* op, bool known_keys) {
  check_text(op->name);
  check_text(op->schema);
  if (op->defined) check_text(op->debug);
  for (size_t i = 0; i < op->impl_count; i++) {
    check_text(op->impls[i].key_text);
    check_text(op->impls[i].debug);
    check_text(op->impls[i].signature);
    must(!known_keys || op->impls[i].key != OY_KEY_Undefined);
  }
  for (size_t i = 0; i < op->cell_count; i++) {
    check_text(op->cells[i].key_text);
    check_text(op->cells[i].text);
    must(!known_keys || oy_key_is_runtime(op->cells[i].key));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const oy_str text = {(const char*)data, size};
  for (unsigned flags = 0; flags <= CLI_MODEL_ANY_KEY; flags++) {
    cli_model model;
    if (cli_model_parse(text, "fuzz", flags, &model) != OY_OK) {
      must(oy_error_get()->code == OY_PARSE && strstr(oy_error_get()->message, "found "));
      continue;
    }
    for (size_t i = 0; i < model.op_count; i++) check_op(&model.ops[i], flags == 0);
    cli_model_free(&model);
  }
  return 0;
}
