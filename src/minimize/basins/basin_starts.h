// The starts of one search for minima: those that the model's bends suggest, then points drawn around the
// suggested start and around the deepest minimum found so far.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "minimize/basins/model_bends.h"
#include "minimize/rows/solve.h"
#include "minimize/rows/start_draws.h"

namespace nextstat {

struct BasinStart {
  std::vector<double> point;
  std::optional<std::size_t> held = {};  // released after the others have followed it
  bool far = false;                      // they have a long way to go, and may have no likelihood yet
  // It takes samples below zero, but no whole bin: the NLL of an empty bin falls without end below zero, and
  // that describes no data.
  bool below_zero = false;
};

class BasinStarts {
 public:
  // first: the minimum that the row's own start leads to. batch and bends must outlive this.
  BasinStarts(const Model& model, const RowBatch& batch, const Row& row, const Minimum& first,
              const ModelBends& bends);
  // Begins with this one of what the bends suggest: rows that share a search have others first.
  void skip(std::size_t suggestions);

  // The next `count` starts. Those without a likelihood are moved towards the first minimum.
  Result<std::vector<BasinStart>> next(DeviceSession& session, std::span<const double> deepest,
                                       std::size_t count);

  const std::vector<double>& widths() const { return draws_.widths(); }

 private:
  // Kept as a description: the points of many rows would fill the memory of large models.
  struct Suggestion {
    const BinPush* push = nullptr;  // or one parameter, held
    std::size_t parameter = 0;
    bool from_first = true;  // from the first minimum; false: from the suggested start
    double widths = 0;
    bool below_zero = false;
  };
  void suggest(const ModelBends& bends);
  std::vector<Suggestion> pushes(const ModelBends& bends) const;
  std::vector<Suggestion> below_zero(const ModelBends& bends) const;
  std::vector<Suggestion> singles(const ModelBends& bends) const;
  std::vector<Suggestion> free_factors(const ModelBends& bends) const;
  BasinStart point_of(const Suggestion& suggestion) const;
  void move(std::vector<double>& point, std::size_t parameter, double widths) const;
  std::vector<BasinStart> mirrored_from(std::span<const double> deepest);
  BasinStart draw(std::span<const double> deepest);
  Result<void> make_finite(DeviceSession& session, std::vector<BasinStart>& starts) const;

  std::span<const double> data_;  // empty = the model's own
  std::size_t bins_ = 0;
  std::vector<double> first_;
  StartDraws draws_;
  std::vector<Suggestion> suggested_;
  std::vector<double> mirrored_;  // the minimum whose pulls were tried on the other side last
  std::size_t next_suggested_ = 0, drawn_ = 0;
};

}  // namespace nextstat
