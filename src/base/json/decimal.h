// Decimal digits to the nearest double, fast for the numbers that stand in workspaces.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nextstat {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline std::uint64_t eight_bytes(const char* text) {
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

inline constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, 20> table{};
  std::uint64_t power = 1;
  for (std::uint64_t& entry : table) {
    entry = power;
    power *= 10;
  }
  return table;
}();

// The number of eight digits, 0 to 9, the first of them in the lowest byte.
inline std::uint64_t number_of_digits(std::uint64_t digits) {
  digits = (digits * (1 + (10u << 8)) >> 8) & 0x00FF00FF00FF00FFu;     // pairs
  digits = (digits * (1 + (100u << 16)) >> 16) & 0x0000FFFF0000FFFFu;  // fours
  return digits * (1 + (std::uint64_t{10'000} << 32)) >> 32;
}

// Digits, appended to a number as long as it has room for them; the text moves past them. Eight at once: their
// number differs from number to number, and a branch per digit would often be guessed wrong.
inline void append_digits(const char*& text, const char* end, std::uint64_t& number) {
  if constexpr (std::endian::native == std::endian::little) {
    while (end - text >= 8) {
      std::uint64_t word = eight_bytes(text) ^ 0x3030303030303030u;
      const std::uint64_t others =
          ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;  // bytes above 9
      const int count = std::countr_zero(others) / 8;
      if (count < 8) word = word << 8 * (7 - count) << 8;  // as zeros before them
      number = number * kPowersOfTen[count] + number_of_digits(word);
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
};
inline constexpr auto kInversePowers = [] {
  std::array<InversePower, 20> table{};
  Wide power = 1;
  for (InversePower& entry : table) {
    int shift = 63;
    while ((Wide{1} << (shift - 63)) < power) ++shift;
    entry = {static_cast<std::uint64_t>((Wide{1} << shift) / power), 1023 + 64 + 11 - shift};
    power *= 10;
  }
  return table;
}();

// The double nearest to digits / 10^decimals, decimals <= 19. False when this does not show which of two it is.
inline bool nearest_double(std::uint64_t digits, unsigned decimals, double& value) {
  const InversePower& inverse = kInversePowers[decimals];
  if (digits == 0) {
    value = 0;
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
  const int exponent = inverse.exponent - zeros - more;
  value = static_cast<double>(static_cast<std::int64_t>(rounded)) *
          std::bit_cast<double>(static_cast<std::uint64_t>(exponent) << 52);
  return true;
}

#if defined(__SSE2__)
// Sixteen letters at once.
class Letters {
 public:
  explicit Letters(const char* text) : letters_(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text))) {}

  // One bit for each letter that is no digit.
  std::uint64_t no_digits() const {
    const __m128i digits = values();
    const __m128i are_digits = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    return static_cast<std::uint32_t>(_mm_movemask_epi8(are_digits)) ^ 0xFFFFu;
  }
  // The number that the last `count` letters make, which are digits.
  std::uint64_t number(unsigned count) const {
    alignas(16) static constexpr std::array<std::uint8_t, 32> kLast = [] {
      std::array<std::uint8_t, 32> mask{};
      for (std::size_t i = 16; i < mask.size(); ++i) mask[i] = 0xFF;
      return mask;
    }();
    const __m128i last = Letters(reinterpret_cast<const char*>(kLast.data()) + count).letters_;
    const __m128i digits = _mm_and_si128(values(), last), zero = _mm_setzero_si128();
    const __m128i weights = _mm_set1_epi64x(0x0001'000A'0064'03E8);  // 1000, 100, 10, 1
    const __m128i pairs = _mm_packs_epi32(_mm_madd_epi16(_mm_unpacklo_epi8(digits, zero), weights),
                                          _mm_madd_epi16(_mm_unpackhi_epi8(digits, zero), weights));
    const __m128i fours = _mm_packs_epi32(_mm_madd_epi16(pairs, _mm_set1_epi16(1)), zero);
    const __m128i eights = _mm_madd_epi16(fours, _mm_set1_epi32(0x0001'2710));  // 10000, 1
    const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
    return (both & 0xFFFFFFFF) * 100'000'000 + (both >> 32);
  }

 private:
  __m128i values() const { return _mm_sub_epi8(letters_, _mm_set1_epi8('0')); }

  __m128i letters_;
};

// 12.3456 with digits around its point, at most 7 before it and 19 in all. How many they are differs from number to number, so no
// branch depends on it. Up to 24 letters before `first` are read.
inline bool plain_decimal(const char* first, const char* point, const char* end, double& value) {
  const auto whole = static_cast<unsigned>(point - first), decimals = static_cast<unsigned>(end - point) - 1;
  const bool small = *first == '0', many = decimals > 16;
  if (*point != '.' || whole - 1 > 6 || decimals - 1 > 18 ||
      (small ? whole > 1 : many || whole + decimals > 19))
    return false;
  // What stands before the last 16 decimals: digits before the point, or decimals after a zero.
  const char* const front = many ? end - 16 : point;
  const unsigned others = 64 - 8 * (many ? decimals - 16 : whole);
  const std::uint64_t letters = (eight_bytes(front - 8) ^ 0x3030303030303030u) >> others << others;
  return nearest_double(number_of_digits(letters) * kPowersOfTen[many ? 16 : decimals] +
                            Letters(end - 16).number(many ? 16 : decimals),
                        decimals, value);
}
#endif

}  // namespace nextstat
