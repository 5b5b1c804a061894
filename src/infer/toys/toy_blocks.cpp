#include "infer/toys/toy_blocks.h"

#include <algorithm>
#include <deque>
#include <future>
#include <system_error>
#include <utility>

#include "base/parallel.h"
#include "base/try.h"
#include "infer/toys/toy_calls.h"

namespace nextstat {
namespace {

// Toys that follow each other, of blocks that do.
struct Call {
  std::size_t ensemble;
  std::uint64_t first;
  std::size_t count;
  std::size_t begin, end;  // of its ensemble's missing blocks, which end with this call
};

using Records = Result<std::optional<std::vector<double>>>;  // none: interrupted

// Computes the missing blocks of a sink, several at a time, in calls. All ensembles take turns: fractions of toys of both
// hypotheses are known soon. Where the device works on several calls at once, further ones have begun while one is kept.
class BlockRunner {
 public:
  BlockRunner(const ToyRun& run, const RunPlan& plan, const ComputeToys& compute, BlockSink& sink)
      : run_(run),
        plan_(plan),
        compute_(compute),
        sink_(sink),
        calls_(run.toys, run.run, run.bytes_per_toy, run.device.rows_side_by_side) {
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
    // One more than the device works on: what it does next is ready when it is.
    const bool ahead = run_.device.calls_at_once > 1 && threads_of(run_.run.threads) > 1;
    const std::size_t most = ahead ? run_.device.calls_at_once + 1 : 1;
    std::deque<std::pair<Call, std::future<Records>>> begun;
    const auto begin_calls = [&] {
      while (begun.size() < most && plan_calls()) {
        begun.emplace_back(planned_.front(), begin(planned_.front(), ahead));
        planned_.pop_front();
      }
    };
    for (begin_calls(); !begun.empty(); begin_calls()) {
      const Call call = begun.front().first;
      TRY(const std::optional<std::vector<double>> records, begun.front().second.get());
      begun.pop_front();
      done.interrupted = !records;
      if (!records) break;
      if (ahead) begin_calls();
      if (run_.on_records) run_.on_records(call.ensemble, *records);
      TRY_DO(keep(call, *records));
      calls_.count_done(call.count);
    }
    done.shard_done = !done.interrupted;
    TRY(const bool complete, sink_.finish());
    done.complete = complete;
    return done;
  }

 private:
  // Where the system refuses a thread, the call is made when its toys are asked for.
  std::future<Records> begin(const Call& call, bool ahead) const {
    const auto work = [this, call]() -> Records {
      if (run_.run.stop.stop_requested()) return std::optional<std::vector<double>>();
      return compute_(call.ensemble, call.first, call.count);
    };
    if (ahead) {
      try {
        return std::async(std::launch::async, work);
      } catch (const std::system_error& refusal) {
        note_refused_thread(refusal, "toys were not drawn ahead");
      }
    }
    return std::async(std::launch::deferred, work);
  }

  // False: there are no more.
  bool plan_calls() {
    for (std::size_t tried = 0; planned_.empty() && tried < missing_.size(); ++tried) {
      const std::size_t i = turn_++ % missing_.size();
      if (next_[i] == missing_[i].size()) continue;
      const std::size_t begin = next_[i], end = end_of_call(missing_[i], begin);
      const BlockRange first = plan_.block(missing_[i][begin]), last = plan_.block(missing_[i][end - 1]);
      const std::uint64_t last_toy = last.first + last.count;
      for (std::uint64_t toy = first.first; toy < last_toy;) {
        const std::size_t count = std::min<std::uint64_t>(calls_.toys_per_call(), last_toy - toy);
        planned_.push_back({i, toy, count, begin, toy + count == last_toy ? end : begin});
        toy += count;
      }
      next_[i] = end;
    }
    return !planned_.empty();
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
  std::deque<Call> planned_;
  std::vector<double> open_;  // records of blocks that are not complete
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
