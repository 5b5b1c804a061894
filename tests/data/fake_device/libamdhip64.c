/* The driver of the new device in tests/python/test_add_device.py. */
#include <stddef.h>

int hipGetDeviceCount(int* count) {
  *count = 2;
  return 0;
}
int hipDeviceTotalMem(size_t* bytes, int device) {
  *bytes = (size_t)(device + 1) << 30;
  return 0;
}
