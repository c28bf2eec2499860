// The page does without: its engine would be a tenth larger (variation_none.cpp).
#if !defined(__wasm__)

#include "catena/lab/variation.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/base/words.h"
#include "catena/dynamics/world/chain_rates.h"
#include "catena/dynamics/world/world_over.h"
#include "catena/integrate/catalog.h"
#include "catena/integrate/runge_kutta.h"
#include "catena/integrate/taylor_step.h"
#include "catena/lab/inside.h"
#include "catena/lab/slopes.h"
#include "catena/math/number_tape.h"
#include "catena/math/stencil.h"
#include "catena/math/tangent.h"

namespace catena {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A number and the worlds around it.
struct Neighbours {
  Stencil stencil = Stencil::central();
  double spacing = 0.0;
  std::vector<std::unique_ptr<Lab>> labs;  // at the stencil's nodes
  std::vector<NumberTape> tapes;
  std::vector<double> kinks;  // where the piece began that holds of their prescribed motions, s
};

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

NumberTape tape_of(Lab& lab) {
  NumberTape tape;
  const WorldOver<Rates> world(lab.inside().world, &tape);
  return tape;
}

Neighbours made(const Lab& lab, const Direction& of, const Stencil& stencil, double spacing) {
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

}  // namespace

struct Variation::Parts {
  struct Followed {
    std::optional<Neighbours> near;       // none: a change of the state
    std::vector<Neighbours> closer = {};  // made where something is not smooth within the usual distance
    bool unchanged = false;               // the world, but not its start
    bool start_only = false;
    std::vector<Stem>
        columns;  // of these rows: what they owe to it beside the state; of starts the same always
    std::vector<double> rows;
  };
  // Directions that go through the equations together.
  struct Block {
    std::vector<std::size_t> members;
    std::unique_ptr<WorldOver<Rates>> moving;
    std::vector<Rates> c, x;
    std::vector<Rates> sizes;  // of the series, each direction's largest rate; [order]
  };

  Lab& lab;
  std::size_t n;
  std::vector<Direction> directions;
  std::vector<Followed> followed;
  std::vector<Block> blocks;
  std::vector<double> rates, start_rates, shown;  // [direction][lane]
  State from;
  int order = 0;
  std::vector<double> limits;  // of the last terms of series, beside the first
  bool has_kinks = false, leaps = false;
  double longest = kInfinity;  // that the step may be for the sake of rates
  std::int64_t shortened = 0;

  // A Runge-Kutta method: the same one takes the same steps with the rates behind the state.
  System together;
  std::optional<Tableau> tableau;
  std::unique_ptr<Stepper> companion;
  State both;
  std::vector<Rates> speed;
  void make_companion(const Tableau& of);
  bool step_together(const State& to, double h);

  // Blocks of a world that is one chain of point masses: all of them at once, behind the value's own series.
  std::unique_ptr<ChainRates> chain;
  const double* values = nullptr;  // the value's series
  std::size_t usual_blocks = 0;
  std::vector<const Rates*> chain_x;
  std::vector<Rates*> chain_c;
  void find_chain();
  void expand_chain(const State& at);

  // Formulations that tangents do not have: the same motion by the chain's own one, which goes on as far as
  // rows and events ask. Derivatives of a flow do not depend on how it is written.
  std::unique_ptr<Lab> beside_lab;
  std::string beside_start;  // no later than the lab's last step
  void follow_beside();
  Lab& beside_at(double t, const Columns& columns);
  InputError no_lanes() const {
    return InputError({lab.scene().name},
                      "derivatives of the state itself are those of unit vectors: leave `formulation` out; "
                      "columns have theirs with every formulation");
  }

  Parts(Lab& of, std::vector<Direction> given) : lab(of), n(of.dimension()), directions(std::move(given)) {}

  Neighbours neighbours(const Direction& of);
  std::unique_ptr<Lab> follow(std::size_t direction, const NumberTape& own);
  std::unique_ptr<Lab> close_to(std::size_t direction, const NumberTape& own) const;
  std::vector<double> start_of(std::size_t direction) const;
  void make_block(std::vector<std::size_t> members, Lab* near);
  void make_usual_blocks(const std::vector<std::size_t>& usual);
  // Prescribed motions with kinks: all worlds hold the piece that does at this time.
  void take_pieces_at(double t);
  void renew_blocks();
  std::string pass_kink(std::size_t direction, World& before, const State& at, const State& to, double* rate);
  std::vector<double> number_slopes(std::size_t direction) const;
  // Terms fall from the first few on: the largest is among a quarter of them.
  bool is_first(int k) const { return 4 * k <= order; }
  int first_looked_at() const { return std::max(1, order - kTaylorWindow + 1); }
  void make_limits();
  void sizes_of(const Block& block, int k, Rates& out) const;
  double allowed(Block& block, double h, int passes) const;
  // The state's rates at h into x, not yet on the constraints.
  void evaluate(Block& block, const Rates& h, int orders) const;
  void put(Block& block, const double* values, std::vector<double>& to, const Rates& t);
  void set(Block& block, const std::vector<double>& values, const std::vector<double>& of) const;
  std::vector<double> along(const Columns& columns, const double* rate, double in_time);
  const std::vector<double>& beside(std::size_t direction, const Columns& columns);
  std::vector<double> beside(const Neighbours& near, const Columns& columns, double* worst);
};

Neighbours Variation::Parts::neighbours(const Direction& of) {
  const double scale = of.value != 0.0 ? std::fabs(of.value) : 1.0;
  std::string why;
  std::optional<Neighbours> best;
  double best_error = kInfinity;
  const auto attempt = [&](const Stencil& stencil, double spacing) {
    try {
      Neighbours near = made(lab, of, stencil, spacing);
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
  if (!followed[direction].near) return std::vector<double>(tape_of(lab).values().size(), 0.0);
  const Neighbours& near = *followed[direction].near;
  double unused = 0.0;
  return slopes(
      near.stencil, near.spacing, near.tapes[0].values().size(),
      [&](std::size_t node, std::size_t q) { return near.tapes[node].values()[q]; }, &unused);
}

// `near`: none: the world as it is; otherwise one of the form that it has beside the number.
void Variation::Parts::make_block(std::vector<std::size_t> members, Lab* near) {
  Block block;
  std::vector<double> numbers;
  if (near == nullptr) {
    numbers = tape_of(lab).values();
  } else {
    const Neighbours& of = *followed[members[0]].near;
    for (std::size_t q = 0; q < of.tapes[0].values().size(); ++q) {
      numbers.push_back(
          weighed(of.stencil.value, [&](std::size_t node) { return of.tapes[node].values()[q]; }));
    }
  }
  std::vector<std::vector<double>> number_rates;
  for (const std::size_t j : members) number_rates.push_back(number_slopes(j));
  NumberTape tape(std::move(numbers), std::move(number_rates));
  block.moving =
      std::make_unique<WorldOver<Rates>>(near == nullptr ? lab.inside().world : near->inside().world, &tape);
  block.members = std::move(members);
  block.x.resize(n);
  blocks.push_back(std::move(block));
}

// Why derivatives cannot be followed, in words for a user; "" where they can.
namespace {

// Whether tangents have a chain's own state.
bool in_unit_vectors(const ChainUnit& unit) {
  return unit.bodies() != nullptr || unit.elastic() || std::holds_alternative<RigidChain<2>>(unit.chain) ||
         std::holds_alternative<RigidChain<3>>(unit.chain);
}
bool in_unit_vectors(const World& world) {
  return std::all_of(world.chains().begin(), world.chains().end(),
                     [](const ChainUnit& unit) { return in_unit_vectors(unit); });
}

std::string following_refusal(const Lab& lab, const Tableau* tableau) {
  const World& world = lab.inside().world;
  const std::string name = lab.method().name;
  if (name != "taylor" && tableau == nullptr)
    return fmt::format("derivatives are followed by taylor and explicit Runge-Kutta methods, not by {}",
                       name);
  if (tableau != nullptr && world.has_kinks())
    return fmt::format(
        "derivatives through kinks of laws, limits and slack links are followed by taylor, not by {}", name);
  if (lab.scene().simulation.precision != "double")
    return "derivatives are computed in double; leave `precision` out";
  if (tableau != nullptr && world.has_pieces())
    return fmt::format("derivatives through kinks of prescribed motions are followed by taylor, not by {}",
                       name);
  if (!in_unit_vectors(world) && tableau != nullptr)
    return fmt::format(
        "the run is by {} in another formulation: derivatives of a method's own steps are those of the "
        "formulations "
        "tension and articulated; leave `formulation` out, or take taylor, whose derivatives are those of "
        "the "
        "flow",
        name);
  // Impulses at kinks of prescribed motions have derivatives of their own.
  if (world.has_pieces() || !in_unit_vectors(world)) return "";
  if (const std::string why = digits_refusal(world); !why.empty()) return "a run with derivatives " + why;
  return "";
}

}  // namespace

// Where its equations have another form than those of the lab, a world of that form, close to it.
std::unique_ptr<Lab> Variation::Parts::follow(std::size_t j, const NumberTape& own) {
  const Direction& direction = directions[j];
  Followed& made = followed.emplace_back();
  if (!direction.scene) return nullptr;
  const Neighbours& near = made.near.emplace(neighbours(direction));
  const auto unchanged = [&](const NumberTape& tape) { return tape.values() == own.values(); };
  made.unchanged = std::all_of(near.tapes.begin(), near.tapes.end(), unchanged);
  made.start_only = is_start(lab, direction.path) && made.unchanged;
  return close_to(j, own);
}

std::unique_ptr<Lab> Variation::Parts::close_to(std::size_t j, const NumberTape& own) const {
  const Direction& direction = directions[j];
  const Neighbours& near = *followed[j].near;
  if (same_shape(own, near.tapes[0])) return nullptr;
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

// Those that have the lab's own form of the equations come first.
void Variation::Parts::find_chain() {
  std::vector<WorldOver<Rates>*> worlds;
  for (std::size_t b = 0; b < usual_blocks; ++b) worlds.push_back(blocks[b].moving.get());
  chain = ChainRates::of(lab.inside().world, worlds);
}

void Variation::Parts::expand_chain(const State& at) {
  chain_x.clear();
  chain_c.clear();
  for (std::size_t b = 0; b < usual_blocks; ++b) {
    chain_x.push_back(blocks[b].x.data());
    chain_c.push_back(blocks[b].c.data());
  }
  values = lab.inside().wired.expand_ahead(at.t, at.hi.data(), order);
  chain->taylor(order, chain_x, chain_c);
}

namespace {

// The scene with every chain by the equations that tangents go through. A chain that is computed in space
// stays there.
Scene in_usual_formulation(Scene scene, const World& world) {
  for (std::size_t c = 0; c < scene.chains.size(); ++c) {
    Chain& chain = scene.chains[c];
    if (chain.as_bodies() || in_unit_vectors(world.chains()[c])) continue;
    chain.formulation = Formulation::automatic;
    chain.plane_allowed = chain.plane_allowed && world.chains()[c].components() == 2;
  }
  return scene;
}

}  // namespace

void Variation::Parts::follow_beside() {
  const World& world = lab.inside().world;
  const bool any_state = std::any_of(directions.begin(), directions.end(),
                                     [](const Direction& direction) { return !direction.scene; });
  if (any_state || !lab.at_start_) throw no_lanes();
  std::vector<Direction> same = directions;
  for (Direction& direction : same) {
    direction.scene = [made = direction.scene, &world](double value) {
      return in_usual_formulation(made(value), world);
    };
  }
  beside_lab = std::make_unique<Lab>(in_usual_formulation(lab.scene(), world));
  beside_lab->follow(std::move(same));
  for (const Warning& warning : beside_lab->warnings()) lab.warn(warning);
  beside_start = beside_lab->checkpoint();
  start_rates = rates = shown = std::vector<double>(directions.size() * n, 0.0);
}

// The other lab with the row of time t looked at.
Lab& Variation::Parts::beside_at(double t, const Columns& columns) {
  Lab& other = *beside_lab;
  if (t < other.step_start()) other.restore(beside_start);
  while ((t - other.time()) - other.state().t_lo > 1e-15 * std::fabs(t)) {
    if (const StepStatus status = other.advance(); status != StepStatus::done)
      throw InputError({lab.scene().name}, fmt::format("derivatives cannot be followed beyond t = {} s",
                                                       number_text(other.time())));
  }
  std::vector<double> row(columns.width());
  other.observe(t, columns, row.data());
  return other;
}

void Variation::Parts::make_usual_blocks(const std::vector<std::size_t>& usual) {
  for (std::size_t first = 0; first < usual.size(); first += kDirections) {
    const std::size_t last = std::min(usual.size(), first + kDirections);
    make_block({usual.begin() + static_cast<std::ptrdiff_t>(first),
                usual.begin() + static_cast<std::ptrdiff_t>(last)},
               nullptr);
  }
  usual_blocks = blocks.size();
}

// Equations of another piece have other numbers.
void Variation::Parts::renew_blocks() {
  const NumberTape own = tape_of(lab);
  std::vector<std::size_t> usual;
  std::vector<std::pair<std::size_t, std::unique_ptr<Lab>>> others;
  for (std::size_t j = 0; j < directions.size(); ++j) {
    std::unique_ptr<Lab> close;
    if (followed[j].near) {
      Neighbours& near = *followed[j].near;
      for (std::size_t node = 0; node < near.labs.size(); ++node) {
        near.tapes[node] = tape_of(*near.labs[node]);
        if (!same_shape(near.tapes[node], near.tapes[0]))
          throw refused(lab, directions[j],
                        "behind a kink of a prescribed motion the equations change their form close to it");
      }
      followed[j].columns.clear();
      close = close_to(j, own);
    }
    if (close) {
      others.emplace_back(j, std::move(close));
    } else {
      usual.push_back(j);
    }
  }
  blocks.clear();
  make_usual_blocks(usual);
  for (auto& [j, close] : others) make_block({j}, close.get());
  order = 0;
  if (tableau == std::nullopt) find_chain();
}

void Variation::Parts::take_pieces_at(double t) {
  const int kinks = kinks_until(lab.inside().world, t);
  for (Followed& of : followed) {
    for (std::size_t node = 0; of.near && node < of.near->labs.size(); ++node)
      of.near->kinks[node] = take_pieces(of.near->labs[node]->inside().world, kinks, latest_kink(t));
  }
  renew_blocks();
}

namespace {

// The state that a kink leads to from one beside what the constraints allow: hi and lo in one number a lane.
std::string struck(World& world, double t, std::vector<double> hi, std::vector<double>& out) {
  constexpr int kMostTimes = 20;
  std::vector<double> lo(hi.size(), 0.0);
  for (int i = 0; i < kMostTimes; ++i) {
    std::fill(lo.begin(), lo.end(), 0.0);
    world.project(t, hi.data(), lo.data());
    double moved = 0.0, size = 1.0;
    for (std::size_t k = 0; k < hi.size(); ++k) {
      moved = std::max(moved, std::fabs(lo[k]));
      size = std::max(size, std::fabs(hi[k]));
      hi[k] += lo[k];
    }
    if (!(moved > 4 * std::numeric_limits<double>::epsilon() * size)) break;
  }
  std::fill(lo.begin(), lo.end(), 0.0);
  std::string why = world.pass_kink(t, hi.data(), lo.data());
  out.resize(hi.size());
  for (std::size_t k = 0; k < hi.size(); ++k) out[k] = hi[k] + lo[k];
  return why;
}

}  // namespace

// With the impulse x+ = R(tau, x-, p) at the kink's time tau(p), both from the worlds beside,
//     X+ = R_x (X- + f- tau') + (d/dp at x-) R - f+ tau'
std::string Variation::Parts::pass_kink(std::size_t j, World& before, const State& at, const State& to,
                                        double* rate) {
  std::vector<double> slope_before(n), slope_after(n), partial(n, 0.0);
  before.rhs(at.t, at.hi.data(), slope_before.data());
  lab.inside().world.rhs(to.t, to.hi.data(), slope_after.data());
  double later = 0.0;
  constexpr double kSmooth = 1e-9;
  const auto kinked = [&](const std::string& why) {
    return fmt::format(
        "no derivative with respect to {} behind the kink of a prescribed motion at t = {} s: {}",
        directions[j].path, number_text(at.t), why);
  };
  if (followed[j].near) {
    Neighbours& near = *followed[j].near;
    std::vector<std::vector<double>> landed(near.labs.size());
    std::vector<double> times;
    for (std::size_t node = 0; node < near.labs.size(); ++node) {
      World& world = near.labs[node]->inside().world;
      times.push_back(world.next_kink(near.kinks[node], latest_kink(at.t)));
      if (!std::isfinite(times.back())) return kinked("beside the number it has none");
      near.kinks[node] = times.back();
      if (const std::string why = struck(world, times.back(), at.hi, landed[node]); !why.empty())
        return kinked(why);
    }
    double worst = 0.0;
    later = slopes(
        near.stencil, near.spacing, 1, [&](std::size_t node, std::size_t) { return times[node]; }, &worst)[0];
    partial = slopes(
        near.stencil, near.spacing, n, [&](std::size_t node, std::size_t q) { return landed[node][q]; },
        &worst);
    if (worst > kSmooth) return kinked("it is not smooth there");
  }
  std::vector<double> moved(n);
  double fastest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    moved[i] = rate[i] + slope_before[i] * later;
    fastest = std::max(fastest, std::fabs(moved[i]) / (1.0 + std::fabs(at.hi[i])));
  }
  std::vector<double> out(n, 0.0);
  if (fastest > 0.0) {
    const Stencil stencil = Stencil::central();
    const double span = 0x1p-7 / fastest;
    std::vector<std::vector<double>> landed(stencil.nodes.size());
    for (std::size_t node = 0; node < stencil.nodes.size(); ++node) {
      World world(before);
      std::vector<double> x = at.hi;
      for (std::size_t i = 0; i < n; ++i) x[i] += stencil.nodes[node] * span * moved[i];
      if (const std::string why = struck(world, at.t, std::move(x), landed[node]); !why.empty())
        return kinked(why);
    }
    double worst = 0.0;
    out = slopes(
        stencil, span, n, [&](std::size_t node, std::size_t q) { return landed[node][q]; }, &worst);
    if (worst > kSmooth) return kinked("the impulse is not smooth there");
  }
  for (std::size_t i = 0; i < n; ++i) rate[i] = out[i] + partial[i] - slope_after[i] * later;
  return "";
}

std::string Variation::pass_kink(State& state) {
  Parts& of = *parts_;
  if (of.beside_lab) return of.lab.inside().world.pass_kink(state.t, state.hi.data(), state.lo.data());
  World before(of.lab.inside().world);
  const State from = state;
  std::string why = of.lab.inside().world.pass_kink(state.t, state.hi.data(), state.lo.data());
  for (std::size_t j = 0; why.empty() && j < of.directions.size(); ++j)
    why = of.pass_kink(j, before, from, state, of.rates.data() + j * of.n);
  if (!why.empty()) return why;
  try {
    of.renew_blocks();
  } catch (const InputError& error) {
    return error.what();
  }
  const std::vector<double> jumped = of.rates;
  for (Parts::Block& block : of.blocks) {
    of.set(block, state.hi, jumped);
    of.put(block, state.hi.data(), of.rates, Rates(state.t));
  }
  return "";
}

Variation::Variation(Lab& lab, std::vector<Direction> directions)
    : parts_(std::make_unique<Parts>(lab, std::move(directions))) {
  Parts& of = *parts_;
  const Tableau* tableau = tableau_of(lab.method(), lab.inside().options);
  if (const std::string why = following_refusal(lab, tableau); !why.empty())
    throw InputError({lab.scene().name}, why);
  if (!in_unit_vectors(lab.inside().world)) {
    of.follow_beside();
    return;
  }
  const NumberTape own = tape_of(lab);
  std::vector<std::size_t> usual;
  std::vector<std::pair<std::size_t, std::unique_ptr<Lab>>> others;
  for (std::size_t j = 0; j < of.directions.size(); ++j) {
    if (std::unique_ptr<Lab> close = of.follow(j, own)) {
      others.emplace_back(j, std::move(close));
    } else {
      usual.push_back(j);
    }
  }
  of.make_usual_blocks(usual);
  for (auto& [j, close] : others) of.make_block({j}, close.get());
  if (tableau == nullptr) of.find_chain();
  of.has_kinks = lab.inside().world.has_kinks();
  of.leaps = lab.inside().world.may_be_singular();
  for (std::size_t j = 0; j < of.directions.size(); ++j) {
    const std::vector<double> start = of.start_of(j);
    of.rates.insert(of.rates.end(), start.begin(), start.end());
  }
  const bool any_state = std::any_of(of.directions.begin(), of.directions.end(),
                                     [](const Direction& direction) { return !direction.scene; });
  of.shown = of.rates;
  if (any_state) {
    set(lab.state(), of.rates);
  } else {
    of.start_rates = of.rates;
  }
  if (tableau != nullptr) of.make_companion(*tableau);
}

Variation::~Variation() = default;

std::size_t Variation::count() const { return parts_->directions.size(); }
const std::vector<Direction>& Variation::directions() const { return parts_->directions; }
std::int64_t Variation::shortened() const {
  return parts_->beside_lab ? parts_->beside_lab->variation()->shortened() : parts_->shortened;
}
const std::vector<double>& Variation::start_rates() const { return parts_->start_rates; }

const std::vector<double>& Variation::at_end() const {
  if (parts_->beside_lab) throw parts_->no_lanes();
  return parts_->rates;
}
const std::string& Variation::notes() const { return parts_->beside_start; }
void Variation::set_notes(std::string notes) {
  parts_->beside_start = std::move(notes);
  if (parts_->beside_lab) parts_->beside_lab->restore(parts_->beside_start);
}

void Variation::set(const State& here, const std::vector<double>& rates) {
  Parts& of = *parts_;
  if (of.beside_lab) throw of.no_lanes();
  if (rates.size() != of.directions.size() * of.n)
    throw InputError({of.lab.scene().name}, fmt::format("rates of {} numbers are needed, there are {}",
                                                        of.directions.size() * of.n, rates.size()));
  if (of.lab.inside().world.has_pieces() && !of.blocks.empty()) of.take_pieces_at(here.t);
  for (Parts::Block& block : of.blocks) {
    of.set(block, here.hi, rates);
    of.put(block, here.hi.data(), of.rates, Rates(here.t));
  }
  of.start_rates = of.rates;
}

void Variation::restore(std::vector<double> rates, std::int64_t shortened) {
  if (!parts_->beside_lab && parts_->lab.inside().world.has_pieces())
    parts_->take_pieces_at(parts_->lab.time());
  parts_->rates = parts_->start_rates = parts_->shown = std::move(rates);
  parts_->shortened = shortened;
}

// The state and behind it the rates of all directions, [direction][lane], as one system.
void Variation::Parts::make_companion(const Tableau& of) {
  tableau = of;
  tableau->error.clear();  // steps are those of the motion
  tableau->error_in_time.clear();
  speed.resize(n);
  together.dimension = n * (1 + directions.size());
  const auto take = [this](Block& block, const double* y) {
    for (std::size_t i = 0; i < n; ++i) {
      block.x[i] = Rates(y[i]);
      for (std::size_t m = 0; m < block.members.size(); ++m)
        block.x[i].set_rate(static_cast<int>(m), y[(1 + block.members[m]) * n + i]);
    }
  };
  const auto give = [this](const Block& block, const std::vector<Rates>& numbers, double* y) {
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = numbers[i].value();
      for (std::size_t m = 0; m < block.members.size(); ++m)
        y[(1 + block.members[m]) * n + i] = numbers[i].rate(static_cast<int>(m));
    }
  };
  together.rhs = [this, take, give](Time t, const double* y, double* dy) {
    for (Block& block : blocks) {
      take(block, y);
      block.moving->rhs(Rates(t.hi), block.x.data(), speed.data());
      give(block, speed, dy);
    }
  };
  together.taylor = [this, take, give](double t, const double* y, int orders, double* c) {
    for (Block& block : blocks) {
      take(block, y);
      block.c.resize((static_cast<std::size_t>(orders) + 1) * n);
      block.moving->taylor(Rates(t), block.x.data(), orders, block.c.data());
      for (int k = 0; k <= orders; ++k) {
        const auto row = block.c.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * n);
        give(block, {row, row + static_cast<std::ptrdiff_t>(n)},
             c + static_cast<std::size_t>(k) * together.dimension);
      }
    }
  };
  if (lab.inside().system().project) {
    // From where the step has landed, with the derivative that the way back has there.
    together.project = [this, take, give](double t, const double* hi, double* lo) {
      std::vector<double> landed(together.dimension), back(together.dimension);
      for (std::size_t i = 0; i < landed.size(); ++i) landed[i] = hi[i] + lo[i];
      back = landed;
      for (Block& block : blocks) {
        take(block, landed.data());
        block.moving->project(Rates(t), block.x.data());
        give(block, block.x, back.data());
      }
      for (std::size_t i = 0; i < landed.size(); ++i) lo[i] += back[i] - landed[i];
    };
  }
  StepOptions options;
  options.step = 1.0;
  companion = make_runge_kutta(*tableau, together, options);
}

bool Variation::Parts::step_together(const State& to, double h) {
  both.t = from.t;
  both.t_lo = from.t_lo;
  both.hi = from.hi;
  both.lo = from.lo;
  both.hi.insert(both.hi.end(), rates.begin(), rates.end());
  both.lo.resize(both.hi.size(), 0.0);
  companion->restore({h, 1.0, 0.0});
  if (companion->step(both, to.t) != StepStatus::done) return false;
  const std::vector<double> landed(both.hi.begin() + static_cast<std::ptrdiff_t>(n), both.hi.end());
  for (Block& block : blocks) {
    set(block, to.hi, landed);
    put(block, to.hi.data(), rates, Rates(to.t));
  }
  return std::all_of(rates.begin(), rates.end(), [](double rate) { return std::isfinite(rate); });
}

void Variation::Parts::set(Block& block, const std::vector<double>& state,
                           const std::vector<double>& of) const {
  for (std::size_t i = 0; i < n; ++i) {
    block.x[i] = Rates(state[i]);
    for (std::size_t m = 0; m < block.members.size(); ++m)
      block.x[i].set_rate(static_cast<int>(m), of[block.members[m] * n + i]);
  }
}

// How large the last terms of a series of rates may be beside the largest of the first ones. As of a motion,
// tol^(k/p); rates of a series have terms k times as large.
void Variation::Parts::make_limits() {
  constexpr double kLenient = 64.0;
  const double tolerance = lab.inside().options.tolerance;
  limits.clear();
  for (int k = first_looked_at(); k <= order; ++k)
    limits.push_back(kLenient * std::pow(tolerance, static_cast<double>(k) / order));
}

// The largest rate of each direction, at order k.
void Variation::Parts::sizes_of(const Block& block, int k, Rates& out) const {
  const Rates* row = block.c.data() + static_cast<std::size_t>(k) * n;
  const std::size_t lanes = lab.inside().world.motion_lanes();
  for (int q = 0; q < Rates::kPacks; ++q) {
    Rates::Lanes largest = {};
    for (std::size_t i = 0; i < lanes; ++i) {
      const Rates::Lanes one = row[i].rates(q), other = -one, size = one > other ? one : other;
      largest = size > largest ? size : largest;
    }
    out.rates(q) = largest;
  }
}

// How long a step may be for the rates of all directions, each by its own size; h: as long as that is enough.
double Variation::Parts::allowed(Block& block, double h, int passes) const {
  for (int k = 0; k <= order; ++k) {
    if (is_first(k) || k >= first_looked_at()) sizes_of(block, k, block.sizes[static_cast<std::size_t>(k)]);
  }
  for (int pass = 0; pass < passes; ++pass) {
    Rates whole(0.0);
    double power = 1.0, shrink = 1.0;
    for (int k = 0; k <= order; ++k, power *= h) {
      const Rates& size = block.sizes[static_cast<std::size_t>(k)];
      for (int q = 0; q < Rates::kPacks && is_first(k); ++q) {
        const Rates::Lanes term = size.rates(q) * power;
        whole.rates(q) = term > whole.rates(q) ? term : whole.rates(q);
      }
      if (k < first_looked_at()) continue;
      const double limit = limits[static_cast<std::size_t>(k - first_looked_at())];
      for (std::size_t m = 0; m < block.members.size(); ++m) {
        const int j = static_cast<int>(m);
        const double term = size.rate(j) * power, most = limit * whole.rate(j);
        if (term > most && most > 0.0) shrink = std::min(shrink, std::pow(most / term, 1.0 / k));
      }
    }
    if (shrink == 1.0) break;
    h *= shrink;
  }
  return h;
}

double Variation::expand(const State& from, int order) {
  Parts& of = *parts_;
  if (of.beside_lab) {
    of.beside_start = of.beside_lab->checkpoint();
    return kInfinity;
  }
  of.from = from;
  of.start_rates = of.rates;
  if (order != of.order) {
    of.order = order;
    of.make_limits();
    for (Parts::Block& block : of.blocks) {
      block.c.resize((static_cast<std::size_t>(order) + 1) * of.n);
      block.sizes.resize(static_cast<std::size_t>(order) + 1);
    }
  }
  if (of.companion != nullptr) return kInfinity;
  of.longest = kInfinity;
  for (Parts::Block& block : of.blocks) of.set(block, from.hi, of.rates);
  if (of.chain != nullptr) of.expand_chain(from);
  constexpr int kUsual = 4, kFromFarOff = 64;
  int passes = kUsual;
  double h = 0.0;  // as long as the motion itself asks for, about
  for (std::size_t b = 0; b < of.blocks.size(); ++b) {
    Parts::Block& block = of.blocks[b];
    if (of.chain == nullptr || b >= of.usual_blocks)
      block.moving->taylor(Rates(from.t), block.x.data(), order, block.c.data());
    const std::size_t lanes = of.lab.inside().world.motion_lanes();
    const auto size = [&](int k) {
      double largest = 0.0;
      const std::size_t row = static_cast<std::size_t>(k) * of.n;
      for (std::size_t i = 0; i < lanes; ++i) {
        const double value = of.chain != nullptr ? of.values[row + i] : block.c[row + i].value();
        largest = std::max(largest, std::fabs(value));
      }
      return largest;
    };
    if (h == 0.0) {
      const double scale = std::max(1.0, size(0));
      h = taylor_step(order, std::log2(of.lab.inside().options.tolerance), scale, size);
      // What stands still, or is a polynomial, steps far; its rates need not.
      if (std::isinf(h)) {
        h = step_of_few_orders(order, from.t, scale, size);
        passes = kFromFarOff;
      }
    }
    if (std::isnan(h)) break;
    const double allowed = of.allowed(block, h, passes);
    if (allowed < h) of.longest = std::min(of.longest, allowed);
  }
  return of.longest;
}

void Variation::Parts::evaluate(Block& block, const Rates& h, int orders) const {
  const bool moves = !(h == Rates(h.value()));  // the instant itself has rates
  const auto last = static_cast<std::size_t>(orders);
  for (std::size_t i = 0; i < n; ++i) {
    const Rates* c = block.c.data() + i;
    if (moves) {
      Rates sum = c[last * n];
      for (std::size_t k = last; k-- > 0;) sum = multiply_add(sum, h, c[k * n]);
      block.x[i] = sum;
      continue;
    }
    for (int q = 0; q < Rates::kPacks; ++q) {
      Rates::Lanes sum = c[last * n].rates(q);
      for (std::size_t k = last; k-- > 0;) sum = sum * h.value() + c[k * n].rates(q);
      block.x[i].rates(q) = sum;
    }
  }
}

// The rates in x, of a state, onto the constraints and from there.
void Variation::Parts::put(Block& block, const double* state, std::vector<double>& to, const Rates& t) {
  for (std::size_t i = 0; i < n; ++i) block.x[i].set_part(0, state[i]);
  block.moving->project(t, block.x.data());
  for (std::size_t m = 0; m < block.members.size(); ++m) {
    for (std::size_t i = 0; i < n; ++i) to[block.members[m] * n + i] = block.x[i].rate(static_cast<int>(m));
  }
}

bool Variation::take(const State& to) {
  Parts& of = *parts_;
  if (of.beside_lab) return true;
  int order = of.order;
  const double h = (to.t - of.from.t) + (to.t_lo - of.from.t_lo);
  if (of.companion != nullptr) return of.step_together(to, h);
  if (h >= of.longest * (1.0 - 1e-12)) ++of.shortened;
  // A leap over a singular position is taken with few orders.
  if (of.leaps) {
    const StepPolynomial& polynomial = of.lab.inside().stepper->dense();
    const auto is_zero = [&](int k) {
      return std::all_of(polynomial.row(k), polynomial.row(k) + of.n, [](double c) { return c == 0.0; });
    };
    while (order > 1 && is_zero(order)) --order;
    for (Parts::Block& block : of.blocks) {
      std::fill(block.c.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(order) + 1) * of.n),
                block.c.end(), Rates(0.0));
    }
  }
  const double ticks = 16.0 * std::numeric_limits<double>::epsilon() * std::fabs(to.t);
  for (Parts::Block& block : of.blocks) {
    Rates length(h);
    constexpr double kBeyond = 1e-6;  // a kink that the step has ended at lies within it
    const Rates kink =
        of.has_kinks ? block.moving->smooth_until(Rates(h * (1.0 + kBeyond))) : Rates(kInfinity);
    const bool at_kink = std::fabs(kink.value() - h) <= 1e-9 * h + ticks;
    for (int j = 0; at_kink && j < kDirections; ++j) length.set_rate(j, kink.rate(j));
    of.evaluate(block, length, order);
    if (at_kink) {  // the instant moves: what lies beyond it has moved on by so much less
      std::vector<Rates> end = block.x, slope(of.n);
      for (std::size_t i = 0; i < of.n; ++i) end[i].set_part(0, to.hi[i]);
      block.moving->rhs(Rates(to.t), end.data(), slope.data());
      for (std::size_t i = 0; i < of.n; ++i) {
        for (int j = 0; j < kDirections; ++j)
          block.x[i].set_rate(j, block.x[i].rate(j) - slope[i].value() * length.rate(j));
      }
    }
    of.put(block, to.hi.data(), of.rates, Rates(to.t));
  }
  return std::all_of(of.rates.begin(), of.rates.end(), [](double rate) { return std::isfinite(rate); });
}

const std::vector<double>& Variation::at(double t, bool at_end) {
  Parts& of = *parts_;
  if (of.beside_lab) throw of.no_lanes();
  if (at_end) return of.rates;
  if (of.companion != nullptr) {
    std::vector<double> hi(of.together.dimension), lo(of.together.dimension);
    of.companion->dense().evaluate(t, hi.data(), lo.data());
    for (Parts::Block& block : of.blocks) {
      of.set(block, of.lab.sample_.hi, {hi.begin() + static_cast<std::ptrdiff_t>(of.n), hi.end()});
      of.put(block, of.lab.sample_.hi.data(), of.shown, Rates(t));
    }
    return of.shown;
  }
  const double s = (t - of.from.t) - of.from.t_lo;
  for (Parts::Block& block : of.blocks) {
    of.evaluate(block, Rates(s), of.order);
    of.put(block, of.lab.sample_.hi.data(), of.shown, Rates(t));
  }
  return of.shown;
}

// How a row changes along a direction of states and of time, in the world as it is; with shorter ways where
// something is not smooth within the usual one.
std::vector<double> Variation::Parts::along(const Columns& columns, const double* rate, double in_time) {
  const State& here = lab.sample_;
  const std::size_t width = columns.width();
  const Stencil stencil = Stencil::central();
  std::vector<std::vector<double>> seen(stencil.nodes.size(), std::vector<double>(width));
  std::vector<double> out(width, 0.0);
  double fastest = std::fabs(in_time);
  for (std::size_t i = 0; i < n; ++i)
    fastest = std::max(fastest, std::fabs(rate[i]) / (1.0 + std::fabs(here.hi[i])));
  if (!(fastest > 0.0)) return out;
  double span = 0x1p-5 / fastest;
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
    if (worst <= kAgrees) break;
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
      of.closer.push_back(made(lab, directions[direction], of.near->stencil, spacing));
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
  if (of.beside_lab) return of.beside_at(t, columns).derivatives(columns, out);
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
  if (of.beside_lab) return of.beside_at(t, read).derivatives_at_root(read, formula, recorded, out);
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

// The constraints' projection of every change of a lane is an allowed one, and they are all of them.
std::vector<std::vector<double>> allowed_directions(Lab& lab) {
  if (const std::string why = digits_refusal(lab.inside().world); !why.empty())
    throw InputError({lab.scene().name}, "a run with derivatives " + why);
  WorldOver<Rates> world(lab.inside().world);
  const std::size_t n = lab.dimension(), lanes = lab.motion_lanes();
  Eigen::MatrixXd allowed(lanes, lanes);
  std::vector<Rates> x(n);
  for (std::size_t first = 0; first < lanes; first += kDirections) {
    const std::size_t last = std::min(lanes, first + kDirections);
    for (std::size_t i = 0; i < n; ++i) x[i] = Rates(lab.state().hi[i]);
    for (std::size_t lane = first; lane < last; ++lane) x[lane].set_rate(static_cast<int>(lane - first), 1.0);
    world.project(Rates(lab.time()), x.data());
    for (std::size_t lane = first; lane < last; ++lane) {
      for (std::size_t i = 0; i < lanes; ++i)
        allowed(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(lane)) =
            x[i].rate(static_cast<int>(lane - first));
    }
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factored(allowed);
  constexpr double kRoundoff = 1e-9;  // what is not allowed comes out as that, and so may everything
  factored.setThreshold(kRoundoff);
  const Eigen::Index rank = factored.maxPivot() > kRoundoff ? factored.rank() : 0;
  const Eigen::MatrixXd basis =
      factored.householderQ() * Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(lanes), rank);
  std::vector<std::vector<double>> out;
  for (Eigen::Index j = 0; j < rank; ++j) {
    std::vector<double>& direction = out.emplace_back(n, 0.0);
    for (std::size_t i = 0; i < lanes; ++i) direction[i] = basis(static_cast<Eigen::Index>(i), j);
  }
  return out;
}

}  // namespace catena

#endif
