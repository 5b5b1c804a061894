// The datasets of one wave: which of the request's it uses, cleaned, on the device, with their constants.
// The model's own data and toys drawn on the device stand there already.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "device/requests.h"
#include "gpu/convert.h"
#include "gpu/device_model.h"
#include "model/data/dataset.h"

namespace nextstat::gpu {

// Numbers of what one wave uses out of many: datasets, starts, bounds. In order of first use, from 0.
class LocalNumbers {
 public:
  explicit LocalNumbers(std::size_t total) : local_(total, kUnused) {}

  std::uint32_t number_of(std::size_t global) {
    std::uint32_t& local = local_[global];
    if (local == kUnused) {
      local = static_cast<std::uint32_t>(used_.size());
      used_.push_back(global);
    }
    return local;
  }
  // [local number] its number in the request.
  const std::vector<std::size_t>& used() const { return used_; }

 private:
  static constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> local_;
  std::vector<std::size_t> used_;
};

// Where a request's data come from.
struct DataSource {
  std::span<const double> values;  // [dataset][datum]; empty = the model's own, or those of drawn
  Drawn* drawn = nullptr;          // where every device holds them already

  DataSource(DeviceModel& bound, std::span<const double> the_values, DrawnToys* toys) : values(the_values) {
    if (toys == nullptr) return;
    for (Drawn& known : bound.drawn) {
      if (known.number == toys->resident && known.toys == toys->count(bound.compiled.n_data)) drawn = &known;
    }
    // Where many other draws came between: once more.
    if (drawn == nullptr && toys->unread) toys->draw_again(bound.options.threads);
    values = drawn == nullptr ? std::span<const double>(toys->values) : std::span<const double>();
  }
  // The model's own.
  bool is_own() const { return values.empty() && drawn == nullptr; }
  // Sets that `rows` rows may have to upload.
  std::size_t uploads(std::size_t rows, std::size_t n_data) const {
    return values.empty() ? 0 : std::min(rows, values.size() / n_data);
  }
};

template <class Scalar>
class WaveData {
 public:
  WaveData(const DeviceModel& bound, const DataSource& source)
      : bound_(bound),
        source_(source),
        numbers_(source.uploads(source.values.size(), std::max<std::size_t>(1, bound.compiled.n_data))) {}

  // What the kernel knows a set by.
  std::uint32_t number_of(std::size_t set) {
    if (source_.is_own()) return 0;
    return source_.drawn != nullptr ? static_cast<std::uint32_t>(set) : numbers_.number_of(set);
  }
  double constant(std::uint32_t number) const {
    if (source_.is_own()) return bound_.own_constant;
    return source_.drawn != nullptr ? source_.drawn->constants[number] : constants_[number];
  }

  // After every number was asked for.
  const Buffer& upload(Worker& worker, Steps& steps) {
    if (source_.is_own()) return worker.own_data;
    if (source_.drawn != nullptr) return worker.resident(source_.drawn->number);
    const std::size_t n_data = bound_.compiled.n_data, sets = numbers_.used().size();
    const std::span<Scalar> staged = worker.data_staging.as<Scalar>(sets * n_data);
    constants_.resize(sets);
    constexpr std::size_t kChunk = 64;
    parallel_chunks((sets + kChunk - 1) / kChunk, bound_.options.threads, [&](std::size_t chunk) {
      std::vector<double> cleaned(n_data);
      for (std::size_t i = chunk * kChunk; i < std::min(sets, (chunk + 1) * kChunk); ++i) {
        const std::span<const double> given = source_.values.subspan(numbers_.used()[i] * n_data, n_data);
        cleaned.assign(given.begin(), given.end());
        constants_[i] = clean_data(bound_.compiled, cleaned);
        for (std::size_t k = 0; k < n_data; ++k) staged[i * n_data + k] = narrowed_datum<Scalar>(cleaned[k]);
      }
    });
    steps.write("uploading data", worker.slot(Slot::Data), std::span<const Scalar>(staged));
    return worker.slot(Slot::Data);
  }

 private:
  const DeviceModel& bound_;
  const DataSource& source_;
  LocalNumbers numbers_;
  std::vector<double> constants_;  // [local number]
};

// NLLs without their constants, from the terms of an f32 device: summed in f64, in their order.
template <class Scalar>
void read_term_sums(Steps& steps, Worker& worker, const NsLayout& layout, std::span<double> nll) {
  const std::size_t n_terms = layout.term_slices * 8;
  const std::span<Scalar> terms = worker.data_staging.as<Scalar>(nll.size() * n_terms);
  steps.read("reading NLLs", worker.slot(Slot::Terms), terms);
  if (!steps.ok()) return;
  for (std::size_t row = 0; row < nll.size(); ++row) {
    nll[row] = 0;
    for (std::size_t i = 0; i < n_terms; ++i) nll[row] += static_cast<double>(terms[row * n_terms + i]);
  }
}

}  // namespace nextstat::gpu
