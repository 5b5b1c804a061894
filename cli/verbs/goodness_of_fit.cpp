// goodness-of-fit: the best fit against the saturated model.
#include <fmt/format.h>
#include <nextstat/goodness_of_fit.h>

#include "result/test_json.h"
#include "run_input.h"
#include "table.h"
#include "test_screen.h"
#include "verb.h"
#include "verbs/verbs.h"

namespace nextstat::cli {
namespace {

std::string screen(const GoodnessOfFitResult& result) {
  const GoodnessOfFit& goodness = result.goodness;
  std::string text = "goodness of fit against the saturated model\n";
  if (!result.converged) text += result.interrupted ? "interrupted\n" : "NOT CONVERGED\n";
  text += fmt::format("chi2 / ndof    {} / {}\n", short_number(goodness.chi2), goodness.ndof);
  text += fmt::format("p-value        {}\n", short_number(goodness.p_value));
  text += fmt::format("NLL            {:.6f}\n", goodness.nll_fit);
  text += fmt::format("NLL saturated  {:.6f}\n", goodness.nll_saturated);
  const std::string warnings = warning_lines(result.warnings);
  return warnings.empty() ? text : text + "\n" + warnings;
}

class GoodnessOfFitVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    command.footer("Example: nextstat goodness-of-fit workspace.json");
  }

  int run(Console& console) override {
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    const Result<GoodnessOfFitResult> result =
        run->timed([&] { return goodness_of_fit(run->model(), GoodnessOfFitOptions{.run = run->options}); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = goodness_of_fit_json(*result);
    run->add_header(json, "nextstat/goodness-of-fit/1", result->device);
    return console.result(json, screen(*result),
                          exit_code(result->converged, result->interrupted, result->complete()));
  }

 private:
  RunInput input_;
};

}  // namespace

std::unique_ptr<Verb> make_goodness_of_fit() { return std::make_unique<GoodnessOfFitVerb>(); }

}  // namespace nextstat::cli
