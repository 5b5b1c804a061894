#include "infer/setup/setup.h"

#include <fmt/format.h>

#include <cmath>

#include "base/try.h"
#include "infer/setup/parameter_names.h"

namespace nextstat {
namespace {

class SetupBuilder {
 public:
  SetupBuilder(const Model& model, const RunOptions& options, const WorkEstimate& work)
      : setup_{model, options, {}, {}, {}, {}, {}, {}, {}, {}}, work_(work) {}

  Result<Setup> run() {
    set_defaults();
    for (const std::string& name : setup_.options.freed)
      each(Field::Fixed, name, [&](std::size_t i) { setup_.fixed[i] = 0; });
    apply_bounds();
    apply_values(Field::Init, setup_.options.init, false);
    apply_values(Field::Fixed, setup_.options.fixed, true);
    check_data();
    if (!errors_.empty()) return errors_;
    setup_.set = make_dataset(compiled_model(setup_.model), setup_.data);
    TRY(setup_.session, session_for(setup_.model, setup_.options, work_));
    setup_.device = setup_.session.use;
    setup_.options.threads = setup_.session.threads;
    if (setup_.options.starts != 1)
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

  template <class Apply>
  void each(Field asked_by, const std::string& name, Apply&& apply) {
    if (!names_) names_.emplace(setup_.model);
    const std::vector<std::size_t> indices = names_->find(name);
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
        check_count(channel, b, setup_.data[channel.first_bin + b]);
    }
    for (std::size_t i = setup_.model.n_bins(); i < size; ++i) {
      if (std::isfinite(setup_.data[i])) continue;
      errors_.push_back({ErrorCode::BadInput, fmt::format("auxiliary datum {}", i - setup_.model.n_bins()),
                         fmt::format("{} is not finite", setup_.data[i]), "give a number"});
    }
  }

  // Squares of larger counts overflow on the way to the minimum.
  void check_count(const ChannelInfo& channel, std::size_t bin, double count) {
    constexpr double kLargest = 1e150;
    if (count >= 0 && count <= kLargest) return;
    errors_.push_back({ErrorCode::BadInput, fmt::format("{}[{}]", channel.name, bin),
                       count > kLargest ? fmt::format("the count {:.6g} is larger than {}", count, kLargest)
                                        : fmt::format("{} is not a count", count),
                       count > kLargest ? "no likelihood can be computed with such a number: check the data"
                                        : "observed counts are finite and not negative"});
  }

  Setup setup_;
  WorkEstimate work_;
  Errors errors_;
  std::optional<ParameterNames> names_;  // made when an option names one
};

}  // namespace

RowBatch Setup::batch() const {
  RowBatch batch;
  batch.data = data;
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
  return find_basins(*session, model, bends.get(), batch, rule, solving);
}

Result<Setup> make_setup(const Model& model, const RunOptions& options, const WorkEstimate& work) {
  return SetupBuilder(model, options, work).run();
}

}  // namespace nextstat
