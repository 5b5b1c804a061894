#include "calc_type.h"

#include <fmt/format.h>

#include "choice.h"

namespace nextstat::cli {
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
