// The best fit, and fits to many datasets.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nextstat/evaluate.h>
#include <nextstat/fit.h>
#include <nextstat/fit_batch.h>
#include <nextstat/result_json.h>

#include "arrays.h"
#include "bind.h"
#include "python_model.h"
#include "python_run.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

Dictionary fit_of(const PythonModel& model, Dictionary run, bool uncertainties,
                  std::vector<std::string> minos, bool minos_of_all, bool large_matrices) {
  PythonRun work(run, model);
  FitResult result = work.call([&] {
    return fit(model.model, {work.options, uncertainties, std::move(minos), minos_of_all, large_matrices});
  });
  Dictionary answer = work.answer(fit_json_without_matrices(model.model, result), "nextstat/fit/1",
                                  result.device, model.digest, result.interrupted);
  const std::size_t n = result.bestfit.size();
  answer["bestfit"] = array(std::move(result.bestfit));
  if (!result.uncertainties.empty()) answer["uncertainties"] = array(std::move(result.uncertainties));
  answer["covariance"] = nb::none();
  answer["correlation"] = nb::none();
  if (!result.covariance.empty()) {
    answer["covariance"] = array(std::move(result.covariance), n, n);
    answer["correlation"] = array(std::move(result.correlation), n, n);
  }
  return answer;
}

Dictionary batch_answer(const PythonModel& model, PythonRun& work, BatchFits fits) {
  nlohmann::json json = {{"n_sets", fits.n_datasets},
                         {"n_converged", fits.n_converged},
                         {"interrupted", fits.interrupted},
                         {"warnings", fits.warnings},
                         {"converged", fits.n_converged == fits.n_datasets},
                         {"instruction_set", fits.instruction_set}};
  Dictionary answer =
      work.answer(std::move(json), "nextstat/fit-batch/1", fits.device, model.digest, fits.interrupted);
  answer["bestfit"] = array(std::move(fits.bestfit), fits.n_datasets, model.model.n_parameters());
  answer["nll"] = array(std::move(fits.nll));
  answer["converged_sets"] = array(std::vector<double>(fits.converged.begin(), fits.converged.end()));
  answer["n_iter"] = array(std::vector<double>(fits.iterations.begin(), fits.iterations.end()));
  return answer;
}

Dictionary fit_batch_of(const PythonModel& model, Dictionary run, nb::handle datasets) {
  const Numbers data(datasets, "datasets");
  PythonRun work(run, model);
  return batch_answer(model, work,
                      work.call([&] { return fit_batch(model.model, data.values(), work.options); }));
}

// None = the same for all fits.
Dictionary fit_rows_of(const PythonModel& model, Dictionary run, std::size_t rows, nb::handle datasets,
                       nb::handle starts, nb::handle low, nb::handle high, nb::handle fixed) {
  std::optional<Numbers> held[5];
  std::size_t next = 0;
  const auto numbers = [&](nb::handle values, const char* name) {
    std::optional<Numbers>& place = held[next++];
    return values.is_none() ? std::span<const double>() : place.emplace(values, name).values();
  };
  const FitRows given{rows,
                      numbers(datasets, "datasets"),
                      numbers(starts, "init_pars"),
                      numbers(low, "bounds"),
                      numbers(high, "bounds"),
                      numbers(fixed, "fixed")};
  PythonRun work(run, model);
  return batch_answer(model, work, work.call([&] { return fit_rows(model.model, given, work.options); }));
}

}  // namespace

void bind_fit(nb::module_& module) {
  module.def("fit", &fit_of, "model"_a, "run"_a, "uncertainties"_a, "minos"_a, "minos_of_all"_a,
             "large_matrices"_a);
  module.def("fit_batch", &fit_batch_of, "model"_a, "run"_a, "datasets"_a);
  module.def("fit_rows", &fit_rows_of, "model"_a, "run"_a, "rows"_a, "datasets"_a.none(), "starts"_a.none(),
             "low"_a.none(), "high"_a.none(), "fixed"_a.none());
  module.def(
      "asimov_data",
      [](const PythonModel& model, nb::handle parameters) {
        const Numbers point(parameters, "parameters");
        return array(value_of(asimov_data(model.model, point.values())));
      },
      "model"_a, "parameters"_a,
      nb::sig("def asimov_data(model: Model, parameters: numpy.typing.ArrayLike) -> "
              "numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace nextstat::python
