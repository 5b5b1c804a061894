#include "base/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace nextstat {
namespace {

bool has_no_locks(int error_number) {
  return error_number == ENOLCK || error_number == ENOTSUP || error_number == ENOSYS ||
         error_number == EINVAL;
}

// False when the holder before us removed the file between our opening and our locking it.
bool is_still_named(int file, const std::string& path) {
  struct stat opened = {}, named = {};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

FileLock::FileLock(std::string path, int file, bool enforced)
    : path_(std::move(path)), file_(file), enforced_(enforced) {}

Result<FileLock> FileLock::take(const std::string& path, const std::string& what, const std::string& hint) {
  for (;;) {
    // Not through a link: its file would be made wherever it leads.
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) {
      return Error{ErrorCode::BadInput, path, "cannot be written: " + std::generic_category().message(errno),
                   "check the folder, its permissions and the free space"};
    }
    int locked = 0;
    do {
      locked = flock(file, LOCK_EX | LOCK_NB);
    } while (locked != 0 && errno == EINTR);
    const int failure = locked == 0 ? 0 : errno;
    if (failure == 0 && is_still_named(file, path)) return FileLock(path, file, true);
    if (has_no_locks(failure)) return FileLock(path, file, false);
    close(file);
    if (failure == EWOULDBLOCK) return Error{ErrorCode::BadUsage, path, what, hint};
    if (failure != 0) {
      return Error{ErrorCode::BadInput, path, "cannot be locked: " + std::generic_category().message(failure),
                   "check the file system"};
    }
  }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), enforced_(other.enforced_) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(enforced_, other.enforced_);
  return *this;
}

FileLock::~FileLock() {
  if (file_ < 0) return;
  unlink(path_.c_str());  // while the lock is held: see is_still_named
  close(file_);
}

}  // namespace nextstat
