// Derivatives of rows and of the roots of events.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "catena/lab/column_formula.h"
#include "catena/lab/slopes.h"
#include "catena/lab/variation_parts.h"

namespace catena {

namespace {

// Whether a column has no slope, as |x| at 0 or an azimuth at its pole: from both sides its values lead
// elsewhere than to what it is there, however close they are.
bool has_corner(const Stencil& stencil, const std::vector<std::vector<double>>& seen,
                const std::vector<double>& centre, std::size_t q) {
  constexpr double kSmooth = 1e-2, kNoise = 1e-9;
  double varies = 0.0;
  for (const std::vector<double>& row : seen) varies = std::max(varies, std::fabs(row[q] - centre[q]));
  double size = 1.0;  // differences of energies are small, and as rough as these
  for (const double one : centre) size = std::isfinite(one) ? std::max(size, std::fabs(one)) : size;
  if (!(varies > kNoise * size)) return false;
  const auto change = [&](std::size_t node) { return seen[node][q] - centre[q]; };
  const double off = std::fabs(weighed(stencil.value, change));
  const double apart = std::fabs(weighed(stencil.slope, change) - weighed(stencil.rough, change));
  return std::max(off, apart) > kSmooth * varies;
}
bool has_corner(const Stencil& stencil, const std::vector<std::vector<double>>& seen,
                const std::vector<double>& centre) {
  for (std::size_t q = 0; q < centre.size(); ++q) {
    if (has_corner(stencil, seen, centre, q)) return true;
  }
  return false;
}

}  // namespace

// How a row changes along a direction of states and of time, in the world as it is; with shorter ways where
// something is not smooth within the usual one. What has no slope gets none: not a number.
std::vector<double> Variation::Parts::along(const Columns& columns, const double* rate, double in_time) {
  const State here = lab.sample_;  // rows beside it are shown in its place
  const std::size_t width = columns.width();
  const Stencil stencil = Stencil::central();
  std::vector<std::vector<double>> seen(stencil.nodes.size(), std::vector<double>(width));
  std::vector<double> out(width, 0.0);
  double fastest = std::fabs(in_time);
  for (std::size_t i = 0; i < n; ++i)
    fastest = std::max(fastest, std::fabs(rate[i]) / (1.0 + std::fabs(here.hi[i])));
  if (!(fastest > 0.0)) return out;
  double span = 0x1p-5 / fastest;
  std::vector<double> centre(width);
  row_beside(lab, lab, here, columns, centre.data());
  for (int attempt = 0; attempt < 4; ++attempt, span /= 16.0) {
    for (std::size_t node = 0; node < stencil.nodes.size(); ++node) {
      const double shift = stencil.nodes[node] * span;
      State beside = here;
      for (std::size_t i = 0; i < n; ++i) beside.hi[i] += shift * rate[i];
      beside.t += shift * in_time;
      row_beside(lab, lab, beside, columns, seen[node].data());
    }
    double worst = 0.0;
    out = slopes(
        stencil, span, width, [&](std::size_t node, std::size_t q) { return seen[node][q]; }, &worst);
    if (worst <= kAgrees && attempt > 0) break;
    if (worst <= kAgrees && !has_corner(stencil, seen, centre)) return out;
  }
  for (std::size_t q = 0; q < width; ++q) {
    if (has_corner(stencil, seen, centre, q)) out[q] = std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

void Variation::row_beside(Lab& lab, Lab& other, const State& state, const Columns& columns, double* out) {
  const Angles angles = lab.inside().frame.angles();
  if (&other != &lab) {
    other.start_ = lab.start_;
    other.start_angles_ = lab.start_angles_;
    take_up_turns(other.inside().world, lab.start_angles_);
  }
  const State before = std::exchange(other.sample_, state);
  other.inside().frame.set_angles(angles);
  other.show_row(columns, out);
  other.sample_ = before;
  other.inside().frame.set_angles(angles);
}

std::vector<double> Variation::Parts::beside(const Neighbours& near, const Columns& columns, double* worst) {
  std::vector<std::vector<double>> seen(near.labs.size(), std::vector<double>(columns.width()));
  for (std::size_t node = 0; node < near.labs.size(); ++node)
    row_beside(lab, *near.labs[node], lab.sample_, columns, seen[node].data());
  return slopes(
      near.stencil, near.spacing, columns.width(),
      [&](std::size_t node, std::size_t q) { return seen[node][q]; }, worst);
}

// What the row of a state owes to a number beside the state itself, from the worlds beside it; from closer
// ones where a law has a kink between them.
const std::vector<double>& Variation::Parts::beside(std::size_t direction, const Columns& columns) {
  Followed& of = followed[direction];
  if (!of.near) {
    of.rows.assign(columns.width(), 0.0);
    return of.rows;
  }
  if (of.start_only && of.columns == columns.stems()) return of.rows;
  const std::size_t most_closer = of.near->kinks.empty() ? 3 : 0;
  double worst = 0.0;
  of.rows = beside(*of.near, columns, &worst);
  for (std::size_t i = 0; i < most_closer && worst > kAgrees; ++i) {
    if (i == of.closer.size()) {
      const double spacing = of.near->spacing * std::pow(16.0, -static_cast<double>(i + 1));
      of.closer.push_back(neighbours_at(lab, directions[direction], of.near->stencil, spacing));
    }
    double now = 0.0;
    std::vector<double> rows = beside(of.closer[i], columns, &now);
    if (!(now < worst)) break;
    worst = now;
    of.rows = std::move(rows);
  }
  of.columns = columns.stems();
  return of.rows;
}

void Variation::rows(double t, bool at_end, const Columns& columns, double* out) {
  Parts& of = *parts_;
  if (of.beside_lab) {
    of.beside_at(t, columns).derivatives(columns, out);
    return of.turn_charts(t, columns, out);
  }
  const std::vector<double> rates = at(t, at_end);
  const std::size_t width = columns.width();
  for (std::size_t j = 0; j < of.directions.size(); ++j) {
    const std::vector<double> moved = of.along(columns, rates.data() + j * of.n, 0.0);
    const std::vector<double>& changed = of.beside(j, columns);
    for (std::size_t q = 0; q < width; ++q) out[j * width + q] = moved[q] + changed[q];
    out[j * width] = 0.0;  // time is what it is
  }
}

void Variation::root(double t, bool at_end, const Columns& read,
                     const std::function<double(const std::vector<double>&)>& formula,
                     const Columns& recorded, double* out) {
  Parts& of = *parts_;
  if (of.beside_lab) {
    of.beside_at(t, read).derivatives_at_root(read, formula, recorded, out);
    // Angles about x are not what the other motion reads.
    for (const std::string& link : of.links_about_x()) {
      for (const Columns* columns : {&read, &recorded}) {
        const std::vector<std::string> names = names_of(*columns);
        for (std::size_t q = 0; q < names.size(); ++q) {
          if (angle_stem(names[q], link).empty()) continue;
          const bool all = columns == &read;
          double* from = all ? out : out + q * of.directions.size();
          std::fill_n(from, of.directions.size() * (all ? recorded.width() : 1),
                      std::numeric_limits<double>::quiet_NaN());
        }
      }
    }
    return;
  }
  Lab& lab = of.lab;
  std::vector<double> slope(of.n);
  lab.inside().system().rhs(t, lab.sample_.hi.data(), slope.data());
  std::vector<double> inputs(read.width());
  const Angles angles = lab.inside().frame.angles();
  lab.show_row(read, inputs.data());
  lab.inside().frame.set_angles(angles);
  // Of the formula along a change of its columns.
  const auto change = [&](const double* by) {
    double fastest = 0.0;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      fastest = std::max(fastest, std::fabs(by[i]) / (1.0 + std::fabs(inputs[i])));
    if (!(fastest > 0.0)) return fastest;  // 0, or not a number
    const Stencil stencil = Stencil::central();
    const double span = 0x1p-7 / fastest;
    std::vector<double> moved(inputs.size());
    return weighed(stencil.slope,
                   [&](std::size_t node) {
                     for (std::size_t i = 0; i < inputs.size(); ++i)
                       moved[i] = inputs[i] + stencil.nodes[node] * span * by[i];
                     return formula(moved);
                   }) /
           span;
  };
  const double speed = change(of.along(read, slope.data(), 1.0).data());
  std::vector<double> read_rates(of.directions.size() * read.width());
  rows(t, at_end, read, read_rates.data());
  std::vector<double> rates(of.directions.size() * recorded.width());
  rows(t, at_end, recorded, rates.data());
  const std::vector<double> in_time = of.along(recorded, slope.data(), 1.0);
  for (std::size_t j = 0; j < of.directions.size(); ++j) {
    const double later = -change(read_rates.data() + j * read.width()) / speed;
    for (std::size_t q = 0; q < recorded.width(); ++q) {
      const double fixed = rates[j * recorded.width() + q];
      out[q * of.directions.size() + j] = q == 0 ? later : fixed + in_time[q] * later;
    }
  }
}

}  // namespace catena
