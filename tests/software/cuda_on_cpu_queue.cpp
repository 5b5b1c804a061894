#include "software/cuda_on_cpu_queue.h"

#include <cstring>
#include <map>

#include "cuda/block_shape.h"
#include "software/cuda_kernels.h"
#include "software/cuda_machine.h"

namespace nextstat::software {
namespace {

using gpu::Argument;
using gpu::Buffer;
using gpu::Kernel;
using gpu::Shape;

template <class T>
T* pointer(const Argument& argument) {
  return reinterpret_cast<T*>(std::get<const Buffer*>(argument)->handle());
}
template <class T>
const T& structure(const Argument& argument) {
  return *static_cast<const T*>(std::get<gpu::ByValue>(argument).bytes);
}
unsigned number(const Argument& argument) { return std::get<std::uint32_t>(argument); }

class CudaOnCpu final : public gpu::Queue {
 public:
  CudaOnCpu(const CudaOptions& options, std::shared_ptr<std::vector<std::string>> launched)
      : options_(options), launched_(std::move(launched)) {
    traits_ = {.device = "cuda on the cpu", .name = "fibers", .table_pairs = true};
  }

  const gpu::QueueTraits& traits() const override { return traits_; }

  // Memory as a device has it: full of rubbish.
  Result<Buffer> allocate(std::size_t bytes) override {
    auto memory = std::make_unique<std::vector<double>>(bytes / sizeof(double) + 2, 1e300);
    const auto handle = reinterpret_cast<std::uint64_t>(memory->data());
    memory_[handle] = std::move(memory);
    return Buffer(*this, handle, bytes);
  }
  void release(std::uint64_t handle) override { memory_.erase(handle); }
  Result<void> write(Buffer& to, std::size_t at, std::span<const std::byte> bytes) override {
    std::memcpy(reinterpret_cast<std::byte*>(to.handle()) + at, bytes.data(), bytes.size());
    return {};
  }
  Result<void> read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) override {
    std::memcpy(bytes.data(), reinterpret_cast<const std::byte*>(from.handle()) + at, bytes.size());
    return {};
  }
  Result<void> clear(Buffer& buffer) override {
    std::memset(reinterpret_cast<void*>(buffer.handle()), 0, buffer.bytes());
    return {};
  }
  Result<void> finish() override { return {}; }
  std::optional<std::size_t> free_memory() const override { return std::nullopt; }

  Shape shape(Kernel kernel, const gpu::RowSizes& sizes, std::size_t rows) const override {
    if (kernel == Kernel::Draw || kernel == Kernel::Constants) return {};
    const NsLayout& m = sizes.model;
    cuda::RowState row{m.near_size, m.row_size - m.near_size,
                       NS_PLACES_BYTES + m.begins_size * sizeof(std::uint32_t), false};
    if (kernel == Kernel::Minimize) {
      row.near_reals = cuda::share_near(m, *sizes.solver).near_size;
      row.far_reals += sizes.solver->row_size - sizes.solver->near_size;
      row.may_be_all_shared = true;
    }
    return cuda::choose_shape(row,
                              {options_.multiprocessors, options_.shared_bytes,
                               [&](std::size_t, std::size_t, std::size_t) { return options_.blocks; }},
                              rows);
  }

  Result<void> launch(Kernel kernel, const Shape& shape, std::span<const Argument> arguments) override {
    switch (kernel) {
      case Kernel::Evaluate:
        evaluate(shape, arguments);
        break;
      case Kernel::Minimize:
        minimize(shape, arguments);
        break;
      case Kernel::Draw:
        draw_toys(arguments);
        break;
      case Kernel::Constants:
        sum_constants(arguments);
        break;
    }
    return {};
  }

 private:
  void evaluate(const Shape& shape, std::span<const Argument> a) {
    const std::size_t which = shape.near_bytes == 0 ? 0 : shape.rows_per_group;
    const auto kernel = which == 0 ? evaluate_0 : which == 1 ? evaluate_1 : evaluate_2;
    launched_->push_back("evaluate_" + std::to_string(which));
    run_kernel({.blocks = shape.groups, .threads = options_.threads}, [&] {
      kernel(structure<NsLayout>(a[0]), pointer<double>(a[1]), pointer<unsigned>(a[2]), pointer<double>(a[3]),
             pointer<double>(a[4]), pointer<unsigned>(a[5]), pointer<double>(a[6]), pointer<double>(a[7]),
             pointer<double>(a[8]), pointer<double>(a[9]), pointer<double>(a[10]), number(a[11]),
             number(a[12]));
    });
  }

  void minimize(const Shape& shape, std::span<const Argument> a) {
    const auto& model = structure<NsLayout>(a[0]);
    const cuda::NearLayout near = cuda::share_near(model, structure<NsSolver>(a[1]));
    const bool all_shared = shape.near_bytes > 0 && shape.scratch_bytes == 0;
    const std::size_t which = shape.near_bytes == 0 ? 0 : shape.rows_per_group;
    const auto kernel = all_shared   ? minimize_shared
                        : which == 0 ? minimize_0
                        : which == 1 ? minimize_1
                                     : minimize_2;
    launched_->push_back(all_shared ? "minimize_shared" : "minimize_" + std::to_string(which));
    run_kernel({.blocks = shape.groups, .threads = options_.threads}, [&] {
      kernel(model, near.solver, structure<NsStop>(a[2]), pointer<double>(a[3]), pointer<unsigned>(a[4]),
             pointer<double>(a[5]), pointer<double>(a[6]), pointer<double>(a[7]), pointer<double>(a[8]),
             pointer<unsigned>(a[9]), pointer<unsigned>(a[10]), pointer<double>(a[11]),
             pointer<unsigned>(a[12]), pointer<double>(a[13]), pointer<double>(a[14]), number(a[15]),
             near.near_size);
    });
  }

  // A thread per pair of data and toy: blocks of one thread in y.
  void draw_toys(std::span<const Argument> a) {
    launched_->push_back("draw");
    const unsigned pairs = (number(a[5]) + 1) / 2, toys = number(a[9]);
    run_kernel({.blocks = (toys + 31) / 32, .blocks_y = pairs, .threads = 32}, [&] {
      draw(pointer<NsDatum>(a[0]), pointer<double>(a[1]), pointer<unsigned long long>(a[2]),
           pointer<unsigned>(a[3]), pointer<double>(a[4]), number(a[5]), std::get<std::uint64_t>(a[6]),
           number(a[7]), std::get<std::uint64_t>(a[8]), toys);
    });
  }

  void sum_constants(std::span<const Argument> a) {
    launched_->push_back("constants");
    const unsigned toys = number(a[7]);
    run_kernel({.blocks = (toys + 31) / 32, .threads = 32}, [&] {
      constants(pointer<double>(a[0]), number(a[1]), pointer<unsigned>(a[2]), number(a[3]),
                pointer<double>(a[4]), number(a[5]), pointer<double>(a[6]), toys);
    });
  }

  CudaOptions options_;
  std::shared_ptr<std::vector<std::string>> launched_;
  gpu::QueueTraits traits_;
  std::map<std::uint64_t, std::unique_ptr<std::vector<double>>> memory_;
};

}  // namespace

std::unique_ptr<gpu::Queue> make_cuda_queue(const CudaOptions& options,
                                            std::shared_ptr<std::vector<std::string>> launched) {
  return std::make_unique<CudaOnCpu>(options, std::move(launched));
}

}  // namespace nextstat::software
