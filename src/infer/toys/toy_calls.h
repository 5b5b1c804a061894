// Toys in calls of bearable length: how many are fitted in one go, progress, stopping.
//
//   ToyCalls calls(options.toys, options.run, bytes_per_toy(setup));
//   calls.plan(2000);                                      // what the progress is out of
//   Result<std::size_t> done = calls.run(0, 2000, [&](std::uint64_t first, std::size_t count) { ... });
//
// How toys are cut into calls depends on the clock, and no number depends on how they are cut.
#pragma once

#include <nextstat/toys.h>

#include <functional>

namespace nextstat {

class ToyCalls {
 public:
  // rows: about how many toys keep the device busy; at_once: calls under way.
  ToyCalls(const ToyOptions& toys, const RunOptions& run, std::size_t bytes_per_toy, std::size_t rows = 1,
           std::size_t at_once = 1)
      : toys_(toys), run_(run), bytes_per_toy_(bytes_per_toy), rows_(rows), at_once_(at_once) {}

  // So many toys more are to come.
  void plan(std::size_t toys) { planned_ += toys; }

  // False: the stop token fired, and nothing of this call counts.
  using Compute = std::function<Result<bool>(std::uint64_t first, std::size_t count)>;
  // How many of the toys first to first + count - 1 were computed: all, or fewer when interrupted.
  Result<std::size_t> run(std::uint64_t first, std::size_t count, const Compute& compute);

  // What one call should compute, by the speed of the last one.
  std::size_t toys_per_call() const;
  // Of a call, and how long it took.
  void count_done(std::size_t toys, double seconds);
  bool interrupted() const { return interrupted_; }
  std::size_t done() const { return done_; }

 private:
  const ToyOptions& toys_;
  const RunOptions& run_;
  std::size_t bytes_per_toy_, rows_, at_once_;
  std::size_t planned_ = 0, done_ = 0;
  double rate_ = 0;  // toys per second, of the last call
  bool interrupted_ = false;
};

}  // namespace nextstat
