#include "base/algebra/dense.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/algebra/dense_product.h"
#include "base/aligned.h"
#include "base/machine.h"
#include "base/parallel.h"

namespace nextstat::dense {
namespace {

// Right-hand sides for which turning R around costs more than it saves.
constexpr std::size_t kFewColumns = 4;

// Here a factor R is Strided: R[k][i] for solve_lower; for solve_upper it is read from its last element
// across and backwards, which turns the one into the other.

// B[n][columns] = R^-T B on this thread, kBlockEdge rows at a time: one product for what the rows
// above them contribute, then tiles.
void solve_columns(const Kernels& kernels, Index n, Strided r, Index columns, double* b, Index ldb) {
  AlignedVector<double> scratch;
  for (Index i = 0; i < n; i += kBlockEdge) {
    const Index rows = std::min(kBlockEdge, n - i);
    double* c = b + i * ldb;
    run_product(kernels, {i, rows, columns, r.from(0, i), b, ldb, c, ldb, Sign::Subtract}, 1);
    const Strided diagonal = in_rows(r.from(i, i), rows, rows, scratch);
    kernels.solve({0, rows, columns, diagonal.at, diagonal.k_step, c, ldb, c, ldb});
  }
}

void solve(Index n, Strided r, Index columns, double* b, Index ldb, const Run& run) {
  const Index chunks = (columns + kBlockEdge - 1) / kBlockEdge;
  const std::size_t threads = threads_for(n * n / 2 * columns, run.threads);
  parallel_chunks(static_cast<std::size_t>(chunks), threads, [&](std::size_t chunk) {
    const Index first = static_cast<Index>(chunk) * kBlockEdge;
    solve_columns(*run.kernels, n, r, std::min(kBlockEdge, columns - first), b + first, ldb);
  });
}

// Rows i to i + rows - 1 of one column b = R^-1 b, when those below are done.
// Rows side by side, because each is one chain of additions.
template <Index rows>
void solve_upper_rows(Index n, Index i, const double* r, Index ldr, double* b, Index ldb) {
  double sum[rows];
  for (Index p = 0; p < rows; ++p) sum[p] = b[(i + p) * ldb];
  for (Index k = n - 1; k >= i + rows; --k)
    for (Index p = 0; p < rows; ++p) sum[p] -= r[(i + p) * ldr + k] * b[k * ldb];
  for (Index p = rows - 1; p >= 0; --p) {
    sum[p] *= 1.0 / r[(i + p) * ldr + i + p];
    for (Index q = 0; q < p; ++q) sum[q] -= r[(i + q) * ldr + i + p] * sum[p];
  }
  for (Index p = 0; p < rows; ++p) b[(i + p) * ldb] = sum[p];
}

// The upper triangle of one tile. Returns the row of the pivot that failed, or `rows`.
Index factor_tile(Index rows, double* tile, Index ld) {
  for (Index p = 0; p < rows; ++p) {
    double* row = tile + p * ld;
    const double pivot = row[p];
    if (!(pivot > 0 && pivot <= std::numeric_limits<double>::max())) return p;
    row[p] = std::sqrt(pivot);
    const double reciprocal = 1.0 / row[p];
    for (Index j = p + 1; j < rows; ++j) row[j] *= reciprocal;
    for (Index i = p + 1; i < rows; ++i)
      for (Index j = i; j < rows; ++j) tile[i * ld + j] -= row[i] * row[j];
  }
  return rows;
}

// A few rows of tiles, left-looking. Returns the row of the pivot that failed, or n.
Index factor_rows(const Kernels& kernels, Index n, double* m, Index ld) {
  for (Index i = 0; i < n; i += kernels.tile_rows) {
    const Index rows = std::min(kernels.tile_rows, n - i);
    double* c = m + i * ld + i;
    run_tile_on_diagonal(kernels, Sign::Subtract, {i, rows, rows, m + i, ld, m + i, ld, c, ld});
    if (const Index done = factor_tile(rows, c, ld); done < rows) return i + done;
    kernels.solve({i, rows, n - i - rows, m + i, ld, m + i + rows, ld, c + rows, ld});
  }
  return n;
}

// Right of the finished block on the diagonal: rows i to i + rows - 1, in chunks of columns.
void factor_right(Index n, Index i, Index rows, double* m, Index ld, const Run& run) {
  const Index begin = i + rows;
  const Index chunks = (n - begin + kBlockEdge - 1) / kBlockEdge;
  const std::size_t threads = threads_for(begin * rows * (n - begin), run.threads);
  const double* diagonal = m + i * ld + i;
  parallel_chunks(static_cast<std::size_t>(chunks), threads, [&](std::size_t chunk) {
    const Index j = begin + static_cast<Index>(chunk) * kBlockEdge;
    const Index columns = std::min(kBlockEdge, n - j);
    double* c = m + i * ld + j;
    run_product(*run.kernels, {i, rows, columns, {m + i, ld, 1}, m + j, ld, c, ld, Sign::Subtract}, 1);
    run.kernels->solve({0, rows, columns, diagonal, ld, c, ld, c, ld});
  });
}

// Width of the blocks of columns of L. Small matrices get narrow ones: what is computed above the diagonal of
// a block is wasted.
Index triangle_width(Index n) {
  return std::clamp((n / 16 + kMostTileColumns - 1) / kMostTileColumns * kMostTileColumns, kMostTileColumns,
                    kBlockEdge);
}

// L^T L in place for the columns j to j + width - 1 of the upper triangle, which takes the place of zeros; L
// stays below. Nothing that other columns need is overwritten: they read L left of and below its diagonal.
void square_columns(const Kernels& kernels, Index n, Index j, Index width, double* l, Index ld) {
  double* rows = l + j * ld;  // L from row j on: above it columns j and later are zero
  run_product(kernels, {n - j, j, width, {rows, ld, 1}, rows + j, ld, l + j, ld}, 1);
  AlignedVector<double> diagonal(static_cast<std::size_t>(width * width));
  run_product(
      kernels,
      {n - j, width, width, {rows + j, ld, 1}, rows + j, ld, diagonal.data(), width, Sign::Add, Part::Upper},
      1);
  for (Index i = 0; i < width; ++i)
    std::copy_n(diagonal.data() + i * width + i, width - i, rows + i * ld + j + i);
}

// Rows i to i + count - 1 of the lower triangle from the upper one.
void mirror_rows(Index i, Index count, double* m, Index ld) {
  constexpr Index kEdge = 8;  // whole cache lines on both sides
  for (Index j = 0; j < i + count; j += kEdge)
    for (Index row = std::max(i, j); row < i + count; ++row)
      for (Index column = j; column < std::min(j + kEdge, row); ++column)
        m[row * ld + column] = m[column * ld + row];
}

}  // namespace

std::vector<const Kernels*> usable_kernels() {
#if defined(__x86_64__)
  std::vector<const Kernels*> sets = {&kKernelsV2, &kKernelsV3, &kKernelsV4};
#else
  std::vector<const Kernels*> sets = {&kKernelsBaseline};
#endif
  std::erase_if(sets, [](const Kernels* kernels) { return !processor_has(kernels->name); });
  return sets;
}

const Kernels& widest_kernels() {
  static const Kernels& widest = *usable_kernels().back();
  return widest;
}

void add_product(std::size_t k, std::size_t m, std::size_t n, const double* a, std::size_t lda,
                 const double* b, std::size_t ldb, double* c, std::size_t ldc, Run run) {
  run_product(*run.kernels, {Index(k), Index(m), Index(n), {a, Index(lda), 1}, b, Index(ldb), c, Index(ldc)},
              run.threads);
}

void subtract_product(std::size_t k, std::size_t m, std::size_t n, const double* a, std::size_t lda,
                      const double* b, std::size_t ldb, double* c, std::size_t ldc, Run run) {
  run_product(
      *run.kernels,
      {Index(k), Index(m), Index(n), {a, Index(lda), 1}, b, Index(ldb), c, Index(ldc), Sign::Subtract},
      run.threads);
}

void add_symmetric_product(std::size_t k, std::size_t n, const double* a, std::size_t lda, const double* b,
                           std::size_t ldb, double* c, std::size_t ldc, Run run) {
  run_product(*run.kernels,
              {Index(k),
               Index(n),
               Index(n),
               {a, Index(lda), 1},
               b,
               Index(ldb),
               c,
               Index(ldc),
               Sign::Add,
               Part::Upper},
              run.threads);
}

std::optional<std::size_t> cholesky(std::size_t size, double* m, std::size_t stride, Run run) {
  const Index n = Index(size), ld = Index(stride);
  for (Index i = 0; i < n; i += kBlockEdge) {
    const Index rows = std::min(kBlockEdge, n - i);
    double* diagonal = m + i * ld + i;
    run_product(*run.kernels,
                {i, rows, rows, {m + i, ld, 1}, m + i, ld, diagonal, ld, Sign::Subtract, Part::Upper}, 1);
    if (const Index done = factor_rows(*run.kernels, rows, diagonal, ld); done < rows)
      return static_cast<std::size_t>(i + done);
    factor_right(n, i, rows, m, ld, run);
  }
  return std::nullopt;
}

void solve_lower(std::size_t n, const double* r, std::size_t ldr, std::size_t columns, double* b,
                 std::size_t ldb, Run run) {
  solve(Index(n), {r, Index(ldr), 1}, Index(columns), b, Index(ldb), run);
}

void solve_upper(std::size_t n, const double* r, std::size_t ldr, std::size_t columns, double* b,
                 std::size_t ldb, Run run) {
  if (n == 0) return;
  if (columns <= kFewColumns) {
    for (std::size_t column = 0; column < columns; ++column) {
      Index i = Index(n) - 8;
      for (; i >= 0; i -= 8) solve_upper_rows<8>(Index(n), i, r, Index(ldr), b + column, Index(ldb));
      for (i += 7; i >= 0; --i) solve_upper_rows<1>(Index(n), i, r, Index(ldr), b + column, Index(ldb));
    }
    return;
  }
  const double* last = r + (n - 1) * ldr + (n - 1);
  solve(Index(n), {last, -1, -Index(ldr)}, Index(columns), b + (n - 1) * ldb, -Index(ldb), run);
}

void invert_factor(std::size_t size, const double* r, std::size_t ldr, double* l, std::size_t stride,
                   Run run) {
  const Index n = Index(size), ld = Index(stride), width = triangle_width(n);
  const std::size_t threads = threads_for(n * n * n / 6, run.threads);
  for (Index i = 0; i < n; ++i) std::fill_n(l + i * ld, n, 0.0);
  parallel_chunks(static_cast<std::size_t>((n + width - 1) / width), threads, [&](std::size_t chunk) {
    const Index j = static_cast<Index>(chunk) * width;
    const Index columns = std::min(width, n - j);
    for (Index i = j; i < j + columns; ++i) l[i * ld + i] = 1.0;
    // Rows above j stay zero, so that the problem starts there.
    const Strided rest = Strided{r, Index(ldr), 1}.from(j, j);
    solve_columns(*run.kernels, n - j, rest, columns, l + j * ld + j, ld);
  });
}

void invert(std::size_t size, const double* r, std::size_t ldr, double* inverse, std::size_t stride,
            Run run) {
  invert_factor(size, r, ldr, inverse, stride, run);
  const Index n = Index(size), ld = Index(stride), width = triangle_width(n);
  const std::size_t chunks = static_cast<std::size_t>((n + width - 1) / width);
  const std::size_t threads = threads_for(n * n * n / 6, run.threads);
  const auto for_each = [&](auto body) {
    parallel_chunks(chunks, threads, [&](std::size_t chunk) {
      const Index first = static_cast<Index>(chunk) * width;
      body(first, std::min(width, n - first));
    });
  };
  for_each([&](Index j, Index count) { square_columns(*run.kernels, n, j, count, inverse, ld); });
  for_each([&](Index i, Index count) { mirror_rows(i, count, inverse, ld); });
}

}  // namespace nextstat::dense
