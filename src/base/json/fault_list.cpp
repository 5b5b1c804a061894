#include "base/json/fault_list.h"

#include <fmt/format.h>
#include <nextstat/json.h>

#include <algorithm>

namespace nextstat {

std::string Path::pointer() const {
  if (!parent) return "";
  return key ? pointer_append(parent->pointer(), std::string_view(key, index))
             : pointer_append(parent->pointer(), index);
}

bool Faults::has(const std::string& pointer) const {
  return std::any_of(list_.begin(), list_.end(),
                     [&](const Error& error) { return error.where.inside == pointer; });
}

bool Faults::has_under(const std::string& pointer) const {
  return std::any_of(list_.begin(), list_.end(), [&](const Error& error) {
    const std::string& place = error.where.inside;
    return place.starts_with(pointer) && (place.size() == pointer.size() || place[pointer.size()] == '/');
  });
}

Errors Faults::take() {
  if (count_ > list_.size()) {
    list_.push_back({ErrorCode::BadInput, "",
                     fmt::format("{} more errors are not listed", count_ - list_.size()),
                     "fix the first ones and run again"});
  }
  return std::move(list_);
}

}  // namespace nextstat
