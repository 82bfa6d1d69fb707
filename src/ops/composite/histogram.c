// SPDX-License-Identifier: Apache-2.0
// histogramdd, by a histogram and its edges, and forms with given outputs of it and of
// segment_reduce.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

OYI_STORED(_histogramdd_from_bin_cts_out, _histogramdd_from_bin_cts)
OYI_STORED(_histogramdd_from_bin_tensors_out, _histogramdd_from_bin_tensors)
OYI_COMPOSITE(_histogramdd_bin_edges_out) {
  oy_value list;
  return oyi_stored_each(
      oyi_call__histogramdd_bin_edges(self, bins, range, weight, density, &list), &list,
      out);
}

OYI_COMPOSITE(histogramdd) {
  *out_hist = NULL;
  *out_bin_edges = oy_none();
  oy_object* hist =
      oyi_call__histogramdd_from_bin_cts(self, bins, range, weight, density);
  if (hist && oyi_call__histogramdd_bin_edges(self, bins, range, weight, density,
                                              out_bin_edges) == OY_OK) {
    *out_hist = hist;
    return OY_OK;
  }
  oy_tensor_release(hist);
  return oy_failure();
}

OYI_COMPOSITE(histogramdd_int_bins) {
  *out_hist = NULL;
  *out_bin_edges = oy_none();
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  const int64_t coordinates = t->ndim > 0 ? t->sizes[t->ndim - 1] : 0;
  OY_CHECK(coordinates <= OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT,
           "torch.histogramdd: expected points of at most %d coordinates, got %lld",
           OY_TENSOR_MAX_DIMS, (long long)coordinates);
  int64_t each[OY_TENSOR_MAX_DIMS];
  for (int64_t d = 0; d < coordinates; d++) each[d] = bins;
  return oyi_call_histogramdd(self, (oy_ints){each, (size_t)coordinates}, range, weight,
                              density, out_hist, out_bin_edges);
}

// The edges are those that were given.
OYI_COMPOSITE(histogramdd_TensorList_bins) {
  *out_hist = NULL;
  *out_bin_edges = oy_none();
  oy_object** items;
  OY_TRY(oyi_list_new(bins.size, out_bin_edges, &items));
  for (size_t d = 0; d < bins.size; d++)
    if (!oyi_list_put(items, d, oy_tensor_retain(bins.data[d])))
      return oyi_list_fail(out_bin_edges);
  *out_hist = oyi_call__histogramdd_from_bin_tensors(self, bins, weight, density);
  return *out_hist ? OY_OK : oyi_list_fail(out_bin_edges);
}

OYI_STORED(segment_reduce_out, segment_reduce)
OYI_STORED(_segment_reduce_backward_out, _segment_reduce_backward)
