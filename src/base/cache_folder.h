// Where programs keep what they can make again.
#pragma once

#include <string>

namespace nextstat {

// $XDG_CACHE_HOME/nextstat, else $HOME/.cache/nextstat; "" where neither is set.
std::string cache_folder();

}  // namespace nextstat
