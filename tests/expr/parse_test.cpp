// Reading: what formulas mean, and what is said about those that are none.
#include "catena/expr/parse.h"

#include "expr/support.h"

namespace catena::expr {
namespace {

using test::value;

TEST(Parse, FormulasHaveTheirValues) {
  const double t = 0.3, x = 0.7, y = -0.4, z = 1.3;
  const std::vector<std::pair<std::string, double>> table{
      {"1", 1},
      {"1.5", 1.5},
      {".5", 0.5},
      {"5.", 5},
      {"1.5e-3", 1.5e-3},
      {"2E+2", 200},
      {"1e308", 1e308},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"2^-1", 0.5},
      {"2^-1^2", 0.5},
      {"-2^-2", -0.25},
      {"2^-x*y", std::pow(2, -x) * y},
      {"2 - 3 - 4", -5},
      {"2 - (3 - 4)", 3},
      {"12/3/2", 2},
      {"12/-3/2", -2},
      {"12/(3/2)", 8},
      {"2*3 + 4*5", 26},
      {"2 + 3*4^2/8", 8},
      {"-x*y", -x * y},
      {"2*-x", -2 * x},
      {"2 - -3", 5},
      {"2 + + 3", 5},
      {"+x", x},
      {"--x", x},
      {"x'", 0.25},
      {"2*x' + x", 0.5 + x},
      {"pi", 3.14159265358979323846},
      {"k*sin(omega*t)", 0.5 * std::sin(2 * t)},
      {"m", 3},
      {" \t( ( x ) )\n", x},
      {"sin (x)", std::sin(x)},
      {"atan2(y, x)", std::atan2(y, x)},
      {"atan2(-1, -1)", std::atan2(-1, -1)},
      {"max(min(x, y), z)", z},
      {"norm(3, 4)", 5},
      {"norm(2, 3, 6)", 7},
      {"pow(2, 10)", 1024},
      {"pow(2, x)", std::pow(2, x)},
      {"sqrt(x)*log(z)*tan(t)", std::sqrt(x) * std::log(z) * std::tan(t)},
      {"asin(t) + acos(t)", std::asin(t) + std::acos(t)},
      {"sinh(x) - cosh(x) + tanh(x)", std::sinh(x) - std::cosh(x) + std::tanh(x)},
      {"step(-1) + step(0.5) + step(2)", 1.5},
      {"sign(y)*abs(y)", y},
      {"choose(y, 1, 2)", 2},
      {"choose(0, 1, 2)", 1},
      {"ratio(0, 0) + ratio(x, 2)", x / 2},
      {"-0.1*x*norm(x, y, z)", -0.1 * x * std::sqrt(x * x + y * y + z * z)},
  };
  Names names = test::names();
  names.variables.push_back("x'");
  for (const auto& [formula, expected] : table) {
    Graph graph;
    const Parsed result = parse(graph, formula, names);
    ASSERT_TRUE(result) << formula << ": " << result.mistakes.at(0).message;
    const double in[] = {t, x, y, z, 0.25};
    double out = 0.0;
    Program(graph, {result.node}, 5).evaluate(in, 1, &out);
    EXPECT_NEAR(out, expected, 4e-16 * std::fabs(expected)) << formula;
  }
}

struct Bad {
  std::string formula;
  std::size_t offset;
  std::string message;
};

TEST(Parse, SaysWhereAndWhatIsWrong) {
  const std::string known = ", known are: t x y z k omega m pi";
  const std::string empty = "the formula is empty, write a number, a name or for example 2*sin(pi/3)";
  const std::vector<Bad> table{
      {"", 0, empty},
      {"   ", 0, empty},
      {"omgea", 0, "unknown name 'omgea', did you mean 'omega'?"},
      {"2*sin(omgea*t)", 6, "unknown name 'omgea', did you mean 'omega'?"},
      {"w", 0, "unknown name 'w'" + known},
      {"velocity", 0, "unknown name 'velocity'" + known},
      {"x'", 0, "unknown name 'x'', the rate of 'x' is not known here"},
      {"2 + q'", 4, "unknown name 'q''" + known},
      {"sin", 0, "'sin' is a function, write sin(x)"},
      {"sin + 1", 0, "'sin' is a function, write sin(x)"},
      {"coss(x)", 0, "unknown function 'coss', did you mean 'cos'?"},
      {"3 + sqr(x)", 4, "unknown function 'sqr', did you mean 'sqrt'?"},
      {"x(2)", 0, "'x' is no function, write x*(..) to multiply"},
      {"x (y + 1)", 0, "'x' is no function, write x*(..) to multiply"},
      {"sin()", 0, "'sin' takes 1 argument, got 0: write sin(x)"},
      {"sin(x, y)", 0, "'sin' takes 1 argument, got 2: write sin(x)"},
      {"1 + atan2(x)", 4, "'atan2' takes 2 arguments, got 1: write atan2(y, x)"},
      {"norm(x)", 0, "'norm' takes 2 or 3 arguments, got 1: write norm(a, b) or norm(a, b, c)"},
      {"norm(x, y, z, t)", 0, "'norm' takes 2 or 3 arguments, got 4: write norm(a, b) or norm(a, b, c)"},
      {"choose(x, y)", 0, "'choose' takes 3 arguments, got 2: write choose(c, a, b)"},
      {"(x + 1", 0, "missing ')' for this '('"},
      {"2*(x + (1", 7, "missing ')' for this '('"},
      {"sin(x", 3, "missing ')' for this '('"},
      {"(", 0, "nothing follows '('"},
      {"x + 1)", 5, "')' without '(' before it"},
      {")", 0, "')' without '(' before it"},
      {"()", 0, "empty parentheses"},
      {"2*()", 2, "empty parentheses"},
      {"x +", 2, "nothing follows '+'"},
      {"(x *) + 1", 3, "nothing follows '*'"},
      {"min(x -, y)", 6, "nothing follows '-'"},
      {"*x", 0, "nothing stands before '*'"},
      {"(/x)", 1, "nothing stands before '/'"},
      {", x", 0, "nothing stands before ','"},
      {"x */ y", 3, "two operators in a row, '*' and '/': write a number or a name between them"},
      {"x ^ * y", 4, "two operators in a row, '^' and '*': write a number or a name between them"},
      {"x**2", 1, "unknown operator '**', write ^ for powers"},
      {"2 x", 2, "missing operator before 'x', write * to multiply"},
      {"2x", 1, "missing operator before 'x', write * to multiply"},
      {"(x)(y)", 3, "missing operator before '(y', write * to multiply"},
      {"2 sin(x)", 2, "missing operator before 'sin', write * to multiply"},
      {"1.2.3", 3, "missing operator before '.3', write * to multiply"},
      {"x y'", 2, "missing operator before 'y'', write * to multiply"},
      {"1,5", 1, "unexpected ',', it separates a function's arguments; decimals have a point"},
      {"(x, y)", 2, "unexpected ',', it separates a function's arguments; decimals have a point"},
      {"max(, x)", 4, "missing argument before ','"},
      {"max(x,)", 6, "missing argument before ')'"},
      {"max(x,,y)", 6, "missing argument before ','"},
      {"x $ y", 2, "unexpected character '$'"},
      {"x = 2", 2, "unexpected '=', a formula is one value without '='"},
      {"x + .", 4, "unexpected character '.'"},
      {"2'", 1, "unexpected ''', it may only follow a name (a rate, as in x')"},
      {"[x]", 0, "unexpected character '[', write ("},
      {"2*π", 2, "unexpected character 'π', write pi"},
      {"x²", 1, "unexpected character '²', write ^2"},
      {"2·x", 1, "unexpected character '·', write *"},
      {"x − y", 2, "unexpected character '−', write -"},
      {"ä", 0, "unexpected character 'ä'"},
      {"\xff", 0, "unexpected byte 0xff, formulas are plain text"},
      {std::string("x\0", 2), 1, "unexpected byte 0x00, formulas are plain text"},
      {"1e999", 0, "number 1e999 is out of range, sizes from 1e-307 to 1e308 are allowed"},
      {"x + 1e-999", 4, "number 1e-999 is out of range, sizes from 1e-307 to 1e308 are allowed"},
  };
  EXPECT_GE(table.size(), 40u);
  for (const Bad& bad : table) {
    Graph graph;
    const Parsed result = parse(graph, bad.formula, test::names());
    ASSERT_FALSE(result) << bad.formula;
    ASSERT_EQ(result.mistakes.size(), 1u) << bad.formula;
    EXPECT_EQ(result.mistakes[0].offset, bad.offset) << bad.formula;
    EXPECT_EQ(result.mistakes[0].message, bad.message) << bad.formula;
  }
}

TEST(Parse, ReportsAllWrongNamesInOrder) {
  Graph graph;
  const Parsed result = parse(graph, "omgea*foo(x, zz) + sin(x, y) - 1e999", test::names());
  std::vector<std::size_t> offsets;
  for (const FormulaMistake& mistake : result.mistakes) offsets.push_back(mistake.offset);
  EXPECT_EQ(offsets, (std::vector<std::size_t>{0, 6, 13, 19, 31}));
}

TEST(Parse, RefusesTextsBeyondItsLimits) {
  Graph graph;
  const Parsed long_one = parse(graph, std::string(kLongestFormula + 1, '1'), test::names());
  EXPECT_EQ(long_one.mistakes.at(0).message,
            "the formula has 1000001 characters, at most 1000000 are allowed");
  const Parsed deep_one = parse(graph, std::string(kDeepestNesting + 1, '('), test::names());
  EXPECT_EQ(deep_one.mistakes.at(0).message, "nested too deeply, at most 10000 levels are allowed");
  EXPECT_EQ(deep_one.mistakes.at(0).offset, kDeepestNesting);
  const Parsed many = parse(
      graph,
      [] {
        std::string text = "q1";
        for (int i = 0; i < 100; ++i) text += " + qqqqqq" + std::to_string(i);
        return text;
      }(),
      test::names());
  EXPECT_EQ(many.mistakes.size(), 20u) << "enough is enough";
}

TEST(Parse, AVariableMayHaveTheNameOfAFunctionOrOfPi) {
  Graph graph;
  const Parsed result = parse(graph, "norm(norm, pi)", {{"norm", "pi"}, {}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result.node, graph.norm(graph.variable(0), graph.variable(1)));
}

}  // namespace
}  // namespace catena::expr
