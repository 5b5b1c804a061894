// A model on a device, opened once and asked any number of questions: tables stay there until the session goes.
//
//   Result<Session> session = Session::open(model, {.device = "cpu"});
//   Result<FitResult> best = fit(*session);
//   Result<Evaluation> at = evaluate(*session, best->bestfit, {.gradient = true});
//
// A question on a model opens a session of its own and closes it again: on a GPU that takes longer than the question.
#pragma once

#include <nextstat/backends.h>
#include <nextstat/evaluate.h>
#include <nextstat/feldman_cousins.h>
#include <nextstat/fit.h>
#include <nextstat/fit_batch.h>
#include <nextstat/goodness_of_fit.h>
#include <nextstat/goodness_of_fit_toys.h>
#include <nextstat/hypotest.h>
#include <nextstat/hypotest_toys.h>
#include <nextstat/interval.h>
#include <nextstat/ranking.h>
#include <nextstat/scan.h>
#include <nextstat/significance.h>
#include <nextstat/significance_toys.h>
#include <nextstat/toys.h>
#include <nextstat/upper_limit.h>
#include <nextstat/upper_limit_toys.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)
namespace nextstat {

struct LentSession;  // internal

// Where a session is opened. The questions asked of it leave these out.
struct SessionOptions {
  std::string device = "auto";       // as in RunOptions; auto = the best device that is ready
  bool fallback = false;             // the CPU where that device cannot be used; DeviceUse says so
  std::size_t device_memory = 0;     // bytes that a GPU may be asked for; 0 = what is free there
  std::size_t threads = 0;           // of this processor; 0 = all. Results do not depend on it
  std::string instruction_set = {};  // "" = the widest this processor has
};

// One question at a time: a second thread waits for its turn, and on_progress, which is called in the middle of a
// question, gets an error where it asks another. It stays usable after an error, keeps the model, and belongs to the
// process that opened it: after a fork it answers the child with an error. Moved, not copied; a call after a move
// throws std::logic_error.
class Session {
 public:
  static Result<Session> open(const Model& model, const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const Model& model() const;
  const SessionOptions& options() const;
  const DeviceUse& device() const;
  const std::string& instruction_set() const;  // "x86-64-v4"; of a GPU: its name
  Capabilities capabilities() const;
  Traffic traffic() const;  // since it was opened; of a question under way, what it has so far

  // The options of any question, to be answered here: fit(session.model(), session.with(FitOptions{})).
  template <class Options>
  Options with(Options options) {
    if constexpr (std::is_same_v<Options, EvaluateOptions>) {
      options.session = this;
    } else if constexpr (std::is_same_v<Options, RunOptions>) {
      answer_here(options);
    } else {
      answer_here(options.run);
    }
    return options;
  }

 private:
  struct Opened;
  explicit Session(std::unique_ptr<Opened> opened);
  void answer_here(RunOptions& options);
  Opened& opened() const;
  friend Result<LentSession> lend(Session& session, const Model& model, const SessionOptions& asked);

  std::unique_ptr<Opened> opened_;
};

// The questions of the other headers, asked of a session.
inline Result<Evaluation> evaluate(Session& session, std::span<const double> parameters,
                                   EvaluateOptions options = {}) {
  return evaluate(session.model(), parameters, session.with(std::move(options)));
}
inline Result<FitResult> fit(Session& session, FitOptions options = {}) {
  return fit(session.model(), session.with(std::move(options)));
}
inline Result<BatchFits> fit_batch(Session& session, std::span<const double> data, RunOptions options = {}) {
  return fit_batch(session.model(), data, session.with(std::move(options)));
}
inline Result<BatchFits> fit_rows(Session& session, const FitRows& rows, RunOptions options = {}) {
  return fit_rows(session.model(), rows, session.with(std::move(options)));
}
inline Result<ScanResult> scan(Session& session, ScanOptions options) {
  return scan(session.model(), session.with(std::move(options)));
}
inline Result<IntervalResult> interval(Session& session, IntervalOptions options = {}) {
  return interval(session.model(), session.with(std::move(options)));
}
inline Result<RankingResult> ranking(Session& session, RankingOptions options = {}) {
  return ranking(session.model(), session.with(std::move(options)));
}
inline Result<HypotestResult> hypotest(Session& session, HypotestOptions options = {}) {
  return hypotest(session.model(), session.with(std::move(options)));
}
inline Result<HypotestToysResult> hypotest_toys(Session& session, HypotestToysOptions options = {}) {
  return hypotest_toys(session.model(), session.with(std::move(options)));
}
inline Result<UpperLimitResult> upper_limit(Session& session, UpperLimitOptions options = {}) {
  return upper_limit(session.model(), session.with(std::move(options)));
}
inline Result<UpperLimitToysResult> upper_limit_toys(Session& session, UpperLimitToysOptions options = {}) {
  return upper_limit_toys(session.model(), session.with(std::move(options)));
}
inline Result<SignificanceResult> significance(Session& session, SignificanceOptions options = {}) {
  return significance(session.model(), session.with(std::move(options)));
}
inline Result<SignificanceToysResult> significance_toys(Session& session,
                                                        SignificanceToysOptions options = {}) {
  return significance_toys(session.model(), session.with(std::move(options)));
}
inline Result<GoodnessOfFitResult> goodness_of_fit(Session& session, GoodnessOfFitOptions options = {}) {
  return goodness_of_fit(session.model(), session.with(std::move(options)));
}
inline Result<GoodnessOfFitToysResult> goodness_of_fit_toys(Session& session,
                                                            GoodnessOfFitToysOptions options = {}) {
  return goodness_of_fit_toys(session.model(), session.with(std::move(options)));
}
inline Result<FeldmanCousinsResult> feldman_cousins(Session& session, FeldmanCousinsOptions options = {}) {
  return feldman_cousins(session.model(), session.with(std::move(options)));
}
inline Result<ToysResult> toys(Session& session, ToysOptions options = {}, const UseToy& use = {}) {
  return toys(session.model(), session.with(std::move(options)), use);
}

}  // namespace nextstat
#pragma GCC visibility pop
