#include "screen/checked_output.h"

#include <nextstat/json.h>
#include <nextstat/workspace.h>

#include <algorithm>
#include <stdexcept>

namespace nextstat::cli {
namespace {

// What the schema allows but no model can be built from, e.g. a measurement without settings for lumi. Only a
// warning: operations may pass through such a state on the way to a complete workspace (pyhf allows it too).
void warn_of_incomplete(const Console& console, const WorkspaceReview& review) {
  constexpr std::size_t kMostShown = 5;
  for (std::size_t i = 0; i < std::min(review.incomplete.size(), kMostShown); ++i)
    console.warn("result " + to_text(review.incomplete[i].where) + ": " + review.incomplete[i].what);
  if (review.n_incomplete > kMostShown)
    console.warn("and " + std::to_string(review.n_incomplete - kMostShown) +
                 " more; nextstat validate lists them");
}

}  // namespace

int write_checked_workspace(Console& console, const nlohmann::json& document) {
  const std::string text = dump_json(document, 4) + "\n";
  WorkspaceReview review = review_workspace(text);
  if (!review.errors.empty()) {
    for (Error& error : review.errors) error.where.file = "result";
    return console.fail(review.errors);
  }
  warn_of_incomplete(console, review);
  return console.document_text(text);
}

}  // namespace nextstat::cli
