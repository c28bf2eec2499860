// Series with more digits than a double: values against digits from mpmath, series against those in double
// and against identities.
#include "catena/expr/series_over.h"

#include <algorithm>
#include <map>

#include "catena/expr/taylor.h"
#include "catena/math/functions_digits.h"
#include "catena/math/tangent.h"
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
std::vector<S> coefficients(const std::string& formula, int orders) {
  Graph graph;
  graph.keep_decimals();
  const NodeId node = parsed(graph, formula);
  return coefficients<SeriesOver<S>, S>(SeriesOver<S>(lower(graph, {node}, kVariables, Purpose::series)),
                                        orders);
}

template <class S>
S coefficients_at(const std::string& formula, double x) {
  Graph graph;
  graph.keep_decimals();
  SeriesOver<S> series(lower(graph, {parsed(graph, formula)}, kVariables, Purpose::series));
  series.reserve(1, 0);
  for (int i = 0; i < kVariables; ++i) *series.input(0, i) = S(x);
  series.advance(0);
  return *series.output(0, 0);
}

// At x = 0.7, the double. 106 bits are 1.2e-32, and a function takes a few dozen operations.
TEST(SeriesOver, ValuesAreRightToThirtyOneDigits) {
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
    EXPECT_LT(abs(coefficients<DoubleDouble>(formula, 0)[0] - number(digits)), 1e-31) << formula;
#if CATENA_HAS_QUAD
    EXPECT_LT(abs(to_pair(coefficients<Quad>(formula, 0)[0]) - number(digits)), 1e-31) << formula;
#endif
  }
}

// Of numbers beyond the first quadrant: -2.3, 100.
TEST(SeriesOver, ArgumentsAreReduced) {
  EXPECT_LT(abs(digits::sin(DoubleDouble(100.0)) - number("-0.506365641109758793656557610459785432")), 1e-31);
  EXPECT_LT(abs(digits::exp(DoubleDouble(-2.3)) - number("0.100258843722803751539488969534316884")), 1e-31);
  EXPECT_LT(abs(digits::atan2(DoubleDouble(-2.3), DoubleDouble(-0.7)) -
                number("-1.86623716393861662434441973636979743")),
            1e-31);
}

// Every operation; both have the same recurrences, so what differs is roundoff of the double.
TEST(SeriesOver, AgreesWithTheSeriesInDouble) {
  constexpr int kOrders = 12;
  for (const char* formula :
       {"x*y - z/x + 3/z", "x^2 + y^3 - z^1.5", "x^y", "sqrt(x + z)", "exp(-x)*log(z)", "sin(3*t)*cos(x)",
        "tan(x) + atan(z)", "asin(x/2) + acos(x/3)", "atan2(x, z)", "sinh(x)*cosh(y)", "tanh(x + t)",
        "abs(y)*max(x, z) + min(x, y)", "norm(x, y, z)", "1/(x*x*x)", "step(x)"}) {
    Graph graph;
    const NodeId node = parsed(graph, formula);
    const auto plain = coefficients<SeriesProgram, double>(SeriesProgram(graph, {node}, kVariables), kOrders);
    const auto wide = coefficients<DoubleDouble>(formula, kOrders);
    double largest = 1.0;
    for (int k = 0; k <= kOrders; ++k) {
      largest = std::max(largest, std::fabs(plain[k]));
      EXPECT_LT(abs(wide[k] - DoubleDouble(plain[k])), 1e-13 * largest) << formula << " order " << k;
    }
  }
}

// From where it is 2/sqrt(pi) x to where only 1 is left: its sum has no term that cancels.
TEST(SeriesOver, TheErrorFunctionIsRightForAllArguments) {
  const std::map<double, std::string> known{{0.001, "0.0011283787909692364034375641393714896418"},
                                            {0.3, "0.32862675945912741618961798531820303326"},
                                            {0.9, "0.79690821242283213966466616034014388764"},
                                            {1.7, "0.98379045859077456084131294580892500329"},
                                            {2.5, "0.99959304798255504106043578426002508728"},
                                            {3.3, "0.99999694229020356183480123733197728957"},
                                            {4.8, "0.99999999998864785641507801928268163825"},
                                            {6.1, "0.99999999999999999368539784980628186545"},
                                            {7.9, "0.99999999999999999999999999994427281943"},
                                            {8.7, "0.99999999999999999999999999999999991344"}};
  for (const auto& [x, digits] : known) {
    const DoubleDouble value = coefficients_at<DoubleDouble>("erf(x)", x);
    const double roundoff = (10 + x * x) * 1.3e-32;  // of 106 bits; exp(-x^2) has it x^2 times
    EXPECT_LT(abs(value - number(digits)), roundoff) << x;
    EXPECT_EQ(static_cast<double>(value), std::erf(x)) << x;
    EXPECT_LT(abs(coefficients_at<DoubleDouble>("erf(x)", -x) + value), 1e-300) << x;
#if CATENA_HAS_QUAD
    EXPECT_LT(abs(to_pair(coefficients_at<Quad>("erf(x)", x)) - number(digits)), roundoff) << x;
#endif
  }
  const DoubleDouble rate = number("1.12837916709551257389615890312154517");
  for (const double x : {1e-20, 1e-100, 1e-280})
    EXPECT_LT(abs(coefficients_at<DoubleDouble>("erf(x)", x) / DoubleDouble(x) - rate), 1e-31) << x;
  for (const double x : {9.0, 30.0, 1e10, 1e308, HUGE_VAL})
    EXPECT_EQ(static_cast<double>(coefficients_at<DoubleDouble>("erf(x)", x)), 1.0) << x;
}

// Along x = 0.7 + t/2, orders 0 to 8, from mpmath.
TEST(SeriesOver, TheErrorFunctionHasItsSeries) {
  const std::vector<std::string> known{
      "0.677801193837418442276858154351309836",     "0.345637430205269307515151863181727038",
      "-0.120973100571844249955610488390393835",    "-0.00057606238367545242738182950946772482",
      "0.0101819026314635583313637836435869561",    "-0.00138226168962923914390383060935359609",
      "-0.000517529644974159332199597031038899244", "0.000134030446022965878978578223509825208",
      "0.0000159971383823204505583712536973539902"};
  const std::vector<DoubleDouble> found = coefficients<DoubleDouble>("erf(x)", 8);
  for (std::size_t k = 0; k < known.size(); ++k) EXPECT_LT(abs(found[k] - number(known[k])), 1e-30) << k;
}

TEST(SeriesOver, IdentitiesHoldToAllOrders) {
  for (const char* nothing : {"sin(x)^2 + cos(x)^2 - 1", "cosh(z)^2 - sinh(z)^2 - 1", "exp(log(z)) - z",
                              "tan(atan(z)) - z", "sqrt(z)^2 - z", "(z^0.3)^2/z^0.6 - 1"}) {
    for (const DoubleDouble& one : coefficients<DoubleDouble>(nothing, 15))
      EXPECT_LT(abs(one), 1e-29) << nothing;
  }
}

// Inputs that have always been zero are left out; one that leaves zero late makes up for what was left out.
// Steady ones may be zero, too, and stop being so. The program in doubles leaves nothing out.
TEST(SeriesOver, WhatWasAlwaysZeroMayStopBeingSo) {
  Graph graph;
  const NodeId node = parsed(graph, "(x*y + y*y*z - sin(x*z))*y + (y + z)*x - y/(1 + x*x)");
  constexpr int kOrders = 9;
  constexpr int kLate = 4;  // the order at which y leaves zero
  SeriesOver<Rates> planned(lower(graph, {node}, kVariables, Purpose::series), nullptr, 1);
  planned.reserve(1, kOrders);
  const auto along = [](int k, bool leaves, double steady, int i) {
    const double rows[kVariables] = {k == 1 ? 1.0 : 0.0, k < 2 ? 0.3 : 0.0, leaves && k == kLate ? 0.4 : 0.0,
                                     k == 0 ? steady : 0.0};
    return rows[i];
  };
  // In doubles, with the direction that is tried added `h` times: x at order 0, or y at the late order.
  const auto in_doubles = [&](bool leaves, double steady, int direction, double h) {
    SeriesProgram program(graph, {node}, kVariables);
    program.reserve(1, kOrders);
    std::vector<double> out;
    for (int k = 0; k <= kOrders; ++k) {
      for (int i = 0; i < kVariables; ++i) *program.input(k, i) = along(k, leaves, steady, i);
      if (direction == 0 && k == 0) *program.input(k, 1) += h;
      if (direction == 1 && k == kLate && leaves) *program.input(k, 2) += h;
      program.advance(k);
      out.push_back(*program.output(k, 0));
    }
    return out;
  };
  for (const double steady : {0.0, 0.7}) {
    for (const bool leaves : {false, true}) {
      const std::vector<double> value = in_doubles(leaves, steady, 0, 0.0);
      for (int k = 0; k <= kOrders; ++k) {
        for (int i = 0; i < kVariables; ++i) *planned.input(k, i) = Rates(along(k, leaves, steady, i));
        if (k == 0) planned.input(k, 1)->set_rate(0, 1.0);
        if (leaves && k == kLate) planned.input(k, 2)->set_rate(1, 1.0);
        planned.advance(k);
        EXPECT_NEAR(planned.output(k, 0)->value(), value[static_cast<std::size_t>(k)], 1e-14) << k;
      }
      for (const int direction : {0, 1}) {
        constexpr double kStep = 1e-4;  // of a difference of two: its square is left, and roundoff over it
        const auto more = in_doubles(leaves, steady, direction, kStep);
        const auto less = in_doubles(leaves, steady, direction, -kStep);
        for (int k = 0; k <= kOrders; ++k) {
          const auto at = static_cast<std::size_t>(k);
          EXPECT_NEAR(planned.output(k, 0)->rate(direction), (more[at] - less[at]) / (2 * kStep), 1e-6) << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace catena::expr
