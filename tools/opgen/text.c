// SPDX-License-Identifier: Apache-2.0
// Text that looks written by hand: lines end before column 90, and what was
// broken goes on four columns in.
#include "opgen.h"

#include <stdarg.h>
#include <stdlib.h>

enum { WIDTH = 90 };

// All that is made in a run, in one list of blocks.
typedef struct block {
  struct block* next;
  max_align_t data[];
} block;
static block* g_blocks;

void* take(size_t size) {
  block* b = calloc(1, sizeof(*b) + size);
  if (!b) {
    fprintf(stderr, "opgen: out of memory\n");
    exit(1);
  }
  b->next = g_blocks;
  g_blocks = b;
  return b->data;
}

void give_back(void) {
  while (g_blocks) {
    block* next = g_blocks->next;
    free(g_blocks);
    g_blocks = next;
  }
}

__attribute__((format(printf, 1, 0))) static char* print_list(const char* format,
                                                              va_list args) {
  char* made = NULL;
  int size = vasprintf(&made, format, args);
  char* text = take(size < 0 ? 1 : (size_t)size + 1);
  if (size > 0) memcpy(text, made, (size_t)size);
  free(made);
  return text;
}

char* print_text(const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = print_list(format, args);
  va_end(args);
  return text;
}

void put_head(FILE* out, const char* comment) {
  fprintf(out, "// SPDX-License-Identifier: Apache-2.0\n");
  fprintf(out, "// Made by opgen; changes go into what it was made from.\n//\n");
  put_comment(out, comment);
}

void add_item(items* list, const char* format, ...) {
  va_list args;
  va_start(args, format);
  if (list->count < sizeof(list->text) / sizeof(*list->text))
    list->text[list->count++] = print_list(format, args);
  va_end(args);
}

void put_items(FILE* out, const char* indent, const char* head, const items* list,
               const char* separator, const char* tail) {
  size_t column = (size_t)fprintf(out, "%s%s", indent, head);
  for (size_t i = 0; i < list->count; i++) {
    bool last = i + 1 == list->count;
    size_t size = strlen(list->text[i]) + strlen(last ? tail : separator);
    bool breaks = column + 1 + size > WIDTH;
    if (breaks)
      column = (size_t)fprintf(out, "\n%s    ", indent) - 1;
    else if (i > 0)
      column += (size_t)fprintf(out, " ");
    column += (size_t)fprintf(out, "%s%s", list->text[i], last ? "" : separator);
  }
  fprintf(out, "%s", tail);
}

void put_comment(FILE* out, const char* text) {
  size_t column = 0;
  while (*text) {
    size_t size = strcspn(text, " \n");
    if (column > 0 && column + 1 + size > WIDTH) {
      fputc('\n', out);
      column = 0;
    }
    const char* before = column ? " " : size ? "// " : "//";
    column += (size_t)fprintf(out, "%s%.*s", before, (int)size, text);
    text += size;
    if (*text == '\n') {
      fputc('\n', out);
      column = 0;
    }
    if (*text) text++;
  }
  if (column) fputc('\n', out);
}

const char* argument_type(char letter, const options* o) {
  switch (letter) {
    case 't': return print_text("%s*", o->tensor_type);
    case 'i': return "int64_t";
    case 'b': return "bool";
    case 'd': return "double";
    case 'z': return "oy_complex";
    case 's': return "oy_str";
    case 'D': return "oy_device";
    case 'T': return "oy_tensors";
    case 'I': return "oy_ints";
    case 'F': return "oy_floats";
    case 'B': return "oy_bools";
    case 'V':
    case 'M': return "oy_values";
    case 'g':
    case 'o': return "oy_object*";
    default: return "oy_value";
  }
}

const char* result_type(char letter, const options* o) {
  if (letter == 'r') letter = 't';
  return strchr("sTIFBVM", letter) ? "oy_value" : argument_type(letter, o);
}
