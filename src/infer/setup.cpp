#include "infer/setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "base/suggest.h"
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

Error unknown_parameter(const Model& model, const std::string& name, const std::string& option) {
  std::vector<std::string> names;
  for (const Parameter& parameter : model.parameters()) names.push_back(parameter.name);
  return {ErrorCode::BadUsage, option, fmt::format("the model has no parameter \"{}\"", name),
          did_you_mean(name, names, "`nextstat inspect` lists the parameters")};
}

class SetupBuilder {
 public:
  SetupBuilder(const Model& model, const RunOptions& options, const Work& work)
      : setup_{model, options, {}, {}, {}, {}, {}}, work_(work) {}

  Result<Setup> run() {
    set_defaults();
    for (const std::string& name : setup_.options.freed)
      each("freed", name, [&](std::size_t i) { setup_.fixed[i] = 0; });
    apply_bounds();
    apply_values("--init", setup_.options.init, false);
    apply_values("--fixed", setup_.options.fixed, true);
    check_data();
    if (!errors_.empty()) return errors_;
    Result<OpenedSession> opened = open_session(setup_.model, setup_.options, work_);
    if (!opened) return opened.errors();
    setup_.session = std::move(opened->session);
    setup_.device = std::move(opened->use);
    return std::move(setup_);
  }

 private:
  void set_defaults() {
    for (const Parameter& parameter : setup_.model.parameters()) {
      setup_.start.push_back(parameter.init);
      setup_.bounds.low.push_back(parameter.low);
      setup_.bounds.high.push_back(parameter.high);
      setup_.fixed.push_back(parameter.fixed ? 1 : 0);
    }
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
  void each(const std::string& option, const std::string& name, Apply&& apply) {
    const std::vector<std::size_t> indices = named(name);
    if (indices.empty()) errors_.push_back(unknown_parameter(setup_.model, name, option));
    for (std::size_t i : indices) apply(i);
  }

  void apply_bounds() {
    for (const NamedBounds& wanted : setup_.options.bounds) {
      if (!(wanted.low <= wanted.high)) {
        errors_.push_back(
            {ErrorCode::BadUsage, "--bounds",
             fmt::format("the bounds [{}, {}] of \"{}\" hold no value", wanted.low, wanted.high, wanted.name),
             "give the lower bound first"});
        continue;
      }
      each("--bounds", wanted.name, [&](std::size_t i) {
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

  void apply_values(const std::string& option, const std::vector<NamedValue>& values, bool fix) {
    for (const NamedValue& wanted : values) {
      if (!std::isfinite(wanted.value)) {
        errors_.push_back({ErrorCode::BadUsage, option,
                           fmt::format("the value of \"{}\" is not finite", wanted.name), "give a number"});
        continue;
      }
      each(option, wanted.name, [&](std::size_t i) {
        const double only = setup_.bounds.low[i];
        if (!fix && setup_.fixed[i] && setup_.bounds.high[i] == only && wanted.value != only) {
          errors_.push_back({ErrorCode::BadUsage, option,
                             fmt::format("the start {} of \"{}\" is outside the bounds [{}, {}]",
                                         wanted.value, wanted.name, only, only),
                             "leave it out, or widen the bounds (--bounds NAME=LOW:HIGH)"});
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
  Work work_;
  Errors errors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_set_;
};

}  // namespace

Result<std::vector<double>> asimov_data(const Model& model, std::span<const double> parameters) {
  const Result<std::unique_ptr<Session>> session = native_backend().open(model, 0, {});
  if (!session) return session.errors();
  Result<EvalOutput> output = (*session)->evaluate({.parameters = parameters, .expected = true});
  if (!output) return output.errors();
  return std::move(output->expected);
}

RowBatch Setup::batch() const {
  RowBatch batch;
  batch.data = {data};
  batch.starts = {start};
  batch.bounds = {bounds};
  batch.fixed = fixed;
  return batch;
}

Result<std::vector<Minimum>> Setup::solve(const RowBatch& batch) const {
  SolveOptions solving;
  solving.threads = options.threads;
  solving.stop_token = options.stop;
  solving.on_progress = options.on_progress;
  return nextstat::solve(*session, model, batch, solving);
}

Result<std::size_t> Setup::parameter(const std::string& name, const std::string& option) const {
  if (!name.empty()) {
    const std::vector<std::size_t> found = named_parameters(model, name);
    if (found.size() == 1) return found.front();
    if (found.empty()) return unknown_parameter(model, name, option);
    return Error{ErrorCode::BadUsage, option,
                 fmt::format("\"{}\" is a set of {} parameters, one is needed", name, found.size()),
                 fmt::format("name one, for example \"{}\"", model.parameters()[found.front()].name)};
  }
  if (model.poi_index()) return *model.poi_index();
  if (model.poi_name().empty())
    return Error{ErrorCode::BadInput, "--poi", "the measurement has no parameter of interest",
                 "choose one with --poi NAME (`nextstat inspect` lists the parameters)"};
  return Error{
      ErrorCode::BadInput, "--poi",
      fmt::format("the parameter of interest \"{}\" is not in the model", model.poi_name()),
      "apply the signal patch that brings it (--patch, --patchset), or choose another with --poi NAME"};
}

Result<std::vector<std::size_t>> Setup::parameters(const std::string& name, const std::string& option) const {
  std::vector<std::size_t> found = named_parameters(model, name);
  if (found.empty()) return unknown_parameter(model, name, option);
  return found;
}

Result<Setup> make_setup(const Model& model, const RunOptions& options, const Work& work) {
  return SetupBuilder(model, options, work).run();
}

std::vector<char> moving_parameters(const Setup& setup, const Minimum& minimum) {
  std::vector<char> moving;
  for (std::size_t i = 0; i < setup.fixed.size(); ++i) {
    const double x = minimum.parameters[i];
    moving.push_back(!setup.fixed[i] && x > setup.bounds.low[i] && x < setup.bounds.high[i] ? 1 : 0);
  }
  for (std::size_t i : minimum.pinned) moving[i] = 0;
  return moving;
}

std::string bins_without_rate(const Setup& setup, std::span<const double> parameters) {
  const Result<EvalOutput> at = setup.session->evaluate({.parameters = parameters, .expected = true});
  std::vector<std::string> names;
  for (const ChannelInfo& channel : setup.model.channels()) {
    for (std::size_t b = 0; at && b < channel.bins; ++b) {
      const std::size_t i = channel.first_bin + b;
      if (setup.data[i] > 0 && !(at->expected[i] > 0))
        names.push_back(fmt::format("{}[{}] (observed {}, expected {:.6g})", channel.name, b, setup.data[i],
                                    at->expected[i]));
    }
  }
  if (names.size() > 5) {
    const std::size_t more = names.size() - 5;
    names.resize(5);
    names.push_back(fmt::format("and {} more", more));
  }
  return names.empty() ? "a constraint" : fmt::format("bins {}", fmt::join(names, ", "));
}

namespace {

Covariance covariance_at(const Setup& setup, const Minimum& minimum) {
  const CompiledModel& compiled = setup.model.compiled();
  return covariance(compiled, make_data_set(compiled, setup.data), minimum.parameters,
                    moving_parameters(setup, minimum), setup.options.threads);
}

std::vector<double> moved(const Setup& setup, std::vector<double> point, const std::vector<double>& direction,
                          double steps) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (!setup.fixed[i])
      point[i] = std::clamp(point[i] + steps * direction[i], setup.bounds.low[i], setup.bounds.high[i]);
  }
  return point;
}

// A systematic with equal variations up and down has no slope at 0, and a fit may end there although the NLL
// falls to both sides. Goes on from both, and keeps the lower end.
Result<std::monostate> leave_saddle(const Setup& setup, BestFit& best) {
  constexpr double kAside = 0.3;  // of the direction, which is about a sigma
  constexpr int kMostTries = 5;
  for (int i = 0; i < kMostTries && !best.covariance.positive_definite; ++i) {
    const std::vector<double> downhill = best.covariance.downhill;
    RowBatch batch = setup.batch();
    batch.rows.clear();
    for (const double side : {kAside, -kAside}) {
      batch.rows.push_back(Row{.start = batch.starts.size()});
      batch.starts.push_back(moved(setup, best.minimum.parameters, downhill, side));
    }
    Result<std::vector<Minimum>> minima = setup.solve(batch);
    if (!minima) return minima.errors();
    const std::size_t lower = (*minima)[1].nll < (*minima)[0].nll ? 1 : 0;
    if (!((*minima)[lower].nll < best.minimum.nll)) break;
    (*minima)[lower].iterations += best.minimum.iterations;
    (*minima)[lower].evaluations += best.minimum.evaluations;
    best.minimum = std::move((*minima)[lower]);
    best.start = moved(setup, best.start, downhill, lower == 0 ? kAside : -kAside);
    best.covariance = covariance_at(setup, best.minimum);
  }
  if (!best.covariance.positive_definite && best.minimum.converged())
    best.minimum.termination = Termination::NotConverged;
  return std::monostate{};
}

}  // namespace

Result<BestFit> find_best_fit(const Setup& setup, bool with_covariance) {
  RowBatch batch = setup.batch();
  batch.rows = {{}};
  Result<std::vector<Minimum>> minima = setup.solve(batch);
  if (!minima) return minima.errors();
  BestFit best{std::move(minima->front()), {}, {}, 0, setup.start};
  if (best.minimum.termination == Termination::NotFinite) {
    return Error{
        ErrorCode::BadInput, "",
        fmt::format("the likelihood is zero at the start: {}", bins_without_rate(setup, setup.start)),
        "the model must expect something wherever something was observed: start elsewhere "
        "(--init NAME=VALUE), prune the bin's channel, or mend the model"};
  }
  const Result<EvalOutput> at_start =
      setup.session->evaluate({.parameters = setup.start, .data = setup.data});
  if (!at_start) return at_start.errors();
  best.initial_nll = at_start->nll[0];
  if (with_covariance) {
    best.covariance = covariance_at(setup, best.minimum);
    if (auto left = leave_saddle(setup, best); !left) return left.errors();
  }
  for (std::size_t i = 0; i < setup.fixed.size(); ++i) {
    const double x = best.minimum.parameters[i];
    if (!setup.fixed[i] && (x <= setup.bounds.low[i] || x >= setup.bounds.high[i]))
      best.at_bound.push_back(i);
  }
  return best;
}

bool is_better_minimum(const Minimum& known, const Minimum& other) {
  return other.nll < known.nll - (1e-7 + 1e-11 * std::abs(known.nll));
}

double moved_within_bounds(const Setup& setup, std::size_t parameter, double from, double to) {
  const double low = setup.bounds.low[parameter], high = setup.bounds.high[parameter];
  return std::clamp(to, std::min(from, (from + low) / 2), std::max(from, (from + high) / 2));
}

std::vector<double> profile_start(const Setup& setup, const BestFit& best, std::size_t parameter,
                                  double value) {
  std::vector<double> start = best.minimum.parameters;
  const std::size_t n = start.size();
  const std::vector<double>& c = best.covariance.matrix;
  const double variance = c.empty() ? 0.0 : c[parameter * (n + 1)];
  const double steps = variance > 0 ? (value - start[parameter]) / variance : 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double move = steps == 0 ? 0.0 : steps * c[parameter * n + i];
    if (!std::isfinite(move) || setup.fixed[i]) continue;
    start[i] = moved_within_bounds(setup, i, start[i], start[i] + move);
  }
  start[parameter] = value;
  return start;
}

void warn_about_bounds(const Setup& setup, std::size_t poi, double mu, std::vector<std::string>& warnings) {
  const double low = setup.bounds.low[poi], high = setup.bounds.high[poi];
  if (mu < low || mu > high)
    warnings.push_back(
        fmt::format("{} = {:.6g} lies outside its bounds [{:.6g}, {:.6g}], which the free fit keeps",
                    setup.model.parameters()[poi].name, mu, low, high));
}

}  // namespace nextstat
