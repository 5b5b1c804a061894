#include <nextstat/result_json.h>
#include <nextstat/version.h>

#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

class VersionVerb final : public Verb {
 public:
  void declare(CLI::App& command) override { command.footer("Example: nextstat version --format json"); }

  int run(Console& console) override {
    nlohmann::json json = {
        {"compiler", compiler_string()},
        {"build_type", build_type()},
        {"instruction_set", instruction_set_name()},
    };
    add_header(json, {.schema = "nextstat/version/1"});
    std::string table = std::string("nextstat ") + version_string() + "\n";
    table += std::string("compiler         ") + compiler_string() + "\n";
    table += std::string("build type       ") + build_type() + "\n";
    table += std::string("instruction set  ") + instruction_set_name() + "\n";
    return console.result(json, table);
  }
};

}  // namespace

std::unique_ptr<Verb> make_version() { return std::make_unique<VersionVerb>(); }

}  // namespace nextstat::cli
