// Events: none missed, none twice, at times that are known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "catena/lab/column_speeds.h"
#include "catena/math/roots.h"
#include "support/chains.h"

namespace catena {
namespace {

using test::Recorded;
using test::scene_of;

constexpr double kPi = std::numbers::pi;

const char* kSwing = R"(
[simulation]
duration = 40
[[chain.links]]
length = 1
mass = 1
theta = "90 deg"
)";

// T = 4 K(sin(theta0/2)) sqrt(l/g); at 90 degrees K = Gamma(1/4)^2 / (4 sqrt(pi)).
double quarter_period() {
  const double k = std::pow(std::tgamma(0.25), 2) / (4 * std::sqrt(kPi));
  return k / std::sqrt(9.81);
}

Scene with_events(const std::string& text, const std::string& events,
                  const std::vector<std::string>& overrides = {}) {
  return scene_of(text + events, overrides);
}

TEST(Events, APendulumPassesTheBottomAtOddQuartersOfItsPeriod) {
  for (const std::string method : {"taylor", "dop853", "rk4"}) {
    const Recorded run(with_events(kSwing, "[[events]]\nwhen = \"theta_1\"\n",
                                   {"simulation.method=\"" + method + "\"", "simulation.step=0.01"}));
    const EventTable& table = run.summary.events.at(0);
    const double quarter = quarter_period();
    ASSERT_EQ(table.rows.size(), static_cast<std::size_t>((40 / quarter + 1) / 2)) << method;
    const double bound = method == "taylor" ? 1e-12 : method == "dop853" ? 1e-8 : 1e-5;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      EXPECT_NEAR(table.rows[i][0], (2.0 * static_cast<double>(i) + 1) * quarter, bound * 40) << method;
    }
  }
}

TEST(Events, DirectionCountCooldownAndRecord) {
  const Recorded run(with_events(kSwing, R"(
[[events]]
name = "forth"
when = "theta_1"
direction = "rising"
record = ["theta_dot_1", "energy"]
[[events]]
name = "rarely"
when = "theta_1"
cooldown = 5
[[events]]
name = "third"
when = "x_1 - 0.5"
direction = "falling"
stop = 3
)"));
  const auto& events = run.summary.events;
  EXPECT_EQ(run.summary.outcome, Outcome::stopped_by_event);
  ASSERT_EQ(events[2].rows.size(), 3u);
  const double end = events[2].rows[2][0];
  EXPECT_EQ(run.summary.simulated_seconds, end);
  EXPECT_LE(run.last("t"), end);
  EXPECT_GT(run.last("t"), end - 0.011);
  EXPECT_EQ(events[0].columns, (std::vector<std::string>{"t", "theta_dot_1", "energy"}));
  for (const std::vector<double>& row : events[0].rows) {
    EXPECT_GT(row[1], 0.0);
    EXPECT_LE(row[0], end);
  }
  for (std::size_t i = 1; i < events[1].rows.size(); ++i) {
    EXPECT_GE(events[1].rows[i][0] - events[1].rows[i - 1][0], 5.0);
  }
}

// Several in one long step, also close to each other.
TEST(Events, ManyInOneStepAreAllFound) {
  const Recorded run(with_events(
      "[simulation]\nduration = 10\ngravity = 0\n[[chain.links]]\nlength = 1\nmass = 1\ntheta_dot = 1\n",
      "[[events]]\nwhen = \"sin(40*t)\"\n[[events]]\nwhen = \"(t - 5)*(t - 5.0000001)\"\n"));
  EXPECT_EQ(run.summary.events[0].rows.size(), static_cast<std::size_t>(400 / kPi));
  ASSERT_EQ(run.summary.events[1].rows.size(), 2u);
  EXPECT_NEAR(run.summary.events[1].rows[1][0] - run.summary.events[1].rows[0][0], 1e-7, 1e-12);
}

// phi of a link that goes round jumps from 2 pi to 0: no root of phi - 1 except where it is 1.
TEST(Events, JumpsAreNoRoots) {
  const Recorded run(
      with_events("[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "
                  "\"45 deg\"\nphi_dot = 4\n",
                  "[[events]]\nwhen = \"phi_1 - 1\"\n"));
  int passes = 0;
  for (std::size_t i = 1; i < run.count(); ++i) {
    if (run.at(i - 1, "phi_1") < 1 && run.at(i, "phi_1") >= 1) ++passes;
  }
  EXPECT_EQ(run.summary.events[0].rows.size(), static_cast<std::size_t>(passes));
}

// Wherever steps end: other tolerances give other steps and the same events.
TEST(Events, DoNotDependOnSteps) {
  std::size_t count = 0;
  for (const std::string tolerance : {"1e-15", "1e-12", "1e-9"}) {
    const Recorded run(
        with_events("[simulation]\nduration = 20\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = "
                    "1\n[[chain.links]]\nlength = "
                    "1\nmass = 0.2\ntheta = 0.5\n",
                    "[[events]]\nwhen = \"sin(theta_2)\"\n", {"simulation.tolerance=" + tolerance}));
    if (count == 0) count = run.summary.events[0].rows.size();
    EXPECT_EQ(run.summary.events[0].rows.size(), count);
  }
  EXPECT_GT(count, 10u);
}

TEST(Events, NamesThatAreNoColumnsAreRefusedAtTheirPlace) {
  const Scene scene = scene_of(std::string(kSwing) + "[[events]]\nwhen = \"theta_1 + thta_2\"\n");
  try {
    const Recorded run(scene);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "<scene>:9:19: event 'event1': unknown name 'thta_2', did you mean 'theta_1'?");
  }
}

TEST(Roots, OfFunctionsWithKnownOnes) {
  const auto count = [](const std::function<double(double)>& f, double low, double high) {
    return sign_changes(f, low, high, f(low), f(high)).size();
  };
  EXPECT_EQ(count([](double t) { return std::cos(100 * t); }, 0.0, 10.0), 318u);
  EXPECT_EQ(count([](double) { return 0.0; }, 0.0, 2.0), 0u);
  EXPECT_EQ(count([](double t) { return std::tan(t); }, 0.5, 10.0), 3u);  // its poles are none
  // A zero belongs to the interval that it ends.
  EXPECT_EQ(count([](double t) { return t - 1; }, 0.0, 1.0), 1u);
  EXPECT_EQ(count([](double t) { return t - 1; }, 1.0, 2.0), 0u);
  const auto roots =
      sign_changes([](double t) { return std::sin(t); }, 3.0, 7.0, std::sin(3.0), std::sin(7.0));
  ASSERT_EQ(roots.size(), 2u);
  EXPECT_NEAR(roots[0].at, kPi, 1e-15);
  EXPECT_FALSE(roots[0].rising);
  EXPECT_NEAR(roots[1].at, 2 * kPi, 2e-15);
  // Flat ones: neither the slope nor the bend tells where they are.
  for (const int power : {3, 4, 5, 6, 7}) {
    const auto f = [&](double t) { return std::pow(t - 0.7, power); };
    const auto flat = sign_changes(f, 0.0, 2.0, f(0.0), f(2.0));
    ASSERT_EQ(flat.size(), 1u) << power;
    EXPECT_EQ(flat[0].touching, power % 2 == 0) << power;
    EXPECT_NEAR(flat[0].at, 0.7, 1e-4) << power;
  }
}

TEST(Roots, ThatTouchAndThoseOfJumpsSaySo) {
  const auto found = [](const std::function<double(double)>& f) {
    return sign_changes(f, 0.0, 2.0, f(0.0), f(2.0));
  };
  const auto touching = found([](double t) { return (t - 0.7) * (t - 0.7); });
  ASSERT_EQ(touching.size(), 1u);
  EXPECT_TRUE(touching[0].touching);
  EXPECT_NEAR(touching[0].at, 0.7, 1e-9);
  const auto jumping = found([](double t) { return t < 0.7 ? -1.0 : 1.0; });
  ASSERT_EQ(jumping.size(), 1u);
  EXPECT_TRUE(jumping[0].jumping);
  EXPECT_EQ(jumping[0].at, 0.7);
  EXPECT_EQ(found([](double t) { return (t - 0.7) * (t - 0.7) + 1e-9; }).size(), 0u);
}

// Where abs reaches zero there is a kink, which no series fits.
TEST(Roots, KinksThatTouchZeroAreFound) {
  const auto found = [](const std::function<double(double)>& f) {
    return sign_changes(f, 0.1, 2.9, f(0.1), f(2.9));
  };
  const auto waves = found([](double t) { return std::fabs(std::sin(5 * t)); });
  ASSERT_EQ(waves.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(waves[i].touching);
    EXPECT_NEAR(waves[i].at, kPi / 5 * static_cast<double>(i + 1), 1e-14);
  }
  EXPECT_EQ(found([](double t) { return -2 * std::fabs(t - 0.7) - (t - 0.7) * (t - 0.7); }).size(), 1u);
  EXPECT_EQ(found([](double t) { return std::fabs(t - 0.7) + 1e-9; }).size(), 0u);
  // One that goes through is no touch.
  const auto through = found([](double t) { return t < 0.7 ? t - 0.7 : 3 * (t - 0.7); });
  ASSERT_EQ(through.size(), 1u);
  EXPECT_FALSE(through[0].touching);
  const test::Recorded run(
      with_events("[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n",
                  "[[events]]\nwhen = \"abs(theta_1)\"\n[[events]]\nwhen = \"theta_1\"\n"));
  EXPECT_EQ(run.summary.events[0].rows.size(), run.summary.events[1].rows.size());
}

// theta^2 - d^2 has two roots at every passage of the bottom, as far apart as 2 d over the speed.
TEST(Events, ClosePairsAreFound) {
  const auto rows = [](const std::string& when) {
    const Recorded run(
        with_events("[simulation]\nduration = 17\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n",
                    "[[events]]\nwhen = \"" + when + "\"\n"));
    return run.summary.events[0];
  };
  const std::size_t passages = rows("theta_1").rows.size();
  EXPECT_GT(passages, 10u);
  for (const char* distance : {"1e-4", "1e-8", "1e-14"}) {
    EXPECT_EQ(rows(std::string("theta_1^2 - ") + distance).rows.size(), 2 * passages) << distance;
  }
  const EventTable touching = rows("theta_1^2");
  EXPECT_EQ(touching.rows.size(), passages);
  EXPECT_EQ(touching.touching.size(), passages);
}

TEST(Events, FormulasFireWhereTheyJump) {
  const auto times = [](const std::string& when) {
    const Recorded run(
        with_events("[simulation]\nduration = 5\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n",
                    "[[events]]\nwhen = \"" + when + "\"\n"));
    std::vector<double> out;
    for (const std::vector<double>& row : run.summary.events[0].rows) out.push_back(row[0]);
    return out;
  };
  const std::vector<double> plain = times("theta_1 - 0.3");
  ASSERT_GT(plain.size(), 3u);
  for (const char* when : {"sign(theta_1 - 0.3)", "choose(theta_1 - 0.3, 1, -2)"}) {
    const std::vector<double> jumps = times(when);
    ASSERT_EQ(jumps.size(), plain.size()) << when;
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(jumps[i], plain[i], 1e-14) << when;
  }
}

TEST(Events, OfFreeBodiesRecordTheirPlaces) {
  const Recorded run(
      with_events("[simulation]\nduration = 1\n[[bodies]]\nname = \"a\"\nshape = \"sphere\"\nsize = [1, 1, "
                  "1]\nmass = 1\nvelocity "
                  "= [1, 0, 0]\n",
                  "[[events]]\nwhen = \"x_a - 0.25\"\n"));
  ASSERT_EQ(run.summary.events[0].rows.size(), 1u);
  EXPECT_NEAR(run.summary.events[0].rows[0][0], 0.25, 1e-14);
}

// A pendulum at rest takes steps of seconds, one that swings of tenths: formulas of time may do more between.
TEST(Events, NoPulseAndNoWaveIsPassedUnseen) {
  for (const char* start : {"0", "0.5"}) {
    const auto times = [&](const std::string& when) {
      const Recorded run(with_events(
          fmt::format("[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = {}\n",
                      start),
          "[[events]]\nwhen = \"" + when + "\"\n"));
      std::vector<double> out;
      for (const std::vector<double>& row : run.summary.events[0].rows) out.push_back(row[0]);
      return out;
    };
    for (const double width : {1e-2, 1e-4, 1e-6, 1e-8}) {
      const std::vector<double> pulse = times(fmt::format("exp(-((t - 7.3)/{})^2) - 0.5", width));
      ASSERT_EQ(pulse.size(), 2u) << start << width;
      const double half = width * std::sqrt(std::log(2.0));
      EXPECT_NEAR(pulse[0], 7.3 - half, 2e-15) << width;
      EXPECT_NEAR(pulse[1], 7.3 + half, 2e-15) << width;
      EXPECT_EQ(times(fmt::format("1/(1 + ((t - 7.3)/{})^2) - 0.5", width)).size(), 2u) << start << width;
      EXPECT_EQ(times(fmt::format("max(0, {0} - abs(t - 5.123)) - {0}/2", width)).size(), 2u)
          << start << width;
    }
    EXPECT_EQ(times("sin(1000*t)").size(), 3183u);  // 10000 / pi
    EXPECT_EQ(times("sign(sin(100*t))").size(), 318u);
    EXPECT_EQ(times("cos(t - 3)^1000 - 0.5").size(), 6u);  // about 3, 3 + pi and 3 + 2 pi
  }
}

// Its poles cost what its roots cost.
TEST(Events, PolesAreNoEvents) {
  const Recorded run(
      with_events("[simulation]\nduration = 10\n[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n",
                  "[[events]]\nwhen = \"tan(2*theta_1)\"\n[[events]]\nwhen = \"theta_1\"\n"));
  EXPECT_EQ(run.summary.events[0].rows.size(), run.summary.events[1].rows.size());
}

const char* kWildChain = R"(
[simulation]
duration = 12
[chain]
pivot = [0.3, 0, 1]
[[chain.links]]
length = 1
mass = 1
theta = 2.8
[[chain.links]]
length = 0.8
mass = 0.5
theta = 2.0
)";

// Where columns cannot reach a root nobody looks for it: the bounds hold between any two rows of a step.
TEST(Events, ColumnsStayWhereTheirSpeedsSay) {
  std::size_t known = 0;
  for (const std::string& scene :
       {std::string(kWildChain), std::string(kWildChain) + "phi_dot = 2.0\n",
        std::string("[simulation]\nduration = 12\n[equations]\nstates = { x = 1.0, y = 1.0, z = 20.0 }\n"
                    "dot = { x = \"10*(y - x)\", y = \"x*(28 - z) - y\", z = \"x*y - 8*z/3\" }\n"),
        std::string("[simulation]\nduration = 12\n[lagrangian]\ncoordinates = { a = 2.9 }\n"
                    "kinetic = \"0.5*a'^2\"\npotential = \"-9*cos(a)\"\n")}) {
    for (const char* method : {"taylor", "dop853"}) {
      Lab lab(scene_of(scene, {std::string("simulation.method=\"") + method + "\""}));
      const Columns columns = lab.columns({});
      ColumnSpeeds speeds(lab, columns);
      constexpr std::size_t kRows = 16;
      std::vector<std::vector<double>> rows(kRows + 1, std::vector<double>(columns.width()));
      while (lab.time() < 12.0) {
        ASSERT_EQ(lab.advance(), StepStatus::done);
        speeds.look(lab);
        const double start = lab.step_start(), apart = (lab.time() - start) / kRows;
        for (std::size_t i = 0; i <= kRows; ++i)
          lab.observe(start + apart * static_cast<double>(i), columns, rows[i].data());
        for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, 16}, {4, 8}, {7, 9}}) {
          for (std::size_t c = 0; c < columns.width(); ++c) {
            const double from = rows[first][c], to = rows[last][c];
            const double beyond = speeds.beyond(c, from, to, apart * static_cast<double>(last - first));
            if (!std::isfinite(beyond)) continue;
            ++known;
            for (std::size_t i = first; i <= last; ++i) {
              ASSERT_GE(rows[i][c], std::min(from, to) - beyond) << method << " " << c;
              ASSERT_LE(rows[i][c], std::max(from, to) + beyond) << method << " " << c;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(known, 10000u);
}

// Every change of sign between close rows is found, wherever the level lies.
TEST(Events, NoneIsLeftOutForColumnsThatSeemTooSlow) {
  std::string text = kWildChain;
  std::vector<std::string> formulas;
  for (int i = -6; i <= 6; ++i) {
    formulas.push_back(fmt::format("theta_2 - {}", 0.9 * i));
    formulas.push_back(fmt::format("theta_dot_1 - {}", 1.1 * i));
    formulas.push_back(fmt::format("z_2*x_1 - {}", 0.21 * i));
    formulas.push_back(fmt::format("exp(-50*(theta_1 - {})^2) - 0.5", 0.5 * i));
  }
  for (const std::string& one : formulas) text += fmt::format("[[events]]\nwhen = \"{}\"\n", one);
  const Scene scene = scene_of(text);
  Lab lab(scene);
  EventWatch watch(lab, scene.events);
  std::vector<ColumnFormula> read;
  for (const std::string& one : formulas) read.emplace_back(lab, one, Place{}, "formula");
  std::vector<int> changes(formulas.size(), 0);
  std::vector<double> before(formulas.size()), row;
  while (lab.time() < 12.0) {
    ASSERT_EQ(lab.advance(), StepStatus::done);
    watch.look(12.0);
    constexpr int kRows = 100;
    const double start = lab.step_start(), end = std::min(12.0, lab.time());
    for (int i = 0; i <= kRows; ++i) {
      for (std::size_t f = 0; f < read.size(); ++f) {
        const double now = read[f].value(lab, i < kRows ? start + (end - start) * i / kRows : end, row);
        changes[f] += i > 0 && (now > 0.0) != (before[f] > 0.0);
        before[f] = now;
      }
    }
  }
  int all = 0;
  for (std::size_t f = 0; f < read.size(); ++f) {
    EXPECT_GE(static_cast<int>(watch.rows(f).size()), changes[f]) << formulas[f];
    EXPECT_EQ(static_cast<int>(watch.rows(f).size()) % 2, changes[f] % 2) << formulas[f];
    all += changes[f];
  }
  EXPECT_GT(all, 200);
}

}  // namespace
}  // namespace catena
