#include "minimize/rows/thin_walls.h"

#include <algorithm>

namespace nextstat {
namespace {

// Where count and rate are below, there is a wall.
constexpr double kAlmostEmpty = 1e-4;
// Its first counts: steep NLLs press harder, and are large. Then a tenth of those, and so on to the last, below which
// the curvature of the wall leaves nothing of the others in the Hessian.
constexpr double kFirstOfHidden = 2e3, kMostFirst = 0.1, kThinner = 0.1, kThinnest = 1e-7;
// Of its count: a rate below is pressed against the wall.
constexpr double kPressed = 0.01;

}  // namespace

ThinWalls::ThinWalls(std::span<const double> data, std::size_t n_bins) {
  for (std::size_t b = 0; b < n_bins; ++b) {
    if (data[b] > 0 && data[b] < kAlmostEmpty) bins_.push_back(b);
  }
  if (any()) own_.assign(data.begin(), data.end());
}

void ThinWalls::keep_near(std::span<const double> rates) {
  std::erase_if(bins_, [&](std::size_t b) { return rates[b] >= kAlmostEmpty; });
  for (const std::size_t b : bins_) {
    const bool hides = own_[b] < kThinnest;
    hide_ = hide_ || hides;
    press_ = press_ || (hides && rates[b] < kPressed * own_[b]);
  }
}

bool ThinWalls::lower(double hidden) {
  if (bins_.empty()) return false;
  const double last = std::min(kThinnest, hidden / static_cast<double>(bins_.size()));
  if (level_ == last || (level_ > 0 && added_ == 0)) return false;
  level_ = level_ == 0 ? std::clamp(kFirstOfHidden * hidden, kAlmostEmpty, kMostFirst) : level_ * kThinner;
  if (level_ < 2 * last) level_ = last;
  raised_ = own_;
  added_ = 0;
  for (const std::size_t b : bins_) {
    raised_[b] = std::max(own_[b], level_);
    added_ += raised_[b] - own_[b];
  }
  return true;
}

}  // namespace nextstat
