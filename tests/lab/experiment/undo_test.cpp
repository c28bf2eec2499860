// What was done is undone and done again, to the same bits.
#include "catena/lab/experiment/undo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/chains.h"
#include "support/experiments.h"

namespace catena {
namespace {

using test::play;
using test::scene_of;

Scene chain(int links, double gravity = 9.81) {
  return scene_of("[simulation]\nduration = 10\ngravity = " + std::to_string(gravity) +
                  "\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = \"100 deg\"\nrepeat = " +
                  std::to_string(links) + "\n");
}

ExperimentOptions undo_options() { return {1.0 / 120, {"position", "velocity", "energy"}, {"position"}}; }

struct Where {
  std::int64_t tick, begin, end;
  std::vector<double> row;
  bool operator==(const Where&) const = default;
};

Where where(const Experiment& experiment) {
  return {experiment.tick(), experiment.begin(), experiment.end(), experiment.row()};
}

TEST(Undo, EverythingGoesBackAndForthToTheSameBits) {
  Experiment experiment(chain(3), undo_options());
  Undo undo;
  const std::vector<std::function<void()>> deeds = {
      [&] { experiment.change(chain(3, 1.62)); },
      [&] {
        experiment.drag(0, 2, {1.0, 0.0, -1.0}, false);
      },
      [&] { experiment.set_ghosts({{.offset = 1e-3}}); },
      [&] { experiment.restart(true); },
      [&] { experiment.change(chain(5)); },  // other links: a fresh start
      [&] { experiment.set_ghosts({}); },
  };
  std::vector<Where> before, after;
  for (const auto& deed : deeds) {
    play(experiment, 70);
    before.push_back(where(experiment));
    Memory memory = experiment.memory();
    deed();
    undo.add(std::move(memory), 0);
  }
  play(experiment, 70);
  for (std::size_t i = deeds.size(); i-- > 0;) {
    after.push_back(where(experiment));
    ASSERT_TRUE(undo.undo(experiment).has_value());
    EXPECT_EQ(where(experiment), before[i]) << i;
  }
  EXPECT_FALSE(undo.undo(experiment).has_value());
  for (std::size_t i = 0; i < deeds.size(); ++i) {
    ASSERT_TRUE(undo.redo(experiment).has_value());
    EXPECT_EQ(where(experiment), after[deeds.size() - 1 - i]) << i;
  }
  EXPECT_FALSE(undo.redo(experiment).has_value());
}

TEST(Undo, ThePastOfWhatWasUndoneIsThere) {
  Experiment experiment(chain(2), undo_options());
  experiment.watch({"x_2", "energy"});
  Undo undo;
  play(experiment, 300);
  const std::vector<double> rows = experiment.plotted(0, 300, 301, false, 0).rows;
  experiment.go_to(100);
  Memory memory = experiment.memory();
  experiment.change(chain(2, 3.0));  // what came after tick 100 is forgotten
  undo.add(std::move(memory), 0);
  play(experiment, 50);
  EXPECT_EQ(experiment.end(), 150);
  ASSERT_TRUE(undo.undo(experiment).has_value());
  EXPECT_EQ(experiment.tick(), 100);
  EXPECT_EQ(experiment.end(), 300);
  EXPECT_EQ(experiment.plotted(0, 300, 301, false, 1000).rows, rows);
}

TEST(Undo, AGestureIsOneStep) {
  Experiment experiment(chain(2), undo_options());
  Undo undo;
  for (int i = 0; i < 50; ++i) {
    play(experiment, 2);
    if (!undo.continues(7)) undo.add(experiment.memory(), 7);
    experiment.change(chain(2, 9.0 - 0.1 * i));
  }
  ASSERT_TRUE(undo.undo(experiment).has_value());
  EXPECT_EQ(experiment.tick(), 2);
  EXPECT_EQ(experiment.scene().simulation.gravity[2], -9.81);
  EXPECT_FALSE(undo.can_undo());
}

TEST(Undo, HowItWasLookedAtComesBackWithIt) {
  Experiment experiment(chain(2), undo_options());
  Undo undo;
  undo.add(experiment.memory(), 0, "flat");
  experiment.change(chain(5));
  EXPECT_EQ(undo.undo(experiment, "in space"), "flat");
  EXPECT_EQ(undo.undo(experiment, "flat"), std::nullopt);
  EXPECT_EQ(undo.redo(experiment), "in space");
  EXPECT_EQ(undo.redo(experiment), std::nullopt);
}

TEST(Undo, StepsThatWereKeptElsewhereLeadToTheSameBits) {
  Experiment experiment(chain(2), undo_options());
  experiment.watch({"x_2"});
  Undo undo;
  for (const double gravity : {5.0, 3.0, 1.0}) {
    play(experiment, 80);
    undo.add(experiment.memory(), 0);
    experiment.change(chain(2, gravity));
  }
  undo.undo(experiment);
  std::vector<Undo::Step> steps = undo.steps();
  for (Undo::Step& step : steps) {  // who keeps them does not know whose past they share
    step.before.memory.line = 0;
    if (step.after) step.after->memory.line = 0;
  }
  Undo kept(std::move(steps), undo.at());
  Experiment other(chain(2), undo_options());
  other.watch({"x_2"});
  other.recall(experiment.memory(), 0);
  EXPECT_TRUE(kept.can_redo());
  const auto both = [&](auto act) {
    EXPECT_TRUE(act(undo, experiment));
    EXPECT_TRUE(act(kept, other));
    EXPECT_EQ(where(other), where(experiment));
    const auto rows = [](Experiment& of) { return of.plotted(0, of.end(), 400, false, 1000).rows; };
    EXPECT_EQ(rows(other), rows(experiment));
  };
  const auto back = [](Undo& of, Experiment& what) { return of.undo(what).has_value(); };
  const auto forth = [](Undo& of, Experiment& what) { return of.redo(what).has_value(); };
  for (int i = 0; i < 2; ++i) both(back);
  for (int i = 0; i < 3; ++i) both(forth);
}

TEST(History, ChangesWithoutEndForgetTheOldestPast) {
  Experiment experiment(chain(2), undo_options());
  History history(std::size_t{1} << 18);
  for (std::int64_t tick = 0; tick < 1000; ++tick) history.change(tick, experiment.bookmark().snapshot);
  EXPECT_LE(history.bytes(), std::size_t{1} << 18);
  EXPECT_GT(history.first(), 0);
  EXPECT_LT(history.first(), 990);
  EXPECT_EQ(history.before(999).first, 999);
}

}  // namespace
}  // namespace catena
