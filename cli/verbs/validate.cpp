#include <fmt/format.h>

#include "model_input.h"
#include "result/json.h"
#include "verb.h"
#include "verbs/verbs.h"

namespace nextstat::cli {
namespace {

nlohmann::json limits_json() {
  const Limits limits;
  return {{"text_bytes", limits.text_bytes}, {"channels", limits.channels}, {"bins", limits.bins}, {"parameters", limits.parameters},
          {"nominal_cells", limits.nominal_cells}, {"dense_size", limits.dense_size}, {"hessian_parameters", limits.hessian_parameters}};
}

std::string limits_text() {
  const Limits limits;
  return fmt::format("text                                       {} bytes\nchannels                                   {}\nbins                                       {}\nparameters                                 {}\n"
                     "bins summed over samples                   {}\nchannels x samples x modifiers x bins      {:g}\nparameters of a Hessian                    {}\n",
                     limits.text_bytes, limits.channels, limits.bins, limits.parameters, limits.nominal_cells, limits.dense_size, limits.hessian_parameters);
}

class ValidateVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    command.add_flag("--limits", limits_, "Print the limits on the size of a workspace and stop");
    command.footer("Lists every fault with its JSON pointer; exit code 0 when there is none, else 2.\nExample: nextstat validate workspace.json");
  }

  int run(Console& console) override {
    if (limits_) return console.result(limits_json(), limits_text());
    const Result<std::string> text = input_.text();
    if (!text) return console.fail(text.errors());
    const Result<Workspace> workspace = parse_workspace(*text);
    nlohmann::json json = {{"schema", "nextstat/validate/1"}, {"ok", static_cast<bool>(workspace)}, {"errors", nlohmann::json::array()}, {"warnings", nlohmann::json::array()}};
    std::string table;
    if (workspace) {
      table = fmt::format("{}: valid, {} channels, {} measurements\n", input_.path(), workspace->channels.size(), workspace->measurements.size());
      for (const std::string& warning : workspace->warnings) {
        json["warnings"].push_back(warning);
        table += "warning: " + warning + "\n";
      }
      return console.result(json, table);
    }
    for (const Error& error : workspace.errors()) {
      json["errors"].push_back({{"code", to_string(error.code)}, {"where", error.where}, {"what", error.what}, {"hint", error.hint}});
      table += fmt::format("{}: {}\n  hint: {}\n", error.where.empty() ? "/" : error.where, error.what, error.hint);
    }
    table += fmt::format("{}: {} fault{}\n", input_.path(), workspace.errors().size(), workspace.errors().size() == 1 ? "" : "s");
    return console.result(json, table, kBadInput);
  }

 private:
  ModelInput input_;
  bool limits_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_validate() { return std::make_unique<ValidateVerb>(); }

}  // namespace nextstat::cli
