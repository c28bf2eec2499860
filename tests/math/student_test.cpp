#include "catena/math/student.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace catena {
namespace {

// With one degree of freedom it is Cauchy's distribution, with two an algebraic one, with infinitely many the
// normal one.
TEST(Student, QuantilesAreThoseOfClosedForms) {
  for (const double p : {0.5, 0.9, 0.95, 0.99}) {
    EXPECT_NEAR(student_quantile(p, 1), std::tan(0.5 * M_PI * p), 1e-12 * std::tan(0.5 * M_PI * p));
    EXPECT_NEAR(student_quantile(p, 2), p * std::sqrt(2 / (1 - p * p)), 1e-12 * 15);
  }
  EXPECT_NEAR(student_quantile(0.95, std::numeric_limits<double>::infinity()), 1.959963984540054, 1e-14);
  EXPECT_NEAR(student_quantile(0.95, 1e9), 1.959963984540054, 1e-8);
  // Tables of Student's t.
  EXPECT_NEAR(student_quantile(0.95, 1), 12.706204736, 1e-8);
  EXPECT_NEAR(student_quantile(0.95, 10), 2.228138852, 1e-8);
  EXPECT_NEAR(student_quantile(0.9, 30), 1.697260887, 1e-8);
}

TEST(Student, BinomialCountsAddUp) {
  double sum = 0.0, term = std::pow(0.3, 10);  // p = 0.7, none of ten
  for (int k = 0; k < 10; ++k) {
    sum += term;
    EXPECT_NEAR(binomial_below(k, 10, 0.7), sum, 1e-14);
    term *= (10.0 - k) / (k + 1) * (0.7 / 0.3);
  }
  EXPECT_EQ(binomial_below(10, 10, 0.7), 1.0);
}

}  // namespace
}  // namespace catena
