// SPDX-License-Identifier: Apache-2.0
// The registry file parser. It cuts fields out of a copy of the text by writing
// NULs over their separators, and fails at the first thing that is not as it
// should be. The untouched text is kept beside it for the messages.
#include <stdlib.h>

#include "base/memory.h"
#include "common.h"
#include "model.h"

typedef struct parser {
  cli_model* model;
  oy_str text;  // as it came, for messages
  unsigned flags;
  size_t at;  // of the rest of the line
  size_t line_end;
  size_t line;
  cli_model_op* op;
} parser;

static oy_status expected(const parser* p, size_t at, const char* what) {
  size_t end = at;
  while (end < p->line_end && p->text.data[end] != '\t' && end - at < 60) end++;
  if (at >= p->line_end)
    return cli_parse_fail(
        p->model->name, p->text, at, what, "%s",
        at >= p->text.size ? "the end of the file" : "the end of the line");
  char word[64];
  size_t n = 0;
  for (size_t i = at; i < end; i++)
    word[n++] = p->text.data[i] >= 0x20 && p->text.data[i] < 0x7f ? p->text.data[i] : '?';
  word[n] = '\0';
  return cli_parse_fail(p->model->name, p->text, at, what, "`%s`", word);
}

// The next field, up to a tab or, for the last one, the end of the line.
static oy_status field(parser* p, bool last, const char* what, oy_str* out,
                       size_t* out_at) {
  size_t start = p->at, end = start;
  while (end < p->line_end && p->text.data[end] != '\t') end++;
  if (end == start && start >= p->line_end) return expected(p, start, what);
  if (!last && end == p->line_end) return expected(p, end, "a tab and another field");
  if (last && end != p->line_end) return expected(p, end, "the end of the line");
  p->model->text[end] = '\0';
  *out = (oy_str){p->model->text + start, end - start};
  *out_at = start;
  p->at = end < p->line_end ? end + 1 : end;
  return OY_OK;
}

enum { KEY_RUNTIME, KEY_ALIAS_TOO };
// Far beyond any real operator; keeps the walks over them short.
enum { PER_OP_MAX = 4096 };

static oy_status read_key(const parser* p, oy_str text, size_t at, int which,
                          oy_key* out_key) {
  *out_key = OY_KEY_Undefined;
  if (p->flags & CLI_MODEL_ANY_KEY) return OY_OK;
  if (!cli_key_find(text, out_key) || *out_key == OY_KEY_Trace ||
      *out_key == OY_KEY_TraceRedispatch)
    return expected(p, at, which == KEY_RUNTIME ? "a runtime key" : "a dispatch key");
  bool fits = which == KEY_RUNTIME
                  ? oy_key_is_runtime(*out_key)
                  : *out_key != OY_KEY_Undefined &&
                        (oy_key_is_runtime(*out_key) || oy_key_is_alias(*out_key));
  return fits ? OY_OK
              : expected(p, at,
                         which == KEY_RUNTIME ? "a runtime key"
                                              : "a runtime or alias key, not Undefined");
}

static oy_status read_fallback(parser* p) {
  cli_fallback* f = cli_model_add_fallback(p->model);
  if (!f) return OY_OUT_OF_MEMORY;
  size_t at = 0;
  oy_str how = {NULL, 0};
  f->line = p->line;
  if (p->op) return expected(p, p->at, "fallbacks before the first operator");
  OY_TRY(field(p, false, "a dispatch key", &f->key_text, &at));
  OY_TRY(read_key(p, f->key_text, at, KEY_RUNTIME, &f->key));
  for (size_t i = 0; i + 1 < p->model->fallback_count; i++)
    if (oy_str_equal(p->model->fallbacks[i].key_text, f->key_text))
      return expected(p, at, "a key without a fallback yet");
  OY_TRY(field(p, false, "`kernel` or `fallthrough`", &how, &at));
  f->fallthrough = oy_str_equal(how, oy_str_of("fallthrough"));
  if (!f->fallthrough && !oy_str_equal(how, oy_str_of("kernel")))
    return expected(p, at, "`kernel` or `fallthrough`");
  return field(p, true, "where it was registered", &f->debug, &at);
}

static oy_status read_op(parser* p) {
  size_t at = 0;
  oy_str name = {NULL, 0};
  OY_TRY(field(p, true, "an operator name", &name, &at));
  oy_op_name parsed;
  if (oy_op_name_parse(name, &parsed) != OY_OK || parsed.ns.size == 0)
    return expected(p, at, "an operator name `ns::base[.overload]`");
  p->op = cli_model_add_op(p->model);
  if (!p->op) return OY_OUT_OF_MEMORY;
  p->op->name = name;
  p->op->line = p->line;
  return OY_OK;
}

static oy_status read_schema(parser* p) {
  size_t at;
  if (p->op->schema.data) return expected(p, p->at, "one schema an operator");
  OY_TRY(field(p, true, "a schema or `(none)`", &p->op->schema, &at));
  p->op->defined = !oy_str_equal(p->op->schema, oy_str_of("(none)"));
  return OY_OK;
}

static oy_status read_def_text(parser* p, oy_str* text) {
  size_t at;
  if (!p->op->defined) return expected(p, p->at, "a schema before");
  if (text->data) return expected(p, p->at, "one such line an operator");
  return field(p, true, "text", text, &at);
}

static oy_status read_alias(parser* p) {
  size_t start = p->at;
  OY_TRY(read_def_text(p, &p->op->alias));
  static const char* const kinds[] = {"FROM_SCHEMA", "CONSERVATIVE",
                                      "CONSERVATIVE (default)", "PURE_FUNCTION",
                                      "INTERNAL_SPECIAL_CASE"};
  for (size_t i = 0; i < OY_ARRAY_SIZE(kinds); i++)
    if (oy_str_equal(p->op->alias, oy_str_of(kinds[i]))) return OY_OK;
  return expected(p, start,
                  "FROM_SCHEMA, CONSERVATIVE, PURE_FUNCTION or INTERNAL_SPECIAL_CASE");
}

// The newest kernel of a key, which comes first, is the active one.
static oy_status check_active(const parser* p, const cli_impl* impl, size_t at) {
  bool first = true;
  for (const cli_impl* i = p->op->impls; i < impl; i++)
    if (oy_str_equal(i->key_text, impl->key_text)) first = false;
  if (impl->active == first) return OY_OK;
  return expected(p, at,
                  first ? "`active` for the first kernel of a key"
                        : "`inactive` for what follows the first kernel of a key");
}

static oy_status read_impl(parser* p) {
  if (p->op->impl_count == PER_OP_MAX)
    return expected(p, p->at, "at most 4096 kernels an operator");
  cli_impl* impl = cli_model_add_impl(p->model, p->op);
  if (!impl) return OY_OUT_OF_MEMORY;
  size_t at;
  oy_str word;
  impl->line = p->line;
  OY_TRY(field(p, false, "a dispatch key", &impl->key_text, &at));
  OY_TRY(read_key(p, impl->key_text, at, KEY_ALIAS_TOO, &impl->key));
  OY_TRY(field(p, false, "`active` or `inactive`", &word, &at));
  impl->active = oy_str_equal(word, oy_str_of("active"));
  if (!impl->active && !oy_str_equal(word, oy_str_of("inactive")))
    return expected(p, at, "`active` or `inactive`");
  OY_TRY(check_active(p, impl, at));
  OY_TRY(field(p, false, "`unboxed`, `boxed` or `fallthrough`", &word, &at));
  if (oy_str_equal(word, oy_str_of("unboxed")))
    impl->how = CLI_UNBOXED;
  else if (oy_str_equal(word, oy_str_of("boxed")))
    impl->how = CLI_BOXED;
  else if (oy_str_equal(word, oy_str_of("fallthrough")))
    impl->how = CLI_FALLTHROUGH;
  else
    return expected(p, at, "`unboxed`, `boxed` or `fallthrough`");
  OY_TRY(field(p, false, "where it was registered", &impl->debug, &at));
  return field(p, true, "a signature or `(none)`", &impl->signature, &at);
}

// Splits "CPU,CUDA" into a cell for each key.
static oy_status read_table(parser* p) {
  oy_str text, keys;
  size_t at;
  OY_TRY(field(p, false, "the text of a table row", &text, &at));
  OY_TRY(field(p, true, "the keys of a table row", &keys, &at));
  char* data = p->model->text + at;
  for (size_t start = 0; start <= keys.size;) {
    size_t end = start;
    while (end < keys.size && data[end] != ',') end++;
    data[end] = '\0';
    oy_str key = {data + start, end - start};
    if (cli_model_cell(p->op, key))
      return expected(p, at + start, "a key that is in no row yet");
    if (p->op->cell_count == PER_OP_MAX)
      return expected(p, at + start, "at most 4096 keys an operator");
    cli_cell* cell = cli_model_add_cell(p->model, p->op);
    if (!cell) return OY_OUT_OF_MEMORY;
    *cell = (cli_cell){.key_text = key, .text = text, .line = p->line};
    OY_TRY(read_key(p, key, at + start, KEY_RUNTIME, &cell->key));
    if (key.size == 0) return expected(p, at + start, "a runtime key");
    start = end + 1;
  }
  return OY_OK;
}

// Whether the line begins with |word| and a separator; steps over both.
static bool keyword(parser* p, const char* word, bool space) {
  size_t size = strlen(word);
  if (p->line_end - p->at < size || memcmp(p->text.data + p->at, word, size) != 0)
    return false;
  size_t after = p->at + size;
  bool ends = after == p->line_end || p->text.data[after] == '\t' ||
              (space && p->text.data[after] == ' ');
  if (ends) p->at = after < p->line_end ? after + 1 : after;
  return ends;
}

static oy_status op_complete(const parser* p) {
  if (!p->op) return OY_OK;
  if (!p->op->schema.data) return expected(p, p->at, "`schema` of the operator before");
  if (p->op->defined && (!p->op->debug.data || !p->op->alias.data))
    return expected(p, p->at, "`debug` and `alias` of the operator before");
  return OY_OK;
}

static oy_status read_line(parser* p) {
  size_t start = p->at;
  if (p->at == p->line_end || p->text.data[p->at] == '#') return OY_OK;
  if (keyword(p, "fallback", false)) return read_fallback(p);
  if (keyword(p, "op", true)) {
    size_t at = p->at;
    p->at = start;
    OY_TRY(op_complete(p));
    p->at = at;
    return read_op(p);
  }
  static const char what[] =
      "`fallback`, `op`, `schema`, `debug`, `alias`, `impl` or `table`";
  if (!p->op) return expected(p, start, "`fallback`, `op` or a comment");
  if (keyword(p, "schema", true)) return read_schema(p);
  if (keyword(p, "debug", true)) return read_def_text(p, &p->op->debug);
  if (keyword(p, "alias", true)) return read_alias(p);
  if (keyword(p, "impl", false)) return read_impl(p);
  if (keyword(p, "table", false)) return read_table(p);
  return expected(p, start, what);
}

static oy_status read_lines(parser* p) {
  const char* nul = memchr(p->text.data, '\0', p->text.size);
  if (nul)
    return cli_parse_fail(p->model->name, p->text, (size_t)(nul - p->text.data), "text",
                          "a NUL byte");
  for (size_t at = 0; at < p->text.size;) {
    const char* end = memchr(p->text.data + at, '\n', p->text.size - at);
    p->line++;
    p->at = at;
    p->line_end = end ? (size_t)(end - p->text.data) : p->text.size;
    p->model->text[p->line_end] = '\0';
    at = p->line_end + 1;
    OY_TRY(read_line(p));
  }
  p->at = p->line_end = p->text.size;
  return op_complete(p);
}

static int by_name(const void* a, const void* b) {
  const cli_model_op* const* x = a;
  const cli_model_op* const* y = b;
  int order = strcmp((*x)->name.data, (*y)->name.data);
  return order ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

static oy_status check_unique(const parser* p) {
  cli_model* m = p->model;
  if (m->op_count == 0) return OY_OK;
  cli_model_op** sorted = oyi_calloc(m->op_count, sizeof *sorted);
  if (!sorted) return OY_OUT_OF_MEMORY;
  for (size_t i = 0; i < m->op_count; i++) sorted[i] = &m->ops[i];
  qsort(sorted, m->op_count, sizeof *sorted, by_name);
  oy_status status = OY_OK;
  for (size_t i = 1; i < m->op_count && status == OY_OK; i++)
    if (oy_str_equal(sorted[i - 1]->name, sorted[i]->name))
      status = cli_parse_fail(m->name, p->text, (size_t)(sorted[i]->name.data - m->text),
                              "an operator that the file does not have yet",
                              "%s, which is on line %zu", sorted[i]->name.data,
                              sorted[i - 1]->line);
  oyi_free(sorted);
  return status;
}

oy_status cli_model_parse(oy_str text, const char* name, unsigned flags,
                          cli_model* out_model) {
  *out_model = (cli_model){.name = name};
  if (!oyi_arena_init(&out_model->arena, text.size / 2 + 4096)) return OY_OUT_OF_MEMORY;
  out_model->text = oyi_strndup(text.data ? text.data : "", text.size);
  parser p = {.model = out_model, .text = text, .flags = flags};
  if (!text.data) p.text.data = "";
  oy_status status = out_model->text ? read_lines(&p) : OY_OUT_OF_MEMORY;
  if (status == OY_OK) status = check_unique(&p);
  if (status != OY_OK) cli_model_free(out_model);
  return status;
}
