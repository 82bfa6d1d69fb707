// SPDX-License-Identifier: Apache-2.0
#include "schema_text.h"

#include <stdlib.h>

#include "base/memory.h"

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         c == '_' || c == '*' || c == '$';
}

enum { SET_MAX = 64 };

static int by_text(const void* a, const void* b) {
  const oy_str *x = a, *y = b;
  size_t shorter = x->size < y->size ? x->size : y->size;
  int order = memcmp(x->data, y->data, shorter);
  return order ? order : (x->size > y->size) - (x->size < y->size);
}

// Sorts the set that begins at |text|; returns its length.
static size_t sort_set(char* text, size_t size) {
  oy_str names[SET_MAX];
  size_t count = 0, end = 0;
  for (;;) {
    size_t start = end;
    while (end < size && is_name(text[end])) end++;
    if (count == SET_MAX || end == start) return end;
    names[count++] = (oy_str){text + start, end - start};
    if (end >= size || text[end] != '|') break;
    end++;
  }
  if (count < 2) return end;
  qsort(names, count, sizeof names[0], by_text);
  char* sorted = malloc(end);
  if (!sorted) return end;
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    if (i) sorted[at++] = '|';
    memcpy(sorted + at, names[i].data, names[i].size);
    at += names[i].size;
  }
  memcpy(text, sorted, end);
  free(sorted);
  return end;
}

void cli_schema_sort_sets(char* text, size_t size) {
  for (size_t i = 0; i < size;) {
    // "|" appears in schemas nowhere but between the names of a set.
    if (is_name(text[i])) {
      i += sort_set(text + i, size - i);
    } else {
      i++;
    }
  }
}

cli_same cli_schema_same(oy_str theirs, oy_str ours) {
  if (oy_str_equal(theirs, ours)) return CLI_EQUAL;
  if (theirs.size != ours.size) return CLI_UNEQUAL;
  char* a = oyi_strndup(theirs.data, theirs.size);
  char* b = oyi_strndup(ours.data, ours.size);
  bool same = false;
  if (a && b) {
    cli_schema_sort_sets(a, theirs.size);
    cli_schema_sort_sets(b, ours.size);
    same = memcmp(a, b, ours.size) == 0;
  }
  oyi_free(a);
  oyi_free(b);
  return same ? CLI_EQUAL_BUT_SETS : CLI_UNEQUAL;
}
