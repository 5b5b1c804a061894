// upper-limit: observed and expected upper limits on the parameter of interest.
#include <fmt/format.h>
#include <nextstat/result_json.h>
#include <nextstat/scan.h>
#include <nextstat/upper_limit.h>
#include <nextstat/upper_limit_toys.h>

#include <cmath>

#include "input/run_input.h"
#include "input/test_options.h"
#include "input/toy_options.h"
#include "input/values.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "screen/toy_screens.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string sentence(const std::string& poi, const UpperLimitResult& result) {
  const std::string level = percent(result.confidence_level);
  if (!std::isfinite(result.observed)) return "there is no observed limit: see the warnings\n";
  return fmt::format("{} > {:.4g} is excluded at {} CL (expected: {} > {}, {} to {} within one sigma)\n", poi,
                     result.observed, level, poi, short_number(result.expected[2], 4),
                     short_number(result.expected[1], 4), short_number(result.expected[3], 4));
}

std::string screen(const Model& model, const UpperLimitResult& result) {
  const std::string poi = printable(model.poi_name());
  std::string text = fmt::format("upper limit on {} at {} CL, CLs with {}\n", poi,
                                 percent(result.confidence_level), to_string(result.statistic));
  text += state_line(result.converged, result.interrupted);
  text += fmt::format("best fit {} = {}, {} fits\n\n", poi, short_number(result.mu_hat), result.fits);
  Table table({{"", Align::Left}, {"limit", Align::Right}});
  table.row({"observed", short_number(result.observed)});
  for (std::size_t i = 0; i < result.expected.size(); ++i)
    table.row({"expected " + band_names()[i], short_number(result.expected[i])});
  text += table.text();
  if (const std::string picture = band_picture(result); !picture.empty()) text += "\n" + picture;
  if (result.converged) text += "\n" + sentence(poi, result);
  return text + warning_block(result.warnings);
}

class UpperLimitVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    level_.declare(command, options_.confidence_level);
    declare_test_stat(command, options_.statistic, kLimitStatistics);
    calctype_.declare(command);
    calctype_.only_asymptotics(
        command
            .add_option("--rtol", options_.rtol,
                        fmt::format("Relative precision of the limits (default {})", options_.rtol))
            ->type_name("VALUE"));
    declare_toys(command);
    command.add_flag("--expected", expected_, "Expected limits too (they are always given)");
    CLI::Option* const points =
        command
            .add_option("--scan-points", points_,
                        "Test only this many evenly spaced values, with linear interpolation between them")
            ->transform(whole_number(2, 1'000'000))
            ->type_name("N");
    command.add_option("--scan-start", start_, fmt::format("The first of them (default {})", start_))
        ->needs(points)
        ->type_name("VALUE");
    command.add_option("--scan-stop", stop_, fmt::format("The last of them (default {})", stop_))
        ->needs(points)
        ->type_name("VALUE");
    command.footer(
        "Example: nextstat upper-limit workspace.json --cl 0.9\n"
        "Example: nextstat upper-limit workspace.json --calctype toys --toy-error 0.05");
  }

  int run(Console& console) override {
    if (const Errors errors = check(); !errors.empty()) return console.fail(errors);
    if (const Errors errors = level_.check(); !errors.empty()) return console.fail(errors);
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    options_.run = run->options;
    options_.confidence_level = level_.value();
    if (points_ > 0) options_.scan = even_spacing(start_, stop_, points_);
    if (calctype_.toys()) return run_toys(console, *run);
    const Result<UpperLimitResult> result = run->timed([&] { return upper_limit(run->model(), options_); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = upper_limit_json(run->model(), *result);
    run->add_header(json, "nextstat/upper-limit/1", result->device);
    return console.result(json, screen(run->model(), *result),
                          exit_code(result->converged, result->interrupted, result->complete()));
  }

 private:
  void declare_toys(CLI::App& command) {
    toys_.declare(command, "Toys of each hypothesis at every value of the first round");
    error_option_ =
        command
            .add_option("--toy-error", toy_options_.error,
                        fmt::format("Target relative error of the limit (default {})", toy_options_.error))
            ->type_name("VALUE");
    max_option_ =
        command
            .add_option("--max-toys", toy_options_.max_toys,
                        fmt::format("Stop after this many toys in total (default {})", toy_options_.max_toys))
            ->transform(whole_number(1, 1'000'000'000'000))
            ->type_name("N");
    calctype_.only_toys(error_option_);
    calctype_.only_toys(max_option_);
  }

  Errors check() const {
    if (Errors errors = calctype_.check(toys_); !errors.empty()) return errors;
    for (const CLI::Option* option : {error_option_, max_option_}) {
      if (points_ > 0 && option->count() > 0)
        return {{ErrorCode::BadUsage, option->get_name(),
                 fmt::format("{} controls the search, and --scan-points tests fixed values instead",
                             option->get_name()),
                 "leave one of them out; --n-toys is the number of toys at every value"}};
    }
    return {};
  }

  int run_toys(Console& console, Run& run) {
    toy_options_.run = run.options;
    toy_options_.toys = toys_.options(run);
    toy_options_.confidence_level = options_.confidence_level;
    toy_options_.statistic = options_.statistic;
    toy_options_.scan = options_.scan;
    const Result<UpperLimitToysResult> result =
        run.timed([&] { return upper_limit_toys(run.model(), toy_options_); });
    if (!result) return run.fail(console, result.errors());
    nlohmann::json json = upper_limit_toys_json(run.model(), *result);
    run.add_header(json, "nextstat/upper-limit-toys/1", result->device);
    return console.result(json, upper_limit_toys_screen(run.model(), *result),
                          exit_code(result->converged, result->interrupted));
  }

  RunInput input_;
  UpperLimitToysOptions toy_options_;
  CalcType calctype_;
  ToyInput toys_;
  CLI::Option *error_option_ = nullptr, *max_option_ = nullptr;
  UpperLimitOptions options_;
  ConfidenceLevel level_;
  bool expected_ = false;
  double start_ = 0, stop_ = 5;
  std::size_t points_ = 0;
};

}  // namespace

std::unique_ptr<Verb> make_upper_limit() { return std::make_unique<UpperLimitVerb>(); }

}  // namespace nextstat::cli
