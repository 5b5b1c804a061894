#include "minimize/basins/basins.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/try.h"
#include "minimize/basins/row_search.h"

namespace nextstat {
namespace {

// A start is followed until this little is left to gain, and then compared with the minima that are known.
constexpr double kRoughEdm = 1e-4;
constexpr std::size_t kRoughSteps = 40;
// PointList that differ by less, in widths of the constraints, are the same.
constexpr double kSamePoint = 0.02;
constexpr std::size_t kMostTwins = 3;  // minima of one NLL; more are a valley
constexpr std::size_t kFinishedAtOnce = 8, kMinimaOfNeighbor = 3;
// Steps times terms of the model: a search of a large model has fewer starts.
constexpr double kMostWork = 1.5e8;
constexpr double kMostIterations = 40000;

std::size_t most_iterations(const CompiledModel& model) {
  return static_cast<std::size_t>(std::min(kMostIterations, kMostWork / terms_of(model)));
}

struct Start : BasinStart {
  std::size_t search = 0;
  std::optional<std::size_t> seed = {};
};

std::vector<Basins> without_search(std::vector<Minimum> first, bool interrupted) {
  std::vector<Basins> results;
  for (Minimum& minimum : first) {
    Basins basins;
    basins.minima.push_back(std::move(minimum));
    basins.exhausted = false;
    basins.interrupted = interrupted;
    results.push_back(std::move(basins));
  }
  return results;
}

class Searcher {
 public:
  Searcher(DeviceSession& session, const Model& model, const ModelBends& bends, const RowBatch& batch,
           const SearchRule& rule, const SolveOptions& options)
      : session_(session),
        model_(model),
        bends_(bends),
        batch_(batch),
        rule_(rule),
        options_(options),
        most_iterations_(most_iterations(compiled_model(model))) {}

  Result<std::vector<Basins>> run() {
    TRY(std::vector<Minimum> first, solve(session_, model_, batch_, options_));
    options_.on_progress = {};
    if (interrupted()) return without_search(std::move(first), true);
    for (std::size_t i = 0; i < first.size(); ++i)
      searches_.emplace_back(model_, batch_, batch_.rows[i], std::move(first[i]), bends_);
    for (std::size_t i = 0; i < searches_.size(); ++i) searches_[i].take_turn(rule_, i);
    TRY_DO(search());
    std::vector<Basins> results;
    for (RowSearch& one : searches_) results.push_back(std::move(one).result(interrupted()));
    return results;
  }

 private:
  bool interrupted() const { return options_.stop_token.stop_requested(); }

  Result<void> search() {
    TRY_DO(add_gradients());
    TRY_DO(follow(seeds(), false));
    while (!interrupted()) {
      std::vector<Start> starts;
      for (std::size_t p = 0; p < searches_.size(); ++p) {
        const bool relies = !rule_.relies.empty() && rule_.relies[p];
        const std::size_t wanted = relies ? 0 : searches_[p].wanted(rule_, most_iterations_);
        if (wanted == 0) continue;
        TRY(std::vector<BasinStart> next,
            searches_[p].starts().next(session_, searches_[p].deepest().minimum.parameters, wanted));
        for (BasinStart& start : next) starts.push_back({std::move(start), p});
      }
      if (starts.empty()) break;
      TRY_DO(follow(std::move(starts), true));
    }
    for (std::size_t p = 0; p < searches_.size(); ++p)
      searches_[p].end(rule_, most_iterations_, !rule_.relies.empty() && rule_.relies[p]);
    return rule_.neighbors.empty() ? Result<void>() : begin_at_neighbors();
  }

  std::vector<Start> seeds() {
    std::vector<Start> starts;
    for (std::size_t p = 0; p < rule_.seeds.size(); ++p) {
      searches_[p].expect_seeds(rule_.seeds[p].size());
      for (std::size_t k = 0; k < rule_.seeds[p].size(); ++k)
        starts.push_back({{rule_.seeds[p].copy(k)}, p, k});
    }
    return starts;
  }

  // Every minimum of every neighbor once, as long as that finds new ones.
  Result<void> begin_at_neighbors() {
    using Tried = std::pair<std::size_t, double>;  // neighbor, NLL there
    std::vector<std::vector<Tried>> tried(searches_.size());
    while (!interrupted()) {
      std::vector<Start> starts;
      for (std::size_t p = 0; p < searches_.size(); ++p) {
        for (const std::size_t neighbor : rule_.neighbors[p]) {
          const std::vector<KnownMinimum>& known = searches_[neighbor].known();
          for (std::size_t k = 0; k < std::min(known.size(), kMinimaOfNeighbor); ++k) {
            const Tried one{neighbor, known[k].minimum.nll};
            if (!known[k].minimum.converged() ||
                std::find(tried[p].begin(), tried[p].end(), one) != tried[p].end())
              continue;
            tried[p].push_back(one);
            starts.push_back({{known[k].minimum.parameters}, p});
          }
        }
      }
      if (starts.empty()) break;
      TRY_DO(follow(std::move(starts), false));
    }
    return {};
  }

  // Searches far from a metric that many rows share have one each, made at their deepest minimum.
  Result<std::vector<Minimum>> solve_from(const std::vector<Start>& starts, const SolveOptions& solving) {
    std::map<std::optional<std::size_t>, std::vector<std::size_t>> groups;  // by search; none = shared
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const bool far = !batch_.metric_at.empty() && searches_[starts[k].search].is_far();
      groups[far ? std::optional(starts[k].search) : std::nullopt].push_back(k);
    }
    std::vector<Minimum> ends(starts.size());
    for (const auto& [search, group] : groups) {
      RowBatch batch = rows_of(starts, group);
      if (search) batch.metric_at = searches_[*search].deepest().minimum.parameters;
      TRY(std::vector<Minimum> solved, solve(session_, model_, batch, solving));
      for (std::size_t i = 0; i < group.size(); ++i) ends[group[i]] = std::move(solved[i]);
    }
    return ends;
  }

  RowBatch rows_of(const std::vector<Start>& starts, std::span<const std::size_t> group) const {
    RowBatch batch;
    batch.data = batch_.data;
    batch.bounds = batch_.bounds;
    batch.fixed = batch_.fixed;
    batch.metric_at = batch_.metric_at.empty() ? batch_.starts.copy(0) : batch_.metric_at;
    for (const std::size_t k : group) {
      const Start& start = starts[k];
      batch.rows.push_back(searches_[start.search].row());
      batch.rows.back().start = batch.starts.size();
      if (start.held) batch.rows.back().fixed.push_back({*start.held, start.point[*start.held]});
      batch.starts.add(start.point);
    }
    return batch;
  }

  // Follows starts some way, and then to the end those that lead to no minimum that is known.
  // own: the search's own starts, which are counted for it.
  Result<void> follow(std::vector<Start> starts, bool own) {
    std::erase_if(starts, [&](const Start& start) { return !searches_[start.search].has_likelihood(); });
    if (starts.empty()) return {};
    SolveOptions rough = options_;
    rough.rough = true;
    rough.convergence.edm = kRoughEdm;
    rough.convergence.scaled_gradient = 1;
    rough.convergence.steps_per_metric = kRoughSteps;
    TRY_DO(follow_held(starts, rough, false));
    TRY_DO(follow_held(starts, options_, true));
    TRY(std::vector<Minimum> ends, solve_from(starts, rough));
    std::vector<Trail> trails;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      Minimum& end = ends[k];
      searches_[starts[k].search].count(end.iterations);
      if (end.termination == Termination::Interrupted) continue;
      searches_[starts[k].search].count_start(own);
      if (!std::isfinite(end.nll)) continue;
      trails.push_back(
          {starts[k].search, std::move(end.parameters), end.nll, {}, end.converged(), starts[k].seed});
    }
    TRY_DO(evaluate(trails));
    return settle(trails, own);
  }

  // Starts that hold a parameter go where the others follow it.
  Result<void> follow_held(std::vector<Start>& starts, const SolveOptions& solving, bool far) {
    std::vector<Start> held;
    for (const Start& start : starts) {
      if (start.held && start.far == far) held.push_back(start);
    }
    if (held.empty()) return {};
    TRY(std::vector<Minimum> ends, solve_from(held, solving));
    std::size_t next = 0;
    for (Start& start : starts) {
      if (!start.held || start.far != far) continue;
      Minimum& end = ends[next++];
      searches_[start.search].count(end.iterations);
      if (std::isfinite(end.nll) && !end.parameters.empty()) start.point = std::move(end.parameters);
      start.held.reset();
    }
    return {};
  }

  Result<void> settle(std::vector<Trail>& trails, bool own) {
    while (!interrupted()) {
      for (Trail& trail : trails) recognize(trail, own);
      const std::vector<std::size_t> next = lowest_open(trails);
      if (next.empty()) break;
      std::vector<Start> starts;
      for (const std::size_t k : next) starts.push_back({{trails[k].parameters}, trails[k].search});
      TRY(std::vector<Minimum> ends, solve_from(starts, options_));
      for (std::size_t i = 0; i < next.size(); ++i) {
        RowSearch& search = searches_[trails[next[i]].search];
        trails[next[i]].open = false;
        search.count(ends[i].iterations);
        if (trails[next[i]].seed) search.seed_led_to(*trails[next[i]].seed, ends[i].nll);
        TRY_DO(add(trails[next[i]].search, std::move(ends[i])));
      }
    }
    return {};
  }

  void recognize(Trail& trail, bool own) {
    RowSearch& search = searches_[trail.search];
    const Minimum& deepest = search.deepest().minimum;
    for (std::size_t k = 0; trail.open && k < search.known().size(); ++k) {
      if (!trail.leads_to(search.known()[k])) continue;
      search.hit(k);
      trail.open = false;
      if (trail.seed) search.seed_led_to(*trail.seed, search.known()[k].minimum.nll);
    }
    if (!trail.open || !deepest.converged() || trail.nll <= deepest.nll) return;
    const bool lost = !trail.converged && trail.nll > deepest.nll + kLost;
    if (!lost && search.iterations() < most_iterations_) return;
    trail.open = false;
    if (own) search.drop_start();
  }

  // Of each search the lowest open trails that look different from each other.
  static std::vector<std::size_t> lowest_open(const std::vector<Trail>& trails) {
    std::vector<std::size_t> open, next;
    for (std::size_t k = 0; k < trails.size(); ++k) {
      if (trails[k].open) open.push_back(k);
    }
    std::stable_sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
      return trails[a].search != trails[b].search ? trails[a].search < trails[b].search
                                                  : trails[a].nll < trails[b].nll;
    });
    std::size_t taken = 0;
    for (const std::size_t k : open) {
      if (next.empty() || trails[next.back()].search != trails[k].search) taken = 0;
      const bool alike = taken > 0 && trails[k].nll - trails[next.back()].nll < 10 * kRoughEdm;
      if (taken == kFinishedAtOnce || alike) continue;
      next.push_back(k);
      ++taken;
    }
    return next;
  }

  Result<void> add(std::size_t index, Minimum&& minimum) {
    RowSearch& search = searches_[index];
    if (!minimum.converged()) {
      search.replace_unconverged(std::move(minimum));
      return {};
    }
    std::size_t twins = 0;
    for (std::size_t k = 0; k < search.known().size(); ++k) {
      const Minimum& known = search.known()[k].minimum;
      if (!known.converged() || !same_nll(known.nll, minimum.nll)) continue;
      TRY(const bool same, same_place(search, index, known, minimum));
      if (!same && ++twins < kMostTwins) continue;
      search.hit(k);
      return {};
    }
    TRY(EvalOutput at,
        session_.for_single_rows().evaluate({.parameters = minimum.parameters,
                                             .data = batch_.data_of(search.row(), model_.data().size()),
                                             .gradient = true}));
    search.add({std::move(minimum), std::move(at.gradient), 1});
    return {};
  }

  // Two minima of one NLL: the same point, or a valley without a rise between them, straight or curved. In a
  // curved one a fit from the middle ends between them.
  Result<bool> same_place(RowSearch& search, std::size_t index, const Minimum& a, const Minimum& b) {
    if (distance(search, a.parameters, b.parameters) <= kSamePoint) return true;
    std::vector<double> middle = a.parameters;
    for (std::size_t i = 0; i < middle.size(); ++i) middle[i] += (b.parameters[i] - a.parameters[i]) / 2;
    const Result<EvalOutput> at = session_.for_single_rows().evaluate(
        {.parameters = middle, .data = batch_.data_of(search.row(), model_.data().size())});
    if (!at) return at.errors();
    const double higher = std::max(a.nll, b.nll);
    if (at->nll[0] <= higher || same_nll(at->nll[0], higher)) return true;
    if (!std::isfinite(at->nll[0])) return false;
    const Result<std::vector<Minimum>> between = solve_from({{{middle}, index}}, options_);
    if (!between) return between.errors();
    const Minimum& end = between->front();
    search.count(end.iterations);
    return end.converged() && same_nll(end.nll, higher) &&
           distance(search, end.parameters, a.parameters) > kSamePoint &&
           distance(search, end.parameters, b.parameters) > kSamePoint;
  }

  // The largest difference of a parameter, in widths of its constraint.
  static double distance(RowSearch& search, std::span<const double> a, std::span<const double> b) {
    const std::vector<double>& widths = search.starts().widths();
    double furthest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (widths[i] > 0) furthest = std::max(furthest, std::abs(b[i] - a[i]) / widths[i]);
    }
    return furthest;
  }

  Result<void> add_gradients() {
    std::vector<Trail> minima;
    for (std::size_t p = 0; p < searches_.size(); ++p) {
      const Minimum& first = searches_[p].deepest().minimum;
      if (searches_[p].has_likelihood()) minima.push_back({p, first.parameters, first.nll, {}});
    }
    TRY_DO(evaluate(minima));
    for (Trail& minimum : minima) searches_[minimum.search].set_gradient(std::move(minimum.gradient));
    return {};
  }

  Result<void> evaluate(std::vector<Trail>& trails) {
    if (trails.empty()) return {};
    const std::size_t n = model_.n_parameters();
    std::vector<double> points;
    std::vector<std::size_t> sets;
    for (const Trail& trail : trails) {
      points.insert(points.end(), trail.parameters.begin(), trail.parameters.end());
      sets.push_back(batch_.data.empty() ? 0 : searches_[trail.search].row().data);
    }
    TRY(const EvalOutput output, session_.evaluate({.parameters = points,
                                                    .rows = trails.size(),
                                                    .data = batch_.data,
                                                    .data_of_row = sets,
                                                    .gradient = true}));
    for (std::size_t k = 0; k < trails.size(); ++k) {
      const std::span<const double> gradient = std::span(output.gradient).subspan(k * n, n);
      trails[k].gradient.assign(gradient.begin(), gradient.end());
    }
    return {};
  }

  DeviceSession& session_;
  const Model& model_;
  const ModelBends& bends_;
  const RowBatch& batch_;
  const SearchRule& rule_;
  SolveOptions options_;
  std::size_t most_iterations_;
  std::vector<RowSearch> searches_;
};

}  // namespace

double terms_of(const CompiledModel& model) {
  return static_cast<double>(model.nominal.size() + model.norms.size() + model.linears.size() +
                             model.factors.size() + model.shifts.size() + model.gammas.size() +
                             10 * model.n_parameters);
}

Result<std::vector<Basins>> find_basins(DeviceSession& session, const Model& model, const ModelBends* bends,
                                        const RowBatch& batch, const SearchRule& rule,
                                        const SolveOptions& options) {
  if (batch.rows.empty()) return std::vector<Basins>();
  if (!rule.searches()) {
    TRY(std::vector<Minimum> first, solve(session, model, batch, options));
    return without_search(std::move(first), options.stop_token.stop_requested());
  }
  return Searcher(session, model, *bends, batch, rule, options).run();
}

}  // namespace nextstat
