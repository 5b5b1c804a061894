// Text tables for people: columns padded to their widest entry. Cells are made printable:
// they may hold names from files.
#pragma once

#include <string>
#include <vector>

namespace nextstat::cli {

enum class Align { Left, Right };

class Table {
 public:
  explicit Table(std::vector<std::pair<std::string, Align>> columns);
  void row(std::vector<std::string> cells);
  std::size_t size() const { return rows_.size(); }
  std::string text() const;

 private:
  std::vector<std::pair<std::string, Align>> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Six significant digits (or as many as asked for), without trailing zeros; "-" where there is no number.
std::string short_number(double value, int digits = 6);

}  // namespace nextstat::cli
