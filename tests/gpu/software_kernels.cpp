// entry.cl compiled as C++, for REAL_BITS 64 or 32: the words of OpenCL C that it uses, then the file itself.
#include "gpu/software_kernels.h"

#include <atomic>
#include <bit>
#include <stdexcept>

#include "kernels/draw_layout.h"
#include "kernels/layout.h"
#include "kernels/solver_layout.h"

namespace nextstat::gpu {
namespace {
namespace opencl {

using uint = std::uint32_t;
using ulong = std::uint64_t;
#define __kernel static
#define __global
#define __constant const

thread_local std::size_t work_item = 0, work_items = 1;
inline std::size_t get_global_id(int) { return work_item; }
inline std::size_t get_global_size(int) { return work_items; }
[[maybe_unused]] inline ulong as_ulong(double x) { return std::bit_cast<ulong>(x); }
[[maybe_unused]] inline double as_double(ulong x) { return std::bit_cast<double>(x); }
[[maybe_unused]] inline uint as_uint(float x) { return std::bit_cast<uint>(x); }
[[maybe_unused]] inline float as_float(uint x) { return std::bit_cast<float>(x); }
inline uint atomic_inc(volatile uint* counter) {
  return std::atomic_ref<uint>(*const_cast<uint*>(counter)).fetch_add(1);
}

#include "kernels/entry.cl"

// Calls a kernel with arguments of the types that it declares.
template <class... Types, std::size_t... I>
void call(void (*kernel)(Types...), std::span<const KernelArgument> arguments, std::index_sequence<I...>) {
  const auto argument = []<class T>(const KernelArgument& from, T*) -> T {
    if constexpr (std::is_pointer_v<T>) {
      return reinterpret_cast<T>(from.memory);
    } else {
      return static_cast<T>(from.number);
    }
  };
  kernel(argument(arguments[I], static_cast<Types*>(nullptr))...);
}

template <class... Types>
void call(void (*kernel)(Types...), std::span<const KernelArgument> arguments) {
  if (arguments.size() != sizeof...(Types)) throw std::logic_error("a kernel got too many or few arguments");
  call(kernel, arguments, std::index_sequence_for<Types...>());
}

void run(Kernel kernel, std::size_t item, std::size_t items, std::span<const KernelArgument> arguments) {
  work_item = item;
  work_items = items;
  switch (kernel) {
    case Kernel::Evaluate:
      return call(evaluate, arguments);
    case Kernel::Minimize:
      return call(minimize, arguments);
    case Kernel::Draw:
    case Kernel::Constants:
#if REAL_BITS == 64
      return kernel == Kernel::Draw ? call(draw, arguments) : call(constants, arguments);
#else
      throw std::logic_error("toys are drawn in f64");
#endif
  }
}

}  // namespace opencl
}  // namespace

#if REAL_BITS == 64
void run_opencl_64(Kernel kernel, std::size_t item, std::size_t items,
                   std::span<const KernelArgument> arguments) {
#else
void run_opencl_32(Kernel kernel, std::size_t item, std::size_t items,
                   std::span<const KernelArgument> arguments) {
#endif
  opencl::run(kernel, item, items, arguments);
}

}  // namespace nextstat::gpu
