#include "software/cuda_machine.h"

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <vector>

#include "software/cuda_stand_in.h"
#include "software/told_stacks.h"

Index3 threadIdx, blockIdx, blockDim, gridDim;

namespace nextstat::software {
namespace {

namespace context = boost::context;
constexpr unsigned kWarp = 32;

enum class Waits { No, ForWarp, ForBlock, Done };

struct Thread {
  context::fiber fiber;
  ToldStack stack;
  Waits waits = Waits::No;
  unsigned shuffles = 0;  // which of the two exchange buffers comes next
};

// One block at a time; its threads take turns.
class Block {
 public:
  void run(unsigned threads, const std::function<void()>& kernel) {
    threads_ = std::vector<Thread>(threads);
    exchange_[0].assign(threads, 0);
    exchange_[1].assign(threads, 0);
    for (unsigned t = 0; t < threads; ++t) {
      threads_[t].fiber = context::fiber(std::allocator_arg, NotingStack{&threads_[t].stack},
                                         [this, t, &kernel](context::fiber&& caller) {
                                           main_.back(nullptr);
                                           caller_ = std::move(caller);
                                           try {
                                             kernel();
                                           } catch (const GivenUp&) {
                                           } catch (...) {
                                             failure_ = std::current_exception();
                                           }
                                           threads_[t].waits = Waits::Done;
                                           main_.leave_for(true);
                                           return std::move(caller_);
                                         });
    }
    try {
      while (step()) {
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    give_up();
    if (failure_) std::rethrow_exception(failure_);
  }

  void wait(Waits what) {
    threads_[threadIdx.x].waits = what;
    void* const kept = main_.leave_for();
    caller_ = std::move(caller_).resume();
    main_.back(kept);
    if (given_up_) throw GivenUp{};
  }

  // All threads that wait at a barrier have put their part here before any goes on.
  int collect(int value) {
    collected_ |= value;
    wait(Waits::ForBlock);
    const int all = collected_;
    wait(Waits::ForBlock);
    collected_ = 0;
    return all;
  }

  // The value of another thread of the warp.
  double exchange(double value, unsigned other) {
    const unsigned me = threadIdx.x, which = threads_[me].shuffles++ % 2;
    exchange_[which][me] = value;
    wait(Waits::ForWarp);
    return exchange_[which][other];
  }

 private:
  struct GivenUp {};

  void resume(unsigned t) {
    threadIdx.x = t;
    void* const kept = threads_[t].stack.leave_for();
    threads_[t].fiber = std::move(threads_[t].fiber).resume();
    threads_[t].stack.back(kept);
  }

  // Threads that are not done end where they are.
  void give_up() {
    given_up_ = true;
    for (unsigned t = 0; t < threads_.size(); ++t) {
      while (threads_[t].fiber && threads_[t].waits != Waits::Done) resume(t);
    }
  }

  // Runs every thread that may run, then opens the barriers that all have reached. False: the block is done.
  // From the first thread to the last and the other way round, in turns: a missing barrier shows in one of them.
  bool step() {
    const unsigned threads = static_cast<unsigned>(threads_.size());
    backwards_ = !backwards_;
    for (unsigned i = 0; i < threads; ++i) {
      const unsigned t = backwards_ ? threads - 1 - i : i;
      if (threads_[t].waits != Waits::No) continue;
      resume(t);
      if (failure_) return false;
    }
    bool opened = open_warps();
    if (opened) return true;
    unsigned done = 0, at_block = 0;
    for (const Thread& thread : threads_) {
      done += thread.waits == Waits::Done;
      at_block += thread.waits == Waits::ForBlock;
    }
    if (done == threads_.size()) return false;
    if (at_block != threads_.size())
      throw std::logic_error("a barrier of the block that not all of its threads reach");
    for (Thread& thread : threads_) thread.waits = Waits::No;
    return true;
  }

  bool open_warps() {
    bool opened = false;
    for (std::size_t first = 0; first < threads_.size(); first += kWarp) {
      const std::size_t last = std::min(threads_.size(), first + kWarp);
      unsigned waiting = 0;
      for (std::size_t t = first; t < last; ++t) waiting += threads_[t].waits == Waits::ForWarp;
      if (waiting == 0) continue;
      if (waiting != last - first) throw std::logic_error("a shuffle that not all threads of the warp reach");
      for (std::size_t t = first; t < last; ++t) threads_[t].waits = Waits::No;
      opened = true;
    }
    return opened;
  }

  std::vector<Thread> threads_;
  std::vector<double> exchange_[2];
  context::fiber caller_;
  ToldStack main_;
  bool given_up_ = false, backwards_ = false;
  std::exception_ptr failure_;
  int collected_ = 0;
};

Block* current = nullptr;

}  // namespace

void run_kernel(const Launch& launch, const std::function<void()>& kernel) {
  gridDim = {launch.blocks, launch.blocks_y, 1};
  blockDim = {launch.threads, 1, 1};
  for (unsigned y = 0; y < launch.blocks_y; ++y) {
    for (unsigned x = 0; x < launch.blocks; ++x) {
      blockIdx = {x, y, 0};
      Block block;
      current = &block;
      block.run(launch.threads, kernel);
    }
  }
  current = nullptr;
}

}  // namespace nextstat::software

using nextstat::software::current;
void __syncwarp() { current->wait(nextstat::software::Waits::ForWarp); }
void __syncthreads() { current->wait(nextstat::software::Waits::ForBlock); }
int __syncthreads_or(int value) { return current->collect(value); }
double __shfl_xor_sync(unsigned, double value, int mask) {
  return current->exchange(value, threadIdx.x ^ static_cast<unsigned>(mask));
}
unsigned __shfl_sync(unsigned, unsigned value, int lane) {
  return static_cast<unsigned>(current->exchange(value, threadIdx.x / 32 * 32 + static_cast<unsigned>(lane)));
}
double __shfl_sync(unsigned, double value, int lane) {
  return current->exchange(value, threadIdx.x / 32 * 32 + static_cast<unsigned>(lane));
}
unsigned atomicAdd(unsigned* to, unsigned value) {
  const unsigned before = *to;
  *to += value;
  return before;
}
