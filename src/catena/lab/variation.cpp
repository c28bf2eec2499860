// Derivatives along a motion: the blocks of directions that go along with its steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "catena/integrate/catalog.h"
#include "catena/integrate/taylor_step.h"
#include "catena/lab/slopes.h"
#include "catena/lab/variation_parts.h"
#include "catena/math/column_space.h"
#include "catena/math/pack.h"

namespace catena {

// `near`: none: the world as it is; otherwise one of the form that it has beside the number.
template <class S>
RateBlock<S> Variation::Parts::block_of(std::vector<std::size_t> members, Lab* near) const {
  RateBlock<S> block;
  std::vector<double> numbers;
  if (near == nullptr) {
    numbers = own->values();
  } else {
    const Neighbours& of = *followed[members[0]].near;
    // What is the same beside the number stays as it is to the last bit: were the time of a kink later by
    // roundoff, the step from there would be on its wrong side.
    for (std::size_t q = 0; q < of.tapes[0].values().size(); ++q) {
      const auto at = [&](std::size_t node) { return of.tapes[node].values()[q]; };
      bool is_same = true;
      for (std::size_t node = 1; node < of.tapes.size(); ++node) is_same = is_same && at(node) == at(0);
      numbers.push_back(is_same ? at(0) : weighed(of.stencil.value, at));
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

// Four directions go together; where the value's own work is shared by all of a block, as many as there are.
// A chain of point masses does that work once for all blocks.
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
  if (lab.in_lanes_) {
    if (!others.empty())
      throw refused(lab, of.directions[others[0].first], "the equations change their form close to it");
    if (const std::string why = lanes_refusal(); !why.empty()) throw InputError({lab.scene().name}, why);
    use_lanes();
  } else {
    of.make_usual_blocks(usual);
    for (auto& [j, close] : others) of.few.push_back(of.block_of<Rates>({j}, close.get()));
    if (tableau == nullptr) of.find_chain();
  }
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
  if (of.in_lanes != nullptr) {
    of.rates = of.in_lanes->projected_rates(here, rates);
    of.in_lanes->set_rates(of.rates);
  }
  const std::vector<double> given = rates;
  of.each_block([&](auto& block) {
    block.set(here.hi.data(), given.data());
    block.put(here.hi.data(), of.rates, here.t);
  });
  of.start_rates = of.rates;
}

std::string Variation::lanes_refusal() const {
  const Parts& of = *parts_;
  if (of.beside_lab) return "derivatives in this formulation are not computed in lanes";
  if (of.in_lanes == nullptr && of.few.size() > of.usual_blocks)
    return "equations that change their form beside a number are not followed in lanes";
  if (of.chain != nullptr && of.directions.size() < static_cast<std::size_t>(kDirections))
    return "fewer than four derivatives of a chain of point masses take less one case after another";
  return following_in_lanes_refusal(of.lab.inside().world);
}

void Variation::use_lanes() {
  Parts& of = *parts_;
  RateNumbers numbers{of.own->values(), {}};
  for (std::size_t j = 0; j < of.directions.size(); ++j) numbers.rates.push_back(of.number_slopes(j));
  of.in_lanes = dynamic_cast<LaneStepper*>(of.lab.inside().stepper.get());
  of.in_lanes->follow(std::make_shared<const RateNumbers>(std::move(numbers)));
  of.many.clear();
  of.few.clear();
  of.chain.reset();
  if (!of.rates.empty()) of.in_lanes->set_rates(of.rates);
}

bool Variation::is_of_states() const {
  return std::none_of(parts_->directions.begin(), parts_->directions.end(),
                      [](const Direction& direction) { return direction.scene != nullptr; });
}

GaussValues Variation::squares_along_step(std::size_t direction, double end) {
  const Parts& of = *parts_;
  if (direction == 0 && end == of.lab.time()) return of.in_lanes->squares();
  GaussValues out{};
  const double length = end - of.from.t;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = of.in_lanes->square_of_rates(kGaussPlaces[i] * length, direction,
                                          of.lab.inside().world.motion_lanes());
  return out;
}

void Variation::restore(std::vector<double> rates, std::int64_t shortened) {
  if (!parts_->beside_lab && parts_->lab.inside().world.has_pieces())
    parts_->take_pieces_at(parts_->lab.time());
  parts_->rates = parts_->start_rates = parts_->shown = std::move(rates);
  if (parts_->in_lanes != nullptr) parts_->in_lanes->set_rates(parts_->rates);
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
  if (of.in_lanes != nullptr) return kInfinity;  // the step itself looks at them
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
    block.moves_with_kink = false;
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
    if (!(allowed < h)) return;
    if (!is_made && of.has_kinks && block.follow_kink(from, of.rates.data(), h, of.limits, lanes)) return;
    of.longest = std::min(of.longest, allowed);
  });
  return of.longest;
}

bool Variation::take(const State& to) {
  Parts& of = *parts_;
  if (of.beside_lab) return true;
  const auto is_finite = [](double rate) { return std::isfinite(rate); };
  if (of.in_lanes != nullptr) {
    of.rates = of.in_lanes->rates_at_end();
    of.in_lanes->set_rates(of.rates);
    if (of.in_lanes->shortened()) ++of.shortened;
    return std::all_of(of.rates.begin(), of.rates.end(), is_finite);
  }
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
  return std::all_of(of.rates.begin(), of.rates.end(), is_finite);
}

const std::vector<double>& Variation::at(double t, bool at_end) {
  Parts& of = *parts_;
  if (of.beside_lab) throw of.no_lanes();
  if (at_end) return of.rates;
  if (of.in_lanes != nullptr) {
    of.in_lanes->rates_at((t - of.from.t) - of.from.t_lo, of.shown);
    of.shown = of.in_lanes->projected_rates(of.lab.sample_, of.shown);
    return of.shown;
  }
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
    if (block.moves_with_kink) {
      block.evaluate_moved(s, of.lab.sample_.hi.data(), t, of.limits.order);
    } else {
      block.evaluate(s, of.limits.order);
    }
    block.put(of.lab.sample_.hi.data(), of.shown, t);
  });
  return of.shown;
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
