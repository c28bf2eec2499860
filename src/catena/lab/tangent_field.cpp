#include "catena/lab/tangent_field.h"

#include <algorithm>

#include "catena/base/mistake.h"
#include "catena/dynamics/chain/rate_lanes.h"
#include "catena/dynamics/world/world_over.h"
#include "catena/lab/inside.h"
#include "catena/math/tangent.h"

namespace catena {
namespace {

std::vector<bool> rate_lanes_of(const World& world) {
  std::vector<bool> out(world.dimension(), false);
  const auto mark = [&](std::size_t first, std::size_t count) {
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(first), count, true);
  };
  for (const ChainUnit& unit : world.chains()) {
    const auto [first, end] = rate_lanes(unit);
    mark(unit.offset + first, end - first);
  }
  if (world.mechanism() != nullptr) {  // places and orientations, then rates of both
    const std::size_t lanes = world.motion_lanes() - world.mechanism_offset();
    mark(world.mechanism_offset() + lanes / 13 * 7, lanes / 13 * 6);
  }
  if (world.lagrangian() != nullptr) mark(world.motion_lanes() / 2, world.motion_lanes() / 2);
  return out;
}

std::vector<bool> idle_lanes_of(const World& world) {
  std::vector<bool> out(world.dimension(), false);
  if (world.mechanism() == nullptr) return out;
  std::vector<const Body*> moving;
  for (const Body& body : world.mechanism()->mechanism().bodies) {
    if (!body.fixed) moving.push_back(&body);
  }
  for (std::size_t b = 0; b < moving.size(); ++b) {
    if (!moving[b]->point) continue;
    for (const std::size_t stem : {3, 4, 5, 6, 10, 11, 12})
      out[world.mechanism_offset() + stem * moving.size() + b] = true;
  }
  return out;
}

std::vector<std::array<std::size_t, 4>> quaternions_of(const World& world) {
  std::vector<std::array<std::size_t, 4>> out;
  if (world.mechanism() == nullptr) return out;
  const std::size_t first = world.mechanism_offset(), moving = (world.motion_lanes() - first) / 13;
  for (std::size_t b = first; b < first + moving; ++b)
    out.push_back({b + 3 * moving, b + 4 * moving, b + 5 * moving, b + 6 * moving});
  return out;
}

}  // namespace

struct TangentField::Parts {
  Lab& lab;
  std::unique_ptr<WorldOver<Rates>> world;
  std::vector<bool> rate_lanes, idle_lanes;
  std::vector<std::array<std::size_t, 4>> quaternions;
  double usual_margin = 1.0;
  std::vector<Rates> x, dx;
};

TangentField::TangentField(Lab& lab) {
  World& world = lab.inside().world;
  // Between kinks of prescribed motions the equations are those of the piece at work.
  if (!in_unit_vectors(world))
    throw InputError({lab.scene().name},
                     "an analysis with derivatives is for the formulations tension and articulated; leave "
                     "`formulation` out");
  parts_ = std::make_unique<Parts>(Parts{lab,
                                         std::make_unique<WorldOver<Rates>>(world),
                                         rate_lanes_of(world),
                                         idle_lanes_of(world),
                                         quaternions_of(world),
                                         1.0,
                                         {},
                                         {}});
  parts_->world->reserve(1);
  parts_->x.resize(world.dimension());
  parts_->dx.resize(world.dimension());
  if (!world.may_be_singular()) return;
  std::vector<double> hi, lo;
  world.start(hi, lo);
  parts_->usual_margin = world.margin(0.0, hi.data());
}

TangentField::~TangentField() = default;

std::vector<double> TangentField::along(double t, const std::vector<double>& x,
                                        const std::vector<double>& directions) {
  Parts& of = *parts_;
  const std::size_t n = x.size(), count = directions.size() / n;
  std::vector<double> out(directions.size());
  for (std::size_t first = 0; first < count; first += kDirections) {
    const std::size_t many = std::min<std::size_t>(kDirections, count - first);
    for (std::size_t i = 0; i < n; ++i) {
      of.x[i] = Rates(x[i]);
      for (std::size_t j = 0; j < many; ++j)
        of.x[i].set_rate(static_cast<int>(j), directions[(first + j) * n + i]);
    }
    of.world->rhs(Rates(t), of.x.data(), of.dx.data());
    for (std::size_t j = 0; j < many; ++j) {
      for (std::size_t i = 0; i < n; ++i) out[(first + j) * n + i] = of.dx[i].rate(static_cast<int>(j));
    }
  }
  return out;
}

const std::vector<bool>& TangentField::rate_lanes() const { return parts_->rate_lanes; }
const std::vector<bool>& TangentField::idle_lanes() const { return parts_->idle_lanes; }
const std::vector<std::array<std::size_t, 4>>& TangentField::quaternions() const {
  return parts_->quaternions;
}
bool TangentField::reads_time() const { return parts_->lab.inside().world.reads_time(); }
bool TangentField::has_kinks() const { return parts_->lab.inside().world.has_kinks(); }

double TangentField::margin(double t, const std::vector<double>& x) const {
  World& world = parts_->lab.inside().world;
  return world.may_be_singular() ? world.margin(t, x.data()) / parts_->usual_margin : 1.0;
}

}  // namespace catena
