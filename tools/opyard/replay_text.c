// SPDX-License-Identifier: Apache-2.0
// PyTorch's dumps, written from a file's fields. It shares no code with the
// library's, so that a difference shows who is wrong.
#include "common.h"
#include "replay.h"

static const char* flags_of(cli_how how) {
  switch (how) {
    case CLI_UNBOXED: return "boxed unboxed ";
    case CLI_FALLTHROUGH: return "fallthrough boxed ";
    default: return "boxed ";
  }
}

static void impl_line(const cli_impl* impl, oyi_strbuf* out) {
  oyi_strbuf_printf(out, "%.*s%s%s: %.*s :: %.*s [ %s]\n", OY_STR_ARG(impl->key_text),
                    oy_key_is_alias(impl->key) ? "[alias]" : "",
                    impl->active ? "" : " (inactive)", OY_STR_ARG(impl->debug),
                    OY_STR_ARG(impl->signature), flags_of(impl->how));
}

void cli_state_text(const cli_model_op* op, oyi_strbuf* out) {
  oyi_strbuf_printf(out, "name: %.*s\nschema: %.*s\n", OY_STR_ARG(op->name),
                    OY_STR_ARG(op->schema));
  if (op->defined)
    oyi_strbuf_printf(out, "debug: %.*s\nalias analysis kind: %.*s\n",
                      OY_STR_ARG(op->debug), OY_STR_ARG(op->alias));
  // Keys in enum order, kernels of one key in the file's order.
  for (unsigned done = 0, next;; done = next) {
    next = 0;
    for (size_t i = 0; i < op->impl_count; i++) {
      unsigned rank = cli_key_rank(op->impls[i].key);
      if (rank > done && (next == 0 || rank < next)) next = rank;
    }
    if (next == 0) return;
    for (size_t i = 0; i < op->impl_count; i++)
      if (cli_key_rank(op->impls[i].key) == next) impl_line(&op->impls[i], out);
  }
}

void cli_table_text(const cli_model_op* op, oyi_strbuf* out) {
  oy_key key;
  for (size_t i = 0; cli_runtime_key_at(i, &key); i++)
    for (size_t k = 0; k < op->cell_count; k++)
      if (op->cells[k].key == key)
        oyi_strbuf_printf(out, "%.*s: %.*s\n", OY_STR_ARG(op->cells[k].key_text),
                          OY_STR_ARG(op->cells[k].text));
}
