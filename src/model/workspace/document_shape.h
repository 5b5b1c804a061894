// Checks the shape of a document (which keys, which types) and collects every fault with its pointer.
//
//   ShapeCheck check;
//   if (check.object(document, "", {.required = {"patches", "version"}})) ...
//   if (check.has_faults()) return check.take_errors();
#pragma once

#include <nextstat/json.h>
#include <nextstat/result.h>

#include <functional>
#include <string>
#include <vector>

#include "base/json/fault_list.h"

namespace nextstat {

// A value and where it is.
struct JsonPlace {
  const Json& value;
  std::string pointer;
};

struct Keys {
  std::vector<std::string> required;
  std::vector<std::string> optional = {};
  bool others_allowed = false;
};

class ShapeCheck {
 public:
  using Visit = std::function<void(const JsonPlace&)>;

  // Each returns whether the value has the type; a fault is recorded.
  bool object(const JsonPlace& place, const Keys& keys);
  bool array(const JsonPlace& place, std::size_t least = 0);
  bool string(const JsonPlace& place);

  // Calls visit for the member, if the object has it.
  void member(const JsonPlace& object, const std::string& key, const Visit& visit);
  // Calls visit for each element, if the value is an array of at least `least`.
  void each(const JsonPlace& array, std::size_t least, const Visit& visit);

  void fault(const std::string& pointer, std::string what, Hint hint);

  bool has_faults() const { return !faults_.empty(); }
  Errors take_errors() { return faults_.empty() ? Errors() : faults_.take(); }

 private:
  bool is(const JsonPlace& place, bool right_type, const char* wanted);

  Faults faults_;
};

// Every fault in the shape of a patch, whose pointers start with `where`: its place in its file.
Errors patch_shape_errors(const Json& patch, const std::string& where = "");
void check_patch_shape(ShapeCheck& check, const JsonPlace& patch);

// "a string", "an array", ...: what a value is, for messages.
std::string kind_of(const Json& value);

// The keys that operations on a workspace document rely on. Less than the full check of a workspace: it does
// not look at numbers, bins or modifier data, which operations only carry along.

// Empty when channels, samples, modifiers, measurements and observations are in their places and have names.
Errors workspace_shape_errors(const Json& workspace);

// Of a channel, sample, ... of a document whose shape was checked.
inline const std::string& name_of(const Json& item) { return item.at("name").get_ref<const std::string&>(); }

}  // namespace nextstat
