// Decimal digits to the nearest double, fast for the numbers that stand in workspaces.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace nextstat {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline std::uint64_t eight_bytes(const char* text) {
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

// Digits, appended to a number as long as it has room for them; the text moves past them. Eight at once: their
// number differs from number to number, and a branch per digit would often be guessed wrong.
inline void append_digits(const char*& text, const char* end, std::uint64_t& number) {
  static constexpr std::uint64_t kTens[] = {1,       10,        100,        1'000,      10'000,
                                            100'000, 1'000'000, 10'000'000, 100'000'000};
  if constexpr (std::endian::native == std::endian::little) {
    while (end - text >= 8) {
      std::uint64_t word = eight_bytes(text) ^ 0x3030303030303030u;
      const std::uint64_t others =
          ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;  // bytes above 9
      const int bits = std::countr_zero(others) & ~7, count = bits / 8;
      if (bits == 0) return;
      if (bits < 64) word <<= 64 - bits;                               // as zeros before them
      word = (word * (1 + (10u << 8)) >> 8) & 0x00FF00FF00FF00FFu;     // pairs of digits
      word = (word * (1 + (100u << 16)) >> 16) & 0x0000FFFF0000FFFFu;  // fours
      word = word * (1 + (std::uint64_t{10'000} << 32)) >> 32;
      number = number * kTens[count] + word;
      text += count;
      if (count < 8) return;
    }
  }
  while (text < end && is_digit(*text)) number = 10 * number + static_cast<std::uint64_t>(*text++ - '0');
}

__extension__ using Wide = unsigned __int128;

// Ten to the power -k is scale * 2^-shift, scale truncated to 64 bits of which the highest is set.
struct InversePower {
  std::uint64_t scale;
  int exponent;  // of the result, in the bits of a double, but for the zeros before the digits
  double power;  // ten to the power k
};
inline constexpr auto kInversePowers = [] {
  std::array<InversePower, 20> table{};
  Wide power = 1;
  for (InversePower& entry : table) {
    int shift = 63;
    while ((Wide{1} << (shift - 63)) < power) ++shift;
    entry = {static_cast<std::uint64_t>((Wide{1} << shift) / power), 1023 + 64 + 11 - shift,
             static_cast<double>(power)};
    power *= 10;
  }
  return table;
}();

// The double nearest to +-digits / 10^decimals, decimals <= 19. False when this does not show which of two it is.
inline bool nearest_double(std::uint64_t digits, unsigned decimals, bool minus, double& value) {
  const InversePower& inverse = kInversePowers[decimals];
  const std::uint64_t sign = std::uint64_t{minus} << 63;
  if (digits <= 0xffffffffu) {  // both are exact in a double, and a division rounds once
    value = static_cast<double>(digits) / inverse.power;
    if (minus) value = -value;
    return true;
  }
  // The factor and the product are truncated: product <= truth < product + 2, or + 4 after the last shift. The 53
  // highest bits are the result.
  const int zeros = std::countl_zero(digits);
  auto product = static_cast<std::uint64_t>(Wide{digits << zeros} * inverse.scale >> 64);
  const int more = static_cast<int>(~product >> 63);
  product <<= more;
  constexpr std::uint64_t half = 1 << 10;
  const std::uint64_t tail = product & (2 * half - 1);
  if (tail - (half - 3) <= 3) return false;
  const std::uint64_t rounded = (product >> 11) + (tail > half ? 1 : 0);
  // The highest bit adds one to the exponent, and so does a carry out of it.
  const auto exponent = static_cast<std::uint64_t>(inverse.exponent + 51 - zeros - more);
  value = std::bit_cast<double>((exponent << 52) + rounded + sign);
  return true;
}

}  // namespace nextstat
