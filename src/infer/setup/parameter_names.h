// Parameters by the names that people write: one parameter, all of a set, or "" for the parameter of interest.
//
//   TRY(const std::size_t poi, parameter_named(model, ""));
#pragma once

#include <nextstat/model.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nextstat {

// Tables for many names of one model, which must outlive them.
class ParameterNames {
 public:
  explicit ParameterNames(const Model& model);
  // Indices of the parameters that a name means; none: there is no such name.
  std::vector<std::size_t> find(std::string_view name) const;
  // The same; a name that there is not is an error of the option that asked for it.
  Result<std::vector<std::size_t>> all_of(const std::string& name, Field asked_by) const;

 private:
  const Model& model_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_set_;
};

Error unknown_parameter(const Model& model, const std::string& name, Field asked_by);

// The index of a parameter by its flat name; "" = the POI.
// Errors name what is missing, and the option that asked for it.
Result<std::size_t> parameter_named(const Model& model, const std::string& name,
                                    Field asked_by = Field::Parameter);

}  // namespace nextstat
