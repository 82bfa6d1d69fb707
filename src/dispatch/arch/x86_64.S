// SPDX-License-Identifier: Apache-2.0
// The generic trampolines' machine side, System V x86-64 (Linux, BSD).
// Picture (oyi_registers): rdi rsi rdx rcx r8 r9 at 0, low halves of xmm0-7 at
// 48, address of the arguments in memory at 112; 120 bytes, which also aligns
// the stack for a call.
#if defined(__x86_64__) && defined(__LP64__)

        .text

        .macro SAVE_PICTURE
        endbr64
        sub     $120, %rsp
        .cfi_adjust_cfa_offset 120
        mov     %rdi, 0(%rsp)
        mov     %rsi, 8(%rsp)
        mov     %rdx, 16(%rsp)
        mov     %rcx, 24(%rsp)
        mov     %r8, 32(%rsp)
        mov     %r9, 40(%rsp)
        movq    %xmm0, 48(%rsp)
        movq    %xmm1, 56(%rsp)
        movq    %xmm2, 64(%rsp)
        movq    %xmm3, 72(%rsp)
        movq    %xmm4, 80(%rsp)
        movq    %xmm5, 88(%rsp)
        movq    %xmm6, 96(%rsp)
        movq    %xmm7, 104(%rsp)
        lea     128(%rsp), %rax
        mov     %rax, 112(%rsp)
        mov     %rsp, %rdi
        .endm

        // From the picture at \base.
        .macro LOAD_FLOATS base
        movq    48(\base), %xmm0
        movq    56(\base), %xmm1
        movq    64(\base), %xmm2
        movq    72(\base), %xmm3
        movq    80(\base), %xmm4
        movq    88(\base), %xmm5
        movq    96(\base), %xmm6
        movq    104(\base), %xmm7
        .endm

        .macro LOAD_INTS base
        mov     0(\base), %rdi
        mov     8(\base), %rsi
        mov     16(\base), %rdx
        mov     24(\base), %rcx
        mov     32(\base), %r8
        mov     40(\base), %r9
        .endm

        .macro FUNCTION name
        .p2align 4
        .globl  \name
        .hidden \name
        .type   \name, @function
\name:
        .cfi_startproc
        .endm

        .macro END name
        .cfi_endproc
        .size   \name, .-\name
        .endm

        .hidden oyi_generic_box_call
        .hidden oyi_generic_pick

FUNCTION oyi_generic_box
        SAVE_PICTURE
        call    oyi_generic_box_call
        add     $120, %rsp
        .cfi_adjust_cfa_offset -120
        ret
END oyi_generic_box

FUNCTION oyi_generic_variant
        SAVE_PICTURE
        call    oyi_generic_pick
        test    %rax, %rax
        jz      1f
        mov     %rax, %r11
        LOAD_FLOATS %rsp
        LOAD_INTS %rsp
        add     $120, %rsp
        .cfi_adjust_cfa_offset -120
        jmp     *%r11
1:
        .cfi_adjust_cfa_offset 120
        mov     %rdx, %rax
        add     $120, %rsp
        .cfi_adjust_cfa_offset -120
        ret
END oyi_generic_variant

// uint64_t oyi_generic_invoke(typed rdi, picture rsi, words rdx)
FUNCTION oyi_generic_invoke
        endbr64
        push    %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        mov     %rdi, %r11
        mov     %rsi, %r10
        lea     1(%rdx), %rcx
        and     $-2, %rcx
        shl     $3, %rcx
        sub     %rcx, %rsp
        mov     112(%r10), %rsi
        mov     %rsp, %rdi
        mov     %rdx, %rcx
        cld
        rep movsq
        LOAD_FLOATS %r10
        LOAD_INTS %r10
        call    *%r11
        leave
        .cfi_def_cfa %rsp, 8
        .cfi_restore %rbp
        ret
END oyi_generic_invoke

#endif

#if defined(__linux__) && defined(__ELF__)
        .section .note.GNU-stack, "", %progbits
#endif
