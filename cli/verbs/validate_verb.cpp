#include <fmt/format.h>
#include <nextstat/documents.h>
#include <nextstat/files.h>
#include <nextstat/result_json.h>

#include <chrono>

#include "input/model_input.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "screen/voice.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

struct LimitRow {
  const char* key;
  const char* what;
  double value;
};

std::vector<LimitRow> limit_rows() {
  const Limits limits;
  const auto real = [](std::size_t count) { return static_cast<double>(count); };
  return {
      {"text_bytes", "bytes of text", real(limits.text_bytes)},
      {"numbers", "numbers in the text", real(limits.numbers)},
      {"channels", "channels", real(limits.channels)},
      {"bins", "bins", real(limits.bins)},
      {"nominal_cells", "bins summed over samples", real(limits.nominal_cells)},
      {"terms", "terms of modifiers", real(limits.terms)},
      {"free_bin_factors", "bins x shapefactors summed over samples", real(limits.free_bin_factors)},
      {"parameters", "parameters", real(limits.parameters)},
      {"dense_size", "channels x samples x modifiers x bins", limits.dense_size},
      {"hessian_parameters", "parameters of a Hessian", real(limits.hessian_parameters)},
  };
}

int print_limits(Console& console) {
  nlohmann::json json;
  Table table({{"at most", Align::Right}, {"", Align::Left}});
  for (const LimitRow& row : limit_rows()) {
    json[row.key] =
        row.value < 1e15 ? nlohmann::json(static_cast<std::uint64_t>(row.value)) : nlohmann::json(row.value);
    table.row({fmt::format("{:.15g}", row.value), row.what});
  }
  return console.result(json, table.text());
}

class ValidateVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    command.add_flag("--limits", limits_, "Print the limits on the size of a workspace and exit");
    command.footer(
        "Lists every error with its JSON pointer; exit code 0 if there is none, else 2.\nExample: nextstat "
        "validate workspace.json");
  }

  int run(Console& console) override {
    if (limits_) return print_limits(console);
    const Result<std::string> text = input_.text();
    if (!text) return console.fail(text.errors());
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const Result<Workspace> workspace = parse_workspace(*text, {}, UsableMeasurements::All);
    header_.load_time_s = input_.if_timed(std::chrono::duration<double>(Clock::now() - start).count());
    if (const Result<std::string> digest = digest_of_text(*text)) header_.workspace_digest = *digest;
    return workspace ? valid(console, *workspace) : invalid(console, workspace.errors());
  }

 private:
  nlohmann::json report(bool ok) const {
    nlohmann::json json = {
        {"ok", ok}, {"errors", nlohmann::json::array()}, {"warnings", nlohmann::json::array()}};
    add_header(json, header_);
    return json;
  }

  int valid(Console& console, const Workspace& workspace) {
    nlohmann::json json = report(true);
    json["warnings"] = workspace.warnings;
    return console.result(
        json, fmt::format("{}: valid, {} channels, {} measurements\n{}", file(), workspace.channels.size(),
                          workspace.measurements.size(), warning_lines(workspace.warnings)));
  }

  // The faults are the result, so they go to standard output; pointers as in every other message.
  int invalid(Console& console, const Errors& errors) {
    nlohmann::json json = report(false);
    std::string table;
    for (const Error& error : in_file(errors, input_.path())) {
      json["errors"].push_back(as_json(error));
      table += printable(to_text(error.where, voice())) + ": " + printable(error.what) +
               "\n  hint: " + printable(to_text(error.hint, voice())) + "\n";
    }
    table += fmt::format("{}: {} error{}\n", file(), errors.size(), errors.size() == 1 ? "" : "s");
    return console.result(json, table, kBadInput);
  }

  std::string file() const { return printable(display_name(input_.path())); }

  ModelInput input_;
  bool limits_ = false;
  ResultHeader header_{.schema = "nextstat/validate/1"};
};

}  // namespace

std::unique_ptr<Verb> make_validate() { return std::make_unique<ValidateVerb>(); }

}  // namespace nextstat::cli
