#include <nextstat/names.h>
#include <nextstat/termination.h>

namespace nextstat {
namespace {

constexpr Named<Termination> kTerminations[] = {
    {"converged", Termination::Converged},        {"rounding", Termination::Rounding},
    {"not_converged", Termination::NotConverged}, {"not_finite", Termination::NotFinite},
    {"interrupted", Termination::Interrupted},
};

}  // namespace

const char* to_string(Termination termination) {
  return name_in(NameTable<Termination>(kTerminations), termination);
}

}  // namespace nextstat
