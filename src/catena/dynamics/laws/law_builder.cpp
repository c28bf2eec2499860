#include "catena/dynamics/laws/law_builder.h"

#include <algorithm>
#include <cmath>

#include "catena/expr/derivative.h"
#include "catena/expr/parse.h"
#include "catena/expr/pieces.h"
#include "catena/expr/substitute.h"
#include "catena/math/decimal.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

using expr::Graph;
using expr::NodeId;
using Source = LawInput::Source;
using Target = LawOutput::Target;

constexpr int kNobody = -2;  // a lane's output that nothing takes

bool is_whole(const std::vector<int>& links, std::size_t count) {
  if (links.size() != count) return false;
  for (std::size_t k = 0; k < count; ++k) {
    if (links[k] != static_cast<int>(k)) return false;
  }
  return true;
}

// What a body that rests has in its state; the ground's own frame is the world.
double resting(const Mechanism& mechanism, int body, std::size_t component) {
  if (body < 0) return component == kOrientation ? 1.0 : 0.0;
  const Body& of = mechanism.bodies[static_cast<std::size_t>(body)];
  if (component < kOrientation) return of.position[component - kPosition];
  if (component < kVelocity) return of.orientation[component - kOrientation];
  return 0.0;
}

// What the double cannot hold of it.
double rest_of_resting(const Mechanism& mechanism, int body, std::size_t component) {
  if (body < 0 || component >= kVelocity) return 0.0;
  const Body& of = mechanism.bodies[static_cast<std::size_t>(body)];
  return component < kOrientation ? of.position_rest[component - kPosition]
                                  : of.orientation_rest[component - kOrientation];
}

LawBuilder::Attachments ends_of(const ChainSpace& space, const std::vector<int>& links) {
  LawBuilder::Attachments out;
  for (const int k : links)
    out.push_back(k < 0 ? space.bodies->pivot : space.bodies->end[static_cast<std::size_t>(k)]);
  return out;
}

LawBuilder::Attachments centers_of(const ChainSpace& space, const std::vector<int>& links) {
  LawBuilder::Attachments out;
  for (const int k : links) out.push_back(space.bodies->center[static_cast<std::size_t>(k)]);
  return out;
}

}  // namespace

expr::Expression LawBuilder::constant(const std::vector<double>& values) {
  const bool uniform = std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; });
  if (uniform) return expr::constant(graph, values[0]);
  return input({.source = Source::constant, .values = values});
}

expr::Vector LawBuilder::constants(const std::vector<Vec3>& values) {
  const auto component = [&](std::size_t i) {
    std::vector<double> row;
    for (const Vec3& value : values) row.push_back(value[i]);
    return constant(row);
  };
  return {component(0), component(1), component(2)};
}

// ---- bodies -----------------------------------------------------------------------------------------------

expr::Expression LawBuilder::of_bodies(const Attachments& attached, std::size_t component) {
  LawInput made{.source = Source::body, .chain = -1, .component = static_cast<int>(component)};
  std::vector<double> rests;
  bool all_rest = true, all_move = true;
  for (const Attachment& one : attached) {
    const int index = one.body < 0 ? kGround : bodies_.moving[static_cast<std::size_t>(one.body)];
    made.links.push_back(index);
    made.values.push_back(index == kGround ? resting(bodies_.mechanism, one.body, component) : 0.0);
    rests.push_back(index == kGround ? rest_of_resting(bodies_.mechanism, one.body, component) : 0.0);
    (index == kGround ? all_move : all_rest) = false;
  }
  if (all_rest) return in_full(made.values, rests);
  const std::vector<double> values = made.values;
  if (all_move) made.values.clear();
  const Expression of_all = input(std::move(made));
  return all_move ? of_all : with_rests(of_all, values, rests);
}

expr::Vector LawBuilder::of_bodies_three(const Attachments& attached, std::size_t first) {
  return {of_bodies(attached, first), of_bodies(attached, first + 1), of_bodies(attached, first + 2)};
}

expr::Quaternion LawBuilder::orientation(const Attachments& attached) {
  return {of_bodies(attached, kOrientation), of_bodies(attached, kOrientation + 1),
          of_bodies(attached, kOrientation + 2), of_bodies(attached, kOrientation + 3)};
}

expr::Vector LawBuilder::turned(const Attachments& attached, const Vector& vector) {
  const bool zero = graph.is_constant(vector.x.node, 0.0) && graph.is_constant(vector.y.node, 0.0) &&
                    graph.is_constant(vector.z.node, 0.0);
  return zero ? vector : expr::rotated(orientation(attached), vector);
}

expr::Vector LawBuilder::turned(const Attachments& attached, const std::vector<Vec3>& vectors) {
  return turned(attached, constants(vectors));
}

expr::Vector LawBuilder::points(const Attachments& attached) {
  const auto component = [&](std::size_t i) {
    std::vector<double> values, rests;
    for (const Attachment& one : attached) {
      values.push_back(one.point[i]);
      rests.push_back(one.point_rest[i]);
    }
    return in_full(values, rests);
  };
  return {component(0), component(1), component(2)};
}

expr::Vector LawBuilder::place(const Attachments& attached) {
  return of_bodies_three(attached, kPosition) + turned(attached, points(attached));
}

expr::Vector LawBuilder::omega(const Attachments& attached) { return of_bodies_three(attached, kRotation); }

expr::Vector LawBuilder::velocity(const Attachments& attached) {
  return of_bodies_three(attached, kVelocity) + turned(attached, cross(omega(attached), points(attached)));
}

expr::Vector LawBuilder::rotation(const Attachments& attached) { return turned(attached, omega(attached)); }

void LawBuilder::load(const Attachments& attached, std::size_t first, const Vector& value, int chain) {
  std::vector<int> to;
  for (const Attachment& one : attached) {
    const int index = one.body < 0 ? one.body : bodies_.moving[static_cast<std::size_t>(one.body)];
    to.push_back(index >= 0 ? index : one.body == kGround && chain >= 0 ? -1 : kNobody);
  }
  if (bodies_.flat != nullptr) body_loads_.push_back({first, value, to});
  const Expression components[] = {value.x, value.y, value.z};
  for (std::size_t i = 0; i < 3; ++i) {
    output(components[i],
           {.target = Target::body, .chain = chain, .component = static_cast<int>(first + i), .links = to});
  }
}

void LawBuilder::push(const Attachments& attached, const Vector& force, int chain) {
  load(attached, 0, force, chain);
  Attachments arms = attached;  // what rests has no use for a torque
  for (Attachment& one : arms) {
    if (one.body < 0) one.point = one.point_rest = {};
  }
  load(arms, 3, cross(turned(arms, points(arms)), force), -1);
}

void LawBuilder::twist(const Attachments& attached, const Vector& torque) { load(attached, 3, torque, -1); }

// ---- chains -----------------------------------------------------------------------------------------------

// A vector of the chain's own space in the world. Lanes without a link have `otherwise`, given in the world.
expr::Vector LawBuilder::world(const ChainSpace& space, Source source, const std::vector<int>& links,
                               const Vec3& otherwise) {
  const bool missing = std::any_of(links.begin(), links.end(), [](int link) { return link < 0; });
  const auto component = [&](int i, double value) {
    LawInput made{.source = source, .chain = space.index, .component = i, .links = links};
    if (missing) made.values.assign(lanes_, value);
    made.whole = is_whole(links, space.chain.links.size());
    return input(std::move(made));
  };
  if (!space.plane)
    return {component(0, otherwise[0]), component(1, otherwise[1]), component(2, otherwise[2])};
  const Plane& plane = *space.plane;
  const Expression across = component(0, plane.cosine * otherwise[0] + plane.sine * otherwise[1]);
  return {constant_in_full(graph, plane.cosine, plane.cosine_rest) * across,
          constant_in_full(graph, plane.sine, plane.sine_rest) * across, component(1, otherwise[2])};
}

// In runs with more digits a constant stands for its decimal, which differs from the double.
expr::Expression constant_in_full(Graph& graph, double value, double rest) {
  const expr::Expression rounded = expr::constant(graph, value);
  if (!graph.keeps_decimals()) return rounded;
  return rounded + static_cast<double>(two_sum(value, rest) - decimal(value));
}

expr::Expression LawBuilder::in_full(const std::vector<double>& values, const std::vector<double>& rests) {
  return with_rests(constant(values), values, rests);
}

expr::Expression LawBuilder::with_rests(const Expression& rounded, const std::vector<double>& values,
                                        const std::vector<double>& rests) {
  if (!graph.keeps_decimals()) return rounded;
  std::vector<double> more;
  for (std::size_t i = 0; i < values.size(); ++i)
    more.push_back(static_cast<double>(two_sum(values[i], rests[i]) - decimal(values[i])));
  const bool none = std::all_of(more.begin(), more.end(), [](double x) { return x == 0.0; });
  return none ? rounded : rounded + constant(more);
}

// Where the pivot is, and its velocity.
expr::Vector LawBuilder::pivot(const ChainSpace& space) {
  const Vec3& start = space.chain.pivot;
  if (!given(space.chain.pivot_motion)) return expr::constant(graph, start[0], start[1], start[2]);
  return {motion(space, 0), motion(space, 1), motion(space, 2)};
}

expr::Vector LawBuilder::pivot_velocity(const ChainSpace& space) {
  if (!given(space.chain.pivot_motion)) return expr::constant(graph, 0, 0, 0);
  const std::uint32_t t = graph[time().node].index;
  const auto rate = [&](int i) {
    return Expression{&graph, expr::derivative(graph, motion(space, i).node, t)};
  };
  return {rate(0), rate(1), rate(2)};
}

expr::Expression LawBuilder::motion(const ChainSpace& space, int i) {
  Graph own;
  own.keep_decimals(graph.keeps_decimals());
  const expr::Parsed parsed =
      expr::parse(own, space.chain.pivot_motion[static_cast<std::size_t>(i)], {{"t"}, {}});
  const std::optional<double>& piece = space.chain.pivot_piece;
  const NodeId place = piece ? expr::piece_at(own, parsed.node, 0, *piece) : parsed.node;
  return {&graph, expr::substitute(own, {place}, graph, {time().node})[0]};
}

expr::Vector LawBuilder::center(const ChainSpace& space, const std::vector<int>& links) {
  if (space.bodies != nullptr) return place(centers_of(space, links));
  return pivot(space) + world(space, Source::center, links);
}

expr::Vector LawBuilder::center_velocity(const ChainSpace& space, const std::vector<int>& links) {
  if (space.bodies != nullptr) return velocity(centers_of(space, links));
  return pivot_velocity(space) + world(space, Source::center_velocity, links);
}

LawBuilder::LinkFrame LawBuilder::link(const ChainSpace& space, const std::vector<int>& links) {
  constexpr Vec3 kDown{0, 0, -1};
  std::vector<double> lengths;
  for (const int k : links) lengths.push_back(k < 0 ? 1.0 : space.chain.links[k].length);
  if (space.bodies != nullptr) {
    Attachments ends, uppers;
    for (const int k : links) {
      ends.push_back(k < 0 ? Attachment{.point = kDown} : space.bodies->end[static_cast<std::size_t>(k)]);
      uppers.push_back(k < 0 ? Attachment{} : space.bodies->upper[static_cast<std::size_t>(k)]);
    }
    const Expression length = constant(lengths);
    const Vector along = (place(ends) - place(uppers)) / length,
                 rate = (velocity(ends) - velocity(uppers)) / length;
    return {along, rate, rate, length};
  }
  const Vector span = world(space, Source::link, links, kDown);
  const Vector span_rate = world(space, Source::link_rate, links);
  if (!space.elastic()) return {span, span_rate, span_rate, constant(lengths)};
  const Expression length = norm(span);
  const Vector along = span / length;
  return {along, (span_rate - dot(along, span_rate) * along) / length, span_rate, length};
}

void LawBuilder::push(const ChainSpace& space, const Vector& force, const std::vector<int>& links,
                      const std::vector<double>& weights, const std::vector<int>& upper_of) {
  if (space.bodies != nullptr) {
    Attachments ends = ends_of(space, links);
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i] == kNobody) ends[i].body = kNobody;
    }
    return push(ends, weights.empty() ? force : constant(weights) * force, space.index);
  }
  const auto component = [&](int i, const Expression& value) {
    LawOutput made{.target = Target::end, .chain = space.index, .component = i, .links = links};
    made.weights = weights;
    made.upper_of = upper_of;
    made.whole = is_whole(links, space.chain.links.size());
    output(value, std::move(made));
  };
  if (!space.plane) {
    component(0, force.x), component(1, force.y), component(2, force.z);
    return;
  }
  const Plane& plane = *space.plane;
  component(0, constant_in_full(graph, plane.cosine, plane.cosine_rest) * force.x +
                   constant_in_full(graph, plane.sine, plane.sine_rest) * force.y);
  component(1, force.z);
  normals_.push_back({space.index, *space.plane, force.x.node, force.y.node});
}

void LawBuilder::push_center(const ChainSpace& space, const Vector& force, const std::vector<int>& links) {
  if (space.bodies != nullptr) return push(centers_of(space, links), force, space.index);
  const std::vector<double> share =
      values_of(space, links, [](const Link& link) { return link.center_of_mass; });
  if (std::all_of(share.begin(), share.end(), [](double f) { return f == 1.0; }))
    return push(space, force, links);
  std::vector<int> upper;
  for (const int k : links) upper.push_back(space.chain.links[static_cast<std::size_t>(k)].parent);
  push(space, force, links, share);
  push(space, force, upper, share, links);
}

void LawBuilder::twist(const ChainSpace& space, const Vector& torque, const LinkFrame& frame,
                       const std::vector<int>& links) {
  push_apart(space, cross(torque, frame.along) / frame.length, links);
}

void LawBuilder::push_apart(const ChainSpace& space, const Vector& force, const std::vector<int>& links) {
  std::vector<int> upper, ends;
  for (const int k : links) {
    upper.push_back(k < 0 ? kNobody : space.chain.links[static_cast<std::size_t>(k)].parent);
    ends.push_back(k < 0 ? kNobody : k);
  }
  push(space, force, ends);
  push(space, -force, upper);
}

// ---- the program ------------------------------------------------------------------------------------------

void LawBuilder::output(const Expression& value, LawOutput made) {
  if (graph.is_constant(value.node, 0.0)) return;
  nodes_.push_back(value.node);
  outputs_.push_back(std::move(made));
}

void LawBuilder::give(Target target, const Expression& value) { output(value, {.target = target}); }

expr::Expression LawBuilder::input(LawInput made) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const LawInput& known = inputs_[i];
    if (known.source == made.source && known.chain == made.chain && known.component == made.component &&
        known.links == made.links && known.values == made.values)
      return expr::variable(graph, static_cast<std::uint32_t>(i));
  }
  inputs_.push_back(std::move(made));
  return expr::variable(graph, static_cast<std::uint32_t>(inputs_.size() - 1));
}

// ---- planes -----------------------------------------------------------------------------------------------

namespace {

// A component of the state of a body that keeps to its plane. Its letters: place along the plane and up, the
// rates of these, cosine and sine of half its angle, and its rate.
expr::NormalForms::Linear in_plane(const BodiesInPlane& flat, int body, std::size_t component) {
  enum Letter { kAlong, kUp, kAlongRate, kUpRate, kCosine, kSine, kTurning, kLetters };
  const auto letter = [&](Letter which) { return kLetters * body + which; };
  const double c = flat.plane.cosine, s = flat.plane.sine;
  const Vec3 normal{-s, c, 0.0};
  const double along[] = {c, s, 0.0}, up[] = {0.0, 0.0, 1.0};
  const Quaternion& start = flat.start[static_cast<std::size_t>(body)];
  if (component < kOrientation) {
    return {flat.offset * normal[component],
            {{along[component], letter(kAlong)}, {up[component], letter(kUp)}}};
  }
  if (component < kVelocity) {
    const std::size_t i = component - kOrientation;
    const Quaternion turned = product({0.0, normal[0], normal[1], normal[2]}, start);
    return {0.0, {{start[i], letter(kCosine)}, {turned[i], letter(kSine)}}};
  }
  if (component < kRotation) {
    const std::size_t i = component - kVelocity;
    return {0.0, {{along[i], letter(kAlongRate)}, {up[i], letter(kUpRate)}}};
  }
  return {0.0, {{rotated_back(start, normal)[component - kRotation], letter(kTurning)}}};
}

}  // namespace

expr::NormalForms LawBuilder::forms(std::optional<std::size_t> lane) const {
  expr::NormalForms out(graph);
  if (!lane) return out;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const LawInput& input = inputs_[i];
    const auto variable = static_cast<std::uint32_t>(i);
    const bool has_link = !input.links.empty() && input.links[*lane] >= 0;
    if (input.source == Source::time) continue;
    if (!has_link) {
      out.set(variable, {input.values.empty() ? 0.0 : input.values[*lane]});
    } else if (input.source == Source::body && bodies_.flat != nullptr &&
               bodies_.flat->in[static_cast<std::size_t>(input.links[*lane])]) {
      out.set(variable,
              in_plane(*bodies_.flat, input.links[*lane], static_cast<std::size_t>(input.component)));
    }
  }
  return out;
}

// For all lanes at once; where numbers that differ from lane to lane must cancel, for each.
bool LawBuilder::keeps_to_plane(const Normal& normal) const {
  const std::vector<expr::NormalForms::Term> across{{normal.plane.cosine, normal.y},
                                                    {-normal.plane.sine, normal.x}};
  if (forms({}).vanishes(across)) return true;
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    if (!forms(lane).vanishes(across)) return false;
  }
  return true;
}

// Forces along it, torques about its normal.
bool LawBuilder::keeps_to_plane(const BodyLoad& load, std::size_t lane) const {
  const Plane& plane = bodies_.flat->plane;
  expr::NormalForms own = forms(lane);
  if (load.first == 0)
    return own.vanishes({{plane.cosine, load.value.y.node}, {-plane.sine, load.value.x.node}});
  return own.vanishes({{plane.cosine, load.value.x.node}, {plane.sine, load.value.y.node}}) &&
         own.vanishes({{1.0, load.value.z.node}});
}

void LawBuilder::check_planes(LeftPlanes& leaves) {
  for (const Normal& normal : normals_) {
    char& left = leaves.chains[static_cast<std::size_t>(normal.chain)];
    if (!left && !keeps_to_plane(normal)) left = 1;
  }
  for (const BodyLoad& load : body_loads_) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      if (load.bodies[lane] < 0) continue;
      const auto body = static_cast<std::size_t>(load.bodies[lane]);
      if (bodies_.flat->in[body] && !leaves.bodies[body] && !keeps_to_plane(load, lane))
        leaves.bodies[body] = 1;
    }
  }
}

// ---- the program, made ------------------------------------------------------------------------------------

void LawBuilder::finish(std::vector<LawGroup>& groups) {
  if (nodes_.empty()) return;
  std::vector<char> wanted(inputs_.size(), 0);
  const std::vector<char> reached = expr::reachable(graph, nodes_);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (reached[id] && graph[id].op == expr::Op::variable) wanted[graph[id].index] = 1;
  }
  Graph compact;
  std::vector<LawInput> kept;
  std::vector<NodeId> images(inputs_.size(), expr::kNone);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!wanted[i]) continue;
    images[i] = compact.variable(static_cast<std::uint32_t>(kept.size()));
    kept.push_back(inputs_[i]);
  }
  const std::vector<NodeId> nodes = expr::substitute(graph, nodes_, compact, images);
  groups.emplace_back(compact, nodes, std::move(kept), outputs_, lanes_);
  groups.back().written = written;
  groups.back().has_pole = has_pole;
  if (of_pairs) groups.back().see_differences();
}

}  // namespace catena
