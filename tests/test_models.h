// Models of documents that have no fault, and what tests ask of a model.
//
//   const Model model = test::model_of(reference::two_bins_workspace({51, 48}));
#pragma once

#include <nextstat/model.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/all_modifiers.h"

namespace nextstat::test {

inline Model model_of_text(std::string_view text, const ModelOptions& options = {}) {
  return build_model(parse_workspace(text).value(), options).value();
}

inline Model model_of(const nlohmann::json& document, const ModelOptions& options = {}) {
  return model_of_text(document.dump(), options);
}

inline Model all_modifiers() { return model_of_text(reference::kAllModifiers); }

inline std::size_t index_of(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.n_parameters(); ++i) {
    if (model.parameters()[i].name == name) return i;
  }
  throw std::runtime_error("no parameter " + name);
}

// [parameter], 1 where it may move and x is inside its bounds.
inline std::vector<char> inside_bounds(const Model& model, const std::vector<double>& x) {
  std::vector<char> free;
  for (const Parameter& parameter : model.parameters()) {
    const double value = x[free.size()];
    free.push_back(!parameter.fixed && value > parameter.low && value < parameter.high ? 1 : 0);
  }
  return free;
}

}  // namespace nextstat::test
