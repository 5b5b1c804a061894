// doctor: this build, and a self-test of every device that is here.
#include <fmt/format.h>
#include <nextstat/result_json.h>
#include <nextstat/version.h>

#include <chrono>

#include "screen/voice.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class DoctorVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    command.footer(
        "A device passes if a small model with every modifier, evaluated and fitted on it, gives the\n"
        "same numbers as the CPU. Exit code 3 if an available device fails.\n\n"
        "Example: nextstat doctor");
  }

  int run(Console& console) override {
    const auto start = std::chrono::steady_clock::now();
    text_ = fmt::format("nextstat {}, {}, {}\ninstruction set {}\n\n", version_string(), compiler_string(),
                        build_type(), instruction_set_name());
    nlohmann::json json = {{"compiler", compiler_string()},
                           {"build_type", build_type()},
                           {"instruction_set", instruction_set_name()},
                           {"backends", nlohmann::json::array()}};
    for (const BackendReport& report : discover_backends()) json["backends"].push_back(examine(report));
    json["ok"] = failures_ == 0;
    text_ += failures_ == 0 ? "\nall available devices passed\n"
                            : fmt::format("\n{} of the available devices FAILED\n", failures_);
    add_header(json, {.schema = "nextstat/doctor/1", .wall_time_s = seconds_since(start)});
    return console.result(json, text_, failures_ == 0 ? kDone : kNoDevice);
  }

 private:
  nlohmann::json examine(const BackendReport& report) {
    nlohmann::json json = backend_json(report, voice());
    const char* name = display_name(report.type);
    if (report.absent)
      text_ +=
          fmt::format("{:<7} {}: {}\n        {}\n", name, to_string(report.absent->stage),
                      printable(report.absent->reason), printable(to_text(report.absent->hint, voice())));
    for (std::size_t i = 0; i < report.devices.size(); ++i) {
      const DeviceInfo& device = report.devices[i];
      const auto start = std::chrono::steady_clock::now();
      const std::optional<Absent> wrong = self_test(report.type, device);
      const double seconds = seconds_since(start);
      json["devices"][i]["self_test"] = {
          {"passed", !wrong},
          {"error", wrong ? absent_json(*wrong, voice()) : nlohmann::json(nullptr)},
          {"wall_time_s", seconds}};
      failures_ += wrong ? 1 : 0;
      text_ += fmt::format(
          "{:<7} [{}] {}: self-test {}\n", name, device.index, printable(device.name),
          wrong ? "FAILED: " + printable(wrong->reason) : fmt::format("passed in {:.0f} ms", 1e3 * seconds));
    }
    return json;
  }

  std::string text_;
  std::size_t failures_ = 0;
};

}  // namespace

std::unique_ptr<Verb> make_doctor() { return std::make_unique<DoctorVerb>(); }

}  // namespace nextstat::cli
