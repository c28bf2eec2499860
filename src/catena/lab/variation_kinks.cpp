// Derivatives behind kinks of prescribed motions: impulses, differentiated by stencils.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "catena/base/words.h"
#include "catena/lab/slopes.h"
#include "catena/lab/variation_parts.h"

namespace catena {

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

}  // namespace catena
