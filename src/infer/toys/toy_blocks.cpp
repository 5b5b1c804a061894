#include "infer/toys/toy_blocks.h"

#include <utility>

#include "base/try.h"
#include "infer/toys/toy_calls.h"

namespace nextstat {
namespace {

// Computes the missing blocks of a sink, several at a time. All ensembles take turns:
// fractions of toys of both hypotheses are known soon.
class BlockRunner {
 public:
  BlockRunner(const ToyRun& run, const RunPlan& plan, const ComputeToys& compute, BlockSink& sink)
      : plan_(plan), compute_(compute), sink_(sink), calls_(run.toys, run.run, run.bytes_per_toy) {
    missing_.resize(plan.identity().ensembles.size());
    for (const std::size_t number : sink.missing()) {
      const BlockRange range = plan.block(number);
      missing_[range.ensemble].push_back(number);
      total_ += range.count;
    }
    calls_.plan(total_);
  }

  Result<BlocksDone> go() {
    BlocksDone done;
    std::vector<std::size_t> next(missing_.size());
    while (calls_.done() < total_ && !done.interrupted) {
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
  // Blocks whose toys follow each other are computed together, as far as the time for one call goes.
  std::size_t end_of_call(const std::vector<std::size_t>& missing, std::size_t begin) const {
    const std::size_t most = calls_.toys_per_call();
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
    const BlockRange first = plan_.block(missing[begin]), last = plan_.block(missing[end - 1]);
    const std::size_t count = last.first + last.count - first.first;
    std::vector<double> values;
    values.reserve(count * plan_.columns());
    TRY(const std::size_t computed,
        calls_.run(first.first, count, [&](std::uint64_t at, std::size_t part) -> Result<bool> {
          TRY(const std::optional<std::vector<double>> records, compute_(first.ensemble, at, part));
          if (records) values.insert(values.end(), records->begin(), records->end());
          return records.has_value();
        }));
    if (computed < count) return false;
    for (std::size_t i = begin; i < end; ++i) {
      const BlockRange range = plan_.block(missing[i]);
      const auto from =
          values.begin() + static_cast<std::ptrdiff_t>((range.first - first.first) * plan_.columns());
      ToyBlock block{range, {from, from + static_cast<std::ptrdiff_t>(range.count * plan_.columns())}};
      TRY_DO(sink_.write(std::move(block)));
    }
    return true;
  }

  const RunPlan& plan_;
  const ComputeToys& compute_;
  BlockSink& sink_;
  std::vector<std::vector<std::size_t>> missing_;  // [ensemble], blocks
  std::size_t total_ = 0;
  ToyCalls calls_;
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
