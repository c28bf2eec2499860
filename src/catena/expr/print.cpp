#include "catena/expr/print.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "catena/base/words.h"

namespace catena::expr {
namespace {

// How tightly an expression holds together; operands that hold less tightly than needed get parentheses.
enum class Binding { sum, product, sign, power, atom };

// What is still to be written: a node with the binding that its place needs, or a piece of text.
struct Item {
  NodeId node = kNone;
  Binding needed = Binding::sum;
  std::string piece;
};

class Printer {
 public:
  Printer(const Graph& graph, const PrintOptions& options, bool latex)
      : graph_(graph), options_(options), latex_(latex) {}

  std::string print(NodeId node) {
    todo_.push_back({node, Binding::sum, ""});
    while (!todo_.empty()) {
      if (out_.size() > options_.longest) return out_.substr(0, options_.longest) + " ...";
      const Item item = std::move(todo_.back());
      todo_.pop_back();
      if (item.node == kNone) {
        append(item.piece);
      } else {
        write(item.node, item.needed);
      }
    }
    return out_;
  }

 private:
  static Item piece(std::string text) { return {kNone, Binding::sum, std::move(text)}; }

  // Letters and digits that meet would read as one: "2 x", "\\omega t".
  void append(const std::string& text) {
    const bool meet = !out_.empty() && !text.empty() && is_alphanumeric(text.front()) &&
                      (is_alphanumeric(out_.back()) || out_.back() == '}');
    if (latex_ && meet) out_ += ' ';
    out_ += text;
  }
  static bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

  void push(std::vector<Item> items) {
    for (std::size_t i = items.size(); i-- > 0;) todo_.push_back(std::move(items[i]));
  }

  Binding binding(NodeId id) const {
    const Node& n = graph_[id];
    if (graph_.whole_power(id).exponent > 1) return Binding::power;
    switch (n.op) {
      case Op::constant:
        return constant_binding(n.value);
      case Op::add:
      case Op::subtract:
        return Binding::sum;
      case Op::multiply:
        return Binding::product;
      case Op::divide:
      case Op::ratio:
        return latex_ ? Binding::power : (n.op == Op::divide ? Binding::product : Binding::atom);
      case Op::negate:
        return Binding::sign;
      case Op::power:
        return Binding::power;
      default:
        return Binding::atom;
    }
  }

  Binding constant_binding(double value) const {
    if (std::signbit(value)) return Binding::sign;
    return latex_ && number(value).find('\\') != std::string::npos ? Binding::product : Binding::atom;
  }

  void write(NodeId id, Binding needed) {
    if (binding(id) < needed) {
      const auto [open, close] = latex_ ? std::pair("\\left(", "\\right)") : std::pair("(", ")");
      return push({piece(open), {id, Binding::sum, ""}, piece(close)});
    }
    const Node& n = graph_[id];
    const Graph::WholePower whole = graph_.whole_power(id);
    if (whole.exponent > 1) return write_power(whole.base, std::to_string(whole.exponent));
    switch (n.op) {
      case Op::constant:
        return append(number(n.value));
      case Op::parameter:
        return append(name(graph_.parameter_name(id)));
      case Op::variable:
        return append(name(variable_name(n.index)));
      case Op::add:
        return push({{n.operands[0], Binding::sum, ""}, piece(" + "), {n.operands[1], Binding::product, ""}});
      case Op::subtract:
        return push({{n.operands[0], Binding::sum, ""}, piece(" - "), {n.operands[1], Binding::product, ""}});
      case Op::negate:
        return push({piece("-"), {n.operands[0], right_of_minus(n.operands[0]), ""}});
      case Op::multiply:
        return write_product(n);
      case Op::divide:
        return write_quotient(n);
      case Op::power:
        return write_general_power(n);
      default:
        return latex_ ? write_latex_function(n) : write_function(n);
    }
  }

  // The first factor of a product or quotient as it is written.
  NodeId first_factor(NodeId id) const {
    while (binding(id) == Binding::product && !graph_.is_constant(id)) id = graph_[id].operands[0];
    return id;
  }

  // c*(a*b) is written c*a*b, which is read as the same node; not so if a constant leads.
  Binding right_of_constant(NodeId id) const {
    return graph_.is_constant(first_factor(id)) ? Binding::power : Binding::product;
  }

  // -(a*b) is written -a*b, which is read as the same node; not so with a difference, whose minus turns it
  // round.
  Binding right_of_minus(NodeId id) const {
    return graph_[first_factor(id)].op == Op::subtract ? Binding::power : Binding::product;
  }

  bool leads_with_number(NodeId id) const {
    for (;;) {
      const Node& n = graph_[id];
      if (n.op == Op::constant) return true;
      if (n.op != Op::multiply && n.op != Op::power) return false;
      id = n.operands[0];
    }
  }

  void write_product(const Node& n) {
    const auto [a, b] = std::pair(n.operands[0], n.operands[1]);
    const bool by_constant = graph_.is_constant(a);
    const Binding needed = by_constant ? right_of_constant(b) : Binding::power;
    const bool two_numbers = latex_ && leads_with_number(b);
    push({{a, Binding::product, ""}, piece(latex_ ? (two_numbers ? " \\cdot " : "") : "*"), {b, needed, ""}});
  }

  void write_quotient(const Node& n) {
    const auto [a, b] = std::pair(n.operands[0], n.operands[1]);
    if (latex_)
      return push({piece("\\frac{"), {a, Binding::sum, ""}, piece("}{"), {b, Binding::sum, ""}, piece("}")});
    push({{a, Binding::product, ""}, piece("/"), {b, Binding::power, ""}});
  }

  void write_power(NodeId base, const std::string& exponent) {
    if (latex_ && takes_exponent(graph_[base].op)) {
      const Node& n = graph_[base];
      return push({piece(std::string(find_function(n.op)->latex) + "^{" + exponent + "}\\left("),
                   {n.operands[0], Binding::sum, ""},
                   piece("\\right)")});
    }
    push({{base, Binding::atom, ""}, piece(latex_ ? "^{" + exponent + "}" : "^" + exponent)});
  }

  static bool takes_exponent(Op op) {
    return op == Op::sin || op == Op::cos || op == Op::tan || op == Op::sinh || op == Op::cosh ||
           op == Op::tanh;
  }

  void write_general_power(const Node& n) {
    const auto [a, b] = std::pair(n.operands[0], n.operands[1]);
    if (latex_) return push({{a, Binding::atom, ""}, piece("^{"), {b, Binding::sum, ""}, piece("}")});
    push(
        {{a, Binding::atom, ""}, piece("^"), {b, graph_.is_constant(b) ? Binding::sum : Binding::power, ""}});
  }

  void write_function(const Node& n) { write_call(std::string(find_function(n.op)->name) + "(", n, ")"); }

  void write_call(std::string open, const Node& n, std::string close) {
    std::vector<Item> items{piece(std::move(open))};
    for (const NodeId operand : n.operands) {
      if (operand == kNone) continue;
      if (items.size() > 1) items.push_back(piece(", "));
      items.push_back({operand, Binding::sum, ""});
    }
    items.push_back(piece(std::move(close)));
    push(std::move(items));
  }

  void write_latex_function(const Node& n) {
    switch (n.op) {
      case Op::sqrt:
        return write_call("\\sqrt{", n, "}");
      case Op::abs:
        return write_call("\\left|", n, "\\right|");
      case Op::norm:
        return write_call("\\left\\|", n, "\\right\\|");
      case Op::ratio:
        return write_quotient(n);
      default:
        return write_call(std::string(find_function(n.op)->latex) + "\\left(", n, "\\right)");
    }
  }

  // 1e-15 in LaTeX: 10^{-15}
  std::string number(double value) const {
    std::string plain = number_text(value);
    const std::size_t e = plain.find('e');
    if (!latex_ || e == std::string::npos) return plain;
    const std::string mantissa = plain.substr(0, e);
    std::string exponent = plain.substr(e + 1);
    if (exponent.front() == '+') exponent.erase(0, 1);
    const bool minus = exponent.front() == '-';
    exponent.erase(0, exponent.find_first_not_of("-0"));
    return mantissa + " \\cdot 10^{" + (minus ? "-" : "") + exponent + "}";
  }

  std::string variable_name(std::uint32_t index) const {
    return index < options_.variables.size() ? options_.variables[index] : "x" + std::to_string(index);
  }

  std::string name(const std::string& plain) const { return latex_ ? latex_name(plain) : plain; }

  static std::string latex_name(std::string_view plain) {
    static constexpr std::array kGreek{"alpha", "beta",  "gamma",   "delta",  "epsilon", "zeta",   "eta",
                                       "theta", "iota",  "kappa",   "lambda", "mu",      "nu",     "xi",
                                       "pi",    "rho",   "sigma",   "tau",    "upsilon", "phi",    "chi",
                                       "psi",   "omega", "Gamma",   "Delta",  "Theta",   "Lambda", "Xi",
                                       "Pi",    "Sigma", "Upsilon", "Phi",    "Psi",     "Omega"};
    std::size_t rates = 0;  // x': a dot, x'': two
    for (; !plain.empty() && plain.back() == '\''; ++rates) plain.remove_suffix(1);
    // theta_1 and theta1 are the same to a reader.
    const std::size_t underscore = plain.find('_');
    std::string stem(plain.substr(0, underscore));
    std::string subscript(underscore == std::string_view::npos ? "" : plain.substr(underscore + 1));
    const std::size_t letters = stem.find_last_not_of("0123456789") + 1;
    if (letters < stem.size()) {
      subscript = stem.substr(letters) + (subscript.empty() ? "" : ",") + subscript;
      stem.resize(letters);
    }
    if (std::find(kGreek.begin(), kGreek.end(), stem) != kGreek.end()) {
      stem = "\\" + stem;
    } else if (stem.size() > 1) {
      stem = "\\mathrm{" + stem + "}";
    }
    if (rates > 0) stem = (rates > 1 ? "\\ddot{" : "\\dot{") + stem + "}";
    if (subscript.empty()) return stem;
    const auto replace = [&](char mark, const std::string& by) {
      for (std::size_t at = 0; (at = subscript.find(mark, at)) != std::string::npos; at += by.size())
        subscript.replace(at, 1, by);
    };
    replace('_', "\\_");
    replace('-', "\\text{-}");  // a hyphen, no minus
    return stem + "_{\\mathrm{" + subscript + "}}";
  }

  const Graph& graph_;
  const PrintOptions& options_;
  bool latex_;
  std::vector<Item> todo_;
  std::string out_;
};

}  // namespace

std::string text(const Graph& graph, NodeId node, const PrintOptions& options) {
  return Printer(graph, options, false).print(node);
}

std::string latex(const Graph& graph, NodeId node, const PrintOptions& options) {
  return Printer(graph, options, true).print(node);
}

}  // namespace catena::expr
