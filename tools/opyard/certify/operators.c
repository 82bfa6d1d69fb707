// SPDX-License-Identifier: Apache-2.0
// Every operator, one dtype after the other, against the reference.
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "certify.h"

enum { LISTED = 3 };  // failures of one operator; more of them are counted

// ------------------------------------------------------------------------ crashes

static char g_current[320];

static void on_crash(int number) {
  const char head[] = "opyard: certify: crashed in ";
  if (write(STDERR_FILENO, head, sizeof(head) - 1) > 0 &&
      write(STDERR_FILENO, g_current, strlen(g_current)) > 0)
    (void)!write(STDERR_FILENO, "\n", 1);
  signal(number, SIG_DFL);
  raise(number);
}

static void watch(bool on) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
    signal(signals[i], on ? on_crash : SIG_DFL);
}

// ----------------------------------------------------------------------- failures

static void where_of(const certify_sample* s, char* text, size_t size) {
  snprintf(text, size, "%.*s %s #%u", OY_STR_ARG(oy_op_name_of(s->op)),
           oy_dtype_name(s->dtype), s->number);
}

static void fail(certify_report* r, const certify_sample* s, const char* what,
                 const char* suffix) {
  char where[320], repeat[512], said[640];
  oyi_strbuf call = OYI_STRBUF_INIT;
  where_of(s, where, sizeof(where));
  snprintf(said, sizeof(said), "%s%s", suffix, what);
  snprintf(repeat, sizeof(repeat), "opyard certify %s --ops %.*s --case %s:%u", r->name,
           OY_STR_ARG(oy_op_name_of(s->op)), oy_dtype_name(s->dtype), s->number);
  certify_sample_print(s, &call);
  certify_fail(r, where, said, call.data ? call.data : "", repeat);
  oyi_strbuf_reset(&call);
}

// ----------------------------------------------------------------------- one call

typedef struct progress {
  certify_report* report;
  certify_reference* reference;
  certify_row* row;
  certify_sample sample;
  size_t dtype;  // the cell
  int listed;    // failures of this operator
} progress;

static void set_verdict(progress* p, certify_verdict verdict) {
  uint8_t* cell = &p->row->cells[p->dtype];
  if (*cell < verdict) *cell = (uint8_t)verdict;
}

static void list_failure(progress* p, const char* what, const char* suffix) {
  if (p->listed++ < LISTED)
    fail(p->report, &p->sample, what, suffix);
  else
    p->report->suppressed++;
}

// A device may lack what the CPU has; it says so with one of these.
static bool is_refusal(oy_status status) {
  return status == OY_NOT_IMPLEMENTED || status == OY_FAILED_PRECONDITION;
}

// "\"mm\" not implemented for 'Half'": what the CPU lacks, another device may have (PyTorch's
// OpInfo lists dtypes of each: dtypesIfCUDA, torch/testing/_internal/opinfo/core.py).
static bool has_more(oy_status status, oy_status right) {
  return right == OY_NOT_IMPLEMENTED && status == OY_OK;
}

static certify_verdict verdict_of(progress* p, const certify_outcome* got,
                                  const certify_outcome* want, uint64_t fallbacks,
                                  const char** out_what) {
  certify_report* r = p->report;
  const oy_status status = certify_outcome_status(got),
                  right = certify_outcome_status(want);
  *out_what = "";
  if (right == OY_OK && is_refusal(status)) return CERTIFY_REFUSED;
  if (has_more(status, right)) return CERTIFY_NATIVE;
  if (r->backend != OY_BACKEND_CPU && certify_is_permitted(&p->sample, got, want)) {
    r->permitted++;
    return CERTIFY_UNTRIED;
  }
  *out_what = certify_compare(&p->sample, got, want, NULL);
  if ((*out_what)[0]) return CERTIFY_WRONG;
  if (right != OY_OK) {
    r->errors_alike++;
    r->other_texts +=
        !oy_str_equal(certify_outcome_error(got), certify_outcome_error(want));
    return CERTIFY_UNTRIED;
  }
  r->good++;
  return fallbacks ? CERTIFY_FALLBACK : CERTIFY_NATIVE;
}

// As it was before its elements were changed.
static void make_again(certify_sample* s) {
  const oy_op* op = s->op;
  const oy_dtype dtype = s->dtype;
  const uint32_t number = s->number;
  certify_sample_end(s);
  certify_sample_make(s, op, dtype, number);
}

// What |got| would be if the arguments were a little different; the sample is made again.
static oy_status run_moved(progress* p, const certify_run* run, certify_outcome* out) {
  certify_sample_move(&p->sample);
  oy_status status = certify_sample_run(&p->sample, run, out);
  make_again(&p->sample);
  return status;
}

// Compares again, with what is in doubt.
static oy_status doubt(progress* p, const certify_run* run, const certify_outcome* got,
                       const certify_outcome* want, certify_verdict* verdict,
                       const char** out_what) {
  certify_outcome moved = {OYI_STRBUF_INIT};
  oy_status status = run_moved(p, run, &moved);
  if (status == OY_OK) {
    const char* what = certify_compare(&p->sample, got, want, &moved);
    if (!what[0]) *verdict = CERTIFY_NATIVE;
    *out_what = what;
    p->report->good += !what[0];
  }
  certify_outcome_reset(&moved);
  return status;
}

// Compares the call with sources that are all one number: whichever was written last, the
// places are those of the reference. Values are those of samples without such places.
static oy_status level(progress* p, bool with_gradients, const char** out_what) {
  const certify_run there = {p->report->device, with_gradients, 0},
                    here = {oy_device_cpu(), with_gradients, 0};
  certify_outcome got = {OYI_STRBUF_INIT}, want = {OYI_STRBUF_INIT};
  certify_sample_level(&p->sample);
  oy_status status = certify_sample_run(&p->sample, &there, &got);
  if (status == OY_OK) status = certify_sample_run(&p->sample, &here, &want);
  if (status == OY_OK) *out_what = certify_compare(&p->sample, &got, &want, NULL);
  certify_outcome_reset(&got);
  certify_outcome_reset(&want);
  make_again(&p->sample);
  return status;
}

// Calls again: what threads did in another order comes out right at times.
static oy_status again(progress* p, const certify_run* run, const certify_outcome* want,
                       certify_verdict* verdict, const char** out_what) {
  enum { TIMES = 8 };
  for (int i = 0; i < TIMES && (*out_what)[0]; i++) {
    certify_outcome got = {OYI_STRBUF_INIT};
    oy_status status = certify_sample_run(&p->sample, run, &got);
    if (status == OY_OK) *out_what = certify_compare(&p->sample, &got, want, NULL);
    certify_outcome_reset(&got);
    OY_TRY(status);
  }
  if ((*out_what)[0]) OY_TRY(level(p, run->with_gradients, out_what));
  if ((*out_what)[0]) return OY_OK;
  *verdict = CERTIFY_UNTRIED;
  p->report->permitted++;
  return OY_OK;
}

// TI-08: the same call with one of its tensors on the CPU is refused, or gives the same:
// every operator looks at the devices of its arguments.
static oy_status try_apart(progress* p, const certify_outcome* want) {
  certify_report* r = p->report;
  const certify_sample* s = &p->sample;
  if (r->backend == OY_BACKEND_CPU || s->tensor_count < 2 || s->number % 4 != 1 ||
      certify_is_sensitive(s) || certify_is_unordered(s))
    return OY_OK;
  certify_outcome got = {OYI_STRBUF_INIT};
  const certify_run run = {r->device, false, 1 + s->number / 4 % s->tensor_count};
  oy_status status = certify_sample_run(s, &run, &got);
  const oy_status result = certify_outcome_status(&got);
  const char* what = "";
  if (result == OY_OK || result == OY_INTERNAL)
    what = certify_compare(s, &got, want, NULL);
  if (status == OY_OK && what[0]) {
    list_failure(p, what, "with a tensor on the CPU: ");
    set_verdict(p, CERTIFY_WRONG);
  } else if (status == OY_OK && result == OY_OK) {
    r->apart_alike++;
  } else {
    r->apart_refused++;
  }
  certify_outcome_reset(&got);
  return status;
}

static oy_status try_call(progress* p, bool with_gradients, certify_verdict* out_verdict,
                          const char** out_what, bool* out_good) {
  certify_outcome got = {OYI_STRBUF_INIT}, want = {OYI_STRBUF_INIT};
  const certify_run run = {p->report->device, with_gradients, 0};
  const uint64_t before = oy_fallback_calls(NULL);
  oy_status status = certify_sample_run(&p->sample, &run, &got);
  const uint64_t fallbacks = oy_fallback_calls(NULL) - before;
  if (status == OY_OK)
    status = certify_reference_run(p->reference, &p->sample, with_gradients, &want);
  if (status == OY_OK) *out_verdict = verdict_of(p, &got, &want, fallbacks, out_what);
  *out_good = status == OY_OK && certify_outcome_status(&want) == OY_OK;
  if (*out_good && *out_verdict == CERTIFY_WRONG && certify_is_sensitive(&p->sample))
    status = doubt(p, &run, &got, &want, out_verdict, out_what);
  if (*out_good && *out_verdict == CERTIFY_WRONG && certify_is_unordered(&p->sample))
    status = again(p, &run, &want, out_verdict, out_what);
  // Texts of differences are one buffer: what is wrong already is told first.
  if (status == OY_OK && *out_good && !with_gradients && *out_verdict != CERTIFY_WRONG)
    status = try_apart(p, &want);
  certify_outcome_reset(&got);
  certify_outcome_reset(&want);
  return status;
}

static bool can_have_gradients(const certify_sample* s) {
  if (oy_schema_is_mutable(s->schema)) return false;
  return s->dtype == OY_DTYPE_F32 || s->dtype == OY_DTYPE_F64;
}

static oy_status try_gradients(progress* p) {
  certify_verdict verdict = CERTIFY_UNTRIED;
  const char* what = "";
  bool good = false;
  OY_TRY(try_call(p, true, &verdict, &what, &good));
  if (verdict == CERTIFY_WRONG) list_failure(p, what, "with gradients: ");
  if (p->row->gradients < verdict) p->row->gradients = (uint8_t)verdict;
  p->report->gradients += good && verdict != CERTIFY_WRONG;
  return OY_OK;
}

static oy_status try_number(progress* p, oy_dtype dtype, uint32_t number) {
  certify_verdict verdict = CERTIFY_UNTRIED;
  const char* what = "";
  bool good = false;
  certify_sample_make(&p->sample, p->row->op, dtype, number);
  where_of(&p->sample, g_current, sizeof(g_current));
  p->report->calls++;
  oy_status status = try_call(p, false, &verdict, &what, &good);
  if (status == OY_OK && verdict == CERTIFY_WRONG) list_failure(p, what, "");
  set_verdict(p, verdict);
  if (status == OY_OK && good && verdict != CERTIFY_WRONG &&
      can_have_gradients(&p->sample))
    status = try_gradients(p);
  certify_sample_end(&p->sample);
  return status;
}

// ---------------------------------------------------------------------- operators

static bool is_chosen(const char* only, oy_dtype dtype, uint32_t number) {
  if (!only) return true;
  char text[64];
  if (strcmp(oy_dtype_name(dtype), only) == 0) return true;
  snprintf(text, sizeof(text), "%s:%u", oy_dtype_name(dtype), number);
  return strcmp(text, only) == 0;
}

static oy_status try_operator(progress* p) {
  for (size_t d = 0; d < CERTIFY_DTYPES; d++) {
    p->dtype = d;
    for (uint32_t n = 0; n < CERTIFY_NUMBERS; n++)
      if (is_chosen(p->report->only, certify_dtypes[d], n))
        OY_TRY(try_number(p, certify_dtypes[d], n));
  }
  return OY_OK;
}

static bool matches(const char* pattern, oy_str name) {
  char text[512];
  if (!pattern) return true;
  snprintf(text, sizeof(text), "%.*s", OY_STR_ARG(name));
  if (strpbrk(pattern, "*?[")) return fnmatch(pattern, text, 0) == 0;
  const char* plain = strncmp(text, "aten::", 6) == 0 ? text + 6 : text;
  return strcmp(text, pattern) == 0 || strcmp(plain, pattern) == 0 ||
         (strncmp(plain, pattern, strlen(pattern)) == 0 && plain[strlen(pattern)] == '.');
}

// Operators that the device has something for; and arguments that can be made up.
static bool is_tested(const certify_report* r, const oy_op* op) {
  const oy_key key = (oy_key)OY_KEY_OF(OY_KEY_Dense, r->backend);
  const oy_schema* schema = oy_op_schema(op);
  bool has = false;
  if (!schema || schema->is_vararg || schema->argument_count > CERTIFY_ARGUMENTS ||
      !matches(r->pattern, oy_op_name_of(op)))
    return false;
  return oy_op_has_computed_kernel(op, key, &has) == OY_OK && has;
}

oy_status certify_choose(certify_report* r) {
  const oy_op** ops;
  size_t count;
  OY_TRY(oy_registry_list(oy_registry_default(), &ops, &count));
  r->rows = calloc(count + 1, sizeof(*r->rows));
  for (size_t i = 0; i < count && r->rows; i++)
    if (is_tested(r, ops[i])) r->rows[r->row_count++].op = ops[i];
  oy_ops_free(ops);
  if (!r->rows) return OY_FAIL(OUT_OF_MEMORY, "no memory for the report");
  // Nothing tried is nothing shown.
  if (r->pattern && !r->row_count)
    return OY_FAIL(
        NOT_FOUND,
        "certify: expected operators that %s can call, found none named '%s' (a "
        "name, with or without its overload, or a glob)",
        r->name, r->pattern);
  return OY_OK;
}

oy_status certify_operator(certify_report* r, certify_reference* reference,
                           certify_row* row) {
  progress* p = calloc(1, sizeof(*p));
  if (!p) return OY_FAIL(OUT_OF_MEMORY, "no memory for a sample");
  p->report = r;
  p->reference = reference;
  p->row = row;
  watch(true);
  oy_status status = try_operator(p);
  watch(false);
  free(p);
  return status;
}
