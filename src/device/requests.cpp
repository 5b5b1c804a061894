#include "device/requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "base/try.h"

namespace nextstat {
namespace {

// How many datasets a request brings.
Result<std::size_t> sets_in(std::size_t values, std::size_t n_data) {
  if (values == 0) return std::size_t{1};
  if (n_data == 0 || values % n_data != 0)
    return Error{ErrorCode::BadUsage, "", fmt::format("{} data values, a dataset has {}", values, n_data),
                 "give one value per datum of every dataset"};
  return values / n_data;
}

}  // namespace

Result<void> check_request(const EvalRequest& request, const CompiledModel& model) {
  const auto refuse = [](std::string what) {
    return Error{ErrorCode::BadUsage, "", std::move(what),
                 "give one value per parameter and datum for every row"};
  };
  if (request.parameters.size() != request.rows * model.n_parameters) {
    return refuse(fmt::format("{} parameter values for {} rows of {} parameters", request.parameters.size(),
                              request.rows, model.n_parameters));
  }
  TRY(const std::size_t sets, sets_in(request.data.size(), model.n_data));
  if (!request.data_of_row.empty() && request.data_of_row.size() != request.rows)
    return refuse("one dataset number per row is needed");
  for (std::size_t set : request.data_of_row) {
    if (set >= sets) return refuse(fmt::format("dataset {} of {}", set, sets));
  }
  return {};
}

Result<void> check_request(const MinimizeRequest& request, const CompiledModel& model) {
  const auto refuse = [](const char* what) {
    return Error{ErrorCode::BadUsage, "minimize", what, "check the rows of the request"};
  };
  TRY(const std::size_t given, sets_in(request.data.size(), model.n_data));
  const std::size_t sets = request.drawn != nullptr ? request.drawn->count(model.n_data) : given;
  if (request.drawn != nullptr && !request.drawn->unread)
    TRY_DO(sets_in(request.drawn->values.size(), model.n_data));
  for (const RowBounds& bounds : request.bounds) {
    if (bounds.low.size() != model.n_parameters || bounds.high.size() != model.n_parameters)
      return refuse("bounds must have one value per parameter");
    if (bounds.held.size() > NS_HELD)
      return refuse("a row holds more parameters than the metric can release");
  }
  for (const MinimizeRow& row : request.rows) {
    if (row.bounds >= request.bounds.size() || (row.start + 1) * model.n_parameters > request.starts.size() ||
        row.data >= sets)
      return refuse("a row names data, a start or bounds that do not exist");
  }
  return {};
}

void DrawnToys::draw_again(std::size_t threads) {
  values = draw_on_host(*unread, threads).values;
  unread.reset();
}

std::span<const double> DrawnToys::toy(std::size_t number, std::size_t n_data,
                                       std::vector<double>& room) const {
  if (!unread) return std::span(values).subspan(number * n_data, n_data);
  room.resize(n_data);
  draw_toys(unread->plan, unread->seed, unread->hypothesis, unread->first + number, 1, room.data());
  return room;
}

DrawnToys draw_on_host(const ToyDraw& draw, std::size_t threads) {
  constexpr std::size_t kChunk = 128;
  const std::size_t n_data = draw.plan.data.size();
  DrawnToys drawn{RawNumbers(draw.count * n_data), 0};
  parallel_chunks((draw.count + kChunk - 1) / kChunk, threads, [&](std::size_t chunk) {
    const std::size_t begin = chunk * kChunk;
    draw_toys(draw.plan, draw.seed, draw.hypothesis, draw.first + begin, std::min(kChunk, draw.count - begin),
              drawn.values.data() + begin * n_data);
  });
  return drawn;
}

RowStatus row_status(double code) {
  switch (static_cast<int>(code)) {
    case NS_RUNNING:
      return RowStatus::Interrupted;
    case NS_CONVERGED:
      return RowStatus::Converged;
    case NS_NO_DECREASE:
      return RowStatus::NoDecrease;
    case NS_WANTS_METRIC:
      return RowStatus::MetricOutdated;
    default:
      return RowStatus::NotFinite;
  }
}

void fill_expected_auxiliary(const CompiledModel& model, const double* x, double* expected) {
  for (const auto& constraint : model.normals) expected[constraint.data] = x[constraint.parameter];
  for (const auto& constraint : model.poissons)
    expected[constraint.data] = x[constraint.parameter] * constraint.tau;
}

}  // namespace nextstat
