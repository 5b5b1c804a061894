// The folder of a toy run: how far it is, and shards put together (docs/toys.md).
//
//   Result<RunStatus> status = toys_status("run");
//   status->tally({1, 16}).done;
//   const std::vector<std::string> folders = {"shard1", "shard2"};
//   Result<MergeReport> report = merge_toys(folders, "merged");
//
// Needs nlohmann-json.
#pragma once

#include <nextstat/json.h>
#include <nextstat/result.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Shard `index` of `count`, counted from 1: blocks index - 1, index - 1 + count, ...
struct Shard {
  std::size_t index = 1, count = 1;
  bool owns(std::size_t block) const { return block % count == index - 1; }
  bool whole() const { return count == 1; }
};

// "3/16" is the third of sixteen.
Result<Shard> parse_shard(std::string_view text);

// Toys drawn from one hypothesis, numbered from 0.
struct Ensemble {
  std::size_t hypothesis = 0;  // the number that enters the random numbers
  std::string name;            // "background", "signal + background"
  std::size_t n_toys = 0;
};

// The form of run.json. What earlier versions wrote stays readable.
enum class RunSchema { One = 1, Two = 2 };
const char* to_string(RunSchema schema);  // "nextstat/toy-run/2"

// What makes two toy runs the same run: everything that changes a number in them. Kept as run.json in the
// folder; pieces of a run belong together when it is equal, labels aside.
struct RunIdentity {
  RunSchema schema = RunSchema::Two;
  std::string kind;              // "toys", "hypotest-toys"
  std::string nextstat_version;  // numbers may change between versions
  // Model and options, as far as they change a number, in names and values that a person can read. Schema 1:
  // strings only.
  Json settings = Json::object();
  std::uint64_t seed = 0;
  std::vector<std::string> columns;  // of a toy's record
  std::vector<Ensemble> ensembles;   // in order
  std::size_t toys_per_block = 1000;
  // For people, of whoever began the run: "measurement", "workspace_digest", "patch". No number depends on
  // them. Schema 1 has "workspace_digest" alone, which there is part of the identity.
  std::map<std::string, std::string> labels = {};
  // The settings as schema 1 wrote them, as far as they can be known. Never written.
  std::map<std::string, std::string> earlier_settings = {};
};

// The label; "" where there is none.
std::string workspace_digest(const RunIdentity& identity);

// What is there of a block.
enum class BlockCondition {
  Sound,
  Missing,
  Damaged,  // not what was written: computing the block again is the repair
  Foreign,  // whole, but of another run, another place or another format: nothing here may replace it
};
const char* to_string(BlockCondition condition);

// One block of the run.
struct BlockState {
  BlockCondition condition = BlockCondition::Missing;
  std::size_t ensemble = 0;  // index into RunIdentity::ensembles
  std::size_t toys = 0;
};

// A block that is there but not sound.
struct BlockProblem {
  std::size_t number = 0;
  BlockCondition condition = BlockCondition::Damaged;
  std::string file, what;
};

// Blocks and toys by their condition.
struct BlockTally {
  std::size_t blocks = 0, done = 0, missing = 0, damaged = 0, foreign = 0;
  std::size_t toys = 0, toys_done = 0;
  double percent() const;  // of toys; 100 only when all are done
  bool complete() const { return done == blocks; }
};

// How far a run is.
struct RunStatus {
  RunIdentity identity;
  std::string checksum;            // of the identity without labels: sha256, hexadecimal
  std::vector<BlockState> blocks;  // [block]
  std::vector<BlockProblem> problems;

  BlockTally tally(Shard shard = {}) const;  // of one shard; of the whole run
  BlockTally tally_of_ensemble(std::size_t ensemble) const;
  // First and last block of each stretch that is not done, ascending.
  std::vector<std::pair<std::size_t, std::size_t>> open_ranges() const;
};

// Reads and checks every block.
Result<RunStatus> toys_status(const std::string& folder);

// What merging did, and what it could not do.
struct MergeReport {
  RunStatus status;        // of the folder that was merged into
  std::size_t copied = 0;  // blocks that were not there before
  Errors problems;         // damaged, foreign or contradictory blocks for which there is no sound copy
  std::vector<std::string> remarks;  // damaged blocks of which another folder has a sound copy
};

// Puts the shards of a run together: the folder that comes out has the bytes of a run in one piece. Refuses
// folders of different runs before anything is written. Sound blocks are collected even when others are
// damaged or missing, so merging again after a repair completes the folder. `to` may exist with some blocks
// of the same run; folders in `from` are only read.
Result<MergeReport> merge_toys(std::span<const std::string> from, const std::string& to);

}  // namespace nextstat
#pragma GCC visibility pop
