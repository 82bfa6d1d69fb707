// SPDX-License-Identifier: Apache-2.0
// Streams in the walk (reference, 9.4): a node runs on the stream that was current for the
// device of its results when they were made. Gradients that go to a node of another stream
// are waited for there, sums are made there, and when the walk is over the streams of its
// caller wait for those that leaves were reached on.
//
// Nodes note the stream in what they expect (node.h), from the time on when their thread
// chose one; those without one mean the default. While no thread has chosen any, walks are
// not concerned.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_STREAMS_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_STREAMS_H_

#include "layers/autograd/node.h"
#include "opyard/stream.h"

// Has the library tell when a thread chooses a stream.
void oyi_streams_listen(void);
// The current stream for the device of |t|; the default where that has none. Calls no hook:
// it is asked under the lock of a leaf.
uint64_t oyi_stream_now(const oyi_tensor* t);

// While a node runs: what was current before. While a walk begins there is none, NULL.
typedef struct oyi_node_stream {
  oy_stream_guard guard;
  oy_stream outer;  // of the walk that this one is in, if any
} oyi_node_stream;
void oyi_node_stream_enter(const oyi_node* node, oyi_node_stream* out);
void oyi_node_stream_leave(oyi_node_stream* s);

// |grad|, made by the node that runs, goes to |to|: the stream of that waits for it, and is
// current until |*out_guard| is left, on failure too.
oy_status oyi_stream_hand(const oy_object* grad, const oyi_node* to,
                          oy_stream_guard* out_guard);

// Streams on which results of a walk were made.
typedef struct oyi_leaf_streams {
  oy_stream* items;
  size_t count, capacity;
} oyi_leaf_streams;
// Adds that of |node|, if it has one.
oy_status oyi_leaf_streams_add(oyi_leaf_streams* s, const oyi_node* node);
// The current streams wait for all of them; |s| is empty then, on failure too.
oy_status oyi_leaf_streams_join(oyi_leaf_streams* s);

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_STREAMS_H_
