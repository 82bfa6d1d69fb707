// SPDX-License-Identifier: Apache-2.0
// Typed calls: declarations, definitions, and their inline twins. A call is what
// opyard/inline.h says, in the order that keeps the fewest registers busy: look
// at the arguments, join their keys, begin, select, call, end. Two ways are in the
// open, that of an idle thread and that of a nested call; all else is apart.
#include "opgen.h"

static bool casts(const options* o) {
  return strcmp(o->tensor_type, "oy_object") != 0;
}

static const char* return_type(const op_row* op, const options* o) {
  return op->returns_object ? argument_type('t', o) : "oy_status";
}

static void add_parameters(items* list, const op_row* op, const options* o) {
  for (size_t i = 0; i < op->argument_count; i++)
    add_item(list, "%s %s", argument_type(op->abi[i], o), op->arguments[i]);
  for (size_t i = 0; i < op->result_count && !op->returns_object; i++)
    add_item(list, "%s* %s", result_type(op->results[i], o), op->outs[i]);
}

static void add_arguments(items* list, const op_row* op) {
  for (size_t i = 0; i < op->argument_count; i++) add_item(list, "%s", op->arguments[i]);
  for (size_t i = 0; i < op->result_count && !op->returns_object; i++)
    add_item(list, "%s", op->outs[i]);
}

// ------------------------------------------------------------------ the header

static void put_declaration(FILE* out, const op_row* op, const options* o) {
  items list = {.count = 0};
  add_parameters(&list, op, o);
  if (!list.count) add_item(&list, "void");
  if (op->doc) put_comment(out, op->doc);
  put_comment(out, op->text);
  put_items(out, "",
            print_text("%s %s %s(", o->export_macro, return_type(op, o), op->call), &list,
            ",", ");\n");
}

static void put_kernel_type(FILE* out, const op_row* op, const options* o) {
  items list = {.count = 0};
  add_item(&list, "const oy_op* op");
  add_item(&list, "oy_keyset keys");
  add_parameters(&list, op, o);
  put_items(out, "", print_text("typedef %s (*%s_fn)(", return_type(op, o), op->call),
            &list, ",", ");\n");
}

static bool may_not_be_null(const op_row* op, size_t i) {
  return op->abi[i] == 't' || op->abi[i] == 'g';
}

// One condition for each object that must not be NULL.
static items null_tests(const op_row* op) {
  items list = {.count = 0};
  for (size_t i = 0; i < op->argument_count; i++)
    if (may_not_be_null(op, i)) add_item(&list, "!%s", op->arguments[i]);
  return list;
}

// The name of the first tensor that is NULL, as an expression.
static void put_null_name(FILE* out, const op_row* op) {
  const char* last = "\"\"";
  size_t left = 0;
  for (size_t i = 0; i < op->argument_count; i++) left += may_not_be_null(op, i);
  for (size_t i = 0; i < op->argument_count; i++) {
    if (!may_not_be_null(op, i)) continue;
    oy_str name = op->schema->arguments[i].name;
    if (--left == 0)
      last = print_text("\"%.*s\"", OY_STR_ARG(name));
    else
      fprintf(out, "!%s ? \"%.*s\" : ", op->arguments[i], OY_STR_ARG(name));
  }
  fprintf(out, "%s", last);
}

// |name| NULL: whichever of the objects it is.
static void put_null_return(FILE* out, const op_row* op, const options* o,
                            const char* name) {
  if (!op->returns_object)
    fprintf(out, "    return oy_call_null_status(op, ");
  else
    fprintf(out, "    return (%s)oy_call_null(op, ", argument_type('t', o));
  if (name)
    fprintf(out, "%s", name);
  else
    put_null_name(out, op);
  fprintf(out, ");\n");
}

static void put_kernel_call(FILE* out, const op_row* op, const char* indent,
                            const char* start, const char* kernel) {
  items list = {.count = 0};
  add_item(&list, "op");
  add_item(&list, "keys");
  add_arguments(&list, op);
  put_items(out, indent, print_text("%s((%s_fn)%s->typed)(", start, op->call, kernel),
            &list, ",", ");\n");
}

static void put_redispatch(FILE* out, const op_row* op, const options* o) {
  items list = {.count = 0};
  add_item(&list, "const oy_op* op");
  add_item(&list, "oy_keyset keys");
  add_parameters(&list, op, o);
  const char* head =
      print_text("static inline %s oy_redispatch_%s(", return_type(op, o), op->call + 3);
  put_items(out, "", head, &list, ",", ") {\n");
  items tests = null_tests(op);
  if (tests.count) {
    put_items(out, "  ", "if (OY_UNLIKELY(", &tests, " ||", "))\n");
    put_null_return(out, op, o, NULL);
  }
  put_kernel_call(out, op, "  ", "return ", "oy_select_exact(op, keys)");
  fprintf(out, "}\n");
}

static void put_macros(FILE* out, const op_row* op) {
  fprintf(out, "#define oy_typed_%s(fn) OY_TYPED_AS(%s_fn, fn)\n", op->call + 3,
          op->call);
  fprintf(out, "#define oy_impl_%s(m, key, fn) \\\n", op->call + 3);
  fprintf(out, "  oy_impl_typed((m), \"%s\", (key), \\\n", op->name);
  fprintf(out, "                oy_typed_%s(fn), __FILE__, __LINE__)\n\n", op->call + 3);
}

static char* guard_of(const options* o, const char* what) {
  char* guard = print_text("OPYARD_GEN_%s_%s_H_", identifier(o->stem), what);
  for (char* p = guard; *p; p++)
    if (*p >= 'a' && *p <= 'z') *p = (char)(*p - 'a' + 'A');
  return guard;
}

static void put_includes(FILE* out, const options* o) {
  for (size_t i = 0; i < o->include_count; i++)
    fprintf(out, "#include \"%s\"\n", o->includes[i]);
  if (o->include_count) fputc('\n', out);
}

void put_calls_header(FILE* out, const op_list* list, const options* o) {
  char* guard = guard_of(o, "CALLS");
  put_head(
      out,
      "Typed calls. Tensors are borrowed; &oy_none_object is None, and NULL, the value "
      "of an expression that failed, makes the call fail too. A tensor result is a new "
      "reference, or the argument that the schema says it is, borrowed; NULL is failure. "
      "Other results come through pointers behind the arguments: objects and tensors are "
      "new references (NULL on failure), lists, texts and optionals are owned values, "
      "for "
      "oy_value_release.\n\nFor each operator X: the call oy_X, the type of its kernels "
      "oy_X_fn, oy_redispatch_X for layers (exactly these keys), oy_typed_X(fn), which "
      "is "
      "fn if it is such a kernel and else does not compile, and oy_impl_X(library, key, "
      "fn), which registers it.");
  fprintf(out, "#ifndef %s\n#define %s\n\n", guard, guard);
  fprintf(out, "#include \"opyard/trampoline.h\"\n\n");
  put_includes(out, o);
  fprintf(out, "OY_BEGIN_DECLS\n\n");
  for (size_t i = 0; i < list->count; i++) {
    const op_row* op = &list->items[i];
    put_declaration(out, op, o);
    put_kernel_type(out, op, o);
    put_redispatch(out, op, o);
    put_macros(out, op);
  }
  fprintf(
      out,
      "// Registers the trampolines of these calls' signatures, if they were made too.\n"
      "%s oy_status oy_register_trampolines_%s(void);\n\n",
      o->export_macro, identifier(o->stem));
  fprintf(out, "OY_END_DECLS\n\n#endif  // %s\n", guard);
}

// ------------------------------------------------------------------ definitions

// The same call again, of the function |name|.
static void put_again(FILE* out, const op_row* op, const char* indent, const char* name) {
  items list = {.count = 0};
  add_arguments(&list, op);
  put_items(out, indent, print_text("return %s(", name), &list, ",", ");\n");
}

static void put_again_if(FILE* out, const op_row* op, const char* indent,
                         const char* test, const char* name) {
  fprintf(out, "%sif (OY_UNLIKELY(%s))\n  ", indent, test);
  put_again(out, op, indent, name);
}

// What argument |i| adds to the keys of the call, as an expression; NULL: nothing,
// or a list.
static const char* keys_of(const op_row* op, size_t i, const options* o) {
  const char* name = op->arguments[i];
  const oy_type* type = op->schema->arguments[i].type;
  if (op->abi[i] == 't' && casts(o))
    return print_text("((const oy_object*)%s)->keys", name);
  if (op->abi[i] == 't' || op->abi[i] == 'g') return print_text("%s->keys", name);
  bool generator = type->kind == OY_TYPE_OPTIONAL && op->abi[i] == 'v' &&
                   type->element->kind == OY_TYPE_GENERATOR;
  return generator ? print_text("oy_value_keys(%s)", name) : NULL;
}

// Where a list has a NULL, |other| makes the call; NULL if none can have one.
static void put_keys(FILE* out, const op_row* op, const options* o, const char* other) {
  bool first = true;
  for (size_t i = 0; i < op->argument_count; i++) {
    const char* keys = keys_of(op, i, o);
    if (!keys) continue;
    fprintf(out,
            first ? "  oy_keyset keys = %s;\n" : "  keys = oy_keyset_or(keys, %s);\n",
            keys);
    first = false;
  }
  if (first) fprintf(out, "  oy_keyset keys = oy_keyset_empty();\n");
  for (size_t i = 0; i < op->argument_count; i++) {
    if (op->abi[i] != 'T') continue;
    const char* join = print_text("oy_tensors_keys(%s, &keys)", op->arguments[i]);
    if (other)
      put_again_if(out, op, "  ", print_text("!%s", join), other);
    else
      fprintf(out, "  (void)%s;\n", join);
  }
  fprintf(out, "  keys = oy_call_keys(keys);\n");
}

// |before| is how the thread was. An object goes to the scope if one is open and the
// object is new.
static void put_left(FILE* out, const op_row* op, const options* o) {
  fprintf(out, "  oy_call_leave(before);\n");
  items made = {.count = 0};
  for (size_t i = 0; i < op->result_count && !op->returns_object; i++)
    if (op->results[i] == 't') add_item(&made, "(oy_object**)%s", op->outs[i]);
  if (op->returns_object && op->results[0] == 't') {
    fprintf(out, "  if (before == OY_IDLE_SCOPE)\n");
    fprintf(out, "    return (%s)oy_scope_take((oy_object*)result);\n",
            return_type(op, o));
  } else if (made.count) {
    fprintf(out, "  if (before == OY_IDLE_SCOPE && result == 0) {\n");
    put_items(out, "    ", "oy_object** const made[] = {", &made, ",", "};\n");
    fprintf(out, "    return oy_call_results(made, %zu);\n  }\n", made.count);
  }
  fprintf(out, "  return result;\n");
}

static void put_cleared_results(FILE* out, const op_row* op) {
  for (size_t i = 0; i < op->result_count && !op->returns_object; i++) {
    if (strchr("trgo", op->results[i])) fprintf(out, "  *%s = NULL;\n", op->outs[i]);
    if (strchr("sTIFBVMv", op->results[i]))
      fprintf(out, "  *%s = oy_none();\n", op->outs[i]);
  }
}

static void put_function_head(FILE* out, const op_row* op, const options* o,
                              const char* linkage, const char* name) {
  items list = {.count = 0};
  add_parameters(&list, op, o);
  if (!list.count) add_item(&list, "void");
  put_items(out, "", print_text("%s%s %s(", linkage, return_type(op, o), name), &list,
            ",", ") {\n");
}

// Everything but a call of a thread that is idle, has no scope open and gives proper
// arguments: apart, and called last, so that the call itself has nothing to keep for it.
static void put_other(FILE* out, const op_row* op, const options* o, const char* other) {
  put_function_head(out, op, o, "static __attribute__((noinline)) ", other);
  put_cleared_results(out, op);
  fprintf(out, "  const oy_op* op = oy_op_handle_get(&oy_handle_%s);\n", op->call + 3);
  items tests = null_tests(op);
  tests.count++;
  memmove(tests.text + 1, tests.text, (tests.count - 1) * sizeof(char*));
  tests.text[0] = "!op";
  put_items(out, "  ", "if (OY_UNLIKELY(", &tests, " ||", "))\n");
  put_null_return(out, op, o, NULL);
  for (size_t i = 0; i < op->argument_count; i++) {
    if (op->abi[i] != 'T') continue;
    fprintf(out, "  if (OY_UNLIKELY(oy_tensors_have_null(%s)))\n", op->arguments[i]);
    put_null_return(out, op, o,
                    print_text("\"%.*s\"", OY_STR_ARG(op->schema->arguments[i].name)));
  }
  fprintf(out, "  uint64_t before = oy_call_enter();\n");
  put_keys(out, op, o, NULL);
  fprintf(out, "  const oy_kernel* kernel = oy_select_masked(op, &keys);\n");
  put_kernel_call(out, op, "  ", print_text("%s result = ", return_type(op, o)),
                  "kernel");
  put_left(out, op, o);
  fprintf(out, "}\n");
}

// The tests before a call; where one fails, |other| makes it.
static void put_tests(FILE* out, const op_row* op, const char* other) {
  fprintf(out, "  const oy_op* op = oy_op_handle_peek(&oy_handle_%s);\n", op->call + 3);
  items tests = null_tests(op);
  add_item(&tests, "!op");
  for (size_t i = 0; i < tests.count; i++)
    put_again_if(out, op, "  ", tests.text[i], other);
}

// An idle thread says what epoch it is in until the kernel comes back.
static void put_outermost(FILE* out, const op_row* op, const options* o) {
  fprintf(out, "  oy_call_begin();\n");
  fprintf(out, "  const oy_kernel* kernel = oy_select_masked(op, &keys);\n");
  put_kernel_call(out, op, "  ", print_text("%s result = ", return_type(op, o)),
                  "kernel");
  fprintf(out, "  oy_call_end();\n  return result;\n");
}

// With a scope open: an object that is new goes to it. Of other results |other| has
// to think.
static void put_scoped(FILE* out, const op_row* op, const options* o) {
  fprintf(out, "    if (oy_call_before() == OY_IDLE_SCOPE) {\n");
  fprintf(out, "      oy_call_begin();\n");
  fprintf(out, "      const oy_kernel* kernel = oy_select_masked(op, &keys);\n");
  const char* type = return_type(op, o);
  put_kernel_call(out, op, "      ", print_text("%s result = ", type), "kernel");
  fprintf(out, "      oy_call_leave(OY_IDLE_SCOPE);\n");
  if (op->results[0] == 't')
    fprintf(out, "      return (%s)oy_scope_take((oy_object*)result);\n    }\n", type);
  else
    fprintf(out, "      return result;\n    }\n");
}

// A nested call ends in that of its kernel: it has nothing to take back.
static void put_not_idle(FILE* out, const op_row* op, const options* o,
                         const char* other) {
  fprintf(out, "  if (OY_UNLIKELY(oy_call_before() != OY_IDLE)) {\n");
  fprintf(out, "    if (oy_call_nested()) {\n");
  fprintf(out, "      const oy_kernel* kernel = oy_select_masked(op, &keys);\n");
  put_kernel_call(out, op, "      ", "return ", "kernel");
  fprintf(out, "    }\n");
  if (op->returns_object) put_scoped(out, op, o);
  put_again(out, op, "    ", other);
  fprintf(out, "  }\n");
}

// Whether the kernel takes arguments in memory, after its operator and the key set. Then
// each place that calls it is long, and needs more registers than a call saves for nothing.
static bool is_wide(const op_row* op) {
  size_t words = op->returns_object ? 0 : op->result_count;
  for (size_t i = 0; i < op->argument_count; i++)
    words += strchr("dz", op->abi[i]) ? 0 : strchr("tibDgo", op->abi[i]) ? 1 : 2;
  return words > 3;
}

// The rest of a function that makes outermost calls on the CPU, and has |other| make those
// that are not.
static void put_plain(FILE* out, const op_row* op, const options* o, const char* other) {
  put_keys(out, op, o, other);
  put_again_if(out, op, "  ", "oy_call_before() != OY_IDLE", other);
  put_again_if(out, op, "  ", "!oy_backends_plain(keys.backends)", other);
  put_cleared_results(out, op);
  put_outermost(out, op, o);
  fprintf(out, "}\n\n");
}

static void put_definition(FILE* out, const op_row* op, const options* o) {
  const char* other = print_text("oy_other_%s", op->call + 3);
  put_other(out, op, o, other);
  put_function_head(out, op, o, "", op->call);
  put_tests(out, op, other);
  if (is_wide(op)) {
    put_plain(out, op, o, other);
    return;
  }
  put_cleared_results(out, op);
  put_keys(out, op, o, other);
  put_not_idle(out, op, o, other);
  put_outermost(out, op, o);
  fprintf(out, "}\n\n");
}

// Outermost calls on the CPU, in a few instructions; the function makes all others.
static void put_inline(FILE* out, const op_row* op, const options* o) {
  put_function_head(out, op, o, "static inline ",
                    print_text("oy_inline_%s", op->call + 3));
  put_tests(out, op, op->call);
  put_plain(out, op, o, op->call);
}

void put_inline_header(FILE* out, const op_list* list, const options* o) {
  char* guard = guard_of(o, "INLINE");
  put_head(
      out,
      "Typed calls to be inlined, for code that is linked with their definitions into "
      "one "
      "program or library. oy_inline_X is oy_X; with OY_INLINE_CALLS defined, oy_X means "
      "oy_inline_X.");
  fprintf(out, "#ifndef %s\n#define %s\n\n#include \"%s\"\n\nOY_BEGIN_DECLS\n\n", guard,
          guard, o->header);
  for (size_t i = 0; i < list->count; i++) {
    const op_row* op = &list->items[i];
    fprintf(out,
            "extern __attribute__((visibility(\"hidden\"))) oy_op_handle oy_handle_%s;\n",
            op->call + 3);
    put_inline(out, op, o);
  }
  fprintf(out, "#ifdef OY_INLINE_CALLS\n");
  for (size_t i = 0; i < list->count; i++)
    fprintf(out, "#define %s oy_inline_%s\n", list->items[i].call,
            list->items[i].call + 3);
  fprintf(out, "#endif\n\nOY_END_DECLS\n\n#endif  // %s\n", guard);
}

void put_calls_source(FILE* out, const op_list* list, const options* o) {
  put_head(out, "Definitions of the typed calls.");
  fprintf(out, "#include \"%s\"\n\n", o->header);
  for (size_t i = 0; i < list->count; i++) {
    const op_row* op = &list->items[i];
    fprintf(out,
            "extern __attribute__((visibility(\"hidden\"))) oy_op_handle oy_handle_%s;\n",
            op->call + 3);
    fprintf(out, "oy_op_handle oy_handle_%s = {NULL, \"%s\"};\n", op->call + 3, op->name);
    put_definition(out, op, o);
  }
}
