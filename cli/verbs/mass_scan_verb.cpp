// mass-scan: limits for every patch of a patchset, or for every workspace of a folder.
#include <fmt/format.h>
#include <nextstat/documents.h>
#include <nextstat/files.h>
#include <nextstat/mass_scan.h>
#include <nextstat/observations.h>
#include <nextstat/result_json.h>

#include <algorithm>
#include <filesystem>

#include "input/run_input.h"
#include "input/test_options.h"
#include "input/values.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "screen/voice.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string screen(const MassScanResult& result) {
  std::string text =
      fmt::format("upper limits at {} CL and CLs of signal strength {:.6g}, {}\n\n",
                  percent(result.confidence_level), result.mu_test, to_string(result.statistic));
  Table table({{"point", Align::Left},
               {"limit", Align::Right},
               {"expected", Align::Right},
               {"-1 sigma", Align::Right},
               {"+1 sigma", Align::Right},
               {"CLs", Align::Right},
               {"expected", Align::Right},
               {"", Align::Left}});
  std::string remarks;
  std::size_t excluded = 0;
  for (const MassPoint& point : result.points) {
    const std::string label = printable(point.label);
    if (!point.errors.empty()) {
      table.row({label, "-", "-", "-", "-", "-", "-", "failed"});
      remarks +=
          fmt::format("{}: {}{}{}\n", label, printable(to_text(point.errors.front().where, voice())),
                      point.errors.front().where.empty() ? "" : ": ", printable(point.errors.front().what));
      continue;
    }
    const bool out = point.test.observed.cls <= 1 - result.confidence_level;
    excluded += out ? 1 : 0;
    const auto& limit = point.limit;
    table.row({label, short_number(limit.observed, 4), short_number(limit.expected[2], 4),
               short_number(limit.expected[1], 4), short_number(limit.expected[3], 4),
               short_number(point.test.observed.cls, 4), short_number(point.test.expected[2].cls, 4),
               !point.converged()  ? "NOT CONVERGED"
               : !point.complete() ? "no limit"
               : out               ? "excluded"
                                   : ""});
    if (point.complete()) continue;
    for (const std::string& warning : point.limit.warnings)
      remarks += fmt::format("{}: {}\n", label, printable(warning));
  }
  text += table.text();
  text += fmt::format("\n{} of {} points excluded at {} CL{}\n", excluded, result.points.size(),
                      percent(result.confidence_level),
                      result.interrupted ? " (interrupted: the others were not reached)" : "");
  return remarks.empty() ? text : text + "\n" + remarks;
}

class MassScanVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    level_.declare(command, options_.confidence_level);
    command
        .add_option("--workspaces-dir", folder_,
                    "Instead of a background and a patchset: every .json file in this folder, sorted by name")
        ->type_name("FOLDER");
    command
        .add_option("--mu", options_.mu,
                    fmt::format("Also give CLs at this signal strength (default {})", options_.mu))
        ->type_name("VALUE");
    declare_test_stat(command, options_.statistic, kLimitStatistics);
    command
        .add_option("--rtol", options_.rtol,
                    fmt::format("Relative precision of the limits (default {})", options_.rtol))
        ->type_name("VALUE");
    jobs_option_ = command.add_option("--jobs", jobs_, "Points computed at a time; the same as --threads")
                       ->transform(whole_number(0, kMostThreads))
                       ->type_name("N");
    command.footer("Example: nextstat mass-scan background.json --patchset patchset.json");
  }

  int run(Console& console) override {
    if (const Errors errors = level_.check(); !errors.empty()) return console.fail(errors);
    if (const Errors errors = check(); !errors.empty()) return console.fail(errors);
    const auto start = std::chrono::steady_clock::now();
    const Result<std::vector<MassPointSource>> sources = folder_.empty() ? patched() : files();
    if (!sources) return console.fail(sources.errors());
    const double load = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Task task(input_.progress());
    options_.confidence_level = level_.value();
    options_.run.threads = jobs_option_->count() > 0 ? jobs_ : input_.threads();
    options_.run_of = [this](const Model& model) { return input_.options(model, background_channels_); };
    input_.device().apply(options_.run);
    task.attach(options_.run);
    const Result<MassScanResult> result = task.timed([&] { return mass_scan(*sources, options_); });
    if (!result) return console.fail(result.errors());
    nlohmann::json json = mass_scan_json(*result, voice());
    warn_about_fallback(console, result->device, json);
    add_header(json, {.schema = "nextstat/mass-scan/1",
                      .workspace_digest = digest_,
                      .device = result->device,
                      .wall_time_s = task.wall_time_s(),
                      .load_time_s = input_.model().if_timed(load)});
    const bool complete = std::all_of(result->points.begin(), result->points.end(),
                                      [](const MassPoint& point) { return point.complete(); });
    return console.result(json, screen(*result), exit_code(result->converged, result->interrupted, complete));
  }

 private:
  Errors check() const {
    const ModelInput& model = input_.model();
    const auto usage = [](std::string where, std::string what, std::string hint) {
      return Errors{{ErrorCode::BadUsage, std::move(where), std::move(what), std::move(hint)}};
    };
    if (model.one_patch())
      return usage("--patch", "a mass scan applies every patch of the patchset in turn",
                   "leave --patch and --patch-name out");
    if (folder_.empty() && model.patchset().empty())
      return usage("--patchset", "nothing to scan", "give --patchset FILE, or --workspaces-dir FOLDER");
    if (!folder_.empty() && (model.workspace_given() || !model.patchset().empty()))
      return usage("--workspaces-dir", "workspaces from a folder need no background and no patchset",
                   "leave the workspace and --patchset out");
    if (!folder_.empty()) return input_.device().check();
    return input_.check();
  }

  // The background is read once; the digest is its own.
  Result<std::vector<MassPointSource>> patched() {
    const ModelInput& model = input_.model();
    const Result<std::string> background = model.workspace().read();
    if (!background) return background.errors();
    const Result<std::string> patchset = read_text(model.patchset(), kMaxDocumentBytes);
    if (!patchset) return patchset.errors();
    const Result<Workspace> workspace = parse_workspace(*background);
    if (!workspace) return in_file(workspace.errors(), model.path());
    background_channels_ = channel_names(*workspace);  // a patch may remove some
    Result<std::vector<MassPointSource>> points =
        patchset_points(*background, *patchset, model.options(*workspace));
    if (!points) return in_file(points.errors(), model.patchset());
    if (const Result<std::string> digest = digest_of_text(*background)) digest_ = *digest;
    return points;
  }

  Result<std::vector<MassPointSource>> files() const {
    std::vector<std::filesystem::path> paths;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
      if (entry.path().extension() == ".json") paths.push_back(entry.path());
    }
    if (failed)
      return Error{ErrorCode::NotFound, folder_, "cannot be listed: " + failed.message(), "name a folder"};
    if (paths.empty())
      return Error{ErrorCode::NotFound, folder_, "has no .json file", "name the folder of the workspaces"};
    std::sort(paths.begin(), paths.end());
    std::vector<MassPointSource> points;
    for (const auto& path : paths)
      points.push_back({path.stem().string(), {}, [this, path] { return load(path.string()); }});
    return points;
  }

  Result<Model> load(const std::string& path) const {
    const Result<std::string> text = read_text(path, kMaxDocumentBytes);
    if (!text) return text.errors();
    const Result<Workspace> workspace = parse_workspace(*text);
    if (!workspace) return in_file(workspace.errors(), path);
    Result<Model> model = build_model(*workspace, input_.model().options(*workspace));
    if (!model) return in_file(model.errors(), path);
    return model;
  }

  RunInput input_;
  MassScanOptions options_;
  ConfidenceLevel level_;
  std::string folder_, digest_;
  std::vector<std::string> background_channels_;
  std::size_t jobs_ = 0;
  CLI::Option* jobs_option_ = nullptr;
};

}  // namespace

std::unique_ptr<Verb> make_mass_scan() { return std::make_unique<MassScanVerb>(); }

}  // namespace nextstat::cli
