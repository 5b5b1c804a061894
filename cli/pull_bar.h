// A pull and its width drawn between -3 and 3 sigma: `    .   :   |--o--  :   .`
#pragma once

#include <string>

namespace nextstat::cli {

std::string pull_bar_header();                         // the axis: -2 -1 0 1 2
std::string pull_bar(double pull, double half_width);  // half_width may be NaN: then the point alone

}  // namespace nextstat::cli
