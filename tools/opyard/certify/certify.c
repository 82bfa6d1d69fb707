// SPDX-License-Identifier: Apache-2.0
// `opyard certify`: the conformance suite for a backend.
#include "certify.h"

static oy_status run(certify_report* r) {
  certify_reference reference;
  OY_TRY(certify_reference_open(&reference, r->backend == OY_BACKEND_CPU));
  oy_status status = certify_operators(r, &reference);
  certify_reference_close(&reference);
  if (status != OY_OK || r->only) return status;
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

int cli_certify(int argc, char** argv) {
  bool as_json = false, serve = false;
  certify_report r = {0};
  const cli_option options[] = {{"--json", &as_json, NULL},
                                {"--ops", NULL, &r.pattern},
                                {"--case", NULL, &r.only},
                                {"--serve", &serve, NULL}};
  const int operands = cli_arguments(argc, argv, options, 4, 0, 1);
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
  // What falls back is counted, and shown in the matrix.
  oy_fallback_policy_set(OY_FALLBACK_ALLOW);
  int status;
  if (certify_load(&r) == OY_OK && run(&r) == OY_OK)
    status = report(&r, as_json);
  else
    status = cli_fail();
  certify_unload(&r);
  certify_report_free(&r);
  return status;
}
