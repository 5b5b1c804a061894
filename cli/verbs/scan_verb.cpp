// scan: the profile likelihood over values of one or two parameters.
#include <fmt/format.h>
#include <nextstat/result_json.h>
#include <nextstat/scan.h>

#include <algorithm>
#include <cmath>

#include "input/run_input.h"
#include "input/values.h"
#include "screen/table.h"
#include "screen/test_screen.h"
#include "verbs/verb.h"
#include "verbs/verb_list.h"

namespace nextstat::cli {
namespace {

// Distance from the best fit in sigmas, sqrt(2 dNLL).
double sigmas(const ScanPoint& point) { return std::sqrt(std::max(0.0, point.twice_delta_nll)); }

const ScanPoint* lowest_of(const ScanResult& result) {
  const auto below = [](const ScanPoint& a, const ScanPoint& b) { return a.nll_mu < b.nll_mu; };
  const auto lowest = std::min_element(result.points.begin(), result.points.end(), below);
  return lowest == result.points.end() || !std::isfinite(lowest->nll_mu) ? nullptr : &*lowest;
}

std::string bar(const ScanPoint& point, bool lowest) {
  constexpr double kPerSigma = 5.0, kLongest = 40.0;
  if (!std::isfinite(point.nll_mu)) return "infinite";
  const double length = kPerSigma * sigmas(point);
  std::string text(static_cast<std::size_t>(std::lround(std::min(length, kLongest))), '#');
  if (length > kLongest) text += "+";
  if (lowest) text += text.empty() ? "< lowest" : " < lowest";
  if (point.kink) text += text.empty() ? "kink: another minimum" : " kink: another minimum";
  if (!point.converged) text += " not converged";
  return text;
}

std::string line_table(const Model& model, const ScanResult& result) {
  Table table({{model.parameters()[result.parameter].name, Align::Right},
               {"2 dNLL", Align::Right},
               {"q_mu", Align::Right},
               {"sqrt(2 dNLL): ##### = 1", Align::Left}});
  const ScanPoint* lowest = lowest_of(result);
  // A person reads so many lines: every so many-th of more, the last and the lowest.
  constexpr std::size_t kMostRows = 60;
  const std::size_t step = (result.points.size() + kMostRows - 1) / kMostRows;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const ScanPoint& point = result.points[i];
    if (i % step != 0 && i + 1 != result.points.size() && &point != lowest) continue;
    ++rows;
    const bool exists = std::isfinite(point.nll_mu);
    table.row({short_number(point.mu), exists ? fmt::format("{:.4f}", point.twice_delta_nll) : "-",
               exists ? fmt::format("{:.4f}", point.q_mu) : "-", bar(point, &point == lowest)});
  }
  if (rows == result.points.size()) return table.text();
  return table.text() +
         fmt::format("({} of {} points; all of them: --format json)\n", rows, result.points.size());
}

// One character a point: the number of whole sigmas.
char mark(const ScanPoint& point, bool lowest) {
  if (lowest) return '*';
  if (!std::isfinite(point.nll_mu)) return '!';
  if (!point.converged) return '?';
  const double whole = std::floor(sigmas(point));
  return whole > 9 ? '+' : static_cast<char>('0' + static_cast<int>(whole));
}

std::string plane_map(const Model& model, const ScanResult& result) {
  Table table({{model.parameters()[result.parameter].name, Align::Right},
               {model.parameters()[*result.parameter2].name + " from left to right", Align::Left}});
  const ScanPoint* lowest = lowest_of(result);
  for (std::size_t i = 0; i < result.points.size();) {
    const double mu = result.points[i].mu;
    std::string marks;
    for (; i < result.points.size() && result.points[i].mu == mu; ++i) {
      if (!marks.empty()) marks += ' ';
      marks += mark(result.points[i], &result.points[i] == lowest);
    }
    table.row({short_number(mu), marks});
  }
  return table.text() +
         "integer part of sqrt(2 dNLL), + above 9, * the lowest point; values: --format json\n";
}

std::string text_of(const Model& model, const ScanResult& result) {
  const auto name = [&](std::size_t i) { return printable(model.parameters()[i].name); };
  std::string best = fmt::format("{} = {}", name(result.parameter), short_number(result.mu_hat));
  if (result.parameter2)
    best += fmt::format(", {} = {}", name(*result.parameter2), short_number(result.mu2_hat));
  std::string text = fmt::format("best fit  {}  (NLL {:.6f})\n\n", best, result.nll_hat);
  text += result.parameter2 ? plane_map(model, result) : line_table(model, result);
  return text + warning_lines(result.warnings);
}

class ScanVerb final : public Verb {
 public:
  void declare(CLI::App& command) override {
    input_.declare(command);
    command.add_option("--start", first_.start, "First value")->type_name("VALUE")->capture_default_str();
    command.add_option("--stop", first_.stop, "Last value")->type_name("VALUE")->capture_default_str();
    command.add_option("--points", first_.points, "Number of values")
        ->transform(whole_number(1, 1'000'000))
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--parameter", first_.name, "Parameter to scan (default: the POI)")->type_name("NAME");
    CLI::Option* plane =
        command.add_option("--parameter2", second_.name, "Second parameter, for a two-dimensional scan")
            ->type_name("NAME");
    CLI::Option* start =
        command.add_option("--start2", second_.start, "Its first value")->type_name("VALUE")->needs(plane);
    CLI::Option* stop =
        command.add_option("--stop2", second_.stop, "Its last value")->type_name("VALUE")->needs(plane);
    command.add_option("--points2", second_.points, "Number of its values")
        ->transform(whole_number(1, 1'000'000))
        ->type_name("N")
        ->needs(plane)
        ->capture_default_str();
    plane->needs(start)->needs(stop);
    command.footer("Example: nextstat scan workspace.json --start 0 --stop 3 --points 13");
  }

  int run(Console& console) override {
    Result<Run> run = input_.start(console);
    if (!run) return console.fail(run.errors());
    ScanOptions options{.run = run->options, .parameter = first_.name, .values = first_.values()};
    if (!second_.name.empty()) {
      options.parameter2 = second_.name;
      options.values2 = second_.values();
    }
    const Result<ScanResult> result = run->timed([&] { return scan(run->model(), options); });
    if (!result) return run->fail(console, result.errors());
    nlohmann::json json = scan_json(run->model(), *result);
    run->add_header(json, "nextstat/scan/1", result->device);
    return console.result(json, text_of(run->model(), *result),
                          exit_code(result->converged, result->interrupted));
  }

 private:
  struct Axis {
    std::string name = "";
    double start = 0, stop = 5;
    std::size_t points = 21;
    std::vector<double> values() const { return even_spacing(start, stop, points); }
  };

  RunInput input_;
  Axis first_, second_;
};

}  // namespace

std::unique_ptr<Verb> make_scan() { return std::make_unique<ScanVerb>(); }

}  // namespace nextstat::cli
