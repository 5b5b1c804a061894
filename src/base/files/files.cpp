#include <sys/stat.h>
#include <unistd.h>

#include <nextstat/files.h>
#include <nextstat/text.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string_view>
#include <system_error>

namespace nextstat {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string reason(int error_number) { return std::generic_category().message(error_number); }

// A hint for a missing file: a similar name in the same folder, if there is one.
std::string similar_file(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code failure;
  if (!fs::is_directory(folder, failure)) return "the folder '" + folder.string() + "' does not exist";
  constexpr std::size_t kMostEntries = 10000;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, failure), end;
       !failure && entry != end && names.size() < kMostEntries; entry.increment(failure)) {
    names.push_back(entry->path().filename().string());
  }
  const std::string name = closest_name(path.filename().string(), names);
  if (name.empty()) return "check the path";
  return "did you mean '" + (path.has_parent_path() ? (folder / name).string() : name) + "'?";
}

Error cannot_open(const std::string& path, int error_number) {
  if (error_number == ENOENT) {
    return {ErrorCode::NotFound, Place::in_file(path), "there is no such file", similar_file(path)};
  }
  return {ErrorCode::BadInput, Place::in_file(path), "cannot be read: " + reason(error_number),
          "check the path and its permissions"};
}

Error too_large(const std::string& path, std::size_t max_bytes) {
  return {ErrorCode::LimitExceeded, Place::in_file(display_name(path)),
          "larger than the limit of " + std::to_string(max_bytes) + " bytes",
          "check that this is the file you meant"};
}

Result<std::string> read_stream(std::FILE* stream, const std::string& path, std::size_t max_bytes,
                                std::size_t expected_bytes = 0) {
  constexpr std::size_t kChunk = 1 << 16;
  std::string text;
  text.reserve(expected_bytes + kChunk);
  for (;;) {
    const std::size_t old_size = text.size();
    text.resize(old_size + kChunk);
    const std::size_t got = std::fread(text.data() + old_size, 1, kChunk, stream);
    text.resize(old_size + got);
    if (text.size() > max_bytes) return too_large(path, max_bytes);
    if (got == kChunk) continue;
    if (std::ferror(stream)) {
      return Error{ErrorCode::BadInput, Place::in_file(display_name(path)),
                   "reading failed: " + reason(errno), "check the file"};
    }
    return text;
  }
}

Error no_path() { return {ErrorCode::BadUsage, "\"\"", "the path is empty", "name a file"}; }

// 0, or the error number of the step that failed.
int write_all(std::FILE* stream, std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (written && std::fflush(stream) == 0) return 0;
  return errno != 0 ? errno : EIO;
}

// mode: "wb", or "wbx" for a file that must be new: a link that somebody put there is not followed.
int write_plain(const std::string& path, std::string_view text, const char* mode) {
  File file(std::fopen(path.c_str(), mode));
  if (!file) return errno;
  const int failure = write_all(file.get(), text);
  const bool closed = std::fclose(file.release()) == 0;
  return failure != 0 ? failure : closed ? 0 : errno;
}

struct Target {
  fs::path path;
  bool special = false;
  int failure = 0;  // an error number
};

// Where a chain of links ends, whether or not there is a file.
Target end_of_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as the system
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (!fs::is_symlink(fs::symlink_status(path, error))) return {path};
    const fs::path next = fs::read_symlink(path, error);
    if (error) return {path, false, error.value()};
    path = path.parent_path() / next;  // an absolute `next` replaces the rest
  }
  return {path, false, ELOOP};
}

// A link is followed, so that it stays a link.
// A pipe or device cannot be renamed over: it is written as it is.
Target target_of(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return end_of_links(path);
  if (!fs::is_regular_file(status)) return {path, true};
  const fs::path resolved = fs::canonical(path, error);
  return {error ? fs::path(path) : resolved, static_cast<bool>(error)};
}

// Writes text to a new file beside the target, under a name that nobody can foresee.
int write_temporary(const fs::path& target, std::string_view text, fs::path& temporary) {
  constexpr int kMostTries = 10;
  int failure = EEXIST;
  for (int i = 0; i < kMostTries && failure == EEXIST; ++i) {
    temporary = target.string() + ".part" + std::to_string(std::random_device{}());
    failure = write_plain(temporary.string(), text, "wbx");
  }
  return failure;
}

int write_and_rename(const fs::path& target, std::string_view text) {
  fs::path temporary;
  int failure = write_temporary(target, text, temporary);
  if (failure == EEXIST) return failure;  // not ours to remove
  std::error_code error;
  if (failure == 0) {
    // A file that exists keeps its permissions; failing to copy them is no reason to lose the result.
    const fs::file_status status = fs::status(target, error);
    if (!error && fs::exists(status)) fs::permissions(temporary, status.permissions(), error);
    fs::rename(temporary, target, error);
    if (!error) return 0;
    failure = error.value();
  }
  fs::remove(temporary, error);
  return failure;
}

int write_file(const std::string& path, std::string_view text) {
  const Target target = target_of(path);
  if (target.failure != 0) return target.failure;
  return target.special ? write_plain(target.path.string(), text, "wb") : write_and_rename(target.path, text);
}

}  // namespace

Error cannot_write(const std::string& path, int error_number) {
  return {ErrorCode::BadInput, Place::in_file(path == "-" ? "standard output" : path),
          "cannot be written: " + reason(error_number),
          error_number == EPIPE ? "the reader closed the pipe"
                                : "check the path, its permissions and the free space"};
}

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

Errors in_file(Errors errors, const std::string& path) {
  for (Error& error : errors) {
    std::string& file = error.where.file;
    file = file.empty() ? display_name(path) : display_name(path) + " " + file;
  }
  return errors;
}

Result<std::string> read_text(const std::string& path, std::size_t max_bytes) {
  if (path == "-") return read_stream(stdin, path, max_bytes);
  if (path.empty()) return no_path();
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    return Error{ErrorCode::BadInput, Place::in_file(path), "is a folder, not a file",
                 "give the path of a file in it"};
  }
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return cannot_open(path, errno);
  std::uintmax_t size = fs::is_regular_file(path, failure) ? fs::file_size(path, failure) : 0;
  if (failure) size = 0;
  if (size > max_bytes) return too_large(path, max_bytes);
  return read_stream(file.get(), path, max_bytes, size);
}

int write_standard_output(std::string_view text) { return write_all(stdout, text); }

Result<void> write_text(const std::string& path, const std::string& text) {
  if (path.empty()) return no_path();
  const int failure = path == "-" ? write_standard_output(text) : write_file(path, text);
  if (failure != 0) return cannot_write(path, failure);
  return {};
}

Result<void> can_write_text(const std::string& path) {
  if (path == "-") return {};
  if (path.empty()) return no_path();
  const Target target = target_of(path);
  std::error_code error;
  int failure = target.failure;
  if (failure == 0 && fs::is_directory(target.path, error)) failure = EISDIR;
  if (failure == 0 && target.special) {
    // Not opened: a pipe would wait for its reader.
    failure = access(target.path.c_str(), W_OK) == 0 ? 0 : errno;
  } else if (failure == 0) {
    fs::path temporary;
    failure = write_temporary(target.path, "", temporary);
    if (failure == 0) fs::remove(temporary, error);
  }
  if (failure != 0) return cannot_write(path, failure);
  return {};
}

bool same_file(const std::string& input, const std::string& output) {
  struct stat read = {}, written = {};
  const int found = input == "-" ? fstat(STDIN_FILENO, &read) : stat(input.c_str(), &read);
  return found == 0 && stat(output.c_str(), &written) == 0 && S_ISREG(read.st_mode) &&
         read.st_dev == written.st_dev && read.st_ino == written.st_ino;
}

}  // namespace nextstat
