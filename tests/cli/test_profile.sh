# SPDX-License-Identifier: Apache-2.0
# opyard run --profile: the table, the trace, what it refuses.
. "$1/tests/cli/lib.sh"

cat >"$TMP/p.oy" <<'END'
x = tensor([[1, 2], [3, 4]], dtype=float32, requires_grad=True)
y = mm(x, x)
s = sum(y)
backward(s)
g = grad(x)
END
expect 0 run "$TMP/p.oy" --profile
has out 'tensor([['
has err 'Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg'
has err 'aten::mm'
has err 'autograd::engine::evaluate_function: MmBackward0'
has err 'Self CPU time total: '
expect 0 run "$TMP/p.oy" --profile=table
has err '# of Calls'
expect 0 run "$TMP/p.oy" --profile="$TMP/t.json" --json
has out '"ok": true'
checks=$((checks + 1))
if [ -x "$PYTHON" ]; then
  "$PYTHON" - "$TMP/t.json" <<'END' || fail "the trace is not what it should be"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = [e["name"] for e in events if e["ph"] == "X"]
assert names.count("aten::mm") == 3, names
assert {"s", "f"} <= {e["ph"] for e in events}
END
fi
expect 2 run "$TMP/p.oy" --profile=fast
has err 'expected --profile, --profile=table or --profile=FILE.json, found --profile=fast'
expect 2 run "$TMP/p.oy" --profile=/no/such/folder/t.json
has err '/no/such/folder/t.json'
printf 'x = add(1, 2' >"$TMP/p.oy"
expect 2 run "$TMP/p.oy" --profile
lacks err 'Self CPU'
expect 2 run "$TMP/p.oy" --trace=yes
finish
