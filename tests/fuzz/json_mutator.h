// Changes a document instead of its bytes, so that most inputs get past the parser: numbers become extreme,
// elements are doubled, dropped or exchanged, names are repeated. Every fourth change is still one of bytes.
#pragma once

#include <nextstat/json.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace nextstat {

class JsonMutator {
 public:
  explicit JsonMutator(unsigned seed) : random_(seed) {}

  std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
    Result<Json> document = parse_json({reinterpret_cast<const char*>(data), size});
    if (!document || pick(4) == 0) return LLVMFuzzerMutate(data, size, max_size);
    for (std::size_t change = 0; change <= pick(3); ++change) {
      nodes_.clear();
      collect(*document);
      change_node(*nodes_[pick(nodes_.size())]);
    }
    const std::string text = dump_json(*document);
    if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    std::memcpy(data, text.data(), text.size());
    return text.size();
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }

  void collect(Json& node) {
    nodes_.push_back(&node);
    if (!node.is_structured()) return;
    for (Json& child : node) collect(child);
  }

  void change_node(Json& node) {
    static const double kNumbers[] = {
        0.0,      -0.0, 1.0, -1.0, 0.5, 2.0, 1e-10, 5e-324, 1e-300, 1e300, 1.7976931348623157e308,
        -1.7e308, 1e15, 9.9, 17.0};
    static const char* const kWords[] = {"a",       "mu",          "lumi",     "histosys",  "normfactor",
                                         "normsys", "shapefactor", "shapesys", "staterror", ""};
    if (node.is_number()) {
      node = pick(3) == 0 ? node.get<double>() * 1.5 : kNumbers[pick(std::size(kNumbers))];
    } else if (node.is_string()) {
      node = kWords[pick(std::size(kWords))];
    } else if (node.is_boolean()) {
      node = !node.get<bool>();
    } else if (node.is_array() && !node.empty()) {
      change_array(node);
    } else if (node.is_object() && !node.empty() && pick(8) == 0) {
      node.erase(std::next(node.begin(), static_cast<std::ptrdiff_t>(pick(node.size()))));
    }
  }

  void change_array(Json& array) {
    const std::size_t index = pick(array.size()), other = pick(array.size());
    if (pick(3) == 0) {
      array.erase(index);
    } else if (pick(2) == 0) {
      const Json copy = array[index];
      array.push_back(copy);
    } else {
      std::swap(array[index], array[other]);
    }
  }

  std::minstd_rand random_;
  std::vector<Json*> nodes_;
};

}  // namespace nextstat

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return nextstat::JsonMutator(seed).mutate(data, size, max_size);
}
