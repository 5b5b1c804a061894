#include "input/toy_options.h"

#include <fmt/format.h>
#include <nextstat/toy_folder.h>

#include <algorithm>
#include <limits>

#include "input/values.h"

namespace nextstat::cli {
namespace {

constexpr std::uint64_t kMostToys = 1'000'000'000, kMostBatch = 1'000'000;
constexpr double kWorthALine = 3;  // seconds

std::string memory_text(std::size_t bytes) {
  const double mega = static_cast<double>(bytes) / 1e6;
  return mega < 1000 ? fmt::format("{:.0f} MB", std::max(1.0, mega)) : fmt::format("{:.1f} GB", mega / 1000);
}

std::string shard_text(const ToyStorage& storage) {
  return fmt::format("{}/{}", storage.shard, storage.shards);
}

std::string cost_text(const ToyCost& cost) {
  return fmt::format("{} toys at {:.3g} toys/s: about {}, {} of memory", cost.toys, cost.toys_per_second,
                     duration_text(cost.seconds), memory_text(cost.bytes));
}

}  // namespace

void ToyInput::declare(CLI::App& command, const std::string& n_toys_help) {
  declare_all(command, "--n-toys", fmt::format("{} (default {})", n_toys_help, options_.n_toys));
}

void ToyInput::declare_on_demand(CLI::App& command, const std::string& n_toys_help,
                                 const std::string& n_toys_name) {
  declare_all(command, n_toys_name, n_toys_help);
}

void ToyInput::declare_all(CLI::App& command, const std::string& n_toys_name,
                           const std::string& n_toys_help) {
  declared_ = {
      command.add_option(n_toys_name, options_.n_toys, n_toys_help)
          ->transform(whole_number(1, kMostToys))
          ->type_name("N"),
      command.add_option("--seed", options_.seed, fmt::format("Random seed (default {})", options_.seed))
          ->transform(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
          ->type_name("N"),
      command.add_flag("--fixed-aux", options_.fixed_auxiliary,
                       "Keep the auxiliary data of toys as observed"),
      command
          .add_option("--batch", options_.batch,
                      "Toys fitted at a time (0 = automatic; results do not depend on it)")
          ->transform(whole_number(0, kMostBatch))
          ->type_name("N")};
}

Errors ToyInput::unused(const std::string& how_to_ask) const {
  for (const CLI::Option* option : declared_) {
    if (option->count() > 0)
      return {{ErrorCode::BadUsage, option->get_name(),
               fmt::format("{} applies only to toys, and there are none", option->get_name()),
               fmt::format("add {}, or leave {} out", how_to_ask, option->get_name())}};
  }
  return {};
}

ToyOptions ToyInput::options(Run& run) const {
  ToyOptions options = options_;
  ProgressLine& progress = run.task->progress();
  progress.set_unit("toys");
  options.on_cost = [&progress](const ToyCost& cost) {
    if (cost.seconds > kWorthALine) progress.announce(cost_text(cost));
  };
  return options;
}

void ToyStorageInput::declare(CLI::App& command) {
  command
      .add_option("--shard", shard_,
                  fmt::format("Compute part i of N, with i from 1 to N (default {}); the parts share a "
                              "folder or are merged with `toys merge`",
                              shard_text(ToyStorage())))
      ->type_name("i/N");
  CLI::Option* const out =
      command.add_option("--out", out_, "Save the toys in this new folder")->type_name("DIR");
  command
      .add_option("--resume", resume_, "Save the toys in this folder and continue from those already in it")
      ->excludes(out)
      ->type_name("DIR");
}

Errors ToyStorageInput::check() const {
  if (shard_.empty()) return {};
  if (const Result<Shard> shard = parse_shard(shard_); !shard) return shard.errors();
  if (!folder().empty()) return {};
  return {{ErrorCode::BadUsage, "--shard", "the toys of a part must be saved",
           "name a folder with --resume DIR or --out DIR, and merge the parts with `nextstat toys merge`"}};
}

Result<ToyStorage> ToyStorageInput::storage(const RunInput& input, const Run& run) const {
  ToyStorage storage;
  storage.folder = folder();
  storage.resume = !resume_.empty();
  if (!shard_.empty()) {
    const Result<Shard> shard = parse_shard(shard_);
    if (!shard) return shard.errors();
    storage.shard = shard->index;
    storage.shards = shard->count;
  }
  storage.labels["workspace_digest"] = run.loaded.digest();
  if (const std::string& patch = input.model().patch_name(); !patch.empty()) storage.labels["patch"] = patch;
  return storage;
}

void add_place(nlohmann::json& json, const ToyStorage& storage) {
  if (storage.folder.empty()) return;
  json["folder"] = storage.folder;
  json["shard"] = shard_text(storage);
}

void warn_if_interrupted(const Console& console, const ToyStorage& storage, bool interrupted) {
  if (!interrupted) return;
  if (storage.folder.empty())
    return console.warn("interrupted; with --resume DIR the toys would have been saved");
  console.warn(fmt::format("interrupted; the same command with --resume {} continues", storage.folder));
}

}  // namespace nextstat::cli
