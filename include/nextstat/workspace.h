// A HistFactory workspace as read from JSON: names and numbers in flat storage, in the order of the file.
//
//   Result<Workspace> workspace = load_workspace("analysis.json");
//   if (!workspace)
//     for (const Error& error : workspace.errors()) std::cerr << to_text(error) << "\n";  // with its JSON pointer
//
// A Workspace that exists is valid: lengths agree, names are consistent, every channel has observations.
#pragma once

#include <nextstat/result.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// What a workspace may not exceed. Checked before memory is spent; `nextstat validate --limits` prints them.
struct Limits {
  std::size_t text_bytes = 4'000'000'000;
  std::size_t channels = 100'000;
  std::size_t bins = 10'000'000;             // summed over channels
  std::size_t parameters = 2'000'000;        // flat
  std::size_t nominal_cells = 200'000'000;   // sum over channels of samples x bins
  std::size_t terms = 100'000'000;           // acts of a modifier on a sample or on one of its bins
  std::size_t numbers = 400'000'000;         // in the text
  std::size_t free_bin_factors = 2'000'000;  // bins x shapefactors, summed over samples
  double dense_size = 1e15;                  // channels x sample names x modifiers x bins
  std::size_t hessian_parameters = 20'000;   // a dense matrix of parameters x parameters
};

using NameId = std::uint32_t;            // index into Workspace::names
constexpr NameId kNoName = 0xffffffffu;  // no name: ""

// Some consecutive entries of Workspace::numbers.
struct NumberRange {
  std::size_t begin = 0;
  std::size_t count = 0;
};

// One modifier of a sample.
struct WorkspaceModifier {
  NameId name = kNoName;
  std::uint32_t kind = 0;  // index into modifier_kinds()
  NumberRange first;       // uncertainties, or lo / lo_data
  NumberRange second;      // hi / hi_data
};

// One sample of a channel.
struct WorkspaceSample {
  NameId name = kNoName;
  NumberRange data;
  std::size_t modifiers_begin = 0, modifiers_count = 0;  // in Workspace::modifiers
};

// One channel. Its bins are those of its samples.
struct WorkspaceChannel {
  NameId name = kNoName;
  std::size_t samples_begin = 0, samples_count = 0;  // in Workspace::samples
};

// What a measurement says about one parameter set; empty = not said.
struct ParameterConfig {
  NameId name = kNoName;
  std::optional<NumberRange> inits, bounds, auxdata, factors, sigmas;  // bounds: pairs (low, high), flattened
  std::optional<bool> fixed;
};

// One measurement: its parameter of interest and its settings.
struct WorkspaceMeasurement {
  NameId name = kNoName;
  NameId poi = kNoName;  // kNoName for ""
  std::vector<ParameterConfig> parameters;
};

// The data of one channel.
struct WorkspaceObservation {
  NameId name = kNoName;
  NumberRange data;
};

// The whole document. Parts refer to names and numbers, which name() and values() look up.
struct Workspace {
  std::vector<WorkspaceChannel> channels;
  std::vector<WorkspaceSample> samples;
  std::vector<WorkspaceModifier> modifiers;
  std::vector<WorkspaceMeasurement> measurements;
  std::vector<WorkspaceObservation> observations;
  std::vector<std::string> names;
  std::vector<double> numbers;
  std::vector<std::string> warnings;  // things worth a look that are no faults

  std::span<const double> values(NumberRange range) const {
    return {numbers.data() + range.begin, range.count};
  }
  std::string_view name(NameId id) const {
    return id == kNoName ? std::string_view() : std::string_view(names[id]);
  }
};

// A workspace can hold a measurement that cannot be used (no settings for lumi, say) beside one that can.
enum class UsableMeasurements {
  One,  // at least one is usable; faults of the others are warnings, and errors when one of them is chosen
  All   // every one is usable
};

// Reads and checks a workspace. On failure, lists every error found, each with its JSON pointer.
Result<Workspace> parse_workspace(std::string_view text, const Limits& limits = {},
                                  UsableMeasurements measurements = UsableMeasurements::One);

// The same from a file ("-" is standard input).
Result<Workspace> load_workspace(const std::string& path, const Limits& limits = {},
                                 UsableMeasurements measurements = UsableMeasurements::One);

// A workspace that an operation made. What no model can be built from yet (a measurement without settings for lumi) is
// no error: operations may pass through such a state.
struct WorkspaceReview {
  Errors errors = {};      // of its shape
  Errors incomplete = {};  // what a model would lack; the first ones
  std::size_t n_incomplete = 0;
};
WorkspaceReview review_workspace(const std::string& text, const Limits& limits = {});

}  // namespace nextstat
#pragma GCC visibility pop
