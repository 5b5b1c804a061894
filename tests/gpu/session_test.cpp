// The host code of GPUs on the software queue: the bits of the CPU session for any waves, queues and memory.
#include "gpu/gpu_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "gpu/device_model.h"
#include "gpu/test_sessions.h"
#include "minimize/rows/session_calls.h"

namespace nextstat::gpu {
namespace {

using conformance::MixedRows;

TEST(GpuSession, EvaluatesWithTheBitsOfTheCpu) {
  for (const Model& model : small_models()) {
    const PointRows rows(model, 40);
    const auto cpu = make_cpu_session(model).value();
    const auto gpu = session_on(model, {{}});
    expect_same(gpu->evaluate(rows.request).value(), cpu->evaluate(rows.request).value());
    EvalRequest own = rows.request;
    own.data = {};
    own.data_of_row = {};
    expect_same(gpu->evaluate(own).value(), cpu->evaluate(own).value());
  }
}

TEST(GpuSession, MinimizesWithTheBitsOfTheCpu) {
  for (const Model& model : small_models()) {
    const MixedRows rows(model);
    const auto expected = rows.minimize(*make_cpu_session(model).value());
    const auto gpu = session_on(model, {{}});
    expect_same(rows.minimize(*gpu), expected);
    expect_same(rows.minimize(*gpu, true), expected);
    expect_same(rows.minimize(*session_on(model, {{.items = 64, .backwards = true}})), expected);
  }
}

// --- waves and memory --------------------------------------------------------------------------------------

// Rows for many waves, and what the CPU makes of them.
struct WaveRows {
  Model model = small_models()[0];
  MixedRows rows{model, 103};
  PointRows points{model, 103};
  std::vector<RowOutcome> minima = rows.minimize(*make_cpu_session(model).value());
  EvalOutput values = make_cpu_session(model).value()->evaluate(points.request).value();
};
const WaveRows& wave_rows() {
  static const WaveRows rows;
  return rows;
}

// Of which size waves are does not show in the results.
TEST(GpuWaves, OfAnySizeGiveTheSameBytes) {
  const auto& [model, rows, points, minima, values] = wave_rows();
  for (const std::size_t items : {1, 2, 3, 7, 13, 200}) {
    SCOPED_TRACE(items);
    SoftwareOptions options{.items = items};
    const auto gpu = session_on(model, {options});
    expect_same(rows.minimize(*gpu), minima);
    expect_same(gpu->evaluate(points.request).value(), values);
    expect_same(rows.minimize(*gpu, true), minima);
    EXPECT_GE(options.record->waves.size(), 3u);
  }
}

// Rows are run once each: waves add up, and a slow start does not make them all small.
TEST(GpuWaves, CoverEveryRowOnce) {
  const Model model = small_models()[0];
  SoftwareOptions options{.items = 2};
  const auto gpu = session_on(model, {options});
  const MixedRows rows(model, 61);
  rows.minimize(*gpu);
  EXPECT_EQ(std::accumulate(options.record->waves.begin(), options.record->waves.end(), std::size_t{0}), 61u);
  EXPECT_GT(options.record->waves.size(), 1u);
  options.record->waves.clear();
  rows.minimize(*gpu);
  EXPECT_EQ(options.record->waves.size(), 1u) << "its speed is known: everything fits 0.2 s";
}

TEST(GpuWaves, FitTheMemory) {
  const auto& [model, rows, points, minima, values] = wave_rows();
  for (const std::size_t limit : {200'000'000, 100'000, 40'000, 25'000}) {
    SCOPED_TRACE(limit);
    SoftwareOptions options{.items = 1};
    const auto gpu = session_on(model, {options}, {.memory_limit = limit});
    expect_same(rows.minimize(*gpu), minima);
    expect_same(gpu->evaluate(points.request).value(), values);
    EXPECT_LE(options.record->most_bytes, limit);
    // The same as what the device has, where nobody set a limit.
    SoftwareOptions small{.memory = limit, .items = 1};
    expect_same(rows.minimize(*session_on(model, {small})), minima);
    EXPECT_LE(small.record->most_bytes, limit);
  }
}

TEST(GpuWaves, FitTheLargestBuffer) {
  const Model model = small_models()[0];
  const MixedRows rows(model, 103);
  SoftwareOptions options{.items = 1, .largest_buffer = 20'000};
  expect_same(rows.minimize(*session_on(model, {options})), rows.minimize(*make_cpu_session(model).value()));
  EXPECT_GT(options.record->waves.size(), 2u);
}

TEST(GpuWaves, SayWhatIsMissingWhereNotEvenARowFits) {
  const Model model = small_models()[0];
  const MixedRows rows(model, 3);
  const auto gpu = session_on(model, {{}}, {.memory_limit = 5'000});
  const auto refused = gpu->minimize(rows.request());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().front().code, ErrorCode::LimitExceeded);
  EXPECT_NE(refused.errors().front().what.find("(the model "), std::string::npos);
  EXPECT_FALSE(refused.errors().front().hint.empty());
}

TEST(GpuWaves, OfSeveralQueuesGiveTheSameBytes) {
  const Model model = small_models()[0];
  const MixedRows rows(model, 103);
  const auto minima = rows.minimize(*make_cpu_session(model).value());
  SoftwareOptions first{.items = 2, .launch_milliseconds = 3},
      second{.items = 3, .backwards = true, .launch_milliseconds = 3};
  const auto gpu = session_on(model, {first, second});
  for (int i = 0; i < 4; ++i) expect_same(rows.minimize(*gpu, i % 2 == 1), minima);
  EXPECT_GT(first.record->waves.size(), 0u);
  EXPECT_GT(second.record->waves.size(), 0u);
}

TEST(GpuWaves, EndAtTheStopToken) {
  const Model model = small_models()[0];
  const MixedRows rows(model, 61);
  const auto minima = rows.minimize(*make_cpu_session(model).value());
  SoftwareOptions options{.items = 2};
  const auto gpu = session_on(model, {options});
  std::stop_source stop;
  std::size_t ended = 0;
  MinimizeRequest request = rows.request();
  request.stop_token = stop.get_token();
  request.on_row = [&] {
    ++ended;
    stop.request_stop();
  };
  const std::vector<RowOutcome> found = gpu->minimize(request).value();
  ASSERT_GT(ended, 0u);
  ASSERT_LT(ended, found.size());
  EXPECT_EQ(options.record->waves.size(), 1u);
  const std::size_t n = model.n_parameters();
  for (std::size_t row = 0; row < found.size(); ++row) {
    if (row < ended) {
      expect_same(std::vector{found[row]}, std::vector{minima[row]});
    } else {
      EXPECT_EQ(found[row].status, RowStatus::Interrupted);
      EXPECT_TRUE(std::ranges::equal(found[row].parameters, request.starts.subspan(row * n, n)));
    }
  }
}

// --- many small calls --------------------------------------------------------------------------------------

TEST(GpuBuffers, AreKeptBetweenCalls) {
  const Model model = small_models()[0];
  SoftwareOptions options;
  const auto gpu = session_on(model, {options});
  const MixedRows rows(model, 10);
  const PointRows points(model, 10);
  rows.minimize(*gpu);
  gpu->evaluate(points.request).value();
  const std::size_t allocations = options.record->calls[Call::Allocate];
  for (int i = 0; i < 10; ++i) {
    rows.minimize(*gpu);
    gpu->evaluate(points.request).value();
  }
  EXPECT_EQ(options.record->calls[Call::Allocate], allocations);
}

// The model and the metric go up once per call, data once per wave; a call is a dozen commands.
TEST(GpuBuffers, TakeFewCommandsPerCall) {
  const Model model = small_models()[0];
  SoftwareOptions options;
  const auto gpu = session_on(model, {options});
  const MixedRows rows(model, 3);
  rows.minimize(*gpu);
  options.record->calls.clear();
  rows.minimize(*gpu);
  std::size_t commands = 0;
  for (const auto& [call, times] : options.record->calls) commands += times;
  EXPECT_LE(commands, 10u);
}

TEST(GpuBuffers, AreAllGivenBack) {
  const Model model = small_models()[0];
  SoftwareOptions options;
  {
    const auto gpu = session_on(model, {options});
    MixedRows(model, 10).minimize(*gpu);
    EXPECT_GT(options.record->live_buffers, 3u);
  }
  EXPECT_EQ(options.record->live_buffers, 0u);
  EXPECT_EQ(options.record->live_bytes, 0u);
}

// Toys stay on the device within its memory, and the oldest make room.
TEST(GpuToys, StayWithinTheMemory) {
  const Model model = small_models()[0];
  const auto cpu = make_cpu_session(model).value();
  const DrawPlan plan =
      make_draw_plan(compiled_model(model), expected_data(*cpu, model.initial()).value(), {}, false).value();
  SoftwareOptions options;
  const std::size_t limit = 1 << 20, toys = limit / 4 / (8 * model.data().size());
  const auto gpu = session_on(model, {options}, {.memory_limit = limit});
  std::size_t resident = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const ToyDraw draw{plan, 3, i, 0, i == 5 ? 10 * toys : toys};
    const DrawnToys found = gpu->draw(draw).value();
    EXPECT_EQ(found.values, cpu->draw(draw).value().values);
    EXPECT_EQ(found.resident == 0, i == 5) << "too many for the device are drawn on the host";
    resident += found.resident > 0;
    EXPECT_LE(options.record->most_bytes, limit);
  }
  EXPECT_EQ(resident, 7u);
}

// --- several threads ---------------------------------------------------------------------------------------

// Draws toys of hypotheses of its own, again and again, and minimizes them.
void draw_and_minimize(DeviceSession& gpu, DeviceSession& cpu, const Model& model, std::uint32_t thread) {
  const DrawPlan plan =
      make_draw_plan(compiled_model(model), expected_data(cpu, model.initial()).value(), {}, false).value();
  const MixedRows rows(model, 23);
  for (std::uint32_t i = 0; i < 6; ++i) {
    DrawnToys toys = gpu.draw({plan, 3, 10 * thread + i, 0, 23, i % 2 == 0}).value();
    MinimizeRequest request = rows.request();
    std::vector<MinimizeRow> places(request.rows.begin(), request.rows.end());
    for (std::size_t k = 0; k < places.size(); ++k) places[k].data = k % 23;
    request.rows = places;
    request.drawn = &toys;
    const auto found = gpu.minimize(request).value();
    DrawnToys same = cpu.draw({plan, 3, 10 * thread + i, 0, 23}).value();
    request.drawn = &same;
    expect_same(found, cpu.minimize(request).value());
  }
}

TEST(GpuThreads, WorkSideBySideOnQueuesOfTheirOwn) {
  const Model model = small_models()[0];
  const auto cpu = make_cpu_session(model).value();
  SoftwareOptions options{.launch_milliseconds = 2, .side_by_side = true};
  {
    const auto gpu = session_on(model, {options});
    EXPECT_EQ(gpu->traits().calls_at_once, kCopies);
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t thread = 0; thread < 6; ++thread)
        threads.emplace_back([&, thread] { draw_and_minimize(*gpu, *cpu, model, thread); });
    }
    ASSERT_EQ(options.record->others.size(), kCopies - 1);
    std::size_t launches = options.record->calls[Call::Launch];
    for (const auto& other : options.record->others) {
      EXPECT_GT(other->calls[Call::Launch], 0u);
      launches += other->calls[Call::Launch];
    }
    EXPECT_EQ(gpu->traffic().launches, launches);
  }
  EXPECT_EQ(options.record->live_buffers, 0u);
  for (const auto& other : options.record->others) EXPECT_EQ(other->live_buffers, 0u);
}

// One thread, a limit of memory, or a device that gives no second queue: one queue does everything.
TEST(GpuThreads, TakeTurnsOnOneQueue) {
  const Model model = small_models()[0];
  const auto cpu = make_cpu_session(model).value();
  SoftwareOptions alone{.side_by_side = true}, limited{.side_by_side = true}, refusing{.side_by_side = true};
  refusing.record->refuses_another = true;
  {
    const auto gpu = session_on(model, {alone});
    for (std::uint32_t thread = 0; thread < 3; ++thread) draw_and_minimize(*gpu, *cpu, model, thread);
  }
  EXPECT_TRUE(alone.record->others.empty());
  for (const auto& [options, limit] :
       {std::pair{limited, std::size_t{1} << 24}, std::pair{refusing, std::size_t{0}}}) {
    const auto gpu = session_on(model, {options}, {.memory_limit = limit});
    std::vector<std::jthread> threads;
    for (std::uint32_t thread = 0; thread < 4; ++thread)
      threads.emplace_back([&, thread] { draw_and_minimize(*gpu, *cpu, model, thread); });
    threads.clear();
    EXPECT_TRUE(options.record->others.empty());
  }
}

// Toys that nobody has read yet, and that had to make room: they are the same when they are drawn again.
TEST(GpuToys, AreDrawnAgainWhereTheyHadToMakeRoom) {
  const Model model = small_models()[0];
  const auto cpu = make_cpu_session(model).value();
  const DrawPlan plan =
      make_draw_plan(compiled_model(model), expected_data(*cpu, model.initial()).value(), {}, false).value();
  const MixedRows rows(model, 10);
  const auto gpu = session_on(model, {{}});
  std::vector<DrawnToys> drawn;
  for (std::uint32_t i = 0; i < 9; ++i) drawn.push_back(gpu->draw({plan, 3, i, 0, 30, false}).value());
  for (std::uint32_t i = 0; i < 9; ++i) {
    EXPECT_TRUE(drawn[i].values.empty());
    MinimizeRequest request = rows.request();
    request.drawn = &drawn[i];
    const auto found = gpu->minimize(request).value();
    EXPECT_EQ(drawn[i].values.empty(), i >= 5) << "the last ones are still on the device";
    DrawnToys same = cpu->draw({plan, 3, i, 0, 30}).value();
    std::vector<double> room;
    const std::size_t n_data = model.data().size();
    EXPECT_TRUE(
        test::same_bits(drawn[i].toy(7, n_data, room), std::span(same.values).subspan(7 * n_data, n_data)));
    request.drawn = &same;
    expect_same(found, cpu->minimize(request).value());
    request.drawn = &drawn[i];
    expect_same(found, cpu->minimize(request).value());
    EXPECT_EQ(drawn[i].values, same.values) << "another session draws what it was not given";
  }
}

// Toys that another session drew, on a copy of the model that this one does not have.
TEST(GpuToys, OfAnotherSessionAreDrawnAgain) {
  const Model model = small_models()[0];
  const auto cpu = make_cpu_session(model).value();
  const DrawPlan plan =
      make_draw_plan(compiled_model(model), expected_data(*cpu, model.initial()).value(), {}, false).value();
  const MixedRows rows(model, 10);
  const auto first = session_on(model, {{}}), second = session_on(model, {{}});
  DrawnToys toys = first->draw({plan, 3, 0, 0, 30, false}).value();
  toys.resident += 1;
  MinimizeRequest request = rows.request();
  request.drawn = &toys;
  const auto found = second->minimize(request).value();
  EXPECT_EQ(toys.values, cpu->draw({plan, 3, 0, 0, 30}).value().values);
  expect_same(found, cpu->minimize(request).value());
}

// Toys that are dropped leave their memory to the next ones.
TEST(GpuToys, AllocateNothingOnceTheyHaveRoom) {
  const Model model = small_models()[0];
  const auto cpu = make_cpu_session(model).value();
  const DrawPlan plan =
      make_draw_plan(compiled_model(model), expected_data(*cpu, model.initial()).value(), {}, false).value();
  SoftwareOptions options;
  const auto gpu = session_on(model, {options});
  std::size_t after_some = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const ToyDraw draw{plan, 3, i, 0, 100 - i};
    EXPECT_TRUE(test::same_bits(gpu->draw(draw).value().values, cpu->draw(draw).value().values));
    if (i == 7) after_some = options.record->calls[Call::Allocate];
  }
  EXPECT_EQ(options.record->calls[Call::Allocate], after_some);
}

TEST(GpuSession, RefusesQueuesOfDifferentPrecision) {
  std::vector<std::unique_ptr<Queue>> queues;
  queues.push_back(make_software_queue({.real_bits = 64}));
  queues.push_back(make_software_queue({.real_bits = 32}));
  EXPECT_FALSE(make_session(small_models()[0], std::move(queues), {}));
  EXPECT_FALSE(make_session(small_models()[0], {}, {}));
}

}  // namespace
}  // namespace nextstat::gpu
