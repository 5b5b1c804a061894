// What a GPU has to offer, in a dozen calls: memory, copies, launches. One implementation per vendor
// (src/cuda, src/opencl), one in tests that runs the kernels on the CPU and fails on demand. Everything else
// about GPUs is written once, in gpu/gpu_session.h.
//
// Calls take effect in their order. write() may return before the bytes are there, but not before they are
// read from the host; what start_read() reads is there after the next read() or finish(), which wait for everything before
// them.
#pragma once

#include <nextstat/result.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/layout.h"
#include "kernels/solver_layout.h"

namespace nextstat::gpu {

class Queue;

// A piece of device memory, given back to its queue at the end.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Queue& queue, std::uint64_t handle, std::size_t bytes)
      : queue_(&queue), handle_(handle), bytes_(bytes) {}
  ~Buffer();
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  std::uint64_t handle() const { return handle_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(queue_, other.queue_);
    std::swap(handle_, other.handle_);
    std::swap(bytes_, other.bytes_);
  }

  Queue* queue_ = nullptr;
  std::uint64_t handle_ = 0;
  std::size_t bytes_ = 0;
};

// Entry points, with the same arguments in OpenCL C and CUDA (kernels/arguments.md). Draw and
// Constants are f64 only.
enum class Kernel { Evaluate, Minimize, Draw, Constants };

// An argument of a kernel: a buffer, a number, or a layout that is passed by value.
struct ByValue {
  const void* bytes;
  std::size_t size;
};
using Argument = std::variant<const Buffer*, std::uint32_t, std::uint64_t, ByValue>;

// How a device runs a kernel over many rows: groups of threads that each work on a few rows at a time and
// take the next when one ends.
struct Shape {
  std::uint32_t groups = 1, threads = 1;
  std::uint32_t rows_per_group = 1;
  std::size_t near_bytes = 0;     // memory of a group beside its processor
  std::size_t scratch_bytes = 0;  // of all groups, in device memory
};

struct RowSizes {
  const NsLayout& model;
  const NsSolver* solver = nullptr;  // for Kernel::Minimize
};

struct QueueTraits {
  std::string device;  // "cuda:0"
  std::string name;    // "NVIDIA H200"
  unsigned real_bits = 64;
  std::size_t largest_buffer = 0;  // in bytes; 0 = as large as the memory
  std::size_t total_memory = 0;    // in bytes; 0 = not known
  bool table_pairs = false;        // its kernels want tables as gpu/device_model.h makes them
  std::size_t rows_at_once = 1;    // about how many rows keep it busy
  bool runs_side_by_side = false;  // with another()
};

class Queue {
 public:
  virtual ~Queue() = default;
  virtual const QueueTraits& traits() const = 0;

  // A queue of its own on the same device; null where their work does not go on side by side.
  virtual Result<std::unique_ptr<Queue>> another() { return std::unique_ptr<Queue>(); }

  virtual Result<Buffer> allocate(std::size_t bytes) = 0;
  virtual void release(std::uint64_t handle) = 0;
  virtual Result<void> write(Buffer& to, std::size_t at, std::span<const std::byte> bytes) = 0;
  virtual Result<void> start_read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) {
    return read(from, at, bytes);
  }
  virtual Result<void> read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) = 0;
  virtual Result<void> clear(Buffer& buffer) = 0;  // to zeros

  // rows: how many there are to run; the shape never depends on their contents.
  virtual Shape shape(Kernel kernel, const RowSizes& sizes, std::size_t rows) const = 0;
  virtual Result<void> launch(Kernel kernel, const Shape& shape, std::span<const Argument> arguments) = 0;
  virtual Result<void> finish() = 0;

  // Free device memory in bytes; empty where the device does not say.
  virtual std::optional<std::size_t> free_memory() const = 0;
};

inline Buffer::~Buffer() {
  if (queue_ != nullptr) queue_->release(handle_);
}

}  // namespace nextstat::gpu
