#include "input/model_input.h"

#include <fmt/format.h>
#include <nextstat/documents.h>
#include <nextstat/files.h>
#include <nextstat/json.h>
#include <nextstat/patchset.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "input/choice.h"

namespace nextstat::cli {
namespace {

Result<Json> read_document(const std::string& path) {
  const Result<std::string> text = read_text(path, kMaxDocumentBytes);
  if (!text) return text.errors();
  Result<Json> document = parse_json(*text);
  if (!document) return in_file(document.errors(), path);
  return document;
}

constexpr Named<InterpolationDefaults> kDefaults[] = {{"root", InterpolationDefaults::Root},
                                                      {"pyhf", InterpolationDefaults::Pyhf}};
const NameTable<InterpolationDefaults> kDefaultsTable = kDefaults;

void set_codes(ModelOptions& options, InterpolationDefaults defaults) {
  if (defaults == InterpolationDefaults::Root) return;
  options.normsys_code = NormsysCode::Code1;
  options.histosys_code = HistosysCode::Code0;
}

// "root = code4 and code4p (default; also what pyhf builds), pyhf = code1 and code0"
std::string defaults_help() {
  std::string text = "Interpolation:";
  for (const auto& [name, defaults] : kDefaults) {
    ModelOptions options;
    set_codes(options, defaults);
    const bool root = defaults == InterpolationDefaults::Root;
    text += fmt::format("{} {} = {} and {}{}", root ? "" : ",", name, to_string(options.normsys_code),
                        to_string(options.histosys_code), root ? " (default; also what pyhf builds)" : "");
  }
  return text;
}

template <class Code>
void declare_code(CLI::App& command, const std::string& modifier, NameTable<Code> codes,
                  Result<Code> (*parse)(std::string_view), std::optional<Code>& chosen) {
  const auto take = [parse, &chosen](const std::string& name) -> Errors {
    const Result<Code> code = parse(name);
    if (!code) return code.errors();
    chosen = *code;
    return {};
  };
  const std::string help = fmt::format("Interpolation of {}: {}", modifier, listed(names_in(codes), "or"));
  add_word(command, fmt::format("--{}-code", modifier), help, take)->type_name("CODE");
}

}  // namespace

void ModelInput::declare(CLI::App& command) {
  workspace_.declare(command, "workspace", "Workspace");
  command.add_option("-p,--patch", patches_, "JSON patch to apply first (repeatable, in order)")
      ->type_name("FILE")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command.add_option("--patchset", patchset_, "Patchset with the patch to apply")->type_name("FILE");
  command.add_option("--patch-name", patch_name_, "Name of the patch in the patchset")->type_name("NAME");
  command
      .add_option("--measurement", measurement_,
                  "Measurement, by name or by number from 0 (default: the first)")
      ->type_name("NAME");
  poi_option_ =
      command.add_option("--poi", poi_, "Parameter of interest instead of the measurement's (\"\" for none)")
          ->type_name("NAME");
  add_word(command, "--interp-defaults", defaults_help(), [this](const std::string& name) -> Errors {
    const auto chosen =
        value_named(name, kDefaultsTable, "a pair of interpolation codes", "--interp-defaults");
    if (!chosen) return chosen.errors();
    interpolation_ = *chosen;
    return {};
  });
  command.add_flag("--timings", timings_,
                   "Add load_time_s to the JSON: the time from the file to the ready model");
  declare_code(command, "normsys", normsys_codes(), parse_normsys_code, normsys_code_);
  declare_code(command, "histosys", histosys_codes(), parse_histosys_code, histosys_code_);
}

Result<Json> ModelInput::patched() const {
  Result<Json> document = workspace_.read_json();
  if (!document) return document;
  if (!patchset_.empty()) {
    Result<Json> source = read_document(patchset_);
    if (!source) return source;
    const Result<PatchSet> patchset = PatchSet::read(std::move(*source));
    if (!patchset) return in_file(patchset.errors(), patchset_);
    const Result<std::size_t> position = patchset->find(patch_name_);
    if (!position) return in_file(position.errors(), patchset_);
    document = patchset->apply(*document, *position);
    if (!document) return in_file(document.errors(), patchset_);
  }
  for (const std::string& path : patches_) {
    const Result<Json> patch = read_document(path);
    if (!patch) return patch;
    document = apply_patch(std::move(*document), *patch);
    if (!document) return in_file(document.errors(), path);
  }
  return document;
}

Result<std::string> ModelInput::text() const {
  if (patchset_.empty() != patch_name_.empty()) {
    return Error{ErrorCode::BadUsage, "--patchset", "--patchset and --patch-name must be used together",
                 "give both, or use --patch FILE"};
  }
  if (patchset_.empty() && patches_.empty()) return workspace_.read();
  const auto from_stdin =
      std::count(patches_.begin(), patches_.end(), "-") + (patchset_ == "-") + (path() == "-");
  if (from_stdin > 1) {
    return Error{ErrorCode::BadUsage, "standard input",
                 "two documents are needed, and only one can come from standard input",
                 "give at least one of them as a file"};
  }
  const Result<Json> document = patched();
  if (!document) return document.errors();
  return dump_json(*document);
}

Result<Workspace> ModelInput::parse(std::string_view text) const {
  Result<Workspace> workspace = parse_workspace(text);
  if (workspace) return workspace;
  const bool is_patched = !patchset_.empty() || !patches_.empty();
  return in_file(workspace.errors(), is_patched ? path() + " (patched)" : path());
}

ModelOptions ModelInput::options(const Workspace& workspace) const {
  ModelOptions options;
  options.measurement = measurement_;
  // A name wins over a number: measurements may be called "1".
  const bool is_name = std::any_of(
      workspace.measurements.begin(), workspace.measurements.end(),
      [&](const WorkspaceMeasurement& known) { return workspace.name(known.name) == measurement_; });
  std::size_t number = 0;
  const char* end = measurement_.data() + measurement_.size();
  const auto [rest, status] = std::from_chars(measurement_.data(), end, number);
  if (!is_name && !measurement_.empty() && status == std::errc() && rest == end) {
    options.measurement.clear();
    options.measurement_index = number;
  }
  if (poi_option_->count() > 0) options.poi = poi_;
  set_codes(options, interpolation_);
  if (normsys_code_) options.normsys_code = *normsys_code_;
  if (histosys_code_) options.histosys_code = *histosys_code_;
  return options;
}

Result<Model> ModelInput::build(const Workspace& workspace) const {
  Result<Model> model = build_model(workspace, options(workspace));
  if (!model) return in_file(model.errors(), path());
  return model;
}

const std::string& LoadedModel::digest() const {
  if (known_digest.empty()) known_digest = digest_of_text(text).value();
  return known_digest;
}

Result<LoadedModel> ModelInput::load(const ChannelFilter& channels) const {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Result<std::string> text = this->text();
  if (!text) return text.errors();
  Result<Workspace> workspace = parse(*text);
  if (!workspace) return workspace.errors();
  ModelOptions options = this->options(*workspace);
  if (channels) {
    Result<std::vector<std::string>> wanted = channels(*workspace);
    if (!wanted) return wanted.errors();
    options.channels = std::move(*wanted);
  }
  Result<Model> model = build_model(*workspace, options);
  if (!model) return in_file(model.errors(), path());
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return LoadedModel{std::move(*workspace), std::move(*model), std::move(*text), display_name(path()),
                     if_timed(seconds)};
}

}  // namespace nextstat::cli
