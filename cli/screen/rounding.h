// Value and uncertainty as the Particle Data Group rounds them.
//
//   rounded(1.2345, 0.0123).text();   // "1.234 ± 0.012"
#pragma once

#include <string>

namespace nextstat::cli {

struct Rounded {
  std::string value, uncertainty, power;  // power: "" or "e+07", common to both
  std::string text() const;               // "1.23 ± 0.45", "(1.23 ± 0.45)e+07"
};

// The three leading digits of the uncertainty decide: 100 to 354 keep two digits, 355 to 949 one, 950 to 999
// become 1000 and keep two. The value ends at the same decimal. uncertainty > 0, both finite.
Rounded rounded(double value, double uncertainty);

// The same with two sides, down < 0 < up; the smaller side decides. "1.23 +0.45 -0.40"
std::string rounded_text(double value, double down, double up);

// A pull and its width drawn between -3 and 3 sigma: `    .   :   |--o--  :   .`

std::string pull_bar_header();                         // the axis: -2 -1 0 1 2
std::string pull_bar(double pull, double half_width);  // half_width may be NaN: then the point alone

}  // namespace nextstat::cli
