// SPDX-License-Identifier: Apache-2.0
#include "common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static int take_option(int argc, char** argv, int* i, const cli_option* options,
                       size_t count) {
  for (size_t k = 0; k < count; k++) {
    size_t size = strlen(options[k].name);
    if (options[k].flag && options[k].value &&
        strncmp(argv[*i], options[k].name, size) == 0 && argv[*i][size] == '=') {
      *options[k].flag = true;
      *options[k].value = argv[*i] + size + 1;
      return 0;
    }
    if (strcmp(argv[*i], options[k].name) != 0) continue;
    if (options[k].flag) {
      *options[k].flag = true;
      return 0;
    }
    if (*i + 1 >= argc) {
      cli_complain("%s: %s expects a value, found the end of the line", argv[0],
                   argv[*i]);
      return -1;
    }
    *options[k].value = argv[++*i];
    return 0;
  }
  cli_complain("%s: expected an option of this verb, found %s (see `opyard help %s`)",
               argv[0], argv[*i], argv[0]);
  return -1;
}

int cli_arguments(int argc, char** argv, const cli_option* options, size_t count,
                  int least, int most) {
  int operands = 0;
  bool ended = false;
  for (int i = 1; i < argc; i++) {
    if (!ended && strcmp(argv[i], "--") == 0) {
      ended = true;
    } else if (!ended && argv[i][0] == '-' && argv[i][1] != '\0') {
      if (take_option(argc, argv, &i, options, count) != 0) return -1;
    } else {
      argv[1 + operands++] = argv[i];
    }
  }
  if (operands >= least && operands <= most) return operands;
  if (operands > most)
    cli_complain("%s: expected at most %d argument%s, found %d (see `opyard help %s`)",
                 argv[0], most, most == 1 ? "" : "s", operands, argv[0]);
  else
    cli_complain("%s: expected at least %d argument%s, found %d (see `opyard help %s`)",
                 argv[0], least, least == 1 ? "" : "s", operands, argv[0]);
  return -1;
}

void cli_complain(const char* format, ...) {
  // What was printed so far comes before the complaint about what follows it.
  fflush(stdout);
  va_list args;
  va_start(args, format);
  fputs("opyard: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

static int exit_status_of(oy_status code) {
  switch (code) {
    case OY_PARSE:
    case OY_NOT_FOUND:
    case OY_IO:
    case OY_INVALID_ARGUMENT:
    case OY_TYPE_MISMATCH:
    case OY_ALREADY_EXISTS:
    case OY_SCHEMA_MISMATCH: return CLI_BAD_INPUT;
    default: return CLI_FAILED;
  }
}

int cli_fail(void) {
  const oy_error* error = oy_error_get();
  cli_complain("%s", error->message);
  if (error->notes[0]) fprintf(stderr, "%s\n", error->notes);
  return exit_status_of(error->code);
}

int cli_finish(int status) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  cli_complain("cannot write to stdout: %s", strerror(errno));
  return CLI_FAILED;
}

const char* cli_colour(const char* name) {
  static int on = -1;
  if (on < 0) {
    const char* no = getenv("NO_COLOR");
    on = isatty(STDOUT_FILENO) && !(no && no[0]);
  }
  if (!on) return "";
  static const char* const codes[][2] = {
      {"bold", "\033[1m"},    {"red", "\033[31m"}, {"green", "\033[32m"},
      {"yellow", "\033[33m"}, {"dim", "\033[2m"},  {"off", "\033[0m"},
  };
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    if (strcmp(codes[i][0], name) == 0) return codes[i][1];
  return "";
}

const char* cli_path_name(const char* path) {
  return strcmp(path, "-") == 0 ? "<stdin>" : path;
}
