#include "verbs/verb_list.h"

#include "verbs/verb.h"

namespace nextstat::cli {

const std::vector<VerbEntry>& verb_table() {
  static const std::vector<VerbEntry> table = {
      {"inspect", "Show channels, samples, modifiers, parameters and measurements", make_inspect},
      {"validate", "Check a workspace and list every error", make_validate},
      {"evaluate", "NLL, gradient, Hessian and expected data at given parameters", make_evaluate},
      {"fit", "Best fit with uncertainties, goodness of fit and pulls", make_fit},
      {"scan", "Profile likelihood over values of one or two parameters", make_scan},
      {"interval", "Profile likelihood interval of a parameter", make_interval},
      {"feldman-cousins", "Feldman-Cousins interval of a parameter, from toys", make_feldman_cousins},
      {"ranking", "Impact of each nuisance parameter on the parameter of interest", make_ranking},
      {"hypotest", "CLs of a signal strength, observed and expected", make_hypotest},
      {"hypotest-toys", "CLs of a signal strength, from toys", make_hypotest_toys},
      {"cls", "CLs with pyhf's flags and keys", make_cls},
      {"upper-limit", "Upper limits on the parameter of interest, observed and expected", make_upper_limit},
      {"significance", "Discovery significance, observed and expected", make_significance},
      {"goodness-of-fit", "Goodness of fit against the saturated model", make_goodness_of_fit},
      {"mass-scan", "Limits for every patch of a patchset or every workspace of a folder", make_mass_scan},
      {"toys", "Draw and fit toys, merge shards, show the progress of a run", make_toys},
      {"digest", "Hash of a workspace, equal to pyhf's", make_digest},
      {"combine", "Join two workspaces into one", make_combine},
      {"prune", "Remove channels, samples, modifiers or measurements", make_prune},
      {"rename", "Rename channels, samples, modifiers or measurements", make_rename},
      {"sort", "Sort a workspace by name", make_sort},
      {"patchset", "Extract, apply, verify or inspect the patches of a patchset", make_patchset},
      {"bench", "Measure the speed of this program, and compare with an earlier run", make_bench},
      {"devices", "List the available devices, and why others are not available", make_devices},
      {"doctor", "Check this build and every available device", make_doctor},
      {"version", "Version, build and instruction set in use", make_version},
  };
  return table;
}

}  // namespace nextstat::cli
