// The statistics of toys as JSON: what is asked of them with what was found, and the samples for the figures.
//
//   build/release/bin/closure                     10,000 toys of every question, seed 42
//   build/release/bin/closure --toys 1000 --seed 7
#include <nextstat/version.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "closure/checks.h"

namespace nextstat::closure {
namespace {

using nlohmann::json;

struct Bins {
  double low, high;
  std::size_t count;

  double edge(std::size_t i) const {
    return low + (high - low) * static_cast<double>(i) / static_cast<double>(count);
  }
};

// Toys in each bin (low < x <= high: what is exactly 0 is counted apart), and how many the law expects there.
template <class Below>
json histogram(const std::vector<double>& sample, const Bins& bins, Below&& below) {
  std::vector<std::size_t> toys(bins.count);
  for (const double x : sample) {
    const double place = (x - bins.low) / (bins.high - bins.low) * static_cast<double>(bins.count);
    const double bin = std::ceil(place) - 1;
    if (bin >= 0 && bin < static_cast<double>(bins.count)) ++toys[static_cast<std::size_t>(bin)];
  }
  std::vector<double> expected;
  for (std::size_t i = 0; i < bins.count; ++i)
    expected.push_back(static_cast<double>(sample.size()) * (below(bins.edge(i + 1)) - below(bins.edge(i))));
  return {{"low", bins.low}, {"high", bins.high}, {"toys", toys}, {"expected", expected}};
}

json histogram(const StatisticSample& sample, const Bins& bins) {
  json result = histogram(sample.q, bins, [&](double q) { return sample.law.below(q); });
  result["statistic"] = to_string(sample.law.statistic);
  result["mu"] = sample.law.mu;
  result["mu_true"] = sample.law.mu_true;
  result["sigma"] = sample.law.sigma;
  result["at_zero"] = std::count(sample.q.begin(), sample.q.end(), 0.0);
  result["expected_at_zero"] = static_cast<double>(sample.q.size()) * sample.law.below(0);
  return result;
}

json as_json(const std::vector<ClsPoint>& points) {
  json list = json::array();
  for (const ClsPoint& point : points)
    list.push_back({{"mu", point.mu},
                    {"toys", point.toys.value},
                    {"error", point.toys.error},
                    {"asymptotic", point.asymptotic},
                    {"exact", point.exact}});
  return list;
}

json as_json(const Check& check) {
  return {{"group", check.group},        {"what", check.what},   {"value", check.value},
          {"expected", check.expected},  {"error", check.error}, {"allowed", check.allowed},
          {"p_value", check.is_p_value}, {"met", check.met()}};
}

json as_json(const Samples& samples) {
  json all = json::array(), injections = json::array();
  for (const Check& check : checks(samples)) all.push_back(as_json(check));
  for (const Injection& each : samples.injections)
    injections.push_back(
        {{"mu_true", each.mu_true}, {"mean", each.mean_mu_hat.value}, {"error", each.mean_mu_hat.error}});
  const auto normal_below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  return {{"nextstat", version_string()},
          {"toys", samples.n_toys},
          {"failed", samples.failed},
          {"sigma", samples.sigma},
          {"checks", all},
          {"pulls", histogram(samples.pulls, {-4, 4, 40}, normal_below)},
          {"q0", histogram(samples.q0, {0, 15, 30})},
          {"qtilde_signal", histogram(samples.qtilde_signal, {0, 15, 30})},
          {"qtilde_background", histogram(samples.qtilde_background, {0, 15, 30})},
          {"cls", as_json(samples.cls)},
          {"few_cls", as_json(samples.few_cls)},
          {"injections", injections}};
}

}  // namespace
}  // namespace nextstat::closure

int main(int argc, char** argv) {
  CLI::App app("Statistics of toys: pulls, coverage, test statistics, CLs, injected signals; JSON");
  nextstat::closure::SampleOptions options;
  app.add_option("--toys", options.n_toys, "of every question and hypothesis")
      ->check(CLI::Range(100, 100000000));
  app.add_option("--seed", options.seed, "of all random numbers");
  CLI11_PARSE(app, argc, argv);
  try {
    const nlohmann::json json = nextstat::closure::as_json(nextstat::closure::draw_samples(options));
    std::cout << json.dump(1) << "\n";
  } catch (const std::exception& error) {
    std::cerr << "closure: " << error.what() << "\n";
    return 1;
  }
}
