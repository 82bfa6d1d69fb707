// SPDX-License-Identifier: Apache-2.0
// Places that perf, bpftrace and SystemTap can watch from outside while a program runs
// (docs/probes.md). Each is one nop and a note in the file; what it takes is named there.
// Without <sys/sdt.h> (systemtap-sdt-dev), or with OY_NO_PROBES, there are none.
#ifndef OPYARD_SRC_BASE_PROBE_H_
#define OPYARD_SRC_BASE_PROBE_H_

#include "base/probe_have.h"

#if OYI_HAVE_SDT && !defined(OY_NO_PROBES)
#include <sys/sdt.h>
#define OYI_PROBE2(name, a, b) DTRACE_PROBE2(opyard, name, a, b)
#else
#define OYI_PROBE2(name, a, b) ((void)(a), (void)(b))
#endif

#endif  // OPYARD_SRC_BASE_PROBE_H_
