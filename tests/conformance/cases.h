// The workspaces of the conformance suite: the project's own small model and every real one of NEXTSTAT_DATA.
//
//   for (const CaseName& name : all_cases()) { const Case subject = load(name, kCodes[0]); ... }
#pragma once

#include <nextstat/model.h>

#include <array>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

#include "reference/reference_model.h"
#include "reference/test_workspaces.h"

namespace nextstat::conformance {

// What to load: a file of the data folder with, at most, one patch. file = "" is the small model.
struct CaseName {
  std::string file;
  std::string patch_file = "";   // a JSON patch, or a patchset
  std::size_t patch_in_set = 0;  // which patch of a patchset
  std::size_t measurement = 0;
};
std::string to_string(const CaseName& name);  // letters, digits and underscores

void PrintTo(const CaseName& name, std::ostream* out);

// The interpolation codes that are compared; normsys first.
struct Codes {
  const char* name;
  NormsysCode normsys;
  HistosysCode histosys;
  reference::NormsysCode reference_normsys;
  reference::HistosysCode reference_histosys;
};
inline constexpr std::array<Codes, 3> kCodes = {{
    {"4, 4p", NormsysCode::Code4, HistosysCode::Code4p, reference::NormsysCode::kCode4,
     reference::HistosysCode::kCode4p},
    {"1, 0", NormsysCode::Code1, HistosysCode::Code0, reference::NormsysCode::kCode1,
     reference::HistosysCode::kCode0},
    {"4, 2", NormsysCode::Code4, HistosysCode::Code2, reference::NormsysCode::kCode4,
     reference::HistosysCode::kCode2},
}};

// One workspace as the engine and as the reference evaluator see it.
struct Case {
  Model model;
  reference::ReferenceModel reference;
};

// The small model in both its measurements.
std::vector<CaseName> small_cases();

// Those, then these files of NEXTSTAT_DATA where it is set.
std::vector<CaseName> small_cases_and(std::initializer_list<const char*> files);
std::vector<CaseName> some_cases();  // with four of them

// Every workspace of NEXTSTAT_DATA and its folder validation, then those that patches make: 2 points of 1lbb, 8 where
// NEXTSTAT_LONG is set, and 2 of sbottom-A. Empty where NEXTSTAT_DATA is not set.
std::vector<CaseName> real_cases();

std::vector<CaseName> all_cases();  // both

nlohmann::json document(const CaseName& name);
Case load(const CaseName& name, const Codes& codes);
Model load_model(const CaseName& name, const Codes& codes = kCodes[0]);

}  // namespace nextstat::conformance
