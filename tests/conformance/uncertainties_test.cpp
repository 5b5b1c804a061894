// Uncertainties of a fit against the inverse of a Hessian that differences of the gradient make.
#include <gtest/gtest.h>
#include <nextstat/fit.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "cpu/cpu_session.h"
#include "reference/test_workspaces.h"
#include "test_models.h"
#include "tolerances.h"

namespace nextstat {
namespace {

using conformance::kUncertainty;
using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// f'(x) = (45 (f(+1) - f(-1)) - 9 (f(+2) - f(-2)) + (f(+3) - f(-3))) / 60 h + O(h^6)
constexpr std::array<double, 6> kPlaces = {1, -1, 2, -2, 3, -3};
constexpr std::array<double, 6> kWeights = {45, -45, -9, 9, 1, -1};
constexpr double kStep = 1e-2;  // of a parameter's uncertainty

Model read_model(const std::string& name) { return test::model_of(reference::read_data(name + ".json")); }

std::vector<std::size_t> free_parameters(const FitResult& found) {
  std::vector<char> free(found.bestfit.size(), 1);
  for (std::size_t i : found.fixed) free[i] = 0;
  for (std::size_t i : found.at_bound) free[i] = 0;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (free[i]) result.push_back(i);
  }
  return result;
}

// sigma_i H_ij sigma_j over free parameters: row j holds how the gradient changes along parameter j.
Matrix scaled_hessian(const Model& model, const FitResult& found, const std::vector<std::size_t>& free,
                      double relative_step) {
  const std::size_t n = model.n_parameters();
  std::vector<double> points, steps;
  for (std::size_t j : free) {
    for (double place : kPlaces) {
      points.insert(points.end(), found.bestfit.begin(), found.bestfit.end());
      double& moved = points[points.size() - n + j];
      moved += place * relative_step * found.uncertainties[j];
      steps.push_back((moved - found.bestfit[j]) / place);  // what the moved double really is away
    }
  }
  const auto session = make_cpu_session(model, {.threads = 0}).value();
  const EvalOutput at =
      session->evaluate({.parameters = points, .rows = steps.size(), .gradient = true}).value();
  const auto size = static_cast<Eigen::Index>(free.size());
  Matrix hessian = Matrix::Zero(size, size);
  for (std::size_t row = 0; row < steps.size(); ++row) {
    const std::size_t j = row / kPlaces.size();
    const double weight = kWeights[row % kPlaces.size()] / (60 * steps[row]);
    for (std::size_t i = 0; i < free.size(); ++i)
      hessian(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) +=
          static_cast<long double>(weight) * at.gradient[row * n + free[i]] * found.uncertainties[free[i]] *
          found.uncertainties[free[j]];
  }
  return hessian;
}

class Uncertainties : public testing::TestWithParam<const char*> {};

TEST_P(Uncertainties, AreThoseOfDifferencesOfTheGradient) {
  NEXTSTAT_NEEDS_DATA();
  const Model model = read_model(GetParam());
  const FitResult found = fit(model).value();
  ASSERT_TRUE(found.converged);
  const std::vector<std::size_t> free = free_parameters(found);
  ASSERT_GT(free.size(), model.n_parameters() / 2);
  const Matrix hessian = scaled_hessian(model, found, free, kStep);
  const double asymmetry = static_cast<double>((hessian - hessian.transpose()).cwiseAbs().maxCoeff());
  const Matrix symmetric = (hessian + hessian.transpose()) / 2;
  const Matrix inverse = symmetric.llt().solve(Matrix::Identity(symmetric.rows(), symmetric.cols()));
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < free.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const double difference = std::abs(static_cast<double>(std::sqrt(inverse(k, k))) - 1);
    EXPECT_LE(difference, kUncertainty) << model.parameters()[free[i]].name;
    if (difference > worst) worst = difference, where = free[i];
  }
  std::printf(
      "%-16s %zu free, %zu fixed, %zu at a bound; largest relative difference %.1e (%s), asymmetry %.1e\n",
      GetParam(), free.size(), found.fixed.size(), found.at_bound.size(), worst,
      model.parameters()[where].name.c_str(), asymmetry);
}

INSTANTIATE_TEST_SUITE_P(Real, Uncertainties,
                         testing::Values("thu", "tttt", "agc-ml", "cms-ttg-2l", "negbins-dummy"));

TEST(UncertaintiesLeftOut, AreZeroForFixedAndNothingAtABound) {
  NEXTSTAT_NEEDS_DATA();
  const Model model = read_model("stau-comb-400-40");  // the POI ends at 0
  FitOptions options;
  const std::size_t held = 0;
  options.run.fixed = {{model.parameters()[held].name, 0.5}};
  const FitResult found = fit(model, options).value();
  const std::size_t n = model.n_parameters(), poi = model.poi_index().value();
  ASSERT_TRUE(found.converged);
  EXPECT_EQ(found.bestfit[held], 0.5);
  EXPECT_EQ(found.bestfit[poi], 0.0);
  EXPECT_EQ(std::ranges::count(found.fixed, held), 1);
  EXPECT_EQ(std::ranges::count(found.at_bound, poi), 1);
  for (std::size_t i : found.fixed) EXPECT_EQ(found.uncertainties[i], 0) << model.parameters()[i].name;
  for (std::size_t i : found.at_bound)
    EXPECT_TRUE(std::isnan(found.uncertainties[i])) << model.parameters()[i].name;
  for (std::size_t i : free_parameters(found)) {
    const double sigma = found.uncertainties[i];
    EXPECT_GT(sigma, 0) << model.parameters()[i].name;
    EXPECT_DOUBLE_EQ(sigma * sigma, found.covariance[i * (n + 1)]);
    EXPECT_EQ(found.correlation[i * (n + 1)], 1);
    EXPECT_EQ(found.covariance[i * n + held], 0);
    EXPECT_TRUE(std::isnan(found.covariance[i * n + poi]));
  }
}

}  // namespace
}  // namespace nextstat
