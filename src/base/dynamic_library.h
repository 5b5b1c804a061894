// A shared library opened at run time, because not every machine has the drivers of every vendor.
//
//   Result<DynamicLibrary> library = DynamicLibrary::open({"libcuda.so.1"});
//   if (!library) ...   // NotFound: which names were tried, and what the loader said
//   auto* init = library->function<int (*)(unsigned)>("cuInit");   // null = the library has no such symbol
#pragma once

#include <nextstat/result.h>

#include <string>
#include <utility>
#include <vector>

namespace nextstat {

class DynamicLibrary {
 public:
  // The first of the names that opens. It stays open to the end of the program: drivers keep threads and
  // memory that do not survive a close.
  static Result<DynamicLibrary> open(const std::vector<std::string>& names);

  const std::string& name() const { return name_; }
  void* symbol(const char* name) const;  // null = there is none
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

 private:
  DynamicLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}

  std::string name_;
  void* handle_;
};

// Fills a table of functions and remembers the names that the library has not.
//
//   SymbolReader read(library);
//   read("cuInit", table.init);
//   if (!read.missing().empty()) ...
class SymbolReader {
 public:
  explicit SymbolReader(const DynamicLibrary& library) : library_(library) {}
  template <class Function>
  void operator()(const char* name, Function*& to) {
    to = library_.function<Function*>(name);
    if (to == nullptr) missing_.emplace_back(name);
  }
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  const DynamicLibrary& library_;
  std::vector<std::string> missing_;
};

}  // namespace nextstat
