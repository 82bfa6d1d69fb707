// SPDX-License-Identifier: Apache-2.0
#include "ops_choice.h"

#include <string.h>

// The meaning of these is how their arguments lie in memory, which is not the same in both
// processes; or they share memory with what does not belong to the call.
static const char* const g_left_out[] = {
    "as_strided",
    "as_strided_copy",
    "as_strided_scatter",
    "_reshape_alias",
    "_reshape_alias_copy",
    "view",
    "view_copy",
    "view_as",
    "view_as_real",
    "view_as_complex",
    "view_as_complex_copy",
    "take_along_dim",
    "_unsafe_view",
    "stride",
    "sym_stride",
    "storage_offset",
    "sym_storage_offset",
    "is_contiguous",
    "is_set_to",
    "set_",
    "resize",
    "resize_",
    "resize_as",
    "resize_as_",
    "resize_output",
};
// Elements that may be anything: memory as it was found.
static const char* const g_unsaid[] = {"empty",          "empty_like",
                                       "new_empty",      "empty_strided",
                                       "empty_permuted", "new_empty_strided"};
// Beside those whose names begin so: rounding says which matrices are singular, and factors
// of the same matrix are other ones if it lies otherwise.
static const char* const g_factors[] = {"linalg_", "_linalg_", "cholesky", "lu_",
                                        "_lu_",    "geqrf",    "ormqr",    "orgqr"};
static const char* const g_solvers[] = {
    "det", "logdet",   "slogdet", "inverse",          "qr",
    "svd", "pinverse", "lstsq",   "triangular_solve", "matrix_power"};
// A correction may leave none of the observations to divide by.
static const char* const g_divided[] = {"cov"};
// Sums of products of what went in, which may take each other away but for what rounding leaves.
static const char* const g_products[] = {
    "mm",        "addmm",  "addmm_",  "bmm",      "baddbmm",
    "baddbmm_",  "addbmm", "addbmm_", "mv",       "addmv",
    "addmv_",    "addr",   "addr_",   "dot",      "vdot",
    "inner",     "matmul", "linear",  "bilinear", "_trilinear",
    "tensordot", "einsum", "addcmul", "addcmul_", "chain_matmul"};
// What there is to do depends on how the argument lies, and may be refused.
static const char* const g_copies[] = {"to", "_to_copy"};

static bool is_one_of(oy_str name, const char* const* names, size_t count) {
  const char* dot = memchr(name.data, '.', name.size);
  size_t size = dot ? (size_t)(dot - name.data) : name.size;
  for (size_t i = 0; i < count; i++)
    if (strlen(names[i]) == size && memcmp(names[i], name.data, size) == 0) return true;
  return false;
}

static bool is_uncertain(oy_str name) {
  for (size_t i = 0; i < sizeof(g_factors) / sizeof(*g_factors); i++) {
    size_t size = strlen(g_factors[i]);
    if (name.size >= size && memcmp(name.data, g_factors[i], size) == 0) return true;
  }
  return is_one_of(name, g_solvers, sizeof(g_solvers) / sizeof(*g_solvers)) ||
         is_one_of(name, g_copies, sizeof(g_copies) / sizeof(*g_copies));
}

static bool is_random(const oy_schema* s) {
  for (size_t i = 0; i < s->argument_count; i++)
    if (oy_str_equal(s->arguments[i].name, oy_str_of("generator"))) return true;
  return false;
}

static oy_str name_of(const oy_op* op) {
  oy_str name = oy_op_name_of(op);
  name.data += strlen("aten::");
  name.size -= strlen("aten::");
  return name;
}

bool ops_divides_by_0(const oy_op* op) {
  return is_one_of(name_of(op), g_divided, sizeof(g_divided) / sizeof(*g_divided));
}

bool ops_adds_products(const oy_op* op) {
  return is_one_of(name_of(op), g_products, sizeof(g_products) / sizeof(*g_products));
}

ops_choice ops_choose(const oy_op* op) {
  const oy_str name = name_of(op);
  if (is_one_of(name, g_left_out, sizeof(g_left_out) / sizeof(*g_left_out)))
    return OPS_LEFT_OUT;
  if (is_uncertain(name)) return OPS_UNCERTAIN;
  if (is_random(oy_op_schema(op)) ||
      is_one_of(name, g_unsaid, sizeof(g_unsaid) / sizeof(*g_unsaid)))
    return OPS_SHAPES_ALONE;
  return OPS_COMPARED;
}
