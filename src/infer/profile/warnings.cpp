#include "infer/profile/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace nextstat {

std::string parameter_list(const Model& model, std::span<const std::size_t> indices) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (std::size_t i : indices.first(std::min(kMost, indices.size())))
    names.push_back(model.parameters()[i].name);
  std::string list = fmt::format("{}", fmt::join(names, ", "));
  if (indices.size() > kMost) list += fmt::format(" and {} more", indices.size() - kMost);
  return list;
}

std::vector<std::string> flat_direction_warnings(const Model& model, const Covariance& covariance) {
  constexpr std::size_t kMostAlone = 4;
  if (covariance.flat.size() > kMostAlone) {
    std::set<std::size_t> all;
    for (const std::vector<std::size_t>& direction : covariance.flat)
      all.insert(direction.begin(), direction.end());
    return {fmt::format("{} flat directions: the data do not constrain combinations of {}",
                        covariance.flat.size(),
                        parameter_list(model, std::vector<std::size_t>(all.begin(), all.end())))};
  }
  std::vector<std::string> warnings;
  for (const std::vector<std::size_t>& direction : covariance.flat) {
    warnings.push_back(fmt::format("flat direction: the data do not constrain {}{}",
                                   direction.size() > 1 ? "a combination of " : "",
                                   parameter_list(model, direction)));
  }
  return warnings;
}

std::vector<std::string> warnings_of(const Model& model, const BestFit& best) {
  std::vector<std::string> warnings = model.warnings();
  warnings.insert(warnings.end(), best.warnings.begin(), best.warnings.end());
  for (std::string& warning : flat_direction_warnings(model, best.covariance))
    warnings.push_back(std::move(warning));
  return warnings;
}

std::string zero_likelihood_reason(const Setup& setup, std::span<const double> parameters) {
  const Result<EvalOutput> at = setup.session->evaluate({.parameters = parameters, .expected = true});
  std::vector<std::string> names;
  for (const ChannelInfo& channel : setup.model.channels()) {
    for (std::size_t b = 0; at && b < channel.bins; ++b) {
      const std::size_t i = channel.first_bin + b;
      // Below the smallest normal number 1 / nu overflows.
      if (setup.data[i] > 0 && !(at->expected[i] >= std::numeric_limits<double>::min()))
        names.push_back(fmt::format("{}[{}] (observed {}, expected {:.6g})", channel.name, b, setup.data[i],
                                    at->expected[i]));
    }
  }
  if (names.size() > 5) {
    const std::size_t more = names.size() - 5;
    names.resize(5);
    names.push_back(fmt::format("and {} more", more));
  }
  if (!names.empty()) return fmt::format("bins {}", fmt::join(names, ", "));
  return setup.data.size() > setup.model.n_bins() ? "a rate or a constraint is out of the range of numbers"
                                                  : "a rate is out of the range of numbers";
}

void warn_about_bounds(const Setup& setup, std::size_t poi, double mu, std::vector<std::string>& warnings) {
  const double low = setup.bounds.low[poi], high = setup.bounds.high[poi];
  if (mu < low || mu > high)
    warnings.push_back(
        fmt::format("{} = {:.6g} is outside its bounds [{:.6g}, {:.6g}], which the free fit respects",
                    setup.model.parameters()[poi].name, mu, low, high));
}

}  // namespace nextstat
