// toys merge: one folder out of the folders of shards.
#include <nextstat/result_json.h>

#include <chrono>

#include "screen/toy_screens.h"
#include "screen/voice.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

class ToysMergeVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    command.add_option("folders", folders_, "Folders of shards; they are only read")
        ->required()
        ->type_name("DIR");
    command.add_option("--out", out_, "Folder of the whole run: new, empty, or with some of its blocks")
        ->required()
        ->type_name("DIR");
    command.footer(
        "Sound blocks are copied even if others are missing or damaged; merge again to add the rest.\n"
        "Exit codes: 0 complete, 1 not complete, 2 damaged blocks or folders of different runs.\n"
        "Example: nextstat toys merge shard-1 shard-2 --out merged");
  }

  int run(Console& console) override {
    const auto start = std::chrono::steady_clock::now();
    const Result<MergeReport> report = merge_toys(folders_, out_);
    if (!report) return console.fail(report.errors());
    for (const std::string& remark : report->remarks) console.warn(remark);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    nlohmann::json json = merge_json(*report, voice());
    add_header(json, {.schema = "nextstat/toys-merge/1",
                      .workspace_digest = workspace_digest(report->status.identity),
                      .wall_time_s = seconds.count()});
    const int code = report->problems.empty() ? run_exit_code(report->status) : kBadInput;
    return console.result(json, merge_screen(*report, out_), code);
  }

 private:
  std::vector<std::string> folders_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Verb> make_toys_merge() { return std::make_unique<ToysMergeVerb>(); }

}  // namespace nextstat::cli
