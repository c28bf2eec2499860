// Covariant Lyapunov vectors: directions that the flow carries into themselves, each growing by its own
// exponent, forward and backward in time. By F. Ginelli et al., Phys. Rev. Lett. 99, 130601 (2007).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <utility>
#include <vector>

namespace catena {

// v_j = Q c_j with c_j in the span of the first j directions of the frame; backward, C_n = R^-1 C_(n+1) turns
// almost any triangular C into theirs. Frames are orthonormal, so that C alone has all angles, and two
// windows of triangles are all that is kept: backward through the later one C settles, through the earlier
// one it is looked at. Memory is bounded however long the run.
class CovariantAngles {
 public:
  static constexpr int kBins = 90;  // of one degree

  explicit CovariantAngles(std::size_t count, std::size_t window = 400);

  // R of one more renewal of the frame, and how long it took.
  void add(const Eigen::MatrixXd& triangle, double time);

  // Directions i < j whose angles are counted: all pairs of up to eight, neighbours of more.
  const std::vector<std::pair<std::size_t, std::size_t>>& pairs() const { return pairs_; }
  // Of each pair, how often the angle between the lines was in each degree from 0 to 90.
  const std::vector<std::vector<double>>& counts() const { return counts_; }
  std::size_t looks() const { return looks_; }
  // How fast each vector grew where it was looked at: the exponents once more.
  std::vector<double> exponents() const;

 private:
  struct Renewal {
    Eigen::MatrixXd triangle;
    double time;
  };
  void go_back();

  std::size_t count_, window_;
  bool settled_ = false;  // the first window is the frame's own transient
  std::vector<Renewal> earlier_, later_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  std::vector<std::vector<double>> counts_;
  std::size_t looks_ = 0;
  std::vector<double> growth_;
  double time_ = 0.0;
};

}  // namespace catena
