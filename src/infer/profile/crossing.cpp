#include "infer/profile/crossing.h"
#include "base/no_value.h"
#include "base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace nextstat {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::size_t kMostFits = 60;
// The distance from the best fit grows at most by this while no bracket is known.
constexpr double kGrowth = 3.0;
// |f| in units of sqrt(level): closer than this one last step without a fit is exact to its square or better.
constexpr double kClose = 1e-5;
constexpr double kNarrow = 1e-11;  // a bracket in units of its distance from the best fit

// A point of the profile. t = distance from the best fit, f = sqrt(q) - sqrt(level).
struct Point {
  double t = 0, f = 0, slope = 0;  // slope = df/dt; NaN where it says nothing

  bool usable() const { return std::isfinite(f) && slope > 0 && std::isfinite(slope); }
};

// t where f = 0 by the cubic t(f) through two points and their slopes.
double inverse_cubic(const Point& a, const Point& b) {
  const double h = b.f - a.f, u = -a.f / h;
  const double h00 = (1 + 2 * u) * (1 - u) * (1 - u), h10 = u * (1 - u) * (1 - u);
  return h00 * a.t + h10 * h / a.slope + (1 - h00) * b.t + u * u * (u - 1) * h / b.slope;
}

// One crossing on its way. The bracket (low_, high_) always holds the first crossing seen.
class Search {
 public:
  Search(const Setup& setup, const BestFit& best, const Crossing& wanted, double slope_at_best)
      : setup_(setup),
        best_(best),
        wanted_(wanted),
        sign_(wanted.side == Side::Upper ? 1.0 : -1.0),
        origin_(best.minimum.parameters[wanted.parameter]),
        root_(std::sqrt(wanted.level)) {
    const std::size_t p = wanted.parameter;
    const double bound = sign_ > 0 ? setup.bounds.high[p] : setup.bounds.low[p];
    limit_ = sign_ * (bound - origin_);
    result_.value = kNoValue;
    result_.lowest_nll = kInfinity;
    const double sigma = postfit_sigma(best, p);
    low_ = latest_ = {0.0, -root_, 1 / sigma};
    const double scale = std::isfinite(sigma) ? sigma : guessed_scale();
    // q(t) = 2 g t + (t / scale)^2; g = 0 unless the best fit is at a bound.
    const double g = std::isfinite(sigma) ? 0.0 : std::max(0.0, sign_ * slope_at_best);
    next_ = std::min(limit_, wanted.level / (g + std::sqrt(g * g + wanted.level / (scale * scale))));
    if (!(limit_ > 0) || setup.fixed[p]) finish(CrossingStatus::Bound);
  }

  bool done() const { return done_; }
  const CrossingResult& result() const { return result_; }

  ProfilePoint point() const {
    const std::size_t p = wanted_.parameter;
    ProfilePoint point{{{p, value_at(next_)}}};
    if (retry_) {
      point.start = best_.minimum.parameters;
      point.start[p] = value_at(next_);
    } else if (!solution_.empty()) {
      point.start = next_start();
    }
    return point;
  }

  // slope: d NLL / d parameter at the conditional minimum.
  void take(Minimum&& minimum, double slope) {
    ++result_.fits;
    result_.iterations += minimum.iterations;
    if (minimum.termination == Termination::Interrupted) return finish(CrossingStatus::Interrupted);
    if (minimum.termination == Termination::NotConverged) {
      if (retry_) return finish(CrossingStatus::NotConverged);
      retry_ = true;
      return;
    }
    retry_ = false;
    if (minimum.nll < result_.lowest_nll) {
      result_.lowest_nll = minimum.nll;
      result_.lowest_at = value_at(next_);
      result_.better_minimum = is_better_minimum(best_.minimum, minimum);
    }
    const double q = 2 * (minimum.nll - best_.minimum.nll);
    const double height = q > 0 ? std::sqrt(q) : 0.0;
    const Point previous = latest_;
    latest_ = {next_, height - root_, q > 0 ? sign_ * slope / height : kNoValue};
    if (std::isfinite(q)) {
      solution_ = std::move(minimum.parameters);
      solution_at_ = next_;
    }
    advance(previous);
  }

 private:
  void finish(CrossingStatus status, double t = kNoValue) {
    done_ = true;
    result_.status = status;
    if (status == CrossingStatus::Found) result_.value = value_at(std::min(t, limit_));
  }

  // The bound itself where the distance is all of it: no rounding beyond it.
  double value_at(double t) const {
    if (t >= limit_) {
      return sign_ > 0 ? setup_.bounds.high[wanted_.parameter] : setup_.bounds.low[wanted_.parameter];
    }
    return origin_ + sign_ * t;
  }

  double guessed_scale() const {
    const Prefit before = prefit(setup_.model.parameters()[wanted_.parameter]);
    if (std::isfinite(before.sigma)) return before.sigma;
    return std::min(0.1 * std::max(1.0, std::abs(origin_)), std::isfinite(limit_) ? limit_ / 4 : kInfinity);
  }

  void advance(const Point& previous) {
    if (latest_.f < 0) {
      low_ = latest_;
    } else {
      high_ = latest_;
    }
    const double step = estimate(previous);
    if (std::abs(latest_.f) <= kClose * root_ && latest_.usable()) {
      const bool inside = step >= low_.t && step <= (high_ ? high_->t : limit_);
      return finish(CrossingStatus::Found, inside ? step : latest_.t);
    }
    if (high_ && high_->t - low_.t <= kNarrow * high_->t) return finish(CrossingStatus::Found, high_->t);
    if (!high_ && latest_.t >= limit_) return finish(CrossingStatus::Bound);
    if (result_.fits >= kMostFits) return finish(CrossingStatus::NotConverged);
    if (high_) {
      // A step must shorten the bracket; the middle does when the estimate does not.
      const double width = high_->t - low_.t;
      const bool inside = step > low_.t && step < high_->t;
      const bool slow = result_.fits > 8 && result_.fits % 2 == 0;
      next_ = inside && !slow ? step : low_.t + width / 2;
    } else {
      const double furthest = std::min(limit_, kGrowth * latest_.t);
      next_ = step > latest_.t ? std::min(step, furthest) : furthest;
    }
  }

  // Where the crossing is expected by the latest point and the one before; NaN when they do not tell.
  double estimate(const Point& previous) const {
    if (!latest_.usable()) return kNoValue;
    if (previous.usable() && previous.f != latest_.f) {
      const double cubic = inverse_cubic(previous, latest_);
      const double newton = latest_.t - latest_.f / latest_.slope;
      // The cubic improves Newton's step; where they disagree widely the points are no guide to each other.
      if (std::abs(cubic - newton) <= 0.5 * std::abs(newton - latest_.t)) return cubic;
    }
    return latest_.t - latest_.f / latest_.slope;
  }

  // The profile x(t) bends: what the straight line from the best fit missed at the last solution grows
  // with the square of the distance.
  std::vector<double> next_start() const {
    const std::size_t p = wanted_.parameter;
    std::vector<double> start = profile_start(setup_, best_, p, value_at(next_));
    const std::vector<double> line = profile_start(setup_, best_, p, value_at(solution_at_));
    const double growth = next_ / solution_at_ * (next_ / solution_at_);
    for (std::size_t i = 0; i < start.size(); ++i) {
      if (i == p || setup_.fixed[i]) continue;
      const double moved = start[i] + growth * (solution_[i] - line[i]);
      const double low = (solution_[i] + setup_.bounds.low[i]) / 2;
      const double high = (solution_[i] + setup_.bounds.high[i]) / 2;
      start[i] = std::clamp(moved, low, high);
    }
    return start;
  }

  const Setup& setup_;
  const BestFit& best_;
  const Crossing& wanted_;
  double sign_, origin_, root_, limit_ = 0;
  Point low_, latest_;
  std::optional<Point> high_;
  double next_ = 0, solution_at_ = 0;
  std::vector<double> solution_;  // of the last finite fit
  bool retry_ = false, done_ = false;
  CrossingResult result_;
};

// Fits one point of each search and lets it take the result.
Result<void> run_round(const Setup& setup, const BestFit& best, std::span<Search* const> searches) {
  const std::size_t n = setup.fixed.size();
  std::vector<ProfilePoint> points;
  for (const Search* search : searches) points.push_back(search->point());
  std::vector<Minimum> minima(points.size());
  const auto fitted = fit_profile(setup, best, points, {},
                                  [&](std::size_t i, Minimum&& minimum) { minima[i] = std::move(minimum); });
  if (!fitted) return fitted.errors();
  std::vector<double> at;
  for (std::size_t i = 0; i < minima.size(); ++i) {
    const std::vector<double>& x =
        minima[i].parameters.size() == n ? minima[i].parameters : best.minimum.parameters;
    at.insert(at.end(), x.begin(), x.end());
  }
  TRY(const EvalOutput output,
      setup.session->evaluate(
          {.parameters = at, .rows = minima.size(), .data = setup.data, .gradient = true}));
  for (std::size_t i = 0; i < minima.size(); ++i)
    searches[i]->take(std::move(minima[i]), output.gradient[i * n + points[i].fixed[0].parameter]);
  return {};
}

}  // namespace

Result<std::vector<CrossingResult>> find_crossings(const Setup& setup, const BestFit& best,
                                                   std::span<const Crossing> wanted) {
  TRY(const EvalOutput at_best,
      setup.session->evaluate({.parameters = best.minimum.parameters, .data = setup.data, .gradient = true}));
  std::vector<Search> searches;
  for (const Crossing& crossing : wanted)
    searches.emplace_back(setup, best, crossing, at_best.gradient[crossing.parameter]);
  while (true) {
    std::vector<Search*> running;
    for (Search& search : searches) {
      if (!search.done()) running.push_back(&search);
    }
    if (running.empty()) break;
    TRY_DO(run_round(setup, best, running));
    const auto still = std::count_if(searches.begin(), searches.end(), [](auto& s) { return !s.done(); });
    if (setup.options.on_progress)
      setup.options.on_progress(searches.size() - static_cast<std::size_t>(still), searches.size());
  }
  std::vector<CrossingResult> results;
  for (const Search& search : searches) results.push_back(search.result());
  return results;
}

namespace {

std::vector<Crossing> both_sides(std::span<const std::size_t> parameters, double level) {
  std::vector<Crossing> wanted;
  for (const std::size_t i : parameters) {
    wanted.push_back({i, Side::Lower, level});
    wanted.push_back({i, Side::Upper, level});
  }
  return wanted;
}

// Between two crossings; the bound where the level is not reached before it. NaN unless both are known.
IntervalPart part_between(const Setup& setup, std::size_t parameter, const CrossingResult& lower,
                          const CrossingResult& upper) {
  const auto end = [](const CrossingResult& side, double bound) {
    return side.status == CrossingStatus::Bound ? bound : side.value;
  };
  return {end(lower, setup.bounds.low[parameter]), end(upper, setup.bounds.high[parameter])};
}

bool exists(const IntervalPart& part) { return part.lower <= part.upper; }

std::vector<IntervalPart> joined(std::vector<IntervalPart> parts) {
  std::sort(parts.begin(), parts.end(),
            [](const IntervalPart& a, const IntervalPart& b) { return a.lower < b.lower; });
  std::vector<IntervalPart> apart;
  for (const IntervalPart& part : parts) {
    if (!apart.empty() && part.lower <= apart.back().upper) {
      apart.back().upper = std::max(apart.back().upper, part.upper);
    } else {
      apart.push_back(part);
    }
  }
  return apart;
}

}  // namespace

Result<std::vector<ProfileRange>> find_ranges(const Setup& setup, const BestFit& best,
                                              std::span<const std::size_t> parameters, double level) {
  TRY(const std::vector<CrossingResult> deepest, find_crossings(setup, best, both_sides(parameters, level)));
  std::vector<ProfileRange> ranges;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const CrossingResult &lower = deepest[2 * k], &upper = deepest[2 * k + 1];
    ranges.push_back({parameters[k], lower, upper, {part_between(setup, parameters[k], lower, upper)}});
  }
  for (const Minimum& other : best.others) {
    const double left = level - 2 * (other.nll - best.minimum.nll);
    if (!(left > 0)) break;
    TRY(const std::vector<CrossingResult> sides,
        find_crossings(setup, branch_at(setup, best, other), both_sides(parameters, left)));
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const IntervalPart part = part_between(setup, parameters[k], sides[2 * k], sides[2 * k + 1]);
      ranges[k].lower.fits += sides[2 * k].fits + sides[2 * k + 1].fits;
      if (exists(part) && exists(ranges[k].parts.front())) ranges[k].parts.push_back(part);
    }
  }
  for (ProfileRange& range : ranges)
    range.parts = exists(range.parts.front()) ? joined(std::move(range.parts)) : std::vector<IntervalPart>();
  return ranges;
}

void warn_about_crossing(const Setup& setup, const BestFit& best, const Crossing& wanted,
                         const CrossingResult& found, std::vector<std::string>& warnings) {
  const std::string& name = setup.model.parameters()[wanted.parameter].name;
  const bool upper = wanted.side == Side::Upper;
  const double bound = upper ? setup.bounds.high[wanted.parameter] : setup.bounds.low[wanted.parameter];
  const char* side = upper ? "upper" : "lower";
  switch (found.status) {
    case CrossingStatus::Found:
      break;
    case CrossingStatus::Bound:
      warnings.push_back(
          setup.fixed[wanted.parameter]
              ? fmt::format("{} is fixed: it has no profile error", name)
              : fmt::format(
                    "the profile likelihood of {} does not reach the level before its {} bound {:.6g}", name,
                    side, bound));
      break;
    case CrossingStatus::NotConverged:
      warnings.push_back(fmt::format(
          "the {} profile error of {} was not found: a fit in the search did not converge", side, name));
      break;
    case CrossingStatus::Interrupted:
      warnings.push_back(fmt::format("interrupted before the {} profile error of {} was found", side, name));
      break;
  }
  if (found.better_minimum)
    warnings.push_back(better_minimum_warning(best, name, found.lowest_at, found.lowest_nll));
}

}  // namespace nextstat
