// hypotest: CLs of a signal strength by the asymptotic formulae.
#include <fmt/format.h>
#include <nextstat/hypotest.h>
#include <nextstat/result_json.h>

#include "input/run_input.h"
#include "input/test_options.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string tails_table(const HypotestResult& result) {
  const bool discovery = result.statistic == TestStatistic::Q0;
  std::vector<std::pair<std::string, Align>> columns = {
      {"", Align::Left}, {discovery ? "p0" : "CLsb", Align::Right}, {"CLb", Align::Right}};
  if (!discovery) columns.emplace_back("CLs", Align::Right);
  Table table(columns);
  const auto row = [&](const std::string& name, const TailProbabilities& tails) {
    std::vector<std::string> cells = {name, short_number(tails.clsb), short_number(tails.clb)};
    if (!discovery) cells.push_back(short_number(tails.cls));
    table.row(cells);
  };
  row("observed", result.observed);
  for (std::size_t i = 0; i < result.expected.size(); ++i)
    row("expected " + band_names()[i], result.expected[i]);
  return table.text();
}

std::string screen(const Model& model, const HypotestResult& result) {
  const std::string poi = printable(model.poi_name());
  std::string text =
      fmt::format("test of {} = {:.6g} with {}\n", poi, result.mu_test, to_string(result.statistic));
  text += state_line(result.converged, result.interrupted);
  text += fmt::format("best fit {} = {}, q = {}, q of the Asimov data = {}\n\n", poi,
                      short_number(result.mu_hat), short_number(result.q_mu), short_number(result.q_mu_a));
  text += tails_table(result);
  if (result.observed.cls >= 0 && result.converged) {
    const bool excluded = result.observed.cls <= 0.05;
    text += fmt::format("\n{} = {:.6g} is {} at 95% CL: CLs = {:.4g} {} 0.05\n", poi, result.mu_test,
                        excluded ? "excluded" : "not excluded", result.observed.cls, excluded ? "<=" : ">");
  }
  return text + warning_block(result.warnings);
}

class HypotestVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    mu_.declare(command, options_.mu);
    declare_test_stat(command, options_.statistic);
    command.add_flag("--expected-set", expected_set_, "Expected values too (they are always given)");
    command.footer("Example: nextstat hypotest workspace.json --mu 1.5");
  }

  int run(Console& console) override {
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    options_.run = run->options;
    if (const Errors errors = mu_.check(options_.statistic); !errors.empty()) return console.fail(errors);
    const Result<HypotestResult> result = run->timed([&] { return hypotest(run->model(), options_); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = hypotest_json(run->model(), *result);
    run->add_header(json, "nextstat/hypotest/1", result->device);
    return console.result(json, screen(run->model(), *result),
                          exit_code(result->converged, result->interrupted, result->complete()));
  }

 private:
  RunInput input_;
  HypotestOptions options_;
  bool expected_set_ = false;
  TestedValue mu_;
};

}  // namespace

std::unique_ptr<Verb> make_hypotest() { return std::make_unique<HypotestVerb>(); }

}  // namespace nextstat::cli
