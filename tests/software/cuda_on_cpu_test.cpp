// The CUDA kernels, run by fibers, against the CPU's session: every kernel, bits equal.
#include <gtest/gtest.h>

#include "gpu/test_sessions.h"
#include "model/draw/draw_plan.h"
#include "software/cuda_machine.h"
#include "software/cuda_on_cpu_queue.h"
#include "software/cuda_stand_in.h"

namespace nextstat::software {
namespace {

using Names = std::shared_ptr<std::vector<std::string>>;

std::unique_ptr<DeviceSession> session_on(const Model& model, const CudaOptions& options,
                                          const Names& launched) {
  std::vector<std::unique_ptr<gpu::Queue>> queues;
  queues.push_back(make_cuda_queue(options, launched));
  return gpu::make_session(model, std::move(queues), {}).value();
}

// How rows are spread, and which kernels that takes.
struct Way {
  const char* name;
  CudaOptions options;
  std::string evaluates, minimizes;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

std::vector<Way> ways() {
  return {{"two_rows_a_block", {.multiprocessors = 2}, "evaluate_2", "minimize_2"},
          {"one_row_a_block", {.multiprocessors = 61}, "evaluate_1", "minimize_shared"},
          {"device_memory", {.shared_bytes = 100}, "evaluate_0", "minimize_0"},
          {"one_warp", {.multiprocessors = 2, .threads = 32}, "evaluate_2", "minimize_2"},
          {"three_warps", {.multiprocessors = 1, .threads = 96}, "evaluate_2", "minimize_2"}};
}

class CudaOnCpu : public testing::TestWithParam<Way> {};

TEST_P(CudaOnCpu, EvaluatesToTheBitsOfTheCpu) {
  for (const Model& model : gpu::small_models()) {
    gpu::PointRows rows(model, 61);
    const Names launched = std::make_shared<std::vector<std::string>>();
    const auto session = session_on(model, GetParam().options, launched);
    for (const auto& [gradient, expected] : {std::pair(false, false), {false, true}, {true, false}}) {
      rows.request.gradient = gradient;
      rows.request.expected = expected;
      gpu::expect_same(session->evaluate(rows.request).value(),
                       make_cpu_session(model).value()->evaluate(rows.request).value());
    }
    rows.request.gradient = rows.request.expected = true;
    gpu::expect_same(session->evaluate(rows.request).value(),
                     make_cpu_session(model).value()->evaluate(rows.request).value());
    EXPECT_EQ(launched->front(), GetParam().evaluates);
  }
}

TEST_P(CudaOnCpu, MinimizesRowsOfEveryKindToTheBitsOfTheCpu) {
  for (const Model& model : gpu::small_models()) {
    const conformance::MixedRows rows(model);
    const Names launched = std::make_shared<std::vector<std::string>>();
    const auto session = session_on(model, GetParam().options, launched);
    const auto cpu = make_cpu_session(model).value();
    gpu::expect_same(rows.minimize(*session), rows.minimize(*cpu));
    EXPECT_EQ(launched->front(), GetParam().minimizes);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, CudaOnCpu, testing::ValuesIn(ways()), testing::PrintToStringParamName());

TEST(CudaOnCpuTest, OneRowWithItsFarValuesInDeviceMemory) {
  // Room for the near values of a row alone, not for all of it.
  const Model model = gpu::small_models().front();
  const conformance::MixedRows rows(model);
  const Names launched = std::make_shared<std::vector<std::string>>();
  const auto session = session_on(model, {.multiprocessors = 61, .shared_bytes = 6000}, launched);
  gpu::expect_same(rows.minimize(*session), rows.minimize(*make_cpu_session(model).value()));
  EXPECT_EQ(launched->front(), "minimize_1");
}

TEST(CudaOnCpuTest, RealWorkspacesHaveTheBitsOfTheCpu) {
  std::size_t tried = 0;
  for (const auto& name : conformance::real_cases()) {
    const Model model = conformance::load_model(name);
    if (model.n_parameters() > 260 || tried == 6) continue;
    ++tried;
    const conformance::MixedRows rows(model, 5);
    const auto session =
        session_on(model, {.multiprocessors = 1}, std::make_shared<std::vector<std::string>>());
    gpu::expect_same(rows.minimize(*session), rows.minimize(*make_cpu_session(model).value()));
  }
  if (tried == 0) GTEST_SKIP() << "NEXTSTAT_DATA is not set";
}

TEST(CudaOnCpuTest, DrawsTheToysOfTheHost) {
  const Model model = gpu::small_models().front();
  const auto cpu = make_cpu_session(model).value();
  const std::vector<double> expected =
      cpu->evaluate({.parameters = model.initial(), .expected = true}).value().expected;
  const DrawPlan plan = make_draw_plan(compiled_model(model), expected, {}, false).value();
  const ToyDraw wanted{.plan = plan, .seed = 11, .hypothesis = 2, .first = 5, .count = 70};
  const auto session = session_on(model, {}, std::make_shared<std::vector<std::string>>());
  EXPECT_EQ(session->draw(wanted).value().values, cpu->draw(wanted).value().values);
}

TEST(CudaMachine, FindsBarriersThatNotAllThreadsReach) {
  const auto some_at_barrier = [] {
    if (threadIdx.x < 3) __syncthreads();
  };
  EXPECT_THROW(run_kernel({.threads = 32}, some_at_barrier), std::logic_error);
  const auto some_shuffle = [] {
    if (threadIdx.x < 3) __shfl_xor_sync(0xffffffffu, 1.0, 1);
  };
  EXPECT_THROW(run_kernel({.threads = 32}, some_shuffle), std::logic_error);
}

}  // namespace
}  // namespace nextstat::software
