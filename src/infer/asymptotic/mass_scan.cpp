#include <fmt/format.h>
#include <nextstat/documents.h>
#include <nextstat/json.h>
#include <nextstat/mass_scan.h>
#include <nextstat/patchset.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "base/parallel.h"
#include "base/try.h"
#include "infer/asymptotic/asymptotic_test.h"
#include "infer/asymptotic/limit_search.h"

namespace nextstat {
namespace {

Result<RunOptions> options_of(const Model& model, const MassScanOptions& options) {
  Result<RunOptions> run = options.run_of ? options.run_of(model) : options.run;
  if (!run) return run;
  run->threads = 1;
  run->on_progress = {};
  run->stop = options.run.stop;
  run->device = options.run.device;
  run->fallback = options.run.fallback;
  run->device_memory = options.run.device_memory;
  return run;
}

UpperLimitOptions limit_options(const MassScanOptions& options) {
  UpperLimitOptions limit;
  limit.confidence_level = options.confidence_level;
  limit.statistic = options.statistic;
  limit.rtol = options.rtol;
  return limit;
}

// Limits and CLs of one point; all fits are shared.
Result<void> answer(const Model& model, const MassScanOptions& options, MassPoint& point) {
  TRY(const RunOptions run, options_of(model, options));
  TRY(AsymptoticTest test, AsymptoticTest::prepare(model, run, {options.statistic}, kFitsOfLimits));
  TRY_DO(test.visit({&options.mu, 1}, true));
  TRY(UpperLimitResult limits, find_limits(test, limit_options(options)));
  point.limit = std::move(limits);
  point.test = hypotest_result(test, options.mu);
  return {};
}

MassPoint scan_point(const MassPointSource& source, const MassScanOptions& options) {
  MassPoint point{.label = source.label, .values = source.values};
  const Result<Model> model = source.model();
  if (!model) {
    point.errors = model.errors();
  } else if (auto done = answer(*model, options, point); !done) {
    point.errors = done.errors();
  }
  return point;
}

}  // namespace

Result<MassScanResult> mass_scan(std::span<const MassPointSource> sources, const MassScanOptions& options) {
  if (Errors wrong = upper_limit_option_errors(limit_options(options)); !wrong.empty()) return wrong;
  if (!std::isfinite(options.mu))
    return Error{ErrorCode::BadUsage, Field::Mu, "the tested value is not finite", "give a number"};
  TRY_DO(check_device(options.run));
  MassScanResult result;
  result.confidence_level = options.confidence_level;
  result.mu_test = options.mu;
  result.statistic = options.statistic;
  std::vector<MassPoint> points(sources.size());
  std::vector<char> finished(sources.size(), 0);
  std::mutex mutex;
  std::size_t done = 0;
  parallel_chunks(sources.size(), options.run.threads, [&](std::size_t i) {
    if (options.run.stop.stop_requested()) return;
    points[i] = scan_point(sources[i], options);
    if (points[i].errors.empty() && points[i].test.interrupted) return;
    finished[i] = 1;
    const std::lock_guard lock(mutex);
    if (options.run.on_progress) options.run.on_progress(++done, sources.size());
  });
  result.converged = true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!finished[i]) {
      result.interrupted = true;
      continue;
    }
    result.fits += points[i].test.fits;
    result.iterations += points[i].test.iterations;
    result.converged = result.converged && points[i].converged();
    if (result.device.choice.empty()) result.device = points[i].test.device;
    result.points.push_back(std::move(points[i]));
  }
  result.converged = result.converged && !result.interrupted;
  return result;
}

namespace {

std::vector<MassValue> values_of(const Json& values) {
  std::vector<MassValue> result;
  for (const Json& value : values) {
    if (value.is_number()) {
      result.emplace_back(value.get<double>());
    } else {
      result.emplace_back(value.is_string() ? value.get<std::string>() : dump_json(value));
    }
  }
  return result;
}

// What all points read and none changes.
struct Shared {
  Json background;
  PatchSet patchset;
  ModelOptions options;

  Result<Model> model(std::size_t position) const {
    const std::string where = pointer_append(pointer_append("", "patches"), position) + "/patch";
    TRY(const Json patched, apply_patch(background, patchset.patches().at(position).at("patch"), where));
    return parse_model(dump_json(patched), options);
  }
};

}  // namespace

Result<std::vector<MassPointSource>> patchset_points(std::string_view background, std::string_view patchset,
                                                     const ModelOptions& options) {
  TRY(Json base, parse_json(background));
  TRY(Json document, parse_json(patchset));
  TRY(PatchSet set, PatchSet::read(std::move(document)));
  TRY_DO(set.verify(base));
  const auto shared = std::make_shared<const Shared>(Shared{std::move(base), std::move(set), options});
  std::vector<MassPointSource> points;
  for (std::size_t i = 0; i < shared->patchset.size(); ++i) {
    const Json& about = shared->patchset.patches().at(i).at("metadata");
    points.push_back({about.at("name").get<std::string>(), values_of(about.at("values")),
                      [shared, i] { return shared->model(i); }});
  }
  return points;
}

}  // namespace nextstat
