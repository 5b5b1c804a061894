// A minimizer of your own over the likelihood and its gradient: BFGS, compared with the library's fit.
//
//   minimizer WORKSPACE
#include "check.h"

#include <algorithm>
#include <cmath>
#include <valarray>

using Vector = std::valarray<double>;  // [parameter]

namespace {

double dot(const Vector& a, const Vector& b) { return (a * b).sum(); }

// A step, and how it changed the gradient: all that BFGS knows about the Hessian.
struct Step {
  Vector s, y;
};

// The inverse Hessian times the gradient: from the variances before the fit, corrected by every step.
Vector newton_direction(Vector q, const Vector& variance, const std::vector<Step>& steps) {
  std::vector<double> a(steps.size());
  for (std::size_t i = steps.size(); i-- > 0;) {
    a[i] = dot(steps[i].s, q) / dot(steps[i].s, steps[i].y);
    q -= a[i] * steps[i].y;
  }
  q *= variance;
  for (std::size_t i = 0; i < steps.size(); ++i)
    q += (a[i] - dot(steps[i].y, q) / dot(steps[i].s, steps[i].y)) * steps[i].s;
  return q;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: minimizer WORKSPACE\n"), 2;
  const nextstat::Model model = checked(nextstat::load_model(arguments[1]));
  nextstat::Likelihood likelihood = checked(nextstat::Likelihood::make(model));

  const std::size_t n = model.n_parameters();
  Vector x(n), low(n), high(n), variance(n), gradient(n), next_gradient(n);
  for (std::size_t i = 0; i < n; ++i) {
    const nextstat::Parameter& p = model.parameters()[i];
    x[i] = p.init, low[i] = p.fixed ? p.init : p.low, high[i] = p.fixed ? p.init : p.high;
    variance[i] = p.constraint == nextstat::Constraint::None ? 0.01 : std::pow(nextstat::prefit(p).sigma, 2);
  }

  double nll = likelihood.nll_and_gradient({&x[0], n}, {&gradient[0], n});
  std::size_t calls = 1;
  std::vector<Step> steps;
  for (double length = 1, gain = 1; gain > 1e-12 && length > 1e-12;) {
    Vector next(n), free(1.0, n);  // 0 for a parameter at a bound that the gradient pushes against
    for (std::size_t i = 0; i < n; ++i)
      if (gradient[i] > 0 ? x[i] <= low[i] : x[i] >= high[i]) free[i] = 0;
    const Vector direction = free * newton_direction(free * gradient, variance, steps);
    double next_nll = nll;
    for (length = 1; length > 1e-12; length /= 2) {  // shorter until it goes down enough
      for (std::size_t i = 0; i < n; ++i) next[i] = std::clamp(x[i] - length * direction[i], low[i], high[i]);
      gain = dot(gradient, x - next);
      next_nll = likelihood.nll_and_gradient({&next[0], n}, {&next_gradient[0], n});
      ++calls;
      if (next_nll <= nll - 1e-4 * gain) break;
    }
    const Step step{next - x, next_gradient - gradient};
    if (dot(step.s, step.y) > 0) steps.push_back(step);
    x = next, gradient = next_gradient, nll = next_nll;
  }

  const nextstat::FitResult fitted = checked(nextstat::fit(model));
  const std::size_t poi = model.poi_index().value_or(0);
  std::printf("%-20s BFGS %.6f   fit %.6f\n", "NLL", nll, fitted.nll);
  std::printf("%-20s BFGS %.4f   fit %.4f\n", model.parameters()[poi].name.c_str(), x[poi],
              fitted.bestfit[poi]);
  std::printf("%-20s BFGS %zu   fit %zu\n", "NLLs with gradient", calls, fitted.evaluations);
  return std::abs(nll - fitted.nll) < 1e-6 ? 0 : 1;
}
