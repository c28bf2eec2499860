// The digits of a chain's ends and angles that doubles cannot hold.
#include <cmath>
#include <numbers>
#include <vector>

#include "catena/dynamics/chain/solvers/coordinate_series.h"
#include "catena/expr/series_over.h"
#include "catena/math/functions_digits.h"
#include "catena/math/packs_digits.h"
#include "catena/observe/chain_frame.h"

namespace catena {
namespace {

using Digits = DoubleDouble;
using VectorDigits = Vec3Digits;

constexpr double kTurn = 2 * std::numbers::pi;

void give(const Digits& value, double& hi, double& lo) {
  const Digits clean = fast_two_sum(value.hi, value.lo);
  hi = clean.hi;
  lo = clean.lo;
}

// Lanes [component][link] as vectors in the chain's own space; planar: across, up, 0.
class VectorsDigits {
 public:
  VectorsDigits(const ChainUnit& unit, const Digits* lanes) : unit_(unit), lanes_(lanes) {}

  VectorDigits operator()(std::size_t k) const {
    const auto lane = [&](std::size_t i) { return lanes_[i * unit_.links() + k]; };
    return {lane(0), lane(1), unit_.planar() ? Digits(0.0) : lane(2)};
  }

 private:
  const ChainUnit& unit_;
  const Digits* lanes_;
};

VectorDigits to_world(const ChainUnit& unit, const VectorDigits& own) {
  if (!unit.planar()) return own;
  return {own[0] * unit.plane.cosine_digits(), own[0] * unit.plane.sine_digits(), own[1]};
}

// Where the pivot is, or its velocity, in the world.
VectorDigits pivot_of(const ChainUnit& unit, double t, bool rate) {
  const auto number = [&](double value) { return unit.parameters().number<Digits>(value); };
  const Vec3& at = unit.pivot;
  if (!unit.pivot_motion)
    return rate ? VectorDigits{} : VectorDigits{number(at[0]), number(at[1]), number(at[2])};
  expr::SeriesOver<Digits> series(unit.pivot_motion->series().series().lowered());
  series.reserve(1, 1);
  for (int k = 0; k < 2; ++k) {
    *series.input(k, 0) = k == 0 ? Digits(t) : Digits(1.0);
    series.advance(k);
  }
  const int order = rate ? 1 : 0;
  return {*series.output(order, 0), *series.output(order, 1), *series.output(order, 2)};
}

// Along the chain: sums of lengths times directions (or of their rates), or the places themselves.
void place_ends(const ChainUnit& unit, const VectorsDigits& vectors, const VectorDigits& pivot, Lanes3& hi,
                Lanes3& lo) {
  const ChainLinks& given = unit.parameters();
  for (std::size_t k = 0; k < unit.links(); ++k) {
    const VectorDigits own = to_world(unit, vectors(k));
    for (std::size_t i = 0; i < 3; ++i) {
      Digits value = pivot[i] + own[i];
      if (!unit.elastic()) {
        const int parent = given.parent[k];
        const Digits joint = parent < 0 ? pivot[i] : Digits(hi[i][parent], lo[i][parent]);
        value = joint + given.number<Digits>(given.length[k]) * own[i];
      }
      give(value, hi[i][k], lo[i][k]);
    }
  }
}

struct Along {
  VectorDigits direction, rate;
};

// Of a vector along a link and its rate.
Along of_length_one(const Along& link) {
  const Digits length = square_root(dot(link.direction, link.direction));
  const VectorDigits u = times(Digits(1.0) / length, link.direction);
  return {u, times(Digits(1.0) / length, minus(link.rate, times(dot(u, link.rate), u)))};
}

// Unit vector along link k, and its rate.
Along along(const ChainUnit& unit, const VectorsDigits& places, const VectorsDigits& rates, std::size_t k) {
  Along out{places(k), rates(k)};
  if (!unit.elastic()) return out;
  if (const int parent = unit.parameters().parent[k]; parent >= 0) {
    const VectorDigits x = places(static_cast<std::size_t>(parent)),
                       v = rates(static_cast<std::size_t>(parent));
    for (std::size_t i = 0; i < 3; ++i) {
      out.direction[i] = out.direction[i] - x[i];
      out.rate[i] = out.rate[i] - v[i];
    }
  }
  return of_length_one(out);
}

// The same of a chain whose links are bodies.
Along along(const ChainUnit& unit, const BodyLinks& links, const double* hi, const double* lo,
            std::size_t k) {
  const auto end = links.end_digits(k, hi, lo), upper = links.upper_digits(k, hi, lo);
  const auto own = [&](const VectorDigits& v) -> VectorDigits {
    if (!unit.planar()) return v;
    return {v[0] * unit.plane.cosine_digits() + v[1] * unit.plane.sine_digits(), v[2], Digits(0.0)};
  };
  return of_length_one({own(minus(end.position, upper.position)), own(minus(end.velocity, upper.velocity))});
}

// Charts with their pole along x, turned so that it lies along z, where the formulas of angles have theirs.
Along seen_in_chart(const Along& link, double pole) {
  if (pole == kPoleZ) return link;
  const auto turned = [](const VectorDigits& v) { return VectorDigits{v[1], v[2], -v[0]}; };
  return {turned(link.direction), turned(link.rate)};
}

Digits size(const Digits& a, const Digits& b) { return square_root(a * a + b * b); }

}  // namespace

void ChainFrame::refine(ChainUnit& unit, double t, const double* hi, const double* lo,
                        const AngleMemory& memory) {
  for (Lanes3* rows : {&end_lo, &end_velocity_lo}) {
    for (Lanes& lanes : *rows) lanes.resize(links);
  }
  for (Lanes* lanes : {&theta_lo, &phi_lo, &theta_dot_lo, &phi_dot_lo}) lanes->resize(links);
  const std::vector<Digits>& vectors = unit.vectors_digits(hi, lo);
  const VectorsDigits places(unit, vectors.data()), rates(unit, vectors.data() + vectors.size() / 2);
  const BodyLinks* bodies = unit.bodies();
  if (bodies != nullptr) {
    for (std::size_t k = 0; k < links; ++k) {
      const auto now = bodies->end_digits(k, hi, lo);
      for (std::size_t i = 0; i < 3; ++i) {
        give(now.position[i], end[i][k], end_lo[i][k]);
        give(now.velocity[i], end_velocity[i][k], end_velocity_lo[i][k]);
      }
    }
  } else {
    place_ends(unit, places, pivot_of(unit, t, false), end, end_lo);
    place_ends(unit, rates, pivot_of(unit, t, true), end_velocity, end_velocity_lo);
  }
  for (std::size_t k = 0; k < links; ++k) {
    const Along link = bodies != nullptr ? along(unit, *bodies, hi, lo, k) : along(unit, places, rates, k);
    const auto [u, w] = seen_in_chart(link, pole[k]);
    if (unit.planar()) {
      const Digits angle = digits::atan2<Digits>(u[0], -u[1]);
      const double turns = unit.has_angles() ? std::round((theta[k] - angle.hi) / kTurn)
                                             : static_cast<double>(memory.turns[k]);
      give(angle + Digits(2.0 * turns) * digits::pi<Digits>(), theta[k], theta_lo[k]);
      give(w[1] * u[0] - w[0] * u[1], theta_dot[k], theta_dot_lo[k]);
      phi_lo[k] = phi_dot_lo[k] = 0.0;
      continue;
    }
    const Digits across = size(u[0], u[1]);
    give(digits::atan2<Digits>(across, -u[2]), theta[k], theta_lo[k]);
    if (std::isnan(phi_dot[k])) {  // at a pole, where angles have no more digits than doubles
      theta_dot_lo[k] = phi_lo[k] = 0.0;
      phi_dot_lo[k] = phi_dot[k];
      continue;
    }
    const Digits outwards = (u[0] * w[0] + u[1] * w[1]) / across;
    give(across * w[2] - u[2] * outwards, theta_dot[k], theta_dot_lo[k]);
    give((u[0] * w[1] - u[1] * w[0]) / (across * across), phi_dot[k], phi_dot_lo[k]);
    const Digits azimuth = digits::atan2<Digits>(u[1], u[0]);
    give(azimuth.hi < 0.0 ? azimuth + Digits(2.0) * digits::pi<Digits>() : azimuth, phi[k], phi_lo[k]);
  }
}

}  // namespace catena
