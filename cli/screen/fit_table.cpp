#include "screen/fit_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "screen/console.h"
#include "screen/rounding.h"
#include "screen/table.h"

namespace nextstat::cli {
namespace {

constexpr std::size_t kMostLines = 38;
constexpr std::size_t kMostWarnings = 6, kMostFree = 6, kMostRegions = 5;
constexpr double kPoor = 0.01;  // p-values below this are said to be poor
constexpr std::size_t kFewestPulls = 4, kMostPulls = 15;

std::string counted(std::size_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// Never "-0.00".
std::string hundredths(double value) {
  const std::string text = fmt::format("{:.2f}", value);
  return text == "-0.00" ? "0.00" : text;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class Screen {
 public:
  explicit Screen(const FitScreen& screen)
      : s_(screen),
        at_bound_(flags(screen.result.at_bound)),
        fixed_(flags(screen.result.fixed)),
        minos_(screen.model.n_parameters(), nullptr) {
    for (const MinosErrors& errors : screen.result.minos) minos_[errors.parameter] = &errors;
  }

  std::string text() const {
    const std::string head = headline() + summary() + minima() + warnings();
    const std::string tail = free_parameters() + remarks() + regions();
    const std::size_t used = lines_of(head) + lines_of(tail) + 3;  // with blank line, header and "and more"
    const std::size_t left = used < kMostLines ? kMostLines - used : 0;
    return head + pulls(s_.all ? s_.model.n_parameters() : std::clamp(left, kFewestPulls, kMostPulls)) + tail;
  }

 private:
  std::vector<char> flags(const std::vector<std::size_t>& indices) const {
    std::vector<char> flags(s_.model.n_parameters(), 0);
    for (std::size_t i : indices) flags[i] = 1;
    return flags;
  }

  std::string name(std::size_t i) const { return printable(s_.model.parameters()[i].name); }
  bool is_constrained(std::size_t i) const { return s_.model.parameters()[i].constraint != Constraint::None; }
  double sigma(std::size_t i) const {
    return s_.result.uncertainties.empty() ? std::nan("") : s_.result.uncertainties[i];
  }

  // "1.23 ± 0.45", with MINOS "1.23 +0.47 -0.43"; without uncertainty the value and why there is none.
  std::string fitted(std::size_t i) const {
    const double value = s_.result.bestfit[i];
    if (fixed_[i]) return short_number(value) + " fixed";
    if (const MinosErrors* errors = minos_[i]; errors && errors->down < 0 && errors->up > 0)
      return rounded_text(value, errors->down, errors->up);
    if (sigma(i) > 0) return rounded(value, sigma(i)).text();
    if (at_bound_[i]) return short_number(value) + " at bound";
    return short_number(value) + (s_.result.uncertainties.empty() ? "" : ", no uncertainty");
  }

  std::string headline() const {
    const FitResult& fit = s_.result;
    const std::string steps = counted(fit.iterations, "iteration");
    const std::string left = fmt::format("the NLL could be lower by about {:.1g}", fit.edm);
    if (fit.termination == Termination::Interrupted)
      return fmt::format("Fit INTERRUPTED after {}: the values below are those of its last point\n\n", steps);
    if (!fit.converged) return fmt::format("Fit NOT CONVERGED after {}: {}\n\n", steps, left);
    return fmt::format("Fit converged in {}{}\n\n", steps, fit.interrupted ? ", then INTERRUPTED" : "");
  }

  std::string poi_line() const {
    const std::optional<std::size_t> poi = s_.model.poi_index();
    if (!poi && s_.model.poi_name().empty()) return "no parameter of interest\n";
    if (!poi)
      return fmt::format("no parameter of interest: \"{}\" is not in the model\n",
                         printable(s_.model.poi_name()));
    std::string line = fmt::format("{} = {}", name(*poi), fitted(*poi));
    const bool has_minos = minos_[*poi] != nullptr;
    if (has_minos && sigma(*poi) > 0)
      line += fmt::format("   (Hessian {})", rounded(s_.result.bestfit[*poi], sigma(*poi)).text());
    return line + "\n";
  }

  std::string summary() const {
    const GoodnessOfFit& goodness = s_.result.goodness_of_fit;
    std::string text = poi_line() + fmt::format("NLL = {:.7f}\n", s_.result.nll);
    if (std::isfinite(goodness.chi2)) {
      text += fmt::format("goodness of fit: chi2 = {:.4g}, ndof = {}", goodness.chi2, goodness.ndof);
    } else {
      text += "goodness of fit: none, some expected rates are negative";
    }
    if (std::isfinite(goodness.p_value)) text += fmt::format(", p = {:.3g}", goodness.p_value);
    if (goodness.p_value < kPoor) text += " (POOR: the model does not describe these data)";
    std::size_t constrained = 0, fixed = s_.result.fixed.size();
    for (std::size_t i = 0; i < s_.model.n_parameters(); ++i)
      constrained += is_constrained(i) && !fixed_[i] ? 1 : 0;
    text += fmt::format("\nmodel: {} in {}; {}: {} free, {} constrained, {} fixed\n",
                        counted(s_.model.n_bins(), "bin"), counted(s_.model.channels().size(), "channel"),
                        counted(s_.model.n_parameters(), "parameter"),
                        s_.model.n_parameters() - constrained - fixed, constrained, fixed);
    return text;
  }

  // Those that no warning speaks of.
  std::string minima() const {
    constexpr std::size_t kMost = 3;
    const std::vector<FoundMinimum>& found = s_.result.search.minima;
    std::string text;
    std::size_t shown = 0;
    for (std::size_t k = 1; k < found.size(); ++k) {
      if (found[k].above <= kCloseMinimum) continue;
      if (++shown <= kMost) text += describe_minimum(s_.model, found[k], found.front()) + "\n";
    }
    if (shown > kMost) text += fmt::format("... and {} higher minima\n", shown - kMost);
    return text;
  }

  std::string warnings() const {
    std::string text;
    const std::size_t shown = s_.all ? s_.warnings.size() : std::min(kMostWarnings, s_.warnings.size());
    for (std::size_t i = 0; i < shown; ++i) text += "warning: " + printable(s_.warnings[i]) + "\n";
    if (shown < s_.warnings.size())
      text += fmt::format("... and {} more warnings: --all shows them\n", s_.warnings.size() - shown);
    return text.empty() ? "" : "\n" + text;
  }

  double pull(std::size_t i) const {
    const Prefit before = prefit(s_.model.parameters()[i]);
    return (s_.result.bestfit[i] - before.center) / before.sigma;
  }
  double constraint(std::size_t i) const { return sigma(i) / prefit(s_.model.parameters()[i]).sigma; }

  // Constrained parameters that were fitted, largest |pull| first. In hundredths: what is printed decides,
  // not rounding far behind it.
  std::vector<std::size_t> by_pull() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < s_.model.n_parameters(); ++i) {
      if (is_constrained(i) && !fixed_[i]) order.push_back(i);
    }
    const auto size = [&](std::size_t i) { return std::round(100 * std::abs(pull(i))); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    return order;
  }

  std::string pulls(std::size_t most) const {
    const std::vector<std::size_t> order = by_pull();
    if (order.empty()) return "";
    // One more line instead of "and 1 more".
    const std::size_t shown = order.size() <= most + 1 ? order.size() : most;
    Table table({{"constrained", Align::Left},
                 {"fit", Align::Left},
                 {"pull", Align::Right},
                 {"constraint", Align::Right},
                 {pull_bar_header(), Align::Left}});
    for (std::size_t i : std::span(order).first(shown)) {
      const double width = constraint(i);
      table.row({name(i), fitted(i), hundredths(pull(i)), std::isfinite(width) ? hundredths(width) : "-",
                 pull_bar(pull(i), width)});
    }
    std::string text = fmt::format("\n{}", table.text());
    if (shown < order.size())
      text += fmt::format("... and {} more, |pull| below {:.2f}: --all shows them\n", order.size() - shown,
                          std::abs(pull(order[shown])) + 0.005);
    return text;
  }

  std::string free_parameters() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < s_.model.n_parameters(); ++i) {
      if (!is_constrained(i) && !fixed_[i]) order.push_back(i);
    }
    const auto first = [&](std::size_t i) { return i == s_.model.poi_index() ? 0 : at_bound_[i] ? 1 : 2; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return first(a) < first(b); });
    if (order.empty() || (order.size() == 1 && order[0] == s_.model.poi_index())) return "";  // said above
    const std::size_t shown = s_.all || order.size() <= kMostFree + 1 ? order.size() : kMostFree;
    Table table({{"free", Align::Left}, {"fit", Align::Left}});
    for (std::size_t i : std::span(order).first(shown)) table.row({name(i), fitted(i)});
    std::string text = fmt::format("\n{}", table.text());
    if (shown < order.size())
      text += fmt::format("... and {} more: --all shows them\n", order.size() - shown);
    return text;
  }

  std::string remarks() const {
    const std::string text = tightest() + correlations() + fixed_ones();
    return text.empty() ? "" : "\n" + text;
  }

  // Parameters that the data know better than their constraint.
  std::string tightest() const {
    constexpr double kTight = 0.7;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < s_.model.n_parameters(); ++i) {
      if (is_constrained(i) && !fixed_[i] && constraint(i) < kTight) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return constraint(a) < constraint(b); });
    return list("most constrained:", order.size(), [&](std::size_t k) {
      return fmt::format("{} {:.2f}", name(order[k]), constraint(order[k]));
    });
  }

  std::string correlations() const {
    constexpr double kStrong = 0.5;
    struct Pair {
      std::size_t i, j;
      double value;
    };
    std::vector<Pair> pairs;
    const std::size_t n = s_.result.correlation.empty() ? 0 : s_.model.n_parameters();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double value = s_.result.correlation[i * n + j];
        if (std::abs(value) > kStrong) pairs.push_back({j, i, value});
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return std::abs(a.value) > std::abs(b.value); });
    return list("most correlated:", pairs.size(), [&](std::size_t k) {
      return fmt::format("{} & {} {:.2f}", name(pairs[k].i), name(pairs[k].j), pairs[k].value);
    });
  }

  std::string fixed_ones() const {
    return list("fixed:", s_.result.fixed.size(), [&](std::size_t k) { return name(s_.result.fixed[k]); });
  }

  template <class Entry>
  std::string list(const std::string& label, std::size_t size, const Entry& entry) const {
    constexpr std::size_t kMost = 3;
    if (size == 0) return "";
    const std::size_t shown = s_.all ? size : std::min(kMost, size);
    std::string text = label;
    for (std::size_t k = 0; k < shown; ++k) text += (k ? ", " : " ") + entry(k);
    return text + (shown < size ? fmt::format(", and {} more\n", size - shown) : "\n");
  }

  std::string regions() const {
    if (s_.regions.empty()) return "";
    Table table({{"validation region", Align::Left},
                 {"bins", Align::Right},
                 {"observed", Align::Right},
                 {"expected", Align::Right},
                 {"difference / sqrt(expected)", Align::Right}});
    const std::size_t shown =
        s_.all || s_.regions.size() <= kMostRegions + 1 ? s_.regions.size() : kMostRegions;
    for (const RegionCounts& region : std::span(s_.regions).first(shown)) {
      const double observed = std::accumulate(region.observed.begin(), region.observed.end(), 0.0);
      const double expected = std::accumulate(region.expected.begin(), region.expected.end(), 0.0);
      table.row({region.channel, fmt::format("{}", region.observed.size()), short_number(observed),
                 short_number(expected),
                 expected > 0 ? fmt::format("{:+.2f}", (observed - expected) / std::sqrt(expected)) : "-"});
    }
    std::string text = fmt::format("\n{}", table.text());
    if (shown < s_.regions.size())
      text += fmt::format("... and {} more: --all shows them\n", s_.regions.size() - shown);
    return text;
  }

  const FitScreen& s_;
  std::vector<char> at_bound_, fixed_;     // [parameter]
  std::vector<const MinosErrors*> minos_;  // [parameter]
};

}  // namespace

std::string fit_table(const FitScreen& screen) { return Screen(screen).text(); }

}  // namespace nextstat::cli
