// Rates by sample, their derivatives, the likelihood kept ready, and models with other data.
#include <gtest/gtest.h>
#include <nextstat/evaluate.h>
#include <nextstat/likelihood.h>
#include <nextstat/rates.h>

#include <cmath>

#include "test_models.h"

namespace nextstat {
namespace {

using test::all_modifiers;

std::vector<double> moved(const Model& model) {
  std::vector<double> point = model.initial();
  for (std::size_t i = 0; i < point.size(); ++i) point[i] += 0.02 * static_cast<double>(i % 5) - 0.03;
  return point;
}

std::vector<double> expected(const Model& model, std::span<const double> point) {
  return evaluate(model, point, {.expected = true}).value().expected;
}

TEST(SampleRates, AddUpToTheRatesOfTheBins) {
  const Model model = all_modifiers();
  const std::vector<double> point = moved(model), rates = expected(model, point);
  std::vector<double> sums(model.n_bins(), 0.0);
  std::size_t samples = 0;
  const std::vector<SampleRates> entries = sample_rates(model, point).value();
  for (const SampleRates& entry : entries) {
    const ChannelInfo& channel = model.channels()[entry.channel];
    ASSERT_EQ(entry.rates.size(), channel.bins);
    for (std::size_t b = 0; b < channel.bins; ++b) sums[channel.first_bin + b] += entry.rates[b];
    ++samples;
  }
  EXPECT_GT(samples, model.channels().size());
  for (std::size_t b = 0; b < sums.size(); ++b) EXPECT_NEAR(sums[b], rates[b], 1e-12 * std::abs(rates[b]));
}

TEST(RateJacobian, IsTheSlopeOfTheRates) {
  const Model model = all_modifiers();
  std::vector<double> point = moved(model);
  const std::vector<double> slopes = rate_jacobian(model, point).value();
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < model.n_parameters(); ++i) {
    const double at = point[i];
    point[i] = at + kStep;
    const std::vector<double> up = expected(model, point);
    point[i] = at - kStep;
    const std::vector<double> down = expected(model, point);
    point[i] = at;
    for (std::size_t b = 0; b < model.n_bins(); ++b)
      EXPECT_NEAR(slopes[b * model.n_parameters() + i], (up[b] - down[b]) / (2 * kStep),
                  1e-5 * (1 + std::abs(up[b])))
          << model.parameters()[i].name << " in bin " << b;
  }
}

TEST(RateJacobian, WantsOneValuePerParameter) {
  const Model model = all_modifiers();
  const std::vector<double> short_of_one(model.n_parameters() - 1, 1.0);
  EXPECT_EQ(rate_jacobian(model, short_of_one).errors().front().code, ErrorCode::BadUsage);
  EXPECT_FALSE(sample_rates(model, short_of_one));
}

TEST(Likelihood, GivesTheBitsOfEvaluate) {
  const Model model = all_modifiers();
  const std::vector<double> point = moved(model);
  const Evaluation at = evaluate(model, point, {.gradient = true}).value();
  Likelihood likelihood = Likelihood::make(model).value();
  std::vector<double> gradient(model.n_parameters());
  EXPECT_EQ(likelihood.nll(point), at.nll[0]);
  EXPECT_EQ(likelihood.nll_and_gradient(point, gradient), at.nll[0]);
  EXPECT_EQ(gradient, at.gradient);
  EXPECT_TRUE(likelihood.is_quick());
  EXPECT_THROW(likelihood.nll(std::span(point).first(1)), std::logic_error);
  const Likelihood other = std::move(likelihood);
  EXPECT_THROW(likelihood.nll(point), std::logic_error);
}

TEST(ModelWithData, IsTheSameLikelihoodOfOtherData) {
  const Model model = all_modifiers();
  std::vector<double> data(model.data().begin(), model.data().end());
  for (double& value : data) value += 1;
  const Model changed = model.with_data(data).value();
  const std::vector<double> point = moved(model);
  EvaluateOptions options;
  options.data = data;
  EXPECT_EQ(evaluate(changed, point).value().nll, evaluate(model, point, options).value().nll);
  EXPECT_NE(evaluate(changed, point).value().nll, evaluate(model, point).value().nll);
  for (const Parameter& parameter : changed.parameters()) {
    if (parameter.data_index) {
      EXPECT_EQ(parameter.center, data[*parameter.data_index]);
    }
  }
  EXPECT_EQ(&compiled_model(changed), &compiled_model(model));
  data.pop_back();
  EXPECT_FALSE(model.with_data(data));
}

}  // namespace
}  // namespace nextstat
