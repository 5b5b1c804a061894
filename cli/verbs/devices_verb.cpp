// devices: what can compute here, and why the rest cannot.
#include <fmt/format.h>
#include <nextstat/backends.h>
#include <nextstat/result_json.h>

#include <chrono>

#include "screen/table.h"
#include "screen/voice.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string detail(std::span<const BackendReport> reports) {
  Table table(
      {{"device", Align::Left}, {"kind", Align::Left}, {"fp64", Align::Left}, {"driver", Align::Left}});
  std::string absent;
  for (const BackendReport& report : reports) {
    for (const DeviceInfo& device : report.devices)
      table.row({fmt::format("{}:{}", to_string(report.type), device.index), to_string(device.kind),
                 to_string(device.fp64), or_dash(device.driver)});
    if (report.absent)
      absent +=
          fmt::format("{}: {}\n  hint: {}\n", display_name(report.type), to_string(report.absent->stage),
                      printable(to_text(report.absent->hint, voice())));
  }
  return "\n" + table.text() + "\n" + absent;
}

class DevicesVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    command.add_flag("--detail", detail_,
                     "Also show kind, precision and driver of devices, and hints for those not available");
    command.footer("Example: nextstat devices --detail");
  }

  int run(Console& console) override {
    const auto start = std::chrono::steady_clock::now();
    const std::vector<BackendReport> reports = discover_backends();
    const BackendType best = best_available_backend();
    nlohmann::json json = {{"backends", nlohmann::json::array()}, {"recommended", to_string(best)}};
    for (const BackendReport& report : reports) json["backends"].push_back(backend_json(report, voice()));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    add_header(json, {.schema = "nextstat/devices/1", .wall_time_s = seconds});
    return console.result(json, backend_summary(reports, best) + (detail_ ? detail(reports) : ""));
  }

 private:
  bool detail_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_devices() { return std::make_unique<DevicesVerb>(); }

}  // namespace nextstat::cli
