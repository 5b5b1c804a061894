#include <nextstat/documents.h>
#include <nextstat/json.h>
#include <nextstat/mass_scan.h>
#include <nextstat/patchset.h>

#include <memory>

#include "base/try.h"

namespace nextstat {
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
    TRY(const Workspace workspace, parse_workspace(dump_json(patched)));
    return build_model(workspace, options);
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
