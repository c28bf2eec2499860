// Sweeps on a GPU beside this processor's lanes: time, and whether both give the same bits. Without files: a
// program that needs nothing installed but the driver. Prints one JSON object a line.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "catena/base/mistake.h"
#include "catena/io/scene/scene.h"
#include "catena/io/scene/sweep.h"
#include "catena/io/scene/variants.h"
#include "catena/threads/compiler.h"
#include "catena/threads/program.h"
#include "catena/threads/threads.h"

namespace {

using catena::Sweep, catena::SweepChunk, catena::SweepThreads;

class Variants : public catena::CaseScenes {
 public:
  explicit Variants(const catena::SceneVariants& variants) : variants_(variants) {}
  const catena::Scene& with(const double* values) override { return variants_.with(values); }
  bool starts_only() const override { return variants_.starts_only(); }
  double unsolved() const override { return 0.0; }
  std::unique_ptr<catena::Lab> lab_with_derivatives(const double*) override { return nullptr; }

 private:
  catena::SceneVariants variants_;
};

// A file with a scene and its [sweep].
std::unique_ptr<Sweep> sweep_of(const std::string& path, const std::string& more) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  catena::SweepPlan plan = catena::read_sweep(text + more, path);
  const catena::Scene scene = catena::read_scene(text + more, catena::SceneOptions{});
  std::vector<std::vector<std::string>> keys;
  for (const catena::SweepAxis& axis : plan.axes) keys.push_back(axis.keys);
  const auto variants = std::make_shared<const catena::SceneVariants>(scene, keys);
  return std::make_unique<Sweep>(std::move(plan), [=] { return std::make_unique<Variants>(*variants); });
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Swept {
  double seconds = 0.0;
  std::uint64_t cases = 0, steps = 0;
  std::vector<double> measures;  // of the first ones
};

Swept swept(const Sweep& sweep, std::uint64_t count, unsigned threads, std::uint64_t chunk,
            std::size_t keep) {
  Swept out;
  catena::SweepControl control;
  control.threads = threads;
  control.least_cases = control.most_cases = chunk;
  std::vector<std::pair<std::uint64_t, SweepChunk>> kept;
  control.take = [&](const SweepChunk& one) {
    out.cases += one.count;
    out.steps += one.steps;
    if (one.first < keep) kept.emplace_back(one.first, one);
  };
  const double start = now();
  compute(sweep, {{0, count}}, control);
  out.seconds = now() - start;
  const std::size_t measures = sweep.plan().measures.size();
  out.measures.assign(std::min<std::size_t>(keep, count) * measures, 0.0);
  for (const auto& [first, one] : kept) {
    for (std::uint64_t i = 0; i < one.count && first + i < keep && first + i < count; ++i)
      std::memcpy(out.measures.data() + (first + i) * measures, one.measures.data() + i * measures,
                  measures * sizeof(double));
  }
  return out;
}

}  // namespace

// threads_bench FILE.toml CPU_CASES [GPU_CASES]; or FILE.toml source; or FILE.toml compile sm_90, into the
// cache of kernels, without a GPU; or FILE.toml energy CASES
int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: threads_bench FILE.toml CPU_CASES [GPU_CASES]\n");
    return 2;
  }
  const std::string path = argv[1];
  const auto sweep = sweep_of(path, "");
  if (std::string(argv[2]) == "source") {  // the kernel's text
    const SweepThreads threads(*sweep);
    std::printf("%s",
                threads.refusal().empty() ? threads.program().source().c_str() : threads.refusal().c_str());
    return 0;
  }
  if (std::string(argv[2]) == "compile") {
    const std::string architecture = argc > 3 ? argv[3] : "sm_90";
    const SweepThreads threads(*sweep);
    if (!threads.refusal().empty()) {
      std::printf("{\"plan\": \"%s\", \"refused\": \"%s\"}\n", path.c_str(), threads.refusal().c_str());
      return 1;
    }
    const catena::Kernel kernel = catena::compiled(threads.program().source(), architecture);
    std::printf("{\"plan\": \"%s\", \"operations\": %zu, \"compiled_in\": %.2f, \"bytes\": %zu}\n%s\n",
                path.c_str(), threads.program().operations(), kernel.seconds, kernel.cubin.size(),
                kernel.log.c_str());
    return 0;
  }
  if (std::string(argv[2]) == "energy") {  // by labs in lanes: the largest error of the cases' energies
    const auto errors =
        sweep_of(path, "\n[[sweep.measures]]\nname = \"error\"\nsummary = \"energy_error_relative\"\n");
    const std::size_t measures = errors->plan().measures.size();
    const std::uint64_t cases = errors->cases().count(), few = argc > 3 ? std::stoull(argv[3]) : 1000;
    double worst = 0.0;
    const auto runner = errors->runner(4);
    for (std::uint64_t i = 0; i < few; ++i) {
      const SweepChunk one = runner->run(i * (cases / few) + cases / few / 3, 1, nullptr);
      const double error = one.measures[measures - 1];
      if (error > worst) worst = error;
    }
    std::printf("{\"plan\": \"%s\", \"cases\": %llu, \"largest_energy_error\": %.3e}\n", path.c_str(),
                static_cast<unsigned long long>(few), worst);
    return 0;
  }
  const std::uint64_t all = sweep->cases().count();
  const std::uint64_t few = std::min<std::uint64_t>(all, std::stoull(argv[2]));
  const std::uint64_t many = argc > 3 ? std::min<std::uint64_t>(all, std::stoull(argv[3])) : all;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const double begin = now();
  SweepThreads on_cpu(*sweep), on_gpu(*sweep);
  if (!on_cpu.refusal().empty()) {
    std::printf("{\"plan\": \"%s\", \"refused\": \"%s\"}\n", path.c_str(), on_cpu.refusal().c_str());
    return 1;
  }
  std::printf("{\"plan\": \"%s\", \"operations\": %zu, \"order\": %d, \"recorded_in\": %.4f}\n", path.c_str(),
              on_cpu.program().operations(), on_cpu.program().rule.order, (now() - begin) / 2);
  std::fflush(stdout);
  Swept gpu;
  bool has_gpu = true;
  try {
    const double start = now();
    on_gpu.use_gpu(false, true);
    std::printf("{\"plan\": \"%s\", \"ready_in\": %.4f, \"device\": \"%s\"}\n", path.c_str(), now() - start,
                on_gpu.device().c_str());
    std::fflush(stdout);
    sweep->compute_by([&](auto labs) { return on_gpu.runner(std::move(labs)); });
    gpu = swept(*sweep, many, 2, 1 << 20, few);
    std::printf(
        "{\"plan\": \"%s\", \"on\": \"gpu\", \"cases\": %llu, \"seconds\": %.4f, \"steps\": %llu, "
        "\"redone\": %llu}\n",
        path.c_str(), static_cast<unsigned long long>(gpu.cases), gpu.seconds,
        static_cast<unsigned long long>(gpu.steps), static_cast<unsigned long long>(on_gpu.redone()));
    std::fflush(stdout);
  } catch (const catena::InputError& error) {
    std::printf("{\"plan\": \"%s\", \"no_gpu\": \"%s\"}\n", path.c_str(), error.what());
    has_gpu = false;
  }
  sweep->compute_by([&](auto labs) { return on_cpu.runner(std::move(labs)); });
  for (const unsigned threads : {cores, 1u}) {
    const std::uint64_t count = threads == 1 ? std::max<std::uint64_t>(1, few / cores) : few;
    const Swept cpu = swept(*sweep, count, threads, std::max<std::uint64_t>(8, few / (cores * 16)), count);
    std::size_t differ = 0;
    for (std::size_t i = 0; has_gpu && i < cpu.measures.size(); ++i) {
      const double a = cpu.measures[i], b = gpu.measures[i];
      if (!(std::isnan(a) && std::isnan(b)) && std::memcmp(&a, &b, sizeof a) != 0) ++differ;
    }
    std::printf(
        "{\"plan\": \"%s\", \"on\": \"cpu\", \"threads\": %u, \"cases\": %llu, \"seconds\": %.4f, \"steps\": "
        "%llu, "
        "\"redone\": %llu, \"compared\": %zu, \"differ\": %zu, \"gpu_over_cpu\": %.2f}\n",
        path.c_str(), threads, static_cast<unsigned long long>(cpu.cases), cpu.seconds,
        static_cast<unsigned long long>(cpu.steps), static_cast<unsigned long long>(on_cpu.redone()),
        has_gpu ? cpu.measures.size() : 0, differ,
        has_gpu
            ? (cpu.seconds / static_cast<double>(cpu.cases)) / (gpu.seconds / static_cast<double>(gpu.cases))
            : 0.0);
    std::fflush(stdout);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "threads_bench: %s\n", error.what());
  return 1;
}
