// --calctype asymptotics|toys, and the options that belong to one of the two.
//
//   calctype_.declare(command);
//   toys_.declare(command, ...);
//   calctype_.only_asymptotics(command.add_option("--rtol", ...));
//   if (const Errors errors = calctype_.check(toys_); !errors.empty()) return console.fail(errors);
#pragma once

#include <nextstat/hypotest.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "toy_options.h"

namespace nextstat::cli {

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
