#include "toys_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "console.h"
#include "table.h"
#include "voice.h"

namespace nextstat::cli {
namespace {

constexpr std::size_t kMostShown = 10;

std::string more(std::size_t count) {
  return count > kMostShown ? fmt::format("... and {} more\n", count - kMostShown) : "";
}

void add_row(Table& table, const std::string& name, const BlockTally& tally) {
  table.row({name, fmt::format("{}", tally.toys), fmt::format("{}", tally.toys_done),
             fmt::format("{:.1f} %", tally.percent()), fmt::format("{}", tally.blocks),
             fmt::format("{}", tally.missing), fmt::format("{}", tally.damaged + tally.foreign)});
}

Table tally_table(const std::string& first_column) {
  return Table({{first_column, Align::Left},
                {"toys", Align::Right},
                {"done", Align::Right},
                {"", Align::Right},
                {"blocks", Align::Right},
                {"missing", Align::Right},
                {"damaged", Align::Right}});
}

std::string value_text(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (!value.is_object() || value.empty()) return printable(dump_json(value));
  std::string text;
  for (const auto& item : value.items())
    text +=
        fmt::format("{}{} = {}", text.empty() ? "" : ", ", printable(item.key()), value_text(item.value()));
  return text;
}

std::string identity_lines(const RunIdentity& identity) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const auto& [name, value] : identity.labels) lines.emplace_back(printable(name), printable(value));
  for (const auto& item : identity.settings.items())
    lines.emplace_back(printable(item.key()), value_text(item.value()));
  std::string columns;
  for (const std::string& column : identity.columns)
    columns += (columns.empty() ? "" : ", ") + printable(column);
  lines.emplace_back("columns", columns);
  std::size_t widest = 0;
  for (const auto& line : lines) widest = std::max(widest, line.first.size());
  std::string text =
      fmt::format("{}, seed {}, nextstat {}, {} toys per block\n", printable(identity.kind), identity.seed,
                  printable(identity.nextstat_version), identity.toys_per_block);
  for (const auto& [name, value] : lines) text += fmt::format("{:<{}}  {}\n", name, widest, value);
  return text;
}

std::string open_line(const RunStatus& status) {
  const auto ranges = status.open_ranges();
  if (ranges.empty()) return "";
  std::string text = "blocks to compute:";
  for (std::size_t i = 0; i < ranges.size() && i < kMostShown; ++i) {
    const auto& [first, last] = ranges[i];
    text += (i == 0 ? " " : ", ") +
            (first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  return text + (ranges.size() > kMostShown ? ", ...\n" : "\n");
}

std::string verdict(const RunStatus& status) {
  const BlockTally all = status.tally();
  if (all.complete()) return "complete\n";
  std::string text =
      fmt::format("not complete: {} of {} toys remain to be computed\n", all.toys - all.toys_done, all.toys);
  if (all.missing + all.damaged > 0) text += "the run's command with --resume computes only these\n";
  if (all.foreign > 0) text += "the folder has files of another run or format: move them elsewhere\n";
  return text;
}

}  // namespace

std::string run_status_screen(const RunStatus& status, std::size_t shards) {
  const RunIdentity& identity = status.identity;
  std::string text = identity_lines(identity) + "\n";
  Table ensembles = tally_table("ensemble");
  for (std::size_t i = 0; i < identity.ensembles.size(); ++i) {
    add_row(ensembles, identity.ensembles[i].name, status.tally_of_ensemble(i));
  }
  if (identity.ensembles.size() > 1) add_row(ensembles, "all", status.tally());
  text += ensembles.text() + "\n";
  if (shards > 0) {
    Table table = tally_table("shard");
    for (std::size_t index = 1; index <= shards; ++index) {
      add_row(table, fmt::format("{}/{}", index, shards), status.tally({index, shards}));
    }
    text += table.text() + "\n";
  }
  for (std::size_t i = 0; i < status.problems.size() && i < kMostShown; ++i) {
    const BlockProblem& problem = status.problems[i];
    text += fmt::format("{}: {} {}\n", to_string(problem.condition), printable(problem.file),
                        printable(problem.what));
  }
  return text + more(status.problems.size()) + open_line(status) + verdict(status);
}

std::string merge_screen(const MergeReport& report, const std::string& folder) {
  std::string text = run_status_screen(report.status, 0);
  text += fmt::format("{} blocks were copied to {}\n", report.copied, printable(folder));
  for (std::size_t i = 0; i < report.problems.size() && i < kMostShown; ++i) {
    const Error& problem = report.problems[i];
    text += fmt::format("not usable: {} {}\n  hint: {}\n", printable(to_text(problem.where)),
                        printable(problem.what), printable(to_text(problem.hint, voice())));
  }
  return text + more(report.problems.size());
}

int run_exit_code(const RunStatus& status) {
  if (!status.problems.empty()) return kBadInput;
  return status.tally().complete() ? kDone : kNotConverged;
}

}  // namespace nextstat::cli
