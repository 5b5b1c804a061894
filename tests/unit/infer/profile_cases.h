// Models and direct fits for the tests of the profile likelihood.
#pragma once

#include <nextstat/model.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cpu/session.h"
#include "minimize/solve.h"
#include "reference/all_modifiers.h"
#include "reference/test_workspaces.h"

namespace nextstat::test {

using nlohmann::json;

inline Model model_of(const json& document) {
  return build_model(parse_workspace(document.dump()).value()).value();
}

inline Model all_modifiers() { return model_of(json::parse(reference::kAllModifiers)); }

// Two bins, signal over a background with a shapesys; mu between the given bounds.
inline Model two_bins(std::vector<double> observed, double low = 0, double high = 10) {
  json document = reference::signal_and_background({12, 11}, {50, 52}, reference::shapesys({3, 7}), observed);
  document["measurements"][0]["config"]["parameters"] = {{{"name", "mu"}, {"bounds", {{low, high}}}}};
  return model_of(document);
}

// One bin with a known background: NLL = nu - n log(nu) + constants, nu = signal mu + background.
inline Model counting(double signal, double background, double observed, double low = -10) {
  const json mu = {{"name", "mu"}, {"type", "normfactor"}, {"data", nullptr}};
  const json samples = {{{"name", "signal"}, {"data", {signal}}, {"modifiers", json::array({mu})}},
                        {{"name", "background"}, {"data", {background}}, {"modifiers", json::array()}}};
  json document = reference::workspace(json::array({{{"name", "channel"}, {"samples", samples}}}),
                                       json::array({{{"name", "channel"}, {"data", {observed}}}}));
  document["measurements"][0]["config"]["parameters"] = {{{"name", "mu"}, {"bounds", {{low, 100}}}}};
  return model_of(document);
}

// A fit on its own, from the model's start: shares no start, metric or batch with the code under test.
inline Minimum direct_fit(const Model& model, std::vector<FixedParameter> fixed = {}) {
  RowBatch batch;
  batch.starts = {model.initial()};
  batch.rows = {Row{.fixed = std::move(fixed)}};
  const std::unique_ptr<Session> session = make_cpu_session(model, {.threads = 1}).value();
  return solve(*session, model, batch).value().front();
}

inline std::size_t index_of(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.n_parameters(); ++i) {
    if (model.parameters()[i].name == name) return i;
  }
  throw std::runtime_error("no parameter " + name);
}

}  // namespace nextstat::test
