# SPDX-License-Identifier: Apache-2.0
# The page of opyard report in a browser: its script runs to the end without an error, and
# draws what there is to draw.
. "$1/tests/cli/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || { echo "skipped: no chromium"; exit 77; }

# dom FILE: what the page is after its script ran, in $TMP/out.
dom() {
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$TMP/browser" --window-size=1200,1600 --enable-logging=stderr \
    --dump-dom "file://$1" >"$TMP/out" 2>"$TMP/err"
}
cat >"$TMP/p.oy" <<'END'
x = tensor([[1, 2], [3, 4]], dtype=float32, requires_grad=True)
y = mm(x, x)
s = sum(y)
backward(s)
END
expect 0 report "$TMP/p.oy" -o "$TMP/page.html"
dom "$TMP/page.html"
if ! grep -q '<html' "$TMP/out"; then
  echo "skipped: the browser does not run here: $(tail -n 1 "$TMP/err")"
  exit 77
fi
lacks err 'Uncaught'
lacks err 'Refused to'
ready=$(grep -o 'data-ready="[^"]*"' "$TMP/out")
checks=$((checks + 1))
case $ready in
  *' 0 rows'* | *' 0 explanations'* | *' 0 boxes'* | '') fail "the page drew: $ready" ;;
esac
has out '<td class="cell hit" title="aten::mm at AutogradCPU: autograd kernel">3</td>'
has out 'title="aten::mm at CPU: kernel">3</td>'
has out '<rect x="20"'
has out '>AutogradCPU</text>'
has out 'title="MmBackward0"'
expect 0 report -o "$TMP/page.html"
dom "$TMP/page.html"
lacks err 'Uncaught'
has out ' 0 explanations'
has out 'Nothing was run.'
finish
