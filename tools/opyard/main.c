// SPDX-License-Identifier: Apache-2.0
// The command line of opyard: finds the verb and runs it. `opyard help` lists
// them; docs/opyard.1 says the same at more length.
#include <stdlib.h>

#include "common.h"

static const cli_verb verbs[] = {
    {"demo", "[--json]", "two programs, with their trace and an explanation",
     "A gradient through real tensors, and one operator with six kernels of which a\n"
     "call picks the right one. Each fits a screen.\n",
     cli_demo},
    {"run", "FILE|- [--trace] [--profile[=table|=FILE.json]] [--json]",
     "run a program; its last value is printed",
     "One call a line, by schema name: y = add(x, w, alpha=2). The overload is the\n"
     "first whose schema takes the arguments, or the one named: aten::add.Tensor.\n"
     "Values: None True False, 1, 1.5, 1+2j, 'text', [1, 2], dtypes, earlier names.\n"
     "Besides operators: x = tensor([1, 2], dtype=float32, requires_grad=True),\n"
     "print(x, ...), backward(y), g = grad(x). `#` begins a comment.\n"
     "--trace prints each dispatch to stderr, --profile a table of where time and "
     "memory\n"
     "went; with a file, it gets a trace for Perfetto, speedscope or chrome://tracing.\n",
     cli_run},
    {"trace", "FILE|- [--json]", "run a program; every dispatch below its statement",
     "The lines are those of PyTorch's dispatch trace.\n", cli_trace},
    {"ops", "[PATTERN] [--registry FILE] [--json]", "list operators",
     "PATTERN is a glob, or without * ? [ a part of the name. Exit status 1 if nothing\n"
     "matches.\n",
     cli_ops},
    {"keys", "[--json]", "list dispatch keys, in order",
     "Functionalities, runtime keys of backends, alias keys.\n", cli_keys},
    {"table", "OP [--registry FILE] [--json]", "the computed table of an operator",
     "One line for each runtime key that has a kernel, in PyTorch's exact format.\n",
     cli_table},
    {"state", "OP [--registry FILE] [--json]", "the registrations of an operator",
     "In PyTorch's exact format.\n", cli_state},
    {"explain", "OP [ARG...] [--registry FILE] [--json]",
     "which kernel a call would run, and why",
     "ARG stands for a tensor argument: none, or DEVICE{:PART} with parts such as\n"
     "  cpu:f32[2,3]:grad  cuda:f16[2]  cpu:i8:quantized  cpu:f32:sparse  cuda:1:f32\n"
     "(grad quantized sparse sparse_csr sparse_csc sparse_bsr sparse_bsc mkldnn jagged\n"
     "conj neg zero named vmap functionalize python), or keys:CPU,AutogradCPU, or a\n"
     "list [cpu:f32,cpu:f64]. Arguments that are left out are none. Nothing runs.\n",
     cli_explain},
    {"schema", "--check FILE|- | SCHEMA [--json]", "parse schemas and print them back",
     "--check reads one schema a line (plain or gzip) and says how many print back as\n"
     "they came; order inside alias sets is set aside. Exit status 1 if one differs.\n",
     cli_schema},
    {"replay", "FILE|- [--shuffle SEED] [--json]", "register a registry file and compare",
     "Registers all that the file holds (plain or gzip) with stand-in kernels, and\n"
     "compares every computed cell, row of a table dump and state dump with the file.\n"
     "--shuffle registers in a mixed order; kernels of one operator and key keep\n"
     "theirs, since it decides which of them is active. Exit status 1 if anything\n"
     "differs.\n",
     cli_replay},
    {"dump", "[--registry FILE] [--json]",
     "the whole registry, in the registry file format",
     "Sorted, so that two dumps can be compared.\n", cli_dump},
    {"diff", "A B [--json]", "what changed between two dumps, cell by cell",
     "Reads registry files, plain or gzip. Exit status 1 if they differ.\n", cli_diff},
    {"lint", "[FILE] [--all] [--json]", "registrations that cannot be meant as they are",
     "Errors: dangling (kernels without a definition), ambiguous (a slot that reports\n"
     "it). Warnings: unreachable (a kernel that no slot has). Notes, with --all:\n"
     "shadowed (below a newer kernel of its key), missing (on one backend in use).\n"
     "Of opyard's registry, or of FILE. Exit status 1 if there are errors.\n",
     cli_lint},
    {"report", "[FILE|-] [-o PAGE.html]", "one HTML page: who was called, why, how long",
     "Runs a program twice, profiled and traced. The page shows which kernels of which\n"
     "operators it got to, the key stack of each call with the reason of every step, "
     "what\n"
     "fell back to the CPU, and the profile as a flame chart. Without a program, the\n"
     "registry alone. It needs no network. -o: opyard-report.html if it is left out.\n",
     cli_report_main},
    {"doctor", "[PLUGIN...] [--json]", "which plugins there are, and why one is refused",
     "Looks where plugins are looked for (OPYARD_PLUGIN_PATH, then the library's own\n"
     "folder), loads what manifests announce or what is named, by name or path, lists\n"
     "their devices, and unloads them. Exit status 1 if one was refused.\n",
     cli_doctor},
    {"new-backend", "NAME [--dir DIR]", "write a plugin project for a device",
     "A complete project in DIR (./NAME if it is left out): CMake, a source with the\n"
     "hooks of a device and three kernels, a manifest, a test, a README and a script\n"
     "for CI. It builds against the installed opyard, passes its test and is certified\n"
     "as it is. NAME is an identifier: what devices are called.\n",
     cli_new_backend},
    {"certify",
     "PLUGIN.so|NAME|cpu [--ops PATTERN] [--case DTYPE[:N]] "
     "[--jobs N] [--progress] [--json]",
     "run the conformance suite on a backend",
     "Calls every operator that the backend has a kernel for, or composes, or leaves to\n"
     "the CPU, with arguments made up from its schema, over dtypes, shapes, strides,\n"
     "in-place and out= forms, gradients and bad input, and compares with the CPU; cpu\n"
     "is compared with its portable kernels. Then threads, streams, memory, every\n"
     "device, unloading and loading again. PATTERN is a glob, or the name of an "
     "operator\n"
     "with or without its overload; --case makes one call alone, as failures say, or\n"
     "those of one dtype. N processes share the operators, as many as there are\n"
     "processors if none is named. --progress prints a line on stderr when an operator\n"
     "is done; on a terminal that is done unasked.\n"
     "Exit status 1 if anything is wrong.\n",
     cli_certify},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static const char exit_codes[] =
    "Exit status: 0 good; 1 a difference or finding; 2 bad usage or bad input;\n"
    "3 a call or a write failed.\n";

static int help(FILE* out) {
  fprintf(out, "usage: opyard VERB [ARGUMENT...]\n\n");
  for (int i = 0; i < VERBS; i++)
    fprintf(out, "  %-11s %s\n", verbs[i].name, verbs[i].summary);
  fprintf(out, "  %-11s %s\n", "version", "print the version");
  fprintf(out, "  %-11s %s\n", "help", "this text, or with a verb, more about it");
  fprintf(out,
          "\nVerbs that print data take --json. Files may be gzip; - is stdin.\n"
          "--registry FILE shows the registry of a file, such as PyTorch's, and not "
          "opyard's.\n%s",
          exit_codes);
  return cli_finish(CLI_OK);
}

static const cli_verb* find_verb(const char* name) {
  for (int i = 0; i < VERBS; i++)
    if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
  return NULL;
}

static int no_such_verb(const char* name) {
  cli_complain("expected a verb, found `%s` (see `opyard help`)", name);
  return CLI_BAD_INPUT;
}

static int help_verb(const char* name) {
  const cli_verb* verb = find_verb(name);
  if (!verb) return no_such_verb(name);
  printf("usage: opyard %s %s\n\n%s.\n%s\n%s", verb->name, verb->usage, verb->summary,
         verb->help, exit_codes);
  return cli_finish(CLI_OK);
}

static int version(int argc, char** argv) {
  bool as_json = false;
  const cli_option options[] = {{"--json", &as_json, NULL}};
  if (cli_arguments(argc, argv, options, 1, 0, 0) < 0) return CLI_BAD_INPUT;
  printf(as_json ? "{\"opyard\": \"%s\"}\n" : "opyard %s\n", oy_version());
  return cli_finish(CLI_OK);
}

static bool wants_help(int argc, char** argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  return false;
}

static int run_verb(int argc, char** argv) {
  if (strcmp(argv[0], "help") == 0 || strcmp(argv[0], "--help") == 0 ||
      strcmp(argv[0], "-h") == 0)
    return argc > 1 ? help_verb(argv[1]) : help(stdout);
  if (strcmp(argv[0], "version") == 0 || strcmp(argv[0], "--version") == 0) {
    argv[0] = (char*)(uintptr_t) "version";
    return version(argc, argv);
  }
  const cli_verb* verb = find_verb(argv[0]);
  if (!verb) return no_such_verb(argv[0]);
  return wants_help(argc, argv) ? help_verb(verb->name) : verb->run(argc, argv);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    help(stderr);
    return CLI_BAD_INPUT;
  }
  int result = run_verb(argc - 1, argv + 1);
  cli_registry_close();
  return result;
}
