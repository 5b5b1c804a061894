// evaluate_rows MODEL RESULTS: evaluates the rows of a file (rows_file.h) with this machine's kernels.
// Cross-compiled together with src/cpu/isa.cpp alone.
#include "cross/rows_file.h"

int main(int count, char** arguments) {
  using namespace nextstat;
  using namespace nextstat::cross;
  if (count != 3) return 2;
  std::FILE* file = std::fopen(arguments[1], "rb");
  std::FILE* results = std::fopen(arguments[2], "wb");
  if (file == nullptr || results == nullptr) return 2;
  const Header header = *read<Header>(file, 1);
  if (header.layout_bytes != sizeof(NsLayout)) return 3;
  const NsLayout layout = *read<NsLayout>(file, 1);
  const unsigned* indices = read<unsigned>(file, header.n_indices);
  const double* reals = read<double>(file, header.n_reals);
  const double* rows = read<double>(file, std::size_t{header.row_size} * kRows);
  evaluate(layout, cpu::kKernelsBaseline.evaluator, indices, reals, rows, results);
  return std::fclose(results) == 0 ? 0 : 2;
}
