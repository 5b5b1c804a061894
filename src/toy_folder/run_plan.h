// The toys of a run, cut into blocks and shards. The cut follows from the identity alone, so a block is
// the same whoever computes it.
//
//   Result<RunPlan> plan = RunPlan::make(identity);
//   for (std::size_t number : plan->blocks_of({3, 16})) compute(plan->block(number));
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "toy_folder/run_identity.h"

namespace nextstat {

// Toys first to first + count - 1 of an ensemble. No block has toys of two ensembles.
struct BlockRange {
  std::size_t number = 0;
  std::size_t ensemble = 0;  // index into RunIdentity::ensembles
  std::size_t first = 0, count = 0;
};

// The records of a block.
struct ToyBlock {
  BlockRange range;
  std::vector<double> values;  // [toy][column]; NaN where there is no number
};

// A size that leaves about a hundred blocks, between 10 and 1000 toys: small runs can be cut into shards, and
// large ones do not spend their time on small files.
std::size_t suggested_toys_per_block(std::size_t n_toys_of_all_ensembles);

class RunPlan {
 public:
  // Refuses what cannot be stored: no columns, blocks of no toys, more than 10 million blocks.
  static Result<RunPlan> make(RunIdentity identity);

  const RunIdentity& identity() const { return identity_; }
  const std::string& text() const { return text_; }          // of run.json
  const std::string& checksum() const { return checksum_; }  // sha256 of text() without labels, hexadecimal
  std::size_t columns() const { return identity_.columns.size(); }
  std::size_t blocks() const { return first_block_.back(); }
  std::size_t toys() const;
  BlockRange block(std::size_t number) const;
  std::vector<std::size_t> blocks_of(Shard shard) const;

 private:
  RunIdentity identity_;
  std::string text_, checksum_;
  std::vector<std::size_t> first_block_;  // [ensemble], and one more: the number of blocks
};

}  // namespace nextstat
