// Asymptotic questions about signal strengths.
#include <nanobind/stl/string.h>
#include <nextstat/goodness_of_fit.h>
#include <nextstat/hypotest.h>
#include <nextstat/result_json.h>
#include <nextstat/significance.h>
#include <nextstat/upper_limit.h>

#include "arrays.h"
#include "bind.h"
#include "python_model.h"
#include "python_run.h"
#include "statistic_named.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

TestStatistic statistic_named(const std::string& name) { return value_of(parse_test_statistic(name)); }

namespace {

Dictionary hypotest_of(const PythonModel& model, Dictionary run, double mu, const std::string& statistic,
                       bool qtilde_as_pyhf) {
  PythonRun work(run, model);
  const HypotestOptions options{work.options, mu, statistic_named(statistic), qtilde_as_pyhf};
  const HypotestResult result = work.call([&] { return hypotest(model.model, options); });
  return work.answer(hypotest_json(model.model, result), "nextstat/hypotest/1", result.device, model.digest,
                     result.interrupted);
}

Dictionary upper_limit_of(const PythonModel& model, Dictionary run, double confidence_level,
                          const std::string& statistic, double rtol, nb::handle scan) {
  PythonRun work(run, model);
  const UpperLimitOptions options{work.options, confidence_level, statistic_named(statistic), rtol,
                                  numbers_or_none(scan, "scan")};
  const UpperLimitResult result = work.call([&] { return upper_limit(model.model, options); });
  return work.answer(upper_limit_json(model.model, result), "nextstat/upper-limit/1", result.device,
                     model.digest, result.interrupted);
}

Dictionary significance_of(const PythonModel& model, Dictionary run) {
  PythonRun work(run, model);
  const SignificanceResult result = work.call([&] { return significance(model.model, {work.options}); });
  return work.answer(significance_json(model.model, result), "nextstat/significance/1", result.device,
                     model.digest, result.interrupted);
}

Dictionary goodness_of_fit_of(const PythonModel& model, Dictionary run) {
  PythonRun work(run, model);
  const GoodnessOfFitResult result = work.call([&] { return goodness_of_fit(model.model, {work.options}); });
  return work.answer(goodness_of_fit_json(model.model, result), "nextstat/goodness-of-fit/1", result.device,
                     model.digest, result.interrupted);
}

}  // namespace

void bind_tests(nb::module_& module) {
  module.def("hypotest", &hypotest_of, "model"_a, "run"_a, "mu"_a, "test_stat"_a, "qtilde_as_pyhf"_a);
  module.def("upper_limit", &upper_limit_of, "model"_a, "run"_a, "confidence_level"_a, "test_stat"_a,
             "rtol"_a, "scan"_a = nb::none());
  module.def("significance", &significance_of, "model"_a, "run"_a);
  module.def("goodness_of_fit", &goodness_of_fit_of, "model"_a, "run"_a);
}

}  // namespace nextstat::python
