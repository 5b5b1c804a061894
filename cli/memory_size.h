// Amounts of memory as people write them.
#pragma once

#include <nextstat/result.h>

#include <cstdint>
#include <string>

namespace nextstat::cli {

// "200MB", "2GiB", "1.5 GB" in bytes; a number alone is in MB. The error has no place yet.
Result<std::uint64_t> parse_memory(const std::string& text);

}  // namespace nextstat::cli
