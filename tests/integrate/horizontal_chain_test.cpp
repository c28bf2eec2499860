// The experiment of E. Celledoni, E. Cokaj, A. Leone, D. Murari, B. Owren, Int. J. Comput. Math. 99 (2022):
// chains released horizontally, rkmk54 against rkmk5 with as many equal steps. Steps, rejections and errors
// were computed elsewhere, in another language, against references in 128 bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/chain_system.h"

namespace catena {
namespace {

using test::ChainSystem;
using test::number;

constexpr double kDuration = 3.0;

std::string horizontal_chain(int n, const char* formulation) {
  return fmt::format(
      "[simulation]\nduration = 3\n[chain]\nformulation = \"{}\"\n[[chain.links]]\nlength = {}\nmass = 1\n"
      "theta = \"90 deg\"\nrepeat = {}\n",
      formulation, 5.0 / n, n);
}

struct Outcome {
  State state;
  StepCounts counts;
  double shortest = INFINITY, longest = 0.0;
};

// The experiment shortens its last step to end on time; a method's own steps are never shortened, so its
// memory is.
Outcome run(ChainSystem& chain, const char* method, double step, double tolerance) {
  const auto stepper = find_method(method)->make(chain.system, {.tolerance = tolerance, .step = step});
  Outcome out{chain.start, {}};
  while (kDuration - out.state.t > 1e-12) {
    StepMemory memory = stepper->memory();
    memory[0] = std::min(memory[0], kDuration - out.state.t);
    stepper->restore(memory);
    EXPECT_EQ(stepper->step(out.state, kDuration), StepStatus::done);
    out.shortest = std::min(out.shortest, stepper->last_step());
    out.longest = std::max(out.longest, stepper->last_step());
  }
  out.counts = stepper->counts();
  return out;
}

// (q, omega) of all links, for planar chains in either formulation.
std::vector<double> directions_and_rotations(ChainSystem& chain, const std::vector<double>& x) {
  const std::size_t n = chain.world.chains()[0].links();
  std::vector<double> room(4 * n), out;
  const double* u = chain.world.chains()[0].directions(x.data(), room.data());
  out.assign(u, u + 2 * n);
  for (std::size_t k = 0; k < n; ++k) out.push_back(u[k] * u[3 * n + k] - u[n + k] * u[2 * n + k]);
  return out;
}

double error_of(ChainSystem& chain, const std::vector<double>& x, const std::vector<double>& exact) {
  const std::vector<double> a = directions_and_rotations(chain, x),
                            b = directions_and_rotations(chain, exact);
  double square = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(square);
}

void expect_reference(const nlohmann::json& row, const char* formulation) {
  const int n = row["P"];
  ChainSystem chain(horizontal_chain(n, formulation));
  const std::vector<double> exact = test::exact_state(chain, kDuration);
  const Outcome adaptive = run(chain, "rkmk54", kDuration / 100, 1e-6);
  EXPECT_EQ(adaptive.counts.steps, row["accepted"].get<int>()) << n << " links, " << formulation;
  EXPECT_EQ(adaptive.counts.rejected, row["rejected"].get<int>()) << n << " links, " << formulation;
  // Step lengths follow the fourth root of an estimate near its roundoff, errors the whole motion: both agree
  // to five digits or better, and two more would depend on the order of sums.
  const auto agrees = [&](double value, const char* name) {
    EXPECT_NEAR(value / number(row[name]), 1.0, 2e-5) << name << ", " << n << " links, " << formulation;
  };
  agrees(adaptive.shortest, "hmin");
  agrees(adaptive.longest, "hmax");
  agrees(error_of(chain, adaptive.state.hi, exact), "err_var");
  const Outcome fixed = run(chain, "rkmk5", kDuration / static_cast<double>(adaptive.counts.steps), 0.0);
  EXPECT_EQ(fixed.counts.steps, adaptive.counts.steps) << n << " links";
  agrees(error_of(chain, fixed.state.hi, exact), "err_const");
  EXPECT_LT(chain.world.constraint_error(0.0, adaptive.state.hi.data(), adaptive.state.lo.data()), 1e-13)
      << n;
}

TEST(HorizontalChain, StepsRejectionsAndErrorsOfRkmk54AreThoseOfTheExperiment) {
  const nlohmann::json rows = test::reference("horizontal_chain_rkmk54")["rows"];
  ASSERT_EQ(rows.size(), 10u);
  for (const nlohmann::json& row : rows) expect_reference(row, "tension");
}

TEST(HorizontalChain, TheDenseLieFormulationDoesTheSameExperiment) {
  const nlohmann::json rows = test::reference("horizontal_chain_rkmk54")["rows"];
  for (const nlohmann::json& row : rows) {
    if (row["P"] <= 8) expect_reference(row, "lie");
  }
}

}  // namespace
}  // namespace catena
