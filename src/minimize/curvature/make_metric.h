// Makes the model's own metric at a point, from expectations only.
#pragma once

#include <span>

#include "device/metric.h"
#include "model/compile/compiled_model.h"

namespace nextstat {

// In `fixed`: a free parameter that stands at a bound and does not move with this metric.
constexpr char kHeldForNow = 2;

// What a metric may cost. The diagonal takes some hundred steps instead of ten; of a large model they are
// together quicker than its dense matrix, so few fits try it first.
enum class MetricCost { Little, Any };

// The form over bins or over parameters, whichever is smaller; the diagonal alone where that costs too much.
// fixed[parameter] != 0: the parameter does not move in any row.
// threads: 0 = all; the result does not depend on it.
Metric make_metric(const CompiledModel& model, std::span<const double> parameters,
                   std::span<const char> fixed, std::size_t threads = 1, MetricCost cost = MetricCost::Any);

}  // namespace nextstat
