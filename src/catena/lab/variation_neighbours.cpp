// Derivatives with respect to numbers of a scene: the worlds beside such a number, and what differs between
// them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "catena/lab/slopes.h"
#include "catena/lab/variation_parts.h"

namespace catena {

// The piece of a world's prescribed motions that holds behind so many kinks; returns when the last one was.
double take_pieces(World& world, int kinks, double until) {
  world.take_piece(0.0);
  double last = 0.0;
  for (int i = 0; i < kinks; ++i) {
    const double kink = world.next_kink(last, until);
    if (!std::isfinite(kink)) break;
    world.take_piece(last = kink);
  }
  return last;
}

// How many kinks lie up to time t.
int kinks_until(const World& of, double t) {
  if (!of.has_pieces() || !(t > 0.0)) return 0;
  World world(of);
  world.take_piece(0.0);
  int count = 0;
  for (double last = 0.0;; ++count) {
    last = world.next_kink(last, t);
    if (!std::isfinite(last)) return count;
    world.take_piece(last);
  }
}

// Beside a number kinks come later or earlier, by no more than this.
double latest_kink(double t) { return 2.0 * t + 10.0; }

bool same_shape(const NumberTape& a, const NumberTape& b) {
  return a.values().size() == b.values().size() && a.shape() == b.shape();
}

InputError refused(const Lab& lab, const Direction& of, const std::string& why) {
  return InputError({lab.scene().name}, fmt::format("no derivative with respect to {}: {}", of.path, why));
}

InputError lanes_refused(const Lab& lab) {
  return InputError({lab.scene().name},
                    "derivatives of the state itself are those of unit vectors: leave `formulation` out; "
                    "columns have theirs with every formulation");
}

NumberTape tape_of(Lab& lab) {
  NumberTape tape;
  const WorldOver<Rates> world(lab.inside().world, &tape);
  return tape;
}

Neighbours neighbours_at(const Lab& lab, const Direction& of, const Stencil& stencil, double spacing) {
  Neighbours out{stencil, spacing, {}, {}, {}};
  const int kinks = kinks_until(lab.inside().world, lab.time());
  for (const double node : stencil.nodes) {
    out.labs.push_back(std::make_unique<Lab>(of.scene(of.value + node * spacing)));
    World& world = out.labs.back()->inside().world;
    if (out.labs.back()->dimension() != lab.dimension())
      throw refused(lab, of, "the state has another number of coordinates beside it");
    if (world.has_pieces() != lab.inside().world.has_pieces())
      throw refused(lab, of, "a prescribed motion has kinks at it or beside it, but not at both");
    if (world.has_pieces()) out.kinks.push_back(take_pieces(world, kinks, latest_kink(lab.time())));
    out.tapes.push_back(tape_of(*out.labs.back()));
    if (!same_shape(out.tapes.back(), out.tapes.front()))
      throw refused(lab, of, "the equations change their form within a sixteenth of it");
  }
  return out;
}

Neighbours Variation::Parts::neighbours(const Direction& of) {
  const double scale = of.value != 0.0 ? std::fabs(of.value) : 1.0;
  std::string why;
  std::optional<Neighbours> best;
  double best_error = kInfinity;
  const auto attempt = [&](const Stencil& stencil, double spacing) {
    try {
      Neighbours near = neighbours_at(lab, of, stencil, spacing);
      double worst = 0.0;
      slopes(
          stencil, spacing, near.tapes[0].values().size(),
          [&](std::size_t node, std::size_t q) { return near.tapes[node].values()[q]; }, &worst);
      slopes(
          stencil, spacing, n, [&](std::size_t node, std::size_t q) { return started(*near.labs[node], q); },
          &worst);
      if (worst < best_error) {
        best_error = worst;
        best = std::move(near);
      }
    } catch (const InputError& error) {
      why = error.what();
    }
    return best_error <= kAgrees;
  };
  for (const double part : kSpacings) {
    // Of impulses, and of the next pieces of prescribed motions, nobody knows yet: a small way, in which no
    // factor becomes 0 or 1.
    const double less = lab.inside().world.has_pieces() ? 0.9306 * 0x1p-2 : 1.0;
    if (attempt(Stencil::central(), less * part * scale)) return std::move(*best);
  }
  if (!best) {  // the number may stand at the end of what is allowed
    for (const double side : {1.0, -1.0}) {
      for (const double part : {0x1p-4, 0x1p-8}) {
        if (attempt(Stencil::forward(side), part * scale)) return std::move(*best);
      }
    }
  }
  constexpr double kGoodEnough = 1e-8;
  if (best && best_error < kGoodEnough) return std::move(*best);
  if (best) throw refused(lab, of, "what the scene makes of it is not smooth there");
  throw refused(lab, of, why);
}

std::vector<double> Variation::Parts::number_slopes(std::size_t direction) const {
  if (!followed[direction].near) return std::vector<double>(own->values().size(), 0.0);
  const Neighbours& near = *followed[direction].near;
  double unused = 0.0;
  return slopes(
      near.stencil, near.spacing, near.tapes[0].values().size(),
      [&](std::size_t node, std::size_t q) { return near.tapes[node].values()[q]; }, &unused);
}

// Where its equations have another form than those of the lab, a world of that form, close to it.
std::unique_ptr<Lab> Variation::Parts::follow(std::size_t j) {
  const Direction& direction = directions[j];
  Followed& made = followed.emplace_back();
  if (!direction.scene) return nullptr;
  const Neighbours& near = made.near.emplace(neighbours(direction));
  const auto unchanged = [&](const NumberTape& tape) { return tape.values() == own->values(); };
  made.unchanged = std::all_of(near.tapes.begin(), near.tapes.end(), unchanged);
  made.start_only = is_start(lab, direction.path) && made.unchanged;
  return close_to(j);
}

std::unique_ptr<Lab> Variation::Parts::close_to(std::size_t j) const {
  const Direction& direction = directions[j];
  const Neighbours& near = *followed[j].near;
  if (same_shape(*own, near.tapes[0])) return nullptr;
  const double scale = direction.value != 0.0 ? std::fabs(direction.value) : 1.0;
  const double closely = 0x1p-30 * scale * (near.stencil.nodes.back() > 0.0 ? 1.0 : -1.0);
  auto close = std::make_unique<Lab>(direction.scene(direction.value + closely));
  if (World& world = close->inside().world; world.has_pieces())
    take_pieces(world, kinks_until(lab.inside().world, lab.time()), latest_kink(lab.time()));
  if (!same_shape(tape_of(*close), near.tapes[0]))
    throw refused(lab, direction, "the equations change their form close to it");
  return close;
}

// How the state that following begins at changes in a direction.
std::vector<double> Variation::Parts::start_of(std::size_t j) const {
  if (!directions[j].scene) return directions[j].start;
  if (!lab.at_start_) return std::vector<double>(n, 0.0);
  const Neighbours& near = *followed[j].near;
  double unused = 0.0;
  std::vector<double> start = slopes(
      near.stencil, near.spacing, n,
      [&](std::size_t node, std::size_t q) { return started(*near.labs[node], q); }, &unused);
  const bool starts_same = std::all_of(start.begin(), start.end(), [](double rate) { return rate == 0.0; });
  if (starts_same && followed[j].unchanged && !lab.inside().world.has_pieces()) {
    lab.warn({{lab.scene().name},
              fmt::format("{} has no influence on the motion: its derivatives say so", directions[j].path)});
  }
  return start;
}

}  // namespace catena
