#include "minimize/curvature/hessian_factor.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace nextstat {
namespace {

// A local without curvature that meets a global by more than this is no flat direction but a saddle.
constexpr double kCoupled = 1e-5;
// Locals that are worked on at once.
constexpr std::size_t kLocalsAtOnce = 1024;
// Rows of the inverse that are made at once: what lies beside them stays in the cache.
constexpr std::size_t kRowsAtOnce = 256;

// A smaller curvature is none: in its units whatever meets the parameter would be infinite.
constexpr double kNoCurvature = 1e-20;

// Whether they follow each other, as globals mostly do: then loops over them are vectors.
bool are_consecutive(const std::vector<std::size_t>& ascending) {
  return !ascending.empty() && ascending.back() - ascending.front() + 1 == ascending.size();
}

double unit_of(double diagonal) { return diagonal > kNoCurvature ? 1 / std::sqrt(diagonal) : 1.0; }

}  // namespace

struct HessianFactor::Input {
  const CompiledModel& model;
  const HessianParts& parts;
  std::span<const char> moving;
  double shift;
  std::span<const double> extra;
  std::vector<std::size_t> global_places;  // moving ones, among the model's

  double shifted(std::size_t parameter, double diagonal) const {
    if (!extra.empty()) diagonal += extra[parameter];
    return shift == 0 ? diagonal : diagonal + shift * std::max(std::abs(diagonal), 1e-12);
  }
  // d2 NLL of two locals of one bin, by their places.
  double local(std::size_t i, std::size_t j) const {
    const std::size_t begin = parts.blocks[i];
    std::size_t first = i, last = i;
    while (first > 0 && parts.blocks[first - 1] == begin) --first;
    while (last < parts.blocks.size() && parts.blocks[last] == begin) ++last;
    const double entry = parts.local[begin + (i - first) * (last - first) + (j - first)];
    return i == j ? shifted(model.locals[i].parameter, entry) : entry;
  }
  double coupling(std::size_t local, std::size_t global) const {
    return parts.coupling[local * parts.stride + global_places[global]];
  }
};

HessianFactor::HessianFactor(const CompiledModel& model, const HessianParts& parts,
                             std::span<const char> moving, dense::Run run, double shift,
                             std::span<const double> extra)
    : n_(model.n_parameters), run_(run), unit_(n_, 0.0) {
  Input input{model, parts, moving, shift, extra, {}};
  for (std::size_t g = 0; g < model.globals.size(); ++g) {
    if (!moving[model.globals[g]]) continue;
    input.global_places.push_back(g);
    globals_.push_back(model.globals[g]);
  }
  set_globals(input);
  if (!add_blocks(input)) return;
  eliminate_locals(input);
  factor_globals();
}

void HessianFactor::set_globals(const Input& input) {
  const std::size_t size = globals_.size(), stride = input.parts.stride;
  schur_.resize(size * size);
  std::vector<double> unit(size);
  const std::vector<std::size_t>& places = input.global_places;
  const bool together = are_consecutive(places);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = input.global_places[i];
    unit_[globals_[i]] = unit[i] =
        unit_of(input.shifted(globals_[i], input.parts.global[place * (stride + 1)]));
  }
  for (std::size_t i = 0; i < size; ++i) {
    const double* row = input.parts.global.data() + input.global_places[i] * stride;
    for (std::size_t j = i; j < size; ++j)
      schur_[i * size + j] = row[together ? places.front() + j : places[j]] * (unit[i] * unit[j]);
    schur_[i * (size + 1)] = input.shifted(globals_[i], row[input.global_places[i]]) * (unit[i] * unit[i]);
  }
}

bool HessianFactor::add_blocks(const Input& input) {
  const auto& locals = input.model.locals;
  std::vector<std::size_t> members;
  for (std::size_t begin = 0, end; begin < locals.size(); begin = end) {
    members.clear();
    for (end = begin; end < locals.size() && locals[end].bin == locals[begin].bin; ++end) {
      if (input.moving[locals[end].parameter]) members.push_back(end);
    }
    if (!members.empty() && !add_block(input, members)) return false;
  }
  return true;
}

// False when the NLL falls along a direction of this block.
bool HessianFactor::add_block(const Input& input, std::span<const std::size_t> members) {
  const std::size_t size = members.size();
  const auto parameter = [&](std::size_t i) { return input.model.locals[members[i]].parameter; };
  if (size == 1 && input.local(members[0], members[0]) > kNoCurvature) {  // most bins have one
    unit_[parameter(0)] = unit_of(input.local(members[0], members[0]));
    blocks_.push_back({locals_.size(), locals_.size() + 1, roots_.size()});
    roots_.push_back(1.0);
    locals_.push_back(parameter(0));
    local_places_.push_back(members[0]);
    return true;
  }
  RawNumbers block(size * size);
  for (std::size_t i = 0; i < size; ++i) unit_[parameter(i)] = unit_of(input.local(members[i], members[i]));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i; j < size; ++j)
      block[i * size + j] = input.local(members[i], members[j]) * (unit_[parameter(i)] * unit_[parameter(j)]);
  }
  dense::FlatFactor factor = dense::factor_without_flat(size, std::move(block), {.threads = 1});
  const auto parts_of = [&](const dense::NullVector& direction) {
    Parts parts;
    for (std::size_t i = 0; i <= direction.last; ++i) parts.emplace_back(parameter(i), direction.parts[i]);
    return parts;
  };
  smallest_pivot_ = std::min(smallest_pivot_, factor.smallest_pivot);
  if (factor.downhill) {
    set_downhill(parts_of(*factor.downhill));
    return false;
  }
  for (const dense::NullVector& direction : factor.flat) {
    if (is_saddle(input, members, direction)) return false;
    add_flat(parameter(direction.last), parts_of(direction));
  }
  blocks_.push_back({locals_.size(), locals_.size() + factor.kept.size(), roots_.size()});
  roots_.insert(roots_.end(), factor.root.begin(), factor.root.end());
  for (const std::size_t i : factor.kept) {
    locals_.push_back(parameter(i));
    local_places_.push_back(members[i]);
  }
  return true;
}

// A direction v without curvature of its own must not couple to a global g: with c = v^T B, the NLL
// would fall along v / |c| - sign(c) g.
bool HessianFactor::is_saddle(const Input& input, std::span<const std::size_t> members,
                              const dense::NullVector& direction) {
  for (std::size_t g = 0; g < globals_.size(); ++g) {
    double met = 0;
    for (std::size_t i = 0; i <= direction.last; ++i)
      met += direction.parts[i] * input.coupling(members[i], g) *
             unit_[input.model.locals[members[i]].parameter] * unit_[globals_[g]];
    if (std::abs(met) <= kCoupled) continue;
    Parts parts = {{globals_[g], met > 0 ? -1.0 : 1.0}};
    for (std::size_t i = 0; i <= direction.last; ++i)
      parts.emplace_back(input.model.locals[members[i]].parameter, direction.parts[i] / std::abs(met));
    set_downhill(parts);
    return true;
  }
  return false;
}

// S = A - (R^-T B)^T (R^-T B), then W = R^-1 R^-T B.
void HessianFactor::eliminate_locals(const Input& input) {
  const std::size_t size = globals_.size();
  response_.resize(locals_.size() * size);
  std::vector<double> negative;
  for (std::size_t first = 0, last; first < blocks_.size(); first = last) {
    const std::size_t begin = blocks_[first].begin;
    for (last = first; last < blocks_.size() && blocks_[last].end - begin <= kLocalsAtOnce;) ++last;
    last = std::max(last, first + 1);
    const std::size_t end = blocks_[last - 1].end;
    for (std::size_t l = begin; l < end; ++l) {
      for (std::size_t g = 0; g < size; ++g)
        response_[l * size + g] =
            input.coupling(local_places_[l], g) * (unit_[locals_[l]] * unit_[globals_[g]]);
    }
    const auto each_block = [&](auto&& solve) {
      for (std::size_t b = first; b < last; ++b) {
        const std::size_t rows = blocks_[b].size();
        if (rows > 1)  // the R of one row is 1
          solve(rows, root_of(blocks_[b]), rows, size, response_.data() + blocks_[b].begin * size, size,
                dense::Run{.threads = 1});
      }
    };
    each_block(dense::solve_lower);
    negative.assign(response_.begin() + static_cast<std::ptrdiff_t>(begin * size),
                    response_.begin() + static_cast<std::ptrdiff_t>(end * size));
    for (double& value : negative) value = -value;
    dense::add_symmetric_product(end - begin, size, negative.data(), size, response_.data() + begin * size,
                                 size, schur_.data(), size, run_);
    each_block(dense::solve_upper);
  }
}

void HessianFactor::factor_globals() {
  const std::size_t size = globals_.size();
  dense::FlatFactor factor = dense::factor_without_flat(size, std::move(schur_), run_);
  schur_ = {};
  smallest_pivot_ = std::min(smallest_pivot_, factor.smallest_pivot);
  if (factor.downhill) return set_downhill(with_locals(*factor.downhill));
  for (const dense::NullVector& direction : factor.flat)
    add_flat(globals_[direction.last], with_locals(direction));
  root_ = std::move(factor.root);
  if (factor.kept.size() < size) keep_globals(std::move(factor.kept));
}

void HessianFactor::keep_globals(std::vector<std::size_t> kept) {
  const std::size_t size = globals_.size();
  std::size_t next = 0;
  for (std::size_t l = 0; l < locals_.size(); ++l) {
    for (const std::size_t g : kept) response_[next++] = response_[l * size + g];
  }
  response_.resize(next);
  for (std::size_t i = 0; i < kept.size(); ++i) globals_[i] = globals_[kept[i]];
  globals_.resize(kept.size());
}

// A direction of the globals with what the locals do along it: -W v.
HessianFactor::Parts HessianFactor::with_locals(const dense::NullVector& direction) const {
  const std::size_t size = globals_.size();
  Parts parts;
  for (std::size_t g = 0; g <= direction.last; ++g) parts.emplace_back(globals_[g], direction.parts[g]);
  for (std::size_t l = 0; l < locals_.size(); ++l) {
    double part = 0;
    for (std::size_t g = 0; g <= direction.last; ++g) part -= response_[l * size + g] * direction.parts[g];
    parts.emplace_back(locals_[l], part);
  }
  return parts;
}

void HessianFactor::add_flat(std::size_t held, Parts direction) {
  std::erase_if(direction, [](const auto& entry) { return entry.second == 0; });
  std::sort(direction.begin(), direction.end(), [](const auto& a, const auto& b) {
    return std::pair(-std::abs(a.second), a.first) < std::pair(-std::abs(b.second), b.first);
  });
  flat_.push_back({held, std::move(direction)});
}

void HessianFactor::set_downhill(const Parts& direction) {
  downhill_.assign(n_, 0.0);
  for (const auto& [parameter, part] : direction) downhill_[parameter] = part * unit_[parameter];
}

std::vector<double> HessianFactor::solve(std::span<const double> gradient) const {
  const std::size_t size = globals_.size();
  std::vector<double> global(size), local(locals_.size()), solution(n_, 0.0);
  for (std::size_t g = 0; g < size; ++g) global[g] = gradient[globals_[g]] * unit_[globals_[g]];
  for (std::size_t l = 0; l < local.size(); ++l) {
    local[l] = gradient[locals_[l]] * unit_[locals_[l]];
    for (std::size_t g = 0; g < size; ++g) global[g] -= response_[l * size + g] * local[l];
  }
  dense::solve_lower(size, root_.data(), size, 1, global.data(), 1, run_);
  dense::solve_upper(size, root_.data(), size, 1, global.data(), 1, run_);
  for (const Block& block : blocks_) {
    const std::size_t rows = block.size();
    if (rows < 2) continue;
    dense::solve_lower(rows, root_of(block), rows, 1, local.data() + block.begin, 1, {.threads = 1});
    dense::solve_upper(rows, root_of(block), rows, 1, local.data() + block.begin, 1, {.threads = 1});
  }
  for (std::size_t g = 0; g < size; ++g) solution[globals_[g]] = global[g] * unit_[globals_[g]];
  for (std::size_t l = 0; l < local.size(); ++l) {
    for (std::size_t g = 0; g < size; ++g) local[l] -= response_[l * size + g] * global[g];
    solution[locals_[l]] = local[l] * unit_[locals_[l]];
  }
  return solution;
}

std::vector<double> HessianFactor::variances() const {
  const std::size_t size = globals_.size();
  std::vector<double> variances(n_, 0.0), factor(size * size), sums(size, 0.0);
  dense::invert_factor(size, root_.data(), size, factor.data(), size, run_);  // S^-1 = L^T L
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t g = 0; g <= k; ++g) sums[g] += factor[k * size + g] * factor[k * size + g];
  }
  for (std::size_t g = 0; g < size; ++g)
    variances[globals_[g]] = sums[g] * (unit_[globals_[g]] * unit_[globals_[g]]);
  add_local_variances(variances);
  return variances;
}

// The diagonal of G^-1 + (R^-T W^T)^T (R^-T W^T).
void HessianFactor::add_local_variances(std::vector<double>& variances) const {
  const std::size_t size = globals_.size();
  std::vector<double> own(locals_.size(), 1.0), columns, inverse;
  for (const Block& block : blocks_) {
    const std::size_t rows = block.size();
    if (rows < 2) continue;
    inverse.resize(rows * rows);
    dense::invert(rows, root_of(block), rows, inverse.data(), rows, {.threads = 1});
    for (std::size_t i = 0; i < rows; ++i) own[block.begin + i] = inverse[i * (rows + 1)];
  }
  for (std::size_t begin = 0; begin < locals_.size(); begin += kLocalsAtOnce) {
    const std::size_t count = std::min(kLocalsAtOnce, locals_.size() - begin);
    columns.resize(size * count);
    for (std::size_t l = 0; l < count; ++l) {
      for (std::size_t g = 0; g < size; ++g) columns[g * count + l] = response_[(begin + l) * size + g];
    }
    dense::solve_lower(size, root_.data(), size, count, columns.data(), count, run_);
    for (std::size_t g = 0; g < size; ++g) {
      for (std::size_t l = 0; l < count; ++l)
        own[begin + l] += columns[g * count + l] * columns[g * count + l];
    }
  }
  for (std::size_t l = 0; l < locals_.size(); ++l)
    variances[locals_[l]] = own[l] * (unit_[locals_[l]] * unit_[locals_[l]]);
}

std::vector<double> HessianFactor::matrix() const {
  const std::size_t size = globals_.size();
  std::vector<double> matrix(n_ * n_), unit(size);
  const bool together = are_consecutive(globals_);
  const auto inverse = std::make_unique_for_overwrite<double[]>(size * size);
  dense::invert(size, root_.data(), size, inverse.get(), size, run_);
  for (std::size_t g = 0; g < size; ++g) unit[g] = unit_[globals_[g]];
  for (std::size_t i = 0; i < size; ++i) {
    const double* const from = inverse.get() + i * size;
    double* const to = matrix.data() + globals_[i] * n_;
    for (std::size_t j = 0; j < size; ++j)
      to[together ? globals_.front() + j : globals_[j]] = from[j] * (unit[i] * unit[j]);
  }
  if (!locals_.empty()) add_local_entries(inverse.get(), matrix.data());
  return matrix;
}

// C_gl = -C_gg W^T,   C_ll = G^-1 - W C_gl
void HessianFactor::add_local_entries(const double* inverse, double* matrix) const {
  const std::size_t size = globals_.size(), count = locals_.size();
  std::vector<double> mixed(size * count), unit(count);
  const auto response = std::make_unique_for_overwrite<double[]>(size * count);  // [global][local]
  for (std::size_t l = 0; l < count; ++l) {
    unit[l] = unit_[locals_[l]];
    for (std::size_t g = 0; g < size; ++g) response[g * count + l] = response_[l * size + g];
  }
  dense::add_product(size, size, count, inverse, size, response.get(), count, mixed.data(), count, run_);
  for (std::size_t l = 0; l < count; ++l) {
    for (std::size_t g = 0; g < size; ++g)
      matrix[locals_[l] * n_ + globals_[g]] = matrix[globals_[g] * n_ + locals_[l]] =
          -mixed[g * count + l] * (unit_[globals_[g]] * unit[l]);
  }
  // Some rows at a time; whole blocks, of G^-1 and of the sum.
  std::vector<double> rows;
  for (std::size_t first = 0, last; first < blocks_.size(); first = last) {
    const std::size_t begin = blocks_[first].begin;
    for (last = first; last < blocks_.size() && blocks_[last].end - begin <= kRowsAtOnce;) ++last;
    last = std::max(last, first + 1);
    const std::size_t end = blocks_[last - 1].end, width = count - begin;
    rows.assign((end - begin) * width, 0.0);
    for (std::size_t b = first; b < last; ++b) {
      const std::size_t own = blocks_[b].size();
      double* const corner = rows.data() + (blocks_[b].begin - begin) * (width + 1);
      if (own == 1) *corner = 1.0;
      if (own > 1) dense::invert(own, root_of(blocks_[b]), own, corner, width, {.threads = 1});
    }
    dense::add_symmetric_product(size, end - begin, mixed.data() + begin, count, response.get() + begin,
                                 count, rows.data(), width, run_);
    if (end < count)
      dense::add_product(size, end - begin, count - end, mixed.data() + begin, count, response.get() + end,
                         count, rows.data() + (end - begin), width, run_);
    for (std::size_t l = begin; l < end; ++l) {
      const double* const from = rows.data() + (l - begin) * width;
      double* const to = matrix + locals_[l] * n_;
      for (std::size_t k = l; k < count; ++k) to[locals_[k]] = from[k - begin] * (unit[l] * unit[k]);
    }
    for (std::size_t k = begin + 1; k < count; ++k) {
      double* const to = matrix + locals_[k] * n_;
      for (std::size_t l = begin; l < std::min(k, end); ++l)
        to[locals_[l]] = rows[(l - begin) * width + (k - begin)] * (unit[l] * unit[k]);
    }
  }
}

}  // namespace nextstat
