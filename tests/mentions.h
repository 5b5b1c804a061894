// Whether a text has these words in it, or one of several texts.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace nextstat::test {

inline bool mentions(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

inline bool mentions(const std::vector<std::string>& texts, const std::string& words) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return mentions(text, words); });
}

}  // namespace nextstat::test
