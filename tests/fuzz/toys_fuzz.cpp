// The run.json of a toy run and the file of a block, with a zero byte between them.
#include <cstdint>
#include <string_view>

#include "base/hash.h"
#include "fuzz/require.h"
#include "toy_folder/block_file.h"
#include "toy_folder/run_identity.h"

namespace nextstat {
namespace {

void check_block(const RunPlan& plan, std::string_view bytes) {
  const Result<DecodedBlock> decoded = decode_block(plan, 0, bytes);
  require(static_cast<bool>(decoded), "whatever the bytes, a block has a condition");
  if (decoded->condition == BlockCondition::Sound) {
    // Not equal bytes: a file may hold a NaN that we would write differently.
    require(encode_block(plan, decoded->block)->size() == bytes.size(), "a sound block has its length");
  } else {
    require(!decoded->what.empty(), "a block that is not sound says why");
  }
}

void check(std::string_view input) {
  const std::size_t end = std::min(input.find('\0'), input.size());
  Result<RunIdentity> identity = read_identity(input.substr(0, end));
  if (!identity) return check_errors(identity.errors());
  require(identity_text(*identity) == input.substr(0, end), "an identity is written as it was read");
  const Result<RunPlan> plan = RunPlan::make(std::move(*identity));
  if (!plan) return check_errors(plan.errors());
  if (plan->blocks() == 0) return;
  const std::string bytes(input.substr(std::min(end + 1, input.size())));
  check_block(*plan, bytes);
  check_block(*plan, bytes + *hash_bytes(bytes));  // behind the checksum too
}

}  // namespace
}  // namespace nextstat

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nextstat::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
