#include "screen/console.h"

#include <unistd.h>

#include <nextstat/files.h>
#include <nextstat/json.h>
#include <nextstat/threads.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "screen/interrupt.h"
#include "screen/voice.h"

namespace nextstat::cli {
namespace {

constexpr std::size_t kMostErrorsShown = 50;

std::string sentence(const Error& error, const std::string& label) {
  std::string text = "nextstat: " + label + ": ";
  if (!error.where.empty()) text += printable(to_text(error.where, voice())) + ": ";
  text += printable(error.what) + "\n";
  if (!error.hint.empty()) text += "  hint: " + printable(to_text(error.hint, voice())) + "\n";
  return text;
}

std::string sentences(const Errors& errors) {
  const std::size_t shown = std::min(errors.size(), kMostErrorsShown);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool single = errors.size() == 1;
    const std::string number = std::to_string(i + 1) + " of " + std::to_string(errors.size());
    text += sentence(errors[i], single ? "error" : "error " + number);
  }
  if (shown < errors.size())
    text += "nextstat: and " + std::to_string(errors.size() - shown) + " more errors\n";
  return text;
}

std::string dumped(const nlohmann::json& json) { return printable_json(dump_json(json, 4)) + "\n"; }

std::string json_text(const Errors& errors) {
  nlohmann::json report = as_json(errors.front());
  nlohmann::json& list = report["errors"] = nlohmann::json::array();
  const std::size_t shown = std::min(errors.size(), kMostErrorsShown);
  for (std::size_t i = 0; i < shown; ++i) list.push_back(as_json(errors[i]));
  if (shown < errors.size()) report["errors_left_out"] = errors.size() - shown;
  return dumped(report);
}

// The end that a program comes to when its reader goes away: silent, and seen as the signal by the shell.
void end_by_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(128 + SIGPIPE);  // where the signal is blocked
}

// Only where it was not the plain CPU.
std::string device_line(const nlohmann::json& json) {
  const std::string device = json.value("device", "cpu");
  if (device == "cpu") return "";
  return "computed on " + device + " in " + json.value("precision", "f64") + " (" +
         json.value("device_choice", "") + ")\n";
}

}  // namespace

nlohmann::json as_json(const Error& error) {
  return {{"code", to_string(error.code)},
          {"where", to_text(error.where, voice())},
          {"what", error.what},
          {"hint", to_text(error.hint, voice())}};
}

bool Console::wants_table() const {
  return format == Format::Table || (format == Format::Automatic && isatty(STDOUT_FILENO) == 1);
}

int Console::result(const nlohmann::json& json, const std::string& table, int code) {
  hold_interrupts();
  const std::string refused = refused_threads();
  if (refused.empty()) return show(json, table, code);
  warn(refused);
  nlohmann::json warned = json;
  if (warned.contains("warnings")) warned["warnings"].push_back(refused);
  return show(warned, table, code);
}

int Console::show(const nlohmann::json& json, const std::string& table, int code) {
  if (!output.empty()) {
    const int written = document(json);
    if (written != kDone) return written;
    if (!wants_table() || output == "-") return code;
  }
  const int written = write("-", wants_table() ? printable_lines(table + device_line(json)) : dumped(json));
  return written == kDone ? code : written;
}

int Console::document(const nlohmann::json& json) {
  hold_interrupts();
  return write(output.empty() ? "-" : output, dumped(json));
}

int Console::document_text(const std::string& json) {
  hold_interrupts();
  return write(output.empty() ? "-" : output, printable_json(json));
}

int Console::text(const std::string& text) {
  hold_interrupts();
  return write(output.empty() ? "-" : output, printable_lines(text));
}

int Console::write(const std::string& path, const std::string& text) const {
  if (path != "-") {
    const auto written = write_text(path, text);
    return written ? kDone : fail(written.errors());
  }
  const int failure = write_standard_output(text);
  if (failure == EPIPE) end_by_closed_pipe();
  return failure == 0 ? kDone : fail({cannot_write(path, failure)});
}

Errors Console::check_output(const std::string& folder_to_make) const {
  if (output.empty()) return {};
  std::error_code failure;
  const std::filesystem::path folder =
      std::filesystem::absolute(output, failure).lexically_normal().parent_path();
  const bool will_be_made =
      !folder_to_make.empty() && !std::filesystem::exists(folder, failure) &&
      folder == (std::filesystem::absolute(folder_to_make, failure) / "").lexically_normal().parent_path();
  if (will_be_made) return {};
  const auto writable = can_write_text(output);
  return writable ? Errors() : writable.errors();
}

int Console::fail(const Errors& errors) const {
  const std::string report = format == Format::Json ? json_text(errors) : sentences(errors);
  std::fputs(report.c_str(), stderr);
  return errors.front().code == ErrorCode::DeviceUnavailable ? kNoDevice : kBadInput;
}

void Console::warn(const std::string& message) const {
  std::fputs(("nextstat: warning: " + printable(message) + "\n").c_str(), stderr);
}

}  // namespace nextstat::cli
