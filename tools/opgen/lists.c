// SPDX-License-Identifier: Apache-2.0
// Operators by number, and the operators of a selective build.
#include "opgen.h"

void put_enum(FILE* out, const op_list* list, const options* o) {
  char* stem = identifier(o->stem);
  put_head(out, "Operators by number. Numbers are not stable; names are for storage.");
  fprintf(out, "#ifndef OPYARD_GEN_%s_ENUM_H_\n#define OPYARD_GEN_%s_ENUM_H_\n\n", stem,
          stem);
  fprintf(out, "enum oy_ops_%s {\n", stem);
  for (size_t i = 0; i < list->count; i++)
    fprintf(out, "  OY_OP_%s,  // %s\n", list->items[i].id, list->items[i].name);
  fprintf(out, "  OY_OPS_%s_COUNT\n};\n\n", stem);
  fprintf(out, "#define OY_OPS_%s_NAMES \\\n", stem);
  for (size_t i = 0; i < list->count; i++)
    fprintf(out, "  \"%s\", \\\n", list->items[i].name);
  fprintf(out, "  0\n\n#endif  // OPYARD_GEN_%s_ENUM_H_\n", stem);
}

void put_selection(FILE* out, const op_list* list, const options* o) {
  char* stem = identifier(o->stem);
  put_head(out,
           "The operators of a selective build: OY_DEF_SELECTED and OY_IMPL_SELECTED "
           "leave the others out. Include it before opyard/library.h.");
  fprintf(out, "#ifndef OPYARD_GEN_%s_SELECT_H_\n#define OPYARD_GEN_%s_SELECT_H_\n\n",
          stem, stem);
  fprintf(out, "#define OY_SELECT_OPS 1\n\n");
  for (size_t i = 0; i < list->count; i++) {
    const op_row* op = &list->items[i];
    if (!op->selected) continue;
    fprintf(out, "#define OY_SELECT_%s 1\n", op->id);
    if (strncmp(op->name, "aten::", 6) == 0)
      fprintf(out, "#define OY_SELECT_aten_%s 1\n", op->id);
  }
  fprintf(out, "\n#endif  // OPYARD_GEN_%s_SELECT_H_\n", stem);
}
