// Every call of a device fails once: the error says what was being done where, nothing leaks, and the session
// goes on with the right numbers.
#include <gtest/gtest.h>

#include <functional>

#include "gpu/memory_plan.h"
#include "gpu/test_sessions.h"
#include "minimize/rows/session_calls.h"

namespace nextstat::gpu {
namespace {

using conformance::MixedRows;

struct Fault {
  const char* name;
  Call call;
};
constexpr Fault kFaults[] = {{"allocation", Call::Allocate},
                             {"write", Call::Write},
                             {"read", Call::Read},
                             {"clear", Call::Clear},
                             {"launch", Call::Launch}};

// Makes the calls of one kind fail one after the other until a question comes through. How many failed.
std::size_t fail_each(SoftwareRecord& record, Call call, const std::function<Errors()>& ask) {
  for (std::size_t after = 0;; ++after) {
    record.fail = Failure{call, after};
    const Errors errors = ask();
    if (record.fail) {  // it had no such call left
      record.fail.reset();
      EXPECT_TRUE(errors.empty());
      return after;
    }
    if (errors.empty()) {
      ADD_FAILURE() << "a failure was passed over, call " << after;
      return after;
    }
    EXPECT_EQ(errors.front().code, ErrorCode::DeviceUnavailable);
    EXPECT_EQ(errors.front().where.inside, "software:0 (this processor as a device)");
    EXPECT_NE(errors.front().what.find(": no "), std::string::npos)
        << "what was being done: " << errors.front().what;
    EXPECT_FALSE(errors.front().hint.empty());
  }
}

template <class T>
Errors errors_of(const Result<T>& result) {
  return result ? Errors() : result.errors();
}

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, OfOpeningAreReportedAndLeakNothing) {
  const Model model = small_models()[0];
  auto record = std::make_shared<SoftwareRecord>();
  const std::size_t failed = fail_each(*record, GetParam().call, [&] {
    std::vector<std::unique_ptr<Queue>> queues;
    queues.push_back(make_software_queue({.record = record}));
    const Errors errors = errors_of(make_session(model, std::move(queues), {}));
    EXPECT_EQ(record->live_buffers, 0u);
    return errors;
  });
  const bool opens_with = GetParam().call == Call::Allocate || GetParam().call == Call::Write;
  EXPECT_EQ(failed > 0, opens_with);
}

TEST_P(Faults, OfMinimizingAreReportedAndTheSessionGoesOn) {
  const Model model = small_models()[0];
  const MixedRows rows(model, 31);
  const auto expected = rows.minimize(*make_cpu_session(model).value());
  for (const unsigned bits : {64u, 32u}) {
    SoftwareOptions options{.real_bits = bits};
    std::unique_ptr<DeviceSession> session = session_on(model, {options});
    const std::size_t failed = fail_each(*options.record, GetParam().call, [&] {
      // Buffers of its own every time: allocations are there to fail.
      if (GetParam().call == Call::Allocate) {
        const auto failure = std::exchange(options.record->fail, std::nullopt);
        session = session_on(model, {options});
        options.record->fail = failure;
      }
      return errors_of(session->minimize(rows.request()));
    });
    EXPECT_GT(failed, 0u);
    if (bits == 64) conformance::expect_same(rows.minimize(*session), expected);
    session.reset();
    EXPECT_EQ(options.record->live_buffers, 0u);
  }
}

TEST_P(Faults, OfEvaluatingAreReportedAndTheSessionGoesOn) {
  const Model model = small_models()[0];
  const PointRows rows(model, 31);
  SoftwareOptions options;
  std::unique_ptr<DeviceSession> session = session_on(model, {options});
  const std::size_t failed = fail_each(*options.record, GetParam().call, [&] {
    if (GetParam().call == Call::Allocate) {
      const auto failure = std::exchange(options.record->fail, std::nullopt);
      session = session_on(model, {options});
      options.record->fail = failure;
    }
    return errors_of(session->evaluate(rows.request));
  });
  EXPECT_EQ(failed > 0, GetParam().call != Call::Clear);
  expect_same(session->evaluate(rows.request).value(),
              make_cpu_session(model).value()->evaluate(rows.request).value());
}

TEST_P(Faults, OfDrawingAreReportedAndLeakNothing) {
  const Model model = small_models()[0];
  const auto cpu = make_cpu_session(model).value();
  const DrawPlan plan =
      make_draw_plan(compiled_model(model), expected_data(*cpu, model.initial()).value(), {}, false).value();
  SoftwareOptions options;
  const auto session = session_on(model, {options});
  const ToyDraw draw{plan, 3, 1, 0, 20};
  std::size_t buffers = 0;
  const std::size_t failed = fail_each(*options.record, GetParam().call, [&] {
    const Errors errors = errors_of(session->draw(draw));
    if (buffers > 0 && !errors.empty()) {
      EXPECT_LE(options.record->live_buffers, buffers + kSlots);
    }
    buffers = options.record->live_buffers;
    return errors;
  });
  EXPECT_EQ(failed > 0, GetParam().call != Call::Clear);
  EXPECT_EQ(session->draw(draw).value().values, cpu->draw(draw).value().values);
}

// Two devices: one of them failing fails the call, and the next one is right again.
TEST_P(Faults, OfOneDeviceOfTwoFailTheCall) {
  const Model model = small_models()[0];
  const MixedRows rows(model, 61);
  const auto expected = rows.minimize(*make_cpu_session(model).value());
  SoftwareOptions first{.items = 1}, second{.items = 1};
  const auto session = session_on(model, {first, second});
  conformance::expect_same(rows.minimize(*session), expected);
  second.record->fail = first.record->fail = Failure{GetParam().call, 0};
  const auto refused = session->minimize(rows.request());
  if (GetParam().call != Call::Allocate) {
    EXPECT_FALSE(refused);
  }
  first.record->fail.reset();
  second.record->fail.reset();
  conformance::expect_same(rows.minimize(*session), expected);
}

std::string fault_name(const testing::TestParamInfo<Fault>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Of, Faults, testing::ValuesIn(kFaults), fault_name);

}  // namespace
}  // namespace nextstat::gpu
