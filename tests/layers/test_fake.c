// SPDX-License-Identifier: Apache-2.0
// Fake tensors (opyard/fake.h). Devices of results, and what is refused, are those of PyTorch
// (torch._subclasses.fake_tensor, 2.6); there is no CUDA here.
#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static oy_fake_mode* g_mode;
static const oy_device g_cuda = {.backend = OY_BACKEND_CUDA, .index = 0};
static int open_mode(void** state) {
  (void)state;
  oy_error_clear();
  return oy_fake_mode_create(NULL, &g_mode);
}
static int close_mode(void** state) {
  (void)state;
  oy_fake_mode_release(g_mode);
  return oy_included_has(OY_KEY_Python) ? -1 : 0;
}

static oy_tensor* fake(oy_ints sizes, oy_device device) {
  return oy_fake_empty(g_mode, sizes, OY_DTYPE_F32, device);
}
static void assert_fake(const oy_tensor* t, oy_ints sizes, const char* device) {
  if (!t) print_error("%s\n", oy_error_get()->message);
  assert_non_null(t);
  assert_ptr_equal(oy_fake_mode_of(t), g_mode);
  assert_dims(oy_tensor_sizes(t), sizes);
  char text[64];
  oy_device_print(oy_tensor_device(t), text, sizeof(text));
  assert_string_equal(text, device);
  assert_null(oy_tensor_data(t));
}
// Checks and releases.
static void gives(oy_tensor* t, oy_ints sizes, const char* device) {
  assert_fake(t, sizes, device);
  oy_tensor_release(t);
}

static void META_03_the_result_is_where_the_arguments_are(void** state) {
  (void)state;
  oy_tensor *a = fake(OY_DIMS(2, 3), g_cuda), *b = fake(OY_DIMS(2, 3), oy_device_cpu());
  gives(oy_add_Tensor(a, a, ALPHA1), OY_DIMS(2, 3), "cuda:0");
  gives(oy_add_Tensor(b, b, ALPHA1), OY_DIMS(2, 3), "cpu");
  gives(oy_mul_Scalar(a, oy_float(2)), OY_DIMS(2, 3), "cuda:0");
  oy_tensor* turned = oy_t(a);
  assert_fake(turned, OY_DIMS(3, 2), "cuda:0");
  assert_int_equal(oy_tensor_strides(turned).data[0], 1);
  assert_int_equal(oy_tensor_strides(turned).data[1], 3);
  assert_true(oy_tensor_is_alias_of(turned, a));
  gives(oy_mm(a, turned), OY_DIMS(2, 2), "cuda:0");
  gives(oy_matmul(a, turned), OY_DIMS(2, 2), "cuda:0");
  gives(oy_sum(a, oy_none()), oy_dims_none(), "cuda:0");
  oy_tensor *values, *indices;
  MUST(oy_max_dim(a, 1, false, &values, &indices));
  assert_int_equal(indices->dtype, OY_DTYPE_I64);
  gives(values, OY_DIMS(2), "cuda:0");
  gives(indices, OY_DIMS(2), "cuda:0");
  oy_tensor* all[] = {a, b, turned};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

static void META_03_lists(void** state) {
  (void)state;
  oy_tensor* a = fake(OY_DIMS(4, 3), g_cuda);
  oy_tensor* twice[] = {a, a};
  gives(oy_cat((oy_tensors){twice, 2}, 0), OY_DIMS(8, 3), "cuda:0");
  oy_value parts;
  MUST(oy_split_Tensor(a, 3, 0, &parts));
  assert_int_equal(parts.count, 2);
  assert_fake(parts.as.tensors[0], OY_DIMS(3, 3), "cuda:0");
  assert_fake(parts.as.tensors[1], OY_DIMS(1, 3), "cuda:0");
  oy_value_release(&parts);
  oy_tensor_release(a);
}

static void META_03_what_is_made_under_the_mode(void** state) {
  (void)state;
  oy_value cuda = oy_value_device(g_cuda), none = oy_none();
  oy_fake_guard guard = oy_fake_mode_enter(g_mode);
  gives(oy_zeros(OY_DIMS(2), none, none, cuda, none), OY_DIMS(2), "cuda:0");
  gives(oy_rand(OY_DIMS(3), none, none, none, none), OY_DIMS(3), "cpu");
  gives(oy_arange(oy_int(4), none, none, cuda, none), OY_DIMS(4), "cuda:0");
  oy_device current = {.backend = OY_BACKEND_CUDA, .index = -1};
  oy_tensor* a = oy_empty_memory_format(OY_DIMS(2), none, none, oy_value_device(current),
                                        none, none);
  assert_fake(a, OY_DIMS(2), "cuda:0");
  gives(oy_zeros_like(a, none, none, none, none, none), OY_DIMS(2), "cuda:0");
  gives(oy_zeros_like(a, none, none, oy_value_device(oy_device_cpu()), none, none),
        OY_DIMS(2), "cpu");
  gives(oy_new_zeros(a, OY_DIMS(3), none, none, none, none), OY_DIMS(3), "cuda:0");
  oy_fake_mode_leave(&guard);
  // Outside it is real again; a fake tensor stays fake.
  oy_tensor* real = oy_zeros(OY_DIMS(1), none, none, none, none);
  assert_null(oy_fake_mode_of(real));
  assert_elements(real, OY_DIMS(1), 0);
  gives(oy_neg(a), OY_DIMS(2), "cuda:0");
  oy_tensor_release(real);
  oy_tensor_release(a);
}

static void META_03_to_another_device(void** state) {
  (void)state;
  oy_tensor* a = fake(OY_DIMS(2), g_cuda);
  oy_device second = {.backend = OY_BACKEND_CUDA, .index = 1};
  oy_value none = oy_none();
  gives(oy__to_copy(a, none, none, oy_value_device(oy_device_cpu()), none, false, none),
        OY_DIMS(2), "cpu");
  oy_tensor* b = oy_to_device(a, second, OY_DTYPE_F64, false, false, none);
  assert_int_equal(b->dtype, OY_DTYPE_F64);
  gives(b, OY_DIMS(2), "cuda:1");
  // Nothing to do: the same tensor.
  oy_tensor* same = oy_to_dtype(a, OY_DTYPE_F32, false, false, none);
  assert_ptr_equal(same, a);
  oy_tensor_release(same);
  oy_tensor_release(a);
}

static void META_03_devices_do_not_mix(void** state) {
  (void)state;
  oy_tensor *a = fake(OY_DIMS(2, 3), g_cuda), *b = fake(OY_DIMS(2, 3), oy_device_cpu());
  assert_fails(oy_add_Tensor(a, b, ALPHA1),
               "Unhandled FakeTensor Device Propagation for aten.add.Tensor, found two "
               "different devices cuda:0, cpu");
  oy_tensor* both[] = {a, b};
  assert_fails(oy_cat((oy_tensors){both, 2}, 0),
               "Unhandled FakeTensor Device Propagation for aten.cat.default, found two "
               "different devices cuda:0, cpu");
  // But for a tensor of the CPU without dimensions, on either side.
  oy_tensor* scalar = fake(oy_dims_none(), oy_device_cpu());
  gives(oy_add_Tensor(a, scalar, ALPHA1), OY_DIMS(2, 3), "cuda:0");
  gives(oy_add_Tensor(scalar, a, ALPHA1), OY_DIMS(2, 3), "cuda:0");
  gives(oy_add_Tensor(scalar, scalar, ALPHA1), oy_dims_none(), "cpu");
  // Copies go between devices.
  assert_ptr_equal(oy_copy_(b, a, false), b);
  assert_fake(b, OY_DIMS(2, 3), "cpu");
  oy_tensor* all[] = {a, b, scalar};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

static void META_03_real_tensors_do_not_mix(void** state) {
  (void)state;
  oy_tensor *a = fake(OY_DIMS(2, 3), g_cuda), *real = F32(OY_DIMS(3), 1, 2, 3);
  assert_fails(oy_add_Tensor(a, real, oy_int(2)),
               "Please convert all Tensors to FakeTensors first or instantiate "
               "FakeTensorMode with "
               "'allow_non_fake_inputs'. Found in aten.add.Tensor(FakeTensor(..., "
               "device='cuda:0', size=(2, 3)), tensor([...], size=(3,)), alpha=2)");
  oy_fake_guard guard = oy_fake_mode_enter(g_mode);
  assert_null(oy_neg(real));
  // But for constants on their way into the program.
  oy_tensor* lifted = oy_lift_fresh(real);
  assert_fake(lifted, OY_DIMS(3), "cpu");
  oy_tensor_release(lifted);
  oy_fake_mode_leave(&guard);
  oy_error_clear();
  // With the option they are taken for fake ones, unless they are written.
  oy_fake_mode* allowing;
  MUST(oy_fake_mode_create(&(oy_fake_options){.allow_non_fake_inputs = true}, &allowing));
  guard = oy_fake_mode_enter(allowing);
  oy_tensor* sum = oy_add_Tensor(real, real, ALPHA1);
  assert_ptr_equal(oy_fake_mode_of(sum), allowing);
  assert_int_equal(oy_tensor_device(sum).backend, OY_BACKEND_CPU);
  oy_tensor* meta = oy_tensor_empty(OY_DIMS(3), OY_DTYPE_F32, oy_device_meta());
  assert_fails(oy_add_Tensor(meta, sum, ALPHA1),
               "Unhandled FakeTensor Device Propagation for aten.add.Tensor, found two "
               "different devices meta, cpu");
  assert_dims(oy_tensor_sizes(sum), OY_DIMS(3));
  assert_null(oy_add__Tensor(real, sum, ALPHA1));
  oy_fake_mode_leave(&guard);
  oy_error_clear();
  assert_elements(real, OY_DIMS(3), 1, 2, 3);
  assert_fails(oy_add_Tensor(a, sum, ALPHA1), "Mixing fake modes NYI");
  assert_fails(oy_fake_from(g_mode, sum), "Mixing fake modes NYI");
  oy_tensor* all[] = {a, real, sum, meta};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
  oy_fake_mode_release(allowing);
}

static void META_03_from_real_tensors(void** state) {
  (void)state;
  oy_tensor* real = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* turned = oy_tensor_transpose(real, 0, 1);
  assert_non_null(oy_requires_grad_(real, true));
  oy_tensor *a = oy_fake_from(g_mode, real), *b = oy_fake_from(g_mode, turned);
  assert_fake(a, OY_DIMS(2, 3), "cpu");
  assert_true(oy_requires_grad(a));
  assert_fake(b, OY_DIMS(3, 2), "cpu");
  assert_int_equal(oy_tensor_strides(b).data[0], 1);
  assert_false(oy_requires_grad(b));
  oy_tensor* again = oy_fake_from(g_mode, a);
  assert_ptr_equal(again, a);
  assert_null(oy_fake_from(g_mode, &oy_none_object));
  assert_null(oy_fake_from(g_mode, NULL));
  assert_null(oy_fake_mode_of(NULL));
  assert_null(oy_fake_mode_of(&oy_none_object));
  oy_error_clear();
  oy_tensor* all[] = {real, turned, a, b, again};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

// ------------------------------------------------------------ what needs data

static void META_03_data_dependent(void** state) {
  (void)state;
  oy_tensor* a = fake(OY_DIMS(3), oy_device_cpu());
  oy_tensor* one = fake(oy_dims_none(), g_cuda);
  oy_tensor* mask = oy_fake_empty(g_mode, OY_DIMS(3), OY_DTYPE_BOOL, oy_device_cpu());
  oy_scalar number;
  const char* item = "DataDependentOutputException: aten._local_scalar_dense.default";
  assert_int_equal(oy_item(one, &number), OY_FAILED_PRECONDITION);
  assert_error(item);
  assert_int_equal(oy__local_scalar_dense(one, &number), OY_FAILED_PRECONDITION);
  assert_non_null(strstr(oy_error_get()->notes, "which fake tensors do not have"));
  assert_error(item);
  assert_int_not_equal(oy_tensor_item(one, &number), OY_OK);
  oy_error_clear();
  bool same;
  assert_int_equal(oy_equal(a, a, &same), OY_FAILED_PRECONDITION);
  assert_error("DataDependentOutputException: aten.equal.default");
  assert_fails(oy_nonzero(a), "DynamicOutputShapeException: aten.nonzero.default");
  assert_fails(oy_masked_select(a, mask),
               "DynamicOutputShapeException: aten.masked_select.default");
  oy_tensor *values, *inverse, *counts;
  assert_int_equal(oy__unique2(a, true, false, false, &values, &inverse, &counts),
                   OY_FAILED_PRECONDITION);
  assert_error("DynamicOutputShapeException: aten._unique2.default");
  assert_fails(oy_bincount(a, &oy_none_object, 0),
               "DynamicOutputShapeException: aten.bincount.default");
  assert_fails(oy_repeat_interleave_Tensor(a, oy_none()),
               "DynamicOutputShapeException: aten.repeat_interleave.Tensor");
  assert_fails(oy_index_Tensor(a, (oy_tensors){&mask, 1}),
               "DynamicOutputShapeException: aten.index.Tensor");
  oy_tensor* all[] = {a, one, mask};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

static void META_03_no_data_for_anybody(void** state) {
  (void)state;
  oy_tensor *a = fake(OY_DIMS(3), oy_device_cpu()), *b = fake(OY_DIMS(3), g_cuda);
  oy_guard guard = oy_guard_without_handlers();
  const char* refused =
      "aten::neg: expected tensors with data, got fake tensors or wrappers while "
      "handlers are off";
  assert_fails(oy_neg(a), refused);
  assert_fails(oy_neg(b), refused);
  assert_fails(
      oy_neg_(a),
      "aten::neg_: expected tensors with data, got fake tensors or wrappers while "
      "handlers are off");
  oy_guard_end(&guard);
  assert_null(oy_tensor_data(a));
  oy_scalar number;
  assert_int_not_equal(oy_tensor_get(a, OY_DIMS(0), &number), OY_OK);
  assert_int_not_equal(oy_tensor_set(a, OY_DIMS(0), oy_int(1)), OY_OK);
  oy_error_clear();
  oy_tensor_release(a);
  oy_tensor_release(b);
}

static void META_03_printed(void** state) {
  (void)state;
  oy_tensor* a = fake(OY_DIMS(2, 3), g_cuda);
  assert_prints(a, "FakeTensor(..., device='cuda:0', size=(2, 3))");
  oy_tensor* b = oy_fake_empty(g_mode, OY_DIMS(2), OY_DTYPE_I64, oy_device_cpu());
  assert_prints(b, "FakeTensor(..., size=(2,), dtype=torch.int64)");
  oy_tensor_release(a);
  oy_tensor_release(b);
}

// ------------------------------------------------------------------- in place

static void META_03_in_place(void** state) {
  (void)state;
  oy_tensor *a = fake(OY_DIMS(2, 3), g_cuda), *b = fake(OY_DIMS(3), g_cuda);
  assert_ptr_equal(oy_add__Tensor(a, b, ALPHA1), a);
  assert_int_equal(oy_tensor_version(a), 1);
  assert_ptr_equal(oy_transpose_(a, 0, 1), a);
  assert_fake(a, OY_DIMS(3, 2), "cuda:0");
  assert_int_equal(oy_tensor_strides(a).data[1], 3);
  assert_ptr_equal(oy_resize_(b, OY_DIMS(4, 4), oy_none()), b);
  assert_fake(b, OY_DIMS(4, 4), "cuda:0");
  assert_true(oy_tensor_storage_nbytes(b) >= 64);
  // Given twice, written once.
  oy_tensor* c = fake(OY_DIMS(2, 3), g_cuda);
  assert_ptr_equal(oy_mul__Tensor(c, c), c);
  oy_tensor* row = fake(OY_DIMS(3), g_cuda);
  assert_ptr_equal(oy_resize_as_(row, c, oy_none()), row);
  assert_fake(row, OY_DIMS(2, 3), "cuda:0");
  assert_ptr_equal(oy_set__source_Tensor(row, b), row);
  assert_fake(row, OY_DIMS(4, 4), "cuda:0");
  assert_true(oy_tensor_is_alias_of(row, b));
  oy_tensor* out = fake(OY_DIMS(0), g_cuda);
  assert_ptr_equal(oy_neg_out(b, out), out);
  assert_fake(out, OY_DIMS(4, 4), "cuda:0");
  assert_fails(oy_mm(a, b), "mat1 and mat2 shapes cannot be multiplied (3x2 and 4x4)");
  oy_tensor* all[] = {a, b, c, row, out};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

static void META_03_gradients(void** state) {
  (void)state;
  oy_tensor *a = fake(OY_DIMS(2, 3), g_cuda), *w = fake(OY_DIMS(3, 4), g_cuda);
  assert_non_null(oy_requires_grad_(w, true));
  oy_fake_guard guard = oy_fake_mode_enter(g_mode);
  oy_tensor *product = oy_matmul(a, w), *positive = oy_relu(product);
  oy_tensor* sum = oy_sum(positive, oy_none());
  assert_string_equal(oy_grad_fn_name(sum), "SumBackward0");
  MUST(oy_backward(sum, NULL, false));
  oy_fake_mode_leave(&guard);
  assert_fake(oy_grad(w), OY_DIMS(3, 4), "cuda:0");
  oy_tensor* all[] = {a, w, product, positive, sum};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

// Gradients go back to the device that a copy came from, and so do numbers.
static void ENG_05_gradients_between_devices(void** state) {
  (void)state;
  const oy_device cpu = oy_device_cpu();
  oy_tensor *a = fake(OY_DIMS(2), cpu), *b = fake(OY_DIMS(2), cpu),
            *number = fake(oy_dims_none(), cpu);
  assert_non_null(oy_requires_grad_(a, true));
  assert_non_null(oy_requires_grad_(b, true));
  assert_non_null(oy_requires_grad_(number, true));
  oy_fake_guard guard = oy_fake_mode_enter(g_mode);
  oy_tensor* there = oy__to_copy(a, oy_none(), oy_none(), oy_value_device(g_cuda),
                                 oy_none(), false, oy_none());
  oy_tensor* copy =
      oy_empty_like(there, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  assert_ptr_equal(oy_copy_(copy, b, false), copy);
  oy_tensor *both = oy_add_Tensor(there, copy, ALPHA1),
            *scaled = oy_mul_Tensor(both, number), *sum = oy_sum(scaled, oy_none());
  assert_fake(sum, oy_dims_none(), "cuda:0");
  MUST(oy_backward(sum, NULL, false));
  oy_fake_mode_leave(&guard);
  assert_fake(oy_grad(a), OY_DIMS(2), "cpu");
  assert_fake(oy_grad(b), OY_DIMS(2), "cpu");
  assert_fake(oy_grad(number), oy_dims_none(), "cpu");
  oy_tensor* all[] = {a, b, number, there, copy, both, scaled, sum};
  for (int i = 0; i < 8; i++) oy_tensor_release(all[i]);
}

// ------------------------------------------------------------------ with others

static void META_03_below_the_modes_of_users(void** state) {
  (void)state;
  oy_call_recorder* recorder;
  MUST(oy_call_recorder_create(&recorder));
  oy_tensor* a = fake(OY_DIMS(2, 3), g_cuda);
  oy_dispatch_mode mode;
  // The fake mode is entered last, and yet asked last.
  oy_call_recorder_push(recorder, &mode);
  oy_fake_guard guard = oy_fake_mode_enter(g_mode);
  gives(oy_mul_Tensor(a, a), OY_DIMS(2, 3), "cuda:0");
  oy_fake_mode_leave(&guard);
  MUST(oy_mode_pop(&mode));
  assert_string_equal(oy_call_recorder_text(recorder),
                      "aten.mul.Tensor(float32[2, 3] cuda:0, float32[2, 3] cuda:0) -> "
                      "float32[2, 3] cuda:0\n");
  oy_call_recorder_destroy(recorder);
  oy_tensor_release(a);
}

static oy_status shout(oy_handler_call* call) {
  (void)call;
  return OY_FAIL(INVALID_ARGUMENT, "other class");
}
static const oy_tensor_handler g_other = {"Other", shout, NULL, NULL};
static void META_03_other_classes_handle_their_own(void** state) {
  (void)state;
  oy_tensor *a = fake(OY_DIMS(2), g_cuda), *b = F32(OY_DIMS(2), 1, 2);
  MUST(oy_tensor_set_handler(b, &g_other, NULL));
  assert_fails(oy_add_Tensor(a, b, ALPHA1), "other class");
  assert_fails(oy_fake_from(g_mode, &oy_none_object), oy_error_get()->message);
  oy_tensor_release(a);
  oy_tensor_release(b);
}

static void META_03_modes_within_modes(void** state) {
  (void)state;
  oy_fake_mode* second;
  MUST(oy_fake_mode_create(NULL, &second));
  oy_fake_guard outer = oy_fake_mode_enter(g_mode);
  oy_fake_guard inner = oy_fake_mode_enter(second);
  oy_tensor* a = oy_zeros(OY_DIMS(1), oy_none(), oy_none(), oy_none(), oy_none());
  assert_ptr_equal(oy_fake_mode_of(a), second);
  oy_fake_mode_leave(&inner);
  oy_tensor* b = oy_zeros(OY_DIMS(1), oy_none(), oy_none(), oy_none(), oy_none());
  assert_ptr_equal(oy_fake_mode_of(b), g_mode);
  oy_fake_mode_leave(&outer);
  // A tensor keeps its mode.
  oy_fake_mode_release(second);
  oy_tensor* c = oy_neg(a);
  assert_ptr_equal(oy_fake_mode_of(c), oy_fake_mode_of(a));
  oy_tensor* all[] = {a, b, c};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

static bool runs(void) {
  oy_fake_mode* mode;
  if (oy_fake_mode_create(NULL, &mode) != OY_OK) return false;
  oy_fake_guard guard = oy_fake_mode_enter(mode);
  oy_tensor* a = oy_fake_empty(mode, OY_DIMS(4, 3), OY_DTYPE_F32, g_cuda);
  oy_tensor* both[] = {a, a};
  oy_tensor* joined = a ? oy_cat((oy_tensors){both, 2}, 0) : NULL;
  oy_tensor* view = joined ? oy_t(joined) : NULL;
  oy_tensor* product = view ? oy_mm(view, joined) : NULL;
  bool good = product && oy_add__Tensor(product, product, ALPHA1);
  oy_tensor* all[] = {a, joined, view, product};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
  oy_fake_mode_leave(&guard);
  oy_fake_mode_release(mode);
  return good;
}
static void without_memory(void** state) {
  (void)state;
  assert_true(runs());
  fail_each_allocation(runs);
}

// ----------------------------------------------------------------- Meta itself

static void META_01_no_data(void** state) {
  (void)state;
  oy_tensor* meta = oy_tensor_empty(OY_DIMS(2, 3), OY_DTYPE_F32, oy_device_meta());
  oy_tensor* real = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  assert_null(oy_tensor_data(meta));
  assert_fails(oy_copy_(real, meta, false), "Cannot copy out of meta tensor; no data!");
  assert_elements(real, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* one = oy_sum(meta, oy_none());
  oy_scalar number;
  assert_int_equal(oy_item(one, &number), OY_NOT_IMPLEMENTED);
  assert_error("Tensor.item() cannot be called on meta tensors");
  oy_tensor* turned = oy_t(meta);
  oy_tensor* wide = oy_to_dtype(turned, OY_DTYPE_F64, false, false, oy_none());
  assert_int_equal(wide->dtype, OY_DTYPE_F64);
  assert_dims(oy_tensor_sizes(wide), OY_DIMS(3, 2));
  // Conversion keeps the order of what is dense.
  assert_dims(oy_tensor_strides(wide), OY_DIMS(1, 3));
  assert_int_equal(oy_tensor_device(wide).backend, OY_BACKEND_Meta);
  oy_tensor* all[] = {meta, real, one, turned, wide};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

// An operator with a kernel for the CPU alone.
static oy_status nothing(const oy_op* op, oy_keyset keys, oy_stack* stack,
                         const oy_kernel* kernel) {
  (void)op, (void)keys, (void)kernel;
  oy_stack_drop(stack, 1);
  return OY_OK;
}
static oy_status call_boxed(const char* name, oy_tensor* x) {
  const oy_op* op;
  MUST(oy_op_find(oy_registry_default(), oy_str_of(name), &op));
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  MUST(oy_stack_push(&stack, oy_value_tensor(x)));
  oy_status status = oy_op_call_boxed(op, &stack);
  oy_stack_reset(&stack);
  return status;
}
static void META_01_no_kernel(void** state) {
  (void)state;
  oy_library* library;
  oy_library_params params = {NULL, OY_LIBRARY_DEF, "mine", 0, __FILE__, __LINE__};
  oy_kernel_params kernel = OY_BOXED(nothing);
  oy_def_params made = {.schema = "made(Tensor x) -> Tensor",
                        .kernel = &kernel,
                        .key = OY_KEY_CPU,
                        .place = OY_HERE};
  oy_def_params written = made;
  written.schema = "written(Tensor(a!) x) -> ()";
  MUST(oy_library_create(&params, &library));
  MUST(oy_library_def(library, &made, NULL));
  MUST(oy_library_def(library, &written, NULL));
  oy_tensor* meta = oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, oy_device_meta());
  assert_int_equal(call_boxed("mine::made", meta), OY_NOT_IMPLEMENTED);
  assert_error(
      "mine::made: attempted to run this operator with Meta tensors, but there was no "
      "fake "
      "impl or Meta kernel registered. You may have run into this message while using an "
      "operator with PT2 compilation APIs (torch.compile/torch.export); in order to use "
      "this operator with those APIs you'll need to add a fake impl. Please see the "
      "following for next steps:  "
      "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html");
  // A fake tensor needs no kernel if the operator gives nothing, and says what it writes.
  oy_tensor* a = fake(OY_DIMS(2), g_cuda);
  assert_int_equal(call_boxed("mine::made", a), OY_FAILED_PRECONDITION);
  assert_error("UnsupportedOperatorException: mine.made.default");
  MUST(call_boxed("mine::written", a));
  oy_tensor_release(a);
  oy_tensor_release(meta);
  oy_library_close(library);
}

// Numbers of a real tensor that decide what is computed, whatever its strides.
static void META_03_batch_sizes_are_read(void** state) {
  (void)state;
  oy_fake_mode* allowing;
  MUST(oy_fake_mode_create(&(oy_fake_options){.allow_non_fake_inputs = true}, &allowing));
  oy_tensor* numbers = I64(OY_DIMS(6), 2, 0, 2, 0, 1, 0);
  oy_tensor* sizes = oy_slice_Tensor(numbers, 0, oy_none(), oy_none(), 2);
  oy_tensor* data = oy_tensor_empty(OY_DIMS(5, 1), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* hidden = oy_tensor_empty(OY_DIMS(1, 2, 1), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* weight = oy_tensor_empty(OY_DIMS(1, 1), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor *both[] = {weight, weight}, *output = NULL, *end = NULL;
  oy_fake_guard guard = oy_fake_mode_enter(allowing);
  MUST(oy_rnn_tanh_data(data, sizes, hidden, (oy_tensors){both, 2}, false, 1, 0, false,
                        false, &output, &end));
  oy_fake_mode_leave(&guard);
  assert_ptr_equal(oy_fake_mode_of(output), allowing);
  assert_dims(oy_tensor_sizes(output), OY_DIMS(5, 1));
  assert_dims(oy_tensor_sizes(end), OY_DIMS(1, 2, 1));
  oy_tensor* made[] = {numbers, sizes, data, hidden, weight, output, end};
  for (int i = 0; i < 7; i++) oy_tensor_release(made[i]);
  oy_fake_mode_release(allowing);
}

#define T(f) cmocka_unit_test_setup_teardown(f, open_mode, close_mode)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(META_03_the_result_is_where_the_arguments_are),
      T(META_03_lists),
      T(META_03_what_is_made_under_the_mode),
      T(META_03_to_another_device),
      T(META_03_devices_do_not_mix),
      T(META_03_real_tensors_do_not_mix),
      T(META_03_from_real_tensors),
      T(META_03_data_dependent),
      T(META_03_no_data_for_anybody),
      T(META_03_printed),
      T(META_03_in_place),
      T(META_03_gradients),
      T(ENG_05_gradients_between_devices),
      T(META_03_below_the_modes_of_users),
      T(META_03_other_classes_handle_their_own),
      T(META_03_modes_within_modes),
      T(without_memory),
      T(META_03_batch_sizes_are_read),
      T(META_01_no_data),
      T(META_01_no_kernel),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
