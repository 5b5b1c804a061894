// Options that the verbs about signal strengths share.
#pragma once

#include <nextstat/hypotest.h>
#include <nextstat/result.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace nextstat::cli {

// --test-stat NAME, one of `names`.
void declare_test_stat(CLI::App& command, TestStatistic& statistic, const std::vector<std::string>& names,
                       const std::string& description);

// --cl 0.95 and --alpha 0.05.
class ConfidenceLevel {
 public:
  void declare(CLI::App& command);
  Errors check() const;
  double value() const { return alpha_option_->count() > 0 ? 1 - alpha_ : level_; }

 private:
  double level_ = 0.95, alpha_ = 0.05;
  CLI::Option* alpha_option_ = nullptr;
};

}  // namespace nextstat::cli
