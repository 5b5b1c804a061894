#include "memory_size.h"

#include <fmt/format.h>
#include <nextstat/names.h>
#include <nextstat/text.h>

#include <charconv>
#include <cmath>
#include <string_view>

namespace nextstat::cli {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

constexpr Named<std::uint64_t> kUnits[] = {
    {"B", 1},
    {"kB", 1000},
    {"MB", kMega},
    {"GB", 1000 * kMega},
    {"TB", kMega* kMega},
    {"KiB", 1ull << 10},
    {"MiB", 1ull << 20},
    {"GiB", 1ull << 30},
    {"TiB", 1ull << 40},
};

Error refused(std::string what) {
  return {ErrorCode::BadUsage, "", std::move(what), "write e.g. 200MB or 2GiB; a number alone is in MB"};
}

}  // namespace

Result<std::uint64_t> parse_memory(const std::string& text) {
  double amount = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, amount);
  if (status != std::errc() || !std::isfinite(amount) || !(amount > 0))
    return refused(fmt::format("'{}' is not an amount of memory", shorten(text)));
  std::string_view word(rest, static_cast<std::size_t>(end - rest));
  if (word.starts_with(' ')) word.remove_prefix(1);
  std::uint64_t unit = kMega;
  if (!word.empty()) {
    const NameTable<std::uint64_t> units = kUnits;
    const Result<std::uint64_t> known = value_named(word, units, "a unit of memory", "");
    if (!known) return refused(known.errors().front().what);
    unit = *known;
  }
  // 2^64 is the first that is too much; long double has every whole number below it.
  const long double bytes = static_cast<long double>(amount) * static_cast<long double>(unit);
  if (bytes >= 0x1p64L) return refused(fmt::format("'{}' is more than 2^64 - 1 bytes", shorten(text)));
  if (bytes < 1) return refused(fmt::format("'{}' is less than a byte", shorten(text)));
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace nextstat::cli
