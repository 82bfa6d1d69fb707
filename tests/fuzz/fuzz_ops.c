// SPDX-License-Identifier: Apache-2.0
// Programs of operators: four bytes are one call of any operator, whose arguments are made
// up from its schema or are what the calls before gave, however that lies in memory. This
// process runs them as users do. Another one runs them with the kernels of the baseline,
// on contiguous arguments and one thread, as the reference, and stops at what differs.
//
//   OPYARD_FUZZ_SHOW=1     prints each call
//   OPYARD_FUZZ_GO_ON=1    prints what differs and does not stop there
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opyard/opyard.h"
#include "opyard/threads.h"

// Shared with the tests of hostile calls.
#include "../ops/hostile.h"
#include "ops/op_ids.h"
#include "ops_choice.h"
#include "ops_record.h"
#include "tensor/element.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { CALLS = 12, POOL = 6, RECORD = 8 << 20, INPUT = 4096 };

// What the two processes share.
typedef struct shared {
  uint8_t input[INPUT];
  size_t input_size;
  size_t size;  // of the record
  _Alignas(16) char record[RECORD];
} shared;

static struct {
  shared* memory;
  int to_reference, from_reference;
  bool is_reference, shows, goes_on;
  oy_object* pool[POOL];
  size_t pooled;
  hostile_call call;
  ops_record record;
} g;

// ------------------------------------------------------------------------- the heap

static oy_allocator g_below;

static void* reallocate(void* user_data, void* ptr, size_t old_size, size_t size) {
  (void)user_data;
  if (size > HOSTILE_LIMIT) return NULL;
  return g_below.reallocate(g_below.user_data, ptr, old_size, size);
}

// ------------------------------------------------------------------------ one call

static void stop(const char* what) {
  oy_str name = oy_op_name_of(g.call.op);
  fprintf(stderr, "\n%.*s, call %llu: %s%s%s\n", OY_STR_ARG(name),
          (unsigned long long)g.call.number, what, oy_error_get()->code ? ": " : "",
          oy_error_get()->message);
  for (size_t i = 0; i < g.call.tensor_count; i++) {
    const hostile_snapshot* b = &g.call.before[i];
    fprintf(stderr, "  %s%s %s %s\n", b->written ? "writes " : "",
            oy_dtype_name(b->dtype), oyi_dims_print((oy_ints){b->sizes, b->ndim}).text,
            oyi_dims_print((oy_ints){b->strides, b->ndim}).text);
  }
  if (!g.goes_on) abort();
}

static void show(oy_status status) {
  oy_str name = oy_op_name_of(g.call.op);
  fprintf(stderr, "%.*s %llu: %s\n", OY_STR_ARG(name), (unsigned long long)g.call.number,
          status ? oy_error_get()->message : "ok");
}

// Powers and products of such numbers overflow, in one order and not in another.
#define HUGE_SIZE 1e4

static void widen(ops_leeway* l, const oyi_tensor* t) {
  const oyi_storage* s = t->storage;
  size_t item = (size_t)oyi_item(t);
  // Integers become floats of the default dtype.
  double digits = ops_digits(
      oy_dtype_is_integral(t->header.dtype, true) ? OY_DTYPE_F32 : t->header.dtype);
  if (digits > l->digits) l->digits = digits;
  for (size_t k = 0; s && s->data && k + item <= s->nbytes; k += item) {
    oyi_number n = oyi_element_load(t->header.dtype, (const char*)s->data + k);
    double size = fabs(n.re);
    if (n.kind == OYI_NUMBER_COMPLEX) size = hypot(n.re, n.im);
    if (!(size < HUGE_SIZE)) l->extreme = true;
    if (isfinite(size) && size > l->scale) l->scale = size;
  }
}
static ops_leeway leeway_of(const hostile_call* c, ops_choice choice) {
  ops_leeway l = {.status = choice == OPS_UNCERTAIN,
                  .elements = choice == OPS_COMPARED,
                  .scale = 1,
                  .extreme = ops_divides_by_0(c->op)};
  for (size_t i = 0; i < c->tensor_count; i++) widen(&l, oyi_tensor_cast(c->tensors[i]));
  if (ops_adds_products(c->op)) l.scale *= l.scale;
  return l;
}

static void pool_put(oy_object* tensor) {
  size_t slot = g.pooled < POOL ? g.pooled++ : (size_t)g.call.number % POOL;
  oy_tensor_release(g.pool[slot]);
  g.pool[slot] = tensor;
}
static void pool_clear(void) {
  for (size_t i = 0; i < POOL; i++) {
    oy_tensor_release(g.pool[i]);
    g.pool[i] = NULL;
  }
  g.pooled = 0;
}

// What was recorded as offered, as it lies.
static void pool_results(const oy_stack* stack) {
  for (size_t i = 0; i < stack->size; i++)
    if (ops_is_offered(stack, i)) pool_put(hostile_copy(stack->data[i].as.object, false));
}
// The same, as the other process found it.
static void pool_recorded(const ops_record* users, size_t at) {
  oy_object* tensors[OPS_OFFERED];
  size_t count = ops_record_tensors(users, at, tensors);
  for (size_t i = 0; i < count; i++) pool_put(tensors[i]);
}

// NULL if the reference gave the same. |*out_ends|: the users' program ended before.
static const char* compare_call(const ops_leeway* leeway, size_t* at, bool* out_ends) {
  const ops_record users = {g.memory->record, RECORD, g.memory->size, false};
  size_t begin = at[0];
  *out_ends = begin >= users.size;
  if (*out_ends) return NULL;
  const char* wrong = ops_record_compare(&users, &g.record, at, leeway);
  if (!wrong) pool_recorded(&users, begin);
  return wrong;
}

// ------------------------------------------------------------------------- programs

// The call at |bytes|; false if the program ends there.
static bool run_call(const uint8_t* bytes, size_t* at) {
  unsigned id = (unsigned)(bytes[0] | bytes[1] << 8) % OYI_OP_COUNT;
  const ops_choice choice = ops_choose(oyi_ops[id]);
  if (choice == OPS_LEFT_OUT) return true;
  oy_value storage[HOSTILE_ARGUMENTS];
  oy_stack stack;
  oy_stack_init(&stack, storage, HOSTILE_ARGUMENTS);
  g.call.offered = g.pool;
  g.call.offered_count = g.pooled;
  g.call.contiguous = g.is_reference;
  hostile_call_make(&g.call, oyi_ops[id], HOSTILE_STEP,
                    (uint64_t)(bytes[2] | bytes[3] << 8));
  oy_manual_seed(g.call.number);
  ops_leeway leeway = {0};
  if (g.is_reference) leeway = leeway_of(&g.call, choice);
  oy_status status = hostile_call_run(&g.call, &stack);
  if (g.shows && !g.is_reference) show(status);
  const char* wrong = hostile_call_check(&g.call, status, &stack);
  ops_record_call(&g.record, status, &stack, choice == OPS_COMPARED);
  bool ends = wrong || g.record.full || status == OY_OUT_OF_MEMORY;
  if (!ends && g.is_reference) wrong = compare_call(&leeway, at, &ends);
  if (!ends && !g.is_reference && status == OY_OK && choice == OPS_COMPARED)
    pool_results(&stack);
  if (wrong) stop(wrong);
  oy_stack_reset(&stack);
  hostile_call_end(&g.call);
  return !ends && !wrong;
}

static void run_program(const uint8_t* data, size_t size) {
  size_t at[2] = {0, 0};
  g.record.size = 0;
  g.record.full = false;
  for (size_t i = 0; i < CALLS && 4 * i + 4 <= size; i++)
    if (!run_call(data + 4 * i, at)) break;
  pool_clear();
}

// -------------------------------------------------------------------- two processes

static _Noreturn void be_reference(void) {
  char word;
  while (read(g.to_reference, &word, 1) == 1) {
    run_program(g.memory->input, g.memory->input_size);
    if (write(g.from_reference, &word, 1) != 1) break;
  }
  _exit(0);
}

static void* need(void* p) {
  if (!p || p == MAP_FAILED) abort();
  return p;
}

static void start(void) {
  int there[2], back[2];
  g.memory = need(mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  g.shows = getenv("OPYARD_FUZZ_SHOW") != NULL;
  g.goes_on = getenv("OPYARD_FUZZ_GO_ON") != NULL;
  if (pipe(there) != 0 || pipe(back) != 0) abort();
  pid_t child = fork();
  if (child < 0) abort();
  g.is_reference = child == 0;
  g.to_reference = there[!g.is_reference];
  g.from_reference = back[g.is_reference];
  close(there[g.is_reference]);
  close(back[!g.is_reference]);
  g.record =
      (ops_record){.data = g.is_reference ? need(malloc(RECORD)) : g.memory->record,
                   .capacity = RECORD};
  if (g.is_reference) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("OPYARD_CPU_CAPABILITY", "default", 1);
  }
  g_below = oy_allocator_set((oy_allocator){reallocate, NULL});
  if (oy_init() != OY_OK || oy_set_num_threads(g.is_reference ? 1 : 2) != OY_OK) abort();
  if (g.is_reference) be_reference();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!g.memory) start();
  if (size > INPUT) size = INPUT;
  run_program(data, size);
  memcpy(g.memory->input, data, size);
  g.memory->input_size = size;
  g.memory->size = g.record.size;
  char word = 1;
  if (write(g.to_reference, &word, 1) != 1 || read(g.from_reference, &word, 1) != 1) {
    fprintf(stderr, "the reference stopped\n");
    abort();
  }
  return 0;
}
