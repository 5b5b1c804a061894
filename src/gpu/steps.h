// Calls of a queue one after the other, up to the first that fails: its error says what was being done where.
//
//   Steps steps(queue);
//   steps.write("uploading the starts", buffer, std::span(starts));
//   steps.launch("minimizing", Kernel::Minimize, shape, arguments);
//   steps.read("reading the minima", buffer, std::span(points));
//   if (!steps.ok()) return steps.errors();
#pragma once

#include <span>
#include <string_view>

#include "gpu/queue.h"

namespace nextstat::gpu {

class Steps {
 public:
  explicit Steps(Queue& queue) : queue_(queue) {}

  bool ok() const { return errors_.empty(); }
  const Errors& errors() const { return errors_; }

  // At least one byte: a kernel's argument is a buffer even where it holds nothing.
  Buffer allocate(std::string_view doing, std::size_t bytes);
  void clear(std::string_view doing, Buffer& buffer) {
    if (ok()) note(doing, queue_.clear(buffer));
  }
  void launch(std::string_view doing, Kernel kernel, const Shape& shape,
              std::span<const Argument> arguments) {
    if (ok()) note(doing, queue_.launch(kernel, shape, arguments));
  }

  template <class T>
  void write(std::string_view doing, Buffer& to, std::span<const T> values) {
    if (ok() && !values.empty()) note(doing, queue_.write(to, 0, std::as_bytes(values)));
  }
  // Done with the next read.
  template <class T>
  void start_read(std::string_view doing, const Buffer& from, std::span<T> values) {
    if (ok() && !values.empty()) note(doing, queue_.start_read(from, 0, std::as_writable_bytes(values)));
  }
  template <class T>
  void read(std::string_view doing, const Buffer& from, std::span<T> values, std::size_t at = 0) {
    if (ok() && !values.empty()) note(doing, queue_.read(from, at, std::as_writable_bytes(values)));
  }

 private:
  void note(std::string_view doing, const Result<void>& result) {
    if (!result) fail(doing, result.errors());
  }
  void fail(std::string_view doing, const Errors& errors);

  Queue& queue_;
  Errors errors_;
};

}  // namespace nextstat::gpu
