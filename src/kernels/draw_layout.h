/* How each datum of a toy is drawn. Plain C, the same bytes on the host and on every device; made by
   model/draw/draw_plan.h. */
#ifndef NEXTSTAT_KERNELS_DRAW_LAYOUT_H
#define NEXTSTAT_KERNELS_DRAW_LAYOUT_H

/* The first two take bits from the block that neighbors share. */
enum {
  NS_DRAW_TABLE,     /* Poisson by thresholds */
  NS_DRAW_NORMAL,    /* reals {mean, sigma} */
  NS_DRAW_REJECTION, /* Poisson by rejection, reals {NS_POISSON_...} */
  NS_DRAW_CONSTANT   /* reals {value} */
};

/* Constants of the rejection method for one rate (draw.h). */
enum {
  NS_POISSON_RATE,
  NS_POISSON_WHOLE,   /* floor(rate) */
  NS_POISSON_CENTER,  /* rate - floor(rate) + 0.43 */
  NS_POISSON_A,       /* how fast the hat's tails widen */
  NS_POISSON_B,       /* width of its middle */
  NS_POISSON_HEIGHT,  /* 1 / alpha */
  NS_POISSON_SQUEEZE, /* below this the middle is accepted unseen */
  NS_POISSON_REALS
};

/* Counts whose log_factorial_excess stands in a table (factorial.h). */
enum { NS_KNOWN_EXCESSES = 1024 };

typedef struct {
  unsigned int kind;
  unsigned int reals; /* place of its first real */
  /* Threshold i, an integer of 64 bits, is 2^64 P(count <= lowest + i). guide[j], j = 0 ... 2^(64 - shift),
     is how many thresholds are at most j 2^shift. */
  unsigned int thresholds, guide; /* places of its first ones */
  unsigned int shift;
  unsigned int lowest;
} NsDatum;

#endif
