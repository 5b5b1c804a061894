#include "infer/toy_blocks.h"

#include <algorithm>
#include <chrono>
#include <cmath>

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

// Computes the missing blocks of a sink, several at a time. All ensembles take turns:
// fractions of toys of both hypotheses are known soon.
class BlockRunner {
 public:
  BlockRunner(const ToyRun& run, const RunPlan& plan, const ComputeToys& compute, BlockSink& sink)
      : run_(run), plan_(plan), compute_(compute), sink_(sink) {
    missing_.resize(plan.identity().ensembles.size());
    for (const std::size_t number : sink.missing()) {
      const BlockRange range = plan.block(number);
      missing_[range.ensemble].push_back(number);
      total_ += range.count;
    }
  }

  Result<BlocksDone> go() {
    BlocksDone done;
    std::vector<std::size_t> next(missing_.size());
    while (done_ < total_ && !done.interrupted) {
      for (std::size_t i = 0; i < missing_.size() && !done.interrupted; ++i) {
        if (next[i] == missing_[i].size()) continue;
        const std::size_t end = end_of_call(missing_[i], next[i]);
        TRY(const bool computed, compute(missing_[i], next[i], end));
        done.interrupted = !computed;
        next[i] = end;
      }
    }
    done.shard_done = !done.interrupted;
    TRY(const bool complete, sink_.finish());
    done.complete = complete;
    return done;
  }

 private:
  std::size_t toys_per_call() const {
    const std::size_t most =
        std::max<std::size_t>(1, kBytesPerCall / std::max<std::size_t>(1, run_.bytes_per_toy));
    if (rate_ == 0)
      return std::min(most, std::clamp(kFirstCallBytes / std::max<std::size_t>(1, run_.bytes_per_toy),
                                       kFirstCallLeast, kFirstCallMost));
    return std::clamp<std::size_t>(static_cast<std::size_t>(rate_ * kSecondsPerCall), 1, most);
  }

  // Blocks whose toys follow each other are computed together, as far as the time for one call goes.
  std::size_t end_of_call(const std::vector<std::size_t>& missing, std::size_t begin) const {
    const std::size_t most = toys_per_call();
    BlockRange last = plan_.block(missing[begin]);
    std::size_t toys = last.count, end = begin + 1;
    for (; end < missing.size(); ++end) {
      const BlockRange next = plan_.block(missing[end]);
      const bool follows = next.first == last.first + last.count;
      if (!follows || toys + next.count > most) break;
      toys += next.count;
      last = next;
    }
    return end;
  }

  // False: interrupted.
  Result<bool> compute(const std::vector<std::size_t>& missing, std::size_t begin, std::size_t end) {
    if (run_.run.stop.stop_requested()) return false;
    const BlockRange first = plan_.block(missing[begin]), last = plan_.block(missing[end - 1]);
    const std::size_t count = last.first + last.count - first.first;
    const std::size_t step =
        run_.toys.batch > 0 ? run_.toys.batch : std::max(toys_per_call(), std::size_t{1});
    std::vector<double> values;
    values.reserve(count * plan_.columns());
    for (std::size_t at = 0; at < count; at += step) {
      const std::size_t part = std::min(step, count - at);
      const auto start = Clock::now();
      TRY(std::optional<std::vector<double>> records, compute_(first.ensemble, first.first + at, part));
      if (!records) return false;
      values.insert(values.end(), records->begin(), records->end());
      count_done(part, std::chrono::duration<double>(Clock::now() - start).count());
    }
    for (std::size_t i = begin; i < end; ++i) {
      const BlockRange range = plan_.block(missing[i]);
      const auto from =
          values.begin() + static_cast<std::ptrdiff_t>((range.first - first.first) * plan_.columns());
      ToyBlock block{range, {from, from + static_cast<std::ptrdiff_t>(range.count * plan_.columns())}};
      TRY_DO(sink_.write(std::move(block)));
    }
    return true;
  }

  void count_done(std::size_t toys, double seconds) {
    done_ += toys;
    const bool is_first = rate_ == 0;
    rate_ = std::max(1e-9, static_cast<double>(toys) / std::max(seconds, 1e-9));
    const std::size_t left = total_ - done_;
    if (is_first && run_.toys.on_cost && left > 0) {
      const std::size_t in_work = std::min(left, toys_per_call());
      run_.toys.on_cost({static_cast<double>(left) / rate_, rate_, in_work * run_.bytes_per_toy, left});
    }
    if (run_.run.on_progress) run_.run.on_progress(done_, total_);
  }

  const ToyRun& run_;
  const RunPlan& plan_;
  const ComputeToys& compute_;
  BlockSink& sink_;
  std::vector<std::vector<std::size_t>> missing_;  // [ensemble], blocks
  std::size_t total_ = 0, done_ = 0;
  double rate_ = 0;  // toys per second, of the last call
};

}  // namespace

WorkEstimate work_of_toys(const ToyOptions& toys, const ToyStorage& storage, double fits_per_toy) {
  return {.fits = fits_per_toy * static_cast<double>(toys.n_toys) / static_cast<double>(storage.shards)};
}

std::size_t bytes_per_toy(const Setup& setup) {
  // Its data as drawn, as kernels want them with their inverses, and the parameters of its fits.
  return sizeof(double) * (3 * setup.data.size() + 4 * setup.start.size()) + 512;
}

Result<BlocksDone> run_blocks(const ToyRun& run, const ComputeToys& compute, const BlockConsumer& consumer) {
  TRY(RunPlan plan, RunPlan::make(run.identity));
  const Shard shard{run.storage.shard, run.storage.shards};
  if (run.storage.folder.empty()) {
    const std::unique_ptr<BlockSink> sink = stream_blocks(plan, shard, consumer);
    return BlockRunner(run, plan, compute, *sink).go();
  }
  TRY(const RunStore store,
      RunStore::open(run.storage.folder, plan, shard, run.storage.resume ? Begin::Resume : Begin::Fresh));
  const std::unique_ptr<BlockSink> sink = store_blocks(store, consumer);
  Result<BlocksDone> done = BlockRunner(run, plan, compute, *sink).go();
  if (done) done->remarks = store.remarks();
  return done;
}

}  // namespace nextstat
