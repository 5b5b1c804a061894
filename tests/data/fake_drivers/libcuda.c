/* A CUDA driver that finds what its macros say, for tests of discovery. Built as libcuda.so.1:
   INIT, COUNT, NAME, TOTAL, CONTEXT, FREE: what those calls return (0 = success);
   DEVICES: how many there are; BROKEN: the first of them cannot be described;
   LACKS_LAUNCH, LACKS_DEVICES: symbols that are not there. */
#include <stddef.h>
#include <string.h>

#ifndef INIT
#define INIT 0
#endif
#ifndef COUNT
#define COUNT 0
#endif
#ifndef TOTAL
#define TOTAL 0
#endif
#ifndef CONTEXT
#define CONTEXT 0
#endif
#ifndef FREE
#define FREE 0
#endif
#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef BROKEN
#define BROKEN 0
#endif

int cuInit(unsigned flags) { return (void)flags, INIT; }
int cuDriverGetVersion(int* version) { return *version = 12080, 0; }

int cuGetErrorName(int error, const char** text) {
  if (error != 100 && error != 999 && error != 3) return 1;
  *text = error == 100 ? "CUDA_ERROR_NO_DEVICE" : error == 3 ? "CUDA_ERROR_NOT_INITIALIZED" : "CUDA_ERROR_UNKNOWN";
  return 0;
}
int cuGetErrorString(int error, const char** text) {
  if (error != 999) return 1;
  *text = "unknown error";
  return 0;
}

int cuDeviceGetCount(int* count) { return *count = DEVICES, COUNT; }
#ifndef LACKS_DEVICES
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int length, int device) {
  if (BROKEN && device == 0) return 999;
  strncpy(name, device == 0 ? "Fake card" : "Second fake card", (size_t)length);
  return 0;
}
#endif
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? 9 : attribute == 76 ? 1 : attribute == 87 ? 64 : 0;
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) { return (void)device, *bytes = (size_t)24 << 30, TOTAL; }
int cuDeviceGetPCIBusId(char* bus, int length, int device) {
  strncpy(bus, device == 0 ? "00000000:01:00.0" : "00000000:02:00.0", (size_t)length);
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) { return (void)device, *context = context, CONTEXT; }
int cuDevicePrimaryCtxRelease_v2(int device) { return (void)device, 0; }
int cuCtxSetCurrent(void* context) { return (void)context, 0; }
int cuCtxPushCurrent_v2(void* context) { return (void)context, 0; }
int cuCtxPopCurrent_v2(void** context) { return (void)context, 0; }
int cuMemGetInfo_v2(size_t* free, size_t* total) {
  *free = (size_t)20 << 30;
  *total = (size_t)24 << 30;
  return FREE;
}

/* What only sessions call: there, and of no use. */
#define USELESS(name) \
  int name(void) { return 999; }
USELESS(cuModuleLoadDataEx)
USELESS(cuModuleUnload)
USELESS(cuModuleGetFunction)
USELESS(cuFuncSetAttribute)
USELESS(cuOccupancyMaxActiveBlocksPerMultiprocessor)
USELESS(cuMemAlloc_v2)
USELESS(cuMemFree_v2)
USELESS(cuMemHostAlloc)
USELESS(cuMemFreeHost)
USELESS(cuMemcpyHtoDAsync_v2)
USELESS(cuMemcpyDtoHAsync_v2)
USELESS(cuMemsetD8Async)
USELESS(cuStreamCreate)
USELESS(cuStreamDestroy_v2)
USELESS(cuStreamSynchronize)
#ifndef LACKS_LAUNCH
USELESS(cuLaunchKernel)
#endif
