// What rows that run side by side decide together. A place of row r < ROWS_HERE: SCALAR_AT(row + r, place).

FN u32 ns_any_row(const scalar* row, u32 place) {
  u32 any = 0;
  for (u32 r = 0; r < ROWS_HERE; ++r) any |= SCALAR_AT(row + r, place) > 0;
  return any;
}

FN u32 ns_most_of(const scalar* row, u32 place) {
  scalar most = 0;
  for (u32 r = 0; r < ROWS_HERE; ++r)
    most = SCALAR_AT(row + r, place) > most ? SCALAR_AT(row + r, place) : most;
  return (u32)most;
}

// Moves every pair of a row's history, and its products, to the next slot.
static void ns_turn_history(const NsSolver* v, scalar* row) {
  const u32 width = v->slices * 8;
  const u32 histories[] = {v->steps, v->preconditioned_changes}, grams[] = {v->gram_sy, v->gram_yp};
  for (u32 base : histories) {
    for (u32 i = 0; i < v->n; ++i) {
      const scalar last = SCALAR_AT(row, base + (NS_HISTORY - 1) * width + i);
      for (u32 slot = NS_HISTORY - 1; slot > 0; --slot)
        SCALAR_AT(row, base + slot * width + i) = SCALAR_AT(row, base + (slot - 1) * width + i);
      SCALAR_AT(row, base + i) = last;
    }
  }
  for (u32 gram : grams) {
    scalar old[NS_HISTORY * NS_HISTORY];
    for (u32 i = 0; i < NS_HISTORY * NS_HISTORY; ++i) old[i] = SCALAR_AT(row, gram + i);
    for (u32 i = 0; i < NS_HISTORY; ++i)
      for (u32 j = 0; j < NS_HISTORY; ++j)
        SCALAR_AT(row, gram + (i + 1) % NS_HISTORY * NS_HISTORY + (j + 1) % NS_HISTORY) =
            old[i * NS_HISTORY + j];
  }
}

// Rows that do not move while others do: their newest pair goes to the slot that the others fill now.
static void ns_keep_pace(const NsSolver* v, scalar* row) {
  for (u32 r = 0; r < ROWS_HERE; ++r) {
    const scalar* control = row + r + (offset)v->control * (SCALAR_STEP);
    if (SCALAR_AT(control, NS_C_MOVES) > 0 || SCALAR_AT(control, NS_C_STATUS) != (scalar)NS_RUNNING) continue;
    if (SCALAR_AT(control, NS_C_PAIRS) > 0) ns_turn_history(v, row + r);
  }
}

#define EACH_ROW(decision) \
  for (u32 r = 0; r < ROWS_HERE; ++r) decision
#define ONE(p) ((p) + r)
#define ANY_ROW(row, place) ns_any_row(row, place)
#define MOST_OF(row, place) ns_most_of(row, place)
#define KEEP_PACE(v, row) \
  if (ROWS_HERE > 1) ns_keep_pace(v, row)
