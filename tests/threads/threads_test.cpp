// Motions that were recorded, and sweeps in threads: the same bits as in lanes.
#include "catena/threads/threads.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "catena/io/scene/scene.h"
#include "catena/io/scene/sweep.h"
#include "catena/io/scene/variants.h"
#include "catena/lab/inside.h"
#include "catena/lab/lane_stepper.h"
#include "catena/threads/case_starts.h"
#include "catena/threads/compiler.h"
#include "catena/threads/program.h"
#include "catena/threads/texts.h"

namespace catena {
namespace {

Scene scene_of(const std::string& text) { return read_scene(text, SceneOptions{}); }

class Variants : public CaseScenes {
 public:
  explicit Variants(const SceneVariants& variants) : variants_(variants) {}
  const Scene& with(const double* values) override { return variants_.with(values); }
  bool starts_only() const override { return variants_.starts_only(); }
  double unsolved() const override { return 0.0; }
  std::unique_ptr<Lab> lab_with_derivatives(const double*) override { return nullptr; }

 private:
  SceneVariants variants_;
};

std::unique_ptr<Sweep> sweep_of(const std::string& scene_text, const std::string& plan_text) {
  const Scene scene = scene_of(scene_text);
  SweepPlan plan = read_sweep(plan_text + "\n" + scene_text, "plan");
  std::vector<std::vector<std::string>> keys;
  for (const SweepAxis& axis : plan.axes) keys.push_back(axis.keys);
  const auto variants = std::make_shared<const SceneVariants>(scene, keys);
  return std::make_unique<Sweep>(std::move(plan), [=] { return std::make_unique<Variants>(*variants); });
}

bool same_bits_of(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

const char* const kDouble = R"(
[simulation]
duration = 10
tolerance = 1e-12
[chain]
[[chain.links]]
length = 1.0
mass = 1.0
theta = "100 deg"
[[chain.links]]
length = 0.8
mass = 0.7
theta = "-30 deg"
)";

const char* const kGrid = R"(
[[sweep.vary]]
name = "a"
key = "chain.links.1.theta"
from = "-175 deg"
to = "170 deg"
count = 18
[[sweep.vary]]
name = "b"
key = "chain.links.2.theta"
from = "-171 deg"
to = "178 deg"
count = 17
)";

std::string with_measures(const std::string& measures) { return "[sweep]\n" + std::string(kGrid) + measures; }

const char* const kMany = R"(
[[sweep.measures]]
name = "flip"
event = "theta_2^2 - pi^2"
[[sweep.measures]]
name = "passes"
event = "x_1"
what = "count"
direction = "rising"
[[sweep.measures]]
name = "there"
event = "theta_1"
what = "x_2"
[[sweep.measures]]
name = "end"
column = "theta_2"
[[sweep.measures]]
name = "early"
column = "y_2"
at = 3.0
[[sweep.measures]]
name = "lowest"
column = "z_2"
what = "min"
[[sweep.measures]]
name = "highest"
column = "vx_2"
what = "max"
[[sweep.measures]]
name = "mean"
column = "z_1"
what = "mean"
[[sweep.measures]]
name = "near"
nearest = [[1.0, 0.0], [-1.0, 0.0], [0.0, -1.5]]
columns = ["x_2", "z_2"]
[[sweep.measures]]
name = "steps"
summary = "steps"
)";

// Under a law that moves energy, which is accounted for.
std::string damped() {
  std::string out = kDouble;
  return out.replace(out.find("[chain]"), 7, "[chain]\nvelocity_damping = 0.1");
}

ThreadProgram program_of(const std::string& scene, const std::string& plan) {
  std::string why;
  std::optional<ThreadProgram> out = thread_program(scene_of(scene), read_sweep(plan + scene, "plan"), why);
  if (!out) throw std::runtime_error(why);
  return std::move(*out);
}

// Steps in LanesOf<1> beside what was recorded, along a motion.
void expect_recorded_bits(const std::string& scene_text) {
  const Scene scene = scene_of(scene_text);
  const ThreadProgram program =
      program_of(scene_text,
                 "[sweep]\n[[sweep.vary]]\nkey = \"simulation.duration\"\nvalues = [1.0]\n"
                 "[[sweep.measures]]\nname = \"n\"\nsummary = \"steps\"\n");
  Lab lab(scene);
  lab.use_lanes();
  World world(lab.inside().world);
  const NumberTape numbers = lane_numbers(world);
  const LaneSystem<1> motion = lane_worlds<1>(world, {&numbers}).system;
  motion.reserve(program.rule.order);
  RecordedInterpreter series(program.series), rhs(program.rhs), project(program.project);
  const std::size_t n = program.states, rows = static_cast<std::size_t>(program.rule.order) + 1;
  int looked = 0;
  for (int i = 0; i < 40 && lab.time() < scene.simulation.duration; ++i) {
    ASSERT_EQ(lab.advance(), StepStatus::done);
    const State state = lab.state();
    std::vector<LanesOf<1>> x(n), c(rows * n), dx(n);
    std::vector<double> in{state.t}, got_c(rows * n), got_dx(n), want_c, want_dx;
    for (std::size_t k = 0; k < n; ++k) x[k] = state.hi[k], in.push_back(state.hi[k]);
    motion.taylor(LanesOf<1>(state.t), x.data(), program.rule.order, c.data());
    motion.rhs(LanesOf<1>(state.t), x.data(), dx.data());
    for (const LanesOf<1>& one : c) want_c.push_back(one.lane(0));
    for (const LanesOf<1>& one : dx) want_dx.push_back(one.lane(0));
    if (!series.run(in.data(), got_c.data()) || !rhs.run(in.data(), got_dx.data())) continue;
    ++looked;
    ASSERT_TRUE(same_bits_of(got_c, want_c)) << "step " << i;
    ASSERT_TRUE(same_bits_of(got_dx, want_dx)) << "step " << i;
    if (!program.projects) continue;
    std::vector<LanesOf<1>> lo(n);
    std::vector<double> both = state.hi, got(n), want;
    for (std::size_t k = 0; k < n; ++k) {
      lo[k] = 1e-13 * static_cast<double>(k + 1);
      both.push_back(lo[k].lane(0));
    }
    constexpr bool kAll[] = {true};
    motion.project(LanesOf<1>(state.t), x.data(), lo.data(), kAll);
    for (const LanesOf<1>& one : lo) want.push_back(one.lane(0));
    ASSERT_TRUE(project.run(both.data(), got.data()));
    ASSERT_TRUE(same_bits_of(got, want)) << "step " << i;
  }
  EXPECT_GT(looked, 10);
}

TEST(Recording, StepsOfADoublePendulumHaveTheBitsOfLanes) { expect_recorded_bits(kDouble); }
TEST(Recording, StepsUnderDampingHaveTheBitsOfLanes) { expect_recorded_bits(damped()); }
TEST(Recording, StepsOfEquationsHaveTheBitsOfLanes) {
  expect_recorded_bits(
      "[simulation]\nduration = 10\n[equations]\nstates = { x = 1.0, y = 1.0, z = 1.0 }\n"
      "dot = { x = \"10*(y - x)\", y = \"x*(28 - z) - y\", z = \"x*y - 8/3*z\" }\n");
}
TEST(Recording, StepsOfAChainInSpaceHaveTheBitsOfLanes) {
  expect_recorded_bits(
      "[simulation]\nduration = 10\n[chain]\n[[chain.links]]\nlength = 1.0\nmass = 1.0\ntheta = 1.0\nphi = "
      "0.3\n"
      "[[chain.links]]\nlength = 0.5\nmass = 0.3\ntheta = 2.0\nphi = 1.3\n"
      "[[chain.links]]\nlength = 0.7\nmass = 0.9\ntheta = 0.4\nphi = 2.3\n"
      "[[chain.links]]\nlength = 0.2\nmass = 0.4\ntheta = 0.9\nphi = 2.9\n");
}

// What a sweep gives, by whoever computes it.
SweepChunk swept(ChunkRunner& runner, std::uint64_t count) { return runner.run(0, count, nullptr); }

TEST(Threads, MeasuresAreThoseOfLabs) {
  const auto sweep = sweep_of(kDouble, with_measures(kMany));
  SweepThreads threads(*sweep);
  ASSERT_EQ(threads.refusal(), "");
  const std::uint64_t count = sweep->cases().count();
  const SweepChunk labs = swept(*sweep->runner(), count);
  const SweepChunk ours = swept(*threads.runner(sweep->runner()), count);
  const std::size_t measures = sweep->plan().measures.size();
  ASSERT_EQ(ours.count, count);
  // Chaotic ones part late in ten seconds; up to then they agree to many digits.
  int close = 0, all = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_EQ(ours.status[i], labs.status[i]);
    for (std::size_t m = 0; m + 1 < measures; ++m) {
      const double a = ours.measures[i * measures + m], b = labs.measures[i * measures + m];
      ++all;
      close += (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) < 1e-7 * (1.0 + std::fabs(b)) ? 1 : 0;
    }
  }
  EXPECT_GT(close, 0.99 * all);
  EXPECT_LT(threads.redone(), count / 50);
}

// The printed kernel, compiled for this processor.
class CompiledKernel {
 public:
  explicit CompiledKernel(const ThreadProgram& program, const std::string& processor = "-mavx2 -mfma") {
    namespace fs = std::filesystem;
    static int made = 0;  // libraries of one name would be taken for the same
    folder_ = fs::temp_directory_path() /
              ("catena-kernel-" + std::to_string(::getpid()) + "-" + std::to_string(++made));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "kernel.cpp") << program.source();
    const std::string command = "c++ -std=c++20 -O2 -ffp-contract=off " + processor + " -fPIC -shared -I " +
                                CATENA_SOURCE_DIR + "/src -o " + (folder_ / "kernel.so").string() + " " +
                                (folder_ / "kernel.cpp").string();
    if (std::system(command.c_str()) != 0) return;
    library_ = dlopen((folder_ / "kernel.so").c_str(), RTLD_NOW);
    if (library_ != nullptr)
      run_ = reinterpret_cast<void (*)(const threads::Task*, const threads::Cases*)>(
          dlsym(library_, "catena_sweep"));
  }
  ~CompiledKernel() { std::filesystem::remove_all(folder_); }
  bool is_there() const { return run_ != nullptr; }
  void run(const threads::Task& task, const threads::Cases& cases) const { run_(&task, &cases); }

 private:
  std::filesystem::path folder_;
  void* library_ = nullptr;
  void (*run_)(const threads::Task*, const threads::Cases*) = nullptr;
};

// What a kernel gives for all cases of a sweep.
struct KernelResults {
  std::vector<double> measures;      // [case][measure]
  std::vector<std::uint32_t> steps;  // 0: to be redone
};
KernelResults computed_by(const CompiledKernel& kernel, const Sweep& sweep, const ThreadProgram& program) {
  const std::uint64_t count = sweep.cases().count();
  const std::size_t width = program.start_numbers();
  KernelResults out{std::vector<double>(sweep.plan().measures.size() * count),
                    std::vector<std::uint32_t>(count)};
  std::vector<double> data(width * count), one(width);
  std::vector<threads::StartEntry> entries(width);
  CaseStarts starts(sweep, program);
  for (std::size_t k = 0; k < width; ++k) entries[k] = {k * count, 1, count};
  for (std::uint64_t i = 0; i < count; ++i) {
    EXPECT_TRUE(starts.write(i, one.data()));
    for (std::size_t k = 0; k < width; ++k) data[k * count + i] = one[k];
  }
  std::uint64_t next = 0;
  threads::Cases cases{};
  cases.count = count;
  cases.entries = entries.data();
  cases.data = data.data();
  cases.results = out.measures.data();
  cases.steps = out.steps.data();
  cases.next = &next;
  kernel.run(program.task, cases);
  return out;
}

void expect_kernel_bits(const std::string& scene, const std::string& plan) {
  const auto sweep = sweep_of(scene, plan);
  SweepThreads threads(*sweep);
  ASSERT_EQ(threads.refusal(), "");
  const ThreadProgram& program = threads.program();
  const CompiledKernel kernel(program);
  ASSERT_TRUE(kernel.is_there());
  const std::uint64_t count = sweep->cases().count();
  const std::size_t measures = sweep->plan().measures.size();
  const auto [results, steps] = computed_by(kernel, *sweep, program);
  const SweepChunk lanes = swept(*threads.runner(sweep->runner()), count);
  std::uint64_t redone = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    redone += steps[i] == 0 ? 1 : 0;
    if (steps[i] == 0) continue;
    for (std::size_t m = 0; m < measures; ++m) {
      const double x = results[i * measures + m], y = lanes.measures[i * measures + m];
      ASSERT_TRUE((std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0)
          << "case " << i << ", measure " << m << ": " << x << " and " << y;
    }
  }
  EXPECT_EQ(redone, threads.redone());
  EXPECT_LT(redone, count / 20 + 1);
}

TEST(Threads, PrintedKernelsHaveTheBitsOfLanes) { expect_kernel_bits(kDouble, with_measures(kMany)); }

TEST(Threads, PrintedKernelsUnderDampingHaveTheBitsOfLanes) {
  expect_kernel_bits(damped(), with_measures("[[sweep.measures]]\nname = \"far\"\ncolumn = \"x_1\"\n"
                                             "what = \"range\"\n[[sweep.measures]]\nname = \"end\"\n"
                                             "column = \"theta_dot_2\"\n"));
}

// Cases that differ in masses, lengths, gravity, a law's strength: what follows from these is computed once
// for each case.
const char* const kOthers = R"(
[sweep]
[[sweep.vary]]
name = "mass"
key = "chain.links.2.mass"
from = 0.3
to = 2.7
count = 5
[[sweep.vary]]
name = "length"
key = "chain.links.1.length"
from = 0.4
to = 1.7
count = 4
[[sweep.vary]]
name = "start"
key = "chain.links.2.theta"
from = "-171 deg"
to = "178 deg"
count = 5
)";

TEST(Threads, PrintedKernelsOfOtherMassesAndLengthsHaveTheBitsOfLanes) {
  expect_kernel_bits(kDouble, kOthers + std::string(kMany));
}
TEST(Threads, PrintedKernelsOfOtherLawsHaveTheBitsOfLanes) {
  std::string scene = damped();
  scene.replace(scene.find("duration = 10"), 13, "duration = 5\ngravity = 9.81");
  expect_kernel_bits(
      scene,
      "[sweep]\n[[sweep.vary]]\nkey = \"chain.velocity_damping\"\nfrom = 0.01\nto = 0.7\ncount = 6\n"
      "[[sweep.vary]]\nkey = \"simulation.gravity\"\nfrom = 1.6\nto = 25\ncount = 5\n"
      "[[sweep.measures]]\nname = \"x\"\ncolumn = \"x_2\"\n[[sweep.measures]]\nname = \"low\"\n"
      "column = \"z_2\"\nwhat = \"min\"\n");
}
TEST(Threads, PrintedKernelsOfOtherEquationsHaveTheBitsOfLanes) {
  expect_kernel_bits(
      "[simulation]\nduration = 3\n[equations]\nstates = { x = 1.0, y = 1.0, z = 1.0 }\nparameters = { rho = "
      "28.0 "
      "}\ndot = { x = \"10*(y - x)\", y = \"x*(rho - z) - y\", z = \"x*y - 8/3*z\" }\n",
      "[sweep]\n[[sweep.vary]]\nkey = \"equations.parameters.rho\"\nfrom = 0.5\nto = 160\ncount = 40\n"
      "[[sweep.measures]]\nname = \"z\"\ncolumn = \"z\"\n[[sweep.measures]]\nname = \"turn\"\nevent = \"x - "
      "y\"\nwhat = \"count\"\n");
}

// Small swings have 2 pi sqrt(L / g), whatever the mass.
TEST(Threads, OtherNumbersGiveOtherMotions) {
  const auto sweep = sweep_of(
      "[simulation]\nduration = 12\ngravity = 9.81\n[chain]\n[[chain.links]]\nlength = 1.0\nmass = 1.0\n"
      "theta = 1e-5\n",
      "[sweep]\n[[sweep.vary]]\nkey = \"chain.links.1.length\"\nfrom = 0.3\nto = 3\ncount = 12\n"
      "[[sweep.vary]]\nkey = \"simulation.gravity\"\nfrom = 4\nto = 20\ncount = 3\n"
      "[[sweep.vary]]\nkey = \"chain.links.1.mass\"\nvalues = [0.2, 7.0]\n"
      "[[sweep.measures]]\nname = \"zero\"\nevent = \"theta_1\"\n");
  SweepThreads threads(*sweep);
  ASSERT_EQ(threads.refusal(), "");
  const std::uint64_t count = sweep->cases().count();
  const SweepChunk got = swept(*threads.runner(sweep->runner()), count);
  std::vector<double> numbers(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    sweep->cases().values(i, numbers.data());
    EXPECT_NEAR(got.measures[i], M_PI / 2 * std::sqrt(numbers[0] / numbers[1]), 1e-10) << i;
  }
  EXPECT_EQ(threads.redone(), 0u);
}

// What is no number of a world is one for all cases.
TEST(Threads, WhatIsOneForAllCasesIsNamed) {
  const auto sweep =
      sweep_of(kDouble,
               "[sweep]\n[[sweep.vary]]\nkey = \"simulation.tolerance\"\nvalues = [1e-9, 1e-12]\n"
               "[[sweep.measures]]\ncolumn = \"x_1\"\n");
  EXPECT_NE(SweepThreads(*sweep).refusal().find("simulation.tolerance"), std::string::npos);
}

const char* const kMagnets = R"(
[simulation]
duration = 4
tolerance = 1e-9
order = 8
[chain]
pivot = [0, 0, 1.05]
velocity_damping = 0.2
plane = "none"
[[chain.links]]
length = 1.0
mass = 0.1
direction = [0, 0, -1]
susceptibility = 3
volume = 1.27e-5
[[forces]]
kind = "magnet"
position = [0.15, 0, 0]
moment = [0, 0, 60]
[[forces]]
kind = "magnet"
position = [-0.075, 0.13, 0]
moment = [0, 0, 60]
)";
const char* const kBasins = R"(
[sweep]
[[sweep.vary]]
name = "a"
key = "chain.links.1.direction.1"
from = -0.35
to = 0.36
count = 9
[[sweep.vary]]
name = "b"
key = "chain.links.1.direction.2"
from = -0.34
to = 0.35
count = 8
[[sweep.measures]]
name = "magnet"
nearest = [[0.15, 0], [-0.075, 0.13]]
columns = ["x_1", "y_1"]
[[sweep.measures]]
name = "passes"
event = "x_1 - 0.05"
what = "count"
[[sweep.measures]]
name = "x"
column = "x_1"
)";

TEST(Threads, PrintedKernelsOfMagnetsHaveTheBitsOfLanes) { expect_kernel_bits(kMagnets, kBasins); }

// A harmonic oscillator of any start: x = A cos(t + phase).
const char* const kOscillator =
    "[simulation]\nduration = 20\n[equations]\nstates = { x = 1.0, y = 0.0 }\n"
    "dot = { x = \"y\", y = \"-x\" }\n";
std::string from_starts(const std::string& measures) {
  return "[sweep]\n[[sweep.vary]]\nkey = \"equations.states.x\"\nfrom = 0.2\nto = 3.0\ncount = 15\n"
         "[[sweep.vary]]\nkey = \"equations.states.y\"\nfrom = -2.0\nto = 2.0\ncount = 9\n" +
         measures;
}

// Processors without fused operations, and wasm, round twice. How far that parts them: a last bit in each
// step, which the motion makes grow. Of the largest value that a measure has.
double apart_without_fused(const std::string& scene, const std::string& plan, double part_of_cases) {
  const auto sweep = sweep_of(scene, plan);
  SweepThreads threads(*sweep);
  EXPECT_EQ(threads.refusal(), "");
  const CompiledKernel fused(threads.program()), twice(threads.program(), "-mavx2 -mno-fma");
  EXPECT_TRUE(fused.is_there() && twice.is_there());
  const KernelResults a = computed_by(fused, *sweep, threads.program()),
                      b = computed_by(twice, *sweep, threads.program());
  std::vector<double> apart;
  double size = 1.0;
  for (std::size_t i = 0; i < a.measures.size(); ++i) {
    size = std::max(size, std::fabs(a.measures[i]));
    apart.push_back(std::fabs(a.measures[i] - b.measures[i]));
  }
  EXPECT_FALSE(same_bits_of(a.measures, b.measures)) << "they round alike: nothing is compared";
  std::sort(apart.begin(), apart.end());
  return apart[static_cast<std::size_t>(part_of_cases * static_cast<double>(apart.size() - 1))] / size;
}

TEST(Threads, WithoutFusedOperationsResultsAgreeAsFarAsStated) {
  const auto pendulums = [](const std::string& duration, double part) {
    std::string scene = kDouble;
    scene.replace(scene.find("duration = 10"), 13, "duration = " + duration);
    return apart_without_fused(scene, with_measures("[[sweep.measures]]\nname = \"x\"\ncolumn = \"x_2\"\n"),
                               part);
  };
  EXPECT_LT(pendulums("1", 1.0), 4e-15);
  EXPECT_LT(pendulums("3", 0.95), 2e-14);
  // Chaotic ones make a last bit grow.
  EXPECT_LT(pendulums("10", 0.5), 4e-13);
  EXPECT_LT(pendulums("10", 1.0), 1e-7);
  // What is not chaotic does not.
  std::string scene = kOscillator;
  scene.replace(scene.find("duration = 20"), 13, "duration = 100");
  EXPECT_LT(
      apart_without_fused(scene, from_starts("[[sweep.measures]]\nname = \"x\"\ncolumn = \"x\"\n"), 1.0),
      2e-14);
}

TEST(Threads, EventsHaveTheTimesOfAClosedForm) {
  const auto sweep = sweep_of(kOscillator, from_starts("[[sweep.measures]]\nname = \"zero\"\nevent = \"x\"\n"
                                                       "[[sweep.measures]]\nname = \"all\"\nevent = \"x\"\n"
                                                       "what = \"count\"\n"));
  SweepThreads threads(*sweep);
  ASSERT_EQ(threads.refusal(), "");
  const std::uint64_t count = sweep->cases().count();
  const SweepChunk got = swept(*threads.runner(sweep->runner()), count);
  std::vector<double> start(2);
  for (std::uint64_t i = 0; i < count; ++i) {
    sweep->cases().values(i, start.data());
    const double phase = std::atan2(-start[1], start[0]);  // x = A cos(t + phase)
    double first = M_PI / 2 - phase;
    if (first < 0.0) first += M_PI;
    if (first > M_PI) first -= M_PI;
    EXPECT_NEAR(got.measures[2 * i], first, 1e-13) << i;
    EXPECT_EQ(got.measures[2 * i + 1], std::floor((20.0 - first) / M_PI) + 1.0) << i;
  }
}

// Of a step, by many looks at it.
TEST(Threads, NoEventIsWhereTheBoundsSayThatThereIsNone) {
  const ThreadProgram program = program_of(
      kDouble, with_measures("[[sweep.measures]]\nname = \"flip\"\nevent = \"theta_2^2 - pi^2\"\n"
                             "[[sweep.measures]]\nname = \"cross\"\nevent = \"x_2*z_1 - 0.3*vx_1^2/2\"\n"
                             "[[sweep.measures]]\nname = \"turn\"\nevent = \"theta_dot_2\"\n"));
  const std::size_t n = program.states, rows = static_cast<std::size_t>(program.rule.order) + 1;
  const int order = program.rule.order, events = static_cast<int>(program.events);
  InterpretedProgram interpreted(program);
  RecordedInterpreter near(program.near_of);
  InterpreterOf<LanesOf<4>> near_in_lanes(program.near_of);
  Lab lab(scene_of(kDouble));
  lab.use_lanes();
  World world(lab.inside().world);
  const NumberTape numbers = lane_numbers(world);
  LaneTaylor<1> steps(lane_worlds<1>(world, {&numbers}).system, program.rule);
  StepPolynomial polynomial;
  polynomial.resize(order, n);
  steps.seat(0, lab.state(), 0.0, INFINITY);
  threads::Moment<InterpretedProgram> at{}, next{};
  at.in[0] = 0.0;
  std::copy_n(lab.state().hi.data(), n, at.in + 1);
  ASSERT_TRUE(interpreted.angles_of(at.in, at.wrapped));
  for (int a = 0; a < interpreted.angles(); ++a) at.in[1 + n + a] = at.wrapped[a];
  int looked = 0, left_out = 0;
  for (int step = 0; step < 400; ++step) {
    steps.step();
    steps.read_polynomial(0, polynomial);
    std::vector<double> in{steps.time(0), steps.length(0), 0.0}, margin(program.events),
        values(program.events);
    double largest = 1.0;
    for (std::size_t i = 0; i < program.controlled; ++i) largest = std::max(largest, std::fabs(at.in[1 + i]));
    in[2] = largest;
    for (int a = 0; a < interpreted.angles(); ++a) in.push_back(at.in[1 + n + a]);
    for (const std::size_t i : program.near_states) {
      in.push_back(at.in[1 + i]);
      for (std::size_t k = 1; k < rows; ++k) in.push_back(polynomial.coefficients[k * n + i]);
    }
    ASSERT_TRUE(near.run(in.data(), margin.data()));
    // Side by side it has the same bits.
    std::vector<LanesOf<4>> four(in.begin(), in.end()), margins(program.events);
    ASSERT_TRUE(near_in_lanes.run(four.data(), margins.data()));
    for (int e = 0; e < events; ++e) {
      for (int l = 0; l < 4; ++l) ASSERT_EQ(margins[e].lane(l), margin[e]);
    }
    constexpr int kLooks = 60;
    std::vector<double> first(program.events);
    for (int look = 0; look <= kLooks; ++look) {
      const double tau = steps.length(0) * look / kLooks;
      next.in[0] = steps.time(0) + tau;
      for (std::size_t i = 0; i < n; ++i) {
        double value = 0.0;
        for (std::size_t k = rows; k-- > 1;) value = (value + polynomial.coefficients[k * n + i]) * tau;
        next.in[1 + i] = steps.start(i).lane(0) + value;
      }
      ASSERT_TRUE(threads::take_angles(interpreted, at, next));
      at = next;
      ASSERT_TRUE(interpreted.events_of(at.in, values.data()));
      if (look == 0) first = values;
      for (int e = 0; e < events; ++e) {
        if (margin[e] > 0.0) {
          ASSERT_GT(values[e] * (first[e] > 0.0 ? 1.0 : -1.0), 0.999 * margin[e]);
        }
      }
    }
    looked += events;
    for (int e = 0; e < events; ++e) left_out += margin[e] > 0.0 ? 1 : 0;
    steps.go_on();
  }
  EXPECT_GT(left_out, 0.6 * looked);
}

// A case is over when all that is asked for is known; what is known is the same.
TEST(Threads, CasesEndWithTheirEvents) {
  const std::string flip = "[[sweep.measures]]\nname = \"flip\"\nevent = \"theta_2^2 - pi^2\"\n";
  const auto alone = sweep_of(kDouble, with_measures(flip));
  const auto with = sweep_of(kDouble, with_measures(flip + "[[sweep.measures]]\ncolumn = \"x_1\"\n"));
  SweepThreads few(*alone), all(*with);
  const std::uint64_t count = alone->cases().count();
  const SweepChunk a = swept(*few.runner(alone->runner()), count),
                   b = swept(*all.runner(with->runner()), count);
  EXPECT_LT(a.steps, b.steps);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double x = a.measures[i], y = b.measures[2 * i];
    EXPECT_TRUE((std::isnan(x) && std::isnan(y)) || x == y) << i;
  }
}

TEST(Threads, KernelsCompileForGpus) {
  if (const std::string why = compiler_refusal(); !why.empty()) GTEST_SKIP() << why;
  const auto sweep = sweep_of(kDouble, with_measures(kMany));
  SweepThreads threads(*sweep);
  const Kernel kernel = compiled(threads.program().source(), "sm_90");
  EXPECT_FALSE(kernel.cubin.empty());
  RecordProperty("compiler", kernel.log);
  std::printf("%s: %zu operations, %.2f s\n%s\n", compiler_name().c_str(), threads.program().operations(),
              kernel.seconds, kernel.log.c_str());
}

TEST(Threads, WhatTheyCannotDoIsSaid) {
  std::string why;
  const auto refusal = [&](const std::string& scene, const std::string& measure) {
    why.clear();
    thread_program(scene_of(scene), read_sweep(with_measures(measure) + scene, "plan"), why);
    return why;
  };
  EXPECT_NE(refusal(kDouble, "[[sweep.measures]]\nname = \"e\"\nsummary = \"energy_error_relative\"\n"), "");
  EXPECT_NE(refusal(kDouble, "[[sweep.measures]]\nname = \"e\"\ncolumn = \"tension_1\"\n"), "");
  EXPECT_NE(refusal(kDouble, "[[sweep.measures]]\nname = \"e\"\nevent = \"abs(x_1) - 0.5\"\n"), "");
  EXPECT_EQ(refusal(kDouble, "[[sweep.measures]]\nname = \"e\"\nevent = \"x_1^2 - 0.5\"\n"), "");
  // A few looks at a step do not show what is sharper than the motion.
  EXPECT_NE(refusal(kDouble, "[[sweep.measures]]\nname = \"e\"\nevent = \"exp(-(300*theta_1)^2) - 0.5\"\n"),
            "");
  EXPECT_NE(refusal(kDouble, "[[sweep.measures]]\nname = \"e\"\nevent = \"sin(60*theta_2)\"\n"), "");
  EXPECT_NE(refusal(std::string(kDouble) +
                        "[[forces]]\nkind = \"formula\"\nforce = [\"50*exp(-(100*(t-0.5))^2)\", 0, 0]\n",
                    "[[sweep.measures]]\nname = \"e\"\ncolumn = \"x_1\"\n"),
            "");
}

}  // namespace
}  // namespace catena
