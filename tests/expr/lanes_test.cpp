// Many lanes at once: the same bits as one at a time, without allocating.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

#include "expr/support.h"

static std::atomic<long> allocations{0};

// Not inlined: GCC would see malloc meet delete, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const std::size_t unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace catena::expr {
namespace {

// One formula with every operation; some lanes are at the awkward points, some outside a domain.
const std::vector<std::string> kFormulas{
    "x*y + y*z - z/x + 2.5/y - x/3 + (1 - x)^3 - x^-2",
    "exp(sin(x)*cos(y)) + tan(z) + sinh(x)*cosh(y)*tanh(z)",
    "sqrt(x) + log(y) + asin(z) + acos(z) + atan(x) + atan2(y, x)",
    "x^2.7 + y^z + abs(z)^1.5 + 1.3^x + x^20",
    "norm(x, y)*norm(x, y, z) + abs(x) + sign(y)",
    "min(x, y) + max(y, z) + step(x) + ratio(x, z) + choose(z, x, y)",
};

struct Batch {
  std::vector<double> values, rates;  // [input][lane]
};

Batch batch(std::size_t lanes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const std::size_t size = test::kVariables * lanes;
  Batch out{std::vector<double>(size), std::vector<double>(size)};
  for (std::size_t i = 0; i < size; ++i) {
    out.values[i] = random() % 7 == 0 ? 0.0 : unit(random);
    out.rates[i] = random() % 5 == 0 ? 0.0 : unit(random);
  }
  return out;
}

std::uint64_t bits(double value) {
  std::uint64_t out = 0;
  std::memcpy(&out, &value, sizeof out);
  return out;
}

bool same_bits(double a, double b) { return bits(a) == bits(b) || (std::isnan(a) && std::isnan(b)); }

std::vector<NodeId> all_formulas(Graph& graph) {
  std::vector<NodeId> nodes;
  nodes.reserve(kFormulas.size());
  for (const std::string& formula : kFormulas) nodes.push_back(test::parsed(graph, formula));
  return nodes;
}

TEST(Lanes, EvaluateGivesTheSameBitsWhateverTheNumberOfLanes) {
  Graph graph;
  Program program(graph, all_formulas(graph), test::kVariables);
  const std::size_t count = kFormulas.size();
  for (const std::size_t lanes : {1u, 2u, 3u, 5u, 8u, 17u, 63u, 64u, 65u, 131u, 200u}) {
    const Batch in = batch(lanes);
    std::vector<double> out(count * lanes), rate(count * lanes), values(count * lanes);
    program.evaluate(in.values.data(), lanes, values.data());
    program.tangent(in.values.data(), in.rates.data(), lanes, out.data(), rate.data());
    for (std::size_t l = 0; l < lanes; ++l) {
      double x[test::kVariables], dx[test::kVariables];
      for (std::size_t i = 0; i < test::kVariables; ++i) {
        x[i] = in.values[i * lanes + l];
        dx[i] = in.rates[i * lanes + l];
      }
      std::vector<double> alone(count), alone_rate(count);
      program.tangent(x, dx, 1, alone.data(), alone_rate.data());
      for (std::size_t f = 0; f < count; ++f) {
        EXPECT_TRUE(same_bits(values[f * lanes + l], alone[f])) << kFormulas[f] << " lane " << l;
        EXPECT_TRUE(same_bits(out[f * lanes + l], alone[f])) << kFormulas[f] << " lane " << l;
        EXPECT_TRUE(same_bits(rate[f * lanes + l], alone_rate[f])) << kFormulas[f] << " lane " << l;
      }
    }
  }
}

// Coefficients of order k of an input: a lane's own, with zeros at the start in some lanes.
double coefficient(const Batch& in, std::size_t at, int k) {
  return k == 0 ? in.values[at] : in.rates[at] / (k * k);
}

TEST(Lanes, SeriesGiveTheSameBitsWhateverTheNumberOfLanes) {
  constexpr int kOrder = 12;
  Graph graph;
  SeriesProgram together(graph, all_formulas(graph), test::kVariables), alone = together;
  alone.reserve(1, kOrder);
  for (const std::size_t lanes : {1u, 3u, 4u, 9u, 16u, 31u, 129u, 150u}) {
    const Batch in = batch(lanes);
    together.reserve(lanes, kOrder);
    for (int k = 0; k <= kOrder; ++k) {
      for (std::size_t at = 0; at < test::kVariables * lanes; ++at)
        together.input(k, static_cast<int>(at / lanes))[at % lanes] = coefficient(in, at, k);
      together.advance(k);
    }
    for (std::size_t l = 0; l < lanes; ++l) {
      for (int k = 0; k <= kOrder; ++k) {
        for (int i = 0; i < test::kVariables; ++i)
          *alone.input(k, i) = coefficient(in, static_cast<std::size_t>(i) * lanes + l, k);
        alone.advance(k);
        for (int f = 0; f < alone.outputs(); ++f) {
          ASSERT_TRUE(same_bits(together.output(k, f)[l], *alone.output(k, f)))
              << kFormulas[f] << " lane " << l << " of " << lanes << " order " << k << ": "
              << together.output(k, f)[l] << " and " << *alone.output(k, f);
        }
      }
    }
  }
}

TEST(Lanes, NothingAllocatesOncePrepared) {
  constexpr std::size_t kLanes = 100;
  Graph graph;
  const std::vector<NodeId> nodes = all_formulas(graph);
  Program program(graph, nodes, test::kVariables);
  SeriesProgram series(graph, nodes, test::kVariables);
  series.reserve(kLanes, 20);
  const Batch in = batch(kLanes);
  std::vector<double> out(nodes.size() * kLanes), rate(nodes.size() * kLanes);
  const long before = allocations;
  program.evaluate(in.values.data(), kLanes, out.data());
  program.tangent(in.values.data(), in.rates.data(), kLanes, out.data(), rate.data());
  for (int k = 0; k <= 20; ++k) series.advance(k);
  EXPECT_EQ(allocations - before, 0);
  ::operator delete(::operator new(8));
  EXPECT_EQ(allocations - before, 1) << "the counter counts";
}

TEST(Lanes, RegistersAreUsedAgain) {
  Graph graph;
  NodeId node = graph.variable(test::kX);
  for (int i = 1; i <= 1000; ++i) node = graph.apply(Op::sin, graph.add(node, graph.constant(i)));
  const Program program(graph, {node}, test::kVariables);
  EXPECT_EQ(program.operations(), 2000u);
  EXPECT_LE(program.registers(), 4u);
}

TEST(Lanes, OutputsMayBeInputsConstantsOrTheSame) {
  Graph graph;
  const NodeId x = graph.variable(test::kX), sum = test::parsed(graph, "x + y");
  Program program(graph, {x, graph.constant(4.5), sum, sum, graph.parameter("p", -2.0)}, test::kVariables);
  const double in[] = {0, 0, 1, 2, 10, 20, 0, 0};  // two lanes
  double out[10];
  program.evaluate(in, 2, out);
  EXPECT_EQ(std::vector<double>(out, out + 10),
            (std::vector<double>{1, 2, 4.5, 4.5, 11, 22, 11, 22, -2, -2}));
  program.evaluate(in, 0, out);
}

TEST(Lanes, AVariableBeyondTheInputsIsRefused) {
  Graph graph;
  const NodeId node = graph.variable(4);
  EXPECT_THROW(Program(graph, {node}, 4), std::out_of_range);
}

}  // namespace
}  // namespace catena::expr
