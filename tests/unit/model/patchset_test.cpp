#include <gtest/gtest.h>
#include <nextstat/documents.h>
#include <nextstat/patchset.h>

#include <set>

namespace nextstat {
namespace {

const Json kBackground = *parse_json(R"({"channels": [{"name": "SR"}], "version": "1.0.0"})");

Json patchset_document() {
  Json document = *parse_json(R"({
    "metadata": {"references": {"hepdata": "ins1234567"}, "description": "two points", "digests": {},
                 "labels": ["m1", "m2"], "analysis": "SUSY"},
    "patches": [
      {"metadata": {"name": "p_300_100", "values": [300, 100], "description": "of the patch"},
       "patch": [{"op": "add", "path": "/channels/0/mass", "value": 300}]},
      {"metadata": {"name": "p_400_100", "values": [400.0, "low"]},
       "patch": [{"op": "add", "path": "/chanels/0/mass", "value": 400}]}],
    "version": "1.0.0"})");
  document["metadata"]["digests"]["md5"] = *digest(kBackground, "md5");
  document["metadata"]["digests"]["sha256"] = *digest(kBackground, "sha256");
  return document;
}

PatchSet patchset() { return *PatchSet::read(patchset_document()); }

TEST(PatchSet, FindsPatchesByNameAndByValues) {
  EXPECT_EQ(*patchset().find("p_400_100"), 1u);
  EXPECT_EQ(*patchset().find_values({300.0, 100}), 0u);
  EXPECT_EQ(*patchset().find_values({400, "low"}), 1u);
  EXPECT_FALSE(patchset().find_values({"300", 100}));
  EXPECT_EQ(patchset().find("p_400_10").errors().front().hint.text, "did you mean 'p_400_100'?");
}

TEST(PatchSet, ExtractsThePatchWithOrWithoutMetadata) {
  EXPECT_EQ(patchset().extract(0), patchset_document()["patches"][0]["patch"]);
  const Json with_metadata = patchset().extract(0, true);
  EXPECT_EQ(with_metadata["metadata"]["name"], "p_300_100");
  EXPECT_EQ(with_metadata["metadata"]["analysis"], "SUSY");
  EXPECT_EQ(with_metadata["metadata"]["description"], "two points");  // the patchset's own entries win
}

TEST(PatchSet, AppliesToTheWorkspaceItWasMadeFor) {
  EXPECT_EQ((*patchset().apply(kBackground, 0))["channels"][0]["mass"], 300);
}

TEST(PatchSet, RefusesAnotherWorkspaceWithEveryDigest) {
  Json other = kBackground;
  other["version"] = "1.0.1";
  const Result<Json> applied = patchset().apply(other, 0);
  ASSERT_FALSE(applied);
  ASSERT_EQ(applied.errors().size(), 2u);
  EXPECT_EQ(applied.errors()[0].where.inside, "/metadata/digests/md5");
}

TEST(PatchSet, AcceptsCapitalsInSha256) {
  Json document = patchset_document();
  std::string hash = document["metadata"]["digests"]["sha256"];
  for (char& c : hash) c = static_cast<char>(std::toupper(c));
  document["metadata"]["digests"]["sha256"] = hash;
  EXPECT_TRUE(PatchSet::read(document)->verify(kBackground));
}

TEST(PatchSet, PointsIntoItsFileWhenAPatchDoesNotFit) {
  const Result<Json> applied = patchset().apply(kBackground, 1);
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.errors().front().where.inside, "/patches/1/patch/0/path");
}

std::set<std::string> places(const Json& document) {
  std::set<std::string> result;
  const Result<PatchSet> read = PatchSet::read(document);
  if (!read) {
    for (const Error& error : read.errors()) result.insert(error.where.inside);
  }
  return result;
}

TEST(PatchSet, ListsEveryFaultWithItsPointer) {
  const Json document = *parse_json(R"({
    "metadata": {"references": {"hepdata": "inspire", "arxiv": "x"}, "digests": {"md5": "abc", "sha1": "x"},
                 "labels": ["a b", 3]},
    "patches": [{"metadata": {"name": "a-b", "values": [null]}, "patch": [{"op": "add", "path": 3}], "more": 1}, 7],
    "version": "2.0.0", "extra": 1})");
  const std::set<std::string> expected = {"/metadata",
                                          "/metadata/references/arxiv",
                                          "/metadata/references/hepdata",
                                          "/metadata/digests/md5",
                                          "/metadata/digests/sha1",
                                          "/metadata/labels/0",
                                          "/metadata/labels/1",
                                          "/patches/0/metadata/name",
                                          "/patches/0/metadata/values/0",
                                          "/patches/0/more",
                                          "/patches/0/patch/0",
                                          "/patches/0/patch/0/path",
                                          "/patches/1",
                                          "/version",
                                          "/extra"};
  EXPECT_EQ(places(document), expected);
}

TEST(PatchSet, NamesAndValuesMustBeUniqueAndMatchTheLabels) {
  Json document = patchset_document();
  document["patches"][1]["metadata"] = {{"name", "p_300_100"}, {"values", {300.0, 100.0}}};
  EXPECT_EQ(places(document),
            (std::set<std::string>{"/patches/1/metadata/name", "/patches/1/metadata/values"}));
  document = patchset_document();
  document["patches"][1]["metadata"]["values"] = {1};
  EXPECT_EQ(places(document), std::set<std::string>{"/patches/1/metadata/values"});
}

TEST(PatchSet, AnswersADocumentOfAnyShapeWithErrors) {
  for (const char* text : {"[]", "null", "3", "{}", R"({"patches": 1, "metadata": [], "version": {}})",
                           R"({"patches": [], "metadata": {}, "version": "1.0.0"})"}) {
    EXPECT_FALSE(PatchSet::read(*parse_json(text))) << text;
  }
}

}  // namespace
}  // namespace nextstat
