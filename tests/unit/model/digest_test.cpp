#include <gtest/gtest.h>
#include <nextstat/documents.h>

namespace nextstat {
namespace {

const char* const kText = R"({"b": 3.0, "a": 2.0, "c": 1})";

TEST(Digest, HashesTheCanonicalTextOfPython) {
  // hashlib.X(json.dumps({"a": 2.0, "b": 3.0, "c": 1}, sort_keys=True).encode()).hexdigest()
  EXPECT_EQ(*digest_of_text(kText), "22f0e8cfb7601944c9a5f5356824661ee20ccfabe6fbf6087c72e19fbad85868");
  EXPECT_EQ(*digest_of_text(kText, "md5"), "ac6783ba0390bdaa994a61c2d808f914");
  EXPECT_EQ(*digest_of_text(kText, "blake2s"),
            "ae4e06b89b2c395225ce123d00914015e09a8e9a932010863e2bf2a60217f448");
  EXPECT_EQ(*digest_of_text(kText, "sha3_224"), "30bd1966c2ba001f0245afb2894d64a1aada0f285edd11e364be699c");
}

TEST(Digest, IsTheSameFromTextAndTree) {
  for (const std::string& algorithm : digest_algorithms()) {
    EXPECT_EQ(*digest_of_text(kText, algorithm), *digest(*parse_json(kText), algorithm)) << algorithm;
  }
}

TEST(Digest, TellsAnIntegerFromAFloat) { EXPECT_NE(*digest_of_text("[1]"), *digest_of_text("[1.0]")); }

TEST(Digest, IgnoresSpacesAndTheOrderOfKeys) {
  EXPECT_EQ(*digest_of_text(R"({"x":[1,2],"y":null})"), *digest_of_text("{ \"y\" : null,\n\"x\" : [1, 2] }"));
}

TEST(Digest, AnUnknownAlgorithmIsAnErrorWithTheClosestName) {
  const Result<std::string> hash = digest_of_text("{}", "sha255");
  ASSERT_FALSE(hash);
  EXPECT_EQ(hash.errors().front().hint.text, "did you mean 'sha256'?");
}

TEST(Digest, ATextThatIsNoJsonIsAnError) { EXPECT_FALSE(digest_of_text("{")); }

}  // namespace
}  // namespace nextstat
