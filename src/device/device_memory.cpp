// What fits where.
#include <fmt/format.h>
#include <nextstat/backends.h>

#include <initializer_list>

namespace nextstat {
namespace {

// Products and sums that notice where they leave 64 bits.
struct Checked {
  bool overflowed = false;
  std::uint64_t product(std::initializer_list<std::uint64_t> factors) {
    std::uint64_t result = 1;
    for (std::uint64_t factor : factors) overflowed |= __builtin_mul_overflow(result, factor, &result);
    return result;
  }
  std::uint64_t sum(std::initializer_list<std::uint64_t> terms) {
    std::uint64_t result = 0;
    for (std::uint64_t term : terms) overflowed |= __builtin_add_overflow(result, term, &result);
    return result;
  }
};

Error shape_error(std::string what, Hint hint) {
  return {ErrorCode::BadUsage, "shape", std::move(what), std::move(hint)};
}

}  // namespace

bool can_fit(const DeviceInfo& device, std::uint64_t bytes) {
  if (device.free_memory) return *device.free_memory >= bytes;
  return device.total_memory / 10 * 8 + device.total_memory % 10 * 8 / 10 >= bytes;
}

double InferenceMemory::total_gb() const { return static_cast<double>(total_bytes) / (1u << 30); }

Result<InferenceMemory> estimate_inference_memory(const InferenceShape& shape) {
  const auto& [hidden, ffn, layers, vocabulary, heads, kv_heads, sequence, bytes] = shape;
  if (heads == 0 || kv_heads == 0) return shape_error("no heads", "give at least one");
  if (hidden % heads != 0)
    return shape_error(fmt::format("{} heads do not divide a hidden size of {}", heads, hidden),
                       "the size of a head is a whole number");
  if (heads % kv_heads != 0)
    return shape_error(fmt::format("{} heads for keys and values do not divide {} heads", kv_heads, heads),
                       "every such head serves the same number of heads");
  Checked with;
  const std::uint64_t keys = with.product({kv_heads, hidden / heads});
  const std::uint64_t layer = with.sum({with.product({2, hidden, hidden}), with.product({2, hidden, keys}),
                                        with.product({3, hidden, ffn}), with.product({2, hidden})});
  InferenceMemory memory;
  memory.model_bytes = with.product(
      {with.sum({with.product({layers, layer}), with.product({2, vocabulary, hidden}), hidden}), bytes});
  memory.kv_cache_bytes = with.product({2, layers, sequence, keys, bytes});
  memory.activation_bytes = with.product({2, bytes, with.sum({hidden, with.product({2, ffn})})});
  memory.total_bytes = with.sum({memory.model_bytes, memory.kv_cache_bytes, memory.activation_bytes});
  if (with.overflowed)
    return shape_error("the sizes need more than 2^64 bytes", "check that none is given in bytes");
  return memory;
}

}  // namespace nextstat
