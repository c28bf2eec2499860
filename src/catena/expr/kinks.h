// Where a series stops holding: the first kink of a law along it.
#pragma once

#include <cstddef>

#include "catena/expr/series_over.h"
#include "catena/expr/taylor.h"
#include "catena/math/lane_kinds.h"

namespace catena {

// The first time in (0, length] at which one of the series' switches changes sign, or touches zero; `length`
// if none does. Sign changes are passed by a little, so that a series from there starts on the new side.
double first_kink(const expr::SeriesProgram& series, int order, double length);

// The same, or before it where the series might miss what a formula does (expr/surprise.h): by more than
// `allowed`, in units of the outputs times seconds. 0: nobody asks.
double first_break(const expr::SeriesProgram& series, int order, double length, double allowed);

// The same with more digits: kinks are found in double, and then to all digits. What formulas could do unseen
// is looked at by whoever takes the step.
template <class S>
S first_break(const expr::SeriesOver<S>& series, int order, const S& length, double allowed);

// The first sign change of one quantity, coefficients c[0], c[stride], ..
template <class S>
S first_sign_change(const S* c, std::size_t stride, int order, const S& length, double noise);

// The first kink of one quantity, coefficients c[0], c[stride], .., known to `noise`.
double first_sign_change(const double* c, std::size_t stride, int order, double length, double noise);
// The first place where it touches zero.
double first_touch(const double* c, std::size_t stride, int order, double length);

// In lanes, each by itself, in double; `noise` is a part of `size`.
template <int W>
LanesOf<W> first_sign_change(const LanesOf<W>* c, std::size_t stride, int order, const LanesOf<W>& length,
                             double noise, const LanesOf<W>& size);

}  // namespace catena
