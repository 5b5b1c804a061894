/* Where everything of a compiled model stands: offsets into its three arrays (reals, indices, one row's
   state). Plain C, the same bytes on the host and on every device. Offsets are multiples of 8; lists are
   stored in slices of 8 owners. */
#ifndef NEXTSTAT_KERNELS_LAYOUT_H
#define NEXTSTAT_KERNELS_LAYOUT_H

/* Lists of entries, one list per owner, 8 owners side by side ("sliced"): entry k of the owner in lane l of
   slice s stands at slot (indices[begin + s] + k), lane l, of the entry arrays. Shorter lists are padded with
   entries without effect. */
typedef struct {
  unsigned int slices; /* number of slices of 8 owners */
  unsigned int begin;  /* indices[begin + s]: first slot of slice s; s = slices: end */
  unsigned int length; /* indices[length + 8 s + l]: entries of this owner */
  unsigned int index;  /* indices[index + 8 (slot * index_width) + l] */
  unsigned int real;   /* reals[real + 8 (slot * real_width) + l] */
} NsList;

typedef struct {
  /* sizes */
  unsigned int n_parameters, n_bins, n_data, n_samples, n_cells;
  unsigned int normsys_code, histosys_code; /* 1 or 4; 0, 2 or 4 (4p) */
  unsigned int row_size;                    /* values in one row's state */
  unsigned int begins_size;                 /* the first indices: the begins of all lists; a multiple of 8 */

  /* forward lists; owners: samples (of one channel), cells (a bin of a sample), bins */
  NsList norm;   /* sample: index {x}, reals {c1..c6} */
  NsList linear; /* sample: index {x}, reals {S, A}: factor 1 + a S + |a| A */
  NsList factor; /* sample: index {x} */
  NsList shift;  /* cell: index {place in shape_alpha}, reals {S, A} */
  NsList gamma;  /* cell: index {x} */
  NsList stack;  /* bin: index {cell_rate} */
  /* backward lists; owners: samples, then parameters that have such terms, those that have many in pieces */
  NsList cells_of_sample;                         /* sample: index {cell_base_weight} */
  NsList shift_of_parameter;                      /* index {cell_shift_weight}, reals {S, A} */
  NsList norm_of_parameter;                       /* index {sample_total}, reals as norm */
  unsigned int norm_logs, norm_of_parameter_logs; /* reals {log hi, log lo} of the same entries */
  NsList linear_of_parameter;                     /* index {sample_total}, reals as linear */
  NsList factor_of_parameter;                     /* index {sample_norm_total, factor_others} */
  NsList gamma_of_parameter;                      /* index {cell_gamma_weight, gamma_others} */
  NsList
      gather; /* parameter: index {slope}: what its constraint and its owners above give to its derivative */

  /* per owner tables, in slices of 8 */
  unsigned int shape_parameter;                          /* indices: x of each shift_of_parameter owner */
  unsigned int norm_parameter;                           /* indices: x of each norm_of_parameter owner */
  unsigned int linear_parameter;                         /* indices: x of each linear_of_parameter owner */
  unsigned int cell_nominal;                             /* reals */
  unsigned int cell_sample;                              /* indices: sample_factor of the cell's sample */
  unsigned int cell_bin;                                 /* indices: bin_weight of the cell's bin */
  unsigned int normal_slices, normal_index, normal_real; /* constraints: index {x, data}, reals {1 / sigma} */
  unsigned int poisson_slices, poisson_index, poisson_real; /* constraints: index {x, data}, reals {tau} */

  /* row state: near positions, then far ones (dialect.md); constants 0 and 1 at positions 0 and 1, then. Arrays
     whose values nothing needs any more hand their places on: slopes, totals and weights stand where what
     they are made of stood. */
  unsigned int x;
  unsigned int shape_alpha, shape_t; /* per owner of shift_of_parameter */
  unsigned int nll;
  unsigned int passing; /* from here on near values live within an evaluation only */
  unsigned int sample_norm, sample_factor, sample_total, sample_norm_total;
  unsigned int factor_others, gamma_others; /* 0: no owner has more than one */
  unsigned int cell_base, cell_gamma, cell_rate;
  unsigned int cell_shift_weight, cell_base_weight, cell_gamma_weight;
  unsigned int bin_weight;
  unsigned int normal_slope, poisson_slope;
  unsigned int shift_slope, norm_slope, linear_slope, factor_slope, gamma_slope;
  unsigned int partial;
  unsigned int near_size;          /* far positions begin here */
  unsigned int data, inverse_data; /* main bins, then after auxiliary_gap unused places auxiliary data */
  unsigned int auxiliary_gap;      /* fills the last slice of bins: a count there would be one of no bin */
  unsigned int bin_rate;
  unsigned int term, term_slices; /* terms of the NLL: bins, normal, poisson; a multiple of 4 slices */
  unsigned int gradient;
} NsLayout;

#endif
