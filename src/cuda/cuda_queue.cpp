#include "cuda/cuda_queue.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "base/try.h"
#include "cuda/block_shape.h"
#include "cuda/cuda_backend.h"
#include "gpu/gpu_session.h"

namespace nextstat::cuda {
namespace {

using gpu::Argument;
using gpu::Buffer;
using gpu::Kernel;
using gpu::Shape;

// By kernel and rows of a block; 0: rows stand in device memory; kAllShared: all of a row in shared memory.
constexpr std::array<std::array<const char*, 4>, 2> kNames = {
    {{"evaluate_0", "evaluate_1", "evaluate_2", nullptr},
     {"minimize_0", "minimize_1", "minimize_2", "minimize_shared"}}};
constexpr std::size_t kPairsOfDraw = 64, kToysOfDraw = 4;  // threads of a block that draws
constexpr unsigned kToysOfConstants = 32;                  // and of one that sums constants

// Function attributes, as numbered in cuda.h.
constexpr int kDynamicSharedBytes = 8, kPreferShared = 9;
constexpr int kSharedBytesOfBlock = 97;  // device attribute: what a block may ask for
constexpr unsigned kNonBlocking = 1;
// Small copies go through memory that the device reads by itself: with other memory the driver waits for the stream.
constexpr std::size_t kStagingBytes = std::size_t{1} << 20, kLargestStaged = std::size_t{256} << 10;
constexpr std::size_t kRowsOfMultiprocessor = 8;  // of models whose rows fit beside it
constexpr CUresult kOutOfMemory = 2, kNoBinary = 209, kUnsupportedPtx = 222;

class CudaQueue final : public gpu::Queue {
 public:
  explicit CudaQueue(std::shared_ptr<const Driver> driver) : cu_(std::move(driver)) {}
  ~CudaQueue() override {
    if (context_ == nullptr) return;
    cu_->cuCtxSetCurrent(context_);
    if (stream_ != nullptr) cu_->cuStreamDestroy(stream_);
    if (staging_ != nullptr) cu_->cuMemFreeHost(staging_);
    if (module_ != nullptr) cu_->cuModuleUnload(module_);
    cu_->cuDevicePrimaryCtxRelease(device_);
  }

  Result<void> open(std::size_t index) {
    index_ = index;
    TRY_DO(open_device(index));
    const CUresult loaded = cu_->cuModuleLoadDataEx(&module_, kernels_image(), 0, nullptr, nullptr);
    if (loaded == kNoBinary || loaded == kUnsupportedPtx) return no_code();
    TRY_DO(checked("cuModuleLoadDataEx", loaded));
    for (std::size_t kernel = 0; kernel < kNames.size(); ++kernel) {
      for (std::size_t rows = 0; rows < kNames[kernel].size(); ++rows) {
        if (kNames[kernel][rows] == nullptr) continue;
        TRY_DO(find(kNames[kernel][rows], functions_[kernel][rows], rows > 0));
      }
    }
    TRY_DO(find("draw", draw_, false));
    return find("constants", constants_, false);
  }

  const gpu::QueueTraits& traits() const override { return traits_; }
  Result<std::unique_ptr<gpu::Queue>> another() override { return make_queue(cu_, index_); }

  Result<Buffer> allocate(std::size_t bytes) override {
    cu_->cuCtxSetCurrent(context_);
    CUdeviceptr pointer = 0;
    const CUresult result = cu_->cuMemAlloc(&pointer, std::max<std::size_t>(bytes, 16));
    if (result != 0)
      return Error{result == kOutOfMemory ? ErrorCode::LimitExceeded : ErrorCode::DeviceUnavailable, "",
                   fmt::format("{} bytes: {}", bytes, cu_->check("cuMemAlloc", result)),
                   "use less of the device's memory"};
    return Buffer(*this, pointer, bytes);
  }
  void release(std::uint64_t handle) override {
    cu_->cuCtxSetCurrent(context_);
    cu_->cuMemFree(handle);
  }

  Result<void> write(Buffer& to, std::size_t at, std::span<const std::byte> bytes) override {
    cu_->cuCtxSetCurrent(context_);
    const void* host = bytes.data();
    if (std::byte* const staged = stage(bytes.size())) host = std::memcpy(staged, bytes.data(), bytes.size());
    return checked("cuMemcpyHtoDAsync",
                   cu_->cuMemcpyHtoDAsync(to.handle() + at, host, bytes.size(), stream_));
  }
  Result<void> start_read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) override {
    cu_->cuCtxSetCurrent(context_);
    std::byte* const staged = stage(bytes.size());
    TRY_DO(checked("cuMemcpyDtoHAsync", cu_->cuMemcpyDtoHAsync(staged != nullptr ? staged : bytes.data(),
                                                               from.handle() + at, bytes.size(), stream_)));
    if (staged != nullptr) arriving_.push_back({staged, bytes});
    return {};
  }
  Result<void> read(const Buffer& from, std::size_t at, std::span<std::byte> bytes) override {
    const Result<void> started = start_read(from, at, bytes), finished = finish();
    return started ? finished : started;
  }
  Result<void> clear(Buffer& buffer) override {
    cu_->cuCtxSetCurrent(context_);
    return checked("cuMemsetD8Async", cu_->cuMemsetD8Async(buffer.handle(), 0, buffer.bytes(), stream_));
  }
  Result<void> finish() override {
    cu_->cuCtxSetCurrent(context_);
    const CUresult result = cu_->cuStreamSynchronize(stream_);
    for (const Arriving& one : arriving_) {
      if (result == 0) std::memcpy(one.to.data(), one.staged, one.to.size());
    }
    arriving_.clear();
    staged_ = 0;
    return checked("cuStreamSynchronize", result);
  }

  Shape shape(Kernel kernel, const gpu::RowSizes& sizes, std::size_t rows) const override {
    if (kernel == Kernel::Draw || kernel == Kernel::Constants) return {};
    cu_->cuCtxSetCurrent(context_);
    const NsLayout& m = sizes.model;
    RowState row{m.near_size, m.row_size - m.near_size,
                 NS_PLACES_BYTES + m.begins_size * sizeof(std::uint32_t), false};
    if (kernel == Kernel::Minimize) {
      row.near_reals = share_near(m, *sizes.solver).near_size;
      row.far_reals += sizes.solver->row_size - sizes.solver->near_size;
      row.may_be_all_shared = true;
    }
    const Multiprocessors device{multiprocessors_, shared_bytes_,
                                 [&](std::size_t together, std::size_t threads, std::size_t bytes) {
                                   return blocks(kernel, together, threads, bytes);
                                 }};
    return choose_shape(row, device, rows);
  }

  Result<void> launch(Kernel kernel, const Shape& shape, std::span<const Argument> given) override {
    cu_->cuCtxSetCurrent(context_);
    if (kernel == Kernel::Draw) return launch_draw(given);
    if (kernel == Kernel::Constants) return launch_constants(given);
    std::vector<Argument> arguments(given.begin(), given.end());
    NearLayout near{};
    if (kernel == Kernel::Minimize) {
      const auto& model = *static_cast<const NsLayout*>(std::get<gpu::ByValue>(given[0]).bytes);
      near = share_near(model, *static_cast<const NsSolver*>(std::get<gpu::ByValue>(given[1]).bytes));
      arguments[1] = gpu::ByValue{&near.solver, sizeof near.solver};
      arguments.emplace_back(std::uint32_t{near.near_size});
    }
    const std::size_t rows = shape.near_bytes == 0      ? 0
                             : shape.scratch_bytes == 0 ? kAllShared
                                                        : shape.rows_per_group;
    return run(functions_[static_cast<std::size_t>(kernel)][rows], {shape.groups, 1, shape.threads, 1},
               shape.near_bytes == 0 ? std::size_t{NS_PLACES_BYTES} : shape.near_bytes, arguments);
  }

  std::optional<std::size_t> free_memory() const override {
    cu_->cuCtxSetCurrent(context_);
    std::size_t free = 0, total = 0;
    if (cu_->cuMemGetInfo(&free, &total) != 0) return std::nullopt;
    return free;
  }

 private:
  struct Grid {
    unsigned blocks_x, blocks_y, threads_x, threads_y;
  };

  struct Arriving {
    const std::byte* staged;
    std::span<std::byte> to;
  };

  // Room for a small copy until the next finish(); null where it is too large, or there is none.
  std::byte* stage(std::size_t bytes) {
    if (bytes > kLargestStaged || staged_ + bytes > kStagingBytes) return nullptr;
    void* memory = staging_;
    if (memory == nullptr && cu_->cuMemHostAlloc(&memory, kStagingBytes, 0) != 0) return nullptr;
    staging_ = static_cast<std::byte*>(memory);
    std::byte* const place = staging_ + staged_;
    staged_ += (bytes + 15) / 16 * 16;
    return place;
  }

  Result<void> checked(const char* call, CUresult result) const {
    if (std::string what = cu_->check(call, result); !what.empty())
      return Error{ErrorCode::DeviceUnavailable, "", std::move(what),
                   "`nvidia-smi` shows the state of the device"};
    return {};
  }

  Error no_code() const {
    return {
        ErrorCode::DeviceUnavailable, "",
        fmt::format("this build has kernels for compute capabilities {}, but none that this device can run",
                    kernel_architectures()),
        "build for it (-DNEXTSTAT_CUDA_ARCHITECTURES=all), or update the driver"};
  }

  int attribute(int number) const {
    int value = 0;
    return cu_->cuDeviceGetAttribute(&value, number, device_) == 0 ? value : 0;
  }

  // A context takes a tenth of a second or more to make, and goes with its last user: one more use of it, which is never
  // given back, keeps it for the sessions to come.
  void keep_context() const {
    static std::mutex mutex;
    static std::set<CUdevice> kept;
    const std::lock_guard lock(mutex);
    CUcontext same = nullptr;
    if (!kept.contains(device_) && cu_->cuDevicePrimaryCtxRetain(&same, device_) == 0) kept.insert(device_);
  }

  Result<void> open_device(std::size_t index) {
    TRY_DO(checked("cuInit", cu_->cuInit(0)));
    int count = 0;
    TRY_DO(checked("cuDeviceGetCount", cu_->cuDeviceGetCount(&count)));
    if (index >= static_cast<std::size_t>(count))
      return Error{ErrorCode::DeviceUnavailable, "",
                   fmt::format("there are {} CUDA devices, counted from 0", count), Listing::Devices};
    TRY_DO(checked("cuDeviceGet", cu_->cuDeviceGet(&device_, static_cast<int>(index))));
    TRY_DO(checked("cuDevicePrimaryCtxRetain", cu_->cuDevicePrimaryCtxRetain(&context_, device_)));
    keep_context();
    TRY_DO(checked("cuCtxSetCurrent", cu_->cuCtxSetCurrent(context_)));
    std::array<char, 256> name{};
    cu_->cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device_);
    std::size_t total = 0;
    cu_->cuDeviceTotalMem(&total, device_);
    multiprocessors_ = static_cast<std::size_t>(std::max(1, attribute(kMultiprocessors)));
    traits_ = {fmt::format("cuda:{}", index),
               name.data(),
               64,
               0,
               total,
               true,
               kRowsOfMultiprocessor * multiprocessors_,
               true};
    shared_bytes_ = static_cast<std::size_t>(attribute(kSharedBytesOfBlock));
    return checked("cuStreamCreate", cu_->cuStreamCreate(&stream_, kNonBlocking));
  }

  Result<void> find(const char* name, CUfunction& function, bool uses_shared) const {
    TRY_DO(checked("cuModuleGetFunction", cu_->cuModuleGetFunction(&function, module_, name)));
    if (!uses_shared) return {};
    TRY_DO(checked("cuFuncSetAttribute",
                   cu_->cuFuncSetAttribute(function, kDynamicSharedBytes, static_cast<int>(shared_bytes_))));
    return checked("cuFuncSetAttribute", cu_->cuFuncSetAttribute(function, kPreferShared, 100));
  }

  // Planning asks for the same few again and again.
  std::size_t blocks(Kernel kernel, std::size_t rows, std::size_t threads, std::size_t shared_bytes) const {
    const auto [known, is_new] = blocks_.try_emplace({kernel, rows, threads, shared_bytes}, 0);
    if (is_new) {
      int count = 0;
      cu_->cuOccupancyMaxActiveBlocksPerMultiprocessor(&count,
                                                       functions_[static_cast<std::size_t>(kernel)][rows],
                                                       static_cast<int>(threads), shared_bytes);
      // At least one: a launch that cannot be says so.
      known->second = static_cast<std::size_t>(std::max(1, count));
    }
    return known->second;
  }

  Result<void> launch_draw(std::span<const Argument> arguments) {
    const std::size_t pairs = (std::get<std::uint32_t>(arguments[5]) + std::size_t{1}) / 2;
    const std::size_t toys = std::get<std::uint32_t>(arguments[9]);
    return run(draw_,
               {static_cast<unsigned>((toys + kToysOfDraw - 1) / kToysOfDraw),
                static_cast<unsigned>((pairs + kPairsOfDraw - 1) / kPairsOfDraw), unsigned{kToysOfDraw},
                unsigned{kPairsOfDraw}},
               0, arguments);
  }

  Result<void> launch_constants(std::span<const Argument> arguments) {
    const std::size_t toys = std::get<std::uint32_t>(arguments[7]);
    const auto blocks = static_cast<unsigned>((toys + kToysOfConstants - 1) / kToysOfConstants);
    return run(constants_, {blocks, 1, kToysOfConstants, 1}, 0, arguments);
  }

  Result<void> run(CUfunction function, const Grid& grid, std::size_t shared_bytes,
                   std::span<const Argument> arguments) {
    std::vector<std::uint64_t> pointers(arguments.size());
    std::vector<void*> values(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (const auto* buffer = std::get_if<const Buffer*>(&arguments[i])) {
        pointers[i] = (*buffer)->handle();
        values[i] = &pointers[i];
      } else if (const auto* structure = std::get_if<gpu::ByValue>(&arguments[i])) {
        values[i] = const_cast<void*>(structure->bytes);
      } else if (const auto* number = std::get_if<std::uint32_t>(&arguments[i])) {
        values[i] = const_cast<std::uint32_t*>(number);
      } else {
        values[i] = const_cast<std::uint64_t*>(std::get_if<std::uint64_t>(&arguments[i]));
      }
    }
    return checked(
        "cuLaunchKernel",
        cu_->cuLaunchKernel(function, grid.blocks_x, grid.blocks_y, 1, grid.threads_x, grid.threads_y, 1,
                            static_cast<unsigned>(shared_bytes), stream_, values.data(), nullptr));
  }

  std::shared_ptr<const Driver> cu_;
  std::size_t index_ = 0;
  gpu::QueueTraits traits_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUmodule module_ = nullptr;
  std::array<std::array<CUfunction, 4>, 2> functions_{};
  CUfunction draw_ = nullptr, constants_ = nullptr;
  std::byte* staging_ = nullptr;
  std::size_t staged_ = 0;  // bytes in use
  std::vector<Arriving> arriving_;
  std::size_t multiprocessors_ = 1, shared_bytes_ = 0;
  mutable std::map<std::tuple<Kernel, std::size_t, std::size_t, std::size_t>, std::size_t> blocks_;
};

}  // namespace

Result<std::unique_ptr<gpu::Queue>> make_queue(std::shared_ptr<const Driver> driver, std::size_t index) {
  auto queue = std::make_unique<CudaQueue>(std::move(driver));
  if (auto opened = queue->open(index); !opened) {
    Errors errors = opened.errors();
    for (Error& error : errors) error.where = fmt::format("cuda:{}", index);
    return errors;
  }
  return std::unique_ptr<gpu::Queue>(std::move(queue));
}

const char* why_no_kernels() { return ""; }

Result<std::unique_ptr<DeviceSession>> make_cuda_session(const Model& model,
                                                         const std::vector<std::size_t>& devices,
                                                         const DeviceSessionOptions& options) {
  TRY(Driver driver, open_driver());
  const auto shared = std::make_shared<const Driver>(std::move(driver));
  std::vector<std::unique_ptr<gpu::Queue>> queues;
  for (const std::size_t index : devices) {
    TRY(std::unique_ptr<gpu::Queue> queue, make_queue(shared, index));
    queues.push_back(std::move(queue));
  }
  return gpu::make_session(model, std::move(queues), options);
}

}  // namespace nextstat::cuda
