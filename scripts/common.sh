# shellcheck shell=bash
# Shared by the scripts beside it: configuring and building a preset in build/PRESET, always from the repository root.
# NEXTSTAT_JOBS sets how many compilers and tests run at once (default: one per core); NEXTSTAT_CUDA_ARCHITECTURES, which
# architectures the CUDA kernels are compiled for where there is an nvcc (default: native, those of this machine);
# NEXTSTAT_QUICK_BUILD=OFF, every file of the release build alone: slower from nothing, quicker after a change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${NEXTSTAT_JOBS:-$(nproc)}

# Runs a command and remembers it, so that a failure can name what to type again.
run() {
  # shellcheck disable=SC2034  # read by scripts/test
  printf -v last_command '%q ' "$@"
  "$@" </dev/null
}

# configure PRESET [cmake arguments]. The benchmarks are off unless asked for: scripts/bench shares build/release.
configure() {
  local preset=$1 arguments=()
  shift
  if command -v ccache >/dev/null; then arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  arguments+=("-DNEXTSTAT_CUDA_ARCHITECTURES=${NEXTSTAT_CUDA_ARCHITECTURES:-native}")
  if [[ $preset == release ]]; then
    arguments+=("-DNEXTSTAT_QUICK_BUILD=${NEXTSTAT_QUICK_BUILD:-ON}" -DNEXTSTAT_BUILD_BENCHMARKS=OFF)
  fi
  run cmake --preset "$preset" --log-level=WARNING "${arguments[@]}" "$@"
}

# build PRESET [targets]. A preset's targets share one configuration, so building some now and all later repeats nothing.
build() {
  local preset=$1
  shift
  run cmake --build "build/$preset" --parallel "$jobs" ${1:+--target "$@"}
}
