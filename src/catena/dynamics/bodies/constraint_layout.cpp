// Which way constraints are factored, and what each way has to know of the graph of bodies and joints.
#include <algorithm>
#include <numeric>
#include <utility>

#include "catena/dynamics/bodies/constraint_factor.h"

namespace catena {
namespace {

int root_of(std::vector<int>& leader, int i) {
  while (leader[i] != i) i = leader[i] = leader[leader[i]];
  return i;
}

}  // namespace

ConstraintFactor::ConstraintFactor(std::size_t bodies, std::vector<ConstraintBlock> blocks, FactorWay way)
    : bodies_(bodies), blocks_(std::move(blocks)) {
  std::size_t at = 0;
  for (const ConstraintBlock& block : blocks_) {
    first_row_.push_back(rows_);
    gradient_at_.push_back(at);
    rows_ += static_cast<std::size_t>(block.rows);
    at += 6 * static_cast<std::size_t>(block.rows) * block.bodies.size();
  }
  gradients_.assign(at, 0.0);
  choose_tree(way);
  one_.range.resize(kPadded * tree_.size());
  one_.right.resize(std::max<std::size_t>(loop_columns_, 1));
  one_.free.resize(std::max<std::size_t>(free_rows_, 1));
  one_.kept.resize(kPadded * tree_.size());
}

// The spanning tree (with the ground as one more body) whose joints have the most rows: what they take, loops
// need not.
void ConstraintFactor::choose_tree(FactorWay way) {
  std::vector<int> order(blocks_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return blocks_[a].rows > blocks_[b].rows; });
  std::vector<int> leader(bodies_ + 1);
  std::iota(leader.begin(), leader.end(), 0);
  const int ground = static_cast<int>(bodies_);
  std::vector<int> tree_blocks;
  for (const int i : order) {
    const ConstraintBlock& block = blocks_[i];
    if (!block.may_be_tree || block.bodies.empty() || block.bodies.size() > 2 || block.rows > 6) continue;
    const int a = root_of(leader, block.bodies[0]);
    const int b = root_of(leader, block.bodies.size() == 2 ? block.bodies[1] : ground);
    if (a == b) continue;
    leader[a] = b;
    tree_blocks.push_back(i);
  }
  choose_way(way, tree_blocks);
  if (is_sparse_) return;
  order_tree(tree_blocks);
  find_loops(tree_blocks);
  if (way == FactorWay::fewest && SmallFactor::can_take(bodies_, rows_))
    small_ = SmallFactor(bodies_, rows_, tree_rows());
}

// Counted as if all columns were independent, for a step: a factorisation, and a solution for each of about
// thirty orders. Few loops are not worth a thought.
void ConstraintFactor::choose_way(FactorWay way, const std::vector<int>& tree_blocks) {
  constexpr double kOrders = 30.0;
  constexpr std::size_t kFewColumns = 100;
  for (const int i : tree_blocks) tree_columns_ += static_cast<std::size_t>(blocks_[i].rows);
  for (const ConstraintBlock& block : blocks_)
    loop_columns_ += block.bodies.empty() ? 0 : static_cast<std::size_t>(block.rows);
  loop_columns_ -= tree_columns_;
  free_rows_ = 6 * bodies_ - tree_columns_;
  if (way == FactorWay::tree_first || (way == FactorWay::fewest && loop_columns_ <= kFewColumns)) {
    loop_columns_ = tree_columns_ = free_rows_ = 0;
    return;
  }
  std::vector<SparseOrthogonal::Columns> columns;
  for (const ConstraintBlock& block : blocks_) columns.push_back({block.rows, block.bodies});
  sparse_ = SparseOrthogonal(std::vector<int>(bodies_, 6), columns);
  is_sparse_ = way == FactorWay::sparse || sparse_.factor_work() + kOrders * sparse_.solve_work() <
                                               factor_work() + kOrders * solve_work();
  if (is_sparse_) return;
  sparse_ = {};
  loop_columns_ = tree_columns_ = free_rows_ = 0;
}

void ConstraintFactor::order_tree(const std::vector<int>& tree_blocks) {
  std::vector<std::vector<int>> joints(bodies_ + 1);  // of each body, and of the ground
  for (const int i : tree_blocks) {
    for (const int body : blocks_[i].bodies) joints[body].push_back(i);
    if (blocks_[i].bodies.size() == 1) joints[bodies_].push_back(i);
  }
  std::vector<char> seen(bodies_ + 1, 0), used(blocks_.size(), 0);
  joint_of_.assign(bodies_, -1);
  const auto spread_from = [&](int start) {
    std::vector<int> queue{start};
    seen[start] = 1;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (const int i : joints[queue[at]]) {
        if (used[i]) continue;
        used[i] = 1;
        const std::vector<int>& ends = blocks_[i].bodies;
        const int child = ends[0] == queue[at] ? ends[1] : ends[0];
        const int parent = queue[at] == static_cast<int>(bodies_) ? -1 : queue[at];
        seen[child] = 1;
        queue.push_back(child);
        TreeJoint joint{};
        joint.block = i;
        joint.child = child;
        joint.parent = parent;
        joint.m = blocks_[i].rows;
        tree_.push_back(std::move(joint));
      }
    }
  };
  spread_from(static_cast<int>(bodies_));
  for (std::size_t body = 0; body < bodies_; ++body) {
    if (!seen[body]) spread_from(static_cast<int>(body));
  }
  std::reverse(tree_.begin(), tree_.end());
  std::vector<std::vector<int>> children(bodies_);
  for (std::size_t j = 0; j < tree_.size(); ++j) {
    joint_of_[tree_[j].child] = static_cast<int>(j);
    if (tree_[j].parent >= 0) children[tree_[j].parent].push_back(static_cast<int>(j));
    tree_columns_ += static_cast<std::size_t>(tree_[j].m);
  }
  std::size_t fill = 0;
  for (std::size_t j = 0; j < tree_.size(); ++j) {
    TreeJoint& joint = tree_[j];
    if (joint.parent < 0) continue;
    const auto add = [&](int other, bool as_child) {
      joint.beside.push_back({other, as_child, fill});
      fill += 2 * kMatrix;
    };
    for (const int sibling : children[joint.parent]) {
      if (sibling > static_cast<int>(j)) add(sibling, false);
    }
    if (joint_of_[joint.parent] >= 0) add(joint_of_[joint.parent], true);
  }
  fill_.assign(fill, 0.0);
  for (std::size_t body = 0; body < bodies_; ++body) {
    free_at_.push_back(free_rows_);
    free_rows_ += static_cast<std::size_t>(6 - (joint_of_[body] >= 0 ? tree_[joint_of_[body]].m : 0));
  }
}

void ConstraintFactor::find_loops(const std::vector<int>& tree_blocks) {
  std::vector<char> in_tree(blocks_.size(), 0);
  for (const int i : tree_blocks) in_tree[i] = 1;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (in_tree[i] || blocks_[i].bodies.empty()) continue;
    Loop loop{static_cast<int>(i), blocks_[i].rows, loop_columns_, {}, {}, {}};
    for (int body : blocks_[i].bodies) {
      while (body >= 0 && std::find(loop.touched.begin(), loop.touched.end(), body) == loop.touched.end()) {
        loop.touched.push_back(body);
        body = joint_of_[body] >= 0 ? tree_[joint_of_[body]].parent : -1;
      }
    }
    // Reflections couple a body with the joints of all its children, those aside the path included.
    const std::vector<int> path = loop.touched;
    std::vector<char> on_path(bodies_, 0);
    for (const int body : path) on_path[body] = 1;
    for (const TreeJoint& joint : tree_) {
      if (joint.parent >= 0 && on_path[joint.parent] && !on_path[joint.child])
        loop.touched.push_back(joint.child);
    }
    const auto turn = [&](int body) {
      return joint_of_[body] >= 0 ? joint_of_[body] : static_cast<int>(tree_.size());
    };
    std::sort(loop.touched.begin(), loop.touched.end(), [&](int a, int b) { return turn(a) < turn(b); });
    for (const int body : loop.touched) {
      const int parent = joint_of_[body] >= 0 ? tree_[joint_of_[body]].parent : -1;
      const auto at = std::find(loop.touched.begin(), loop.touched.end(), parent);
      loop.parent_at.push_back(parent < 0 ? -1 : static_cast<int>(at - loop.touched.begin()));
    }
    loop.data.assign(loop.touched.size() * 6 * static_cast<std::size_t>(loop.columns), 0.0);
    loop_columns_ += static_cast<std::size_t>(loop.columns);
    loops_.push_back(std::move(loop));
  }
  scale_.assign(loop_columns_, 1.0);
  dense_.assign(loop_columns_ * free_rows_, 0.0);
  const std::size_t most = std::min(loop_columns_, free_rows_);
  tau_.assign(most, 0.0);
  swap_.assign(most, 0);
  norms_.assign(loop_columns_, 0.0);
  one_.loops.assign(loop_columns_, 0.0);
  pivot_.assign(loop_columns_, 0);
  pivots_.reserve(most);
}

}  // namespace catena
