// Runs the program in a folder of its own, as a user would.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "catena/io/record/record.h"

namespace catena::testing {

struct Result {
  int status = -1;  // exit status; 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

class Workplace : public ::testing::Test {
 protected:
  using Words = std::vector<std::string>;

  Workplace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "catena-cli-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directory(root_ / "work");
  }
  ~Workplace() override {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  std::filesystem::path path(const std::string& name) const { return root_ / "work" / name; }
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / "work")) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return contents(path(name)); }

  // How many rows a recording has; 0 where it is not there, or not to be read yet.
  std::size_t rows_in(const std::string& name) const {
    try {
      return RunReader::open(path(name).string())->rows();
    } catch (const std::exception&) {
      return 0;
    }
  }

  // The time that a program has come to that was started with --progress.
  double progress() const {
    const std::string said = contents(root_ / "err");
    const std::size_t line = said.rfind("progress ");
    return line == std::string::npos ? 0.0 : std::strtod(said.c_str() + line + 9, nullptr);
  }

  // Starts the program with its streams in files beside the work folder.
  pid_t start(const Words& arguments, const std::string& input = "") const {
    std::ofstream(root_ / "in", std::ios::binary) << input;
    for (const char* stream : {"out", "err"}) std::filesystem::remove(root_ / stream);
    const pid_t child = ::fork();
    if (child != 0) return child;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    if (::chdir(path("").c_str()) != 0) ::_exit(125);
    redirect(root_ / "in", O_RDONLY, STDIN_FILENO);
    redirect(root_ / "out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(root_ / "err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    std::vector<char*> words = {const_cast<char*>(CATENA_BINARY)};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execv(CATENA_BINARY, words.data());
    ::_exit(126);
  }

  Result wait_for(pid_t child) const {
    int state = 0;
    ::waitpid(child, &state, 0);
    const int status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return {status, contents(root_ / "out"), contents(root_ / "err")};
  }

  Result catena(const Words& arguments, const std::string& input = "") const {
    return wait_for(start(arguments, input));
  }

  Result shell(const std::string& line) const {
    const std::string command = "cd '" + path("").string() + "' && { " + line + "\n} >'" +
                                (root_ / "out").string() + "' 2>'" + (root_ / "err").string() + "'";
    const int state = std::system(("bash -c " + quoted(command)).c_str());
    return {WIFEXITED(state) ? WEXITSTATUS(state) : -1, contents(root_ / "out"), contents(root_ / "err")};
  }

 private:
  static std::string contents(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static void redirect(const std::filesystem::path& file, int flags, int stream) {
    const int descriptor = ::open(file.c_str(), flags, 0666);
    if (descriptor < 0 || ::dup2(descriptor, stream) < 0) ::_exit(125);
  }

  static std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
  }

  std::filesystem::path root_;
};

// A recording as bits, so that comparing tells every difference; all NaN are alike, as in CSV.
struct Recorded {
  std::vector<std::string> columns;
  std::vector<std::uint64_t> bits;
  std::vector<double> times;

  bool operator==(const Recorded&) const = default;
};

inline Recorded recorded(const std::filesystem::path& file) {
  const std::unique_ptr<RunReader> reader = RunReader::open(file.string());
  Recorded run{column_names(reader->info().stems), {}, {}};
  std::vector<double> values(reader->rows() * run.columns.size());
  reader->read(0, reader->rows(), values.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    run.bits.push_back(values[i] == values[i] ? std::bit_cast<std::uint64_t>(values[i])
                                              : 0x7ff8000000000000u);
    if (i % run.columns.size() == 0) run.times.push_back(values[i]);
  }
  return run;
}

template <class Condition>
bool eventually(const Condition& condition, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace catena::testing
