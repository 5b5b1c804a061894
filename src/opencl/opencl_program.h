// The kernels, built for a device in one precision.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "opencl/opencl_devices.h"

namespace nextstat::opencl {

// Built programs in a folder, so that only the first run on a device compiles.
// An entry that is not what was written does not count.
//
//   ProgramCache cache(folder);
//   if (std::optional<std::string> binary = cache.find(key)) ...
//   cache.keep(key, binary);

class ProgramCache {
 public:
  explicit ProgramCache(std::string folder) : folder_(std::move(folder)) {}  // "" = keeps nothing

  // key: everything that the binary depends on.
  std::optional<std::string> find(std::string_view key) const;
  // Silent where it cannot be written: the program is there, only not for next time.
  void keep(std::string_view key, std::string_view binary) const;

 private:
  std::string path_of(std::string_view key) const;

  std::string folder_;
};

// entry.cl with everything that it includes; made by the build.
extern const char* const kKernelSource;

// Something of OpenCL's, given back at the end.
template <class Handle>
class Owned {
 public:
  Owned() = default;
  Owned(Handle handle, cl_int (*release)(Handle)) : handle_(handle), release_(release) {}
  ~Owned() {
    if (handle_ != nullptr) release_(handle_);
  }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), release_(other.release_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
  cl_int (*release_)(Handle) = nullptr;
};

// From the cache if it has the program for this device and driver, else built from source.
// Errors have the build log.
Result<Owned<cl_program>> build_program(const Loader& cl, cl_context context, const Device& device,
                                        unsigned real_bits, const ProgramCache& cache);

}  // namespace nextstat::opencl
