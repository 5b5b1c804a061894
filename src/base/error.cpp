#include <nextstat/result.h>

namespace nextstat {

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::BadInput:
      return "bad_input";
    case ErrorCode::BadUsage:
      return "bad_usage";
    case ErrorCode::NotFound:
      return "not_found";
    case ErrorCode::LimitExceeded:
      return "limit_exceeded";
    case ErrorCode::DeviceUnavailable:
      return "device_unavailable";
  }
  throw std::logic_error("to_string: not an ErrorCode");
}

}  // namespace nextstat
