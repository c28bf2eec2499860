// What the disk and the memory have to say.
#include <signal.h>
#include <sys/resource.h>

#include "catena/base/mistake.h"
#include "io/record/runs.h"

namespace catena::testing {
namespace {

// Runs `body` where no file may grow beyond `bytes`, and returns the message of the error that it throws.
template <typename Body>
std::string complaint_with_file_limit(std::size_t bytes, const std::string& message_path, Body body) {
  status_of_child([&] {
    std::string message = "none";
    const rlimit limit{bytes, RLIM_INFINITY};
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      body();
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    write_file(message_path, message);
    return 0;
  });
  return file_bytes(message_path);
}

// A run of many rows that takes no memory.
class LongRun : public RunReader {
 public:
  LongRun(std::size_t rows, std::size_t links) : rows_(rows), columns_(links + 1) {
    info_ = {"0.1.0", "{}", {{"t", {}}, {"x", {}}}};
    for (std::size_t i = 1; i <= links; ++i) info_.stems[1].labels.push_back(std::to_string(i));
  }
  const RunInfo& info() const override { return info_; }
  const RunState& state() const override { return state_; }
  std::size_t rows() const override { return rows_; }
  void read(std::size_t first, std::size_t count, double* out) override {
    for (std::size_t i = 0; i < count * columns_; ++i)
      out[i] = static_cast<double>((first * columns_ + i) % 1000) / 8;
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  RunInfo info_;
  RunState state_{"{}", ""};
};

class OnDisk : public ::testing::TestWithParam<std::string> {
 protected:
  std::string path() const { return folder_ / ("run" + GetParam()); }

  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Formats, OnDisk, ::testing::ValuesIn(run_endings()), test_name);

TEST_P(OnDisk, AFileThatCannotBeWrittenLeavesTheOldOneAndNoOther) {
  write_file(path(), "old");
  LongRun run(200'000, 20);
  const std::string complaint =
      complaint_with_file_limit(1'000'000, folder_ / "message", [&] { write_run(run, path()); });
  EXPECT_NE(complaint.find("cannot write '" + path() + ".tmp': File too large; "), std::string::npos)
      << complaint;
  EXPECT_EQ(file_bytes(path()), "old");
  EXPECT_EQ(folder_.file_count(), 2u);
}

TEST_P(OnDisk, AMissingFolderIsNamedWithTheRemedy) {
  MemoryRun run = varied_run(1);
  const std::string missing = folder_ / ("no/such/run" + GetParam());
  try {
    write_run(run, missing);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              "cannot write '" + missing + ".tmp': No such file or directory; create its folder first");
  }
}

TEST_P(OnDisk, ARunThatCannotBeReadToItsEndLeavesNoFile) {
  class Breaking : public LongRun {
   public:
    Breaking() : LongRun(100'000, 20) {}
    void read(std::size_t first, std::size_t count, double* out) override {
      if (first > 0) throw InputError({"run.csv", 7, 1}, "broken");
      LongRun::read(first, count, out);
    }
  };
  Breaking run;
  EXPECT_THROW(write_run(run, path()), InputError);
  EXPECT_EQ(folder_.file_count(), 0u);
}

TEST_P(OnDisk, AFileReplacesItsOwnSource) {
  MemoryRun run = varied_run(100);
  write_run(run, path());
  write_run(*RunReader::open(path()), path());
  expect_same_run(*RunReader::open(path()), run);
  EXPECT_EQ(folder_.file_count(), 1u);
}

TEST(Journal, ThatCannotGrowSaysWhyAndStaysReadable) {
  const TempFolder folder;
  LongRun run(100'000, 20);
  std::vector<double> row(21);
  const std::string complaint = complaint_with_file_limit(1'000'000, folder / "message", [&] {
    const auto journal = Journal::create(folder / "run.part", run.info());
    journal->checkpoint("start");
    try {
      for (std::size_t i = 0; i < run.rows(); ++i) {
        run.read(i, 1, row.data());
        journal->append(row.data());
      }
    } catch (const std::runtime_error&) {
      EXPECT_THROW(journal->append(row.data()), std::runtime_error);
      EXPECT_THROW(journal->finish("{}"), std::runtime_error);
      throw;
    }
  });
  EXPECT_NE(complaint.find("run.part': File too large; "), std::string::npos) << complaint;
  const auto reader = RunReader::open(folder / "run.part");
  EXPECT_GT(reader->rows(), 4000u);
}

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMemoryIsMeasurable = false;  // the sanitizer's own memory is larger than the program's
#else
constexpr bool kMemoryIsMeasurable = true;
#endif

// Each format is written from a journal of 160 MB. What may stay in memory: 64 MB of columns that wait for
// their turn, a window of 16 MB twice, and the program itself.
TEST_P(OnDisk, AFileIsWrittenInBoundedMemory) {
  constexpr std::size_t kBound = std::size_t{150} << 20;
  const std::string part = folder_ / "run.part";
  const int status = status_of_child([&] {
    LongRun run(400'000, 49);
    {
      const auto journal = Journal::create(part, run.info());
      std::vector<double> row(50);
      for (std::size_t i = 0; i < run.rows(); ++i) {
        run.read(i, 1, row.data());
        journal->append(row.data());
      }
      journal->finish("{}");
    }
    write_run(*RunReader::open(part), path());
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto peak = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
    return kMemoryIsMeasurable && peak > kBound ? 1 : 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_GT(std::filesystem::file_size(part), 150'000'000u);
  EXPECT_GT(std::filesystem::file_size(path()), 50'000'000u);
}

}  // namespace
}  // namespace catena::testing
