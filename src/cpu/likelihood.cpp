#include <nextstat/likelihood.h>

#include <stdexcept>

#include "base/try.h"
#include "cpu/cpu_session.h"
#include "cpu/instruction_set.h"

namespace nextstat {

struct Likelihood::Ready {
  Model model;
  CpuSession session;

  static Ready& checked(const std::unique_ptr<Ready>& ready) {
    if (!ready) throw std::logic_error("Likelihood: it was moved away");
    return *ready;
  }
  void check(std::size_t length) const {
    if (length != model.n_parameters())
      throw std::logic_error("Likelihood: one number per parameter is needed");
  }
};

Likelihood::Likelihood(std::unique_ptr<Ready> ready) : ready_(std::move(ready)) {}
Likelihood::Likelihood(Likelihood&&) noexcept = default;
Likelihood& Likelihood::operator=(Likelihood&&) noexcept = default;
Likelihood::~Likelihood() = default;

Result<Likelihood> Likelihood::make(const Model& model) {
  TRY(const cpu::Kernels* kernels, cpu::choose_kernels(""));
  return Likelihood(std::unique_ptr<Ready>(new Ready{model, CpuSession(model, *kernels, CpuOptions{})}));
}

double Likelihood::nll(std::span<const double> parameters) {
  Ready& ready = Ready::checked(ready_);
  ready.check(parameters.size());
  return ready.session.nll(parameters.data());
}

double Likelihood::nll_and_gradient(std::span<const double> parameters, std::span<double> gradient) {
  Ready& ready = Ready::checked(ready_);
  ready.check(parameters.size());
  ready.check(gradient.size());
  return ready.session.nll_and_gradient(parameters.data(), gradient.data());
}

bool Likelihood::is_quick() const {
  // About 0.1 ns per number of the tables.
  constexpr std::size_t kQuick = 500'000;
  const CompiledModel& compiled = compiled_model(Ready::checked(ready_).model);
  return compiled.reals.size() + compiled.indices.size() + compiled.layout.row_size < kQuick;
}

}  // namespace nextstat
