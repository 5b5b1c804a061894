// toys: verbs of its own, one file each.
#include <array>

#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

constexpr std::array kInner = {
    VerbEntry{"run", "Draw toys and fit them", make_toys_run},
    VerbEntry{"merge", "Merge the shards of a run", make_toys_merge},
    VerbEntry{"status", "Show the progress of a run and check its files", make_toys_status},
};

class ToysVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    command.require_subcommand(1);
    for (const VerbEntry& entry : kInner) {
      CLI::App* const inner = command.add_subcommand(entry.name, entry.summary);
      std::unique_ptr<Verb>& verb = verbs_.emplace_back(entry.make());
      verb->declare(*inner);
      inner->callback([this, chosen = verb.get()] { chosen_ = chosen; });
    }
    command.footer("Example: nextstat toys run workspace.json --n-toys 20000 --resume toys");
  }

  int run(Console& console) override { return chosen_->run(console); }

 private:
  std::vector<std::unique_ptr<Verb>> verbs_;
  Verb* chosen_ = nullptr;
};

}  // namespace

std::unique_ptr<Verb> make_toys() { return std::make_unique<ToysVerb>(); }

}  // namespace nextstat::cli
