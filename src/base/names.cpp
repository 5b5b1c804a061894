#include <fmt/format.h>
#include <nextstat/names.h>
#include <nextstat/text.h>

#include <utility>

namespace nextstat {

std::string listed(std::span<const std::string> names, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " " + last + " " : ", ";
    text += names[i];
  }
  return text;
}

Error unknown_name(std::string_view name, std::span<const std::string> names, const std::string& kind,
                   Place where) {
  return {ErrorCode::BadUsage, std::move(where),
          fmt::format("'{}' is not {}; {} {}", shorten(name), kind,
                      names.size() == 1 ? "there is only" : "there are", listed(names)),
          did_you_mean(name, names, names.size() == 1 ? "leave it out" : "choose one of them")};
}

}  // namespace nextstat
