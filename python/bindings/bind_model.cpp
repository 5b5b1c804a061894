// Model: built from a workspace text, evaluated at one point or at many.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <nextstat/backends.h>
#include <nextstat/evaluate.h>
#include <nextstat/rates.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "arrays.h"
#include "bind.h"
#include "errors.h"
#include "python_model.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

double PythonModel::evaluate(std::span<const double> parameters, std::span<double> gradient) {
  if (!likelihood) likelihood = std::make_shared<Likelihood>(value_of(Likelihood::make(model)));
  const auto run = [&] {
    return gradient.empty() ? likelihood->nll(parameters)
                            : likelihood->nll_and_gradient(parameters, gradient);
  };
  if (likelihood->is_quick()) return run();  // the interpreter lock keeps others away
  const nb::gil_scoped_release release;
  const std::lock_guard lock(*one_at_a_time);
  return run();
}

namespace {

// What set_threads() of the package says; 0 = all.
std::size_t threads_of_evaluations = 0;

// One row with one finite value per parameter.
// Everything else goes through evaluate(), which says what is wrong.
bool is_plain_point(const PythonModel& self, const Numbers& parameters) {
  // A session on the processor gives the same bits.
  if (self.session && self.session->device().name != "cpu") return false;
  if (parameters.dimensions() != 1 || parameters.values().size() != self.model.n_parameters()) return false;
  double sum = 0;
  for (const double value : parameters.values()) sum += value * 0.0;
  return sum == 0;
}

struct Point {
  explicit Point(const Model& model, const Numbers& parameters)
      : many(parameters.dimensions() > 1), rows(parameters.values().size() / model.n_parameters()) {
    const bool fits = parameters.dimensions() <= 2 && parameters.columns() == model.n_parameters();
    if (fits) return;
    std::string shape = std::to_string(parameters.columns()) + " values";
    if (parameters.dimensions() > 2) shape = std::to_string(parameters.dimensions()) + " dimensions";
    raise({{ErrorCode::BadUsage, "parameters",
            shape + ", the model has " + std::to_string(model.n_parameters()) + " parameters",
            "give one value per parameter, or rows of them"}});
  }
  bool many;
  std::size_t rows;
};

Evaluation evaluated(const PythonModel& self, const Numbers& parameters, nb::handle data,
                     EvaluateOptions options, nb::handle device = nb::none()) {
  std::vector<double> values = numbers_or_none(data, "data");
  // Main bins alone get the model's auxiliary data.
  const std::span<const double> own = self.model.data();
  if (values.size() == self.model.n_bins())
    values.insert(values.end(), own.begin() + static_cast<std::ptrdiff_t>(values.size()), own.end());
  options.data = values;
  const std::shared_ptr<Session> session = self.session;  // stays open until the answer is there
  options.session = session.get();
  if (!session) options.threads = threads_of_evaluations;
  if (!device.is_none() && !nb::isinstance<nb::str>(device))
    raise({{ErrorCode::BadUsage, "device",
            std::string(nb::repr(device).c_str()) + " is not the name of a device",
            "use one of " + listed(device_names()) + ", or e.g. cuda:1"}});
  if (!device.is_none()) options.device = nb::cast<std::string>(device);
  const nb::gil_scoped_release release;
  Result<Evaluation> at = evaluate(self.model, parameters.values(), options);
  const nb::gil_scoped_acquire acquire;
  return value_of(std::move(at));
}

nb::object nll(PythonModel& self, nb::handle parameters, nb::handle data, nb::handle device) {
  const Numbers point(parameters, "parameters");
  if (data.is_none() && device.is_none() && is_plain_point(self, point))
    return nb::float_(self.evaluate(point.values(), {}));
  const Point shape(self.model, point);
  Evaluation at = evaluated(self, point, data, {}, device);
  if (!shape.many) return nb::float_(at.nll.front());
  return array(std::move(at.nll));
}

nb::object grad_nll(PythonModel& self, nb::handle parameters, nb::handle data, nb::handle device) {
  const Numbers point(parameters, "parameters");
  if (data.is_none() && device.is_none() && is_plain_point(self, point)) {
    std::vector<double> gradient(self.model.n_parameters());
    self.evaluate(point.values(), gradient);
    return array(std::move(gradient));
  }
  const Point shape(self.model, point);
  EvaluateOptions options;
  options.gradient = true;
  Evaluation at = evaluated(self, point, data, options, device);
  if (!shape.many) return array(std::move(at.gradient));
  return array(std::move(at.gradient), shape.rows, self.model.n_parameters());
}

nb::tuple value_and_grad(PythonModel& self, nb::handle parameters, nb::handle data, nb::handle device) {
  const Numbers point(parameters, "parameters");
  if (data.is_none() && device.is_none() && is_plain_point(self, point)) {
    std::vector<double> gradient(self.model.n_parameters());
    const double value = self.evaluate(point.values(), gradient);
    return nb::make_tuple(value, array(std::move(gradient)));
  }
  const Point shape(self.model, point);
  EvaluateOptions options;
  options.gradient = true;
  Evaluation at = evaluated(self, point, data, options, device);
  if (!shape.many) return nb::make_tuple(at.nll.front(), array(std::move(at.gradient)));
  return nb::make_tuple(array(std::move(at.nll)),
                        array(std::move(at.gradient), shape.rows, self.model.n_parameters()));
}

// (main bins, constraints): numbers at a point, arrays for rows.
nb::tuple nll_parts(const PythonModel& self, nb::handle parameters, nb::handle data) {
  const Numbers point(parameters, "parameters");
  const Point shape(self.model, point);
  EvaluateOptions options;
  options.parts = true;
  Evaluation at = evaluated(self, point, data, options);
  if (!shape.many) return nb::make_tuple(at.nll_main.front(), at.nll_constraint.front());
  return nb::make_tuple(array(std::move(at.nll_main)), array(std::move(at.nll_constraint)));
}

nb::object hessian(const PythonModel& self, nb::handle parameters, nb::handle data) {
  const Numbers point(parameters, "parameters");
  const Point shape(self.model, point);
  EvaluateOptions options;
  options.hessian = true;
  Evaluation at = evaluated(self, point, data, options);
  const std::size_t n = self.model.n_parameters();
  return shape.many ? array(std::move(at.hessian), shape.rows, n, n) : array(std::move(at.hessian), n, n);
}

nb::object expected_data(const PythonModel& self, nb::handle parameters, bool include_auxdata,
                         nb::handle device) {
  const Numbers point(parameters, "parameters");
  const Point shape(self.model, point);
  EvaluateOptions options;
  options.expected = true;
  Evaluation at = evaluated(self, point, nb::none(), options, device);
  const std::size_t n_data = self.model.data().size(), n_bins = self.model.n_bins();
  std::vector<double> values = std::move(at.expected);
  std::size_t columns = n_data;
  if (!include_auxdata) {
    for (std::size_t row = 0; row < shape.rows; ++row)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(row * n_data), n_bins,
                  values.begin() + static_cast<std::ptrdiff_t>(row * n_bins));
    values.resize(shape.rows * n_bins);
    columns = n_bins;
  }
  return shape.many ? array(std::move(values), shape.rows, columns) : array(std::move(values));
}

nb::object expected_jacobian(const PythonModel& self, nb::handle parameters) {
  const Numbers point(parameters, "parameters");
  return array(value_of(rate_jacobian(self.model, point.values())), self.model.n_bins(),
               self.model.n_parameters());
}

nb::list sample_rates_of(const PythonModel& self, nb::handle parameters) {
  const Numbers point(parameters, "parameters");
  nb::list list;
  for (SampleRates& rates : value_of(sample_rates(self.model, point.values())))
    list.append(nb::make_tuple(self.model.channels()[rates.channel].name, rates.sample,
                               array(std::move(rates.rates))));
  return list;
}

nb::list parameters_of(const PythonModel& self) {
  nb::list list;
  for (const Parameter& parameter : self.model.parameters())
    list.append(nb::make_tuple(parameter.name, parameter.set, parameter.type, parameter.init, parameter.low,
                               parameter.high, parameter.fixed, to_string(parameter.constraint),
                               parameter.center, parameter.width, parameter.channel, parameter.bin));
  return list;
}

nb::list channels_of(const PythonModel& self) {
  nb::list list;
  for (const ChannelInfo& channel : self.model.channels())
    list.append(nb::make_tuple(channel.name, channel.first_bin, channel.bins, channel.samples));
  return list;
}

PythonModel built(std::string_view text, const std::string& measurement, std::optional<std::string> poi,
                  std::vector<std::string> channels, const std::string& normsys,
                  const std::string& histosys) {
  ModelOptions options;
  options.measurement = measurement;
  options.poi = std::move(poi);
  options.channels = std::move(channels);
  options.normsys_code = value_of(parse_normsys_code(normsys));
  options.histosys_code = value_of(parse_histosys_code(histosys));
  Result<Model> model = [&]() -> Result<Model> {
    const nb::gil_scoped_release release;
    return parse_model(text, options);
  }();
  return {value_of(std::move(model))};
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<PythonModel>(module, "Model")
      .def(
          "__init__",
          [](PythonModel* self, std::string_view text, const std::string& measurement,
             std::optional<std::string> poi, std::vector<std::string> channels, const std::string& normsys,
             const std::string& histosys) {
            new (self)
                PythonModel(built(text, measurement, std::move(poi), std::move(channels), normsys, histosys));
          },
          "text"_a, "measurement"_a = "", "poi"_a = nb::none(), "channels"_a = std::vector<std::string>(),
          "normsys_code"_a = to_string(ModelOptions().normsys_code),
          "histosys_code"_a = to_string(ModelOptions().histosys_code))
      .def(
          "__init__", [](PythonModel* self, const PythonModel& other) { new (self) PythonModel(other); },
          "other"_a)
      .def(
          "nll", &nll, "parameters"_a, "data"_a = nb::none(), "device"_a = nb::none(),
          nb::sig(
              "def nll(self, parameters: numpy.typing.ArrayLike, data: numpy.typing.ArrayLike | None = None, "
              "device: str | None = None) -> typing.Any"),
          "Negative log likelihood: a float at a point, an array for rows of points.")
      .def("grad_nll", &grad_nll, "parameters"_a, "data"_a = nb::none(), "device"_a = nb::none(),
           nb::sig("def grad_nll(self, parameters: numpy.typing.ArrayLike, data: numpy.typing.ArrayLike | "
                   "None = None, "
                   "device: str | None = None) -> numpy.typing.NDArray[numpy.float64]"),
           "Exact gradient of the NLL, at a point or at rows of points.")
      .def("value_and_grad", &value_and_grad, "parameters"_a, "data"_a = nb::none(), "device"_a = nb::none(),
           nb::sig("def value_and_grad(self, parameters: numpy.typing.ArrayLike, data: "
                   "numpy.typing.ArrayLike | None = None, device: str | None = None) "
                   "-> tuple[typing.Any, numpy.typing.NDArray[numpy.float64]]"),
           "NLL and gradient in one pass, at a point or at rows of points.")
      .def("nll_parts", &nll_parts, "parameters"_a, "data"_a = nb::none(),
           nb::sig("def nll_parts(self, parameters: numpy.typing.ArrayLike, data: "
                   "numpy.typing.ArrayLike | None = None) -> tuple[typing.Any, typing.Any]"),
           "The NLL of the main bins and that of the constraints, with all constants: their sum is nll().")
      .def("hessian", &hessian, "parameters"_a, "data"_a = nb::none(),
           nb::sig("def hessian(self, parameters: numpy.typing.ArrayLike, data: numpy.typing.ArrayLike | "
                   "None = None) "
                   "-> numpy.typing.NDArray[numpy.float64]"),
           "Exact second derivatives of the NLL.")
      .def(
          "expected_data", &expected_data, "parameters"_a, "include_auxdata"_a = true,
          "device"_a = nb::none(),
          nb::sig("def expected_data(self, parameters: numpy.typing.ArrayLike, include_auxdata: bool = True, "
                  "device: str | None = None) -> numpy.typing.NDArray[numpy.float64]"),
          "Expected data: main bins, then auxiliary data.")
      .def("expected_jacobian", &expected_jacobian, "parameters"_a,
           nb::sig("def expected_jacobian(self, parameters: numpy.typing.ArrayLike) "
                   "-> numpy.typing.NDArray[numpy.float64]"),
           "Derivatives of the main bins' rates: [bin, parameter].")
      .def("_sample_rates", &sample_rates_of, "parameters"_a,
           nb::sig("def _sample_rates(self, parameters: numpy.typing.ArrayLike) "
                   "-> list[tuple[str, str, numpy.typing.NDArray[numpy.float64]]]"),
           "(channel, sample, rates) of every sample.")
      .def("_parameter_rows", &parameters_of,
           nb::sig("def _parameter_rows(self) -> list[tuple[typing.Any, ...]]"), "The fields of Parameter.")
      .def("_channel_rows", &channels_of,
           nb::sig("def _channel_rows(self) -> list[tuple[str, int, int, list[str]]]"),
           "(name, first bin, bins, samples) of every channel.")
      .def(
          "_observed",
          [](const PythonModel& self) {
            return array(std::vector<double>(self.model.data().begin(), self.model.data().end()));
          },
          nb::sig("def _observed(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def(
          "_take_data",
          [](PythonModel& self, nb::handle values) {
            const Numbers numbers(values, "data");
            self = PythonModel{value_of(self.model.with_data(numbers.values())), self.digest};
          },
          "values"_a, nb::sig("def _take_data(self, values: numpy.typing.ArrayLike) -> None"),
          "Replaces the model's data, in place.")
      .def_prop_ro("_has_session", [](const PythonModel& self) { return self.session != nullptr; })
      .def(
          "_assign", [](PythonModel& self, const PythonModel& other) { self = other; }, "other"_a)
      .def_prop_ro(
          "n_params", [](const PythonModel& self) { return self.model.n_parameters(); },
          "Number of parameters.")
      .def_prop_ro(
          "n_bins", [](const PythonModel& self) { return self.model.n_bins(); }, "Number of main bins.")
      .def_prop_ro(
          "poi_index", [](const PythonModel& self) { return self.model.poi_index(); },
          "Index of the parameter of interest; None if there is none.")
      .def_prop_ro(
          "measurement", [](const PythonModel& self) { return self.model.measurement(); },
          "Name of the measurement.")
      .def_prop_ro(
          "normsys_code", [](const PythonModel& self) { return to_string(self.model.normsys_code()); },
          "Interpolation code of normsys: \"code4\".")
      .def_prop_ro(
          "histosys_code", [](const PythonModel& self) { return to_string(self.model.histosys_code()); },
          "Interpolation code of histosys: \"code4p\".")
      .def_prop_ro("_poi_text", [](const PythonModel& self) { return self.model.poi_name(); })
      .def_prop_ro("_build_warnings", [](const PythonModel& self) { return self.model.warnings(); })
      .def_rw("_stored_digest", &PythonModel::digest, "Digest of the workspace; empty until it is computed.");
  module.def(
      "set_threads", [](std::size_t threads) { threads_of_evaluations = threads; }, "threads"_a,
      "Threads for evaluations of many points; 0 = all.");
}

}  // namespace nextstat::python
