#!/usr/bin/env bash
# Proves that an installed nextstat is usable by others: installs the build tree into a temporary prefix, builds client.cpp
# against it through find_package and through pkg-config, and compares what the programs and the installed nextstat say.
# examples.py does the same with examples/cpp and docs/cpp.md.
#
#   tests/package/run.sh BUILD_TREE CXX_COMPILER [CXX_FLAGS]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build_tree=$1 compiler=$2 flags=${3:-}
workspace=$here/../../examples/simple.json

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build_tree" --prefix "$folder/first" >/dev/null
mv "$folder/first" "$folder/prefix" # an installed tree may be moved

cmake -G Ninja -S "$here" -B "$folder/cmake" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$folder/cmake"
with_cmake=$("$folder/cmake/package_test" "$workspace")
echo "find_package: $with_cmake"

PKG_CONFIG_PATH=$(dirname "$(find "$folder/prefix" -name nextstat.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(pkg-config --variable=libdir nextstat) # for a shared library
export LD_LIBRARY_PATH
read -r -a arguments <<<"$flags $(pkg-config --static --cflags --libs nextstat)"
"$compiler" -std=c++20 "$here/client.cpp" "${arguments[@]}" -o "$folder/package_test"
with_pkg_config=$("$folder/package_test" "$workspace")
echo "pkg-config:   $with_pkg_config"

"$folder/prefix/bin/nextstat" version >/dev/null
[[ $with_cmake == "$with_pkg_config" && $with_cmake == "nll = "[0-9]* ]]

python3 "$here/examples.py" "$folder/prefix" "$folder/examples" "$compiler" "$flags"
