// Sort, rename, prune and combine on any document: an error, or a document that
// keeps the operation's promises.
#include <nextstat/documents.h>
#include <nextstat/json.h>

#include <cstdint>
#include <string_view>

#include "fuzz/json_mutator.h"
#include "fuzz/require.h"

namespace nextstat {
namespace {

std::string first_name(const Json& items) { return items.at(0).at("name").get<std::string>(); }

void check_rename(const Json& document) {
  const std::string channel = first_name(document.at("channels"));
  const std::string sample = first_name(document.at("channels").at(0).at("samples"));
  const Result<Json> renamed =
      rename(document, {.channels = {{channel, "a new one"}}, .samples = {{sample, "another"}}});
  require(static_cast<bool>(renamed), "what is there can be renamed");
  require(first_name(renamed->at("channels")) == "a new one", "a renamed channel has its new name");
}

void check_combine(const Json& document) {
  for (const Join join : {Join::None, Join::Outer, Join::LeftOuter, Join::RightOuter}) {
    const Result<Json> joined =
        combine(document, document, {.join = join, .merge_channels = join != Join::None});
    if (!joined) require(!joined.errors().front().what.empty(), "faults have words");
    if (join == Join::LeftOuter) require(static_cast<bool>(joined), "one side can always be kept");
  }
}

}  // namespace
}  // namespace nextstat

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nextstat;
  const Result<Json> document = parse_json(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!document) return 0;
  const Result<Json> sorted = sort(*document);
  if (!sorted) {
    require(!sorted.errors().front().hint.empty(), "faults have words");
    return 0;
  }
  require(*sort(*sorted) == *sorted, "sorting twice is sorting once");
  check_rename(*document);
  check_combine(*document);
  const Result<Json> pruned = prune(*document, {.modifier_types = {"normsys"}});
  if (!pruned) require(!pruned.errors().front().hint.empty(), "faults have words");
  return 0;
}
