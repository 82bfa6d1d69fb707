// SPDX-License-Identifier: Apache-2.0
// opgen: typed calls, trampolines and tables from schemas. It reads with the
// library's own schema parser, and takes what a C type is from the letters of
// the signature class (oy_schema_abi), so that it cannot disagree with the
// dispatcher. One run, one process: memory is given back by its end.
#ifndef OPYARD_TOOLS_OPGEN_OPGEN_H_
#define OPYARD_TOOLS_OPGEN_OPGEN_H_

#include <stdio.h>

#include "opyard/library.h"

enum { MAX_RESULTS = 64 };

typedef struct op_row {
  oy_schema* schema;
  char* name;       // "aten::add.Tensor"
  char* id;         // "add_Tensor"
  char* call;       // "oy_add_Tensor"
  char* text;       // the schema, canonical
  const char* doc;  // may be NULL
  const char* file;
  int line;
  char* abi;
  size_t argument_count;
  char** arguments;  // C names; letters are in |abi|
  size_t result_count;
  char results[MAX_RESULTS];          // letters; 'r' is an argument
  int result_arguments[MAX_RESULTS];  // which one, for 'r'
  char** outs;                        // C names of result pointers
  bool returns_object;
  bool selected;
} op_row;

typedef struct op_list {
  op_row* items;
  size_t count;
  size_t capacity;
} op_list;

typedef struct options {
  const char* stem;          // names what belongs to the whole table
  const char* ns;            // of schemas that give none
  const char* tensor_type;   // "oy_object" unless said otherwise
  const char* header;        // as the source includes it
  const char* export_macro;  // before public functions
  const char** includes;     // more headers
  size_t include_count;
} options;

// input.c: schemas, one a line, or rows OY_OP(...). False after a message.
bool read_ops(const char* path, const options* o, op_list* list);
// Marks the operators whose names are in the file.
bool read_selection(const char* path, const options* o, op_list* list);
char* read_file(const char* path);
void drop_op(op_row* op);

// names.c
bool name_op(op_row* op);               // id, call, arguments, outs
bool check_names(const op_list* list);  // no id twice
char* identifier(const char* text);     // "ttv>t" -> "ttv_t"

// text.c
void* take(size_t size);  // zeroed, until give_back; exits if memory is short
void give_back(void);
char* print_text(const char* format, ...) __attribute__((format(printf, 1, 2)));
void put_head(FILE* out, const char* comment);
// |head| item, item, ... |tail|, broken before column 90.
typedef struct items {
  char* text[3 * 64 + 8];
  size_t count;
} items;
void add_item(items* list, const char* format, ...) __attribute__((format(printf, 2, 3)));
void put_items(FILE* out, const char* indent, const char* head, const items* list,
               const char* separator, const char* tail);
// Words behind "// ", broken before column 90.
void put_comment(FILE* out, const char* text);
const char* argument_type(char letter, const options* o);
const char* result_type(char letter, const options* o);

// The outputs.
void put_calls_header(FILE* out, const op_list* list, const options* o);
void put_inline_header(FILE* out, const op_list* list, const options* o);
void put_calls_source(FILE* out, const op_list* list, const options* o);
void put_trampolines(FILE* out, const op_list* list, const options* o);
void put_table(FILE* out, const op_list* list, const options* o);
void put_arguments(FILE* out, const op_list* list, const options* o);
void put_enum(FILE* out, const op_list* list, const options* o);
void put_selection(FILE* out, const op_list* list, const options* o);

#endif  // OPYARD_TOOLS_OPGEN_OPGEN_H_
