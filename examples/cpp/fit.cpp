// The best fit of a workspace, and how far it pulls every nuisance parameter.
//
//   fit WORKSPACE
#include "check.h"

namespace {

// A pull is the shift from the prefit center, in units of the prefit sigma; a parameter without a constraint has none.
void print(const nextstat::Parameter& parameter, double value, double uncertainty) {
  const nextstat::Prefit before = nextstat::prefit(parameter);
  std::printf("%-30s %8.4f +- %6.4f", parameter.name.c_str(), value, uncertainty);
  if (parameter.constraint != nextstat::Constraint::None)
    std::printf("   pull %+.3f", (value - before.center) / before.sigma);
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: fit WORKSPACE\n"), 2;
  const nextstat::Model model = checked(nextstat::load_model(arguments[1]));
  const nextstat::FitResult result = checked(nextstat::fit(model));

  std::printf("NLL %.6f, %s\n", result.nll, nextstat::to_string(result.termination));
  for (std::size_t i = 0; i < model.n_parameters(); ++i)
    print(model.parameters()[i], result.bestfit[i], result.uncertainties[i]);
  for (const std::string& warning : result.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return result.converged ? 0 : 1;
}
