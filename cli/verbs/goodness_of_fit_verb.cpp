// goodness-of-fit: the best fit against the saturated model.
#include <fmt/format.h>
#include <nextstat/goodness_of_fit.h>
#include <nextstat/goodness_of_fit_toys.h>
#include <nextstat/result_json.h>

#include <cmath>

#include "input/run_input.h"
#include "input/toy_options.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "screen/toy_screens.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string screen(const GoodnessOfFitResult& result) {
  const GoodnessOfFit& goodness = result.goodness;
  std::string text = "goodness of fit against the saturated model\n";
  text += state_line(result.converged, result.interrupted);
  text += fmt::format("chi2 / ndof    {} / {}\n", short_number(goodness.chi2), goodness.ndof);
  text += fmt::format("p-value        {}\n", short_number(goodness.p_value));
  text += fmt::format("NLL            {:.6f}\n", goodness.nll_fit);
  text += fmt::format("NLL saturated  {:.6f}\n", goodness.nll_saturated);
  return text + warning_block(result.warnings);
}

class GoodnessOfFitVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    toys_.declare_on_demand(command, "Also compute the p-value from this many toys", "--toys");
    command.footer("Example: nextstat goodness-of-fit workspace.json --toys 1000");
  }

  int run(Console& console) override {
    if (!toys_.has_number()) {
      if (const Errors errors = toys_.unused("--toys N"); !errors.empty()) return console.fail(errors);
    }
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    if (toys_.has_number()) return run_toys(console, *run);
    const Result<GoodnessOfFitResult> result =
        run->timed([&] { return goodness_of_fit(run->model(), GoodnessOfFitOptions{.run = run->options}); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = goodness_of_fit_json(run->model(), *result);
    run->add_header(json, "nextstat/goodness-of-fit/1", result->device);
    return console.result(json, screen(*result),
                          exit_code(result->converged, result->interrupted, result->complete()));
  }

 private:
  int run_toys(Console& console, Run& run) const {
    const Result<GoodnessOfFitToysResult> result = run.timed(
        [&] { return goodness_of_fit_toys(run.model(), {.run = run.options, .toys = toys_.options(run)}); });
    if (!result) return run.fail(console, result.errors());
    nlohmann::json json = goodness_of_fit_toys_json(run.model(), *result);
    run.add_header(json, "nextstat/goodness-of-fit-toys/1", result->data.device);
    return console.result(
        json, goodness_of_fit_toys_screen(*result),
        exit_code(result->data.converged, result->data.interrupted, std::isfinite(result->p_value)));
  }

  RunInput input_;
  ToyInput toys_;
};

}  // namespace

std::unique_ptr<Verb> make_goodness_of_fit() { return std::make_unique<GoodnessOfFitVerb>(); }

}  // namespace nextstat::cli
