// In what two runs differ, as one error.
#include <fmt/format.h>
#include <nextstat/text.h>

#include <set>

#include "toys/run_identity.h"

namespace nextstat {
namespace {

constexpr std::size_t kMostShown = 12;

std::string shown(const Json& flat, const std::string& pointer) {
  const auto found = flat.find(pointer);
  return found == flat.end() ? "missing" : shorten(dump_json(*found), 200);
}

bool is_equal(const Json& left, const Json& right, const std::string& pointer) {
  const auto a = left.find(pointer), b = right.find(pointer);
  return a != left.end() && b != right.end() && *a == *b;
}

// The columns and ensembles of another question need no words of their own.
bool follows_from_kind(const std::string& pointer) {
  return pointer.starts_with("/columns") || pointer.starts_with("/ensembles") || pointer == "/toys_per_block";
}

}  // namespace

Errors identity_differences(const RunIdentity& a, const std::string& here, const RunIdentity& b,
                            const std::string& there, const std::string& hint) {
  if (a.schema != b.schema)
    return {{ErrorCode::BadInput, here,
             fmt::format("is described as {}, the run in {} as {}, by another version of nextstat",
                         to_string(a.schema), there, to_string(b.schema)),
             hint}};
  const Json left = identity_json(without_labels(a)).flatten(),
             right = identity_json(without_labels(b)).flatten();
  std::set<std::string> pointers;
  for (const auto& item : left.items()) pointers.insert(item.key());
  for (const auto& item : right.items()) pointers.insert(item.key());
  std::string fields;
  std::size_t differing = 0;
  for (const std::string& pointer : pointers) {
    if (is_equal(left, right, pointer) || (a.kind != b.kind && follows_from_kind(pointer))) continue;
    if (++differing > kMostShown) continue;
    fields += fmt::format("{}{} is {} here, {} there", fields.empty() ? "" : "; ", shorten(pointer.substr(1)),
                          shown(left, pointer), shown(right, pointer));
  }
  if (differing == 0) return {};
  if (differing > kMostShown) fields += fmt::format("; and {} more", differing - kMostShown);
  return {{ErrorCode::BadInput, here, fmt::format("is not the run in {}: {}", there, fields), hint}};
}

RunIdentity in_earlier_form(const RunIdentity& now, const RunIdentity& earlier) {
  RunIdentity form = now;
  form.schema = earlier.schema;
  form.settings = earlier.settings;
  for (const auto& [name, value] : now.earlier_settings) {
    if (form.settings.contains(name)) form.settings[name] = value;
  }
  const std::string& digest = earlier.labels.at("workspace_digest");
  if (digest.empty() || !form.labels.contains("workspace_digest")) form.labels["workspace_digest"] = digest;
  return form;
}

}  // namespace nextstat
