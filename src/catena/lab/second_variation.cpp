#include "catena/lab/second_variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/dynamics/world/world_over_bends.h"
#include "catena/integrate/taylor_step.h"
#include "catena/lab/inside.h"
#include "catena/lab/slopes.h"
#include "catena/lab/variation.h"
#include "catena/math/number_tape.h"

namespace catena {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kBlock = Rates::kDirections;

NumberTape tape_of(const Lab& lab) {
  NumberTape tape;
  const WorldOver<Bends> world(lab.inside().world, &tape);
  return tape;
}

bool same_shape(const NumberTape& a, const NumberTape& b) {
  return a.values().size() == b.values().size() && a.shape() == b.shape();
}

// Worlds around a pair of numbers (p, v): p + s, v + s, and p + s, v - s. With f' and f'' of both families,
//     f_p = (f'+ + f'-) / 2        f_v = (f'+ - f'-) / 2        f_pv = (f''+ - f''-) / 4
// Where both numbers are the same one nothing changes in the second family, and it is left out.
struct Families {
  double spacing = 0.0;  // of s, as a part of the scales
  std::vector<std::unique_ptr<Lab>> labs[2];
  std::vector<NumberTape> tapes[2];
  double by = 1.0, along = 1.0;  // a unit of s in p and in v
};

// Of some quantities: with respect to the first number, to the second, and mixed.
struct Mixed {
  std::vector<double> by, along, second;
};

// Errors of both, as parts of the quantity: of slopes, and of second derivatives, in units of the spacing.
struct Errors {
  double slope = 0.0, bend = 0.0;
};

// The second derivative of each of `count` quantities, in units of the spacing, by the nodes and the centre:
// its weights are those of the slope times 2 / node.
template <class At, class Centre>
std::vector<double> bends(std::size_t count, const At& at, const Centre& centre, double* worst) {
  const Stencil stencil = Stencil::central();
  std::vector<double> weights = stencil.slope, fewer = stencil.rough;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] *= 2.0 / stencil.nodes[i];
    fewer[i] *= 2.0 / stencil.nodes[i];
  }
  // The centre's own weight makes their sum zero: all are counted from it.
  double largest = 0.0;
  for (std::size_t q = 0; q < count; ++q) largest = std::max(largest, std::fabs(centre(q)));
  std::vector<double> out(count);
  for (std::size_t q = 0; q < count; ++q) {
    const double middle = centre(q);
    const auto here = [&](std::size_t node) { return at(node, q) - middle; };
    const double fine = weighed(weights, here), rough = weighed(fewer, here);
    double size = std::fabs(middle);
    for (std::size_t node = 0; node < weights.size(); ++node) size = std::max(size, std::fabs(here(node)));
    if (size > 0.0) *worst = std::max(*worst, std::fabs(fine - rough) / (size + 1e-4 * largest));
    out[q] = fine;
  }
  return out;
}

// at(family, node, q), centre(q)
template <class At, class Centre>
Mixed mixed(const Families& of, std::size_t count, const At& at, const Centre& centre, Errors* errors) {
  const Stencil stencil = Stencil::central();
  Mixed out{std::vector<double>(count), std::vector<double>(count), std::vector<double>(count)};
  for (std::size_t family = 0; family < 2; ++family) {
    if (of.labs[family].empty()) continue;
    const auto here = [&](std::size_t node, std::size_t q) { return at(family, node, q); };
    const std::vector<double> slope = differences(stencil.slope, stencil.rough, count, here, &errors->slope);
    const std::vector<double> bend = bends(count, here, centre, &errors->bend);
    const double sign = family == 0 ? 1.0 : -1.0, h = of.spacing;
    for (std::size_t q = 0; q < count; ++q) {
      out.by[q] += slope[q] / (2.0 * h * of.by);
      out.along[q] += sign * slope[q] / (2.0 * h * of.along);
      out.second[q] += sign * bend[q] / (4.0 * h * h * of.by * of.along);
    }
  }
  return out;
}

// What the numbers of the worlds beside make of theirs; `own`: at the centre, unless its form is another.
Mixed of_numbers(const Families& near, const NumberTape& own, Errors* errors) {
  const std::vector<NumberTape>& tapes = near.tapes[0];
  const bool knows = same_shape(tapes[0], own);
  const std::vector<double> weights = Stencil::central().value;
  return mixed(
      near, tapes[0].values().size(),
      [&](std::size_t f, std::size_t node, std::size_t q) { return near.tapes[f][node].values()[q]; },
      [&](std::size_t q) {
        return knows ? own.values()[q]
                     : weighed(weights, [&](std::size_t node) { return tapes[node].values()[q]; });
      },
      errors);
}

Mixed of_starts(const Families& near, const Lab& lab, Errors* errors) {
  return mixed(
      near, lab.dimension(),
      [&](std::size_t f, std::size_t node, std::size_t q) { return started(*near.labs[f][node], q); },
      [&](std::size_t q) { return started(lab, q); }, errors);
}

std::string refusal(const Lab& lab) {
  const World& world = lab.inside().world;
  if (lab.method().name != "taylor")
    return fmt::format("second derivatives are followed by taylor, not by {}", lab.method().name);
  if (world.mechanism() != nullptr)
    return "second derivatives are of chains, of Lagrangians and of equations; bodies with joints, and "
           "chains "
           "that are solved as such, have first ones";
  if (lab.scene().simulation.precision != "double")
    return "derivatives are computed in double; leave `precision` out";
  if (!in_unit_vectors(world))
    return "a run with second derivatives is for the formulations tension and articulated; leave "
           "`formulation` out";
  if (world.has_pieces())
    return "a run with second derivatives cannot do pivots, motors and constraints whose motion has kinks: "
           "there the times of kinks change with the numbers, and with them the impulses, to second order";
  return "";
}

}  // namespace

struct SecondVariation::Parts {
  struct Block {
    std::vector<std::size_t> members;
    std::unique_ptr<WorldOver<Bends>> moving;
    std::vector<Bends> c, x, shown;
  };
  struct Followed {
    std::optional<Families> near;  // none: no number is changed
    bool in_rows = false;          // rows depend on the numbers beside the state
  };

  Lab& lab;
  std::size_t n;
  std::vector<Direction> directions;
  Along along;
  std::vector<Followed> followed;
  std::vector<Block> blocks;
  State from;
  int order = 0;
  double longest = kInfinity;
  std::int64_t shortened = 0;
  // Steps in a row that were shorter than the one before, and how long they and the first of them were.
  int falling = 0;
  double last_step = 0.0, first_step = 0.0;

  InputError refused(std::size_t j, const std::string& why) const {
    return InputError({lab.scene().name},
                      fmt::format("no second derivative with respect to {}: {}", directions[j].path, why));
  }
  Families made(std::size_t j, double spacing) const;
  Families families(std::size_t j, const NumberTape& own, bool from_scene) const;
  void make_block(std::vector<std::size_t> members, bool usual, const NumberTape& own);
  void place(Block& block, bool from_scene) const;
  double allowed(Block& block, double h) const;
  double expand();
  bool take(const State& to);
  void evaluate(Block& block, const Bends& h, std::vector<Bends>& x) const;
  std::vector<double> in_own_world(const State& here, const Columns& columns, const OfState& of,
                                   std::size_t j) const;
  void add_numbers(const State& here, const Columns& columns, const OfState& of, std::size_t j,
                   double* out) const;
  std::vector<double> slope_along(Lab& other, const State& here, const Columns& columns,
                                  const double* rate) const;
};

Families SecondVariation::Parts::made(std::size_t j, double spacing) const {
  Families out;
  const double size = std::fabs(directions[j].value);
  out.spacing = spacing;
  out.by = directions[j].scene && size > 0.0 ? size : 1.0;
  out.along = along.scale;
  for (std::size_t family = 0; family < 2; ++family) {
    for (const double node : Stencil::central().nodes) {
      const double s = node * spacing;
      out.labs[family].push_back(
          std::make_unique<Lab>(along.scene(j, s * out.by, (family == 0 ? s : -s) * out.along)));
      if (out.labs[family].back()->dimension() != n)
        throw refused(j, "the state has another number of coordinates beside it");
      out.tapes[family].push_back(tape_of(*out.labs[family].back()));
      if (!same_shape(out.tapes[family].back(), out.tapes[family].front()))
        throw refused(j, "the equations change their form within a sixteenth of it");
    }
  }
  return out;
}

Families SecondVariation::Parts::families(std::size_t j, const NumberTape& own, bool from_scene) const {
  std::string why;
  std::optional<Families> best;
  double best_error = kInfinity;
  for (const double spacing : {0x1p-4, 0x1p-5, 0x1p-6, 0x1p-7}) {
    try {
      Families near = made(j, spacing);
      const bool still = std::all_of(near.tapes[1].begin(), near.tapes[1].end(), [&](const NumberTape& tape) {
        return tape.values() == own.values() && tape.shape() == own.shape();
      });
      if (!same_shape(near.tapes[0][0], near.tapes[1][0])) {
        if (!still) throw refused(j, "the equations have another form at it than beside it");
        near.labs[1].clear();
      }
      Errors errors;
      of_numbers(near, own, &errors);
      if (from_scene) of_starts(near, lab, &errors);
      const double error = std::max(errors.slope / spacing, errors.bend / (spacing * spacing));
      if (error < best_error) {
        best_error = error;
        best = std::move(near);
      }
      // Nothing but roundoff is left.
      constexpr double kRoundoff = 4e-15;
      if (errors.slope <= kAgrees && errors.bend <= kRoundoff) break;
    } catch (const InputError& error) {
      why = error.what();
    }
  }
  constexpr double kGoodEnough = 1e-7;
  if (!best) throw refused(j, why);
  if (best_error > kGoodEnough) throw refused(j, "what the scene makes of it is not smooth there");
  return std::move(*best);
}

// `usual`: with the lab's own form of the equations; otherwise that beside the numbers of its one member.
void SecondVariation::Parts::make_block(std::vector<std::size_t> members, bool usual, const NumberTape& own) {
  Block block;
  std::vector<double> numbers = own.values();
  std::unique_ptr<Lab> close;
  if (!usual) {
    const Families& near = *followed[members[0]].near;
    const std::vector<double> weights = Stencil::central().value;
    const double closely = 0x1p-30;
    close = std::make_unique<Lab>(along.scene(members[0], closely * near.by, closely * near.along));
    numbers.clear();
    for (std::size_t q = 0; q < near.tapes[0][0].values().size(); ++q)
      numbers.push_back(weighed(weights, [&](std::size_t node) { return near.tapes[0][node].values()[q]; }));
    if (!same_shape(tape_of(*close), near.tapes[0][0]))
      throw refused(members[0], "the equations change their form close to it");
  }
  std::vector<std::vector<double>> rates(Bends::kDirections, std::vector<double>(numbers.size(), 0.0));
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (!followed[members[m]].near) continue;
    const Families& near = *followed[members[m]].near;
    Errors unused;
    Mixed of = of_numbers(near, own, &unused);
    rates[m] = std::move(of.by);
    rates[static_cast<std::size_t>(Bends::kAlong) - 1] = std::move(of.along);
    rates[static_cast<std::size_t>(Bends::kSecond) - 1 + m] = std::move(of.second);
  }
  NumberTape tape(std::move(numbers), std::move(rates));
  block.moving =
      std::make_unique<WorldOver<Bends>>(usual ? lab.inside().world : close->inside().world, &tape);
  block.members = std::move(members);
  block.x.resize(n);
  block.shown.resize(n);
  blocks.push_back(std::move(block));
}

// Where following begins.
void SecondVariation::Parts::place(Block& block, bool from_scene) const {
  const State& here = lab.state();
  for (std::size_t i = 0; i < n; ++i) {
    block.x[i] = Bends(here.hi[i]);
    if (!along.start.empty()) block.x[i].set_part(Bends::kAlong, along.start[i]);
  }
  bool knows_along = false;
  for (std::size_t m = 0; m < block.members.size(); ++m) {
    const std::size_t j = block.members[m];
    const int part = static_cast<int>(m) + 1;
    if (!directions[j].scene) {
      for (std::size_t i = 0; i < n; ++i) block.x[i].set_part(part, directions[j].start[i]);
    }
    if (!from_scene || !followed[j].near) continue;
    const Families& near = *followed[j].near;
    Errors unused;
    const Mixed of = of_starts(near, lab, &unused);
    for (std::size_t i = 0; i < n; ++i) {
      if (directions[j].scene) block.x[i].set_part(part, of.by[i]);
      if (!knows_along) add_part(block.x[i], Bends::kAlong, of.along[i]);
      block.x[i].set_part(Bends::kAlong + part, of.second[i]);
    }
    knows_along = true;
  }
  block.moving->project(Bends(here.t), block.x.data());
  for (std::size_t i = 0; i < n; ++i) block.x[i].set_part(0, here.hi[i]);
}

SecondVariation::SecondVariation(Lab& lab, std::vector<Direction> directions, Along along, bool from_scene)
    : parts_(std::make_unique<Parts>(
          Parts{lab, lab.dimension(), std::move(directions), std::move(along), {}, {}, {}})) {
  Parts& of = *parts_;
  if (const std::string why = refusal(lab); !why.empty()) throw InputError({lab.scene().name}, why);
  const NumberTape own = tape_of(lab);
  std::vector<std::size_t> usual, others;
  for (std::size_t j = 0; j < of.directions.size(); ++j) {
    Parts::Followed& followed = of.followed.emplace_back();
    if (of.along.scene) {
      followed.near = of.families(j, own, from_scene);
      const auto unchanged = [&](const NumberTape& tape) { return tape.values() == own.values(); };
      followed.in_rows = !is_start(lab, of.directions[j].path);
      for (const std::vector<NumberTape>& tapes : followed.near->tapes)
        followed.in_rows = followed.in_rows || !std::all_of(tapes.begin(), tapes.end(), unchanged);
    }
    (!followed.near || same_shape(followed.near->tapes[0][0], own) ? usual : others).push_back(j);
  }
  for (std::size_t first = 0; first < usual.size(); first += kBlock) {
    const std::size_t last = std::min(usual.size(), first + kBlock);
    of.make_block({usual.begin() + static_cast<std::ptrdiff_t>(first),
                   usual.begin() + static_cast<std::ptrdiff_t>(last)},
                  true, own);
  }
  for (const std::size_t j : others) of.make_block({j}, false, own);
  for (Parts::Block& block : of.blocks) of.place(block, from_scene);
}

SecondVariation::~SecondVariation() = default;

std::int64_t SecondVariation::shortened() const { return parts_->shortened; }

// How long a step may be for all parts, each by its own size: as Variation, but that second derivatives of a
// series have terms k^2 times as large.
double SecondVariation::Parts::allowed(Block& block, double h) const {
  constexpr int kMostPasses = 64;
  const std::size_t lanes = lab.inside().world.motion_lanes();
  const double tolerance = lab.inside().options.tolerance;
  const int looked_at = std::max(1, order - kTaylorWindow + 1);
  std::vector<double> sizes(static_cast<std::size_t>(order) + 1);
  for (int part = 1; part < kParts<Bends>; ++part) {
    const double lenient = part < Bends::kSecond ? 64.0 : 512.0;
    for (int k = 0; k <= order; ++k) {
      double& largest = sizes[static_cast<std::size_t>(k)] = 0.0;
      const Bends* row = block.c.data() + static_cast<std::size_t>(k) * n;
      for (std::size_t i = 0; i < lanes; ++i) largest = std::max(largest, std::fabs(row[i].part(part)));
    }
    for (int pass = 0; pass < kMostPasses; ++pass) {
      double whole = 0.0, power = 1.0, shrink = 1.0;
      for (int k = 0; k <= order; ++k, power *= h) {
        const double term = sizes[static_cast<std::size_t>(k)] * power;
        if (4 * k <= order) whole = std::max(whole, term);
        if (k < looked_at) continue;
        const double most = lenient * std::pow(tolerance, static_cast<double>(k) / order) * whole;
        if (term > most && most > 0.0) shrink = std::min(shrink, std::pow(most / term, 1.0 / k));
      }
      if (shrink == 1.0) break;
      h *= shrink;
    }
  }
  return h;
}

// The series from where a step begins; how long the step may be for them, infinite where the motion itself
// asks for one as short.
double SecondVariation::Parts::expand() {
  from = lab.state();
  order = lab.inside().stepper->order();
  longest = kInfinity;
  double h = 0.0;
  for (Block& block : blocks) {
    block.c.resize((static_cast<std::size_t>(order) + 1) * n);
    block.moving->taylor(Bends(from.t), block.x.data(), order, block.c.data());
    const std::size_t lanes = lab.inside().world.motion_lanes();
    const auto size = [&](int k) {
      double largest = 0.0;
      const Bends* row = block.c.data() + static_cast<std::size_t>(k) * n;
      for (std::size_t i = 0; i < lanes; ++i) largest = std::max(largest, std::fabs(row[i].value()));
      return largest;
    };
    if (h == 0.0) {
      const double scale = std::max(1.0, size(0));
      h = taylor_step(order, std::log2(lab.inside().options.tolerance), scale, size);
      if (std::isinf(h)) h = step_of_few_orders(order, from.t, scale, size);
    }
    if (std::isnan(h)) break;
    const double enough = allowed(block, h);
    if (enough < h) longest = std::min(longest, enough);
  }
  return longest;
}

void SecondVariation::Parts::evaluate(Block& block, const Bends& h, std::vector<Bends>& x) const {
  const bool moves = !(h == Bends(h.value()));  // the instant itself has rates
  const auto last = static_cast<std::size_t>(order);
  for (std::size_t i = 0; i < n; ++i) {
    const Bends* c = block.c.data() + i;
    Bends sum = c[last * n];
    for (std::size_t k = last; k-- > 0;) sum = (moves ? sum * h : sum * h.value()) + c[k * n];
    x[i] = sum;
  }
}

bool SecondVariation::Parts::take(const State& to) {
  const double h = (to.t - from.t) + (to.t_lo - from.t_lo);
  if (h >= longest * (1.0 - 1e-12)) ++shortened;
  const double ticks = 16.0 * std::numeric_limits<double>::epsilon() * std::fabs(to.t);
  const auto put_value = [&](Block& block) {
    for (std::size_t i = 0; i < n; ++i) block.x[i].set_part(0, to.hi[i]);
  };
  falling = h < last_step ? falling + 1 : 0;
  if (falling == 0) first_step = h;
  last_step = h;
  // So steps come to a kink without a slope, as a wind's profile has at its ground. Before it second
  // derivatives grow without bound, and what is left of them there no step sums up.
  constexpr int kMany = 8;
  constexpr double kSmall = 1e-4;
  const bool has_no_slope = falling >= kMany && h < kSmall * first_step;
  bool finite = true;
  for (Block& block : blocks) {
    constexpr double kBeyond = 1e-6;  // a kink that the step has ended at lies within it
    Bends kink = lab.inside().world.has_kinks() ? block.moving->smooth_until(Bends(h * (1.0 + kBeyond)))
                                                : Bends(kInfinity);
    const bool at_kink = std::fabs(kink.value() - h) <= 1e-9 * h + ticks;
    if (at_kink && has_no_slope) return false;
    kink.set_part(0, h);
    evaluate(block, at_kink ? kink : Bends(h), block.x);
    put_value(block);
    if (at_kink) {  // the instant moves, and what lies beyond it has so much less time
      std::vector<Bends> beyond(3 * n);
      const Bends later = kink - Bends(h);
      block.moving->taylor(Bends(to.t) + later, block.x.data(), 2, beyond.data());
      for (std::size_t i = 0; i < n; ++i)
        block.x[i] = beyond[i] - (beyond[n + i] - beyond[2 * n + i] * later) * later;
    }
    block.moving->project(Bends(to.t), block.x.data());
    put_value(block);
    for (const Bends& lane : block.x) {
      for (int part = 0; part < kParts<Bends>; ++part) finite = finite && std::isfinite(lane.part(part));
    }
  }
  return finite;
}

StepStatus SecondVariation::advance() {
  Parts& of = *parts_;
  Stepper& stepper = *of.lab.inside().stepper;
  const double usual = of.lab.inside().options.max_step.value_or(kInfinity);
  stepper.limit(std::min(usual, of.expand()));
  const StepStatus status = of.lab.advance();
  stepper.limit(usual);
  if (status != StepStatus::done) return status;
  return of.take(of.lab.state()) ? StepStatus::done : StepStatus::not_finite;
}

SecondVariation::OfState SecondVariation::at(double t) {
  Parts& of = *parts_;
  const State here = of.lab.state_at(t);
  OfState out{std::vector<double>(of.n), std::vector<double>(of.directions.size() * of.n), {}};
  out.second = out.first;
  const bool at_end = of.order == 0 || (t - of.lab.time()) - of.lab.state().t_lo >= 0.0;
  for (Parts::Block& block : of.blocks) {
    if (at_end) {
      block.shown = block.x;
    } else {
      of.evaluate(block, Bends((t - of.from.t) - of.from.t_lo), block.shown);
      for (std::size_t i = 0; i < of.n; ++i) block.shown[i].set_part(0, here.hi[i]);
      block.moving->project(Bends(t), block.shown.data());
    }
    for (std::size_t i = 0; i < of.n; ++i) {
      out.along[i] = block.shown[i].part(Bends::kAlong);
      for (std::size_t m = 0; m < block.members.size(); ++m) {
        const int part = static_cast<int>(m) + 1;
        out.first[block.members[m] * of.n + i] = block.shown[i].part(part);
        out.second[block.members[m] * of.n + i] = block.shown[i].part(Bends::kAlong + part);
      }
    }
  }
  return out;
}

namespace {

// How far along a rate is a small change of the state.
double small_change(const State& here, const double* rate) {
  double fastest = 0.0;
  for (std::size_t i = 0; i < here.hi.size(); ++i)
    fastest = std::max(fastest, std::fabs(rate[i]) / (1.0 + std::fabs(here.hi[i])));
  return fastest > 0.0 ? 0x1p-5 / fastest : 0.0;
}

}  // namespace

// What a row of the lab's own world owes to the state's changes: with
//     g(a, b) = row of x + a X + b V + a b W
// its mixed derivative, from those along a = b and a = -b.
std::vector<double> SecondVariation::Parts::in_own_world(const State& here, const Columns& columns,
                                                         const OfState& of, std::size_t j) const {
  const std::size_t width = columns.width();
  const double *x = of.first.data() + j * n, *v = of.along.data(), *w = of.second.data() + j * n;
  double a = small_change(here, x), b = small_change(here, v);
  std::vector<double> out(width, 0.0);
  const double most = small_change(here, w);  // a b W is a small change, too
  if (a == 0.0) a = b > 0.0 ? b : std::sqrt(most);
  if (b == 0.0) b = a;
  if (a == 0.0) return out;
  if (most > 0.0 && a * b > most) {
    const double less = std::sqrt(most / (a * b));
    a *= less;
    b *= less;
  }
  const Stencil stencil = Stencil::central();
  std::vector<double> row(width);
  Variation::row_beside(lab, lab, here, columns, row.data());
  double best = kInfinity;
  for (int attempt = 0; attempt < 4; ++attempt, a *= 0.5, b *= 0.5) {
    std::vector<double> sum(width, 0.0);
    double worst = 0.0;
    for (const double sign : {1.0, -1.0}) {
      std::vector<std::vector<double>> seen(stencil.nodes.size(), std::vector<double>(width));
      for (std::size_t node = 0; node < seen.size(); ++node) {
        const double s = stencil.nodes[node];
        State beside = here;
        for (std::size_t i = 0; i < n; ++i)
          beside.hi[i] += s * (a * x[i] + sign * b * v[i]) + s * s * sign * a * b * w[i];
        Variation::row_beside(lab, lab, beside, columns, seen[node].data());
      }
      const std::vector<double> bend = bends(
          width, [&](std::size_t node, std::size_t q) { return seen[node][q]; },
          [&](std::size_t q) { return row[q]; }, &worst);
      for (std::size_t q = 0; q < width; ++q) sum[q] += sign * bend[q] / (4.0 * a * b);
    }
    const double error = worst / (a * b);
    if (error < best) out = sum;
    best = std::min(best, error);
    constexpr double kRoundoff = 4e-15;
    if (worst <= kRoundoff) break;
  }
  return out;
}

// The slope of a row in another world along a change of the state.
std::vector<double> SecondVariation::Parts::slope_along(Lab& other, const State& here, const Columns& columns,
                                                        const double* rate) const {
  const std::size_t width = columns.width();
  const double span = small_change(here, rate);
  if (span == 0.0) return std::vector<double>(width, 0.0);
  const Stencil stencil = Stencil::central();
  std::vector<std::vector<double>> seen(stencil.nodes.size(), std::vector<double>(width));
  for (std::size_t node = 0; node < seen.size(); ++node) {
    State beside = here;
    for (std::size_t i = 0; i < n; ++i) beside.hi[i] += stencil.nodes[node] * span * rate[i];
    Variation::row_beside(lab, other, beside, columns, seen[node].data());
  }
  double unused = 0.0;
  return slopes(
      stencil, span, width, [&](std::size_t node, std::size_t q) { return seen[node][q]; }, &unused);
}

// What a row owes to the numbers beside the state, and to both: G_pv + G_xp V + G_xv X.
void SecondVariation::Parts::add_numbers(const State& here, const Columns& columns, const OfState& of,
                                         std::size_t j, double* out) const {
  if (!followed[j].in_rows) return;
  const Families& near = *followed[j].near;
  const std::size_t width = columns.width();
  std::vector<std::vector<double>> rows[2], by_x[2], by_v[2];
  for (std::size_t family = 0; family < 2; ++family) {
    for (const std::unique_ptr<Lab>& other : near.labs[family]) {
      Variation::row_beside(lab, *other, here, columns, rows[family].emplace_back(width).data());
      by_x[family].push_back(slope_along(*other, here, columns, of.first.data() + j * n));
      by_v[family].push_back(slope_along(*other, here, columns, of.along.data()));
    }
  }
  Errors unused;
  std::vector<double> row(width);
  Variation::row_beside(lab, lab, here, columns, row.data());
  const auto of_rows = [&](const auto& all) {
    return mixed(
        near, width, [&](std::size_t f, std::size_t node, std::size_t q) { return all[f][node][q]; },
        [&](std::size_t q) { return row[q]; }, &unused);
  };
  const Mixed plain = of_rows(rows), along_x = of_rows(by_x), along_v = of_rows(by_v);
  for (std::size_t q = 0; q < width; ++q) out[q] += plain.second[q] + along_v.by[q] + along_x.along[q];
}

std::vector<double> SecondVariation::rows(double t, const Columns& columns) {
  Parts& of = *parts_;
  const OfState rates = at(t);
  const std::size_t width = columns.width();
  std::vector<double> row(width);
  of.lab.observe(t, columns, row.data());
  const State here = of.lab.state_at(t);
  std::vector<double> out(of.directions.size() * width);
  for (std::size_t j = 0; j < of.directions.size(); ++j) {
    const std::vector<double> moved = of.in_own_world(here, columns, rates, j);
    std::copy(moved.begin(), moved.end(), out.begin() + static_cast<std::ptrdiff_t>(j * width));
    of.add_numbers(here, columns, rates, j, out.data() + j * width);
    out[j * width] = 0.0;  // time is what it is
  }
  return out;
}

}  // namespace catena
