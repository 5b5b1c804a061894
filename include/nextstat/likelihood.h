// The likelihood of one model on this processor, kept ready for many calls of a point each.
//
//   Result<Likelihood> likelihood = Likelihood::make(model);
//   std::vector<double> point = model.initial(), gradient(point.size());
//   likelihood->nll_and_gradient(point, gradient);
//
// For many points at once, other devices and other data: evaluate().
#pragma once

#include <nextstat/model.h>

#include <memory>
#include <span>

#pragma GCC visibility push(default)
namespace nextstat {

// Holds what it needs of the model: the model may go first. Moved, not copied; one per thread.
class Likelihood {
 public:
  // Prepares the likelihood of a model.
  static Result<Likelihood> make(const Model& model);
  Likelihood(Likelihood&&) noexcept;
  Likelihood& operator=(Likelihood&&) noexcept;
  ~Likelihood();

  // parameters, gradient: [parameter]. On the model's own data; +infinity where an observed count has no
  // rate. Without allocation; not from two threads at once. Another length, or a call after a move, throws
  // std::logic_error.
  double nll(std::span<const double> parameters);
  double nll_and_gradient(std::span<const double> parameters, std::span<double> gradient);

  // Calls take microseconds rather than milliseconds.
  bool is_quick() const;

 private:
  struct Ready;
  explicit Likelihood(std::unique_ptr<Ready> ready);
  std::unique_ptr<Ready> ready_;
};

}  // namespace nextstat
#pragma GCC visibility pop
