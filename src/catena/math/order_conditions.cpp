#include "catena/math/order_conditions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace catena {
namespace {

using Stages = std::vector<long double>;

// A rooted tree with what the conditions need of it. A tree is its root and the trees that hang from it.
struct Tree {
  int order;
  long double gamma;
  Stages phi;   // product over the branches of sum_j a_ij phi_j
  Stages size;  // the same with absolute values
};

class Forest {
 public:
  explicit Forest(const std::vector<std::vector<double>>& a, std::size_t stages) : a_(a), stages_(stages) {}

  std::vector<Tree> grown(int highest) {
    trees_.push_back({1, 1.0L, Stages(stages_, 1.0L), Stages(stages_, 1.0L)});
    branches_.push_back(branch(trees_.back()));
    for (int order = 2; order <= highest; ++order) {
      const std::size_t known = trees_.size();
      const Tree bare{1, 1.0L, Stages(stages_, 1.0L), Stages(stages_, 1.0L)};
      add_with(bare, 0, known, order);
      for (std::size_t i = known; i < trees_.size(); ++i) branches_.push_back(branch(trees_[i]));
    }
    return trees_;
  }

 private:
  // All trees of `order` that are `root` with further branches out of the known ones, numbers never falling.
  void add_with(const Tree& root, std::size_t first, std::size_t known, int order) {
    if (root.order == order) {
      trees_.push_back(root);
      trees_.back().gamma *= order;
      return;
    }
    for (std::size_t i = first; i < known; ++i) {
      if (root.order + branches_[i].order > order) continue;
      Tree with = root;
      with.order += branches_[i].order;
      with.gamma *= branches_[i].gamma;
      for (std::size_t s = 0; s < stages_; ++s) {
        with.phi[s] *= branches_[i].phi[s];
        with.size[s] *= branches_[i].size[s];
      }
      add_with(with, i, known, order);
    }
  }

  Tree branch(const Tree& tree) const {
    Tree out{tree.order, tree.gamma, Stages(stages_, 0.0L), Stages(stages_, 0.0L)};
    for (std::size_t i = 0; i < std::min(stages_, a_.size()); ++i) {
      for (std::size_t j = 0; j < std::min(stages_, a_[i].size()); ++j) {
        out.phi[i] += a_[i][j] * tree.phi[j];
        out.size[i] += std::fabs(a_[i][j]) * tree.size[j];
      }
    }
    return out;
  }

  const std::vector<std::vector<double>>& a_;
  std::size_t stages_;
  std::vector<Tree> trees_, branches_;
};

}  // namespace

std::vector<OrderCondition> order_conditions(const std::vector<std::vector<double>>& a,
                                             const std::vector<double>& b, int highest) {
  std::vector<OrderCondition> out;
  for (const Tree& tree : Forest(a, b.size()).grown(highest)) {
    long double sum = 0.0L, size = 0.0L;
    for (std::size_t i = 0; i < b.size(); ++i) {
      sum += b[i] * tree.phi[i];
      size += std::fabs(b[i]) * tree.size[i];
    }
    out.push_back(
        {tree.order, static_cast<double>(std::fabs(sum - 1.0L / tree.gamma)), static_cast<double>(size)});
  }
  return out;
}

int measured_order(const std::vector<std::vector<double>>& a, const std::vector<double>& b, double roundoff) {
  int order = kHighestTreeOrder;
  for (const OrderCondition& condition : order_conditions(a, b, kHighestTreeOrder)) {
    const bool holds = condition.error <= roundoff * std::max(1.0, condition.size);
    if (!holds) order = std::min(order, condition.order - 1);
  }
  return order;
}

}  // namespace catena
