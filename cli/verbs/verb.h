// A verb of the command line: `nextstat VERB ...`. One file per verb in cli/verbs, one line in cli/verbs/verb_list.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "screen/console.h"

namespace nextstat::cli {

class Verb {
 public:
  virtual ~Verb() = default;
  // Adds this verb's own options and help to its subcommand; called once, before parsing.
  virtual void declare(CLI::App& command) = 0;
  // Does the work after parsing; returns the exit code.
  virtual int run(Console& console) = 0;
};

struct VerbEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Verb> (*make)();
};

// Every verb, in the order of `nextstat --help`.
const std::vector<VerbEntry>& verb_table();

}  // namespace nextstat::cli
