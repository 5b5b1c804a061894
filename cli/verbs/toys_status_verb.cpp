// toys status: how far a run is.
#include <nextstat/result_json.h>

#include <chrono>

#include "input/values.h"
#include "screen/toy_screens.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

class ToysStatusVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    command.add_option("folder", folder_, "Folder of a run")->required()->type_name("DIR");
    command.add_option("--shards", shards_, "Show each of this many shards")
        ->transform(whole_number(1, 10000))
        ->type_name("N");
    command.footer(
        "Exit codes: 0 complete, 1 not complete, 2 damaged or foreign blocks, or no run.\n"
        "Example: nextstat toys status run");
  }

  int run(Console& console) override {
    const auto start = std::chrono::steady_clock::now();
    const Result<RunStatus> status = toys_status(folder_);
    if (!status) return console.fail(status.errors());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    nlohmann::json json = toys_status_json(*status, shards_);
    add_header(json, {.schema = "nextstat/toys-status/1",
                      .workspace_digest = workspace_digest(status->identity),
                      .wall_time_s = seconds.count()});
    return console.result(json, run_status_screen(*status, shards_), run_exit_code(*status));
  }

 private:
  std::string folder_;
  std::size_t shards_ = 0;
};

}  // namespace

std::unique_ptr<Verb> make_toys_status() { return std::make_unique<ToysStatusVerb>(); }

}  // namespace nextstat::cli
