// Toys fitted side by side with a shared metric against single fits, each with its own start and metric.
#include <gtest/gtest.h>
#include <nextstat/fit.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "conformance/cases.h"
#include "conformance/points.h"
#include "infer/setup/parameter_names.h"
#include "infer/setup/setup.h"
#include "infer/toys/toy_fits.h"

namespace nextstat::conformance {
namespace {

constexpr std::size_t kToys = 10000;
constexpr double kSameMinimum = 1e-8;
constexpr double kStationary = 1e-6;  // |gradient| sigma

struct Truth {
  const char* file;
  bool best_fit;  // else the fit with the POI fixed at 0
};

void PrintTo(const Truth& truth, std::ostream* out) {
  *out << truth.file << (truth.best_fit ? ", best fit" : ", POI at 0");
}

std::vector<double> truth_of(const Setup& setup, std::size_t poi, bool best_fit) {
  RowBatch batch = setup.batch();
  batch.rows = {{}};
  if (!best_fit) batch.rows[0].fixed = {{poi, 0.0}};
  return setup.solve(batch).value().front().parameters;
}

class ToyFits : public testing::TestWithParam<Truth> {};

TEST_P(ToyFits, EndWhereSingleFitsEnd) {
  NEXTSTAT_NEEDS_DATA();
  const Model model = load_model({GetParam().file});
  const nextstat::Setup setup = make_setup(model, {}).value();
  const std::size_t poi = parameter_named(setup.model, "").value();
  ToyEnsemble ensemble =
      ToyEnsemble::make(setup, poi, {5, 0, truth_of(setup, poi, GetParam().best_fit), false}).value();
  Draw choice(11);
  std::size_t refitted = 0, elsewhere = 0, failed = 0;
  for (std::size_t first = 0; first < kToys; first += 1000) {
    const ToyBatch toys = ensemble.fit(first, 1000).value();
    for (std::size_t i = 0; i < toys.count; ++i) {
      const Minimum& side_by_side = toys.free[i];
      if (!side_by_side.converged()) {
        ++failed;
        std::cout << "toy " << first + i << ": " << to_string(side_by_side.termination) << "\n";
      }
      if (choice.below(100) != 0 || !side_by_side.converged()) continue;
      ++refitted;
      const std::size_t size = model.data().size();
      FitOptions options;
      std::vector<double> room;
      const std::span<const double> data = toys.toys.toy(i, size, room);
      options.run.data.assign(data.begin(), data.end());
      options.uncertainties = false;
      const FitResult alone = fit(model, options).value();
      if (std::abs(alone.nll - side_by_side.nll) <= kSameMinimum) continue;
      ++elsewhere;
      std::cout << "toy " << first + i << " has two minima: NLL " << side_by_side.nll << " beside others, "
                << alone.nll << " alone\n";
      EXPECT_LT(side_by_side.scaled_gradient, kStationary) << "toy " << first + i;
      EXPECT_LT(alone.scaled_gradient, kStationary) << "toy " << first + i;
      EXPECT_TRUE(alone.converged) << "toy " << first + i;
    }
  }
  EXPECT_EQ(failed, 0u);
  EXPECT_GT(refitted, kToys / 200);
  EXPECT_LE(elsewhere, refitted / 20);
}

std::string truth_name(const testing::TestParamInfo<Truth>& info) {
  const std::string file = info.param.file;
  return file.substr(0, file.find('.')) + (info.param.best_fit ? "_best_fit" : "_poi_0");
}
INSTANTIATE_TEST_SUITE_P(Workspaces, ToyFits,
                         testing::Values(Truth{"thu.json", false}, Truth{"thu.json", true},
                                         Truth{"tttt.json", false}, Truth{"tttt.json", true}),
                         truth_name);

}  // namespace
}  // namespace nextstat::conformance
