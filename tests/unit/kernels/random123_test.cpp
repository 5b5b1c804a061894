// Our Philox gives the words of Random123, an independent implementation by its authors.
#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <random>

#include "kernels/host.h"

namespace {

TEST(Philox, GivesTheWordsOfRandom123) {
  using namespace nextstat::host;
  std::mt19937 generator(17);
  const auto word = [&] { return static_cast<u32>(generator()); };
  for (int i = 0; i < 100000; ++i) {
    const philox4x32_ctr_t c = {{word(), word(), word(), word()}};
    const philox4x32_key_t k = {{word(), word()}};
    const philox4x32_ctr_t expected = philox4x32(c, k);
    const NsWords found = ns_philox({c.v[0], c.v[1], c.v[2], c.v[3]}, k.v[0], k.v[1]);
    ASSERT_TRUE(found.x == expected.v[0] && found.y == expected.v[1] && found.z == expected.v[2] &&
                found.w == expected.v[3]);
  }
}

}  // namespace
