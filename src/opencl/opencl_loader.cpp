#include "opencl/opencl_loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/try.h"

namespace nextstat::opencl {
namespace {

const char* name_of(cl_int status) {
  switch (status) {
    case CL_DEVICE_NOT_FOUND:
      return "CL_DEVICE_NOT_FOUND";
    case CL_DEVICE_NOT_AVAILABLE:
      return "CL_DEVICE_NOT_AVAILABLE";
    case CL_COMPILER_NOT_AVAILABLE:
      return "CL_COMPILER_NOT_AVAILABLE";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
      return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES:
      return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY:
      return "CL_OUT_OF_HOST_MEMORY";
    case CL_BUILD_PROGRAM_FAILURE:
      return "CL_BUILD_PROGRAM_FAILURE";
    case CL_INVALID_VALUE:
      return "CL_INVALID_VALUE";
    case CL_INVALID_BUFFER_SIZE:
      return "CL_INVALID_BUFFER_SIZE";
    case CL_INVALID_WORK_GROUP_SIZE:
      return "CL_INVALID_WORK_GROUP_SIZE";
    case -1001:
      return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
      return "OpenCL error";
  }
}

}  // namespace

Result<Loader> open_loader() {
  TRY(DynamicLibrary library, DynamicLibrary::open({"libOpenCL.so.1", "libOpenCL.so"}));
  Loader cl(std::move(library));
  SymbolReader read(cl.library);
  read("clGetPlatformIDs", cl.GetPlatformIDs);
  read("clGetPlatformInfo", cl.GetPlatformInfo);
  read("clGetDeviceIDs", cl.GetDeviceIDs);
  read("clGetDeviceInfo", cl.GetDeviceInfo);
  read("clCreateContext", cl.CreateContext);
  read("clReleaseContext", cl.ReleaseContext);
  read("clCreateCommandQueue", cl.CreateCommandQueue);
  read("clReleaseCommandQueue", cl.ReleaseCommandQueue);
  read("clCreateBuffer", cl.CreateBuffer);
  read("clReleaseMemObject", cl.ReleaseMemObject);
  read("clEnqueueWriteBuffer", cl.EnqueueWriteBuffer);
  read("clEnqueueReadBuffer", cl.EnqueueReadBuffer);
  read("clEnqueueFillBuffer", cl.EnqueueFillBuffer);
  read("clCreateProgramWithSource", cl.CreateProgramWithSource);
  read("clCreateProgramWithBinary", cl.CreateProgramWithBinary);
  read("clBuildProgram", cl.BuildProgram);
  read("clGetProgramInfo", cl.GetProgramInfo);
  read("clGetProgramBuildInfo", cl.GetProgramBuildInfo);
  read("clReleaseProgram", cl.ReleaseProgram);
  read("clCreateKernel", cl.CreateKernel);
  read("clReleaseKernel", cl.ReleaseKernel);
  read("clSetKernelArg", cl.SetKernelArg);
  read("clEnqueueNDRangeKernel", cl.EnqueueNDRangeKernel);
  read("clFinish", cl.Finish);
  if (!read.missing().empty())
    return Error{ErrorCode::BadInput, cl.library.name(),
                 fmt::format("lacks {}: it is older than OpenCL 1.2, or not an OpenCL loader",
                             fmt::join(read.missing(), ", ")),
                 "install the package of the OpenCL loader (ocl-icd-libopencl1)"};
  return cl;
}

std::string describe(const char* call, cl_int status) {
  return fmt::format("{}: {} ({})", call, name_of(status), status);
}

}  // namespace nextstat::opencl
