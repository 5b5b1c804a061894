// All kernels in loops over one row or 8 rows. Included once per instantiation by isa.cpp, inside a namespace that defines
// the dialect's types and macros; OWNERS(n, phase) runs a phase for every owner of n slices.
#include "kernels/math.h"
//
#include "kernels/interpolation.h"
//
#include "kernels/forward.h"
//
#include "kernels/backward.h"

#define OWNERS(slices, statement)                \
  for (u32 slice = 0; slice < (slices); ++slice) \
    for (u32 lane = 0; lane < 8; lane += LANE_STEP) statement

// Whether any normsys parameter of these rows lies beyond its polynomial.
static u32 ns_any_beyond(const NsLayout* m, const scalar* row) {
  u64 seen = {};
  OWNERS(m->norm_of_parameter.slices, seen |= AS_BITS(ROW_SLOT(row, m->norm_excess, slice)));
  u32 any = 0;
  for (u32 i = 0; i < sizeof(real) / sizeof(scalar); ++i) any |= seen[i] != 0;
  return any;
}

static u32 ns_forward(const NsLayout* m, const scalar* reals, const u32* indices, scalar* row) {
  OWNERS(m->shift_of_parameter.slices, ns_shape_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->norm_of_parameter.slices, ns_norm_phase(m, indices, row, slice, lane));
  const u32 beyond = ns_any_beyond(m, row);
  OWNERS(m->norm.slices, ns_sample_phase(m, reals, indices, row, beyond, slice, lane));
  OWNERS(m->shift.slices, ns_cell_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->stack.slices, ns_bin_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->normal_slices, ns_normal_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->poisson_slices, ns_poisson_phase(m, reals, indices, row, slice, lane));
  OWNERS(4, ns_partial_phase(m, row, slice, lane));
  STORE_TOTAL(row, m->nll, ns_total(m, row));
  return beyond;
}

static void ns_backward(const NsLayout* m, const scalar* reals, const u32* indices, scalar* row, u32 beyond) {
  OWNERS(m->shift.slices, ns_cell_weight_phase(m, indices, row, slice, lane));
  OWNERS(m->cells_of_sample.slices, ns_sample_weight_phase(m, indices, row, slice, lane));
  OWNERS(m->shift_of_parameter.slices, ns_shift_slope_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->norm_of_parameter.slices, ns_norm_slope_phase(m, reals, indices, row, beyond, slice, lane));
  OWNERS(m->linear_of_parameter.slices, ns_linear_slope_phase(m, reals, indices, row, slice, lane));
  OWNERS(m->factor_of_parameter.slices, ns_product_slope_phase(&m->factor_of_parameter, m->factor_slope, indices, row, slice, lane));
  OWNERS(m->gamma_of_parameter.slices, ns_product_slope_phase(&m->gamma_of_parameter, m->gamma_slope, indices, row, slice, lane));
  OWNERS((m->n_parameters + 7) / 8, ns_gather_phase(m, indices, row, slice, lane));
}

static void evaluate(const NsLayout* layout, const scalar* reals, const u32* indices, scalar* rows, bool gradient) {
  for (scalar* row = rows; row < rows + 8; row += ROW_STEP) {
    const u32 beyond = ns_forward(layout, reals, indices, row);
    if (gradient) ns_backward(layout, reals, indices, row, beyond);
  }
}

#undef OWNERS
