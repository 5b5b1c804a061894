// Numbers from samples, with their standard errors.
#pragma once

#include <functional>
#include <vector>

namespace nextstat::closure {

struct Estimate {
  double value = 0, error = 0;
};

Estimate mean(const std::vector<double>& sample);
Estimate width(
    const std::vector<double>& sample);  // standard deviation; its error is that of a normal sample
// How many of `all` have the property that has probability p; the error is what p gives.
Estimate fraction(std::size_t count, std::size_t all, double p);

// Kolmogorov and Smirnov: the probability of a distance from the continuous law as large as the sample's.
double kolmogorov_smirnov(std::vector<double> sample, const std::function<double(double)>& below);

// y = offset + slope x by least squares, weighted with the errors of y.
struct Line {
  Estimate offset, slope;
};
Line straight_line(const std::vector<double>& x, const std::vector<Estimate>& y);

}  // namespace nextstat::closure
