#include <nextstat/likelihood.h>

#include <stdexcept>

#include "base/try.h"
#include "cpu/instruction_set.h"
#include "cpu/session.h"

namespace nextstat {

struct Likelihood::Ready {
  Model model;
  CpuSession<double> session;

  void check(std::size_t length) const {
    if (length != model.n_parameters())
      throw std::logic_error("Likelihood: one number per parameter is needed");
  }
};

void Likelihood::check(const Ready* ready, std::size_t length) {
  if (ready == nullptr) throw std::logic_error("Likelihood: it was moved away");
  if (length != ready->model.n_parameters())
    throw std::logic_error("Likelihood: one number per parameter is needed");
}

Likelihood::Likelihood(std::unique_ptr<Ready> ready) : ready_(std::move(ready)) {}
Likelihood::Likelihood(Likelihood&&) noexcept = default;
Likelihood& Likelihood::operator=(Likelihood&&) noexcept = default;
Likelihood::~Likelihood() = default;

Result<Likelihood> Likelihood::make(const Model& model) {
  TRY(const cpu::Kernels* kernels, cpu::choose_kernels(""));
  return Likelihood(
      std::unique_ptr<Ready>(new Ready{model, CpuSession<double>(model, *kernels, CpuOptions{})}));
}

double Likelihood::nll(std::span<const double> parameters) {
  check(ready_.get(), parameters.size());
  return ready_->session.nll(parameters.data());
}

double Likelihood::nll_and_gradient(std::span<const double> parameters, std::span<double> gradient) {
  check(ready_.get(), parameters.size());
  check(ready_.get(), gradient.size());
  return ready_->session.nll_and_gradient(parameters.data(), gradient.data());
}

bool Likelihood::is_quick() const {
  check(ready_.get(), ready_ ? ready_->model.n_parameters() : 0);
  // About 0.1 ns per number of the tables.
  constexpr std::size_t kQuick = 500'000;
  const CompiledModel& compiled = compiled_model(ready_->model);
  return compiled.reals.size() + compiled.indices.size() + compiled.layout.row_size < kQuick;
}

}  // namespace nextstat
