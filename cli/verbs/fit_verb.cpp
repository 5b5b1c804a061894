// fit: the best fit, with uncertainties from the exact Hessian.
#include <fmt/format.h>
#include <nextstat/fit.h>
#include <nextstat/result_json.h>

#include "input/fit_regions.h"
#include "input/run_input.h"
#include "input/values.h"
#include "screen/fit_table.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

class FitVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    minos_option_ = add_optional_words(command, "--minos", minos_,
                                       "Also profile-likelihood errors: of these parameters or parameter "
                                       "sets; without names, of all free parameters",
                                       "NAME");
    regions_.declare(command);
    command.add_flag("--no-uncertainty", no_uncertainty_, "Best fit only, without covariance");
    command.add_flag("--covariance", covariance_,
                     "Write covariance and correlation even for more than 1000 parameters");
    command.add_flag("--all", all_, "Show every parameter and warning in the table");
    command.footer("Example: nextstat fit workspace.json --minos mu");
  }

  int run(Console& console) override {
    if (const Errors errors = RunInput::taken_workspace(input_.model(), "--minos", minos_); !errors.empty())
      return console.fail(errors);
    Result<Run> run = input_.start(console, regions_.filter());
    if (!run) return console.fail(run.errors());
    if (const Errors errors = check_text(run->model()); !errors.empty()) return run->fail(console, errors);
    const FitOptions options = this->options(*run);
    if (const Errors errors = regions_.check_parameters(input_, *run, "--minos", options.minos);
        !errors.empty())
      return console.fail(errors);
    const Result<FitResult> result = run->timed([&] { return fit(run->model(), options); });
    if (!result) return run->fail(console, result.errors());
    std::vector<std::string> warnings = result->warnings;
    const auto regions = regions_.validate(input_, *run, *result, warnings);
    if (!regions) return console.fail(regions.errors());

    nlohmann::json json = fit_json(run->model(), *result, covariance_);
    regions_.add_json(run->model(), *regions, json);
    for (std::size_t i = result->warnings.size(); i < warnings.size(); ++i)
      json["warnings"].push_back(warnings[i]);
    run->add_header(json, "nextstat/fit/1", result->device);
    const FitScreen screen{run->model(), *result, warnings, *regions, all_};
    return console.result(json, fit_table(screen),
                          exit_code(result->converged, result->interrupted, result->minos_converged));
  }

 private:
  // The text of both matrices, and the numbers that it is made of.
  Errors check_text(const Model& model) const {
    if (!covariance_ || no_uncertainty_) return {};
    constexpr double kBytesOfNumber = 2 * (16 + 22);
    const double n = static_cast<double>(model.n_parameters());
    const Result<void> room = check_matrix_memory(
        model, fmt::format("the covariance of {} parameters and its text", model.n_parameters()),
        kBytesOfNumber * n * n, "leave out --covariance: uncertainties are given without it");
    return room ? Errors() : room.errors();
  }

  FitOptions options(const Run& run) const {
    FitOptions options;
    options.run = run.options;
    options.uncertainties = !no_uncertainty_;
    options.large_matrices = covariance_;
    options.minos_of_all = minos_option_->count() > 0 && minos_.empty();
    std::set<std::string> known;
    for (const Parameter& parameter : run.model().parameters()) known.insert({parameter.name, parameter.set});
    options.minos = split_names(minos_, known);
    return options;
  }

  RunInput input_;
  FitRegions regions_;
  std::vector<std::string> minos_;
  CLI::Option* minos_option_ = nullptr;
  bool no_uncertainty_ = false, covariance_ = false, all_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_fit() { return std::make_unique<FitVerb>(); }

}  // namespace nextstat::cli
