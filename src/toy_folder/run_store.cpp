#include "toy_folder/run_store.h"

#include <fmt/format.h>

#include "base/try.h"

namespace nextstat {

RunStore::RunStore(Shard shard, RunFolder folder) : shard_(shard), folder_(std::move(folder)) {}

Result<RunStore> RunStore::open(const std::string& folder, const RunPlan& plan, Shard shard, Begin begin) {
  TRY(RunFolder opened,
      RunFolder::open(folder, plan, fmt::format("{}-of-{}", shard.index, shard.count), begin));
  RunStore store(shard, std::move(opened));
  const bool is_earlier = store.plan().identity().schema != plan.identity().schema;
  TRY_DO(is_earlier ? store.look_at_earlier() : store.look());
  return store;
}

Result<void> RunStore::look() {
  if (!folder_.locked()) {
    remarks_.push_back(
        folder_.path() +
        ": this file system has no locks; make sure that no two processes compute the same shard");
  }
  std::size_t foreign = 0;
  Error first_foreign;
  for (const std::size_t number : plan().blocks_of(shard_)) {
    TRY(const StoredBlock stored, read_block_file(plan(), number, folder_.path()));
    const DecodedBlock& decoded = stored.decoded;
    if (decoded.condition == BlockCondition::Sound) continue;
    missing_.push_back(number);
    if (decoded.condition == BlockCondition::Damaged) {
      remarks_.push_back(folder_.block_path(number) + " " + decoded.what + "; its toys are computed again");
    } else if (decoded.condition == BlockCondition::Foreign && ++foreign == 1) {
      first_foreign = {ErrorCode::BadInput, folder_.block_path(number), decoded.what,
                       "move it elsewhere if it is not needed, then start again"};
    }
  }
  if (foreign == 0) return {};
  if (foreign > 1)
    first_foreign.what += fmt::format("; the same is true of {} more blocks in this folder", foreign - 1);
  return first_foreign;
}

// Whatever the shard: nothing is computed for such a run.
Result<void> RunStore::look_at_earlier() {
  std::size_t lacking = 0;
  for (std::size_t number = 0; number < plan().blocks(); ++number) {
    TRY(const StoredBlock stored, read_block_file(plan(), number, folder_.path()));
    lacking += stored.decoded.condition != BlockCondition::Sound ? 1 : 0;
  }
  const char* const schema = to_string(plan().identity().schema);
  if (lacking > 0)
    return Error{
        ErrorCode::BadInput,
        folder_.path(),
        fmt::format("cannot be resumed: an earlier version described it as {}, which does not record all "
                    "that its numbers depend on, and {} of {} blocks remain to be computed",
                    schema, lacking, plan().blocks()),
        {"start the run in another folder; this one gives its results only once it is complete",
         Listing::ToyFolder}};
  remarks_.push_back(
      fmt::format("{} was written by an earlier version as {}: interpolation codes and channels of its "
                  "model could not all be compared",
                  folder_.path(), schema));
  return {};
}

Result<void> RunStore::write(const ToyBlock& block) const {
  TRY(const std::string bytes, encode_block(plan(), block));
  return folder_.write_block(block.range.number, bytes);
}

Error RunStore::fault(std::size_t number, const DecodedBlock& decoded) const {
  const bool missing = decoded.condition == BlockCondition::Missing;
  return {missing ? ErrorCode::NotFound : ErrorCode::BadInput,
          folder_.block_path(number),
          missing ? "is missing" : decoded.what,
          {"start the same run again", {Field::Resume}}};
}

Result<ToyBlock> RunStore::read(std::size_t number) const {
  Result<StoredBlock> stored = read_block_file(plan(), number, folder_.path());
  if (!stored) return stored.errors();
  if (stored->decoded.condition != BlockCondition::Sound) return fault(number, stored->decoded);
  return std::move(stored->decoded.block);
}

Result<std::size_t> RunStore::for_each(const BlockConsumer& consumer) const {
  std::size_t passed = 0;
  for (std::size_t number = 0; number < plan().blocks(); ++number) {
    const Result<StoredBlock> stored = read_block_file(plan(), number, folder_.path());
    if (!stored) return stored.errors();
    if (stored->decoded.condition == BlockCondition::Missing) continue;
    if (stored->decoded.condition != BlockCondition::Sound) return fault(number, stored->decoded);
    consumer(stored->decoded.block);
    ++passed;
  }
  return passed;
}

}  // namespace nextstat
