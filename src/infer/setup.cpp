#include "infer/setup.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "base/try.h"
#include "device/registry.h"

namespace nextstat {
namespace {

// Indices of the parameters that a name means: one parameter, or all of a set.
std::vector<std::size_t> named_parameters(const Model& model, const std::string& name) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < model.n_parameters(); ++i) {
    const Parameter& parameter = model.parameters()[i];
    if (parameter.name == name) return {i};
    if (parameter.set == name) found.push_back(i);
  }
  return found;
}

Error unknown_parameter(const Model& model, const std::string& name, Field asked_by) {
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters()) names.push_back(parameter.name);
  return {ErrorCode::NotFound, asked_by, fmt::format("the model has no parameter \"{}\"", name),
          did_you_mean(name, names, Listing::Parameters)};
}

class SetupBuilder {
 public:
  SetupBuilder(const Model& model, const RunOptions& options, const WorkEstimate& work)
      : setup_{model, options, {}, {}, {}, {}, {}, {}, {}}, work_(work) {}

  Result<Setup> run() {
    set_defaults();
    for (const std::string& name : setup_.options.freed)
      each(Field::Fixed, name, [&](std::size_t i) { setup_.fixed[i] = 0; });
    apply_bounds();
    apply_values(Field::Init, setup_.options.init, false);
    apply_values(Field::Fixed, setup_.options.fixed, true);
    check_data();
    if (!errors_.empty()) return errors_;
    TRY(OpenedSession opened, open_session(setup_.model, setup_.options, work_));
    setup_.session = std::move(opened.session);
    setup_.device = std::move(opened.use);
    setup_.bends = std::make_shared<ModelBends>(compiled_model(setup_.model), setup_.start);
    return std::move(setup_);
  }

 private:
  void set_defaults() {
    setup_.start = setup_.model.initial();
    setup_.bounds = bounds_of(setup_.model);
    setup_.fixed = fixed_of(setup_.model);
    const std::span<const double> own = setup_.model.data();
    setup_.data =
        setup_.options.data.empty() ? std::vector<double>(own.begin(), own.end()) : setup_.options.data;
  }

  // As named_parameters(), by tables that are made once: there may be an entry for every parameter.
  std::vector<std::size_t> named(const std::string& name) {
    if (by_name_.empty()) {
      for (std::size_t i = 0; i < setup_.model.n_parameters(); ++i) {
        by_name_.emplace(setup_.model.parameters()[i].name, i);
        by_set_[setup_.model.parameters()[i].set].push_back(i);
      }
    }
    if (const auto found = by_name_.find(name); found != by_name_.end()) return {found->second};
    const auto found = by_set_.find(name);
    return found == by_set_.end() ? std::vector<std::size_t>() : found->second;
  }

  template <class Apply>
  void each(Field asked_by, const std::string& name, Apply&& apply) {
    const std::vector<std::size_t> indices = named(name);
    if (indices.empty()) errors_.push_back(unknown_parameter(setup_.model, name, asked_by));
    for (std::size_t i : indices) apply(i);
  }

  void apply_bounds() {
    for (const NamedBounds& wanted : setup_.options.bounds) {
      if (!(wanted.low <= wanted.high)) {
        errors_.push_back({ErrorCode::BadUsage, Field::Bounds,
                           fmt::format("the bounds [{}, {}] of \"{}\" contain no value", wanted.low,
                                       wanted.high, wanted.name),
                           "give the lower bound first"});
        continue;
      }
      each(Field::Bounds, wanted.name, [&](std::size_t i) {
        setup_.bounds.low[i] = wanted.low;
        setup_.bounds.high[i] = wanted.high;
        if (wanted.low == wanted.high) hold(i, wanted.low);
      });
    }
  }

  // Bounds that leave one value are the same as fixing it there.
  void hold(std::size_t parameter, double value) {
    setup_.start[parameter] = value;
    setup_.fixed[parameter] = 1;
  }

  void apply_values(Field field, const std::vector<NamedValue>& values, bool fix) {
    for (const NamedValue& wanted : values) {
      if (!std::isfinite(wanted.value)) {
        errors_.push_back({ErrorCode::BadUsage, field,
                           fmt::format("the value of \"{}\" is not finite", wanted.name), "give a number"});
        continue;
      }
      each(field, wanted.name, [&](std::size_t i) {
        const double only = setup_.bounds.low[i];
        if (!fix && setup_.fixed[i] && setup_.bounds.high[i] == only && wanted.value != only) {
          errors_.push_back({ErrorCode::BadUsage,
                             field,
                             fmt::format("the start {} of \"{}\" is outside the bounds [{}, {}]",
                                         wanted.value, wanted.name, only, only),
                             {"leave it out, or widen the bounds", {Field::Bounds}}});
        }
        setup_.start[i] = wanted.value;
        if (fix) setup_.fixed[i] = 1;
      });
    }
  }

  void check_data() {
    const std::size_t size = setup_.model.data().size();
    if (setup_.data.size() != size) {
      errors_.push_back({ErrorCode::BadUsage, "data",
                         fmt::format("{} data values, the model has {}", setup_.data.size(), size),
                         "give the main bins in order, then the auxiliary data"});
      return;
    }
    for (const ChannelInfo& channel : setup_.model.channels()) {
      for (std::size_t b = 0; b < channel.bins; ++b)
        check_count(fmt::format("{}[{}]", channel.name, b), setup_.data[channel.first_bin + b]);
    }
    for (std::size_t i = setup_.model.n_bins(); i < size; ++i) {
      if (std::isfinite(setup_.data[i])) continue;
      errors_.push_back({ErrorCode::BadInput, fmt::format("auxiliary datum {}", i - setup_.model.n_bins()),
                         fmt::format("{} is not finite", setup_.data[i]), "give a number"});
    }
  }

  // Squares of larger counts overflow on the way to the minimum.
  void check_count(const std::string& bin, double count) {
    constexpr double kLargest = 1e150;
    if (count >= 0 && count <= kLargest) return;
    errors_.push_back({ErrorCode::BadInput, bin,
                       count > kLargest ? fmt::format("the count {:.6g} is larger than {}", count, kLargest)
                                        : fmt::format("{} is not a count", count),
                       count > kLargest ? "no likelihood can be computed with such a number: check the data"
                                        : "observed counts are finite and not negative"});
  }

  Setup setup_;
  WorkEstimate work_;
  Errors errors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_set_;
};

}  // namespace

Result<std::vector<double>> asimov_data(const Model& model, std::span<const double> parameters) {
  TRY(const std::unique_ptr<Session> session, native_backend().open(model, 0, {}));
  TRY(EvalOutput output, session->evaluate({.parameters = parameters, .expected = true}));
  return std::move(output.expected);
}

RowBatch Setup::batch() const {
  RowBatch batch;
  batch.data = {data};
  batch.starts = {start};
  batch.bounds = {bounds};
  batch.fixed = fixed;
  return batch;
}

SolveOptions Setup::solving() const {
  SolveOptions solving;
  solving.threads = options.threads;
  solving.stop_token = options.stop;
  solving.on_progress = options.on_progress;
  return solving;
}

Result<std::vector<Minimum>> Setup::solve(const RowBatch& batch) const {
  return nextstat::solve(*session, model, batch, solving());
}

Result<std::vector<Basins>> Setup::search(const RowBatch& batch, SearchRule rule,
                                          const SolveOptions& solving) const {
  // Rows that go by their neighbors alone ask for one start.
  if (rule.starts != 1) rule.starts = options.starts;
  if (options.starts == 1) rule = {.starts = 1};
  return find_basins(*session, model, *bends, batch, rule, solving);
}

Result<std::size_t> Setup::parameter(const std::string& name, Field asked_by) const {
  if (!name.empty()) {
    const std::vector<std::size_t> found = named_parameters(model, name);
    if (found.size() == 1) return found.front();
    if (found.empty()) return unknown_parameter(model, name, asked_by);
    return Error{ErrorCode::BadUsage, asked_by,
                 fmt::format("\"{}\" is a set of {} parameters, a single one is needed", name, found.size()),
                 fmt::format("name one, for example \"{}\"", model.parameters()[found.front()].name)};
  }
  if (model.poi_index()) return *model.poi_index();
  if (model.poi_name().empty())
    return Error{ErrorCode::BadInput,
                 Field::Poi,
                 "the measurement has no parameter of interest",
                 {"choose one", {Field::Poi}, Listing::Parameters}};
  return Error{ErrorCode::BadInput,
               Field::Poi,
               fmt::format("the parameter of interest \"{}\" is not in the model", model.poi_name()),
               {"apply the signal patch that adds it, or choose another", {Field::Patch, Field::Poi}}};
}

Result<std::vector<std::size_t>> Setup::parameters(const std::string& name, Field asked_by) const {
  std::vector<std::size_t> found = named_parameters(model, name);
  if (found.empty()) return unknown_parameter(model, name, asked_by);
  return found;
}

Result<Setup> make_setup(const Model& model, const RunOptions& options, const WorkEstimate& work) {
  return SetupBuilder(model, options, work).run();
}

std::string zero_likelihood_reason(const Setup& setup, std::span<const double> parameters) {
  const Result<EvalOutput> at = setup.session->evaluate({.parameters = parameters, .expected = true});
  std::vector<std::string> names;
  for (const ChannelInfo& channel : setup.model.channels()) {
    for (std::size_t b = 0; at && b < channel.bins; ++b) {
      const std::size_t i = channel.first_bin + b;
      // Below the smallest normal number 1 / nu overflows.
      if (setup.data[i] > 0 && !(at->expected[i] >= std::numeric_limits<double>::min()))
        names.push_back(fmt::format("{}[{}] (observed {}, expected {:.6g})", channel.name, b, setup.data[i],
                                    at->expected[i]));
    }
  }
  if (names.size() > 5) {
    const std::size_t more = names.size() - 5;
    names.resize(5);
    names.push_back(fmt::format("and {} more", more));
  }
  if (!names.empty()) return fmt::format("bins {}", fmt::join(names, ", "));
  return setup.data.size() > setup.model.n_bins() ? "a rate or a constraint is out of the range of numbers"
                                                  : "a rate is out of the range of numbers";
}

void warn_about_bounds(const Setup& setup, std::size_t poi, double mu, std::vector<std::string>& warnings) {
  const double low = setup.bounds.low[poi], high = setup.bounds.high[poi];
  if (mu < low || mu > high)
    warnings.push_back(
        fmt::format("{} = {:.6g} is outside its bounds [{:.6g}, {:.6g}], which the free fit respects",
                    setup.model.parameters()[poi].name, mu, low, high));
}

}  // namespace nextstat
