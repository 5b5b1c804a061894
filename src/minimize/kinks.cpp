#include "minimize/kinks.h"

namespace nextstat {

std::vector<std::size_t> kinked_parameters(const CompiledModel& model) {
  std::vector<char> kinked(model.n_parameters, 0);
  for (const CompiledModel::Linear& term : model.linears) {
    if (term.even != 0) kinked[term.parameter] = 1;
  }
  // code1: f = hi^a for a > 0, lo^-a below
  for (const CompiledModel::Norm& term : model.norms) {
    if (model.normsys_code == 1 && term.log_high != -term.log_low) kinked[term.parameter] = 1;
  }
  // code0: delta = a S + |a| A
  for (const CompiledModel::Shift& term : model.shifts) {
    if (model.histosys_code == 0 && term.even != 0) kinked[term.parameter] = 1;
  }
  std::vector<std::size_t> parameters;
  for (std::size_t i = 0; i < kinked.size(); ++i) {
    if (kinked[i]) parameters.push_back(i);
  }
  return parameters;
}

}  // namespace nextstat
