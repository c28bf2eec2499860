// What plots ask of an experiment: any column, over any stretch of its past, whatever happened to be kept.
#include "catena/lab/experiment/trace.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/lab/experiment/experiment.h"
#include "support/chains.h"
#include "support/experiments.h"

namespace catena {
namespace {

using test::play;
using test::scene_of;

Scene pendulum() {
  return scene_of(
      "[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"100 deg\"\nrepeat = "
      "2\n");
}

ExperimentOptions trace_options() { return {1.0 / 120, {"position", "energy"}, {"position"}}; }

// Rows of tick and values, as they were when they were first computed.
std::vector<double> seen(Experiment& experiment, int ticks, const std::vector<std::string>& names) {
  experiment.watch(names);
  play(experiment, ticks);
  return experiment.plotted(0, ticks, ticks + 1, false, 0).rows;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

TEST(Trace, KeepsWhatItIsGivenUpToItsBudget) {
  Trace trace(std::size_t{1} << 14);  // 2048 numbers
  trace.reset(1);
  for (std::int64_t tick = 0; tick < 20000; ++tick) {
    const double value = static_cast<double>(tick);
    trace.put(tick, &value);
  }
  EXPECT_LE(trace.bytes(), std::size_t{1} << 14);
  int known = 0;
  for (std::int64_t tick = 0; tick < 20000; ++tick) {
    if (const double* row = trace.row(tick)) {
      EXPECT_EQ(*row, static_cast<double>(tick));
      ++known;
    }
  }
  EXPECT_GT(known, 1000);
  EXPECT_FALSE(trace.hole({0, 19999, 16}));
  trace.look_at({1024, 1100, 1});
  EXPECT_EQ(trace.hole({1024, 1100, 1}), 1025);  // closer than what is kept
}

TEST(Trace, AnEnvelopeHoldsTheHighestAndLowestOfEachStride) {
  Trace trace;
  trace.reset(1);
  for (std::int64_t tick = 0; tick <= 256; ++tick) {
    const double value = tick == 101 ? 5.0 : tick == 110 ? -7.0 : 0.0;
    trace.put(tick, &value);
  }
  const std::vector<double> rows = plotted(trace, {0, 256, 16}, true);
  double low = 0.0, high = 0.0;
  for (std::size_t i = 1; i < rows.size(); i += 2)
    low = std::min(low, rows[i]), high = std::max(high, rows[i]);
  EXPECT_EQ(low, -7.0);
  EXPECT_EQ(high, 5.0);
  // In the order in which they came.
  for (std::size_t i = 0; i < rows.size(); i += 2) {
    if (rows[i] == 96) {
      EXPECT_EQ(rows[i + 1], 5.0);
    }
  }
}

// Scrubbing, watching other columns and asking for what was never watched: always the same rows.
TEST(Trace, IsTheHistoryAndNotWhatHappenedToBeShown) {
  const std::vector<std::string> names{"theta_1", "vx_2", "energy_error", "fx_1", "ghost1.x_2"};
  Experiment plain(pendulum(), trace_options());
  plain.set_ghosts({{.offset = 1e-3}});
  const std::vector<double> rows = seen(plain, 500, names);
  ASSERT_EQ(rows.size(), 501 * (names.size() + 1));

  Experiment late(pendulum(), trace_options());
  late.set_ghosts({{.offset = 1e-3}});
  play(late, 500);
  late.go_to(123);
  late.watch(names);
  Experiment::Plotted told = late.plotted(0, 500, 501, false, 100);
  EXPECT_FALSE(told.complete);
  while (!told.complete) told = late.plotted(0, 500, 501, false, 100);
  EXPECT_TRUE(same(told.rows, rows));
  EXPECT_EQ(late.tick(), 123);  // looking changes nothing
  play(late, 377);
  EXPECT_TRUE(same(late.row(), plain.row()));
}

TEST(Trace, GoesOnThroughChangesDragsAndOtherColumns) {
  Experiment experiment(pendulum(), trace_options());
  experiment.watch({"theta_1", "strain_1"});
  play(experiment, 100);
  experiment.change(scene_of(
      "[simulation]\nduration = 10\n[chain]\nkind = \"elastic\"\n[[chain.links]]\nlength = 1\nmass = 1\n"
      "theta = \"100 deg\"\nstiffness = 300\nrepeat = 2\n"));
  play(experiment, 100);
  experiment.drag(0, 1, {1.0, 0.0, -1.0}, false);
  play(experiment, 100);
  const Experiment::Plotted told = experiment.plotted(0, 300, 301, false, 0);
  ASSERT_TRUE(told.complete);
  ASSERT_EQ(told.rows.size(), 301u * 3);
  EXPECT_TRUE(std::isnan(told.rows[50 * 3 + 2]));    // rigid links have no strain
  EXPECT_FALSE(std::isnan(told.rows[150 * 3 + 2]));  // springs have
  for (std::size_t i = 0; i < 301; ++i) EXPECT_TRUE(std::isfinite(told.rows[i * 3 + 1])) << i;
}

// An hour of 64 columns: within 64 MB, and all of it told.
TEST(Trace, AnHourStaysWithinItsBudget) {
  Trace trace;
  trace.reset(64);
  std::vector<double> row(64);
  for (std::int64_t tick = 0; tick < 432000; ++tick) {
    row[0] = static_cast<double>(tick);
    trace.put(tick, row.data());
  }
  EXPECT_LE(trace.bytes(), std::size_t{64} << 20);
  EXPECT_FALSE(trace.hole({0, 431999, 256}));
}

}  // namespace
}  // namespace catena
