// The file of a block, byte by byte as docs/toys.md says: header, records, SHA-256 of both.
//
//   Result<std::string> bytes = encode_block(plan, block);
//   DecodedBlock back = decode_block(plan, number, *bytes);
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "toy_folder/run_plan.h"

namespace nextstat {

struct DecodedBlock {
  BlockCondition condition = BlockCondition::Missing;
  std::string what;  // why it is not sound
  ToyBlock block;    // empty unless sound
};

// "block-00000012.toys"
std::string block_file_name(std::size_t number);

// NaNs are written with one bit pattern, so that equal results are equal bytes.
Result<std::string> encode_block(const RunPlan& plan, const ToyBlock& block);
Result<DecodedBlock> decode_block(const RunPlan& plan, std::size_t number, std::string_view bytes);

// Reads and checks block `number` in the folder of a run. An error is a file that cannot be read at all.
struct StoredBlock {
  DecodedBlock decoded;
  std::string bytes;  // of the file
};
Result<StoredBlock> read_block_file(const RunPlan& plan, std::size_t number, const std::string& folder);

}  // namespace nextstat
