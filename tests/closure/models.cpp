#include "closure/samples.h"
#include "reference/test_workspaces.h"
#include "test_models.h"

namespace nextstat::closure {
namespace {

using nlohmann::json;
using reference::histosys;
using reference::modifier;
using reference::normsys;
using reference::sample;
using reference::with_bounds;
using Yields = std::vector<double>;

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
  json document = with_bounds(reference::workspace(channels, observations), "mu", -20, 20);
  document["measurements"][0]["config"]["parameters"].push_back(lumi);
  return test::model_of(document);
}

Model few_events() {
  const json document = reference::signal_over({kFewSignal}, {0.5}, json::array(), {0});
  return test::model_of(with_bounds(document, "mu", 0, 20));
}

}  // namespace nextstat::closure
