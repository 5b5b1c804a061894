#include <nextstat/documents.h>
#include <nextstat/text.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/json/json_values.h"
#include "model/workspace/document_shape.h"

namespace nextstat {
namespace {

constexpr Named<Join> kJoins[] = {
    {"none", Join::None},
    {"outer", Join::Outer},
    {"left outer", Join::LeftOuter},
    {"right outer", Join::RightOuter},
};

std::string quoted_list(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostShown); ++i)
    text += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > kMostShown) text += " and " + std::to_string(names.size() - kMostShown) + " more";
  return text;
}

// First position of every name.
std::unordered_map<std::string, std::size_t> positions(const Json& items) {
  std::unordered_map<std::string, std::size_t> result;
  for (std::size_t i = 0; i < items.size(); ++i) result.try_emplace(name_of(items[i]), i);
  return result;
}

bool has_equal(const Json& items, const Json& wanted) {
  return std::any_of(items.begin(), items.end(), [&](const Json& item) {
    return name_of(item) == name_of(wanted) && equal_values(item, wanted);
  });
}

// Items of the primary side, then those of the other side that the join takes over. With a merge key, items
// of the same name are united: the list under that key gets what the primary side does not have by name.
Json join_items(Join join, const Json& left, const Json& right, const char* merge_key = nullptr) {
  const Json& primary = join == Join::RightOuter ? right : left;
  const Json& secondary = join == Join::RightOuter ? left : right;
  const auto known = positions(primary);
  Json joined = primary;
  for (const Json& item : secondary) {
    const auto same_name = known.find(name_of(item));
    const bool in_common = same_name != known.end();
    if (in_common && merge_key != nullptr) {
      Json& inner = joined[same_name->second][merge_key];
      inner = join_items(Join::LeftOuter, inner, item.at(merge_key));
      continue;
    }
    const bool taken = join == Join::None || (join == Join::Outer ? !has_equal(primary, item) : !in_common);
    if (taken) joined.push_back(item);
  }
  return joined;
}

std::vector<std::string> common_names(const Json& left, const Json& right) {
  std::set<std::string> in_left, common;
  for (const Json& item : left) in_left.insert(name_of(item));
  for (const Json& item : right) {
    if (in_left.contains(name_of(item))) common.insert(name_of(item));
  }
  return {common.begin(), common.end()};
}

std::vector<std::string> repeated_names(const Json& items) {
  std::map<std::string, int> counts;
  for (const Json& item : items) ++counts[name_of(item)];
  std::vector<std::string> repeated;
  for (const auto& [name, count] : counts) {
    if (count > 1) repeated.push_back(name);
  }
  return repeated;
}

// Joins two workspaces part by part and collects what does not fit together.
Hint keep_one_side(std::string words) {
  return {std::move(words) + "keep one side",
          {{Field::Join, to_string(Join::LeftOuter)}, {Field::Join, to_string(Join::RightOuter)}}};
}

class Combination {
 public:
  Combination(const Json& left, const Json& right, const CombineOptions& options)
      : left_(left), right_(right), options_(options) {}

  Result<Json> run() {
    Json joined;
    joined["version"] = version();
    joined["channels"] = named_items("channels", options_.merge_channels ? "samples" : nullptr);
    joined["observations"] = named_items("observations", nullptr);
    joined["measurements"] = measurements();
    if (!errors_.empty()) return errors_;
    return joined;
  }

 private:
  void conflict(std::string where, std::string what, Hint hint) {
    errors_.push_back({ErrorCode::BadInput, std::move(where), std::move(what), std::move(hint)});
  }

  Json version() {
    const Json& left = left_.at("version");
    const Json& right = right_.at("version");
    if (left != right) {
      conflict("/version", "the versions differ: " + dump_json(left) + " and " + dump_json(right),
               "bring both workspaces to the same version");
    }
    return left;
  }

  bool nothing_in_common(const std::string& part) {
    const std::vector<std::string> common = common_names(left_.at(part), right_.at(part));
    if (common.empty()) return true;
    conflict("/" + part, "both workspaces have the " + part + " " + quoted_list(common),
             {"rename or prune them in one workspace, or join the two",
              {{Field::Join, to_string(Join::Outer)},
               {Field::Join, to_string(Join::LeftOuter)},
               {Field::Join, to_string(Join::RightOuter)}}});
    return false;
  }

  Json named_items(const std::string& part, const char* merge_key) {
    Json joined = join_items(options_.join, left_.at(part), right_.at(part), merge_key);
    if (options_.join == Join::None) {
      nothing_in_common(part);
    } else if (options_.join == Join::Outer) {
      const std::vector<std::string> repeated = repeated_names(joined);
      if (!repeated.empty()) {
        conflict("/" + part,
                 "the " + part + " " + quoted_list(repeated) + " are in both workspaces and differ",
                 part == "channels" ? Hint{"merge their samples, or keep one side",
                                           {Field::MergeChannels,
                                            {Field::Join, to_string(Join::LeftOuter)},
                                            {Field::Join, to_string(Join::RightOuter)}}}
                                    : keep_one_side(""));
      }
    }
    return joined;
  }

  Json measurements() {
    Json joined = join_items(options_.join, left_.at("measurements"), right_.at("measurements"));
    if (options_.join == Join::None) nothing_in_common("measurements");
    if (options_.join != Join::Outer) return joined;
    Json united = Json::array();
    std::map<std::string, std::vector<const Json*>> same_name;
    std::vector<std::string> order;
    for (const Json& measurement : joined) {
      std::vector<const Json*>& group = same_name[name_of(measurement)];
      if (group.empty()) order.push_back(name_of(measurement));
      group.push_back(&measurement);
    }
    for (const std::string& name : order) united.push_back(unite(name, same_name[name]));
    return united;
  }

  // One measurement from all of that name.
  // They must agree on the parameter of interest and on common settings.
  Json unite(const std::string& name, const std::vector<const Json*>& group) {
    Json united = *group.front();
    for (std::size_t i = 1; i < group.size(); ++i) {
      const Json& config = group[i]->at("config");
      if (config.at("poi") != united["config"]["poi"]) {
        conflict("/measurements",
                 "the measurement '" + name + "' has different parameters of interest: " +
                     dump_json(united["config"]["poi"]) + " and " + dump_json(config.at("poi")),
                 keep_one_side("rename the measurement or the parameter in one workspace, or "));
      }
      Json& parameters = united["config"]["parameters"];
      parameters = join_items(Join::Outer, parameters, config.at("parameters"));
    }
    const std::vector<std::string> repeated = repeated_names(united["config"]["parameters"]);
    if (group.size() > 1 && !repeated.empty()) {
      conflict(
          "/measurements",
          "the measurement '" + name + "' has different settings of the parameters " + quoted_list(repeated),
          keep_one_side("make the settings equal, or "));
    }
    return united;
  }

  const Json& left_;
  const Json& right_;
  CombineOptions options_;
  Errors errors_;
};

void add_shape_errors(Errors& errors, const Json& workspace, const std::string& side) {
  for (Error& error : workspace_shape_errors(workspace)) {
    error.where.file = side;
    errors.push_back(std::move(error));
  }
}

}  // namespace

NameTable<Join> joins() { return kJoins; }
const char* to_string(Join join) { return name_in(joins(), join); }
Result<Join> parse_join(std::string_view name) { return value_named(name, joins(), "a join", Field::Join); }

Result<Json> combine(const Json& left, const Json& right, const CombineOptions& options) {
  if (options.merge_channels && options.join == Join::None) {
    return Error{ErrorCode::BadUsage,
                 Field::MergeChannels,
                 "channels cannot be merged with the join 'none'",
                 {"choose another",
                  {{Field::Join, to_string(Join::Outer)},
                   {Field::Join, to_string(Join::LeftOuter)},
                   {Field::Join, to_string(Join::RightOuter)}}}};
  }
  Errors errors;
  add_shape_errors(errors, left, "left");
  add_shape_errors(errors, right, "right");
  if (!errors.empty()) return errors;
  return Combination(left, right, options).run();
}

}  // namespace nextstat
