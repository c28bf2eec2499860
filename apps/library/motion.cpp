// A scene in motion, step by step.
#include <fmt/format.h>

#include "catena/base/words.h"
#include "inside.h"

namespace catena::inline v0 {

struct Motion::Inside {
  explicit Inside(const engine::Scene& scene) : lab(scene) {}
  Lab lab;
  std::string trouble;
};

Motion::Motion(const v0::Scene& scene)
    : inside_(with_errors([&] { return std::make_unique<Inside>(scene.inside().read()); })) {}
Motion::~Motion() = default;
Motion::Motion(Motion&&) noexcept = default;
Motion& Motion::operator=(Motion&&) noexcept = default;

bool Motion::advance() {
  const StepStatus status = inside_->lab.advance();
  inside_->trouble = status == StepStatus::done ? "" : failure_text(inside_->lab, status);
  return status == StepStatus::done;
}

bool Motion::advance_to(double t) {
  while (time() < t) {
    if (!advance()) return false;
  }
  return true;
}

const std::string& Motion::trouble() const { return inside_->trouble; }
double Motion::time() const { return inside_->lab.time(); }
double Motion::step_start() const { return inside_->lab.step_start(); }
std::vector<double> Motion::state() const { return inside_->lab.state().hi; }
std::size_t Motion::degrees_of_freedom() const { return inside_->lab.degrees_of_freedom(); }

double Motion::value(const std::string& column) const { return value(column, time()); }
double Motion::value(const std::string& column, double t) const { return values({column}, t).front(); }

std::vector<double> Motion::values(const std::vector<std::string>& columns, double t) const {
  return with_errors([&] {
    Lab& lab = inside_->lab;
    if (!(t >= lab.step_start() && t <= lab.time())) {
      throw InputError({lab.scene().name},
                       fmt::format("t = {} lies outside of the last step, which goes from {} to {}",
                                   number_text(t), number_text(lab.step_start()), number_text(lab.time())));
    }
    const Columns read = lab.columns(columns);
    const std::vector<std::string> names = column_names(read.stems());
    std::vector<double> row(read.width()), out;
    lab.observe(t, read, row.data());
    for (const std::string& name : columns) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end())
        throw InputError({lab.scene().name}, "there is no column '" + name + "'" + did_you_mean(name, names));
      out.push_back(row[static_cast<std::size_t>(found - names.begin())]);
    }
    return out;
  });
}

std::vector<double> Motion::rates(double t, const std::vector<double>& state) const {
  return with_errors([&] {
    if (state.size() != inside_->lab.dimension())
      throw InputError({inside_->lab.scene().name}, fmt::format("a state has {} numbers here, and not {}",
                                                                inside_->lab.dimension(), state.size()));
    return inside_->lab.rhs(t, state);
  });
}

std::string Motion::checkpoint() const { return inside_->lab.checkpoint(); }
void Motion::restore(const std::string& checkpoint) {
  with_errors([&] {
    inside_->lab.restore(checkpoint);
    return 0;
  });
}

}  // namespace catena::inline v0
