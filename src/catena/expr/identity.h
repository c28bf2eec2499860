// Whether formulas vanish as formulas, for all values of their variables. Each is written as a sum of
// products of what is not arithmetic in it (variables, and functions of other such sums); what cancels there,
// cancels everywhere. Nothing is sampled: a sum that is not seen to cancel counts as one that does not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "catena/expr/graph.h"

namespace catena::expr {

class NormalForms {
 public:
  explicit NormalForms(const Graph& graph) : graph_(graph), forms_(graph.size()) {}

  // constant + sum of weight times letter: letters are variables of one's own.
  struct Linear {
    double constant = 0.0;
    std::vector<std::pair<double, int>> letters = {};
  };
  // What stands for a variable, instead of itself. To be said before the first question.
  void set(std::uint32_t variable, const Linear& image);

  // The weights are components of a unit vector: what is left is measured against all that is summed.
  struct Term {
    double weight;
    NodeId node;
  };
  // Whether the sum is zero, but for the roundoff of its constants.
  bool vanishes(const std::vector<Term>& sum);
  // Whether it is a number: no variable changes it.
  bool is_constant(const std::vector<Term>& sum);

 private:
  // Which atoms to which powers; sorted, no power is 0.
  using Monomial = std::vector<std::pair<int, int>>;
  // `size`: the sum of what was added up to the value, without signs.
  struct Coefficient {
    double value = 0.0;
    double size = 0.0;
  };
  using Form = std::map<Monomial, Coefficient>;

  static Form number(double value);
  static Form sum(const Form& a, const Form& b, double factor);
  Form product(const Form& a, const Form& b);
  Form inverse(const Form& a);
  Form of(NodeId id);
  Form combined(const std::vector<Term>& terms);
  // A form that has grown too long counts as one atom.
  Form kept_short(Form form);
  Form atom(Op op, const std::vector<int>& arguments);
  int index_of(const Form& form);

  const Graph& graph_;
  std::vector<std::optional<Form>> forms_;  // of the nodes asked for so far
  std::map<std::uint32_t, Form> images_;
  std::map<std::pair<Op, std::vector<int>>, int> atoms_;
  std::map<std::vector<std::pair<Monomial, double>>, int> known_;
};

}  // namespace catena::expr
