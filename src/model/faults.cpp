#include "model/faults.h"

#include <fmt/format.h>

#include "base/json_text.h"

namespace nextstat {

std::string Path::pointer() const {
  if (!parent) return "";
  return is_index ? pointer_append(parent->pointer(), index) : pointer_append(parent->pointer(), key);
}

Errors Faults::take() {
  if (count_ > list_.size()) {
    list_.push_back({ErrorCode::BadInput, "", fmt::format("{} further faults are not listed", count_ - list_.size()),
                     "mend the first ones and run again"});
  }
  return std::move(list_);
}

}  // namespace nextstat
