// SPDX-License-Identifier: Apache-2.0
// What the plugin has no kernel for runs on the CPU and is counted; and steps of training
// the network of examples/30_train, with Adam, give the CPU's losses.
#include <math.h>
#include <string.h>

#include "gpu/support.h"
#include "network.h"
#include "opyard/fallback.h"

#define T(t) oy_value_tensor(t)

static oy_tensor* call1(const char* op, size_t count, const oy_value* args) {
  oy_value result[4];
  if (call_op(op, count, args, result) < 1)
    fail_msg("%s: %s", op, oy_error_get()->message);
  return result[0].as.object;
}
#define CALL(op, ...)                                             \
  call1(op, sizeof((oy_value[]){__VA_ARGS__}) / sizeof(oy_value), \
        (oy_value[]){__VA_ARGS__})

static void gpu_fallback_counts(void** state) {
  (void)state;
  const oy_op* cumsum;
  const oy_op* add;
  assert_int_equal(oy_op_find(oy_registry_default(), oy_str_of("aten::cumsum"), &cumsum),
                   OY_OK);
  assert_int_equal(oy_op_find(oy_registry_default(), oy_str_of("aten::add.Tensor"), &add),
                   OY_OK);
  oy_tensor* a = numbers(OY_DIMS(4, 5), OY_DTYPE_F32, 1);
  oy_tensor* z = oy_tensor_empty(OY_DIMS(3), OY_DTYPE_C64, oy_device_cpu());
  memset(oy_tensor_data(z), 0, 3 * 8);
  uint64_t before = oy_fallback_calls(cumsum);
  CHECK_CALL("aten::cumsum", 1e-6, T(a), oy_int(1));
  assert_int_equal(oy_fallback_calls(cumsum), before + 1);
  // A dtype that kernels do not know.
  before = oy_fallback_calls(add);
  oy_tensor* there = to_gpu(z, 0);
  oy_tensor* sum = CALL("aten::add.Tensor", T(there), T(there));
  assert_int_equal(oy_fallback_calls(add), before + 1);
  CHECK_CALL("aten::add.Tensor", 0, T(a), T(a));
  assert_int_equal(oy_fallback_calls(add), before + 1);
  // Indices that are masks.
  oy_tensor* mask = numbers(OY_DIMS(4), OY_DTYPE_BOOL, 2);
  oy_object* list[] = {mask};
  CHECK_CALL("aten::index.Tensor", 0, T(a), oy_value_list(OY_TAG_TENSOR_LIST, list, 1));
  oy_fallback_policy policy = oy_fallback_policy_get();
  oy_fallback_policy_set(OY_FALLBACK_ERROR);
  oy_value results[2], args[] = {T(there), T(there)};
  assert_int_equal(call_op("aten::add.Tensor", 2, args, results), -1);
  oy_error_clear();
  oy_fallback_policy_set(policy);
  oy_tensor_release(a);
  oy_tensor_release(z);
  oy_tensor_release(there);
  oy_tensor_release(sum);
  oy_tensor_release(mask);
}

// ------------------------------------------------------------------------ training

enum { STEPS = 3, BATCH = 6, SIDE = 12 };

// The network of examples/30_train with parameters of one seed, on the CPU or a device.
static void make_network(network* net, oy_device device) {
  images like = {.rows = SIDE, .columns = SIDE};
  oy_generator* generator = oy_generator_create(oy_device_cpu());
  assert_int_equal(oy_generator_manual_seed(generator, 7), OY_OK);
  assert_int_equal(network_create(&like, generator, net), OY_OK);
  for (int i = 0; i < PARAMETERS && device.backend != OY_BACKEND_CPU; i++) {
    oy_tensor* there = oy_tensor_copy_to(net->parameters[i], OY_DTYPE_ANY, device);
    assert_non_null(oy_requires_grad_(there, true));
    oy_tensor_release(net->parameters[i]);
    net->parameters[i] = there;
  }
  oy_object_release(generator);
}

static double step(const network* net, oy_optimizer* optimizer, oy_tensor* x,
                   oy_tensor* labels) {
  oy_scope scope;
  oy_scalar value;
  oy_scope_open(&scope);
  oy_tensor* loss =
      oy_cross_entropy_loss(network_run(net, x), labels, &oy_none_object, 1, -100, 0);
  if (!loss || oy_tensor_item(loss, &value) != OY_OK ||
      oy_backward(loss, NULL, false) != OY_OK || oy_optimizer_step(optimizer) != OY_OK)
    fail_msg("%s", oy_error_get()->message);
  oy_optimizer_zero_grad(optimizer);
  oy_scope_close(&scope);
  return value.as.d;
}

static void train(oy_device device, oy_tensor* x, oy_tensor* labels, double* out_losses) {
  network net;
  make_network(&net, device);
  oy_optimizer_options rule = oy_optimizer_defaults(OY_ADAM);
  rule.lr = 0.01;
  oy_optimizer* optimizer =
      oy_optimizer_create(OY_ADAM, &rule, net.parameters, PARAMETERS);
  assert_non_null(optimizer);
  oy_tensor* there = oy_tensor_copy_to(x, OY_DTYPE_ANY, device);
  oy_tensor* named = oy_tensor_copy_to(labels, OY_DTYPE_ANY, device);
  for (int i = 0; i < STEPS; i++) out_losses[i] = step(&net, optimizer, there, named);
  oy_tensor_release(there);
  oy_tensor_release(named);
  oy_optimizer_free(optimizer);
  network_free(&net);
}

static void gpu_training_step(void** state) {
  (void)state;
  double here[STEPS], there[STEPS];
  char* ledger;
  oy_tensor* x = numbers(OY_DIMS(BATCH, 1, SIDE, SIDE), OY_DTYPE_F32, 1);
  oy_tensor* labels = numbers(OY_DIMS(BATCH), OY_DTYPE_I64, 2);
  for (int64_t i = 0; i < BATCH; i++)
    ((int64_t*)oy_tensor_data(labels))[i] = i * 3 % CLASSES;
  oy_fallback_reset();
  train(oy_device_cpu(), x, labels, here);
  train(gpu_device(0), x, labels, there);
  for (int i = 0; i < STEPS; i++)
    printf("step %d: loss %.7f on the CPU, %.7f on the device\n", i, here[i], there[i]);
  assert_int_equal(oy_fallback_print(&ledger), OY_OK);
  printf("%s\n", ledger);
  oy_text_free(ledger);
  for (int i = 0; i < STEPS; i++) assert_true(fabs(here[i] - there[i]) < 1e-4);
  assert_true(there[STEPS - 1] < there[0]);
  oy_tensor_release(x);
  oy_tensor_release(labels);
}

int main(void) {
  gpu_start();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gpu_fallback_counts),
      cmocka_unit_test(gpu_training_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
