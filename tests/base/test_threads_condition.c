// SPDX-License-Identifier: Apache-2.0
// The thread pool where there is no futex: this program brings its own oyi_wait, which
// the linker takes instead of the library's.
#define OYI_WAIT_WITH_CONDITION 1
#include "base/test_threads.c"
#include "base/wait.c"
