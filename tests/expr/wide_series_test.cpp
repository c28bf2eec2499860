// Series with more digits than a double: values against digits from mpmath, series against those in double
// and against identities.
#include "catena/expr/wide_series.h"

#include <algorithm>
#include <map>

#include "catena/math/wide_functions.h"
#include "support.h"

namespace catena::expr {
namespace {

using test::kVariables;
using test::parsed;

DoubleDouble number(const std::string& digits) {
  DoubleDouble value(0.0), unit(1.0);
  bool behind = false;
  for (const char c : digits) {
    behind = behind || c == '.';
    if (c < '0' || c > '9') continue;
    value = value * DoubleDouble(10.0) + DoubleDouble(c - '0');
    if (behind) unit = unit * DoubleDouble(10.0);
  }
  return digits[0] == '-' ? -(value / unit) : value / unit;
}

// Coefficients of a formula along t, x = 0.7 + t/2, y = -0.4 + t^2, z = 1.3 - t.
template <class Series, class S>
std::vector<S> coefficients(Series series, int orders) {
  constexpr double kAlong[3][kVariables] = {
      {0.3, 0.7, -0.4, 1.3}, {1.0, 0.5, 0.0, -1.0}, {0.0, 0.0, 1.0, 0.0}};
  series.reserve(1, orders);
  std::vector<S> out;
  for (int k = 0; k <= orders; ++k) {
    for (int i = 0; i < kVariables; ++i) *series.input(k, i) = S(k < 3 ? kAlong[k][i] : 0.0);
    series.advance(k);
    out.push_back(*series.output(k, 0));
  }
  return out;
}

template <class S>
std::vector<S> wide_coefficients(const std::string& formula, int orders) {
  Graph graph;
  const NodeId node = parsed(graph, formula);
  return coefficients<WideSeries<S>, S>(WideSeries<S>(lower(graph, {node}, kVariables, Purpose::series)),
                                        orders);
}

// At x = 0.7, the double. 106 bits are 1.2e-32, and a function takes a few dozen operations.
TEST(WideSeries, ValuesAreRightToThirtyOneDigits) {
  const std::map<std::string, std::string> known{{"sin(x)", "0.644217687237691019706798090282512161"},
                                                 {"cos(x)", "0.764842187284488454864872359873962916"},
                                                 {"tan(x)", "0.842288380463079372213317642606360427"},
                                                 {"exp(x)", "2.01375270747047643219596451918424684"},
                                                 {"log(x)", "-0.356674943938732442353954404107274515"},
                                                 {"asin(x)", "0.7753974966107530015554257442371731"},
                                                 {"acos(x)", "0.795398830184143617675895947402578343"},
                                                 {"atan(x)", "0.610725964389208586739113920110194118"},
                                                 {"sinh(x)", "0.75858370183953344771917345369934095"},
                                                 {"cosh(x)", "1.25516900563094298447679106548490589"},
                                                 {"tanh(x)", "0.60436777711716346812058688551755028"},
                                                 {"x^0.3", "0.898523441790639744478296264116587463"}};
  for (const auto& [formula, digits] : known) {
    EXPECT_LT(abs(wide_coefficients<DoubleDouble>(formula, 0)[0] - number(digits)), 1e-31) << formula;
#if CATENA_HAS_QUAD
    EXPECT_LT(abs(to_pair(wide_coefficients<Quad>(formula, 0)[0]) - number(digits)), 1e-31) << formula;
#endif
  }
}

// Of numbers beyond the first quadrant: -2.3, 100.
TEST(WideSeries, ArgumentsAreReduced) {
  EXPECT_LT(abs(wide::sin(DoubleDouble(100.0)) - number("-0.506365641109758793656557610459785432")), 1e-31);
  EXPECT_LT(abs(wide::exp(DoubleDouble(-2.3)) - number("0.100258843722803751539488969534316884")), 1e-31);
  EXPECT_LT(abs(wide::atan2(DoubleDouble(-2.3), DoubleDouble(-0.7)) -
                number("-1.86623716393861662434441973636979743")),
            1e-31);
}

// Every operation; both have the same recurrences, so what differs is roundoff of the double.
TEST(WideSeries, AgreesWithTheSeriesInDouble) {
  constexpr int kOrders = 12;
  for (const char* formula :
       {"x*y - z/x + 3/z", "x^2 + y^3 - z^1.5", "x^y", "sqrt(x + z)", "exp(-x)*log(z)", "sin(3*t)*cos(x)",
        "tan(x) + atan(z)", "asin(x/2) + acos(x/3)", "atan2(x, z)", "sinh(x)*cosh(y)", "tanh(x + t)",
        "abs(y)*max(x, z) + min(x, y)", "norm(x, y, z)", "1/(x*x*x)", "step(x)"}) {
    Graph graph;
    const NodeId node = parsed(graph, formula);
    const auto plain = coefficients<SeriesProgram, double>(SeriesProgram(graph, {node}, kVariables), kOrders);
    const auto wide = wide_coefficients<DoubleDouble>(formula, kOrders);
    double largest = 1.0;
    for (int k = 0; k <= kOrders; ++k) {
      largest = std::max(largest, std::fabs(plain[k]));
      EXPECT_LT(abs(wide[k] - DoubleDouble(plain[k])), 1e-13 * largest) << formula << " order " << k;
    }
  }
}

TEST(WideSeries, IdentitiesHoldToAllOrders) {
  for (const char* nothing : {"sin(x)^2 + cos(x)^2 - 1", "cosh(z)^2 - sinh(z)^2 - 1", "exp(log(z)) - z",
                              "tan(atan(z)) - z", "sqrt(z)^2 - z", "(z^0.3)^2/z^0.6 - 1"}) {
    for (const DoubleDouble& one : wide_coefficients<DoubleDouble>(nothing, 15))
      EXPECT_LT(abs(one), 1e-29) << nothing;
  }
}

}  // namespace
}  // namespace catena::expr
