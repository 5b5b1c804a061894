// feldman-cousins: the interval of a parameter by toys at every value.
#include <fmt/format.h>
#include <nextstat/feldman_cousins.h>
#include <nextstat/result_json.h>
#include <nextstat/scan.h>

#include "input/run_input.h"
#include "input/toy_options.h"
#include "input/values.h"
#include "screen/toy_screens.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

class FeldmanCousinsVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    command.add_option("--parameter", options_.parameter, "Parameter (default: the POI)")->type_name("NAME");
    command.add_option("--cl", options_.confidence_level, "Confidence level, between 0 and 1")
        ->type_name("CL")
        ->capture_default_str();
    toys_.declare(command, "Toys at every value");
    start_option_ = command.add_option("--start", start_, "First value (default: well outside the interval)")
                        ->type_name("VALUE");
    stop_option_ = command.add_option("--stop", stop_, "Last value")->type_name("VALUE");
    start_option_->needs(stop_option_);
    stop_option_->needs(start_option_);
    points_option_ = command
                         .add_option("--points", points_,
                                     fmt::format("Number of values to start with (default {})", points_))
                         ->transform(whole_number(2, 100'000))
                         ->type_name("N");
    command
        .add_option("--refine", options_.refinements,
                    fmt::format("Number of values added near each end of the interval (default {})",
                                options_.refinements))
        ->transform(whole_number(0, 100))
        ->type_name("N");
    command.footer("Example: nextstat feldman-cousins workspace.json --cl 0.9 --n-toys 2000");
  }

  int run(Console& console) override {
    if (points_option_->count() > 0 && start_option_->count() == 0)
      return console.fail({{ErrorCode::BadUsage, "--points", "--points needs a range",
                            "add --start VALUE and --stop VALUE, or leave --points out"}});
    if (start_option_->count() > 0 && !(start_ < stop_))
      return console.fail(
          {{ErrorCode::BadUsage, "--start", fmt::format("--start {} is not below --stop {}", start_, stop_),
            "choose a start below the stop"}});
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    options_.run = run->options;
    options_.toys = toys_.options(*run);
    if (start_option_->count() > 0) options_.values = even_spacing(start_, stop_, points_);
    const Result<FeldmanCousinsResult> result =
        run->timed([&] { return feldman_cousins(run->model(), options_); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = feldman_cousins_json(run->model(), *result);
    run->add_header(json, "nextstat/feldman-cousins/1", result->device);
    const auto has_end = [](IntervalEnd end) {
      return end == IntervalEnd::Found || end == IntervalEnd::Bound;
    };
    const bool complete = has_end(result->lower_end) && has_end(result->upper_end);
    return console.result(json, feldman_cousins_screen(run->model(), *result),
                          exit_code(result->converged, result->interrupted, complete));
  }

 private:
  RunInput input_;
  FeldmanCousinsOptions options_;
  ToyInput toys_;
  double start_ = 0, stop_ = 0;
  std::size_t points_ = kFeldmanCousinsValues;
  CLI::Option *start_option_ = nullptr, *stop_option_ = nullptr, *points_option_ = nullptr;
};

}  // namespace

std::unique_ptr<Verb> make_feldman_cousins() { return std::make_unique<FeldmanCousinsVerb>(); }

}  // namespace nextstat::cli
