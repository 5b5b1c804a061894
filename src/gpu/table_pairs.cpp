#include "gpu/table_pairs.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace nextstat::gpu {
namespace {

constexpr std::size_t kLanes = 8;

void pair_up(std::span<double> table) {
  for (std::size_t begin = 0; begin < table.size(); begin += 2 * kLanes) {
    std::array<double, 2 * kLanes> entries{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      entries[2 * lane] = table[begin + lane];
      entries[2 * lane + 1] = table[begin + kLanes + lane];
    }
    std::copy(entries.begin(), entries.end(), table.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace

void pair_up_tables(const NsLayout& layout, std::span<const std::uint32_t> indices, std::span<double> reals) {
  const auto slots = [&](const NsList& list) { return std::size_t{indices[list.begin + list.slices]}; };
  const auto pair = [&](std::size_t begin, std::size_t slots_of_list, std::size_t width) {
    pair_up(reals.subspan(begin, slots_of_list * width * kLanes));
  };
  for (const NsList* list : {&layout.norm, &layout.norm_of_parameter}) pair(list->real, slots(*list), 6);
  for (const NsList* list :
       {&layout.linear, &layout.linear_of_parameter, &layout.shift, &layout.shift_of_parameter})
    pair(list->real, slots(*list), 2);
  pair(layout.norm_logs, slots(layout.norm), 2);
  pair(layout.norm_of_parameter_logs, slots(layout.norm_of_parameter), 2);
}

}  // namespace nextstat::gpu
