// toys run: toys drawn from the model and fitted.
#include <fmt/format.h>
#include <nextstat/result_json.h>
#include <nextstat/toys.h>

#include <algorithm>

#include "input/parameters_input.h"
#include "input/run_input.h"
#include "input/toy_options.h"
#include "screen/toy_screens.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

// Beyond these a JSON document is the wrong place for toys.
constexpr std::size_t kMostRecords = 100'000, kMostNumbers = 2'000'000;

class ToysRunVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    mu_option_ = command
                     .add_option("--mu", mu_,
                                 "Draw at the fit to the data with the parameter of interest fixed here "
                                 "(default: the best fit)")
                     ->type_name("VALUE");
    parameters_option_ =
        command
            .add_option("--parameters", parameters_,
                        "Draw at these parameters: init, NAME=VALUE ..., or a JSON file with {name: value}")
            ->type_name("FILE|init|NAME=VALUE");
    toys_.declare(command, "Toys");
    storage_.declare(command);
    command.add_option("--keep", keep_, "Also keep this parameter, or set, of every toy (repeatable)")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all()
        ->type_name("NAME");
    command.footer(
        "Without a folder the JSON has every toy, up to 100000 of them.\n"
        "Example: nextstat toys run workspace.json --mu 1 --n-toys 20000 --resume toys");
  }

  int run(Console& console) override {
    if (const Errors errors = check(); !errors.empty()) return console.fail(errors);
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    if (const Errors errors = prepare(*run); !errors.empty()) return console.fail(errors);
    std::vector<double> records;  // [toy][column]
    UseToy use;
    if (options_.storage.folder.empty())
      use = [&](std::size_t, std::span<const double> toy) {
        records.insert(records.end(), toy.begin(), toy.end());
      };
    const Result<ToysResult> result = run->timed([&] { return toys(run->model(), options_, use); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = toys_json(run->model(), *result);
    if (use) json["toys"] = toy_records_json(*result, records);
    run->add_header(json, "nextstat/toys-run/1", result->device);
    add_place(json, options_.storage);
    warn_if_interrupted(console, options_.storage, result->interrupted);
    return console.result(json, toys_screen(run->model(), *result, options_.storage.folder),
                          exit_code(result->converged, result->interrupted));
  }

 private:
  Errors check() const {
    if (mu_option_->count() > 0 && parameters_option_->count() > 0) {
      return {{ErrorCode::BadUsage, "--parameters", "--mu and --parameters both set where toys are drawn",
               "give one of them; --parameters can set the parameter of interest too"}};
    }
    if (Errors errors = RunInput::taken_workspace(input_.model(), "--parameters", parameters_);
        !errors.empty())
      return errors;
    if (Errors errors = storage_.check(); !errors.empty()) return errors;
    if (!parameters_.empty()) return one_from_standard_input({input_.model().path(), parameters_.front()});
    return {};
  }

  // What needs the model.
  Errors prepare(Run& run) {
    if (mu_option_->count() > 0) options_.mu = mu_;
    if (parameters_option_->count() > 0) {
      const Result<ParameterRows> rows = read_parameter_rows(run.model(), parameters_);
      if (!rows) return rows.errors();
      if (rows->many)
        return {{ErrorCode::BadInput, parameters_.front(),
                 "this is a list of points; toys are drawn at a single one",
                 "give one object {name: value}"}};
      options_.truth = rows->values;
    }
    Result<ToyStorage> storage = storage_.storage(input_, run);
    if (!storage) return storage.errors();
    options_.storage = std::move(*storage);
    options_.run = run.options;
    options_.toys = toys_.options(run);
    options_.parameters = keep_;
    return too_many(run.model());
  }

  Errors too_many(const Model& model) const {
    std::size_t numbers = 4;
    for (const std::string& name : keep_) {
      for (const Parameter& parameter : model.parameters())
        numbers += parameter.name == name || parameter.set == name;
    }
    const std::size_t most = std::min(kMostRecords, kMostNumbers / numbers);
    if (!options_.storage.folder.empty() || options_.toys.n_toys <= most) return {};
    return {{ErrorCode::LimitExceeded, "--n-toys",
             fmt::format("{} toys of {} numbers; a JSON document can have up to {}", options_.toys.n_toys,
                         numbers, most),
             "save them in a folder: --resume DIR"}};
  }

  RunInput input_;
  ToysOptions options_;
  ToyInput toys_;
  ToyStorageInput storage_;
  double mu_ = 0;
  std::vector<std::string> parameters_, keep_;
  CLI::Option *mu_option_ = nullptr, *parameters_option_ = nullptr;
};

}  // namespace

std::unique_ptr<Verb> make_toys_run() { return std::make_unique<ToysRunVerb>(); }

}  // namespace nextstat::cli
