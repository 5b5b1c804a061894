#include "infer/toys/toy_calls.h"

#include <algorithm>
#include <chrono>

#include "base/try.h"

namespace nextstat {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough for threads and lanes to be busy, short enough to stop, report and checkpoint soon.
constexpr double kSecondsPerCall = 0.5;
// The first call, of unknown speed: small models are fast.
constexpr std::size_t kFirstCallBytes = std::size_t{8} << 20;
constexpr std::size_t kFirstCallLeast = 16, kFirstCallMost = 1000;
constexpr std::size_t kBytesPerCall = std::size_t{48} << 20;
// A device that has many rows at once is given so many times as many, in more memory.
constexpr std::size_t kTimesRows = 8, kMostBytesPerCall = std::size_t{256} << 20;

}  // namespace

std::size_t ToyCalls::toys_per_call() const {
  if (toys_.batch > 0) return toys_.batch;
  const std::size_t bytes = std::max<std::size_t>(1, bytes_per_toy_);
  std::size_t most = std::max<std::size_t>(1, kBytesPerCall / bytes);
  if (kTimesRows * rows_ >= kFirstCallMost) {
    // A device with many rows begins as it goes on: while buffers grow, nothing runs there.
    most = std::max(most, std::min(kTimesRows * rows_, kMostBytesPerCall / bytes));
    if (rate_ == 0) return most;
  }
  if (rate_ == 0) return std::min(most, std::clamp(kFirstCallBytes / bytes, kFirstCallLeast, kFirstCallMost));
  return std::clamp<std::size_t>(static_cast<std::size_t>(rate_ * kSecondsPerCall), 1, most);
}

Result<std::size_t> ToyCalls::run(std::uint64_t first, std::size_t count, const Compute& compute) {
  std::size_t at = 0;
  while (at < count && !interrupted_) {
    const std::size_t part = std::min(toys_per_call(), count - at);
    const auto start = Clock::now();
    TRY(const bool computed, run_.stop.stop_requested() ? false : compute(first + at, part));
    if (!computed) {
      interrupted_ = true;
      break;
    }
    at += part;
    count_done(part, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return at;
}

void ToyCalls::count_done(std::size_t toys, double seconds) {
  const bool is_first = rate_ == 0;
  done_ += toys;
  planned_ = std::max(planned_, done_);
  rate_ = std::max(1e-9, static_cast<double>(toys) / std::max(seconds, 1e-9));
  const std::size_t left = planned_ - done_;
  if (is_first && toys_.on_cost && left > 0)
    toys_.on_cost({static_cast<double>(left) / rate_, rate_,
                   std::min(left, at_once_ * toys_per_call()) * bytes_per_toy_, left});
  if (run_.on_progress) run_.on_progress(done_, planned_);
}

}  // namespace nextstat
