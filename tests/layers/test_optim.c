// SPDX-License-Identifier: Apache-2.0
// Optimisers (opyard/optim.h) against the numbers of PyTorch, and what they do with
// groups, state, errors and memory.
#include "support/tensors.h"

#include "layers/optim_rows.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static oy_tensor* numbers(const double* from, size_t count, oy_dtype dtype) {
  oy_tensor* wide = oy_tensor_from_data(from, OY_DIMS((int64_t)count), OY_DTYPE_F64);
  oy_tensor* t = oy_to_dtype(wide, dtype, false, true, oy_none());
  oy_tensor_release(wide);
  assert_non_null(t);
  return t;
}
static oy_tensor* start(oy_dtype dtype) {
  return oy_requires_grad_(numbers((double[]){1, -2, 0.5}, SIZE, dtype), true);
}
static void give_gradient(oy_tensor* t, int step) {
  oy_tensor* grad = numbers(gradients[step], SIZE, t->dtype);
  MUST(oy_set_grad(t, grad));
  oy_tensor_release(grad);
}

static void assert_row(const row* r, oy_dtype dtype, double tolerance) {
  oy_tensor* p = start(dtype);
  oy_optimizer* o = oy_optimizer_create(r->kind, &r->options, &p, 1);
  assert_non_null(o);
  for (int s = 0; s < STEPS; s++) {
    give_gradient(p, s);
    MUST(oy_optimizer_step(o));
    for (int64_t i = 0; i < SIZE; i++) {
      double got = element(p, i), want = r->want[s][i];
      if (fabs(got - want) <= tolerance * fmax(1, fabs(want))) continue;
      fail_msg("%s, step %d: element %d is %.17g and not %.17g", r->name, s, (int)i, got,
               want);
    }
  }
  // The gradient is as it was given.
  for (int64_t i = 0; i < SIZE; i++)
    assert_true(element(oy_grad(p), i) == gradients[STEPS - 1][i]);
  oy_optimizer_free(o);
  oy_tensor_release(p);
}
static void optim_01_steps(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    assert_row(&rows[i], OY_DTYPE_F64, 2e-15);
    assert_row(&rows[i], OY_DTYPE_F32, 5e-7);
  }
}

static void optim_02_defaults(void** state) {
  (void)state;
  oy_optimizer_options sgd = oy_optimizer_defaults(OY_SGD),
                       adam = oy_optimizer_defaults(OY_ADAM),
                       adamw = oy_optimizer_defaults(OY_ADAMW);
  assert_true(sgd.lr == 1e-3 && sgd.momentum == 0 && sgd.weight_decay == 0);
  assert_true(adam.lr == 1e-3 && adam.beta1 == 0.9 && adam.beta2 == 0.999 &&
              adam.eps == 1e-8 && adam.weight_decay == 0 && !adam.amsgrad);
  assert_true(adamw.weight_decay == 0.01);
}

// ------------------------------------------------------------------------ groups

static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}
static void set_gradient(oy_tensor* t, oy_tensor* grad) {
  MUST(oy_set_grad(t, grad));
  oy_tensor_release(grad);
}
static void optim_03_groups_and_missing_gradients(void** state) {
  (void)state;
  oy_tensor *a = leaf(F64(OY_DIMS(2), 1, 2)), *b = leaf(F64(OY_DIMS(1), 3)),
            *c = leaf(F64(OY_DIMS(1), 5)), *first[] = {a, c};
  oy_optimizer* o =
      oy_optimizer_create(OY_SGD, &(oy_optimizer_options){.lr = 0.5}, first, 2);
  MUST(oy_optimizer_add_parameters(
      o, &(oy_optimizer_options){.lr = 0.25, .momentum = 0.5}, &b, 1));
  for (int s = 0; s < 2; s++) {
    set_gradient(a, F64(OY_DIMS(2), 1, -1));
    set_gradient(b, F64(OY_DIMS(1), 2));
    MUST(oy_optimizer_step(o));
  }
  assert_elements(a, OY_DIMS(2), 0, 3);
  assert_elements(b, OY_DIMS(1), 1.75);
  assert_elements(c, OY_DIMS(1), 5);
  // One state, of the third parameter.
  oy_named_tensor s;
  assert_int_equal(oy_optimizer_state_count(o), 1);
  MUST(oy_optimizer_state_get(o, 0, &s));
  assert_true(oy_str_equal(s.name, oy_str_of("state.2.momentum_buffer")));
  assert_elements(s.tensor, OY_DIMS(1), 3);
  assert_int_equal(oy_optimizer_state_get(o, 1, &s), OY_OUT_OF_RANGE);
  oy_optimizer_zero_grad(o);
  assert_true(!oy_grad(a) && !oy_grad(b) && !oy_grad(c));
  MUST(oy_optimizer_step(o));
  assert_elements(a, OY_DIMS(2), 0, 3);
  oy_optimizer_free(o);
  oy_tensor* all[] = {a, b, c};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

static void optim_04_learning_rates(void** state) {
  (void)state;
  oy_tensor *a = leaf(F64(OY_DIMS(1), 1)), *b = leaf(F64(OY_DIMS(1), 1));
  oy_optimizer* o =
      oy_optimizer_create(OY_SGD, &(oy_optimizer_options){.lr = 0.5}, &a, 1);
  MUST(oy_optimizer_add_parameters(o, NULL, &b, 1));
  assert_int_equal(oy_optimizer_group_count(o), 2);
  assert_true(oy_optimizer_lr(o, 1) == 0.5);
  MUST(oy_optimizer_set_lr(o, 1, 0.125));
  set_gradient(a, F64(OY_DIMS(1), 1));
  set_gradient(b, F64(OY_DIMS(1), 1));
  MUST(oy_optimizer_step(o));
  assert_elements(a, OY_DIMS(1), 0.5);
  assert_elements(b, OY_DIMS(1), 0.875);
  oy_optimizer_options options;
  MUST(oy_optimizer_get_options(o, 1, &options));
  assert_true(options.lr == 0.125);
  options.maximize = true;
  MUST(oy_optimizer_set_options(o, 1, &options));
  MUST(oy_optimizer_step(o));
  assert_elements(b, OY_DIMS(1), 1);
  assert_int_equal(oy_optimizer_set_lr(o, 0, -1), OY_INVALID_ARGUMENT);
  assert_error("Invalid learning rate: -1.0");
  assert_int_equal(oy_optimizer_set_lr(o, 2, 1), OY_OUT_OF_RANGE);
  assert_true(isnan(oy_optimizer_lr(o, 2)));
  assert_int_equal(oy_error_get()->code, OY_OUT_OF_RANGE);
  oy_optimizer_free(o);
  oy_tensor_release(a);
  oy_tensor_release(b);
}

// Seen as pairs of real numbers by Adam, and as they are by SGD.
static void optim_05_complex(void** state) {
  (void)state;
  static const struct {
    oy_optimizer_kind kind;
    double momentum, want[4];
  } cases[] = {
      {OY_ADAM,
       0,
       {0.9683051771202827, 2.0473684205789477, -0.09152987614881919,
        -0.5982590980704022}},
      {OY_SGD, 0.9, {1.0025, 2.045, -0.215, -0.54875}},
  };
  const double grads[2][4] = {{0.5, -1, 2, 0.25}, {-1, 1, 0.5, 0.5}};
  for (int n = 0; n < 2; n++) {
    oy_tensor* p =
        leaf(oy_tensor_from_data((double[]){1, 2, 0, -0.5}, OY_DIMS(2), OY_DTYPE_C128));
    oy_optimizer_options options = oy_optimizer_defaults(cases[n].kind);
    options.lr = 0.05;
    options.momentum = cases[n].momentum;
    oy_optimizer* o = oy_optimizer_create(cases[n].kind, &options, &p, 1);
    for (int s = 0; s < 2; s++) {
      set_gradient(p, oy_tensor_from_data(grads[s], OY_DIMS(2), OY_DTYPE_C128));
      MUST(oy_optimizer_step(o));
    }
    const double* got = oy_tensor_data(p);
    for (int i = 0; i < 4; i++) assert_true(fabs(got[i] - cases[n].want[i]) < 2e-15);
    oy_optimizer_free(o);
    oy_tensor_release(p);
  }
}

// ----------------------------------------------------------------------- refusals

static void optim_06_refused_options(void** state) {
  (void)state;
  static const struct {
    oy_optimizer_kind kind;
    oy_optimizer_options options;
    const char* text;
  } cases[] = {
      {OY_SGD, {.lr = -0.1}, "Invalid learning rate: -0.1"},
      {OY_ADAM, {.lr = NAN}, "Invalid learning rate: nan"},
      {OY_SGD, {.momentum = -1}, "Invalid momentum value: -1.0"},
      {OY_SGD, {.weight_decay = -0.5}, "Invalid weight_decay value: -0.5"},
      {OY_SGD,
       {.nesterov = true},
       "Nesterov momentum requires a momentum and zero dampening"},
      {OY_SGD,
       {.nesterov = true, .momentum = 0.5, .dampening = 0.5},
       "Nesterov momentum requires a momentum and zero dampening"},
      {OY_ADAM, {.eps = -1e-8}, "Invalid epsilon value: -1e-08"},
      {OY_ADAM, {.beta1 = 1, .beta2 = 0.5}, "Invalid beta parameter at index 0: 1.0"},
      {OY_ADAMW, {.beta1 = 0.5, .beta2 = 1.5}, "Invalid beta parameter at index 1: 1.5"},
  };
  oy_tensor* p = start(OY_DTYPE_F64);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_null(oy_optimizer_create(cases[i].kind, &cases[i].options, &p, 1));
    assert_error(cases[i].text);
  }
  oy_tensor_release(p);
}

static void optim_07_refused_parameters(void** state) {
  (void)state;
  oy_tensor *p = start(OY_DTYPE_F64), *made = oy_neg(p), *none = &oy_none_object;
  oy_tensor* twice[] = {p, p};
  assert_fails(oy_optimizer_create(OY_SGD, NULL, NULL, 0),
               "optimizer got an empty parameter list");
  assert_fails(oy_optimizer_create(OY_SGD, NULL, &made, 1),
               "can't optimize a non-leaf Tensor");
  assert_fails(oy_optimizer_create(OY_SGD, NULL, twice, 2),
               "some parameters appear in more than one parameter group");
  assert_fails(oy_optimizer_create(OY_SGD, NULL, (oy_tensor*[]){NULL}, 1),
               "optimizer can only optimize Tensors, but one of the params is NULL");
  assert_null(oy_optimizer_create(OY_SGD, NULL, &none, 1));
  assert_int_equal(oy_error_get()->code, OY_INVALID_ARGUMENT);
  assert_null(oy_optimizer_create((oy_optimizer_kind)7, NULL, &p, 1));
  oy_optimizer* o = oy_optimizer_create(OY_SGD, NULL, &p, 1);
  assert_int_equal(oy_optimizer_add_parameters(o, NULL, &p, 1), OY_INVALID_ARGUMENT);
  assert_int_equal(oy_optimizer_group_count(o), 1);
  assert_int_equal(oy_optimizer_step(NULL), OY_INVALID_ARGUMENT);
  oy_optimizer_zero_grad(NULL);
  oy_optimizer_free(NULL);
  oy_optimizer_free(o);
  oy_tensor_release(made);
  oy_tensor_release(p);
}

// -------------------------------------------------------------------------- state

static oy_optimizer* run(const row* r, oy_tensor* p, int from, int to,
                         oy_optimizer* before) {
  oy_optimizer* o = before ? before : oy_optimizer_create(r->kind, &r->options, &p, 1);
  assert_non_null(o);
  for (int s = from; s < to; s++) {
    give_gradient(p, s);
    MUST(oy_optimizer_step(o));
  }
  return o;
}
static oy_tensor* copy_of(oy_tensor* t) {
  oy_grad_guard guard = oy_no_grad();
  oy_tensor* copy = oy_clone(t, oy_none());
  oy_grad_guard_end(&guard);
  return leaf(copy);
}
// Through a file and into a new optimiser: what follows is the same, to the bit.
static void assert_goes_on(const row* r) {
  static const char path[] = "optim_state.safetensors";
  oy_tensor* p = start(OY_DTYPE_F32);
  oy_optimizer* o = run(r, p, 0, 2, NULL);
  oy_tensor* q = copy_of(p);
  oy_named_tensor state[4];
  size_t count = oy_optimizer_state_count(o);
  for (size_t i = 0; i < count; i++) MUST(oy_optimizer_state_get(o, i, &state[i]));
  MUST(oy_safetensors_save(path, state, count, NULL, 0));
  run(r, p, 2, STEPS, o);

  oy_safetensors* file;
  MUST(oy_safetensors_open(path, &file));
  assert_int_equal(oy_safetensors_count(file), count);
  oy_tensor* held[4];
  for (size_t i = 0; i < count; i++) {
    held[i] = oy_safetensors_get(file, i);
    state[i] = (oy_named_tensor){oy_safetensors_name(file, i), held[i]};
  }
  oy_optimizer* again = oy_optimizer_create(r->kind, &r->options, &q, 1);
  MUST(oy_optimizer_state_set(again, state, count));
  for (size_t i = 0; i < count; i++) oy_tensor_release(held[i]);
  oy_safetensors_close(file);
  run(r, q, 2, STEPS, again);
  for (int64_t i = 0; i < SIZE; i++) assert_true(element(p, i) == element(q, i));
  oy_optimizer_free(o);
  oy_optimizer_free(again);
  oy_tensor_release(p);
  oy_tensor_release(q);
}
static void optim_08_state_round_trip(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) assert_goes_on(&rows[i]);
}

static void optim_09_refused_state(void** state) {
  (void)state;
  const row* r = &rows[sizeof(rows) / sizeof(rows[0]) - 1];  // of AdamW
  oy_tensor *p = start(OY_DTYPE_F64), *one = F32(oy_dims_none(), 7),
            *right = F32(OY_DIMS(3), 1, 2, 3), *wrong = F32(OY_DIMS(2), 1, 2);
  oy_optimizer* o = run(r, p, 0, 1, NULL);
#define NAMED(name, tensor) \
  { {name, sizeof(name) - 1}, tensor }
  const oy_named_tensor step = NAMED("state.0.step", one),
                        mean = NAMED("state.0.exp_avg", right),
                        square = NAMED("state.0.exp_avg_sq", right),
                        small = NAMED("state.0.exp_avg", wrong),
                        other = NAMED("state.1.exp_avg", right),
                        buffer = NAMED("state.0.momentum_buffer", right),
                        none = NAMED("state.0.exp_avg", &oy_none_object),
                        nothing = NAMED("state.0.exp_avg", NULL),
                        nameless = {{NULL, 0}, right};
  const oy_named_tensor bad[][3] = {
      {step, mean, mean},     {step, mean, small},  {step, mean, other},
      {step, mean, buffer},   {step, square, none}, {step, square, nothing},
      {step, mean, nameless},
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(oy_optimizer_state_set(o, bad[i], 3), OY_INVALID_ARGUMENT);
    oy_named_tensor s;  // and nothing has changed
    MUST(oy_optimizer_state_get(o, 0, &s));
    assert_true(element(s.tensor, 0) == 1);
  }
  assert_int_equal(oy_optimizer_state_set(o, (oy_named_tensor[]){step, mean}, 2),
                   OY_INVALID_ARGUMENT);
  assert_error("parameter 0: expected step, exp_avg and exp_avg_sq together");
  MUST(oy_optimizer_state_set(o, (oy_named_tensor[]){step, mean, square}, 3));
  oy_named_tensor s;
  MUST(oy_optimizer_state_get(o, 0, &s));
  assert_true(element(s.tensor, 0) == 7 && s.tensor->dtype == OY_DTYPE_I64);
  MUST(oy_optimizer_state_get(o, 2, &s));
  assert_true(s.tensor->dtype == OY_DTYPE_F64);
  MUST(oy_optimizer_state_set(o, NULL, 0));
  assert_int_equal(oy_optimizer_state_count(o), 0);
  oy_optimizer_free(o);
  oy_tensor* all[] = {p, one, right, wrong};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

static void optim_10_in_a_scope(void** state) {
  (void)state;
  const row* r = &rows[sizeof(rows) / sizeof(rows[0]) - 1];
  oy_tensor* p = start(OY_DTYPE_F64);
  oy_scope scope;
  oy_scope_open(&scope);
  oy_optimizer* o = oy_optimizer_create(r->kind, &r->options, &p, 1);
  for (int s = 0; s < STEPS; s++) {
    oy_tensor* grad = oy_tensor_from_data(gradients[s], OY_DIMS(SIZE), OY_DTYPE_F64);
    MUST(oy_set_grad(p, grad));
    oy_tensor_release(grad);
    MUST(oy_optimizer_step(o));
    assert_true(oy_grad_mode_get());
  }
  oy_scope_close(&scope);
  for (int64_t i = 0; i < SIZE; i++)
    assert_true(fabs(element(p, i) - r->want[STEPS - 1][i]) < 2e-15);
  assert_int_equal(oy_optimizer_state_count(o), 3);
  oy_optimizer_free(o);
  oy_tensor_release(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(optim_01_steps),
      cmocka_unit_test(optim_02_defaults),
      cmocka_unit_test(optim_03_groups_and_missing_gradients),
      cmocka_unit_test(optim_04_learning_rates),
      cmocka_unit_test(optim_05_complex),
      cmocka_unit_test(optim_06_refused_options),
      cmocka_unit_test(optim_07_refused_parameters),
      cmocka_unit_test(optim_08_state_round_trip),
      cmocka_unit_test(optim_09_refused_state),
      cmocka_unit_test(optim_10_in_a_scope),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
