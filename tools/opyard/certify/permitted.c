// SPDX-License-Identifier: Apache-2.0
// Where a device need not do as the CPU does: what is wrong with the values in its memory it
// would have to look for before each call. There are these two, and each is as PyTorch has
// it; how often they were made use of is part of the report.
#include "certify.h"

// "raises RuntimeError for integer division by zero on CPU; Integer division by zero on GPU
// may return any value": https://pytorch.org/docs/stable/generated/torch.fmod.html
static bool is_divided_by_zero(const certify_outcome* got, const certify_outcome* want) {
  return certify_outcome_status(got) == OY_OK &&
         oy_str_equal(certify_outcome_error(want), oy_str_of("ZeroDivisionError"));
}

// A call with two things wrong, an index in memory and a shape or dtype: a device may tell of
// the second, which is seen without memory (the Meta kernel tells of it, too). An index that
// is the one thing wrong has to be told of.
static bool is_wrong_in_shape(const certify_sample* s, const certify_outcome* got,
                              const certify_outcome* want) {
  const certify_run run = {oy_device_meta(), false, 0};
  const oy_status status = certify_outcome_status(got);
  certify_outcome meta = {OYI_STRBUF_INIT};
  if (certify_outcome_status(want) != OY_OUT_OF_RANGE || status == OY_OK ||
      status == OY_OUT_OF_RANGE)
    return false;
  const bool same = certify_sample_run(s, &run, &meta) == OY_OK &&
                    certify_outcome_status(&meta) == status;
  certify_outcome_reset(&meta);
  return same;
}

bool certify_is_permitted(const certify_sample* s, const certify_outcome* got,
                          const certify_outcome* want) {
  return is_divided_by_zero(got, want) || is_wrong_in_shape(s, got, want);
}
