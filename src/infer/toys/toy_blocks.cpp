#include "infer/toys/toy_blocks.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <system_error>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "infer/toys/toy_calls.h"

namespace nextstat {
namespace {

// Missing blocks of an ensemble whose toys follow each other, and the toys of them that no call has yet.
struct Range {
  std::size_t ensemble = 0, begin = 0, end = 0;
  std::uint64_t next = 0, last = 0;
};

// Toys first to first + count - 1 of an ensemble; begin to end: its missing blocks that are complete with them.
struct Call {
  std::size_t ensemble;
  std::uint64_t first;
  std::size_t count, begin, end;
};

struct Computed {
  std::optional<std::vector<double>> records;  // none: interrupted
  double seconds;
};

// Computes the missing blocks of a sink, several at a time, in calls. All ensembles take turns: fractions of toys of both
// hypotheses are known soon. Where the device works on several calls at once, further ones have begun while one is kept.
class BlockRunner {
 public:
  BlockRunner(const ToyRun& run, const RunPlan& plan, const ComputeToys& compute, BlockSink& sink)
      : run_(run),
        plan_(plan),
        compute_(compute),
        sink_(sink),
        // One more than the device works on: what it does next is ready when it is.
        most_(run.device.calls_at_once > 1 ? std::min(run.device.calls_at_once + 1, threads_of(run.threads))
                                           : 1),
        calls_(run.toys, run.run, run.bytes_per_toy, run.device.rows_side_by_side, most_) {
    missing_.resize(plan.identity().ensembles.size());
    next_.resize(missing_.size());
    for (const std::size_t number : sink.missing()) {
      const BlockRange range = plan.block(number);
      missing_[range.ensemble].push_back(number);
      total_ += range.count;
    }
    calls_.plan(total_);
  }

  Result<BlocksDone> go() {
    BlocksDone done;
    std::deque<std::pair<Call, std::future<Result<Computed>>>> begun;
    const auto begin_calls = [&] {
      while (begun.size() < most_) {
        const std::optional<Call> call = next_call();
        if (!call) return;
        begun.emplace_back(*call, begin(*call));
      }
    };
    for (begin_calls(); !begun.empty(); begin_calls()) {
      const Call call = begun.front().first;
      TRY(const Computed computed, begun.front().second.get());
      begun.pop_front();
      done.interrupted = !computed.records;
      if (done.interrupted) break;
      calls_.count_done(call.count, computed.seconds);
      if (most_ > 1) begin_calls();
      if (run_.on_records) run_.on_records(call.ensemble, *computed.records);
      TRY_DO(keep(call, *computed.records));
    }
    done.shard_done = !done.interrupted;
    TRY(const bool complete, sink_.finish());
    done.complete = complete;
    return done;
  }

 private:
  // Where the system refuses a thread, the call is made when its toys are asked for.
  std::future<Result<Computed>> begin(const Call& call) const {
    const auto work = [this, call]() -> Result<Computed> {
      if (run_.run.stop.stop_requested()) return Computed{};
      const auto start = std::chrono::steady_clock::now();
      TRY(std::optional<std::vector<double>> records, compute_(call.ensemble, call.first, call.count));
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      return Computed{std::move(records), passed.count()};
    };
    if (most_ > 1) {
      try {
        return std::async(std::launch::async, work);
      } catch (const std::system_error& refusal) {
        note_refused_thread(refusal, "toys were not drawn ahead");
      }
    }
    return std::async(std::launch::deferred, work);
  }

  // As many toys as the speed of the last call asks for.
  std::optional<Call> next_call() {
    if (range_.next == range_.last && !next_range()) return std::nullopt;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(calls_.toys_per_call(), range_.last - range_.next));
    const std::uint64_t first = std::exchange(range_.next, range_.next + count);
    return Call{range_.ensemble, first, count, range_.begin,
                range_.next == range_.last ? range_.end : range_.begin};
  }

  // False: there are no more.
  bool next_range() {
    for (std::size_t tried = 0; tried < missing_.size(); ++tried) {
      const std::size_t i = turn_++ % missing_.size();
      if (next_[i] == missing_[i].size()) continue;
      const std::size_t begin = next_[i], end = end_of_call(missing_[i], begin);
      const BlockRange first = plan_.block(missing_[i][begin]), last = plan_.block(missing_[i][end - 1]);
      range_ = {i, begin, end, first.first, last.first + last.count};
      next_[i] = end;
      return true;
    }
    return false;
  }

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

  Result<void> keep(const Call& call, const std::vector<double>& records) {
    open_.insert(open_.end(), records.begin(), records.end());
    auto from = open_.begin();
    for (std::size_t i = call.begin; i < call.end; ++i) {
      const BlockRange range = plan_.block(missing_[call.ensemble][i]);
      const auto to = from + static_cast<std::ptrdiff_t>(range.count * plan_.columns());
      TRY_DO(sink_.write(ToyBlock{range, {from, to}}));
      from = to;
    }
    if (call.end > call.begin) open_.clear();
    return {};
  }

  const ToyRun& run_;
  const RunPlan& plan_;
  const ComputeToys& compute_;
  BlockSink& sink_;
  std::vector<std::vector<std::size_t>> missing_;  // [ensemble], blocks
  std::vector<std::size_t> next_;                  // [ensemble] the first that no call has
  std::size_t turn_ = 0, total_ = 0;
  Range range_;               // that calls are cut from
  std::vector<double> open_;  // records of blocks that are not complete
  std::size_t most_;          // calls under way
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
