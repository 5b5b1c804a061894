// Toys drawn at the best fit and fitted: do the fitted signal strengths scatter around the true one?
//
//   toys WORKSPACE [DEVICE]     DEVICE: cpu (default), cuda, opencl:0, auto
#include "check.h"

#include <algorithm>
#include <cmath>

int main(int count, char** arguments) {
  if (count < 2 || count > 3) return std::fprintf(stderr, "usage: toys WORKSPACE [DEVICE]\n"), 2;
  const nextstat::Model model = checked(nextstat::load_model(arguments[1]));
  if (!model.poi_index()) return std::fprintf(stderr, "error: the model has no parameter of interest\n"), 2;
  nextstat::ToysOptions options;
  options.run.device = count == 3 ? arguments[2] : "cpu";
  options.toys = {.n_toys = 2000, .seed = 1};

  // Every toy passes by once, in order, whatever the device and the threads: nll, mu_hat, status, n_iter.
  std::vector<double> fitted;
  const auto keep = [&](std::size_t, std::span<const double> toy) {
    if (toy[2] == 0) fitted.push_back(toy[1]);  // status 0: converged
  };
  const nextstat::ToysResult result = checked(nextstat::toys(model, options, keep));

  const double truth = result.truth[*model.poi_index()], n = static_cast<double>(fitted.size());
  const auto above = std::count_if(fitted.begin(), fitted.end(), [&](double mu) { return mu > truth; });
  const double sigma = result.sigma_mu_hat.value_or(std::nan(""));
  std::printf("%zu toys on %s, %zu did not converge\n", result.n_done, result.device.name.c_str(),
              result.n_error + result.n_nonconverged);
  std::printf("truth   %.4f\n", truth);
  std::printf("mean    %.4f +- %.4f\n", result.mean_mu_hat.value_or(std::nan("")), sigma / std::sqrt(n));
  std::printf("sigma   %.4f\n", sigma);
  std::printf("above   %.2f%%\n", 100 * static_cast<double>(above) / n);
  return result.complete ? 0 : 1;
}
