// cls: CLs of a signal strength with the flags, formulae and keys of `pyhf cls`.
#include <fmt/format.h>
#include <nextstat/hypotest.h>
#include <nextstat/result_json.h>
#include <nextstat/upper_limit.h>

#include "input/choice.h"
#include "input/run_input.h"
#include "input/test_options.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string cls_screen(const Model& model, const HypotestResult& result) {
  std::string text = fmt::format("CLs of {} = {:.6g} with {}\n", printable(model.poi_name()), result.mu_test,
                                 to_string(result.statistic));
  text += state_line(result.converged, result.interrupted);
  Table table({{"", Align::Left}, {"CLs", Align::Right}});
  table.row({"observed", short_number(result.observed.cls)});
  for (std::size_t i = 0; i < result.expected.size(); ++i)
    table.row({"expected " + band_names()[i], short_number(result.expected[i].cls)});
  text += "\n" + table.text();
  return text + warning_block(result.warnings);
}

class ClsVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    options_.qtilde_as_pyhf = true;
    input_.declare(command);
    command
        .add_option("--test-poi", options_.mu,
                    fmt::format("Value of the parameter of interest to test (default {})", options_.mu))
        ->type_name("VALUE");
    declare_test_stat(command, options_.statistic, kLimitStatistics);
    const std::string asymptotics = to_string(Calculator::Asymptotics);
    add_word(command, "--calctype", "Method: " + asymptotics, [asymptotics](const std::string& name) {
      const std::vector<std::string> names = {asymptotics};
      return name == asymptotics ? Errors()
                                 : Errors{unknown_name(name, names, "a method", Field::Calculator)};
    });
    // Scripts written for pyhf name these; here there is one exact minimizer.
    command.add_option("--backend", backend_, "Accepted and ignored: pyhf's tensor library")
        ->type_name("NAME");
    command.add_option("--optimizer", optimizer_, "Accepted and ignored: pyhf's minimizer")
        ->type_name("NAME");
    command.add_option("--optconf", optconf_, "Accepted and ignored: options of pyhf's minimizer")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    command.footer("Example: nextstat cls workspace.json --test-poi 1.5");
  }

  int run(Console& console) override {
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    options_.run = run->options;
    const Result<HypotestResult> result = run->timed([&] { return hypotest(run->model(), options_); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = cls_json(run->model(), *result);
    run->add_header(json, "nextstat/cls/1", result->device);
    return console.result(json, cls_screen(run->model(), *result),
                          exit_code(result->converged, result->interrupted, result->complete()));
  }

 private:
  RunInput input_;
  HypotestOptions options_;
  std::string backend_, optimizer_;
  std::vector<std::string> optconf_;
};

}  // namespace

std::unique_ptr<Verb> make_cls() { return std::make_unique<ClsVerb>(); }

}  // namespace nextstat::cli
