// What went wrong, as facts: where, what, and what can be done about it. The library names the fields of its
// options; a program says them as its users know them, the command line as flags, Python as arguments.
//
//   Result<Workspace> workspace = load_workspace("analysis.json");
//   if (!workspace)
//     for (const Error& error : workspace.errors()) std::cerr << to_text(error) << "\n";
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// What kind of error it is.
enum class ErrorCode {
  BadInput,           // a file, a document or a value in it is wrong
  BadUsage,           // the request itself makes no sense (an unknown option value, a wrong length)
  NotFound,           // a file or a named thing does not exist
  LimitExceeded,      // larger than the stated limits
  DeviceUnavailable,  // the requested device is not available
};

// Stable lower-case name of a code, as printed in JSON: "bad_input".
const char* to_string(ErrorCode code);

// Fields of the options that an error can be about, or that a hint says to set.
enum class Field {
  None,
  // Model and data
  Poi,
  Data,
  Patch,
  NormsysCode,
  HistosysCode,
  // Every fit: RunOptions
  Init,
  Fixed,
  Bounds,
  InstructionSet,
  Threads,
  Device,
  Fallback,
  DeviceMemory,
  // Questions
  Mu,
  Statistic,
  Calculator,
  ConfidenceLevel,
  Rtol,
  Scan,
  Parameter,
  Parameter2,
  Values,
  TestedValues,
  Minos,
  LargeMatrices,
  Impact,
  Groups,
  RankedParameters,
  Point,
  Hessian,
  // Toys
  NToys,
  MaxToys,
  ToyError,
  FixedAuxiliary,
  KeptParameters,
  Folder,
  Resume,
  Shard,
  // Documents
  Join,
  MergeChannels,
  Algorithm,
};
std::span<const Field> all_fields();
const char* to_string(Field field);  // as the field is called in C++: "confidence_level"

// What lists the things there are to choose from.
enum class Listing { None, Parameters, Channels, Names, Patches, Limits, Devices, DeviceChecks, ToyFolder };
std::span<const Listing> all_listings();

// A field of the options, a place in a document, or a thing by its name.
struct Place {
  Place() = default;
  Place(Field of) : field(of) {}
  Place(std::string at) : inside(std::move(at)) {}
  Place(const char* at) : inside(at) {}
  static Place in_file(std::string name, std::string at = {});

  bool empty() const { return file.empty() && inside.empty() && field == Field::None; }

  std::string file = {};    // "" = none, or not known to who found it
  std::string inside = {};  // JSON pointer ("/channels/1/samples/0/data"), or the name of a thing
  Field field = Field::None;
};

// A field to set, and to what.
struct Setting {
  Setting(Field which, std::string to = {}) : field(which), value(std::move(to)) {}
  Field field;
  std::string value;  // "" = whatever fits
};

// One next step.
struct Hint {
  Hint() = default;
  Hint(std::string words) : text(std::move(words)) {}
  Hint(const char* words) : text(words) {}
  Hint(std::string words, std::vector<Setting> settings, Listing listing = Listing::None)
      : text(std::move(words)), set(std::move(settings)), see(listing) {}
  Hint(std::string words, Listing listing) : text(std::move(words)), see(listing) {}
  Hint(Listing listing) : see(listing) {}

  bool empty() const { return text.empty() && set.empty() && see == Listing::None; }

  std::string text = {};
  std::vector<Setting> set = {};  // what does it, in the order of the words
  Listing see = Listing::None;
};

// One error: where, what, and what to do next.
struct Error {
  ErrorCode code = ErrorCode::BadInput;
  Place where = {};
  std::string what = {};  // with the value
  Hint hint = {};
};

// In the order in which they were found. A Result that failed has at least one.
using Errors = std::vector<Error>;

// How a program calls fields and listings.
struct Voice {
  std::string (*field)(Field field);                              // "--bounds"
  std::string (*setting)(Field field, const std::string& value);  // "--bounds NAME=LOW:HIGH"
  std::string (*listing)(Listing listing);                        // "`nextstat inspect` lists the parameters"
};
const Voice& cpp_voice();

// Words for people, on one line; with a voice of its own a program says its own names.
std::string to_text(const Place& place, const Voice& voice = cpp_voice());  // "analysis.json /channels/0"
std::string to_text(const Hint& hint, const Voice& voice = cpp_voice());
std::string to_text(const Error& error, const Voice& voice = cpp_voice());  // "where: what (hint)"

}  // namespace nextstat
#pragma GCC visibility pop
