// Backends that tests bring along: what they report, whether they open, and how wrong they compute.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/registry.h"

namespace nextstat::testing {

constexpr std::uint64_t kGB = std::uint64_t{1} << 30;

inline DeviceInfo device(std::size_t index, std::string name, std::uint64_t total,
                         std::optional<std::uint64_t> free) {
  DeviceInfo info;
  info.index = index;
  info.name = std::move(name);
  info.total_memory = total;
  info.free_memory = free;
  return info;
}

// The CPU's numbers, all of them multiplied by a factor.
class BentSession final : public DeviceSession {
 public:
  BentSession(std::unique_ptr<DeviceSession> session, double factor, bool f64)
      : session_(std::move(session)), factor_(factor), f64_(f64) {}

  Result<EvalOutput> evaluate(const EvalRequest& request) override {
    Result<EvalOutput> output = session_->evaluate(request);
    if (output) {
      for (double& nll : output->nll) nll *= factor_;
    }
    return output;
  }
  Result<std::vector<RowOutcome>> minimize(const MinimizeRequest& request) override {
    return session_->minimize(request);
  }
  Result<DrawnToys> draw(const ToyDraw& draw) override { return session_->draw(draw); }
  SessionTraits traits() const override {
    SessionTraits own = session_->traits();
    own.f64 = f64_;
    return own;
  }

 private:
  std::unique_ptr<DeviceSession> session_;
  double factor_;
  bool f64_;
};

class FakeBackend final : public Backend {
 public:
  FakeBackend(BackendType type, std::vector<DeviceInfo> devices) : report_{type, std::move(devices), {}} {}
  FakeBackend(BackendType type, AbsentStage stage, std::string reason)
      : report_{type, {}, Absent{stage, std::move(reason), "a hint"}} {}

  FakeBackend& opens_with(std::string error) {
    error_ = std::move(error);
    return *this;
  }
  FakeBackend& computes(double factor, bool f64 = true) {
    factor_ = factor;
    f64_ = f64;
    return *this;
  }

  BackendType type() const override { return report_.type; }
  BackendReport discover(FreeMemory free_memory) const override {
    ++discovered;
    BackendReport report = report_;
    if (free_memory == FreeMemory::Unknown) {
      for (DeviceInfo& device : report.devices) device.free_memory.reset();
    }
    return report;
  }
  Result<std::unique_ptr<DeviceSession>> open(const Model& model, const std::vector<std::size_t>&,
                                              const DeviceSessionOptions& options) const override {
    ++opened;
    if (!error_.empty()) return Error{ErrorCode::DeviceUnavailable, "", error_, "a hint"};
    Result<std::unique_ptr<DeviceSession>> session = native_backend().open(model, {0}, options);
    if (!session) return session;
    return std::unique_ptr<DeviceSession>(new BentSession(std::move(*session), factor_, f64_));
  }

  mutable int discovered = 0, opened = 0;

 private:
  BackendReport report_;
  std::string error_;
  double factor_ = 1;
  bool f64_ = true;
};

}  // namespace nextstat::testing
