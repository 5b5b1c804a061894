// write_rows FOLDER: writes models with rows for evaluate_rows (NAME.rows) and what they must give
// (NAME.expected): the small model, and thu and tttt where NEXTSTAT_DATA is set.
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/points.h"
#include "cpu/instruction_set.h"
#include "cross/rows_file.h"
#include "model/data/row.h"

namespace nextstat::cross {
namespace {

// Rows at points of different kinds, ready for the kernels.
std::vector<double> filled_rows(const Model& model) {
  const CompiledModel& compiled = compiled_model(model);
  const Dataset data = make_dataset(compiled, model.data());
  std::vector<double> rows(compiled.layout.row_size * kRows);
  const std::vector<conformance::NamedPoint> points = conformance::every_kind_of_point(model, 11);
  for (std::size_t row = 0; row < kRows; ++row) {
    double* state = rows.data() + row * compiled.layout.row_size;
    fill_data(compiled.layout, data, state, 1, 0);
    fill_parameters(compiled.layout, points[row].values.data(), state, 1, 0);
  }
  return rows;
}

void write_case(const std::string& path, const Model& model) {
  const CompiledModel& compiled = compiled_model(model);
  std::FILE* file = std::fopen((path + ".rows").c_str(), "wb");
  std::FILE* expected = std::fopen((path + ".expected").c_str(), "wb");
  if (file == nullptr || expected == nullptr) std::abort();
  const Header header{sizeof(NsLayout), static_cast<std::uint32_t>(compiled.indices.size()),
                      static_cast<std::uint32_t>(compiled.reals.size()), compiled.layout.row_size};
  write(file, &header, sizeof header);
  write(file, &compiled.layout, sizeof compiled.layout);
  write(file, compiled.indices.data(), compiled.indices.size() * sizeof(std::uint32_t));
  write(file, compiled.reals.data(), compiled.reals.size() * sizeof(double));
  const std::vector<double> rows = filled_rows(model);
  write(file, rows.data(), rows.size() * sizeof(double));
  evaluate(compiled.layout, cpu::choose_kernels("").value()->evaluator, compiled.indices.data(),
           compiled.reals.data(), rows.data(), expected);
  std::fclose(file);
  std::fclose(expected);
}

}  // namespace
}  // namespace nextstat::cross

int main(int count, char** arguments) {
  using namespace nextstat;
  if (count != 2) return 2;
  for (const conformance::CaseName& name : conformance::small_cases_and({"thu.json", "tttt.json"})) {
    for (std::size_t c = 0; c < conformance::kCodes.size(); ++c) {
      const std::string path =
          std::string(arguments[1]) + "/" + to_string(name) + "_codes_" + std::to_string(c);
      cross::write_case(path, load_model(name, conformance::kCodes[c]));
    }
  }
}
