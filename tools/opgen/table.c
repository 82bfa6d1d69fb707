// SPDX-License-Identifier: Apache-2.0
// What C has to know of each operator where kernels are written and passed on: a macro
// a fact, so that one file can make something for every row of a table.
#include "opgen.h"

static bool is_written(const op_row* op, size_t i) {
  const oy_alias* alias = op->schema->arguments[i].alias;
  return alias && alias->is_write;
}

static bool returns_alias(const op_row* op) {
  for (size_t i = 0; i < op->schema->return_count; i++)
    if (op->schema->returns[i].alias) return true;
  return false;
}

// What becomes of the results; the order of the tests matters.
static const char* form_of(const op_row* op) {
  if (op->returns_object && op->results[0] == 'r')
    return op->result_arguments[0] == 0 ? "INPLACE" : "OUT";
  if (op->returns_object) return returns_alias(op) ? "VIEW" : "NEW";
  if (op->result_count == 0) return "NOTHING";
  size_t tensors = 0, arguments = 0;
  for (size_t i = 0; i < op->result_count; i++) {
    tensors += op->results[i] == 't';
    arguments += op->results[i] == 'r';
  }
  if (arguments == op->result_count) return "OUTS";
  if (tensors == op->result_count) return "TUPLE";
  if (op->result_count == 1 && op->results[0] == 'T')
    return returns_alias(op) ? "VIEWS" : "LIST";
  return "VALUE";
}

static void put_macro(FILE* out, const op_row* op, const char* what, const items* list) {
  fprintf(out, "#define OYI_%s_%s", what, op->id);
  for (size_t i = 0; i < list->count; i++)
    fprintf(out, "%s%s", i ? ", " : " ", list->text[i]);
  fputc('\n', out);
}

// Parameters may go unused: a kernel does not need all that its schema has.
static void put_parameters(FILE* out, const op_row* op, const options* o) {
  items parameters = {.count = 0}, names = {.count = 0};
  for (size_t i = 0; i < op->argument_count; i++) {
    add_item(&parameters, "OYI_UNUSED %s %s", argument_type(op->abi[i], o),
             op->arguments[i]);
    add_item(&names, "%s", op->arguments[i]);
  }
  for (size_t i = 0; i < op->result_count && !op->returns_object; i++) {
    add_item(&parameters, "OYI_UNUSED %s* %s", result_type(op->results[i], o),
             op->outs[i]);
    add_item(&names, "%s", op->outs[i]);
  }
  put_macro(out, op, "PARAMS", &parameters);
  put_macro(out, op, "ARGS", &names);
}

// Tensors and lists of them end in commas, so that none is possible.
static void put_tensors(FILE* out, const op_row* op) {
  items tensors = {.count = 0}, lists = {.count = 0}, written = {.count = 0};
  items written_lists = {.count = 0};
  for (size_t i = 0; i < op->argument_count; i++) {
    if (op->abi[i] == 't' || op->abi[i] == 'g')
      add_item(&tensors, "%s", op->arguments[i]);
    if (op->abi[i] == 'T') add_item(&lists, "%s", op->arguments[i]);
    if (op->abi[i] == 't' && is_written(op, i))
      add_item(&written, "%s", op->arguments[i]);
    if (op->abi[i] == 'T' && is_written(op, i))
      add_item(&written_lists, "%s", op->arguments[i]);
  }
  add_item(&tensors, "%s", "");
  add_item(&lists, "%s", "");
  add_item(&written, "%s", "");
  add_item(&written_lists, "%s", "");
  put_macro(out, op, "TENSORS", &tensors);
  put_macro(out, op, "LISTS", &lists);
  put_macro(out, op, "WRITTEN", &written);
  put_macro(out, op, "WRITTEN_LISTS", &written_lists);
}

static void put_boxed(FILE* out, const op_row* op) {
  items boxed = {.count = 0};
  for (size_t i = 0; i < op->argument_count; i++)
    add_item(&boxed, op->abi[i] == 'z' ? "oy_box_%c(&%s)" : "oy_box_%c(%s)", op->abi[i],
             op->arguments[i]);
  add_item(&boxed, "%s", "");
  put_macro(out, op, "BOXED", &boxed);
}

// Where the results go: pointers, each with a comma behind it.
static void put_outs(FILE* out, const op_row* op) {
  items outs = {.count = 0};
  for (size_t i = 0; i < op->result_count && !op->returns_object; i++)
    add_item(&outs, "%s", op->outs[i]);
  add_item(&outs, "%s", "");
  put_macro(out, op, "OUTS", &outs);
}

void put_table(FILE* out, const op_list* list, const options* o) {
  put_head(
      out,
      "For each operator X of the table:\n\n"
      "  OYI_PARAMS_X   parameters of its typed kernels, behind (op, keys)\n"
      "  OYI_ARGS_X     the same, to pass on\n"
      "  OYI_TENSORS_X  the tensors among them, each with a comma behind it\n"
      "  OYI_LISTS_X    the lists of tensors, likewise\n"
      "  OYI_WRITTEN_X  the tensors that are written, likewise\n"
      "  OYI_WRITTEN_LISTS_X  the lists that are written, likewise\n"
      "  OYI_BOXED_X    the arguments as boxed values, likewise\n"
      "  OYI_OUTS_X     where kernels put their results, likewise\n"
      "  OYI_RESULT_X, OYI_FAILED_X  what kernels return, and on failure\n"
      "  OYI_FORM_X     what becomes of the results: NEW, VIEW, INPLACE (the first\n"
      "                 argument), OUT (another one), TUPLE (of new tensors), OUTS,\n"
      "                 LIST, VIEWS (a list of them), VALUE, NOTHING");
  options plain = *o;
  plain.tensor_type = "oy_object";
  for (size_t i = 0; i < list->count; i++) {
    const op_row* op = &list->items[i];
    fprintf(out, "\n// %s\n", op->text);
    put_parameters(out, op, &plain);
    put_tensors(out, op);
    put_boxed(out, op);
    put_outs(out, op);
    fprintf(out, "#define OYI_RESULT_%s %s\n", op->id,
            op->returns_object ? "oy_object*" : "oy_status");
    fprintf(out, "#define OYI_FAILED_%s %s\n", op->id,
            op->returns_object ? "NULL" : "oy_failure()");
    fprintf(out, "#define OYI_FORM_%s %s\n", op->id, form_of(op));
  }
}

// Once more what the arguments are, apart: only derivatives need it.
void put_arguments(FILE* out, const op_list* list, const options* o) {
  (void)o;
  put_head(
      out,
      "For each operator X of the table: OYI_AT_X_name, the place of an argument, and\n"
      "OYI_ARGUMENTS_X, OYI_ARGUMENT(letter, name, place) for each of them, where the\n"
      "letter is that of oy_unbox_*.");
  for (size_t i = 0; i < list->count; i++) {
    const op_row* op = &list->items[i];
    if (op->argument_count == 0) continue;
    fprintf(out, "\nenum {");
    for (size_t k = 0; k < op->argument_count; k++)
      fprintf(out, " OYI_AT_%s_%s = %zu,", op->id, op->arguments[k], k);
    fprintf(out, " };\n#define OYI_ARGUMENTS_%s", op->id);
    for (size_t k = 0; k < op->argument_count; k++)
      fprintf(out, " OYI_ARGUMENT(%c, %s, %zu)", op->abi[k], op->arguments[k], k);
    fputc('\n', out);
  }
}
