// SPDX-License-Identifier: Apache-2.0
// The command line of opgen. Every output is written to memory first and to its
// file only if it differs, so that a build does not start over for nothing, and
// a run that fails leaves all files as they were.
#include <libgen.h>
#include <stdlib.h>

#include "opgen.h"

static const char g_help[] =
    "usage: opgen [options] FILE...\n"
    "\n"
    "Makes C from operator schemas. A FILE has a schema a line (# comments), or rows\n"
    "OY_OP(FAMILY, id, WHERE, BACKWARD, \"schema\", \"doc\").\n"
    "\n"
    "  --out-dir DIR           DIR/NAME.gen.h (calls) and DIR/NAME.gen.c (calls and\n"
    "                          trampolines)\n"
    "  --calls-header F        declarations of typed calls\n"
    "  --calls-source F        their definitions\n"
    "  --parts N               in N files: F of ops.c is ops_0.c, ops_1.c, ...; an\n"
    "                          operator's name decides on the file, not its place\n"
    "  --inline-header F       their inline twins, for static builds\n"
    "  --trampolines F         between typed and boxed calls\n"
    "  --enum F                operators by number\n"
    "  --table F               macros of their parameters and results, for those who\n"
    "                          make something for each operator\n"
    "  --select LIST --select-header F\n"
    "                          the operators named in LIST, for a selective build\n"
    "  --arguments F           macros of their arguments by name, for derivatives\n"
    "  --name NAME             names what belongs to the whole table (default: of FILE)\n"
    "  --namespace NS          of schemas that give none (default: aten)\n"
    "  --tensor-type TYPE      in calls, instead of oy_object; begins with an oy_object\n"
    "  --include HEADER        in the calls' header, for TYPE; may be repeated\n"
    "  --header-name PATH      how other outputs include the calls' header\n"
    "  --export MACRO          before public functions (default: OY_API)\n"
    "  --help\n";

typedef void (*put_fn)(FILE* out, const op_list* list, const options* o);

typedef struct output {
  const char* option;
  const char* path;
  put_fn put;
  put_fn then;  // in the same file; may be NULL
} output;

static output g_outputs[] = {
    {"--calls-header", NULL, put_calls_header, NULL},
    {"--calls-source", NULL, put_calls_source, NULL},
    {"--inline-header", NULL, put_inline_header, NULL},
    {"--trampolines", NULL, put_trampolines, NULL},
    {"--enum", NULL, put_enum, NULL},
    {"--select-header", NULL, put_selection, NULL},
    {"--table", NULL, put_table, NULL},
    {"--arguments", NULL, put_arguments, NULL},
    {NULL, NULL, put_calls_source, put_trampolines},  // NAME.gen.c
};
enum { HEADER = 0, CALLS = 1, COMBINED = sizeof(g_outputs) / sizeof(*g_outputs) - 1 };

static bool is_same(const char* path, const char* text, size_t size) {
  FILE* in = fopen(path, "rb");
  if (!in) return false;
  char* old = take(size + 1);
  bool same = fread(old, 1, size + 1, in) == size && memcmp(old, text, size) == 0;
  fclose(in);
  return same;
}

static bool write_file(const char* path, const char* text, size_t size) {
  if (strcmp(path, "-") == 0) return fwrite(text, 1, size, stdout) == size;
  if (is_same(path, text, size)) return true;
  FILE* out = fopen(path, "wb");
  if (out && fwrite(text, 1, size, out) == size && fclose(out) == 0) return true;
  perror(path);
  return false;
}

static bool write_output(const output* to, const char* path, const op_list* list,
                         const options* o) {
  char* text = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  if (!out) return false;
  to->put(out, list, o);
  if (to->then) {
    fputc('\n', out);
    to->then(out, list, o);
  }
  fclose(out);
  bool good = write_file(path, text, size);
  free(text);
  return good;
}

// FNV-1a of the name: an operator stays where it is when others come.
static unsigned long part_of(const char* id, unsigned long parts) {
  uint32_t hash = 2166136261u;
  for (const char* p = id; *p; p++) hash = (hash ^ (unsigned char)*p) * 16777619u;
  return hash % parts;
}

// The definitions of calls, in as many files: "calls.c" makes "calls_0.c", ...
static bool write_parts(const output* to, unsigned long parts, const op_list* list,
                        const options* o) {
  const char* dot = strrchr(to->path, '.');
  int stem = dot ? (int)(dot - to->path) : (int)strlen(to->path);
  op_list part = {take((list->count + 1) * sizeof(op_row)), 0, 0};
  bool good = true;
  for (unsigned long k = 0; k < parts && good; k++) {
    part.count = 0;
    for (size_t i = 0; i < list->count; i++)
      if (part_of(list->items[i].id, parts) == k)
        part.items[part.count++] = list->items[i];
    char* path = print_text("%.*s_%lu%s", stem, to->path, k, dot ? dot : "");
    good = write_output(to, path, &part, o);
  }
  return good;
}

typedef struct arguments {
  options o;
  const char* out_dir;
  const char* select;
  const char* parts;
  const char** files;
  size_t file_count;
} arguments;

// Where the value of |option| goes; NULL if there is no such option.
static const char** place_of(arguments* a, const char* option) {
  for (size_t i = 0; i < COMBINED; i++)
    if (strcmp(option, g_outputs[i].option) == 0) return &g_outputs[i].path;
  if (strcmp(option, "--out-dir") == 0) return &a->out_dir;
  if (strcmp(option, "--select") == 0) return &a->select;
  if (strcmp(option, "--parts") == 0) return &a->parts;
  if (strcmp(option, "--name") == 0) return &a->o.stem;
  if (strcmp(option, "--namespace") == 0) return &a->o.ns;
  if (strcmp(option, "--tensor-type") == 0) return &a->o.tensor_type;
  if (strcmp(option, "--header-name") == 0) return &a->o.header;
  if (strcmp(option, "--export") == 0) return &a->o.export_macro;
  if (strcmp(option, "--include") == 0) return &a->o.includes[a->o.include_count++];
  return NULL;
}

static bool parse(arguments* a, int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--", 2) != 0) {
      a->files[a->file_count++] = argv[i];
      continue;
    }
    const char** place = place_of(a, argv[i]);
    if (!place || i + 1 == argc) {
      fprintf(stderr, "opgen: %s %s; opgen --help shows all options\n",
              place ? "expected a value after" : "unknown option", argv[i]);
      return false;
    }
    *place = argv[++i];
  }
  if (a->file_count == 0) fprintf(stderr, "opgen: expected a file of schemas\n");
  if (a->select && !g_outputs[5].path) {
    fprintf(stderr, "opgen: --select needs --select-header\n");
    return false;
  }
  return a->file_count > 0;
}

static bool write_all(const arguments* a, unsigned long parts, const op_list* list) {
  bool good = true;
  for (size_t i = 0; i <= COMBINED && good; i++) {
    const output* to = &g_outputs[i];
    if (!to->path) continue;
    good = i == CALLS && parts ? write_parts(to, parts, list, &a->o)
                               : write_output(to, to->path, list, &a->o);
  }
  return good;
}

static char* file_name(const char* path) {
  return basename(print_text("%s", path));
}

static void complete(arguments* a) {
  options* o = &a->o;
  if (!o->stem) {
    char* stem = file_name(a->files[0]);
    stem[strcspn(stem, ".")] = '\0';
    o->stem = stem;
  }
  if (a->out_dir) {
    char* path = print_text("%s/%s.gen.h", a->out_dir, o->stem);
    g_outputs[HEADER].path = path;
    g_outputs[COMBINED].path = print_text("%s/%s.gen.c", a->out_dir, o->stem);
  }
  if (o->header) return;
  const char* path = g_outputs[HEADER].path;
  o->header =
      path && strcmp(path, "-") != 0 ? file_name(path) : print_text("%s.gen.h", o->stem);
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--help") == 0) return fputs(g_help, stdout) < 0;
  arguments a = {
      .o = {.ns = "aten", .tensor_type = "oy_object", .export_macro = "OY_API"}};
  a.files = take((size_t)argc * sizeof(char*));
  a.o.includes = take((size_t)argc * sizeof(char*));
  if (!parse(&a, argc, argv)) return 2;
  complete(&a);
  unsigned long parts = a.parts ? strtoul(a.parts, NULL, 10) : 0;
  if (a.parts && (parts < 1 || parts > 99)) {
    fprintf(stderr, "opgen: expected --parts between 1 and 99, got %s\n", a.parts);
    return 2;
  }
  op_list list = {NULL, 0, 0};
  bool good = true;
  for (size_t i = 0; i < a.file_count; i++) good &= read_ops(a.files[i], &a.o, &list);
  good = good && check_names(&list);
  if (good && a.select) good = read_selection(a.select, &a.o, &list);
  good = good && write_all(&a, parts, &list);
  for (size_t i = 0; i < list.count; i++) drop_op(&list.items[i]);
  give_back();
  return good ? 0 : 1;
}
