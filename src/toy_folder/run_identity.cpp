#include "toy_folder/run_identity.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include <set>

#include "base/try.h"

namespace nextstat {
namespace {

constexpr const char* kDigest = "workspace_digest";

// Reads members of one object and remembers the first fault.
class Reader {
 public:
  Reader(const Json& object, std::string pointer) : object_(object), pointer_(std::move(pointer)) {
    if (!object_.is_object()) fault(pointer_, "is not an object");
  }

  void text(const char* key, std::string& value) {
    if (const Json* found = member(key, &Json::is_string, "a string")) value = found->get<std::string>();
  }
  void count(const char* key, std::uint64_t& value) {
    const Json* const found = member(key, &Json::is_number_integer, "a whole number");
    if (found == nullptr) return;
    if (!found->is_number_unsigned() && found->get<std::int64_t>() < 0) return fault_of(key, "is negative");
    value = found->get<std::uint64_t>();
  }
  const Json* list(const char* key) { return member(key, &Json::is_array, "a list"); }
  const Json* object(const char* key) { return member(key, &Json::is_object, "an object"); }

  // Call last: everything that was not asked for is unknown.
  void finish() {
    if (!object_.is_object()) return;
    for (const auto& item : object_.items()) {
      if (!seen_.contains(item.key())) fault(pointer_append(pointer_, item.key()), "is not a known key");
    }
  }

  void fault(const std::string& where, const std::string& what) {
    errors_.push_back(
        {ErrorCode::BadInput, where, what,
         "the file was changed after it was written: restore it, or see 'repair' in docs/toys.md"});
  }
  void fault_of(const char* key, const std::string& what) { fault(pointer_append(pointer_, key), what); }
  void take(const Errors& errors) { errors_.insert(errors_.end(), errors.begin(), errors.end()); }
  const Errors& errors() const { return errors_; }

 private:
  const Json* member(const char* key, bool (Json::*is)() const noexcept, const char* kind) {
    seen_.insert(key);
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end() && ((*found).*is)()) return &*found;
    fault_of(key, found == object_.end() ? "is missing" : std::string("is not ") + kind);
    return nullptr;
  }

  const Json& object_;
  std::string pointer_;
  std::set<std::string> seen_;
  Errors errors_;
};

void read_ensembles(Reader& reader, std::vector<Ensemble>& ensembles) {
  const Json* const list = reader.list("ensembles");
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size(); ++i) {
    Reader entry((*list)[i], pointer_append("/ensembles", i));
    Ensemble ensemble;
    entry.count("hypothesis", ensemble.hypothesis);
    entry.text("name", ensemble.name);
    entry.count("n_toys", ensemble.n_toys);
    entry.finish();
    reader.take(entry.errors());
    ensembles.push_back(std::move(ensemble));
  }
}

void read_columns(Reader& reader, std::vector<std::string>& columns) {
  const Json* const list = reader.list("columns");
  if (list == nullptr) return;
  for (const Json& column : *list) {
    if (!column.is_string()) return reader.fault_of("columns", "is not a list of names");
    columns.push_back(column.get<std::string>());
  }
}

void read_texts(Reader& reader, const char* key, const Json& object,
                std::map<std::string, std::string>& texts) {
  for (const auto& item : object.items()) {
    if (!item.value().is_string()) return reader.fault_of(key, "has values that are not strings");
    texts[item.key()] = item.value().get<std::string>();
  }
}

void read_settings(Reader& reader, RunIdentity& identity) {
  const Json* const object = reader.object("settings");
  if (object == nullptr) return;
  std::map<std::string, std::string> texts;
  if (identity.schema == RunSchema::One) read_texts(reader, "settings", *object, texts);
  identity.settings = *object;
}

void read_labels(Reader& reader, RunIdentity& identity) {
  if (identity.schema == RunSchema::One) {
    reader.text(kDigest, identity.labels[kDigest]);
  } else if (const Json* const object = reader.object("labels")) {
    read_texts(reader, "labels", *object, identity.labels);
  }
}

void read_schema(Reader& reader, RunSchema& schema) {
  std::string text;
  reader.text("schema", text);
  for (const RunSchema known : {RunSchema::One, RunSchema::Two}) {
    if (text == to_string(known)) {
      schema = known;
      return;
    }
  }
  if (!text.empty())
    reader.fault_of("schema",
                    "is '" + shorten(text) + "', this version reads up to " + to_string(RunSchema::Two));
}

}  // namespace

const char* to_string(RunSchema schema) {
  return schema == RunSchema::One ? "nextstat/toy-run/1" : "nextstat/toy-run/2";
}

Json identity_json(const RunIdentity& identity) {
  Json ensembles = Json::array();
  for (const Ensemble& ensemble : identity.ensembles) {
    ensembles.push_back(
        {{"hypothesis", ensemble.hypothesis}, {"name", ensemble.name}, {"n_toys", ensemble.n_toys}});
  }
  Json json = {{"schema", to_string(identity.schema)},
               {"kind", identity.kind},
               {"nextstat_version", identity.nextstat_version},
               {"settings", identity.settings},
               {"seed", identity.seed},
               {"columns", identity.columns},
               {"ensembles", ensembles},
               {"toys_per_block", identity.toys_per_block}};
  if (identity.schema == RunSchema::One) {
    json[kDigest] = workspace_digest(identity);
  } else {
    json["labels"] = Json(identity.labels);
  }
  return json;
}

std::string workspace_digest(const RunIdentity& identity) {
  const auto digest = identity.labels.find(kDigest);
  return digest == identity.labels.end() ? "" : digest->second;
}

RunIdentity without_labels(RunIdentity identity) {
  if (identity.schema != RunSchema::One) identity.labels.clear();
  return identity;
}

std::string identity_text(const RunIdentity& identity) {
  return dump_json(identity_json(identity), 4) + "\n";
}

Result<RunIdentity> read_identity(std::string_view text) {
  TRY(const Json document, parse_json(text));
  Reader reader(document, "");
  RunIdentity identity;
  read_schema(reader, identity.schema);
  reader.text("kind", identity.kind);
  reader.text("nextstat_version", identity.nextstat_version);
  read_labels(reader, identity);
  read_settings(reader, identity);
  reader.count("seed", identity.seed);
  read_columns(reader, identity.columns);
  read_ensembles(reader, identity.ensembles);
  reader.count("toys_per_block", identity.toys_per_block);
  reader.finish();
  if (!reader.errors().empty()) return reader.errors();
  if (identity_text(identity) != text) {
    reader.fault("", "is not exactly the text that was written");
    return reader.errors();
  }
  return identity;
}

// In what two runs differ, as one error.

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
