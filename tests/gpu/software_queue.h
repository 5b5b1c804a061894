// A queue on this processor, for tests of everything that is written against gpu::Queue. It runs the kernels
// of an entry file, counts its buffers, and fails where it is told to.
//
//   auto record = std::make_shared<SoftwareRecord>();
//   record->fail = {Call::Launch, 2};          // the third launch from now
//   queues.push_back(make_software_queue({.record = record}));
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/software_kernels.h"

namespace nextstat::gpu {

enum class Call { Allocate, Write, Read, Clear, Launch, Finish };

struct Failure {
  Call call;
  std::size_t after = 0;  // so many calls of this kind succeed before one fails
};

// What a queue was asked for; outlives it.
struct SoftwareRecord {
  std::optional<Failure> fail;        // of the next calls; gone once it happened
  std::map<Call, std::size_t> calls;  // of each kind
  std::vector<std::size_t> waves;     // rows of every launch, its last number but one argument
  std::size_t live_buffers = 0, live_bytes = 0, most_bytes = 0;
  bool refuses_another = false;
  std::vector<std::shared_ptr<SoftwareRecord>> others;  // of further queues on the same device
};

struct SoftwareOptions {
  unsigned real_bits = 64;
  std::size_t memory = 0;  // bytes; 0 = no limit and none told
  std::size_t items = 5;   // work-items of a launch
  std::size_t largest_buffer = 0;
  bool backwards = false;               // the order in which work-items run
  std::size_t launch_milliseconds = 0;  // that a launch takes at least
  bool side_by_side = false;            // with further queues
  std::shared_ptr<SoftwareRecord> record = std::make_shared<SoftwareRecord>();
};

std::unique_ptr<Queue> make_software_queue(const SoftwareOptions& options = {});

}  // namespace nextstat::gpu
