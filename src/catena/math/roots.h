// Roots of a function that can only be evaluated, isolated before they are refined: the function is replaced
// by Chebyshev series on pieces short enough for them to converge, and a piece is halved until its series or
// the derivative of it cannot vanish. So none is missed but those that touch without crossing, and none is
// found twice.
#pragma once

#include <functional>
#include <vector>

namespace catena {

struct Crossing {
  double at;
  bool rising;
};

// Sign changes of f in (low, high], in order. `at_low` and `at_high` are f there: who looks at one interval
// after another passes the same number on both sides, and nothing falls between them. Jumps across zero are
// no roots.
std::vector<Crossing> sign_changes(const std::function<double(double)>& f, double low, double high,
                                   double at_low, double at_high);

}  // namespace catena
