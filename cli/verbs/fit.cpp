// fit: the best fit, with uncertainties from the exact Hessian.
#include <nextstat/fit.h>

#include "result/fit_json.h"
#include "run_input.h"
#include "verb.h"
#include "verbs/verbs.h"

namespace nextstat::cli {
namespace {

class FitVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    command.footer("Example: nextstat fit workspace.json");
  }

  int run(Console& console) override {
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    FitOptions options;
    options.run = run->options;
    const Result<FitResult> result = run->timed([&] { return fit(run->model(), options); });
    if (!result) return console.fail(result.errors());
    nlohmann::json json = fit_json(run->model(), *result);
    run->add_header(json, "nextstat/fit/1", result->device);
    return console.result(json, "",
                          exit_code(result->converged, result->termination == Termination::Interrupted));
  }

 private:
  RunInput input_;
};

}  // namespace

std::unique_ptr<Verb> make_fit() { return std::make_unique<FitVerb>(); }

}  // namespace nextstat::cli
