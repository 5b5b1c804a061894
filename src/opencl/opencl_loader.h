// The OpenCL loader as a table of functions, opened at run time: a program built with OpenCL also starts
// on a machine that has no loader.
//
//   Result<opencl::Loader> cl = opencl::open_loader();
//   if (!cl) ...                       // NotFound: no library; BadInput: functions are missing
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <nextstat/result.h>

#include <string>

#include "base/dynamic_library.h"

namespace nextstat::opencl {

struct Loader {
  DynamicLibrary library;

  decltype(clGetPlatformIDs)* GetPlatformIDs;
  decltype(clGetPlatformInfo)* GetPlatformInfo;
  decltype(clGetDeviceIDs)* GetDeviceIDs;
  decltype(clGetDeviceInfo)* GetDeviceInfo;
  decltype(clCreateContext)* CreateContext;
  decltype(clReleaseContext)* ReleaseContext;
  decltype(clCreateCommandQueue)* CreateCommandQueue;
  decltype(clReleaseCommandQueue)* ReleaseCommandQueue;
  decltype(clCreateBuffer)* CreateBuffer;
  decltype(clReleaseMemObject)* ReleaseMemObject;
  decltype(clEnqueueWriteBuffer)* EnqueueWriteBuffer;
  decltype(clEnqueueReadBuffer)* EnqueueReadBuffer;
  decltype(clEnqueueFillBuffer)* EnqueueFillBuffer;
  decltype(clCreateProgramWithSource)* CreateProgramWithSource;
  decltype(clCreateProgramWithBinary)* CreateProgramWithBinary;
  decltype(clBuildProgram)* BuildProgram;
  decltype(clGetProgramInfo)* GetProgramInfo;
  decltype(clGetProgramBuildInfo)* GetProgramBuildInfo;
  decltype(clReleaseProgram)* ReleaseProgram;
  decltype(clCreateKernel)* CreateKernel;
  decltype(clReleaseKernel)* ReleaseKernel;
  decltype(clSetKernelArg)* SetKernelArg;
  decltype(clEnqueueNDRangeKernel)* EnqueueNDRangeKernel;
  decltype(clFinish)* Finish;

  explicit Loader(DynamicLibrary opened) : library(std::move(opened)) {}
};

Result<Loader> open_loader();

// "clBuildProgram: CL_OUT_OF_RESOURCES (-5)".
std::string describe(const char* call, cl_int status);

}  // namespace nextstat::opencl
