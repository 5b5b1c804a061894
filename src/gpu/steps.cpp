#include "gpu/steps.h"

#include <fmt/format.h>

#include <algorithm>

namespace nextstat::gpu {

Buffer Steps::allocate(std::string_view doing, std::size_t bytes) {
  if (!ok()) return {};
  Result<Buffer> buffer = queue_.allocate(std::max<std::size_t>(bytes, 1));
  if (buffer) return std::move(*buffer);
  fail(doing, buffer.errors());
  return {};
}

void Steps::fail(std::string_view doing, const Errors& errors) {
  const QueueTraits& traits = queue_.traits();
  for (const Error& error : errors) {
    errors_.push_back({error.code, fmt::format("{} ({})", traits.device, traits.name),
                       fmt::format("{}: {}", doing, error.what),
                       error.hint.empty()
                           ? Hint("run on the CPU", {{Field::Device, "cpu"}}, Listing::DeviceChecks)
                           : error.hint});
  }
}

}  // namespace nextstat::gpu
