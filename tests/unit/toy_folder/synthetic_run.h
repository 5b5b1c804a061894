// Runs with made-up records, and folders to keep them in.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include "toy_folder/run_store.h"

namespace nextstat::testing {

namespace fs = std::filesystem;

// A folder of its own that goes away with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "nextstat-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

inline RunIdentity synthetic_identity(std::size_t n_background = 25, std::size_t n_signal = 30) {
  return {.kind = "hypotest-toys",
          .nextstat_version = "0.1.0",
          .settings = {{"mu", 1.0}, {"poi", "mu"}, {"fixed", {{"lumi", 0.5}}}},
          .seed = 42,
          .columns = {"q", "mu_hat", "converged"},
          .ensembles = {{0, "background", n_background}, {1, "signal + background", n_signal}},
          .toys_per_block = 10,
          .labels = {{"measurement", "search"}, {"workspace_digest", std::string(64, 'a')}}};
}

inline RunPlan synthetic_plan(std::size_t n_background = 25, std::size_t n_signal = 30) {
  return *RunPlan::make(synthetic_identity(n_background, n_signal));
}

// Records that depend on the toy alone, as real ones do, and are exact on every machine. Some have no number.
inline ToyBlock synthetic_block(const RunPlan& plan, std::size_t number) {
  ToyBlock block{plan.block(number), {}};
  for (std::size_t i = 0; i < block.range.count; ++i) {
    const auto toy = static_cast<double>(block.range.first + i);
    const bool converged = (block.range.first + i) % 7 != 3;
    const double seed = static_cast<double>(plan.identity().seed) + static_cast<double>(block.range.ensemble);
    block.values.push_back(converged ? std::fmod(toy * seed, 11) / 8
                                     : std::numeric_limits<double>::quiet_NaN());
    block.values.push_back(toy / 4 - seed);
    block.values.push_back(converged ? 1 : 0);
  }
  return block;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void set_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Every file of a folder, hidden ones too, with its bytes.
inline std::map<std::string, std::string> content_of(const std::string& folder) {
  std::map<std::string, std::string> content;
  for (const auto& entry : fs::directory_iterator(folder))
    content[entry.path().filename().string()] = bytes_of(entry.path().string());
  return content;
}

// Computes what a shard has still to do.
inline void complete(const std::string& folder, const RunPlan& plan, Shard shard = {}) {
  const Result<RunStore> store = RunStore::open(folder, plan, shard, Begin::Resume);
  if (!store) throw std::runtime_error(store.errors().front().what);
  for (const std::size_t number : store->missing()) {
    if (!store->write(synthetic_block(plan, number))) throw std::runtime_error("cannot write");
  }
}

}  // namespace nextstat::testing
