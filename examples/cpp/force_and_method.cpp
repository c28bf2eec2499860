// A force and an integrator of one's own. The force is written as a formula by computing with its inputs, so
// every method has what it needs of it, series included; the integrator is a step as a function.
#include <catena/catena.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

using catena::ForceInputs;
using catena::ForceVector;

// The classical Runge-Kutta method.
void rk4(const catena::Integrator::Rates& rates, std::size_t n, double t, const double* x, double h,
         double* end) {
  std::vector<double> k[4], at(n);
  for (std::vector<double>& slope : k) slope.resize(n);
  const double parts[4] = {0.0, 0.5, 0.5, 1.0};
  for (int stage = 0; stage < 4; ++stage) {
    for (std::size_t i = 0; i < n; ++i)
      at[i] = x[i] + (stage == 0 ? 0.0 : parts[stage] * h * k[stage - 1][i]);
    rates(t + parts[stage] * h, at.data(), k[stage].data());
  }
  for (std::size_t i = 0; i < n; ++i) end[i] = x[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

int main() {
  catena::Scene scene;
  scene.set("simulation.duration", 3.0);
  scene.add_link({.length = 1.0, .mass = 1.0, .theta = 1.0});
  // Drag in proportion to the velocity, and a wind that pulsates.
  const double k = 0.2;
  scene.add_force([&](const ForceInputs& in) {
    return ForceVector{-k * in.vx + 0.5 * sin(3.0 * in.t), -k * in.vy, -k * in.vz};
  });

  const catena::Run exact = catena::run(scene);  // taylor, to the last digits

  catena::Scene mine = scene;
  mine.use({.name = "my rk4", .order = 4, .step = rk4});
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    mine.set("simulation.step", i == 0 ? 0.01 : 0.005);
    const catena::Run run = catena::run(mine);
    const std::vector<double>&x = run.column("x_1"), &right = exact.column("x_1");
    errors[i] = 0.0;
    for (std::size_t row = 0; row < x.size(); ++row)
      errors[i] = std::max(errors[i], std::fabs(x[row] - right[row]));
  }
  std::printf("rk4 of one's own: error %.1e, with half the step %.1e: order %.2f\n", errors[0], errors[1],
              std::log2(errors[0] / errors[1]));
  return std::fabs(std::log2(errors[0] / errors[1]) - 4.0) < 0.2 ? 0 : 1;
}
