#include "calc_type.h"

#include <fmt/format.h>

namespace nextstat::cli {
namespace {

Errors refused(const std::vector<CLI::Option*>& options, const std::string& other) {
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
  command.add_option("--calctype", name_, "Method: asymptotics (default) or toys")
      ->check(CLI::IsMember({"asymptotics", "toys"}))
      ->type_name("NAME");
}

Errors CalcType::check(const ToyInput& toys) const {
  if (this->toys()) return refused(only_asymptotics_, "asymptotics");
  if (Errors errors = refused(only_toys_, "toys"); !errors.empty()) return errors;
  return toys.unused("--calctype toys");
}

}  // namespace nextstat::cli
