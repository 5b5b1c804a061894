#include "screen/table.h"

#include <fmt/format.h>
#include <nextstat/text.h>

#include <algorithm>
#include <cmath>

namespace nextstat::cli {
namespace {

// Columns on screen: bytes that continue a UTF-8 character take none.
std::size_t screen_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<std::pair<std::string, Align>> columns) : columns_(std::move(columns)) {
  for (auto& [title, align] : columns_) title = printable(title);
}

void Table::row(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = screen_width(columns_[c].first);
    for (const auto& cells : rows_) width = std::max(width, screen_width(cells[c]));
    widths.push_back(width);
  }
  std::string result;
  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& entry = cell(c);
      const std::string space(widths[c] - screen_width(entry), ' ');
      text += (c ? "  " : "") + (columns_[c].second == Align::Right ? space + entry : entry + space);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    result += text + "\n";
  };
  line([&](std::size_t c) -> const std::string& { return columns_[c].first; });
  for (const auto& cells : rows_) line([&](std::size_t c) -> const std::string& { return cells[c]; });
  return result;
}

std::string short_number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "-";
}

}  // namespace nextstat::cli
