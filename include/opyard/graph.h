// SPDX-License-Identifier: Apache-2.0
// The graph that a backward walks, to be looked at: the node that made a tensor, its name,
// and the nodes that come after it (PyTorch: grad_fn, name(), next_functions).
#ifndef OPYARD_GRAPH_H_
#define OPYARD_GRAPH_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

typedef struct oy_node oy_node;

// The node that made |tensor|: a new reference, to be given to oy_node_release. NULL for
// leaves (no error), and on failure with the error set.
OY_API oy_node* oy_grad_node(const oy_tensor* tensor);
OY_API oy_node* oy_node_retain(oy_node* node);
// Takes NULL.
OY_API void oy_node_release(oy_node* node);

// "AddBackward0"; lives as long as the library.
OY_API const char* oy_node_name(const oy_node* node);
// How many edges it has.
OY_API size_t oy_node_edge_count(const oy_node* node);
// Where edge |i| goes: borrowed from |node|; NULL if that input needs no gradient, or there
// is no such edge. *out_output_nr, unless it is NULL, is which result of that node it is.
OY_API oy_node* oy_node_edge(const oy_node* node, size_t i, uint32_t* out_output_nr);
// PyTorch's detach_: |tensor| becomes a leaf that needs no gradient. FAILED_PRECONDITION for
// views: "Can't detach views in-place. Use detach() instead. ...".
OY_API OY_MUST_USE oy_status oy_detach_in_place(oy_tensor* tensor);
// The leaf of an accumulating node, borrowed; NULL for others.
OY_API oy_tensor* oy_node_variable(const oy_node* node);

OY_END_DECLS

#endif  // OPYARD_GRAPH_H_
