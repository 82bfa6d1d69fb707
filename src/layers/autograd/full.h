// SPDX-License-Identifier: Apache-2.0
// Nodes of operators with any number of tensors and results. They keep the arguments of
// the call as boxed values, the tensors among them only where the formula says so, and a
// derivative reads them by the names of the schema (derivative.h).
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_FULL_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_FULL_H_

#include "layers/autograd/node.h"
#include "ops/kernel.h"
#include "opyard/trampoline.h"

struct oyi_full_node {
  oyi_node head;
  const oy_op* op;
  uint32_t argument_count;
  uint32_t saved_count;   // of |saved|: what was saved of arguments, then of results
  uint32_t result_count;  // the last of them
  oy_value* arguments;    // tensors: borrowed from |saved|; NONE where not saved
  uint32_t* edge_at;      // where the edges of each argument begin, and where all end
  oyi_saved* saved;
  oyi_expectation own_expected;
};

static inline oyi_full_node* oyi_full_of(oyi_node* node) {
  return (oyi_full_node*)(void*)node;
}
static inline oyi_saved* oyi_full_results(oyi_full_node* f) {
  return f->saved + (f->saved_count - f->result_count);
}
// The saved result |nr|, borrowed; NULL if the formula does not save it.
oy_object* oyi_full_result(oyi_full_node* f, uint32_t nr);

// A node for a call with |arguments|, with its edges and what it saves of them.
// |is_inplace|: the first argument is about to change. NULL on failure.
oyi_full_node* oyi_full_node_new(const oyi_formula* formula, const oy_op* op,
                                 const oy_value* arguments, size_t count,
                                 bool is_inplace);
// Room for what |count| results expect. OUT_OF_MEMORY.
oy_status oyi_full_outputs(oyi_full_node* f, size_t count);
// Makes the arguments those that are saved now, once slots have changed.
void oyi_full_rebind(oyi_full_node* f);
void oyi_full_node_free(oyi_node* node);
// That everything saved is there and as it was.
oy_status oyi_full_check(oyi_full_node* f);

// The gradient of an operator that has none: it fails when the walk comes there.
extern const oyi_formula oyi_formula_not_implemented;

// ------------------------------------------------------------------- recording

enum { OYI_RESULTS_MAX = 8 };  // of an operator without a list of them

typedef struct oyi_full_call {
  const oyi_formula* formula;
  const oy_op* op;
  oyi_form form;
  oyi_full_node* node;  // NULL: nothing to record
  uint64_t keep;        // of the thread's sets before
} oyi_full_call;

// As oyi_record_start and oyi_record_finish (record.h), by the form of the results.
oy_status oyi_full_begin(oyi_full_call* c, const oy_value* arguments, size_t count,
                         oy_keyset* keys);
oy_object* oyi_full_end(oyi_full_call* c, oy_object* result);
oy_status oyi_full_end_results(oyi_full_call* c, oy_object** const* results, size_t count,
                               oy_status status);
oy_status oyi_full_end_list(oyi_full_call* c, oy_value* list, oy_status status);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_FULL_H_
