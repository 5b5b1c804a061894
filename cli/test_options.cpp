#include "test_options.h"

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

void ConfidenceLevel::declare(CLI::App& command) {
  CLI::Option* const level =
      command.add_option("--cl", level_, "Confidence level (default 0.95)")->type_name("CL");
  alpha_option_ =
      command.add_option("--alpha", alpha_, "The same as --cl 1-ALPHA")->excludes(level)->type_name("ALPHA");
}

}  // namespace nextstat::cli
