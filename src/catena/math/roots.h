// Roots of a function that can only be evaluated, isolated before they are refined. The function is replaced
// by Chebyshev series on pieces short enough for them to converge, and a piece is halved until its series,
// the series' slope or its bend cannot vanish, each by more than what the series leaves out. Where only the
// slope can, there is one extremum: on the other side of zero it parts two roots, however close, and at zero
// it is a root that touches.
#pragma once

#include <functional>
#include <vector>

namespace catena {

struct Crossing {
  double at;
  bool rising;
  bool touching = false;  // the function reaches zero, to roundoff, and turns back
  bool jumping = false;   // it jumps across zero between the double before and `at`
};

// Roots of f in (low, high], in order. `at_low` and `at_high` are f there: who looks at one interval after
// another passes the same number on both sides, and nothing falls between them. A jump across zero counts as
// a root, a pole does not.
std::vector<Crossing> sign_changes(const std::function<double(double)>& f, double low, double high,
                                   double at_low, double at_high);

}  // namespace catena
