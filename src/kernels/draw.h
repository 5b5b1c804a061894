// Draws one toy's data, two neighbors at a time, in the kernel dialect (dialect.md); f64 only. Datum i of a
// toy depends on (seed, hypothesis, toy, i) and on how it is drawn (draw_layout.h), on nothing else.
//
//   NsDrawTables tables = {data, n_data, reals, thresholds, guide};
//   NsToy toy = ns_toy(seed, hypothesis, number);
//   for (u32 pair = 0; 2 * pair < n_data; ++pair) ns_draw_pair(&tables, toy, pair, values);

typedef struct {
  TABLE NsDatum* data; /* [datum] */
  u32 n_data;
  TABLE real* reals;
  TABLE wide* thresholds;
  TABLE u32* guide;
} NsDrawTables;

// The count n for which random lies in [2^64 P(count < n), 2^64 P(count <= n)). The upper bits look up the
// few thresholds that are left, bisection finds the place among them.
FN real ns_poisson_by_table(const HERE NsDrawTables* t, TABLE NsDatum* datum, wide random) {
  TABLE wide* thresholds = t->thresholds + datum->thresholds;
  TABLE u32* guide = t->guide + datum->guide + (u32)(random >> datum->shift);
  u32 low = guide[0], high = guide[1];
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (random < thresholds[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return (real)(datum->lowest + low);
}

// floor(x) for |x| < 2^51.
FN real ns_floor(real x) {
  real nearest = (x + ns_round_shift()) - ns_round_shift();
  return nearest > x ? nearest - R(1.0) : nearest;
}

// log(n!) - n log(n) + n - log(2 pi n) / 2 = 1/(12 n) - 1/(360 n^3) + 1/(1260 n^5) - ...   [Stirling]
FN real ns_stirling_tail(real inverse_n) {
  real w = inverse_n * inverse_n;
  real sum = R(-0.0005952380952380953);
  sum = sum * w + R(0.0007936507936507937);
  sum = sum * w - R(0.002777777777777778);
  sum = sum * w + R(0.08333333333333333);
  return sum * inverse_n;
}

// Whether v height / (a / d^2 + b) <= P(n | rate), as logarithms and without large terms: with the deviance D
// and Stirling's tail S, P = exp(-D - S) / sqrt(2 pi n).
FN u32 ns_poisson_accepts(TABLE real* c, real n, real d, real v) {
  real inverse_n = R(1.0) / n;
  real slope = c[NS_POISSON_A] / (d * d) + c[NS_POISSON_B];
  real ratio = v * c[NS_POISSON_HEIGHT] / slope;
  real exponent = ns_poisson_deviance(n, inverse_n, c[NS_POISSON_RATE]) + ns_stirling_tail(inverse_n);
  return ns_log(ratio * ratio * (R(6.283185307179586) * n)) <= R(-2.0) * exponent;
}

// Transformed rejection with squeeze (Hormann 1993, PTRS) for large rates:
//   n = floor(G(u)), u uniform in (-1/2, 1/2), accepted with probability P(n) G'(u) / height
//   G(u) = (2 a / d + b) u + rate + 0.43,  d = 1/2 - |u|
// In the middle that probability exceeds the squeeze. The whole part of the rate is added last: counts are
// exact to 2^53. For d < 1/512 a count more than 30 sigma away would be accepted with less than the least v;
// so would n < 1.
FN real ns_poisson_by_rejection(TABLE real* c, NsToy toy, u32 datum) {
  for (u32 draw = 1;; ++draw) {
    NsWords words = ns_random_words(toy, datum, draw);
    real u = ns_unit(ns_first_half(words)) - R(0.5);
    real v = ns_unit(ns_second_half(words));
    real d = R(0.5) - (u < R(0.0) ? -u : u);
    if (d < R(0.001953125)) continue;
    real beyond = ns_floor((R(2.0) * c[NS_POISSON_A] / d + c[NS_POISSON_B]) * u + c[NS_POISSON_CENTER]);
    real n = c[NS_POISSON_WHOLE] + beyond;
    if (d >= R(0.07) && v <= c[NS_POISSON_SQUEEZE]) return n;
    if (n >= R(1.0) && ns_poisson_accepts(c, n, d, v)) return n;
  }
}

// One datum, given its 64 bits of the block that it shares with its neighbor.
FN real ns_draw_datum(const HERE NsDrawTables* t, NsToy toy, u32 i, wide random) {
  TABLE NsDatum* datum = t->data + i;
  TABLE real* reals = t->reals + datum->reals;
  if (datum->kind == NS_DRAW_TABLE) return ns_poisson_by_table(t, datum, random);
  if (datum->kind == NS_DRAW_NORMAL) return reals[0] + reals[1] * ns_standard_normal(random);
  if (datum->kind == NS_DRAW_REJECTION) return ns_poisson_by_rejection(reals, toy, i);
  return reals[0];
}

// Data 2 pair and 2 pair + 1 of a toy. The shared block is made only if one of them takes bits from it.
FN void ns_draw_pair(const HERE NsDrawTables* t, NsToy toy, u32 pair, ROW scalar* values) {
  u32 first = 2 * pair, second = first + 1 < t->n_data ? first + 1 : first;
  wide low = 0, high = 0;
  if (t->data[first].kind <= NS_DRAW_NORMAL || t->data[second].kind <= NS_DRAW_NORMAL) {
    NsWords words = ns_random_words(toy, pair, 0);
    low = ns_first_half(words);
    high = ns_second_half(words);
  }
  values[first] = ns_draw_datum(t, toy, first, low);
  if (second > first) values[second] = ns_draw_datum(t, toy, second, high);
}
