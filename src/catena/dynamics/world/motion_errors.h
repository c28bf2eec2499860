// What a difference of states means for velocities and momenta: step control by physics looks at these.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace catena {

class World;

class MotionErrors {
 public:
  // None where a chain's state does not consist of vectors with their rates.
  static std::optional<MotionErrors> of(const World& world);

  // The largest of all links' ends and bodies, m/s. A body turning counts as fast as matter at its radius of
  // gyration.
  double velocity(const double* change);
  // The largest of all links and bodies, kg m/s. Spin counts over the radius of gyration.
  double momentum(const double* change);

 private:
  struct ChainPart {
    std::size_t velocities;  // first lane
    std::size_t links, space;
    std::vector<int> parent;               // empty: the lanes are velocities of the ends
    std::vector<double> length, mass, at;  // at: where along the link its mass is
  };
  struct BodyPart {
    std::size_t first, count;  // lanes of all bodies; their number
    std::vector<double> mass, moment, gyration;
  };

  double largest(const double* change, bool momenta);

  std::vector<ChainPart> chains_;
  std::optional<BodyPart> bodies_;
  std::vector<double> ends_;  // velocities of one chain's ends
};

}  // namespace catena
