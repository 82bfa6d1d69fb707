#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# OBS-11: both forms of the trace against the format that viewers read, with a JSON parser:
# every event has what its phase needs, records of a thread nest, arrows come in pairs and
# begin and end within records, threads have names.
set -eu
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3) || { echo "skipped: no python3"; exit 77; }
program=$2/tests/observe/test_observe_profiler
[ -x "$program" ] || { echo "skipped: no $program"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && "$program" >/dev/null 2>&1)
exec "$python" "$1/tests/observe/check_trace.py" "$work/trace_object.json" "$work/trace_array.json"
