// Puts the programs of force laws together: what their inputs are in a chain's own space or on bodies, and
// where what they give goes.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "catena/dynamics/chain/chain_bodies.h"
#include "catena/dynamics/laws/law_group.h"
#include "catena/dynamics/state/body_state.h"
#include "catena/dynamics/state/plane.h"
#include "catena/expr/identity.h"
#include "catena/expr/vector.h"
#include "catena/model/scene.h"

namespace catena {

struct ChainSpace {
  const Chain& chain;
  std::optional<Plane> plane;
  int index;
  const ChainBodies* bodies = nullptr;  // given: what laws see and do is of bodies

  bool elastic() const { return chain.kind == ChainKind::elastic; }
};

// What laws would move out of its plane: chains, and bodies that move.
struct LeftPlanes {
  std::vector<char> chains, bodies;
};

// value + rest with all digits that the run has.
expr::Expression constant_in_full(expr::Graph& graph, double value, double rest);

// A program being put together: lanes of one sort, its inputs made as they are asked for.
class LawBuilder {
 public:
  using Expression = expr::Expression;
  using Vector = expr::Vector;

  LawBuilder(const BodySpace& bodies, std::size_t lanes) : bodies_(bodies), lanes_(lanes) {
    graph.keep_decimals(bodies.decimals);
  }

  expr::Graph graph;
  bool written = false;   // by a user, as formulas
  bool has_pole = false;  // ForceLaw::has_pole
  bool of_pairs = false;  // of how far apart two things are, and of nothing else that tells where they are

  Expression time() { return input({.source = LawInput::Source::time}); }
  Expression constant(const std::vector<double>& values);
  Vector constants(const std::vector<Vec3>& values);
  // Values and what doubles cannot hold of them, which counts in runs with more digits.
  Expression in_full(const std::vector<double>& values, const std::vector<double>& rests);

  // ---- points of bodies, or at rest; one for each lane
  using Attachments = std::vector<Attachment>;
  Vector place(const Attachments& attached);
  Vector velocity(const Attachments& attached);
  Vector rotation(const Attachments& attached);  // angular velocity, world
  Vector turned(const Attachments& attached,
                const std::vector<Vec3>& vectors);  // from the bodies' frames to the world
  Vector omega(const Attachments& attached);        // angular velocity, in the bodies' frames
  Vector turned(const Attachments& attached, const Vector& vector);
  // `chain`: where forces on what rests go, as forces on its pivot.
  void push(const Attachments& attached, const Vector& force, int chain = -1);
  void twist(const Attachments& attached, const Vector& torque);

  // ---- links of a chain; one for each lane
  Vector center(const ChainSpace& space, const std::vector<int>& links);
  Vector center_velocity(const ChainSpace& space, const std::vector<int>& links);
  // A link's unit vector, the rate of that, and its length. Lanes without a link have one that points down
  // and rests.
  struct LinkFrame {
    Vector along, rate, span_rate;
    Expression length;
  };
  LinkFrame link(const ChainSpace& space, const std::vector<int>& links);
  // A force on the links' ends (-1: the pivot).
  void push(const ChainSpace& space, const Vector& force, const std::vector<int>& links,
            const std::vector<double>& weights = {}, const std::vector<int>& upper_of = {});
  // The same on their centres of mass, shared between their ends.
  void push_center(const ChainSpace& space, const Vector& force, const std::vector<int>& links);
  // A torque on the links, as a couple of forces at their ends.
  void twist(const ChainSpace& space, const Vector& torque, const LinkFrame& frame,
             const std::vector<int>& links);
  // Opposite forces on both ends of the links.
  void push_apart(const ChainSpace& space, const Vector& force, const std::vector<int>& links);

  void give(LawOutput::Target target, const Expression& value);

  // Marks what the laws would move out of its plane: all whose forces across it do not vanish as formulas.
  void check_planes(LeftPlanes& leaves);
  // Only what the outputs need is fed in.
  void finish(std::vector<LawGroup>& groups);

 private:
  struct Normal {
    int chain;
    Plane plane;
    expr::NodeId x, y;  // of the force on its links
  };
  // Forces (first component 0) or torques (3) on bodies.
  struct BodyLoad {
    std::size_t first;
    Vector value;
    std::vector<int> bodies;  // of each lane, among those that move
  };

  Vector world(const ChainSpace& space, LawInput::Source source, const std::vector<int>& links,
               const Vec3& otherwise = {});
  // Lanes that stand for the decimals of these values, with what these cannot hold on top.
  Expression with_rests(const Expression& rounded, const std::vector<double>& values,
                        const std::vector<double>& rests);
  Vector pivot(const ChainSpace& space);
  Vector pivot_velocity(const ChainSpace& space);
  Expression motion(const ChainSpace& space, int i);
  Vector points(const Attachments& attached);  // in the bodies' frames
  Expression of_bodies(const Attachments& attached, std::size_t component);
  Vector of_bodies_three(const Attachments& attached, std::size_t first);
  expr::Quaternion orientation(const Attachments& attached);
  void load(const Attachments& attached, std::size_t first, const Vector& value, int chain);
  void output(const Expression& value, LawOutput made);
  Expression input(LawInput made);
  // The laws of one lane, or of all lanes at once.
  expr::NormalForms forms(std::optional<std::size_t> lane) const;
  bool keeps_to_plane(const Normal& normal) const;
  bool keeps_to_plane(const BodyLoad& load, std::size_t lane) const;

  const BodySpace& bodies_;
  std::size_t lanes_;
  std::vector<LawInput> inputs_;
  std::vector<expr::NodeId> nodes_;
  std::vector<LawOutput> outputs_;
  std::vector<Normal> normals_;
  std::vector<BodyLoad> body_loads_;
};

// A number of each link.
template <class Value>
std::vector<double> values_of(const ChainSpace& space, const std::vector<int>& links, Value value) {
  std::vector<double> out;
  for (const int k : links) out.push_back(value(space.chain.links[static_cast<std::size_t>(k)]));
  return out;
}

}  // namespace catena
