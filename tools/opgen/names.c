// SPDX-License-Identifier: Apache-2.0
// C names of what the schema language names more freely: keywords of C and C++
// and names that the generated code itself uses get an underscore.
#include <ctype.h>
#include <stdlib.h>

#include "opgen.h"

// Keywords of C and C++, macros that are short words, and our own locals.
static const char g_reserved[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char "
    "char8_t char16_t char32_t class compl concept const consteval constexpr "
    "constinit const_cast continue co_await co_return co_yield decltype default "
    "delete do double dynamic_cast else enum explicit export extern false float for "
    "friend goto if inline int long mutable namespace new noexcept not not_eq "
    "nullptr operator or or_eq private protected public register reinterpret_cast "
    "requires restrict return short signed sizeof static static_assert static_cast "
    "struct switch template this thread_local throw true try typedef typeid typename "
    "typeof union unsigned using virtual void volatile wchar_t while xor xor_eq "
    "linux unix errno stdin stdout stderr assert complex imaginary I NULL EOF "
    "op keys before kernel result status made ";

// Names of the library that a call of the same name would clash with.
static const char g_taken[] =
    " alias allocator argument backend bool bools call complex default device dtype "
    "enum error explain explanation expression float floats guard guards int ints "
    "keep key keys keyset kernel layout library list listener none object objects op "
    "ops place range registration registry result schema scalar scope stack state status "
    "str tag tensor tensors tls trampolines type value values version ";

static bool in_list(const char* list, const char* word) {
  size_t size = strlen(word);
  for (const char* at = list; (at = strstr(at, word)) != NULL; at += size)
    if (at[-1] == ' ' && at[size] == ' ') return true;
  return false;
}

static bool is_used(char* const* names, size_t count, const char* name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static char* local_name(const char* text) {
  return print_text("%s%s", text, in_list(g_reserved, text) ? "_" : "");
}

char* identifier(const char* text) {
  char* id = print_text("%s", text);
  for (char* p = id; *p; p++)
    if (!isalnum((unsigned char)*p)) *p = '_';
  return id;
}

static void name_id(op_row* op) {
  const char* name = op->name;
  if (strncmp(name, "aten::", 6) == 0) name += 6;
  const char* colons = strstr(name, "::");
  if (!colons) {
    op->id = identifier(name);
    op->call = print_text("oy_%s%s", in_list(g_taken, op->id) ? "op_" : "", op->id);
    return;
  }
  char* prefix = identifier(print_text("%.*s", (int)(colons - name), name));
  op->id = print_text("%s_%s", prefix, identifier(colons + 2));
  op->call = print_text("oy_%s", op->id);
}

static void name_arguments(op_row* op) {
  const oy_schema* s = op->schema;
  op->argument_count = s->argument_count;
  op->arguments = take((s->argument_count + 1) * sizeof(char*));
  for (size_t i = 0; i < s->argument_count; i++) {
    char* name = local_name(print_text("%.*s", OY_STR_ARG(s->arguments[i].name)));
    while (is_used(op->arguments, i, name)) name = print_text("%s_", name);
    op->arguments[i] = name;
  }
}

static void name_results(op_row* op) {
  const oy_schema* s = op->schema;
  op->outs = take(MAX_RESULTS * sizeof(char*));
  const char* p = strchr(op->abi, '>') + 1;
  size_t n = 0;
  while (*p && n < MAX_RESULTS) {
    op->results[n] = *p++;
    op->result_arguments[n] = -1;
    if (op->results[n] == 'r') op->result_arguments[n] = (int)strtol(p, (char**)&p, 10);
    oy_str given = s->returns[n].name;
    char* name = given.size             ? print_text("out_%.*s", OY_STR_ARG(given))
                 : s->return_count == 1 ? print_text("out_result")
                                        : print_text("out_%zu", n);
    while (is_used(op->arguments, op->argument_count, name) || is_used(op->outs, n, name))
      name = print_text("%s_", name);
    op->outs[n++] = name;
  }
  op->result_count = n;
  op->returns_object = n == 1 && (op->results[0] == 't' || op->results[0] == 'r');
}

bool name_op(op_row* op) {
  if (op->schema->return_count > MAX_RESULTS) {
    fprintf(stderr, "%s:%d: %s: expected at most %d results, got %zu\n", op->file,
            op->line, op->name, MAX_RESULTS, op->schema->return_count);
    return false;
  }
  name_id(op);
  name_arguments(op);
  name_results(op);
  return true;
}

static int by_call(const void* a, const void* b) {
  return strcmp((*(op_row* const*)a)->call, (*(op_row* const*)b)->call);
}

static size_t separators(const op_row* op) {
  return (strstr(op->name, "::") && strncmp(op->name, "aten::", 6) != 0) +
         (strchr(op->name, '.') != NULL);
}

// quantized::add.out next to quantized::add_out: "." and "::" are two underscores
// in the one that has more of them.
static void spell_out(op_row* op) {
  const oy_op_name* name = &op->schema->name;
  bool aten = oy_str_equal(name->ns, oy_str_of("aten"));
  op->id = print_text("%.*s%s%.*s%s%.*s", aten ? 0 : (int)name->ns.size, name->ns.data,
                      aten ? "" : "__", OY_STR_ARG(name->base),
                      name->overload.size ? "__" : "", OY_STR_ARG(name->overload));
  op->call = print_text("oy_%s", op->id);
}

static bool settle(op_row* a, op_row* b) {
  op_row* longer = separators(a) > separators(b) ? a : b;
  char* before = longer->call;
  if (separators(a) != separators(b)) spell_out(longer);
  if (strcmp(a->call, b->call) != 0) {
    fprintf(stderr, "%s:%d: %s is called %s, as %s is another operator\n", longer->file,
            longer->line, longer->name, longer->call, before);
    return true;
  }
  fprintf(stderr, "%s:%d: %s and %s:%d: %s would both be called %s\n", a->file, a->line,
          a->name, b->file, b->line, b->name, a->call);
  return false;
}

// Two rounds: the second finds what a new spelling ran into.
bool check_names(const op_list* list) {
  op_row** sorted = take((list->count + 1) * sizeof(*sorted));
  for (size_t i = 0; i < list->count; i++) sorted[i] = &list->items[i];
  bool good = true;
  for (int round = 0; round < 2 && good; round++) {
    qsort(sorted, list->count, sizeof(*sorted), by_call);
    for (size_t i = 1; i < list->count; i++)
      if (strcmp(sorted[i - 1]->call, sorted[i]->call) == 0)
        good &= round == 0 && settle(sorted[i - 1], sorted[i]);
  }
  return good;
}
