// catena sweep --device gpu where there is none: a driver and a compiler that are none (tests/support/gpu)
// run kernels on this processor, so that chunks, tables of starts, memory that is too small and what goes
// wrong are tried for real.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace catena::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kStarts = R"([sweep]
[[sweep.vary]]
name = "a"
key = "chain.links.1.theta"
from = "-170 deg"
to = "180 deg"
count = 15
[[sweep.vary]]
name = "b"
key = "chain.links.2.theta"
from = "-180 deg"
to = "180 deg"
count = 16
[[sweep.measures]]
name = "flip"
event = "theta_2^2 - pi^2"
[[sweep.measures]]
column = "x_2"

[simulation]
duration = 2
tolerance = 1e-10
order = 12
[chain]
[[chain.links]]
length = 1.0
mass = 1.0
theta = "100 deg"
[[chain.links]]
length = 1.0
mass = 1.0
theta = "-30 deg"
)";

class CliGpu : public Workplace {
 protected:
  CliGpu() {
    write("plan.toml", kStarts);
    set("LD_LIBRARY_PATH", CATENA_FAKE_GPU);
    set("CATENA_NVRTC", CATENA_FAKE_GPU);
    set("CATENA_CACHE", path("kernels").string());
  }
  ~CliGpu() override {
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }
  Json summary(const std::string& device, const Words& more = {}) {
    Words words{"sweep", "plan.toml", "-o", device + ".h5", "--json", "--device", device};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = catena(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  void expect_trouble(const std::string& name, const std::string& value, const std::string& expected) {
    set(name, value);
    const Result result = catena({"sweep", "plan.toml", "-o", "no.h5", "--device", "gpu"});
    EXPECT_EQ(result.status, 2) << expected;
    EXPECT_NE(result.err.find(expected), std::string::npos) << result.err;
    // Where nobody insists, it goes on without.
    EXPECT_EQ(catena({"sweep", "plan.toml", "-o", "auto.h5", "-q"}).status, 0) << expected;
    ::unsetenv(name.c_str());
  }

 private:
  Words names_;
};

// The first time lanes begin, and the kernel is ready behind them, or comes in the middle; then it is there.
TEST_F(CliGpu, GivesTheArraysOfTheProcessorBeforeAndBehindItsKernel) {
  const Json lanes = summary("cpu");
  EXPECT_EQ(lanes["device"], "cpu");
  set("FAKE_GPU_SLEEP", "0.5");
  EXPECT_EQ(summary("gpu")["hash"], lanes["hash"]);
  const Json kept = summary("gpu");
  EXPECT_EQ(kept["hash"], lanes["hash"]);
  EXPECT_NE(kept["device"].get<std::string>().find("no GPU at all"), std::string::npos) << kept["device"];
  EXPECT_NE(kept["device"].get<std::string>().find("from the cache"), std::string::npos) << kept["device"];
}

TEST_F(CliGpu, TakesCasesOfOtherNumbers) {
  std::string plan = kStarts;
  plan.replace(plan.find("chain.links.1.theta"), 19, "chain.links.1.mass")
      .replace(plan.find("\"-170 deg\""), 10, "0.2");
  plan.replace(plan.find("\"180 deg\""), 9, "3.0");
  write("plan.toml", plan);
  const Json lanes = summary("cpu");
  summary("gpu");
  EXPECT_EQ(summary("gpu")["hash"], lanes["hash"]);
}

TEST_F(CliGpu, MemoryThatIsTooSmallIsFilledMoreOften) {
  const Json lanes = summary("cpu", {"--set", "sweep.vary.1.count=150"});
  summary("gpu");
  set("FAKE_GPU_MEMORY", "45000");  // results and counts alone take 48000
  EXPECT_EQ(summary("gpu", {"--set", "sweep.vary.1.count=150"})["hash"], lanes["hash"]);
}

TEST_F(CliGpu, SaysWhatIsMissing) {
  expect_trouble("FAKE_GPU_VERSION", "11080", "is of CUDA 11.8: 12.0 or newer is needed");
  expect_trouble("FAKE_GPU_COUNT", "0", "the driver is there, but no NVIDIA GPU");
  expect_trouble("FAKE_GPU_TROUBLE", "1", "does not compile");
  set("LD_LIBRARY_PATH", "");
  expect_trouble("FAKE_GPU_COUNT", "1", "there is no driver of an NVIDIA GPU here");
}

}  // namespace
}  // namespace catena::testing
