# SPDX-License-Identifier: Apache-2.0
# opyard report: one page, with the program's data in it, and nothing from elsewhere.
. "$1/tests/cli/lib.sh"

cat >"$TMP/p.oy" <<'END'
# a comment that would end a script: </script><!--
x = tensor([[1, 2], [3, 4]], dtype=float32, requires_grad=True)
y = mm(x, x)
z = mm(y, x)
s = sum(z)
backward(s)
END
expect 0 report "$TMP/p.oy" -o "$TMP/page.html"
has out "$TMP/page.html"
cp "$TMP/page.html" "$TMP/out"
has out '<title>opyard report</title>'
has out '"op": "aten::mm"'
has out 'a comment that would end a script: \u003c/script>'
lacks out '{{DATA}}'
# Nothing is fetched: no address but the namespace of SVG.
checks=$((checks + 1))
grep -o 'https*://[^"'"'"' ]*' "$TMP/page.html" | grep -vq '^http://www.w3.org/2000/svg$' &&
  fail "the page names an address"
checks=$((checks + 1))
if [ -x "$PYTHON" ]; then
  "$PYTHON" - "$TMP/page.html" <<'END' || fail "the data is not what it should be"
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S).group(1))
ops = {op["name"]: op for op in data["ops"]}
cpu, autograd = data["keys"].index("CPU"), data["keys"].index("AutogradCPU")
# Two in the program, two for each in the backward.
assert ops["aten::mm"]["hits"][cpu] == 6, ops["aten::mm"]
assert ops["aten::mm"]["cells"][cpu] == "k" and ops["aten::mm"]["cells"][autograd] == "a"
assert "hits" not in ops["aten::cos"] and len(ops) > 1000
mm = next(e for e in data["explanations"] if e["op"] == "aten::mm")
assert mm["slot"] == "AutogradCPU" and mm["arguments"][0]["name"] == "self"
assert [s["key"] for s in mm["steps"] if s["verdict"] == "next"][-1] == "CPU"
assert any(e["name"] == "MmBackward0" for e in data["events"])
assert all(e["start"] <= e["end"] for e in data["events"])
END
fi
expect 0 report -o "$TMP/registry.html"
cp "$TMP/registry.html" "$TMP/out"
has out '"program": null'
printf 'x = tensor([1.0, 2])\ny = mm(x, x)\n' >"$TMP/p.oy"
expect 3 report "$TMP/p.oy" -o "$TMP/page.html"
has err 'the program failed'
cp "$TMP/page.html" "$TMP/out"
has out '"error": '
expect 2 report "$TMP/none.oy"
expect 2 report -o /no/such/folder/page.html
has err '/no/such/folder/page.html'
finish
