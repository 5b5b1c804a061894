#include "input/test_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "input/choice.h"

namespace nextstat::cli {

void declare_test_stat(CLI::App& command, TestStatistic& statistic, std::span<const TestStatistic> usable) {
  std::vector<std::string> names;
  for (const auto& [name, known] : test_statistics())
    if (usable.empty() || std::find(usable.begin(), usable.end(), known) != usable.end())
      names.emplace_back(name);
  add_choice(command, "--test-stat", statistic, "Test statistic", names, to_string(statistic),
             [usable](const std::string& name) { return parse_test_statistic(name, usable); });
}

void TestedValue::declare(CLI::App& command, double& mu) {
  mu_ = &mu;
  option_ = command
                .add_option("--mu", mu,
                            fmt::format("Value of the parameter of interest to test (default {}; q0: 0)", mu))
                ->type_name("VALUE");
}

Errors TestedValue::check(TestStatistic statistic) const {
  if (statistic != TestStatistic::Q0 || option_->count() == 0 || *mu_ == 0) return {};
  return {{ErrorCode::BadUsage, "--mu", "q0 tests the value 0 only",
           "leave --mu out, or choose another --test-stat"}};
}

void ConfidenceLevel::declare(CLI::App& command, double& level) {
  level_ = &level;
  CLI::Option* const option =
      command.add_option("--cl", level, fmt::format("Confidence level (default {})", level))->type_name("CL");
  alpha_option_ =
      command.add_option("--alpha", alpha_, "The same as --cl 1-ALPHA")->excludes(option)->type_name("ALPHA");
}

Errors ConfidenceLevel::check() const {
  const bool alpha = alpha_option_->count() > 0;
  const double given = alpha ? alpha_ : *level_;
  if (given > 0 && given < 1) return {};
  return {{ErrorCode::BadUsage, alpha ? "--alpha" : "--cl",
           fmt::format("{} {} is not between 0 and 1", alpha ? "alpha" : "the confidence level", given),
           alpha ? "use e.g. 0.05" : "use e.g. 0.95"}};
}

namespace {

Errors refused(const std::vector<CLI::Option*>& options, Calculator needed) {
  const std::string other = to_string(needed);
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    const std::string name = option->get_name();
    return {{ErrorCode::BadUsage, name, fmt::format("{} needs --calctype {}", name, other),
             fmt::format("add --calctype {}, or leave {} out", other, name)}};
  }
  return {};
}

}  // namespace

void CalcType::declare(CLI::App& command) {
  add_choice(command, "--calctype", calculator_, "Method", calculators(), parse_calculator);
}

Errors CalcType::check(const ToyInput& toys) const {
  if (this->toys()) return refused(only_asymptotics_, Calculator::Asymptotics);
  if (Errors errors = refused(only_toys_, Calculator::Toys); !errors.empty()) return errors;
  return toys.unused(fmt::format("--calctype {}", to_string(Calculator::Toys)));
}

}  // namespace nextstat::cli
