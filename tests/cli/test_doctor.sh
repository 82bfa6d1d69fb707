#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# opyard doctor: plugins that are taken and refused, with the reason, as text and JSON.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

plugin=$2/tests/plugin/test_plugin.so
[ -e "$plugin" ] || { echo "no $plugin"; exit 77; }
mkdir "$TMP/plugins"
cp "$plugin" "$TMP/plugins/libtest.so"
manifest() { # manifest TEXT: what testplug.plugin says
  printf '%s\n' "$1" >"$TMP/plugins/testplug.plugin"
}
says() { # says TEXT: in the output
  checks=$((checks + 1))
  grep -qF "$1" "$TMP/out" || fail "doctor does not say: $1"
}

# Without a plugin: the folders, and nothing is wrong.
unset OPYARD_PLUGIN_PATH
expect 0 doctor
says "plugin ABI 1.1"
says "OPYARD_PLUGIN_PATH is not set"

OPYARD_PLUGIN_PATH=$TMP/plugins
export OPYARD_PLUGIN_PATH
manifest 'opyard-plugin 1
name = testplug
library = libtest.so
backends = Plug'
TEST_PLUGIN=v1 expect 0 doctor
says "loaded      testplug  $TMP/plugins/libtest.so"
says "plug:1: simulated device"
TEST_PLUGIN=v1
export TEST_PLUGIN
json 0 doctor
says '"device": "plug:0"'
expect 0 doctor testplug
says "loaded      testplug"

TEST_PLUGIN=newer_major
expect 1 doctor
says "refused     testplug"
says "was built for ABI version 2.0, and this library has 1.1"
json 1 doctor
TEST_PLUGIN=fails
expect 1 doctor
says "the device is on fire"
expect 2 doctor --wrong
manifest 'library = libtest.so'
expect 1 doctor
says 'expected "opyard-plugin 1" in the first line'
manifest 'opyard-plugin 1
name = testplug
library = ../libtest.so'
expect 1 doctor
says 'expected the name of a file beside the manifest, got "../libtest.so"'

finish
