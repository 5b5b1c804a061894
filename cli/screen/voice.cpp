#include "screen/voice.h"

#include <stdexcept>

namespace nextstat::cli {
namespace {

struct Flag {
  Field field;
  const char* name;
  const char* form;  // what follows it; "" = nothing does
};

constexpr Flag kFlags[] = {
    {Field::Poi, "--poi", "NAME"},
    {Field::Data, "--data", "FILE"},
    {Field::Patch, "--patch", "FILE"},
    {Field::NormsysCode, "--normsys-code", "CODE"},
    {Field::HistosysCode, "--histosys-code", "CODE"},
    {Field::Init, "--init", "NAME=VALUE"},
    {Field::Fixed, "--fixed", "NAME=VALUE"},
    {Field::Bounds, "--bounds", "NAME=LOW:HIGH"},
    {Field::InstructionSet, "--instruction-set", "NAME"},
    {Field::Threads, "--threads", "N"},
    {Field::Device, "--device", "NAME"},
    {Field::Fallback, "--fallback", ""},
    {Field::DeviceMemory, "--device-memory", "SIZE"},
    {Field::Mu, "--mu", "VALUE"},
    {Field::Statistic, "--test-stat", "NAME"},
    {Field::Calculator, "--calctype", "NAME"},
    {Field::ConfidenceLevel, "--cl", "CL"},
    {Field::Rtol, "--rtol", "VALUE"},
    {Field::Scan, "--scan-start", "VALUE"},
    {Field::Parameter, "--parameter", "NAME"},
    {Field::Parameter2, "--parameter2", "NAME"},
    {Field::Values, "--start", "VALUE"},
    {Field::TestedValues, "--start", "VALUE"},
    {Field::Minos, "--minos", "NAME"},
    {Field::LargeMatrices, "--covariance", ""},
    {Field::Impact, "--impact", "NAME"},
    {Field::Groups, "--groups", "FILE"},
    {Field::RankedParameters, "--parameters", "NAMES"},
    {Field::Point, "--parameters", "VALUES"},
    {Field::Hessian, "--hessian", ""},
    {Field::NToys, "--n-toys", "N"},
    {Field::MaxToys, "--max-toys", "N"},
    {Field::ToyError, "--toy-error", "VALUE"},
    {Field::FixedAuxiliary, "--fixed-aux", ""},
    {Field::KeptParameters, "--keep", "NAME"},
    {Field::Folder, "--out", "DIR"},
    {Field::Resume, "--resume", "DIR"},
    {Field::Shard, "--shard", "I/N"},
    {Field::Join, "--join", "NAME"},
    {Field::MergeChannels, "--merge-channels", ""},
    {Field::Algorithm, "--algorithm", "NAME"},
};

const Flag& flag_of(Field field) {
  for (const Flag& flag : kFlags)
    if (flag.field == field) return flag;
  throw std::logic_error("cli: no flag for a field of the library");
}

std::string field_name(Field field) { return field == Field::None ? "" : flag_of(field).name; }

// As a shell takes it.
std::string quoted(const std::string& value) {
  return value.find_first_of(" \t[]*?$&;|<>()'\"\\`!") == value.npos ? value : "'" + value + "'";
}

std::string setting(Field field, const std::string& value) {
  const Flag& flag = flag_of(field);
  if (*flag.form == '\0') return flag.name;
  return std::string(flag.name) + " " + (value.empty() ? flag.form : quoted(value));
}

std::string listing(Listing listing) {
  switch (listing) {
    case Listing::None:
      return "";
    case Listing::Parameters:
      return "`nextstat inspect` lists the parameters";
    case Listing::Channels:
      return "`nextstat inspect` lists the channels";
    case Listing::Names:
      return "`nextstat inspect` lists the names";
    case Listing::Patches:
      return "`nextstat patchset inspect` lists the patches";
    case Listing::Limits:
      return "`nextstat validate --limits` lists the limits";
    case Listing::Devices:
      return "`nextstat devices` lists the devices";
    case Listing::DeviceChecks:
      return "`nextstat doctor` tests the devices";
    case Listing::ToyFolder:
      return "`nextstat toys status` and `nextstat toys merge` read it";
  }
  throw std::logic_error("cli: not a Listing");
}

}  // namespace

const Voice& voice() {
  static constexpr Voice flags = {field_name, setting, listing};
  return flags;
}

}  // namespace nextstat::cli
