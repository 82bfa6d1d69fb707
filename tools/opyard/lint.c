// SPDX-License-Identifier: Apache-2.0
// `opyard lint`: registrations that cannot be meant as they are.
//
//   error    dangling     kernels of an operator that nobody defined
//   error    ambiguous    a slot that reports an ambiguity when it is called
//   warning  unreachable  a kernel that no slot has
//   note     shadowed     a kernel below a newer one of the same key
//   note     missing      a kernel on every backend in use but one
//
// Shadowed kernels are a note: PyTorch's own registry has 298 of them, on purpose.
#include "base/memory.h"
#include "common.h"
#include "json.h"
#include "model.h"

typedef enum severity { NOTE, WARNING, ERROR } severity;

typedef struct lint {
  size_t counts[3];
  severity least;                       // what is shown
  cli_json* json;                       // NULL: text
  size_t in_use[OY_BACKEND_COUNT_MAX];  // operators with a kernel, by backend
} lint;

static const char* const severities[] = {"note", "warning", "error"};

// "f.c" and 3 of "registered at f.c:3"; the whole text and 0 of another.
static oy_str place_of(oy_str debug, long* out_line) {
  static const char lead[] = "registered at ";
  *out_line = 0;
  if (debug.size < sizeof lead - 1 || memcmp(debug.data, lead, sizeof lead - 1) != 0)
    return debug;
  oy_str file = {debug.data + sizeof lead - 1, debug.size - (sizeof lead - 1)};
  size_t digits = 0;
  long line = 0, scale = 1;
  while (digits < file.size && digits < 9) {
    char c = file.data[file.size - 1 - digits];
    if (c < '0' || c > '9') break;
    line += (c - '0') * scale;
    scale *= 10;
    digits++;
  }
  if (digits == 0 || digits == file.size || file.data[file.size - 1 - digits] != ':')
    return file;
  *out_line = line;
  return (oy_str){file.data, file.size - digits - 1};
}

static void finding(lint* l, severity s, const char* kind, const cli_model_op* op,
                    oy_str debug, const char* key, const char* message) {
  l->counts[s]++;
  if (s < l->least) return;
  long line;
  oy_str file = place_of(debug, &line);
  if (l->json) {
    cli_json_open(l->json, NULL, '{');
    cli_json_text(l->json, "severity", severities[s]);
    cli_json_text(l->json, "kind", kind);
    cli_json_str(l->json, "op", op->name);
    cli_json_text(l->json, "key", key);
    cli_json_str(l->json, "file", file);
    cli_json_int(l->json, "line", line);
    cli_json_text(l->json, "message", message);
    cli_json_close(l->json, '}');
    return;
  }
  const char* colour = s == ERROR ? "red" : s == WARNING ? "yellow" : "dim";
  printf("%.*s:%ld: %s%s%s: %s: %.*s at %s: %s\n", OY_STR_ARG(file), line,
         cli_colour(colour), severities[s], cli_colour("off"), kind, OY_STR_ARG(op->name),
         key, message);
}

static void check_dangling(lint* l, const cli_model_op* op) {
  if (op->defined) return;
  for (size_t i = 0; i < op->impl_count; i++)
    finding(l, ERROR, "dangling", op, op->impls[i].debug, op->impls[i].key_text.data,
            "a kernel of an operator that has no definition");
}

static void check_shadowed(lint* l, const cli_model_op* op) {
  for (size_t i = 0; i < op->impl_count; i++) {
    const cli_impl* impl = &op->impls[i];
    if (impl->active) continue;
    char message[256] = "a newer kernel hides it";
    for (size_t k = 0; k < op->impl_count; k++)
      if (op->impls[k].active && oy_str_equal(op->impls[k].key_text, impl->key_text))
        snprintf(message, sizeof message, "a newer kernel hides it, %.*s",
                 OY_STR_ARG(op->impls[k].debug));
    finding(l, NOTE, "shadowed", op, impl->debug, impl->key_text.data, message);
  }
}

static void check_ambiguous(lint* l, const cli_model_op* op) {
  static const char text[] = "ambiguous_autogradother [ambiguous autogradother]";
  for (size_t i = 0; i < op->cell_count; i++)
    if (oy_str_equal(op->cells[i].text, oy_str_of(text))) {
      oy_str debug = op->debug;
      for (size_t k = 0; k < op->impl_count; k++)
        if (op->impls[k].key == OY_KEY_CompositeImplicitAutograd)
          debug = op->impls[k].debug;
      finding(l, ERROR, "ambiguous", op, debug, op->cells[i].key_text.data,
              "CompositeImplicitAutograd and a backend that maps to AutogradOther both "
              "have a kernel; a call reports it");
    }
}

// "kernel", "autograd kernel", ...: the cell holds this kernel of |key|.
static bool cell_is(const cli_cell* cell, const cli_impl* impl) {
  oy_str text = cell->text;
  static const char skip[] = "fallthrough ";
  if (impl->how == CLI_FALLTHROUGH && text.size > sizeof skip - 1) {
    text.data += sizeof skip - 1;
    text.size -= sizeof skip - 1;
  }
  if (text.size < impl->debug.size + 2 ||
      memcmp(text.data, impl->debug.data, impl->debug.size) != 0)
    return false;
  // "[kernel]" is what a key of its own has, an alias key gives the others.
  oy_str provenance = {text.data + impl->debug.size, text.size - impl->debug.size};
  bool direct = oy_str_equal(provenance, oy_str_of(" [kernel]"));
  return provenance.data[1] == '[' && direct != oy_key_is_alias(impl->key);
}

static void check_unreachable(lint* l, const cli_model_op* op) {
  for (size_t i = 0; i < op->impl_count; i++) {
    const cli_impl* impl = &op->impls[i];
    bool variant = memchr(impl->key_text.data, '[', impl->key_text.size) != NULL;
    if (!impl->active || variant) continue;
    bool found = false;
    for (size_t k = 0; k < op->cell_count && !found; k++)
      found =
          (oy_key_is_alias(impl->key) ? oy_key_in_alias(op->cells[k].key, impl->key) ||
                                            op->cells[k].key == OY_KEY_Undefined
                                      : op->cells[k].key == impl->key) &&
          cell_is(&op->cells[k], impl);
    if (!found)
      finding(l, WARNING, "unreachable", op, impl->debug, impl->key_text.data,
              "every slot that it could fill has another kernel");
  }
}

// Dense backends that operators have kernels of their own for.
static void find_backends(lint* l, const cli_model* model) {
  for (size_t i = 0; i < model->op_count; i++)
    for (size_t k = 0; k < model->ops[i].impl_count; k++) {
      oy_key key = model->ops[i].impls[k].key;
      oy_backend b = oy_key_backend(key);
      if (b >= 0 && b != OY_BACKEND_Meta && oy_key_functionality(key) == OY_KEY_Dense &&
          model->ops[i].impls[k].active)
        l->in_use[b]++;
    }
}

static bool has_dense(const cli_model_op* op, oy_backend b) {
  for (size_t i = 0; i < op->cell_count; i++)
    if (op->cells[i].key == OY_KEY_OF(OY_KEY_Dense, b)) return true;
  return false;
}

// Three backends in use and two have it: the third was forgotten, maybe.
static void check_missing(lint* l, const cli_model_op* op) {
  size_t used = 0, have = 0;
  oy_backend missing = OY_BACKEND_NONE;
  for (oy_backend b = 0; b < OY_BACKEND_COUNT_MAX; b++) {
    if (l->in_use[b] == 0) continue;
    used++;
    if (has_dense(op, b))
      have++;
    else
      missing = b;
  }
  if (used < 2 || have + 1 != used) return;
  char message[128];
  snprintf(
      message, sizeof message, "no kernel for %s; the other %zu backend%s in use %s one",
      oy_backend_name(missing), have, have == 1 ? "" : "s", have == 1 ? "has" : "have");
  finding(l, NOTE, "missing", op, op->debug, oy_backend_name(missing), message);
}

static void lint_model(lint* l, const cli_model* model) {
  find_backends(l, model);
  for (size_t i = 0; i < model->op_count; i++) {
    const cli_model_op* op = &model->ops[i];
    check_dangling(l, op);
    check_ambiguous(l, op);
    check_unreachable(l, op);
    check_shadowed(l, op);
    if (op->defined) check_missing(l, op);
  }
}

static oy_status load(const char* path, cli_model* out_model) {
  if (!path) {
    oy_registry* registry;
    OY_TRY(cli_registry(NULL, &registry));
    return cli_model_of_registry(registry, out_model);
  }
  char* text;
  size_t size;
  OY_TRY(cli_read(path, &text, &size));
  oy_status status =
      cli_model_parse((oy_str){text, size}, cli_path_name(path), 0, out_model);
  cli_free(text);
  return status;
}

static int lint_and_report(const cli_model* model, bool all, bool as_json) {
  cli_json json;
  cli_json_init(&json, stdout);
  lint l = {.least = all ? NOTE : WARNING, .json = as_json ? &json : NULL};
  if (as_json) {
    l.least = NOTE;
    cli_json_open(&json, NULL, '{');
    cli_json_open(&json, "findings", '[');
  }
  lint_model(&l, model);
  if (as_json) {
    cli_json_close(&json, ']');
    cli_json_int(&json, "errors", (long long)l.counts[ERROR]);
    cli_json_int(&json, "warnings", (long long)l.counts[WARNING]);
    cli_json_int(&json, "notes", (long long)l.counts[NOTE]);
    cli_json_close(&json, '}');
  } else {
    printf("%zu operators: %zu errors, %zu warnings, %zu notes%s\n", model->op_count,
           l.counts[ERROR], l.counts[WARNING], l.counts[NOTE],
           !all && l.counts[NOTE] ? " (--all shows them)" : "");
  }
  return cli_finish(l.counts[ERROR] ? CLI_DIFFERENT : CLI_OK);
}

int cli_lint(int argc, char** argv) {
  bool as_json = false, all = false;
  const cli_option options[] = {{"--json", &as_json, NULL}, {"--all", &all, NULL}};
  int operands = cli_arguments(argc, argv, options, 2, 0, 1);
  if (operands < 0) return CLI_BAD_INPUT;
  cli_model model;
  if (load(operands == 1 ? argv[1] : NULL, &model) != OY_OK) return cli_fail();
  int result = lint_and_report(&model, all, as_json);
  cli_model_free(&model);
  return result;
}
