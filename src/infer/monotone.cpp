#include "infer/monotone.h"

#include <cstddef>

namespace nextstat {

std::vector<double> rising_means(std::span<const WeightedSum> values) {
  struct Pool {
    double sum, weight;
    std::size_t size;
    double mean() const { return sum / weight; }
  };
  std::vector<Pool> pools;
  for (const WeightedSum& value : values) {
    pools.push_back({value.sum, value.weight, 1});
    while (pools.size() > 1 && pools.back().mean() < pools[pools.size() - 2].mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& pool = pools.back();
      pool = {pool.sum + last.sum, pool.weight + last.weight, pool.size + last.size};
    }
  }
  std::vector<double> means;
  for (const Pool& pool : pools) means.insert(means.end(), pool.size, pool.mean());
  return means;
}

}  // namespace nextstat
