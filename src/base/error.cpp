#include <nextstat/error.h>

#include <array>
#include <stdexcept>

namespace nextstat {
namespace {

struct FieldName {
  Field field;
  const char* name;
};

// In the order of the enumeration; where a field is of another name than its value, its struct tells them apart.
constexpr std::array kFields = {
    FieldName{Field::Poi, "poi"},
    FieldName{Field::Data, "data"},
    FieldName{Field::Patch, "patch"},
    FieldName{Field::NormsysCode, "normsys_code"},
    FieldName{Field::HistosysCode, "histosys_code"},
    FieldName{Field::Init, "init"},
    FieldName{Field::Fixed, "fixed"},
    FieldName{Field::Bounds, "bounds"},
    FieldName{Field::InstructionSet, "instruction_set"},
    FieldName{Field::Threads, "threads"},
    FieldName{Field::Device, "device"},
    FieldName{Field::Fallback, "fallback"},
    FieldName{Field::DeviceMemory, "device_memory"},
    FieldName{Field::Mu, "mu"},
    FieldName{Field::Statistic, "statistic"},
    FieldName{Field::Calculator, "calculator"},
    FieldName{Field::ConfidenceLevel, "confidence_level"},
    FieldName{Field::Rtol, "rtol"},
    FieldName{Field::Scan, "scan"},
    FieldName{Field::Parameter, "parameter"},
    FieldName{Field::Parameter2, "parameter2"},
    FieldName{Field::Values, "values"},
    FieldName{Field::TestedValues, "values"},
    FieldName{Field::Minos, "minos"},
    FieldName{Field::LargeMatrices, "large_matrices"},
    FieldName{Field::Impact, "impact"},
    FieldName{Field::Groups, "groups"},
    FieldName{Field::RankedParameters, "RankingOptions::parameters"},
    FieldName{Field::Point, "parameters"},
    FieldName{Field::Hessian, "hessian"},
    FieldName{Field::NToys, "n_toys"},
    FieldName{Field::MaxToys, "max_toys"},
    FieldName{Field::ToyError, "error"},
    FieldName{Field::FixedAuxiliary, "fixed_auxiliary"},
    FieldName{Field::KeptParameters, "ToysOptions::parameters"},
    FieldName{Field::Folder, "folder"},
    FieldName{Field::Resume, "resume"},
    FieldName{Field::Shard, "shard"},
    FieldName{Field::Join, "join"},
    FieldName{Field::MergeChannels, "merge_channels"},
    FieldName{Field::Algorithm, "algorithm"},
};

template <std::size_t... I>
constexpr auto fields_of(std::index_sequence<I...>) {
  return std::array{kFields[I].field...};
}
constexpr auto kAllFields = fields_of(std::make_index_sequence<kFields.size()>());

constexpr std::array kAllListings = {Listing::Parameters,   Listing::Channels, Listing::Names,
                                     Listing::Patches,      Listing::Limits,   Listing::Devices,
                                     Listing::DeviceChecks, Listing::ToyFolder};

std::string cpp_field(Field field) { return to_string(field); }

std::string cpp_setting(Field field, const std::string& value) {
  return value.empty() ? cpp_field(field) : cpp_field(field) + " = " + value;
}

std::string cpp_listing(Listing listing) {
  switch (listing) {
    case Listing::None:
      return "";
    case Listing::Parameters:
      return "Model::parameters() lists them";
    case Listing::Channels:
      return "Model::channels() lists them";
    case Listing::Names:
      return "the document lists them";
    case Listing::Patches:
      return "PatchSet::names() lists them";
    case Listing::Limits:
      return "Limits has them all";
    case Listing::Devices:
      return "discover_backends() lists them";
    case Listing::DeviceChecks:
      return "check_devices() tries each of them";
    case Listing::ToyFolder:
      return "toys_status() and merge_toys() read it";
  }
  throw std::logic_error("cpp_listing: not a Listing");
}

}  // namespace

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::BadInput:
      return "bad_input";
    case ErrorCode::BadUsage:
      return "bad_usage";
    case ErrorCode::NotFound:
      return "not_found";
    case ErrorCode::LimitExceeded:
      return "limit_exceeded";
    case ErrorCode::DeviceUnavailable:
      return "device_unavailable";
  }
  throw std::logic_error("to_string: not an ErrorCode");
}

const char* to_string(Field field) {
  for (const FieldName& entry : kFields)
    if (entry.field == field) return entry.name;
  if (field == Field::None) return "";
  throw std::logic_error("to_string: not a Field");
}

std::span<const Field> all_fields() { return kAllFields; }
std::span<const Listing> all_listings() { return kAllListings; }

Place Place::in_file(std::string name, std::string at) {
  Place place(std::move(at));
  place.file = std::move(name);
  return place;
}

const Voice& cpp_voice() {
  static constexpr Voice voice = {cpp_field, cpp_setting, cpp_listing};
  return voice;
}

std::string to_text(const Place& place, const Voice& voice) {
  if (place.field != Field::None) return voice.field(place.field);
  if (place.file.empty()) return place.inside;
  return place.inside.empty() ? place.file : place.file + " " + place.inside;
}

std::string to_text(const Hint& hint, const Voice& voice) {
  std::string text = hint.text, settings;
  for (const Setting& setting : hint.set) {
    const std::string said = voice.setting(setting.field, setting.value);
    if (!said.empty()) settings += (settings.empty() ? "" : ", ") + said;
  }
  if (!settings.empty()) text = text.empty() ? settings : text + ": " + settings;
  const std::string listing = voice.listing(hint.see);
  if (listing.empty()) return text;
  return text.empty() ? listing : text + "; " + listing;
}

std::string to_text(const Error& error, const Voice& voice) {
  const std::string where = to_text(error.where, voice), hint = to_text(error.hint, voice);
  return (where.empty() ? "" : where + ": ") + error.what + (hint.empty() ? "" : " (" + hint + ")");
}

}  // namespace nextstat
