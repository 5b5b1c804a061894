#include "conformance/cases.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "test_models.h"

namespace nextstat::conformance {
namespace {

using nlohmann::json;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The workspaces of one folder; `prefix` is its path in the data folder.
void add_folder(const std::string& prefix, std::vector<CaseName>& cases) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(*reference::data_folder() / prefix)) {
    const std::string file = entry.path().filename().string();
    const bool patch = ends_with(file, ".patch.json") || ends_with(file, ".patchset.json");
    if (ends_with(file, ".json") && !patch && file != "references.json") files.push_back(prefix + file);
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) cases.push_back({file});
}

json patch_of(const CaseName& name) {
  json document = reference::read_data(name.patch_file);
  if (document.is_array()) return document;
  return document.at("patches").at(name.patch_in_set).at("patch");
}

Model build(const json& workspace, const CaseName& name, const Codes& codes) {
  return test::model_of(workspace, {.measurement_index = name.measurement,
                                    .normsys_code = codes.normsys,
                                    .histosys_code = codes.histosys});
}

}  // namespace

std::string to_string(const CaseName& name) {
  std::string text = name.file.empty() ? "small_model" : name.file.substr(0, name.file.size() - 5);
  if (name.measurement > 0) text += "_measurement_" + std::to_string(name.measurement);
  if (ends_with(name.patch_file, ".patchset.json")) {
    text += "_patch_" + std::to_string(name.patch_in_set);
  } else if (!name.patch_file.empty()) {
    text.append("_").append(name.patch_file, 0, name.patch_file.find(".patch"));
  }
  for (char& letter : text) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return text;
}

void PrintTo(const CaseName& name, std::ostream* out) { *out << to_string(name); }

std::vector<CaseName> small_cases() {
  return {{.file = ""}, {.file = "", .patch_file = "", .patch_in_set = 0, .measurement = 1}};
}

std::vector<CaseName> small_cases_and(std::initializer_list<const char*> files) {
  std::vector<CaseName> cases = small_cases();
  if (!reference::data_folder()) return cases;
  for (const char* file : files) cases.push_back({file});
  return cases;
}

std::vector<CaseName> some_cases() {
  return small_cases_and({"thu.json", "tttt.json", "stanhf-allmods.json", "negbins-dummy.json"});
}

std::vector<CaseName> real_cases() {
  std::vector<CaseName> cases;
  if (!reference::data_folder()) return cases;
  add_folder("", cases);
  add_folder("validation/", cases);
  const std::size_t points = std::getenv("NEXTSTAT_LONG") ? 8 : 2;  // they have the same structure
  for (std::size_t i = 0; i < points; ++i) cases.push_back({"1lbb.bkg.json", "1lbb.patchset.json", i});
  for (const char* point : {"1300_205_60", "1400_950_60"}) {
    cases.push_back({"sbottom-A.bkg.json", "sbottom-A-" + std::string(point) + ".patch.json"});
  }
  return cases;
}

std::vector<CaseName> all_cases() {
  std::vector<CaseName> cases = small_cases();
  for (CaseName& name : real_cases()) cases.push_back(std::move(name));
  return cases;
}

json document(const CaseName& name) {
  if (name.file.empty()) return json::parse(reference::kAllModifiers);
  const json workspace = reference::read_data(name.file);
  return name.patch_file.empty() ? workspace : workspace.patch(patch_of(name));
}

Case load(const CaseName& name, const Codes& codes) {
  const json workspace = document(name);
  const reference::Options options{.measurement = name.measurement,
                                   .poi = std::nullopt,
                                   .normsys_code = codes.reference_normsys,
                                   .histosys_code = codes.reference_histosys};
  return {build(workspace, name, codes), reference::ReferenceModel::from_workspace(workspace, options)};
}

Model load_model(const CaseName& name, const Codes& codes) { return build(document(name), name, codes); }

}  // namespace nextstat::conformance
