// SPDX-License-Identifier: Apache-2.0
// The rows of bench_ops by PyTorch's C++ interface, in the same process and on the same
// memory, with gradients off but for the rows that record a graph.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "ops_torch.h"

namespace {

struct Inputs {
  at::Tensor a, b, out, index;
  int64_t side;
};

using Op = std::function<void(const Inputs&)>;

at::Tensor chain(const Inputs& i) {
  return at::sum(at::add(at::mul(i.a, i.b), i.out));
}

void chain_backward(const Inputs& i) {
  at::Tensor result = chain(i);
  i.a.mutable_grad() = at::Tensor();
  i.b.mutable_grad() = at::Tensor();
  i.out.mutable_grad() = at::Tensor();
  result.backward();
}

const std::map<std::string, Op>& ops() {
  static const std::map<std::string, Op> all = {
      {"add", [](const Inputs& i) { at::add(i.a, i.b); }},
      {"add out=",
       [](const Inputs& i) {
         at::Tensor out = i.out;
         at::add_out(out, i.a, i.b);
       }},
      {"add transposed", [](const Inputs& i) { at::add(i.a, i.b); }},
      {"add broadcast", [](const Inputs& i) { at::add(i.a, i.b); }},
      {"exp", [](const Inputs& i) { at::exp(i.a); }},
      {"mm f32", [](const Inputs& i) { at::mm(i.a, i.b); }},
      {"mm out= f32",
       [](const Inputs& i) {
         at::Tensor out = i.out;
         at::mm_out(out, i.a, i.b);
       }},
      {"mm bf16", [](const Inputs& i) { at::mm(i.a, i.b); }},
      {"conv2d",
       [](const Inputs& i) {
         at::conv2d(i.a, i.b, {}, 1, 1);
       }},
      {"attention",
       [](const Inputs& i) { at::_scaled_dot_product_attention(i.a, i.b, i.out); }},
      {"sum", [](const Inputs& i) { at::sum(i.a); }},
      {"sum rows", [](const Inputs& i) { at::sum(i.a, 1); }},
      {"sum columns", [](const Inputs& i) { at::sum(i.a, 0); }},
      {"softmax", [](const Inputs& i) { at::softmax(i.a, 1); }},
      {"layer_norm", [](const Inputs& i) { at::layer_norm(i.a, {i.side}); }},
      {"index_select", [](const Inputs& i) { at::index_select(i.a, 0, i.index); }},
      {"sort", [](const Inputs& i) { at::sort(i.a); }},
      {"empty", [](const Inputs& i) { at::empty(i.a.sizes(), i.a.options()); }},
      {"t", [](const Inputs& i) { i.a.t(); }},
      {"slice", [](const Inputs& i) { i.a.slice(0, 0, 1); }},
      {"narrow", [](const Inputs& i) { i.a.narrow(0, 0, 1); }},
      {"select", [](const Inputs& i) { i.a.select(0, 1); }},
      {"view", [](const Inputs& i) { i.a.view({i.side * i.side}); }},
      {"expand",
       [](const Inputs& i) {
         i.a.expand({2, -1, -1});
       }},
      {"permute",
       [](const Inputs& i) {
         i.a.permute({1, 0});
       }},
      {"squeeze", [](const Inputs& i) { i.a.squeeze(0); }},
      {"unsqueeze", [](const Inputs& i) { i.a.unsqueeze(0); }},
      {"detach", [](const Inputs& i) { i.a.detach(); }},
      {"chain", [](const Inputs& i) { chain(i); }},
      {"chain graph", [](const Inputs& i) { chain(i); }},
      {"chain backward", chain_backward},
  };
  return all;
}

bool starts_with(const std::string& text, const char* start) {
  return text.rfind(start, 0) == 0;
}

// The shapes of ops_rows.c.
Inputs inputs_of(const ops_memory* m, const std::string& op, int64_t size) {
  auto f32 = at::TensorOptions().dtype(at::kFloat);
  Inputs in;
  bool has_side = starts_with(op, "mm") || op == "conv2d" || op == "attention";
  in.side = has_side ? size : static_cast<int64_t>(std::sqrt(size));
  if (in.side < 1) in.side = 1;
  int64_t s = in.side;
  if (op == "mm bf16") {
    auto bf16 = at::TensorOptions().dtype(at::kBFloat16);
    in.a = at::from_blob(m->a_bf16, {s, s}, bf16);
    in.b = at::from_blob(m->b_bf16, {s, s}, bf16);
  } else if (op == "conv2d") {
    in.a = at::from_blob(m->a, {1, 64, s, s}, f32);
    in.b = at::from_blob(m->b, {64, 64, 3, 3}, f32);
  } else if (op == "attention") {
    in.a = at::from_blob(m->a, {1, 8, s, 64}, f32);
    in.b = at::from_blob(m->b, {1, 8, s, 64}, f32);
    in.out = at::from_blob(m->a, {1, 8, s, 64}, f32);
  } else if (op == "add" || op == "add out=" || op == "exp" || op == "sum" ||
             op == "sort" || op == "empty" || starts_with(op, "chain")) {
    in.a = at::from_blob(m->a, {size}, f32);
    in.b = at::from_blob(m->b, {size}, f32);
    in.out = at::from_blob(m->c, {size}, f32);
    if (starts_with(op, "chain "))
      for (at::Tensor* t : {&in.a, &in.b, &in.out}) t->set_requires_grad(true);
  } else {
    in.a = at::from_blob(m->a, {s, s}, f32);
    in.b = at::from_blob(m->b, {s, s}, f32);
    in.out = at::from_blob(m->c, {s, s}, f32);
    if (op == "add transposed") in.a = in.a.t();
    if (op == "add broadcast") in.b = at::from_blob(m->b, {s}, f32);
    in.index = at::from_blob(m->index, {s}, at::TensorOptions().dtype(at::kLong));
  }
  return in;
}

}  // namespace

extern "C" int ops_torch_has(const char* op) {
  return ops().count(op) != 0;
}

extern "C" void ops_torch_threads(int threads) {
  at::set_num_threads(threads);
}

extern "C" void ops_torch_run(const ops_memory* memory, const char* op, int64_t size,
                              long n) {
  at::AutoGradMode recorded(starts_with(op, "chain "));
  Inputs in = inputs_of(memory, op, size);
  const Op& run = ops().at(op);
  for (long i = 0; i < n; i++) run(in);
}
