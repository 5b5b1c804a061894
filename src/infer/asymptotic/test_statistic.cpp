#include "infer/asymptotic/test_statistic.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "base/no_value.h"

namespace nextstat {
namespace {

constexpr Named<TestStatistic> kStatistics[] = {
    {"qtilde", TestStatistic::Qtilde}, {"q", TestStatistic::Q},           {"q0", TestStatistic::Q0},
    {"t", TestStatistic::T},           {"ttilde", TestStatistic::Ttilde},
};

constexpr Named<Calculator> kCalculators[] = {
    {"asymptotics", Calculator::Asymptotics},
    {"toys", Calculator::Toys},
};

// Of those that a question can use; of all where it can use any.
std::vector<std::string> names_of(std::span<const TestStatistic> usable) {
  if (usable.empty()) return names_in(test_statistics());
  std::vector<std::string> names;
  for (const TestStatistic statistic : usable) names.emplace_back(to_string(statistic));
  return names;
}

bool is_two_sided(TestStatistic statistic) {
  return statistic == TestStatistic::T || statistic == TestStatistic::Ttilde;
}

Tails one_sided(double x_sb, double x_b) {
  Tails tails;
  tails.x_sb = x_sb;
  tails.x_b = x_b;
  tails.log_cls = log_normal_tail(x_sb) - log_normal_tail(x_b);
  tails.probabilities = {x_b, normal_tail(x_sb), normal_tail(x_b), std::exp(tails.log_cls)};
  return tails;
}

// t under mu' with s = sqrt(t), A = sqrt(t_asimov) = |mu| / sigma, as P(t >= t_obs):
//   t:       CLsb = 2 Phi(-s)                          CLb = Phi(-(s + A)) + Phi(A - s)
//   ttilde:  the same for s <= A; beyond, mu_hat < 0 on one side:
//            CLsb = Phi(-s) + Phi(-(t + A^2) / 2A)     CLb = Phi(-(s + A)) + Phi((A^2 - t) / 2A)
Tails two_sided(TestStatistic statistic, double s, double a) {
  const bool beyond = statistic == TestStatistic::Ttilde && s > a && a > 0;
  const double low_sb = beyond ? (s * s + a * a) / (2 * a) : s;
  const double low_b = beyond ? (s * s - a * a) / (2 * a) : s - a;
  Tails tails;
  const double clsb = normal_tail(s) + normal_tail(low_sb);
  const double clb = normal_tail(s + a) + normal_tail(low_b);
  tails.x_sb = tails.x_b = kNoValue;
  tails.probabilities = {s, clsb, clb, clb > 0 ? clsb / clb : kNoValue};
  tails.log_cls = std::log(tails.probabilities.cls);
  return tails;
}

// The s at which CLb = p: it falls from 1 at s = 0.
double two_sided_quantile(TestStatistic statistic, double a, double p) {
  double low = 0, high = 1;
  while (two_sided(statistic, high, a).probabilities.clb > p) high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (two_sided(statistic, middle, a).probabilities.clb > p ? low : high) = middle;
  }
  return high;
}

}  // namespace

NameTable<TestStatistic> test_statistics() { return kStatistics; }
const char* to_string(TestStatistic statistic) { return name_in(test_statistics(), statistic); }

NameTable<Calculator> calculators() { return kCalculators; }
const char* to_string(Calculator calculator) { return name_in(calculators(), calculator); }

Result<Calculator> parse_calculator(std::string_view name) {
  return value_named(name, calculators(), "a method", Field::Calculator);
}

Result<TestStatistic> parse_test_statistic(std::string_view name, std::span<const TestStatistic> usable) {
  for (const auto& [known, statistic] : test_statistics()) {
    if (name != known) continue;
    if (Errors errors = check_statistic(statistic, usable); !errors.empty()) return errors;
    return statistic;
  }
  return unknown_name(name, names_of(usable), "a test statistic", Field::Statistic);
}

Errors check_statistic(TestStatistic statistic, std::span<const TestStatistic> usable) {
  if (usable.empty() || std::find(usable.begin(), usable.end(), statistic) != usable.end()) return {};
  Error error =
      unknown_name(to_string(statistic), names_of(usable), "a test statistic for this", Field::Statistic);
  error.hint = is_two_sided(statistic)
                   ? "for a two-sided answer use the asymptotic test or the Feldman-Cousins interval"
                   : "for a discovery use a test of a value or the significance";
  return {error};
}

double test_statistic(TestStatistic statistic, const TestNlls& nlls) {
  const bool limit = statistic == TestStatistic::Q || statistic == TestStatistic::Qtilde;
  const bool tilde = statistic == TestStatistic::Qtilde || statistic == TestStatistic::Ttilde;
  if (limit && nlls.mu_hat > nlls.mu) return 0;
  if (statistic == TestStatistic::Q0 && nlls.mu_hat < 0) return 0;
  const double reference = tilde && nlls.mu_hat < 0 ? nlls.at_zero : nlls.free;
  const double difference = 2 * (nlls.at_mu - reference);
  return difference < 0 ? 0.0 : difference;  // what does not exist stays NaN
}

// With s = sqrt(q) and A = sqrt(q_asimov):
//   q, q0, and qtilde for s <= A:  x_sb = s,                  x_b = s - A
//   qtilde beyond:                 x_sb = (q + A^2) / 2A,     x_b = (q - A^2) / 2A
Tails observed_tails(TestStatistic statistic, double q, double q_asimov) {
  const double s = std::sqrt(q), a = std::sqrt(q_asimov);
  if (is_two_sided(statistic)) return two_sided(statistic, s, a);
  if (statistic == TestStatistic::Qtilde && std::isnan(a)) return one_sided(a, a);  // which of the two?
  if (statistic == TestStatistic::Qtilde && s > a && a > 0)
    return one_sided((q + q_asimov) / (2 * a), (q - q_asimov) / (2 * a));
  return one_sided(s, s - a);
}

Tails expected_tails(TestStatistic statistic, double q_asimov, double n_sigma) {
  const double a = std::sqrt(q_asimov);
  if (!is_two_sided(statistic)) return one_sided(a - n_sigma, -n_sigma);
  if (std::isnan(a)) return two_sided(statistic, a, a);
  return two_sided(statistic, two_sided_quantile(statistic, a, normal_tail(-n_sigma)), a);
}

// Phi(-(A - N)) = alpha Phi(N)
double sensitivity_at_limit(double alpha, double n_sigma) {
  return normal_quantile_of_tail(alpha * normal_tail(-n_sigma)) + n_sigma;
}

}  // namespace nextstat
