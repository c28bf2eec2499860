// The config.toml of the classic Python 3D N-pendulum simulator, turned into an ordinary scene.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/base/words.h"
#include "catena/io/scene/parts.h"

namespace catena {
namespace {

struct ClassicSim {
  double g = 9.81;
  double timedelta = 0.0;
  int steps = 0;
};

struct ClassicPendulum {
  double length = 0.0;
  double mass = 0.0;
  WrittenAngle theta;
  WrittenAngle phi;
  WrittenAngle thetadot;
  WrittenAngle phidot;
  bool z_pole = true;
};

const std::vector<Field<ClassicSim>>& sim_fields() {
  using S = ClassicSim;
  static const std::vector<Field<S>> fields = {
      field("g", &S::g, "m/s^2", "gravity").within(kNotHuge),
      field("timedelta", &S::timedelta, "s", "step").needed().within(kSize),
      field("steps", &S::steps, "", "number of steps").needed().within({1.0, 2e9}),
  };
  return fields;
}

const std::vector<Field<ClassicPendulum>>& pendulum_fields() {
  using P = ClassicPendulum;
  static const std::vector<Field<P>> fields = {
      field("length", &P::length, "m", "length").needed().within(kSize),
      field("mass", &P::mass, "kg", "mass").needed().within(kSize),
      field("theta", &P::theta, "rad", "polar angle").within(kNotHuge).written_as(Kind::angle_pair),
      field("phi", &P::phi, "rad", "azimuth").within(kNotHuge).written_as(Kind::angle_pair),
      field("thetadot", &P::thetadot, "rad/s", "rate of theta").within(kNotHuge).written_as(Kind::angle_pair),
      field("phidot", &P::phidot, "rad/s", "rate of phi").within(kNotHuge).written_as(Kind::angle_pair),
      field("zPole", &P::z_pole, "", "true: angles about z, from straight down; false: about x"),
  };
  return fields;
}

struct SwitchOfPlot {
  const char* name;
  std::size_t components;
};

constexpr SwitchOfPlot kSwitches[] = {
    {"x", 3},       {"v", 3},     {"LM", 3},         {"AM", 3},         {"totalLM", 3},
    {"totalAM", 3}, {"pos", 2},   {"vel", 2},        {"pole", 1},       {"KE", 1},
    {"PE", 1},      {"ME", 1},    {"totalKE", 1},    {"totalPE", 1},    {"totalME", 1},
    {"absLM", 1},   {"absAM", 1}, {"absTotalLM", 1}, {"absTotalAM", 1},
};

std::vector<bool> flags_in(const Node& node) {
  if (const auto* flag = std::get_if<bool>(&node.value)) return {*flag};
  std::vector<bool> flags;
  if (const Node::List* list = node.list()) {
    for (const Node& item : *list) {
      const auto* flag = std::get_if<bool>(&item.value);
      if (flag == nullptr) return {};
      flags.push_back(*flag);
    }
  }
  return flags;
}

// A key of the scene being made, standing where `origin` stands.
template <class Value>
void put(Node& table, std::string key, const Node& origin, Value value) {
  table.table()->push_back({std::move(key), origin.spot, Node{origin.spot, std::move(value)}});
}

const Node& origin_of(const Node& table, std::string_view key) {
  const Node* value = table.find(key);
  return value != nullptr ? *value : table;
}

Node::List vector_node(const Node& origin, const Vec3& v) {
  return {Node{origin.spot, v[0]}, Node{origin.spot, v[1]}, Node{origin.spot, v[2]}};
}

// An angle in the unit it was given in, which keeps quarter turns exact.
decltype(Node::value) angle_value(const WrittenAngle& angle) {
  if (angle.unit == AngleUnit::degrees) return number_text(angle.value) + " deg";
  if (angle.unit == AngleUnit::half_turns) return number_text(angle.value) + " pi";
  return angle.value;
}

// x-polar: u = (cos th, sin th cos ph, sin th sin ph), and its time derivative.
void put_x_polar(Node& link, const Node& origin, const ClassicPendulum& from) {
  const Angle th = angle_of(from.theta);
  const Angle ph = angle_of(from.phi);
  const double th_dot = angle_of(from.thetadot).radians;
  const double ph_dot = angle_of(from.phidot).radians;
  const Vec3 u = {th.cosine, th.sine * ph.cosine, th.sine * ph.sine};
  const Vec3 rate = {-th.sine * th_dot, th.cosine * ph.cosine * th_dot - th.sine * ph.sine * ph_dot,
                     th.cosine * ph.sine * th_dot + th.sine * ph.cosine * ph_dot};
  put(link, "direction", origin_of(origin, "theta"), vector_node(origin, u));
  put(link, "rate", origin_of(origin, "thetadot"), vector_node(origin, rate));
}

Node link_from(const Node& pendulum, const std::string& owner, Mistakes& mistakes) {
  ClassicPendulum from;
  read_fields(pendulum, owner, pendulum_fields(), {}, from, mistakes);
  Node link{pendulum.spot, Node::Table{}};
  put(link, "length", origin_of(pendulum, "length"), from.length);
  put(link, "mass", origin_of(pendulum, "mass"), from.mass);
  if (!from.z_pole) {
    put_x_polar(link, pendulum, from);
    return link;
  }
  put(link, "theta", origin_of(pendulum, "theta"), angle_value(from.theta));
  put(link, "phi", origin_of(pendulum, "phi"), angle_value(from.phi));
  put(link, "theta_dot", origin_of(pendulum, "thetadot"), angle_of(from.thetadot).radians);
  put(link, "phi_dot", origin_of(pendulum, "phidot"), angle_of(from.phidot).radians);
  return link;
}

Node links_from(const Node& sim, Mistakes& mistakes) {
  const Node* pendula = sim.find("pendula");
  Node links{pendula != nullptr ? pendula->spot : sim.spot, Node::List{}};
  if (pendula == nullptr || pendula->list() == nullptr || pendula->list()->empty()) {
    mistakes.add(links.spot, "system.sim: there are no pendula; write at least one [[system.sim.pendula]]");
    return links;
  }
  for (const Node& pendulum : *pendula->list()) {
    if (mistakes.full()) break;
    const std::string owner = fmt::format("pendulum {}", links.list()->size() + 1);
    links.list()->push_back(link_from(pendulum, owner, mistakes));
  }
  return links;
}

void put_sim(Node& scene, const Node& sim, Mistakes& mistakes) {
  ClassicSim from;
  read_fields(sim, "system.sim", sim_fields(), {"pendula"}, from, mistakes);
  const double duration = from.steps * from.timedelta;
  const bool known = from.steps > 0 && from.timedelta > 0.0;
  if (known && !kSize.contains(duration)) {
    mistakes.add(origin_of(sim, "steps").spot, fmt::format("system.sim: steps * timedelta {}, got {}",
                                                           kSize.demand(duration), number_text(duration)));
  }
  Node simulation{sim.spot, Node::Table{}};
  put(simulation, "duration", origin_of(sim, "steps"), duration);
  put(simulation, "sample", origin_of(sim, "timedelta"), from.timedelta);
  put(simulation, "gravity", origin_of(sim, "g"), from.g);
  put(simulation, "method", sim, std::string("rk4"));
  put(simulation, "step", origin_of(sim, "timedelta"), from.timedelta);
  scene.table()->push_back({"simulation", sim.spot, std::move(simulation)});

  Node chain{sim.spot, Node::Table{}};
  Node links = links_from(sim, mistakes);
  chain.table()->push_back({"links", links.spot, std::move(links)});
  scene.table()->push_back({"chain", sim.spot, std::move(chain)});
}

void put_output(Node& scene, const Node& classic, const std::string& name, Mistakes& mistakes) {
  const Node* filename = classic.find("filename");
  if (filename != nullptr && (filename->text() == nullptr || filename->text()->empty())) {
    mistakes.add(filename->spot,
                 fmt::format("filename must be a text that is not empty, got {}", described(*filename)));
    return;
  }
  put(scene, "output", origin_of(classic, "filename"),
      (filename != nullptr ? *filename->text() : name) + ".h5");
}

}  // namespace

std::vector<PlotSwitch> read_plot(const Node& plot, const std::string& owner, Mistakes& mistakes) {
  std::vector<PlotSwitch> switches;
  if (!is_table(plot, owner, mistakes)) return switches;
  std::vector<std::string> known;
  for (const SwitchOfPlot& one : kSwitches) known.emplace_back(one.name);
  check_keys(*plot.table(), owner, known, mistakes);
  for (const SwitchOfPlot& one : kSwitches) {
    const Node* node = plot.find(one.name);
    if (node == nullptr) continue;
    std::vector<bool> on = flags_in(*node);
    if (on.size() != one.components) {
      const std::string wanted =
          one.components == 1 ? "true or false" : fmt::format("a list of {} booleans", one.components);
      mistakes.add(node->spot,
                   fmt::format("{}: {} must be {}, got {}", owner, one.name, wanted, described(*node)));
      continue;
    }
    switches.push_back({one.name, std::move(on)});
  }
  return switches;
}

bool is_classic(const Node& scene) { return scene.find("system") != nullptr; }

Node from_classic(const Node& classic, const std::string& name, Mistakes& mistakes) {
  Node scene{classic.spot, Node::Table{}};
  check_keys(*classic.table(), "classic config", {"filename", "system"}, mistakes);
  put_output(scene, classic, name, mistakes);
  const Node& system = *classic.find("system");
  if (!is_table(system, "system", mistakes)) return scene;
  check_keys(*system.table(), "system", {"sim", "plot"}, mistakes);
  if (const Node* sim = system.find("sim")) {
    put_sim(scene, *sim, mistakes);
  } else {
    mistakes.add(system.spot, "system: [system.sim] is missing; it needs timedelta, steps and pendula");
  }
  if (const Node* plot = system.find("plot")) {
    read_plot(*plot, "system.plot", mistakes);
    put(scene, "plot", *plot, plot->value);
  }
  return scene;
}

}  // namespace catena
