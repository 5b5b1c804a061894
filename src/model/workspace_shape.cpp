#include "model/workspace_shape.h"

#include "model/shape_check.h"

namespace nextstat {
namespace {

void check_strings(ShapeCheck& check, const JsonPlace& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    check.member(object, key, [&](const JsonPlace& value) { check.string(value); });
}

void check_sample(ShapeCheck& check, const JsonPlace& sample) {
  if (!check.object(sample, {.required = {"name", "data", "modifiers"}})) return;
  check_strings(check, sample, {"name"});
  check.member(sample, "modifiers", [&](const JsonPlace& modifiers) {
    check.each(modifiers, 0, [&](const JsonPlace& modifier) {
      if (check.object(modifier, {.required = {"name", "type", "data"}})) {
        check_strings(check, modifier, {"name", "type"});
      }
    });
  });
}

void check_channel(ShapeCheck& check, const JsonPlace& channel) {
  if (!check.object(channel, {.required = {"name", "samples"}})) return;
  check_strings(check, channel, {"name"});
  check.member(channel, "samples", [&](const JsonPlace& samples) {
    check.each(samples, 1, [&](const JsonPlace& sample) { check_sample(check, sample); });
  });
}

void check_measurement(ShapeCheck& check, const JsonPlace& measurement) {
  if (!check.object(measurement, {.required = {"name", "config"}})) return;
  check_strings(check, measurement, {"name"});
  check.member(measurement, "config", [&](const JsonPlace& config) {
    if (!check.object(config, {.required = {"poi", "parameters"}})) return;
    check_strings(check, config, {"poi"});
    check.member(config, "parameters", [&](const JsonPlace& parameters) {
      check.each(parameters, 0, [&](const JsonPlace& parameter) {
        if (check.object(parameter, {.required = {"name"}, .others_allowed = true})) {
          check_strings(check, parameter, {"name"});
        }
      });
    });
  });
}

void check_observation(ShapeCheck& check, const JsonPlace& observation) {
  if (check.object(observation, {.required = {"name", "data"}})) check_strings(check, observation, {"name"});
}

}  // namespace

Errors workspace_shape_errors(const Json& workspace) {
  ShapeCheck check;
  const JsonPlace root{workspace, ""};
  if (!check.object(root, {.required = {"channels", "measurements", "observations", "version"}})) {
    return check.take_errors();
  }
  const auto list = [&](const char* key, auto check_element) {
    check.member(root, key, [&](const JsonPlace& elements) {
      check.each(elements, 1, [&](const JsonPlace& element) { check_element(check, element); });
    });
  };
  list("channels", check_channel);
  list("measurements", check_measurement);
  list("observations", check_observation);
  check_strings(check, root, {"version"});
  return check.take_errors();
}

}  // namespace nextstat
