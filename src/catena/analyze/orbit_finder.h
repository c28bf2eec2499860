// Looking for motions that close: what the search near one start and the search among many share.
#pragma once

#include <string>
#include <vector>

#include "catena/analyze/orbit.h"

namespace catena {

// Signs of lanes under which the equations are the same, `later` by the clock; `reversing`: with time running
// backwards. The equations are asked at some of these states.
std::vector<std::vector<double>> sign_symmetries(Lab& lab, const std::vector<std::vector<double>>& states,
                                                 double later, bool reversing);

class OrbitFinder {
 public:
  OrbitFinder(const Scene& scene, const OrbitOptions& options);

  // Near the start. Throws InputError where there is none.
  FoundOrbit found();

 protected:
  // What must be known of the scene before anything can be closed.
  void prepare();
  [[noreturn]] void refuse(const std::string& why);
  // A mirror where one is asked for, from states along the motion.
  void take_mirror(const Closing::Course& course, double later);
  // True: it is kept in best_.
  bool close(const ClosedMotion& guess);
  ClosingLook driven();
  void check_given(double drive);
  ClosingLook free();
  // The same guess in parts, each with a start of its own: for motions that do not stay near it.
  ClosedMotion split(const ClosedMotion& whole, std::size_t parts);
  // What the motion keeps, as it is at x.
  void keep(const std::vector<double>& x);
  void find_kept();
  // A motion that was closed after several rounds is taken once.
  ClosingLook shortest(ClosingLook look);
  Orbit described(const ClosingLook& look);

  const OrbitOptions& options_;
  Closing shooting_;
  double parameter_, duration_ = 0.0;
  ClosedMotion start_;
  ClosingLook best_;
  std::vector<double> mirror_;
  std::string why_;

 private:
  static ClosingProblem problem(const Scene& scene, const OrbitOptions& options);
};

}  // namespace catena
