// SPDX-License-Identifier: Apache-2.0
// Two instructions each, in assembly because C cannot jump on with arguments it
// does not know. A new architecture needs its three lines here and nothing else.
#include "dispatch/thunks.h"

#include "opyard/inline.h"

_Static_assert(offsetof(oy_op, box) == 8, "thunk offset");
_Static_assert(offsetof(oy_op, fail) == 16, "thunk offset");
_Static_assert(offsetof(oy_op, variant) == 24, "thunk offset");

#if defined(__x86_64__)
#define JUMP(offset) "  endbr64\n  jmp *" offset "(%rdi)\n"
#elif defined(__aarch64__)
#define JUMP(offset) "  ldr x16, [x0, #" offset "]\n  br x16\n"
#elif defined(__riscv) && __riscv_xlen == 64
#define JUMP(offset) "  ld t1, " offset "(a0)\n  jr t1\n"
#else
#error "thunks.c: add the jump to an operator's entry for this architecture"
#endif

#define THUNK(name, offset)                                                   \
  __asm__(".text\n.p2align 4\n.globl " name "\n.hidden " name                 \
          "\n"                                                                \
          ".type " name ", %function\n" name ":\n" JUMP(offset) ".size " name \
                                                                ", .-" name "\n")

THUNK("oyi_thunk_box", "8");
THUNK("oyi_thunk_fail", "16");
THUNK("oyi_thunk_variant", "24");
