#include "opencl/opencl_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/try.h"

namespace nextstat::opencl {
namespace {

using gpu::Argument;
using gpu::Buffer;
using gpu::Kernel;
using gpu::Shape;

constexpr std::array<const char*, 4> kNames = {"evaluate", "minimize", "draw", "constants"};  // by Kernel

Error failure(const char* call, cl_int status) {
  return {ErrorCode::DeviceUnavailable, "", describe(call, status), ""};
}

Result<void> checked(const char* call, cl_int status) {
  if (status != CL_SUCCESS) return failure(call, status);
  return {};
}

class OpenClQueue final : public gpu::Queue {
 public:
  OpenClQueue(std::shared_ptr<const Loader> loader, const Device& device, unsigned real_bits)
      : cl_(std::move(loader)), device_(device) {
    traits_ = {fmt::format("opencl:{}", device.info.index),
               device.info.name,
               real_bits,
               device.largest_buffer,
               device.info.total_memory,
               false,
               device.compute_units * (device.info.kind == DeviceKind::Cpu ? 1 : 64)};
  }

  Result<void> open(const std::string& cache_folder) {
    cl_int status = CL_SUCCESS;
    context_ = {cl_->CreateContext(nullptr, 1, &device_.id, nullptr, nullptr, &status), cl_->ReleaseContext};
    if (status != CL_SUCCESS) return failure("clCreateContext", status);
    queue_ = {cl_->CreateCommandQueue(context_.get(), device_.id, 0, &status), cl_->ReleaseCommandQueue};
    if (status != CL_SUCCESS) return failure("clCreateCommandQueue", status);
    TRY(Owned<cl_program> program,
        build_program(*cl_, context_.get(), device_, traits_.real_bits, ProgramCache(cache_folder)));
    program_ = std::move(program);
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (traits_.real_bits == 32 && Kernel(i) >= Kernel::Draw) continue;  // f32 devices do not draw
      kernels_[i] = {cl_->CreateKernel(program_.get(), kNames[i], &status), cl_->ReleaseKernel};
      if (status != CL_SUCCESS) return failure("clCreateKernel", status);
    }
    return {};
  }

  const gpu::QueueTraits& traits() const override { return traits_; }

  Result<Buffer> allocate(std::size_t bytes) override {
    cl_int status = CL_SUCCESS;
    cl_mem memory = cl_->CreateBuffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &status);
    if (status != CL_SUCCESS)
      return Error{ErrorCode::LimitExceeded, "",
                   fmt::format("{} bytes: {}", bytes, describe("clCreateBuffer", status)),
                   "use less of the device's memory"};
    return Buffer(*this, reinterpret_cast<std::uint64_t>(memory), bytes);
  }
  void release(std::uint64_t handle) override { cl_->ReleaseMemObject(memory(handle)); }

  Result<void> write(Buffer& to, std::size_t at, std::span<const std::byte> bytes) override {
    return write_to(memory(to.handle()), at, bytes);
  }
  Result<void> read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) override {
    return checked("clEnqueueReadBuffer",
                   cl_->EnqueueReadBuffer(queue_.get(), memory(from.handle()), CL_TRUE, at, bytes.size(),
                                          bytes.data(), 0, nullptr, nullptr));
  }
  Result<void> clear(Buffer& buffer) override {
    const unsigned char zero = 0;
    return checked("clEnqueueFillBuffer", cl_->EnqueueFillBuffer(queue_.get(), memory(buffer.handle()), &zero,
                                                                 1, 0, buffer.bytes(), 0, nullptr, nullptr));
  }

  // A CPU runs a row per thread, with a few more for balance; a GPU hides its latencies with many.
  Shape shape(Kernel kernel, const gpu::RowSizes& sizes, std::size_t rows) const override {
    const bool is_cpu = device_.info.kind == DeviceKind::Cpu;
    Shape shape;
    shape.threads = is_cpu ? 1 : 64;
    const std::size_t most = device_.compute_units * (is_cpu ? 8 : 4);
    shape.groups = static_cast<std::uint32_t>(
        std::clamp<std::size_t>((rows + shape.threads - 1) / shape.threads, 1, most));
    shape.rows_per_group = shape.threads;
    if (kernel == Kernel::Draw || kernel == Kernel::Constants) return shape;
    const std::size_t state =
        sizes.model.row_size + (kernel == Kernel::Minimize ? sizes.solver->row_size : 0);
    shape.scratch_bytes = std::size_t{shape.groups} * shape.threads * state * (traits_.real_bits / 8);
    return shape;
  }

  Result<void> launch(Kernel kernel, const Shape& shape, std::span<const Argument> arguments) override {
    const auto number = static_cast<std::size_t>(kernel);
    cl_kernel function = kernels_[number].get();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      TRY_DO(set_argument(function, {number, i}, arguments[i]));
    }
    const std::size_t local = shape.threads, global = std::size_t{shape.groups} * shape.threads;
    return checked("clEnqueueNDRangeKernel", cl_->EnqueueNDRangeKernel(queue_.get(), function, 1, nullptr,
                                                                       &global, &local, 0, nullptr, nullptr));
  }

  Result<void> finish() override { return checked("clFinish", cl_->Finish(queue_.get())); }
  std::optional<std::size_t> free_memory() const override { return std::nullopt; }

 private:
  using Place = std::pair<std::size_t, std::size_t>;  // kernel, argument
  struct Constant {
    Owned<cl_mem> memory;
    std::vector<std::byte> bytes;
  };

  static cl_mem memory(std::uint64_t handle) { return reinterpret_cast<cl_mem>(handle); }

  Result<void> write_to(cl_mem to, std::size_t at, std::span<const std::byte> bytes) {
    return checked("clEnqueueWriteBuffer",
                   cl_->EnqueueWriteBuffer(queue_.get(), to, CL_TRUE, at, bytes.size(), bytes.data(), 0,
                                           nullptr, nullptr));
  }

  Result<void> set_argument(cl_kernel function, Place place, const Argument& argument) {
    const auto set = [&](std::size_t size, const void* value) {
      return checked("clSetKernelArg",
                     cl_->SetKernelArg(function, static_cast<cl_uint>(place.second), size, value));
    };
    if (const auto* buffer = std::get_if<const Buffer*>(&argument)) {
      cl_mem handle = memory((*buffer)->handle());
      return set(sizeof handle, &handle);
    }
    if (const auto* number = std::get_if<std::uint32_t>(&argument)) return set(sizeof *number, number);
    if (const auto* number = std::get_if<std::uint64_t>(&argument)) return set(sizeof *number, number);
    const auto& structure = std::get<gpu::ByValue>(argument);
    const auto* first = static_cast<const std::byte*>(structure.bytes);
    TRY(const cl_mem constant, constant_of(place, {first, structure.size}));
    return set(sizeof(cl_mem), &constant);
  }

  // Kernels take pointers to constant structures, in a buffer that is written when they change.
  Result<cl_mem> constant_of(Place place, std::span<const std::byte> bytes) {
    Constant& constant = constants_[place];
    if (std::ranges::equal(constant.bytes, bytes)) return constant.memory.get();
    if (constant.bytes.size() != bytes.size()) {
      cl_int status = CL_SUCCESS;
      constant.memory = {cl_->CreateBuffer(context_.get(), CL_MEM_READ_ONLY, bytes.size(), nullptr, &status),
                         cl_->ReleaseMemObject};
      constant.bytes.clear();
      if (status != CL_SUCCESS) return failure("clCreateBuffer", status);
    }
    constant.bytes.clear();
    TRY_DO(write_to(constant.memory.get(), 0, bytes));
    constant.bytes.assign(bytes.begin(), bytes.end());
    return constant.memory.get();
  }

  std::shared_ptr<const Loader> cl_;
  Device device_;
  gpu::QueueTraits traits_;
  Owned<cl_context> context_;
  Owned<cl_command_queue> queue_;
  Owned<cl_program> program_;
  std::array<Owned<cl_kernel>, kNames.size()> kernels_;
  std::map<Place, Constant> constants_;
};

}  // namespace

Result<std::unique_ptr<gpu::Queue>> make_queue(std::shared_ptr<const Loader> loader, const Device& device,
                                               unsigned real_bits, const std::string& cache_folder) {
  auto queue = std::make_unique<OpenClQueue>(std::move(loader), device, real_bits);
  if (auto opened = queue->open(cache_folder); !opened) {
    Errors errors = opened.errors();
    for (Error& error : errors)
      error.where = fmt::format("opencl:{} ({})", device.info.index, device.info.name);
    return errors;
  }
  return std::unique_ptr<gpu::Queue>(std::move(queue));
}

}  // namespace nextstat::opencl
