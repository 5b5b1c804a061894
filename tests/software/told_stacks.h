// The address sanitizer knows the stacks of threads only: what changes to another stack must tell it.
#pragma once

#include <boost/context/fixedsize_stack.hpp>
#include <cstddef>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace nextstat::software {

// One stack among those that a thread runs on. What leaves for it keeps what leave() gives, for when it goes on:
//
//   void* const kept = other.leave_for();  ...change to the other stack, and come back...  other.back(kept);
class ToldStack {
 public:
  ToldStack() = default;
  ToldStack(const ToldStack&) = delete;
  ToldStack& operator=(const ToldStack&) = delete;

  void is_new([[maybe_unused]] void* bottom, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
    bottom_ = bottom;
    size_ = size;
#endif
  }

  void* leave_for([[maybe_unused]] bool for_good = false) {
    void* kept = nullptr;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &kept, bottom_, size_);
#endif
    return kept;
  }

  // On the stack that left for this one.
  void back([[maybe_unused]] void* kept) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(kept, &bottom_, &size_);
#endif
  }

 private:
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
#endif
};

// The allocator of a fiber's stack, which it notes.
struct NotingStack {
  ToldStack* note;
  boost::context::fixedsize_stack stacks{256 * 1024};

  boost::context::stack_context allocate() {
    boost::context::stack_context made = stacks.allocate();
    note->is_new(static_cast<char*>(made.sp) - made.size, made.size);
    return made;
  }
  void deallocate(boost::context::stack_context& stack) { stacks.deallocate(stack); }
};

}  // namespace nextstat::software
