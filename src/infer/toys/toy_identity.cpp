#include "infer/toys/toy_identity.h"

#include <fmt/format.h>
#include <nextstat/version.h>

#include <cmath>
#include <numeric>

#include "base/hash.h"
#include "model/compile/model_digest.h"
#include "toy_folder/run_plan.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostListed = 1000;

template <class Values>
void add_bytes(std::string& bytes, const Values& values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(*values.data()));
}

// JSON has no infinities.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

// An entry for what was changed by options; nothing where nothing was.
void add_list(Json& settings, const char* name, const Json& list) {
  if (list.empty()) return;
  settings[name] = list.size() <= kMostListed
                       ? list
                       : Json{{"parameters", list.size()}, {"sha256", hash_bytes(dump_json(list)).value()}};
}

Json model_settings(const Model& model) {
  return {{"channels", model.channels().size()},
          {"bins", model.n_bins()},
          {"parameters", model.n_parameters()},
          {"sha256", model_digest(model).value()}};
}

Json data_settings(const Setup& setup, DataInToys which) {
  const std::span<const double> data(setup.data);
  if (which == DataInToys::Auxiliary)
    return {{"auxiliary_sha256", numbers_sha256(data.subspan(setup.model.n_bins()))}};
  const std::span<const double> bins = data.first(setup.model.n_bins());
  return {{"events", number(std::accumulate(bins.begin(), bins.end(), 0.0))},
          {"sha256", numbers_sha256(data)}};
}

// Start, bounds and fixed parameters as fits take them, where they are not the model's own.
void add_changed_parameters(Json& settings, const Setup& setup) {
  Json init = Json::object(), fixed = Json::object(), bounds = Json::object(), freed = Json::array();
  for (std::size_t i = 0; i < setup.start.size(); ++i) {
    const Parameter& own = setup.model.parameters()[i];
    const double start = setup.start[i], low = setup.bounds.low[i], high = setup.bounds.high[i];
    if (setup.fixed[i]) {
      if (!own.fixed || start != own.init) fixed[own.name] = number(start);
    } else {
      if (own.fixed) freed.push_back(own.name);
      if (start != own.init) init[own.name] = number(start);
    }
    if (low != own.low || high != own.high) bounds[own.name] = {number(low), number(high)};
  }
  add_list(settings, "init", init);
  add_list(settings, "fixed", fixed);
  add_list(settings, "freed", freed);
  add_list(settings, "bounds", bounds);
}

// The one place where an option that changes a number joins the identity of every run.
Json settings_of(const Setup& setup, const ToyOptions& toys, const ToyQuestion& question) {
  const Model& model = setup.model;
  Json settings = question.settings;
  settings["model"] = model_settings(model);
  if (question.data != DataInToys::None) settings["data"] = data_settings(setup, question.data);
  settings["poi"] = model.poi_index() ? Json(model.parameters()[*model.poi_index()].name) : Json();
  settings["normsys_code"] = to_string(model.normsys_code());
  settings["histosys_code"] = to_string(model.histosys_code());
  settings["fixed_aux"] = toys.fixed_auxiliary;
  settings["starts"] = setup.options.starts == 0 ? Json("auto") : Json(setup.options.starts);
  settings["precision"] = setup.device.precision;
  add_changed_parameters(settings, setup);
  return settings;
}

// As schema 1 had them; its digest of the compiled tables is not made any more.
std::map<std::string, std::string> earlier_settings_of(const Setup& setup, const ToyOptions& toys,
                                                       const ToyQuestion& question) {
  std::string inputs;
  add_bytes(inputs, setup.data);
  add_bytes(inputs, setup.start);
  add_bytes(inputs, setup.bounds.low);
  add_bytes(inputs, setup.bounds.high);
  add_bytes(inputs, setup.fixed);
  std::map<std::string, std::string> settings = {
      {"data_start_bounds_fixed_sha256", hash_bytes(inputs).value()},
      {"poi", setup.model.poi_name()},
      {"measurement", setup.model.measurement()},
      {"normsys_code", to_string(setup.model.normsys_code())},
      {"histosys_code", to_string(setup.model.histosys_code())},
      {"fixed_aux", toys.fixed_auxiliary ? "true" : "false"}};
  for (const auto& item : question.settings.items()) {
    const Json& value = item.value();
    settings.emplace(item.key(),
                     value.is_string() ? value.get<std::string>() : fmt::format("{}", value.get<double>()));
  }
  return settings;
}

}  // namespace

std::string numbers_sha256(std::span<const double> values) {
  std::string bytes;
  add_bytes(bytes, values);
  return hash_bytes(bytes).value();
}

RunIdentity toy_run_identity(const Setup& setup, const ToyOptions& toys, const ToyStorage& storage,
                             ToyQuestion question) {
  RunIdentity identity;
  identity.nextstat_version = version_string();
  identity.seed = toys.seed;
  if (!storage.folder.empty()) {
    identity.settings = settings_of(setup, toys, question);
    identity.earlier_settings = earlier_settings_of(setup, toys, question);
    identity.labels = storage.labels;
    identity.labels["measurement"] = setup.model.measurement();
  }
  identity.kind = std::move(question.kind);
  identity.columns = std::move(question.columns);
  identity.ensembles = std::move(question.ensembles);
  std::size_t all = 0;
  for (const Ensemble& ensemble : identity.ensembles) all += ensemble.n_toys;
  identity.toys_per_block = suggested_toys_per_block(all);
  return identity;
}

}  // namespace nextstat
