// The order in which blocks of columns of a sparse matrix are eliminated: by minimum degree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace catena {

// The graph of blocks of columns while they are eliminated: elements are blocks of rows, and what fronts
// leave over. Each makes all columns that it touches neighbours.
class Elimination {
 public:
  // Weights of blocks, and the elements that they are in at first.
  Elimination(const std::vector<int>& weights, const std::vector<std::vector<int>>& rows,
              std::size_t row_blocks)
      : members_(row_blocks),
        elements_(rows),
        weight_(weights),
        degree_(rows.size(), 0),
        outside_(row_blocks, 0) {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      for (const int row : rows[b]) members_[static_cast<std::size_t>(row)].push_back(static_cast<int>(b));
    }
    for (const std::vector<int>& members : members_) size_.push_back(total(members));
    stamp_.assign(members_.size(), -1);
    for (std::size_t b = 0; b < rows.size(); ++b) {
      if (elements_[b].empty()) continue;
      for (const int e : elements_[b]) degree_[b] += size_[static_cast<std::size_t>(e)] - weight_[b];
      waiting_.insert({degree_[b], static_cast<int>(b)});
    }
  }

  bool done() const { return waiting_.empty(); }

  // The block with the fewest neighbours, with those that have no other neighbours than these; the elements
  // that they are in; and the neighbours. These make a new element.
  void next(std::vector<int>& blocks, std::vector<int>& elements, std::vector<int>& rest) {
    const int block = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    blocks.assign(1, block);
    elements = elements_[static_cast<std::size_t>(block)];
    rest.clear();
    ++time_;
    seen_.resize(weight_.size(), 0);
    seen_[static_cast<std::size_t>(block)] = time_;
    for (const int e : elements) {
      for (const int other : members_[static_cast<std::size_t>(e)]) {
        if (seen_[static_cast<std::size_t>(other)] == time_) continue;
        seen_[static_cast<std::size_t>(other)] = time_;
        rest.push_back(other);
      }
      members_[static_cast<std::size_t>(e)].clear();
      size_[static_cast<std::size_t>(e)] = -1;
    }
    const auto has_others = [&](int b) {
      const std::vector<int>& in = elements_[static_cast<std::size_t>(b)];
      return std::any_of(in.begin(), in.end(),
                         [&](int e) { return size_[static_cast<std::size_t>(e)] >= 0; });
    };
    const auto others = std::stable_partition(rest.begin(), rest.end(), has_others);
    for (auto b = others; b != rest.end(); ++b) {
      waiting_.erase({degree_[static_cast<std::size_t>(*b)], *b});
      blocks.push_back(*b);
    }
    rest.erase(others, rest.end());
    std::sort(blocks.begin(), blocks.end());
    std::sort(rest.begin(), rest.end());
    add_element(rest);
  }

 private:
  int total(const std::vector<int>& members) const {
    int sum = 0;
    for (const int b : members) sum += weight_[static_cast<std::size_t>(b)];
    return sum;
  }

  // Degrees are bounds: neighbours through two other elements count twice (P. R. Amestoy, T. A. Davis,
  // I. S. Duff, SIAM J. Matrix Anal. Appl. 17, 1996).
  void add_element(const std::vector<int>& members) {
    const int element = static_cast<int>(members_.size());
    members_.push_back(members);
    size_.push_back(total(members));
    stamp_.push_back(-1);
    outside_.push_back(0);
    for (const int b : members) {
      std::vector<int>& in = elements_[static_cast<std::size_t>(b)];
      in.erase(
          std::remove_if(in.begin(), in.end(), [&](int e) { return size_[static_cast<std::size_t>(e)] < 0; }),
          in.end());
      for (const int e : in) {
        const auto at = static_cast<std::size_t>(e);
        if (stamp_[at] != element) stamp_[at] = element, outside_[at] = size_[at];
        outside_[at] -= weight_[static_cast<std::size_t>(b)];
      }
    }
    for (const int b : members) {
      const auto at = static_cast<std::size_t>(b);
      waiting_.erase({degree_[at], b});
      degree_[at] = size_.back() - weight_[at];
      for (const int e : elements_[at]) degree_[at] += outside_[static_cast<std::size_t>(e)];
      elements_[at].push_back(element);
      waiting_.insert({degree_[at], b});
    }
  }

  std::vector<std::vector<int>> members_, elements_;
  std::vector<int> weight_, degree_, size_, stamp_, outside_;
  std::vector<int> seen_;
  int time_ = 0;
  std::set<std::pair<int, int>> waiting_;
};

}  // namespace catena
