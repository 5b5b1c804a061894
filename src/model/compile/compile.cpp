#include "model/compile/compile.h"

#include <fmt/format.h>

#include <unordered_set>

#include "model/compile/interpolation_coefficients.h"

namespace nextstat {
namespace {

// Turns the terms of one modifier use into entries of the compiled model.
class Sink final : public TermSink {
 public:
  Sink(CompiledModel& model, std::vector<std::string>& warnings) : model_(model), warnings_(warnings) {}

  void at(std::uint32_t sample, std::uint32_t first_cell, const ParameterSet& set, std::string_view name) {
    sample_ = sample;
    first_cell_ = first_cell;
    set_ = &set;
    name_ = name;
  }

  void scale(std::size_t component) override { model_.factors.push_back({parameter(component), sample_}); }

  void scale_bin(std::size_t bin, std::size_t component) override {
    model_.gammas.push_back({parameter(component), cell(bin)});
  }

  void interpolated_scale(std::size_t component, double low, double high) override {
    if (low == 1 && high == 1) return;
    if (low > 0 && high > 0) {
      CompiledModel::Norm& norm = model_.norms.emplace_back();
      norm.parameter = parameter(component);
      norm.sample = sample_;
      norm.high = high, norm.low = low;
      return;
    }
    CompiledModel::Linear& linear = model_.linears.emplace_back();
    linear.parameter = parameter(component);
    linear.sample = sample_;
    set_linear_coefficients(linear, low, high);
    if (!warned_.insert(linear.parameter).second || warned_.size() > kMostWarnings) return;
    warnings_.push_back(
        fmt::format("normsys \"{}\" has lo = {}, hi = {}: a factor that is not positive has no logarithm, so "
                    "the interpolation is linear",
                    name_, low, high));
  }

  void shift(const ModifierUse& use, std::size_t component) override {
    for (std::size_t bin = 0; bin < use.nominal.size(); ++bin) {
      const double up = use.second[bin] - use.nominal[bin], down = use.nominal[bin] - use.first[bin];
      if (up == 0 && down == 0) continue;
      auto& shift = model_.shifts.emplace_back(CompiledModel::Shift{parameter(component), cell(bin), 0, 0});
      set_shift_coefficients(shift, up, down);
    }
  }

 private:
  std::uint32_t parameter(std::size_t component) const {
    return static_cast<std::uint32_t>(set_->first_index + component);
  }
  std::uint32_t cell(std::size_t bin) const { return first_cell_ + static_cast<std::uint32_t>(bin); }

  CompiledModel& model_;
  static constexpr std::size_t kMostWarnings = 100;
  std::vector<std::string>& warnings_;
  std::unordered_set<std::uint32_t> warned_;  // parameters, each once
  std::uint32_t sample_ = 0, first_cell_ = 0;
  const ParameterSet* set_ = nullptr;
  std::string_view name_;
};

template <class T>
std::uint32_t size32(const std::vector<T>& items) {
  return static_cast<std::uint32_t>(items.size());
}

class Compiler {
 public:
  Compiler(const Workspace& workspace, const SortedView& view, const ParameterCollection& collection,
           CompiledModel& model, std::vector<std::string>& warnings)
      : workspace_(workspace), view_(view), collection_(collection), model_(model), sink_(model, warnings) {}

  void samples() {
    reserve();
    std::uint32_t first_bin = 0;
    for (std::size_t rank = 0; rank < view_.channels().size(); ++rank) {
      std::uint32_t bins = 0;
      for (const std::uint32_t s : view_.samples(view_.channels()[rank])) {
        bins = static_cast<std::uint32_t>(workspace_.samples[s].data.count);
        sample(workspace_.samples[s], s, rank, first_bin);
      }
      first_bin += bins;
    }
    model_.n_bins = first_bin;
  }

  void constraints() {
    std::uint32_t datum = static_cast<std::uint32_t>(model_.n_bins);
    for (const ParameterSet& set : collection_.sets) {
      if (set.constraint == Constraint::None) continue;
      for (std::size_t i = 0; i < set.size(); ++i, ++datum) {
        const std::uint32_t parameter = static_cast<std::uint32_t>(set.first_index + i);
        if (set.constraint == Constraint::Normal) {
          model_.normals.push_back({parameter, datum, set.components[i].width});
        } else {
          model_.poissons.push_back({parameter, datum, set.components[i].width});
        }
      }
    }
    model_.n_data = datum;
  }

 private:
  // At most what the workspace has of each.
  void reserve() {
    std::size_t counts[4] = {}, numbers = 0;
    for (const WorkspaceModifier& modifier : workspace_.modifiers) {
      const DataShape shape = kinds_[modifier.kind].shape;
      ++counts[static_cast<std::size_t>(shape)];
      if (shape == DataShape::LowHighArrays) numbers += modifier.first.count;
    }
    model_.norms.reserve(counts[static_cast<std::size_t>(DataShape::LowHigh)]);
    model_.factors.reserve(counts[static_cast<std::size_t>(DataShape::Null)]);
    model_.shifts.reserve(numbers);
    model_.samples.reserve(workspace_.samples.size());
  }

  void sample(const WorkspaceSample& source, std::size_t index, std::size_t channel,
              std::uint32_t first_bin) {
    const auto data = workspace_.values(source.data);
    CompiledModel::Sample sample{};
    sample.channel = static_cast<std::uint32_t>(channel);
    sample.first_cell = size32(model_.nominal);
    sample.first_bin = first_bin;
    sample.bins = static_cast<std::uint32_t>(data.size());
    mark(sample, true);
    model_.nominal.insert(model_.nominal.end(), data.begin(), data.end());
    for (const std::uint32_t m : view_.modifiers(index)) {
      const WorkspaceModifier& modifier = workspace_.modifiers[m];
      const ParameterSet& set = *collection_.find(modifier.name);
      const ModifierKind& kind = kinds_[modifier.kind];
      const ModifierUse use = modifier_use(workspace_, source, modifier, channel);
      sink_.at(size32(model_.samples), sample.first_cell, set, workspace_.name(modifier.name));
      kind.terms(set, use, sink_);
    }
    mark(sample, false);
    model_.samples.push_back(sample);
  }

  void mark(CompiledModel::Sample& sample, bool begin) const {
    (begin ? sample.norm_begin : sample.norm_end) = size32(model_.norms);
    (begin ? sample.linear_begin : sample.linear_end) = size32(model_.linears);
    (begin ? sample.factor_begin : sample.factor_end) = size32(model_.factors);
    (begin ? sample.shift_begin : sample.shift_end) = size32(model_.shifts);
    (begin ? sample.gamma_begin : sample.gamma_end) = size32(model_.gammas);
  }

  const std::span<const ModifierKind> kinds_ = modifier_kinds();
  const Workspace& workspace_;
  const SortedView& view_;
  const ParameterCollection& collection_;
  CompiledModel& model_;
  Sink sink_;
};

}  // namespace

Result<CompiledModel> compile(const Workspace& workspace, const SortedView& view,
                              const ParameterCollection& collection, const ModelOptions& options,
                              std::vector<std::string>& warnings) {
  CompiledModel model;
  model.n_parameters = collection.size;
  model.normsys_code = static_cast<std::uint32_t>(options.normsys_code);
  model.histosys_code = static_cast<std::uint32_t>(options.histosys_code);
  Compiler compiler(workspace, view, collection, model, warnings);
  compiler.samples();
  const std::size_t terms = model.norms.size() + model.linears.size() + model.factors.size() +
                            model.shifts.size() + model.gammas.size();
  if (terms > options.limits.terms) {
    return Error{ErrorCode::LimitExceeded,
                 "/channels",
                 fmt::format("{} terms of modifiers, the limit is {}", terms, options.limits.terms),
                 {"split the workspace", Listing::Limits}};
  }
  // In two loops: each step waits for the one before, but not for those of other terms.
  for (CompiledModel::Norm& norm : model.norms) set_norm_logarithms(norm);
  for (CompiledModel::Norm& norm : model.norms) set_norm_polynomial(norm);
  compiler.constraints();
  list_parameters(model);
  lay_out(model);
  return model;
}

}  // namespace nextstat
