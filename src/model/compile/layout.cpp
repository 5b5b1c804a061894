// Plain lists of terms -> the sliced arrays that kernels walk (kernels/layout.h).
#include <algorithm>

#include "model/compile/compiled_model.h"
#include "model/compile/layout_lists.h"

namespace nextstat {
namespace {

using namespace layout;

class LayoutBuilder {
 public:
  explicit LayoutBuilder(CompiledModel& model)
      : m_(model),
        l_(model.layout),
        samples_(count_by(m_.norms, m_.samples.size(), by_sample)),
        cells_(count_by(m_.shifts, m_.nominal.size(), by_cell)),
        shapes_(m_.shifts, m_.n_parameters, kLongestPiece),
        norms_(m_.norms, m_.n_parameters, kLongestPiece / 2),
        linears_(m_.linears, m_.n_parameters, kLongestPiece),
        factors_(m_.factors, m_.n_parameters, kLongestPiece),
        gammas_(m_.gammas, m_.n_parameters, kLongestPiece) {}

  void run() {
    reserve();
    sizes();
    row();
    reserve_begins();
    norm_lists();
    linear_lists();
    shift_lists();
    product_lists(l_.factor, l_.factor_of_parameter, m_.factors, samples_, factors_, by_sample,
                  l_.sample_norm_total, l_.factor_others);
    product_lists(l_.gamma, l_.gamma_of_parameter, m_.gammas, cells_, gammas_, by_cell, l_.cell_gamma_weight,
                  l_.gamma_others);
    stacks();
    owner_tables();
    constraints();
    gather();
  }

 private:
  static constexpr auto by_sample = [](const auto& term) { return term.sample; };
  static constexpr auto by_cell = [](const auto& term) { return term.cell; };
  // Entries that one owner of a parameter's terms has at most; a normsys costs more than the others.
  static constexpr std::uint32_t kLongestPiece = 64;

  // About what the lists need with their padding, so that they are not moved as they grow.
  void reserve() {
    const std::size_t terms = m_.shifts.size() + m_.linears.size() + m_.norms.size();
    m_.reals.reserve(5 * terms + 13 * m_.norms.size() + 2 * m_.nominal.size() + 2 * m_.n_parameters);
    m_.indices.reserve(3 * terms + 4 * (m_.factors.size() + m_.gammas.size()) + 5 * m_.nominal.size() +
                       10 * m_.n_parameters);
  }

  void sizes() {
    l_.n_parameters = static_cast<std::uint32_t>(m_.n_parameters);
    l_.n_bins = static_cast<std::uint32_t>(m_.n_bins);
    l_.n_data = static_cast<std::uint32_t>(m_.n_data);
    l_.n_samples = static_cast<std::uint32_t>(m_.samples.size());
    l_.n_cells = static_cast<std::uint32_t>(m_.nominal.size());
    l_.normsys_code = m_.normsys_code;
    l_.histosys_code = m_.histosys_code;
    l_.normal_slices = padded(m_.normals.size()) / kLanes;
    l_.poisson_slices = padded(m_.poissons.size()) / kLanes;
  }

  // The begins of all lists stand together, before everything else.
  void reserve_begins() {
    const std::size_t samples = m_.samples.size(), cells = m_.nominal.size();
    std::size_t size = 0;
    for (const std::size_t owners : {samples, samples, samples, samples, cells, cells, m_.n_bins,
                                     shapes_.owner.size(), norms_.owner.size(), linears_.owner.size(),
                                     factors_.owner.size(), gammas_.owner.size(), m_.n_parameters})
      size += padded(padded(owners) / kLanes + 1);
    ListWriter::grow(m_.indices, size, 0u);
  }

  std::uint32_t take(std::size_t count) {
    const std::uint32_t begin = l_.row_size;
    l_.row_size += padded(count);
    return begin;
  }

  // Upper bound of the slots of a product list: every owner padded to the longest of its slice.
  static std::size_t product_slots(const std::vector<std::uint32_t>& counts) {
    std::size_t slots = 0;
    for (std::size_t i = 0; i < counts.size(); i += kLanes)
      slots += *std::max_element(&counts[i], counts.data() + std::min(counts.size(), i + kLanes));
    return slots * kLanes;
  }

  void row() {
    l_.row_size = kLanes;  // the constants
    near_and_kept();
    l_.passing = l_.row_size;
    near_and_passing();
    l_.near_size = l_.row_size;
    far();
  }

  void near_and_kept() {
    l_.x = take(m_.n_parameters);
    // One slice more than there are owners: it stays zero, for padding entries to point at.
    for (std::uint32_t* shape : {&l_.shape_alpha, &l_.shape_t})
      *shape = take(padded(shapes_.owner.size()) + kLanes);
    l_.shift_slope = l_.shape_t;
    l_.nll = take(kLanes);
  }

  void near_and_passing() {
    for (std::uint32_t* sample : {&l_.sample_norm, &l_.sample_factor}) *sample = take(m_.samples.size());
    l_.sample_total = l_.sample_factor;
    l_.sample_norm_total = l_.sample_norm;
    l_.factor_others = take_others(samples_.counts_of(m_.factors, by_sample));
    l_.gamma_others = take_others(cells_.counts_of(m_.gammas, by_cell));
    for (std::uint32_t* cell : {&l_.cell_base, &l_.cell_gamma, &l_.cell_rate})
      *cell = take(m_.nominal.size());
    l_.cell_shift_weight = l_.cell_rate;
    l_.cell_base_weight = l_.cell_gamma;
    l_.cell_gamma_weight = l_.cell_base;
    l_.bin_weight = take(m_.n_bins);
    l_.normal_slope = take(m_.normals.size());
    l_.poisson_slope = take(m_.poissons.size());
    l_.norm_slope = take(norms_.owner.size());
    l_.linear_slope = take(linears_.owner.size());
    l_.factor_slope = take(factors_.owner.size());
    l_.gamma_slope = take(gammas_.owner.size());
    l_.partial = take(32);
  }

  // 0 where no owner has more than one parameter: the product of the others is 1.
  std::uint32_t take_others(const std::vector<std::uint32_t>& counts) {
    const bool several = std::any_of(counts.begin(), counts.end(), [](std::uint32_t n) { return n > 1; });
    return several ? take(product_slots(counts)) : 0;
  }

  void far() {
    l_.auxiliary_gap = padded(m_.n_bins) - l_.n_bins;
    // One slice more than there are data: it stays zero, for padding entries to point at.
    for (std::uint32_t* data : {&l_.data, &l_.inverse_data})
      *data = take(padded(m_.n_data + l_.auxiliary_gap) + kLanes);
    l_.bin_rate = take(m_.n_bins);
    const std::uint32_t slices = padded(m_.n_bins) / kLanes + l_.normal_slices + l_.poisson_slices;
    l_.term_slices = (slices + 3) / 4 * 4;
    l_.term = take(l_.term_slices * kLanes);
    l_.gradient = take(m_.n_parameters);
  }

  std::uint32_t x(std::uint32_t parameter) const { return l_.x + parameter; }

  void norm_lists() {
    ListWriter forward(m_, l_.norm, samples_.counts, 1, 6, kZero);
    ListWriter backward(m_, l_.norm_of_parameter, norms_.counts, 1, 6, kZero);
    l_.norm_logs = ListWriter::grow(m_.reals, forward.slots() * kLanes * 2, 0.0);
    l_.norm_of_parameter_logs = ListWriter::grow(m_.reals, backward.slots() * kLanes * 2, 0.0);
    const auto write = [&](ListWriter& list, std::uint32_t logs, auto&& place_of, auto&& index_of) {
      list.each_entry(m_.norms, place_of, [&](std::uint32_t entry, const CompiledModel::Norm& norm) {
        list.set_index(entry, 0, index_of(norm));
        for (std::uint32_t i = 0; i < 6; ++i) list.set_real(entry, i, norm.coefficients[i]);
        m_.reals[logs + ListWriter::position(entry, 2, 0)] = norm.log_high;
        m_.reals[logs + ListWriter::position(entry, 2, 1)] = norm.log_low;
      });
    };
    const auto sample = [&](const auto& norm) { return samples_.place[norm.sample]; };
    write(forward, l_.norm_logs, sample, [&](const auto& norm) { return x(norm.parameter); });
    write(
        backward, l_.norm_of_parameter_logs, [&](const auto& norm) { return norms_.next(norm.parameter); },
        [&](const auto& norm) { return l_.sample_total + sample(norm); });
  }

  // Lists with two reals per entry: linear factors and shifts.
  template <class Term>
  static void write_pair(ListWriter& list, std::uint32_t entry, std::uint32_t index, const Term& term) {
    list.set_index(entry, 0, index);
    list.set_real(entry, 0, term.odd);
    list.set_real(entry, 1, term.even);
  }

  void linear_lists() {
    ListWriter forward(m_, l_.linear, samples_.counts_of(m_.linears, by_sample), 1, 2, kZero);
    ListWriter backward(m_, l_.linear_of_parameter, linears_.counts, 1, 2, kZero);
    for (const CompiledModel::Linear& linear : m_.linears) {
      write_pair(forward, forward.next(samples_.place[linear.sample]), x(linear.parameter), linear);
      write_pair(backward, backward.next(linears_.next(linear.parameter)),
                 l_.sample_total + samples_.place[linear.sample], linear);
    }
  }

  void shift_lists() {
    ListWriter forward(m_, l_.shift, cells_.counts, 1, 2, padded(shapes_.owner.size()));
    ListWriter backward(m_, l_.shift_of_parameter, shapes_.counts, 1, 2, kZero);
    for (const CompiledModel::Shift& shift : m_.shifts)
      write_pair(forward, forward.next(cells_.place[shift.cell]),
                 shapes_.place[shapes_.first[shift.parameter]], shift);
    backward.each_entry(
        m_.shifts, [&](const auto& shift) { return shapes_.next(shift.parameter); },
        [&](std::uint32_t entry, const auto& shift) {
          write_pair(backward, entry, l_.cell_shift_weight + cells_.place[shift.cell], shift);
        });
  }

  template <class Terms, class Owner>
  void product_lists(NsList& forward_list, NsList& backward_list, const Terms& terms,
                     const OwnerOrder& owners, Pieces& pieces, Owner&& owner_of, std::uint32_t weight,
                     std::uint32_t others) {
    ListWriter forward(m_, forward_list, owners.counts_of(terms, owner_of), 1, 0, kOne);
    ListWriter backward(m_, backward_list, pieces.counts, 2, 0, kZero);
    for (const auto& term : terms) {
      const std::uint32_t place = owners.place[owner_of(term)];
      const std::uint32_t entry = forward.next(place);
      forward.set_index(entry, 0, x(term.parameter));
      const std::uint32_t back = backward.next(pieces.next(term.parameter));
      backward.set_index(back, 0, weight + place);
      backward.set_index(back, 1, others == 0 ? kOne : others + entry);
    }
  }

  void stacks() {
    std::vector<std::uint32_t> per_bin(m_.n_bins, 0), per_sample(m_.samples.size(), 0);
    for (std::size_t s = 0; s < m_.samples.size(); ++s) {
      per_sample[samples_.place[s]] = m_.samples[s].bins;
      for (std::uint32_t b = 0; b < m_.samples[s].bins; ++b) ++per_bin[m_.samples[s].first_bin + b];
    }
    ListWriter stack(m_, l_.stack, per_bin, 1, 0, kZero);
    ListWriter cells(m_, l_.cells_of_sample, per_sample, 1, 0, kZero);
    for (std::uint32_t s = 0; s < m_.samples.size(); ++s) {
      const CompiledModel::Sample& sample = m_.samples[s];
      for (std::uint32_t b = 0; b < sample.bins; ++b) {
        const std::uint32_t cell = cells_.place[sample.first_cell + b];
        stack.set_index(stack.next(sample.first_bin + b), 0, l_.cell_rate + cell);
        cells.set_index(cells.next(samples_.place[s]), 0, l_.cell_base_weight + cell);
      }
    }
  }

  void owner_tables() {
    l_.cell_nominal = ListWriter::grow(m_.reals, m_.nominal.size(), 0.0);
    l_.cell_sample = ListWriter::grow(m_.indices, m_.nominal.size(), kZero);
    l_.cell_bin = ListWriter::grow(m_.indices, m_.nominal.size(), kZero);
    for (std::uint32_t s = 0; s < m_.samples.size(); ++s) {
      const CompiledModel::Sample& sample = m_.samples[s];
      for (std::uint32_t b = 0; b < sample.bins; ++b) {
        const std::uint32_t place = cells_.place[sample.first_cell + b];
        m_.reals[l_.cell_nominal + place] = m_.nominal[sample.first_cell + b];
        m_.indices[l_.cell_sample + place] = l_.sample_factor + samples_.place[s];
        m_.indices[l_.cell_bin + place] = l_.bin_weight + sample.first_bin + b;
      }
    }
    l_.shape_parameter = parameter_table(shapes_);
    l_.norm_parameter = parameter_table(norms_);
    l_.linear_parameter = parameter_table(linears_);
  }

  std::uint32_t parameter_table(const Pieces& pieces) {
    const std::uint32_t begin = ListWriter::grow(m_.indices, pieces.owner.size(), kZero);
    for (std::size_t p = 0; p < pieces.owner.size(); ++p)
      m_.indices[begin + p] = x(pieces.parameter[pieces.owner[p]]);
    return begin;
  }

  void constraints() {
    l_.normal_index = constraint_table(l_.normal_slices);
    l_.normal_real = ListWriter::grow(m_.reals, m_.normals.size(), 0.0);
    for (std::uint32_t i = 0; i < m_.normals.size(); ++i) {
      place_constraint(l_.normal_index, i, m_.normals[i].parameter, m_.normals[i].data);
      m_.reals[l_.normal_real + i] = 1.0 / m_.normals[i].sigma;
    }
    l_.poisson_index = constraint_table(l_.poisson_slices);
    l_.poisson_real = ListWriter::grow(m_.reals, m_.poissons.size(), 0.0);
    for (std::uint32_t i = 0; i < m_.poissons.size(); ++i) {
      place_constraint(l_.poisson_index, i, m_.poissons[i].parameter, m_.poissons[i].data);
      m_.reals[l_.poisson_real + i] = m_.poissons[i].tau;
    }
  }

  // Indices {x, datum} of nothing: the constant 0 near, and a datum that stays zero far.
  std::uint32_t constraint_table(std::uint32_t slices) {
    const std::uint32_t begin = ListWriter::grow(m_.indices, slices * kLanes * 2, kZero);
    const std::uint32_t no_datum = l_.data + padded(m_.n_data + l_.auxiliary_gap);
    for (std::uint32_t i = 0; i < slices * kLanes; ++i)
      m_.indices[begin + (i / kLanes * 2 + 1) * kLanes + i % kLanes] = no_datum;
    return begin;
  }

  void place_constraint(std::uint32_t table, std::uint32_t i, std::uint32_t parameter, std::uint32_t datum) {
    m_.indices[table + i / kLanes * 2 * kLanes + i % kLanes] = x(parameter);
    m_.indices[table + (i / kLanes * 2 + 1) * kLanes + i % kLanes] = l_.data + l_.auxiliary_gap + datum;
  }

  // What a parameter's constraint and its pieces give to its derivative.
  void gather() {
    std::vector<std::uint32_t> counts(m_.n_parameters, 0);
    each_part([&](std::uint32_t parameter, std::uint32_t) { ++counts[parameter]; });
    ListWriter list(m_, l_.gather, counts, 1, 0, kZero);
    each_part([&](std::uint32_t parameter, std::uint32_t position) {
      list.set_index(list.next(parameter), 0, position);
    });
  }

  // Calls visit(parameter, position in the row).
  template <class Visit>
  void each_part(Visit&& visit) const {
    for (std::uint32_t i = 0; i < m_.normals.size(); ++i) visit(m_.normals[i].parameter, l_.normal_slope + i);
    for (std::uint32_t i = 0; i < m_.poissons.size(); ++i)
      visit(m_.poissons[i].parameter, l_.poisson_slope + i);
    const auto pieces_of = [&](const Pieces& pieces, std::uint32_t base) {
      for (std::uint32_t piece = 0; piece < pieces.parameter.size(); ++piece)
        visit(pieces.parameter[piece], base + pieces.place[piece]);
    };
    pieces_of(shapes_, l_.shift_slope);
    pieces_of(norms_, l_.norm_slope);
    pieces_of(linears_, l_.linear_slope);
    pieces_of(factors_, l_.factor_slope);
    pieces_of(gammas_, l_.gamma_slope);
  }

  CompiledModel& m_;
  NsLayout& l_;
  OwnerOrder samples_, cells_;
  Pieces shapes_, norms_, linears_, factors_, gammas_;
};

}  // namespace

void lay_out(CompiledModel& model) {
  model.layout = NsLayout{};
  model.reals.clear();
  model.indices.clear();
  LayoutBuilder(model).run();
}

}  // namespace nextstat
