#include <fmt/format.h>
#include <nextstat/result_json.h>

#include "input/model_input.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string constraint_text(const Parameter& parameter) {
  switch (parameter.constraint) {
    case Constraint::None:
      return "free";
    case Constraint::Normal:
      return fmt::format("normal({:.6g}, {:.6g})", parameter.center, parameter.width);
    case Constraint::Poisson:
      return fmt::format("poisson(tau = {:.6g})", parameter.width);
  }
  return "";
}

std::string table_text(const LoadedModel& loaded) {
  const Model& model = loaded.model;
  std::string text =
      fmt::format("measurement  {}\npoi          {}\nchannels     {}\nbins         {}\nparameters   {}\n\n",
                  printable(model.measurement()),
                  model.poi_name().empty()
                      ? "none"
                      : printable(model.poi_name()) + (model.poi_index() ? "" : " (not in the model)"),
                  model.channels().size(), model.n_bins(), model.n_parameters());
  Table channels({{"channel", Align::Left}, {"bins", Align::Right}, {"samples", Align::Left}});
  for (const ChannelInfo& channel : model.channels())
    channels.row(
        {channel.name, fmt::format("{}", channel.bins), fmt::format("{}", fmt::join(channel.samples, ", "))});
  Table parameters({{"", Align::Right},
                    {"parameter", Align::Left},
                    {"type", Align::Left},
                    {"init", Align::Right},
                    {"bounds", Align::Left},
                    {"constraint", Align::Left},
                    {"", Align::Left}});
  for (std::size_t i = 0; i < model.n_parameters(); ++i) {
    const Parameter& parameter = model.parameters()[i];
    std::string mark = parameter.fixed ? "fixed" : "";
    if (model.poi_index() == i) mark = mark.empty() ? "POI" : "POI, " + mark;
    parameters.row({fmt::format("{}", i), parameter.name, parameter.type, short_number(parameter.init),
                    fmt::format("[{}, {}]", short_number(parameter.low), short_number(parameter.high)),
                    constraint_text(parameter), mark});
  }
  return text + channels.text() + "\n" + parameters.text() + warning_lines(model.warnings());
}

class InspectVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    command.footer("Example: nextstat inspect workspace.json --measurement Nominal");
  }

  int run(Console& console) override {
    const Result<LoadedModel> loaded = input_.load();
    if (!loaded) return console.fail(loaded.errors());
    nlohmann::json json = inspect_json(loaded->workspace, loaded->model);
    add_header(json, {.schema = "nextstat/inspect/1",
                      .workspace_digest = console.writes_json() ? loaded->digest() : "",
                      .load_time_s = loaded->load_time_s});
    return console.result(json, table_text(*loaded));
  }

 private:
  ModelInput input_;
};

}  // namespace

std::unique_ptr<Verb> make_inspect() { return std::make_unique<InspectVerb>(); }

}  // namespace nextstat::cli
