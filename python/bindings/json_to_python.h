// JSON documents as Python's own dictionaries and lists.
#pragma once

#include <nanobind/nanobind.h>

#include <nlohmann/json.hpp>

namespace nextstat::python {

nanobind::object to_python(const nlohmann::json& document);

}  // namespace nextstat::python
