// Vectors that start on a cache line, so that rows of 8 doubles are aligned loads, and vectors whose numbers are written
// before they are read.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace nextstat {

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* pointer, std::size_t) { ::operator delete(pointer, kAlignment); }
  template <class U>
  bool operator==(const CacheLineAllocator<U>&) const {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

// Memory of many megabytes comes in large pages where the system has them: new pages cost more than what is written to
// them. Freed by std::free.
void* raw_memory(std::size_t bytes);

// New entries are not set to 0.
template <class T>
struct RawAllocator {
  using value_type = T;
  RawAllocator() = default;
  template <class U>
  RawAllocator(const RawAllocator<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(raw_memory(count * sizeof(T))); }
  void deallocate(T* pointer, std::size_t) { std::free(pointer); }
  template <class U>
  bool operator==(const RawAllocator<U>&) const {
    return true;
  }
  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

using RawNumbers = std::vector<double, RawAllocator<double>>;

}  // namespace nextstat
