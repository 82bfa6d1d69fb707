// SPDX-License-Identifier: Apache-2.0
// Trampolines, three for each signature class: typed call of a boxed kernel (box),
// boxed call of a typed kernel (unbox), typed call by dtype (variant).
#include <stdlib.h>

#include "opgen.h"

static int by_abi(const void* a, const void* b) {
  return strcmp((*(op_row* const*)a)->abi, (*(op_row* const*)b)->abi);
}

// One operator for each class, sorted by its text.
static size_t classes_of(const op_list* list, op_row*** out_classes) {
  op_row** classes = take((list->count + 1) * sizeof(*classes));
  for (size_t i = 0; i < list->count; i++) classes[i] = &list->items[i];
  qsort(classes, list->count, sizeof(*classes), by_abi);
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++)
    if (count == 0 || strcmp(classes[count - 1]->abi, classes[i]->abi) != 0)
      classes[count++] = classes[i];
  *out_classes = classes;
  return count;
}

static const char* return_type(const op_row* op) {
  return op->returns_object ? "oy_object*" : "oy_status";
}

static void add_parameters(items* list, const op_row* op, const options* o, bool names) {
  add_item(list, names ? "const oy_op* op" : "const oy_op*");
  add_item(list, names ? "oy_keyset keys" : "oy_keyset");
  for (size_t i = 0; i < op->argument_count; i++) {
    const char* type = argument_type(op->abi[i], o);
    if (names)
      add_item(list, "%s a%zu", type, i);
    else
      add_item(list, "%s", type);
  }
  for (size_t i = 0; i < op->result_count && !op->returns_object; i++) {
    const char* type = result_type(op->results[i], o);
    if (names)
      add_item(list, "%s* r%zu", type, i);
    else
      add_item(list, "%s*", type);
  }
}

static void put_type(FILE* out, const op_row* op, const char* name, const options* o) {
  items list = {.count = 0};
  add_parameters(&list, op, o, false);
  put_items(out, "", print_text("typedef %s (*fn_%s)(", return_type(op), name), &list,
            ",", ");\n\n");
}

static void put_head_of(FILE* out, const op_row* op, const char* kind, const char* name,
                        const options* o) {
  items list = {.count = 0};
  add_parameters(&list, op, o, true);
  put_items(out, "", print_text("static %s %s_%s(", return_type(op), kind, name), &list,
            ",", ") {\n");
}

// ------------------------------------------------------------------------- box

static void put_box_arguments(FILE* out, const op_row* op) {
  for (size_t i = 0; i < op->argument_count; i++)
    fprintf(out, "  storage[%zu] = oy_box_%c(%sa%zu);\n", i, op->abi[i],
            op->abi[i] == 'z' ? "&" : "", i);
  fprintf(out, "  stack.size = %zu;\n", op->argument_count);
  fprintf(out, "  const oy_kernel* kernel = oy_select_exact(op, keys);\n");
  fprintf(out, "  oy_status status = kernel->boxed(op, keys, &stack, kernel);\n");
}

static void put_taken(FILE* out, const op_row* op, size_t i) {
  switch (op->results[i]) {
    case 'r':
      fprintf(out, "    *r%zu = a%d;\n", i, op->result_arguments[i]);
      fprintf(out, "    oy_value_release(&stack.data[%zu]);\n", i);
      break;
    case 'z':
      fprintf(out, "    *r%zu = oy_unbox_z(stack.data[%zu]);\n", i, i);
      fprintf(out, "    oy_value_release(&stack.data[%zu]);\n", i);
      break;
    case 't':
    case 'g':
    case 'o':
    case 'i':
    case 'b':
    case 'd':
    case 'D':
      fprintf(out, "    *r%zu = oy_unbox_%c(stack.data[%zu]);\n", i, op->results[i], i);
      break;
    default: fprintf(out, "    *r%zu = stack.data[%zu];\n", i, i);
  }
}

static void put_box_results(FILE* out, const op_row* op) {
  if (op->returns_object && op->results[0] == 't') {
    fprintf(out, "  return oy_box_object(op, &stack, status);\n");
  } else if (op->returns_object) {
    fprintf(out, "  return oy_box_argument(op, &stack, status, a%d);\n",
            op->result_arguments[0]);
  } else {
    fprintf(out, "  status = oy_box_check(op, &stack, status, \"%s\");\n",
            strchr(op->abi, '>') + 1);
    if (op->result_count) {
      fprintf(out, "  if (status == 0) {\n");
      for (size_t i = 0; i < op->result_count; i++) put_taken(out, op, i);
      fprintf(out, "    stack.size = 0;\n  }\n");
    }
    fprintf(out, "  oy_stack_reset(&stack);\n  return status;\n");
  }
}

static void put_null_tests(FILE* out, const op_row* op) {
  for (size_t i = 0; i < op->argument_count; i++) {
    if (op->abi[i] != 't') continue;
    fprintf(out, "  if (OY_UNLIKELY(!a%zu)) return %s(op, %zu);\n", i,
            op->returns_object ? "oy_box_null" : "oy_box_null_status", i);
  }
}

static void put_box(FILE* out, const op_row* op, const char* name, const options* o) {
  size_t size =
      op->argument_count > op->result_count ? op->argument_count : op->result_count;
  put_head_of(out, op, "box", name, o);
  put_null_tests(out, op);
  fprintf(out, "  oy_value storage[%zu];\n", size ? size : 1);
  fprintf(out, "  oy_stack stack;\n");
  fprintf(out, "  oy_stack_init(&stack, storage, %zu);\n", size ? size : 1);
  fprintf(out, "  stack.from_typed = 1;\n");
  put_box_arguments(out, op);
  put_box_results(out, op);
  fprintf(out, "}\n\n");
}

// ----------------------------------------------------------------------- unbox

static void put_fit_tests(FILE* out, const op_row* op, const char* name) {
  items list = {.count = 0};
  for (size_t i = 0; i < op->argument_count; i++)
    add_item(&list, "oy_fits_%c(v[%zu])", op->abi[i], i);
  if (!list.count) return;
  put_items(out, "  ", "if (OY_UNLIKELY(!(", &list, " &&", ")))\n");
  fprintf(out,
          "    return oy_unbox_converted(op, keys, stack, kernel, unbox_%s,\n"
          "      \"%.*s\");\n",
          name, (int)op->argument_count, op->abi);
}

static void put_unbox_call(FILE* out, const op_row* op, const char* name,
                           const char* start) {
  items list = {.count = 0};
  add_item(&list, "op");
  add_item(&list, "keys");
  for (size_t i = 0; i < op->argument_count; i++)
    add_item(&list, "oy_unbox_%c(v[%zu])", op->abi[i], i);
  for (size_t i = 0; i < op->result_count && !op->returns_object; i++)
    add_item(&list, "&r%zu", i);
  put_items(out, "  ", print_text("%s((fn_%s)kernel->typed)(", start, name), &list, ",",
            ");\n");
}

static const char* given(const op_row* op, size_t i) {
  switch (op->results[i]) {
    case 'r': return print_text("oy_box_t(r%zu)", i);
    case 't':
    case 'g':
    case 'o': return print_text("oy_give_%c(r%zu)", op->results[i], i);
    case 'z': return print_text("oy_box_z(&r%zu)", i);
    case 'i':
    case 'b':
    case 'd':
    case 'D': return print_text("oy_box_%c(r%zu)", op->results[i], i);
    default: return print_text("r%zu", i);
  }
}

// Results are looked at only if the kernel says that it made them.
static void put_unbox_status(FILE* out, const op_row* op, const char* name,
                             const options* o) {
  for (size_t i = 0; i < op->result_count; i++)
    fprintf(out, "  %s r%zu;\n", result_type(op->results[i], o), i);
  put_unbox_call(out, op, name, "oy_status status = ");
  if (!op->result_count) {
    fprintf(out, "  return oy_unbox_finish(stack, %zu, status, NULL, 0);\n}\n\n",
            op->argument_count);
    return;
  }
  fprintf(out, "  if (OY_UNLIKELY(status != 0))\n");
  fprintf(out, "    return oy_unbox_finish(stack, %zu, status, NULL, 0);\n",
          op->argument_count);
  items list = {.count = 0};
  for (size_t i = 0; i < op->result_count; i++) add_item(&list, "%s", given(op, i));
  put_items(out, "  ", "oy_value results[] = {", &list, ",", "};\n");
  fprintf(out, "  return oy_unbox_finish(stack, %zu, status, results, %zu);\n}\n\n",
          op->argument_count, op->result_count);
}

static void put_unbox(FILE* out, const op_row* op, const char* name, const options* o) {
  items list = {.count = 0};
  add_item(&list, "const oy_op* op");
  add_item(&list, "oy_keyset keys");
  add_item(&list, "oy_stack* stack");
  add_item(&list, "const oy_kernel* kernel");
  put_items(out, "", print_text("static oy_status unbox_%s(", name), &list, ",", ") {\n");
  if (op->argument_count)
    fprintf(out, "  const oy_value* v = oy_stack_last(stack, %zu);\n",
            op->argument_count);
  put_fit_tests(out, op, name);
  if (!op->returns_object) {
    put_unbox_status(out, op, name, o);
    return;
  }
  put_unbox_call(out, op, name, "oy_object* result = ");
  fprintf(out, "  return oy_unbox_%s(op, stack, %zu, result);\n}\n\n",
          op->results[0] == 'r' ? "argument" : "object", op->argument_count);
}

// --------------------------------------------------------------------- variant

static void put_variant_call(FILE* out, const op_row* op, const char* start,
                             bool kernel) {
  items list = {.count = 0};
  add_item(&list, "op");
  add_item(&list, "keys");
  for (size_t i = 0; i < op->argument_count; i++) add_item(&list, "a%zu", i);
  for (size_t i = 0; i < op->result_count && !op->returns_object; i++)
    add_item(&list, "r%zu", i);
  put_items(out, kernel ? "  " : "    ", start, &list, ",", ");\n");
}

// By the registry's rule, or to fail: with all tensors in a row. Apart, since what is
// called on the way would make the other way keep its arguments.
static void put_other_variant(FILE* out, const op_row* op, const char* name,
                              const options* o) {
  fprintf(out, "__attribute__((noinline)) ");
  put_head_of(out, op, "other_variant", name, o);
  fprintf(out, "  oy_pick pick;\n  pick.count = 0;\n");
  for (size_t i = 0; i < op->argument_count; i++) {
    if (op->abi[i] == 't') fprintf(out, "  oy_pick_add(&pick, a%zu);\n", i);
    if (op->abi[i] == 'T') fprintf(out, "  oy_pick_add_list(&pick, a%zu);\n", i);
  }
  fprintf(out, "  const oy_kernel* kernel = oy_pick_kernel(op, keys, &pick);\n");
  fprintf(out, "  if (OY_UNLIKELY(!kernel)) return %s;\n",
          op->returns_object ? "NULL" : "oy_failure()");
  put_variant_call(out, op, print_text("return ((fn_%s)kernel->typed)(", name), true);
  fprintf(out, "}\n\n");
}

static size_t count_of(const op_row* op, char letter) {
  size_t count = 0;
  for (size_t i = 0; i < op->argument_count; i++) count += op->abi[i] == letter;
  return count;
}

static void put_joins(FILE* out, const op_row* op) {
  fprintf(out, "  size_t index = 0;\n");
  for (size_t i = 0; i < op->argument_count; i++) {
    if (op->abi[i] == 't') fprintf(out, "  index = oy_variant_join(index, a%zu);\n", i);
    if (op->abi[i] == 'T')
      fprintf(out, "  index = oy_variant_join_list(index, a%zu);\n", i);
  }
}

// A call of one dtype needs no rule.
static void put_rule(FILE* out, const op_row* op, const char* name) {
  items list = {.count = 0};
  for (size_t i = 0; i < op->argument_count; i++) {
    if (op->abi[i] == 't') add_item(&list, "oy_variant_agrees(index, a%zu)", i);
    if (op->abi[i] == 'T') add_item(&list, "oy_variant_agrees_list(index, a%zu)", i);
  }
  put_items(out, "  ", "if (OY_UNLIKELY(oy_variant_has_rule(kernel) && !(", &list, " &&",
            ")))\n");
  put_variant_call(out, op, print_text("return other_variant_%s(", name), false);
}

static void put_variant_end(FILE* out, const op_row* op, const char* name) {
  fprintf(out, "  kernel = oy_variant_at(kernel, index);\n");
  fprintf(out, "  if (OY_UNLIKELY(!kernel))\n");
  put_variant_call(out, op, print_text("return other_variant_%s(", name), false);
  put_variant_call(out, op, print_text("return ((fn_%s)kernel->typed)(", name), true);
  fprintf(out, "}\n\n");
}

// Nearly all calls have tensors of one dtype; others go on in mixed_variant.
static void put_alike(FILE* out, const op_row* op, const char* name) {
  items list = {.count = 0};
  size_t first = (size_t)(strchr(op->abi, 't') - op->abi);
  for (size_t i = first + 1; i < op->argument_count; i++)
    if (op->abi[i] == 't') add_item(&list, "oy_variant_alike(a%zu, a%zu)", first, i);
  put_items(out, "  ", "if (OY_UNLIKELY(!(", &list, " &&", ")))\n");
  put_variant_call(out, op, print_text("return mixed_variant_%s(", name), false);
  fprintf(out, "  const oy_kernel* kernel = oy_select_exact(op, keys);\n");
  fprintf(out, "  size_t index = oy_variant_join(0, a%zu);\n", first);
}

static void put_variant(FILE* out, const op_row* op, const char* name, const options* o) {
  const size_t tensors = count_of(op, 't'), lists = count_of(op, 'T');
  const bool is_one = tensors + lists < 2, can_be_alike = !is_one && lists == 0;
  put_other_variant(out, op, name, o);
  if (can_be_alike) fprintf(out, "__attribute__((noinline)) ");
  put_head_of(out, op, can_be_alike ? "mixed_variant" : "variant", name, o);
  fprintf(out, "  const oy_kernel* kernel = oy_select_exact(op, keys);\n");
  put_joins(out, op);
  if (!is_one || lists > 0) put_rule(out, op, name);
  put_variant_end(out, op, name);
  if (!can_be_alike) return;
  put_head_of(out, op, "variant", name, o);
  put_alike(out, op, name);
  put_variant_end(out, op, name);
}

void put_trampolines(FILE* out, const op_list* list, const options* o) {
  options plain = *o;
  plain.tensor_type = "oy_object";
  op_row** classes;
  size_t count = classes_of(list, &classes);
  put_head(out,
           "Trampolines, three for each signature class: box is the typed call of a "
           "boxed kernel, unbox the boxed call of a typed one, variant picks a kernel "
           "by dtype.");
  fprintf(out, "#include \"opyard/trampoline.h\"\n\n");
  fprintf(out, "%s oy_status oy_register_trampolines_%s(void);\n\n", o->export_macro,
          identifier(o->stem));
  for (size_t i = 0; i < count; i++) {
    char* name = identifier(classes[i]->abi);
    fprintf(out, "// %s\n", classes[i]->abi);
    put_type(out, classes[i], name, &plain);
    put_box(out, classes[i], name, &plain);
    put_unbox(out, classes[i], name, &plain);
    put_variant(out, classes[i], name, &plain);
  }
  fprintf(out, "static const oy_trampolines g_trampolines[] = {\n");
  for (size_t i = 0; i < count; i++) {
    char* name = identifier(classes[i]->abi);
    fprintf(
        out,
        "    {\"%s\", (oy_typed_fn)box_%s, unbox_%s,\n     (oy_typed_fn)variant_%s},\n",
        classes[i]->abi, name, name, name);
  }
  if (!count) fprintf(out, "    {\"\", NULL, NULL, NULL},\n");
  fprintf(out, "};\n\noy_status oy_register_trampolines_%s(void) {\n",
          identifier(o->stem));
  fprintf(out, "  return oy_trampolines_register(g_trampolines, %zu);\n}\n", count);
}
