// How a world is put together from a scene.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "catena/base/mistake.h"
#include "catena/dynamics/joints/joint_laws.h"
#include "catena/dynamics/laws/idle_laws.h"
#include "catena/dynamics/laws/jumping_potentials.h"
#include "catena/dynamics/world/world_pieces.h"

namespace catena {
namespace {

// What energies are formulas of: those that are written as such, and magnetic fields where moments are in
// them.
std::vector<WrittenFormula> energies_by_formula(const Scene& scene, const Actors& actors) {
  std::vector<WrittenFormula> out = scene.formulas;
  for (WrittenFormula& formula : out) {
    for (std::size_t i = 0; i < scene.forces.size(); ++i) {
      if (scene.forces[i].kind != "magnetic" || formula.owner != fmt::format("force {}", i + 1)) continue;
      const std::vector<Attachment> masses = acted_on(actors, scene.forces[i]);
      const auto is_magnetic = [&](const Attachment& mass) { return traits_of(actors, mass).magnetic(); };
      if (std::any_of(masses.begin(), masses.end(), is_magnetic)) formula.key = "potential";
    }
  }
  return out;
}

void append(std::vector<Warning>& all, const std::vector<Warning>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Whether what holds the chain's ends leaves it in the plane. What a body does is not known yet.
bool held_in(const Chain& chain, const Plane& plane) {
  if (chain.carrier) return false;
  if (!chain.end) return true;
  if (chain.end->body >= 0) return false;
  const Vec3& to = chain.end->point;
  const Vec3 span{to[0] - chain.pivot[0], to[1] - chain.pivot[1], to[2] - chain.pivot[2]};
  return std::fabs(span[1] * plane.cosine - span[0] * plane.sine) <=
         1e-15 * std::hypot(span[0], span[1], span[2]);
}

}  // namespace

std::vector<std::optional<Plane>> planes_of(const Scene& scene) {
  std::vector<std::optional<Plane>> planes;
  for (const Chain& chain : scene.chains) {
    planes.push_back(common_plane(chain, scene.simulation.gravity));
    const bool moves = given(chain.pivot_motion);
    if (planes.back() && moves && !PivotMotion(chain.pivot_motion).stays_in(*planes.back()))
      planes.back().reset();
    if (planes.back() && !held_in(chain, *planes.back())) planes.back().reset();
    // Gravity along a plane that is turned has no more digits than a double.
    const bool oblique = planes.back() && planes.back()->cosine * planes.back()->sine != 0.0;
    const bool sideways = scene.simulation.gravity[0] != 0.0 || scene.simulation.gravity[1] != 0.0;
    if (oblique && sideways && scene.simulation.precision != "double") planes.back().reset();
  }
  // Seen as chains: among bodies nothing keeps to a plane by its equations alone.
  const Union by_themselves{scene.mechanism, {scene.chains.size(), std::nullopt}};
  for (;;) {  // a chain in space may pull others out of their planes
    const Forces forces(scene, planes, by_themselves);
    bool changed = false;
    for (std::size_t c = 0; c < planes.size(); ++c) {
      if (!planes[c] || !forces.leaves_plane().chains[c]) continue;
      planes[c].reset();
      changed = true;
    }
    if (!changed) return planes;
  }
}

World::World(const Scene& scene) : World(scene, pieces_of(scene)) {}

World::World(const Scene& scene, const std::vector<std::optional<Plane>>& planes, const Union& bodies)
    : WorldMotion<double>(Forces(scene, planes, bodies)),
      has_more_digits_(scene.simulation.precision != "double") {
  for (std::size_t c = 0; c < scene.chains.size(); ++c) {
    add_chain(scene.chains[c], planes[c], scene.simulation.gravity, bodies);
  }
  const bool driven = std::any_of(chains_.begin(), chains_.end(),
                                  [](const ChainUnit& unit) { return unit.pivot_motion.has_value(); });
  if (!bodies.mechanism.bodies.empty()) add_mechanism(scene, bodies);
  if (!scene.lagrangian.coordinates.empty())
    add_alone(lagrangian_.emplace(scene.lagrangian, has_more_digits_));
  if (!scene.equations.states.empty()) add_alone(equations_.emplace(scene.equations, has_more_digits_));
  loaded_ = driven || !forces_.groups().empty();
  accounts_ = forces_.moves_energy() ||
              any_part(*this, [](const auto& part, std::size_t) { return part.moves_energy(); });
  if (accounts_) {
    dimension_ += 2;
    start_.hi.resize(dimension_, 0.0);
    start_.lo.resize(dimension_, 0.0);
  }
  make_room();
  if (!scene.forces.empty()) {
    refuse_laws(scene);
    append(warnings_, idle_laws(Actors(scene, planes, bodies)));
  }
  append(warnings_, jumping_potentials(energies_by_formula(scene, Actors(scene, planes, bodies))));
  flatten_chains(scene, bodies);
}

namespace {

// "'chain.2'", "'crank'" or "[0, 0, 1]"
std::string end_text(const Scene& scene, const Attachment& end) {
  if (end.chain >= 0) {
    const std::string& name = scene.chains[static_cast<std::size_t>(end.chain)].name;
    return fmt::format("'{}.{}'", name.empty() ? "chain" : name, end.link + 1);
  }
  if (end.body >= 0)
    return fmt::format("'{}'", scene.mechanism.bodies[static_cast<std::size_t>(end.body)].name);
  return fmt::format("[{:g}, {:g}, {:g}]", end.point[0], end.point[1], end.point[2]);
}

// "force 2 (spring between 'chain.1' and [0, 0, 1])"
std::string force_text(const Scene& scene, std::size_t index) {
  const ForceEntry& entry = scene.forces[index];
  const std::string ends = entry.kind != "spring"
                               ? ""
                               : fmt::format(" between {} and {}", end_text(scene, entry.between[0]),
                                             end_text(scene, entry.between[1]));
  return fmt::format("force {} ({}{})", index + 1, entry.kind, ends);
}

}  // namespace

// Laws that have no finite value in the start's state.
void World::refuse_laws(const Scene& scene) {
  const auto are_finite = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  };
  refresh(0.0, start_.hi.data());
  bool finite = are_finite(acting_.bodies) &&
                std::isfinite(static_cast<double>(energy(0.0, start_.hi.data(), start_.lo.data()).total()));
  for (const ChainForces& chain : acting_.chains) finite = finite && are_finite(chain.end);
  if (finite) return;
  std::vector<Mistake> mistakes;
  for (std::size_t i = 0; i < scene.forces.size(); ++i) {
    if (scene.forces.size() > 1) {  // is it this one?
      Scene alone = scene;
      alone.forces = {scene.forces[i]};
      try {
        World{alone};
        continue;
      } catch (const InputError&) {
      }
    }
    mistakes.push_back(
        {scene.forces[i].place,
         fmt::format("{} is not a number at the start, t = 0; does it divide by zero there, or act between "
                     "things in the same place?",
                     force_text(scene, i))});
  }
  if (mistakes.empty()) {
    mistakes.push_back(
        {scene.forces.front().place,
         "the forces together are not a number at the start, t = 0; does one divide by zero?"});
  }
  throw InputError(std::move(mistakes));
}

void World::add_chain(const Chain& chain, const std::optional<Plane>& plane, const Vec3& gravity,
                      const Union& bodies) {
  std::optional<BodyLinks> links;
  if (const auto& own = bodies.chains[chains_.size()]) links.emplace(*own, bodies.mechanism);
  chains_.push_back(chain_unit(chain, plane, gravity, links, has_more_digits_));
  ChainUnit& unit = chains_.back();
  unit.offset = dimension_;
  dimension_ += unit.dimension();
  const LanePair start = start_of(chain, unit);
  start_.hi.insert(start_.hi.end(), start.hi.begin(), start.hi.end());
  start_.lo.insert(start_.lo.end(), start.lo.begin(), start.lo.end());
  for (const double mass : unit.parameters().mass) {
    if (links) break;  // counted with the bodies
    const auto number = [&](double value) { return unit.parameters().number<DoubleDouble>(value); };
    for (int i = 0; i < 3; ++i) {
      const DoubleDouble weight =
          has_more_digits_ ? number(mass) * number(unit.gravity[i]) : DoubleDouble(mass * unit.gravity[i]);
      pivot_potential_ -= weight * number(unit.pivot[i]);
    }
  }
}

namespace {

std::string joint_words(const Mechanism& mechanism, const JointGap& gap) {
  return fmt::format("joint '{}'", mechanism.joints[gap.joint].name);
}

// What assembly could not do, at the places of the joints.
void refuse(const Mechanism& mechanism, const Assembly& made, std::optional<double> most) {
  std::vector<Mistake> mistakes;
  for (const JointGap& gap : made.apart) {
    mistakes.push_back(
        {mechanism.joints[gap.joint].place,
         fmt::format("{} is {:.3g} apart as drawn (m or rad), more than max_assembly_gap = {:.3g}; "
                     "draw its bodies closer, or allow more",
                     joint_words(mechanism, gap), gap.gap, *most)});
  }
  for (const JointGap& gap : made.open) {
    mistakes.push_back(
        {mechanism.joints[gap.joint].place,
         fmt::format("{} cannot close: {:.3g} is left (m or rad); check the bodies' places, the joint's "
                     "points and start values",
                     joint_words(mechanism, gap), gap.gap)});
  }
  for (const JointGap& gap : made.clashing) {
    mistakes.push_back(
        {mechanism.joints[gap.joint].place,
         fmt::format("{} cannot move as the other joints and motors ask: its rate is off by {:.3g}; let "
                     "motors and start rates agree, or leave one out",
                     joint_words(mechanism, gap), gap.gap)});
  }
  for (const JointGap& gap : made.parting) {
    mistakes.push_back({mechanism.joints[gap.joint].place,
                        fmt::format("{}: its motor asks for another motion than the other joints and motors "
                                    "do; let them agree, or leave one out",
                                    joint_words(mechanism, gap))});
  }
  for (const UndeterminedMotion& motion : made.undetermined) {
    const Body& body = mechanism.bodies[motion.body];
    const Vec3& d = motion.direction;
    mistakes.push_back(
        {body.place,
         fmt::format(
             "body '{}': nothing determines how it {} ({:.3g}, {:.3g}, {:.3g}){}: there it has no {}, "
             "and no joint ties it to what has; give it some, or a joint that holds it",
             body.name, motion.turns ? "turns about" : "moves along", d[0], d[1], d[2],
             motion.turns ? " of its own frame" : "", motion.turns ? "inertia" : "mass")});
  }
  if (mistakes.empty() && made.singular) {
    mistakes.push_back(
        {mechanism.joints.back().place,
         "the mechanism starts in a singular position, where it can go on in more than one way; start "
         "it a little aside, for example with `angle` of a joint"});
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

bool all_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

Mistake formula_mistake(const Mechanism& mechanism, int joint, const std::string& formula) {
  const Joint& of = mechanism.joints[static_cast<std::size_t>(joint)];
  return {of.place,
          fmt::format("joint '{}': its motor's formula \"{}\" or its rate is not a number at the start, "
                      "t = 0; does it divide by zero there?",
                      of.name, formula)};
}

// Whether screws, gears or racks count the joint's turns, from the drawing on.
bool counts_from_drawing(const Mechanism& mechanism, int joint) {
  const Joint& of = mechanism.joints[static_cast<std::size_t>(joint)];
  if (joint_info(of.kind).coordinate != Coordinate::angle) return false;
  return joint_info(of.kind).turning_pairs > 0 ||
         std::any_of(mechanism.joints.begin(), mechanism.joints.end(),
                     [&](const Joint& tie) { return tie.first == joint || tie.second == joint; });
}

// Motors whose motions are no numbers at the start, or start where turns have not been counted: nothing could
// be assembled with them.
void refuse_motions(const Mechanism& mechanism) {
  std::vector<Mistake> mistakes;
  for (const JointMotor& motor : mechanism.motors) {
    Mechanism alone = mechanism;
    alone.forces.clear();
    alone.motors = {motor};
    Multibody probe(alone, {});
    std::vector<double> hi, lo, gaps(probe.rows()), rates(probe.rows());
    probe.start(hi, lo);
    probe.gaps(0.0, hi.data(), lo.data(), false, gaps.data());
    probe.gaps(0.0, hi.data(), lo.data(), true, rates.data());
    if (!all_finite(gaps) || !all_finite(rates)) {
      mistakes.push_back(formula_mistake(mechanism, motor.joint, motor.motion));
    } else if (counts_from_drawing(mechanism, motor.joint) &&
               std::fabs(motion_at(motor, 0.0)) > std::numbers::pi) {
      const Joint& joint = mechanism.joints[static_cast<std::size_t>(motor.joint)];
      mistakes.push_back(
          {joint.place, fmt::format("joint '{}': its motor must start within half a turn of the drawing, as "
                                    "screws, gears and racks count turns from there; draw it closer",
                                    joint.name)});
    }
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

// Drives whose forces are no numbers in the start's state.
void refuse_drives(const Mechanism& mechanism, const LanePair& start) {
  std::vector<Mistake> mistakes;
  for (const JointForce& force : mechanism.forces) {
    if (force.drive.empty()) continue;
    Mechanism alone = mechanism;
    alone.motors.clear();
    alone.forces = {force};
    Multibody probe(alone, {});
    std::vector<double> forces(6 * probe.bodies());
    probe.forces(0.0, start.hi.data(), forces.data());
    if (!all_finite(forces)) mistakes.push_back(formula_mistake(mechanism, force.joint, force.drive));
  }
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

}  // namespace

void World::add_mechanism(const Scene& scene, const Union& bodies) {
  const Mechanism& mechanism = bodies.mechanism;
  refuse_motions(mechanism);
  const std::optional<double> most = scene.simulation.max_assembly_gap;
  assembly_ = assemble(mechanism, most);
  const auto is_held = [](const Chain& chain) { return chain.end.has_value(); };
  if (!assembly_.open.empty() && std::any_of(scene.chains.begin(), scene.chains.end(), is_held)) {
    const Assembly other = assemble(united(sagging(scene)).mechanism);
    if (other.open.empty()) {
      assembly_ = other;
      note_changes(mechanism, assembly_);  // against what was drawn, not against the arc
    }
  }
  refuse(mechanism, assembly_, most);
  append(warnings_, assembly_warnings(mechanism, assembly_));
  refuse_drives(mechanism, assembly_.state);
  mechanism_.emplace(mechanism, scene.simulation.gravity);
  if (has_more_digits_) mechanism_->count_all_digits();
  mechanism_offset_ = dimension_;
  for (ChainUnit& unit : chains_) {
    if (unit.bodies() != nullptr) unit.offset = mechanism_offset_;
  }
  twists_bodies_ = forces_.twists_bodies();
  dimension_ += mechanism_->dimension();
  const LanePair start = has_more_digits_ ? start_in_full(mechanism, assembly_.state) : assembly_.state;
  start_.hi.insert(start_.hi.end(), start.hi.begin(), start.hi.end());
  start_.lo.insert(start_.lo.end(), start.lo.begin(), start.lo.end());
  mobility_ = mechanism_->mobility(0.0, assembly_.state.hi.data());
  mechanism_->expect_rank(mobility_.rank);
}

template <class Part>
void World::add_alone(const Part& part) {
  dimension_ += part.dimension();
  start_ = part.start();
}

}  // namespace catena
