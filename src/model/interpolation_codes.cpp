// The names of the interpolation codes: one table each, for options, messages and the files of toy runs.
#include <nextstat/model.h>

#include <stdexcept>

namespace nextstat {
namespace {

constexpr NamedCode<NormsysCode> kNormsysCodes[] = {
    {"code1", NormsysCode::Code1},
    {"code4", NormsysCode::Code4},
};

constexpr NamedCode<HistosysCode> kHistosysCodes[] = {
    {"code0", HistosysCode::Code0},
    {"code2", HistosysCode::Code2},
    {"code4p", HistosysCode::Code4p},
};

template <class Code>
const char* name_of(std::span<const NamedCode<Code>> codes, Code code) {
  for (const NamedCode<Code>& known : codes) {
    if (known.code == code) return known.name;
  }
  throw std::logic_error("to_string: an interpolation code without a name");
}

}  // namespace

std::span<const NamedCode<NormsysCode>> normsys_codes() { return kNormsysCodes; }
std::span<const NamedCode<HistosysCode>> histosys_codes() { return kHistosysCodes; }
const char* to_string(NormsysCode code) { return name_of(normsys_codes(), code); }
const char* to_string(HistosysCode code) { return name_of(histosys_codes(), code); }

}  // namespace nextstat
