#include "catena/dynamics/laws/poles.h"

#include <algorithm>
#include <cmath>

#include "catena/dynamics/laws/law_masses.h"
#include "catena/model/force_laws.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

// Over a change of the distance by less, 1/r^2 and the cubes in it are tame: e^4 is allowed for 1/(r^2)^1.5.
constexpr double kTame = 2.5;
// How far a motion may leave the cubic, as a part of what it changes.
constexpr double kBeyond = 0.25;

double squared(const Vec3& v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

}  // namespace

Poles::Poles(const Actors& actors) {
  for (const ForceEntry& entry : actors.scene.forces) {
    if (!find_force_law(entry.kind)->has_pole) continue;
    const std::vector<Attachment> masses = acted_on(actors, entry);
    // Moments feel forces as steep as 1/r^7: they are looked at.
    if (entry.kind == "magnet" || entry.kind == "dipoles") has_all_ = false;
    const bool of_pairs = entry.kind == "coulomb";
    const auto feels = [&](const Attachment& mass) {
      return entry.kind == "point-mass" || traits_of(actors, mass).charged();
    };
    for (std::size_t i = 0; i < masses.size(); ++i) {
      if (!feels(masses[i])) continue;
      if (!of_pairs) add(actors, masses[i], {.point = entry.position});
      for (std::size_t j = 0; of_pairs && j < i; ++j) {
        if (feels(masses[j])) add(actors, masses[i], masses[j]);
      }
    }
  }
  shown_.resize(pairs_.size());
}

void Poles::add(const Actors& actors, const Attachment& one, const Attachment& other) {
  const std::vector<Body>& bodies = actors.scene.mechanism.bodies;
  const auto moving = [&](const Attachment& at) {
    return at.body < 0 ? -1 : actors.bodies.moving[static_cast<std::size_t>(at.body)];
  };
  const auto end = [&](const Attachment& at) {
    return at.chain >= 0 ? End{at.chain, at.link} : End{-1, moving(at)};
  };
  Pair pair{end(one), end(other)};
  if (pair.one.index < 0) {
    if (pair.other.index >= 0) add(actors, other, one);
    return;  // both rest
  }
  const auto rests_at = [&](const Attachment& at) {
    if (at.body < 0) return Vec3{at.point};
    const Body& body = bodies[static_cast<std::size_t>(at.body)];
    return body.position + rotated(body.orientation, at.point);
  };
  for (const Attachment* at : {&one, &other}) {
    if (at->chain < 0 && moving(*at) >= 0) pair.reach += std::sqrt(squared(at->point));
  }
  const bool rests = pair.other.index < 0;
  if (rests) pair.rests = rests_at(other);
  if (pair.one.chain >= 0) {
    const ChainSpace& space = actors.chains[static_cast<std::size_t>(pair.one.chain)];
    const bool is_still = space.chain.pivot_motion.empty() && !space.chain.carrier;
    if (space.bodies != nullptr || (rests && !is_still)) has_all_ = false;
    if (rests) {
      const Vec3 from_pivot = pair.rests - space.chain.pivot;
      pair.rests = space.plane ? space.plane->own<double>(from_pivot) : from_pivot;
    }
  }
  if (!rests && pair.one.chain != pair.other.chain) has_all_ = false;
  pairs_.push_back(pair);
}

void Poles::note(Shown what, const LawMotion& motion) {
  const bool is_place = what == kStart || what == kEnd;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    Vec3& to = shown_[i][what];
    const bool in_chain = pair.one.chain >= 0;
    const auto c = static_cast<std::size_t>(in_chain ? pair.one.chain : 0);
    const double* rows = in_chain ? motion.chains[c].center.data() : motion.bodies;
    const std::size_t stride = in_chain ? motion.chains[c].links : motion.stride;
    const std::size_t components = in_chain ? motion.chains[c].center.size() / stride : 3;
    const double* one = rows + pair.one.index;
    to[2] = 0.0;
    if (pair.other.index >= 0) {
      const double* other = rows + pair.other.index;
      for (std::size_t k = 0; k < components; ++k) to[k] = one[k * stride] - other[k * stride];
    } else {
      for (std::size_t k = 0; k < components; ++k) to[k] = one[k * stride] - (is_place ? pair.rests[k] : 0.0);
    }
  }
}

bool Poles::stay(double length) const {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const auto& [from, leaving, to, arriving] = shown_[i];
    const double r0 = squared(from), r1 = squared(to);
    const double fastest = std::sqrt(std::max(squared(leaving), squared(arriving)));
    const double bow = length / 3.0 * fastest;  // of the control points, from the chord's ends
    const double nearest = std::sqrt(std::min(r0, r1)) - 0.5 * std::sqrt(squared(to - from)) - bow;
    const double furthest = std::sqrt(std::max(r0, r1)) + bow;
    const double more = kBeyond * (furthest - nearest), reach = pairs_[i].reach;
    if (!(furthest + more + reach < kTame * (nearest - more - reach))) return false;
  }
  return true;
}

}  // namespace catena
