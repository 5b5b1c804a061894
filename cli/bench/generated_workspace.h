// Workspaces of any size made from a few numbers, for measuring: the same text every time.
//
//   std::string text = generated_workspace({.channels = 4, .bins = 10});
//   Result<Workspace> workspace = parse_workspace(text);
//
// Every sample has normsys and histosys of its own, whose parameters all channels share, and the first sample
// is scaled by mu. Some channels have a staterror. The counts are drawn where mu is 1 and the other
// parameters stand off their centers, so that a fit has something to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nextstat::cli {

struct GeneratedShape {
  std::size_t channels = 4, bins = 10;    // bins of each channel
  std::size_t samples = 4;                // of each channel
  std::size_t normsys = 5, histosys = 5;  // of each sample
  std::size_t staterror_channels = 4;     // how many of the channels have a staterror
  std::uint64_t seed = 1;

  // mu, an alpha for each normsys and histosys of each sample, a gamma for each bin with a staterror.
  std::size_t parameters() const { return 1 + samples * (normsys + histosys) + staterror_channels * bins; }
};

std::string generated_workspace(const GeneratedShape& shape);

}  // namespace nextstat::cli
