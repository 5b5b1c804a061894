#include "toys/run_store.h"

#include <fmt/format.h>

namespace nextstat {

RunStore::RunStore(RunPlan plan, Shard shard, RunFolder folder)
    : plan_(std::move(plan)), shard_(shard), folder_(std::move(folder)) {}

Result<RunStore> RunStore::open(const std::string& folder, RunPlan plan, Shard shard, Begin begin) {
  Result<RunFolder> opened =
      RunFolder::open(folder, plan, fmt::format("{}-of-{}", shard.index, shard.count), begin);
  if (!opened) return opened.errors();
  RunStore store(std::move(plan), shard, std::move(*opened));
  const auto looked = store.look();
  if (!looked) return looked.errors();
  return store;
}

Result<std::monostate> RunStore::look() {
  if (!folder_.locked()) {
    remarks_.push_back(
        folder_.path() +
        ": this file system has no locks; take care that no two processes compute the same shard");
  }
  Errors foreign;
  for (const std::size_t number : plan_.blocks_of(shard_)) {
    const Result<StoredBlock> stored = read_block_file(plan_, number, folder_.path());
    if (!stored) return stored.errors();
    const DecodedBlock& decoded = stored->decoded;
    if (decoded.condition == BlockCondition::Sound) continue;
    missing_.push_back(number);
    if (decoded.condition == BlockCondition::Damaged) {
      remarks_.push_back(folder_.block_path(number) + " " + decoded.what + "; its toys are computed again");
    } else if (decoded.condition == BlockCondition::Foreign) {
      foreign.push_back({ErrorCode::BadInput, folder_.block_path(number), decoded.what,
                         "move it away if it is not needed, then start again"});
    }
  }
  if (!foreign.empty()) return foreign;
  return std::monostate{};
}

Result<std::monostate> RunStore::write(const ToyBlock& block) const {
  const Result<std::string> bytes = encode_block(plan_, block);
  if (!bytes) return bytes.errors();
  return folder_.write_block(block.range.number, *bytes);
}

Error RunStore::fault(std::size_t number, const DecodedBlock& decoded) const {
  const bool missing = decoded.condition == BlockCondition::Missing;
  return {missing ? ErrorCode::NotFound : ErrorCode::BadInput, folder_.block_path(number),
          missing ? "is not there" : decoded.what, "start the same command again with --resume"};
}

Result<ToyBlock> RunStore::read(std::size_t number) const {
  Result<StoredBlock> stored = read_block_file(plan_, number, folder_.path());
  if (!stored) return stored.errors();
  if (stored->decoded.condition != BlockCondition::Sound) return fault(number, stored->decoded);
  return std::move(stored->decoded.block);
}

Result<std::size_t> RunStore::for_each(const BlockConsumer& consumer) const {
  std::size_t passed = 0;
  for (std::size_t number = 0; number < plan_.blocks(); ++number) {
    const Result<StoredBlock> stored = read_block_file(plan_, number, folder_.path());
    if (!stored) return stored.errors();
    if (stored->decoded.condition == BlockCondition::Missing) continue;
    if (stored->decoded.condition != BlockCondition::Sound) return fault(number, stored->decoded);
    consumer(stored->decoded.block);
    ++passed;
  }
  return passed;
}

}  // namespace nextstat
