// SPDX-License-Identifier: Apache-2.0
// Finding operators by the names that people type.
#include <stdlib.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "common.h"

enum { NAME_MAX_LENGTH = 64 };

// Edit distance; names longer than any operator's are cut off.
static unsigned distance(oy_str a, oy_str b) {
  unsigned row[NAME_MAX_LENGTH + 1];
  size_t n = a.size < NAME_MAX_LENGTH ? a.size : NAME_MAX_LENGTH;
  size_t m = b.size < NAME_MAX_LENGTH ? b.size : NAME_MAX_LENGTH;
  for (size_t j = 0; j <= m; j++) row[j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned diagonal = row[0];
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      unsigned change = diagonal + (a.data[i - 1] != b.data[j - 1]);
      diagonal = row[j];
      unsigned least = row[j - 1] < row[j] ? row[j - 1] : row[j];
      row[j] = change < least + 1 ? change : least + 1;
    }
  }
  return row[m];
}

// How far |typed| is from |full|, with or without namespace and overload.
static unsigned name_distance(oy_str typed, oy_str full) {
  oy_op_name name;
  if (oy_op_name_parse(full, &name) != OY_OK) return NAME_MAX_LENGTH;
  oy_str no_ns = {name.base.data, full.size - (size_t)(name.base.data - full.data)};
  const oy_str forms[] = {full, no_ns, name.base};
  unsigned least = NAME_MAX_LENGTH;
  for (size_t i = 0; i < OY_ARRAY_SIZE(forms); i++) {
    unsigned d = distance(typed, forms[i]);
    if (d < least) least = d;
  }
  return least;
}

void cli_nearest(oy_registry* registry, oy_str name, char* buffer, size_t size) {
  enum { SHOWN = 3 };
  const oy_op** ops;
  size_t count, used = 0;
  buffer[0] = '\0';
  if (oy_registry_list(registry, &ops, &count) != OY_OK) return;
  unsigned limit = name.size < 4 ? 1 : name.size < 8 ? 2 : 3;
  int shown = 0;
  for (unsigned d = 0; d <= limit && shown < SHOWN; d++)
    for (size_t i = 0; i < count && shown < SHOWN; i++) {
      oy_str full = oy_op_name_of(ops[i]);
      if (name_distance(name, full) != d || used + full.size + 3 > size) continue;
      used += (size_t)snprintf(buffer + used, size - used, "%s%.*s", shown ? ", " : "",
                               OY_STR_ARG(full));
      shown++;
    }
  oy_ops_free(ops);
}

static bool fits(oy_str full, const oy_op_name* wanted, bool any_overload) {
  oy_op_name name;
  if (oy_op_name_parse(full, &name) != OY_OK) return false;
  return oy_str_equal(name.base, wanted->base) &&
         (wanted->ns.size == 0 || oy_str_equal(name.ns, wanted->ns)) &&
         (any_overload || oy_str_equal(name.overload, wanted->overload));
}

// Counts the operators that fit; *out_op is the only one, or the only one of aten.
static size_t count_fits(const oy_op** ops, size_t count, const oy_op_name* wanted,
                         bool any_overload, const oy_op** out_op, oyi_strbuf* names) {
  size_t found = 0, of_aten = 0;
  for (size_t i = 0; i < count; i++) {
    oy_str full = oy_op_name_of(ops[i]);
    if (!fits(full, wanted, any_overload)) continue;
    bool aten = full.size > 6 && memcmp(full.data, "aten::", 6) == 0;
    of_aten += aten;
    if (aten || of_aten == 0) *out_op = ops[i];
    oyi_strbuf_printf(names, "%s%.*s", found++ ? ", " : "", OY_STR_ARG(full));
  }
  return of_aten == 1 ? 1 : found;
}

static oy_status pick(oy_registry* registry, const char* name, const oy_op_name* wanted,
                      oyi_strbuf* names, const oy_op** out_op) {
  const oy_op** ops;
  size_t count;
  OY_TRY(oy_registry_list(registry, &ops, &count));
  size_t found = count_fits(ops, count, wanted, false, out_op, names);
  if (found != 1 && wanted->overload.size == 0) {
    oyi_strbuf_reset(names);
    found = count_fits(ops, count, wanted, true, out_op, names);
  }
  oy_ops_free(ops);
  OY_TRY(oyi_strbuf_status(names));
  if (found == 1) return OY_OK;
  if (found > 1)
    return OY_FAIL(NOT_FOUND, "expected the name of one operator, found `%s`: %s", name,
                   names->data);
  char nearest[256];
  cli_nearest(registry, oy_str_of(name), nearest, sizeof nearest);
  return OY_FAIL(NOT_FOUND, "expected the name of an operator, found `%s`%s%s", name,
                 nearest[0] ? "; nearest: " : " (see `opyard ops`)", nearest);
}

oy_status cli_find_op(oy_registry* registry, const char* name, const oy_op** out_op) {
  *out_op = oy_op_lookup(registry, oy_str_of(name));
  if (*out_op) return OY_OK;
  oy_op_name wanted;
  OY_TRY(oy_op_name_parse(oy_str_of(name), &wanted));
  oyi_strbuf names = OYI_STRBUF_INIT;
  oy_status status = pick(registry, name, &wanted, &names, out_op);
  oyi_strbuf_reset(&names);
  if (status != OY_OK) *out_op = NULL;
  return status;
}
