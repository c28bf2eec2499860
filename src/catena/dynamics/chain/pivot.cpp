#include "catena/dynamics/chain/pivot.h"

#include <vector>

#include "catena/expr/derivative.h"
#include "catena/expr/identity.h"
#include "catena/expr/parse.h"
#include "catena/expr/pieces.h"

namespace catena {
namespace {

std::vector<expr::NodeId> places(expr::Graph& graph, const Formulas& formulas, std::optional<double> piece,
                                 bool decimals) {
  graph.keep_decimals(decimals);
  std::vector<expr::NodeId> nodes;
  for (const std::string& text : formulas) {
    const expr::NodeId place = expr::parse(graph, text, {{"t"}, {}}).node;
    nodes.push_back(piece ? expr::piece_at(graph, place, 0, *piece) : place);
  }
  return nodes;
}

// Position, velocity and acceleration.
std::vector<expr::NodeId> with_rates(expr::Graph& graph, std::vector<expr::NodeId> nodes) {
  for (std::size_t i = 0; i < 6; ++i) nodes.push_back(expr::derivative(graph, nodes[i], 0));
  return nodes;
}

std::vector<expr::NodeId> accelerations(expr::Graph& graph, const std::vector<expr::NodeId>& nodes) {
  const std::vector<expr::NodeId> all = with_rates(graph, nodes);
  return {all.begin() + 6, all.end()};
}

}  // namespace

PivotMotion::PivotMotion(const Formulas& formulas, const std::optional<Plane>& plane,
                         std::optional<double> piece, bool decimals)
    : places_(places(graph_, formulas, piece, decimals)),
      values_(graph_, with_rates(graph_, places_), 1, 0),
      series_(graph_, places_, plane),
      sampled_(graph_, accelerations(graph_, places_), 1, 1, 0) {}

PivotMotion::Instant PivotMotion::at(double t) {
  std::array<double, 9> out{};
  values_.evaluate(&t, 1, out.data());
  return {{out[0], out[1], out[2]}, {out[3], out[4], out[5]}, {out[6], out[7], out[8]}};
}

double PivotMotion::smooth_until(int order, double length) const {
  // What is allowed is a place, not a rate.
  return series_.smooth_until(order, length, allowed_ * length);
}

bool PivotMotion::misses(double t, double length) {
  if (sampled_.empty()) return false;
  const double end = t + length;
  sampled_.note(0, &t, 1);
  sampled_.note(1, &end, 1);
  // What is felt is its acceleration: a corner of a microsecond hardly shows in places, and it strikes.
  return sampled_.unseen() * length > allowed_;
}

bool PivotMotion::stays_in(const Plane& plane) const {
  expr::NormalForms forms(graph_);
  return forms.is_constant({{plane.cosine, places_[1]}, {-plane.sine, places_[0]}});
}

}  // namespace catena
