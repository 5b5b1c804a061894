// Errors as values. A function that can fail because of its input or environment returns Result<T>.
//
//   Result<Workspace> loaded = load_workspace("analysis.json");
//   if (!loaded)
//     for (const Error& error : loaded.errors()) std::cerr << to_text(error) << "\n";
//
// Numerical outcomes (a fit that did not converge) are fields of results, not errors.
// A bug in the code throws std::logic_error.
#pragma once

#include <nextstat/error.h>

#include <stdexcept>
#include <utility>
#include <variant>

#pragma GCC visibility push(default)
namespace nextstat {

// A value, or why there is none. Reading the value of a failure is a bug: check first.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, Errors{std::move(error)}) {}
  Result(Errors errors) : state_(std::in_place_index<1>, std::move(errors)) {
    if (std::get<1>(state_).empty()) throw std::logic_error("Result: a failure needs at least one error");
  }

  explicit operator bool() const { return state_.index() == 0; }

  T& value() & { return checked(*this); }
  const T& value() const& { return checked(*this); }
  T&& value() && { return std::move(checked(*this)); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Errors& errors() const {
    if (*this) throw std::logic_error("Result: errors() of a success");
    return std::get<1>(state_);
  }

 private:
  template <class Self>
  static auto& checked(Self& self) {
    if (self.state_.index() != 0)
      throw std::logic_error("Result: value() of a failure: " + self.errors().front().what);
    return std::get<0>(self.state_);
  }

  std::variant<T, Errors> state_;
};

// Of a function that gives nothing back: `return {};` is success.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : errors_{std::move(error)} {}
  Result(Errors errors) : errors_(std::move(errors)) {
    if (errors_.empty()) throw std::logic_error("Result: a failure needs at least one error");
  }

  explicit operator bool() const { return errors_.empty(); }
  void value() const {
    if (!errors_.empty()) throw std::logic_error("Result: value() of a failure: " + errors_.front().what);
  }
  const Errors& errors() const {
    if (*this) throw std::logic_error("Result: errors() of a success");
    return errors_;
  }

 private:
  Errors errors_;
};

}  // namespace nextstat
#pragma GCC visibility pop
