// Simbody on the problems of mechanism_problems.h: pin mobilizers, the four-bar closed in its plane, with its
// explicit integrators that control errors. CPodes is left out: it gives up at these accuracies.
#include <Simbody.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "../mechanism_problems.h"

namespace {

using namespace bench::mechanisms;
using SimTK::Transform;
using SimTK::Vec3;

// A pin turns about z: x and z of the problem are x and y here.
class Planar {
 public:
  Planar() : matter_(system_), forces_(system_) {
    SimTK::Force::UniformGravity(forces_, matter_, Vec3(0, -kGravity, 0));
  }

  // A rod along its own x, its origin at the inner joint.
  SimTK::MobilizedBody add_rod(SimTK::MobilizedBody parent, const Vec3& in_parent, double length,
                               double mass) {
    const double across = mass * length * length / 3;
    const SimTK::Body::Rigid rod(
        SimTK::MassProperties(mass, Vec3(length / 2, 0, 0), SimTK::Inertia(1e-3 * across, across, across)));
    return SimTK::MobilizedBody::Pin(parent, Transform(in_parent), rod, Transform(Vec3(0)));
  }

  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
};

// Angles from x, counted from the parent's.
struct Pendulum : Planar {
  SimTK::MobilizedBody first, second;
  SimTK::State start;
  Pendulum() {
    first = add_rod(matter_.Ground(), Vec3(0), kRodLength, kRodMass);
    second = add_rod(first, Vec3(kRodLength, 0, 0), kRodLength, kRodMass);
    start = system_.realizeTopology();
    const double right_angle = 1.5707963267948966;
    first.setOneQ(start, 0, kFirstAngle - right_angle);
    second.setOneQ(start, 0, kSecondAngle - kFirstAngle);
  }
  Point end(const SimTK::State& state) const {
    const Vec3 at = second.findStationLocationInGround(state, Vec3(kRodLength, 0, 0));
    return {at[0], at[1]};
  }
};

double angle(const Point& from, const Point& to) { return std::atan2(to.z - from.z, to.x - from.x); }
double length(const Point& from, const Point& to) { return std::hypot(to.x - from.x, to.z - from.z); }

struct FourBar : Planar {
  SimTK::MobilizedBody crank, coupler, rocker;
  SimTK::State start;
  FourBar() {
    const Point o{0, 0};
    crank = add_rod(matter_.Ground(), Vec3(0), length(o, kCrankEnd), kCrankMass);
    coupler = add_rod(crank, Vec3(length(o, kCrankEnd), 0, 0), length(kCrankEnd, kRockerEnd), kCouplerMass);
    rocker = add_rod(matter_.Ground(), Vec3(kPivot.x, kPivot.z, 0), length(kPivot, kRockerEnd), kRockerMass);
    // In the plane: two of the three equations of a ball.
    SimTK::Constraint::PointOnLine closed(coupler, SimTK::UnitVec3(0, 0, 1),
                                          Vec3(length(kCrankEnd, kRockerEnd), 0, 0), rocker,
                                          Vec3(length(kPivot, kRockerEnd), 0, 0));
    start = system_.realizeTopology();
    crank.setOneQ(start, 0, angle(o, kCrankEnd));
    coupler.setOneQ(start, 0, angle(kCrankEnd, kRockerEnd) - angle(o, kCrankEnd));
    rocker.setOneQ(start, 0, angle(kPivot, kRockerEnd));
    // Turning from z to x is negative here. Rates of the others close the loop's velocity.
    const double w = -kCrankRate;
    const Point b = kCrankEnd, c = kRockerEnd, d = kPivot;
    // v_b + w2 x (c - b) = w3 x (c - d)
    const double vx = -w * b.z, vz = w * b.x;
    const double p = c.x - b.x, q = c.z - b.z, r = c.x - d.x, s = c.z - d.z;
    // vx - w2 q = -w3 s;  vz + w2 p = w3 r
    const double w3 = (vx * p + vz * q) / (r * q - s * p), w2 = (vx + w3 * s) / q;
    crank.setOneU(start, 0, w);
    coupler.setOneU(start, 0, w2 - w);
    rocker.setOneU(start, 0, w3);
  }
  Point end(const SimTK::State& state) const {
    const Vec3 at = crank.findStationLocationInGround(state, Vec3(0.4, 0, 0));
    return {at[0], at[1]};
  }
};

using Maker = std::function<std::unique_ptr<SimTK::Integrator>(const SimTK::System&)>;

template <class Integrator>
Maker maker() {
  return [](const SimTK::System& system) { return std::make_unique<Integrator>(system); };
}

template <class Problem>
Run timed(const Maker& make, double accuracy, const Point& exact) {
  Problem problem;
  const std::unique_ptr<SimTK::Integrator> integrator = make(problem.system_);
  integrator->setAccuracy(accuracy);
  integrator->setConstraintTolerance(accuracy / 10);
  SimTK::TimeStepper stepper(problem.system_, *integrator);
  stepper.initialize(problem.start);
  const double begin = bench::now_seconds();
  stepper.stepTo(kDuration);
  const double seconds = bench::now_seconds() - begin;
  return {seconds, error_of(problem.end(stepper.getState()), exact),
          static_cast<long>(integrator->getNumStepsTaken())};
}

template <class Problem>
void measure(const char* name, const Point& exact, const bench::Options& options) {
  if (!options.wants(name)) return;
  const std::pair<const char*, Maker> integrators[] = {
      {"Merson", maker<SimTK::RungeKuttaMersonIntegrator>()},
      {"Fehlberg", maker<SimTK::RungeKuttaFeldbergIntegrator>()},
      {"RK3", maker<SimTK::RungeKutta3Integrator>()},
  };
  for (const auto& [integrator, make] : integrators) {
    const std::vector<double> accuracies = settings_between(1e-5, 1e-12, options.quick ? 1 : 2);
    print_goals(std::string("Simbody ") + integrator, name, accuracies,
                [&, m = make](double accuracy) -> Run {
                  try {
                    return timed<Problem>(m, accuracy, exact);
                  } catch (const std::exception&) {
                    return {0.0, 1e9, 0};  // does not get there at this accuracy
                  }
                });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::parse_options(argc, argv);
  try {
    measure<Pendulum>("rod-pendulum-5s", kPendulumEnd, options);
    measure<FourBar>("four-bar-5s", kFourBarEnd, options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Simbody: %s\n", error.what());
    return 1;
  }
}
