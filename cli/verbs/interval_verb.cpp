// interval: where the profile likelihood of a parameter reaches a confidence level.
#include <fmt/format.h>
#include <nextstat/interval.h>
#include <nextstat/result_json.h>

#include "input/run_input.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string text_of(const Model& model, const IntervalResult& result) {
  const auto end = [](double value, bool at_bound) {
    return short_number(value) + (at_bound ? " (bound)" : "");
  };
  std::string text;
  text += fmt::format("parameter  {}\n", printable(model.parameters()[result.parameter].name));
  text += fmt::format("best fit   {}\n", short_number(result.bestfit));
  text += fmt::format("interval   [{}, {}]  at {:.6g} % confidence level\n",
                      end(result.lower, result.lower_at_bound), end(result.upper, result.upper_at_bound),
                      100 * result.confidence_level);
  text += fmt::format("distances  {} and {}\n", short_number(result.lower - result.bestfit),
                      short_number(result.upper - result.bestfit));
  text += state_line(result.converged, result.interrupted);
  return text + warning_lines(result.warnings);
}

class IntervalVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    command.add_option("--parameter", options_.parameter, "Parameter (default: the POI)")->type_name("NAME");
    command.add_option("--cl", options_.confidence_level, "Confidence level, between 0 and 1")
        ->type_name("CL")
        ->capture_default_str();
    command.footer("Example: nextstat interval workspace.json --cl 0.95");
  }

  int run(Console& console) override {
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    options_.run = run->options;
    const Result<IntervalResult> result = run->timed([&] { return interval(run->model(), options_); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = interval_json(run->model(), *result);
    run->add_header(json, "nextstat/interval/1", result->device);
    return console.result(json, text_of(run->model(), *result),
                          exit_code(result->converged, result->interrupted));
  }

 private:
  RunInput input_;
  IntervalOptions options_;
};

}  // namespace

std::unique_ptr<Verb> make_interval() { return std::make_unique<IntervalVerb>(); }

}  // namespace nextstat::cli
