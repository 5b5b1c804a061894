// A digest of what a model says, wherever it came from: a file, a dictionary, pyhf's objects, with patches or
// after changes in memory. Models with equal digests have the same likelihood as a function of parameters and
// data, and the same start, bounds and fixed parameters.
//
//   Result<std::string> digest = model_digest(model);   // sha256, hexadecimal
//
// In it:
//   channels, samples, parameters by name; nominal rates; terms of modifiers with their numbers; constraints
// Not in it:
//   data (observed and auxiliary), the parameter of interest, interpolation codes, names of measurements:
//   whoever needs these names them beside the digest; and how the compiled tables are laid out
#pragma once

#include <nextstat/model.h>

#include <string>

namespace nextstat {

Result<std::string> model_digest(const Model& model);

}  // namespace nextstat
