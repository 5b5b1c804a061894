// What the library calls a field, Python calls an argument.
#pragma once

#include <nextstat/error.h>

namespace nextstat::python {

const Voice& voice();

}  // namespace nextstat::python
