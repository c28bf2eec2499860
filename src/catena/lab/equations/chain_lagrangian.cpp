#include "catena/lab/equations/chain_lagrangian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "catena/base/words.h"
#include "catena/dynamics/state/plane.h"

namespace catena {
namespace {

constexpr std::size_t kMostPlanar = 8, kMostSpatial = 5;

// "a + b", "a - b"; the terms carry their signs.
std::string sum_of(const std::vector<std::string>& terms) {
  std::string out;
  for (const std::string& term : terms) {
    if (out.empty()) {
      out = term;
    } else if (term[0] == '-') {
      out += " - " + term.substr(1);
    } else {
      out += " + " + term;
    }
  }
  return out.empty() ? "0" : out;
}

std::string in_parentheses(const std::vector<std::string>& terms) {
  return terms.size() == 1 ? terms[0] : "(" + sum_of(terms) + ")";
}

std::string numbered(const char* stem, std::size_t k) { return fmt::format("{}_{}", stem, k + 1); }

class Writer {
 public:
  explicit Writer(const Scene& scene) : scene_(scene), chain_(scene.chains[0]), links_(chain_.links) {}

  Lagrangian take() {
    refuse_what_does_not_fit();
    const Vec3& g = scene_.simulation.gravity;
    const bool vertical = g[0] == 0.0 && g[1] == 0.0;
    const bool planar = chain_.kind == ChainKind::rigid && vertical && common_plane(chain_, g).has_value();
    if (links_.size() > (planar ? kMostPlanar : kMostSpatial)) {
      complain(fmt::format("has {} links: equations are printed for {} at most {}", links_.size(),
                           planar ? kMostPlanar : kMostSpatial, planar ? "in a plane" : "in space"));
    }
    planar ? write_angles() : write_positions();
    return std::move(out_);
  }

 private:
  [[noreturn]] void complain(const std::string& what) const {
    throw InputError({scene_.name}, "the chain " + what);
  }

  void refuse_what_does_not_fit() const {
    if (scene_.chains.size() > 1)
      throw InputError({scene_.name}, "equations are printed for one chain, this scene has several");
    if (!scene_.forces.empty()) complain("is under [[forces]]: equations are printed under gravity alone");
    if (given(chain_.pivot_motion)) complain("has a moving pivot: equations are printed for one at rest");
    if (chain_.carrier || chain_.end)
      complain("is held at its end or hangs on a body: equations are printed for chains that hang freely");
    if (chain_.slack) complain("has slack links, whose equations change with their state");
    for (const Link& link : links_) {
      if (link.axial_damping > 0.0) complain("has axial damping: equations are printed without it");
      if (chain_.velocity_damping > 0.0 && link.inertia > 0.0)
        complain("has velocity damping on rods: equations are printed for point masses under it");
      if (link.hinge != Vec3{}) complain("has hinges: write it with bodies and joints for its equations");
      if (link.friction > 0.0 || link.damping != Vec3{} || link.joint_stiffness > 0.0)
        complain("has friction, damping or springs in its joints: equations are printed without them");
    }
  }

  void parameter(const std::string& name, double value) { out_.parameters.emplace_back(name, value); }

  double gravity() const { return -scene_.simulation.gravity[2]; }
  // What of link k's length reaches its centre of mass.
  std::string reach(std::size_t k) const {
    return links_[k].center_of_mass == 1.0 ? numbered("l", k) : numbered("c", k) + "*" + numbered("l", k);
  }
  bool carries(std::size_t above, std::size_t k) const {
    for (int at = links_[k].parent; at >= 0; at = links_[static_cast<std::size_t>(at)].parent) {
      if (static_cast<std::size_t>(at) == above) return true;
    }
    return false;
  }

  void name_links() {
    for (std::size_t k = 0; k < links_.size(); ++k) {
      parameter(numbered("m", k), links_[k].mass);
      parameter(numbered("l", k), links_[k].length);
      if (links_[k].center_of_mass != 1.0) parameter(numbered("c", k), links_[k].center_of_mass);
      if (links_[k].inertia != 0.0) parameter(numbered("I", k), links_[k].inertia);
      if (chain_.kind == ChainKind::elastic) parameter(numbered("k", k), links_[k].stiffness);
    }
    if (scene_.simulation.gravity[2] != 0.0) parameter("g", gravity());
    if (chain_.velocity_damping > 0.0) parameter("gamma", chain_.velocity_damping);
  }

  // Mass that moves with link i's end, or link k's own at its centre: sum of m_k (part of i) (part of j).
  std::vector<std::string> weights(std::size_t i, std::size_t j) const {
    std::vector<std::string> terms, masses;
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const bool from_i = k == i || carries(i, k), from_j = k == j || carries(j, k);
      if (!from_i || !from_j) continue;
      const bool whole_i = k != i || links_[k].center_of_mass == 1.0;
      const bool whole_j = k != j || links_[k].center_of_mass == 1.0;
      std::string term = numbered("m", k);
      for (const bool whole : {whole_i, whole_j})
        if (!whole) term += "*" + numbered("c", k);
      masses.push_back(std::move(term));
    }
    if (masses.empty()) return {};
    terms.push_back(in_parentheses(masses));
    return terms;
  }

  void write_angles() {
    name_links();
    std::vector<std::string> kinetic, potential;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const std::string angle = numbered("theta", i), rate = angle + "'";
      out_.coordinates.push_back(
          {angle, links_[i].by_direction ? 0.0 : links_[i].theta.radians, links_[i].theta_dot});
      for (std::size_t j = i; j < links_.size(); ++j) {
        for (const std::string& mass : weights(i, j)) {
          if (i == j) {
            kinetic.push_back(fmt::format("0.5*{}*{}^2*{}^2", mass, numbered("l", i), rate));
            continue;
          }
          const std::string other = numbered("theta", j);
          kinetic.push_back(fmt::format("{}*{}*{}*{}*{}'*cos({} - {})", mass, numbered("l", i),
                                        numbered("l", j), rate, other, angle, other));
        }
      }
      if (links_[i].inertia != 0.0) kinetic.push_back(fmt::format("0.5*{}*{}^2", numbered("I", i), rate));
      if (scene_.simulation.gravity[2] != 0.0)
        potential.push_back(fmt::format("-{}*g*{}*cos({})", first_moment(i), numbered("l", i), angle));
    }
    finish(kinetic, potential);
  }

  std::string first_moment(std::size_t i) const {
    std::vector<std::string> masses;
    for (std::size_t k = 0; k < links_.size(); ++k) {
      if (k == i)
        masses.push_back(links_[k].center_of_mass == 1.0 ? numbered("m", k)
                                                         : numbered("m", k) + "*" + numbered("c", k));
      if (carries(i, k)) masses.push_back(numbered("m", k));
    }
    return in_parentheses(masses);
  }

  // Component `axis` of the joint above link k, and its rate; empty: at rest.
  std::string above(const char* axis, std::size_t k, bool rate) const {
    if (links_[k].parent >= 0)
      return numbered(axis, static_cast<std::size_t>(links_[k].parent)) + (rate ? "'" : "");
    if (rate) return "";
    const double pivot = chain_.pivot[static_cast<std::size_t>(axis[0] - 'x')];
    return pivot == 0.0 ? "" : number_text(pivot);
  }

  // The link as a vector: "x_2 - x_1".
  std::string span(const char* axis, std::size_t k, bool rate) const {
    const std::string from = above(axis, k, rate), to = numbered(axis, k) + (rate ? "'" : "");
    if (from.empty()) return to;
    return from[0] == '-' ? fmt::format("({} + {})", to, from.substr(1)) : fmt::format("({} - {})", to, from);
  }

  void write_positions() {
    name_links();
    std::vector<std::string> kinetic, potential;
    const Vec3& g = scene_.simulation.gravity;
    Vec3 end{};
    std::vector<Vec3> ends;
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const Vec3 u = start_direction(links_[k]);
      const double length = links_[k].length + links_[k].stretch;
      for (std::size_t i = 0; i < 3; ++i) {
        const Vec3& from =
            links_[k].parent < 0 ? chain_.pivot : ends[static_cast<std::size_t>(links_[k].parent)];
        end[i] = from[i] + length * u[i];
      }
      ends.push_back(end);
      const char* const axes[3] = {"x", "y", "z"};
      for (std::size_t i = 0; i < 3; ++i) out_.coordinates.push_back({numbered(axes[i], k), end[i], 0.0});
      add_kinetic(k, kinetic);
      std::vector<std::string> squares;
      for (const char* axis : axes) squares.push_back(span(axis, k, false) + "^2");
      if (chain_.kind == ChainKind::elastic) {
        potential.push_back(fmt::format("0.5*{}*(norm({}, {}, {}) - {})^2", numbered("k", k),
                                        span("x", k, false), span("y", k, false), span("z", k, false),
                                        numbered("l", k)));
      } else {
        out_.constraints.push_back({fmt::format("{} - {}^2", sum_of(squares), numbered("l", k))});
      }
      add_weight(k, g, potential);
    }
    finish(kinetic, potential);
  }

  // T = (a |v_above|^2 + 2 b v_above . v + c |v|^2)/2
  void add_kinetic(std::size_t k, std::vector<std::string>& terms) const {
    const auto square = [&](bool of_above) {
      std::vector<std::string> parts;
      for (const char* axis : {"x", "y", "z"})
        parts.push_back((of_above ? above(axis, k, true) : numbered(axis, k) + "'") + "^2");
      return in_parentheses(parts);
    };
    const std::string m = numbered("m", k), c = numbered("c", k);
    const bool extended = links_[k].inertia != 0.0;
    const std::string spin = extended ? fmt::format("{}/{}^2", numbered("I", k), numbered("l", k)) : "";
    if (links_[k].center_of_mass == 1.0 && !extended) {
      terms.push_back(fmt::format("0.5*{}*{}", m, square(false)));
      return;
    }
    const auto with_spin = [&](const std::string& weight, char sign) {
      return extended ? fmt::format("({} {} {})", weight, sign, spin) : weight;
    };
    const bool at_end = links_[k].center_of_mass == 1.0;
    terms.push_back(fmt::format("0.5*{}*{}", with_spin(at_end ? m : m + "*" + c + "^2", '+'), square(false)));
    if (links_[k].parent < 0) return;
    terms.push_back(
        fmt::format("0.5*{}*{}", with_spin(at_end ? "0" : m + "*(1 - " + c + ")^2", '+'), square(true)));
    std::vector<std::string> products;
    for (const char* axis : {"x", "y", "z"})
      products.push_back(fmt::format("{}*{}'", above(axis, k, true), numbered(axis, k)));
    terms.push_back(fmt::format("{}*{}", with_spin(at_end ? "0" : m + "*" + c + "*(1 - " + c + ")", '-'),
                                in_parentheses(products)));
  }

  void add_weight(std::size_t k, const Vec3& g, std::vector<std::string>& potential) const {
    const char* const axes[3] = {"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) {
      if (g[i] == 0.0) continue;
      std::string place = numbered(axes[i], k);
      if (links_[k].center_of_mass != 1.0) {
        const std::string from = above(axes[i], k, false), c = numbered("c", k);
        place = from.empty() ? c + "*" + place : fmt::format("((1 - {})*({}) + {}*{})", c, from, c, place);
      }
      const std::string m = numbered("m", k);
      potential.push_back(i == 2 ? fmt::format("{}*g*{}", m, place)
                                 : fmt::format("{}*({})*{}", m, number_text(-g[i]), place));
    }
  }

  void finish(const std::vector<std::string>& kinetic, const std::vector<std::string>& potential) {
    out_.kinetic.text = sum_of(kinetic);
    out_.potential.text = sum_of(potential);
    // -gamma m v on every mass: Rayleigh's function is gamma times the kinetic energy.
    if (chain_.velocity_damping > 0.0) out_.dissipation.text = "gamma*(" + out_.kinetic.text + ")";
  }

  const Scene& scene_;
  const Chain& chain_;
  const std::vector<Link>& links_;
  Lagrangian out_;
};

}  // namespace

Lagrangian chain_lagrangian(const Scene& scene) { return Writer(scene).take(); }

}  // namespace catena
