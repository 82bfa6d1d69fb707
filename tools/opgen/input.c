// SPDX-License-Identifier: Apache-2.0
// What opgen reads: a schema a line, with comments behind '#', or a table of
// rows OY_OP(FAMILY, id, WHERE, BACKWARD, "schema", "doc"), read as C would:
// over lines, with comments, adjacent texts joined. Other macros in a table
// (and preprocessor lines) are passed over.
#include <ctype.h>

#include "opgen.h"

char* read_file(const char* path) {
  FILE* in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  if (!in) {
    perror(path);
    return NULL;
  }
  size_t size = 0, capacity = 65536;
  char* text = take(capacity + 1);
  for (size_t got; (got = fread(text + size, 1, capacity - size, in)) > 0;) {
    size += got;
    if (size < capacity) continue;
    char* more = take(2 * capacity + 1);
    memcpy(more, text, size);
    text = more;
    capacity *= 2;
  }
  if (in != stdin) fclose(in);
  return text;
}

static op_row* append(op_list* list) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? 2 * list->capacity : 64;
    op_row* more = take(capacity * sizeof(*more));
    if (list->count) memcpy(more, list->items, list->count * sizeof(*more));
    list->items = more;
    list->capacity = capacity;
  }
  return &list->items[list->count++];
}

static bool parse(op_row* op, const char* text) {
  if (oy_schema_parse(oy_str_of(text), OY_SCHEMA_ALLOW_TYPE_VARIABLES, &op->schema) ||
      oy_schema_abi(op->schema, &op->abi) || oy_schema_print(op->schema, &op->text)) {
    fprintf(stderr, "%s:%d: %s\n", op->file, op->line, oy_error_get()->message);
    return false;
  }
  op->name = print_text("%.*s", OY_STR_ARG(op->schema->full_name));
  return true;
}

void drop_op(op_row* op) {
  oy_schema_free(op->schema);
  oy_text_free(op->abi);
  oy_text_free(op->text);
}

static bool add_schema(op_list* list, const options* o, const char* text, const char* doc,
                       const char* file, int line) {
  const char* end = strpbrk(text, "(");
  size_t name_size = end ? (size_t)(end - text) : strlen(text);
  bool has_ns = memmem(text, name_size, "::", 2) != NULL;
  char* full = has_ns ? print_text("%s", text) : print_text("%s::%s", o->ns, text);
  op_row op = {.doc = doc, .file = file, .line = line};
  bool good = parse(&op, full);
  if (good && (op.schema->is_vararg || op.schema->is_varret))
    fprintf(stderr, "%s:%d: left out: %s takes or gives any number of values\n", file,
            line, full);
  else if (good && (good = name_op(&op))) {
    *append(list) = op;
    return true;
  }
  drop_op(&op);
  return good;
}

// Ends a line before its comment; a '#' in a default's text is none.
static void cut_comment(char* line) {
  char quote = 0;
  for (; *line && (quote || *line != '#'); line++) {
    if (!quote && (*line == '"' || *line == '\''))
      quote = *line;
    else if (*line == quote)
      quote = 0;
  }
  *line = '\0';
}

static bool read_lines(char* text, const char* file, const options* o, op_list* list) {
  bool good = true;
  int number = 1;
  for (char* line = text; line; number++) {
    char* next = strchr(line, '\n');
    if (next) *next++ = '\0';
    cut_comment(line);
    while (isspace((unsigned char)*line)) line++;
    size_t size = strlen(line);
    while (size && isspace((unsigned char)line[size - 1])) line[--size] = '\0';
    if (*line) good &= add_schema(list, o, line, NULL, file, number);
    line = next;
  }
  return good;
}

// --------------------------------------------------------------------- tables

typedef struct scanner {
  const char* p;
  int line;
  char* scratch;  // as long as the whole text
} scanner;

static void step(scanner* s) {
  if (*s->p == '\n') s->line++;
  s->p++;
}

static void skip_blank(scanner* s) {
  for (;;) {
    if (isspace((unsigned char)*s->p)) {
      step(s);
    } else if (s->p[0] == '/' && s->p[1] == '/') {
      while (*s->p && *s->p != '\n') step(s);
    } else if (s->p[0] == '/' && s->p[1] == '*') {
      while (*s->p && !(s->p[0] == '*' && s->p[1] == '/')) step(s);
      if (*s->p) s->p += 2;
    } else if (*s->p == '#') {
      while (*s->p && (*s->p != '\n' || s->p[-1] == '\\')) step(s);
    } else {
      return;
    }
  }
}

// Adjacent literals, joined; NULL if there is none.
static char* scan_text(scanner* s) {
  if (*s->p != '"') return NULL;
  char* text = s->scratch;
  size_t size = 0;
  while (*s->p == '"') {
    step(s);
    while (*s->p && *s->p != '"') {
      if (*s->p == '\\' && s->p[1]) {
        step(s);
        text[size++] = *s->p == 'n' ? '\n' : *s->p;
      } else {
        text[size++] = *s->p;
      }
      step(s);
    }
    if (*s->p) step(s);
    skip_blank(s);
  }
  return print_text("%.*s", (int)size, text);
}

static char* scan_word(scanner* s) {
  const char* start = s->p;
  while (isalnum((unsigned char)*s->p) || *s->p == '_') s->p++;
  return print_text("%.*s", (int)(s->p - start), start);
}

static bool complain(const char* file, int line, const char* what) {
  fprintf(stderr,
          "%s:%d: expected OY_OP(FAMILY, id, WHERE, BACKWARD, \"schema\", "
          "\"doc\"): %s\n",
          file, line, what);
  return false;
}

static bool read_row(scanner* s, const char* file, const options* o, op_list* list) {
  int line = s->line;
  char* words[4];
  for (int i = 0; i < 4; i++) {
    skip_blank(s);
    words[i] = scan_word(s);
    skip_blank(s);
    if (!*words[i] || *s->p != ',') return complain(file, s->line, "a word is missing");
    step(s);
  }
  char* texts[2];
  for (int i = 0; i < 2; i++) {
    skip_blank(s);
    texts[i] = scan_text(s);
    skip_blank(s);
    if (!texts[i] || *s->p != ",)"[i])
      return complain(file, s->line, i ? "the doc is missing" : "the schema is missing");
    step(s);
  }
  size_t before = list->count;
  if (!add_schema(list, o, texts[0], texts[1], file, line)) return false;
  if (list->count == before || strcmp(list->items[before].id, words[1]) == 0) return true;
  fprintf(stderr, "%s:%d: expected the id %s for %s, got %s\n", file, line,
          list->items[before].id, list->items[before].name, words[1]);
  return false;
}

static bool read_table(const char* text, const char* file, const options* o,
                       op_list* list) {
  scanner s = {text, 1, take(strlen(text) + 1)};
  bool good = true;
  for (;;) {
    skip_blank(&s);
    if (!*s.p) return good;
    if (*s.p == '"') {
      (void)scan_text(&s);
    } else if (isalpha((unsigned char)*s.p) || *s.p == '_') {
      char* word = scan_word(&s);
      skip_blank(&s);
      if (strcmp(word, "OY_OP") != 0 || *s.p != '(') continue;
      step(&s);
      good &= read_row(&s, file, o, list);
    } else {
      step(&s);
    }
  }
}

// A line that begins with the macro makes it a table.
static bool is_table(const char* text) {
  return strncmp(text, "OY_OP(", 6) == 0 || strstr(text, "\nOY_OP(") != NULL;
}

bool read_ops(const char* path, const options* o, op_list* list) {
  char* text = read_file(path);
  if (!text) return false;
  return is_table(text) ? read_table(text, path, o, list)
                        : read_lines(text, path, o, list);
}

bool read_selection(const char* path, const options* o, op_list* list) {
  char* text = read_file(path);
  if (!text) return false;
  bool good = true;
  for (char* name = strtok(text, "\n"); name; name = strtok(NULL, "\n")) {
    name += strspn(name, " \t\r");
    name[strcspn(name, "# \t\r")] = '\0';
    if (!*name) continue;
    char* full = strstr(name, "::") ? name : print_text("%s::%s", o->ns, name);
    size_t i = 0;
    while (i < list->count && strcmp(list->items[i].name, full) != 0) i++;
    if (i < list->count) {
      list->items[i].selected = true;
      continue;
    }
    fprintf(stderr, "%s: no operator %s in the schemas that were read\n", path, full);
    good = false;
  }
  return good;
}
