// The names of the interpolation codes: one table each, for options, messages and the files of toy runs.
#include <nextstat/model.h>

namespace nextstat {
namespace {

constexpr Named<NormsysCode> kNormsysCodes[] = {
    {"code1", NormsysCode::Code1},
    {"code4", NormsysCode::Code4},
};

constexpr Named<HistosysCode> kHistosysCodes[] = {
    {"code0", HistosysCode::Code0},
    {"code2", HistosysCode::Code2},
    {"code4p", HistosysCode::Code4p},
};

}  // namespace

NameTable<NormsysCode> normsys_codes() { return kNormsysCodes; }
NameTable<HistosysCode> histosys_codes() { return kHistosysCodes; }
const char* to_string(NormsysCode code) { return name_in(normsys_codes(), code); }
const char* to_string(HistosysCode code) { return name_in(histosys_codes(), code); }

Result<NormsysCode> parse_normsys_code(std::string_view name) {
  return value_named(name, normsys_codes(), "an interpolation code of normsys", Field::NormsysCode);
}

Result<HistosysCode> parse_histosys_code(std::string_view name) {
  return value_named(name, histosys_codes(), "an interpolation code of histosys", Field::HistosysCode);
}

}  // namespace nextstat
