// SPDX-License-Identifier: Apache-2.0
// Derivatives of samples by parameters of their distributions, for gradients through random
// numbers. 0 where a parameter or a sample is none.
#ifndef OPYARD_SRC_BACKENDS_CPU_RANDOM_GAMMA_GRADIENT_H_
#define OPYARD_SRC_BACKENDS_CPU_RANDOM_GAMMA_GRADIENT_H_

// Of |x|, a gamma number with the shape |a|, by |a|.
double oyi_gamma_gradient(double a, double x);
// Of |x|, one of a vector of Dirichlet with the parameter |a| out of |total|, by |a|; over
// 1 - x, as PyTorch has it.
double oyi_dirichlet_gradient(double x, double a, double total);

#endif  // OPYARD_SRC_BACKENDS_CPU_RANDOM_GAMMA_GRADIENT_H_
