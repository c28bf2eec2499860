#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "catena/base/mistake.h"
#include "io/record/runs.h"

namespace catena::testing {
namespace {

const RunInfo kPendulum = {"0.1.0", R"({"name":"pendulum"})", {{"t", {}}, {"theta", {"1", "2"}}}};

std::vector<double> row_at(std::size_t row) {
  const auto t = static_cast<double>(row);
  return {t, std::sin(t), std::cos(t)};
}

std::string checkpoint_after(std::size_t rows) { return fmt::format("after {} rows", rows); }

// Whatever was lost, the rows are a beginning of the run, and the checkpoint belongs to exactly these rows.
void expect_consistent_beginning(RunReader& reader) {
  const std::vector<double> values = all_values(reader);
  for (std::size_t row = 0; row < reader.rows(); ++row) {
    const std::vector<double> expected = row_at(row);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), values.begin() + static_cast<long>(3 * row)))
        << row;
  }
  if (!reader.state().checkpoint.empty()) {
    EXPECT_EQ(reader.state().checkpoint, checkpoint_after(reader.rows()));
  }
}

TEST(Journal, GivesBackTheSameBits) {
  const TempFolder folder;
  for (const std::size_t rows : {0u, 1u, 5000u}) {
    MemoryRun run = varied_run(rows);
    record(run, folder / "run.h5.part");
    expect_same_run(*RunReader::open(folder / "run.h5.part"), run);
  }
}

TEST(Journal, KeepsAllRowsOfARunThatEnded) {
  const TempFolder folder;
  const auto journal = Journal::create(folder / "run.part", kPendulum);
  for (std::size_t row = 0; row < 10; ++row) {
    journal->append(row_at(row).data());
    if (row == 4) journal->checkpoint(checkpoint_after(5));
  }
  journal->finish("{}");
  const auto reader = RunReader::open(folder / "run.part");
  EXPECT_EQ(reader->rows(), 10u);
  EXPECT_EQ(reader->state(), (RunState{"{}", checkpoint_after(5)}));
}

TEST(Journal, OfARunThatBrokeOffEndsAtItsLastCheckpoint) {
  const TempFolder folder;
  {
    const auto journal = Journal::create(folder / "run.part", kPendulum);
    for (std::size_t row = 0; row < 10; ++row) {
      journal->append(row_at(row).data());
      if (row < 7) journal->checkpoint(checkpoint_after(row + 1));
    }
  }
  const auto reader = RunReader::open(folder / "run.part");
  EXPECT_EQ(reader->rows(), 7u);
  EXPECT_EQ(reader->state(), (RunState{"", checkpoint_after(7)}));
}

TEST(Journal, WithoutCheckpointsHasAllRows) {
  const TempFolder folder;
  {
    const auto journal = Journal::create(folder / "run.part", kPendulum);
    for (std::size_t row = 0; row < 10; ++row) journal->append(row_at(row).data());
  }
  EXPECT_EQ(RunReader::open(folder / "run.part")->rows(), 10u);
}

// Two blocks of rows, each with a checkpoint.
std::string journal_of_two_blocks(const TempFolder& folder) {
  const std::string path = folder / "whole.part";
  const auto journal = Journal::create(path, kPendulum);
  for (std::size_t row = 0; row < 9; ++row) {
    journal->append(row_at(row).data());
    if (row == 4) journal->sync();
    journal->checkpoint(checkpoint_after(row + 1));
  }
  journal->finish(R"({"outcome":"done"})");
  return file_bytes(path);
}

TEST(Journal, CutAtAnyByteIsAConsistentBeginning) {
  const TempFolder folder;
  const std::string whole = journal_of_two_blocks(folder);
  const std::string path = folder / "cut.part";
  std::vector<std::size_t> row_counts;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    write_file(path, whole.substr(0, length));
    try {
      const auto reader = RunReader::open(path);
      expect_consistent_beginning(*reader);
      row_counts.push_back(reader->rows());
    } catch (const InputError& error) {
      EXPECT_TRUE(row_counts.empty()) << "only a cut header may be refused: " << error.what();
    }
  }
  // The sync comes with the fifth row, when the last checkpoint was after four; until that is in the file,
  // all count.
  row_counts.erase(std::unique(row_counts.begin(), row_counts.end()), row_counts.end());
  EXPECT_EQ(row_counts, (std::vector<std::size_t>{0, 5, 4, 9}));
}

TEST(Journal, WithAnyByteChangedIsAConsistentBeginning) {
  const TempFolder folder;
  std::string bytes = journal_of_two_blocks(folder);
  const std::string path = folder / "changed.part";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    write_file(path, bytes);
    try {
      expect_consistent_beginning(*RunReader::open(path));
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
    }
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
  }
}

TEST(Journal, OfAKilledProgramLosesAtMostASecond) {
  const TempFolder folder;
  const std::string path = folder / "run.part";
  const pid_t child = ::fork();
  if (child == 0) {
    const auto journal = Journal::create(path, kPendulum);
    for (std::size_t row = 0;; ++row) {
      journal->append(row_at(row).data());
      journal->checkpoint(checkpoint_after(row + 1));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  const auto rows_on_disk = [&] {
    try {
      return RunReader::open(path)->rows();
    } catch (const std::exception&) {
      return std::size_t{0};
    }
  };
  for (int i = 0; i < 6000 && rows_on_disk() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  const auto reader = RunReader::open(path);
  expect_consistent_beginning(*reader);
  EXPECT_GT(reader->rows(), 0u);
  EXPECT_FALSE(reader->state().checkpoint.empty());
  EXPECT_TRUE(reader->state().summary_json.empty());
}

TEST(Journal, HoldsEverythingAfterASync) {
  const TempFolder folder;
  const auto journal = Journal::create(folder / "run.part", kPendulum);
  for (std::size_t row = 0; row < 3; ++row) journal->append(row_at(row).data());
  journal->checkpoint(checkpoint_after(3));
  journal->sync();
  const auto reader = RunReader::open(folder / "run.part");
  EXPECT_EQ(reader->rows(), 3u);
  EXPECT_EQ(reader->state().checkpoint, checkpoint_after(3));
}

TEST(Journal, CanBeReadWhileItIsWritten) {
  const TempFolder folder;
  const auto journal = Journal::create(folder / "run.part", kPendulum);
  for (std::size_t row = 0; row < 100'000; ++row) journal->append(row_at(row).data());
  const auto reader = RunReader::open(folder / "run.part");
  EXPECT_GT(reader->rows(), 80'000u);
  expect_consistent_beginning(*reader);
}

TEST(Journal, ThatIsNoneIsRefused) {
  const TempFolder folder;
  EXPECT_THROW(RunReader::open(folder / "missing.part"), InputError);
  write_file(folder / "text.part", "t,x\n0,1\n");
  EXPECT_THROW(RunReader::open(folder / "text.part"), InputError);
  EXPECT_THROW(RunReader::open(folder / "run.txt"), InputError);
}

}  // namespace
}  // namespace catena::testing
