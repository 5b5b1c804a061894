#include <nextstat/workspace.h>

#include <nlohmann/json.hpp>

#include "closure/samples.h"

namespace nextstat::closure {
namespace {

using nlohmann::json;
using Yields = std::vector<double>;

json modifier(const char* name, const char* type, json data = nullptr) {
  return {{"name", name}, {"type", type}, {"data", std::move(data)}};
}

json normsys(const char* name, double lo, double hi) {
  return modifier(name, "normsys", {{"lo", lo}, {"hi", hi}});
}

json histosys(const char* name, const Yields& lo, const Yields& hi) {
  return modifier(name, "histosys", {{"lo_data", lo}, {"hi_data", hi}});
}

json sample(const char* name, const Yields& yields, json modifiers) {
  return {{"name", name}, {"data", yields}, {"modifiers", std::move(modifiers)}};
}

Yields scaled(const Yields& yields, double factor) {
  Yields product;
  for (const double x : yields) product.push_back(factor * x);
  return product;
}

// A tilt: -`most` in the first bin to +`most` in the last, relative.
Yields tilted(const Yields& yields, double most) {
  Yields result;
  for (std::size_t i = 0; i < yields.size(); ++i) {
    const double place = 2 * static_cast<double>(i) / static_cast<double>(yields.size() - 1) - 1;
    result.push_back(yields[i] * (1 + most * place));
  }
  return result;
}

Model build(const json& channels, const json& observations, const json& parameters) {
  const json document = {
      {"channels", channels},
      {"observations", observations},
      {"measurements",
       json::array({{{"name", "m"}, {"config", {{"poi", "mu"}, {"parameters", parameters}}}}})},
      {"version", "1.0.0"}};
  return build_model(parse_workspace(document.dump()).value()).value();
}

json bounds_of_mu(double low, double high) { return {{"name", "mu"}, {"bounds", {{low, high}}}}; }

}  // namespace

Model many_events() {
  const Yields signal = {36, 54, 84, 120, 144, 120, 84, 54, 36, 18};
  const Yields smooth = {9600, 8400, 7300, 6400, 5600, 4900, 4300, 3800, 3300, 2900};
  const Yields other = {900, 850, 800, 750, 700, 650, 600, 550, 500, 450};
  const Yields smooth_control = {12000, 9000, 6500, 4500}, other_control = {1500, 1200, 900, 700};
  const auto background = [](const Yields& smooth_yields, const Yields& other_yields, const char* staterror) {
    return json::array(
        {sample("other", other_yields, {modifier("lumi", "lumi"), normsys("other_norm", 0.9, 1.1)}),
         sample("smooth", smooth_yields,
                {normsys("smooth_norm", 0.95, 1.06),
                 histosys("smooth_tilt", tilted(smooth_yields, -0.04), tilted(smooth_yields, 0.04)),
                 modifier(staterror, "staterror", scaled(smooth_yields, 0.01))})});
  };
  json signal_region = background(smooth, other, "staterror_SR");
  signal_region.push_back(sample(
      "signal", signal,
      {modifier("mu", "normfactor"), modifier("lumi", "lumi"), normsys("signal_efficiency", 0.97, 1.03)}));
  const json channels = {
      {{"name", "SR"}, {"samples", signal_region}},
      {{"name", "CR"}, {"samples", background(smooth_control, other_control, "staterror_CR")}}};
  const Yields seen = {10536, 9244, 8117, 7240, 6402, 5581, 4917, 4390, 3784, 3362};
  const json observations = {{{"name", "SR"}, {"data", seen}},
                             {{"name", "CR"}, {"data", {13468, 10217, 7433, 5181}}}};
  const json lumi = {
      {"name", "lumi"}, {"inits", {1.0}}, {"auxdata", {1.0}}, {"sigmas", {0.02}}, {"bounds", {{0.5, 1.5}}}};
  return build(channels, observations, {lumi, bounds_of_mu(-20, 20)});
}

Model few_events() {
  const json samples = {sample("signal", {kFewSignal}, json::array({modifier("mu", "normfactor")})),
                        sample("background", {0.5}, json::array())};
  const json channels = json::array({{{"name", "SR"}, {"samples", samples}}});
  const json observations = json::array({{{"name", "SR"}, {"data", {0}}}});
  return build(channels, observations, json::array({bounds_of_mu(0, 20)}));
}

}  // namespace nextstat::closure
