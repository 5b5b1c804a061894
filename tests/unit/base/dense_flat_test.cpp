// A singular matrix is factorized over what it determines. Null vectors are told from downhill directions.
#include "base/algebra/dense_flat.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace nextstat {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A^T A of the given rank, scaled to a diagonal of 1.
Matrix random_matrix(Eigen::Index size, Eigen::Index rank, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Matrix a(rank, size);
  for (Eigen::Index i = 0; i < rank; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) a(i, j) = normal(engine);
  }
  Matrix m = a.transpose() * a;
  const Eigen::VectorXd unit = m.diagonal().cwiseSqrt().cwiseInverse();
  return unit.asDiagonal() * m * unit.asDiagonal();
}

dense::FlatFactor factor_of(const Matrix& m) {
  return dense::factor_without_flat(static_cast<std::size_t>(m.rows()),
                                    RawNumbers(m.data(), m.data() + m.size()), {.threads = 1});
}

Eigen::VectorXd vector_of(const dense::NullVector& direction) {
  return Eigen::Map<const Eigen::VectorXd>(direction.parts.data(),
                                           static_cast<Eigen::Index>(direction.parts.size()));
}

TEST(DenseFlat, FindsTheRankAndTheNullVectors) {
  for (const Eigen::Index size : {1, 5, 63, 64, 65, 150}) {
    for (const Eigen::Index rank : {size, size - 1, size / 2}) {
      if (rank < 1) continue;
      SCOPED_TRACE(testing::Message() << "size " << size << ", rank " << rank);
      const Matrix m = random_matrix(size, rank, 7);
      const dense::FlatFactor factor = factor_of(m);
      EXPECT_FALSE(factor.downhill);
      EXPECT_EQ(factor.kept.size(), static_cast<std::size_t>(rank));
      ASSERT_EQ(factor.flat.size(), static_cast<std::size_t>(size - rank));
      for (const dense::NullVector& direction : factor.flat) {
        const Eigen::VectorXd v = vector_of(direction);
        EXPECT_LT((m * v).norm(), 1e-8 * v.norm());
        EXPECT_EQ(v[static_cast<Eigen::Index>(direction.last)], 1.0);
      }
    }
  }
}

TEST(DenseFlat, TheRootIsThatOfTheKeptRows) {
  const Matrix m = random_matrix(130, 100, 3);
  const dense::FlatFactor factor = factor_of(m);
  const Eigen::Index size = static_cast<Eigen::Index>(factor.kept.size());
  ASSERT_EQ(size, 100);
  const Matrix root = Eigen::Map<const Matrix>(factor.root.data(), size, size);
  const Matrix product = root.transpose() * root;
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j)
      EXPECT_NEAR(product(i, j),
                  m(static_cast<Eigen::Index>(factor.kept[static_cast<std::size_t>(i)]),
                    static_cast<Eigen::Index>(factor.kept[static_cast<std::size_t>(j)])),
                  1e-12);
  }
}

TEST(DenseFlat, ADirectionDownhillIsNotFlat) {
  Matrix m = random_matrix(80, 80, 5);
  m(70, 70) = -0.5;
  const dense::FlatFactor factor = factor_of(m);
  ASSERT_TRUE(factor.downhill);
  const Eigen::VectorXd v = vector_of(*factor.downhill);
  EXPECT_LT(v.dot(m * v), 0.0);
  EXPECT_LT(factor.smallest_pivot, 0.0);
}

}  // namespace
}  // namespace nextstat
