#include "opencl/program_cache.h"

#include <unistd.h>

#include <fmt/format.h>
#include <nextstat/files.h>

#include <filesystem>

#include "base/durable_file.h"
#include "base/hash.h"

namespace nextstat::opencl {
namespace {

constexpr std::string_view kMark = "nextstat opencl program 1\n";
constexpr std::size_t kLargest = std::size_t{256} << 20;

std::string sealed(std::string_view binary) { return hash_bytes(binary).value() + "\n"; }

}  // namespace

std::string ProgramCache::path_of(std::string_view key) const {
  return folder_ + "/" + hash_bytes(key).value() + ".bin";
}

std::optional<std::string> ProgramCache::find(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  const Result<std::string> read = read_text(path_of(key), kLargest);
  if (!read) return std::nullopt;
  const std::string_view text = *read;
  const std::size_t seal = sealed("").size();
  if (!text.starts_with(kMark) || text.size() < kMark.size() + seal) return std::nullopt;
  const std::string_view binary = text.substr(kMark.size() + seal);
  if (text.substr(kMark.size(), seal) != sealed(binary)) return std::nullopt;
  return std::string(binary);
}

void ProgramCache::keep(std::string_view key, std::string_view binary) const {
  if (folder_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(folder_, failed);
  const std::string path = path_of(key);
  const Result<bool> written = write_durably(path, fmt::format("{}{}{}", kMark, sealed(binary), binary),
                                             fmt::format("{}.{}.part", path, ::getpid()));
  static_cast<void>(written);
}

}  // namespace nextstat::opencl
