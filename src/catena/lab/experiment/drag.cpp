#include "catena/lab/experiment/drag.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace catena {
namespace {

template <int D>
using Vector = std::array<double, D>;

template <int D>
Vector<D> difference(const Vector<D>& a, const Vector<D>& b) {
  Vector<D> out;
  for (int i = 0; i < D; ++i) out[i] = a[i] - b[i];
  return out;
}

template <int D>
Vector<D> along(const Vector<D>& from, double distance, const Vector<D>& direction) {
  Vector<D> out;
  for (int i = 0; i < D; ++i) out[i] = from[i] + distance * direction[i];
  return out;
}

template <int D>
double size(const Vector<D>& v) {
  double square = 0.0;
  for (const double c : v) square += c * c;
  return std::sqrt(square);
}

template <int D>
Vector<D> unit_vector(const Vector<D>& v, const Vector<D>& otherwise) {
  const double length = size<D>(v);
  if (!(length > 0.0)) return otherwise;
  Vector<D> out;
  for (int i = 0; i < D; ++i) out[i] = v[i] / length;
  return out;
}

// The rotation that takes one unit vector to another by the shortest way, as a product of two reflections:
// in the plane across `from`, then across the bisector; exact for opposite vectors too.
template <int D>
struct Rotation {
  Vector<D> from{}, bisector{};
  bool any = false;

  static Rotation between(const Vector<D>& from, const Vector<D>& to) {
    Vector<D> middle;
    for (int i = 0; i < D; ++i) middle[i] = from[i] + to[i];
    Vector<D> aside{};  // for a half turn: any direction across `from`
    const int smallest = std::fabs(from[0]) < std::fabs(from[D - 1]) ? 0 : D - 1;
    aside[smallest] = 1.0;
    const double part = from[smallest];
    for (int i = 0; i < D; ++i) aside[i] -= part * from[i];
    const bool opposite = size<D>(middle) < 1e-12;
    return {from, unit_vector<D>(opposite ? aside : middle, from), true};
  }

  Vector<D> operator()(const Vector<D>& v) const {
    if (!any) return v;
    return mirrored(mirrored(v, from), bisector);
  }

 private:
  static Vector<D> mirrored(const Vector<D>& v, const Vector<D>& normal) {
    double dot = 0.0;
    for (int i = 0; i < D; ++i) dot += v[i] * normal[i];
    return along<D>(v, -2.0 * dot, normal);
  }
};

// The links from the pivot to `link`.
std::vector<std::size_t> path_to(const ChainLinks& links, std::size_t link) {
  std::vector<std::size_t> path;
  for (int k = static_cast<int>(link); k >= 0; k = links.parent[k])
    path.push_back(static_cast<std::size_t>(k));
  std::reverse(path.begin(), path.end());
  return path;
}

template <int D>
std::vector<Vector<D>> vectors_of(const std::vector<double>& lanes, std::size_t n) {
  std::vector<Vector<D>> out(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (int i = 0; i < D; ++i) out[k][i] = lanes[i * n + k];
  }
  return out;
}

// At rest at these vectors.
template <int D>
LanePair resting(const std::vector<Vector<D>>& vectors) {
  const std::size_t n = vectors.size();
  LanePair out{std::vector<double>(2 * D * n, 0.0), std::vector<double>(2 * D * n, 0.0)};
  for (std::size_t k = 0; k < n; ++k) {
    for (int i = 0; i < D; ++i) out.hi[i * n + k] = vectors[k][i];
  }
  return out;
}

// One sweep from the hand to the pivot. Turning joint j turns all links from j on, so link i is turned by the
// rotations of joints i, i-1, .., 0, one after the other: gathered from the pivot down in the end, as the
// images of the axes.
template <int D>
void sweep(const ChainLinks& links, const std::vector<std::size_t>& path, const Vector<D>& target,
           std::vector<Vector<D>>& u) {
  std::vector<Vector<D>> joint(path.size());
  Vector<D> end{};
  for (std::size_t j = 0; j < path.size(); ++j) {
    joint[j] = end;
    end = along<D>(end, links.length[path[j]], u[path[j]]);
  }
  std::vector<Rotation<D>> turn(path.size());
  for (std::size_t j = path.size(); j-- > 0;) {
    const Vector<D> reach = difference<D>(end, joint[j]), wanted = difference<D>(target, joint[j]);
    if (size<D>(reach) < 1e-9 || size<D>(wanted) < 1e-9) continue;
    turn[j] = Rotation<D>::between(unit_vector<D>(reach, reach), unit_vector<D>(wanted, wanted));
    end = along<D>(joint[j], 1.0, turn[j](reach));
  }
  std::array<Vector<D>, D> axes{};
  for (int c = 0; c < D; ++c) axes[c][c] = 1.0;
  const auto gathered = [&](const Vector<D>& v) {
    Vector<D> out{};
    for (int c = 0; c < D; ++c) out = along<D>(out, v[c], axes[c]);
    return out;
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    std::array<Vector<D>, D> next;
    for (int c = 0; c < D; ++c) {
      Vector<D> axis{};
      axis[c] = 1.0;
      next[c] = gathered(turn[i](axis));
    }
    axes = next;
    u[path[i]] = unit_vector<D>(gathered(u[path[i]]), u[path[i]]);
  }
}

template <int D>
LanePair rigid_dragged(const ChainLinks& links, const LanePair& lanes, std::size_t link,
                       const Vector<D>& target) {
  std::vector<Vector<D>> u = vectors_of<D>(lanes.hi, links.count());
  const std::vector<std::size_t> path = path_to(links, link);
  for (int i = 0; i < kDragSweeps; ++i) sweep<D>(links, path, target, u);
  return resting<D>(u);
}

// `end` moved along its link so that the link's length is within bounds, seen from its other end.
template <int D>
Vector<D> within_bounds(const Vector<D>& from, const Vector<D>& end, double length) {
  Vector<D> straight_down{};
  straight_down[D - 1] = -1.0;
  const Vector<D> across = difference<D>(end, from);
  const double extent = size<D>(across);
  const double allowed = std::clamp(extent, kShortestDragged * length, kLongestDragged * length);
  if (allowed == extent) return end;
  return along<D>(from, allowed, unit_vector<D>(across, straight_down));
}

template <int D>
LanePair elastic_dragged(const ChainLinks& links, const LanePair& lanes, std::size_t link,
                         const Vector<D>& target) {
  std::vector<Vector<D>> x = vectors_of<D>(lanes.hi, links.count());
  const std::vector<std::size_t> path = path_to(links, link);
  double reach = 0.0;
  for (const std::size_t k : path) reach += kLongestDragged * links.length[k];
  const Vector<D> origin{};
  const double distance = size<D>(target);
  x[link] = distance <= reach ? target : along<D>(origin, reach, unit_vector<D>(target, target));
  // Masses between the pivot and the hand give way, from either end in turn, until all links are in bounds.
  const Vector<D> hand = x[link];
  for (int i = 0; i < kDragSweeps; ++i) {
    x[link] = hand;
    for (std::size_t j = path.size(); j-- > 1;) {
      x[path[j - 1]] = within_bounds<D>(x[path[j]], x[path[j - 1]], links.length[path[j]]);
    }
    for (std::size_t j = 0; j < path.size(); ++j) {
      x[path[j]] = within_bounds<D>(j == 0 ? origin : x[path[j - 1]], x[path[j]], links.length[path[j]]);
    }
  }
  std::vector<bool> on_path(links.count(), false);
  for (const std::size_t k : path) on_path[k] = true;
  for (std::size_t k = 0; k < links.count(); ++k) {
    const int parent = links.parent[k];
    if (!on_path[k]) x[k] = within_bounds<D>(parent < 0 ? origin : x[parent], x[k], links.length[k]);
  }
  return resting<D>(x);
}

template <int D>
LanePair dragged_in(const ChainUnit& unit, const LanePair& lanes, std::size_t link, const Vector<D>& target) {
  return unit.elastic() ? elastic_dragged<D>(unit.parameters(), lanes, link, target)
                        : rigid_dragged<D>(unit.parameters(), lanes, link, target);
}

}  // namespace

LanePair dragged(const ChainUnit& unit, const LanePair& lanes, std::size_t link, const Vec3& target) {
  if (!unit.planar()) return dragged_in<3>(unit, lanes, link, target);
  const Vec3 own = unit.to_own(target);
  return dragged_in<2>(unit, lanes, link, {own[0], own[1]});
}

}  // namespace catena
