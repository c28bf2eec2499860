#include "catena/dynamics/world/implicit_springs.h"

#include <algorithm>

#include "catena/dynamics/chain/solvers/chain_links.h"
#include "catena/math/sparse_solver.h"

namespace catena {

using Source = LawInput::Source;

template <class T>
struct ImplicitSprings::Factors {
  T shift{};
  SparseSolver<T> solver;
  std::vector<SparseEntry<T>> matrix;
  std::vector<T> p, y;
};

ImplicitSprings::ImplicitSprings() = default;
ImplicitSprings::~ImplicitSprings() = default;
ImplicitSprings::ImplicitSprings(ImplicitSprings&&) noexcept = default;
ImplicitSprings& ImplicitSprings::operator=(ImplicitSprings&&) noexcept = default;

template <class Call>
void ImplicitSprings::for_parts(Call&& call) {
  for (const Part& part : parts_) {
    if (part.planar != nullptr) call(*part.planar, part);
    if (part.spatial != nullptr) call(*part.spatial, part);
  }
}

void ImplicitSprings::number_rows() {
  first_row_.clear(), lanes_.clear(), rate_lanes_.clear(), masses_.clear();
  for (const Part& part : parts_) {
    first_row_.push_back(static_cast<int>(lanes_.size()));
    const std::size_t n = part.links->count(), half = part.components() * n;
    for (std::size_t lane = 0; lane < half; ++lane) {
      lanes_.push_back(part.offset + lane);
      rate_lanes_.push_back(part.offset + half + lane);
      masses_.push_back(part.links->mass[lane % n]);
    }
  }
}

int ImplicitSprings::row_of(int chain, int link, int component) const {
  const auto c = static_cast<std::size_t>(chain);
  return first_row_[c] + component * static_cast<int>(parts_[c].links->count()) + link;
}

// A link's vector is its end minus the end of the link that it hangs from, so a law that looks at it depends
// on both.
template <class Add>
void ImplicitSprings::spread(const LawSlope& slope, Add&& add) const {
  add(slope.source_link, slope.value);
  if (slope.source != Source::link && slope.source != Source::link_rate) return;
  const ChainLinks& links = *parts_[static_cast<std::size_t>(slope.source_chain)].links;
  const int parent = links.parent[static_cast<std::size_t>(slope.source_link)];
  if (parent >= 0) add(parent, -slope.value);
}

bool ImplicitSprings::couples(const LawSlope& slope) const {
  bool elsewhere = slope.chain != slope.source_chain;
  spread(slope, [&](int link, double) { elsewhere = elsewhere || link != slope.link; });
  return elsewhere;
}

void ImplicitSprings::linearise(const std::vector<Part>& parts, const std::vector<LawSlope>& slopes,
                                const double* x) {
  parts_ = parts;
  for_parts([&](auto& blocks, const Part& part) { blocks.linearise(*part.links, x + part.offset); });
  coupled_ = std::any_of(slopes.begin(), slopes.end(), [&](const LawSlope& s) { return couples(s); });
  if (coupled_) return gather(slopes);
  for (const LawSlope& slope : slopes) {
    const Part& part = parts_[static_cast<std::size_t>(slope.chain)];
    const auto add = [&](auto& blocks) {
      blocks.add_to_mass(static_cast<std::size_t>(slope.link), slope.component, slope.source_component,
                         slope.by_rate() ? 0.0 : -slope.value, slope.by_rate() ? -slope.value : 0.0);
    };
    part.planar != nullptr ? add(*part.planar) : add(*part.spatial);
  }
}

void ImplicitSprings::gather(const std::vector<LawSlope>& slopes) {
  if (lanes_.empty()) number_rows();
  entries_.clear();
  for (std::size_t row = 0; row < lanes_.size(); ++row) {  // the mass finds its place there
    entries_.push_back({static_cast<int>(row), static_cast<int>(row), 0.0, 0.0});
  }
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    const int chain = static_cast<int>(c);
    const auto add = [&](int link, int i, int other, int j, double stiffness, double damping) {
      entries_.push_back({row_of(chain, link, i), row_of(chain, other, j), stiffness, damping});
    };
    const Part& part = parts_[c];
    part.planar != nullptr ? part.planar->for_entries(add) : part.spatial->for_entries(add);
  }
  for (const LawSlope& slope : slopes) {
    const int row = row_of(slope.chain, slope.link, slope.component);
    spread(slope, [&](int link, double value) {
      entries_.push_back({row, row_of(slope.source_chain, link, slope.source_component),
                          slope.by_rate() ? 0.0 : -value, slope.by_rate() ? -value : 0.0});
    });
  }
  const auto make_room = [&](auto& factors) {
    if (!factors) factors = std::make_unique<typename std::decay_t<decltype(factors)>::element_type>();
    factors->p.resize(lanes_.size());
    factors->y.resize(lanes_.size());
  };
  make_room(real_);
  make_room(complex_);
}

template <class T>
bool ImplicitSprings::factor_with(T shift, Factors<T>& factors) {
  factors.shift = shift;
  factors.matrix.clear();
  factors.matrix.reserve(entries_.size());
  for (std::size_t e = 0; e < entries_.size(); ++e) {
    const Entry& entry = entries_[e];
    T value = entry.stiffness + shift * entry.damping;
    if (e < masses_.size()) value += shift * shift * masses_[e];
    factors.matrix.push_back({entry.row, entry.column, value});
  }
  return factors.solver.factor(lanes_.size(), factors.matrix);
}

bool ImplicitSprings::factor(double real_shift, std::complex<double> complex_shift) {
  if (coupled_) return factor_with(real_shift, *real_) && factor_with(complex_shift, *complex_);
  bool regular = true;
  for_parts(
      [&](auto& blocks, const Part&) { regular = blocks.factor(real_shift, complex_shift) && regular; });
  return regular;
}

// dv = s dx - p        (s^2 M - s dF/dv - dF/dx) dx = M (q + s p) - dF/dv p
template <class T, class Get, class Put>
void ImplicitSprings::solve_with(Factors<T>& factors, Get get, Put put) {
  const auto row = [](int index) { return static_cast<std::size_t>(index); };
  for (std::size_t r = 0; r < lanes_.size(); ++r) {
    const T p = get(lanes_[r]), q = get(rate_lanes_[r]);
    factors.p[r] = p;
    factors.y[r] = masses_[r] * (q + factors.shift * p);
  }
  for (const Entry& entry : entries_)
    factors.y[row(entry.row)] += entry.damping * factors.p[row(entry.column)];
  factors.solver.solve(factors.y.data());
  for (std::size_t r = 0; r < lanes_.size(); ++r) {
    put(lanes_[r], factors.y[r]);
    put(rate_lanes_[r], factors.shift * factors.y[r] - factors.p[r]);
  }
}

void ImplicitSprings::solve_real(double* b) {
  if (!coupled_) {
    return for_parts([&](auto& blocks, const Part& part) { blocks.solve_real(b + part.offset); });
  }
  solve_with(
      *real_, [&](std::size_t lane) { return b[lane]; },
      [&](std::size_t lane, double value) { b[lane] = value; });
}

void ImplicitSprings::solve_complex(double* re, double* im) {
  if (!coupled_) {
    return for_parts(
        [&](auto& blocks, const Part& part) { blocks.solve_complex(re + part.offset, im + part.offset); });
  }
  solve_with(
      *complex_, [&](std::size_t lane) { return std::complex<double>(re[lane], im[lane]); },
      [&](std::size_t lane, const std::complex<double>& value) {
        re[lane] = value.real();
        im[lane] = value.imag();
      });
}

}  // namespace catena
