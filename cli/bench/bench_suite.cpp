#include "bench/bench_suite.h"

#include <nextstat/evaluate.h>
#include <nextstat/fit.h>
#include <nextstat/ranking.h>
#include <nextstat/scan.h>
#include <nextstat/session.h>
#include <nextstat/toys.h>
#include <nextstat/upper_limit.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "bench/generated_workspace.h"

namespace nextstat::cli {
namespace {

constexpr std::size_t kFewestCalls = 7, kMostCalls = 1000;
constexpr double kLeastSlowdown = 0.25;  // less than this is not called slower: machines differ that much
constexpr double kSpreads = 3;

const std::map<std::string, GeneratedShape>& shapes() {
  static const std::map<std::string, GeneratedShape> table = {
      // 81 parameters, 40 bins
      {"small",
       {.channels = 4, .bins = 10, .samples = 4, .normsys = 5, .histosys = 5, .staterror_channels = 4}},
      // 301 parameters, 200 bins
      {"medium",
       {.channels = 10, .bins = 20, .samples = 5, .normsys = 10, .histosys = 10, .staterror_channels = 10}},
      // 781 parameters, 1,000 bins
      {"large",
       {.channels = 20, .bins = 50, .samples = 8, .normsys = 20, .histosys = 15, .staterror_channels = 10}},
  };
  return table;
}

struct Subject {
  std::string text;  // the workspace
  Session session;
  std::vector<double> points;  // [row][parameter]
};

constexpr std::size_t kPoints = 1000, kToys = 1000;

// Answers the question once; whether all fits converged.
using Question = Result<bool> (*)(Subject& subject, const RunOptions& run);

template <class T>
Result<bool> converged(const Result<T>& result) {
  if (!result) return result.errors();
  return result->converged;
}

Result<bool> ask_load(Subject& subject, const RunOptions&) {
  const Result<Model> model = parse_model(subject.text);
  if (!model) return model.errors();
  return true;
}

Result<bool> ask_start_up(Subject& subject, const RunOptions&) {
  const Result<Session> session = Session::open(subject.session.model(), subject.session.options());
  if (!session) return session.errors();
  return true;
}

Result<bool> evaluated(Session& session, std::span<const double> points, bool gradient) {
  const Result<Evaluation> at = evaluate(session, points, {.gradient = gradient});
  if (!at) return at.errors();
  return true;
}

Result<bool> ask_gradient(Subject& subject, const RunOptions&) {
  return evaluated(subject.session, subject.session.model().initial(), true);
}

Result<bool> ask_points(Subject& subject, const RunOptions&) {
  return evaluated(subject.session, subject.points, false);
}

Result<bool> ask_fit(Subject& subject, const RunOptions& run) {
  return converged(fit(subject.session, {.run = run}));
}

Result<bool> ask_scan(Subject& subject, const RunOptions& run) {
  return converged(scan(subject.session, {.run = run, .values = even_spacing(0, 5, 21)}));
}

Result<bool> ask_ranking(Subject& subject, const RunOptions& run) {
  return converged(ranking(subject.session, {.run = run}));
}

Result<bool> ask_limit(Subject& subject, const RunOptions& run) {
  return converged(upper_limit(subject.session, {.run = run}));
}

// Fits that do not converge are part of toys.
Result<bool> ask_toys(Subject& subject, const RunOptions& run) {
  return converged(toys(subject.session,
                        {.run = run, .toys = {.n_toys = kToys}, .truth = subject.session.model().initial()}));
}

struct Case {
  const char* question;
  const char* model;
  Suite suite;  // Quick: in both
  Question ask;
};

constexpr Case kCases[] = {
    {"load", "medium", Suite::Quick, ask_load},
    {"start-up", "medium", Suite::Quick, ask_start_up},
    {"gradient", "medium", Suite::Quick, ask_gradient},
    {"nll of 1000 points", "medium", Suite::Quick, ask_points},
    {"fit", "small", Suite::Quick, ask_fit},
    {"fit", "medium", Suite::Quick, ask_fit},
    {"scan", "small", Suite::Quick, ask_scan},
    {"ranking", "small", Suite::Quick, ask_ranking},
    {"upper-limit", "small", Suite::Quick, ask_limit},
    {"1000 toys", "small", Suite::Quick, ask_toys},
    {"load", "large", Suite::Full, ask_load},
    {"fit", "large", Suite::Full, ask_fit},
    {"scan", "medium", Suite::Full, ask_scan},
    {"ranking", "medium", Suite::Full, ask_ranking},
    {"upper-limit", "medium", Suite::Full, ask_limit},
    {"1000 toys", "medium", Suite::Full, ask_toys},
};

Result<Subject> make_subject(const std::string& name, const BenchOptions& options) {
  std::string text = generated_workspace(shapes().at(name));
  const Result<Model> model = parse_model(text);
  if (!model) return model.errors();
  Result<Session> session = Session::open(
      *model,
      {.device = options.device, .threads = options.threads, .instruction_set = options.instruction_set});
  if (!session) return session.errors();
  std::vector<double> points;
  const std::vector<double> start = model->initial();
  for (std::size_t row = 0; row < kPoints; ++row) points.insert(points.end(), start.begin(), start.end());
  return Subject{std::move(text), *std::move(session), std::move(points)};
}

// Calls until `least_s` have been spent, and often enough for quartiles. The first call warms up.
Result<BenchTiming> measure(const Case& item, Subject& subject, const RunOptions& run, double least_s) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  bool all_converged = true;
  double spent = 0;
  for (std::size_t call = 0; !run.stop.stop_requested(); ++call) {
    const auto start = Clock::now();
    const Result<bool> answer = item.ask(subject, run);
    const double time = std::chrono::duration<double>(Clock::now() - start).count();
    if (!answer) return answer.errors();
    all_converged = all_converged && *answer;
    if (call == 0) continue;
    seconds.push_back(time);
    spent += time;
    if (seconds.size() >= kMostCalls || (seconds.size() >= kFewestCalls && spent >= least_s)) break;
  }
  return summarize(std::string(item.question) + "/" + item.model, std::move(seconds), all_converged);
}

}  // namespace

BenchTiming summarize(std::string name, std::vector<double> seconds, bool converged) {
  BenchTiming timing{.name = std::move(name), .n = seconds.size(), .converged = converged};
  if (seconds.empty()) return timing;
  std::sort(seconds.begin(), seconds.end());
  const auto quantile = [&](double share) {  // between neighbors by a straight line
    const double place = share * static_cast<double>(seconds.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, seconds.size() - 1);
    return seconds[below] + (place - static_cast<double>(below)) * (seconds[above] - seconds[below]);
  };
  timing.median_s = quantile(0.5);
  timing.spread = timing.median_s > 0 ? (quantile(0.75) - quantile(0.25)) / timing.median_s : 0;
  return timing;
}

Result<BenchRun> run_suite(Suite suite, const BenchOptions& options) {
  std::vector<Case> cases;
  for (const Case& item : kCases) {
    if (item.suite == Suite::Quick || suite == Suite::Full) cases.push_back(item);
  }
  RunOptions run;
  run.starts = 1;  // one fit, not the search for the deepest minimum
  run.stop = options.stop;
  std::map<std::string, Subject> subjects;
  BenchRun done;
  for (const Case& item : cases) {
    if (!subjects.contains(item.model)) {
      Result<Subject> subject = make_subject(item.model, options);
      if (!subject) return subject.errors();
      subjects.emplace(item.model, *std::move(subject));
    }
    Result<BenchTiming> timing =
        measure(item, subjects.at(item.model), run, suite == Suite::Full ? 1.0 : 0.2);
    if (!timing) return timing.errors();
    if (options.stop.stop_requested()) break;
    done.device = subjects.at(item.model).session.device();
    done.timings.push_back(*std::move(timing));
    if (options.on_progress) options.on_progress(done.timings.size(), cases.size());
  }
  return done;
}

std::vector<BenchChange> compare_timings(std::span<const BenchTiming> before,
                                         std::span<const BenchTiming> now) {
  std::vector<BenchChange> changes;
  for (const BenchTiming& timing : now) {
    const auto old = std::find_if(before.begin(), before.end(),
                                  [&](const BenchTiming& each) { return each.name == timing.name; });
    if (old == before.end() || !(old->median_s > 0)) continue;
    changes.push_back({.name = timing.name,
                       .before_s = old->median_s,
                       .now_s = timing.median_s,
                       .ratio = timing.median_s / old->median_s,
                       .limit = 1 + std::max(kLeastSlowdown, kSpreads * (old->spread + timing.spread))});
  }
  return changes;
}

}  // namespace nextstat::cli
