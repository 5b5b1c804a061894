// entry.cl on a real OpenCL device draws the toys that the host draws, to the bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "languages/opencl_device.h"
#include "model/draw_plan.h"

namespace nextstat {
namespace {

// Bins of every size of rate, two of them without events, and normal constraints; an odd number of data.
CompiledModel model_of_all_kinds(std::vector<double>& expected) {
  CompiledModel model;
  for (double rate = 1e-9; rate < 1e15; rate *= 2.9) expected.push_back(rate);
  expected.insert(expected.end(), {0, -1, kLargestTableRate, std::nextafter(kLargestTableRate, 1e9)});
  model.n_bins = expected.size();
  for (std::uint32_t i = 0; i < 9; ++i)
    model.normals.push_back({i, static_cast<std::uint32_t>(expected.size()) + i, 0.1 * (i + 1)});
  expected.insert(expected.end(), 9, 1.0);
  if (expected.size() % 2 == 0) {
    model.poissons.push_back({9, static_cast<std::uint32_t>(expected.size()), 33.0});
    expected.push_back(33.0);
  }
  model.n_data = expected.size();
  return model;
}

std::vector<double> drawn_on(cl_device_id device, const DrawPlan& plan, cl_ulong seed, cl_uint hypothesis,
                             cl_ulong first, std::size_t count) {
  opencl::Program program(device, 64);
  cl_kernel kernel = program.kernel("draw_pair");
  const auto n_data = static_cast<cl_uint>(plan.data.size());
  std::vector<double> values(count * n_data);
  const std::vector<cl_mem> buffers = {program.upload(plan.data), program.upload(plan.reals),
                                       program.upload(plan.thresholds), program.upload(plan.guide),
                                       program.upload(values)};
  opencl::check(clSetKernelArg(kernel, 5, sizeof n_data, &n_data), "argument");
  opencl::check(clSetKernelArg(kernel, 6, sizeof seed, &seed), "argument");
  opencl::check(clSetKernelArg(kernel, 7, sizeof hypothesis, &hypothesis), "argument");
  opencl::check(clSetKernelArg(kernel, 8, sizeof first, &first), "argument");
  program.run(kernel, buffers, {(n_data + 1) / 2, count});
  program.download(buffers[4], values);
  for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  return values;
}

TEST(OpenClEntry, DrawsTheToysOfTheHost) {
  cl_device_id device = opencl::find_device();
  if (device == nullptr) GTEST_SKIP() << "no OpenCL device with double precision on this machine";
  std::vector<double> expected;
  const CompiledModel model = model_of_all_kinds(expected);
  const DrawPlan plan = make_draw_plan(model, expected, {}, false).value();
  constexpr std::size_t kCount = 3000;
  constexpr std::uint64_t kSeed = 0x9876543210abcdef, kFirst = (std::uint64_t{1} << 41) - 1500;
  const std::vector<double> found = drawn_on(device, plan, kSeed, 513, kFirst, kCount);
  std::vector<double> host(found.size());
  draw_toys(plan, kSeed, 513, kFirst, kCount, host.data());
  std::size_t different = 0;
  for (std::size_t i = 0; i < host.size(); ++i)
    different += std::bit_cast<std::uint64_t>(host[i]) != std::bit_cast<std::uint64_t>(found[i]);
  EXPECT_EQ(different, 0u) << "of " << host.size() << " data";
}

}  // namespace
}  // namespace nextstat
