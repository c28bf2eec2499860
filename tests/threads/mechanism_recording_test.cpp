// Steps of a mechanism that were recorded, with all choices of its factorisation, and are interpreted: the
// bits of lanes. What returns them onto the joints is not recorded: sweeps of mechanisms are computed by
// labs.
#include <gtest/gtest.h>

#include <cstring>

#include "catena/io/scene/scene.h"
#include "catena/lab/inside.h"
#include "catena/lab/lane_stepper.h"
#include "catena/math/recorded.h"

namespace catena {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

std::vector<double> time_and_state(const State& state) {
  std::vector<double> out{state.t};
  out.insert(out.end(), state.hi.begin(), state.hi.end());
  return out;
}

// The series through a state, up to this order, and behind them the rates there.
template <int W>
std::vector<LanesOf<W>> step_of(const LaneSystem<W>& motion, int order, const std::vector<LanesOf<W>>& in) {
  using S = LanesOf<W>;
  const std::size_t n = motion.dimension, rows = static_cast<std::size_t>(order) + 1;
  std::vector<S> out((rows + 1) * n, S(0.0));
  motion.reserve(order);
  motion.taylor(in[0], in.data() + 1, order, out.data());
  motion.rhs(in[0], in.data() + 1, out.data() + rows * n);
  return out;
}

TEST(Recording, StepsOfAFourBarHaveTheBitsOfLanes) {
  SceneOptions options;
  Lab lab(read_scene(read_scene_text(std::string(CATENA_SOURCE_DIR) + "/scenes/four-bar.toml"), options));
  lab.use_lanes();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(lab.advance(), StepStatus::done);
  World world(lab.inside().world);
  const NumberTape numbers = lane_numbers(world);
  const int order = lane_rule(world, lab.inside().options).order;
  RecordedFunction recorded;
  {
    Recorder recorder;
    const LaneSystem<kRecorded> motion = lane_worlds<kRecorded>(world, {&numbers}).system;
    std::vector<Recorded> in;
    for (const double like : time_and_state(lab.state())) in.push_back(Recorded::input(like));
    for (const Recorded& output : step_of<kRecorded>(motion, order, in)) recorder.output(output.operand());
    ASSERT_EQ(recorder.refusal(), "");
    recorded = recorder.take();
  }
  RecordedInterpreter interpreted(recorded);
  const LaneSystem<1> motion = lane_worlds<1>(world, {&numbers}).system;
  int looked = 0;
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(lab.advance(), StepStatus::done);
    const std::vector<double> at = time_and_state(lab.state());
    std::vector<double> got(recorded.outputs.size()), want;
    for (const LanesOf<1>& one : step_of<1>(motion, order, {at.begin(), at.end()}))
      want.push_back(one.lane(0));
    if (!interpreted.run(at.data(), got.data())) continue;  // it would have chosen otherwise there
    ++looked;
    ASSERT_TRUE(same_bits(got, want)) << "step " << i;
  }
  EXPECT_GT(looked, 20);
}

}  // namespace
}  // namespace catena
