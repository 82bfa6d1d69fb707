// SPDX-License-Identifier: Apache-2.0
// The generic trampolines' machine side, AAPCS64 (not Apple's variant, which
// packs arguments in memory).
// Picture (oyi_registers): x0-x7 at 0, d0-d7 at 64, address of the arguments in
// memory at 128; 136 bytes, kept in a frame of 160 with x29 and x30 below it.
#if defined(__aarch64__) && !defined(__APPLE__) && !defined(__ILP32__)

        .text

        // |bti c|, as a hint that older machines skip.
        .macro FUNCTION name
        .p2align 4
        .globl  \name
        .hidden \name
        .type   \name, %function
\name:
        .cfi_startproc
        hint    #34
        .endm

        .macro END name
        .cfi_endproc
        .size   \name, .-\name
        .endm

        .macro SAVE_PICTURE
        stp     x29, x30, [sp, #-160]!
        .cfi_adjust_cfa_offset 160
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        mov     x29, sp
        stp     x0, x1, [sp, #16]
        stp     x2, x3, [sp, #32]
        stp     x4, x5, [sp, #48]
        stp     x6, x7, [sp, #64]
        stp     d0, d1, [sp, #80]
        stp     d2, d3, [sp, #96]
        stp     d4, d5, [sp, #112]
        stp     d6, d7, [sp, #128]
        add     x9, sp, #160
        str     x9, [sp, #144]
        add     x0, sp, #16
        .endm

        .macro RESTORE_FRAME
        ldp     x29, x30, [sp], #160
        .cfi_adjust_cfa_offset -160
        .cfi_restore x29
        .cfi_restore x30
        .endm

        // From the picture at \base, which is no argument register.
        .macro LOAD_PICTURE base
        ldp     d0, d1, [\base, #64]
        ldp     d2, d3, [\base, #80]
        ldp     d4, d5, [\base, #96]
        ldp     d6, d7, [\base, #112]
        ldp     x0, x1, [\base, #0]
        ldp     x2, x3, [\base, #16]
        ldp     x4, x5, [\base, #32]
        ldp     x6, x7, [\base, #48]
        .endm

        .hidden oyi_generic_box_call
        .hidden oyi_generic_pick

FUNCTION oyi_generic_box
        SAVE_PICTURE
        bl      oyi_generic_box_call
        RESTORE_FRAME
        ret
END oyi_generic_box

FUNCTION oyi_generic_variant
        SAVE_PICTURE
        bl      oyi_generic_pick
        cbz     x0, 1f
        mov     x16, x0
        add     x9, sp, #16
        LOAD_PICTURE x9
        ldp     x29, x30, [sp], #160
        br      x16
1:
        mov     x0, x1
        RESTORE_FRAME
        ret
END oyi_generic_variant

// uint64_t oyi_generic_invoke(typed x0, picture x1, words x2)
FUNCTION oyi_generic_invoke
        stp     x29, x30, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        mov     x29, sp
        .cfi_def_cfa_register x29
        mov     x16, x0
        mov     x9, x1
        ldr     x10, [x9, #128]
        add     x11, x2, #1
        and     x11, x11, #-2
        sub     sp, sp, x11, lsl #3
        mov     x12, sp
        cbz     x2, 2f
1:
        ldr     x13, [x10], #8
        str     x13, [x12], #8
        subs    x2, x2, #1
        b.ne    1b
2:
        LOAD_PICTURE x9
        blr     x16
        mov     sp, x29
        .cfi_def_cfa_register sp
        ldp     x29, x30, [sp], #16
        .cfi_adjust_cfa_offset -16
        .cfi_restore x29
        .cfi_restore x30
        ret
END oyi_generic_invoke

#endif

#if defined(__linux__) && defined(__ELF__)
        .section .note.GNU-stack, "", %progbits
#endif
