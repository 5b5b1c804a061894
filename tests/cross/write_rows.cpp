// write_rows FOLDER: writes models with rows for evaluate_rows (NAME.rows) and what they must give
// (NAME.expected): the small model, and thu and tttt where NEXTSTAT_DATA is set.
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/points.h"
#include "cpu/instruction_set.h"
#include "cross/rows_file.h"
#include "model/row.h"

namespace nextstat::cross {
namespace {

// Rows at points of different kinds, ready for the kernels.
template <class Scalar>
std::vector<Scalar> filled_rows(const Model& model) {
  const CompiledModel& compiled = compiled_model(model);
  const Dataset data = make_dataset(compiled, model.data());
  std::vector<Scalar> rows(compiled.layout.row_size * kRows);
  const std::vector<conformance::NamedPoint> points = conformance::every_kind_of_point(model, 11);
  for (std::size_t row = 0; row < kRows; ++row) {
    Scalar* state = rows.data() + row * compiled.layout.row_size;
    fill_data(compiled.layout, data, state, 1, 0);
    fill_parameters(compiled.layout, points[row].values.data(), state, 1, 0);
  }
  return rows;
}

template <class Scalar>
void write_precision(const Model& model, const cpu::Evaluator<Scalar>& evaluator, std::FILE* file,
                     std::FILE* expected) {
  const CompiledModel& compiled = compiled_model(model);
  const AlignedVector<Scalar> reals(compiled.reals.begin(), compiled.reals.end());
  const std::vector<Scalar> rows = filled_rows<Scalar>(model);
  write(file, reals.data(), reals.size() * sizeof(Scalar));
  write(file, rows.data(), rows.size() * sizeof(Scalar));
  evaluate(compiled.layout, evaluator, compiled.indices.data(), reals.data(), rows.data(), expected);
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
  const cpu::Kernels& kernels = *cpu::choose_kernels("").value();
  write_precision(model, kernels.f64, file, expected);
  write_precision(model, kernels.f32, file, expected);
  std::fclose(file);
  std::fclose(expected);
}

}  // namespace
}  // namespace nextstat::cross

int main(int count, char** arguments) {
  using namespace nextstat;
  if (count != 2) return 2;
  std::vector<conformance::CaseName> cases = conformance::small_cases();
  if (reference::data_folder()) {
    for (const char* file : {"thu.json", "tttt.json"}) cases.push_back({file});
  }
  for (const conformance::CaseName& name : cases) {
    for (std::size_t c = 0; c < conformance::kCodes.size(); ++c) {
      const std::string path =
          std::string(arguments[1]) + "/" + to_string(name) + "_codes_" + std::to_string(c);
      cross::write_case(path, load_model(name, conformance::kCodes[c]));
    }
  }
}
