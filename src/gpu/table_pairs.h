// The tables of a model for devices that load two entries at once: entries 2 k and 2 k + 1 of a lane side by
// side, [k][lane][2] instead of [2 k][lane], [2 k + 1][lane]. Everything stays within its place.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/layout.h"

namespace nextstat::gpu {

void pair_up_tables(const NsLayout& layout, std::span<const std::uint32_t> indices, std::span<double> reals);

}  // namespace nextstat::gpu
