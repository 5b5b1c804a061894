/* Where everything of a row's minimization stands: offsets into the metric's table and the row's state. */
#ifndef NEXTSTAT_KERNELS_SOLVER_LAYOUT_H
#define NEXTSTAT_KERNELS_SOLVER_LAYOUT_H

enum { NS_HISTORY = 8 }; /* pairs that L-BFGS remembers */
enum { NS_HELD = 2 };    /* parameters that a row may hold fixed while the metric has them free */

/* How a row stands. */
enum {
  NS_RUNNING = 0,      /* its steps for this call are spent */
  NS_CONVERGED = 1,    /* both stop rules hold */
  NS_NO_DECREASE = 2,  /* no step lowers the NLL beyond rounding */
  NS_WANTS_METRIC = 3, /* goes badly by its own record: renew the metric at its point */
  NS_NOT_FINITE = 4    /* the start has no finite NLL or gradient */
};

/* Scalars of a row: positions after `control`. */
enum {
  NS_C_STATUS,
  NS_C_ITERATIONS, /* accepted steps */
  NS_C_EVALUATIONS,
  NS_C_SINCE_METRIC, /* accepted steps since the metric was made */
  NS_C_BACKTRACKS,   /* in this search */
  NS_C_VALUE,        /* NLL without its constant at x */
  NS_C_SLOPE,        /* gradient . direction */
  NS_C_STEP,
  NS_C_EDM,    /* g P^-1 g / 2 over free parameters */
  NS_C_SCALED, /* max |g| sigma over free parameters */
  NS_C_PAIRS,  /* pairs in the history */
  NS_C_NEWEST, /* slot of the newest pair */
  NS_C_HELD,   /* parameters held fixed by this row, at most NS_HELD */
  NS_C_MOVES,  /* 1 where this sweep's trial point becomes the point */
  NS_C_TURNS,  /* 1 where the direction has to be made again, without history */
  NS_C_BEGINS, /* 1 until its first point is evaluated */
  NS_C_SIZE = 16
};

/* Sums over parameters: positions after `sums`. */
enum {
  NS_S_STEP_SLOPE, /* g . (x' - x) */
  NS_S_END_SLOPE,  /* g' . (x' - x) */
  NS_S_EDM,        /* g' . P^-1 g' */
  NS_S_CHANGED,    /* free parameters that changed sides in this step */
  NS_S_SCALED,     /* max |g'| sigma */
  NS_S_SIZE = 8
};

/* Products of one pair of the history with this step's gradient g and its change y': positions after its slot. */
enum {
  NS_D_SG, /* s . g */
  NS_D_PG, /* P^-1 y . g */
  NS_D_SY, /* s . y' */
  NS_D_PY, /* P^-1 y . y' */
  NS_D_SIZE
};

/* What a row hands back: positions in its figures. */
enum { NS_F_STATUS, NS_F_VALUE, NS_F_EDM, NS_F_SCALED, NS_F_ITERATIONS, NS_F_EVALUATIONS, NS_F_SIZE = 8 };

/* Shared memory of a CUDA block before its near values: which rows stand in it. */
enum { NS_PLACES_BYTES = 64 };

typedef struct {
  unsigned int n, slices;         /* parameters, and slices of 8 of them */
  unsigned int rank, rank_slices; /* rows of the metric, A_minus before A_plus */

  /* reals: P^-1 = diag - A_minus^T A_minus + A_plus^T A_plus */
  unsigned int diagonal; /* [parameter] */
  unsigned int sigma;    /* [parameter] square root of the diagonal of P^-1 */
  unsigned int shrink; /* [parameter] smallest part of its value that one step may leave; 0 = no such limit */
  unsigned int by_row; /* [slice of rows][parameter][8] */
  unsigned int by_parameter; /* [slice of parameters][row][8], rows of A_minus with their sign */

  /* row state, near: first what lives within a sweep and outside of its evaluation, */
  unsigned int trial_gradient;
  unsigned int product;                /* [row of the metric] */
  unsigned int partial;                /* four times 32 partial sums */
  unsigned int kept;                   /* then, from here on, what is kept */
  unsigned int held_index, held_share; /* [held] its parameter; its share of a product */
  unsigned int sums;                   /* NS_S_* */
  unsigned int dots;                   /* [slot] NS_D_* */
  unsigned int gram_sy, gram_yp;       /* [slot][slot] s_i.y_j for pairs i not younger than j; y_i.P^-1 y_j */
  unsigned int alpha, beta,
      used; /* [age] coefficients of the direction, 0 = newest; 1 where there is a pair */
  unsigned int control;
  unsigned int near_size; /* positions from here on are far */
  unsigned int x, low, high;
  unsigned int free, gradient, preconditioned; /* mask; gradient of free parameters; P^-1 gradient */
  unsigned int trial_free, trial_preconditioned, direction;
  unsigned int change;                        /* y = g' - g of this step */
  unsigned int steps, preconditioned_changes; /* history: s, P^-1 y; [slot][parameter] */
  unsigned int held_column;                   /* [held][parameter] its column of P^-1 */
  unsigned int row_size;
} NsSolver;

/* When to stop, and when to give up. */
typedef struct {
  float edm, scaled_gradient; /* float: a language may have no double */
  unsigned int steps_per_metric, backtracks;
  unsigned int sweeps_per_call; /* then the row returns as it stands, to be continued */
} NsStop;

#endif
