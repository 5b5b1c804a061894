#include <gtest/gtest.h>
#include <nextstat/documents.h>

#include "model/workspace/document_shape.h"

namespace nextstat {
namespace {

std::string patched(const char* document, const char* patch) {
  const Result<Json> result = apply_patch(*parse_json(document), *parse_json(patch));
  return result ? dump_json(*result) : "error at " + result.errors().front().where.inside;
}

Error fault(const char* document, const char* patch) {
  const Result<Json> result = apply_patch(*parse_json(document), *parse_json(patch));
  EXPECT_FALSE(result) << patch;
  return result ? Error{} : result.errors().front();
}

TEST(Patch, AddsToObjectsAndArrays) {
  EXPECT_EQ(patched(R"({"a": 1})", R"([{"op": "add", "path": "/b", "value": [2]}])"),
            R"({"a": 1, "b": [2]})");
  EXPECT_EQ(patched(R"({"a": 1})", R"([{"op": "add", "path": "/a", "value": 2}])"), R"({"a": 2})");
  EXPECT_EQ(patched("[1, 3]", R"([{"op": "add", "path": "/1", "value": 2}])"), "[1, 2, 3]");
  EXPECT_EQ(patched("[1, 3]", R"([{"op": "add", "path": "/2", "value": 2}])"), "[1, 3, 2]");
  EXPECT_EQ(patched("[1, 3]", R"([{"op": "add", "path": "/-", "value": 2}])"), "[1, 3, 2]");
  EXPECT_EQ(patched("[1, 3]", R"([{"op": "add", "path": "", "value": {}}])"), "{}");
}

TEST(Patch, RemovesAndReplaces) {
  EXPECT_EQ(patched(R"({"a": [1, 2]})", R"([{"op": "remove", "path": "/a/0"}])"), R"({"a": [2]})");
  EXPECT_EQ(patched(R"({"a": [1, 2]})", R"([{"op": "remove", "path": "/a"}])"), "{}");
  EXPECT_EQ(patched(R"({"a": [1, 2]})", R"([{"op": "replace", "path": "/a/1", "value": 2.0}])"),
            R"({"a": [1, 2.0]})");
}

TEST(Patch, MovesAndCopies) {
  EXPECT_EQ(patched("[1, 2, 3]", R"([{"op": "move", "from": "/2", "path": "/0"}])"), "[3, 1, 2]");
  EXPECT_EQ(patched("[1, 2]", R"([{"op": "move", "from": "/1", "path": "/1"}])"), "[1, 2]");
  EXPECT_EQ(patched(R"({"a": [1]})", R"([{"op": "copy", "from": "/a", "path": "/b"}])"),
            R"({"a": [1], "b": [1]})");
  EXPECT_EQ(patched(R"({"a": 1})", R"([{"op": "copy", "from": "", "path": "/b"}])"),
            R"({"a": 1, "b": {"a": 1}})");
}

TEST(Patch, TestComparesNumbersByValue) {
  EXPECT_EQ(patched("[1]", R"([{"op": "test", "path": "/0", "value": 1.0}])"), "[1]");
  EXPECT_EQ(patched("[1]", R"([{"op": "test", "path": "/0", "value": 2}])"), "error at /0/path");
}

TEST(Patch, UnderstandsEscapedPointers) {
  EXPECT_EQ(patched(R"({"a/b": {"m~n": 1}})", R"([{"op": "remove", "path": "/a~1b/m~0n"}])"),
            R"({"a/b": {}})");
  EXPECT_EQ(patched(R"({"": 1})", R"([{"op": "remove", "path": "/"}])"), "{}");
}

TEST(Patch, PointsToTheOperationAndSaysWhatIsMissing) {
  const Error error = fault(R"({"channels": [1]})", R"([{"op": "test", "path": "/channels/0", "value": 1},
                                                       {"op": "remove", "path": "/chanels/0"}])");
  EXPECT_EQ(error.where.inside, "/1/path");
  EXPECT_EQ(error.what, "/chanels/0: the document has no key 'chanels'");
  EXPECT_EQ(error.hint.text, "did you mean 'channels'?");
}

TEST(Patch, RefusesIndicesOutsideTheArray) {
  for (const char* index : {"/3", "/01", "/-1", "/x", "/", "/99999999999999999999"}) {
    const Json patch = {{{"op", "add"}, {"path", index}, {"value", 0}}};
    EXPECT_FALSE(apply_patch(Json{1, 2}, patch)) << index;
  }
  EXPECT_EQ(fault("[1, 2]", R"([{"op": "remove", "path": "/-"}])").where.inside, "/0/path");
}

TEST(Patch, RefusesPartsOfSimpleValues) {
  EXPECT_EQ(patched(R"({"a": null})", R"([{"op": "add", "path": "/a/b", "value": 1}])"), "error at /0/path");
  EXPECT_EQ(patched(R"({"a": "x"})", R"([{"op": "remove", "path": "/a/0"}])"), "error at /0/path");
  EXPECT_EQ(patched("1", R"([{"op": "remove", "path": ""}])"), "error at /0/path");
}

TEST(Patch, RefusesToMoveAValueIntoItself) {
  EXPECT_EQ(patched(R"({"a": {}})", R"([{"op": "move", "from": "/a", "path": "/a/b"}])"), "error at /0/from");
}

TEST(Patch, ListsEveryFaultOfItsShape) {
  const Json patch =
      *parse_json(R"([{"op": "ad", "path": ""}, {"op": "add", "path": "x"}, {"op": "copy", "path": ""},
                                     {"path": "/~2", "op": 3}, 7])");
  std::string places;
  for (const Error& error : patch_shape_errors(patch, "/patches/2/patch"))
    places += error.where.inside.substr(16) + " ";
  EXPECT_EQ(places, "/0/op /1/path /1 /2 /3/path /3/op /4 ");
  EXPECT_FALSE(apply_patch(Json::object(), Json::object()));
}

TEST(Patch, RefusesToGrowWithoutBound) {
  Json doubling = Json::array();
  for (int i = 0; i < 60; ++i)
    doubling.push_back({{"op", "copy"}, {"from", ""}, {"path", "/k" + std::to_string(i)}});
  EXPECT_FALSE(apply_patch(*parse_json(R"({"a": [1, 2, 3, 4, 5, 6, 7, 8]})"), doubling));
  Json deeper = Json::array();
  std::string path;
  for (int i = 0; i < 600; ++i) {
    path += "/0";
    deeper.push_back({{"op", "add"}, {"path", path}, {"value", Json::array()}});
  }
  EXPECT_FALSE(apply_patch(Json::array(), deeper));
}

}  // namespace
}  // namespace nextstat
