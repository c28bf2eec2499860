// Columns of scenes, and formulas of them, over numbers that are recorded.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catena/dynamics/world/world.h"
#include "catena/expr/parse.h"
#include "catena/lab/column_formula.h"
#include "catena/lab/lab.h"
#include "catena/threads/bounded.h"

namespace catena {
namespace threads {

template <class S>
struct Shown {
  S t;
  std::vector<S> x, angles;
  std::vector<S> numbers;  // ThreadColumns::numbers; none: as in the world at hand
};

// Columns of chains and equations over numbers of any kind that lanes have.
class ThreadColumns {
 public:
  explicit ThreadColumns(World& world) : world_(world) {}

  // What columns know of a world: of each chain its pivot, its plane, its lengths.
  static std::vector<double> numbers(const World& world) {
    std::vector<double> out;
    for (const ChainUnit& chain : world.chains()) {
      for (const double one : chain.pivot) out.push_back(one);
      out.push_back(chain.plane.cosine);
      out.push_back(chain.plane.sine);
      for (const double one : chain.lengths()) out.push_back(one);
    }
    return out;
  }

  // The angle that is behind this column and counts its turns; none: there is none.
  std::optional<std::pair<std::size_t, std::size_t>> angle_of(const std::string& name) const {
    const auto found = link_of(name);
    if (!found || found->stem != "theta" || !unit(found->chain).planar()) return std::nullopt;
    return std::pair{found->chain, found->link};
  }

  bool knows(const std::string& name) const {
    return name == "t" || state_of(name) || link_of(name).has_value();
  }

  template <class S>
  S value(const std::string& name, const Shown<S>& shown,
          const std::vector<std::pair<std::size_t, std::size_t>>& angles) const {
    if (name == "t") return shown.t;
    if (const auto state = state_of(name)) return shown.x[*state];
    const auto found = link_of(name);
    if (!found) refuse(fmt::format("the column '{}' is not computed there", name));
    const std::pair<std::size_t, std::size_t> angle{found->chain, found->link};
    const auto at = std::find(angles.begin(), angles.end(), angle);
    if (found->stem == "theta" && at != angles.end())
      return shown.angles[static_cast<std::size_t>(at - angles.begin())];
    return of_link(*found, shown);
  }
  // Of a planar link, in (-pi, pi].
  Recorded wrapped(const std::pair<std::size_t, std::size_t>& angle, const Shown<Recorded>& shown) const {
    const Own<Recorded> u = own(angle.first, angle.second, shown, false);
    return atan2_of(u[0], -u[1]);
  }
  // How fast it grows.
  template <class S>
  S rate(const std::pair<std::size_t, std::size_t>& angle, const Shown<S>& shown) const {
    const Own<S> u = own(angle.first, angle.second, shown, false),
                 w = own(angle.first, angle.second, shown, true);
    return w[1] * u[0] - w[0] * u[1];
  }

 private:
  template <class S>
  using Own = std::array<S, 3>;
  struct Link {
    std::string stem;
    std::size_t chain, link;
  };

  const ChainUnit& unit(std::size_t chain) const { return world_.chains()[chain]; }

  std::optional<std::size_t> state_of(const std::string& name) const {
    if (world_.equations() == nullptr) return std::nullopt;
    const auto& states = world_.equations()->given().states;
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (states[i].name == name) return i;
    }
    return std::nullopt;
  }

  std::optional<Link> link_of(const std::string& name) const {
    static const char* const kStems[] = {"x",  "y",  "z",     "vx", "vy",       "vz",
                                         "ux", "uy", "theta", "uz", "theta_dot"};
    for (std::size_t c = 0; c < world_.chains().size(); ++c) {
      const ChainUnit& chain = unit(c);
      if (chain.pivot_motion || chain.has_angles() || chain.bodies() != nullptr) continue;
      for (const std::string stem : kStems) {
        const std::string start = stem + (chain.name.empty() ? "" : "_" + chain.name) + "_";
        if (!name.starts_with(start)) continue;
        for (std::size_t k = 0; k < chain.links(); ++k) {
          if (name.substr(start.size()) != std::to_string(k + 1)) continue;
          const bool turns = stem == "theta_dot" || stem == "theta";
          if ((turns && !chain.planar()) || (chain.elastic() && (turns || stem[0] == 'u'))) continue;
          return Link{stem, c, k};
        }
      }
    }
    return std::nullopt;
  }

  // Of the state, in the chain's own space; planar: across, up, 0.
  template <class S>
  Own<S> own(std::size_t c, std::size_t k, const Shown<S>& shown, bool rates) const {
    const ChainUnit& chain = unit(c);
    const std::size_t n = chain.links(), d = chain.components();
    Own<S> out{S(0.0), S(0.0), S(0.0)};
    for (std::size_t i = 0; i < d; ++i) out[i] = shown.x[chain.offset + (rates ? d * n : 0) + i * n + k];
    return out;
  }
  // A chain's number, in the order above.
  template <class S>
  S known(const Shown<S>& shown, std::size_t chain, std::size_t at, double value) const {
    if (shown.numbers.empty()) return S(value);
    for (std::size_t c = 0; c < chain; ++c) at += kOfChain + unit(c).lengths().size();
    return shown.numbers[at];
  }
  static constexpr std::size_t kCosine = 3, kOfChain = 5;

  // In the world.
  template <class S>
  S component(std::size_t c, const Own<S>& v, std::size_t i, const Shown<S>& shown) const {
    const ChainUnit& chain = unit(c);
    if (!chain.planar()) return v[i];
    if (i == 2) return v[1];
    return v[0] * known(shown, c, kCosine + i, i == 0 ? chain.plane.cosine : chain.plane.sine);
  }

  template <class S>
  S of_link(const Link& link, const Shown<S>& shown) const {
    const ChainUnit& chain = unit(link.chain);
    if (link.stem == "theta_dot") return rate({link.chain, link.link}, shown);
    const bool rates = link.stem[0] == 'v';
    const auto axis = static_cast<std::size_t>(link.stem.back() - 'x');
    const auto in_world = [&](const Own<S>& v) { return component(link.chain, v, axis, shown); };
    if (link.stem[0] == 'u') return in_world(own(link.chain, link.link, shown, false));
    S at = rates ? S(0.0) : known(shown, link.chain, axis, chain.pivot[axis]);
    if (chain.elastic()) return at + in_world(own(link.chain, link.link, shown, rates));
    std::vector<std::size_t> way;  // from the pivot on
    for (int k = static_cast<int>(link.link); k >= 0; k = chain.parents()[static_cast<std::size_t>(k)])
      way.push_back(static_cast<std::size_t>(k));
    for (std::size_t i = way.size(); i-- > 0;) {
      const Own<S> v = own(link.chain, way[i], shown, rates);
      at += known(shown, link.chain, kOfChain + way[i], chain.lengths()[way[i]]) * in_world(v);
    }
    return at;
  }

  World& world_;
};

// A formula of columns; smooth ones alone.
class ThreadFormula {
 public:
  ThreadFormula(const Lab& lab, const std::string& text) : names_(names_of(lab.columns({}))) {
    node_ = expr::parse(graph_, text, {names_, {}}).node;
    const std::vector<char> reached = expr::reachable(graph_, {node_});
    for (expr::NodeId id = 0; id < graph_.size(); ++id) {
      if (!reached[id]) continue;
      if (graph_[id].op == expr::Op::variable) used_.push_back(names_[graph_[id].index]);
    }
    // Threads look at a few moments of a step. That shows all roots of what is no rougher than the motion.
    if (degree(node_) > kMostDegree)
      refuse(fmt::format("'{}' may have roots that a few looks at a step do not show", text));
  }

  const std::vector<std::string>& used() const { return used_; }

  template <class S>
  S value(const std::function<S(const std::string&)>& column) const {
    const std::vector<char> reached = expr::reachable(graph_, {node_});
    std::vector<S> values(graph_.size(), S(0.0));
    for (expr::NodeId id = 0; id < graph_.size(); ++id) {
      if (!reached[id]) continue;
      const expr::Node& node = graph_[id];
      const auto of = [&](std::size_t i) {
        return node.operands[i] == expr::kNone ? S(0.0) : values[node.operands[i]];
      };
      if (node.op == expr::Op::power) {
        values[id] = power_of(of(0), of(1), graph_[node.operands[1]].value);
      } else {
        values[id] = node.op == expr::Op::variable ? column(names_[node.index]) : applied(node, of(0), of(1));
      }
    }
    return values[node_];
  }

 private:
  static constexpr double kMostDegree = 4.0;

  // As a polynomial of columns; infinite if it is none.
  double degree(expr::NodeId id) const {
    using expr::Op;
    const expr::Node& node = graph_[id];
    const auto of = [&](std::size_t i) { return degree(node.operands[i]); };
    const auto is_number = [&](std::size_t i) { return graph_[node.operands[i]].op == Op::constant; };
    constexpr double kNone = std::numeric_limits<double>::infinity();
    switch (node.op) {
      case Op::constant:
      case Op::parameter:
        return 0.0;
      case Op::variable:
        return 1.0;
      case Op::add:
      case Op::subtract:
        return std::max(of(0), of(1));
      case Op::multiply:
        return of(0) + of(1);
      case Op::divide:
        return of(1) == 0.0 ? of(0) : kNone;
      case Op::negate:
        return of(0);
      case Op::power: {
        const double exponent = is_number(1) ? graph_[node.operands[1]].value : -1.0;
        return exponent >= 0.0 && exponent == std::floor(exponent) ? exponent * of(0) : kNone;
      }
      default:
        return kNone;
    }
  }

  template <class S>
  static S applied(const expr::Node& node, const S& a, const S& b) {
    using expr::Op;
    switch (node.op) {
      case Op::add:
        return a + b;
      case Op::subtract:
        return a - b;
      case Op::multiply:
        return a * b;
      case Op::divide:
        return a / b;
      case Op::negate:
        return -a;
      default:
        return S(node.value);
    }
  }

  std::vector<std::string> names_, used_;
  expr::Graph graph_;
  expr::NodeId node_ = 0;
};

}  // namespace threads
}  // namespace catena
