#include <nextstat/text.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace nextstat {
namespace {

// Longer names are not compared: nobody mistypes them by hand and the cost grows with the square.
constexpr std::size_t kLongestName = 200;

char folded(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Edits (insert, delete, replace, swap of neighbors) that turn one word into the other, ignoring ASCII case.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> before(width), previous(width), current(width);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = folded(left[i - 1]) == folded(right[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && folded(left[i - 1]) == folded(right[j - 2]) &&
                           folded(left[i - 2]) == folded(right[j - 1]);
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous.back();
}

// The one candidate that begins with these three letters or more, if there is one.
const std::string* only_completion(std::string_view begin, std::span<const std::string> candidates) {
  const std::string* found = nullptr;
  if (begin.size() < 3) return found;
  for (const std::string& candidate : candidates) {
    if (!candidate.starts_with(begin)) continue;
    if (found != nullptr) return nullptr;
    found = &candidate;
  }
  return found;
}

}  // namespace

std::string closest_name(std::string_view wrong, std::span<const std::string> candidates) {
  if (wrong.size() > kLongestName) return {};
  if (const std::string* whole = only_completion(wrong, candidates)) return *whole;
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestName) continue;
    const std::size_t longer = std::max(wrong.size(), candidate.size());
    const std::size_t allowed = longer / 3;
    if (longer - std::min(wrong.size(), candidate.size()) > allowed) continue;
    const std::size_t distance = edit_distance(wrong, candidate);
    if (distance > allowed || (best && distance >= best_distance)) continue;
    best = &candidate;
    best_distance = distance;
  }
  return best ? *best : std::string();
}

Hint did_you_mean(std::string_view wrong, std::span<const std::string> candidates, Hint otherwise) {
  const std::string name = closest_name(wrong, candidates);
  return name.empty() ? otherwise : Hint("did you mean '" + name + "'?");
}

}  // namespace nextstat
