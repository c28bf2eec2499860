// The order of a Runge-Kutta method from its coefficients, by J. C. Butcher's conditions: one for each rooted
// tree (E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, II.2).
#pragma once

#include <vector>

namespace catena {

// A condition sum_i b_i Phi_i(tree) = 1 / gamma(tree) and how well it is met.
struct OrderCondition {
  int order;     // of the tree: how many vertices it has
  double error;  // of the sum
  double size;   // sum of |b_i| |Phi_i| with all coefficients taken absolutely: what roundoff scales with
};

constexpr int kHighestTreeOrder = 10;

// All conditions up to an order. Rows of `a` may be shorter than `b`: what lacks is zero.
std::vector<OrderCondition> order_conditions(const std::vector<std::vector<double>>& a,
                                             const std::vector<double>& b, int highest);

// The order up to which all conditions hold to within `roundoff` times their size.
int measured_order(const std::vector<std::vector<double>>& a, const std::vector<double>& b,
                   double roundoff = 1e-14);

}  // namespace catena
