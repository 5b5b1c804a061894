// How far each nuisance parameter moves the parameter of interest.
//
//   Result<RankingResult> result = ranking(model);
//   result->entries[0].parameter;   // the one that moves it most
//
// Impact: the shift of the fitted POI when a parameter is fixed at its best fit + or - its post-fit sigma
// (pre-fit: at its center + or - its pre-fit sigma) and everything else is fitted again. Values beyond a
// bound are moved to the bound.
#pragma once

#include <nextstat/names.h>
#include <nextstat/run.h>

#include <limits>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace nextstat {

// Which of the two impacts is meant.
enum class Impact { Postfit, Prefit };
NameTable<Impact> impacts();
const char* to_string(Impact impact);  // "postfit"
Result<Impact> parse_impact(std::string_view name);

// Parameters whose common effect is wanted: names of parameters or sets, or patterns with * and ?.
struct RankingGroup {
  std::string name;
  std::vector<std::string> members;
};

// Where the sigma of the post-fit impact comes from.
enum class SigmaSource {
  Postfit,  // the exact Hessian
  Prefit,   // at a bound or kink there is no post-fit sigma: that of the constraint is used instead
  None,     // neither exists: no post-fit impact is given
};
const char* to_string(SigmaSource source);  // "postfit", "prefit", "none"

// A number that does not exist is NaN.
struct RankingEntry {
  std::size_t parameter = 0;
  double impact_up = 0, impact_down = 0;                // shift of the POI for + sigma and - sigma
  double impact_up_prefit = 0, impact_down_prefit = 0;  // NaN for unconstrained parameters
  double pull = 0;        // (best fit - center) / pre-fit sigma; NaN for unconstrained parameters
  double constraint = 0;  // post-fit / pre-fit sigma; NaN for unconstrained ones and at a bound
  SigmaSource sigma = SigmaSource::Postfit;
  bool converged = false;      // all of its fits
  std::size_t iterations = 0;  // over its fits
  // A fit that ended below the best fit, which then is a local minimum: its NLL and where the parameter was
  // held. NaN where there is none.
  double lower_nll = std::numeric_limits<double>::quiet_NaN();
  double lower_at = std::numeric_limits<double>::quiet_NaN();
};

// What is ranked, and by what.
struct RankingOptions {
  RunOptions run = {};
  Impact impact = Impact::Postfit;  // what the entries are sorted by; both are given
  std::vector<RankingGroup> groups = {};
  std::size_t top = 0;  // entries to keep; 0 = all
  // Names of parameters or sets to rank; empty = all. An entry does not depend on the others, so a ranking
  // can be cut into parts and put together: those in `known`, of the same model and options, are taken as
  // they are instead of fitted.
  std::vector<std::string> parameters = {};
  std::vector<RankingEntry> known = {};
};

// impact = sqrt(sigma^2 - sigma_fixed^2) of the POI, sigma_fixed with all members fixed at the best fit.
struct GroupImpact {
  std::string name;
  std::size_t members = 0;  // free parameters among them, the POI not counted
  double impact = 0;        // NaN when the POI has no sigma
};

// The parameters by their impact, and the groups.
struct RankingResult {
  std::size_t poi = 0;
  double mu_hat = 0, mu_sigma = 0, nll_hat = 0;
  Impact impact = Impact::Postfit;
  std::vector<RankingEntry> entries;  // largest absolute impact first, then by index; the unknown last
  std::vector<GroupImpact> groups;    // in the order of the options
  bool converged = false;             // the best fit and all others
  bool interrupted = false;           // entries that were finished are kept
  std::size_t fits = 0, iterations = 0;
  std::vector<std::string> warnings;
  MinimaSearch search;
  DeviceUse device;
  std::string instruction_set;
};

// Errors: the model has no POI, or it is fixed; a name or group member that the model does not have.
Result<RankingResult> ranking(const Model& model, const RankingOptions& options = {});

}  // namespace nextstat
#pragma GCC visibility pop
