#include "input/values.h"

#include <fmt/format.h>
#include <nextstat/names.h>
#include <nextstat/text.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace nextstat::cli {
namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || status != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

// 1.25e3 is 1250, digit by digit: a double would round large ones. "" where the value is not whole.
std::string as_digits(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == text.npos) return std::string(text);
  std::string_view exponent_text = text.substr(e + 1);
  if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  const std::optional<int> exponent = number<int>(exponent_text);
  constexpr int kMostDigits = 20;  // of 2^64
  if (!exponent || *exponent < 0 || *exponent > kMostDigits) return "";
  std::string digits(text.substr(0, e));
  const std::size_t point = digits.find('.');
  std::size_t behind = 0;
  if (point != digits.npos) {
    behind = digits.size() - point - 1;
    digits.erase(point, 1);
  }
  if (digits.empty()) return "";
  digits.append(static_cast<std::size_t>(*exponent), '0');
  if (behind > digits.size() || digits.find_first_not_of('0', digits.size() - behind) != digits.npos)
    return "";
  digits.resize(digits.size() - behind);
  return digits;
}

}  // namespace

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return CLI::Validator(
      [=](std::string& text) {
        std::string digits = as_digits(text);
        const std::optional<std::uint64_t> value = number<std::uint64_t>(digits);
        if (!value || *value < low || *value > high)
          return fmt::format("'{}' is not a whole number from {} to {}", shorten(text), low, high);
        text = std::move(digits);
        return std::string();
      },
      "");
}

namespace {

constexpr std::uint64_t kMega = 1'000'000;

constexpr Named<std::uint64_t> kUnits[] = {
    {"B", 1},
    {"kB", 1000},
    {"MB", kMega},
    {"GB", 1000 * kMega},
    {"TB", kMega* kMega},
    {"KiB", 1ull << 10},
    {"MiB", 1ull << 20},
    {"GiB", 1ull << 30},
    {"TiB", 1ull << 40},
};

Error refused(std::string what) {
  return {ErrorCode::BadUsage, "", std::move(what), "write e.g. 200MB or 2GiB; a number alone is in MB"};
}

}  // namespace

Result<std::uint64_t> parse_memory(const std::string& text) {
  double amount = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, amount);
  if (status != std::errc() || !std::isfinite(amount) || !(amount > 0))
    return refused(fmt::format("'{}' is not an amount of memory", shorten(text)));
  std::string_view word(rest, static_cast<std::size_t>(end - rest));
  if (word.starts_with(' ')) word.remove_prefix(1);
  std::uint64_t unit = kMega;
  if (!word.empty()) {
    const NameTable<std::uint64_t> units = kUnits;
    const Result<std::uint64_t> known = value_named(word, units, "a unit of memory", "");
    if (!known) return refused(known.errors().front().what);
    unit = *known;
  }
  // 2^64 is the first that is too much; long double has every whole number below it.
  const long double bytes = static_cast<long double>(amount) * static_cast<long double>(unit);
  if (bytes >= 0x1p64L) return refused(fmt::format("'{}' is more than 2^64 - 1 bytes", shorten(text)));
  if (bytes < 1) return refused(fmt::format("'{}' is less than a byte", shorten(text)));
  return static_cast<std::uint64_t>(bytes);
}

std::vector<std::string> split_names(const std::vector<std::string>& words,
                                     const std::set<std::string>& known) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    if (known.contains(word)) {
      names.push_back(word);
      continue;
    }
    std::istringstream parts(word);
    for (std::string name; std::getline(parts, name, ',');) {
      if (!name.empty()) names.push_back(name);
    }
  }
  return names;
}

CLI::Option* add_optional_words(CLI::App& command, const std::string& name, std::vector<std::string>& words,
                                const std::string& description, const std::string& type_name) {
  // Without words the parser gives one empty word.
  const auto keep = [&words](const std::vector<std::string>& given) {
    words = given;
    std::erase(words, "");
  };
  return command.add_option_function<std::vector<std::string>>(name, keep, description)
      ->type_name(type_name)
      ->expected(0, CLI::detail::expected_max_vector_size);
}

}  // namespace nextstat::cli
