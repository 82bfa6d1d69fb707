# SPDX-License-Identifier: Apache-2.0
# FB, PU1: a slice of `opyard certify`, of each family of kernels one operator, for OpenCL and
# for both simulated vendors. `./yard certify` runs all of it.
set -eu
source=$1
build=$2
[ -x "$build/opyard" ] && [ -e "$build/libopyard.so" ] || exit 77
# A library that a sanitizer is in serves only programs that it is in, too.
grep -q '^OY_SANITIZE:[A-Z]*=.' "$build/CMakeCache.txt" && exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# certified PLUGIN CASE OPERATOR...
certified() {
  plugin=$1
  case=$2
  shift 2
  for op in "$@"; do
    if ! "$build/opyard" certify "$plugin" --jobs 1 --ops "$op" --case "$case" \
      >"$work/out" 2>"$work/err"; then
      cat "$work/out" "$work/err"
      exit 1
    fi
    grep -q '^certified$' "$work/out"
    # Of an operator that has no call that fits nothing would be shown.
    if grep -q '^0 operators\| 0 alike, 0 errors' "$work/out"; then
      cat "$work/out"
      exit 1
    fi
  done
}

# No operator tried is none certified.
status=0
"$build/opyard" certify cpu --ops no_such_operator --jobs 1 >"$work/out" 2>"$work/err" || status=$?
if [ $status != 2 ] || ! grep -q "none named 'no_such_operator'" "$work/err"; then
  cat "$work/out" "$work/err"
  exit 1
fi

# Vendors are built against the installed package: tests/plugin/test_vendors.sh.
cmake --install "$build" --prefix "$work/prefix" >/dev/null 2>"$work/log" || {
  cat "$work/log"
  exit 77 # something that is installed was not built
}
for vendor in north south; do
  case $vendor in
    north) folder=40_vendor_north ;;
    *) folder=41_vendor_south ;;
  esac
  cmake -S "$source/examples/$folder" -B "$work/$vendor" \
    -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
  cmake --build "$work/$vendor" >/dev/null
  # Pointwise, reductions, products, norms, joins, indices; float32 has gradients.
  certified "$work/$vendor/vendor_$vendor.so" float32 neg mul.Tensor sum mm block_diag \
    native_layer_norm native_batch_norm_backward index_select softmax.int sort bmm \
    convolution lstm.data
  certified "$work/$vendor/vendor_$vendor.so" int64 add.Tensor cat cumsum combinations
done

# Compiling takes half a second a kernel the first time; they are kept in the build folder.
export OPYARD_CACHE_DIR="$build/tests/opencl"
export OPYARD_PLUGIN_PATH="$build/plugins"
if ! "$build/opyard" doctor 2>/dev/null | grep -q 'opencl:0'; then
  echo "no OpenCL device: the vendors alone"
  exit 0
fi
certified opencl float32 neg sum mm native_layer_norm _softmax index_select sort block_diag
certified opencl int64 add_.Tensor combinations
