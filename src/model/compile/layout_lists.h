// Sliced lists for layout.cpp: owners in their order, terms of a parameter in pieces, entries in their place.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "model/compile/compiled_model.h"

namespace nextstat::layout {

constexpr std::uint32_t kLanes = 8;
constexpr std::uint32_t kZero = 0, kOne = 1;  // row positions of the constants 0 and 1

inline std::uint32_t padded(std::size_t count) {
  return static_cast<std::uint32_t>((count + kLanes - 1) / kLanes * kLanes);
}

// Owners in the order of falling list length, so that the 8 lists of a slice are about equally long.
struct OwnerOrder {
  std::vector<std::uint32_t> owner, counts;  // [place]
  std::vector<std::uint32_t> place;          // [owner]

  // lengths: [owner]
  explicit OwnerOrder(const std::vector<std::uint32_t>& lengths = {})
      : owner(lengths.size()), counts(lengths.size()), place(lengths.size()) {
    if (lengths.empty()) return;
    // [longest - length] the next place of a list of that length
    const std::uint32_t longest = *std::max_element(lengths.begin(), lengths.end());
    std::vector<std::uint32_t> next(longest + 2, 0);
    for (const std::uint32_t length : lengths) ++next[longest - length + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::uint32_t o = 0; o < lengths.size(); ++o) {
      place[o] = next[longest - lengths[o]]++;
      owner[place[o]] = o;
      counts[place[o]] = lengths[o];
    }
  }

  // [place] of other terms of the same owners
  template <class Terms, class Owner>
  std::vector<std::uint32_t> counts_of(const Terms& terms, Owner&& owner_of) const {
    std::vector<std::uint32_t> found(owner.size(), 0);
    for (const auto& term : terms) ++found[place[owner_of(term)]];
    return found;
  }
};

// The terms of each parameter, cut in pieces that are owners of their own: a long list would keep one thread
// of a device busy while all others wait. What the pieces give is added up by the gather list.
struct Pieces : OwnerOrder {
  std::vector<std::uint32_t> parameter;    // [piece]
  std::vector<std::uint32_t> first, used;  // [parameter] its first piece; its terms that were placed
  int longest_bits;

  template <class Terms>
  Pieces(const Terms& terms, std::size_t n_parameters, std::uint32_t longest)  // a power of two
      : first(n_parameters), used(n_parameters, 0), longest_bits(std::countr_zero(longest)) {
    std::vector<std::uint32_t> total(n_parameters, 0), lengths;
    for (const auto& term : terms) ++total[term.parameter];
    for (std::uint32_t p = 0; p < n_parameters; ++p) {
      first[p] = static_cast<std::uint32_t>(lengths.size());
      for (std::uint32_t done = 0; done < total[p]; done += longest) {
        parameter.push_back(p);
        lengths.push_back(std::min(longest, total[p] - done));
      }
    }
    static_cast<OwnerOrder&>(*this) = OwnerOrder(lengths);
  }

  // The place of the piece of the next term of a parameter.
  std::uint32_t next(std::uint32_t p) { return place[first[p] + (used[p]++ >> longest_bits)]; }
};

// Places the entries of one NsList.
class ListWriter {
 public:
  // counts[place]: entries of the owner at that place.
  ListWriter(CompiledModel& model, NsList& list, const std::vector<std::uint32_t>& counts,
             std::uint32_t index_width, std::uint32_t real_width, std::uint32_t padding)
      : model_(model), index_width_(index_width), real_width_(real_width), next_(padded(counts.size())) {
    list.slices = padded(counts.size()) / kLanes;
    list.begin = model.layout.begins_size;
    model.layout.begins_size += padded(list.slices + 1);
    list.length = grow(model.indices, list.slices * kLanes, 0u);
    std::copy(counts.begin(), counts.end(), model.indices.begin() + list.length);
    for (std::uint32_t s = 0; s < list.slices; ++s) {
      model.indices[list.begin + s] = slots_;
      std::fill_n(next_.begin() + s * kLanes, kLanes, slots_);
      const auto first = model.indices.begin() + list.length + s * kLanes;
      slots_ += *std::max_element(first, first + kLanes);
    }
    model.indices[list.begin + list.slices] = slots_;
    list.index = index_begin_ = grow(model.indices, slots_ * kLanes * index_width, padding);
    list.real = real_begin_ = grow(model.reals, slots_ * kLanes * real_width, 0.0);
  }

  // The next entry of the owner at `place`, slot * kLanes + lane; entries come in the order of the calls.
  std::uint32_t next(std::uint32_t place) { return next_[place]++ * kLanes + place % kLanes; }

  // Calls write(entry, term) for all terms from the first entry to the last: what shares a cache line is written
  // at once, where the terms in their own order would come back to each line eight times.
  template <class Term, class PlaceOf, class Write>
  void each_entry(const std::vector<Term>& terms, PlaceOf&& place_of, Write&& write) {
    std::vector<const Term*> term_at(slots_ * kLanes);
    for (const Term& term : terms) term_at[next(place_of(term))] = &term;
    for (std::uint32_t entry = 0; entry < term_at.size(); ++entry)
      if (term_at[entry] != nullptr) write(entry, *term_at[entry]);
  }

  // Where the `which`-th of so many numbers of an entry stands.
  static std::uint32_t position(std::uint32_t entry, std::uint32_t width, std::uint32_t which) {
    return (entry / kLanes * width + which) * kLanes + entry % kLanes;
  }
  void set_index(std::uint32_t entry, std::uint32_t which, std::uint32_t value) {
    model_.indices[index_begin_ + position(entry, index_width_, which)] = value;
  }
  void set_real(std::uint32_t entry, std::uint32_t which, double value) {
    model_.reals[real_begin_ + position(entry, real_width_, which)] = value;
  }
  std::uint32_t slots() const { return slots_; }

  template <class Vector, class T>
  static std::uint32_t grow(Vector& array, std::size_t count, T value) {
    const std::size_t begin = array.size();
    if (begin + count > 0xfffffff0u)
      throw std::length_error("the tables of this model need positions beyond 32 bits");
    array.resize(begin + padded(count), value);
    return static_cast<std::uint32_t>(begin);
  }

 private:
  CompiledModel& model_;
  std::uint32_t index_width_, real_width_, index_begin_ = 0, real_begin_ = 0, slots_ = 0;
  std::vector<std::uint32_t> next_;  // [place] slot
};

template <class Terms, class Owner>
std::vector<std::uint32_t> count_by(const Terms& terms, std::size_t owners, Owner&& owner_of) {
  std::vector<std::uint32_t> counts(owners, 0);
  for (const auto& term : terms) ++counts[owner_of(term)];
  return counts;
}

}  // namespace nextstat::layout
