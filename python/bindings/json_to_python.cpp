#include "json_to_python.h"

#include <string>

namespace nextstat::python {

namespace nb = nanobind;
using nlohmann::json;

nb::object to_python(const json& document) {
  switch (document.type()) {
    case json::value_t::object: {
      nb::dict entries;
      for (const auto& [key, value] : document.items()) entries[key.c_str()] = to_python(value);
      return entries;
    }
    case json::value_t::array: {
      nb::list list;
      for (const json& value : document) list.append(to_python(value));
      return list;
    }
    case json::value_t::string: {
      const auto& text = document.get_ref<const std::string&>();
      return nb::str(text.c_str(), text.size());
    }
    case json::value_t::boolean:
      return nb::bool_(document.get<bool>());
    case json::value_t::number_float:
      return nb::float_(document.get<double>());
    case json::value_t::number_integer:
      return nb::int_(document.get<std::int64_t>());
    case json::value_t::number_unsigned:
      return nb::int_(document.get<std::uint64_t>());
    default:
      return nb::none();
  }
}

}  // namespace nextstat::python
