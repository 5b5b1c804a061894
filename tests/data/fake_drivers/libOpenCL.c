/* An OpenCL loader that finds what its macros say, for tests of discovery. Built as libOpenCL.so.1:
   PLATFORMS, DEVICES: how many there are; PLATFORM_STATUS, DEVICE_STATUS, CONTEXT_STATUS, BUILD_STATUS: what those
   calls return (0 = success); FP64: 0 = devices without doubles; GPU: 1 = they are graphics cards;
   LACKS_LAUNCH: a symbol that is not there. */
#include <stddef.h>
#include <string.h>

#ifndef PLATFORMS
#define PLATFORMS 1
#endif
#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef PLATFORM_STATUS
#define PLATFORM_STATUS 0
#endif
#ifndef DEVICE_STATUS
#define DEVICE_STATUS 0
#endif
#ifndef CONTEXT_STATUS
#define CONTEXT_STATUS 0
#endif
#ifndef BUILD_STATUS
#define BUILD_STATUS 0
#endif
#ifndef FP64
#define FP64 1
#endif
#ifndef GPU
#define GPU 1
#endif

typedef int status;
typedef unsigned int u32;
typedef unsigned long long u64;

static int things[8];

static status give(const void* value, size_t size, size_t room, void* to, size_t* needed) {
  if (needed) *needed = size;
  if (to) memcpy(to, value, room < size ? room : size);
  return 0;
}
static status give_text(const char* text, size_t room, void* to, size_t* needed) {
  return give(text, strlen(text) + 1, room, to, needed);
}
static status give_u64(u64 value, size_t room, void* to, size_t* needed) { return give(&value, 8, room, to, needed); }
static status give_u32(u32 value, size_t room, void* to, size_t* needed) { return give(&value, 4, room, to, needed); }

status clGetPlatformIDs(u32 room, void** to, u32* count) {
  if (PLATFORM_STATUS) return PLATFORM_STATUS;
  if (count) *count = PLATFORMS;
  for (u32 i = 0; to && i < room && i < PLATFORMS; ++i) to[i] = &things[i];
  return 0;
}
status clGetPlatformInfo(void* p, u32 what, size_t room, void* to, size_t* needed) {
  return (void)p, (void)what, give_text("OpenCL 1.2 fake", room, to, needed);
}
status clGetDeviceIDs(void* p, u64 type, u32 room, void** to, u32* count) {
  (void)p, (void)type;
  if (DEVICE_STATUS) return DEVICE_STATUS;
  if (DEVICES == 0) return -1;
  if (count) *count = DEVICES;
  for (u32 i = 0; to && i < room && i < DEVICES; ++i) to[i] = &things[i];
  return 0;
}
status clGetDeviceInfo(void* d, u32 what, size_t room, void* to, size_t* needed) {
  (void)d;
  switch (what) {
    case 0x1000: return give_u64(GPU ? 4 : 2, room, to, needed);      /* TYPE */
    case 0x1002: return give_u32(8, room, to, needed);                /* MAX_COMPUTE_UNITS */
    case 0x1010: return give_u64((u64)2 << 30, room, to, needed);     /* MAX_MEM_ALLOC_SIZE */
    case 0x101B: return give_u64(6, room, to, needed);                /* SINGLE_FP_CONFIG */
    case 0x101F: return give_u64((u64)8 << 30, room, to, needed);     /* GLOBAL_MEM_SIZE */
    case 0x1027: case 0x1028: return give_u32(1, room, to, needed);   /* AVAILABLE, COMPILER_AVAILABLE */
    case 0x102B: return give_text("Fake OpenCL card", room, to, needed);
    case 0x102D: return give_text("31.4", room, to, needed);          /* DRIVER_VERSION */
    case 0x102F: return give_text("OpenCL 1.2", room, to, needed);
    case 0x1032: return give_u64(FP64 ? 63 : 0, room, to, needed);    /* DOUBLE_FP_CONFIG */
    case 0x1035: return give_u32(0, room, to, needed);                /* HOST_UNIFIED_MEMORY */
    default: return -30;
  }
}
void* clCreateContext(const void* a, u32 n, const void* d, void* f, void* u, status* failed) {
  return (void)a, (void)n, (void)d, (void)f, (void)u, *failed = CONTEXT_STATUS, CONTEXT_STATUS ? NULL : things;
}
void* clCreateCommandQueue(void* c, void* d, u64 p, status* failed) {
  return (void)c, (void)d, (void)p, *failed = 0, things;
}
void* clCreateProgramWithSource(void* c, u32 n, const char** s, const size_t* l, status* failed) {
  return (void)c, (void)n, (void)s, (void)l, *failed = 0, things;
}
void* clCreateProgramWithBinary(void* c, u32 n, void* d, const size_t* l, void* b, status* s, status* failed) {
  return (void)c, (void)n, (void)d, (void)l, (void)b, (void)s, *failed = -42, (void*)NULL;
}
status clBuildProgram(void* p, u32 n, void* d, const char* o, void* f, void* u) {
  return (void)p, (void)n, (void)d, (void)o, (void)f, (void)u, BUILD_STATUS;
}
status clGetProgramBuildInfo(void* p, void* d, u32 what, size_t room, void* to, size_t* needed) {
  return (void)p, (void)d, (void)what, give_text("line 7: the fake compiler gives up", room, to, needed);
}
status clGetProgramInfo(void* p, u32 w, size_t r, void* t, size_t* n) {
  return (void)p, (void)w, (void)r, (void)t, (void)n, -30;
}
void* clCreateKernel(void* p, const char* n, status* failed) { return (void)p, (void)n, *failed = 0, things; }
void* clCreateBuffer(void* c, u64 f, size_t s, void* h, status* failed) {
  return (void)c, (void)f, (void)s, (void)h, *failed = -4, (void*)NULL;
}
status clReleaseContext(void* x) { return (void)x, 0; }
status clReleaseCommandQueue(void* x) { return (void)x, 0; }
status clReleaseMemObject(void* x) { return (void)x, 0; }
status clReleaseProgram(void* x) { return (void)x, 0; }
status clReleaseKernel(void* x) { return (void)x, 0; }
status clEnqueueWriteBuffer(void) { return -5; }
status clEnqueueReadBuffer(void) { return -5; }
status clEnqueueFillBuffer(void) { return -5; }
status clSetKernelArg(void) { return 0; }
#ifndef LACKS_LAUNCH
status clEnqueueNDRangeKernel(void) { return -5; }
#endif
status clFinish(void* x) { return (void)x, 0; }
