// Parameter points at which engine and reference are compared.
// The same seed gives the same points everywhere.
//
//   Points points(model, 1);
//   std::vector<double> x = points.random();
#pragma once

#include <nextstat/model.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace nextstat::conformance {

// Numbers whose sequence no standard library may choose.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high);
  double normal();  // mean 0, width 1
  std::size_t below(std::size_t count);
  double sign() { return below(2) == 0 ? -1.0 : 1.0; }

 private:
  std::mt19937_64 engine_;
};

class Points {
 public:
  Points(const Model& model, std::uint64_t seed) : model_(model), draw_(seed) {}

  // Alphas init + N(0, 1), everything else init + 0.1 N(0, 1), the POI also within +-2; inside the bounds.
  std::vector<double> random();
  std::vector<double> without_signal();        // random, POI 0
  std::vector<double> without_factors();       // random, POI and every normfactor 0
  std::vector<double> far_alphas();            // random, alphas drawn in [-3, 3]
  std::vector<double> alphas_zero();           // random, alphas exactly 0
  std::vector<double> alphas_one();            // random, alphas exactly +1 or -1
  std::vector<double> gammas_at_bound();       // random, every staterror and shapesys parameter 1e-10
  std::vector<double> some_gammas_at_bound();  // random, a third of them 1e-10

  // Rows one after another.
  std::vector<double> random_rows(std::size_t rows);

 private:
  template <class Change>
  std::vector<double> changed(Change&& change);

  const Model& model_;
  Draw draw_;
};

bool is_alpha(const Parameter& parameter);  // interpolated: normsys and histosys
bool is_gamma(const Parameter& parameter);  // constrained factor of a bin: staterror and shapesys

struct NamedPoint {
  std::string name;
  std::vector<double> values;
};

// The initial point, then `each` points of every kind above.
std::vector<NamedPoint> every_kind_of_point(const Model& model, std::uint64_t seed, std::size_t each = 1);

}  // namespace nextstat::conformance
