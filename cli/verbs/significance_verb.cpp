// significance: how unlikely the data are without signal.
#include <fmt/format.h>
#include <nextstat/result_json.h>
#include <nextstat/significance.h>
#include <nextstat/significance_toys.h>

#include <cmath>

#include "input/run_input.h"
#include "input/test_options.h"
#include "input/toy_options.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "screen/toy_screens.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string screen(const Model& model, const SignificanceResult& result) {
  const std::string poi = printable(model.poi_name());
  std::string text = fmt::format("test of the background-only hypothesis, {} = 0\n", poi);
  text += state_line(result.converged, result.interrupted);
  text += fmt::format("best fit {} = {}\n\n", poi, short_number(result.mu_hat));
  Table table({{"", Align::Left}, {"Z", Align::Right}, {"p0", Align::Right}, {"q0", Align::Right}});
  table.row({"observed", short_number(result.z_obs), short_number(result.p0), short_number(result.q0)});
  table.row({fmt::format("expected at {} = 1", poi), short_number(result.z_exp), short_number(result.p0_exp),
             short_number(result.q0_asimov)});
  text += table.text();
  return text + warning_block(result.warnings);
}

class SignificanceVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    calctype_.declare(command);
    toys_.declare(command, "Toys of each hypothesis");
    command.footer(
        "Example: nextstat significance workspace.json\n"
        "Example: nextstat significance workspace.json --calctype toys --n-toys 100");
  }

  int run(Console& console) override {
    if (const Errors errors = calctype_.check(toys_); !errors.empty()) return console.fail(errors);
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    if (calctype_.toys()) return run_toys(console, *run);
    const Result<SignificanceResult> result =
        run->timed([&] { return significance(run->model(), {.run = run->options}); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = significance_json(run->model(), *result);
    run->add_header(json, "nextstat/significance/1", result->device);
    return console.result(json, screen(run->model(), *result),
                          exit_code(result->converged, result->interrupted, result->complete()));
  }

 private:
  // A Z that is only known to be larger is an answer.
  int run_toys(Console& console, Run& run) const {
    const Result<SignificanceToysResult> result = run.timed(
        [&] { return significance_toys(run.model(), {.run = run.options, .toys = toys_.options(run)}); });
    if (!result) return run.fail(console, result.errors());
    nlohmann::json json = significance_toys_json(run.model(), *result);
    run.add_header(json, "nextstat/significance-toys/1", result->device);
    const bool complete = std::isfinite(result->p0) && std::isfinite(result->p0_exp);
    return console.result(json, significance_toys_screen(run.model(), *result),
                          exit_code(result->converged, result->interrupted, complete));
  }

  RunInput input_;
  CalcType calctype_;
  ToyInput toys_;
};

}  // namespace

std::unique_ptr<Verb> make_significance() { return std::make_unique<SignificanceVerb>(); }

}  // namespace nextstat::cli
