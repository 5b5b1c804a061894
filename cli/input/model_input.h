// The options of every verb that needs a model: which workspace, patches, measurement, interpolation codes.
#pragma once

#include <nextstat/model.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "input/document_input.h"

namespace nextstat::cli {

struct LoadedModel {
  Workspace workspace;
  Model model;
  std::string text;                        // of the workspace after patches
  std::string path;                        // as messages show it
  std::optional<double> load_time_s = {};  // from file to ready model; with --timings only

  const std::string& digest() const;      // of the text: a second reading of it, so only where it is printed
  mutable std::string known_digest = {};  // once it was asked for
};

// Names of the published nextstat for both codes at once; what pyhf itself builds is Root.
enum class InterpolationDefaults { Root, Pyhf };

// The channels to build a model of; empty = all. Without a function: all.
using ChannelFilter = std::function<Result<std::vector<std::string>>(const Workspace&)>;

class ModelInput {
 public:
  void declare(CLI::App& command);
  Result<LoadedModel> load(const ChannelFilter& channels = {}) const;
  // The model with all channels of a workspace that was loaded before.
  Result<Model> build(const Workspace& workspace) const;

  // The workspace's text after patches, and the workspace read from it.
  Result<std::string> text() const;
  Result<Workspace> parse(std::string_view text) const;
  std::string path() const { return workspace_.path(); }
  bool workspace_given() const { return workspace_.given(); }
  // What the options say about a model of this workspace.
  ModelOptions options(const Workspace& workspace) const;

  // For verbs that do other things with patches.
  const InputFile& workspace() const { return workspace_; }
  const std::string& patchset() const { return patchset_; }
  // What a result says of a time: two runs without --timings differ in wall_time_s alone.
  std::optional<double> if_timed(double seconds) const {
    return timings_ ? std::optional(seconds) : std::nullopt;
  }
  const std::string& patch_name() const { return patch_name_; }
  bool one_patch() const { return !patch_name_.empty() || !patches_.empty(); }

 private:
  Result<Json> patched() const;

  InputFile workspace_;
  std::vector<std::string> patches_;
  std::string patchset_, patch_name_;
  std::string measurement_, poi_;
  InterpolationDefaults interpolation_ = InterpolationDefaults::Root;
  std::optional<NormsysCode> normsys_code_;
  std::optional<HistosysCode> histosys_code_;
  CLI::Option* poi_option_ = nullptr;
  bool timings_ = false;
};

}  // namespace nextstat::cli
