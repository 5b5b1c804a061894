// Parameter points from the command line: a file, "init", or NAME=VALUE.
#pragma once

#include <nextstat/observations.h>

#include <optional>
#include <string>
#include <vector>

namespace nextstat::cli {

// words: "init", one file with {name: value} or a list of such objects, or NAME=VALUE words; parameters that
// are not named keep their initial value. Unknown names and values that are no numbers are errors; `option`
// is what they name as the place.
Result<ParameterRows> read_parameter_rows(const Model& model, const std::vector<std::string>& words,
                                          const std::string& option = "--parameters");

// The whole text as a finite number, or nothing.
std::optional<double> finite_number(const std::string& text);

}  // namespace nextstat::cli
