// JSON of devices: what `nextstat devices` and `nextstat doctor` say.
#pragma once

#include <nextstat/backends.h>

#include <nlohmann/json.hpp>

namespace nextstat {

nlohmann::json device_json(const DeviceInfo& device);
// {type, name, available, devices, error}; error is null, or {stage, reason, hint}.
nlohmann::json backend_json(const BackendReport& report, const Voice& voice);
nlohmann::json absent_json(const Absent& absent, const Voice& voice);

}  // namespace nextstat
