#include "base/hash.h"

#include <nextstat/names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace nextstat {
namespace {

// Python's name and OpenSSL's name.
constexpr std::array<std::pair<const char*, const char*>, 12> kAlgorithms = {{
    {"md5", "MD5"},
    {"sha1", "SHA1"},
    {"sha224", "SHA224"},
    {"sha256", "SHA256"},
    {"sha384", "SHA384"},
    {"sha512", "SHA512"},
    {"sha3_224", "SHA3-224"},
    {"sha3_256", "SHA3-256"},
    {"sha3_384", "SHA3-384"},
    {"sha3_512", "SHA3-512"},
    {"blake2b", "BLAKE2B-512"},
    {"blake2s", "BLAKE2S-256"},
}};

using Algorithm = std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)>;

std::string hexadecimal(const unsigned char* bytes, unsigned count) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += kHex[bytes[i] >> 4];
    text += kHex[bytes[i] & 15];
  }
  return text;
}

}  // namespace

const std::vector<std::string>& hash_algorithms() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& [name, openssl_name] : kAlgorithms) list.emplace_back(name);
    return list;
  }();
  return names;
}

Result<std::string> hash_bytes(std::string_view input, const std::string& algorithm) {
  const auto entry = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                                  [&](const auto& candidate) { return candidate.first == algorithm; });
  if (entry == kAlgorithms.end())
    return unknown_name(algorithm, hash_algorithms(), "a digest algorithm", Field::Algorithm);
  const Algorithm method(EVP_MD_fetch(nullptr, entry->second, nullptr), &EVP_MD_free);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned count = 0;
  if (!method || EVP_Digest(input.data(), input.size(), bytes.data(), &count, method.get(), nullptr) != 1) {
    return Error{ErrorCode::BadUsage, Field::Algorithm,
                 "the OpenSSL library of this system does not offer " + algorithm, "use sha256"};
  }
  return hexadecimal(bytes.data(), count);
}

}  // namespace nextstat
