// SPDX-License-Identifier: Apache-2.0
// What every verb of the command line leans on: exit codes, options, messages,
// colour, files in, and the verb table.
#ifndef OPYARD_TOOLS_OPYARD_COMMON_H_
#define OPYARD_TOOLS_OPYARD_COMMON_H_

#include <stdio.h>

#include "opyard/library.h"

// The exit status of every verb. A bad program or file is the user's input and
// so 2; 3 is a call or a write that failed although the input was good.
enum { CLI_OK = 0, CLI_DIFFERENT = 1, CLI_BAD_INPUT = 2, CLI_FAILED = 3 };

typedef struct cli_verb {
  const char* name;
  const char* usage;                  // what follows the name
  const char* summary;                // one line
  const char* help;                   // the rest, whole lines
  int (*run)(int argc, char** argv);  // argv[0] is the verb
} cli_verb;

int cli_demo(int argc, char** argv);
int cli_run(int argc, char** argv);
int cli_trace(int argc, char** argv);
int cli_ops(int argc, char** argv);
int cli_keys(int argc, char** argv);
int cli_table(int argc, char** argv);
int cli_state(int argc, char** argv);
int cli_explain(int argc, char** argv);
int cli_schema(int argc, char** argv);
int cli_replay(int argc, char** argv);
int cli_dump(int argc, char** argv);
int cli_diff(int argc, char** argv);
int cli_lint(int argc, char** argv);
int cli_report_main(int argc, char** argv);
int cli_doctor(int argc, char** argv);
int cli_new_backend(int argc, char** argv);
int cli_certify(int argc, char** argv);

// A long option: |flag| is set if it is there, or |value| to what follows it. With both,
// "--name" sets the flag and "--name=text" the two.
typedef struct cli_option {
  const char* name;  // "--json"
  bool* flag;
  const char** value;
} cli_option;

// Takes the options out of argv[1..]; the operands stay, in order, from argv[1].
// Returns how many there are; -1, with a message printed, unless every option is
// known and |least| <= operands <= |most|. "--" ends the options.
int cli_arguments(int argc, char** argv, const cli_option* options, size_t count,
                  int least, int most);

// "opyard: <message>" to stderr.
void cli_complain(const char* format, ...) OY_PRINTF(1, 2);
// The pending error of the library, with its notes; returns the exit status that
// fits its code.
int cli_fail(void);
// Flushes stdout; |status|, or CLI_FAILED if what was written did not arrive.
int cli_finish(int status);

// "" unless stdout is a terminal and NO_COLOR is empty. |name|: "bold", "red",
// "green", "yellow", "dim", "off".
const char* cli_colour(const char* name);

// The whole file |path| ("-": stdin), gzip taken off, NUL-terminated; freed with
// cli_free. IO, with path and reason.
oy_status cli_read(const char* path, char** out_text, size_t* out_size);
void cli_free(void* ptr);
// "<stdin>" for "-".
const char* cli_path_name(const char* path);

// Fails with PARSE, "name:line:column: expected E, found F", the line and a caret
// below it. |at| is an offset into |text|; F is the rest of the format.
oy_status cli_parse_fail(const char* name, oy_str text, size_t at, const char* expected,
                         const char* found, ...) OY_PRINTF(5, 6);
#ifdef __clang_analyzer__  // it does not see that this never succeeds
#define cli_parse_fail(...) ((void)cli_parse_fail(__VA_ARGS__), OY_PARSE)
#endif

// The registry that the verbs show: the default one with opyard's operators in it,
// or with |file| a sandbox with the stand-ins of that registry file.
oy_status cli_registry(const char* file, oy_registry** out_registry);
// At the end of the program.
void cli_registry_close(void);
// The operator that the user calls |name|: "aten::add.Tensor", "add.Tensor", or
// "add" where that is no more than one. NOT_FOUND names the nearest ones.
oy_status cli_find_op(oy_registry* registry, const char* name, const oy_op** out_op);
// Nearest operator names for a message: "aten::add.Tensor, aten::add.Scalar".
void cli_nearest(oy_registry* registry, oy_str name, char* buffer, size_t size);

// PyTorch's runtime keys in the order of its tables: i = 0, 1, ... until false.
bool cli_runtime_key_at(size_t i, oy_key* out_key);
enum { CLI_RUNTIME_KEYS = 131 };
// oy_key_parse without its search for the nearest name: the messages here point at
// the place instead, and files and fuzzers ask often.
bool cli_key_find(oy_str text, oy_key* out_key);
// A number that sorts keys in enum order: functionalities, runtime keys, aliases.
unsigned cli_key_rank(oy_key key);

#endif  // OPYARD_TOOLS_OPYARD_COMMON_H_
