#include "base/json_equal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nextstat {
namespace {

// Exact: 2^53 + 1 is not the double 2^53.
template <class Integer>
bool equals_float(Integer integer, double value) {
  using Limits = std::numeric_limits<Integer>;
  const bool in_range =
      value >= static_cast<double>(Limits::min()) && value < std::ldexp(1.0, Limits::digits);
  return in_range && std::trunc(value) == value && static_cast<Integer>(value) == integer;
}

bool equal_numbers(const Json& left, const Json& right) {
  if (left.is_number_float() && right.is_number_float()) return left.get<double>() == right.get<double>();
  if (left.is_number_float()) return equal_numbers(right, left);
  if (right.is_number_float()) {
    return left.is_number_unsigned() ? equals_float(left.get<std::uint64_t>(), right.get<double>())
                                     : equals_float(left.get<std::int64_t>(), right.get<double>());
  }
  if (left.is_number_unsigned() && right.is_number_unsigned()) {
    return left.get<std::uint64_t>() == right.get<std::uint64_t>();
  }
  if (left.is_number_unsigned()) return std::cmp_equal(left.get<std::uint64_t>(), right.get<std::int64_t>());
  if (right.is_number_unsigned()) return std::cmp_equal(left.get<std::int64_t>(), right.get<std::uint64_t>());
  return left.get<std::int64_t>() == right.get<std::int64_t>();
}

}  // namespace

bool equal_values(const Json& left, const Json& right) {
  if (left.is_number() && right.is_number()) return equal_numbers(left, right);
  if (left.type() != right.type()) return false;
  if (left.is_array()) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), equal_values);
  }
  if (!left.is_object()) return left == right;
  const auto& first = left.get_ref<const Json::object_t&>();
  const auto& second = right.get_ref<const Json::object_t&>();
  return std::equal(
      first.begin(), first.end(), second.begin(), second.end(),
      [](const auto& a, const auto& b) { return a.first == b.first && equal_values(a.second, b.second); });
}

}  // namespace nextstat
