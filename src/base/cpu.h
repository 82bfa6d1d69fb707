// SPDX-License-Identifier: Apache-2.0
// What the processor can do, in three steps.
#ifndef OPYARD_SRC_BASE_CPU_H_
#define OPYARD_SRC_BASE_CPU_H_

// 0 baseline, 1 x86-64-v3, 2 x86-64-v4; 0 on other architectures. Found once,
// capped by OPYARD_CPU_CAPABILITY (default, avx2 or avx512; anything else is ignored).
int oyi_cpu_level(void);

#endif  // OPYARD_SRC_BASE_CPU_H_
