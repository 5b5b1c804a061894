// Limits for many signal hypotheses.
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <nextstat/mass_scan.h>
#include <nextstat/result_json.h>

#include <utility>
#include <vector>

#include "bind.h"
#include "python_model.h"
#include "python_run.h"
#include "python_voice.h"
#include "statistic_named.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

Dictionary scanned(PythonRun& work, const std::vector<MassPointSource>& sources, const std::string& digest,
                   double level, const std::string& statistic, double mu, double rtol) {
  MassScanOptions options{work.options, {}, level, statistic_named(statistic), mu, rtol};
  const MassScanResult result = work.call([&] { return mass_scan(sources, options); });
  return work.answer(mass_scan_json(result, voice()), "nextstat/mass-scan/1", result.device, digest,
                     result.interrupted);
}

// Every `shards`-th point, beginning with the `shard`-th, counted from 1.
Dictionary of_patchset(const std::string& background, const std::string& patchset, Dictionary run,
                       const std::string& digest, const std::string& measurement, double level,
                       const std::string& statistic, double mu, double rtol, std::size_t shard,
                       std::size_t shards) {
  PythonRun work(run);
  ModelOptions options;
  options.measurement = measurement;
  std::vector<MassPointSource> sources;
  std::size_t number = 0;
  for (MassPointSource& source : value_of(patchset_points(background, patchset, options))) {
    if (number++ % shards == shard - 1) sources.push_back(std::move(source));
  }
  return scanned(work, sources, digest, level, statistic, mu, rtol);
}

Dictionary of_models(const std::vector<std::string>& labels, nb::typed<nb::list, PythonModel> models,
                     const std::vector<std::vector<MassValue>>& values, Dictionary run, double level,
                     const std::string& statistic, double mu, double rtol) {
  PythonRun work(run);
  std::vector<MassPointSource> sources;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Model model = nb::cast<const PythonModel&>(models[i]).model;
    sources.push_back({labels[i], values[i], [model]() -> Result<Model> { return model; }});
  }
  return scanned(work, sources, "", level, statistic, mu, rtol);
}

}  // namespace

void bind_mass_scan(nb::module_& module) {
  module.def("mass_scan_patchset", &of_patchset, "background"_a, "patchset"_a, "run"_a, "digest"_a,
             "measurement"_a, "confidence_level"_a, "test_stat"_a, "mu"_a, "rtol"_a, "shard"_a = 1,
             "shards"_a = 1);
  module.def("mass_scan_models", &of_models, "labels"_a, "models"_a, "values"_a, "run"_a,
             "confidence_level"_a, "test_stat"_a, "mu"_a, "rtol"_a);
}

}  // namespace nextstat::python
