// Options that the verbs about signal strengths share.
#pragma once

#include <nextstat/hypotest.h>
#include <nextstat/result.h>
#include <CLI/CLI.hpp>

#include <span>
#include <vector>

#include "input/toy_options.h"

namespace nextstat::cli {

// --test-stat NAME, one of those that the question can use; empty = any.
void declare_test_stat(CLI::App& command, TestStatistic& statistic,
                       std::span<const TestStatistic> usable = {});

// --mu VALUE, which q0 does not take.
class TestedValue {
 public:
  void declare(CLI::App& command, double& mu);
  Errors check(TestStatistic statistic) const;

 private:
  CLI::Option* option_ = nullptr;
  const double* mu_ = nullptr;
};

// --cl 0.95 and --alpha 0.05.
class ConfidenceLevel {
 public:
  void declare(CLI::App& command, double& level);  // `level` has the default
  Errors check() const;
  double value() const { return alpha_option_->count() > 0 ? 1 - alpha_ : *level_; }

 private:
  const double* level_ = nullptr;
  double alpha_ = 0;
  CLI::Option* alpha_option_ = nullptr;
};

// --calctype asymptotics|toys, and the options that belong to one of the two.
//
//   calctype_.declare(command);
//   toys_.declare(command, ...);
//   calctype_.only_asymptotics(command.add_option("--rtol", ...));
//   if (const Errors errors = calctype_.check(toys_); !errors.empty()) return console.fail(errors);

class CalcType {
 public:
  void declare(CLI::App& command);
  bool toys() const { return calculator_ == Calculator::Toys; }

  void only_toys(CLI::Option* option) { only_toys_.push_back(option); }
  void only_asymptotics(CLI::Option* option) { only_asymptotics_.push_back(option); }
  // An option of the other calculation is an error.
  Errors check(const ToyInput& toys) const;

 private:
  Calculator calculator_ = Calculator::Asymptotics;
  std::vector<CLI::Option*> only_toys_, only_asymptotics_;
};

}  // namespace nextstat::cli
