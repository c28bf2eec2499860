// Formulas written by computing with them: every operation puts its operands' texts between brackets.
#include <fmt/format.h>

#include "catena/base/words.h"
#include "catena/catena.h"

namespace catena::inline v0 {

Formula::Formula(double number)
    : text_(number < 0.0 ? "(" + number_text(number) + ")" : number_text(number)) {}
Formula::Formula(const char* text) : text_(text) {}
Formula::Formula(std::string text) : text_(std::move(text)) {}

namespace {

Formula joined(const Formula& a, const char* sign, const Formula& b) {
  return Formula(fmt::format("({} {} {})", a.text(), sign, b.text()));
}

}  // namespace

Formula operator+(const Formula& a, const Formula& b) { return joined(a, "+", b); }
Formula operator-(const Formula& a, const Formula& b) { return joined(a, "-", b); }
Formula operator*(const Formula& a, const Formula& b) { return joined(a, "*", b); }
Formula operator/(const Formula& a, const Formula& b) { return joined(a, "/", b); }
Formula operator-(const Formula& a) { return Formula(fmt::format("(-{})", a.text())); }

Formula call(const std::string& function, const std::vector<Formula>& arguments) {
  std::string inside;
  for (const Formula& argument : arguments) inside += (inside.empty() ? "" : ", ") + argument.text();
  return Formula(fmt::format("{}({})", function, inside));
}
Formula pow(const Formula& base, const Formula& exponent) { return joined(base, "^", exponent); }
Formula sqrt(const Formula& x) { return call("sqrt", {x}); }
Formula sin(const Formula& x) { return call("sin", {x}); }
Formula cos(const Formula& x) { return call("cos", {x}); }
Formula tan(const Formula& x) { return call("tan", {x}); }
Formula exp(const Formula& x) { return call("exp", {x}); }
Formula log(const Formula& x) { return call("log", {x}); }
Formula tanh(const Formula& x) { return call("tanh", {x}); }
Formula abs(const Formula& x) { return call("abs", {x}); }

}  // namespace catena::inline v0
