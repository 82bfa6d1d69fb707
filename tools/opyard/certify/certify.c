// SPDX-License-Identifier: Apache-2.0
// `opyard certify`: the conformance suite for a backend.
#include <stdlib.h>
#include <unistd.h>

#include "certify.h"

static oy_status run(certify_report* r) {
  OY_TRY(certify_choose(r));
  OY_TRY(certify_operators(r));
  if (r->only) return OY_OK;
  certify_threads(r);
  if (r->backend == OY_BACKEND_CPU) return OY_OK;
  certify_devices(r);
  certify_streams(r);
  certify_reload(r);
  return OY_OK;
}

static int report(const certify_report* r, bool as_json) {
  if (as_json)
    certify_report_json(r);
  else
    certify_report_print(r);
  return cli_finish(r->failure_count ? CLI_DIFFERENT : CLI_OK);
}

// How many processes |text| asks for; 0, with a message, if it does not say. As many as
// there are processors if nothing was said.
static int jobs_of(const char* text) {
  char* end = NULL;
  long jobs = text ? strtol(text, &end, 10) : sysconf(_SC_NPROCESSORS_ONLN);
  if (!text && jobs < 1) jobs = 1;
  if (jobs < 1 || (end && (*end || end == text))) {
    cli_complain("certify: expected a number of processes from 1 on, found '%s'", text);
    return 0;
  }
  return jobs < CERTIFY_JOBS ? (int)jobs : CERTIFY_JOBS;
}

int cli_certify(int argc, char** argv) {
  bool as_json = false, serve = false, work = false;
  const char* jobs = NULL;
  certify_report r = {.with_progress = isatty(STDERR_FILENO)};
  const cli_option options[] = {{"--json", &as_json, NULL},
                                {"--ops", NULL, &r.pattern},
                                {"--case", NULL, &r.only},
                                {"--jobs", NULL, &jobs},
                                {"--progress", &r.with_progress, NULL},
                                {"--work", &work, NULL},
                                {"--serve", &serve, NULL}};
  const size_t option_count = sizeof(options) / sizeof(*options);
  const int operands = cli_arguments(argc, argv, options, option_count, 0, 1);
  oy_registry* registry;
  if (operands < 0) return CLI_BAD_INPUT;
  certify_limit();
  if (cli_registry(NULL, &registry) != OY_OK) return cli_fail();
  if (serve) return certify_serve();
  if (operands < 1) {
    cli_complain(
        "certify: expected cpu, the name of a plugin or its path, found nothing "
        "(see `opyard help certify`)");
    return CLI_BAD_INPUT;
  }
  r.name = argv[1];
  r.jobs = jobs_of(jobs);
  if (!r.jobs) return CLI_BAD_INPUT;
  // What falls back is counted, and shown in the matrix.
  oy_fallback_policy_set(OY_FALLBACK_ALLOW);
  int status;
  if (certify_load(&r) != OY_OK)
    status = cli_fail();
  else if (work)
    status = certify_work(&r);
  else
    status = run(&r) == OY_OK ? report(&r, as_json) : cli_fail();
  certify_unload(&r);
  certify_report_free(&r);
  return status;
}
