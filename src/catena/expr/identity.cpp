#include "catena/expr/identity.h"

#include <cmath>

namespace catena::expr {
namespace {

constexpr double kRoundoff = 16 * 2.220446049250313e-16;
constexpr std::size_t kMostTerms = 400;

}  // namespace

NormalForms::Form NormalForms::number(double value) {
  if (value == 0.0) return {};
  return {{{}, {value, std::fabs(value)}}};
}

NormalForms::Form NormalForms::sum(const Form& a, const Form& b, double factor) {
  Form out = a;
  for (const auto& [monomial, coefficient] : b) {
    Coefficient& here = out[monomial];
    here.value += factor * coefficient.value;
    here.size += std::fabs(factor) * coefficient.size;
  }
  return out;
}

NormalForms::Form NormalForms::kept_short(Form form) {
  if (form.size() <= kMostTerms) return form;
  return atom(Op::add, {index_of(form)});
}

NormalForms::Form NormalForms::product(const Form& a, const Form& b) {
  if (a.size() * b.size() > kMostTerms) {
    const bool first = a.size() >= b.size();
    const Form whole = atom(Op::add, {index_of(first ? a : b)});
    return product(whole, first ? b : a);
  }
  Form out;
  for (const auto& [left, x] : a) {
    for (const auto& [right, y] : b) {
      std::map<int, int> powers(left.begin(), left.end());
      for (const auto& [which, power] : right) {
        if ((powers[which] += power) == 0) powers.erase(which);
      }
      Coefficient& here = out[Monomial(powers.begin(), powers.end())];
      here.value += x.value * y.value;
      here.size += x.size * y.size;
    }
  }
  return out;
}

NormalForms::Form NormalForms::inverse(const Form& a) {
  if (a.size() != 1 || a.begin()->second.value == 0.0) return atom(Op::divide, {index_of(a)});
  Monomial powers = a.begin()->first;
  for (auto& [which, power] : powers) power = -power;
  const double value = 1.0 / a.begin()->second.value;
  return {{powers, {value, std::fabs(value)}}};
}

// Forms are compared number by number: those that differ by roundoff are taken to be different.
int NormalForms::index_of(const Form& form) {
  std::vector<std::pair<Monomial, double>> key;
  for (const auto& [monomial, coefficient] : form) {
    if (coefficient.value != 0.0) key.emplace_back(monomial, coefficient.value);
  }
  return known_.emplace(std::move(key), static_cast<int>(known_.size())).first->second;
}

NormalForms::Form NormalForms::atom(Op op, const std::vector<int>& arguments) {
  const int which = atoms_.emplace(std::pair(op, arguments), static_cast<int>(atoms_.size())).first->second;
  return {{{{which, 1}}, {1.0, 1.0}}};
}

void NormalForms::set(std::uint32_t variable, const Linear& image) {
  Form form = number(image.constant);
  for (const auto& [weight, letter] : image.letters) {
    if (weight != 0.0) form = sum(form, atom(Op::parameter, {letter}), weight);
  }
  images_[variable] = std::move(form);
}

NormalForms::Form NormalForms::of(NodeId id) {
  const Node& n = graph_[id];
  const auto operand = [&](std::size_t i) -> const Form& { return *forms_[n.operands[i]]; };
  switch (n.op) {
    case Op::constant:
    case Op::parameter:
      return number(n.value);
    case Op::variable: {
      const auto image = images_.find(n.index);
      return image != images_.end() ? image->second : atom(Op::variable, {static_cast<int>(n.index)});
    }
    case Op::add:
      return kept_short(sum(operand(0), operand(1), 1.0));
    case Op::subtract:
      return kept_short(sum(operand(0), operand(1), -1.0));
    case Op::negate:
      return sum({}, operand(0), -1.0);
    case Op::multiply:
      return product(operand(0), operand(1));
    case Op::divide:
    case Op::ratio:
      return product(operand(0), inverse(operand(1)));
    case Op::choose: {  // of two values, with weights that are 1 and 0 or 0 and 1
      const Form first = atom(Op::choose, {index_of(operand(0))});
      return kept_short(sum(operand(2), product(first, kept_short(sum(operand(1), operand(2), -1.0))), 1.0));
    }
    default: {
      std::vector<int> arguments;
      for (const NodeId argument : n.operands) {
        if (argument != kNone) arguments.push_back(index_of(*forms_[argument]));
      }
      return atom(n.op, arguments);
    }
  }
}

NormalForms::Form NormalForms::combined(const std::vector<Term>& terms) {
  std::vector<NodeId> nodes;
  for (const Term& term : terms) nodes.push_back(term.node);
  forms_.resize(graph_.size());
  const std::vector<char> wanted = reachable(graph_, nodes);
  for (NodeId id = 0; id < graph_.size(); ++id) {
    if (wanted[id] && !forms_[id]) forms_[id] = of(id);
  }
  Form out;
  for (const Term& term : terms) {
    for (const auto& [monomial, coefficient] : *forms_[term.node]) {
      Coefficient& here = out[monomial];
      here.value += term.weight * coefficient.value;
      here.size += coefficient.size;
    }
  }
  return out;
}

bool NormalForms::vanishes(const std::vector<Term>& sum) {
  for (const auto& [monomial, coefficient] : combined(sum)) {
    if (!(std::fabs(coefficient.value) <= kRoundoff * coefficient.size)) return false;
  }
  return true;
}

bool NormalForms::is_constant(const std::vector<Term>& sum) {
  for (const auto& [monomial, coefficient] : combined(sum)) {
    if (!monomial.empty() && !(std::fabs(coefficient.value) <= kRoundoff * coefficient.size)) return false;
  }
  return true;
}

}  // namespace catena::expr
