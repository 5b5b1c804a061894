// What screens share: warnings, the state of an answer, percentages, the expected band.
#pragma once

#include <nextstat/hypotest.h>
#include <nextstat/upper_limit.h>

#include <string>
#include <vector>

namespace nextstat::cli {

// "95%" of 0.95, "99.73%" of 0.9973.
std::string percent(double level);

// The names of the band, as kBandSigmas: "-2 sigma", ..., "median", ...
const std::vector<std::string>& band_names();

// One line per warning, in the block after an empty line; empty without any.
std::string warning_lines(const std::vector<std::string>& warnings);
std::string warning_block(const std::vector<std::string>& warnings);

// What an answer that is not whole says under its title; empty of one that is.
std::string state_line(bool converged, bool interrupted);

// The observed limit within the expected band, drawn to scale:
//   0 ......----====|==o=----------  2.05
// - two sigma, = one sigma, | median, o observed. "" where a limit is missing.
std::string band_picture(const UpperLimitResult& result);

}  // namespace nextstat::cli
