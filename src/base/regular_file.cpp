#include "base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace nextstat {
namespace {

class Descriptor {
 public:
  // Not to block: a pipe would wait for whoever writes to it.
  explicit Descriptor(const std::string& path)
      : number_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

Error unreadable(const std::string& path, int error_number) {
  return {ErrorCode::BadInput, path, "cannot be read: " + std::generic_category().message(error_number),
          "check the path and its permissions"};
}

Error no_file(const std::string& path, mode_t mode) {
  return {ErrorCode::BadInput, path, std::string("is ") + kind_of(mode) + ", not a file",
          "remove it or move it elsewhere, then start again"};
}

Error too_large(const std::string& path, std::size_t most) {
  return {ErrorCode::LimitExceeded, path, "larger than the limit of " + std::to_string(most) + " bytes",
          "check that this is the file you meant"};
}

// All of it, also where it has grown since its size was asked for.
Result<std::optional<std::string>> read_all(int file, const std::string& path, std::size_t most) {
  constexpr std::size_t kChunk = 1 << 16;
  std::string bytes;
  while (bytes.size() <= most) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunk);
    const ssize_t got = read(file, bytes.data() + size, kChunk);
    bytes.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) return std::optional(std::move(bytes));
    if (got < 0 && errno != EINTR) return unreadable(path, errno);
  }
  return too_large(path, most);
}

}  // namespace

Result<std::optional<std::string>> read_regular_file(const std::string& path, std::size_t most) {
  const Descriptor file(path);
  struct stat status = {};
  if (file.number() < 0) {
    const int failure = errno;
    if (failure == ENOENT || failure == ENOTDIR) return std::optional<std::string>();
    // A socket cannot be opened at all.
    if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return no_file(path, status.st_mode);
    return unreadable(path, failure);
  }
  if (fstat(file.number(), &status) != 0) return unreadable(path, errno);
  if (!S_ISREG(status.st_mode)) return no_file(path, status.st_mode);
  if (static_cast<std::uintmax_t>(status.st_size) > most) return too_large(path, most);
  return read_all(file.number(), path, most);
}

}  // namespace nextstat
