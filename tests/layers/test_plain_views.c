// SPDX-License-Identifier: Apache-2.0
// Views that the ADInplaceOrView layer makes itself: a kernel that somebody put in the place
// of the library's is called all the same, and what a view knows of its shape is what follows
// from its sizes and strides.
#include "base/memory.h"
#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

// ------------------------------------------------------------------- the operators

static oy_tensor* do_alias(oy_tensor* x) {
  return oy_op_alias(x);
}
static oy_tensor* do_expand(oy_tensor* x) {
  return oy_expand(x, OY_DIMS(2, -1, -1, -1), false);
}
static oy_tensor* do_permute(oy_tensor* x) {
  return oy_permute(x, OY_DIMS(2, 0, -2));
}
static oy_tensor* do_select(oy_tensor* x) {
  return oy_select_int(x, -2, 0);
}
static oy_tensor* do_slice(oy_tensor* x) {
  return oy_slice_Tensor(x, 1, oy_int(0), oy_int(1), 1);
}
static oy_tensor* do_squeeze(oy_tensor* x) {
  return oy_squeeze_dim(x, 1);
}
static oy_tensor* do_t(oy_tensor* x) {
  oy_tensor* matrix = oy_select_int(x, 0, 0);
  oy_tensor* turned = oy_t(matrix);
  oy_tensor_release(matrix);
  return turned;
}
static oy_tensor* do_unsqueeze(oy_tensor* x) {
  return oy_unsqueeze(x, -1);
}
static oy_tensor* do_view(oy_tensor* x) {
  return oy_view(x, OY_DIMS(oy_tensor_numel(x)));
}

static const struct {
  const char* name;
  oy_tensor* (*call)(oy_tensor* x);  // of three dimensions, none of them empty
} g_views[] = {{"alias", do_alias},
               {"expand", do_expand},
               {"permute", do_permute},
               {"select.int", do_select},
               {"slice.Tensor", do_slice},
               {"squeeze.dim", do_squeeze},
               {"t", do_t},
               {"unsqueeze", do_unsqueeze},
               {"view", do_view}};

static oy_tensor* whole(int64_t a, int64_t b, int64_t c) {
  return oy_ones(OY_DIMS(a, b, c), oy_int(OY_DTYPE_F32), oy_none(), oy_none(), oy_none());
}

// -------------------------------------------------------------------- other kernels

static oy_status refuse(const oy_op* op, oy_keyset keys, oy_stack* stack,
                        const oy_kernel* kernel) {
  (void)op, (void)keys, (void)stack, (void)kernel;
  return OY_FAIL(FAILED_PRECONDITION, "another kernel");
}

static void other_kernels_are_called(void** state) {
  (void)state;
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_views); i++) {
    oy_tensor *x = whole(2, 3, 4), *before = g_views[i].call(x);
    assert_non_null(before);
    oy_library* library;
    oy_library_params aten = {NULL, OY_LIBRARY_IMPL, "aten", OY_KEY_Undefined, "", 0};
    oy_impl_params impl = {.name = g_views[i].name,
                           .key = OY_KEY_CPU,
                           .kernel = OY_BOXED(refuse),
                           .place = OY_HERE};
    MUST(oy_library_create(&aten, &library));
    MUST(oy_library_impl(library, &impl, NULL));
    assert_fails(g_views[i].call(x), "another kernel");
    oy_library_close(library);
    oy_tensor* after = g_views[i].call(x);
    assert_non_null(after);
    oy_tensor* const made[] = {after, before, x};
    for (int k = 0; k < 3; k++) oy_tensor_release(made[k]);
  }
}

// ------------------------------------------------------------------- what it knows

static bool is_contiguous(const oy_tensor* t) {
  return oy_tensor_is_contiguous(t, OY_MEMORY_CONTIGUOUS);
}

static void check_view(const char* name, oy_tensor* view) {
  const oy_ints sizes = oy_tensor_sizes(view), strides = oy_tensor_strides(view);
  int64_t numel = 1;
  bool whole = true;
  for (size_t i = sizes.size; i-- > 0;) {
    whole &= sizes.data[i] == 1 || strides.data[i] == numel;
    numel *= sizes.data[i];
  }
  if (oy_tensor_numel(view) != numel || is_contiguous(view) != (whole || !numel))
    fail_msg("%s: %lld elements, contiguous %d; expected %lld and %d", name,
             (long long)oy_tensor_numel(view), is_contiguous(view), (long long)numel,
             whole || !numel);
  oy_tensor_release(view);
}

static void views_know_their_shape(void** state) {
  (void)state;
  for (int64_t a = 1; a < 4; a++)
    for (int64_t b = 1; b < 4; b++)
      for (int64_t c = 1; c < 4; c++)
        for (size_t first = 0; first < OY_ARRAY_SIZE(g_views); first++) {
          oy_tensor *x = whole(a, b, c), *view = g_views[first].call(x);
          // Of a view that has three dimensions again, each of the others.
          for (size_t i = 0; oy_tensor_ndim(view) == 3 && i < OY_ARRAY_SIZE(g_views); i++)
            if (g_views[i].call != do_view || is_contiguous(view))
              check_view(g_views[i].name, g_views[i].call(view));
          check_view(g_views[first].name, view);
          oy_tensor_release(x);
        }
}

static void nothing_is_known_of_empty_ones(void** state) {
  (void)state;
  oy_tensor* x = whole(2, 0, 3);
  check_view("unsqueeze", oy_unsqueeze(x, 1));
  check_view("permute", oy_permute(x, OY_DIMS(2, 1, 0)));
  check_view("select", oy_select_int(x, 0, 1));
  check_view("expand", oy_expand(x, OY_DIMS(5, 2, 0, 3), false));
  check_view("view", oy_view(x, OY_DIMS(3, 0, 7)));
  assert_fails(oy_view(x, OY_DIMS(-1, 0)),
               "cannot reshape tensor of 0 elements into shape [-1, 0] because the "
               "unspecified dimension size -1 can be any value and is ambiguous");
  assert_fails(
      oy_select_int(x, 1, 0),
      "select(): index 0 out of range for tensor of size [2, 0, 3] at dimension 1");
  oy_tensor_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_kernels_are_called),
      cmocka_unit_test(views_know_their_shape),
      cmocka_unit_test(nothing_is_known_of_empty_ones),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
