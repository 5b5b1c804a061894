#include "base/files/kept_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace nextstat {
namespace {

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  // Network file systems report a full disk here at the latest.
  int close() {
    const int number = number_;
    number_ = -1;
    return ::close(number);
  }

 private:
  int number_;
};

// All steps return 0, or the error number of what failed.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_new_file(const std::string& path, std::string_view bytes) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL);
  if (file.number() < 0) return errno;
  const int failure = write_all(file.number(), bytes);
  if (failure != 0) return failure;
  if (fsync(file.number()) != 0) return errno;
  return file.close() == 0 ? 0 : errno;
}

// Not every file system lets a folder be synchronized; then the rename is as safe as that system makes it.
int sync_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const Descriptor file(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
  if (file.number() < 0) return errno == EACCES ? 0 : errno;
  if (fsync(file.number()) == 0) return 0;
  return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : errno;
}

// A link is refused where the name exists, in one step; a rename would take its place.
int name_unless_there(const std::string& temporary, const std::string& path) {
  if (link(temporary.c_str(), path.c_str()) == 0) return unlink(temporary.c_str()) == 0 ? 0 : errno;
  if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS) return errno;
  // No hard links here: look, then rename.
  if (access(path.c_str(), F_OK) == 0) return EEXIST;
  return std::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
}

int name_file(const std::string& temporary, const std::string& path, Existing existing) {
  if (existing == Existing::Keep) return name_unless_there(temporary, path);
  return std::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
}

bool disk_is_full(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

Error cannot_keep(const std::string& path, int error_number) {
  return {ErrorCode::BadInput, path, "cannot be written: " + std::generic_category().message(error_number),
          disk_is_full(error_number) ? "make room on this disk (or raise the quota or file size limit)"
                                     : "check the folder, its permissions and the disk"};
}

}  // namespace

Result<bool> write_durably(const std::string& path, std::string_view bytes, const std::string& temporary,
                           Existing existing) {
  int failure = write_new_file(temporary, bytes);
  if (failure == EEXIST) return cannot_keep(temporary, failure);  // not ours to remove
  if (failure == 0) failure = name_file(temporary, path, existing);
  if (failure == 0) failure = sync_folder(path);
  if (failure == 0) return true;
  unlink(temporary.c_str());
  if (failure == EEXIST && existing == Existing::Keep) return false;
  return cannot_keep(path, failure);
}

namespace {

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

Error too_large_to_keep(const std::string& path, std::size_t most) {
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
  return too_large_to_keep(path, most);
}

}  // namespace

Result<std::optional<std::string>> read_regular_file(const std::string& path, std::size_t most) {
  // Not to block: a pipe would wait for whoever writes to it.
  const Descriptor file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
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
  if (static_cast<std::uintmax_t>(status.st_size) > most) return too_large_to_keep(path, most);
  return read_all(file.number(), path, most);
}

std::string cache_folder() {
  const auto set = [](const char* value) { return value != nullptr && value[0] == '/'; };
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); set(cache)) return std::string(cache) + "/nextstat";
  if (const char* home = std::getenv("HOME"); set(home)) return std::string(home) + "/.cache/nextstat";
  return "";
}

}  // namespace nextstat
