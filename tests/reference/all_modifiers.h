// A small workspace with all seven modifier types, for tests that need every path once: three channels of
// different size in unsorted order, a name shared by normsys and histosys, lumi, a staterror bin and a
// shapesys bin without content, a shapefactor in two channels, two measurements with overrides.
#pragma once

namespace nextstat::reference {

inline constexpr const char* kAllModifiers = R"json({
  "channels": [
    {"name": "signal_region", "samples": [
      {"name": "signal", "data": [5.0, 12.0], "modifiers": [
        {"name": "mu", "type": "normfactor", "data": null},
        {"name": "lumi", "type": "lumi", "data": null},
        {"name": "acceptance", "type": "normsys", "data": {"hi": 1.12, "lo": 0.93}}]},
      {"name": "background", "data": [50.0, 0.0], "modifiers": [
        {"name": "tilt", "type": "histosys", "data": {"hi_data": [54.0, 0.5], "lo_data": [47.5, 0.25]}},
        {"name": "background_shape", "type": "shapesys", "data": [5.0, 0.0]},
        {"name": "background_norm", "type": "normfactor", "data": null}]},
      {"name": "data_driven", "data": [20.0, 15.0], "modifiers": [
        {"name": "shape", "type": "shapefactor", "data": null}]}]},
    {"name": "control_region", "samples": [
      {"name": "top", "data": [80.0, 0.0, 60.0], "modifiers": [
        {"name": "lumi", "type": "lumi", "data": null},
        {"name": "modeling", "type": "normsys", "data": {"hi": 1.3, "lo": 0.8}},
        {"name": "modeling", "type": "histosys",
         "data": {"hi_data": [90.0, 1.0, 57.0], "lo_data": [74.0, 0.5, 66.0]}},
        {"name": "stat_control", "type": "staterror", "data": [4.0, 0.0, 3.0]}]},
      {"name": "other", "data": [10.0, 0.0, 5.0], "modifiers": [
        {"name": "stat_control", "type": "staterror", "data": [1.0, 0.0, 0.5]},
        {"name": "acceptance", "type": "normsys", "data": {"hi": 0.9, "lo": 1.05}}]},
      {"name": "data_driven", "data": [40.0, 55.0, 30.0], "modifiers": [
        {"name": "shape", "type": "shapefactor", "data": null}]}]},
    {"name": "validation_region", "samples": [
      {"name": "top", "data": [33.0], "modifiers": [
        {"name": "stat_validation", "type": "staterror", "data": [1.5]},
        {"name": "tilt", "type": "histosys", "data": {"hi_data": [30.0], "lo_data": [35.0]}},
        {"name": "modeling", "type": "normsys", "data": {"hi": 0.85, "lo": 1.2}}]}]}],
  "observations": [
    {"name": "validation_region", "data": [36.0]},
    {"name": "signal_region", "data": [81.0, 29.0]},
    {"name": "control_region", "data": [127.0, 60.5, 0.0]}],
  "measurements": [
    {"name": "default", "config": {"poi": "mu", "parameters": [
      {"name": "lumi", "inits": [1.0], "bounds": [[0.5, 1.5]], "auxdata": [1.0], "sigmas": [0.02]},
      {"name": "mu", "bounds": [[-5.0, 20.0]]}]}},
    {"name": "shifted", "config": {"poi": "", "parameters": [
      {"name": "lumi", "inits": [0.98], "bounds": [[0.8, 1.2]], "auxdata": [0.99], "sigmas": [0.03],
       "fixed": true},
      {"name": "tilt", "inits": [0.3], "auxdata": [0.1], "bounds": [[-3.0, 3.0]]},
      {"name": "background_shape", "auxdata": [90.0, 2.0], "factors": [95.0, 2.5], "fixed": false},
      {"name": "stat_control", "sigmas": [0.1, 0.2, 0.3]},
      {"name": "not_in_the_model", "inits": [7.0]}]}}],
  "version": "1.0.0"
})json";

}  // namespace nextstat::reference
