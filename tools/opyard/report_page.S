// SPDX-License-Identifier: Apache-2.0
// report.html as it is, between two symbols. OY_REPORT_PAGE is its path.
  .section .rodata, "a"
  .globl cli_report_page
  .globl cli_report_page_end
cli_report_page:
  .incbin OY_REPORT_PAGE
cli_report_page_end:
  .byte 0
#if defined(__linux__) && defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
