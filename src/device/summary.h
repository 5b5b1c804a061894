// Reports of backends as text.
#pragma once

#include <nextstat/backends.h>

#include <span>
#include <string>

namespace nextstat {

std::string summary_text(std::span<const BackendReport> reports, BackendType recommended);

}  // namespace nextstat
