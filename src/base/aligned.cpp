#include "base/aligned.h"

#include <sys/mman.h>

namespace nextstat {

void* raw_memory(std::size_t bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const bool is_large = bytes >= 2 * kLargePage;
  const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* const memory = is_large ? std::aligned_alloc(kLargePage, whole) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (is_large) madvise(memory, whole, MADV_HUGEPAGE);  // where it is refused, pages are small
#endif
  return memory;
}

}  // namespace nextstat
