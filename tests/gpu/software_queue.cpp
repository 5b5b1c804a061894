#include "gpu/software_queue.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace nextstat::gpu {
namespace {

const char* name_of(Call call) {
  switch (call) {
    case Call::Allocate:
      return "allocation";
    case Call::Write:
      return "write";
    case Call::Read:
      return "read";
    case Call::Clear:
      return "clear";
    case Call::Launch:
      return "launch";
    default:
      return "finish";
  }
}

class SoftwareQueue final : public Queue {
 public:
  explicit SoftwareQueue(const SoftwareOptions& options)
      : options_(options),
        record_(*options.record),
        traits_{"software:0", "this processor as a device", options.real_bits, options.largest_buffer} {
    traits_.runs_side_by_side = options.side_by_side;
  }
  ~SoftwareQueue() override {
    // Every buffer goes before its queue.
    if (!buffers_.empty()) std::terminate();
  }

  const QueueTraits& traits() const override { return traits_; }
  Result<std::unique_ptr<Queue>> another() override {
    if (record_.refuses_another) return Error{ErrorCode::DeviceUnavailable, "", "one is enough", ""};
    SoftwareOptions options = options_;
    options.record = std::make_shared<SoftwareRecord>();
    record_.others.push_back(options.record);
    return make_software_queue(options);
  }

  Result<Buffer> allocate(std::size_t bytes) override {
    if (auto failed = fails(Call::Allocate)) return *failed;
    if (bytes == 0) throw std::logic_error("a buffer of no bytes");
    if (options_.memory > 0 && held_ + bytes > options_.memory)
      return Error{ErrorCode::LimitExceeded, "", "out of memory", "use less of it"};
    if (options_.largest_buffer > 0 && bytes > options_.largest_buffer)
      return Error{ErrorCode::LimitExceeded, "", "a buffer is too large", "use smaller ones"};
    auto memory = std::make_unique<std::byte[]>(bytes);
    // What was not written is not zero.
    std::memset(memory.get(), 0xd5, bytes);
    const auto handle = static_cast<std::uint64_t>(++last_);
    buffers_[handle] = {std::move(memory), bytes};
    count(static_cast<std::ptrdiff_t>(bytes));
    return Buffer(*this, handle, bytes);
  }

  void release(std::uint64_t handle) override {
    const auto found = buffers_.find(handle);
    if (found == buffers_.end()) std::terminate();
    count(-static_cast<std::ptrdiff_t>(found->second.bytes));
    buffers_.erase(found);
  }

  Result<void> write(Buffer& to, std::size_t at, std::span<const std::byte> bytes) override {
    if (auto failed = fails(Call::Write)) return *failed;
    std::memcpy(inside(to, at, bytes.size()), bytes.data(), bytes.size());
    return {};
  }
  Result<void> read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) override {
    if (auto failed = fails(Call::Read)) return *failed;
    std::memcpy(bytes.data(), inside(from, at, bytes.size()), bytes.size());
    return {};
  }
  Result<void> clear(Buffer& buffer) override {
    if (auto failed = fails(Call::Clear)) return *failed;
    std::memset(inside(buffer, 0, buffer.bytes()), 0, buffer.bytes());
    return {};
  }

  Shape shape(Kernel kernel, const RowSizes& sizes, std::size_t rows) const override {
    Shape shape;
    shape.groups = static_cast<std::uint32_t>(std::min(rows, options_.items));
    const std::size_t state =
        sizes.model.row_size + (kernel == Kernel::Minimize ? sizes.solver->row_size : 0);
    shape.scratch_bytes = kernel == Kernel::Draw || kernel == Kernel::Constants
                              ? 0
                              : shape.groups * state * (options_.real_bits / 8);
    return shape;
  }

  Result<void> launch(Kernel kernel, const Shape& shape, std::span<const Argument> arguments) override {
    if (auto failed = fails(Call::Launch)) return *failed;
    std::vector<KernelArgument> given;
    for (const Argument& argument : arguments) given.push_back(convert(argument));
    note_wave(kernel, arguments);
    std::this_thread::sleep_for(std::chrono::milliseconds(options_.launch_milliseconds));
    const auto run = options_.real_bits == 64 ? run_opencl_64 : run_opencl_32;
    for (std::size_t i = 0; i < shape.groups; ++i)
      run(kernel, options_.backwards ? shape.groups - 1 - i : i, shape.groups, given);
    return {};
  }

  Result<void> finish() override {
    if (auto failed = fails(Call::Finish)) return *failed;
    return {};
  }

  std::optional<std::size_t> free_memory() const override {
    if (options_.memory == 0) return std::nullopt;
    return options_.memory - held_;
  }

 private:
  struct Memory {
    std::unique_ptr<std::byte[]> bytes_at;
    std::size_t bytes;
  };

  std::optional<Error> fails(Call call) {
    ++record_.calls[call];
    if (!record_.fail || record_.fail->call != call) return std::nullopt;
    if (record_.fail->after-- > 0) return std::nullopt;
    record_.fail.reset();
    return Error{ErrorCode::DeviceUnavailable, "", std::string("no ") + name_of(call) + " today", ""};
  }

  void count(std::ptrdiff_t bytes) {
    held_ += static_cast<std::size_t>(bytes);
    record_.live_buffers += bytes > 0 ? 1 : static_cast<std::size_t>(-1);
    record_.live_bytes += static_cast<std::size_t>(bytes);
    record_.most_bytes = std::max(record_.most_bytes, record_.live_bytes);
  }

  std::byte* inside(const Buffer& buffer, std::size_t at, std::size_t bytes) {
    Memory& memory = buffers_.at(buffer.handle());
    if (at + bytes > memory.bytes) throw std::logic_error("a copy goes beyond its buffer");
    return memory.bytes_at.get() + at;
  }

  KernelArgument convert(const Argument& argument) {
    if (const auto* buffer = std::get_if<const Buffer*>(&argument)) return {inside(**buffer, 0, 1), 0};
    if (const auto* structure = std::get_if<ByValue>(&argument))
      return {const_cast<void*>(structure->bytes), 0};
    if (const auto* number = std::get_if<std::uint32_t>(&argument)) return {nullptr, *number};
    return {nullptr, std::get<std::uint64_t>(argument)};
  }

  void note_wave(Kernel kernel, std::span<const Argument> arguments) {
    const std::size_t place = kernel == Kernel::Evaluate ? arguments.size() - 2 : arguments.size() - 1;
    record_.waves.push_back(std::get<std::uint32_t>(arguments[place]));
  }

  SoftwareOptions options_;
  SoftwareRecord& record_;
  QueueTraits traits_;
  std::map<std::uint64_t, Memory> buffers_;
  std::size_t last_ = 0, held_ = 0;
};

}  // namespace

std::unique_ptr<Queue> make_software_queue(const SoftwareOptions& options) {
  return std::make_unique<SoftwareQueue>(options);
}

}  // namespace nextstat::gpu
