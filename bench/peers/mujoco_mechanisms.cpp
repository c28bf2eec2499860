// MuJoCo's RK4 on the problems of mechanism_problems.h, with fixed steps; the four-bar is closed by a
// `connect` constraint, which is soft.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <string>

#include "../mechanism_problems.h"
#include "mujoco_model.h"

namespace {

using namespace bench::mechanisms;

std::string text(double value) {
  char out[40];
  std::snprintf(out, sizeof out, "%.17g", value);
  return out;
}

// A rod from its joint along its own x; `turn`: of the body against its parent about y, in radians.
std::string rod(const Point& at, double turn, double length, double mass, const char* name) {
  const double across = mass * length * length / 12;
  return "<body name='" + std::string(name) + "' pos='" + text(at.x) + " 0 " + text(at.z) +
         "' axisangle='0 1 0 " + text(turn) + "'><joint name='j" + name +
         "' type='hinge' axis='0 1 0'/><inertial pos='" + text(length / 2) + " 0 0' mass='" + text(mass) +
         "' diaginertia='" + text(1e-3 * across) + " " + text(across) + " " + text(across) +
         "'/><site name='end" + name + "' pos='" + text(length) + " 0 0'/>";
}

const std::string kHead =
    "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81' integrator='RK4'><flag contact='disable' "
    "energy='disable'/></option><worldbody>";

double angle(const Point& from, const Point& to) { return std::atan2(from.z - to.z, to.x - from.x); }
double length(const Point& from, const Point& to) { return std::hypot(to.x - from.x, to.z - from.z); }

std::string pendulum_xml() {
  const double right = 1.5707963267948966;
  return kHead + rod({0, 0}, right - kFirstAngle, kRodLength, kRodMass, "a") +
         rod({kRodLength, 0}, kFirstAngle - kSecondAngle, kRodLength, kRodMass, "b") +
         "</body></body></worldbody></mujoco>";
}

std::string four_bar_xml() {
  const Point o{0, 0};
  const double first = angle(o, kCrankEnd), second = angle(kCrankEnd, kRockerEnd);
  return kHead + rod(o, first, length(o, kCrankEnd), kCrankMass, "a") +
         rod({length(o, kCrankEnd), 0}, second - first, length(kCrankEnd, kRockerEnd), kCouplerMass, "b") +
         "</body></body>" +
         rod(kPivot, angle(kPivot, kRockerEnd), length(kPivot, kRockerEnd), kRockerMass, "c") +
         "</body></worldbody><equality><connect body1='b' body2='c' anchor='" +
         text(length(kCrankEnd, kRockerEnd)) +
         " 0 0' solref='0.002 1' solimp='0.9999 0.9999 0.001'/></equality></mujoco>";
}

Run timed(const std::string& xml, double step, const char* site, bool turning, const Point& exact) {
  mjModel* model = load_model(xml);
  mjData* data = mj_makeData(model);
  const long steps = std::lround(kDuration / step);
  model->opt.timestep = kDuration / static_cast<double>(steps);
  if (turning) {  // rates that close the loop's velocity; turning from z to x is positive about y
    const double w = kCrankRate;
    const Point b = kCrankEnd, c = kRockerEnd, d = kPivot;
    const double vx = w * b.z, vz = -w * b.x, p = c.x - b.x, q = c.z - b.z, r = c.x - d.x, s = c.z - d.z;
    // vx + w2 q = w3 s;  vz - w2 p = -w3 r
    const double w3 = (vx * p + vz * q) / (s * p - r * q), w2 = (w3 * s - vx) / q;
    data->qvel[0] = w;
    data->qvel[1] = w2 - w;
    data->qvel[2] = w3;
  }
  const double begin = bench::now_seconds();
  for (long i = 0; i < steps; ++i) mj_step(model, data);
  const double seconds = bench::now_seconds() - begin;
  mj_forward(model, data);
  const double* at = data->site_xpos + 3 * mj_name2id(model, mjOBJ_SITE, site);
  const Run out{seconds, error_of({at[0], at[2]}, exact), steps};
  mj_deleteData(data);
  mj_deleteModel(model);
  return out;
}

void measure(const char* name, const std::string& xml, const char* site, bool turning, const Point& exact,
             const bench::Options& options) {
  if (!options.wants(name)) return;
  const std::vector<double> steps = settings_between(1e-2, options.quick ? 1e-4 : 2e-5, 8);
  print_goals(std::string("MuJoCo RK4"), name, steps, [&](double step) {
    return best_of(options.quick ? 1 : 3, [&] { return timed(xml, step, site, turning, exact); });
  });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  try {
    measure("rod-pendulum-5s", pendulum_xml(), "endb", false, kPendulumEnd, options);
    measure("four-bar-5s", four_bar_xml(), "enda", true, kFourBarEnd, options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "MuJoCo: %s\n", error.what());
    return 1;
  }
}
