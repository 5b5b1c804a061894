#include "python_voice.h"

#include <stdexcept>

namespace nextstat::python {
namespace {

struct Argument {
  Field field;
  const char* name;
  const char* form;     // a value to put in its place; "" = the name says enough
  bool quoted = false;  // its value is text
};

constexpr Argument kArguments[] = {
    {Field::Poi, "poi", "\"NAME\"", true},
    {Field::Data, "data", ""},
    {Field::Patch, "patches", ""},
    {Field::NormsysCode, "normsys_code", "\"NAME\"", true},
    {Field::HistosysCode, "histosys_code", "\"NAME\"", true},
    {Field::Init, "init_pars", "{\"NAME\": VALUE}"},
    {Field::Fixed, "fixed", "{\"NAME\": VALUE}"},
    {Field::Bounds, "bounds", "{\"NAME\": (LOW, HIGH)}"},
    {Field::InstructionSet, "instruction_set", "\"NAME\"", true},
    {Field::Threads, "threads", "N"},
    {Field::Device, "device", "\"NAME\"", true},
    {Field::Fallback, "fallback", "True"},
    {Field::DeviceMemory, "device_memory", "BYTES"},
    {Field::Mu, "mu", ""},
    {Field::Statistic, "test_stat", "\"NAME\"", true},
    {Field::Calculator, "calctype", "\"NAME\"", true},
    {Field::ConfidenceLevel, "confidence_level", ""},
    {Field::Rtol, "rtol", ""},
    {Field::Scan, "scan", ""},
    {Field::Parameter, "parameter", "\"NAME\"", true},
    {Field::Parameter2, "parameter2", "\"NAME\"", true},
    {Field::Values, "mu_values", ""},
    {Field::TestedValues, "values", ""},
    {Field::Minos, "minos", "[\"NAME\"]"},
    {Field::LargeMatrices, "large_matrices", "True"},
    {Field::Impact, "impact", "\"NAME\"", true},
    {Field::Groups, "groups", ""},
    {Field::RankedParameters, "parameters", ""},
    {Field::Point, "parameters", ""},
    {Field::Hessian, "hessian", ""},
    {Field::NToys, "n_toys", "N"},
    {Field::MaxToys, "max_toys", "N"},
    {Field::ToyError, "error", ""},
    {Field::FixedAuxiliary, "fixed_aux", "True"},
    {Field::KeptParameters, "keep", "[\"NAME\"]"},
    {Field::Folder, "out", "\"DIR\"", true},
    {Field::Resume, "resume", "True"},
    {Field::Shard, "shard", "(I, N)"},
    {Field::Join, "join", "\"NAME\"", true},
    {Field::MergeChannels, "merge_channels", "True"},
    {Field::Algorithm, "algorithm", "\"NAME\"", true},
};

const Argument& argument_of(Field field) {
  for (const Argument& argument : kArguments)
    if (argument.field == field) return argument;
  throw std::logic_error("python: no argument for a field of the library");
}

std::string field_name(Field field) { return field == Field::None ? "" : argument_of(field).name; }

std::string setting(Field field, const std::string& value) {
  const Argument& argument = argument_of(field);
  if (*argument.form == '\0') return argument.name;
  const bool given = argument.quoted && !value.empty();
  return std::string(argument.name) + "=" + (given ? "\"" + value + "\"" : argument.form);
}

std::string listing(Listing listing) {
  switch (listing) {
    case Listing::None:
      return "";
    case Listing::Parameters:
      return "model.parameter_names lists them";
    case Listing::Channels:
      return "model.channels lists them";
    case Listing::Names:
      return "the document lists them";
    case Listing::Patches:
      return "the patchset lists them";
    case Listing::Limits:
      return "`nextstat validate --limits` lists the limits";
    case Listing::Devices:
      return "nextstat.devices() lists them";
    case Listing::DeviceChecks:
      return "`nextstat doctor` tests the devices";
    case Listing::ToyFolder:
      return "nextstat.toys_status() and nextstat.merge_toys() read it";
  }
  throw std::logic_error("python: not a Listing");
}

}  // namespace

const Voice& voice() {
  static constexpr Voice arguments = {field_name, setting, listing};
  return arguments;
}

}  // namespace nextstat::python
