// The page does without: its engine would be a tenth larger (variation_none.cpp).
#if !defined(__wasm__) || defined(CATENA_WHOLE)

#include "catena/lab/variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
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
#include "catena/lab/column_formula.h"
#include "catena/lab/inside.h"
#include "catena/lab/rate_block.h"
#include "catena/lab/slopes.h"
#include "catena/math/column_space.h"
#include "catena/math/many_rates.h"
#include "catena/math/number_tape.h"
#include "catena/math/pack.h"
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

  Lab& lab;
  std::size_t n;
  std::vector<Direction> directions;
  std::vector<Followed> followed;
  // Blocks of many directions come first.
  std::vector<RateBlock<ManyRates>> many;
  std::vector<RateBlock<Rates>> few;
  template <class Do>
  void each_block(const Do& what) {
    for (RateBlock<ManyRates>& block : many) what(block);
    for (RateBlock<Rates>& block : few) what(block);
  }
  std::optional<NumberTape> own;                  // of the lab's world as it is
  std::vector<double> rates, start_rates, shown;  // [direction][lane]
  State from;
  RateLimits limits;
  bool has_kinks = false, leaps = false;
  double longest = kInfinity;  // that the step may be for the sake of rates
  std::int64_t shortened = 0;

  // A Runge-Kutta method: the same one takes the same steps with the rates behind the state.
  System together;
  std::optional<Tableau> tableau;
  std::unique_ptr<Stepper> companion;
  State both;
  void make_companion(const Tableau& of);
  bool step_together(const State& to, double h);

  // Blocks of a world that is one chain of point masses: all of them at once, behind the value's own series.
  std::unique_ptr<ChainRates> chain;
  const double* values = nullptr;  // the value's series
  std::size_t usual_blocks = 0;    // of the few, in the form that the lab's world has
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
  std::vector<std::string> links_about_x();
  void turn_charts(double t, const Columns& columns, double* out);
  InputError no_lanes() const { return lanes_refused(lab); }

  Parts(Lab& of, std::vector<Direction> given) : lab(of), n(of.dimension()), directions(std::move(given)) {}

  Neighbours neighbours(const Direction& of);
  std::unique_ptr<Lab> follow(std::size_t direction);
  std::unique_ptr<Lab> close_to(std::size_t direction) const;
  std::vector<double> start_of(std::size_t direction) const;
  template <class S>
  RateBlock<S> block_of(std::vector<std::size_t> members, Lab* near) const;
  void make_usual_blocks(const std::vector<std::size_t>& usual);
  // Prescribed motions with kinks: all worlds hold the piece that does at this time.
  void take_pieces_at(double t);
  void renew_blocks();
  std::string pass_kink(std::size_t direction, World& before, const State& at, const State& to, double* rate);
  std::vector<double> number_slopes(std::size_t direction) const;
  double usual_step(double t, const std::function<double(int)>& size, int* passes) const;
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
  if (!followed[direction].near) return std::vector<double>(own->values().size(), 0.0);
  const Neighbours& near = *followed[direction].near;
  double unused = 0.0;
  return slopes(
      near.stencil, near.spacing, near.tapes[0].values().size(),
      [&](std::size_t node, std::size_t q) { return near.tapes[node].values()[q]; }, &unused);
}

// `near`: none: the world as it is; otherwise one of the form that it has beside the number.
template <class S>
RateBlock<S> Variation::Parts::block_of(std::vector<std::size_t> members, Lab* near) const {
  RateBlock<S> block;
  std::vector<double> numbers;
  if (near == nullptr) {
    numbers = own->values();
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
      std::make_unique<WorldOver<S>>(near == nullptr ? lab.inside().world : near->inside().world, &tape);
  block.members = std::move(members);
  block.x.resize(n);
  return block;
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
  return "";
}

}  // namespace

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

// Those that have the lab's own form of the equations come first.
void Variation::Parts::find_chain() {
  std::vector<WorldOver<Rates>*> worlds;
  for (std::size_t b = 0; b < usual_blocks; ++b) worlds.push_back(few[b].moving.get());
  chain = ChainRates::of(lab.inside().world, worlds);
}

void Variation::Parts::expand_chain(const State& at) {
  chain_x.clear();
  chain_c.clear();
  for (std::size_t b = 0; b < usual_blocks; ++b) {
    chain_x.push_back(few[b].x.data());
    chain_c.push_back(few[b].c.data());
  }
  values = lab.inside().wired.expand_ahead(at.t, at.hi.data(), limits.order);
  chain->taylor(limits.order, chain_x, chain_c);
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

// Four directions go together; where the value's own work is shared by all of a block, as many as there are.
// A chain of point masses does that work once for all blocks.
namespace {

// Columns of charts, by their stems: angles about the pole that the chart has.
constexpr std::array kAnglesOfCharts{"theta_dot", "phi_dot", "theta", "phi"};

// The stem that a column is of, and behind it "_" and the link; "": it is no such angle.
std::string angle_stem(const std::string& column, const std::string& link) {
  for (const char* stem : kAnglesOfCharts) {
    if (column == stem + link) return stem;
  }
  return "";
}

// One of the angles about x and their rates, u = (cos theta, sin theta cos phi, sin theta sin phi), of a
// direction and its angular velocity, with rates.
double angle_rate(const std::string& stem, const std::array<Rates, 6>& of) {
  const auto& [x, y, z, wx, wy, wz] = of;
  const Rates vx = wy * z - wz * y, vy = wz * x - wx * z, vz = wx * y - wy * x;
  const Rates square = y * y + z * z, radius = square_root(square);
  if (stem == "theta") return x.value() * radius.rate(0) - radius.value() * x.rate(0);
  if (stem == "phi") return (y.value() * z.rate(0) - z.value() * y.rate(0)) / square.value();
  return (stem == "theta_dot" ? -vx / radius : (y * vz - z * vy) / square).rate(0);
}

}  // namespace

// Endings of the columns of links whose chart has its pole along x at the lab's row.
std::vector<std::string> Variation::Parts::links_about_x() {
  std::vector<std::string> out;
  // Formulations that know no planes show angles of their own.
  const auto is_chart = [](const Chain& one) { return !formulation_info(one.formulation).knows_planes; };
  const std::vector<Chain>& chains = lab.scene().chains;
  if (std::none_of(chains.begin(), chains.end(), is_chart)) return out;
  const Columns poles = lab.columns({"pole"});
  std::vector<double> row(poles.width());
  const Angles angles = lab.inside().frame.angles();
  lab.show_row(poles, row.data());
  lab.inside().frame.set_angles(angles);
  const std::vector<std::string> names = names_of(poles);
  for (std::size_t q = 1; q < names.size(); ++q) {
    if (row[q] == 0.0) out.push_back(names[q].substr(std::string("pole").size()));
  }
  return out;
}

// The other motion shows angles about z; where the chart has them about x, those follow from directions.
void Variation::Parts::turn_charts(double t, const Columns& columns, double* out) {
  const std::vector<std::string> names = names_of(columns);
  for (const std::string& link : links_about_x()) {
    std::vector<std::string> asked;
    for (const char* stem : {"ux", "uy", "uz", "wx", "wy", "wz"}) asked.push_back(stem + link);
    const Columns of = beside_lab->columns(asked);
    const std::size_t width = of.width();
    std::vector<double> row(width), slopes_of(width * directions.size());
    beside_lab->observe(t, of, row.data());
    beside_lab->derivatives(of, slopes_of.data());
    const std::vector<std::string> found = names_of(of);
    for (std::size_t q = 0; q < names.size(); ++q) {
      const std::string stem = angle_stem(names[q], link);
      for (std::size_t j = 0; !stem.empty() && j < directions.size(); ++j) {
        std::array<Rates, 6> numbers;
        for (std::size_t i = 0; i < asked.size(); ++i) {
          const auto at =
              static_cast<std::size_t>(std::find(found.begin(), found.end(), asked[i]) - found.begin());
          numbers[i] = Rates(row.at(at));
          numbers[i].set_rate(0, slopes_of.at(j * width + at));
        }
        out[j * columns.width() + q] = angle_rate(stem, numbers);
      }
    }
  }
}

void Variation::Parts::make_usual_blocks(const std::vector<std::size_t>& usual) {
  const auto some = [&](std::size_t first, std::size_t count) {
    const auto at = usual.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<std::size_t>(at, at + static_cast<std::ptrdiff_t>(count));
  };
  std::size_t first = 0;
  if (!ChainRates::may_be_of(lab.inside().world)) {
    constexpr std::size_t kMany = ManyRates::kDirections, kWorthIt = kMany / 2 + 1;
    for (; usual.size() - first >= kWorthIt; first = std::min(usual.size(), first + kMany))
      many.push_back(block_of<ManyRates>(some(first, std::min(kMany, usual.size() - first)), nullptr));
  }
  constexpr std::size_t kFew = Rates::kDirections;
  for (; first < usual.size(); first = std::min(usual.size(), first + kFew))
    few.push_back(block_of<Rates>(some(first, std::min(kFew, usual.size() - first)), nullptr));
  usual_blocks = few.size();
}

// Equations of another piece have other numbers.
void Variation::Parts::renew_blocks() {
  own = tape_of(lab);
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
      close = close_to(j);
    }
    if (close) {
      others.emplace_back(j, std::move(close));
    } else {
      usual.push_back(j);
    }
  }
  many.clear();
  few.clear();
  make_usual_blocks(usual);
  for (auto& [j, close] : others) few.push_back(block_of<Rates>({j}, close.get()));
  limits = {};
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
  of.each_block([&](auto& block) {
    block.set(state.hi.data(), jumped.data());
    block.put(state.hi.data(), of.rates, state.t);
  });
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
  of.own = tape_of(lab);
  std::vector<std::size_t> usual;
  std::vector<std::pair<std::size_t, std::unique_ptr<Lab>>> others;
  for (std::size_t j = 0; j < of.directions.size(); ++j) {
    if (std::unique_ptr<Lab> close = of.follow(j)) {
      others.emplace_back(j, std::move(close));
    } else {
      usual.push_back(j);
    }
  }
  of.make_usual_blocks(usual);
  for (auto& [j, close] : others) of.few.push_back(of.block_of<Rates>({j}, close.get()));
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
  if (of.lab.inside().world.has_pieces() && !of.directions.empty()) of.take_pieces_at(here.t);
  const std::vector<double> given = rates;
  of.each_block([&](auto& block) {
    block.set(here.hi.data(), given.data());
    block.put(here.hi.data(), of.rates, here.t);
  });
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
  together.dimension = n * (1 + directions.size());
  const auto take = [this](auto& block, const double* y) { block.set(y, y + n); };
  const auto give = [this](const auto& block, const auto* numbers, double* y) {
    for (std::size_t i = 0; i < n; ++i) y[i] = numbers[i].value();
    block.give_rates(numbers, y + n);
  };
  together.rhs = [this, take, give](Time t, const double* y, double* dy) {
    each_block([&](auto& block) {
      take(block, y);
      block.c.resize(std::max(block.c.size(), n));
      block.moving->rhs(t.hi, block.x.data(), block.c.data());
      give(block, block.c.data(), dy);
    });
  };
  together.taylor = [this, take, give](double t, const double* y, int orders, double* c) {
    each_block([&](auto& block) {
      take(block, y);
      block.reserve(orders);
      block.moving->taylor(t, block.x.data(), orders, block.c.data());
      for (std::size_t k = 0; k <= static_cast<std::size_t>(orders); ++k)
        give(block, block.c.data() + k * n, c + k * together.dimension);
    });
  };
  if (lab.inside().system().project) {
    // From where the step has landed, with the derivative that the way back has there.
    together.project = [this, take, give](double t, const double* hi, double* lo) {
      std::vector<double> landed(together.dimension), back(together.dimension);
      for (std::size_t i = 0; i < landed.size(); ++i) landed[i] = hi[i] + lo[i];
      back = landed;
      each_block([&](auto& block) {
        take(block, landed.data());
        block.moving->project(t, block.x.data());
        give(block, block.x.data(), back.data());
      });
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
  each_block([&](auto& block) {
    block.set(to.hi.data(), landed.data());
    block.put(to.hi.data(), rates, to.t);
  });
  return std::all_of(rates.begin(), rates.end(), [](double rate) { return std::isfinite(rate); });
}

// How long a step the motion itself asks for, about, by the sizes of its terms.
double Variation::Parts::usual_step(double t, const std::function<double(int)>& size, int* passes) const {
  constexpr int kUsual = 4, kFromFarOff = 64;
  const double scale = std::max(1.0, size(0));
  const double h = taylor_step(limits.order, std::log2(lab.inside().options.tolerance), scale, size);
  *passes = kUsual;
  if (!std::isinf(h)) return h;
  // What stands still, or is a polynomial, steps far; its rates need not.
  *passes = kFromFarOff;
  return step_of_few_orders(limits.order, t, scale, size);
}

namespace {

double largest_size(const double* numbers, std::size_t count) {
  constexpr std::size_t kAtOnce = 4;
  Pack<double, 4> most = {};
  std::size_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce)
    most = larger<Pack<double, 4>>(size_of<Pack<double, 4>>(load<4>(numbers + i)), most);
  double largest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  for (; i < count; ++i) largest = std::max(largest, std::fabs(numbers[i]));
  return largest;
}

}  // namespace

double Variation::expand(const State& from, int order) {
  Parts& of = *parts_;
  if (of.beside_lab) {
    of.beside_start = of.beside_lab->checkpoint();
    return kInfinity;
  }
  of.from = from;
  of.start_rates = of.rates;
  if (order != of.limits.order) {
    of.limits = RateLimits(order, of.lab.inside().options.tolerance);
    of.each_block([&](auto& block) { block.reserve(order); });
  }
  if (of.companion != nullptr) return kInfinity;
  of.longest = kInfinity;
  of.each_block([&](auto& block) { block.set(from.hi.data(), of.rates.data()); });
  if (of.chain != nullptr) of.expand_chain(from);
  const std::size_t lanes = of.lab.inside().world.motion_lanes();
  int passes = 0;
  double h = 0.0;
  std::size_t in_chain = of.chain != nullptr ? of.usual_blocks : 0;
  of.each_block([&](auto& block) {
    const bool is_made = in_chain > 0;
    if (is_made) {
      --in_chain;
    } else {
      block.moving->taylor(from.t, block.x.data(), order, block.c.data());
    }
    const auto size = [&](int k) {
      const std::size_t row = static_cast<std::size_t>(k) * of.n;
      if (is_made) return largest_size(of.values + row, lanes);
      double largest = 0.0;
      for (std::size_t i = 0; i < lanes; ++i)
        largest = std::max(largest, std::fabs(block.c[row + i].value()));
      return largest;
    };
    if (h == 0.0) h = of.usual_step(from.t, size, &passes);
    if (std::isnan(h)) return;
    const double allowed = block.allowed(h, passes, of.limits, lanes);
    if (allowed < h) of.longest = std::min(of.longest, allowed);
  });
  return of.longest;
}

bool Variation::take(const State& to) {
  Parts& of = *parts_;
  if (of.beside_lab) return true;
  int order = of.limits.order;
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
    const std::size_t kept = (static_cast<std::size_t>(order) + 1) * of.n;
    of.each_block([&](auto& block) {
      for (std::size_t i = kept; i < block.c.size(); ++i) block.c[i] = 0.0;
    });
  }
  const double ticks = 16.0 * std::numeric_limits<double>::epsilon() * std::fabs(to.t);
  of.each_block([&](auto& block) {
    block.step(h, to.hi.data(), to.t, order, of.has_kinks, ticks);
    block.put(to.hi.data(), of.rates, to.t);
  });
  return std::all_of(of.rates.begin(), of.rates.end(), [](double rate) { return std::isfinite(rate); });
}

const std::vector<double>& Variation::at(double t, bool at_end) {
  Parts& of = *parts_;
  if (of.beside_lab) throw of.no_lanes();
  if (at_end) return of.rates;
  if (of.companion != nullptr) {
    std::vector<double> hi(of.together.dimension), lo(of.together.dimension);
    of.companion->dense().evaluate(t, hi.data(), lo.data());
    of.each_block([&](auto& block) {
      block.set(of.lab.sample_.hi.data(), hi.data() + of.n);
      block.put(of.lab.sample_.hi.data(), of.shown, t);
    });
    return of.shown;
  }
  const double s = (t - of.from.t) - of.from.t_lo;
  of.each_block([&](auto& block) {
    block.evaluate(s, of.limits.order);
    block.put(of.lab.sample_.hi.data(), of.shown, t);
  });
  return of.shown;
}

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

Scene in_unit_vectors(Scene scene) {
  constexpr std::array kThese{Formulation::tension, Formulation::articulated, Formulation::multibody};
  for (Chain& chain : scene.chains) {
    if (std::find(kThese.begin(), kThese.end(), chain.formulation) != kThese.end()) continue;
    chain.plane_allowed = chain.plane_allowed && formulation_info(chain.formulation).knows_planes;
    chain.formulation = Formulation::automatic;
  }
  return scene;
}

// The constraints' projection of every change of a lane is an allowed one, and they are all of them.
std::vector<std::vector<double>> allowed_directions(Lab& lab) {
  if (!in_unit_vectors(lab.inside().world)) throw lanes_refused(lab);
  WorldOver<Rates> world(lab.inside().world);
  const std::size_t n = lab.dimension(), lanes = lab.motion_lanes();
  std::vector<double> allowed(lanes * lanes);  // column by column
  std::vector<Rates> x(n);
  for (std::size_t first = 0; first < lanes; first += kDirections) {
    const std::size_t last = std::min(lanes, first + kDirections);
    for (std::size_t i = 0; i < n; ++i) x[i] = Rates(lab.state().hi[i]);
    for (std::size_t lane = first; lane < last; ++lane) x[lane].set_rate(static_cast<int>(lane - first), 1.0);
    world.project(Rates(lab.time()), x.data());
    for (std::size_t lane = first; lane < last; ++lane) {
      for (std::size_t i = 0; i < lanes; ++i)
        allowed[lane * lanes + i] = x[i].rate(static_cast<int>(lane - first));
    }
  }
  constexpr double kRoundoff = 1e-9;  // what is not allowed comes out as that, and so may everything
  std::vector<std::vector<double>> out = column_space(allowed, lanes, kRoundoff);
  for (std::vector<double>& direction : out) direction.resize(n, 0.0);
  return out;
}

}  // namespace catena

#endif
