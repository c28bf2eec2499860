#include "catena/model/fields.h"

#include <fmt/format.h>

#include <limits>

#include "catena/base/words.h"

namespace catena {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallest = 1e-100;
constexpr double kLargest = 1e100;

const Range kBelowOne{0.0, 1.0, false, false};
const Range kFraction{0.0, 1.0};
const Range kOrders{2.0, 200.0};  // beyond, a series in double gains nothing
const Range kRepeats{1.0, kMostLinks};
const Range kLinkNumber{0.0, kMostLinks};
const Range kCounts{0.0, 1e9};
const std::vector<std::string> kPlaces{"t", "x", "y", "z"};

template <class Part>
std::vector<FieldInfo> infos(const std::vector<Field<Part>>& fields) {
  return {fields.begin(), fields.end()};
}

}  // namespace

const Range kSize{kSmallest, kLargest, false, false};
const Range kNotHuge{-kLargest, kLargest, false, false};
const Range kNotNegative{0.0, kLargest, true, false};
const Range kSusceptibilities{-1.0, kLargest, true, false};

std::string toml_text(double value) { return number_text(value); }
std::string toml_text(int value) { return std::to_string(value); }
std::string toml_text(bool value) { return value ? "true" : "false"; }
std::string toml_text(const std::string& value) { return value.empty() ? "" : '"' + value + '"'; }
std::string toml_text(const WrittenAngle& value) { return number_text(value.value); }
std::string toml_text(const WrittenInertia& value) { return number_text(value.value); }
std::string toml_text(const WrittenMoment& value) { return number_text(value.along); }
std::string toml_text(const WrittenPivot& value) { return toml_text(value.start); }
std::string toml_text(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", number_text(v[0]), number_text(v[1]), number_text(v[2]));
}

const std::vector<Field<Simulation>>& simulation_fields() {
  using S = Simulation;
  static const std::vector<Field<S>> fields = {
      field("duration", &S::duration, "s", "simulated time").needed().within(kSize),
      field("sample", &S::sample, "s", "time between recorded rows: t = 0, sample, 2 sample, .. and the end")
          .within(kSize),
      field("gravity", &S::gravity, "m/s^2", "a number g, meaning (0, 0, -g), or a vector")
          .within(kNotHuge)
          .written_as(Kind::gravity),
      field("method", &S::method, "", "integrator, a name from `catena list methods`"),
      field("tolerance", &S::tolerance, "",
            "adaptive methods: error per step <= tolerance * max(1, |state|); default 1e-15 for taylor, "
            "1e-10 for "
            "others")
          .within(kBelowOne),
      field("max_velocity_error", &S::max_velocity_error, "m/s",
            "adaptive methods: error per step of any velocity; tolerance then counts only where it is given")
          .within(kSize),
      field("max_momentum_error", &S::max_momentum_error, "kg m/s",
            "adaptive methods: error per step of the momentum of any link or body; likewise")
          .within(kSize),
      field("step", &S::step, "s", "fixed-step methods: the step (required); adaptive ones: the first step")
          .within(kSize),
      field("max_step", &S::max_step, "s", "adaptive methods: no step is longer; default: any length")
          .within(kSize),
      field("order", &S::order, "", "taylor: the order of the series, instead of the automatic choice")
          .within(kOrders),
      field("max_assembly_gap", &S::max_assembly_gap, "m",
            "how far joints may be apart as drawn, m or rad, for assembly to close them; default: any gap")
          .within(kSize),
      field("precision", &S::precision, "",
            "arithmetic of taylor and bulirsch-stoer: 16, 32 or 34 digits; all but double for chains")
          .one_of({"double", "double-double", "quad"}),
  };
  return fields;
}

namespace {

std::vector<std::string> formulation_names() {
  std::vector<std::string> names;
  for (const FormulationInfo& info : kFormulations) {
    if (*info.name != '\0') names.emplace_back(info.name);
  }
  return names;
}

}  // namespace

const std::vector<Field<ChainEntry>>& chain_fields() {
  using C = ChainEntry;
  static const std::vector<Field<C>> fields = {
      field("name", &C::name, "", "name of the chain, required in [[chains]]"),
      field("kind", &C::kind, "", "what the links are").one_of({"rigid", "elastic"}),
      field("formulation", &C::formulation, "",
            "equations to solve; left out: tension for point masses in one line, multibody where an end is "
            "held "
            "or a body carries the chain, articulated otherwise")
          .one_of(formulation_names()),
      field("pivot", &C::pivot, "m", "where the chain hangs; formulas of t move it; or a body's name")
          .within(kNotHuge)
          .using_names({"t"}),
      field("pivot_point", &C::pivot_point, "m", "where pivot is a body: the place in the body's frame")
          .within(kNotHuge),
      field("end", &C::end, "m", "holds the end of the last link: a place, or a body's name")
          .within(kNotHuge),
      field("end_point", &C::end_point, "m", "where end is a body: the place in the body's frame")
          .within(kNotHuge),
      field(
          "velocity_damping", &C::velocity_damping, "1/s",
          "a force -velocity_damping m v on every mass: velocities left alone fall by exp(-velocity_damping "
          "t)")
          .within(kNotNegative),
      field("slack", &C::slack, "", "elastic chains: links pull when longer than at rest and never push"),
      field("plane", &C::plane, "",
            "auto: computed in a plane when start, forces and pivot stay in one vertical plane; none: always "
            "in "
            "space")
          .one_of({"auto", "none"}),
  };
  return fields;
}

const std::vector<Field<LinkEntry>>& link_fields() {
  using L = LinkEntry;
  static const std::vector<Field<L>> fields = {
      field("length", &L::length, "m", "from its upper joint to its end").needed().within(kSize),
      field("mass", &L::mass, "kg", "mass of the link").needed().within(kSize),
      field("theta", &L::theta, "rad", "polar angle from straight down").within(kNotHuge),
      field("phi", &L::phi, "rad", "azimuth: u = (sin theta cos phi, sin theta sin phi, -cos theta)")
          .within(kNotHuge),
      field("theta_dot", &L::theta_dot, "rad/s", "rate of theta")
          .within(kNotHuge)
          .written_as(Kind::angular_rate),
      field("phi_dot", &L::phi_dot, "rad/s", "rate of phi").within(kNotHuge).written_as(Kind::angular_rate),
      field("direction", &L::direction, "", "instead of the angles: where the link points; is normalised"),
      field("rate", &L::rate, "1/s", "time derivative of direction; its part along direction is removed")
          .within(kNotHuge),
      field("center_of_mass", &L::center_of_mass, "",
            "0..1 along the link from its upper joint; default 1, the end, and 0.5 where inertia is \"rod\"")
          .within(kFraction),
      field("inertia", &L::inertia, "kg m^2",
            "transverse, about the centre of mass; or \"rod\": m L^2 / 12, a uniform rod")
          .within(kNotNegative),
      field("parent", &L::parent, "",
            "hangs from the end of that link (counted from 1 after repeats) instead of the one before; 0: "
            "the pivot")
          .within(kLinkNumber),
      field("repeat", &L::repeat, "", "this entry stands for so many links, each hanging from the one before")
          .within(kRepeats),
      field("theta_step", &L::theta_step, "rad", "added to theta with each further repeat").within(kNotHuge),
      field("phi_step", &L::phi_step, "rad", "added to phi with each further repeat").within(kNotHuge),
      field("stiffness", &L::stiffness, "N/m", "elastic chains (required): pull per stretch along the link")
          .within(kSize),
      field("stretch", &L::stretch, "m", "elastic chains, at the start: how much longer than length")
          .within(kNotHuge),
      field("stretch_dot", &L::stretch_dot, "m/s", "elastic chains, at the start: rate of stretch")
          .within(kNotHuge),
      field("axial_damping", &L::axial_damping, "N s/m", "elastic chains: pull per rate of stretch")
          .within(kNotNegative),
      field("hinge", &L::hinge, "",
            "axis, fixed in space, about which alone the link turns; left out: it turns freely")
          .within(kNotHuge),
      field("damping", &L::damping, "N m s",
            "joint above the link: torque per relative angular velocity; three numbers: about x, y and z")
          .within(kNotNegative)
          .written_as(Kind::triple),
      field("friction", &L::friction, "N m",
            "joint above the link: torque against relative turning, nearly independent of its speed")
          .within(kNotNegative),
      field("friction_rate", &L::friction_rate, "rad/s",
            "the speed that rounds friction off: torque = friction w / sqrt(w^2 + friction_rate^2)")
          .within(kSize),
      field(
          "joint_stiffness", &L::joint_stiffness, "N m/rad",
          "joint above the link: torque joint_stiffness sin(bend) towards straight on; straight down at the "
          "pivot")
          .within(kNotNegative),
      field("joint_stiffness_law", &L::joint_stiffness_law, "",
            "sine: the torque is joint_stiffness sin(bend); linear: joint_stiffness times the bend itself, "
            "0..pi")
          .one_of({"sine", "linear"}),
      field("charge", &L::charge, "C", "electric charge of the mass").within(kNotHuge),
      field("moment", &L::moment, "A m^2",
            "magnetic moment of the mass: a number, along the link; or a vector, fixed in space")
          .within(kNotHuge),
      field("susceptibility", &L::susceptibility, "",
            "magnetic susceptibility of the mass, of the volume given: positive is drawn into fields")
          .within(kSusceptibilities),
      field("volume", &L::volume, "m^3", "volume of the mass, for buoyancy and susceptibility")
          .within(kNotNegative),
      field("drag_area", &L::drag_area, "m^2", "cross section of the mass, for drag").within(kNotNegative),
  };
  return fields;
}

const std::vector<Field<ForceEntry>>& force_fields() {
  using F = ForceEntry;
  static const std::vector<std::string> motion{"t",  "x",  "y",  "z",     "vx", "vy", "vz",
                                               "wx", "wy", "wz", "speed", "m",  "q",  "i"};
  static const std::vector<std::string> charged_place{"t", "x", "y", "z", "m", "q", "i"};
  static const std::vector<Field<F>> fields = {
      field("kind", &F::kind, "", "the law, a name from `catena list forces`").needed(),
      field("on", &F::names, "",
            "what it acts on: bodies, links as \"chain.2\", or whole chains; default: all"),
      field("point", &F::point, "m", "on bodies: where it acts, in their frames; default: the centre of mass")
          .within(kNotHuge),
      field("parameters", &F::parameters, "", "names for numbers that the formulas use"),
      field("force", &F::force, "N", "force on each mass").using_names(motion),
      field("torque", &F::torque, "N m", "torque on each link or body, world").using_names(motion),
      field("potential", &F::potential, "J",
            "instead: its potential energy; gravity: per kg, electric: per C")
          .written_as(Kind::formula)
          .using_names(charged_place),
      field("field", &F::field, "", "gravity: m/s^2, electric: V/m, magnetic: T").using_names(kPlaces),
      field("velocity", &F::velocity, "m/s", "of the medium").using_names(kPlaces),
      field("rate", &F::rate, "1/s", "velocities left alone fall by exp(-rate t)").within(kNotNegative),
      field("linear", &F::linear, "kg/s", "force per speed").within(kNotNegative),
      field("coefficient", &F::coefficient, "", "drag coefficient; a sphere has 0.47").within(kNotNegative),
      field("density", &F::density, "kg/m^3", "of the medium; air has 1.225").within(kNotNegative),
      field("area", &F::area, "m^2", "cross section; default: the drag_area of link or body")
          .within(kNotNegative),
      field("volume", &F::volume, "m^3", "default: the volume of link or body").within(kNotNegative),
      field("height", &F::height, "m",
            "above ground, where the wind has its velocity; elsewhere ((z - ground)/height)^exponent of it")
          .within(kNotNegative),
      field("ground", &F::ground, "m", "z of the ground, below which there is no wind").within(kNotHuge),
      field("exponent", &F::exponent, "", "of the wind's profile").within(kNotNegative),
      field("strength", &F::strength, "m^3/s^2", "G M of the attracting mass").within(kNotHuge),
      field("charge", &F::charge, "C", "of the fixed charge").within(kNotHuge),
      field("constant", &F::constant, "N m^2/C^2", "of Coulomb's law").within(kNotHuge),
      field("position", &F::position, "m", "where it stands").within(kNotHuge),
      field("moment", &F::moment, "A m^2", "its magnetic moment").within(kNotHuge),
      field("between", &F::ends, "",
            "two ends, each a body, a link as \"chain.2\", or a point [x, y, z] that rests"),
      field("points", &F::end_points, "m",
            "where ends are bodies: the point of each in its frame; default: the centres of mass")
          .within(kNotHuge),
      field("stiffness", &F::stiffness, "N/m", "of the spring").within(kNotNegative),
      field("damping", &F::damping, "N s/m", "pull per rate of lengthening").within(kNotNegative),
      field("length", &F::length, "m", "at rest; default: the distance as drawn").within(kNotNegative),
  };
  return fields;
}

const std::vector<Field<MethodEntry>>& method_fields() {
  using M = MethodEntry;
  static const std::vector<Field<M>> fields = {
      field("a", &M::a, "",
            "weights of the earlier slopes in each stage: one row per stage, the first one empty")
          .needed()
          .within(kNotHuge),
      field("b", &M::b, "", "weights of the slopes in the step")
          .needed()
          .within(kNotHuge)
          .written_as(Kind::coefficients),
      field("b_hat", &M::b_hat, "",
            "weights of another order, for the error estimate; left out: fixed step, needs `step`")
          .within(kNotHuge)
          .written_as(Kind::coefficients),
      field("c", &M::c, "", "times of the stages, in steps; left out: the sums of the rows of a")
          .within(kNotHuge)
          .written_as(Kind::coefficients),
  };
  return fields;
}

const std::vector<Field<Event>>& event_fields() {
  using E = Event;
  static const std::vector<Field<E>> fields = {
      field("name", &E::name, "", "name of its table; default: event and its number"),
      field("when", &E::when, "", "formula of columns and t; its roots are events").needed(),
      field("direction", &E::direction, "", "which way it passes zero").one_of({"rising", "falling", "any"}),
      field("stop", &E::stop, "", "ends the run at the event of this number; 0: goes on").within(kCounts),
      field("cooldown", &E::cooldown, "s", "time after an event in which there is no other")
          .within(kNotNegative),
      field("record", &E::record, "", "quantities at the event; default: angles"),
  };
  return fields;
}

const std::vector<Field<FitEntry>>& fit_fields() {
  using F = FitEntry;
  static const std::vector<Field<F>> fields = {
      field("scene", &F::scene, "", "of a file of its own: a scene's file or name"),
      field("observe", &F::observe, "", "data by name, as formulas of columns and parameters"),
      field("parameters", &F::parameters, "", "names for numbers that these formulas use; may be free too"),
      field("noise", &F::noise, "", "standard deviations of data by name; left out: estimated"),
      field("loss", &F::loss, "", "what a residual costs; huber and cauchy forgive outliers")
          .one_of({"squares", "huber", "cauchy"}),
      field("segments", &F::segments, "",
            "multiple shooting: pieces that the record is cut into, or \"auto\"; 1: none")
          .written_as(Kind::formula),
  };
  return fields;
}

const std::vector<Field<FreeEntry>>& free_fields() {
  using F = FreeEntry;
  static const std::vector<Field<F>> fields = {
      field("key", &F::key, "", "path of the number that is fitted, as in chain.links.1.length").needed(),
      field("low", &F::low, "", "it is not made smaller").written_as(Kind::angle).within(kNotHuge),
      field("high", &F::high, "", "it is not made larger").written_as(Kind::angle).within(kNotHuge),
      field("prior", &F::prior, "", "[mean, standard deviation]: what is known of it before")
          .written_as(Kind::angles)
          .within(kNotHuge),
  };
  return fields;
}

std::vector<SectionInfo> scene_sections() {
  return {
      {"simulation", "how long, how exactly and with which method", infos(simulation_fields())},
      {"chain", "one chain of links; several: [[chains]], each with a name", infos(chain_fields())},
      {"chain.links", "the links of a chain, from its pivot on", infos(link_fields())},
      {"bodies", "rigid bodies, each with a name; \"ground\" is the fixed world", infos(body_fields())},
      {"bodies.parts", "the parts of a compound body", infos(part_fields())},
      {"joints", "what ties bodies to one another and to the ground", infos(joint_fields())},
      {"lagrangian", "instead of chains and bodies: a small system given by its Lagrangian",
       infos(lagrangian_fields())},
      {"equations", "instead of all of these: any first-order system, given by formulas of its rates",
       infos(equations_fields())},
      {"events", "instants to find: roots of formulas", infos(event_fields())},
      {"forces", "what else acts: a list of laws, each with its kind", infos(force_fields())},
      {"method", "an explicit Runge-Kutta method of one's own, for method = \"custom\"",
       infos(method_fields())},
      {"fit", "what `catena fit` makes of measurements", infos(fit_fields())},
      {"fit.free", "the numbers of the scene that are fitted", infos(free_fields())},
  };
}

bool Range::contains(double value) const {
  const bool above = low_included ? value >= low : value > low;
  const bool below = high_included ? value <= high : value < high;
  return above && below;
}

std::string Range::demand(double value) const {
  const bool bounded_below = low > -kInfinity;
  const bool bounded_above = high < kInfinity;
  if (low >= 0.0 && !low_included && value <= 0.0) return "must be positive";
  if (low == 0.0 && high > 1.0 && value < 0.0) return "must not be negative";
  if (bounded_below && bounded_above) {
    return fmt::format("must lie between {} and {}", number_text(low), number_text(high));
  }
  if (bounded_below) return fmt::format("must be at least {}", number_text(low));
  if (bounded_above) return fmt::format("must be at most {}", number_text(high));
  return "must be a finite number";
}

std::string kind_text(const FieldInfo& field) {
  const std::string in_unit = field.unit.empty() ? "" : " in " + field.unit;
  switch (field.kind) {
    case Kind::number:
      return "a number" + in_unit;
    case Kind::whole:
      return "a whole number";
    case Kind::flag:
      return "true or false";
    case Kind::text:
      return "a text";
    case Kind::vector:
      return "three numbers" + in_unit;
    case Kind::gravity:
      return "a number or three numbers" + in_unit;
    case Kind::angle:
      return "a number in rad, or a text with a unit such as \"120 deg\" or \"0.25 pi\"";
    case Kind::angular_rate:
      return "a number in rad/s, or a text with a unit such as \"120 deg\" or \"0.25 pi\"";
    case Kind::angle_pair:
      return "a pair such as [120, \"d\"], with the unit r, d or p";
    case Kind::inertia:
      return "a number" + in_unit + " or \"rod\"";
    case Kind::triple:
    case Kind::moment:
      return "a number or three numbers" + in_unit;
    case Kind::pivot:
      return "three numbers or formulas of t" + in_unit + ", or a body's name";
    case Kind::hold:
      return "three numbers" + in_unit + " or a body's name";
    case Kind::formula:
      return "a formula or a number" + in_unit;
    case Kind::formulas:
      return "three formulas or numbers" + in_unit;
    case Kind::parameters:
      return "a table of names and numbers, such as { k = 0.5 }";
    case Kind::fraction:
      return "a number, or a fraction in text such as \"1/3\"";
    case Kind::coefficients:
      return "a list of numbers, or of fractions in text such as \"1/3\"";
    case Kind::rows:
      return "a list of rows, each a list of numbers or of fractions in text such as \"1/3\"";
    case Kind::names:
      return "a list of names, such as [\"chain.2\"]";
    case Kind::numbers:
      return "a list of numbers" + in_unit;
    case Kind::angles:
      return "a list of numbers, or of texts with a unit such as \"120 deg\"";
    case Kind::vectors:
      return "two lists of three numbers" + in_unit;
    case Kind::triples:
      return "a list of lists of three numbers" + in_unit;
    case Kind::orientation:
      return "a quaternion [w, x, y, z], { axis = [..], angle = .. } or { euler_xyz = [..] }";
    case Kind::tensor:
      return "three numbers or a 3x3 matrix" + in_unit;
    case Kind::starts:
      return "a table of names and numbers or angles, such as { x = 0.1, theta = \"80 deg\" }";
    case Kind::start_rates:
      return "a table of names and numbers or angles per second, such as { x = 0.1, theta = \"80 deg/s\" }";
    case Kind::formula_list:
      return "a list of formulas, such as [\"x^2 + z^2 - l^2\"]";
    case Kind::formula_table:
      return "a table of names and formulas, such as { x = \"-k*x\" }";
    case Kind::motor:
      return "a table such as { torque = \"0.1*sin(t)\" }, with torque, force, angle or travel";
    case Kind::ends:
      return "a list of two, each a body, a link such as \"chain.2\", or a point [x, y, z]";
  }
  return "";
}

}  // namespace catena
