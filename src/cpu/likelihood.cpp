#include <nextstat/likelihood.h>

#include "cpu/instruction_set.h"
#include "cpu/session.h"

namespace nextstat {

struct Likelihood::Ready {
  Model model;
  CpuSession<double> session;
};

Likelihood::Likelihood(std::unique_ptr<Ready> ready) : ready_(std::move(ready)) {}
Likelihood::Likelihood(Likelihood&&) noexcept = default;
Likelihood& Likelihood::operator=(Likelihood&&) noexcept = default;
Likelihood::~Likelihood() = default;

Result<Likelihood> Likelihood::make(const Model& model) {
  const Result<const cpu::Kernels*> kernels = cpu::choose_kernels("");
  if (!kernels) return kernels.errors();
  return Likelihood(
      std::unique_ptr<Ready>(new Ready{model, CpuSession<double>(model, **kernels, CpuOptions{})}));
}

double Likelihood::nll(const double* parameters) { return ready_->session.nll(parameters); }

double Likelihood::nll_and_gradient(const double* parameters, double* gradient) {
  return ready_->session.nll_and_gradient(parameters, gradient);
}

bool Likelihood::is_quick() const {
  // About 0.1 ns per number of the tables.
  constexpr std::size_t kQuick = 500'000;
  const CompiledModel& compiled = ready_->model.compiled();
  return compiled.reals.size() + compiled.indices.size() + compiled.layout.row_size < kQuick;
}

}  // namespace nextstat
