/* NVIDIA's management library as its macros say: INIT: what nvmlInit returns (0 = success); TOTAL_GB: of every card. */
#include <stddef.h>
#include <string.h>

#ifndef INIT
#define INIT 0
#endif
#ifndef TOTAL_GB
#define TOTAL_GB 24
#endif

struct memory {
  unsigned long long total, free, used;
};

int nvmlInit_v2(void) { return INIT; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  static char first, second;
  if (strcmp(bus, "00000000:01:00.0") != 0 && strcmp(bus, "00000000:02:00.0") != 0) return 6;
  *device = bus[10] == '1' ? &first : &second;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* device, struct memory* memory) {
  (void)device;
  memory->total = (unsigned long long)TOTAL_GB << 30;
  memory->free = (unsigned long long)11 << 30;
  memory->used = memory->total - memory->free;
  return 0;
}
