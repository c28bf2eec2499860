// Builds a double pendulum in code and steps it beside a loop of one's own, here that of a game: 60 frames a
// second.
#include <catena/catena.h>

#include <cmath>
#include <cstdio>

int main() {
  catena::Scene scene;
  scene.set("simulation.duration", 2.0);
  scene.add_link({.length = 1.0, .mass = 1.0, .theta = 2.0});
  scene.add_link({.length = 0.5, .mass = 0.3, .theta = 2.5, .theta_dot = 1.0});

  catena::Motion motion(scene);
  const double energy = motion.value("energy");
  for (int frame = 0; frame <= 120; ++frame) {
    const double t = frame / 60.0;
    if (!motion.advance_to(t)) {
      std::fprintf(stderr, "%s\n", motion.trouble().c_str());
      return 1;
    }
    // The method's steps have lengths of their own; any time of the last one can be asked for.
    const std::vector<double> tip = motion.values({"x_2", "z_2", "energy"}, t);
    if (frame % 30 == 0) std::printf("%.2f s: tip at %+.6f %+.6f\n", t, tip[0], tip[1]);
    if (std::fabs(tip[2] - energy) > 1e-12) return 1;
  }
  return 0;
}
