#include "test_options.h"

#include <fmt/format.h>

namespace nextstat::cli {

void declare_test_stat(CLI::App& command, TestStatistic& statistic, const std::vector<std::string>& names,
                       const std::string& description) {
  command
      .add_option_function<std::string>(
          "--test-stat", [&statistic](const std::string& name) { statistic = *test_statistic_of(name); },
          description)
      ->check(CLI::IsMember(names))
      ->type_name("NAME");
}

void TestedValue::declare(CLI::App& command, double& mu) {
  mu_ = &mu;
  option_ = command.add_option("--mu", mu, "Value of the parameter of interest to test (default 1; q0: 0)")
                ->type_name("VALUE");
}

Errors TestedValue::check(TestStatistic statistic) const {
  if (statistic != TestStatistic::Q0 || option_->count() == 0 || *mu_ == 0) return {};
  return {{ErrorCode::BadUsage, "--mu", "q0 tests the value 0 only",
           "leave --mu out, or choose another --test-stat"}};
}

void ConfidenceLevel::declare(CLI::App& command) {
  CLI::Option* const level =
      command.add_option("--cl", level_, "Confidence level (default 0.95)")->type_name("CL");
  alpha_option_ =
      command.add_option("--alpha", alpha_, "The same as --cl 1-ALPHA")->excludes(level)->type_name("ALPHA");
}

Errors ConfidenceLevel::check() const {
  const bool alpha = alpha_option_->count() > 0;
  const double given = alpha ? alpha_ : level_;
  if (given > 0 && given < 1) return {};
  return {{ErrorCode::BadUsage, alpha ? "--alpha" : "--cl",
           fmt::format("{} {} is not between 0 and 1", alpha ? "alpha" : "the confidence level", given),
           alpha ? "use e.g. 0.05" : "use e.g. 0.95"}};
}

}  // namespace nextstat::cli
