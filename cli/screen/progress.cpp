#include "screen/progress.h"

#include <unistd.h>

#include <fmt/format.h>
#include <nextstat/text.h>

#include <algorithm>
#include <cstdio>

namespace nextstat::cli {
namespace {

constexpr double kQuietSeconds = 0.3, kSecondsBetween = 0.1;
constexpr std::size_t kBarWidth = 24;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::max(0.0, seconds) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

std::string progress_text(std::size_t done, std::size_t total, double seconds, const std::string& unit) {
  const double part =
      total == 0 ? 0.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(kBarWidth));
  std::string text = fmt::format("[{}{}] {}/{}", std::string(filled, '#'),
                                 std::string(kBarWidth - filled, '.'), done, total);
  if (done == 0 || seconds <= 0) return text;
  const double rate = static_cast<double>(done) / seconds;
  return text + fmt::format("  {:.3g}{}{}/s  {} left", rate, unit.empty() ? "" : " ", unit,
                            duration_text(static_cast<double>(total - done) / rate));
}

ProgressLine::ProgressLine(bool wanted) : active_(wanted && isatty(STDERR_FILENO) == 1) {}

void ProgressLine::update(std::size_t done, std::size_t total) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  if (total != total_ || done < done_) started_ = total_ == 0 ? created_ : now;
  done_ = done;
  total_ = total;
  if (total < 2 || done > total || seconds_between(created_, now) < kQuietSeconds) return;
  if (shown_ && seconds_between(last_, now) < kSecondsBetween) return;
  std::string line = progress_text(done, total, seconds_between(started_, now), unit_);
  if (!note_.empty()) line += "  " + printable(note_);
  std::fputs(fmt::format("\r{}\x1b[K", line).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
  last_ = now;
}

void ProgressLine::announce(const std::string& text) {
  if (!active_) return;
  erase();
  std::fputs((printable(text) + "\n").c_str(), stderr);
}

void ProgressLine::erase() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  if (shown_) std::fflush(stderr);
  shown_ = false;
}

}  // namespace nextstat::cli
