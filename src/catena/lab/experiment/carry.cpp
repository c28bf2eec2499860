#include "catena/lab/experiment/carry.h"

#include <algorithm>
#include <cmath>

#include "catena/dynamics/chain/conversion.h"

namespace catena {
namespace {

bool same(const Plane& a, const Plane& b) { return a.cosine == b.cosine && a.sine == b.sine; }

// [x, v][component][link] of a plane -> of space.
std::vector<double> raised(const Plane& plane, std::size_t n, const std::vector<double>& flat) {
  std::vector<double> out(6 * n);
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t k = 0; k < n; ++k) {
      const double across = flat[2 * half * n + k];
      out[3 * half * n + k] = across * plane.cosine;
      out[(3 * half + 1) * n + k] = across * plane.sine;
      out[(3 * half + 2) * n + k] = flat[(2 * half + 1) * n + k];
    }
  }
  return out;
}

std::vector<double> lowered(const Plane& plane, std::size_t n, const std::vector<double>& lanes) {
  std::vector<double> out(4 * n);
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t k = 0; k < n; ++k) {
      out[2 * half * n + k] =
          lanes[3 * half * n + k] * plane.cosine + lanes[(3 * half + 1) * n + k] * plane.sine;
      out[(2 * half + 1) * n + k] = lanes[(3 * half + 2) * n + k];
    }
  }
  return out;
}

template <class Change>
LanePair both(const LanePair& state, const Change& change) {
  return {change(state.hi), change(state.lo)};
}

LanePair in_space_of(const ChainUnit& from, const LanePair& state, const ChainUnit& to) {
  const std::size_t n = from.links();
  const auto raise = [&](const std::vector<double>& lanes) { return raised(from.plane, n, lanes); };
  const auto lower = [&](const std::vector<double>& lanes) { return lowered(to.plane, n, lanes); };
  if (from.planar() && to.planar() && same(from.plane, to.plane)) return state;
  const LanePair spatial = from.planar() ? both(state, raise) : state;
  return to.planar() ? both(spatial, lower) : spatial;
}

template <int D>
LanePair as_kind_of(const ChainUnit& from, const LanePair& state, const ChainUnit& to) {
  if (from.elastic() == to.elastic()) return state;
  return to.elastic() ? elastic_from_rigid<D>(from.parameters(), state)
                      : rigid_from_elastic<D>(to.parameters(), state);
}

// What turns the vertical plane of `vector` by `angle`: (across, up) -> turned; across is measured along the
// vector's own azimuth.
struct Turn {
  double cosine, sine;
  void apply(double& across, double& up) const {
    const double turned = across * cosine - up * sine;
    up = across * sine + up * cosine;
    across = turned;
  }
};

}  // namespace

LanePair lanes_of(ChainUnit& unit, const std::vector<double>& hi, const std::vector<double>& lo) {
  std::vector<double> room(2 * unit.components() * unit.links());
  const double* own = hi.data() + unit.offset;
  if (unit.vectors(own, room.data()) != own) return {room, std::vector<double>(room.size(), 0.0)};
  const auto part = [&](const std::vector<double>& all) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(unit.offset);
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(unit.dimension()));
  };
  return {part(hi), part(lo)};
}

LanePair carried(const ChainUnit& from, const LanePair& state, const ChainUnit& to) {
  const LanePair placed = in_space_of(from, state, to);
  return to.planar() ? as_kind_of<2>(from, placed, to) : as_kind_of<3>(from, placed, to);
}

LanePair first_link_turned(const ChainUnit& unit, const LanePair& state, double angle) {
  const std::size_t n = unit.links(), d = unit.planar() ? 2 : 3;
  LanePair out = state;
  const Turn turn{std::cos(angle), std::sin(angle)};
  double* x = out.hi.data();
  // The horizontal direction in which theta grows.
  double east = 1.0, north = 0.0;
  if (const double size = d == 3 ? std::hypot(x[0], x[n]) : 0.0; size > 0.0) {
    east = x[0] / size;
    north = x[n] / size;
  }
  const auto turned = [&](double* vector) {
    if (d == 2) return turn.apply(vector[0], vector[n]);
    double across = vector[0] * east + vector[n] * north;
    const double aside = vector[n] * east - vector[0] * north;
    turn.apply(across, vector[2 * n]);
    vector[0] = across * east - aside * north;
    vector[n] = across * north + aside * east;
  };
  const std::vector<double> before = state.hi;
  turned(x);
  if (!unit.elastic()) {
    turned(x + d * n);
    return out;
  }
  // Elastic: all that hangs from the first link moves along with its end.
  std::vector<bool> below(n, false);
  for (std::size_t k = 1; k < n; ++k) {
    const int parent = unit.parameters().parent[k];
    below[k] = parent == 0 || (parent > 0 && below[parent]);
    if (!below[k]) continue;
    for (std::size_t i = 0; i < d; ++i) x[i * n + k] += x[i * n] - before[i * n];
  }
  return out;
}

}  // namespace catena
