// Rows of a lab: the state at a time inside its last step, and what columns show of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "catena/lab/looked.h"
#include "catena/lab/stepping_digits.h"

namespace catena {

void Lab::evaluate(double t) {
  sample_.t = t;
  // With more digits than a double has, the double next to the end is another time.
  const double roundoff =
      inside_->world.has_more_digits() ? 0.0 : 4 * std::numeric_limits<double>::epsilon() * std::fabs(t);
  const bool at_end = !stepped_ || std::fabs((t - state_.t) - state_.t_lo) <= roundoff;
  sample_at_end_ = at_end;
  if (at_end) {
    sample_.hi = state_.hi;
    sample_.lo = state_.lo;
    count_turns(inside_->world, state_);  // rows before may have been a turn behind
  } else {
    if (inside_->world.has_more_digits()) {
      evaluate_step(*inside_->stepper, t, sample_.hi.data(), sample_.lo.data());
    } else {
      inside_->stepper->dense().evaluate(t, sample_.hi.data(), sample_.lo.data());
    }
    inside_->world.project(t, sample_.hi.data(), sample_.lo.data());
  }
  inside_->world.settle(sample_.hi.data(), sample_.lo.data());
}

State Lab::state_at(double t) {
  evaluate(t);
  return sample_;
}

const std::vector<double>& Lab::numbers_at(double t) {
  evaluate(t);
  return sample_.hi;
}

Vec3 Lab::pivot_at(std::size_t chain, double t) {
  ChainUnit& unit = inside_->world.chains()[chain];
  evaluate(t);
  return unit.pivot_at(t, sample_.hi.data() + unit.offset).position;
}

void Lab::sample(double t, const Columns& columns, double* row) {
  const Looked looked = look(t, columns, row);
  energies_.constraint_error = std::max(energies_.constraint_error, looked.constraint_error);
  record_energy(looked);
  inside_->frame.record(inside_->world, sample_, inside_->momenta);
}

namespace {

// Whether rows have energies and the like of the whole, which cost as much as all the rest.
bool has_totals(const Columns& columns) {
  constexpr std::array<std::string_view, 10> kTotals{
      "kinetic", "potential", "elastic",      "energy",    "dissipated",
      "work",    "balance",   "energy_error", "step_size", "constraint_error"};
  return std::any_of(columns.stems().begin(), columns.stems().end(), [&](const Stem& stem) {
    return stem.labels.empty() && std::find(kTotals.begin(), kTotals.end(), stem.name) != kTotals.end();
  });
}

}  // namespace

void Lab::observe(double t, const Columns& columns, double* row) {
  Inside& in = *inside_;
  in.kept_angles = in.frame.angles();
  evaluate(t);
  if (has_totals(columns)) {
    show(columns, row);
  } else {
    in.frame.update(in.world, sample_, start_, start_angles_, columns);
    in.frame.write(sample_.t, in.world, columns, RowTotals{}, row);
  }
  in.frame.set_angles(in.kept_angles);
}

void Lab::rates(double t, const Columns& columns, double* row) {
  const Angles before = inside_->frame.angles();
  evaluate(t);
  const std::vector<double> x = sample_.hi;
  std::vector<double> slope(x.size());
  inside_->system().rhs(t, x.data(), slope.data());
  double size = 1.0, fastest = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    size = std::max(size, std::fabs(x[i]));
    fastest = std::max(fastest, std::fabs(slope[i]));
  }
  // The cube root of roundoff balances it against the error of the difference.
  const double span = 6e-6 * size / fastest;
  const auto show_at = [&](double shift) {
    for (std::size_t i = 0; i < x.size(); ++i) sample_.hi[i] = x[i] + shift * slope[i];
    sample_.t = t + shift;
    std::vector<double> out(columns.width());
    show(columns, out.data());
    return out;
  };
  const std::vector<double> later = show_at(span), earlier = show_at(-span);
  for (std::size_t i = 0; i < columns.width(); ++i) row[i] = (later[i] - earlier[i]) / (2 * span);
  sample_.hi = x;
  sample_.t = t;
  inside_->frame.set_angles(before);
}

Lab::Looked Lab::look(double t, const Columns& columns, double* row) {
  evaluate(t);
  return show(columns, row);
}

Lab::Looked Lab::show(const Columns& columns, double* row) {
  World& world = inside_->world;
  inside_->frame.update(world, sample_, start_, start_angles_, columns);
  Looked looked(world, sample_);
  looked.constraint_error = world.constraint_error(sample_.t, sample_.hi.data(), sample_.lo.data());
  RowTotals totals;
  totals.kinetic = static_cast<double>(looked.energy.kinetic);
  totals.potential = static_cast<double>(looked.energy.potential);
  totals.elastic = static_cast<double>(looked.energy.elastic);
  totals.energy = static_cast<double>(looked.energy.total());
  totals.dissipated = static_cast<double>(looked.dissipated);
  totals.work = static_cast<double>(looked.work);
  totals.balance = static_cast<double>(looked.balance);
  totals.energy_error = static_cast<double>(looked.balance - energies_.start_energy);
  totals.step_size = stepped_ ? last_step() : 0.0;  // not that of a motion left behind
  totals.constraint_error = looked.constraint_error;
  inside_->frame.write(sample_.t, world, columns, totals, row);
  return looked;
}

void Lab::show_row(const Columns& columns, double* row) { show(columns, row); }

}  // namespace catena
