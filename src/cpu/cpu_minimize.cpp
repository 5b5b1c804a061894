#include <algorithm>
#include <thread>

#include "base/parallel.h"
#include "base/try.h"
#include "cpu/cpu_session.h"
#include "cpu/minimize_rows.h"
#include "device/requests.h"

namespace nextstat {
namespace {

// No two rows share a dataset.
bool have_sets_of_their_own(std::span<const MinimizeRow> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].data <= rows[i - 1].data) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<RowOutcome>> CpuSession::minimize(const MinimizeRequest& asked) {
  MinimizeRequest request = asked;
  if (request.drawn != nullptr) {
    if (request.drawn->unread) request.drawn->draw_again(options_.threads);
    request.data = request.drawn->values;
  }
  const std::size_t n_data = compiled_.n_data, given = request.data.size() / std::max<std::size_t>(1, n_data);
  TRY_DO(check_request(request, compiled_));
  std::vector<Dataset> sets(given);
  const bool own_sets = given > 1 && have_sets_of_their_own(request.rows);
  if (!own_sets) {
    parallel_chunks(given, options_.threads,
                    [&](std::size_t i) { sets[i] = set_of(request.data.subspan(i * n_data, n_data)); });
  }
  if (sets.empty()) sets.push_back(own_data_);
  cpu::SharedRows rows(compiled_, kernels_.minimizer, request, sets, own_sets);
  const std::size_t threads = std::min(threads_of(options_.threads), request.rows.size());
  const bool wide = options_.rows_side_by_side == 0
                        ? cpu::side_by_side_pays(compiled_, request.metric, request.rows.size() / threads)
                        : options_.rows_side_by_side > 1;
  parallel_chunks(threads, options_.threads,
                  [&](std::size_t) { wide ? rows.run_side_by_side() : rows.run_one_by_one(); });
  return std::move(rows.outcomes);
}

}  // namespace nextstat
