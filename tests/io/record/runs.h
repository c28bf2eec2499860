// Runs to record in tests, and the folders they go to.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catena/io/record/record.h"

namespace catena::testing {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "catena-record-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t file_count() const {
    const std::filesystem::directory_iterator files(path_);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

 private:
  std::filesystem::path path_;
};

inline std::string file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// A run held in memory.
class MemoryRun : public RunReader {
 public:
  RunInfo run_info;
  RunState run_state;
  std::vector<double> values;  // row-major

  std::size_t columns() const {
    std::size_t count = 0;
    for (const Stem& stem : run_info.stems) count += std::max<std::size_t>(1, stem.labels.size());
    return count;
  }
  const RunInfo& info() const override { return run_info; }
  const RunState& state() const override { return run_state; }
  std::size_t rows() const override { return values.size() / columns(); }
  void read(std::size_t first, std::size_t count, double* out) override {
    std::copy_n(values.data() + first * columns(), count * columns(), out);
  }
};

inline std::vector<double> awkward_numbers() {
  using Limits = std::numeric_limits<double>;
  return {0.0,
          -0.0,
          0.1,
          -1.0 / 3.0,
          1e308,
          -1e308,
          Limits::max(),
          Limits::min(),
          Limits::denorm_min(),
          -Limits::denorm_min(),
          2.2250738585072009e-308,
          Limits::quiet_NaN(),
          Limits::infinity(),
          -Limits::infinity(),
          1e15,
          1e16,
          9007199254740993.0,
          123456789.0,
          1.7976931348623155e308,
          5e-324,
          1e-5,
          1e22,
          1e23};
}

// Stems of every shape: alone, one label, numbered, chains with names, bodies with names, a shared name.
inline std::vector<Stem> varied_stems() {
  return {{"t", {}},
          {"x", {"1", "2", "3"}},
          {"x_upper", {"1", "2"}},
          {"qw", {"pivot", "crank-arm"}},
          {"theta", {"1"}},
          {"theta_dot", {"1"}},
          {"angle_elbow", {}},
          {"px_total", {}},
          {"energy", {"1", "2", "3"}},
          {"energy", {}}};
}

inline MemoryRun varied_run(std::size_t rows) {
  MemoryRun run;
  run.run_info = {
      "0.1.0", R"({"name":"θ \"quoted\"\\n","simulation":{"duration":1.0,"tolerance":1e-15},"list":[1,2]})",
      varied_stems()};
  run.run_state = {R"({"method":"taylor","steps":12,"energy_error_relative":-0.0})",
                   std::string("\0\1\xff\n,#end", 10)};
  const std::vector<double> numbers = awkward_numbers();
  for (std::size_t i = 0; i < rows * run.columns(); ++i) {
    run.values.push_back(i < 5 * numbers.size() ? numbers[i % numbers.size()]
                                                : std::sin(static_cast<double>(i)));
  }
  return run;
}

inline std::vector<double> all_values(RunReader& reader) {
  std::vector<double> values(reader.rows() * column_names(reader.info().stems).size());
  reader.read(0, reader.rows(), values.data());
  return values;
}

inline std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(std::bit_cast<std::uint64_t>(value));
  return out;
}

inline void expect_same_run(RunReader& actual, RunReader& expected) {
  EXPECT_EQ(actual.info(), expected.info());
  EXPECT_EQ(actual.state(), expected.state());
  ASSERT_EQ(actual.rows(), expected.rows());
  EXPECT_EQ(bits(all_values(actual)), bits(all_values(expected)));
}

// Writes the rows, a checkpoint and the end of `run` to a journal.
inline void record(MemoryRun& run, const std::string& path) {
  const auto journal = Journal::create(path, run.run_info);
  for (std::size_t row = 0; row < run.rows(); ++row) journal->append(run.values.data() + row * run.columns());
  journal->checkpoint(run.run_state.checkpoint);
  journal->finish(run.run_state.summary_json);
}

inline const std::vector<std::string>& run_endings() {
  static const std::vector<std::string> endings = {".h5", ".csv", ".json", ".npz"};
  return endings;
}

// Runs `body` in a process of its own; returns how waitpid saw it end. The body's result is the exit status.
template <typename Body>
int status_of_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

inline std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.substr(1);
}

}  // namespace catena::testing
