// Questions answered by counting toys.
#include <nanobind/stl/string.h>
#include <nextstat/feldman_cousins.h>
#include <nextstat/goodness_of_fit_toys.h>
#include <nextstat/hypotest_toys.h>
#include <nextstat/result_json.h>
#include <nextstat/significance_toys.h>
#include <nextstat/upper_limit_toys.h>

#include <array>

#include "arrays.h"
#include "bind.h"
#include "python_model.h"
#include "python_run.h"
#include "statistic_named.h"
#include "toy_settings.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

Dictionary hypotest_toys_of(const PythonModel& model, Dictionary run, Dictionary settings, double mu,
                            const std::string& statistic, bool expected_set, bool collect) {
  PythonRun work(run, model);
  HypotestToysOptions options{work.options, toy_options(settings), toy_storage(settings, model.digest)};
  options.mu = mu;
  options.statistic = statistic_named(statistic);
  options.expected_set = expected_set;
  std::array<std::vector<double>, 2> values;  // tested, alternative
  if (collect)
    options.use = [&](bool alternative, std::size_t, double q) { values[alternative ? 1 : 0].push_back(q); };
  const HypotestToysResult result = work.call([&] { return hypotest_toys(model.model, options); });
  Dictionary answer =
      work.answer(hypotest_toys_json(model.model, result, expected_set), "nextstat/hypotest-toys/1",
                  result.device, model.digest, result.interrupted);
  add_place(answer, options.storage);
  if (collect) {
    answer["q_tested"] = array(std::move(values[0]));
    answer["q_alternative"] = array(std::move(values[1]));
  }
  return answer;
}

Dictionary upper_limit_toys_of(const PythonModel& model, Dictionary run, Dictionary settings,
                               double confidence_level, const std::string& statistic, nb::handle scan) {
  PythonRun work(run, model);
  UpperLimitToysOptions options{work.options, toy_options(settings), confidence_level,
                                statistic_named(statistic)};
  take(settings, "error", options.error);
  take(settings, "max_toys", options.max_toys);
  options.scan = numbers_or_none(scan, "scan");
  const UpperLimitToysResult result = work.call([&] { return upper_limit_toys(model.model, options); });
  return work.answer(upper_limit_toys_json(model.model, result), "nextstat/upper-limit-toys/1", result.device,
                     model.digest, result.interrupted);
}

Dictionary significance_toys_of(const PythonModel& model, Dictionary run, Dictionary settings) {
  PythonRun work(run, model);
  const SignificanceToysOptions options{work.options, toy_options(settings)};
  const SignificanceToysResult result = work.call([&] { return significance_toys(model.model, options); });
  return work.answer(significance_toys_json(model.model, result), "nextstat/significance-toys/1",
                     result.device, model.digest, result.interrupted);
}

Dictionary goodness_of_fit_toys_of(const PythonModel& model, Dictionary run, Dictionary settings) {
  PythonRun work(run, model);
  const GoodnessOfFitToysOptions options{work.options, toy_options(settings)};
  const GoodnessOfFitToysResult result =
      work.call([&] { return goodness_of_fit_toys(model.model, options); });
  return work.answer(goodness_of_fit_toys_json(model.model, result), "nextstat/goodness-of-fit-toys/1",
                     result.data.device, model.digest, result.data.interrupted);
}

Dictionary feldman_cousins_of(const PythonModel& model, Dictionary run, Dictionary settings,
                              const std::string& parameter, double confidence_level, nb::handle values) {
  PythonRun work(run, model);
  FeldmanCousinsOptions options{work.options, toy_options(settings), parameter, confidence_level,
                                numbers_or_none(values, "values")};
  take(settings, "refinements", options.refinements);
  const FeldmanCousinsResult result = work.call([&] { return feldman_cousins(model.model, options); });
  return work.answer(feldman_cousins_json(model.model, result), "nextstat/feldman-cousins/1", result.device,
                     model.digest, result.interrupted);
}

}  // namespace

void bind_toy_tests(nb::module_& module) {
  module.def("hypotest_toys", &hypotest_toys_of, "model"_a, "run"_a, "settings"_a, "mu"_a, "test_stat"_a,
             "expected_set"_a, "collect"_a);
  module.def("upper_limit_toys", &upper_limit_toys_of, "model"_a, "run"_a, "settings"_a, "confidence_level"_a,
             "test_stat"_a, "scan"_a = nb::none());
  module.def("significance_toys", &significance_toys_of, "model"_a, "run"_a, "settings"_a);
  module.def("goodness_of_fit_toys", &goodness_of_fit_toys_of, "model"_a, "run"_a, "settings"_a);
  module.def("feldman_cousins", &feldman_cousins_of, "model"_a, "run"_a, "settings"_a, "parameter"_a,
             "confidence_level"_a, "values"_a = nb::none());
}

}  // namespace nextstat::python
