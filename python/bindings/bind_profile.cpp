// Questions about the profile likelihood: scans, intervals, rankings.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nextstat/interval.h>
#include <nextstat/ranking.h>
#include <nextstat/result_json.h>
#include <nextstat/scan.h>

#include <tuple>
#include <utility>

#include "arrays.h"
#include "bind.h"
#include "python_model.h"
#include "python_run.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

Dictionary scan_of(const PythonModel& model, Dictionary run, const std::string& parameter, nb::handle values,
                   const std::string& parameter2, nb::handle values2) {
  PythonRun work(run, model);
  const ScanOptions options{work.options, parameter, numbers_or_none(values, "values"), parameter2,
                            numbers_or_none(values2, "values2")};
  const ScanResult result = work.call([&] { return scan(model.model, options); });
  return work.answer(scan_json(model.model, result), "nextstat/scan/1", result.device, model.digest,
                     result.interrupted);
}

Dictionary interval_of(const PythonModel& model, Dictionary run, const std::string& parameter,
                       double confidence_level) {
  PythonRun work(run, model);
  const IntervalOptions options{work.options, parameter, confidence_level};
  const IntervalResult result = work.call([&] { return interval(model.model, options); });
  return work.answer(interval_json(model.model, result), "nextstat/interval/1", result.device, model.digest,
                     result.interrupted);
}

using Groups = std::vector<std::pair<std::string, std::vector<std::string>>>;

// What a part of a ranking finds out: index, impacts up and down after and before the fit, converged,
// iterations, and a fit below the best fit (NLL, value).
using Impacts = std::tuple<std::size_t, double, double, double, double, bool, std::size_t, double, double>;

Impacts impacts_of(const RankingEntry& entry) {
  return {entry.parameter,        entry.impact_up,          entry.impact_down,
          entry.impact_up_prefit, entry.impact_down_prefit, entry.converged,
          entry.iterations,       entry.lower_nll,          entry.lower_at};
}

RankingEntry entry_of(const Impacts& impacts) {
  RankingEntry entry;
  std::tie(entry.parameter, entry.impact_up, entry.impact_down, entry.impact_up_prefit,
           entry.impact_down_prefit, entry.converged, entry.iterations, entry.lower_nll, entry.lower_at) =
      impacts;
  return entry;
}

Dictionary ranking_of(const PythonModel& model, Dictionary run, const std::string& impact,
                      const Groups& groups, std::size_t top, std::vector<std::string> parameters,
                      const std::vector<Impacts>& known) {
  PythonRun work(run, model);
  RankingOptions options{work.options, value_of(parse_impact(impact)), {}, top, std::move(parameters)};
  for (const auto& [name, members] : groups) options.groups.push_back({name, members});
  for (const Impacts& impacts : known) options.known.push_back(entry_of(impacts));
  const RankingResult result = work.call([&] { return ranking(model.model, options); });
  Dictionary answer = work.answer(ranking_json(model.model, result), "nextstat/ranking/1", result.device,
                                  model.digest, result.interrupted);
  std::vector<Impacts> rows;
  for (const RankingEntry& entry : result.entries) rows.push_back(impacts_of(entry));
  answer["impacts"] = nb::cast(rows);
  return answer;
}

}  // namespace

void bind_profile(nb::module_& module) {
  module.def("scan", &scan_of, "model"_a, "run"_a, "parameter"_a, "values"_a, "parameter2"_a = "",
             "values2"_a = nb::none());
  module.def("interval", &interval_of, "model"_a, "run"_a, "parameter"_a, "confidence_level"_a);
  module.def("ranking", &ranking_of, "model"_a, "run"_a, "impact"_a, "groups"_a, "top"_a,
             "parameters"_a = std::vector<std::string>(), "known"_a = std::vector<Impacts>());
}

}  // namespace nextstat::python
