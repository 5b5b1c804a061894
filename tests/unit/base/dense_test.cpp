#include "base/algebra/dense.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace nextstat {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOutside = 12345.5;  // in places that must stay as they are

// Around the tiles of every instruction set, then around the blocks of 192.
const std::vector<std::size_t> kSizes = {0,  1,  2,  3,  5,  7,  8,  9,   15, 16,
                                         17, 23, 24, 25, 31, 41, 96, 193, 250};

// A row-major matrix with a leading dimension that is odd and larger than its rows.
struct Padded {
  Padded(std::size_t r, std::size_t c)
      : rows(r), columns(c), ld((c + 3) | 1), values(rows * ld + 1, kOutside) {}
  static Padded random(std::size_t rows, std::size_t columns, unsigned seed) {
    Padded result(rows, columns);
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) result(i, j) = normal(engine);
    return result;
  }
  double& operator()(std::size_t i, std::size_t j) { return values[i * ld + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * ld + j]; }
  double* data() { return values.data(); }
  const double* data() const { return values.data(); }
  Matrix eigen() const {
    Matrix result(rows, columns);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) result(Eigen::Index(i), Eigen::Index(j)) = (*this)(i, j);
    return result;
  }
  // To the bit, padding included.
  bool operator==(const Padded& other) const {
    return values.size() == other.values.size() &&
           std::memcmp(values.data(), other.values.data(), values.size() * sizeof(double)) == 0;
  }
  std::size_t rows, columns, ld;
  std::vector<double> values;
};

// A^T A + n 1 in the upper triangle; below it what must not be read.
Padded positive_definite(std::size_t n, unsigned seed) {
  const Padded a = Padded::random(n, n, seed);
  const Matrix product = a.eigen().transpose() * a.eigen();
  Padded m(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      m(i, j) = j < i ? kNan : product(Eigen::Index(i), Eigen::Index(j)) + (i == j ? double(n) : 0.0);
  return m;
}

Padded factor_of(std::size_t n, unsigned seed) {
  Padded r = positive_definite(n, seed);
  EXPECT_EQ(dense::cholesky(n, r.data(), r.ld, {.threads = 1}), std::nullopt);
  return r;
}

Matrix upper(const Padded& m) { return m.eigen().triangularView<Eigen::Upper>(); }

void naive_product(double sign, const Padded& a, const Padded& b, bool upper_only, Padded& c) {
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t j = upper_only ? i : 0; j < c.columns; ++j)
      for (std::size_t k = 0; k < a.rows; ++k) c(i, j) += sign * a(k, i) * b(k, j);
}

void add(const Padded& a, const Padded& b, Padded& c, dense::Run run) {
  dense::add_product(a.rows, c.rows, c.columns, a.data(), a.ld, b.data(), b.ld, c.data(), c.ld, run);
}

void add_symmetric(const Padded& a, const Padded& b, Padded& c, dense::Run run) {
  dense::add_symmetric_product(a.rows, c.rows, a.data(), a.ld, b.data(), b.ld, c.data(), c.ld, run);
}

double largest(const Matrix& m) { return m.size() ? m.cwiseAbs().maxCoeff() : 0.0; }

// Every usable instruction set with one thread, then the widest with more.
std::vector<dense::Run> every_run() {
  std::vector<dense::Run> runs;
  for (const dense::Kernels* kernels : dense::usable_kernels()) runs.push_back({1, kernels});
  for (const std::size_t threads : {2, 4, 0}) runs.push_back({.threads = threads});
  return runs;
}

class DenseRun : public testing::TestWithParam<dense::Run> {};

TEST_P(DenseRun, ProductsAreThePlainLoopsToTheBit) {
  for (const std::size_t m : kSizes) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{13}, m}) {
      for (const std::size_t k : {0, 1, 7, 200}) {
        const Padded a = Padded::random(k, m, 1), b = Padded::random(k, n, 2);
        Padded c = Padded::random(m, n, 3), expected = c;
        naive_product(1.0, a, b, false, expected);
        add(a, b, c, GetParam());
        ASSERT_EQ(c, expected) << "add " << k << " " << m << " " << n;
        naive_product(-1.0, a, b, false, expected);
        dense::subtract_product(k, m, n, a.data(), a.ld, b.data(), b.ld, c.data(), c.ld, GetParam());
        ASSERT_EQ(c, expected) << "subtract " << k << " " << m << " " << n;
      }
    }
  }
}

TEST_P(DenseRun, SymmetricProductsLeaveTheLowerTriangleAlone) {
  for (const std::size_t n : kSizes) {
    for (const std::size_t k : {0, 1, 7, 200}) {
      const Padded a = Padded::random(k, n, 1), b = Padded::random(k, n, 2);
      Padded c = Padded::random(n, n, 3), expected = c;
      naive_product(1.0, a, b, true, expected);
      add_symmetric(a, b, c, GetParam());
      ASSERT_EQ(c, expected) << k << " " << n;
    }
  }
}

// Large enough for more threads and several blocks in every function.
TEST_P(DenseRun, BitsAreThoseOfTheNarrowestInstructionSetOnOneThread) {
  const dense::Run first{1, dense::usable_kernels().front()};
  for (const std::size_t n : {1, 9, 41, 180, 620}) {
    const auto compare = [&](const char* what, const Padded& start, auto call) {
      Padded expected = start, result = start;
      call(expected, first);
      call(result, GetParam());
      EXPECT_EQ(result, expected) << what << " " << n;
    };
    const Padded m = positive_definite(n, 4), r = factor_of(n, 4), wide = Padded::random(n, n + 200, 5);
    compare("cholesky", m, [&](Padded& x, dense::Run run) {
      EXPECT_EQ(dense::cholesky(n, x.data(), x.ld, run), std::nullopt);
    });
    compare("solve_lower", wide, [&](Padded& x, dense::Run run) {
      dense::solve_lower(n, r.data(), r.ld, x.columns, x.data(), x.ld, run);
    });
    compare("solve_upper", wide, [&](Padded& x, dense::Run run) {
      dense::solve_upper(n, r.data(), r.ld, x.columns, x.data(), x.ld, run);
    });
    compare("invert_factor", Padded(n, n),
            [&](Padded& x, dense::Run run) { dense::invert_factor(n, r.data(), r.ld, x.data(), x.ld, run); });
    compare("invert", Padded(n, n),
            [&](Padded& x, dense::Run run) { dense::invert(n, r.data(), r.ld, x.data(), x.ld, run); });
    compare("add_product", wide, [&](Padded& x, dense::Run run) { add(r, wide, x, run); });
    compare("add_symmetric_product", m,
            [&](Padded& x, dense::Run run) { add_symmetric(wide, wide, x, run); });
  }
}

INSTANTIATE_TEST_SUITE_P(Every, DenseRun, testing::ValuesIn(every_run()), [](const auto& tested) {
  std::string name = tested.param.kernels->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_threads_" + std::to_string(tested.param.threads) + "_" + std::to_string(tested.index);
});

TEST(Dense, RunsTheWidestKernelsUnlessOthersAreNamed) {
  EXPECT_EQ(dense::Run{1}.kernels, dense::usable_kernels().back());
}

TEST(Dense, CholeskyIsThePlainLoopToTheBit) {
  for (const std::size_t n : kSizes) {
    Padded expected = positive_definite(n, 6);
    const Padded r = factor_of(n, 6);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i; j < n; ++j) {
        double& x = expected(i, j);
        for (std::size_t k = 0; k < i; ++k) x -= expected(k, i) * expected(k, j);
        x = i == j ? std::sqrt(x) : x * (1.0 / expected(i, i));
      }
    }
    ASSERT_EQ(r, expected) << n;
  }
}

TEST(Dense, CholeskyNamesThePivotThatFails) {
  for (const std::size_t n : {1, 7, 30, 250}) {
    for (const std::size_t row : {std::size_t{0}, n / 2, n - 1}) {
      for (const double bad : {0.0, -1.0, kNan, kInfinity}) {
        Padded m = positive_definite(n, 7);
        m(row, row) = bad;
        EXPECT_EQ(dense::cholesky(n, m.data(), m.ld, {.threads = 1}), row) << n << " " << bad;
      }
    }
  }
  Padded m = positive_definite(30, 7);
  m(3, 20) = kNan;  // reaches the diagonal in row 20
  EXPECT_EQ(dense::cholesky(30, m.data(), m.ld, {.threads = 1}), 20u);
}

// One column takes another way than many, and must give the bits of that column.
TEST(Dense, SolvesUndoTheFactor) {
  for (const std::size_t n : kSizes) {
    const Padded r = factor_of(n, 8), b = Padded::random(n, 21, 9);
    Padded lower = b, whole = b;
    dense::solve_lower(n, r.data(), r.ld, 21, lower.data(), lower.ld, {.threads = 1});
    dense::solve_upper(n, r.data(), r.ld, 21, whole.data(), whole.ld, {.threads = 1});
    EXPECT_LT(largest(upper(r).transpose() * lower.eigen() - b.eigen()), 1e-12) << n;
    EXPECT_LT(largest(upper(r) * whole.eigen() - b.eigen()), 1e-12) << n;
    Padded one_lower = b, one_upper = b;
    for (std::size_t j = 0; j < 21; ++j) {
      dense::solve_lower(n, r.data(), r.ld, 1, one_lower.data() + j, b.ld, {.threads = 1});
      dense::solve_upper(n, r.data(), r.ld, 1, one_upper.data() + j, b.ld, {.threads = 1});
    }
    EXPECT_EQ(one_lower, lower) << n;
    EXPECT_EQ(one_upper, whole) << n;
  }
}

TEST(Dense, InverseFactorIsTheSolutionForTheUnitMatrix) {
  for (const std::size_t n : kSizes) {
    const Padded r = factor_of(n, 10);
    Padded l(n, n), expected(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) expected(i, j) = i == j ? 1.0 : 0.0;
    dense::solve_lower(n, r.data(), r.ld, n, expected.data(), expected.ld, {.threads = 1});
    dense::invert_factor(n, r.data(), r.ld, l.data(), l.ld, {.threads = 1});
    ASSERT_EQ(l, expected) << n;
  }
}

TEST(Dense, InverseIsSymmetricToTheBitAndInverts) {
  for (const std::size_t n : kSizes) {
    const Matrix m = positive_definite(n, 11).eigen().selfadjointView<Eigen::Upper>();
    const Padded r = factor_of(n, 11);
    Padded inverse(n, n), l(n, n), expected(n, n);
    dense::invert(n, r.data(), r.ld, inverse.data(), inverse.ld, {.threads = 1});
    const Matrix unit = Matrix::Identity(Eigen::Index(n), Eigen::Index(n));
    EXPECT_LT(largest(m * inverse.eigen() - unit), 1e-12) << n;
    dense::invert_factor(n, r.data(), r.ld, l.data(), l.ld, {.threads = 1});
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        expected(i, j) = 0.0;
        for (std::size_t k = std::max(i, j); k < n; ++k) expected(i, j) += l(k, i) * l(k, j);
      }
    }
    ASSERT_EQ(inverse, expected) << n;  // symmetric to the bit, as the plain loop is
  }
}

}  // namespace
}  // namespace nextstat
