// hypotest-toys: CLs of a signal strength, from toys.
#include <fmt/format.h>
#include <nextstat/hypotest_toys.h>
#include <nextstat/result_json.h>

#include <cmath>

#include "input/run_input.h"
#include "input/test_options.h"
#include "input/toy_options.h"
#include "screen/toy_screens.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string estimate_text(const ToyProbabilities& so_far, bool discovery) {
  const double value = discovery ? so_far.clsb : so_far.cls;
  const double error = discovery ? so_far.clsb_error : so_far.cls_error;
  return std::isfinite(value) ? fmt::format("{} {}", discovery ? "p0" : "CLs", with_error(value, error)) : "";
}

// A number that should be there is not, though all toys are.
bool lacks_a_number(const HypotestToysResult& result) {
  const ToyProbabilities& observed = result.observed;
  const bool all = std::isfinite(result.q_obs) && std::isfinite(observed.clsb) &&
                   std::isfinite(observed.clb) &&
                   (result.statistic == TestStatistic::Q0 || std::isfinite(observed.cls));
  return result.complete && !all;
}

class HypotestToysVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    mu_.declare(command, options_.mu);
    declare_test_stat(command, options_.statistic, kToyStatistics);
    command.add_flag("--expected-set", options_.expected_set, "Expected values too");
    toys_.declare(command, "Toys of each hypothesis");
    storage_.declare(command);
    command.footer(
        "Example: nextstat hypotest-toys workspace.json --mu 1.5 --n-toys 10000 --resume toys\n"
        "The same command continues a run that was stopped.");
  }

  int run(Console& console) override {
    if (const Errors errors = check(); !errors.empty()) return console.fail(errors);
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    Result<ToyStorage> storage = storage_.storage(input_, *run);
    if (!storage) return console.fail(storage.errors());
    options_.run = run->options;
    options_.toys = toys_.options(*run);
    options_.storage = std::move(*storage);
    options_.on_estimate = [&](const ToyProbabilities& so_far) {
      run->task->progress().set_note(estimate_text(so_far, options_.statistic == TestStatistic::Q0));
    };
    const Result<HypotestToysResult> result =
        run->timed([&] { return hypotest_toys(run->model(), options_); });
    if (!result) return run->fail(console, result.errors());
    return report(console, *run, *result);
  }

 private:
  Errors check() const {
    Errors errors = mu_.check(options_.statistic);
    return errors.empty() ? storage_.check() : errors;
  }

  int report(Console& console, const Run& run, const HypotestToysResult& result) const {
    nlohmann::json json = hypotest_toys_json(run.model(), result, options_.expected_set);
    run.add_header(json, "nextstat/hypotest-toys/1", result.device);
    add_place(json, options_.storage);
    warn_if_interrupted(console, options_.storage, result.interrupted);
    return console.result(json, hypotest_toys_screen(run.model(), result, options_.expected_set),
                          exit_code(result.converged, result.interrupted, !lacks_a_number(result)));
  }

  RunInput input_;
  HypotestToysOptions options_;
  ToyInput toys_;
  ToyStorageInput storage_;
  TestedValue mu_;
};

}  // namespace

std::unique_ptr<Verb> make_hypotest_toys() { return std::make_unique<HypotestToysVerb>(); }

}  // namespace nextstat::cli
