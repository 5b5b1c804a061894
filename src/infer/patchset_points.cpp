#include <nextstat/documents.h>
#include <nextstat/json.h>
#include <nextstat/mass_scan.h>
#include <nextstat/patchset.h>

#include <memory>

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
    const Result<Json> patched = apply_patch(background, patchset.patches().at(position).at("patch"), where);
    if (!patched) return patched.errors();
    const Result<Workspace> workspace = parse_workspace(dump_json(*patched));
    if (!workspace) return workspace.errors();
    return build_model(*workspace, options);
  }
};

}  // namespace

Result<std::vector<MassPointSource>> patchset_points(std::string_view background, std::string_view patchset,
                                                     const ModelOptions& options) {
  Result<Json> base = parse_json(background);
  if (!base) return base.errors();
  Result<Json> document = parse_json(patchset);
  if (!document) return document.errors();
  Result<PatchSet> set = PatchSet::read(std::move(*document));
  if (!set) return set.errors();
  if (const auto verified = set->verify(*base); !verified) return verified.errors();
  const auto shared = std::make_shared<const Shared>(Shared{std::move(*base), std::move(*set), options});
  std::vector<MassPointSource> points;
  for (std::size_t i = 0; i < shared->patchset.size(); ++i) {
    const Json& about = shared->patchset.patches().at(i).at("metadata");
    points.push_back({about.at("name").get<std::string>(), values_of(about.at("values")),
                      [shared, i] { return shared->model(i); }});
  }
  return points;
}

}  // namespace nextstat
