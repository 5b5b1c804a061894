#include "conformance/points.h"

#include <algorithm>
#include <cmath>

namespace nextstat::conformance {

double Draw::uniform(double low, double high) {
  const double unit = static_cast<double>(engine_() >> 11) * 0x1p-53;
  return low + (high - low) * unit;
}

// Sum of 12 uniforms: no libm, whose last bits differ between machines.
double Draw::normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform(0, 1);
  return sum;
}

std::size_t Draw::below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }

bool is_alpha(const Parameter& parameter) {
  return parameter.type == "normsys" || parameter.type == "histosys";
}
bool is_gamma(const Parameter& parameter) {
  return parameter.type == "staterror" || parameter.type == "shapesys";
}

std::vector<double> Points::random() {
  const auto parameters = model_.parameters();
  std::vector<double> point(parameters.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Parameter& parameter = parameters[i];
    double low = parameter.low, high = parameter.high;
    point[i] = parameter.init + (is_alpha(parameter) ? 1.0 : 0.1) * draw_.normal();
    if (model_.poi_index() == i) {
      low = std::max(low, -2.0);
      high = std::min(high, 2.0);
      point[i] = draw_.uniform(low, high);
    }
    point[i] = std::clamp(point[i], low, high);
  }
  return point;
}

template <class Change>
std::vector<double> Points::changed(Change&& change) {
  std::vector<double> point = random();
  for (std::size_t i = 0; i < point.size(); ++i) change(i, model_.parameters()[i], point[i]);
  return point;
}

std::vector<double> Points::without_signal() {
  return changed([&](std::size_t i, const Parameter&, double& x) {
    if (model_.poi_index() == i) x = 0;
  });
}

std::vector<double> Points::without_factors() {
  return changed([&](std::size_t i, const Parameter& parameter, double& x) {
    if (model_.poi_index() == i || parameter.type == "normfactor") x = 0;
  });
}

std::vector<double> Points::far_alphas() {
  return changed([&](std::size_t, const Parameter& parameter, double& x) {
    if (is_alpha(parameter)) x = draw_.uniform(-3, 3);
  });
}

std::vector<double> Points::alphas_zero() {
  return changed([](std::size_t, const Parameter& parameter, double& x) {
    if (is_alpha(parameter)) x = 0;
  });
}

std::vector<double> Points::alphas_one() {
  return changed([&](std::size_t, const Parameter& parameter, double& x) {
    if (is_alpha(parameter)) x = draw_.sign();
  });
}

std::vector<double> Points::gammas_at_bound() {
  return changed([](std::size_t, const Parameter& parameter, double& x) {
    if (is_gamma(parameter)) x = 1e-10;
  });
}

std::vector<double> Points::some_gammas_at_bound() {
  return changed([&](std::size_t, const Parameter& parameter, double& x) {
    if (is_gamma(parameter) && draw_.below(3) == 0) x = 1e-10;
  });
}

std::vector<double> Points::random_rows(std::size_t rows) {
  std::vector<double> all;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<double> point = random();
    all.insert(all.end(), point.begin(), point.end());
  }
  return all;
}

std::vector<NamedPoint> every_kind_of_point(const Model& model, std::uint64_t seed, std::size_t each) {
  Points points(model, seed);
  std::vector<NamedPoint> list{{"initial", model.initial()}};
  for (std::size_t i = 0; i < each; ++i) {
    list.push_back({"random", points.random()});
    list.push_back({"POI 0", points.without_signal()});
    list.push_back({"POI and normfactors 0", points.without_factors()});
    list.push_back({"alphas in [-3, 3]", points.far_alphas()});
    list.push_back({"alphas 0", points.alphas_zero()});
    list.push_back({"alphas +-1", points.alphas_one()});
    list.push_back({"gammas 1e-10", points.gammas_at_bound()});
    list.push_back({"some gammas 1e-10", points.some_gammas_at_bound()});
  }
  return list;
}

}  // namespace nextstat::conformance
