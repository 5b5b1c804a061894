#!/bin/sh
# run.sh SOURCE WRITE_ROWS COMPILER EMULATOR: the kernels built for aarch64, run under an emulator, give the bytes that
# this machine's kernels give.
set -eu
source=$1 write_rows=$2 compiler=$3 emulator=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$compiler" -std=c++20 -O3 -ffp-contract=off -static -Wno-psabi -I "$source/src" -I "$source/tests" \
  -DNEXTSTAT_ISA_SYMBOL=kKernelsBaseline -DNEXTSTAT_ISA_NAME='"aarch64"' \
  "$source/src/cpu/isa.cpp" "$source/tests/cross/evaluate_rows.cpp" -o "$folder/evaluate_rows"
"$write_rows" "$folder"
for rows in "$folder"/*.rows; do
  "$emulator" "$folder/evaluate_rows" "$rows" "$folder/found"
  cmp "$folder/found" "${rows%.rows}.expected"
  echo "same bytes: $(basename "$rows" .rows), $(wc -c <"$folder/found") bytes"
done
