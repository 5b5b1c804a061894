// What the library calls a field, the command line calls a flag.
#pragma once

#include <nextstat/error.h>

namespace nextstat::cli {

const Voice& voice();

}  // namespace nextstat::cli
