// A Hessian over the parameters that may move, factorized in parts: local parameters bin by bin, then the
// global ones. In units in which its diagonal is 1:
//
//   A   the globals
//   G   the blocks of the locals
//   B   the coupling of the locals to the globals
//
//   S = A - B^T G^-1 B,   H^-1 = ( S^-1        -S^-1 W^T              )   with W = G^-1 B
//                                ( -W S^-1      G^-1 + W S^-1 W^T     )
//
//   HessianFactor factor(model, hessian_parts(model, data, x), moving, {.threads = 1});
//   if (factor.downhill().empty()) factor.solve(gradient);
//
// A direction without curvature is flat: one parameter of it is held, the others are solved for.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/algebra/dense_flat.h"
#include "model/compile/compiled_model.h"
#include "model/derivatives/derivatives.h"

namespace nextstat {

// A combination of parameters along which the NLL does not rise: the parts of a vector, largest first, in
// units in which the diagonal of the Hessian is 1.
struct FlatDirection {
  std::size_t held = 0;  // the parameter that is not solved for
  std::vector<std::pair<std::size_t, double>> parts = {};
};

class HessianFactor {
 public:
  // moving[parameter] != 0: in the matrix. extra[parameter]: added to the diagonal; empty = nothing is.
  // shift: added to that, as a part of it.
  HessianFactor(const CompiledModel& model, const HessianParts& parts, std::span<const char> moving,
                dense::Run run, double shift = 0, std::span<const double> extra = {});

  const std::vector<FlatDirection>& flat() const { return flat_; }
  // [parameter] a direction along which the NLL falls both ways, of the size of a sigma; empty = there is
  // none, the matrix is positive semi-definite. What follows needs that.
  const std::vector<double>& downhill() const { return downhill_; }

  // In units of the diagonal; of a downhill direction negative; flat directions are not counted.
  double smallest_pivot() const { return smallest_pivot_; }
  // 1 / sqrt of the diagonal, 1 where that is not positive. [parameter]; 0 for parameters that do not move.
  const std::vector<double>& units() const { return unit_; }

  // H^-1 g. [parameter]; 0 for parameters that do not move or are held.
  std::vector<double> solve(std::span<const double> gradient) const;
  // The diagonal of H^-1. [parameter]
  std::vector<double> variances() const;
  // H^-1. [parameter][parameter]
  std::vector<double> matrix() const;

 private:
  // Locals of one bin that are solved for.
  struct Block {
    std::size_t begin, end;
    std::size_t root;  // where its R stands, R^T R = its part of G
    std::size_t size() const { return end - begin; }
  };
  using Parts = std::vector<std::pair<std::size_t, double>>;  // parameter, its part in units

  struct Input;
  void set_globals(const Input& input);
  bool add_blocks(const Input& input);
  bool add_block(const Input& input, std::span<const std::size_t> members);
  bool is_saddle(const Input& input, std::span<const std::size_t> members,
                 const dense::NullVector& direction);
  void eliminate_locals(const Input& input);
  void factor_globals();
  const double* root_of(const Block& block) const { return roots_.data() + block.root; }
  void keep_globals(std::vector<std::size_t> kept);
  Parts with_locals(const dense::NullVector& direction) const;
  void add_flat(std::size_t held, Parts direction);
  void set_downhill(const Parts& direction);
  void add_local_variances(std::vector<double>& variances) const;
  void add_local_entries(const double* inverse, double* matrix) const;

  std::size_t n_;
  dense::Run run_;
  std::vector<double> unit_;                   // [parameter] 1 / sqrt of its diagonal
  std::vector<std::size_t> globals_, locals_;  // parameters that are solved for
  std::vector<std::size_t> local_places_;      // [local] its place among the model's
  std::vector<Block> blocks_;
  std::vector<double> roots_;  // of the blocks
  RawNumbers response_;        // [local][global] W
  RawNumbers schur_;           // [global][global] S, while it is made
  RawNumbers root_;            // [global][global] R^T R = S
  std::vector<FlatDirection> flat_;
  std::vector<double> downhill_;
  double smallest_pivot_ = 1;
};

}  // namespace nextstat
