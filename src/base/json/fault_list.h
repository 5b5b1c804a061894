// The faults found in a document, each with its JSON pointer. Pointers are built only when a fault is found.
#pragma once

#include <nextstat/result.h>

#include <string>
#include <string_view>

namespace nextstat {

// A place in a JSON document: a chain of keys and indices that lives on the stack of the reader.
struct Path {
  const Path* parent = nullptr;
  const char* key = nullptr;  // null: an index
  std::size_t index = 0;      // or the length of the key

  static Path root() { return {}; }
  Path operator/(std::string_view child) const { return {this, child.data(), child.size()}; }
  Path operator/(std::size_t child) const { return {this, nullptr, child}; }
  std::string pointer() const;
};

class Faults {
 public:
  void add(const Path& path, std::string what, Hint hint) {
    if (full()) return count_one();
    add(path.pointer(), std::move(what), std::move(hint));
  }
  void add(std::string pointer, std::string what, Hint hint, ErrorCode code = ErrorCode::BadInput) {
    ++count_;
    if (!full()) list_.push_back({code, std::move(pointer), std::move(what), std::move(hint)});
  }
  // Whether further faults are only counted: what needs thought, such as a suggestion, can then be saved.
  bool full() const { return list_.size() >= kMost; }
  void count_one() { ++count_; }
  bool has(const std::string& pointer) const;
  bool has_under(const std::string& pointer) const;  // there or below
  bool empty() const { return list_.empty(); }
  std::size_t count() const { return count_; }
  Errors take();

 private:
  static constexpr std::size_t kMost = 1000;  // a hostile file can have millions
  Errors list_;
  std::size_t count_ = 0;
};

}  // namespace nextstat
