// SPDX-License-Identifier: Apache-2.0
// The report: failures, further checks, and the matrix of operators and dtypes.
#include <stdlib.h>

#include "../values.h"
#include "certify.h"

// -------------------------------------------------------------------------- adding

static char* copy(const char* text) {
  char* made = strdup(text);
  if (!made) made = strdup("");
  return made;
}

void certify_fail(certify_report* r, const char* where, const char* what,
                  const char* call, const char* repeat) {
  if (r->failure_count == r->failure_capacity) {
    const size_t capacity = r->failure_capacity ? 2 * r->failure_capacity : 16;
    certify_failure* more = realloc(r->failures, capacity * sizeof(*more));
    if (!more) {
      r->suppressed++;
      return;
    }
    r->failures = more;
    r->failure_capacity = capacity;
  }
  r->failures[r->failure_count++] =
      (certify_failure){copy(where), copy(what), copy(call), copy(repeat), 0};
}

void certify_check(certify_report* r, const char* name, bool passed) {
  if (r->check_count == sizeof(r->checks) / sizeof(*r->checks)) return;
  r->checks[r->check_count] = name;
  r->passed[r->check_count++] = passed;
}

void certify_report_free(certify_report* r) {
  for (size_t i = 0; i < r->failure_count; i++) {
    free(r->failures[i].where);
    free(r->failures[i].what);
    free(r->failures[i].call);
    free(r->failures[i].repeat);
  }
  free(r->failures);
  free(r->rows);
}

// --------------------------------------------------------------------------- calls

static void print_value(const oy_value* v, oyi_strbuf* out) {
  if (v->tag == OY_TAG_TENSOR && oy_tensor_numel(v->as.object) > 24) {
    const oy_ints sizes = oy_tensor_sizes(v->as.object);
    oyi_strbuf_printf(out, "<%s [", oy_dtype_name(v->as.object->dtype));
    for (size_t i = 0; i < sizes.size; i++)
      oyi_strbuf_printf(out, i ? ", %lld" : "%lld", (long long)sizes.data[i]);
    oyi_strbuf_puts(out, "]>");
    return;
  }
  cli_value_print(*v, out);
}

void certify_sample_print(const certify_sample* s, oyi_strbuf* out) {
  oyi_strbuf_printf(out, "%.*s(", OY_STR_ARG(oy_op_name_of(s->op)));
  for (size_t i = 0; i < s->schema->argument_count; i++) {
    const oy_argument* a = &s->schema->arguments[i];
    oyi_strbuf_printf(out, i ? ", %.*s=" : "%.*s=", OY_STR_ARG(a->name));
    print_value(&s->arguments[i], out);
  }
  oyi_strbuf_putc(out, ')');
}

// -------------------------------------------------------------------------- counts

static const char g_letters[] = "-NFRW";
static const char* const g_verdicts[] = {"untried", "native", "fallback", "refused",
                                         "wrong"};

static size_t count_cells(const certify_report* r, certify_verdict verdict) {
  size_t count = 0;
  for (size_t i = 0; i < r->row_count; i++)
    for (size_t d = 0; d < CERTIFY_DTYPES; d++) count += r->rows[i].cells[d] == verdict;
  return count;
}

// ---------------------------------------------------------------------------- text

// In the order of certify_dtypes.
static const char* const g_short[CERTIFY_DTYPES] = {
    "f32", "f64", "f16", "bf16", "i64", "i32", "i16", "i8", "u8", "bool", "c64", "c128"};

static void print_matrix(const certify_report* r) {
  printf("%-44s", "operator");
  for (size_t d = 0; d < CERTIFY_DTYPES; d++) printf(" %-4s", g_short[d]);
  printf(" grad\n");
  for (size_t i = 0; i < r->row_count; i++) {
    const certify_row* row = &r->rows[i];
    const oy_str name = oy_op_name_of(row->op);
    printf("%-44.*s", OY_STR_ARG(name));
    for (size_t d = 0; d < CERTIFY_DTYPES; d++)
      printf(" %c   ", g_letters[row->cells[d]]);
    printf(" %c\n", g_letters[row->gradients]);
  }
  printf("N native or composed, F by the CPU, R refused, W wrong, - no call fitted\n\n");
}

void certify_report_print(const certify_report* r) {
  print_matrix(r);
  for (size_t i = 0; i < r->failure_count; i++) {
    const certify_failure* f = &r->failures[i];
    printf("%sWRONG%s %s: %s\n", cli_colour("red"), cli_colour("off"), f->where, f->what);
    if (f->call[0]) printf("  %s\n", f->call);
    if (f->repeat[0]) printf("  again: %s\n", f->repeat);
  }
  if (r->suppressed) printf("and %zu more\n", r->suppressed);
  for (size_t i = 0; i < r->check_count; i++)
    printf("%-28s %s\n", r->checks[i], r->passed[i] ? "passed" : "FAILED");
  printf(
      "%zu operators, %zu calls: %zu alike, %zu errors alike (%zu with another text), "
      "%zu gradients alike\n",
      r->row_count, r->calls, r->good, r->errors_alike, r->other_texts, r->gradients);
  if (r->backend != OY_BACKEND_CPU)
    printf(
        "%zu differences that devices may have; with a tensor on the CPU: %zu refused, "
        "%zu alike\n",
        r->permitted, r->apart_refused, r->apart_alike);
  printf("cells: %zu native, %zu by fallback, %zu refused, %zu wrong\n",
         count_cells(r, CERTIFY_NATIVE), count_cells(r, CERTIFY_FALLBACK),
         count_cells(r, CERTIFY_REFUSED), count_cells(r, CERTIFY_WRONG));
  printf("%s\n", r->failure_count ? "not certified" : "certified");
}

// ---------------------------------------------------------------------------- JSON

static void json_row(cli_json* json, const certify_row* row) {
  cli_json_open(json, NULL, '{');
  cli_json_str(json, "op", oy_op_name_of(row->op));
  cli_json_open(json, "dtypes", '{');
  for (size_t d = 0; d < CERTIFY_DTYPES; d++)
    cli_json_text(json, oy_dtype_name(certify_dtypes[d]), g_verdicts[row->cells[d]]);
  cli_json_close(json, '}');
  cli_json_text(json, "gradients", g_verdicts[row->gradients]);
  cli_json_close(json, '}');
}

static void json_failures(cli_json* json, const certify_report* r) {
  cli_json_open(json, "failures", '[');
  for (size_t i = 0; i < r->failure_count; i++) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "where", r->failures[i].where);
    cli_json_text(json, "what", r->failures[i].what);
    cli_json_text(json, "call", r->failures[i].call);
    cli_json_text(json, "repeat", r->failures[i].repeat);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
}

void certify_report_json(const certify_report* r) {
  cli_json json;
  char device[64];
  cli_json_init(&json, stdout);
  cli_json_open(&json, NULL, '{');
  oy_device_print(r->device, device, sizeof(device));
  cli_json_text(&json, "name", r->name);
  cli_json_text(&json, "device", device);
  cli_json_bool(&json, "certified", r->failure_count == 0);
  cli_json_int(&json, "operators", (long long)r->row_count);
  cli_json_int(&json, "calls", (long long)r->calls);
  cli_json_int(&json, "alike", (long long)r->good);
  cli_json_int(&json, "errors_alike", (long long)r->errors_alike);
  cli_json_int(&json, "errors_with_another_text", (long long)r->other_texts);
  cli_json_int(&json, "gradients_alike", (long long)r->gradients);
  cli_json_int(&json, "permitted_differences", (long long)r->permitted);
  cli_json_int(&json, "mixed_devices_refused", (long long)r->apart_refused);
  cli_json_int(&json, "mixed_devices_alike", (long long)r->apart_alike);
  for (size_t v = CERTIFY_NATIVE; v <= CERTIFY_WRONG; v++)
    cli_json_int(&json, g_verdicts[v], (long long)count_cells(r, (certify_verdict)v));
  cli_json_open(&json, "checks", '{');
  for (size_t i = 0; i < r->check_count; i++)
    cli_json_bool(&json, r->checks[i], r->passed[i]);
  cli_json_close(&json, '}');
  json_failures(&json, r);
  cli_json_int(&json, "failures_not_listed", (long long)r->suppressed);
  cli_json_open(&json, "matrix", '[');
  for (size_t i = 0; i < r->row_count; i++) json_row(&json, &r->rows[i]);
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
}
