// A lock between processes that ends with its process, however that ends.
//
//   Result<FileLock> lock = FileLock::take("run/.lock", "another process is working on this run");
#pragma once

#include <nextstat/result.h>

#include <string>

namespace nextstat {

class FileLock {
 public:
  // An error with these words when another process (or this one) holds it.
  // The file is made for the lock and removed with it.
  static Result<FileLock> take(const std::string& path, const std::string& what, const std::string& hint);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  // False where the file system has no locks: nobody is kept out then.
  bool enforced() const { return enforced_; }

 private:
  FileLock(std::string path, int file, bool enforced);
  std::string path_;
  int file_ = -1;
  bool enforced_ = false;
};

}  // namespace nextstat
