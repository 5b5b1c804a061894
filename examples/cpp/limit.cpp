// The upper limit on the signal strength at 95% confidence level: observed, and the band expected without signal.
//
//   limit WORKSPACE
#include "check.h"

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: limit WORKSPACE\n"), 2;
  const nextstat::Model model = checked(nextstat::load_model(arguments[1]));
  const nextstat::UpperLimitResult limit = checked(nextstat::upper_limit(model, {.confidence_level = 0.95}));

  std::printf("observed      %s < %.4f\n", model.poi_name().c_str(), limit.observed);
  for (std::size_t i = 0; i < limit.expected.size(); ++i)
    std::printf("%+.0f sigma      %s < %.4f\n", nextstat::kBandSigmas[i], model.poi_name().c_str(),
                limit.expected[i]);

  std::printf("CLs at the values that were tested:\n");
  for (const nextstat::CLsPoint& point : limit.points)
    std::printf("  %8.4f   observed %.4f   expected %.4f\n", point.mu, point.observed, point.expected[2]);
  for (const std::string& warning : limit.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return limit.converged ? 0 : 1;
}
