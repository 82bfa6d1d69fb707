// SPDX-License-Identifier: Apache-2.0
// Lesson 30: training. Reads Fashion-MNIST, trains a small convolutional network with the
// optimizer that is asked for, and says how many images of the test set it tells apart.
// A training that was interrupted goes on from its checkpoint as if it had not been: the
// same numbers, to the bit.
//
// main.c is the training; images.c reads, network.c computes, checkpoint.c keeps.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "checkpoint.h"
#include "options.h"
#include "opyard/opyard.h"

enum { STEPS_A_LINE = 250, TEST_BATCH = 500 };

typedef struct training {
  const options* o;
  images train, test;
  network net;
  oy_optimizer* optimizer;
  oy_generator* generator;
  oy_tensor* order;  // of the samples in this epoch
  position at;
  FILE* losses;
  double sum;  // of the losses since the last line
  double seconds;
} training;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// ------------------------------------------------------------------------ one step

static oy_status loss_of(training* t, oy_tensor* index, oy_tensor** out_loss) {
  oy_tensor *x, *labels;
  OY_TRY(images_batch(&t->train, index, &x, &labels));
  const int64_t mean = 1, ignored = -100;
  *out_loss = oy_cross_entropy_loss(network_run(&t->net, x), labels, &oy_none_object,
                                    mean, ignored, 0);
  return *out_loss ? OY_OK : oy_failure();
}

// Everything that it makes belongs to the scope of the caller.
static oy_status step(training* t, double* out_loss) {
  const int64_t from = (int64_t)t->at.batch * t->o->batch;
  const int64_t left = t->train.count - from;
  oy_tensor* index =
      oy_narrow(t->order, 0, from, left < t->o->batch ? left : t->o->batch);
  oy_tensor* loss;
  OY_TRY(index ? loss_of(t, index, &loss) : oy_failure());
  OY_TRY(oy_backward(loss, NULL, false));
  OY_TRY(oy_optimizer_step(t->optimizer));
  oy_optimizer_zero_grad(t->optimizer);
  oy_scalar number;
  OY_TRY(oy_tensor_item(loss, &number));
  *out_loss = number.as.d;
  return OY_OK;
}

static void report(training* t, double loss, uint64_t batches) {
  t->sum += loss;
  if (t->losses) fprintf(t->losses, "%" PRIu64 " %.9g\n", t->at.step, loss);
  if (t->at.step % STEPS_A_LINE != 0) return;
  printf("epoch %" PRIu64 ", batch %" PRIu64 " of %" PRIu64 ": loss %.4f, %.1f s\n",
         t->at.epoch + 1, t->at.batch, batches, t->sum / STEPS_A_LINE,
         now() - t->seconds);
  fflush(stdout);
  t->sum = 0;
}

// --------------------------------------------------------------------- one epoch

static oy_status draw_order(training* t) {
  oy_tensor_release(t->order);
  const oy_value none = oy_none();
  t->order =
      t->o->in_order
          ? oy_arange(oy_int(t->train.count), oy_int(OY_DTYPE_I64), none, none, none)
          : oy_randperm_generator(t->train.count,
                                  oy_value_pointer(OY_TAG_GENERATOR, t->generator, 0),
                                  oy_int(OY_DTYPE_I64), none, none, none);
  return t->order ? OY_OK : oy_failure();
}

static bool stopped(const training* t) {
  return t->o->steps >= 0 && t->at.step >= (uint64_t)t->o->steps;
}

static oy_status run_epoch(training* t) {
  const uint64_t batches = (uint64_t)((t->train.count + t->o->batch - 1) / t->o->batch);
  OY_TRY(draw_order(t));
  while (t->at.batch < batches && !stopped(t)) {
    oy_scope scope;
    oy_scope_open(&scope);
    double loss;
    oy_status status = step(t, &loss);
    oy_scope_close(&scope);
    OY_TRY(status);
    t->at.batch++;
    t->at.step++;
    report(t, loss, batches);
  }
  if (t->at.batch < batches) return OY_OK;
  t->at.epoch++;
  t->at.batch = 0;
  return oy_generator_get_state(t->generator, &t->at.order);
}

// ------------------------------------------------------------------------ the test

static oy_status count_right(training* t, int64_t from, int64_t count, int64_t* right) {
  const oy_value none = oy_none();
  oy_tensor *x, *labels;
  oy_tensor* index = oy_arange_start(oy_int(from), oy_int(from + count),
                                     oy_int(OY_DTYPE_I64), none, none, none);
  OY_TRY(index ? images_batch(&t->test, index, &x, &labels) : oy_failure());
  oy_tensor* guess = oy_argmax(network_run(&t->net, x), oy_int(1), false);
  oy_tensor* sum = oy_sum(oy_eq_Tensor(guess, labels), none);
  if (!sum) return oy_failure();
  oy_scalar number;
  OY_TRY(oy_tensor_item(sum, &number));
  *right += number.as.i;
  return OY_OK;
}

// In percent.
static oy_status measure(training* t, double* out_accuracy) {
  int64_t right = 0;
  oy_grad_guard guard = oy_no_grad();
  oy_status status = OY_OK;
  for (int64_t i = 0; i < t->test.count && status == 0; i += TEST_BATCH) {
    const int64_t left = t->test.count - i;
    oy_scope scope;
    oy_scope_open(&scope);
    status = count_right(t, i, left < TEST_BATCH ? left : TEST_BATCH, &right);
    oy_scope_close(&scope);
  }
  oy_grad_guard_end(&guard);
  *out_accuracy = 100.0 * (double)right / (double)t->test.count;
  return status;
}

// -------------------------------------------------------------------- all of it

static oy_status resume(training* t) {
  OY_TRY(checkpoint_read(t->o->resume, &t->net, t->optimizer, &t->at));
  return oy_generator_set_state(t->generator, t->at.order);
}

static oy_status prepare(training* t) {
  const options* o = t->o;
  OY_TRY(images_read(o->data, "train", o->limit, &t->train));
  OY_TRY(images_read(o->data, "t10k", o->limit, &t->test));
  OY_CHECK(t->train.rows == t->test.rows && t->train.columns == t->test.columns, PARSE,
           "images of the two sets are of different sizes");
  t->generator = oy_generator_create(oy_device_cpu());
  if (!t->generator) return oy_failure();
  OY_TRY(oy_generator_manual_seed(t->generator, o->seed));
  OY_TRY(network_create(&t->train, t->generator, &t->net));
  oy_optimizer_options rule = oy_optimizer_defaults(o->optimizer);
  rule.lr = o->lr;
  if (o->optimizer == OY_SGD) rule.momentum = 0.9;
  t->optimizer = oy_optimizer_create(o->optimizer, &rule, t->net.parameters, PARAMETERS);
  if (!t->optimizer) return oy_failure();
  t->at = (position){.samples = (uint64_t)t->train.count,
                     .batch_size = (uint64_t)o->batch,
                     .optimizer = (uint64_t)o->optimizer};
  OY_TRY(oy_generator_get_state(t->generator, &t->at.order));
  if (o->resume) OY_TRY(resume(t));
  if (o->losses && !(t->losses = fopen(o->losses, "w")))
    return OY_FAIL(IO, "cannot write %s", o->losses);
  return OY_OK;
}

static oy_status run(training* t, double* out_accuracy) {
  OY_TRY(prepare(t));
  printf("%" PRId64 " images of %" PRId64 " x %" PRId64 ", %s, lr %g, batch %" PRId64
         "\n",
         t->train.count, t->train.rows, t->train.columns, optimizer_name(t->o->optimizer),
         t->o->lr, t->o->batch);
  t->seconds = now();
  while (t->at.epoch < (uint64_t)t->o->epochs && !stopped(t)) {
    OY_TRY(run_epoch(t));
    if (t->o->checkpoint)
      OY_TRY(checkpoint_write(t->o->checkpoint, &t->net, t->optimizer, &t->at));
  }
  // A training of no steps leaves what it began with.
  if (t->o->checkpoint)
    OY_TRY(checkpoint_write(t->o->checkpoint, &t->net, t->optimizer, &t->at));
  OY_TRY(measure(t, out_accuracy));
  printf("accuracy %.2f %% of %" PRId64 " test images after %" PRIu64 " steps, %.1f s\n",
         *out_accuracy, t->test.count, t->at.step, now() - t->seconds);
  return OY_OK;
}

static void finish(training* t) {
  if (t->losses) fclose(t->losses);
  oy_tensor_release(t->order);
  oy_optimizer_free(t->optimizer);
  oy_object_release(t->generator);
  network_free(&t->net);
  images_free(&t->train);
  images_free(&t->test);
}

int main(int argc, char** argv) {
  options o;
  if (!options_parse(argc, argv, &o)) return 2;
  training t = {.o = &o};
  double accuracy = 0;
  oy_status status = oy_init();
  if (status == 0) status = run(&t, &accuracy);
  if (status) {
    const oy_error* e = oy_error_get();
    fprintf(stderr, "train: %s\n%s%s", e->message, e->notes, *e->notes ? "\n" : "");
  }
  finish(&t);
  oy_shutdown();
  if (status) return 1;
  if (o.want > 0)
    printf("%g %% %s\n", o.want, accuracy >= o.want ? "reached" : "NOT reached");
  return accuracy >= o.want ? 0 : 1;
}
