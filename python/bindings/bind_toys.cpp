// Toys drawn and fitted, and the folders that they are kept in.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <nextstat/result_json.h>
#include <nextstat/toys.h>

#include "arrays.h"
#include "bind.h"
#include "json_to_python.h"
#include "python_model.h"
#include "python_run.h"
#include "python_voice.h"
#include "toy_settings.h"

namespace nextstat::python {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

Dictionary toys_of(const PythonModel& model, Dictionary run, Dictionary settings, std::optional<double> mu,
                   nb::handle truth, nb::handle expected, std::vector<std::string> keep, bool collect) {
  PythonRun work(run, model);
  ToysOptions options{work.options, toy_options(settings), toy_storage(settings, model.digest)};
  options.mu = mu;
  options.truth = numbers_or_none(truth, "params");
  options.expected = numbers_or_none(expected, "expected");
  options.parameters = std::move(keep);
  std::vector<double> records, numbers;
  const UseToy use = [&](std::size_t toy, std::span<const double> record) {
    numbers.push_back(static_cast<double>(toy));
    records.insert(records.end(), record.begin(), record.end());
  };
  ToysResult result = work.call([&] { return toys(model.model, options, collect ? use : UseToy()); });
  Dictionary answer = work.answer(toys_json(model.model, result), "nextstat/toys-run/1", result.device,
                                  model.digest, result.interrupted);
  add_place(answer, options.storage);
  answer["columns"] = nb::cast(result.columns);
  answer["truth"] = array(std::move(result.truth));
  if (collect) {
    answer["toy_numbers"] = array(std::move(numbers));
    const std::size_t columns = result.columns.size(), rows = records.size() / columns;
    answer["records"] = array(std::move(records), rows, columns);
  }
  return answer;
}

nb::object toy_data_of(const PythonModel& model, nb::handle expected, Dictionary settings,
                       std::size_t threads) {
  const Numbers values(expected, "expected");
  const ToyOptions options = toy_options(settings);
  Result<std::vector<double>> data = [&] {
    const nb::gil_scoped_release release;
    return toy_data(model.model, values.values(), options, threads);
  }();
  return array(value_of(std::move(data)), options.n_toys, model.model.data().size());
}

}  // namespace

void bind_toys(nb::module_& module) {
  module.def("toys", &toys_of, "model"_a, "run"_a, "settings"_a, "mu"_a.none(), "truth"_a.none(),
             "expected"_a.none(), "keep"_a, "collect"_a);
  module.def(
      "toy_data", &toy_data_of, "model"_a, "expected"_a, "settings"_a, "threads"_a = 0,
      nb::sig("def toy_data(model: Model, expected: numpy.typing.ArrayLike, settings: dict[str, typing.Any], "
              "threads: int = 0) -> numpy.typing.NDArray[numpy.float64]"));
  module.def(
      "merge_toys",
      [](const std::vector<std::string>& from, const std::string& to) {
        return to_python(merge_json(value_of(merge_toys(from, to)), voice()));
      },
      "folders"_a, "to"_a,
      nb::sig("def merge_toys(folders: collections.abc.Sequence[str], to: str) -> dict[str, typing.Any]"));
  module.def(
      "toys_status",
      [](const std::string& folder, std::size_t shards) {
        return to_python(toys_status_json(value_of(toys_status(folder)), shards));
      },
      "folder"_a, "shards"_a = 0,
      nb::sig("def toys_status(folder: str, shards: int = 0) -> dict[str, typing.Any]"));
}

}  // namespace nextstat::python
