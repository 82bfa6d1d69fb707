// SPDX-License-Identifier: Apache-2.0
// `opyard demo`, and its first program: a gradient through real tensors.
#include "demo.h"

#include "common.h"
#include "run.h"

static const char source[] =
    "x = tensor([1, 2], dtype=float32)\n"
    "w = tensor([3, 4], dtype=float32, requires_grad=True)\n"
    "y = add(x, w)\n"
    "s = sum(y)\n"
    "backward(s)\n"
    "gx = grad(x)\n"
    "gw = grad(w)\n"
    "print('x.grad is', gx, 'and w.grad is', gw)\n";

static const char explanation[] =
    "Why: w requires a gradient, so it carries the key AutogradCPU besides CPU, and so "
    "does\n"
    "what depends on it. AutogradCPU is the higher one: its kernel runs first, writes "
    "down\n"
    "how to differentiate, and dispatches again below itself, to CPU. x carries CPU "
    "alone.\n"
    "What kernels call in their turn is left out here; `opyard trace` shows it too.\n";

oy_status cli_demo_gradient(cli_json* json) {
  oy_registry* registry;
  cli_program program;
  cli_runner runner;
  OY_TRY(cli_registry(NULL, &registry));
  OY_TRY(cli_program_parse((oy_str){source, sizeof source - 1}, "demo", &program));
  cli_runner_init(&runner, &program, registry);
  if (json) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", "gradient");
  } else {
    printf("%s1. A gradient%s\n\n", cli_colour("bold"), cli_colour("off"));
  }
  oy_status status = cli_run_traced(&runner, &program, "  ", true, json);
  if (json)
    cli_json_close(json, '}');
  else if (status == OY_OK)
    printf("\n%s", explanation);
  cli_runner_reset(&runner);
  cli_program_free(&program);
  return status;
}

int cli_demo(int argc, char** argv) {
  bool as_json = false;
  const cli_option options[] = {{"--json", &as_json, NULL}};
  if (cli_arguments(argc, argv, options, 1, 0, 0) < 0) return CLI_BAD_INPUT;
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json* out = as_json ? &json : NULL;
  if (out) cli_json_open(out, NULL, '[');
  oy_status status = cli_demo_gradient(out);
  if (status == OY_OK && !out) putchar('\n');
  if (status == OY_OK) status = cli_demo_matmul(out);
  if (out) cli_json_close(out, ']');
  return cli_finish(status == OY_OK ? CLI_OK : cli_fail());
}
